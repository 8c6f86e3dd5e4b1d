/* SPDX-License-Identifier: BSD-3-Clause */
#include "sampled_run.h"
#include "registers.h"
#include "replay.h"
#include "tools/common/allocate.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* -------------------------------------------------------------------- beforehand */

int run_stacks(struct run *run, const char *how)
{
    static const char *const names[] = {
        [STACKS_NONE] = "none", [STACKS_FRAMES] = "frames", [STACKS_COPIED] = "copied"};
    run->stacks = registers_asked() != 0 ? STACKS_COPIED : STACKS_FRAMES;
    if (how == NULL)
        return TOOL_FINE;
    for (int i = STACKS_NONE; i <= STACKS_COPIED; i++)
        if (strcmp(how, names[i]) == 0) {
            run->stacks = (enum sampler_stacks)i;
            return i != STACKS_COPIED || registers_asked() != 0
                       ? TOOL_FINE
                       : tool_error(run->tool, "--stacks=copied: not on this kind of processor; "
                                               "--stacks=frames follows frame pointers");
        }
    return tool_usage_error(run->tool, "--stacks=%s: it is copied, frames or none", how);
}

static void describe(struct run *run)
{
    struct profile *profile = run->profile;
    char host[256] = "";
    int n = 0;
    while (run->program[n] != NULL)
        n++;
    profile->command = memory_more(NULL, (size_t)n + 1, sizeof *profile->command);
    for (int i = 0; i < n; i++)
        profile->command[i] = memory_text(run->program[i]);
    profile->command[n] = NULL;
    gethostname(host, sizeof host - 1);
    profile->host = memory_text(host);
    profile->started = time(NULL);
}

int run_prepare(struct run *run)
{
    struct attributes attributes = {.n = 0};
    struct reason why = {.code = PAPI_OK};
    int status = TOOL_FINE, n = run->events->n;
    run->sampler.spool = -1;
    if (n > OPTION_MOST_WORDS)
        n = OPTION_MOST_WORDS; /* too many in any case */
    describe(run);
    if (run->exact != NULL)
        return TOOL_FINE;
    if (n == 0)
        status = attributes_add(&attributes, run->tool, NULL, run->profile);
    for (int i = 0; i < n && status == TOOL_FINE; i++)
        status = attributes_add(&attributes, run->tool, run->events->word[i], run->profile);
    if (status != TOOL_FINE)
        return status;
    if (sampler_open(&run->sampler, &attributes, run->stacks, run->command->pid, &why) != PAPI_OK)
        return tool_error(run->tool, "the program cannot be sampled: %s", why.text);
    return TOOL_FINE;
}

/* ----------------------------------------------------------------------- the run */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The kernel writes on while the buffers are emptied: as often as it takes for them to stay nearly empty. */
static void watch(struct run *run)
{
    const double shortest = 0.001, longest = 0.05, much = 0.25, little = 0.05;
    double interval = shortest;
    while (command_wait(run->command, interval)) {
        double full = sampler_drain(&run->sampler);
        if (full > much && interval > shortest)
            interval /= 2;
        else if (full < little && interval < longest)
            interval *= 2;
    }
}

int run_go(struct run *run)
{
    struct reason why = {.code = PAPI_OK};
    double begin = seconds_now();
    int status = command_go(run->command, run->tool);
    if (status != TOOL_FINE)
        return status;
    watch(run);
    run->profile->seconds = seconds_now() - begin;
    command_end(run->command);
    sampler_drain(&run->sampler);
    if (run->exact != NULL)
        return run_failed_to_start(run) ? TOOL_FINE : exact_read(run->exact, run->tool, run->profile);
    for (int i = 0; i < run->sampler.n_events; i++)
        sampler_times(&run->sampler, i, &run->profile->event[i].enabled, &run->profile->event[i].running);
    if (replay(run->profile, &run->sampler, run->stacks, &why) != PAPI_OK)
        return tool_error(run->tool, "%s", why.text);
    return TOOL_FINE;
}

bool run_failed_to_start(const struct run *run)
{
    enum { LEAST = 125 }; /* papi_emulate's own */
    int status = run->command->status, least = run->exact != NULL ? LEAST : COMMAND_NOT_RUN;
    return WIFEXITED(status) && WEXITSTATUS(status) >= least && WEXITSTATUS(status) <= COMMAND_NOT_RUN &&
           run->profile->n_processes == 0;
}

void run_end(struct run *run)
{
    sampler_close(&run->sampler);
}
