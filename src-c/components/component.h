/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"
#include "components/event_list.h"
#include "components/sample_source.h"
#include "hardware/pmus.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* A component counts events: it turns encodings into counters and reads them. It knows nothing of
 * names, presets or event sets. Each lives in a folder of its own. */

enum { MAX_COUNTERS = 64 }; /* in one event set: an overflow vector has that many bits */

/* The places of components in the library's table, which has room for so many. */
enum { COMPONENT_PERF_EVENT, COMPONENT_EMULATED, COMPONENT_UNCORE, MAX_COMPONENTS = 40 };

/* Tells a thread of the overflows of its groups. Not a real-time signal: those are queued, and where the
 * queue is full (RLIMIT_SIGPENDING) the kernel sends SIGIO in their place, which ends a program that does not
 * expect it. This one is pending or it is not, which is enough; no kernel, C library or program has another
 * use for it, and the emulator passes its number on unchanged. */
#ifdef SIGSTKFLT
enum { OVERFLOW_SIGNAL = SIGSTKFLT };
#else
enum { OVERFLOW_SIGNAL = SIGIO };
#endif

/* An event as a counter counts it, in the component's own numbers. */
struct event_encoding {
    int component; /* the component's index */
    uint32_t type; /* perf_event: attr.type, config, config1, config2; others: config, as they listed it */
    uint64_t config, config1, config2;
    int domain;      /* the domain that the event's name itself states (":u"), 0: the event set's */
    bool some_cores; /* its PMU is that of one kind of a hybrid processor's cores */
    int precise;     /* how precise its name asks samples to be, as in group_options; 0: it does not */
    /* Places of perf_event_uncore where it is counted, and summed, unless the set names a CPU; NULL: cpu. */
    const struct pmu_boxes *boxes;
    int cpu;                             /* the first of them */
    const struct component_event *event; /* of the component's list, which stays as long as event sets do */
    int place; /* among the events of its name's source; -1: it is not listed there */
};

enum { EVERY_CPU = -1 };

/* Options of a group: all that can differ from one event set to another. */
struct group_options {
    int domain; /* PAPI_DOM_* */
    int target; /* the thread to count, by the kernel's number; 0: the one that opens the group */
    unsigned long long begin; /* of the target (task_begin), whose number may be another's later */
    bool whole_cpu;           /* count all that runs on the CPU of the number cpu, or on all (EVERY_CPU) */
    int cpu;
    int cgroup;        /* whole CPUs: of a control group alone, by its folder's descriptor; 0: of all tasks */
    bool inherit;      /* with the threads and processes that the target starts from then on */
    bool process;      /* target is a process: all its threads, and what they start from then on */
    bool tree;         /* of a process: with the processes that it has started before */
    bool threads;      /* of a process: each thread by itself */
    bool multiplex;    /* events take turns where there are not counters enough for all */
    bool share;        /* its counters may be another's for a part of the time, and its counts are scaled */
    bool summed;       /* by whoever adds it to others: it shows what it counted, also where it missed some */
    long long wait_ns; /* for which a start waits, at most, until it has its counters; 0: it does not */
    int precise; /* how precise samples are: PRECISE_EXACTLY and the kernel's precise_ip, or PRECISE_MOST */
};

/* PRECISE_MOST: as precise as the processor can be with the same counts. */
enum { PRECISE_MOST = 0, PRECISE_EXACTLY = 1 };

/* For how long a counter was to count, and for how much of that it did, in nanoseconds. */
struct counted_time {
    uint64_t wanted, counted;
};

/* A group of counters that are started, stopped and read together. A component embeds this at
 * the head of its own structure. */
struct counter_group {
    const struct group_ops *ops; /* operations for groups with its options */
    /* Each count less its base. The component sets it with every change of the group to the fastest
     * way that there is; the subtraction is here so that a count is touched once. PAPI_ECLOST: the
     * counts are there, and may be too little. */
    int (*read)(struct counter_group *group, const uint64_t *base, uint64_t *value, struct reason *why);
    /* The same, and notes the counts as stop does; the group runs on. On an error nothing is noted. NULL:
     * the counters of such a group are not to be on for longer than it is started. Set as read is. */
    int (*note)(struct counter_group *group, const uint64_t *base, uint64_t *value, struct reason *why);
    /* Adds each count less its base to a value, and gives the counts; false: nothing is changed, and it takes
     * a read. Never NULL: accum_takes_a_read. */
    bool (*accum)(struct counter_group *group, const uint64_t *base, uint64_t *count, long long *value);
    /* Counts of each counter when the group was last stopped or noted. The array of one stop stays as it is
     * until the stop after the next one. Counts only ever grow, but add may begin them anew. */
    const uint64_t *stopped;
    int n_counters;
    uint64_t levels; /* the bits of the counters that show a level: their bases mean nothing to read */
    uint64_t reals;  /* and of those whose counts, bases and values are the bits of doubles */
    struct group_options options;
};

/* Events that are another one with qualifiers behind its name: "sm__cycles_active:stat=sum:device=1". */
struct component_variants {
    /* Makes the event of a listed one and qualifiers, which begin with a colon, of a copy of the listed one:
     * its config, and the texts that differ, in text. PAPI_ENOEVNT: there is none, with the reason. */
    int (*take)(const struct component_event *listed, const char *qualifiers, struct component_event *variant,
                char *text, size_t size, struct reason *why);

    /* Writes the qualifiers of a number, from 0, that a listed event can have, and a sentence on them. false:
     * there are no more. */
    bool (*next)(const struct component_event *listed, int number, char *qualifiers, size_t size,
                 char *description, size_t room);
};

/* State of a component on this machine, found out once. */
struct component_state {
    bool known;                                 /* nothing that a later try could change: the caller's */
    struct reason disabled, partially_disabled; /* PAPI_OK: it is not */
    int n_hardware_counters;                    /* that one group holds; 0: none here */
    bool fast_read;                             /* counters can be read without a system call */
    int turn_ns;             /* time for which multiplexed events keep a counter; 0: not known */
    bool hardware_interrupt; /* overflows are signalled by the kernel, not polled for */
    bool precise_interrupt;  /* with the address of the very instruction */
};

struct component {
    const char *name, *short_name, *description;

    /* Set where the component, if it works, counts in place of the processor: the tables of presets
     * are then those of this name. */
    const char *processor;

    /* Prefix of names that neither libpfm4 nor the kernel gives: "emu::". NULL: there are none. */
    const char *prefix;
    const char *listed_by; /* the command that prints them; NULL: papi_native_avail */
    /* Appends the events on this machine, in the order in which they are listed; asked for once. PAPI_ENOMEM,
     * PAPI_ESYS: it could not look. */
    int (*list)(const char *root, struct event_list *list, struct reason *why);
    /* NULL: no event takes qualifiers. */
    const struct component_variants *variants;
    /* Writes a sentence on an event whose description takes long to get, so that the list has none (""), and
     * its unit. PAPI_ENOMEM, PAPI_ESYS. NULL: the list has them all. */
    int (*describe)(const struct component_event *event, char *text, size_t size, char *unit, size_t room,
                    struct reason *why);
    /* Writes what is to follow the description of an event that somebody has named, not listed, since it
     * takes too long for a list. NULL: nothing. */
    int (*detail)(const struct component_event *event, char *text, size_t size, struct reason *why);

    /* Asks the kernel what this machine offers, into a state of zeroes. The root that pmus has and other
     * functions get is that of base/sysroot.h. */
    void (*discover)(struct pmu_table *pmus, struct component_state *state);

    /* Tries whether the kernel counts this event alone, in this domain. PAPI_OK or the code, with a
     * reason. */
    int (*try_event)(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why);

    /* True if groups can have these options: PAPI_ECMP where the component cannot do it, PAPI_EINVAL where
     * there is no such thread or CPU, PAPI_EINVAL_DOM, PAPI_EPERM. */
    int (*check_options)(const char *root, const struct group_options *options, struct reason *why);

    /* An empty group with options that were checked; NULL: out of memory. What a group counts and how does
     * not change but by add: for less, or with other options, the event set makes another one. */
    struct counter_group *(*create)(const struct group_options *options);

    /* Writes what is to follow the description of an event that somebody has named: how near the addresses of
     * its samples are to the instructions that cause them; "" where there is nothing to say. NULL: never. */
    void (*describe_samples)(const char *root, const struct event_encoding *event, int domain, char *text,
                             size_t size);

    /* Opens a source of an event's samples, for the calling thread. NULL: there are none. */
    int (*open_samples)(const char *root, const struct event_encoding *event,
                        const struct sample_request *request, struct sample_source **source,
                        struct reason *why);

    int default_domain, available_domains;
    int granularity; /* PAPI_GRN_SYS: counts what all programs of the machine do together; PAPI_GRN_PROCG:
                      * those of the control group; PAPI_GRN_PROC; 0: PAPI_GRN_THR */
    bool attach, inherit, cpu, kernel_multiplex;
    bool where_no_counters; /* it counts in place of the processor only where that has none for the program */
    /* True if there may be more events later: list is asked before each look, and appends what is new to what
     * it gave before, of which it may change all but the names. */
    bool list_grows;
    bool always_listed;       /* its events, also where it is disabled: try_event says what they lack */
    bool overflows;           /* some of its groups deliver overflows, by OVERFLOW_SIGNAL */
    bool overflows_on_demand; /* only where PAPI_OVERFLOW_HARDWARE asks for it: few of its events do */
};

/* Members shared by components that list events named "NAME:::..." and count them in all modes. */
#define LISTING_MEMBERS(NAME)                                                                                \
    .name = NAME, .short_name = NAME, .prefix = NAME ":::", .default_domain = PAPI_DOM_ALL,                  \
    .available_domains = PAPI_DOM_ALL

enum { THREAD_ENDED = 1, THREAD_UNCOUNTED = 2 };

/* Operations on a group. */
struct group_ops {
    /* Opens a counter after the others, fewer than MAX_COUNTERS. period: it overflows every so many counts,
     * 0: never. On an error the group is as it was, but for its counts. PAPI_ENOSUPP: the event or the group
     * delivers no overflows. */
    int (*add)(struct counter_group *group, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why);

    int (*start)(struct counter_group *group, struct reason *why);

    /* Tells whether the counters could be had now where the group counts, if a start does not tell because
     * that is elsewhere: PAPI_OK or PAPI_ECNFLCT. NULL: start tells. */
    int (*obtainable)(struct counter_group *group, const char *root);

    /* Looks for what has inherited the counters and lives: another group in the place of this one would not
     * count it, nor a counter that is added. PAPI_ECNFLCT: there is some. NULL: nothing inherits. */
    int (*heirs)(const struct counter_group *group, const char *root, struct reason *why);

    /* Sets the reason that the counters are another's, with who has them. NULL: it is not known. */
    int (*held)(const char *root, struct reason *why);

    /* Stops and notes the counts; stopped it is even where an error comes back. */
    int (*stop)(struct counter_group *group, struct reason *why);

    /* Sets the level that a counter shows. PAPI_ECMP: it cannot be set; PAPI_EPERM; PAPI_EINVAL. NULL: the
     * component has no levels. */
    int (*write)(struct counter_group *group, const char *root, int counter, long long value,
                 struct reason *why);

    /* Has a level be what it showed when a group was stopped in whose place this one is, which was never
     * started. NULL: the component has no levels. */
    void (*keep)(struct counter_group *group, int counter, uint64_t value);

    /* Has what is computed of the time since the start begin anew, where the counts do: levels, and what a
     * group that shares its counters has missed. NULL: levels show what is the case now, and so do not
     * change. Levels of a group that has it are not added up.
     *   least  what each count is at least, from now on; NULL: what it was at the last read */
    void (*renew)(struct counter_group *group, const uint64_t *least);

    /* Adds to the time of each counter: that since the start, or since counts began anew, of a group that
     * runs; else that of its last run (stopped). NULL: it misses nothing. */
    int (*times)(struct counter_group *group, bool stopped, struct counted_time *time, struct reason *why);

    /* Ends counting and overflows from any thread, while the owner may be in any of these functions but add
     * and destroy: the group itself stays as it is. Async-signal-safe. NULL: nothing is switched on. */
    void (*silence)(const struct counter_group *group);

    /* Gives what each thread has counted since the group was started, those that have ended included: as
     * many as there is room for, with n_counters counts each. n becomes the number that there are.
     * ended: THREAD_ENDED and, of one that could not be given counters, THREAD_UNCOUNTED. PAPI_ECLOST: some
     * may be too little, or missing. NULL: the counts are not kept by threads. */
    int (*read_threads)(struct counter_group *group, int room, long long *tid, long long *ended,
                        uint64_t *count, int *n, struct reason *why);

    /* Closes all and frees the group. */
    void (*destroy)(struct counter_group *group);

    /* Closes the descriptors in the child of a fork, and does no more. It must be async-signal-safe. */
    void (*abandon)(struct counter_group *group);

    /* True if the thread that the group is attached to no longer exists. NULL: it attaches to none. */
    bool (*target_ended)(const struct counter_group *group, const char *root);

    /* ---- overflows: NULL where there are none */

    /* Begins the periods anew, before a start of a group that has overflows. NULL: start does it. */
    int (*arm_overflows)(struct counter_group *group, struct reason *why);

    /* Takes the next overflow that waits, in the signal's handler, on the thread of the group: its counter,
     * and the address of the instruction (0: not known; the instruction that the signal interrupted will do).
     * false: none waits. Also called after a stop, for those left over. */
    bool (*take_overflow)(struct counter_group *group, int *counter, uint64_t *address);

    /* Functions for a handler that is slower than the overflows come: a number that grows with each overflow,
     * and a way to stop counting for a moment and to go on. Async-signal-safe. */
    uint64_t (*overflows_written)(const struct counter_group *group);
    void (*pause)(struct counter_group *group, bool paused);

    /* The least precise_ip of the counters that overflow; -1: none does. NULL: as the component's state says.
     */
    int (*precision)(const struct counter_group *group);

    /* True if a period is so small that handling a signal may well make the event overflow again. */
    bool (*may_not_end)(const struct counter_group *group);

    /* Checks a stopped group: PAPI_ECLOST where overflows or counts are missing. */
    int (*check_overflows)(const struct counter_group *group, struct reason *why);
};

/* The sum and the difference of two counts of a counter, or of a count and a value. */
uint64_t count_sum(const struct counter_group *group, int counter, uint64_t a, uint64_t b);
uint64_t count_difference(const struct counter_group *group, int counter, uint64_t a, uint64_t b);

/* The accum of groups for which there is no faster way. */
bool accum_takes_a_read(struct counter_group *group, const uint64_t *base, uint64_t *count, long long *value);

/* The place of what a component keeps as long as the process lives, shutdowns or not, such as a vendor's
 * library that can be configured once: in the library's object, which core/library.h has. NULL at first. */
void *_Atomic *component_kept(const struct component *component);

/* Every component of the library by its index; the first is the processor's. */
extern const struct component *const components[];
int component_count(void);
