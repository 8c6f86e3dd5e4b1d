/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The first process of a machine with AVX-512: runs the programs of /list, a line each. With arguments, on
 * any machine, it runs the one that they name.
 *
 *   run NAME     as it is
 *   step NAME    instruction by instruction between its marks (marks_stepped.c), and prints for each kernel
 * how often the instruction at each address ran, and the first one that ran behind it, and how often
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* Programs are linked statically, at fixed addresses. */
enum { BASE = 0x400000, SIZE = 0x200000, BREAKPOINT = 0xcc };

struct place {
    uint32_t runs, next, next_runs;
};

static struct place place[SIZE];

static void count(uint64_t at, uint64_t next)
{
    if (at < BASE || at - BASE >= SIZE || next == at) /* a repeated instruction stops at each turn */
        return;
    struct place *here = &place[at - BASE];
    if (here->runs++ == 0)
        here->next = (uint32_t)next;
    here->next_runs += here->next == (uint32_t)next;
}

static void print(pid_t child, uint64_t name)
{
    printf("#%%kernel ");
    for (int at = 0; name != 0 && at < 64; at += 8) {
        long word = ptrace(PTRACE_PEEKDATA, child, name + (unsigned)at, NULL);
        printf("%.8s", (const char *)&word);
        if (memchr(&word, '\0', sizeof word) != NULL)
            break;
    }
    puts("");
    for (unsigned i = 0; i < SIZE; i++)
        if (place[i].runs > 0)
            printf("%x %" PRIu32 " %x %" PRIu32 "\n", BASE + i, place[i].runs, place[i].next,
                   place[i].next_runs);
    memset(place, 0, sizeof place);
}

/* Runs the child to its next breakpoint, and returns where it is then. False: it has ended. */
static bool follow(pid_t child, bool counts, struct user_regs_struct *regs, int *status)
{
    uint64_t at = regs->rip;
    for (;;) {
        ptrace(counts ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL);
        if (waitpid(child, status, 0) < 0 || !WIFSTOPPED(*status) || WSTOPSIG(*status) != SIGTRAP ||
            ptrace(PTRACE_GETREGS, child, NULL, regs) < 0)
            return false;
        if (!counts ||
            (regs->rip == at + 1 && (ptrace(PTRACE_PEEKTEXT, child, at, NULL) & 0xff) == BREAKPOINT))
            return true;
        count(at, regs->rip);
        at = regs->rip;
    }
}

static int step(pid_t child)
{
    struct user_regs_struct regs = {0};
    int status;
    waitpid(child, &status, 0); /* it has been executed */
    for (bool counts = false; follow(child, counts, &regs, &status); counts = regs.rax == 0)
        if (regs.rax != 0)
            print(child, regs.rax);
    return status;
}

static int run(const char *how, char *path)
{
    int status = 0;
    bool steps = strcmp(how, "step") == 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (steps)
            ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execl(path, path, (char *)NULL);
        _exit(127);
    }
    if (steps)
        status = step(child);
    else
        waitpid(child, &status, 0);
    return status;
}

static void show(const char *how, char *path, const char *name)
{
    printf("#%%begin %s %s\n", how, name);
    printf("#%%end %d\n", run(how, path));
    fflush(stdout);
}

static void run_list(void)
{
    char how[16], name[32], path[64];
    FILE *list = fopen("/list", "r");
    while (list != NULL && fscanf(list, "%15s %31s", how, name) == 2) {
        snprintf(path, sizeof path, "/%s", name);
        show(how, path, name);
    }
    puts("#%off");
    fflush(stdout);
    sleep(1);
    reboot(RB_POWER_OFF);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 3)
        show(argv[1], argv[2], argv[2]);
    else
        run_list();
    return 0;
}
