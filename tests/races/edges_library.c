/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library that calls libpapi but is not linked with it: the loader runs its constructor before those of
 * libpapi, and its destructor after them.
 */
#include "edges.h"
#include "papi.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

static int step, first_set = PAPI_NULL;
static char folder[] = "/tmp/race_edges_XXXXXX";

static void leave(int status)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s stays behind\n", folder);
    fflush(NULL);
    _exit(status);
}

void edges_check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "after step %d: %s\n", step, what);
    leave(1);
}

void edges_step(int next)
{
    edges_check(next == step + 1, "the steps are not in their order");
    step = next;
}

static int start_set(void)
{
    int es = PAPI_NULL;
    edges_check(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT, "PAPI_library_init");
    edges_check(PAPI_create_eventset(&es) == PAPI_OK, "PAPI_create_eventset");
    int code = PAPI_add_named_event(es, "perf::PAGE-FAULTS");
    if (code != PAPI_OK) {
        printf("SKIP: %s\n", PAPI_strerror(code));
        leave(SKIPPED);
    }
    edges_check(PAPI_start(es) == PAPI_OK, "PAPI_start");
    return es;
}

static void stop_set(int es)
{
    long long value;
    edges_check(PAPI_stop(es, &value) == PAPI_OK, "PAPI_stop");
    edges_check(PAPI_cleanup_eventset(es) == PAPI_OK, "PAPI_cleanup_eventset");
    edges_check(PAPI_destroy_eventset(&es) == PAPI_OK, "PAPI_destroy_eventset");
}

void edges_use(const char *region)
{
    long long value;
    edges_check(PAPI_read(first_set, &value) == PAPI_OK, "PAPI_read");
    stop_set(start_set());
    edges_check(PAPI_hl_region_begin(region) == PAPI_OK, "PAPI_hl_region_begin");
    edges_check(PAPI_hl_region_end(region) == PAPI_OK, "PAPI_hl_region_end");
}

static __attribute__((constructor)) void library_begins(void)
{
    edges_check(mkdtemp(folder) != NULL, "mkdtemp");
    setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
    setenv("PAPI_EVENTS", "perf::PAGE-FAULTS", 1);
    setenv("PAPI_REPORT", "0", 1);
    edges_step(LIBRARY_BEGAN);
    first_set = start_set();
    edges_use("constructor");
}

/* libpapi writes them in its own destructor. */
static int regions_are_written(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/papi_hl_output", folder);
    return access(path, F_OK) == 0;
}

static __attribute__((destructor)) void library_ends(void)
{
    edges_check(step == PROGRAM_ENDED, "the program's destructor has not run");
    edges_check(regions_are_written(), "libpapi's destructor has not run");
    PAPI_hl_region_begin("too late");
    PAPI_hl_region_end("too late");
    PAPI_hl_stop();
    stop_set(first_set);
    PAPI_shutdown();
    stop_set(start_set());
    PAPI_shutdown();
    leave(0);
}
