/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_head.h"
#include "base/reason.h"
#include "base/sysroot.h"
#include "papi.h"

#include <dirent.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { MAX_REASONS = 8 };

/* ---- the machine */

#define EMULATED "emulated" /* the component of papi_emulate */

bool machine_is_emulated(void)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index(EMULATED));
    return component != NULL && !component->disabled;
}

static const PAPI_component_info_t *cpu_component(void)
{
    return PAPI_get_component_info(PAPI_get_event_component(PAPI_TOT_INS));
}

void version_text(int version, char *out, size_t size)
{
    snprintf(out, size, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
             PAPI_VERSION_REVISION(version), PAPI_VERSION_INCREMENT(version));
}

const char *machine_root(void)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    return root != NULL ? root : "";
}

bool machine_is_elsewhere(void)
{
    return machine_root()[0] != '\0';
}

void machine_release(char *out, size_t size)
{
    struct utsname name;
    if (sysroot_line(machine_root(), "/proc/sys/kernel/osrelease", out, size) <= 0)
        snprintf(out, size, "%s", !machine_is_elsewhere() && uname(&name) == 0 ? name.release : "");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* True if the PMU has the kernel's type for raw events, or lists the CPUs that it belongs to. */
static bool is_core_pmu(const char *pmu)
{
    char path[PATH_MAX], line[32];
    long long type = -1;
    snprintf(path, sizeof path, SYSROOT_PMUS "/%s/type", pmu);
    if (sysroot_number(machine_root(), path, &type) == 0 && type == PERF_TYPE_RAW)
        return true;
    snprintf(path, sizeof path, SYSROOT_PMUS "/%s/cpus", pmu);
    return sysroot_line(machine_root(), path, line, sizeof line) > 0;
}

int machine_core_pmus(char name[][MACHINE_PMU_NAME], int most)
{
    char path[PATH_MAX];
    struct dirent *entry;
    int n = 0;
    DIR *folder = sysroot_path(machine_root(), SYSROOT_PMUS, path, sizeof path) == 0 ? opendir(path) : NULL;
    if (folder == NULL)
        return -1;
    while (n < most && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && is_core_pmu(entry->d_name))
            snprintf(name[n++], sizeof name[0], "%s", entry->d_name);
    closedir(folder);
    qsort(name, (size_t)n, sizeof name[0], by_name);
    return n;
}

/* ---- the block of a listing */

static void show_processor(struct report *report, const PAPI_hw_info_t *hw)
{
    const PAPI_component_info_t *component = cpu_component();
    report_sentence(report, "Vendor string and code", "{vendor} ({vendor_code}, 0x{vendor_code:%x})",
                    AS_TEXT("vendor", hw->vendor_string), AS_NUMBER("vendor_code", hw->vendor));
    report_sentence(report, "Model string and code", "{model} ({model_code}, 0x{model_code:%x})",
                    AS_TEXT("model", hw->model_string), AS_NUMBER("model_code", hw->model));
    if (component != NULL)
        machine_show_processor(report, hw, component->pmu_names);
    report_real(report, "CPU revision", "revision", (double)hw->revision, 6, "");
    report_sentence(report, "CPUID",
                    "Family/Model/Stepping {cpuid_family}/{cpuid_model}/{cpuid_stepping}, "
                    "0x{cpuid_family:%02x}/0x{cpuid_model:%02x}/0x{cpuid_stepping:%02x}",
                    AS_NUMBER("cpuid_family", hw->cpuid_family), AS_NUMBER("cpuid_model", hw->cpuid_model),
                    AS_NUMBER("cpuid_stepping", hw->cpuid_stepping));
}

static void show_topology(struct report *report, const PAPI_hw_info_t *hw)
{
    report_number(report, "CPU Max MHz", "max_mhz", hw->cpu_max_mhz);
    report_number(report, "CPU Min MHz", "min_mhz", hw->cpu_min_mhz);
    report_number(report, "Total cores", "cpus", hw->totalcpus);
    report_number(report, "SMT threads per core", "threads_per_core", hw->threads);
    report_number(report, "Cores per socket", "cores_per_socket", hw->cores);
    report_number(report, "Sockets", "sockets", hw->sockets);
    report_number(report, "Cores per NUMA region", "cpus_per_numa_node", hw->ncpu);
    report_number(report, "NUMA regions", "numa_nodes", hw->nnodes);
    report_flag(report, "Running in a VM", "virtual", hw->virtualized);
    report_string(report, "VM Vendor", "virtual_vendor", hw->virtualized ? hw->virtual_vendor_string : NULL);
}

static void show_machine(struct report *report)
{
    static const struct report_layout layout = {.width = 25, .separator = ": "};
    char version[32], release[80], system[96] = "Linux";
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    const PAPI_component_info_t *component = cpu_component();
    int counters = PAPI_num_hwctrs();
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), version, sizeof version);
    machine_release(release, sizeof release);
    if (release[0] != '\0')
        text_append(system, sizeof system, " ", "%s", release);
    report->layout = &layout;
    report_object(report, "machine");
    report_string(report, "PAPI version", "papi_version", version);
    report_string(report, "Operating system", "operating_system", system);
    if (hw != NULL) {
        show_processor(report, hw);
        show_topology(report, hw);
    }
    report_sentence(report, "Events counted by",
                    machine_is_emulated() ? "an emulator (papi_emulate), exactly" : NULL,
                    AS_FLAG("emulated", machine_is_emulated()));
    report_number(report, "Number Hardware Counters", "hardware_counters", counters > 0 ? counters : 0);
    report_number(report, "Max Multiplex Counters", "multiplex_counters",
                  component != NULL ? component->num_mpx_cntrs : 0);
    report_flag(report, "Fast counter read (rdpmc)", "fast_counter_read",
                component != NULL && component->fast_counter_read);
    report_end(report);
}

void machine_show(struct report *report, const char *title)
{
    static const char rule[] =
        "--------------------------------------------------------------------------------";
    report_line(report, NULL, "%s\n%s", title, rule);
    show_machine(report);
    report_line(report, NULL, "%s\n", rule);
}

/* ---- why nothing is counted */

struct reasons {
    int n;
    const char *who[MAX_REASONS]; /* a component or an event */
    char text[MAX_REASONS][PAPI_HUGE_STR_LEN];
};

/* A component's reason and an event's are often the same, the event's with a few words before it. */
static bool said_already(const struct reasons *reasons, const char *text)
{
    for (int i = 0; i < reasons->n; i++)
        if (strstr(reasons->text[i], text) != NULL || strstr(text, reasons->text[i]) != NULL)
            return true;
    return false;
}

static void add_reason(struct reasons *reasons, const char *who, const char *text)
{
    if (text == NULL || text[0] == '\0' || said_already(reasons, text) || reasons->n == MAX_REASONS)
        return;
    reasons->who[reasons->n] = who;
    snprintf(reasons->text[reasons->n], sizeof reasons->text[0], "%s", text);
    reasons->n++;
}

/* Finds the library's advice on how to count a program without counters, to be printed once rather than with
 * each event. text is "" where there is none. */
static void find_advice(char *text, size_t size)
{
    int code = PAPI_query_event(PAPI_FP_OPS);
    const char *advice = code != PAPI_OK ? strstr(PAPI_strerror(code), ADVICE_BEGINS) : NULL;
    text[0] = '\0';
    if (advice != NULL)
        snprintf(text, size,
                 "Instructions, floating-point operations, loads, stores and branches of a program can be "
                 "counted here exactly, without the processor's counters: %s",
                 advice + strlen(ADVICE_BEGINS));
}

/* True for a component that counts presets. What others count does not depend on them: the node as a whole,
 * or a program's calls. */
static bool counts_presets(const PAPI_component_info_t *component)
{
    return component != NULL &&
           (strcmp(component->name, "perf_event") == 0 || strcmp(component->name, EMULATED) == 0);
}

static void collect_reasons(struct reasons *reasons, int available)
{
    reasons->n = 0;
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        if (!counts_presets(component))
            continue;
        /* Outside the emulator all is as it should be; inside, the kernel's counters are not missed. */
        bool expected = strcmp(component->name, EMULATED) == 0 || (machine_is_emulated() && available > 0);
        if (component->disabled && expected)
            continue;
        if (component->disabled)
            add_reason(reasons, component->name, component->disabled_reason);
        else if (component->partially_disabled)
            add_reason(reasons, component->name, component->partially_disabled_reason);
    }
    int code = available > 0 ? PAPI_OK : PAPI_query_event(PAPI_TOT_CYC);
    if (code != PAPI_OK)
        add_reason(reasons, "PAPI_TOT_CYC", PAPI_strerror(code));
}

const char *const machine_software_events[] = {
    "perf::TASK-CLOCK",   "perf::CPU-CLOCK",        "perf::PAGE-FAULTS",    "perf::MINOR-FAULTS",
    "perf::MAJOR-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS", NULL,
};

/* perf_event counts something, but libpfm4 takes the kernel for one without it. */
static bool unnamed_software_events(void)
{
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_component_index("perf_event"));
    long long level;
    return component != NULL && !component->disabled &&
           sysroot_number(machine_root(), "/proc/sys/kernel/perf_event_paranoid", &level) != 0;
}

/* Lists the kernel's own events that count: they need no hardware, but a container may refuse them too. */
static void show_software_events(struct report *report, bool in_text)
{
    char working[PAPI_HUGE_STR_LEN] = "";
    report_list(report, "software_events");
    for (const char *const *name = machine_software_events; *name != NULL && (report->json || in_text);
         name++)
        if (PAPI_query_named_event(*name) == PAPI_OK) {
            report_string(report, NULL, NULL, *name);
            text_append(working, sizeof working, ", ", "%s", *name);
        }
    report_end(report);
    if (in_text && working[0] != '\0')
        report_say(report, "These events of the kernel count here: %s", working);
    else if (in_text && unnamed_software_events())
        report_say(report,
                   "The kernel counts its software events here, but libpfm4 does not name them: it does "
                   "where /proc/sys/kernel/perf_event_paranoid can be seen.");
    else if (in_text)
        report_say(report, "The kernel's software events do not count here either.");
}

void machine_explain(struct report *report, int available)
{
    struct reasons reasons;
    char advice[PAPI_HUGE_STR_LEN];
    bool nothing = available == 0 && !machine_is_elsewhere();
    collect_reasons(&reasons, available);
    if (available == 0 || reasons.n > 0)
        report_blank(report);
    if (nothing)
        report_say(report, "No preset event counts on this machine.");
    report_list(report, "reasons");
    for (int i = 0; i < reasons.n; i++) {
        report_object(report, NULL);
        report_paragraph(report, "{of}: {text}", AS_TEXT("of", reasons.who[i]),
                         AS_TEXT("text", reasons.text[i]));
        report_end(report);
    }
    report_end(report);
    show_software_events(report, nothing);
    find_advice(advice, sizeof advice);
    bool emulator = nothing && advice[0] != '\0';
    report_paragraph(report, emulator ? "{emulator}" : NULL, AS_TEXT("emulator", emulator ? advice : NULL));
    if (nothing)
        report_say(report, "What stands in the way, and what would change it: papi_doctor");
}

int machine_check(struct tool *tool)
{
    const PAPI_component_info_t *component;
    report_finish(&tool->report);
    for (int i = 0; i < PAPI_num_components(); i++) {
        component = PAPI_get_component_info(i);
        if (counts_presets(component) && !component->disabled)
            return TOOL_FINE;
    }
    component = cpu_component();
    return tool_error(tool, "nothing can be counted here: %s",
                      component != NULL ? component->disabled_reason : "there is no component");
}

/* ---- the processor's name */

/* Names of processors, found by libpfm4's name of the PMU (pmu); by vendor, family and model as cpuid reports
 * them, with the PMU of the cores where these are of several kinds (cores); or by implementer (code) and
 * part. */
static const struct title {
    const char *pmu, *vendor, *cores, *title;
    int code, family, low, high;
} titles[] = {
#include "processor_titles.h"
};

static bool has_name(char *const *names, const char *name)
{
    for (int i = 0; i < PAPI_PMU_MAX && names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool fits(const struct title *row, const PAPI_hw_info_t *hw, char *const *names, const char *cores)
{
    if (row->pmu != NULL)
        return has_name(names, row->pmu);
    if (hw->model < row->low || hw->model > row->high)
        return false;
    if (row->vendor == NULL)
        return hw->vendor == row->code;
    return strcmp(row->vendor, hw->vendor_string) == 0 && row->family == hw->cpuid_family &&
           strcmp(row->cores != NULL ? row->cores : "cpu", cores) == 0;
}

void machine_show_processor(struct report *report, const PAPI_hw_info_t *hw, char *const *names)
{
    static const struct title *const end = titles + sizeof titles / sizeof *titles;
    const struct title *shown = NULL;
    char cores[PAPI_PMU_MAX][MACHINE_PMU_NAME] = {"cpu"};
    int n = machine_core_pmus(cores, PAPI_PMU_MAX);
    report_list(report, "processors");
    for (int i = 0; i < n || i == 0; i++) {
        const struct title *row = titles;
        while (row < end && !fits(row, hw, names, cores[i]))
            row++;
        if (row == end || row == shown)
            continue;
        report_sentence(report, "Processor", "{}{.pmu? (%s)}", AS_TEXT(NULL, row->title),
                        AS_TEXT(".pmu", row->pmu));
        shown = row;
    }
    report_end(report);
}
