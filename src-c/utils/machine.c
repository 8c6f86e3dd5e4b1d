/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine.h"
#include "base/sysroot.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

enum { MAX_REASONS = 8 };

/* ------------------------------------------------------------- the machine */

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

bool machine_is_elsewhere(void)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    return root != NULL && root[0] != '\0';
}

static void system_text(char *out, size_t size)
{
    struct utsname name;
    char release[64];
    if (machine_is_elsewhere()) {
        bool known = sysroot_line(secure_getenv("PAPI_SYSROOT"), "/proc/sys/kernel/osrelease", release,
                                  sizeof release) > 0;
        snprintf(out, size, "Linux%s%s", known ? " " : "", known ? release : "");
    } else if (uname(&name) == 0)
        snprintf(out, size, "%s %s", name.sysname, name.release);
    else
        snprintf(out, size, "Linux");
}

static int max_multiplexed(const PAPI_component_info_t *component)
{
    return component != NULL ? component->num_mpx_cntrs : 0;
}

static bool reads_in_user_space(const PAPI_component_info_t *component)
{
    return component != NULL && component->fast_counter_read;
}

static int number_of_counters(void)
{
    int n = PAPI_num_hwctrs();
    return n > 0 ? n : 0;
}

static void print_processor(FILE *out, const PAPI_hw_info_t *hw)
{
    fprintf(out, "Vendor string and code   : %s (%d, 0x%x)\n", hw->vendor_string, hw->vendor,
            (unsigned)hw->vendor);
    fprintf(out, "Model string and code    : %s (%d, 0x%x)\n", hw->model_string, hw->model,
            (unsigned)hw->model);
    fprintf(out, "CPU revision             : %f\n", (double)hw->revision);
    fprintf(out, "CPUID                    : Family/Model/Stepping %d/%d/%d, 0x%02x/0x%02x/0x%02x\n",
            hw->cpuid_family, hw->cpuid_model, hw->cpuid_stepping, (unsigned)hw->cpuid_family,
            (unsigned)hw->cpuid_model, (unsigned)hw->cpuid_stepping);
    fprintf(out, "CPU Max MHz              : %d\n", hw->cpu_max_mhz);
    fprintf(out, "CPU Min MHz              : %d\n", hw->cpu_min_mhz);
}

static void print_topology(FILE *out, const PAPI_hw_info_t *hw)
{
    fprintf(out, "Total cores              : %d\n", hw->totalcpus);
    fprintf(out, "SMT threads per core     : %d\n", hw->threads);
    fprintf(out, "Cores per socket         : %d\n", hw->cores);
    fprintf(out, "Sockets                  : %d\n", hw->sockets);
    fprintf(out, "Cores per NUMA region    : %d\n", hw->ncpu);
    fprintf(out, "NUMA regions             : %d\n", hw->nnodes);
    fprintf(out, "Running in a VM          : %s\n", hw->virtualized ? "yes" : "no");
    if (hw->virtualized && hw->virtual_vendor_string[0] != '\0')
        fprintf(out, "VM Vendor                : %s\n", hw->virtual_vendor_string);
}

void machine_print(FILE *out)
{
    char version[32], system[PAPI_2MAX_STR_LEN];
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    const PAPI_component_info_t *component = cpu_component();
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), version, sizeof version);
    system_text(system, sizeof system);
    fprintf(out, "PAPI version             : %s\n", version);
    fprintf(out, "Operating system         : %s\n", system);
    if (hw != NULL) {
        print_processor(out, hw);
        print_topology(out, hw);
    }
    if (machine_is_emulated())
        fprintf(out, "Events counted by        : an emulator (papi_emulate), exactly\n");
    fprintf(out, "Number Hardware Counters : %d\n", number_of_counters());
    fprintf(out, "Max Multiplex Counters   : %d\n", max_multiplexed(component));
    fprintf(out, "Fast counter read (rdpmc): %s\n", reads_in_user_space(component) ? "yes" : "no");
}

void machine_print_head(FILE *out, const char *title)
{
    static const char rule[] =
        "--------------------------------------------------------------------------------\n";
    fprintf(out, "%s\n%s", title, rule);
    machine_print(out);
    fprintf(out, "%s\n", rule);
}

static void processor_json(struct json *json, const PAPI_hw_info_t *hw)
{
    json_string(json, "vendor", hw->vendor_string);
    json_integer(json, "vendor_code", hw->vendor);
    json_string(json, "model", hw->model_string);
    json_integer(json, "model_code", hw->model);
    json_number(json, "revision", (double)hw->revision);
    json_integer(json, "cpuid_family", hw->cpuid_family);
    json_integer(json, "cpuid_model", hw->cpuid_model);
    json_integer(json, "cpuid_stepping", hw->cpuid_stepping);
    json_integer(json, "max_mhz", hw->cpu_max_mhz);
    json_integer(json, "min_mhz", hw->cpu_min_mhz);
    json_integer(json, "cpus", hw->totalcpus);
    json_integer(json, "threads_per_core", hw->threads);
    json_integer(json, "cores_per_socket", hw->cores);
    json_integer(json, "sockets", hw->sockets);
    json_integer(json, "cpus_per_numa_node", hw->ncpu);
    json_integer(json, "numa_nodes", hw->nnodes);
    json_boolean(json, "virtual", hw->virtualized);
    json_string(json, "virtual_vendor", hw->virtualized ? hw->virtual_vendor_string : NULL);
}

void machine_json(struct json *json)
{
    char version[32], system[PAPI_2MAX_STR_LEN];
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    const PAPI_component_info_t *component = cpu_component();
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), version, sizeof version);
    system_text(system, sizeof system);
    json_open(json, "machine", '{');
    json_string(json, "papi_version", version);
    json_string(json, "operating_system", system);
    if (hw != NULL)
        processor_json(json, hw);
    json_boolean(json, "emulated", machine_is_emulated());
    json_integer(json, "hardware_counters", number_of_counters());
    json_integer(json, "multiplex_counters", max_multiplexed(component));
    json_boolean(json, "fast_counter_read", reads_in_user_space(component));
    json_close(json, '}');
}

/* ---------------------------------------------------- why nothing is counted */

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

/* What anybody can have on any machine. */
static const char emulator_text[] =
    "Instructions, floating-point operations, loads, stores and branches of a program can be counted here "
    "without the processor's counters, exactly: papi_emulate PROGRAM";

static void collect_reasons(struct reasons *reasons, int available)
{
    reasons->n = 0;
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);
        if (component == NULL)
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

/* The kernel's own events need no hardware. Each is asked for: a container may refuse them too. */
static const char *const software_events[] = {
    "perf::TASK-CLOCK",   "perf::CPU-CLOCK",        "perf::PAGE-FAULTS",    "perf::MINOR-FAULTS",
    "perf::MAJOR-FAULTS", "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS",
};
enum { N_SOFTWARE_EVENTS = sizeof software_events / sizeof software_events[0] };

void machine_explain(FILE *out, int available)
{
    struct reasons reasons;
    char working[PAPI_HUGE_STR_LEN] = "";
    collect_reasons(&reasons, available);
    if (available == 0 || reasons.n > 0)
        fputc('\n', out);
    if (available == 0 && !machine_is_elsewhere())
        print_wrapped(out, "No preset event counts on this machine.", 0, 0);
    for (int i = 0; i < reasons.n; i++) {
        char line[PAPI_HUGE_STR_LEN + PAPI_MAX_STR_LEN + 4];
        snprintf(line, sizeof line, "%s: %s", reasons.who[i], reasons.text[i]);
        print_wrapped(out, line, 0, 0);
    }
    if (available > 0 || machine_is_elsewhere())
        return;
    for (int i = 0; i < N_SOFTWARE_EVENTS; i++)
        if (PAPI_query_named_event(software_events[i]) == PAPI_OK) {
            size_t used = strlen(working);
            snprintf(working + used, sizeof working - used, "%s%s",
                     used ? ", " : "These events of the kernel count here: ", software_events[i]);
        }
    print_wrapped(out, working[0] ? working : "The kernel's software events do not count here either.", 0, 0);
    if (!machine_is_emulated())
        print_wrapped(out, emulator_text, 0, 0);
    print_wrapped(out, "What stands in the way, and what would change it: papi_doctor", 0, 0);
}

void machine_explain_json(struct json *json, int available)
{
    struct reasons reasons;
    collect_reasons(&reasons, available);
    json_open(json, "reasons", '[');
    for (int i = 0; i < reasons.n; i++) {
        json_open(json, NULL, '{');
        json_string(json, "of", reasons.who[i]);
        json_string(json, "text", reasons.text[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_string(json, "emulator",
                available == 0 && !machine_is_emulated() && !machine_is_elsewhere() ? emulator_text : NULL);
    json_open(json, "software_events", '[');
    for (int i = 0; i < N_SOFTWARE_EVENTS; i++)
        if (PAPI_query_named_event(software_events[i]) == PAPI_OK)
            json_string(json, NULL, software_events[i]);
    json_close(json, ']');
}

int machine_check(struct tool *tool)
{
    const PAPI_component_info_t *component;
    for (int i = 0; i < PAPI_num_components(); i++) {
        component = PAPI_get_component_info(i);
        if (component != NULL && !component->disabled)
            return TOOL_FINE;
    }
    component = cpu_component();
    return tool_error(tool, "nothing can be counted here: %s",
                      component != NULL ? component->disabled_reason : "there is no component");
}
