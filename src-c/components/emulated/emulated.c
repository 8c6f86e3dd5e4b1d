/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of counters inside of the emulator, which writes them into shared memory.
 *
 * The page of the thread counts all the time, and the emulator writes it on the thread that reads it: a
 * reading is a load. The block of instructions that it is in has been added as a whole, at its beginning. The
 * counts of a program with all its threads are the sum of their pages and of what ended threads have left in
 * total. A thread that ends moves its counts from its page to total, and a sum in between would have them
 * twice or not at all: leaving and left, which it moves on before and after, show that, and the sum is made
 * again.
 *
 * Overflows are limits in the page, next, which the emulator moves on by the period when it queues an
 * overflow and sends the signal. A pause, for handlers that are slower than the overflows come, cannot stop
 * the counting: it puts the limits out of reach and hides what is counted until it ends, from the same
 * instruction to the same instruction.
 */
#include "base/array.h"
#include "base/likely.h"
#include "base/loaded.h"
#include "base/seconds.h"
#include "base/syscall.h"
#include "components/component.h"
#include "components/components.h"
#include "components/free_running.h"
#include "formats/emulator_memory.h"
#include "formats/native_times.h"
#include "papi.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>

/* ---- the emulator's answer */

static void emulated_release(struct emulated_answer *answer)
{
    if (answer->fd >= 0)
        system_call(SYS_close, answer->fd, 0, 0);
    answer->fd = -1;
}

/* Answers with a page for one thread, in place of the emulator's. */
static void answer_myself(struct emulated_answer *answer)
{
    answer->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
    answer->fd = (int)syscall(SYS_memfd_create, "papi_recording", 1u /* MFD_CLOEXEC */);
    if (answer->fd >= 0 && ftruncate(answer->fd, answer->page_size) != 0)
        emulated_release(answer);
    answer->version = EMULATED_VERSION;
    answer->events = EMULATED_EVENTS;
    answer->caches = answer->estimates = 1;
}

/* Asks the emulator where the calling thread's counts are. PAPI_ENOCMP: there is no emulator, or it
 * is of another version; PAPI_ESYS: it has no page or no descriptor for this thread. What comes with
 * PAPI_OK is given back with emulated_release. */
static int emulated_ask(struct emulated_answer *answer, struct reason *why)
{
    memset(answer, 0, sizeof *answer);
    answer->size = sizeof *answer;
    answer->fd = -1;
    system_call(SYS_getpid, (long)EMULATED_QUESTION, (long)answer, 0);
    if (answer->version == 0 && times_recording())
        answer_myself(answer);
    if (answer->version == 0)
        return reason_set(why, PAPI_ENOCMP,
                          "the program does not run in the emulator; \"papi_emulate PROGRAM\" runs it there");
    if (answer->version != EMULATED_VERSION || answer->events != EMULATED_EVENTS) {
        emulated_release(answer);
        return reason_set(why, PAPI_ENOCMP,
                          "the program runs in the emulator of another version of this library");
    }
    if (answer->fd < 0)
        return reason_set(why, PAPI_ESYS,
                          "the emulator has no counters for this thread: too many threads run, "
                          "or too many files are open");
    return PAPI_OK;
}

/* Maps the thread's page, or all of the emulator's memory, to be read; NULL with errno. For munmap. */
static void *emulated_map(const struct emulated_answer *answer, bool all)
{
    size_t size = all ? emulated_memory_size(answer->page_size) : answer->page_size;
    void *memory = mmap(NULL, size, all ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, answer->fd,
                        all ? 0 : (off_t)answer->offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- calls of PAPI that are bound beforehand */

/* Binds the program's calls of PAPI before it counts.
 *
 * A call of a function in another library goes through a slot, which leads into the dynamic linker until the
 * first call, if libraries are bound lazily. The linker then executes some thousand instructions, which a
 * first PAPI_stop would add to the program's counts: on a real processor this is noise, in the emulator,
 * whose counts are exact, it is an error. So all slots of functions of ours that still lead into their own
 * object are filled with what dlsym finds, as the linker would do it. Objects that prefer their own
 * definitions (DT_SYMBOLIC), versions of symbols and anything unusual are left alone; the linker binds those
 * as ever. */

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT };
#else
enum { JUMP_SLOT = -1 }; /* no program of this kind is emulated */
#endif

/* The names of calls to be bound. The linker must not be asked while it goes through its objects, and an
 * object may be unloaded afterwards: so one pass collects names, and another binds them. */
struct own_call {
    char name[64];
    uintptr_t function; /* 0: not found, or not asked for yet */
};

struct own_calls {
    struct own_call *call;
    size_t n;
    bool binding; /* the second time */
};

/* Entries of a loaded object's dynamic section. */
struct slots {
    const struct dl_phdr_info *object;
    const ElfW(Rela) * relocation;
    size_t size;
    const ElfW(Sym) * symbols;
    const char *names;
    bool own_first; /* a name means the object's own before those of others */
};

/* ---- names */

static struct own_call *find(const struct own_calls *calls, const char *name)
{
    for (size_t i = 0; i < calls->n; i++)
        if (strcmp(calls->call[i].name, name) == 0)
            return &calls->call[i];
    return NULL;
}

static void collect(struct own_calls *calls, const char *name)
{
    if (find(calls, name) != NULL || strlen(name) >= sizeof calls->call->name)
        return;
    if (!ARRAY_GROW(calls->call, calls->n))
        return; /* left to the linker */
    struct own_call *call = &calls->call[calls->n++];
    snprintf(call->name, sizeof call->name, "%s", name);
    call->function = 0;
}

static bool is_ours(const char *name)
{
    name += strspn(name, "_");
    return strncasecmp(name, "papi", 4) == 0 || strncasecmp(name, "fpapi", 5) == 0;
}

/* ---- objects */

/* The address of an entry: a dynamic section has addresses as the linker made them, or as they are in the
 * file. */
static const void *address_of(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const void *)(uintptr_t)(value < object->dlpi_addr ? value + object->dlpi_addr : value);
}

static void read_entry(struct slots *slots, const ElfW(Dyn) * entry)
{
    const void *address = address_of(slots->object, entry->d_un.d_ptr);
    if (entry->d_tag == DT_JMPREL)
        slots->relocation = address;
    else if (entry->d_tag == DT_PLTRELSZ)
        slots->size = entry->d_un.d_val;
    else if (entry->d_tag == DT_SYMTAB)
        slots->symbols = address;
    else if (entry->d_tag == DT_STRTAB)
        slots->names = address;
    else if (entry->d_tag == DT_SYMBOLIC)
        slots->own_first = true;
    else if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_SYMBOLIC) != 0)
        slots->own_first = true;
}

/* Binds a slot, unless the function seems to be the object's own: that is the stub by which it calls
 * another's. */
static void bind(const struct slots *slots, uintptr_t *slot, const struct own_call *call)
{
    if (call != NULL && call->function != 0 && !loaded_at(slots->object, call->function))
        __atomic_store_n(slot, call->function, __ATOMIC_RELAXED);
}

/* Collects or binds a slot that has not been bound: it still leads into its own object, which has no such
 * function. */
static void look_at(const struct slots *slots, const ElfW(Rela) * relocation, struct own_calls *calls)
{
    const ElfW(Sym) *symbol = &slots->symbols[ELF64_R_SYM(relocation->r_info)];
    const char *name = slots->names + symbol->st_name;
    uintptr_t *slot = (uintptr_t *)(slots->object->dlpi_addr + relocation->r_offset);
    if ((int)ELF64_R_TYPE(relocation->r_info) != JUMP_SLOT || symbol->st_shndx != SHN_UNDEF ||
        !is_ours(name) || !loaded_at(slots->object, __atomic_load_n(slot, __ATOMIC_RELAXED)))
        return;
    if (calls->binding)
        bind(slots, slot, find(calls, name));
    else
        collect(calls, name);
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *calls)
{
    struct slots slots = {.object = object};
    const ElfW(Dyn) *entry = NULL;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = address_of(object, object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++)
        read_entry(&slots, entry);
    if (slots.relocation == NULL || slots.symbols == NULL || slots.names == NULL || slots.own_first)
        return 0;
    for (size_t i = 0; i < slots.size / sizeof *slots.relocation; i++)
        look_at(&slots, &slots.relocation[i], calls);
    return 0;
}

/* Binds each call of PAPI's that a program or a library in it would bind when it is first made, as the
 * dynamic linker would then: what this executes, which may be between two readings, is not the program's. A
 * name that is not found is left to the linker. */
static void bind_own_calls(void)
{
    struct own_calls calls = {0};
    dl_iterate_phdr(look_at_object, &calls);
    for (size_t i = 0; i < calls.n; i++)
        calls.call[i].function = (uintptr_t)dlsym(RTLD_DEFAULT, calls.call[i].name);
    calls.binding = true;
    if (calls.n > 0)
        dl_iterate_phdr(look_at_object, &calls);
    free(calls.call);
}

/* ---- the group */

struct emulated_group {
    /* The page counts all the time: what it counted while the group was stopped is left out. */
    struct free_running_group free_running;
    /* The thread's: the emulator writes it on the thread that reads, so that a plain load is enough. */
    volatile struct emulated_thread *page;
    uint32_t page_size;
    const struct emulated_memory *memory; /* of a group that inherits: with the pages of all threads */
    uint32_t first;                       /* of those: the program in the table that is counted */
    uint8_t event[MAX_COUNTERS];          /* the counter that is read */
    uint8_t limit[MAX_COUNTERS];          /* the event whose limits are this one's */
    uint64_t period[MAX_COUNTERS];        /* of overflows; 0: none */
    bool overflows;                       /* a counter has a period */
    bool armed;                           /* the page has this group's limits: it runs */
    bool paused;                          /* while it runs */
    uint64_t paused_at[MAX_COUNTERS];
    uint64_t rest[MAX_COUNTERS]; /* from there to the next overflow */
    uint32_t lost;               /* lost of the page at the start */
};

static struct emulated_group *emulated_group(struct counter_group *group)
{
    return (struct emulated_group *)group;
}

static int read_page(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct emulated_group *group = emulated_group(base);
    (void)why;
    for (int i = 0; i < base->n_counters; i++) {
        uint64_t origin = group->free_running.hidden[i] + from[i]; /* a handler's start and stop move them */
        atomic_signal_fence(memory_order_seq_cst);
        value[i] = group->page->count[group->event[i]] - origin;
    }
    return PAPI_OK;
}

/* ---- all threads of the program and of the processes that it started: which thread started which the
 * emulator does not know */

static void add_threads(const struct emulated_group *group, uint32_t process, uint64_t *sum)
{
    const struct emulated_memory *memory = group->memory;
    for (uint32_t word = 0; word < EMULATED_THREADS / 64; word++) {
        uint64_t used = __atomic_load_n(&memory->used[word], __ATOMIC_ACQUIRE);
        for (; used != 0; used &= used - 1) {
            const volatile struct emulated_thread *page =
                emulated_page(memory, word * 64 + (uint32_t)__builtin_ctzll(used));
            for (int i = 0; page->process == process && i < group->free_running.base.n_counters; i++)
                sum[i] += __atomic_load_n(&page->count[group->event[i]], __ATOMIC_ACQUIRE);
        }
    }
}

/* Sums up a process's counts, again if a thread ended meanwhile; one that was killed while it ended stays so
 * for ever. The counts are read before the second look: each load is one that later ones do not overtake. */
static void sum_process(const struct emulated_group *group, uint32_t index, uint64_t *sum)
{
    enum { TRIES = 1000 };
    const struct emulated_process *process = &group->memory->process[index];
    uint32_t left;
    for (int tries = 0; tries < TRIES; tries++) {
        left = __atomic_load_n(&process->left, __ATOMIC_SEQ_CST);
        for (int i = 0; i < group->free_running.base.n_counters; i++)
            sum[i] = __atomic_load_n(&process->total[group->event[i]], __ATOMIC_ACQUIRE);
        add_threads(group, index, sum);
        if (__atomic_load_n(&process->leaving, __ATOMIC_SEQ_CST) == left)
            return;
    }
}

/* The latest program of a process, as its index in the table; -1: the emulator does not run it. */
static int emulated_process_of(const struct emulated_memory *memory, uint32_t pid)
{
    int found = -1;
    for (int i = 0; i < EMULATED_PROCESSES; i++) {
        uint32_t other = __atomic_load_n(&memory->process[i].pid, __ATOMIC_ACQUIRE);
        if (other == 0)
            break;
        found = other == pid ? i : found;
    }
    return found;
}

/* True if a process was started by one of the family. In the table, a process is after the one that started
 * it, and the program that it executes after itself. */
static bool is_started_by(const struct emulated_memory *memory, const uint64_t *family, uint32_t first,
                          uint32_t index)
{
    const struct emulated_process *process = &memory->process[index];
    for (uint32_t i = first; i < index; i++)
        if ((family[i / 64] >> i % 64 & 1) != 0 &&
            (memory->process[i].pid == process->parent || memory->process[i].pid == process->pid))
            return true;
    return false;
}

static void sum_program(const struct emulated_group *group, uint64_t *sum)
{
    const struct emulated_memory *memory = group->memory;
    uint64_t family[EMULATED_PROCESSES / 64] = {0};
    uint32_t first = group->first;
    memset(sum, 0, (size_t)group->free_running.base.n_counters * sizeof *sum);
    for (uint32_t i = first; i < EMULATED_PROCESSES; i++) {
        uint64_t one[MAX_COUNTERS];
        if (__atomic_load_n(&memory->process[i].pid, __ATOMIC_ACQUIRE) == 0)
            break;
        if (i != first && !is_started_by(memory, family, first, i))
            continue;
        family[i / 64] |= UINT64_C(1) << i % 64;
        sum_process(group, i, one);
        for (int c = 0; c < group->free_running.base.n_counters; c++)
            sum[c] += one[c];
    }
}

static int read_program(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct emulated_group *group = emulated_group(base);
    uint64_t sum[MAX_COUNTERS], origin[MAX_COUNTERS];
    (void)why;
    free_running_origin(base, from, origin);
    sum_program(group, sum);
    for (int i = 0; i < base->n_counters; i++)
        value[i] = sum[i] - origin[i];
    return PAPI_OK;
}

static int read_paused(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct emulated_group *group = emulated_group(base);
    (void)why;
    for (int i = 0; i < base->n_counters; i++)
        value[i] = group->paused_at[i] - group->free_running.hidden[i] - from[i];
    return PAPI_OK;
}

/* Gives values while clocks are recorded for another run: they grow, as programs expect of counts, and nobody
 * uses them. */
static int read_recording(struct counter_group *base, const uint64_t *from, uint64_t *value,
                          struct reason *why)
{
    uint64_t nsec = nsec_of(CLOCK_MONOTONIC);
    (void)why;
    for (int i = 0; i < base->n_counters; i++)
        value[i] = nsec - from[i];
    return PAPI_OK;
}

static void choose_read(struct emulated_group *group)
{
    group->free_running.base.read = times_recording()       ? read_recording
                                    : group->memory != NULL ? read_program
                                                            : read_page;
}

/* The program that is counted: the thread's own, or the one that the event set is attached to. */
static void choose_program(struct emulated_group *group)
{
    int target = group->free_running.base.options.target;
    group->first =
        target != 0 ? (uint32_t)emulated_process_of(group->memory, (uint32_t)target) : group->page->process;
}

/* True if all threads of a program are counted. */
static bool counts_program(const struct group_options *options)
{
    return options->inherit || options->process;
}

/* Maps the page of the thread that adds the first event, which is the event set's owner; for a group that
 * inherits, the other threads' pages, too. */
static int map_pages(struct emulated_group *group, struct reason *why)
{
    struct emulated_answer answer;
    bool all = counts_program(&group->free_running.base.options) && !times_recording();
    if (group->page != NULL && (!all || group->memory != NULL))
        return PAPI_OK;
    int code = emulated_ask(&answer, why);
    if (code != PAPI_OK)
        return code;
    bind_own_calls();
    if (group->page == NULL)
        group->page = emulated_map(&answer, false);
    if (all && group->page != NULL)
        group->memory = emulated_map(&answer, true);
    int error = errno;
    group->page_size = answer.page_size;
    emulated_release(&answer);
    choose_read(group);
    if (group->memory != NULL)
        choose_program(group);
    return group->page != NULL && (!all || group->memory != NULL)
               ? PAPI_OK
               : reason_set(why, PAPI_ESYS, "the emulator's counters cannot be mapped: %s", strerror(error));
}

/* Checks a domain: the emulator counts the program alone. PAPI_EINVAL_DOM for others. */
static int emulated_check_domain(int domain, struct reason *why)
{
    if (domain == PAPI_DOM_USER || domain == PAPI_DOM_ALL)
        return PAPI_OK;
    return reason_set(why, PAPI_EINVAL_DOM, "the emulator counts the program alone: PAPI_DOM_USER");
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct emulated_group *group = emulated_group(base);
    (void)root;
    int n = base->n_counters;
    if (event->config >= EMULATED_EVENTS)
        return reason_set(why, PAPI_ENOEVNT, "the emulator has no such event");
    if (period != 0 && counts_program(&base->options))
        return reason_set(why, PAPI_ENOSUPP, "inherited (PAPI_INHERIT) event sets deliver no overflows");
    int code = emulated_check_domain(base->options.domain, why) ?: map_pages(group, why);
    if (code != PAPI_OK)
        return code;
    group->event[n] = (uint8_t)emulated_counter((uint32_t)event->config);
    group->limit[n] = (uint8_t)event->config;
    group->period[n] = period;
    group->overflows = group->overflows || period != 0;
    free_running_added(base, false, 0);
    return PAPI_OK;
}

/* ---- overflows */

enum { NO_EVENT = UINT32_MAX };

static uint64_t armed_events(const struct emulated_group *group)
{
    uint64_t events = 0;
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->period[i] != 0)
            events |= 1ULL << group->limit[i];
    return events;
}

/* Sets the limits of a group's overflows, of which a page has one for each event. From the last line on a
 * handler may run. */
static int arm(struct emulated_group *group, struct reason *why)
{
    volatile struct emulated_thread *page = group->page;
    uint64_t events = armed_events(group);
    if ((page->armed & events) != 0)
        return reason_set(why, PAPI_ECNFLCT,
                          "another event set of this thread runs that overflows on the same event");
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->period[i] != 0) {
            page->period[group->limit[i]] = group->period[i];
            page->next[group->limit[i]] =
                group->free_running.hidden[i] + group->free_running.base.stopped[i] + group->period[i];
        }
    group->lost = page->lost;
    page->signal = OVERFLOW_SIGNAL;
    group->armed = true;
    page->armed |= events;
    return PAPI_OK;
}

/* Takes the group's limits away, and its overflows that wait; those of other groups stay in the queue. */
static void disarm(struct emulated_group *group)
{
    volatile struct emulated_thread *page = group->page;
    uint64_t events = armed_events(group);
    page->armed &= ~events;
    group->armed = false;
    for (uint32_t i = page->taken; i != page->queued; i++) {
        volatile struct emulated_overflow *overflow = &page->overflow[i % EMULATED_OVERFLOWS];
        if (overflow->event < EMULATED_EVENTS && events >> overflow->event & 1)
            overflow->event = NO_EVENT;
    }
}

static int counter_of(const struct emulated_group *group, uint32_t event)
{
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->limit[i] == event && group->period[i] != 0)
            return i;
    return -1;
}

static bool take_overflow(struct counter_group *base, int *counter, uint64_t *address)
{
    const struct emulated_group *group = emulated_group(base);
    volatile struct emulated_thread *page = group->page;
    while (page->taken != page->queued) {
        const volatile struct emulated_overflow *overflow = &page->overflow[page->taken % EMULATED_OVERFLOWS];
        if (overflow->event != NO_EVENT) {
            *counter = counter_of(group, overflow->event);
            if (*counter < 0)
                return false; /* another group's turn */
            *address = overflow->address;
            page->taken++;
            return true;
        }
        page->taken++;
    }
    return false;
}

/* A number that grows with each overflow, as that moves a limit on. */
static uint64_t overflows_written(const struct counter_group *base)
{
    const struct emulated_group *group = (const struct emulated_group *)base;
    uint64_t sum = 0;
    for (int i = 0; i < base->n_counters; i++)
        if (group->period[i] != 0)
            sum += group->page->next[group->limit[i]];
    return sum;
}

/* The attribute of a function of which there is one copy alone; clang makes no others. */
#if __has_attribute(noclone)
#define ONE_COPY __attribute__((noinline, noclone))
#else
#define ONE_COPY __attribute__((noinline))
#endif

/* The counts of the group, one after the other: each a few instructions later than the one before. A pause
 * begins and ends with a reading by the same instructions, so that those between are left out of every count
 * alike. */
static ONE_COPY void read_counts(const struct emulated_group *group, uint64_t *count)
{
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        count[i] = group->page->count[group->event[i]];
}

/* Pauses: the limits go out of reach, and are kept as what is left to count; that may be less than nothing
 * where counting went on between the two. */
static void pause_counting(struct emulated_group *group)
{
    volatile struct emulated_thread *page = group->page;
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->period[i] != 0) {
            group->rest[i] = page->next[group->limit[i]];
            page->next[group->limit[i]] = UINT64_MAX;
        }
    read_counts(group, group->paused_at);
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        group->rest[i] -= group->paused_at[i];
    group->free_running.base.read = read_paused;
    group->paused = true;
}

static void go_on(struct emulated_group *group)
{
    volatile struct emulated_thread *page = group->page;
    uint64_t now[MAX_COUNTERS];
    group->free_running.base.read = read_page;
    group->paused = false;
    read_counts(group, now);
    for (int i = 0; i < group->free_running.base.n_counters; i++) {
        group->free_running.hidden[i] += now[i] - group->paused_at[i];
        if (group->period[i] != 0)
            page->next[group->limit[i]] = now[i] + group->rest[i];
    }
}

static void pause_or_go_on(struct counter_group *base, bool paused)
{
    struct emulated_group *group = emulated_group(base);
    if (paused && group->armed && !group->paused)
        pause_counting(group);
    else if (!paused && group->paused)
        go_on(group);
}

/* True for instructions in the handling of a signal that are not floating-point or vector instructions. */
static bool is_in_handling(uint8_t event)
{
    return event < EMULATED_FP_INSTRUCTIONS || event > EMULATED_DP_VECTOR_INSTRUCTIONS;
}

static bool may_not_end(const struct counter_group *base)
{
    const struct emulated_group *group = (const struct emulated_group *)base;
    enum { SMALL = 2000 };
    for (int i = 0; i < base->n_counters; i++)
        if (group->period[i] != 0 && group->period[i] <= SMALL && is_in_handling(group->event[i]))
            return true;
    return false;
}

static int check_overflows(const struct counter_group *base, struct reason *why)
{
    const struct emulated_group *group = (const struct emulated_group *)base;
    uint32_t lost = group->page->lost - group->lost;
    if (lost == 0)
        return PAPI_OK;
    return reason_set(why, PAPI_ECLOST,
                      "%u overflows found no room in their queue: the program blocks signal %d for long, or "
                      "its handler is slow; use a larger threshold",
                      lost, (int)OVERFLOW_SIGNAL);
}

/* ---- start and stop */

static bool has_ended(int target)
{
    return target != 0 && system_call(SYS_kill, target, 0, 0) == -ESRCH;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct emulated_group *group = emulated_group(base);
    uint64_t sum[MAX_COUNTERS];
    if (unlikely(group->memory != NULL)) {
        if (has_ended(base->options.target))
            return reason_set(why, PAPI_ECLOST, "process %d, to which the event set is attached, has ended",
                              base->options.target);
        sum_program(group, sum);
    }
    for (int i = 0; i < base->n_counters; i++)
        group->free_running.hidden[i] =
            (group->memory != NULL ? sum[i] : group->page->count[group->event[i]]) - base->stopped[i];
    return unlikely(group->overflows) ? arm(group, why) : PAPI_OK;
}

static int stop(struct counter_group *base, struct reason *why)
{
    struct emulated_group *group = emulated_group(base);
    static const uint64_t from_zero[MAX_COUNTERS];
    uint64_t *spare = group->free_running.reading[base->stopped == group->free_running.reading[0]];
    /* Disarmed before the counts are read: a handler that resets them after that would leave less than
     * none. */
    if (unlikely(group->armed))
        disarm(group);
    int code = base->read(base, from_zero, spare, why);
    base->stopped = spare;
    if (unlikely(group->paused)) {
        choose_read(group);
        group->paused = false;
    }
    return code;
}

static void silence(const struct counter_group *base)
{
    const struct emulated_group *group = (const struct emulated_group *)base;
    if (group->page != NULL && group->overflows)
        __atomic_fetch_and(&group->page->armed, ~armed_events(group), __ATOMIC_SEQ_CST);
}

/* Abandons a group in the child of a fork: the mapping is the child's too, but the page is not its thread's;
 * destroy unmaps it. */
static void abandon(struct counter_group *base)
{
    base->n_counters = 0;
}

static void destroy(struct counter_group *base)
{
    if (base == NULL)
        return;
    struct emulated_group *group = emulated_group(base);
    if (group->armed && base->n_counters > 0)
        disarm(group);
    if (group->page != NULL)
        munmap((void *)group->page, group->page_size);
    if (group->memory != NULL)
        munmap((void *)(uintptr_t)group->memory, emulated_memory_size(group->page_size));
    free(group);
}

static const struct group_ops emulated_groups = {
    .add = add,
    .start = start,
    .stop = stop,
    .silence = silence,
    .destroy = destroy,
    .abandon = abandon,
    .take_overflow = take_overflow,
    .overflows_written = overflows_written,
    .pause = pause_or_go_on,
    .may_not_end = may_not_end,
    .check_overflows = check_overflows,
};

/* The counters of one event set: places in the page that the emulator writes. */
static struct counter_group *emulated_group_create(const struct group_options *options)
{
    struct counter_group *group =
        free_running_create(sizeof(struct emulated_group), options, &emulated_groups, read_page);
    if (group != NULL)
        choose_read(emulated_group(group));
    return group;
}

/* ---- the component */

TEXT_ROWS_BEGIN
static const struct {
    char name[40], description[432];
} events[EMULATED_EVENTS] = {
#define EVENT(name, description) {#name, description},
#define CACHE_EVENT(name, description) {#name, description},
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};
TEXT_ROWS_END

static int list(const char *root, struct event_list *list, struct reason *why)
{
    (void)root;
    for (int i = 0; i < EMULATED_EVENTS; i++) {
        const struct component_event event = {
            .name = events[i].name, .description = events[i].description, .config = (uint64_t)i};
        if (event_list_add(list, &event, why) != PAPI_OK)
            return PAPI_ENOMEM;
    }
    return PAPI_OK;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct emulated_answer answer;
    (void)pmus;
    if (emulated_ask(&answer, &state->disabled) != PAPI_OK)
        return;
    emulated_release(&answer);
    state->n_hardware_counters =
        answer.caches ? (int)EMULATED_BEHIND_CACHE_EVENTS : (int)EMULATED_FIRST_CACHE_EVENT;
    state->n_hardware_counters += answer.estimates;
    state->fast_read = true;
    state->hardware_interrupt = state->precise_interrupt = true;
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    struct emulated_answer answer;
    (void)pmus;
    int code = emulated_ask(&answer, why);
    if (code != PAPI_OK)
        return code;
    emulated_release(&answer);
    if (event->config == EMULATED_ESTIMATED_CYCLES && !answer.estimates)
        return reason_set(
            why, PAPI_ENOEVNT,
            "the emulator knows no time and no cycles; with papi_emulate --cycles=estimate, each "
            "instruction counts as one");
    if (event->config >= EMULATED_FIRST_CACHE_EVENT && event->config < EMULATED_BEHIND_CACHE_EVENTS &&
        !answer.caches)
        return reason_set(why, PAPI_ENOEVNT, "the caches are simulated only with papi_emulate --caches");
    return emulated_check_domain(domain, why);
}

/* Finds a process in the table. One that was just made enters it itself, soon. */
static int find_process(const struct emulated_memory *memory, int pid, struct reason *why)
{
    enum { TRIES = 2000 };
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int i = 0; emulated_process_of(memory, (uint32_t)pid) < 0; i++) {
        if (system_call(SYS_kill, pid, 0, 0) == -ESRCH)
            return reason_set(why, PAPI_EINVAL, "there is no process %d", pid);
        if (i == TRIES)
            return reason_set(why, PAPI_ECMP,
                              "%d is not a process that runs in the emulator; papi_emulate --report counts "
                              "any program as a whole",
                              pid);
        nanosleep(&moment, NULL);
    }
    return PAPI_OK;
}

/* Checks that a process is one of this run of papi_emulate: PAPI_OK. */
static int check_target(int pid, struct reason *why)
{
    struct emulated_answer answer;
    int code = emulated_ask(&answer, why);
    if (code != PAPI_OK || times_recording()) {
        emulated_release(&answer);
        return code;
    }
    const struct emulated_memory *memory = emulated_map(&answer, true);
    emulated_release(&answer);
    if (memory == NULL)
        return reason_set(why, PAPI_ESYS, "the emulator's counters cannot be mapped");
    code = find_process(memory, pid, why);
    munmap((void *)(uintptr_t)memory, emulated_memory_size(answer.page_size));
    return code;
}

/* Checks options. Multiplexing cannot fail here: all events are counted all the time. */
static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0 && !counts_program(options))
        return reason_set(
            why, PAPI_ECMP,
            "the emulator counts each thread for itself: an event set is attached to a process of the same "
            "papi_emulate, with all that it starts, after PAPI_set_opt(PAPI_INHERIT)");
    if (options->target != 0)
        return check_target(options->target, why);
    if (options->whole_cpu)
        return reason_set(
            why, PAPI_ECMP,
            "the emulator counts threads of one program, not a CPU: without PAPI_CPU_ATTACH, the "
            "event set counts its thread, and with PAPI_INHERIT the whole program");
    return PAPI_OK;
}

const struct component emulated_component = {
    .name = "emulated",
    .short_name = "emu",
    .description = "papi_emulate: what the program's instructions do, counted exactly by an emulator",
    .processor = "emulated",
    .prefix = "emu::",
    .listed_by = "papi_emulate --events",
    .list = list,
    .default_domain = PAPI_DOM_USER,
    .available_domains = PAPI_DOM_USER,
    .inherit = true,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = emulated_group_create,
    .overflows = true,
};
