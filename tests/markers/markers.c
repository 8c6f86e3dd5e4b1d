/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A code with likwid's markers: known numbers of touched pages in regions that lie inside of, and across, one
 * another. */
#include "touch.h"

#include <likwid-marker.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *argument)
{
    LIKWID_MARKER_THREADINIT;
    LIKWID_MARKER_START("thread");
    touch(300);
    LIKWID_MARKER_STOP("thread");
    return argument;
}

#ifdef LIKWID_PERFMON
static int wrong_calls(void)
{
    int n_events = 5, count = -1;
    double events[5], time = -1;
    int failed = likwid_markerStopRegion("never begun") == 0;
    failed += likwid_markerStartRegion("") == 0;
    failed += likwid_markerStartRegion(NULL) == 0;
    failed += likwid_markerStartRegion("twice") != 0;
    failed += likwid_markerStartRegion("twice") == 0;
    failed += likwid_markerResetRegion("twice") == 0;
    failed += likwid_markerStopRegion("twice") != 0;
    failed += likwid_markerStopRegion("twice") == 0;
    LIKWID_MARKER_GET("outer", &n_events, events, &time, &count);
    failed += n_events != 0 || count != 1 || time <= 0;
    LIKWID_MARKER_GET("no such", &n_events, events, &time, &count);
    failed += count != 0 || time != 0;
    LIKWID_MARKER_GET(NULL, NULL, NULL, NULL, NULL);
    return failed;
}
#else
static int wrong_calls(void)
{
    return 0;
}
#endif

int main(void)
{
    pthread_t threads[3];
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_REGISTER("outer");
    LIKWID_MARKER_START("outer");
    touch(1000);
    LIKWID_MARKER_START("inner");
    touch(100);
    LIKWID_MARKER_STOP("inner");
    LIKWID_MARKER_STOP("outer");
    LIKWID_MARKER_START("first"); /* across one another */
    touch(1000);
    LIKWID_MARKER_START("second");
    touch(100);
    LIKWID_MARKER_STOP("first");
    touch(10);
    LIKWID_MARKER_STOP("second");
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    LIKWID_MARKER_START("reset");
    touch(100);
    LIKWID_MARKER_STOP("reset");
    LIKWID_MARKER_RESET("reset");
    LIKWID_MARKER_START("reset");
    touch(200);
    LIKWID_MARKER_STOP("reset");
    LIKWID_MARKER_SWITCH;
    int failed = wrong_calls();
    LIKWID_MARKER_CLOSE;
    LIKWID_MARKER_WRITE_FILE("here");
    printf("%d failed\n", failed);
    return failed != 0;
}
