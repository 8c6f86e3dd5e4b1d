/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Regions: what PAPI_hl_region_begin and its sisters record.
 *
 * The process has one struct regions. Each thread has a struct region_thread in it, which outlives the
 * thread, and which the thread alone changes, without a lock: what the file is made of is only ever added
 * to. Where the file is written while other threads run, the state of an entry tells whether its values
 * are complete. */

/* The values of a sample: these two, then one an event. */
enum { VALUE_CYCLES, VALUE_NSEC, VALUE_EVENTS };

/* The value of an event that could not be counted: it has no key in the file. */
#define NOT_COUNTED ((long long)(1ULL << 63))

struct region_event {
    char *name;
    char *unit;      /* NULL: a plain number */
    char *component; /* its name; NULL: not counted */
    char *reason;    /* why it is not counted, or not in all threads */
    int code;        /* the error that was the reason */
    int set;         /* of the plan; -1: not counted */
    int granularity; /* of its component, PAPI_GRN_* */
    bool instant;    /* its value is that at the end of a region, not a difference */
    bool asked;      /* for one of these, by "=instant" or "=delta": otherwise it is as the event is */
    bool shared;     /* not of a thread alone: threads that count it at the same time count the same */
};

/* A planned event set of each thread. */
struct region_set {
    int component; /* -1: none takes its place */
    bool multiplexed;
    int es; /* of the trial, while the plan is made */
};

/* Values of a thread's PAPI_hl_read calls in one entry, in their order. Others read the values while they
 * change, by one access: 32-bit x86 has that only of eight bytes together. */
struct region_read {
    struct region_read *_Atomic next;
    _Alignas(8) long long value[];
};

enum { ENTRY_OPEN, ENTRY_DONE };

struct region_entry {
    const char *name;
    int id, parent; /* parent: -1 at the top */
    _Atomic int state;
    _Atomic int unfinished;      /* its values are not those of the whole region */
    _Alignas(8) long long calls; /* 0: it has no values yet; more than 1: several entries were added up */
    struct region_read *_Atomic reads;
    struct region_frame *frame; /* that it has while it is open */
    _Alignas(8) long long value[];
};

struct region_chunk {
    struct region_chunk *_Atomic next;
    int room;
    _Atomic int used;
    _Alignas(8) char entries[];
};

/* An open region; frames are used again, and never freed, since the writer may be looking. */
struct region_frame {
    struct region_frame *outer, *inner;
    struct region_entry *entry;
    struct region_read *last_read;
    _Alignas(8) long long begin[];
};

struct running_set {
    int es;
    int n;
    bool begins; /* multiplexed, and not read yet: its counts are 0 */
    int *event;  /* the positions of its counts among the events */
};

struct region_thread {
    struct region_thread *_Atomic next;
    struct regions *regions;
    struct running_set *set; /* the plan's sets; es is PAPI_NULL where it does not run */
    bool started;
    int direct; /* the one set that counts all events in their order, all from 0 and none lost, multiplexed or
                   instant: a sample is one read of it. PAPI_NULL: not so */
    int failed; /* the code of a set that failed and has not been reported yet */
    long long *offset; /* counts from before the sets were made again */
    long long *sample; /* of the last call */
    struct region_frame *_Atomic innermost;
    struct region_frame *outermost;
    struct region_chunk *first_chunk, *last_chunk;
    int n_entries, n_merged;
    int refused; /* regions that were begun and not recorded, and not ended yet */
    _Atomic long long calls, misplaced, not_recorded;
    struct hash_table names, merged; /* char *, struct region_entry * */
    bool timed;                      /* its processor time is sampled, by this timer */
    timer_t timer;
};

struct region_settings {
    char *events; /* NULL: the default */
    char *folder; /* absolute, without papi_hl_output */
    bool multiplex, all_threads, report, formulas, share, verbose, silent;
    int rank; /* -1: no rank known */
};

struct regions {
    _Atomic int forked; /* this is the parent's, seen in the child */
    pid_t process;
    struct regions *before; /* the parent's */
    pthread_key_t key;      /* the calling thread's struct region_thread */
    pthread_t first_thread;
    pthread_mutex_t lock; /* for what follows, but what is atomic */
    bool held;            /* the holder's, see client_hold_overflows */
    int cancel_state;     /* and its own, from before */
    struct region_settings settings;
    long long started_nsec; /* this process, of CLOCK_BOOTTIME */
    long long run_nsec;     /* the run with all its ranks: what was written before is of another run */
    bool planned;
    bool lacked; /* a plan was given up for lack of something that another call may have */
    int n_events;
    int n_sets;
    struct metrics_picks metrics; /* that PAPI_EVENTS names */
    struct region_event *event;
    struct region_set *set;
    struct region_thread *_Atomic threads;
    struct region_thread *last_thread;
    _Atomic int room; /* entries that may still be recorded one by one */
    bool ending;      /* the program: nobody is left to be told by a code */
    long long calls_written;
    struct sampler *sampler; /* NULL: no time is sampled */
    int n_timed;             /* threads; -1: it cannot be sampled */
    int no_sampler;          /* why: errno */
    char *doubt;             /* why counts may be too little; NULL: none is in doubt */
    char *file;              /* that this process wrote */
    dev_t file_device;
    ino_t file_folder;
};

/* ---- regions_process.c */

/* The regions of the process, made by the first call. NULL: out of memory. */
struct regions *regions_get(void);
/* The regions of the process; NULL: there are none yet. */
struct regions *regions_existing(void);
/* Locks the process's regions. Meanwhile the thread is neither cancelled nor interrupted by an overflow's
 * handler, which may use regions too. */
void regions_lock(struct regions *regions);
void regions_unlock(struct regions *regions);
/* A message on stderr, if wanted. */
void regions_say(const struct regions *regions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints a message on lost data; at the end of the program unless nothing is wanted. */
void regions_lost(const struct regions *regions, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Reads the environment. PAPI_OK or PAPI_ENOMEM. */
int regions_settings(struct region_settings *settings);

/* ---- regions_events.c */

/* Plans which events are counted, and in which event sets. The process is locked. */
int regions_plan(struct regions *regions);
/* An event that was asked for, by its name; NULL: it was not. */
const struct region_event *regions_event(const struct regions *regions, const char *name);
/* Starts the calling thread's event sets; what cannot be counted is left out. */
void regions_start(struct region_thread *thread);
/* Stops and destroys the calling thread's event sets. */
void regions_stop(struct region_thread *thread);
/* The sample that the thread took last. */
const long long *regions_latest(const struct region_thread *thread);
/* Takes a sample of the counts and times. */
void regions_sample(struct region_thread *thread, long long *value);

/* ---- regions_report.c: what the report of a counted program says of the code that does not count itself */

/* Samples the calling thread's time from now on, if that is to be in the report. */
void regions_share_begin(struct region_thread *thread);
/* Ends the sampling for all threads, and prints the share. The process is locked. */
void regions_share_print(struct regions *regions, FILE *out);

/* ---- regions_entries.c */
/* Creates the calling thread's object. NULL with *code: no memory, or what is to be counted cannot be found
 * out now. */
struct region_thread *regions_thread_make(struct regions *regions, int *code);
/* Makes an entry of the region inside of what is open, and its frame; NULL: no memory or no room. The
 * caller fills the frame's beginning and opens it. */
struct region_frame *regions_enter(struct region_thread *thread, const char *name);
void regions_open(struct region_thread *thread, struct region_frame *frame);
void regions_leave(struct region_thread *thread, const long long *value);
/* Keeps the values of a PAPI_hl_read with the open entry. PAPI_OK or PAPI_ENOMEM. */
int regions_keep_read(struct region_thread *thread, const long long *value);
/* The difference from the beginning, or what is read at the end of an event that is instant. */
long long regions_difference(const struct regions *regions, int i, long long begin, long long end);
/* True if the value at i is not a difference: of an event that is instant. */
bool regions_instant(const struct regions *regions, int i);
/* The values of an entry, as far as they are known; false: these are not those of the whole region. */
bool regions_known(const struct region_thread *thread, const struct region_entry *entry, long long *value);
/* The entries of a thread one after the other, in the order of their numbers, from a place that begins as
 * zeroes; NULL: there is none yet. */
struct region_place {
    struct region_chunk *chunk;
    int i;
};
struct region_entry *regions_next_entry(const struct region_thread *thread, struct region_place *place);
int regions_values(const struct regions *regions);
/* The scope of an event that is shared: "node", "job" or "process". */
const char *regions_scope(const struct region_event *event);
/* The number of calls that were recorded in all threads. */
long long regions_calls(const struct regions *regions);

/* ---- metric_calls.c: the process is locked */

enum { METRIC_TEXT = 512 };
/* A metric that was asked for, of a region's values, as text; false: there is no value, and the text is the
 * reason. */
bool regions_metric(const struct regions *regions, const long long *value, int metric,
                    char text[METRIC_TEXT]);

/* ---- regions_file.c, regions_report.c: the process is locked */

/* Writes the file. PAPI_OK, or PAPI_ESYS or PAPI_ENOMEM with the reason. */
int regions_write(struct regions *regions);
void regions_report(struct regions *regions);
/* The values of all entries of a name in all threads, as the report has them: as many as regions_values.
 * PAPI_EINVAL: there is no entry; PAPI_ENOMEM. With the reason. */
int regions_sum(const struct regions *regions, const char *name, long long *value, struct reason *why);
