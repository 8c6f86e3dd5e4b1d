/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include "base/visible.h"
#include "finding.h"
#include "names.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is in doubt */

static __attribute__((format(printf, 2, 3))) void note(struct report_notes *notes, const char *format, ...)
{
    va_list arguments;
    if (notes->n == NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(notes->text[notes->n++], sizeof *notes->text, format, arguments);
    va_end(arguments);
}

static void note_counts(struct report_notes *notes, const struct result *result)
{
    const struct counts_plan *plan = &openmp.plan;
    if (plan->refused > 0)
        note(notes, "not counted: %.60s%s: %.300s", plan->refused_name,
             plan->refused > 1 ? " and others" : "", plan->reason);
    bool whole = counts_are_whole(plan);
    if (!whole)
        note(notes,
             "the program closed descriptors that it does not know, counters among them: counts are not "
             "shown");
    for (int i = 0; i < result->n_regions && plan->n > 0 && whole; i++)
        if (result->region[i].known && !result->region[i].counted) {
            note(notes,
                 "counters could not be made or read in a thread at %.100s: counts there are not shown",
                 result->region[i].name.text);
            return;
        }
}

/* Threads that are at work and have no processor: what they take longer for is not the program's. */
static void note_processors(struct report_notes *notes, const struct result *result)
{
    double useful = 0, had = 0;
    int clock = result_event("perf::TASK-CLOCK");
    for (int i = 0; i < result->n_regions && clock >= 0; i++)
        if (result->region[i].known && result->region[i].counted) {
            useful += result->region[i].useful;
            had += (double)result->region[i].count[clock] * 1e-9;
        }
    if (useful > 0 && had < 0.9 * useful)
        note(notes,
             "threads at work had a processor for %.0f %% of the time: others took it, or there are more "
             "threads than processors; uneven work may be due to that",
             100 * had / useful);
}

static void note_sampling(struct report_notes *notes, const struct result *result)
{
    double all = 0;
    for (int i = 0; i < result->n_regions; i++)
        all += result->region[i].capacity;
    if (all > 0 && result->sampling > 0.05 * all)
        note(notes,
             "the measurement itself takes about %.0f %% of the threads' time, in regions as short as these: "
             "what it takes is partly work and partly overhead above",
             100 * result->sampling / all);
}

static void note_unknown(struct report_notes *notes, const struct result *result)
{
    bool tasks = false, nested = false;
    for (int i = 0; i < result->n_regions; i++) {
        tasks |= !result->region[i].known;
        nested |= result->region[i].nested > 0;
    }
    if (tasks)
        note(notes,
             "regions with tasks: libgomp does not show when a thread runs one, so work, and what is "
             "counted in it, cannot be told from waiting there; LLVM's runtime shows it: papi_openmp --llvm");
    if (nested)
        note(notes,
             "regions inside of others: what the thread that begins one does there is in the outer one, too");
    if (atomic_load(&openmp.other_masters))
        note(notes,
             "other threads than the main one begin regions, too: what is outside of regions is not known");
}

static void note_lost(struct report_notes *notes)
{
    int open = atomic_load(&openmp.open);
    uint64_t deep = figure(&openmp.deep), out = figure(&openmp.places.left_out);
    if (open > 0)
        note(notes, "%d execution%s had not ended with the program, and %s left out", open,
             open > 1 ? "s" : "", open > 1 ? "are" : "is");
    if (deep > 0)
        note(notes, "%llu times a thread was in more than %d regions at once: the innermost are not counted",
             (unsigned long long)deep, MOST_DEPTH);
    if (out > 0)
        note(notes, "%llu executions and waits are left out: there is room for %d places",
             (unsigned long long)out, MOST_PLACES);
    if (openmp.missing != 0)
        note(notes,
             "the runtime does not tell all that is asked for (callbacks 0x%x): some waiting may be taken "
             "for work",
             openmp.missing);
}

/* ---- where it goes */

static void write_to(const char *path, const struct result *result, const struct report_head *head, bool json)
{
    struct output output = {.file = NULL};
    const char *why = output_open(&output, path);
    if (why == NULL) {
        (json ? report_json : report_text)(output.file, result, head);
        why = output_close(&output);
    }
    if (why == NULL)
        return;
    visible_print(stderr, "papi_openmp: %s: %s", path, why);
    fputc('\n', stderr);
}

static bool is_json(const char *path)
{
    size_t n = strlen(path);
    return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

/* A folder gets both forms, in files by the number of the process. */
static void write_in(const char *folder, const struct result *result, const struct report_head *head)
{
    static const char *const ending[] = {"txt", "json"};
    char path[PATH_MAX];
    for (int json = 0; json < 2; json++) {
        snprintf(path, sizeof path, "%s/%ld.%s", folder, (long)getpid(), ending[json]);
        write_to(path, result, head, json);
    }
}

static void deliver(const struct result *result, const struct report_head *head)
{
    const char *path = secure_getenv("PAPI_OPENMP_OUTPUT");
    struct stat status;
    if (path == NULL || path[0] == '\0') {
        report_text(stderr, result, head);
        fflush(stderr);
    } else if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        write_in(path, result, head);
    else
        write_to(path, result, head, is_json(path));
}

/* ---- */

static const char *source(void)
{
    bool gomp = atomic_load(&openmp.gomp) != 0;
    return openmp.runtime[0] == '\0' ? "libgomp" : gomp ? "OMPT and libgomp" : "OMPT";
}

void report_process(void)
{
    int saved = errno;
    struct report_head head = {.program = program_invocation_short_name, .source = source()};
    struct result result;
    struct names *names = names_open();
    if (names != NULL && result_make(&result, names)) {
        finding_make(&result);
        note_counts(&head.notes, &result);
        note_processors(&head.notes, &result);
        note_sampling(&head.notes, &result);
        note_unknown(&head.notes, &result);
        note_lost(&head.notes);
        deliver(&result, &head);
        result_free(&result);
    }
    names_close(names);
    errno = saved;
}
