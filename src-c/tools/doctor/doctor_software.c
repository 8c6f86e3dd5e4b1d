/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The library and what is around it: libpfm4, presets, hwloc, limits, the emulator, the wrapper of MPI.
 */
#include "base/nearest.h"
#include "doctor.h"
#include "tools/common/event.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- libpfm4 */

/* The kernel's events, and the architecture's: they know no processor. */
static bool is_generic(const char *pmu)
{
    static const char *const names[] = {"perf", "perf_raw", "ix86arch", "arm_v8_pmuv3"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(pmu, names[i]) == 0)
            return true;
    return false;
}

/* PMUs beside the cores; power9 is IBM's cores. */
static bool is_uncore(const char *pmu)
{
    static const char *const words[] = {"_unc", "rapl", "_l3",   "_df",   "_umc",
                                        "dsu",  "spe",  "power", "cstate"};
    int generation;
    if (sscanf(pmu, "power%d", &generation) == 1)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strstr(pmu, words[i]) != NULL)
            return true;
    return false;
}

void check_libpfm(const struct patient *patient, struct finding *finding)
{
    char cores[256] = "";
    int others = 0;
    const PAPI_component_info_t *perf = patient->perf;
    if (perf != NULL && perf->disabled) {
        finding_note(finding, "not asked, because perf_event_open does not work");
        return;
    }
    for (int i = 0; perf != NULL && i < PAPI_PMU_MAX && perf->pmu_names[i] != NULL; i++) {
        if (!is_generic(perf->pmu_names[i]) && !is_uncore(perf->pmu_names[i]))
            text_append(cores, sizeof cores, ", ", "%s", perf->pmu_names[i]);
        else
            others++;
    }
    if (cores[0] != '\0') {
        finding_ok(finding, "it knows this processor as %s, and %d other PMU%s", cores, others,
                   others == 1 ? "" : "s");
        return;
    }
    if (perf != NULL && strcmp(perf->support_version, "0.0") == 0) {
        finding_note(finding, "libpfm.so.4 cannot be loaded: events must be named as the kernel does, "
                              "perf::CYCLES or cpu/event=0x3c/");
        finding_change(finding, "as root", "apt-get install libpfm4 (or its folder in LD_LIBRARY_PATH)");
        return;
    }
    if (patient->n_pmus == 0)
        finding_ok(finding, "it is here; there is no processor PMU whose events it could name");
    else
        finding_note(
            finding,
            "version %s does not know this processor, whose events must be named as the kernel does, "
            "perf::CYCLES or cpu/event=0x3c/; a newer one may know it",
            perf != NULL ? perf->support_version : "?");
}

/* ---- presets */

void check_presets(const struct patient *patient, struct finding *finding)
{
    struct events presets = {.code = PAPI_PRESET_MASK};
    int possible = 0, available = 0;
    while (events_next(&presets)) {
        possible++;
        available += presets.info.count > 0;
    }
    bool few = available == 0 && patient->counted_event != NULL;
    finding_set(finding, available > 0 ? DOCTOR_OK : DOCTOR_NOTE, "%d of %d are available%s", available,
                possible, few ? ", though the processor counts: no table knows it" : "");
    if (few)
        finding_change(finding, "of your own", "PAPI_CSV_EVENT_FILE=FILE (papi(7) has its format)");
    else if (available > 0)
        finding_change(finding, "to see them", "papi_avail -a");
}

void check_software_events(const struct patient *patient, struct finding *finding)
{
    static const char *const events[] = {"TASK-CLOCK", "CPU-CLOCK", "PAGE-FAULTS", "CONTEXT-SWITCHES",
                                         "CPU-MIGRATIONS"};
    char name[64], working[256] = "";
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        snprintf(name, sizeof name, "perf::%s", events[i]);
        if (PAPI_query_named_event(name) == PAPI_OK)
            text_append(working, sizeof working, ", ", "%s", name);
    }
    bool unnamed = working[0] == '\0' && patient->trials.software == 0;
    finding_set(finding, working[0] != '\0' ? DOCTOR_OK : DOCTOR_NOTE, "%s",
                working[0] != '\0' ? working
                : unnamed          ? "the kernel counts its own events, but libpfm4 does not name them"
                                   : "the kernel's own events do not count either");
    if (unnamed && patient->paranoid == DOCTOR_UNKNOWN)
        finding_add(finding,
                    "It does where /proc/sys/kernel/perf_event_paranoid can be seen, which is hidden here");
}

/* ---- what is needed */

void check_descriptors(const struct patient *patient, struct finding *finding)
{
    enum { ENOUGH = 1024 };
    struct rlimit limit;
    (void)patient;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        finding_note(finding, "the limit is not told");
        return;
    }
    unsigned long long soft = limit.rlim_cur, hard = limit.rlim_max;
    if (limit.rlim_cur == RLIM_INFINITY)
        finding_ok(finding, "no limit; each event takes one in each thread");
    else
        finding_set(finding, soft < ENOUGH ? DOCTOR_NOTE : DOCTOR_OK,
                    "at most %llu; each event takes one in each thread", soft);
    if (soft >= ENOUGH)
        return;
    if (limit.rlim_max == RLIM_INFINITY || hard > soft)
        finding_change(finding, "in the shell", "ulimit -n %llu",
                       limit.rlim_max == RLIM_INFINITY || hard > 65536 ? 65536ull : hard);
    else
        finding_change(finding, "as root", "prlimit --nofile=65536 --pid SHELL");
}

void check_hwloc(const struct patient *patient, struct finding *finding)
{
    (void)patient;
    void *library = dlopen("libhwloc.so.15", RTLD_LAZY | RTLD_LOCAL);
    if (library != NULL) {
        dlclose(library);
        finding_ok(finding, "libhwloc.so.15 describes caches, sockets and NUMA nodes");
        return;
    }
    finding_note(finding, "libhwloc.so.15 is not installed: the machine is described from sysfs alone");
    finding_change(finding, "as root", "apt-get install libhwloc15");
}

/* ---- the ways out */

/* The folder of libpapi.so, in which the wrappers of every MPI are installed; "" if it is not found. */
static void library_folder(char *folder, size_t size)
{
    const PAPI_shlib_info_t *libraries = PAPI_get_shared_lib_info();
    folder[0] = '\0';
    for (int i = 0; libraries != NULL && i < libraries->count; i++) {
        const char *name = libraries->map[i].name, *slash = strrchr(name, '/');
        if (slash != NULL && strncmp(slash, "/libpapi.so", 11) == 0)
            snprintf(folder, size, "%.*s", (int)(slash - name + 1), name);
    }
}

#if defined(__x86_64__)
#define EMULATOR "qemu-x86_64"
#elif defined(__aarch64__)
#define EMULATOR "qemu-aarch64"
#endif

#ifdef EMULATOR

static bool is_in_path(const char *program)
{
    char file[PATH_MAX];
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, program);
        if (n > 0 && access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* The folder of this program, with the last slash. */
static void own_folder(char *folder, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", folder, size - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *end = strrchr(folder, '/');
    if (end != NULL)
        end[1] = '\0';
}

static bool is_beside(const char *program)
{
    char file[PATH_MAX + 16], folder[PATH_MAX];
    own_folder(folder, sizeof folder);
    snprintf(file, sizeof file, "%s%s", folder, program);
    return folder[0] != '\0' && access(file, X_OK) == 0;
}

/* True if papi_emulate is installed beside this tool but its plugin is not; papi_emulate itself knows other
 * places. */
static bool lacks_plugin(void)
{
    char folder[PAPI_HUGE_STR_LEN], file[PAPI_HUGE_STR_LEN + 64];
    library_folder(folder, sizeof folder);
    snprintf(file, sizeof file, "%spapi/libpapi_emulator.so", folder);
    return getenv("PAPI_EMULATE_PLUGIN") == NULL && is_beside("papi_emulate") && folder[0] != '\0' &&
           access(file, R_OK) != 0;
}

static void explain_emulator(struct finding *finding)
{
    finding_note(finding, "papi_emulate counts instructions, floating-point operations, loads, stores and "
                          "branches of a program exactly, without the processor's counters");
    if (!is_beside("papi_emulate") && !is_in_path("papi_emulate")) {
        finding_add(finding, "It is neither beside this tool nor in PATH");
        finding_change(finding, "from the folder of the build", "cmake --install .");
    } else if (lacks_plugin()) {
        finding_add(finding, "Its plugin, papi/libpapi_emulator.so beside libpapi.so, is not here: it is "
                             "built where Capstone is");
        finding_change(finding, "as root, before building", "apt-get install libcapstone-dev");
    } else {
        finding->verdict = DOCTOR_OK;
        finding_change(finding, "to count with it", "papi_emulate PROGRAM");
    }
}

#endif

void check_emulator(const struct patient *patient, struct finding *finding)
{
#ifdef EMULATOR
    const char *own = getenv("PAPI_EMULATOR");
    if (patient->emulated)
        finding_ok(finding, "this program runs in it");
    else if (is_in_path(EMULATOR) || (own != NULL && own[0] != '\0'))
        explain_emulator(finding);
    else {
        finding_note(
            finding, EMULATOR
            " is not in PATH; papi_emulate, which counts without the processor's counters, needs it");
        finding_change(finding, "as root", "apt-get install qemu-user");
    }
#else
    (void)patient;
    finding_note(finding, "papi_emulate runs on x86-64 and 64-bit ARM alone");
#endif
}

/* ---- variables */

/* The variables of this library, of libpapi_mpi and of the tools: docs/security.md, papi_counted(1),
 * papi_emulate(1). */
static const char *const variables[] = {
    // clang-format off
    "PAPI_COUNTED_AS", "PAPI_COUNTED_LEVEL", "PAPI_COUNTED_SHARE", "PAPI_COUNTED_SLOTS", "PAPI_COUNTED_TOTALS",
    "PAPI_CSV_EVENT_FILE", "PAPI_CUDA_CHIP", "PAPI_CUDA_CUPTI", "PAPI_CUDA_PERFWORKS", "PAPI_CUDA_ROOT", "PAPI_DATA_ALLOCATIONS", "PAPI_DEBUG", "PAPI_DEVICE_LAUNCHES", "PAPI_DISABLE_COMPONENTS",
    "PAPI_EMULATE_PLUGIN", "PAPI_EMULATOR",
    "PAPI_EVENTS", "PAPI_HL_THREAD_MULTIPLE", "PAPI_HL_VERBOSE", "PAPI_LMSENSORS_ROOT", "PAPI_METRICS_FILE", "PAPI_MPI",
    "PAPI_MPIRUN", "PAPI_MPI_COMMUNICATORS", "PAPI_MPI_COUNTERS", "PAPI_MPI_DEVICES", "PAPI_MPI_DIR", "PAPI_MPI_OUTPUT", "PAPI_MPI_PATH",
    "PAPI_MPI_RECEIVED", "PAPI_MPI_REGIONS", "PAPI_MPI_REPORT", "PAPI_MPI_ROWS", "PAPI_MPI_SITES", "PAPI_MPI_SWITCHED",
    "PAPI_MPI_THREADS", "PAPI_MPI_TIMELINE", "PAPI_MPI_TIMES", "PAPI_MULTIPLEX", "PAPI_NATIVE_TIMES", "PAPI_AMDSMI_ROOT", "PAPI_INTEL_GPU_ROOT", "PAPI_NVML_MAIN", "PAPI_ROCMSMI_ROOT", "PAPI_OPENMP_OUTPUT", "PAPI_OUTPUT_DIRECTORY", "PAPI_PARKING", "PAPI_PCP_ROOT",
    "PAPI_PERFMON_EVENT_FILE", "PAPI_PYTHON_LIBRARY", "PAPI_REPORT", "PAPI_ROCM_ROOT", "PAPI_ROCP_SDK_DISPATCH_MODE", "PAPI_ROCP_SDK_LIB", "PAPI_ROCP_SDK_ROOT", "PAPI_SYSROOT", "PAPI_USER_EVENTS_FILE", "PAPI_VERBOSE",
    // clang-format on
};
enum { N_VARIABLES = sizeof variables / sizeof variables[0] };

/* A variable that nobody reads: its name, and the nearest that something does. */
static bool is_mistyped(const char *entry, struct nearest *nearest, char name[NEAREST_SIZE])
{
    size_t length = strcspn(entry, "=");
    if (strncmp(entry, "PAPI_", 5) != 0 || length >= NEAREST_SIZE)
        return false;
    memcpy(name, entry, length);
    name[length] = '\0';
    nearest_begin(nearest, name);
    for (size_t i = 0; i < N_VARIABLES; i++)
        nearest_try(nearest, variables[i]);
    return nearest->name[0] != '\0' && nearest->distance > 0;
}

/* Warns of a PAPI_EVENTS whose words are separated by blanks: they are taken as one name, which does not
 * exist. */
static void check_event_list(struct finding *finding)
{
    const char *events = getenv("PAPI_EVENTS");
    const char *blank = events != NULL ? strpbrk(events + strspn(events, " "), " \t") : NULL;
    if (blank == NULL || blank[strspn(blank, " \t,")] == '\0' ||
        memchr(events, ',', (size_t)(blank - events)) != NULL)
        return;
    finding_note(finding, "PAPI_EVENTS=%s: commas separate the names of events, not blanks", events);
}

void check_environment(const struct patient *patient, struct finding *finding)
{
    static const char sentence[] = "%s is not a variable of this library; the nearest is %s";
    char name[NEAREST_SIZE];
    struct nearest nearest;
    (void)patient;
    finding_ok(finding, "no variable that begins with PAPI_ is mistyped");
    check_event_list(finding);
    for (char **entry = environ; *entry != NULL; entry++) {
        if (!is_mistyped(*entry, &nearest, name))
            continue;
        if (finding->verdict == DOCTOR_OK)
            finding_note(finding, sentence, name, nearest.name);
        else
            finding_add(finding, sentence, name, nearest.name);
        finding_change(finding, "in the shell", "export %s=\"$%s\"; unset %s", nearest.name, name, name);
    }
}

/* Checks the counters of energy. Their absence is not an obstacle: the counts of a node are not those of a
 * program. */
void check_energy(const struct patient *patient, struct finding *finding)
{
    const PAPI_component_info_t *powercap = PAPI_get_component_info(PAPI_get_component_index("powercap"));
    if (powercap == NULL || powercap->disabled) {
        finding_note(finding, "none: %s",
                     powercap != NULL ? powercap->disabled_reason : "powercap is missing");
        return;
    }
    if (!powercap->partially_disabled) {
        finding_ok(finding, "powercap:::ENERGY_UJ:ZONE0 and its like can be read");
        return;
    }
    finding_note(finding, "%s", powercap->partially_disabled_reason);
    finding_change(finding, patient_root(patient), "groupadd -f power; usermod -aG power USER");
    finding_change(finding, "and until the next start",
                   "chgrp -R power /sys/class/powercap/*/; chmod -R g=rX /sys/class/powercap/*/");
}

void check_mpi(const struct patient *patient, struct finding *finding)
{
    static const char *const kinds[][2] = {{"mpich", "MPICH"}, {"openmpi", "Open MPI"}};
    char folder[PAPI_HUGE_STR_LEN], file[PAPI_HUGE_STR_LEN + 64], found[64] = "";
    (void)patient;
    library_folder(folder, sizeof folder);
    for (int i = 0; i < 2; i++) {
        snprintf(file, sizeof file, "%slibpapi_mpi_%s.so", folder, kinds[i][0]);
        if (access(file, R_OK) == 0)
            text_append(found, sizeof found, ", ", "%s", kinds[i][1]);
    }
    finding_set(finding, found[0] != '\0' ? DOCTOR_OK : DOCTOR_NOTE, "%s%s",
                found[0] != '\0' ? "the report of a job (papi_mpirun) for programs of " : "",
                found[0] != '\0' ? found
                                 : "no library for the report of an MPI job is beside libpapi.so: it is "
                                   "installed there if an MPI was found when it was built");
    if (found[0] != '\0')
        finding_change(finding, "to see a job's report", "papi_mpirun -n 4 PROGRAM");
    else
        finding_change(finding, "as root, before building",
                       "apt-get install libmpich-dev (or libopenmpi-dev)");
}
