/* SPDX-License-Identifier: BSD-3-Clause
 *
 * soak_bare SEED SECONDS: what the kernel itself loses. The threads of bench/soak's counting program that
 * overflow, without the library: CPU-CLOCK with the same period, a real-time signal to the thread, samples in
 * a ring. A line of JSON for each phase of SECONDS, until SIGTERM. Status 77: perf_event_open is refused.
 */
#include "soak_common.h"
#include "soak_sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct worker {
    pthread_t thread;
    struct dice dice;
    struct overflows overflows;
    int failed;
};

static __thread struct sampler *current;
static __thread volatile long long signals;

static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    (void)number;
    (void)info;
    (void)context;
    if (current != NULL) {
        signals++;
        sampler_take(current);
    }
    errno = saved;
}

/* ---- the threads */

static void interval(struct sampler *sampler, struct worker *worker)
{
    long long periods = LEAST_PERIODS + roll(&worker->dice, MOST_PERIODS - LEAST_PERIODS), asked;
    signals = 0;
    sampler_start(sampler);
    while (sampler_read(sampler) < periods * PERIOD + PERIOD / 2)
        compute();
    sampler_stop(sampler);
    asked = sampler->samples;
    sampler_take(sampler);
    overflows_note(&worker->overflows, sampler_read(sampler), sampler->samples, sampler->losses > 0);
    worker->overflows.records += sampler->lost;
    worker->overflows.signals += signals;
    worker->overflows.unasked += sampler->samples - asked;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct sampler sampler;
    while (phase_goes_on()) {
        worker->failed = !sampler_open(&sampler, SIGRTMIN);
        if (worker->failed)
            break;
        current = &sampler;
        for (int i = 0; i < 8 && phase_goes_on(); i++)
            interval(&sampler, worker);
        current = NULL;
        sampler_close(&sampler);
    }
    return NULL;
}

static int phase(unsigned number, uint64_t seed, double seconds)
{
    struct worker workers[OVERFLOWING] = {{.failed = 0}};
    struct overflows all = {.intervals = 0};
    struct held held;
    int failed = 0;
    phase_begin(seconds);
    for (unsigned i = 0; i < OVERFLOWING; i++) {
        workers[i].dice = dice_of(seed, number, 100 + i);
        failed |= pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (unsigned i = 0; i < OVERFLOWING && failed == 0; i++) {
        pthread_join(workers[i].thread, NULL);
        overflows_merge(&all, &workers[i].overflows);
        failed |= workers[i].failed;
    }
    held = held_now();
    printf("{\"phase\": %u, ", number);
    overflows_print("overflows", &all);
    printf(", ");
    held_print(&held);
    printf("}\n");
    fflush(stdout);
    return failed;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sampler sampler;
    if (argc != 3) {
        fprintf(stderr, "Usage: %s SEED SECONDS\n", argv[0]);
        return 2;
    }
    sigaction(SIGRTMIN, &action, NULL);
    end_when_told();
    if (!sampler_open(&sampler, SIGRTMIN)) {
        fprintf(stderr, "soak_bare: the kernel's clocks cannot be sampled: %s\n", strerror(errno));
        return 77;
    }
    sampler_close(&sampler);
    for (unsigned i = 0; !is_told_to_end(); i++)
        if (phase(i, strtoull(argv[1], NULL, 0), strtod(argv[2], NULL)) != 0)
            return 1;
    return 0;
}
