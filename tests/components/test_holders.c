/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reasons where others have the counters, on machines made of files: they name who has events of perf, and
 * the NMI watchdog only where turning it off frees a counter.
 */
#include "components/perf_event/holders.h"
#include "papi.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[] = "/tmp/fpapi-holders-XXXXXX";

/* The path in the made machine, with the folders that it lies in. */
static const char *place(const char *path)
{
    static char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(full, 0700) != 0)
            assert_int_equal(errno, EEXIST);
        *slash = '/';
    }
    return full;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(place(path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    assert_non_null(mkdtemp(root));
    put("/proc/sys/kernel/osrelease", "6.1.0-test\n");
    put("/proc/17/comm", "monitor\n");
    put("/proc/18/comm", "sleep\n");
    assert_int_equal(symlink("anon_inode:[perf_event]", place("/proc/17/fd/5")), 0);
    assert_int_equal(symlink("/dev/null", place("/proc/18/fd/0")), 0);
    return 0;
}

static int take_away(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static const char *reason(void)
{
    static struct reason why;
    reason_begin(&why);
    assert_int_equal(holders_reason(root, &why), PAPI_ECNFLCT);
    assert_int_equal(why.code, PAPI_ECNFLCT);
    assert_true((why.advice & ADVICE_HELD) != 0);
    return why.text;
}

static int names_watchdog(void)
{
    return strstr(reason(), "sysctl kernel.nmi_watchdog=0") != NULL;
}

static void who_holds_some(void **state)
{
    (void)state;
    assert_non_null(strstr(reason(), "held by 17 (monitor)"));
    assert_null(strstr(reason(), "18"));
    assert_int_equal(holders_reason(root, NULL), PAPI_ECNFLCT);
}

static void the_watchdog(void **state)
{
    (void)state;
    assert_false(names_watchdog()); /* there is none */
    put("/proc/sys/kernel/nmi_watchdog", "0\n");
    assert_false(names_watchdog());
    put("/proc/sys/kernel/nmi_watchdog", "1\n");
#if defined(__powerpc__)
    assert_false(names_watchdog()); /* it takes no counter */
#else
    assert_true(names_watchdog());
    put("/boot/config-6.1.0-test", "CONFIG_HARDLOCKUP_DETECTOR=y\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\n"
                                   "# CONFIG_HARDLOCKUP_DETECTOR_PERF is not set\n");
    assert_false(names_watchdog());
    put("/boot/config-6.1.0-test", "CONFIG_HARDLOCKUP_DETECTOR_PERF=y\n");
    assert_true(names_watchdog());
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_holds_some, make, take_away),
        cmocka_unit_test_setup_teardown(the_watchdog, make, take_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
