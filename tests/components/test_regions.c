/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions that count events of several components at once: what belongs to the node is not added up over the
 * threads that saw it, and a level is what it is at the end.
 */
#include "folder.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENERGY "sys/class/powercap/intel-rapl:0/energy_uj"
#define RECEIVED "sys/class/net/eth0/statistics/rx_bytes"
#define FREQUENCY "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"

static pthread_barrier_t both;

static void ok(int code)
{
    if (code == PAPI_OK)
        return;
    fprintf(stderr, "%s\n", PAPI_strerror(code));
    _exit(1);
}

static void *in_region(void *first)
{
    ok(PAPI_hl_region_begin("loop"));
    pthread_barrier_wait(&both);
    if (first != NULL) {
        shows(ENERGY, "5000\n");
        shows(RECEIVED, "1700\n");
        shows(FREQUENCY, "3100000\n");
    }
    pthread_barrier_wait(&both);
    ok(PAPI_hl_region_end("loop"));
    return NULL;
}

/* Uses regions in a process of its own: its output goes into the file "report", its regions into the
 * folder. */
static _Noreturn void child(void)
{
    pthread_t other;
    char path[256];
    snprintf(path, sizeof path, "%s/report", folder);
    int out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0)
        _exit(1);
    setenv("PAPI_SYSROOT", folder, 1);
    setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
    setenv("PAPI_REPORT", "1", 1);
    setenv("PAPI_EVENTS", "powercap:::ENERGY_UJ:ZONE0,net:::eth0:rx:bytes,frequency:::cpu0:khz", 1);
    pthread_barrier_init(&both, NULL, 2);
    if (pthread_create(&other, NULL, in_region, NULL) != 0)
        _exit(1);
    in_region(&other);
    pthread_join(other, NULL);
    exit(0);
}

static char *text_of(const char *name)
{
    static char text[16384];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int times(const char *text, const char *part)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)) != NULL; p++)
        n++;
    return n;
}

static void of_three_components(void **state)
{
    int status;
    (void)state;
    shows("sys/class/powercap/intel-rapl:0/name", "package-0\n");
    shows("sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n");
    shows(ENERGY, "1000\n");
    shows(RECEIVED, "1000\n");
    shows(FREQUENCY, "2000000\n");
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        child();
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    const char *json = text_of("papi_hl_output/rank_000000.json");
    assert_int_equal(times(json, "\"powercap:::ENERGY_UJ:ZONE0\": \"4000\""), 2);
    assert_int_equal(times(json, "\"net:::eth0:rx:bytes\": \"700\""), 2);
    assert_int_equal(times(json, "\"frequency:::cpu0:khz\": \"3100000\""), 2);
    assert_int_equal(times(json, "\"unit\": \"uJ\""), 1);
    assert_int_equal(times(json, "\"type\": \"instant\""), 1);
    assert_int_equal(times(json, "\"scope\": \"node\""), 3);
    const char *report = text_of("report");
    assert_int_equal(times(report, " 4000\n") + times(report, " 4000 "), 1);
    assert_int_equal(times(report, " 700\n") + times(report, " 700 "), 1);
    assert_int_equal(times(report, "max frequency:::cpu0:khz"), 1);
    assert_int_equal(times(report, "powercap:::ENERGY_UJ:ZONE0: uJ, of the whole node\n"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(of_three_components)};
    return TEST_RUN(tests);
}
