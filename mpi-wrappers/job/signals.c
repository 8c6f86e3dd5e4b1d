/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/signals.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void signals_hold(struct held_signals *signals)
{
    sigemptyset(&signals->held);
    sigaddset(&signals->held, SIGPIPE);
    sigaddset(&signals->held, SIGXFSZ);
    sigpending(&signals->pending);
    pthread_sigmask(SIG_BLOCK, &signals->held, &signals->before);
}

/* What came in between is taken away, but for what was pending before: that is the program's. */
void signals_release(const struct held_signals *signals)
{
    const struct timespec now = {0, 0};
    sigset_t ours;
    int saved = errno;
    sigemptyset(&ours);
    if (!sigismember(&signals->pending, SIGPIPE))
        sigaddset(&ours, SIGPIPE);
    if (!sigismember(&signals->pending, SIGXFSZ))
        sigaddset(&ours, SIGXFSZ);
    while (sigtimedwait(&ours, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = saved;
}
