/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks hardware_info_fill on machines that nobody here owns (machines/), hwloc's own descriptions, files
 * that lie, and the machine that runs this. */
#include "../under_valgrind.h"
#include "hardware/clock.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define KB 1024
#define MB (1024 * 1024)
#define INST PAPI_MH_TYPE_INST
#define DATA PAPI_MH_TYPE_DATA
#define BOTH PAPI_MH_TYPE_UNIFIED
#define FULL SHRT_MAX
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- snapshots */

struct cache {
    int level, type, size, line_size, associativity;
};

struct machine {
    const char *name;
    int ncpu, threads, cores, sockets, nnodes, totalcpus;
    int vendor;
    const char *vendor_string, *model_string;
    int family, model, stepping;
    float revision;
    int max_mhz, min_mhz;
    float mhz;
    const char *hypervisor, *hypervisor_version; /* NULL: none */
    struct cache caches[8];                      /* in the order of the structure */
};

static const struct machine machines[] = {
    {
        .name = "icelake-sp",
        .ncpu = 72,
        .threads = 2,
        .cores = 36,
        .sockets = 2,
        .nnodes = 2,
        .totalcpus = 144,
        .vendor = PAPI_VENDOR_INTEL,
        .vendor_string = "GenuineIntel",
        .model_string = "Intel(R) Xeon(R) Platinum 8360Y CPU @ 2.40GHz",
        .family = 6,
        .model = 106,
        .stepping = 6,
        .revision = 6,
        .max_mhz = 3500,
        .min_mhz = 800,
        .mhz = 2400,
        .caches = {{1, INST, 32 * KB, 64, 8},
                   {1, DATA, 48 * KB, 64, 12},
                   {2, BOTH, 1280 * KB, 64, 20},
                   {3, BOTH, 54 * MB, 64, 12}},
    },
    {
        /* Its firmware names a cloud, which rents the whole machine. */
        .name = "zen4-nps4",
        .ncpu = 48,
        .threads = 2,
        .cores = 96,
        .sockets = 2,
        .nnodes = 8,
        .totalcpus = 384,
        .vendor = PAPI_VENDOR_AMD,
        .vendor_string = "AuthenticAMD",
        .model_string = "AMD EPYC 9654 96-Core Processor",
        .family = 25,
        .model = 17,
        .stepping = 1,
        .revision = 1,
        .max_mhz = 3707,
        .min_mhz = 1500,
        .mhz = 2400,
        .caches = {{1, INST, 32 * KB, 64, 8},
                   {1, DATA, 32 * KB, 64, 8},
                   {2, BOTH, 1 * MB, 64, 8},
                   {3, BOTH, 32 * MB, 64, 16}},
    },
    {
        .name = "neoverse-n1",
        .ncpu = 80,
        .threads = 1,
        .cores = 80,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 80,
        .vendor = PAPI_VENDOR_ARM_ARM,
        .vendor_string = "ARM",
        .model_string = "ARM Neoverse N1",
        .family = 8,
        .model = 0xd0c,
        .stepping = 1,
        .revision = 3.1f,
        .max_mhz = 3000,
        .min_mhz = 1000,
        .mhz = 3000,
        .caches = {{1, INST, 64 * KB, 64, 4}, {1, DATA, 64 * KB, 64, 4}, {2, BOTH, 1 * MB, 64, 8}},
    },
    {
        .name = "power10",
        .ncpu = 64,
        .threads = 8,
        .cores = 8,
        .sockets = 2,
        .nnodes = 2,
        .totalcpus = 128,
        .vendor = PAPI_VENDOR_IBM,
        .vendor_string = "IBM",
        .model_string = "POWER10 (architected), altivec supported",
        .family = 0,
        .model = 0x80,
        .stepping = 0x200,
        .revision = 2.0f,
        .max_mhz = 3550,
        .min_mhz = 3550,
        .mhz = 3550,
        .hypervisor = "PowerVM",
        .hypervisor_version = "",
        .caches = {{1, INST, 48 * KB, 128, 6},
                   {1, DATA, 32 * KB, 128, 8},
                   {2, BOTH, 1 * MB, 128, 8},
                   {3, BOTH, 4 * MB, 128, 16}},
    },
    {
        .name = "riscv-u74",
        .ncpu = 4,
        .threads = 1,
        .cores = 4,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 4,
        .vendor = PAPI_VENDOR_UNKNOWN,
        .vendor_string = "SiFive",
        .model_string = "sifive,u74-mc",
        .model = 7,
        .stepping = 0x4210427,
        .revision = (float)0x4210427,
        .max_mhz = 1500,
        .min_mhz = 375,
        .mhz = 1500,
        .caches = {{1, INST, 32 * KB, 64, 4}, {1, DATA, 32 * KB, 64, 8}, {2, BOTH, 2 * MB, 64, 16}},
    },
    {
        /* Has a line "ISA", as RISC-V has. */
        .name = "loongson-3a5000",
        .ncpu = 4,
        .threads = 1,
        .cores = 4,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 4,
        .vendor = PAPI_VENDOR_UNKNOWN,
        .vendor_string = "Loongson",
        .model_string = "Loongson-3A5000",
        .max_mhz = 2500,
        .min_mhz = 2500,
        .mhz = 2500,
    },
    {
        /* CPU 1 is offline, and the NUMA nodes differ: ncpu is that of the first CPU's. */
        .name = "unknown-x86-vm",
        .ncpu = 3,
        .threads = 2,
        .cores = 2,
        .sockets = 1,
        .nnodes = 2,
        .totalcpus = 4,
        .vendor = PAPI_VENDOR_UNKNOWN,
        .vendor_string = "Shanghai",
        .model_string = "ZHAOXIN KaiXian KX-7000/8@3.2GHz",
        .family = 7,
        .model = 91,
        .stepping = 2,
        .revision = 2,
        .max_mhz = 3194,
        .min_mhz = 3194,
        .mhz = 3200,
        .hypervisor = "QEMU",
        .hypervisor_version = "pc-q35-7.2",
        .caches = {{1, INST, 32 * KB, 64, 8}, {1, DATA, 32 * KB, 64, 8}, {2, BOTH, 256 * KB, 64, 0}},
    },
    {
        .name = "graviton3-vm",
        .ncpu = 4,
        .threads = 1,
        .cores = 4,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 4,
        .vendor = PAPI_VENDOR_ARM_ARM,
        .vendor_string = "ARM",
        .model_string = "ARM Neoverse V1",
        .family = 8,
        .model = 0xd40,
        .stepping = 1,
        .revision = 1.1f,
        .hypervisor = "Amazon EC2",
        .hypervisor_version = "",
        .caches = {{1, INST, 64 * KB, 64, 4},
                   {1, DATA, 64 * KB, 64, 4},
                   {2, BOTH, 1 * MB, 64, 8},
                   {3, BOTH, 32 * MB, 64, FULL}},
        .max_mhz = 2100,
        .min_mhz = 2100,
    },
    {
        .name = "xen-proc-only",
        .ncpu = 8,
        .threads = 2,
        .cores = 2,
        .sockets = 2,
        .nnodes = 1,
        .totalcpus = 8,
        .vendor = PAPI_VENDOR_INTEL,
        .vendor_string = "GenuineIntel",
        .model_string = "Intel(R) Xeon(R) CPU E5-2686 v4 @ 2.30GHz",
        .family = 6,
        .model = 79,
        .stepping = 1,
        .revision = 1,
        .max_mhz = 2300,
        .min_mhz = 2300,
        .mhz = 2300,
        .hypervisor = "Xen",
        .hypervisor_version = "4.11",
    },
    {
        /* A container without /proc: sysfs has the ID register. */
        .name = "a64fx-no-proc",
        .ncpu = 48,
        .threads = 1,
        .cores = 48,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 48,
        .vendor = PAPI_VENDOR_ARM_FUJITSU,
        .vendor_string = "Fujitsu",
        .model_string = "Fujitsu A64FX",
        .family = 8,
        .model = 1,
        .stepping = 0,
        .revision = 1.0f,
    },
    {
        /* Two cores with two threads, four with one. */
        .name = "hybrid",
        .ncpu = 8,
        .threads = 2,
        .cores = 6,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 8,
        .vendor = PAPI_VENDOR_INTEL,
        .vendor_string = "GenuineIntel",
        .model_string = "12th Gen Intel(R) Core(TM) i5-12400K",
        .family = 6,
        .model = 151,
        .stepping = 2,
        .revision = 2,
        .max_mhz = 4900,
        .min_mhz = 800,
        .mhz = 3700,
        .caches = {{1, INST, 32 * KB, 64, 8},
                   {1, DATA, 48 * KB, 64, 12},
                   {2, BOTH, 1280 * KB, 64, 10},
                   {3, BOTH, 18 * MB, 64, 9}},
    },
    {
        .name = "container-empty",
        .vendor_string = "",
        .model_string = "",
    },
    {
        /* hwloc refuses the file: /proc/cpuinfo, cut in the second processor, is left. */
        .name = "broken-xml",
        .ncpu = 2,
        .threads = 2,
        .cores = 1,
        .sockets = 1,
        .nnodes = 1,
        .totalcpus = 2,
        .vendor = PAPI_VENDOR_INTEL,
        .vendor_string = "GenuineIntel",
        .model_string = "Intel(R) Xeon(R) Gold 6140 CPU @ 2.30GHz",
        .family = 6,
        .model = 85,
        .stepping = 4,
        .revision = 4,
        .max_mhz = 2300,
        .min_mhz = 2300,
        .mhz = 2300,
    },
};

static void fill(const char *root, PAPI_hw_info_t *info)
{
    memset(info, 0xa5, sizeof *info);
    errno = EXDEV;
    hardware_info_fill(root, info);
    assert_int_equal(errno, EXDEV);
}

/* Exactly these caches, and zeros everywhere else in the hierarchy. */
static void check_caches(const PAPI_mh_info_t *mh, const struct cache *caches, size_t n)
{
    PAPI_mh_info_t expected = {0};
    int used[PAPI_MAX_MEM_HIERARCHY_LEVELS] = {0};
    for (size_t i = 0; i < n && caches[i].level != 0; i++) {
        int level = caches[i].level - 1;
        expected.level[level].cache[used[level]++] = (PAPI_mh_cache_info_t){
            .type = caches[i].type,
            .size = caches[i].size,
            .line_size = caches[i].line_size,
            .num_lines = caches[i].line_size ? caches[i].size / caches[i].line_size : 0,
            .associativity = caches[i].associativity,
        };
        expected.levels = level + 1;
    }
    assert_memory_equal(mh, &expected, sizeof expected);
}

static int have_hwloc(void)
{
    struct counts n;
    PAPI_mh_info_t mh = {0};
    return topology_hwloc(&(struct reading){.root = MACHINES "/graviton3-vm"}, &n, &mh) == 0;
}

static void check_machine(void **state)
{
    const struct machine *m = *state;
    char root[512], xml[1024];
    snprintf(root, sizeof root, "%s/%s", MACHINES, m->name);
    snprintf(xml, sizeof xml, "%s/topology.xml", root);
    if (access(xml, R_OK) == 0 && !have_hwloc())
        skip();
    PAPI_hw_info_t info;
    fill(root, &info);
    assert_int_equal(info.ncpu, m->ncpu);
    assert_int_equal(info.threads, m->threads);
    assert_int_equal(info.cores, m->cores);
    assert_int_equal(info.sockets, m->sockets);
    assert_int_equal(info.nnodes, m->nnodes);
    assert_int_equal(info.totalcpus, m->totalcpus);
    assert_int_equal(info.vendor, m->vendor);
    assert_string_equal(info.vendor_string, m->vendor_string);
    assert_string_equal(info.model_string, m->model_string);
    assert_int_equal(info.cpuid_family, m->family);
    assert_int_equal(info.cpuid_model, m->model);
    assert_int_equal(info.model, m->model);
    assert_int_equal(info.cpuid_stepping, m->stepping);
    assert_float_equal(info.revision, m->revision, 1e-5);
    assert_int_equal(info.cpu_max_mhz, m->max_mhz);
    assert_int_equal(info.cpu_min_mhz, m->min_mhz);
    assert_float_equal(info.mhz, m->mhz, 0.01);
    assert_int_equal(info.clock_mhz, (int)info.mhz);
    assert_int_equal(info.virtualized, m->hypervisor != NULL);
    assert_string_equal(info.virtual_vendor_string, m->hypervisor ? m->hypervisor : "");
    assert_string_equal(info.virtual_vendor_version, m->hypervisor ? m->hypervisor_version : "");
    check_caches(&info.mem_hierarchy, m->caches, COUNT(m->caches));
}

/* Every snapshot has its row: one that none checks would look tested. */
static void every_snapshot_is_checked(void **state)
{
    (void)state;
    size_t found = 0;
    DIR *dir = opendir(MACHINES);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        found += entry->d_name[0] != '.';
    closedir(dir);
    assert_int_equal(found, COUNT(machines));
}

/* ---- hwloc's own environment */

static const struct synthetic {
    const char *text;
    int ncpu, threads, cores, sockets, nnodes, totalcpus;
    struct cache caches[8];
} synthetics[] = {
    {"package:2 [numa] l3:1(size=36MiB) l2:24(size=1MiB) l1d:1(size=32KiB) l1i:1(size=32KiB) core:1 pu:2",
     48,
     2,
     24,
     2,
     2,
     96,
     {{1, INST, 32 * KB, 64, 0},
      {1, DATA, 32 * KB, 64, 0},
      {2, BOTH, 1 * MB, 64, 0},
      {3, BOTH, 36 * MB, 64, 0}}},
    {"package:2 numa:4 l3:2(size=16MiB) core:4 pu:2", 16, 2, 32, 2, 8, 128, {{3, BOTH, 16 * MB, 64, 0}}},
    {"package:1 l2:80(size=1MiB) core:1 pu:1", 80, 1, 80, 1, 1, 80, {{2, BOTH, 1 * MB, 64, 0}}},
    {"core:2 pu:1", 2, 1, 2, 1, 1, 2, {{0}}},
    {"pu:3", 3, 1, 3, 1, 1, 3, {{0}}},
    /* Far memory beside the two near nodes, as a CXL card or KNL has it. */
    {"[numa] package:2 [numa] core:8 pu:1", 8, 1, 8, 2, 3, 16, {{0}}},
    {"l4:1(size=128MiB) l1i:2(size=16KiB) core:1 pu:4",
     8,
     4,
     2,
     1,
     1,
     8,
     {{1, INST, 16 * KB, 64, 0}, {4, BOTH, 128 * MB, 64, 0}}},
    {"l5:1(size=8GiB) l3:1(size=4GiB) core:1 pu:1", 1, 1, 1, 1, 1, 1, {{3, BOTH, INT_MAX, 64, 0}}},
};

static void check_synthetic(void **state)
{
    const struct synthetic *s = *state;
    if (!have_hwloc())
        skip();
    PAPI_hw_info_t info, snapshot;
    setenv("HWLOC_SYNTHETIC", s->text, 1);
    fill("", &info);
    fill(MACHINES "/neoverse-n1", &snapshot);
    unsetenv("HWLOC_SYNTHETIC");
    assert_int_equal(info.ncpu, s->ncpu);
    assert_int_equal(info.threads, s->threads);
    assert_int_equal(info.cores, s->cores);
    assert_int_equal(info.sockets, s->sockets);
    assert_int_equal(info.nnodes, s->nnodes);
    assert_int_equal(info.totalcpus, s->totalcpus);
    if (s->caches[0].size == INT_MAX) { /* larger than the field: the lines are still right */
        assert_int_equal(info.mem_hierarchy.levels, 3);
        assert_int_equal(info.mem_hierarchy.level[2].cache[0].size, INT_MAX);
        assert_int_equal(info.mem_hierarchy.level[2].cache[0].num_lines, 4LL * 1024 * MB / 64);
    } else {
        check_caches(&info.mem_hierarchy, s->caches, COUNT(s->caches));
    }
    assert_int_equal(snapshot.totalcpus, 80);
}

static void xml_of_the_environment(void **state)
{
    (void)state;
    if (!have_hwloc())
        skip();
    PAPI_hw_info_t info;
    setenv("HWLOC_XMLFILE", MACHINES "/icelake-sp/topology.xml", 1);
    fill("", &info);
    unsetenv("HWLOC_XMLFILE");
    assert_int_equal(info.totalcpus, 144);
    assert_int_equal(info.cores, 36);
    check_caches(&info.mem_hierarchy, machines[0].caches, COUNT(machines[0].caches));
}

/* Both standard streams, put into a file, as a job's user would see them. */
struct terminal {
    FILE *words;
    int out, err;
};

static void watch_terminal(struct terminal *t)
{
    t->words = tmpfile();
    assert_non_null(t->words);
    fflush(NULL);
    t->out = dup(STDOUT_FILENO);
    t->err = dup(STDERR_FILENO);
    dup2(fileno(t->words), STDOUT_FILENO);
    dup2(fileno(t->words), STDERR_FILENO);
}

/* Restores the terminal and returns how many bytes were written to it meanwhile. */
static long unwatch_terminal(struct terminal *t)
{
    fflush(NULL);
    dup2(t->out, STDOUT_FILENO);
    dup2(t->err, STDERR_FILENO);
    close(t->out);
    close(t->err);
    struct stat st = {.st_size = -1};
    fstat(fileno(t->words), &st);
    fclose(t->words);
    return (long)st.st_size;
}

/* A description that cannot be used leaves this machine, and not a word on the terminal. */
static void bad_environment_is_silent(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"HWLOC_XMLFILE", "/nonexistent.xml"},
        {"HWLOC_XMLFILE", MACHINES "/broken-xml/topology.xml"},
        {"HWLOC_XMLFILE", MACHINES "/icelake-sp/proc/cpuinfo"},
        {"HWLOC_SYNTHETIC", "no:such thing"},
    };
    PAPI_hw_info_t info[COUNT(bad)];
    struct terminal terminal;
    watch_terminal(&terminal);
    for (size_t i = 0; i < COUNT(bad); i++) {
        setenv(bad[i][0], bad[i][1], 1);
        hardware_info_fill("", &info[i]);
        unsetenv(bad[i][0]);
    }
    assert_int_equal(unwatch_terminal(&terminal), 0);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(info[i].totalcpus, sysconf(_SC_NPROCESSORS_ONLN));
}

/* ---- a real container */

#define CANNOT_HIDE 77

struct seen {
    PAPI_hw_info_t info;
    long words;
};

static int hide(const char *const *folders)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return -1;
    for (; *folders != NULL; folders++)
        if (mount("none", *folders, "tmpfs", 0, NULL) != 0)
            return -1;
    return 0;
}

/* Fills the information in a process of its own, since the hidden folders do not come back. */
static int fill_without(const char *const *folders, struct seen *seen)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        struct terminal terminal;
        if (hide(folders) != 0)
            _exit(CANNOT_HIDE);
        watch_terminal(&terminal);
        hardware_info_fill("", &seen->info);
        seen->words = unwatch_terminal(&terminal);
        _exit(write(ends[1], seen, sizeof *seen) == (ssize_t)sizeof *seen ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], seen, sizeof *seen);
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CANNOT_HIDE)
        return -1;
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(got, sizeof *seen);
    return 0;
}

static void container_hides_sys(void **state)
{
    (void)state;
    static const char *const sys[] = {"/sys", NULL};
    PAPI_hw_info_t open;
    struct seen seen;
    fill("", &open);
    if (fill_without(sys, &seen) != 0)
        skip();
    assert_int_equal(seen.words, 0);
    assert_int_equal(seen.info.totalcpus, open.totalcpus);
    assert_int_equal(seen.info.vendor, open.vendor);
    assert_string_equal(seen.info.model_string, open.model_string);
}

static void container_hides_all(void **state)
{
    (void)state;
    static const char *const both[] = {"/sys", "/proc", NULL};
    struct seen seen;
    if (fill_without(both, &seen) != 0)
        skip();
    assert_int_equal(seen.words, 0);
    assert_true(seen.info.totalcpus >= 1 && seen.info.cores >= 1 && seen.info.sockets == 1);
#if defined(__x86_64__)
    assert_true(seen.info.vendor_string[0] != '\0'); /* cpuid is left */
#endif
}

/* ---- hostile files */

static void put(const char *root, const char *path, const char *data, size_t size)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *out = fopen(full, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(data, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static void put_text(const char *root, const char *path, const char *text)
{
    put(root, path, text, strlen(text));
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st, (void)flag, (void)ftw;
    return remove(path);
}

static char scratch[] = "/tmp/test_hardware.XXXXXX";

static int make_scratch(void **state)
{
    (void)state;
    strcpy(scratch + strlen(scratch) - 6, "XXXXXX");
    return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state)
{
    (void)state;
    return nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static int ended(const char *text)
{
    return memchr(text, '\0', PAPI_MAX_STR_LEN) != NULL;
}

/* Whatever the files say, nothing is outside what a caller may rely on. */
static void fill_sane(PAPI_hw_info_t *info)
{
    fill(scratch, info);
    assert_true(info->ncpu >= 0 && info->ncpu <= info->totalcpus && info->totalcpus <= CPULIST_MAX);
    assert_true(info->totalcpus == 0 || (info->ncpu >= 0 && info->threads >= 1 && info->cores >= 1));
    assert_true(info->totalcpus == 0 || (info->sockets >= 1 && info->nnodes >= 1));
    assert_true(info->cpuid_family >= 0 && info->cpuid_model >= 0 && info->cpuid_stepping >= 0);
    assert_true(info->mhz >= 0 && info->mhz <= 100000 && info->cpu_max_mhz >= 0 && info->cpu_min_mhz >= 0);
    assert_true(info->mem_hierarchy.levels >= 0 &&
                info->mem_hierarchy.levels <= PAPI_MAX_MEM_HIERARCHY_LEVELS);
    assert_true(ended(info->vendor_string) && ended(info->model_string));
    assert_true(ended(info->virtual_vendor_string) && ended(info->virtual_vendor_version));
}

static void cpuinfo_cut_anywhere(void **state)
{
    (void)state;
    FILE *in = fopen(MACHINES "/icelake-sp/proc/cpuinfo", "r");
    assert_non_null(in);
    char text[8192];
    size_t size = fread(text, 1, sizeof text, in);
    fclose(in);
    PAPI_hw_info_t info;
    for (size_t n = 0; n < size && n < 400; n++) {
        put(scratch, "/proc/cpuinfo", text, n);
        fill_sane(&info);
    }
    put(scratch, "/proc/cpuinfo", text, strlen("processor\t: 0\nvendor_id\t: Genuine"));
    fill_sane(&info);
    assert_int_equal(info.vendor, PAPI_VENDOR_UNKNOWN);
    assert_string_equal(info.vendor_string, "Genuine");
    assert_int_equal(info.totalcpus, 1);
}

static void cpuinfo_of_noise(void **state)
{
    (void)state;
    static char noise[65536];
    uint32_t x = 2463534242u;
    PAPI_hw_info_t info;
    for (int round = 0; round < 16; round++) {
        for (size_t i = 0; i < sizeof noise; i++) {
            x ^= x << 13, x ^= x >> 17, x ^= x << 5;
            /* Every other round is of the characters that mean something. */
            noise[i] = round & 1 ? "cpu :\nprocessor0x9\t"[x % 20] : (char)x;
        }
        put(scratch, "/proc/cpuinfo", noise, sizeof noise);
        put(scratch, "/sys/devices/system/cpu/online", noise, sizeof noise);
        put(scratch, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", noise, sizeof noise);
        put(scratch, "/sys/class/dmi/id/sys_vendor", noise, sizeof noise);
        fill_sane(&info);
    }
}

static void cpuinfo_with_huge_lines(void **state)
{
    (void)state;
    enum { HUGE = 4 * MB };
    char *text = malloc(HUGE);
    assert_non_null(text);
    memset(text, 'a', HUGE);
    PAPI_hw_info_t info;
    put(scratch, "/proc/cpuinfo", text, HUGE);
    fill_sane(&info);
    assert_int_equal(info.totalcpus, 0);

    static const char start[] = "processor : 0\nvendor_id : GenuineIntel\nmodel name : ";
    static const char end[] = "\nstepping : 7\n";
    memcpy(text, start, strlen(start));
    memcpy(text + HUGE - strlen(end), end, strlen(end));
    put(scratch, "/proc/cpuinfo", text, HUGE);
    free(text);
    fill_sane(&info);
    assert_int_equal(strlen(info.model_string), PAPI_MAX_STR_LEN - 1);
    assert_int_equal(info.vendor, PAPI_VENDOR_INTEL);
    assert_int_equal(info.cpuid_stepping, 7); /* the line after the long one */
}

static void cpuinfo_with_absurd_numbers(void **state)
{
    (void)state;
    static const char text[] =
        "processor : 0\nvendor_id : GenuineIntel\ncpu family : 99999999999999999999999\n"
        "model : -3\nstepping : 0x7\nmodel name : one\0two\x01three\ncpu MHz : 1e30\n"
        "siblings : 1\ncpu cores : 0\nflags : xhypervisor hypervisory\n\n";
    PAPI_hw_info_t info;
    put(scratch, "/proc/cpuinfo", text, sizeof text - 1);
    fill_sane(&info);
    assert_int_equal(info.cpuid_family, INT_MAX);
    assert_int_equal(info.cpuid_model, 0);
    assert_int_equal(info.cpuid_stepping, 7);
    assert_string_equal(info.model_string, "one two three");
    assert_int_equal(info.virtualized, 0);
    assert_int_equal(info.totalcpus, 1);
    assert_float_equal(info.mhz, 1, 0);
    put_text(scratch, "/proc/cpuinfo",
             "processor : 0\nvendor_id : x\nsiblings : 4\ncpu cores : 8\ncpu MHz : nan\n");
    fill_sane(&info);
    assert_int_equal(info.cores, 1);
    assert_float_equal(info.mhz, 0, 0);
}

static void cpu_lists_that_lie(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int cpus;
    } lists[] = {
        {"", 0},
        {"\n", 0},
        {"-5", 0},
        {"abc", 0},
        {"7-3", 0},
        {"99999", 0},
        {"0,0,0", 1},
        {"3-", 0},
        {"1,x", 1},
        {"0-4294967295", CPULIST_MAX},
        {"8190-99999999999999999999", 2},
    };
    PAPI_hw_info_t info;
    for (size_t i = 0; i < COUNT(lists); i++) {
        put_text(scratch, "/sys/devices/system/cpu/online", lists[i].text);
        fill_sane(&info);
        assert_int_equal(info.totalcpus, lists[i].cpus);
    }
    put_text(scratch, "/sys/devices/system/cpu/online", "0-1");
    put_text(scratch, "/sys/devices/system/cpu/cpu0/topology/core_cpus_list", "5-9");
    put_text(scratch, "/sys/devices/system/node/online", "0-9999999");
    put_text(scratch, "/sys/devices/system/node/node0/cpulist", "1-700");
    fill_sane(&info);
    assert_int_equal(info.cores, 2);
}

static void caches_that_lie(void **state)
{
    (void)state;
    static const char *const levels[] = {"-1", "0", "5", "1", "1", "x", "2147483649"};
    put_text(scratch, "/sys/devices/system/cpu/online", "0");
    for (size_t i = 0; i < COUNT(levels); i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%zu/level", i);
        put_text(scratch, path, levels[i]);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%zu/type", i);
        put_text(scratch, path, "Data");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%zu/size", i);
        put_text(scratch, path, i == 3 ? "-32K" : "99999999999999999999K");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%zu/ways_of_associativity", i);
        put_text(scratch, path, "4000000000");
    }
    PAPI_hw_info_t info;
    fill_sane(&info);
    static const struct cache expected[] = {{1, DATA, 0, 0, FULL}};
    check_caches(&info.mem_hierarchy, expected, COUNT(expected));
}

static void clock_rates_that_lie(void **state)
{
    (void)state;
    PAPI_hw_info_t info;
    static const char *const rates[] = {"-1", "99999999999999", "18446744073709551615", "<unknown>", ""};
    for (size_t i = 0; i < COUNT(rates); i++) {
        put_text(scratch, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", rates[i]);
        put_text(scratch, "/sys/devices/system/cpu/cpu0/cpufreq/base_frequency", rates[i]);
        put_text(scratch, "/proc/cpuinfo", "processor : 0\nvendor_id : x\nmodel name : a@GHz\n");
        fill_sane(&info);
        assert_int_equal(info.cpu_max_mhz, 0);
        assert_float_equal(info.mhz, 0, 0);
    }
}

static void roots_that_are_none(void **state)
{
    (void)state;
    static const PAPI_hw_info_t nothing;
    PAPI_hw_info_t info;
    char longest[8192];
    memset(longest, '/', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    fill(longest, &info);
    assert_memory_equal(&info, &nothing, sizeof info);
    fill("/nonexistent", &info);
    assert_memory_equal(&info, &nothing, sizeof info);
    char path[64];
    snprintf(path, sizeof path, "%s/proc", scratch);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/proc/cpuinfo", scratch);
    mkdir(path, 0700); /* a folder opens, and reads as nothing */
    fill_sane(&info);
    assert_memory_equal(&info, &nothing, sizeof info);
}

/* ---- small parts */

static void x86_vendors(void **state)
{
    (void)state;
    assert_int_equal(processor_x86_vendor("GenuineIntel"), PAPI_VENDOR_INTEL);
    assert_int_equal(processor_x86_vendor("AuthenticAMD"), PAPI_VENDOR_AMD);
    assert_int_equal(processor_x86_vendor("HygonGenuine"), PAPI_VENDOR_AMD);
    assert_int_equal(processor_x86_vendor("CentaurHauls"), PAPI_VENDOR_UNKNOWN);
    assert_int_equal(processor_x86_vendor(""), PAPI_VENDOR_UNKNOWN);
}

static void arm_names(void **state)
{
    (void)state;
    static const struct {
        int implementer, part;
        const char *vendor, *model;
    } table[] = {
        {0x41, 0xd0c, "ARM", "ARM Neoverse N1"},
        {0x41, 0xd40, "ARM", "ARM Neoverse V1"},
        {0x41, 0xd49, "ARM", "ARM Neoverse N2"},
        {0x41, 0xd4f, "ARM", "ARM Neoverse V2"},
        {0x41, 0xd03, "ARM", "ARM Cortex-A53"},
        {0x41, 0xd07, "ARM", "ARM Cortex-A57"},
        {0x41, 0xd08, "ARM", "ARM Cortex-A72"},
        {0x41, 0xd0b, "ARM", "ARM Cortex-A76"},
        {0x46, 0x001, "Fujitsu", "Fujitsu A64FX"},
        {0x43, 0x0af, "Cavium", "Cavium ThunderX2"},
        {0x48, 0xd01, "HiSilicon", "HiSilicon Kunpeng 920"},
        {0xc0, 0xac3, "Ampere", "Ampere Ampere-1"},
        {0x41, 0xfff, "ARM", "ARM part 0xfff"},
        {0x99, 0x123, "ARM", "ARM implementer 0x99 part 0x123"},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        PAPI_hw_info_t info = {0};
        const struct arm_id id = {table[i].implementer, 8, 0, table[i].part, 12};
        arm_identify(&id, &info);
        assert_int_equal(info.vendor, table[i].implementer);
        assert_string_equal(info.vendor_string, table[i].vendor);
        assert_string_equal(info.model_string, table[i].model);
        assert_float_equal(info.revision, 0.12, 1e-6);
    }
}

static void decimals(void **state)
{
    (void)state;
    assert_float_equal(cpuinfo_decimal("2445.426", NULL), 2445.426, 1e-3);
    assert_float_equal(cpuinfo_decimal("3450.000000MHz", NULL), 3450, 0);
    assert_float_equal(cpuinfo_decimal(".5", NULL), 0, 0);
    assert_float_equal(cpuinfo_decimal("", NULL), 0, 0);
    const char *end;
    assert_float_equal(cpuinfo_decimal("2.0 (pvr", &end), 2, 0);
    assert_string_equal(end, " (pvr");
}

/* Exactly these buffers of a level, and no more. */
static void check_tlbs(const PAPI_mh_info_t *mh, int level, const PAPI_mh_tlb_info_t *tlbs, int n)
{
    PAPI_mh_tlb_info_t expected[PAPI_MH_MAX_LEVELS] = {0};
    memcpy(expected, tlbs, (size_t)n * sizeof *tlbs);
    for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
        assert_int_equal(mh->level[level - 1].tlb[i].type, expected[i].type);
        assert_int_equal(mh->level[level - 1].tlb[i].num_entries, expected[i].num_entries);
        assert_int_equal(mh->level[level - 1].tlb[i].page_size, expected[i].page_size);
        assert_int_equal(mh->level[level - 1].tlb[i].associativity, expected[i].associativity);
    }
}

/* The leaves of an EPYC of Zen 3, and the buffers of AMD's optimization guide. */
static void tlbs_of_amd(void **state)
{
    (void)state;
    static const struct cpuid_leaf leaf5 = {.eax = 0xff40ff40, .ebx = 0xff40ff40},
                                   leaf6 = {.eax = 0x48002200, .ebx = 0x68004200},
                                   leaf19 = {.eax = 0xf040f040, .ebx = 0xf0400000};
    static const PAPI_mh_tlb_info_t first[] = {
        {INST, 64, 4 * KB, INT_MAX}, {DATA, 64, 4 * KB, INT_MAX},    {INST, 64, 2 * MB, INT_MAX},
        {DATA, 64, 2 * MB, INT_MAX}, {INST, 64, 1024 * MB, INT_MAX}, {DATA, 64, 1024 * MB, INT_MAX}};
    static const PAPI_mh_tlb_info_t second[] = {{INST, 512, 4 * KB, 4},
                                                {DATA, 2048, 4 * KB, 8},
                                                {INST, 512, 2 * MB, 2},
                                                {DATA, 2048, 2 * MB, 4},
                                                {DATA, 64, 1024 * MB, INT_MAX}};
    PAPI_mh_info_t mh = {0};
    tlb_from_amd(&mh, &leaf5, &leaf6, &leaf19);
    assert_int_equal(mh.levels, 2);
    check_tlbs(&mh, 1, first, COUNT(first));
    check_tlbs(&mh, 2, second, COUNT(second));
}

/* A buffer for both instructions and data, and one that is switched off. */
static void tlbs_of_older_amd(void **state)
{
    (void)state;
    static const struct cpuid_leaf leaf5 = {.ebx = 0x01100220}, leaf6 = {.eax = 0, .ebx = 0x00004100}, none;
    static const PAPI_mh_tlb_info_t first[] = {{INST, 32, 4 * KB, 2}, {DATA, 16, 4 * KB, 1}},
                                    second[] = {{BOTH, 256, 4 * KB, 4}};
    PAPI_mh_info_t mh = {0};
    tlb_from_amd(&mh, &leaf5, &leaf6, &none);
    check_tlbs(&mh, 1, first, COUNT(first));
    check_tlbs(&mh, 2, second, COUNT(second));
}

static void tlbs_of_intel(void **state)
{
    (void)state;
    static const struct cpuid_leaf subleaves[] = {
        {.eax = 4},                                   /* what none is */
        {.ebx = 0x00080001, .ecx = 32, .edx = 0x22},  /* instructions, 4 KB, 8 ways of 32 */
        {.ebx = 0x00060001, .ecx = 16, .edx = 0x124}, /* loads, full */
        {.ebx = 0x00100003, .ecx = 128, .edx = 0x43}, /* both, 4 KB and 2 MB, level 2 */
        {.ebx = 0x00080008, .ecx = 128, .edx = 0x43}, /* both, 1 GB */
        {.ebx = 0xffff000f, .ecx = 0xffffffff, .edx = 0x41},
        {.ebx = 0x0001000f, .ecx = 1, .edx = 0xff}};
    static const PAPI_mh_tlb_info_t first[] = {{INST, 256, 4 * KB, 8}, {DATA, 96, 4 * KB, INT_MAX}},
                                    second[] = {{BOTH, 2048, 4 * KB, 16},
                                                {BOTH, 2048, 2 * MB, 16},
                                                {BOTH, 1024, 1024 * MB, 8}};
    PAPI_mh_info_t mh = {0};
    for (size_t i = 0; i < COUNT(subleaves); i++)
        tlb_from_intel(&mh, &subleaves[i]);
    check_tlbs(&mh, 1, first, COUNT(first));
    check_tlbs(&mh, 2, second, COUNT(second));
}

/* The leaf of a Skylake, which has none in leaf 18. */
static void tlbs_of_older_intel(void **state)
{
    (void)state;
    static const struct cpuid_leaf leaf2 = {0x76036301, 0x00f0b5ff, 0, 0x00c30000};
    static const PAPI_mh_tlb_info_t first[] = {{DATA, 32, 2 * MB, 4},
                                               {DATA, 4, 1024 * MB, 4},
                                               {DATA, 64, 4 * KB, 4},
                                               {INST, 8, 2 * MB, INT_MAX},
                                               {INST, 64, 4 * KB, 8}},
                                    second[] = {{BOTH, 1536, 4 * KB, 6},
                                                {BOTH, 1536, 2 * MB, 6},
                                                {BOTH, 16, 1024 * MB, 4}};
    PAPI_mh_info_t mh = {0}, none = {0};
    tlb_from_descriptors(&mh, &leaf2);
    check_tlbs(&mh, 1, first, COUNT(first));
    check_tlbs(&mh, 2, second, COUNT(second));
    /* Registers whose highest bit says that they hold none, and a first byte that is not a descriptor. */
    tlb_from_descriptors(&none, &(struct cpuid_leaf){0x80030363, 0x80b5b5b5, 0x80c3c3c3, 0x000000ff});
    assert_int_equal(none.levels, 0);
}

static void too_many_tlbs(void **state)
{
    (void)state;
    PAPI_mh_info_t mh = {0};
    for (int i = 1; i < 20; i++)
        tlb_add(&mh, 4, DATA, 4 * KB, i, 1);
    tlb_add(&mh, 0, DATA, 4 * KB, 1, 1);
    tlb_add(&mh, 5, DATA, 4 * KB, 1, 1);
    tlb_add(&mh, 1, DATA, 4 * KB, 0, 1);
    assert_int_equal(mh.levels, 4);
    assert_int_equal(mh.level[3].tlb[PAPI_MH_MAX_LEVELS - 1].num_entries, PAPI_MH_MAX_LEVELS);
    check_tlbs(&mh, 1, (const PAPI_mh_tlb_info_t[1]){0}, 1);
}

static void cache_order(void **state)
{
    (void)state;
    PAPI_mh_info_t mh = {0};
    cache_add(&mh, 1, BOTH, 3, 1, 1);
    cache_add(&mh, 1, DATA, 2, 1, 1);
    cache_add(&mh, 1, INST, 1, 1, -1);
    cache_add(&mh, 1, DATA, 9, 1, 1); /* the second of its kind */
    cache_add(&mh, 0, DATA, 9, 1, 1);
    cache_add(&mh, 5, DATA, 9, 1, 1);
    static const struct cache expected[] = {{1, INST, 1, 1, FULL}, {1, DATA, 2, 1, 1}, {1, BOTH, 3, 1, 1}};
    check_caches(&mh, expected, COUNT(expected));
}

/* ---- this machine */

static int read_command(const char *command, const char *key, char *out, size_t size)
{
    FILE *in = popen(command, "r");
    char line[4096];
    int found = 0;
    if (in == NULL)
        return 0;
    while (fgets(line, sizeof line, in) != NULL) {
        if (found || strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *value = line + strlen(key);
        value += strspn(value, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
        found = 1;
    }
    pclose(in);
    return found;
}

static void host_counts_as_getconf(void **state)
{
    (void)state;
    char online[64];
    PAPI_hw_info_t info;
    fill("", &info);
    assert_true(read_command("getconf _NPROCESSORS_ONLN", "", online, sizeof online));
    assert_int_equal(info.totalcpus, atoi(online));
    assert_true(info.ncpu >= 1 && info.cores >= 1 && info.threads >= 1 && info.sockets >= 1);
}

static void host_agrees_with_lscpu(void **state)
{
    (void)state;
#if !defined(__x86_64__)
    skip(); /* elsewhere lscpu has other words, and clusters */
#endif
    PAPI_hw_info_t info;
    fill("", &info);
    const struct {
        const char *key;
        int value;
    } numbers[] = {
        {"On-line CPU(s):", info.totalcpus}, {"Thread(s) per core:", info.threads},
        {"Core(s) per socket:", info.cores}, {"Socket(s):", info.sockets},
        {"NUMA node(s):", info.nnodes},      {"CPU family:", info.cpuid_family},
        {"Model:", info.cpuid_model},        {"Stepping:", info.cpuid_stepping},
    };
    char text[256];
    if (!read_command("LC_ALL=C lscpu 2>/dev/null", "Architecture:", text, sizeof text))
        skip();
    for (size_t i = 0; i < COUNT(numbers); i++)
        if (read_command("LC_ALL=C lscpu", numbers[i].key, text, sizeof text))
            assert_int_equal(atoi(text), numbers[i].value);
    if (read_command("LC_ALL=C lscpu", "Vendor ID:", text, sizeof text))
        assert_string_equal(info.vendor_string, text);
    if (read_command("LC_ALL=C lscpu", "Model name:", text, sizeof text))
        assert_string_equal(info.model_string, text);
    assert_int_equal(info.virtualized,
                     read_command("LC_ALL=C lscpu", "Hypervisor vendor:", text, sizeof text));
}

static void host_sources_agree(void **state)
{
    (void)state;
    struct counts n, m;
    PAPI_mh_info_t a = {0}, b = {0};
    struct reading here = {.root = ""};
    if (topology_hwloc(&here, &n, &a) != 0 || topology_sysfs(&here, &m, &b) != 0)
        skip();
    m.sockets = m.sockets ? m.sockets : n.sockets;
    m.nodes = m.nodes ? m.nodes : n.nodes; /* a kernel without NUMA */
    m.node_cpus = m.node_cpus ? m.node_cpus : n.node_cpus;
    assert_memory_equal(&n, &m, sizeof n);
    assert_memory_equal(&a, &b, sizeof a);
}

/* Compares the caches of the first level with libc's: further out, libc and the kernel count what is shared
 * differently. */
static void host_caches_of_libc(void **state)
{
    (void)state;
    PAPI_mh_info_t mh = {0};
    PAPI_hw_info_t info;
    caches_libc(&mh);
    fill("", &info);
    if (mh.levels == 0 || info.mem_hierarchy.levels == 0 ||
        test_under_valgrind()) /* to which cpuid shows a processor of its own */
        skip();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(mh.level[0].cache[i].type, info.mem_hierarchy.level[0].cache[i].type);
        assert_int_equal(mh.level[0].cache[i].size, info.mem_hierarchy.level[0].cache[i].size);
    }
}

/* Signatures and their parts as the makers' manuals have them. */
static void parts_of_a_signature(void **state)
{
    static const struct {
        unsigned signature;
        int family, model, stepping;
    } cases[] = {
        {0x00000543, 5, 4, 3},  {0x000106a5, 6, 0x1a, 5},   {0x000c0652, 6, 0xc5, 2},
        {0x00000f29, 15, 2, 9}, {0x00060fb1, 15, 0x6b, 1},  {0x00a20f12, 25, 0x21, 2},
        {0x00b00f21, 26, 2, 1}, {0xf00fffff, 15, 0xff, 15},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        PAPI_hw_info_t info = {0};
        cpuid_signature(cases[i].signature, &info);
        assert_int_equal(info.cpuid_family, cases[i].family);
        assert_int_equal(info.cpuid_model, cases[i].model);
        assert_int_equal(info.cpuid_stepping, cases[i].stepping);
        assert_float_equal(info.revision, (float)cases[i].stepping, 0);
    }
}

static void name_of_a_processor(void **state)
{
    static const struct {
        char text[49];
        const char *name;
    } cases[] = {
        {"AMD EPYC 9B45 128-Core Processor               ", "AMD EPYC 9B45 128-Core Processor"},
        {"       Intel(R) Xeon(R)  CPU @ 2.30GHz", "Intel(R) Xeon(R)  CPU @ 2.30GHz"},
        {"123456789012345678901234567890123456789012345678",
         "123456789012345678901234567890123456789012345678"},
        {"   ", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpuid_leaf leaf[3];
        char name[PAPI_MAX_STR_LEN] = "before";
        memcpy(leaf, cases[i].text, sizeof leaf);
        cpuid_name(leaf, name, sizeof name);
        assert_string_equal(name, cases[i].name);
    }
}

/* Compares cpuid with /proc/cpuinfo, where both are about the same processor: the kernel's is the one that it
 * started on, whose counters it drives, and the library believes it. */
static void host_cpuid_is_cpuinfo(void **state)
{
    (void)state;
    PAPI_hw_info_t live, direct = {0};
    char signature[16];
    fill("", &live);
    assert_true(cpuid_base_mhz() >= 0);
    if (cpuid_hypervisor(signature, sizeof signature))
        assert_int_equal(live.virtualized, 1);
    if (cpuid_identify(&direct) != 0 ||
        test_under_valgrind()) /* to which cpuid shows a processor of its own */
        skip();
    assert_int_equal(direct.vendor, live.vendor);
    assert_string_equal(direct.vendor_string, live.vendor_string);
    if (strcmp(direct.model_string, live.model_string) != 0) {
        print_message(
            "SKIP: the kernel calls the processor \"%s\", cpuid \"%s\": the guest has moved, or its "
            "host has renamed it\n",
            live.model_string, direct.model_string);
        return;
    }
    assert_int_equal(direct.cpuid_family, live.cpuid_family);
    assert_int_equal(direct.cpuid_model, live.cpuid_model);
    assert_int_equal(direct.cpuid_stepping, live.cpuid_stepping);
}

/* The clock may be the current one, which moves. */
static void forget_clock(PAPI_hw_info_t *info)
{
    info->mhz = 0;
    info->clock_mhz = 0;
}

static void *fill_again(void *arg)
{
    const PAPI_hw_info_t *first = arg;
    for (int i = 0; i < 4; i++) {
        PAPI_hw_info_t info;
        hardware_info_fill("", &info);
        forget_clock(&info);
        if (memcmp(&info, first, sizeof info) != 0)
            return arg;
    }
    return NULL;
}

static void threads_get_the_same(void **state)
{
    (void)state;
    PAPI_hw_info_t first;
    fill("", &first);
    forget_clock(&first);
    pthread_t threads[8];
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fill_again, &first), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *differs;
        pthread_join(threads[i], &differs);
        assert_null(differs);
    }
}

static int open_files(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

static int hwloc_is_loaded(void)
{
    char text[8];
    char command[64];
    snprintf(command, sizeof command, "cat /proc/%d/maps | grep -o hwloc.so", (int)getpid());
    return read_command(command, "hwloc", text, sizeof text);
}

/* Checks, first of all tests, that nothing stays behind: nothing may have needed hwloc yet. */
static void leaves_nothing_behind(void **state)
{
    (void)state;
    PAPI_hw_info_t info;
    cpu_set_t before, after;
    assert_false(hwloc_is_loaded());
    int files = open_files();
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (int i = 0; i < 3; i++)
        fill("", &info);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
    assert_int_equal(open_files(), files);
    assert_false(hwloc_is_loaded());
}

/* A null root is this machine. */
/* Identifies the processor of each CPU, for rules of preset tables. */
static void processors_of_cpus(void **state)
{
    static const struct {
        const char *machine;
        struct processor_id id;
    } cases[] = {
        {"icelake-sp", {"x86", "GenuineIntel", 6, 106}},
        {"zen4-nps4", {"x86", "AuthenticAMD", 25, 17}},
        {"hybrid", {"x86", "GenuineIntel", 6, 151}},
        {"unknown-x86-vm", {"x86", "Shanghai", 7, 91}},
        {"neoverse-n1", {"arm64", "", 0x41, 0xd0c}},
        {"a64fx-no-proc", {"arm64", "", 0x46, 1}},
        {"power10", {"ppc64", "", 0x80, 0x200}},
        {"riscv-u74", {"riscv64", "", 0x489, 7}},
        {"container-empty", {"", "", 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char root[PATH_MAX];
        struct processor_id id;
        snprintf(root, sizeof root, "%s/%s", MACHINES, cases[i].machine);
        /* A CPU that the file does not list is taken for the first. */
        for (int cpu = 0; cpu < (cases[i].id.family == 0x46 ? 1 : 1000); cpu += 333) {
            processor_id(root, cpu, &id);
            assert_string_equal(id.architecture, cases[i].id.architecture);
            assert_string_equal(id.vendor, cases[i].id.vendor);
            assert_int_equal(id.family, cases[i].id.family);
            assert_int_equal(id.model, cases[i].id.model);
        }
    }
}

static void null_root(void **state)
{
    (void)state;
    PAPI_hw_info_t a, b;
    fill(NULL, &a);
    fill("", &b);
    forget_clock(&a);
    forget_clock(&b);
    assert_memory_equal(&a, &b, sizeof a);
}

/* Nodes without CPUs, and numbers that leave some out, as POWER machines have them. */
static void nodes_with_gaps(void **state)
{
    static const char total[] = "Node 8 MemTotal:       268435456 kB\nNode 8 MemFree: 1 kB\n";
    static const char machine[] = "MemTotal:        2048 kB\nMemFree: 1 kB\n";
    (void)state;
    assert_int_equal(node_megabytes(scratch, 0), -1);
    assert_int_equal(node_cpus(scratch, 0), -1);
    assert_int_equal(node_of_cpu(scratch, 0), -1);
    put(scratch, "/proc/meminfo", machine, strlen(machine));
    assert_int_equal(node_megabytes(scratch, 0), 2);
    assert_int_equal(node_megabytes(scratch, 1), -1);
    put(scratch, "/sys/devices/system/node/online", "0,8,252-253\n", 12);
    put(scratch, "/sys/devices/system/node/node0/cpulist", "0-3\n", 4);
    put(scratch, "/sys/devices/system/node/node8/cpulist", "4-7,16\n", 7);
    put(scratch, "/sys/devices/system/node/node252/cpulist", "\n", 1);
    put(scratch, "/sys/devices/system/node/node8/meminfo", total, strlen(total));
    assert_int_equal(node_megabytes(scratch, 0), -1);
    assert_int_equal(node_megabytes(scratch, 1), 262144);
    assert_int_equal(node_megabytes(scratch, 4), -1);
    assert_int_equal(node_megabytes(scratch, -1), -1);
    assert_int_equal(node_cpus(scratch, 0), 4);
    assert_int_equal(node_cpus(scratch, 1), 5);
    assert_int_equal(node_cpus(scratch, 2), 0);
    assert_int_equal(node_cpus(scratch, 3), 0);
    assert_int_equal(node_cpus(scratch, 4), -1);
    assert_int_equal(node_of_cpu(scratch, 3), 0);
    assert_int_equal(node_of_cpu(scratch, 16), 1);
    assert_int_equal(node_of_cpu(scratch, 8), -1);
    assert_int_equal(node_of_cpu(scratch, -1), -1);
}

/* ---- clocks */

static long long monotonic(clock_reader *reader)
{
    struct timespec now = {0, 0};
    assert_int_equal(reader(CLOCK_MONOTONIC, &now), 0);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void kernels_clock_is_libcs(void **state)
{
    (void)state;
    clock_reader *reader = clock_fastest();
    for (int i = 0; i < 1000; i++) {
        long long before = monotonic(clock_gettime), now = monotonic(reader);
        long long usec = clock_usec_by(reader, CLOCK_MONOTONIC), after = monotonic(clock_gettime);
        assert_true(before <= now && now <= after);
        assert_true(now / 1000 <= usec && usec <= after / 1000);
    }
}

static void vdso_has_only_its_functions(void **state)
{
    (void)state;
    assert_null(vdso_function("__vdso_no_such_function"));
    assert_null(vdso_function(""));
#if defined(__x86_64__)
    if (getauxval(AT_SYSINFO_EHDR) == 0) /* valgrind hides it */
        skip();
    assert_non_null(vdso_function("__vdso_clock_gettime"));
    assert_ptr_not_equal(vdso_function("__vdso_clock_gettime"), vdso_function("__vdso_gettimeofday"));
#endif
}

#define HOSTILE(test) cmocka_unit_test_setup_teardown(test, make_scratch, remove_scratch)

static const struct CMUnitTest fixed[] = {
    cmocka_unit_test(leaves_nothing_behind),
    cmocka_unit_test(every_snapshot_is_checked),
    cmocka_unit_test(xml_of_the_environment),
    cmocka_unit_test(bad_environment_is_silent),
    cmocka_unit_test(container_hides_sys),
    cmocka_unit_test(container_hides_all),
    HOSTILE(cpuinfo_cut_anywhere),
    HOSTILE(cpuinfo_of_noise),
    HOSTILE(cpuinfo_with_huge_lines),
    HOSTILE(cpuinfo_with_absurd_numbers),
    HOSTILE(cpu_lists_that_lie),
    HOSTILE(caches_that_lie),
    HOSTILE(clock_rates_that_lie),
    HOSTILE(roots_that_are_none),
    HOSTILE(nodes_with_gaps),
    cmocka_unit_test(x86_vendors),
    cmocka_unit_test(arm_names),
    cmocka_unit_test(decimals),
    cmocka_unit_test(cache_order),
    cmocka_unit_test(tlbs_of_amd),
    cmocka_unit_test(tlbs_of_older_amd),
    cmocka_unit_test(tlbs_of_intel),
    cmocka_unit_test(tlbs_of_older_intel),
    cmocka_unit_test(too_many_tlbs),
    cmocka_unit_test(host_counts_as_getconf),
    cmocka_unit_test(host_agrees_with_lscpu),
    cmocka_unit_test(host_sources_agree),
    cmocka_unit_test(host_caches_of_libc),
    cmocka_unit_test(parts_of_a_signature),
    cmocka_unit_test(name_of_a_processor),
    cmocka_unit_test(host_cpuid_is_cpuinfo),
    cmocka_unit_test(threads_get_the_same),
    cmocka_unit_test(processors_of_cpus),
    cmocka_unit_test(null_root),
    cmocka_unit_test(kernels_clock_is_libcs),
    cmocka_unit_test(vdso_has_only_its_functions),
};

int main(void)
{
    /* The tester's own settings would be other machines. */
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    struct CMUnitTest hardware[COUNT(fixed) + COUNT(machines) + COUNT(synthetics)];
    memcpy(hardware, fixed, sizeof fixed);
    struct CMUnitTest *next = hardware + COUNT(fixed);
    for (size_t i = 0; i < COUNT(machines); i++)
        *next++ = (struct CMUnitTest){.name = machines[i].name,
                                      .test_func = check_machine,
                                      .initial_state = (void *)(uintptr_t)&machines[i]};
    for (size_t i = 0; i < COUNT(synthetics); i++)
        *next++ = (struct CMUnitTest){.name = synthetics[i].text,
                                      .test_func = check_synthetic,
                                      .initial_state = (void *)(uintptr_t)&synthetics[i]};
    return cmocka_run_group_tests(hardware, NULL, NULL);
}
