/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_profil, whose address is an unsigned long on its page and a pointer in later versions,
 * and PAPI_sprofil.
 */
#include "program.h"

#include <sys/types.h>

static volatile double sum;

static void DO_FLOPS(int n)
{
    int i;
    for (i = 0; i < n; i++)
        sum = sum + 1.0;
}

static void DO_OTHER(void)
{
}

static unsigned long total(const unsigned short *buckets, size_t n)
{
    unsigned long all = 0;
    size_t i;
    for (i = 0; i < n; i++)
        all += buckets[i];
    return all;
}

static void (*volatile flops)(int) = DO_FLOPS; /* neither is inlined */
static void (*volatile other)(void) = DO_OTHER;

/* A profile from address 0 with scale 2 has one bucket for all samples. */
static void one_bucket(void)
{
    unsigned short bucket[1] = {0};
    int EventSet = PAPI_NULL, retval;
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, PAPI_FP_OPS));
    retval = PAPI_profil(bucket, sizeof bucket, 0, 2, EventSet, PAPI_FP_OPS, 20, PAPI_PROFIL_POSIX);
    if (retval == PAPI_ENOSUPP)
        skip(PAPI_strerror(retval));
    OK(retval);
    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_stop(EventSet, NULL));
    printf("%d samples of 5\n", bucket[0]);
    CHECK(bucket[0] >= 1);
    CHECK(!exact() || bucket[0] == 5);
    OK(PAPI_profil(bucket, sizeof bucket, 0, 2, EventSet, PAPI_FP_OPS, 0, PAPI_PROFIL_POSIX));
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
}

int main(void)
{
    int EventSet = PAPI_NULL, retval, status = 0;
    unsigned long length = 1024, start;
    unsigned short *profbuf, *profbuf2, profbucket[2] = {0, 0};
    PAPI_sprofil_t sprof[3];
    unsigned long hits;

    need_events();
    one_bucket();
    if (!exact()) { /* only the emulated processor's additions are at known addresses */
        PAPI_shutdown();
        return 0;
    }
    start = (unsigned long)DO_FLOPS & ~15UL;
    profbuf = (unsigned short *)malloc(length);
    profbuf2 = (unsigned short *)malloc(length);
    CHECK(profbuf != NULL && profbuf2 != NULL);
    memset(profbuf, 0x00, length);
    memset(profbuf2, 0x00, length);
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, PAPI_FP_OPS));

    retval = PAPI_profil(profbuf, length, start, 65536, EventSet, PAPI_FP_OPS, 10,
                         PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_16);
    OK(retval);
    OK(PAPI_state(EventSet, &status));
    CHECK(status & PAPI_PROFILING);
    OK(PAPI_start(EventSet));
    flops(1000);
    other();
    OK(PAPI_stop(EventSet, NULL));
    hits = total(profbuf, length / sizeof *profbuf);
    printf("%lu of 100 samples in the function\n", hits);
    CHECK(hits == 100);
    OK(PAPI_profil(profbuf, length, start, 65536, EventSet, PAPI_FP_OPS, 0, PAPI_PROFIL_POSIX));

    /* The pointer of later versions, and 0 for the whole of memory in one bucket. */
    memset(profbuf, 0x00, length);
    OK(PAPI_profil(profbuf, (unsigned)length, (vptr_t)start, 65536, EventSet, PAPI_FP_OPS, 10,
                   PAPI_PROFIL_POSIX));
    OK(PAPI_start(EventSet));
    flops(500);
    OK(PAPI_stop(EventSet, NULL));
    hits = total(profbuf, length / sizeof *profbuf);
    CHECK(hits == 50);
    OK(PAPI_profil(profbuf, (unsigned)length, 0, 65536, EventSet, PAPI_FP_OPS, 0, PAPI_PROFIL_POSIX));

    memset(profbuf, 0x00, length);
    /* First buffer */
    sprof[0].pr_base = profbuf;
    sprof[0].pr_size = length;
    sprof[0].pr_off = (caddr_t)(unsigned long)DO_FLOPS;
    sprof[0].pr_scale = 0x10000;
    /* Second buffer: where nothing adds */
    sprof[1].pr_base = profbuf2;
    sprof[1].pr_size = sizeof *profbuf2;
    sprof[1].pr_off = (caddr_t)(unsigned long)DO_OTHER;
    sprof[1].pr_scale = 0x10000;
    /* Overflow bucket */
    sprof[2].pr_base = profbucket;
    sprof[2].pr_size = sizeof *profbucket;
    sprof[2].pr_off = 0;
    sprof[2].pr_scale = 0x0002;
    retval = PAPI_sprofil(sprof, 3, EventSet, PAPI_FP_OPS, 10, PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_16);
    OK(retval);
    OK(PAPI_start(EventSet));
    flops(300);
    do_100events(); /* elsewhere */
    OK(PAPI_stop(EventSet, NULL));
    hits = total(profbuf, length / sizeof *profbuf) + profbucket[0] + profbuf2[0];
    CHECK(hits == 40 && total(profbuf, length / sizeof *profbuf) >= 30);
    OK(PAPI_sprofil(sprof, 3, EventSet, PAPI_FP_OPS, 0, PAPI_PROFIL_POSIX));
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    free(profbuf);
    free(profbuf2);
    PAPI_shutdown();
    return 0;
}
