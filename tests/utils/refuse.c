/* SPDX-License-Identifier: BSD-3-Clause
 *
 * refuse ERROR COMMAND [ARGUMENT]...: runs a command that may open no counters, as in a container whose
 * seccomp filter refuses perf_event_open. ERROR is EACCES, EPERM or ENOSYS.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    unsigned error;
} errors[] = {{"EACCES", EACCES}, {"EPERM", EPERM}, {"ENOSYS", ENOSYS}};

static unsigned error_of(const char *name)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(errors[i].name, name) == 0)
            return errors[i].error;
    return 0;
}

static int refuse(unsigned error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                                                       : -1;
}

int main(int argc, char **argv)
{
    unsigned error = argc > 2 ? error_of(argv[1]) : 0;
    if (error == 0) {
        fprintf(stderr, "refuse EACCES|EPERM|ENOSYS COMMAND [ARGUMENT]...\n");
        return 125;
    }
    if (refuse(error) != 0) {
        perror("refuse: no filter");
        return 77; /* the tests that need it are skipped */
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
