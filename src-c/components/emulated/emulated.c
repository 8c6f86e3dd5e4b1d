/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/emulated/emulated.h"
#include "base/syscall.h"
#include "components/components.h"
#include "formats/native_times.h"
#include "papi.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* ----------------------------------------------------- the emulator's answer */

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

int emulated_ask(struct emulated_answer *answer, struct reason *why)
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

void emulated_release(struct emulated_answer *answer)
{
    if (answer->fd >= 0)
        system_call(SYS_close, answer->fd, 0, 0);
    answer->fd = -1;
}

void *emulated_map(const struct emulated_answer *answer, bool all)
{
    size_t size = all ? emulated_memory_size(answer->page_size) : answer->page_size;
    void *memory = mmap(NULL, size, all ? PROT_READ : PROT_READ | PROT_WRITE, MAP_SHARED, answer->fd,
                        all ? 0 : (off_t)answer->offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ------------------------------------------------------------- the component */

static const struct {
    const char *name, *description;
} events[EMULATED_EVENTS] = {
#define EVENT(name, description) {#name, description},
#define CACHE_EVENT(name, description) {#name, description},
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

static int list(const char *root, struct event_list *list, struct reason *why)
{
    (void)root;
    for (int i = 0; i < EMULATED_EVENTS; i++) {
        const struct component_event event = {.name = (char *)events[i].name,
                                              .description = (char *)events[i].description,
                                              .config = (uint64_t)i};
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
    if (options->target != 0 && !options->inherit)
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
