/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that is started at any moment, while threads use all of the library, inherits no descriptor of
 * it. The started program is this one: it says what it was left.
 */
#include "race.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FIRST = 3 };

static atomic_bool over;
static char folder[] = "/tmp/race_exec_XXXXXX";

static void each_descriptor(void (*found)(int descriptor))
{
    DIR *open_ones = opendir("/proc/self/fd");
    const struct dirent *entry;
    CHECK(open_ones != NULL);
    while ((entry = readdir(open_ones)) != NULL)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) >= FIRST &&
            atoi(entry->d_name) != dirfd(open_ones))
            found(atoi(entry->d_name));
    closedir(open_ones);
}

/* ---- the started program */

static int inherited;
static bool beside_hwloc;

/* hwloc opens what it reads without O_CLOEXEC, for a moment each. */
static bool is_of_hwloc(const char *name)
{
    return strcmp(name, "/") == 0 || strncmp(name, "/sys/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

static void say(int descriptor)
{
    char link[64], name[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    if (beside_hwloc && is_of_hwloc(name))
        return;
    fprintf(stderr, "descriptor %d was inherited: %s\n", descriptor, name);
    inherited++;
}

/* ---- the threads */

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)vector, (void)context;
}

static void *count(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        int es = test_set(race_event(), FAULTS, NULL);
        OK(PAPI_overflow(es, test_code_of(race_event()), race_threshold(), 0, on_overflow));
        OK(PAPI_start(es));
        race_stop(es, NULL);
        test_drop(es);
    }
    return NULL;
}

/* Everything that is read from files, again in each life. */
static void *look_up(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        PAPI_event_info_t info;
        PAPI_option_t option = {.events_file = "/dev/null"};
        int code = PAPI_NATIVE_MASK;
        test_init();
        if (beside_hwloc)
            PAPI_get_hardware_info();
        PAPI_get_executable_info();
        PAPI_get_shared_lib_info();
        PAPI_get_component_info(0);
        PAPI_get_event_info(PAPI_TOT_INS, &info);
        PAPI_enum_event(&code, PAPI_ENUM_FIRST);
        PAPI_set_opt(PAPI_USER_EVENTS_FILE, &option);
        PAPI_get_dmem_info(&(PAPI_dmem_info_t){0});
    }
    return NULL;
}

static void *write_regions(void *argument)
{
    (void)argument;
    while (!atomic_load(&over)) {
        PAPI_hl_region_begin("race");
        PAPI_hl_region_end("race");
        PAPI_hl_stop();
    }
    return NULL;
}

/* ---- the test */

static void not_for_others(int descriptor)
{
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

/* Starts a program without fork(), in whose child the library closes what the parent's counters are. */
static void start_program(void)
{
    char *arguments[] = {(char *)"race_exec", (char *)(beside_hwloc ? "beside hwloc" : "descriptors"), NULL};
    int status = 0;
    pid_t child;
    EQUAL(posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ), 0);
    EQUAL(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    EQUAL(WEXITSTATUS(status), 0);
}

static void start_programs(void *(*last)(void *))
{
    void *(*const run[THREADS])(void *) = {count, count, look_up, last};
    pthread_t threads[THREADS];
    NEED_SOFTWARE_EVENTS();
    if (test_under_valgrind())
        SKIP("valgrind has descriptors of its own, and is what /proc/self/exe names");
    each_descriptor(not_for_others); /* of whoever started this program */
    atomic_store(&over, false);
    for (int i = 0; i < THREADS; i++)
        threads[i] = race_start(run[i], NULL);
    for (int round = race_rounds(120); round > 0; round--)
        start_program();
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        race_join(threads[i]);
    PAPI_shutdown();
}

static void nothing_is_inherited(void **state)
{
    (void)state;
    beside_hwloc = false;
    start_programs(look_up);
}

/* The machine is described, also for the file of regions. */
static void nothing_is_inherited_beside_hwloc(void **state)
{
    (void)state;
    beside_hwloc = true;
    start_programs(write_regions);
}

static void remove_folder(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_inherited),
                                       cmocka_unit_test(nothing_is_inherited_beside_hwloc)};
    if (argc == 2) {
        beside_hwloc = strcmp(argv[1], "beside hwloc") == 0;
        each_descriptor(say);
        _exit(inherited > 0);
    }
    CHECK(mkdtemp(folder) != NULL);
    setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
    setenv("PAPI_EVENTS", FAULTS, 1);
    setenv("PAPI_NO_WARNING", "1", 1);
    int status = TEST_RUN(tests);
    remove_folder();
    return status;
}
