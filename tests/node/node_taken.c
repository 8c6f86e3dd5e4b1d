/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_taken COUNTERS STATUS PROGRAM [ARGUMENTS]: runs a program while COUNTERS counters of its CPU are
 * another's, as the NMI watchdog or a monitor of the whole machine has them. Passes if the program's exit
 * status is STATUS.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Pinned on the CPU: it comes before every counter of a program. */
static int take_counter(unsigned long long event)
{
    struct perf_event_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = event;
    attr.pinned = 1;
    return (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
    int status;
    if (argc < 4) {
        fprintf(stderr, "usage: node_taken COUNTERS STATUS PROGRAM [ARGUMENTS]\n");
        return 2;
    }
    for (int i = 0; i < atoi(argv[1]); i++)
        /* The first counter counts cycles only. */
        if (take_counter(i == 0 ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS) < 0) {
            fprintf(stderr, "node_taken: counter %d: %s\n", i, strerror(errno));
            return 1;
        }
    pid_t child = fork();
    if (child == 0) {
        execv(argv[3], argv + 3);
        perror(argv[3]);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("node_taken");
        return 1;
    }
    return !WIFEXITED(status) || WEXITSTATUS(status) != atoi(argv[2]);
}
