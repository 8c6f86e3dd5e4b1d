/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_first_preset without|with PRESET: the first preset that a program adds is found without libpfm4, or
 * with it where a variable in the environment may change what it says. It counts, and goes on to count when
 * the tables of presets are read after it.
 */
#include "counted_loop.h"
#include "node_test.h"

static int has_libpfm4(void)
{
    char line[512];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, "/libpfm.so") != NULL;
    if (maps == NULL)
        node_check(0, "/proc/self/maps cannot be read");
    else
        fclose(maps);
    return found;
}

static long long count(int es)
{
    enum { TURNS = 100000 };
    long long value = -1;
    NEED(PAPI_start(es));
    counted_loop(TURNS);
    NEED(PAPI_stop(es, &value));
    return value;
}

/* Its native events' names in a line. */
static void natives_of(int preset, char *text, size_t size)
{
    PAPI_event_info_t info;
    NEED(PAPI_get_event_info(preset, &info));
    int n = snprintf(text, size, "%s %s:", info.derived, info.postfix);
    for (unsigned i = 0; i < info.count && n > 0 && (size_t)n < size; i++)
        n += snprintf(text + n, size - (size_t)n, " %s", info.name[i]);
}

int main(int argc, char **argv)
{
    char before[512], after[512];
    int es = PAPI_NULL, preset;
    int without = argc == 3 && strcmp(argv[1], "without") == 0;
    if (argc != 3)
        return 2;
    node_init();
    NEED(PAPI_create_eventset(&es));
    CODE(PAPI_event_name_to_code(argv[2], &preset), PAPI_OK);
    CODE(PAPI_query_event(preset), PAPI_OK);
    CODE(PAPI_add_event(es, preset), PAPI_OK);
    node_check(has_libpfm4() == !without, "libpfm4 is %sloaded", without ? "not " : "");
    long long first = count(es);
    node_check(first > 0, "%s: %lld", argv[2], first);
    node_check(has_libpfm4() == !without, "nor by counting");
    /* Files that are named from now on change nothing, as after the tables are read. */
    NEED(setenv("PAPI_CSV_EVENT_FILE", "/data/none.csv", 1));
    natives_of(preset, before, sizeof before);
    long long second = count(es);
    node_check(second > 0 && second < 2 * first && first < 2 * second, "again, with the tables read: %lld",
               second);
    NEED(PAPI_cleanup_eventset(es));
    CODE(PAPI_add_event(es, preset), PAPI_OK);
    natives_of(preset, after, sizeof after);
    node_check(strcmp(before, after) == 0, "\"%s\" is \"%s\"", before, after);
    long long third = count(es);
    node_check(third > 0 && third < 2 * first && first < 2 * third, "added anew: %lld", third);
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
    PAPI_shutdown();
    return node_test_end();
}
