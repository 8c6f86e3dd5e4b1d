/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A fork inside of regions, which both processes end across one another. */
#include "touch.h"

#include <likwid-marker.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(void)
{
    int failed = likwid_markerStopRegion("outer") == 0;
    failed += likwid_markerStopRegion("inner") == 0;
    failed += likwid_markerStartRegion("outer") != 0;
    touch(70);
    failed += likwid_markerStopRegion("outer") != 0;
    return failed;
}

int main(void)
{
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_START("outer");
    LIKWID_MARKER_START("inner");
    touch(1000);
    int status = 0;
    pid_t process = fork();
    if (process == 0)
        exit(child());
    waitpid(process, &status, 0);
    LIKWID_MARKER_STOP("outer");
    LIKWID_MARKER_STOP("inner");
    LIKWID_MARKER_CLOSE;
    printf("%d failed\n", status);
    return status != 0;
}
