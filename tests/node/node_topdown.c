/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_topdown yes|no: shares of the slots of known work, by reads without a system call (yes) and by the
 * kernel's. On the node every instruction is a cycle of four slots, and every n-th one counts as retired,
 * issued and so on, with an n for each event (README.md): the shares of a region follow from these.
 */
#include "counted_loop.h"
#include "node_forbid.h"
#include "node_test.h"

#include <math.h>
#include <string.h>
#include <sys/syscall.h>

enum { RETIRING, BAD_SPEC, FE_BOUND, BE_BOUND, SHARES };

static const char *const names[] = {"retiring", "bad speculation", "front end", "back end"};

static double wanted[SHARES];

/* The part of the instructions at which the node counts the event. */
static double rate(const char *event)
{
    char path[128];
    unsigned code = 0, mask = 0;
    snprintf(path, sizeof path, "/sys/bus/event_source/devices/cpu/events/topdown-%s", event);
    FILE *file = fopen(path, "r");
    if (file == NULL || fscanf(file, "event=%x,umask=%x", &code, &mask) != 2)
        NEED(PAPI_ENOEVNT);
    fclose(file);
    printf("%s: event 0x%x, umask 0x%x\n", event, code, mask);
    return 1.0 / (2 + code % 16 + mask % 16);
}

static void find_wanted(void)
{
    double retired = rate("slots-retired"), issued = rate("slots-issued"), fetch = rate("fetch-bubbles"),
           recovery = 4 * rate("recovery-bubbles"); /* cycles */
    wanted[RETIRING] = 100 * retired / 4;
    wanted[BAD_SPEC] = 100 * (issued - retired + recovery) / 4;
    wanted[FE_BOUND] = 100 * fetch / 4;
    wanted[BE_BOUND] = 100 * (4 - fetch - issued - recovery) / 4;
}

/* A counter may be off by one at each end, a bubble of recovery by four slots, and by the few instructions
 * from its read to that of the cycles, where the program reads them. */
static void check(const char *when, long n, const long long *values)
{
    double slots = 4.0 * COUNTED_LOOP_LENGTH * (double)n, most = 100 * (2 * (1 + 1 + 4) + 4 * 40) / slots,
           sum = 0;
    for (int i = 0; i < SHARES; i++) {
        double value;
        memcpy(&value, &values[i], sizeof value);
        node_check(fabs(value - wanted[i]) <= most, "%s of %ld rounds, %s: %.6f %% (%.6f)", when, n, names[i],
                   value, wanted[i]);
        sum += value;
    }
    node_check(fabs(sum - 100) < 1e-9, "  their sum: %.12f", sum);
}

int main(int argc, char **argv)
{
    int user = argc > 1 && strcmp(argv[1], "yes") == 0;
    long long values[SHARES];
    node_init();
    find_wanted();
    int es = NODE_SET("topdown:::TOPDOWN_RETIRING_PERC", "topdown:::TOPDOWN_BAD_SPEC_PERC",
                      "topdown:::TOPDOWN_FE_BOUND_PERC", "topdown:::TOPDOWN_BE_BOUND_PERC");
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index("topdown"));
    node_check((int)component->fast_counter_read == user, "fast_counter_read = %d",
               (int)component->fast_counter_read);
    for (long n = 200; n <= 2000000; n *= 100) {
        NEED(PAPI_start(es));
        counted_loop(n);
        NEED(PAPI_read(es, values));
        check("read", n, values);
        NEED(PAPI_reset(es));
        counted_loop(n);
        NEED(PAPI_stop(es, values));
        check("stop", n, values);
    }
    NEED(PAPI_start(es));
    counted_loop(20000);
    if (node_forbid(SYS_read) != 0)
        NEED(PAPI_ESYS);
    CODE(PAPI_read(es, values), user ? PAPI_OK : PAPI_ESYS);
    if (user)
        check("read without a system call", 20000, values);
    return node_test_end();
}
