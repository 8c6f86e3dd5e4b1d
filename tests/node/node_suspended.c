/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counts while the machine is suspended to idle, as far as a test of the kernel goes (pm_test): its threads
 * are stopped, its devices too, and all go on at once. No clock stands still, and no count is missing.
 */
#include "counted_loop.h"
#include "node_names.h"
#include "node_test.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOP 1000000
#define TEST "/sys/power/pm_test"
#define STATE "/sys/power/state"
#define DELAY "/sys/module/suspend/parameters/pm_test_delay"

static void set(const char *path, const char *text)
{
    int file = open(path, O_WRONLY);
    ssize_t n = (ssize_t)strlen(text);
    node_check(file >= 0 && write(file, text, (size_t)n) == n, "%s: %s", path, text);
    close(file);
}

static long long passed_tests(void)
{
    long long n = -1;
    FILE *file = fopen("/sys/power/suspend_stats/success", "r");
    if (file != NULL && fscanf(file, "%lld", &n) != 1)
        n = -1;
    if (file != NULL)
        fclose(file);
    return n;
}

/* Counts the calling thread, which writes to a file between its loops. */
static long long count_own(const char *path)
{
    static const char word[] = "freeze";
    long long value = -1;
    int es = NODE_SET(NODE_INSTRUCTIONS), file = open(path, O_WRONLY);
    NEED(PAPI_start(es));
    counted_loop(LOOP);
    ssize_t n = write(file, word, sizeof word - 1);
    counted_loop(LOOP);
    NEED(PAPI_stop(es, &value));
    node_check(n == (ssize_t)sizeof word - 1, "%s is written to", path);
    close(file);
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    return value;
}

static pid_t begin_child(int go[2], int done[2])
{
    char word;
    if (pipe(go) != 0 || pipe(done) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        while (read(go[0], &word, 1) == 1) {
            counted_loop(20 * LOOP);
            if (write(done[1], &word, 1) != 1)
                _exit(1);
        }
        _exit(0);
    }
    return child;
}

static int set_of(pid_t child)
{
    PAPI_option_t option = {.cpu = {.cpu_num = 0}};
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    NEED(PAPI_assign_eventset_component(es, 0));
    option.cpu.eventset = es;
    if (child != 0)
        NEED(PAPI_attach(es, (unsigned long)child));
    else
        NEED(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
    NEED(PAPI_add_named_event(es, NODE_INSTRUCTIONS));
    NEED(PAPI_start(es));
    return es;
}

/* A child's round of work; with a suspend in the middle of it, as both want the processor. */
static long long round_of(int es, const int *go, const int *done, int suspend)
{
    long long before, after;
    char word = 'w';
    NEED(PAPI_read(es, &before));
    if (write(go[1], &word, 1) != 1)
        exit(1);
    usleep(10000); /* of the 100 ms that it takes */
    if (suspend)
        set(STATE, "freeze");
    if (read(done[0], &word, 1) != 1)
        exit(1);
    usleep(100000);
    NEED(PAPI_read(es, &after));
    return after - before;
}

static void others(void)
{
    int go[2], done[2];
    long long cpu = -1;
    pid_t child = begin_child(go, done);
    usleep(100000);
    int of_child = set_of(child), of_cpu = set_of(0);
    long long alone = round_of(of_child, go, done, 0), suspended = round_of(of_child, go, done, 1);
    node_check(alone >= 20LL * LOOP * COUNTED_LOOP_LENGTH && suspended == alone,
               "a child's round: %lld, and suspended meanwhile: %lld", alone, suspended);
    CODE(PAPI_read(of_cpu, &cpu), PAPI_OK);
    node_check(cpu >= alone + suspended, "on the CPU: %lld", cpu);
    NEED(PAPI_stop(of_cpu, NULL));
    NEED(PAPI_stop(of_child, NULL));
    close(go[1]);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

int main(void)
{
    long long passed = passed_tests();
    if (access(TEST, W_OK) != 0 || access(DELAY, W_OK) != 0) {
        printf("SKIP: this kernel has no test of a suspend\n");
        return 77;
    }
    node_init();
    set(DELAY, "0");
    set(TEST, "platform");
    long long alone = count_own("/dev/null"), suspended = count_own(STATE);
    node_check(alone >= 2LL * LOOP * COUNTED_LOOP_LENGTH && suspended == alone,
               "the own thread: %lld, and suspended meanwhile: %lld", alone, suspended);
    others();
    node_check(passed_tests() == passed + 2, "%lld times it was suspended", passed_tests() - passed);
    set(TEST, "none");
    return node_test_end();
}
