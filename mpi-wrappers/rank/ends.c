/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/ends.h"

#include "rank/rank.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Signals by which a launcher, a batch system or a user ends a job, and from FIRST_CRASH on those of a
 * program that is wrong. SIGSYS is not among them: a filter of system calls raises it in the place of a call,
 * which does not come again when a handler returns, so that the program would go on with what is left in a
 * register for its result. */
static const int watched[WATCHED_SIGNALS] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU, SIGUSR1,
                                             SIGUSR2, SIGABRT, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};
enum { FIRST_CRASH = 7 };

/* The handler that was there before is there again: what the processor raised comes to it by itself where it
 * was raised, and what another process or abort sent is sent again. */
static void note(int number, siginfo_t *info, void *context)
{
    struct rank_record *record = papi_mpi.record;
    (void)context;
    for (int i = 0; i < WATCHED_SIGNALS; i++)
        if (watched[i] == number)
            sigaction(number, &papi_mpi.before_signal[i], NULL);
    if (record != NULL && record->pid == (int32_t)getpid() && atomic_load(&record->signal) == 0) {
        if (record->end == 0)
            record->end = clock_ticks();
        atomic_store(&record->signal, number);
    }
    if (info->si_code <= 0)
        raise(number);
}

/* Libraries handle crashes to print where they were, and end the process then; some programs go on, which a
 * reader sees by the calls that come after the signal. */
static bool is_to_be_watched(int i, const struct sigaction *before)
{
    return before->sa_handler == SIG_DFL || (i >= FIRST_CRASH && before->sa_handler != SIG_IGN);
}

void ends_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = note;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK | SA_RESTART;
    for (int i = 0; i < WATCHED_SIGNALS; i++) {
        struct sigaction *before = &papi_mpi.before_signal[i];
        if (sigaction(watched[i], NULL, before) == 0 && is_to_be_watched(i, before))
            sigaction(watched[i], &action, NULL);
    }
}
