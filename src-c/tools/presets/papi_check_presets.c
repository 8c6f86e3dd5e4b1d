/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_check_presets: whether this processor's presets count what they claim, found out by work of which
 * every operation is known.
 */
#include "base/visible.h"
#include "checks.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *output;
};

static const struct option_row rows[] = {
    {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
    {0},
};

static const char usage_text[] =
    "Usage: papi_check_presets [-o FILE] [--json] [PRESET...]\n"
    "Runs work of which every operation is known below each PRESET, or all that\n"
    "count here, and says which definitions count what they claim: for processors\n"
    "that those who wrote the definitions do not have.\n"
    "\n"
    "  -o, --output=FILE      also write all of it to FILE, as JSON, to be sent in:\n"
    "                         it names the processor, not the machine or its users\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error, where nothing could be tested, or where a\n"
    "definition does not count what it claims; 2 for wrong options.\n";

static const char *const verdict_words[VERDICTS] = {
    [VERDICT_COUNTS] = "counts",         [VERDICT_WRONG] = "does not",       [VERDICT_UNSURE] = "unsure",
    [VERDICT_NOT_TESTED] = "not tested", [VERDICT_ABSENT] = "not available",
};

/* ---- who counted: nothing of the machine's or the user's name */

static void show_processor(struct report *report)
{
    static const struct report_layout layout = {.width = 12, .separator = ": ", .hang = 14};
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    const PAPI_component_info_t *component = PAPI_get_component_info(PAPI_get_event_component(PAPI_TOT_INS));
    char version[32], kernel[80];
    int pmus = 0;
    report->layout = &layout;
    report_object(report, "processor");
    if (hw != NULL) {
        report_string(report, "Vendor", "vendor", hw->vendor_string);
        report_string(report, "Model", "model", hw->model_string);
        report_sentence(
            report, "CPUID", "family {cpuid_family}, model {cpuid_model}, stepping {cpuid_stepping}",
            AS_NUMBER("cpuid_family", hw->cpuid_family), AS_NUMBER("cpuid_model", hw->cpuid_model),
            AS_NUMBER("cpuid_stepping", hw->cpuid_stepping));
        report_flag(report, "In a VM", "virtual", hw->virtualized);
    }
    report_sentence(report, "Counted by", machine_is_emulated() ? "an emulator (papi_emulate)" : NULL,
                    AS_FLAG("emulated", machine_is_emulated()));
    while (component != NULL && pmus < PAPI_PMU_MAX && component->pmu_names[pmus] != NULL)
        pmus++;
    report_words(report, "PMUs", "pmus", pmus > 0 ? (const char *const *)component->pmu_names : NULL, pmus);
    report_end(report);
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), version, sizeof version);
    machine_release(kernel, sizeof kernel);
    kernel[strspn(kernel, "0123456789.")] = '\0'; /* the rest may be somebody's name */
    report_string(report, "Kernel", "kernel", kernel);
    report_string(report, "Library", "library", version);
    report_string(report, "libpfm4", "libpfm", component != NULL ? component->support_version : NULL);
}

/* ---- a preset */

static void word_definition(char *text, size_t size, const PAPI_event_info_t *info)
{
    int n = event_natives(info), length = 0;
    text[0] = '\0';
    if (event_is_derived(info))
        length = snprintf(text, size, "%s%s%s of ", info->derived, info->postfix[0] != '\0' ? " " : "",
                          info->postfix);
    for (int i = 0; i < n && length >= 0 && (size_t)length < size; i++)
        length += snprintf(text + length, size - (size_t)length, "%s%s", i > 0 ? ", " : "", info->name[i]);
}

static void show_samples(struct report *report, const struct samples *samples)
{
    report_list(report, "work");
    for (int i = 0; i < samples->n; i++) {
        const struct sample *sample = &samples->sample[i];
        report_object(report, NULL);
        report_string(report, NULL, "name", sample->work);
        report_string(report, NULL, "unit", sample->unit);
        report_exact(report, NULL, "least", sample->least);
        report_exact(report, NULL, "most", sample->most);
        report_list(report, "counted");
        for (int round = 0; round < SAMPLE_ROUNDS; round++)
            report_exact(report, NULL, NULL, sample->counted[round]);
        report_end(report);
        report_end(report);
    }
    report_end(report);
}

static void show_definition(struct report *report, const PAPI_event_info_t *info)
{
    int n = event_natives(info);
    report_object(report, "definition");
    report_string(report, NULL, "derived", info->derived);
    report_string(report, NULL, "formula", info->postfix);
    report_list(report, "natives");
    for (int i = 0; i < n; i++)
        report_string(report, NULL, NULL, info->name[i]);
    report_end(report);
    report_string(report, NULL, "note", info->count > 0 ? info->note : NULL);
    report_end(report);
}

/* Paths of files that a user named may be in the reasons of the library. */
static bool has_files_of_user(void)
{
    return secure_getenv("PAPI_CSV_EVENT_FILE") != NULL || secure_getenv("PAPI_PERFMON_EVENT_FILE") != NULL ||
           secure_getenv("PAPI_USER_EVENTS_FILE") != NULL;
}

/* is_sent: the report is the file for others */
static void show_check(struct report *report, const struct check *check, bool is_sent)
{
    const struct judgement *judgement = &check->judgement;
    const struct sample *shown = judgement->shown;
    bool is_private = is_sent && judgement->verdict == VERDICT_ABSENT && has_files_of_user();
    char definition[2 * PAPI_HUGE_STR_LEN], claim[CLAIM_WORDS] = "", counted[32] = "";
    word_definition(definition, sizeof definition, &check->info);
    if (shown != NULL) {
        sample_word_claim(claim, sizeof claim, shown);
        snprintf(counted, sizeof counted, "%.2f", sample_counted(shown));
    }
    report_object(report, NULL);
    report_sentence(
        report, NULL,
        judgement->verdict == VERDICT_ABSENT
            ? NULL
            : "{preset:%-13s} {verdict:%-11s} {.claim:%10s} {.counted:%8s}  {.work:%-19s} {.definition}",
        AS_TEXT("preset", check->info.symbol), AS_TEXT("verdict", verdict_words[judgement->verdict]),
        AS_TEXT(".claim", claim), AS_TEXT(".counted", counted),
        AS_TEXT(".work", shown != NULL ? shown->work : ""), AS_TEXT(".definition", definition));
    report_string(report, NULL, "reason",
                  judgement->reason[0] != '\0' && !is_private ? judgement->reason : NULL);
    show_definition(report, &check->info);
    show_samples(report, &check->samples);
    report_end(report);
}

/* ---- all presets of one kind of cores */

enum { MOST_NAMES = 4096 };

/* True if a check before has the same verdict for the same reason. */
static bool is_explained(const struct checks *checks, int n)
{
    const struct judgement *judgement = &checks->check[n].judgement;
    for (int i = 0; i < n; i++)
        if (checks->check[i].judgement.verdict == judgement->verdict &&
            strcmp(checks->check[i].judgement.reason, judgement->reason) == 0)
            return true;
    return false;
}

/* Says a reason once, with all presets that have it. */
static void explain_all(struct report *report, const struct checks *checks, int first)
{
    const struct judgement *judgement = &checks->check[first].judgement;
    char names[MOST_NAMES] = "", clean[MOST_NAMES], why[1024]; /* a file of the user's may have named them */
    size_t length = 0;
    for (int i = first; i < checks->n && length < sizeof names; i++)
        if (checks->check[i].judgement.verdict == judgement->verdict &&
            strcmp(checks->check[i].judgement.reason, judgement->reason) == 0)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                       checks->check[i].info.symbol);
    visible(clean, sizeof clean, names);
    visible(why, sizeof why, judgement->reason);
    report_say(report, "%s: %s", clean, why);
}

static void explain(struct report *report, const struct checks *checks, enum verdict verdict,
                    const char *title)
{
    if (checks->of[verdict] > 0)
        report_line(report, NULL, "\n%s", title);
    for (int i = 0; i < checks->n; i++)
        if (checks->check[i].judgement.verdict == verdict && !is_explained(checks, i))
            explain_all(report, checks, i);
}

static void show_totals(struct report *report, const struct checks *checks)
{
    report_sentence(
        report, NULL,
        "\n{counts} count what they claim, {does_not} do not, {unsure} unsure, {not_tested} not tested, "
        "{not_available} not available here",
        AS_NUMBER("counts", checks->of[VERDICT_COUNTS]), AS_NUMBER("does_not", checks->of[VERDICT_WRONG]),
        AS_NUMBER("unsure", checks->of[VERDICT_UNSURE]),
        AS_NUMBER("not_tested", checks->of[VERDICT_NOT_TESTED]),
        AS_NUMBER("not_available", checks->of[VERDICT_ABSENT]));
}

static void show_checks(struct report *report, const struct checks *checks, bool is_sent)
{
    static const struct report_layout layout = {.separator = ": "};
    report->layout = &layout;
    report_object(report, NULL);
    report_string(report, "\nCores", "pmu", checks->pmu);
    report_line(report, NULL, "\n%-13s %-11s %10s %8s  %-19s %s", "Preset", "Verdict", "Claimed", "Counted",
                "Work", "Definition");
    report_list(report, "presets");
    for (int i = 0; i < checks->n; i++)
        show_check(report, &checks->check[i], is_sent);
    report_end(report);
    explain(report, checks, VERDICT_WRONG, "These do not count what they claim:");
    explain(report, checks, VERDICT_UNSURE, "These may or may not:");
    explain(report, checks, VERDICT_NOT_TESTED, "These were not tested:");
    show_totals(report, checks);
    report_end(report);
}

struct results {
    int n;
    struct checks of[MOST_CORES];
};

static int sum_of(const struct results *results, enum verdict verdict)
{
    int sum = 0;
    for (int i = 0; i < results->n; i++)
        sum += results->of[i].of[verdict];
    return sum;
}

static int tested(const struct results *results)
{
    return sum_of(results, VERDICT_COUNTS) + sum_of(results, VERDICT_WRONG) + sum_of(results, VERDICT_UNSURE);
}

static void show_results(struct report *report, const struct results *results, bool is_sent)
{
    report_line(report, NULL, "Presets, and what they count of known work");
    report_number(report, NULL, "format", 1);
    show_processor(report);
    report_flag(report, NULL, "own_definitions", has_files_of_user());
    report_list(report, "cores");
    for (int i = 0; i < results->n; i++)
        show_checks(report, &results->of[i], is_sent);
    report_end(report);
    if (!is_sent)
        machine_explain(report, tested(results));
}

/* ---- the file */

static int write_file(struct tool *tool, const struct results *results, const char *path)
{
    struct output output;
    char shown[1024];
    const char *why = output_open(&output, path);
    if (why == NULL) {
        struct report report = {.out = output.file, .plain = output.file, .json = true};
        show_results(&report, results, true);
        report_finish(&report);
        why = output_close(&output);
    }
    if (why != NULL)
        return tool_error(tool, "%s: %s", path, why);
    visible(shown, sizeof shown, path);
    report_say(&tool->report,
               "%s has all of this, and neither the machine's name nor the user's: send it to those who "
               "maintain the definitions, as CONTRIBUTING.md says.",
               shown);
    return TOOL_FINE;
}

/* ---- the whole */

static int refuse_unknown(struct tool *tool, char *const *name, int names)
{
    PAPI_event_info_t info;
    for (int i = 0; i < names; i++) {
        if (event_find(tool, name[i], &info) != TOOL_FINE)
            return TOOL_ERROR;
        if (!event_is_preset(&info))
            return tool_error(tool, "%s is not a preset: papi_avail lists them", name[i]);
    }
    return TOOL_FINE;
}

static int check_all(struct tool *tool, struct results *results, char *const *name, int names)
{
    struct cores cores;
    cores_find(&cores);
    for (int i = 0; i < cores.n; i++)
        if (checks_run(&results->of[results->n++], &cores, i, name, names) != 0)
            return tool_error(tool, "no memory: %s", strerror(errno));
    return TOOL_FINE;
}

static int conclude(struct tool *tool, const struct results *results)
{
    int wrong = sum_of(results, VERDICT_WRONG);
    report_finish(&tool->report);
    if (wrong > 0)
        return tool_error(tool, "%d definition%s not count what %s", wrong, wrong == 1 ? " does" : "s do",
                          wrong == 1 ? "it claims" : "they claim");
    if (tested(results) > 0)
        return TOOL_FINE;
    return machine_check(tool) == TOOL_FINE
               ? tool_error(tool, "nothing could be tested here; what stands in the way says papi_doctor")
               : TOOL_ERROR;
}

static int run(struct tool *tool, const struct options *options, char *const *name, int names)
{
    struct results results = {.n = 0};
    if (tool_open(tool) != TOOL_FINE || refuse_unknown(tool, name, names) != TOOL_FINE)
        return TOOL_ERROR;
    if (machine_is_elsewhere())
        return tool_error(tool, "nothing can be counted on the machine of PAPI_SYSROOT: env -u PAPI_SYSROOT "
                                "papi_check_presets");
    if (check_all(tool, &results, name, names) == TOOL_FINE) {
        show_results(&tool->report, &results, false);
        if (options->output == NULL || write_file(tool, &results, options->output) == TOOL_FINE)
            conclude(tool, &results);
    }
    for (int i = 0; i < results.n; i++)
        checks_free(&results.of[i]);
    return tool->status;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_check_presets", .usage = usage_text};
    struct options options = {.output = NULL};
    if (tool_read(&tool, argc, argv, rows, &options) == 0)
        tool.status = run(&tool, &options, argv + optind, argc - optind);
    return tool_end(&tool);
}
