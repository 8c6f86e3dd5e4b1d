/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of the kernel's PMUs, on machines that are folders of files.
 */
#include "testing.h"

#include "hardware/pmus.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices/"

static const char *folder;
static struct pmu_table table;

static void put(const char *pmu, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, DEVICES "%s/%s", pmu, file);
    test_file(folder, path, text);
}

static void begin(void)
{
    folder = test_folder();
    table = (struct pmu_table){.root = folder};
}

static void end(void)
{
    pmus_free(&table);
    test_folder_remove(folder);
}

/* ---- which of them are the cores' */

static const struct machine {
    const char *what, *online;
    int n_cores, hybrid;
    struct {
        const char *name, *type, *cpus;
        int core, one_type, first_cpu; /* what it is found to be */
    } pmu[3];
} machines[] = {
    {"x86", "0-7", 1, 0, {{"cpu", "4\n", NULL, 1, 0, 0}, {"uncore_imc", "14\n", NULL, 0, 0, 0}}},
    {"hybrid x86",
     "0-7",
     2,
     1,
     {{"cpu_core", "4\n", "0-3\n", 1, 1, 0}, {"cpu_atom", "10\n", "4-7\n", 1, 1, 4}}},
    {"hybrid, one core type online",
     "0-3",
     2,
     1,
     {{"cpu_core", "4\n", "0-3\n", 1, 0, 0}, {"cpu_atom", "10\n", "4-7\n", 1, 1, 4}}},
    {"hybrid, a core type with no CPUs",
     "0-3",
     1,
     0,
     {{"cpu_core", "4\n", "0-3\n", 1, 0, 0}, {"cpu_atom", "10\n", "\n", 0, 0, 0}}},
    {"arm64",
     "0-7",
     1,
     0,
     {{"armv8_pmuv3_0", "10\n", "0-7\n", 1, 0, 0}, {"arm_dsu_0", "11\n", NULL, 0, 0, 0}}},
    {"arm64, the PMU of half the cores", "0-7", 1, 1, {{"armv8_pmuv3_0", "10\n", "4-7\n", 1, 1, 4}}},
    {"s390", "0-7", 1, 0, {{"cpum_cf", "4\n", NULL, 1, 0, 0}, {"pai_crypto", "9\n", NULL, 0, 0, 0}}},
    {"one for all beside one that names CPUs",
     "0-7",
     1,
     0,
     {{"cpu", "4\n", NULL, 1, 0, 0}, {"other", "9\n", "0-3\n", 0, 0, 0}}},
    {"\"cpu\" for some of them",
     "0-7",
     2,
     1,
     {{"cpu", "4\n", "2-3\n", 1, 1, 2}, {"other", "9\n", "4-7\n", 1, 1, 4}}},
    {"software alone", "0-7", 0, 0, {{"software", "1\n", NULL, 0, 0, 0}, {"msr", "9\n", NULL, 0, 0, 0}}},
    {"nothing", "0-7", 0, 0, {{NULL}}},
};

static void make(const struct machine *machine)
{
    begin();
    test_file(folder, "sys/devices/system/cpu/online", machine->online);
    for (int i = 0; i < 3 && machine->pmu[i].name != NULL; i++) {
        put(machine->pmu[i].name, "type", machine->pmu[i].type);
        if (machine->pmu[i].cpus != NULL)
            put(machine->pmu[i].name, "cpus", machine->pmu[i].cpus);
    }
}

static void check_cores(const struct machine *machine)
{
    struct pmu *pmu;
    assert_int_equal(pmus_cores(&table), machine->n_cores);
    assert_int_equal(pmus_hybrid(&table), machine->hybrid);
    for (int i = 0; i < 3 && machine->pmu[i].name != NULL; i++) {
        assert_int_equal(pmus_find(&table, machine->pmu[i].name, &pmu), 1);
        assert_int_equal(pmu->core, machine->pmu[i].core != 0);
        assert_int_equal(pmu->one_core_type, machine->pmu[i].one_type);
        if (pmu->core)
            assert_int_equal(pmu->first_cpu, machine->pmu[i].first_cpu);
        /* The kernel's type for raw events is that of any core PMU. */
        int type = atoi(machine->pmu[i].type);
        assert_int_equal(pmus_one_core_type(&table, (uint32_t)type),
                         type == PERF_TYPE_RAW ? machine->hybrid : machine->pmu[i].one_type);
    }
    /* The kernel's types for software, hardware and caches, and a type of no PMU. */
    assert_int_equal(pmus_one_core_type(&table, 1), 0);
    assert_int_equal(pmus_one_core_type(&table, 0), machine->hybrid);
    assert_int_equal(pmus_one_core_type(&table, 3), machine->hybrid);
    assert_int_equal(pmus_one_core_type(&table, 77), 0);
}

static void cores(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        print_message("%s\n", machines[i].what);
        make(&machines[i]);
        check_cores(&machines[i]);
        end();
    }
}

/* ---- facts of one PMU */

static void make_one(void)
{
    begin();
    put("cpu", "type", "4\n");
    put("cpu", "perf_event_mux_interval_ms", "4\n");
    put("cpu", "format/event", "config:0-7\n");
    put("cpu", "format/empty", "");
    put("cpu", "events/cycles", "event=0x11\n");
    put("cpu", "events/cycles.scale", "2\n");
    put("cpu", "events/loads", "event=0x4,umask=0x1\n");
    put("cpu", "events/far", "event=0x40\n");
    put("cpu", "events/.hidden", "event=0x1\n");
    put("cpu", "secret", "event=0x2\n");
    put("broken", "type", "four\n");
    put("large", "type", "4294967296\n");
    put("none", "perf_event_mux_interval_ms", "7\n");
}

static void check_one(void)
{
    struct pmu *pmu;
    const char *bits;
    char terms[64];
    long long msec;
    uint32_t type;
    uint64_t numbers;
    assert_int_equal(pmus_read(&table), 4);
    assert_string_equal(table.pmu[0].name, "broken");
    assert_string_equal(table.pmu[3].name, "none");
    assert_int_equal(pmus_find(&table, "CPU", &pmu), 0);
    assert_int_equal(pmus_mux_interval_ms(&table, &msec), 0);
    assert_int_equal(msec, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pmu_type(&table, &table.pmu[i], &type), i == 1);
    assert_int_equal(pmus_find(&table, "cpu", &pmu), 1);
    assert_int_equal(pmu_type(&table, pmu, &type), 1);
    assert_int_equal(type, 4);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(pmu_format(&table, pmu, "event", &bits), 1);
        assert_string_equal(bits, "config:0-7");
    }
    assert_int_equal(pmu_events(&table, pmu), 3);
    assert_string_equal(pmu->event[0]->d_name, "cycles");
    assert_string_equal(pmu->event[1]->d_name, "far");
    assert_string_equal(pmu->event[2]->d_name, "loads");
    assert_int_equal(pmu_event_numbers(&table, pmu, &numbers), 0);
    assert_true(numbers == (1ULL << 0x11 | 1ULL << 4));
    if (access(folder, F_OK) != 0)
        return;
    assert_int_equal(pmu_terms(&table, pmu, "loads", terms, sizeof terms), 1);
    assert_string_equal(terms, "event=0x4,umask=0x1");
    static const char *const no_names[] = {"", "nosuch", "empty", ".hidden", "../secret", "event/"};
    for (size_t i = 0; i < COUNT(no_names); i++) {
        assert_int_equal(pmu_format(&table, pmu, no_names[i], &bits), 0);
        assert_int_equal(pmu_terms(&table, pmu, no_names[i], terms, sizeof terms), 0);
    }
}

static void facts(void **state)
{
    (void)state;
    make_one();
    check_one();
    /* They are kept, whatever becomes of the files. */
    test_folder_remove(folder);
    table.root = folder = "/nonexistent";
    check_one();
    assert_int_equal(pmus_cores(&table), 1);
    pmus_free(&table);
    assert_int_equal(pmus_read(&table), 0);
    assert_int_equal(pmus_cores(&table), 0);
    pmus_free(&table);
}

/* ---- what cannot be read now */

static struct rlimit limit;

static void allow_files(bool allow)
{
    struct rlimit now = limit;
    if (!allow)
        now.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
}

#define NOT_NOW(question)                                                                                    \
    do {                                                                                                     \
        allow_files(false);                                                                                  \
        errno = 0;                                                                                           \
        int answer = (question), error = errno;                                                              \
        allow_files(true);                                                                                   \
        assert_int_equal(answer, -1);                                                                        \
        assert_int_equal(error, EMFILE);                                                                     \
    } while (0)

static void no_descriptor(void **state)
{
    struct pmu *pmu;
    const char *bits;
    char terms[64];
    long long msec;
    uint32_t type;
    uint64_t numbers;
    (void)state;
    if (test_under_valgrind())
        SKIP("valgrind makes up a limit of its own");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    make_one();
    NOT_NOW(pmus_read(&table));
    NOT_NOW(pmus_find(&table, "cpu", &pmu));
    NOT_NOW(pmus_cores(&table));
    NOT_NOW(pmus_hybrid(&table));
    NOT_NOW(pmus_one_core_type(&table, 4));
    NOT_NOW(pmus_mux_interval_ms(&table, &msec));
    assert_int_equal(pmus_find(&table, "cpu", &pmu), 1);
    NOT_NOW(pmus_cores(&table));
    NOT_NOW(pmu_type(&table, pmu, &type));
    NOT_NOW(pmu_format(&table, pmu, "event", &bits));
    NOT_NOW(pmu_terms(&table, pmu, "cycles", terms, sizeof terms));
    NOT_NOW(pmu_events(&table, pmu));
    NOT_NOW(pmu_event_numbers(&table, pmu, &numbers));
    assert_int_equal(pmus_cores(&table), 1);
    assert_int_equal(pmu_events(&table, pmu), 3);
    NOT_NOW(pmus_mux_interval_ms(&table, &msec));
    NOT_NOW(pmu_event_numbers(&table, pmu, &numbers));
    check_one();
    end();
    /* True if the one PMU of cores leaves out CPUs */
    make(&machines[5]);
    assert_int_equal(pmus_read(&table), 1);
    NOT_NOW(pmus_cores(&table));
    check_cores(&machines[5]);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores),
        cmocka_unit_test(facts),
        cmocka_unit_test(no_descriptor),
    };
    return test_status(cmocka_run_group_tests(tests, NULL, NULL), COUNT(tests));
}
