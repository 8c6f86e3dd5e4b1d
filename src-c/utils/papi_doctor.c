/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_doctor: what can be counted here, what stands in the way, and what would change it.
 */
#include "base/json.h"
#include "doctor.h"
#include "machine.h"
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage_text[] =
    "Usage: papi_doctor [-q] [--json]\n"
    "Finds out what can be counted here and what stands in the way.\n"
    "One line a check: ok, note or OBSTACLE, what was seen, and the command that\n"
    "would change it. Counters are really opened, and a loop is counted.\n"
    "\n"
    "  -q, --quiet    only notes that have a remedy, obstacles and the last sentence\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0 if this user can count with the processor's counters (within\n"
    "papi_emulate: with the emulator's); 1 if something stands in the way, or after\n"
    "an error; 2 for wrong options.\n";

const struct check doctor_checks[] = {
    {"kernel", "Kernel", false, check_kernel},
    {"container", "Container", false, check_container},
    {"perf_event_open", "perf_event_open", false, check_system_call},
    {"paranoid", "Paranoid level", false, check_paranoid},
    {"capabilities", "Capabilities", false, check_capabilities},
    {"virtual_machine", "Virtual machine", false, check_virtual_machine},
    {"pmu", "PMU", false, check_pmu},
    {"counting", "Counting", true, check_counting},
    {"counters_at_once", "Counters at once", true, check_at_once},
    {"nmi_watchdog", "NMI watchdog", false, check_watchdog},
    {"core_types", "Types of cores", false, check_core_types},
    {"user_reads", "User-space reads", false, check_user_reads},
    {"overflow", "Overflow", false, check_overflow},
    {"libpfm", "libpfm4", true, check_libpfm},
    {"presets", "Presets", true, check_presets},
    {"software_events", "Software events", true, check_software_events},
    {"descriptors", "File descriptors", true, check_descriptors},
    {"hwloc", "hwloc", true, check_hwloc},
    {"emulator", "Emulator", true, check_emulator},
    {"mpi", "MPI", true, check_mpi},
};
const int doctor_n_checks = sizeof doctor_checks / sizeof doctor_checks[0];
enum { N_CHECKS = sizeof doctor_checks / sizeof doctor_checks[0] };

/* ---------------------------------------------------------------------- findings */

void finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    finding->verdict = verdict;
    vsnprintf(finding->seen, sizeof finding->seen, format, arguments);
    va_end(arguments);
}

void finding_add(struct finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->seen);
    va_list arguments;
    if (used > 0)
        used += (size_t)snprintf(finding->seen + used, sizeof finding->seen - used, ". ");
    if (used >= sizeof finding->seen)
        return;
    va_start(arguments, format);
    vsnprintf(finding->seen + used, sizeof finding->seen - used, format, arguments);
    va_end(arguments);
}

void finding_change(struct finding *finding, const char *who, const char *format, ...)
{
    va_list arguments;
    if (finding->n_changes == DOCTOR_MAX_CHANGES)
        return;
    struct change *change = &finding->change[finding->n_changes++];
    snprintf(change->who, sizeof change->who, "%s", who);
    va_start(arguments, format);
    vsnprintf(change->command, sizeof change->command, format, arguments);
    va_end(arguments);
}

/* --------------------------------------------------------------------- diagnosis */

struct diagnosis {
    struct patient patient;
    struct finding finding[N_CHECKS];
    bool made[N_CHECKS];
    int obstacles;
    bool fine;
    char conclusion[128];
    char in_the_way[300]; /* "": nothing */
};

static bool counts_here(const struct patient *patient)
{
    return patient->counted_event != NULL && patient->counted > 0;
}

/* That nothing counts is what follows from the other obstacles, if there are any. */
static bool is_in_the_way(const struct diagnosis *diagnosis, int i)
{
    bool follows = doctor_checks[i].look == check_counting && diagnosis->obstacles > 1;
    return diagnosis->made[i] && diagnosis->finding[i].verdict == DOCTOR_OBSTACLE && !follows;
}

static void list_obstacles(const struct diagnosis *diagnosis, char *list, size_t size)
{
    list[0] = '\0';
    for (int i = 0; i < N_CHECKS; i++) {
        size_t used = strlen(list);
        if (is_in_the_way(diagnosis, i))
            snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", doctor_checks[i].title);
    }
}

static void conclude(struct diagnosis *diagnosis)
{
    const struct patient *patient = &diagnosis->patient;
    char obstacles[256];
    list_obstacles(diagnosis, obstacles, sizeof obstacles);
    bool known = patient->devices_seen || patient->paranoid != DOCTOR_UNKNOWN;
    diagnosis->fine = patient->live ? counts_here(patient) : known && diagnosis->obstacles == 0;
    const char *conclusion;
    if (patient->live && !diagnosis->fine)
        conclusion = "This user cannot count with the processor's counters here";
    else if (patient->live)
        conclusion = patient->emulated ? "The emulator counts for this program"
                                       : "This user can count with the processor's counters";
    else if (!known)
        conclusion = "The files of this other machine tell nothing of its counters";
    else
        conclusion = diagnosis->fine
                         ? "The files of this other machine tell of no obstacle; nothing was tried"
                         : "The files of this other machine tell of obstacles";
    snprintf(diagnosis->conclusion, sizeof diagnosis->conclusion, "%s", conclusion);
    if (obstacles[0] != '\0')
        snprintf(diagnosis->in_the_way, sizeof diagnosis->in_the_way, "In the way: %s", obstacles);
}

/* In the emulator the processor's counters are not missed. */
static bool expected(const struct patient *patient, const struct finding *finding)
{
    return finding->verdict == DOCTOR_OBSTACLE && patient->emulated && counts_here(patient);
}

static void diagnose(struct diagnosis *diagnosis)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    patient_examine(&diagnosis->patient, root != NULL ? root : "");
    for (int i = 0; i < N_CHECKS; i++) {
        struct finding *finding = &diagnosis->finding[i];
        diagnosis->made[i] = diagnosis->patient.live || !doctor_checks[i].live;
        if (!diagnosis->made[i])
            continue;
        doctor_checks[i].look(&diagnosis->patient, finding);
        if (expected(&diagnosis->patient, finding)) {
            finding->verdict = DOCTOR_NOTE;
            finding->n_changes = 0;
        }
        diagnosis->obstacles += finding->verdict == DOCTOR_OBSTACLE;
    }
    conclude(diagnosis);
}

/* -------------------------------------------------------------------------- text */

enum { INDENT = 27 };

static void print_finding(const char *title, const struct finding *finding)
{
    static const char *const verdicts[] = {"ok", "note", "OBSTACLE"};
    printf("%-8s %-17s ", verdicts[finding->verdict], title);
    print_wrapped(stdout, finding->seen, INDENT, INDENT);
    for (int i = 0; i < finding->n_changes; i++)
        /* Commands are to be copied: they are never wrapped. */
        printf("%*s%s: %s\n", INDENT, "", finding->change[i].who, finding->change[i].command);
}

static bool is_of_interest(const struct finding *finding, bool quiet)
{
    return !quiet || finding->verdict == DOCTOR_OBSTACLE ||
           (finding->verdict == DOCTOR_NOTE && finding->n_changes > 0);
}

static void print_diagnosis(const struct diagnosis *diagnosis, bool quiet)
{
    for (int i = 0; i < N_CHECKS; i++)
        if (diagnosis->made[i] && is_of_interest(&diagnosis->finding[i], quiet))
            print_finding(doctor_checks[i].title, &diagnosis->finding[i]);
    putchar('\n');
    if (diagnosis->in_the_way[0] != '\0')
        print_wrapped(stdout, diagnosis->in_the_way, 0, 0);
    if (diagnosis->fine)
        puts(diagnosis->conclusion);
}

/* -------------------------------------------------------------------------- JSON */

static void finding_json(struct json *json, const char *name, const struct finding *finding)
{
    static const char *const verdicts[] = {"ok", "note", "obstacle"};
    json_open(json, NULL, '{');
    json_string(json, "check", name);
    json_string(json, "verdict", verdicts[finding->verdict]);
    json_string(json, "seen", finding->seen);
    json_open(json, "changes", '[');
    for (int i = 0; i < finding->n_changes; i++) {
        json_open(json, NULL, '{');
        json_string(json, "who", finding->change[i].who);
        json_string(json, "command", finding->change[i].command);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void diagnosis_json(const struct diagnosis *diagnosis, bool quiet)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    if (diagnosis->patient.live)
        json_boolean(&json, "counts", counts_here(&diagnosis->patient));
    else
        json_string(&json, "counts", NULL);
    json_integer(&json, "obstacles", diagnosis->obstacles);
    json_string(&json, "conclusion", diagnosis->conclusion);
    json_open(&json, "in_the_way", '[');
    for (int i = 0; i < N_CHECKS; i++)
        if (is_in_the_way(diagnosis, i))
            json_string(&json, NULL, doctor_checks[i].name);
    json_close(&json, ']');
    json_open(&json, "checks", '[');
    for (int i = 0; i < N_CHECKS; i++)
        if (diagnosis->made[i] && is_of_interest(&diagnosis->finding[i], quiet))
            finding_json(&json, doctor_checks[i].name, &diagnosis->finding[i]);
    json_close(&json, ']');
    json_close(&json, '}');
}

/* ------------------------------------------------------------------------- options */

static int run(struct tool *tool, bool quiet)
{
    static const struct diagnosis none;
    struct diagnosis *diagnosis = malloc(sizeof *diagnosis);
    if (diagnosis == NULL)
        return tool_error(tool, "out of memory");
    if (tool_open(tool) != TOOL_FINE) {
        free(diagnosis);
        return TOOL_ERROR;
    }
    *diagnosis = none;
    diagnose(diagnosis);
    if (tool->report.json)
        diagnosis_json(diagnosis, quiet);
    else
        print_diagnosis(diagnosis, quiet);
    if (!diagnosis->fine)
        tool_error(tool, "%s", diagnosis->conclusion);
    free(diagnosis);
    return tool->status;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {{'q', "quiet", OPTION_SET, 0, 0, 0}, {0}};
    struct tool tool = {.name = "papi_doctor", .usage = usage_text};
    bool quiet = false;
    if (tool_read(&tool, argc, argv, rows, &quiet) == 0 && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool, quiet);
    return tool_end(&tool);
}
