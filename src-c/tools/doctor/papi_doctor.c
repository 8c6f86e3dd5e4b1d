/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_doctor: what can be counted here, what stands in the way, and what would change it.
 */
#include "doctor.h"
#include "tools/common/tool.h"

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

static const struct check {
    const char *name; /* of its JSON */
    const char *title;
    bool live; /* there is nothing to say of a snapshot */
    void (*look)(const struct patient *patient, struct finding *finding);
} checks[] = {
#define CHECK(name, title, live) {#name, title, live, check_##name},
    DOCTOR_CHECKS(CHECK)
#undef CHECK
};
enum { N_CHECKS = sizeof checks / sizeof checks[0] };

/* ---- findings */

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
    va_list arguments;
    va_start(arguments, format);
    text_append_list(finding->seen, sizeof finding->seen, ". ", format, arguments);
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

/* ---- diagnosis */

struct diagnosis {
    struct patient patient;
    struct finding finding[N_CHECKS];
    bool made[N_CHECKS];
    int obstacles;
    bool fine;
    const char *conclusion;
};

static bool counts_here(const struct patient *patient)
{
    return patient->counted_event != NULL && patient->counted > 0;
}

/* True for an obstacle, except that nothing counts: this follows from the other obstacles, if there are any.
 */
static bool is_in_the_way(const struct diagnosis *diagnosis, int i)
{
    bool follows = checks[i].look == check_counting && diagnosis->obstacles > 1;
    return diagnosis->made[i] && diagnosis->finding[i].verdict == DOCTOR_OBSTACLE && !follows;
}

static void list_obstacles(const struct diagnosis *diagnosis, char *list, size_t size)
{
    list[0] = '\0';
    for (int i = 0; i < N_CHECKS; i++)
        if (is_in_the_way(diagnosis, i))
            text_append(list, size, ", ", "%s", checks[i].title);
}

static const char *conclusion(const struct patient *patient, bool known, bool fine)
{
    if (patient->live && !fine)
        return "This user cannot count with the processor's counters here";
    if (patient->live)
        return patient->emulated ? "The emulator counts for this program"
                                 : "This user can count with the processor's counters";
    if (!known)
        return "The files of this other machine show nothing of its counters";
    return fine ? "The files of this other machine show no obstacle; nothing was tried"
                : "The files of this other machine show obstacles";
}

static void conclude(struct diagnosis *diagnosis)
{
    const struct patient *patient = &diagnosis->patient;
    bool known = patient->devices_seen || patient->paranoid != DOCTOR_UNKNOWN;
    diagnosis->fine = patient->live ? counts_here(patient) : known && diagnosis->obstacles == 0;
    diagnosis->conclusion = conclusion(patient, known, diagnosis->fine);
}

/* True for an obstacle that does not matter in the emulator, where the processor's counters are not needed.
 */
static bool expected(const struct patient *patient, const struct finding *finding)
{
    return finding->verdict == DOCTOR_OBSTACLE && patient->emulated && counts_here(patient);
}

static void diagnose(struct diagnosis *diagnosis)
{
    patient_examine(&diagnosis->patient);
    for (int i = 0; i < N_CHECKS; i++) {
        struct finding *finding = &diagnosis->finding[i];
        diagnosis->made[i] = diagnosis->patient.live || !checks[i].live;
        if (!diagnosis->made[i])
            continue;
        checks[i].look(&diagnosis->patient, finding);
        if (expected(&diagnosis->patient, finding)) {
            finding->verdict = DOCTOR_NOTE;
            finding->n_changes = 0;
        }
        diagnosis->obstacles += finding->verdict == DOCTOR_OBSTACLE;
    }
    conclude(diagnosis);
}

/* ---- report */

enum { INDENT = 27 };

static const char *const verdicts[][2] = {{"ok", "ok"}, {"note", "note"}, {"OBSTACLE", "obstacle"}};

static const struct report_layout layout = {.width = INDENT, .separator = "", .hang = INDENT},
                                  further = {.indent = 4, .separator = ""};

/* Commands are to be copied: one that does not fit behind who must give it has a line of its own. */
static void show_change(struct report *report, const struct change *change)
{
    enum { WIDTH = 80 };
    size_t length = strlen(change->command);
    report_object(report, NULL);
    if (INDENT + strlen(change->who) + 2 + length <= WIDTH) {
        report_sentence(report, "", "{who}: {command}", AS_TEXT("who", change->who),
                        AS_TEXT("command", change->command));
    } else {
        report_sentence(report, "", "{who}:", AS_TEXT("who", change->who));
        report->layout = INDENT + length <= WIDTH ? &layout : &further;
        report_sentence(report, "", "{command}", AS_TEXT("command", change->command));
    }
    report_end(report);
    report->layout = &layout;
}

static void show_finding(struct report *report, const struct check *check, const struct finding *finding)
{
    char label[INDENT + 1];
    snprintf(label, sizeof label, "%-8s %-17s ", verdicts[finding->verdict][0], check->title);
    report_object(report, NULL);
    report_string(report, NULL, "check", check->name);
    report_string(report, NULL, "verdict", verdicts[finding->verdict][1]);
    report_string(report, label, "seen", finding->seen);
    report_list(report, "changes");
    for (int i = 0; i < finding->n_changes; i++)
        show_change(report, &finding->change[i]);
    report_end(report);
    report_end(report);
}

static void show_findings(struct report *report, const struct diagnosis *diagnosis, bool quiet)
{
    report->layout = &layout;
    report_list(report, "checks");
    for (int i = 0; i < N_CHECKS; i++) {
        const struct finding *finding = &diagnosis->finding[i];
        bool has_remedy = finding->verdict == DOCTOR_NOTE && finding->n_changes > 0;
        if (diagnosis->made[i] && (!quiet || finding->verdict == DOCTOR_OBSTACLE || has_remedy))
            show_finding(report, &checks[i], finding);
    }
    report_end(report);
}

static void show_conclusion(struct report *report, const struct diagnosis *diagnosis)
{
    char obstacles[256];
    list_obstacles(diagnosis, obstacles, sizeof obstacles);
    if (diagnosis->patient.live)
        report_flag(report, NULL, "counts", counts_here(&diagnosis->patient));
    else
        report_string(report, NULL, "counts", NULL);
    report_number(report, NULL, "obstacles", diagnosis->obstacles);
    report_string(report, NULL, "conclusion", diagnosis->conclusion);
    report_list(report, "in_the_way");
    for (int i = 0; i < N_CHECKS; i++)
        if (is_in_the_way(diagnosis, i))
            report_string(report, NULL, NULL, checks[i].name);
    report_end(report);
    report_blank(report);
    if (obstacles[0] != '\0')
        report_say(report, "In the way: %s", obstacles);
    if (diagnosis->fine)
        report_line(report, NULL, "%s", diagnosis->conclusion);
    report_finish(report);
}

static int run(struct tool *tool, bool quiet)
{
    struct diagnosis *diagnosis = calloc(1, sizeof *diagnosis);
    if (diagnosis == NULL)
        return tool_error(tool, "out of memory");
    diagnose(diagnosis);
    show_findings(&tool->report, diagnosis, quiet);
    show_conclusion(&tool->report, diagnosis);
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
    if (tool_ready(&tool, argc, argv, rows, &quiet))
        tool.status = run(&tool, quiet);
    return tool_end(&tool);
}
