/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The page of papi_exporter, of instructions on the whole node: between those that a counter of this program
 * shows before and after each page, and of a work of known length. node_exporter PROGRAM
 */
#include "counted_loop.h"
#include "node_test.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOOP = 20000000 };

static FILE *orders, *pages;
static pid_t exporter;
static int counter; /* user mode, on the only CPU */

static void begin(char *program)
{
    int order[2], page[2];
    if (pipe(order) != 0 || pipe(page) != 0 || (exporter = fork()) < 0)
        exit(1);
    if (exporter == 0) {
        char *const words[] = {program, (char *)"--percent=100", (char *)"PAPI_TOT_INS", NULL};
        dup2(order[0], STDIN_FILENO);
        dup2(page[1], STDOUT_FILENO);
        close(order[1]);
        execv(program, words);
        _exit(127);
    }
    close(order[0]);
    close(page[1]);
    orders = fdopen(order[1], "w");
    pages = fdopen(page[0], "r");
}

static long long counted(void)
{
    long long count = -1;
    return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}

/* A page's number, and what the counter shows around it. */
struct look {
    long long before, shown, after;
};

static struct look look(void)
{
    static const char name[] = "papi_tot_ins_total";
    char line[512] = "";
    usleep(200000); /* what comes too soon gets the last read */
    struct look look = {.before = counted(), .shown = -1};
    fputc('\n', orders);
    fflush(orders);
    while (strcmp(line, "# EOF\n") != 0 && fgets(line, sizeof line, pages) != NULL) {
        char *number = strncmp(line, name, strlen(name)) == 0 ? strrchr(line, ' ') : NULL;
        if (number != NULL)
            look.shown = (long long)strtod(number, NULL);
    }
    look.after = counted();
    return look;
}

int main(int argc, char **argv)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .size = sizeof attr,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    const long long work = (long long)LOOP * COUNTED_LOOP_LENGTH;
    int status = -1;
    if (argc != 2)
        return 2;
    counter = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
    node_check(counter >= 0, "a counter of the whole CPU");
    begin(argv[1]);
    struct look first = look();
    counted_loop(LOOP);
    struct look last = look();
    long long grown = last.shown - first.shown;
    node_check(first.shown >= 0 && last.shown >= 0, "two pages: %lld, %lld", first.shown, last.shown);
    node_check(grown >= work, "it has grown by %lld, the work is %lld", grown, work);
    node_check(grown >= last.before - first.after && grown <= last.after - first.before,
               "of the whole CPU that is %lld at least and %lld at most", last.before - first.after,
               last.after - first.before);
    node_check(last.after - first.before < work + work / 20, "which are near");
    fclose(orders);
    waitpid(exporter, &status, 0);
    node_check(status == 0, "it ends well");
    return node_test_end();
}
