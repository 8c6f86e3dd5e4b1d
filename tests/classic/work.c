/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "program.h"

#include <sys/mman.h>
#include <unistd.h>

void classic_code(int got, int wanted, const char *text, int line)
{
    if (got == wanted)
        return;
    fprintf(stderr, "line %d: %s returned %d, not %d: %s\n", line, text, got, wanted, PAPI_strerror(got));
    exit(1);
}

/* A write touches a page that no huge page gives. */
static void touch_pages(size_t n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *memory = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    madvise((void *)memory, n * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i++)
        memory[i * page] = 1;
    munmap((void *)memory, n * page);
}

void do_100events(void)
{
    volatile double sum = 0;
    touch_pages(100);
    for (int i = 0; i < 100; i++)
        sum = sum + 1.0;
}

int exact(void)
{
    return PAPI_get_component_index("emulated") >= 0 && PAPI_query_named_event("emu::DP_OPS") == PAPI_OK;
}

/* Pages of code and stack that are touched for the first time fault too; a sanitizer's and Valgrind's
 * own far more. */
static long_long slack(int exact_slack)
{
    const char *preload = getenv("LD_PRELOAD");
    if (exact())
        return exact_slack;
#if defined(__SANITIZE_ADDRESS__)
    return 500;
#endif
    return preload != NULL && strstr(preload, "vgpreload") != NULL ? 5000 : 40;
}

static int within(long_long value, int wanted, long_long more)
{
    if (value >= wanted && value <= wanted + more)
        return 1;
    fprintf(stderr, "counted %lld, not %d (+%lld)\n", value, wanted, more);
    return 0;
}

int near_to(long_long value, int wanted)
{
    return within(value, wanted, slack(0));
}

int near_rate(long_long value, int wanted)
{
    return within(value, wanted, slack(4));
}

void skip(const char *reason)
{
    printf("SKIP: %s\n", reason);
    exit(77);
}

void need_events(void)
{
    int error = PAPI_library_init(PAPI_VER_CURRENT);
    CHECK(error == PAPI_VER_CURRENT);
    error = PAPI_query_event(PAPI_FP_OPS);
    if (error != PAPI_OK)
        skip(PAPI_strerror(error));
}

/* For Fortran. */
void do100_(void);
int near_(const long_long *value, const int *wanted);
int nrate_(const long_long *value, const int *wanted);
void needev_(void);

void do100_(void)
{
    do_100events();
}

int near_(const long_long *value, const int *wanted)
{
    return near_to(*value, *wanted);
}

int nrate_(const long_long *value, const int *wanted)
{
    return near_rate(*value, *wanted);
}

void needev_(void)
{
    need_events();
}
