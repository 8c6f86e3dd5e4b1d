/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_clock.h"

#include <dlfcn.h>
#include <stddef.h>
#include <time.h>

long long made_clock_suspended;

/* The name of the function behind, another one where time has 64 bits and a pointer has not. */
#if defined(__USE_TIME_BITS64) && __TIMESIZE == 32
#define NAME "__clock_gettime64"
#else
#define NAME "clock_gettime"
#endif

/* The function behind, found before a handler can ask for it: dlsym takes a lock. */
static int (*next_gettime)(clockid_t clock, struct timespec *now);

static __attribute__((constructor)) void find_next_gettime(void)
{
    next_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, NAME);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    enum { SECOND = 1000000000 };
    if (next_gettime == NULL) /* by a constructor that comes earlier */
        find_next_gettime();
    int code = next_gettime(clock, now);
    if (code != 0 || clock != CLOCK_BOOTTIME)
        return code;
    long long nsec = now->tv_nsec + made_clock_suspended;
    now->tv_sec += (time_t)(nsec / SECOND);
    now->tv_nsec = (long)(nsec % SECOND);
    return 0;
}
