/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters that somebody else closes: a region begins where they cannot be read. */
#include <likwid-marker.h>

#include <unistd.h>

int main(void)
{
    LIKWID_MARKER_INIT;
    LIKWID_MARKER_START("before");
    LIKWID_MARKER_STOP("before");
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    LIKWID_MARKER_START("lost");
    LIKWID_MARKER_STOP("lost");
    LIKWID_MARKER_START("after");
    LIKWID_MARKER_STOP("after");
    LIKWID_MARKER_CLOSE;
    return 0;
}
