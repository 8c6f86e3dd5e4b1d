/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_command_line: adds the events that are given to an event set, and counts a little work or a command.
 */
#include "attached.h"
#include "base/json.h"
#include "base/reason.h"
#include "base/seconds.h"
#include "base/visible.h"
#include "count_control.h"
#include "count_output.h"
#include "count_page.h"
#include "count_sets.h"
#include "formats/native_times.h"
#include "metric_words.h"
#include "tools/common/counted_command.h"
#include "tools/common/event.h"
#include "tools/common/machine_head.h"
#include "tools/common/other_program.h"
#include "tools/common/report.h"
#include "tools/common/tool_words.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage_text[] =
    "Usage: papi_command_line [-fux] EVENT...\n"
    "       papi_command_line [-fux] [-i SECONDS] EVENT... -- COMMAND [ARGUMENT]...\n"
    "       papi_command_line [-i SECONDS [-n LINES]] [-a PROCESS]... EVENT...\n"
    "Counts the EVENTs, of any components, while it does some floating-point work, or\n"
    "while the COMMAND and its threads and processes run; or prints a line each\n"
    "interval until Ctrl-C: what counters grew by in it, and what levels are.\n"
    "An EVENT of @NAME is a metric or a group of metrics (papi_event_chooser @).\n"
    "\n"
    "  -a, --attach=PROCESS   counts a running process, by number or program name\n"
    "      --cgroup=PATH      counts a control group: all of a container, of a job\n"
    "  -t, --threads; --tree  each thread of a PROCESS; also what it started before\n"
    "      --share; --wait=SECONDS  if others have the counters: estimates; or waits\n"
    "  -o, --output=FILE; --json  what is counted goes there; as one JSON object\n"
    "  -i, --interval=SECONDS; -n, --lines=LINES  a line every SECONDS; at most LINES\n"
    "      --openmetrics[=FILE]  all counts so far as OpenMetrics, each time anew\n"
    "      --control=fifo:CTL[,ACK]  the COMMAND turns counting on and off, as with\n"
    "                         perf stat; -D -1, --delay=-1: off at first\n"
    "  -f, --formulas; -u, --unsigned; -x, --hex  formulas of metrics; form of counts\n"
    "      --emulate          papi_emulate counts; times are those of a first run\n"
    "  -h, --help             this text; --version: the version of the interface\n"
    "\n"
    "Exit status: 0; 1 after an error, or if an EVENT could not be added; 2 for wrong\n"
    "options; 3 if --wait found no counters. That of the COMMAND is printed.\n";

enum { ROUNDS = 1000, MOST_SECONDS = 1000000 };

enum number { DECIMAL, UNSIGNED, HEXADECIMAL };

struct counting {
    struct tool *tool;
    long long number;              /* enum number */
    struct command command;        /* without a word: the tool's own work */
    struct option_words processes; /* to attach to */
    bool tree, threads;
    struct attached attached;
    struct count_sets sets;
    struct by_name by_name;
    bool formulas;
    const char *cgroup; /* NULL: none */
    bool emulate;
    char **all_words;               /* of this tool's own command */
    int n_options;                  /* of these words, before the events */
    bool advised;                   /* what counts all the same was said */
    char *needed[MAX_COUNT_EVENTS]; /* names of events that metrics need */
    int n_needed;
    struct advice_said said;
    long long begun, elapsed;  /* nanoseconds; begun: before the events were started */
    const char *interval_text; /* NULL: counts are printed at the end */
    double interval;           /* seconds */
    long long lines;           /* 0: no limit */
    struct count_page page;
    struct count_output output;
    struct count_control control;
    const char *delay; /* NULL, or "-1" */
    bool share;
    const char *wait_text; /* NULL: no wait */
    double wait;           /* seconds */
    char text[PAPI_HUGE_STR_LEN];
};

/* ---- counting in the emulator */

/* True if the timers of this process are the emulator's, which are not those of a processor: papi_emulate
 * counts, without --native-times. */
static bool emulated_times(void)
{
    const char *times = secure_getenv(TIMES_VARIABLE);
    return machine_is_emulated() && times == NULL;
}

struct needs {
    bool caches, times;
};

/* Notes what a name in a formula needs of the emulator: a time, or caches. */
static int note_name(const void *context, const char *name, double *value, struct reason *why)
{
    struct needs *const *needs = context;
    (void)why;
    *value = 1;
    (*needs)->times = (*needs)->times || strcmp(name, METRICS_TIME) == 0;
    (*needs)->caches = (*needs)->caches || emulated_by_caches(name);
    return PAPI_OK;
}

static struct needs needs_of(const struct by_name *by_name, int n, char *const *name)
{
    struct needs needs = {0}, *all = &needs;
    struct reason why = {0};
    for (int i = 0; i < n; i++)
        needs.caches = needs.caches || emulated_by_caches(name[i]);
    for (int i = 0; i < by_name->picks.n; i++)
        metrics_value(by_name->picks.pick[i].row->formula, note_name, &all, NULL, &why);
    return needs;
}

/* Has papi_emulate run the tool, with the caches and the native times that what is counted needs.
 *   n, name  the events and metrics; the metrics have been taken
 *   word     all of the tool's words
 * Returns only where it cannot: TOOL_ERROR, after a message. */
static int emulated_count(struct tool *tool, const struct by_name *by_name, int n, char *const *name,
                          char *const *word)
{
    struct needs needs = needs_of(by_name, n, name);
    char *option[3] = {NULL};
    int options = 0;
    if (needs.caches)
        option[options++] = (char *)"--caches";
    if (needs.times)
        option[options++] = (char *)"--native-times";
    return tool_error(tool, "papi_emulate: %s", strerror(emulate_tool(option, word)));
}

/* ---- a line each interval */

enum { NARROWEST = 14 };

static double seconds_since(long long begin)
{
    return (double)(PAPI_get_real_nsec() - begin) * 1e-9;
}

/* The column of an event: its component is left out. */
static const char *column_name(const char *name)
{
    const char *event = strstr(name, ":::");
    return event != NULL ? event + 3 : name;
}

static int column_width(const char *name)
{
    int length = (int)visible(NULL, 0, column_name(name));
    return length > NARROWEST ? length : NARROWEST;
}

static void print_head(FILE *out, const struct count_sets *sets)
{
    fprintf(out, "%10s", "seconds");
    for (int i = 0; i < sets->n_events; i++) {
        const char *name = column_name(sets->event[i].name);
        if (!sets->event[i].added)
            continue;
        fprintf(out, " %*s", column_width(name) - (int)visible(NULL, 0, name), "");
        visible_put(out, name);
    }
    fputc('\n', out);
}

static void print_line(FILE *out, const struct count_sets *sets, double seconds, const long long *value)
{
    fprintf(out, "%10.3f", seconds);
    for (int i = 0; i < sets->n_events; i++) {
        const struct count_event *event = &sets->event[i];
        if (event->added && event->real)
            fprintf(out, " %*.15g", column_width(event->name), count_real(value[i]));
        else if (event->added)
            fprintf(out, " %*lld", column_width(event->name), value[i]);
    }
    fputc('\n', out);
    if (sets->doubt[0] != '\0') {
        visible_print(out, "in doubt: %s", sets->doubt);
        fputc('\n', out);
    }
}

static void print_object(FILE *out, const struct count_sets *sets, double seconds, const long long *value)
{
    struct json json = {.out = out, .in_line = true};
    json_open(&json, NULL, '{');
    json_number(&json, "seconds", round(seconds * 1000) / 1000);
    for (int i = 0; i < sets->n_events; i++) {
        const struct count_event *event = &sets->event[i];
        if (event->added && event->real)
            json_real(&json, event->name, count_real(value[i]));
        else if (event->added)
            json_integer(&json, event->name, value[i]);
    }
    if (sets->doubt[0] != '\0')
        json_string(&json, "doubt", sets->doubt);
    json_close(&json, '}');
}

/* Reads the values since the last line; those of a level are the current ones. */
static int read_values(struct count_sets *sets, long long *last, long long *value)
{
    int code = count_sets_read(sets);
    for (int i = 0; i < sets->n_events && code == PAPI_OK; i++) {
        const struct count_event *event = &sets->event[i];
        if (!event->added)
            continue;
        long long now = count_sets_value(sets, event);
        value[i] = event->level ? now : count_growth(event, last[i], now);
        last[i] = now;
    }
    return code;
}

/* Waits so long, at most; false: what is counted has ended, or the tool is to end. */
static bool wait_for(const struct counting *counting, double seconds)
{
    const double often = 0.05;
    double end = seconds_now() + seconds;
    if (counting->attached.n == 0 && counting->cgroup == NULL)
        return command_wait(&counting->command, seconds);
    while (counting->attached.n > 0 ? attached_run(&counting->attached)
                                    : !count_sets_are_gone(&counting->sets)) {
        double left = end - seconds_now();
        if (left <= 0)
            return true;
        if (!command_wait(&counting->command, fmin(left, often)))
            return false;
    }
    return false;
}

/* A line or page each interval, of events that are counted: in a line what counters grew by in it, in a page
 * what they are; and what levels are. It goes on until the lines are printed or wait_for says that it is
 * over; the signals are held. page NULL: lines. A tool's status, after a message. */
static int watch_run(struct counting *counting, struct count_page *page)
{
    struct tool *tool = counting->tool;
    struct count_sets *sets = &counting->sets;
    long long last[MAX_COUNT_EVENTS] = {0}, value[MAX_COUNT_EVENTS];
    struct report *report = &tool->report;
    FILE *out = report->json ? report->plain : report->out;
    int status = TOOL_FINE;
    bool goes_on = true;
    if (!report->json && page == NULL)
        print_head(out, sets);
    for (long long line = 1; goes_on && status == TOOL_FINE && tool_flush(tool, out); line++) {
        goes_on = wait_for(counting, (double)line * counting->interval - seconds_since(counting->begun)) &&
                  line != counting->lines;
        int code = read_values(sets, last, value);
        if (code != PAPI_OK)
            status = tool_error(tool, "the counts cannot be read: %s", PAPI_strerror(code));
        else if (page != NULL)
            status = count_page_write(page, tool, sets);
        else
            (report->json ? print_object : print_line)(out, sets, seconds_since(counting->begun), value);
    }
    tool_flush(tool, out);
    struct tool warner = {.name = tool->name}; /* it is no failure */
    if (count_sets_are_gone(sets))
        tool_error(&warner, "the control group %s was removed, and has counted all that it did",
                   counting->cgroup);
    return status;
}

/* ---- this tool's own command */

/* As a shell takes it, with an option more. To be freed; NULL: no memory. */
static char *own_command(const struct counting *counting, const char *option, char *const *program)
{
    char **words = counting->all_words + 1, **command = counting->command.word, **end = command;
    if (command != NULL)
        command[-1] = (char *)"--"; /* split_command */
    else
        for (end = words; *end != NULL; end++)
            ;
    return tool_command(counting->tool->name, option, words, (int)(end - words), program);
}

static char *emulate_command(const struct counting *counting, char *const *program)
{
    return own_command(counting, "--emulate", program);
}

/* Puts this tool's own command with an option in the place of a general one in the library's advice. */
static void put_command(const struct counting *counting, const char *general, const char *option,
                        char *reason, size_t size)
{
    static char *const nothing[] = {NULL};
    char *at = strstr(reason, general), *end = at != NULL ? strchr(at + 1, '"') : NULL;
    if (end == NULL)
        return;
    char *rest = strdup(end);
    char *command = own_command(counting, option, counting->command.word ? counting->command.word : nothing);
    if (rest != NULL && command != NULL && (size_t)(at + 1 - reason) + strlen(command) + strlen(rest) < size)
        sprintf(at + 1, "%s%s", command, rest);
    free(rest);
    free(command);
}

/* Puts this tool, with the events and the command, in the place of ./a.out behind papi_emulate's option. */
static void put_estimate(const struct counting *counting, char *reason, size_t size)
{
    static const char general[] = "--report ./a.out\"";
    char *at = strstr(reason, general), *command = NULL, *rest = NULL;
    if (at != NULL)
        command = own_command(counting, NULL, counting->command.word);
    if (command != NULL)
        rest = strdup(at + strlen(general) - 1);
    if (rest != NULL && (size_t)(at - reason) + strlen(command) + strlen(rest) < size)
        sprintf(at, "%s%s", command, rest);
    free(rest);
    free(command);
}

/* The library does not know which command is counted. */
static void name_command(const struct counting *counting, char *reason, size_t size)
{
    if (counting->command.word != NULL && strstr(reason, "\"papi_emulate --cycles") != NULL)
        put_estimate(counting, reason, size);
    else if (counting->command.word != NULL)
        put_command(counting, "\"papi_emulate ", "--emulate", reason, size);
    put_command(counting, "\"papi_command_line --share ...", "--share", reason, size);
    put_command(counting, "\"papi_command_line --wait=SECONDS ...", "--wait=SECONDS", reason, size);
}

/* The text of an error, until the next one. */
static const char *text_of(struct counting *counting, int code)
{
    snprintf(counting->text, sizeof counting->text, "%s", PAPI_strerror(code));
    name_command(counting, counting->text, sizeof counting->text);
    return counting->text;
}

/* True if an event does not count because the machine has no counters at all, and the reason says so.
 *   length  of the reason without the library's advice */
static bool is_blind(const char *name, const char *reason, size_t *length)
{
    int event, code = PAPI_event_name_to_code(name, &event);
    const PAPI_component_info_t *processor = PAPI_get_component_info(0);
    if (code != PAPI_OK || processor == NULL || processor->num_cntrs > 0)
        return false;
    code = PAPI_query_event(event);
    const char *text = code != PAPI_OK ? PAPI_strerror(code) : "", *advice = strstr(text, ADVICE_BEGINS);
    *length = advice != NULL ? (size_t)(advice - text) : strlen(text);
    return *length > 0 && strncmp(reason, text, *length) == 0;
}

static bool counts_here(const char *name)
{
    int event;
    return PAPI_event_name_to_code(name, &event) == PAPI_OK && PAPI_query_event(event) == PAPI_OK;
}

/* Names what counts all the same, once: where the library has no advice, and in the place of its advice for a
 * process or group that runs, which cannot be built anew, or run in the emulator. */
static void advise_software(struct counting *counting, const char *name, char *reason, size_t size)
{
    static char *const software[] = {(char *)"perf::TASK-CLOCK", (char *)"perf::PAGE-FAULTS", NULL};
    char **command = counting->command.word, *all = NULL;
    size_t length;
    bool runs = counting->attached.n > 0 || counting->cgroup != NULL;
    if (!is_blind(name, reason, &length) || (!runs && strlen(reason) > length))
        return;
    reason[length] = '\0';
    char *own = counting->advised || !counts_here(software[0])
                    ? NULL
                    : tool_command(counting->tool->name, NULL, counting->all_words + 1, counting->n_options,
                                   software);
    if (own != NULL && command != NULL) {
        command[-1] = (char *)"--"; /* split_command */
        all = tool_command(own, NULL, NULL, 0, command - 1);
    }
    if (own != NULL)
        snprintf(reason + length, size - length, "; software events are counted here: run \"%s\"",
                 all != NULL ? all : own);
    counting->advised |= own != NULL;
    free(own);
    free(all);
}

/* ---- counting */

static struct count_page *page_of(struct counting *counting)
{
    return counting->page.path != NULL ? &counting->page : NULL;
}

static void add(struct counting *counting, const char *name)
{
    struct count_event *event = &counting->sets.event[counting->sets.n_events];
    count_sets_add(&counting->sets, name);
    if (!event->added)
        advise_software(counting, name, event->why, sizeof event->why);
    name_command(counting, event->why, sizeof event->why);
    struct report *report = &counting->tool->report;
    bool pages = page_of(counting) != NULL; /* with nothing else between them */
    if (pages && !event->added)
        tool_error(counting->tool, "%s: %.*s", name, advice_length(event->why, &counting->said), event->why);
    if (pages || (event->added && counting->interval > 0))
        return;
    report_part(report, "%s: %s", event->added ? "Successfully added" : "Failed adding", name);
    report_blank(report);
    if (!event->added)
        report_line(report, NULL, "because: %.*s", advice_length(event->why, &counting->said), event->why);
}

static int let_run(struct counting *counting)
{
    struct tool *tool = counting->tool;
    bool has_command = counting->command.word != NULL;
    int status = TOOL_FINE;
    if (has_command && (command_go(&counting->command, tool) != TOOL_FINE || counting->command.not_run))
        return TOOL_ERROR;
    if (counting->interval > 0)
        status = watch_run(counting, page_of(counting));
    else if (counting->attached.n > 0)
        wait_for(counting, INFINITY);
    else if (!has_command && work(ROUNDS) < 0)
        status = tool_error(tool, "nothing was counted: the work has no result");
    if (has_command)
        command_wait(&counting->command, INFINITY);
    command_end(&counting->command);
    return status;
}

enum { INTERRUPTED = 1 }; /* no code of PAPI's */

/* Starts the sets, after a first try, once their counters can be had. The library waits for a moment at a
 * time, so that a signal ends it. */
static int start_waiting(struct counting *counting)
{
    const double moment = 0.001, silence = 1;
    double begin = seconds_now() - counting->sets.wait, waited = 0;
    bool said = false;
    int code = PAPI_ECNFLCT;
    struct tool speaker = {.name = counting->tool->name}; /* it is no failure */
    while (code == PAPI_ECNFLCT && waited < counting->wait) {
        if (waited >= silence && !said) {
            tool_error(&speaker, "waits for counters, up to %g seconds: %s", counting->wait,
                       PAPI_strerror(code));
            said = true;
        }
        if (!command_wait(&counting->command, moment))
            return INTERRUPTED;
        counting->begun = PAPI_get_real_nsec();
        code = count_sets_start(&counting->sets);
        waited = seconds_now() - begin;
    }
    return code;
}

static int not_started(struct counting *counting, int code)
{
    struct tool *tool = counting->tool;
    if (code == INTERRUPTED)
        return tool_error(tool, "was interrupted while it waited for counters");
    if (code == PAPI_ECNFLCT && counting->wait > 0)
        return tool_fail(tool, TOOL_HELD, "no counters in %g seconds: %s", counting->wait,
                         text_of(counting, code));
    return tool_error(tool, "the events do not start: %s", text_of(counting, code));
}

/* Reports that nothing was counted, and who has the counters, which is known where they are asked for. */
static int not_counted(struct counting *counting, int code)
{
    struct tool *tool = counting->tool;
    const char *text = text_of(counting, code), *advice = strstr(text, ADVICE_BEGINS);
    char *happened = advice != NULL ? strndup(text, (size_t)(advice - text)) : NULL;
    bool still = happened != NULL && code == PAPI_ECNFLCT && count_sets_try(&counting->sets) == code;
    tool_error(tool, "nothing was counted: %s", still ? happened : text);
    if (still)
        tool_error(tool, "nor could it be now: %s", text_of(counting, code));
    free(happened);
    return TOOL_ERROR;
}

static int count(struct counting *counting)
{
    struct tool *tool = counting->tool;
    if (counting->control.where != NULL) {
        int status = count_control_run(&counting->control, tool, &counting->sets, &counting->command);
        counting->elapsed = counting->control.elapsed;
        return status;
    }
    counting->begun = PAPI_get_real_nsec();
    int code = count_sets_start(&counting->sets);
    if (code == PAPI_ECNFLCT && counting->wait > 0)
        code = start_waiting(counting);
    if (code != PAPI_OK)
        return not_started(counting, code);
    if (let_run(counting) != TOOL_FINE)
        return TOOL_ERROR;
    code = count_sets_stop(&counting->sets);
    counting->elapsed = PAPI_get_real_nsec() - counting->begun;
    return code != PAPI_OK ? not_counted(counting, code) : TOOL_FINE;
}

/* ---- printing */

static const struct report_layout counts = {.separator = " : \t"}, rates = {.separator = " per second : \t"};

/* A count with the part of the time for which the event was counted. */
static void show_shared(const struct counting *counting, const struct count_event *event, long long value)
{
    static const char *const sentences[] = {[DECIMAL] = "{count} (share {share:%.6g})",
                                            [UNSIGNED] = "{count:%u} (share {share:%.6g})",
                                            [HEXADECIMAL] = "{count:0x%x} (share {share:%.6g})"};
    report_sentence(&counting->tool->report, event->name, sentences[counting->number],
                    AS_NUMBER("count", value), AS_REAL("share", count_sets_share(&counting->sets, event)));
}

static void show_count(const struct counting *counting, const struct count_event *event)
{
    struct report *report = &counting->tool->report;
    long long value = count_sets_value(&counting->sets, event);
    static const char *const sentences[] = {
        [DECIMAL] = "{count}", [UNSIGNED] = "{count:%u}", [HEXADECIMAL] = "{count:0x%x}"};
    report->layout = &counts;
    if (event->real)
        report_sentence(report, event->name, counting->number == HEXADECIMAL ? "{count:%a}" : "{count}",
                        AS_EXACT("count", count_real(value)));
    else if (counting->share && !event->level)
        show_shared(counting, event, value);
    else
        report_sentence(report, event->name, sentences[counting->number], AS_NUMBER("count", value));
}

static bool has_rate(const struct counting *counting, const struct count_event *event)
{
    return event->added && !event->level && counting->elapsed > 0 && !emulated_times();
}

static double rate_of(const struct counting *counting, const struct count_event *event)
{
    long long count = count_sets_value(&counting->sets, event);
    double value = event->real                   ? count_real(count)
                   : counting->number == DECIMAL ? (double)count
                                                 : (double)(unsigned long long)count;
    return value / ((double)counting->elapsed * 1e-9);
}

static void show_rate(const struct counting *counting, const struct count_event *event)
{
    struct report *report = &counting->tool->report;
    report->layout = &rates;
    if (has_rate(counting, event))
        report_sentence(report, event->name, "{per_second:%.6g}",
                        AS_REAL("per_second", rate_of(counting, event)));
}

/* Shows rates after the counts, whose lines stay as scripts know them. */
static void show_rates(const struct counting *counting)
{
    struct report *report = &counting->tool->report;
    report_sentence(report, NULL, "\nElapsed time : \t{seconds:%.9f} s",
                    AS_REAL("seconds", (double)counting->elapsed * 1e-9));
    if (emulated_times())
        report_say(report, "The time is the emulator's: there are no rates.");
    report_only(report, REPORT_TEXT_ONLY);
    for (int i = 0; i < counting->sets.n_events; i++)
        show_rate(counting, &counting->sets.event[i]);
    report_only(report, REPORT_BOTH);
}

/* Shows an event with its count, or, if the counts are not there (counted), with the reason. */
static void show_event(const struct counting *counting, const struct count_event *event, bool counted)
{
    struct report *report = &counting->tool->report;
    report_object(report, NULL);
    report_string(report, NULL, "name", event->name);
    report_flag(report, NULL, "added", event->added);
    report_string(report, NULL, "reason", event->added ? NULL : event->why);
    if (event->added && counted) {
        show_count(counting, event);
        report_only(report, REPORT_JSON_ONLY);
        show_rate(counting, event);
        report_only(report, REPORT_BOTH);
    }
    report_end(report);
}

/* Counts that may be too little are worth a word. */
static void show_doubt(const struct counting *counting)
{
    struct report *report = &counting->tool->report;
    const char *doubt = counting->sets.doubt;
    report_sentence(report, NULL, doubt[0] != '\0' ? "in doubt: {doubt:%v}" : NULL,
                    AS_TEXT("doubt", doubt[0] != '\0' ? doubt : NULL));
}

/* Shows the counts of a process or, from an array, of one of its threads. */
static void show_counts_of(const struct counting *counting, int target, const long long *value, int indent)
{
    const struct report_layout below = {.indent = indent, .separator = " : \t"};
    struct report *report = &counting->tool->report;
    report->layout = &below;
    report_object(report, "counts");
    for (int i = 0; i < counting->sets.n_events; i++) {
        const struct count_event *event = &counting->sets.event[i];
        if (count_sets_of_each(&counting->sets, event))
            report_number(report, event->name, event->name,
                          value == NULL               ? count_sets_value_of(&counting->sets, event, target)
                          : value[event->index] == -1 ? REPORT_UNKNOWN /* it was not counted */
                                                      : value[event->index]);
    }
    report_end(report);
    report->layout = &counts;
}

/* Shows what each thread of a process has counted. */
static void show_threads(const struct counting *counting, int target)
{
    struct report *report = &counting->tool->report;
    struct count_threads threads;
    if (!counting->threads)
        return;
    int code = count_sets_threads(&counting->sets, target, &threads);
    if (code != PAPI_OK && code != PAPI_ECLOST)
        tool_error(counting->tool, "the threads of process %d cannot be read: %s",
                   (int)counting->attached.pid[target], PAPI_strerror(code));
    report_list(report, "threads");
    for (int t = 0; t < threads.n; t++) {
        report_object(report, NULL);
        report_sentence(report, NULL, "  Thread {tid}{.end? (%s)}", AS_NUMBER("tid", threads.tid[t]),
                        AS_FLAG("ended", threads.ended[t] != 0),
                        AS_TEXT(".end", threads.ended[t] != 0 ? "ended" : NULL));
        show_counts_of(counting, target, threads.value + (size_t)t * (size_t)threads.n_values, 4);
        report_end(report);
    }
    report_end(report);
    count_threads_free(&threads);
}

/* Shows what each process has counted: in the text, where there are several, or their threads are shown. */
static void show_processes(const struct counting *counting)
{
    struct report *report = &counting->tool->report;
    const struct attached *attached = &counting->attached;
    if (attached->n == 0)
        return;
    report_only(report, attached->n > 1 || counting->threads ? REPORT_BOTH : REPORT_JSON_ONLY);
    report_blank(report);
    report_list(report, "processes");
    for (int t = 0; t < attached->n; t++) {
        report_object(report, NULL);
        report_sentence(report, NULL, "Process {pid} ({program:%v})", AS_NUMBER("pid", attached->pid[t]),
                        AS_TEXT("program", attached->name[t]), AS_FLAG("ended", !attached_runs(attached, t)));
        show_counts_of(counting, t, NULL, 2);
        show_threads(counting, t);
        report_end(report);
    }
    report_end(report);
    report_only(report, REPORT_BOTH);
}

/* Reports how the command ended. */
static void show_end(const struct counting *counting)
{
    struct report *report = &counting->tool->report;
    int status = counting->command.status;
    bool signalled = WIFSIGNALED(status);
    int number = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    report_sentence(report, NULL,
                    signalled ? "\n{command:%v} was ended by signal {signal}"
                              : "\n{command:%v} ended with status {status}",
                    AS_TEXT("command", counting->command.word[0]),
                    AS_NUMBER(signalled ? "signal" : "status", number));
}

/* ---- metrics */

static int look_up(const void *context, const char *name, double *value, struct reason *why)
{
    const struct counting *counting = context;
    if (strcmp(name, METRICS_TIME) == 0 && emulated_times())
        return reason_set(
            why, PAPI_ENOSUPP,
            "the time is the emulator's; \"papi_command_line --emulate ...\" takes that of a run without it");
    if (strcmp(name, METRICS_TIME) == 0) {
        *value = (double)counting->elapsed * 1e-9;
        return PAPI_OK;
    }
    for (int i = 0; i < counting->sets.n_events; i++) {
        const struct count_event *event = &counting->sets.event[i];
        if (strcmp(event->name, name) != 0)
            continue;
        if (!event->added)
            return reason_set(why, PAPI_ECNFLCT, "%.60s: %.300s", name, event->why);
        long long count = count_sets_value(&counting->sets, event);
        *value = event->real ? count_real(count) : (double)count;
        return PAPI_OK;
    }
    return PAPI_ENOEVNT;
}

static bool are_estimates(const struct counting *counting)
{
    for (int i = 0; i < counting->sets.n_events; i++)
        if (counting->sets.event[i].added && count_sets_estimated(&counting->sets, &counting->sets.event[i]))
            return true;
    return false;
}

static void show_metrics(const struct counting *counting)
{
    struct report *report = &counting->tool->report;
    if (counting->by_name.picks.n == 0)
        return;
    report_blank(report);
    report->layout = &counts;
    by_name_show(&counting->by_name, report, look_up, counting, counting->formulas);
    bool estimates = are_estimates(counting);
    report_sentence(report, NULL,
                    !estimates        ? NULL
                    : counting->share ? "estimates: the events had the counters for a share of the time"
                                      : "estimates: the events took turns on the counters",
                    AS_FLAG("estimated", estimates));
}

static void show_counts(const struct counting *counting, bool counted)
{
    struct report *report = &counting->tool->report;
    char **command = counting->command.word;
    if (report->json)
        machine_show(report, "");
    if (counted)
        report_blank(report);
    report_list(report, "events");
    for (int i = 0; i < counting->sets.n_events; i++)
        show_event(counting, &counting->sets.event[i], counted);
    report_end(report);
    if (counted) {
        show_doubt(counting);
        show_rates(counting);
        show_metrics(counting);
        show_processes(counting);
    }
    if (command != NULL && counted)
        show_end(counting);
    else
        report_string(report, NULL, "command", command != NULL ? command[0] : NULL);
    if (counted)
        report_line(report, NULL, "\n----------------------------------");
    report_finish(report);
}

/* ---- all */

/* Adds an event that a metric needs, unless it is in the sets already. */
static int add_needed(void *context, const char *name)
{
    struct counting *counting = context;
    for (int i = 0; i < counting->sets.n_events; i++)
        if (strcmp(counting->sets.event[i].name, name) == 0)
            return PAPI_OK;
    char *copy = counting->sets.n_events < MAX_COUNT_EVENTS ? strdup(name) : NULL;
    if (copy == NULL)
        return PAPI_ECOUNT;
    counting->needed[counting->n_needed++] = copy;
    add(counting, copy);
    return PAPI_OK;
}

/* Adds the events, those that are given by their names first. Returns how many of these could not be added.
 */
static int add_all(struct counting *counting, int n, char **name)
{
    int given = 0;
    counting->sets.may_take_turns = counting->by_name.picks.n > 0;
    for (int i = 0; i < n; i++) {
        if (by_name_word(name[i]))
            continue;
        given++;
        add(counting, name[i]);
    }
    int missing = given - counting->sets.n_added;
    for (int i = 0; i < counting->by_name.picks.n; i++)
        metrics_events(&counting->by_name.picks.pick[i], add_needed, counting);
    return missing;
}

static int nothing_added(const struct counting *counting)
{
    struct advice_said said = counting->said;
    const struct count_sets *sets = &counting->sets;
    const struct metrics_picks *picks = &counting->by_name.picks;
    const char *why = sets->n_events > 0 ? sets->event[0].why : picks->n > 0 ? picks->pick[0].why.text : "";
    return tool_error(counting->tool, "no event could be added: %.*s", advice_length(why, &said), why);
}

/* The word is a program, which was to be counted. */
static int refuse_program(const struct counting *counting, int place, char **word)
{
    static char *const dashes[] = {(char *)"--", NULL}, *const clock[] = {(char *)"perf::TASK-CLOCK",
                                                                          (char *)"--", NULL};
    char **first = counting->all_words + 1; /* getopt has put the options before the events */
    char *events = tool_command(counting->tool->name, NULL, first, (int)(word + place - first),
                                place > 0 ? dashes : clock);
    char *command = events != NULL ? tool_command(events, NULL, NULL, 0, word + place) : NULL;
    tool_usage_error(counting->tool, "%s is a program: run \"%s\"", word[place],
                     command != NULL ? command : counting->tool->name);
    free(events);
    free(command);
    return TOOL_USAGE;
}

/* Refuses a word that is not an event but a program: "--" is missing before it. */
static int check_programs(const struct counting *counting, int n, char **word)
{
    int event;
    bool none = counting->command.word == NULL && counting->attached.n == 0;
    for (int i = 0; none && i < n; i++)
        if (!by_name_word(word[i]) && tool_can_run(word[i]) &&
            PAPI_event_name_to_code(word[i], &event) != PAPI_OK)
            return refuse_program(counting, i, word);
    return TOOL_FINE;
}

static int count_events(struct counting *counting, int n, char **name)
{
    struct tool *tool = counting->tool;
    struct count_sets *sets = &counting->sets;
    sets->target = counting->attached.n > 0 ? counting->attached.pid : &counting->command.pid;
    sets->n_targets = counting->attached.n > 0 ? counting->attached.n : counting->command.pid != 0;
    if (counting->cgroup != NULL)
        sets->n_targets = 0; /* a COMMAND only says how long */
    sets->cgroup = counting->cgroup;
    sets->running = counting->attached.n > 0;
    sets->share = counting->share;
    sets->wait = fmin(counting->wait, 0.1);
    sets->flags = (counting->tree ? PAPI_PROCESS_TREE : 0) | (counting->threads ? PAPI_PROCESS_THREADS : 0);
    if (check_programs(counting, n, name) != TOOL_FINE)
        return TOOL_USAGE;
    if (by_name_take(&counting->by_name, tool, n, name) != TOOL_FINE)
        return TOOL_ERROR;
    for (int i = 0; i < counting->by_name.picks.n; i++) {
        struct reason *why = &counting->by_name.picks.pick[i].why;
        name_command(counting, why->text, sizeof why->text);
    }
    int missing = add_all(counting, n, name);
    int status = sets->n_added > 0 ? count(counting) : nothing_added(counting);
    if (page_of(counting) != NULL && counting->interval == 0 && status == TOOL_FINE)
        status = count_page_write(&counting->page, tool, sets);
    else if (counting->interval == 0)
        show_counts(counting, status == TOOL_FINE);
    if (status == TOOL_FINE && missing > 0)
        status = tool_error(tool, "%d of %d events could not be added", missing, sets->n_events);
    int ended = counting->command.status;
    if (status == TOOL_FINE && WIFEXITED(ended) && WEXITSTATUS(ended) == COMMAND_NOT_RUN)
        status = TOOL_ERROR;
    return status;
}

/* Refuses, with the command that counts the program, to count the emulator in its place. */
static int check_command(const struct counting *counting)
{
    char **command = counting->command.word;
    const char *other = command != NULL ? tool_word(command) : NULL;
    if (other == NULL || strcmp(other, "papi_emulate") != 0 || emulated_already())
        return TOOL_FINE;
    char *text = emulate_command(counting, tool_program(command));
    tool_error(counting->tool, "what would be counted is the emulator; for the program in it, run \"%s\"",
               text != NULL ? text : counting->tool->name);
    free(text);
    return TOOL_ERROR;
}

static int emulate(struct counting *counting, int n, char **name)
{
    char **command = counting->command.word;
    int status = tool_open(counting->tool) ?: by_name_take(&counting->by_name, counting->tool, n, name);
    if (command != NULL)
        command[-1] = (char *)"--";
    if (status == TOOL_FINE)
        status = emulated_count(counting->tool, &counting->by_name, n, name, counting->all_words);
    by_name_close(&counting->by_name);
    return status;
}

/* Counts the command, or whatever else is to be counted, and shows the counts. */
static int count_command(struct counting *counting, int n, char **name)
{
    struct tool *tool = counting->tool;
    if (counting->control.where != NULL && count_control_open(&counting->control, tool) != TOOL_FINE)
        return TOOL_ERROR;
    /* The child is made before the library has counters, or anything else to inherit. */
    struct command *command = &counting->command;
    if (command->word != NULL && command_make(command, tool) != TOOL_FINE)
        return TOOL_ERROR;
    if (attached_find(&counting->attached, tool, &counting->processes) != TOOL_FINE)
        return tool->status;
    if (counting->tree)
        attached_keep_roots(&counting->attached);
    if (command->word != NULL || counting->interval > 0 || counting->attached.n > 0)
        command_hold_signals(command);
    int status = tool_open(tool);
    if (status == TOOL_FINE)
        status = count_events(counting, n, name);
    command_end(command);
    count_page_end(&counting->page);
    count_control_close(&counting->control);
    count_sets_end(&counting->sets);
    by_name_close(&counting->by_name);
    attached_free(&counting->attached);
    while (counting->n_needed > 0)
        free(counting->needed[--counting->n_needed]);
    return status;
}

static int run(struct counting *counting, int n, char **name)
{
    struct tool *tool = counting->tool;
    if (check_command(counting) != TOOL_FINE)
        return TOOL_ERROR;
    if (counting->emulate && !emulated_already())
        return emulate(counting, n, name);
    if (count_output_open(&counting->output, tool, counting->interval > 0) != TOOL_FINE)
        return TOOL_ERROR;
    int status = count_command(counting, n, name);
    return count_output_close(&counting->output, tool, status);
}

static int take_interval(struct counting *counting)
{
    char *end;
    if (counting->interval_text == NULL)
        return counting->lines == 0 ? TOOL_FINE
                                    : tool_usage_error(counting->tool, "--lines needs an --interval");
    counting->interval = strtod(counting->interval_text, &end);
    if (*end == '\0' && counting->interval >= 0.001 && counting->interval <= MOST_SECONDS)
        return TOOL_FINE;
    return tool_usage_error(counting->tool, "the interval \"%s\" is not a number of seconds from 0.001 to %d",
                            counting->interval_text, (int)MOST_SECONDS);
}

static int check_control(struct counting *counting)
{
    struct tool *tool = counting->tool;
    const char *where = counting->control.where;
    counting->control.off = counting->delay != NULL;
    counting->control.ctl = counting->control.ack = -1;
    if (counting->delay != NULL && (strcmp(counting->delay, "-1") != 0 || where == NULL))
        return tool_usage_error(tool,
                                "--delay is -1, beside --control: nothing is counted before \"enable\"");
    if (where == NULL)
        return TOOL_FINE;
    if (strncmp(where, "fifo:", 5) != 0 && strncmp(where, "fd:", 3) != 0)
        return tool_usage_error(tool, "--control is fifo:CTL[,ACK] or fd:CTL[,ACK], not \"%s\"", where);
    if (counting->command.word == NULL)
        return tool_usage_error(tool, "--control is for a command: it turns counting on and off");
    if (counting->interval > 0)
        return tool_usage_error(tool, "--control and --interval: one of them says when to count");
    return TOOL_FINE;
}

static int check_cgroup(const struct counting *counting)
{
    struct tool *tool = counting->tool;
    if (counting->cgroup == NULL)
        return TOOL_FINE;
    if (counting->processes.n > 0)
        return tool_usage_error(tool, "--attach and --cgroup are two things to count: choose one");
    if (counting->emulate)
        return tool_usage_error(tool, "--emulate counts a command, not a control group");
    if (counting->interval == 0 && counting->command.word == NULL)
        return tool_usage_error(tool, "--cgroup needs an --interval, or a command for as long as it is to "
                                      "count: \"-- sleep 10\"");
    return TOOL_FINE;
}

static int take_wait(struct counting *counting)
{
    char *end;
    if (counting->wait_text == NULL)
        return TOOL_FINE;
    counting->wait = strtod(counting->wait_text, &end);
    if (*end == '\0' && counting->wait >= 0.001 && counting->wait <= MOST_SECONDS)
        return TOOL_FINE;
    return tool_usage_error(counting->tool, "the wait \"%s\" is not a number of seconds from 0.001 to %d",
                            counting->wait_text, (int)MOST_SECONDS);
}

/* A share is of all the time that is counted. */
static int check_share(const struct counting *counting)
{
    struct tool *tool = counting->tool;
    if (counting->control.where != NULL && (counting->share || counting->wait > 0))
        return tool_usage_error(tool, "--share and --wait are for what is counted from begin to end, "
                                      "without --control");
    if (!counting->share)
        return TOOL_FINE;
    if (counting->interval > 0 || counting->page.path != NULL)
        return tool_usage_error(tool, "--share is of the counts at the end, without an --interval or pages");
    if (counting->threads)
        return tool_usage_error(tool, "--share is of all threads together, without --threads");
    return TOOL_FINE;
}

static int check_words(struct counting *counting, int n, char **word)
{
    char **command = counting->command.word;
    bool pages = page_of(counting) != NULL;
    for (int i = 0; i < n && (counting->interval > 0 || pages); i++)
        if (by_name_word(word[i]))
            return tool_usage_error(counting->tool, "%s is a metric, and %s are of events", word[i],
                                    pages ? "--openmetrics' pages" : "an --interval's lines");
    if (pages && counting->output.path != NULL)
        return tool_usage_error(counting->tool, "pages have a file of their own: \"--openmetrics=%s\"",
                                counting->output.path);
    if (pages && counting->tool->report.json)
        return tool_usage_error(counting->tool, "--json and --openmetrics are two formats: choose one");
    for (int i = 0; command == NULL && i < n; i++)
        if (strchr(word[i], '/') != NULL && access(word[i], X_OK) == 0)
            return refuse_program(counting, i, word);
    if (counting->processes.n > 0 && command != NULL)
        return tool_usage_error(counting->tool, "--attach and a command are two things to count: choose one");
    if (counting->processes.n > 0 && counting->emulate)
        return tool_usage_error(counting->tool, "--emulate counts a command, not a process that runs");
    if ((counting->tree || counting->threads) && counting->processes.n == 0)
        return tool_usage_error(counting->tool, "--tree and --threads need an --attach");
    if (counting->threads && (counting->interval > 0 || pages))
        return tool_usage_error(counting->tool,
                                "--threads are shown at the end, without an --interval or pages");
    if (check_cgroup(counting) != TOOL_FINE || check_share(counting) != TOOL_FINE)
        return TOOL_USAGE;
    if (n == 0 && counting->processes.n > 0 && counting->processes.n <= OPTION_MOST_WORDS)
        return tool_usage_error(counting->tool, "which events? --attach has taken \"%s\" for the process",
                                counting->processes.word[counting->processes.n - 1]);
    if (n == 0)
        return tool_usage_error(counting->tool, "which events? At least one is to be given");
    if (n > MAX_COUNT_EVENTS)
        return tool_usage_error(counting->tool, "%d events are more than the %d of an event set", n,
                                (int)MAX_COUNT_EVENTS);
    if (command != NULL && command[0] == NULL)
        return tool_usage_error(counting->tool, "which command? It is missing behind \"--\"");
    return TOOL_FINE;
}

/* Finds "--" among the words, and the command behind it: getopt would take it for the end of the options
 * and move the events behind it. */
static int split_command(int argc, char **argv, char ***command)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            argv[i] = NULL;
            *command = argv + i + 1;
            return i;
        }
    return argc;
}

/* An option that is not the tool's may be that of a command, before which "--" is missing. */
static void name_program(const struct counting *counting, int argc, char **argv)
{
    struct tool speaker = {.name = counting->tool->name};
    for (int i = 1; counting->command.word == NULL && i < argc; i++)
        if (argv[i][0] != '-' && tool_can_run(argv[i])) {
            tool_error(&speaker, "%s is a program: \"--\" comes before it, and before its options", argv[i]);
            return;
        }
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {
        {'a', "attach", OPTION_EACH, offsetof(struct counting, processes), 0, 0},
        {0, "tree", OPTION_SET, offsetof(struct counting, tree), 0, 0},
        {'t', "threads", OPTION_SET, offsetof(struct counting, threads), 0, 0},
        {'f', "formulas", OPTION_SET, offsetof(struct counting, formulas), 0, 0},
        {0, "cgroup", OPTION_TEXT, offsetof(struct counting, cgroup), 0, 0},
        {0, "emulate", OPTION_SET, offsetof(struct counting, emulate), 0, 0},
        {0, "share", OPTION_SET, offsetof(struct counting, share), 0, 0},
        {0, "wait", OPTION_TEXT, offsetof(struct counting, wait_text), 0, 0},
        {'u', "unsigned", OPTION_CHOICE, offsetof(struct counting, number), UNSIGNED, 0},
        {'i', "interval", OPTION_TEXT, offsetof(struct counting, interval_text), 0, 0},
        {0, "control", OPTION_TEXT, offsetof(struct counting, control.where), 0, 0},
        {'D', "delay", OPTION_TEXT, offsetof(struct counting, delay), 0, 0},
        {'o', "output", OPTION_TEXT, offsetof(struct counting, output.path), 0, 0},
        {0, "openmetrics", OPTION_OPTIONAL, offsetof(struct counting, page.path), 0, 0},
        {'n', "lines", OPTION_NUMBER, offsetof(struct counting, lines), 1, LLONG_MAX},
        {'x', "hex", OPTION_CHOICE, offsetof(struct counting, number), HEXADECIMAL, 0},
        {0},
    };
    struct tool tool = {.name = "papi_command_line", .usage = usage_text};
    struct counting counting = {.tool = &tool, .all_words = argv};
    argc = split_command(argc, argv, &counting.command.word);
    int read = tool_read(&tool, argc, argv, rows, &counting);
    if (tool.status == TOOL_USAGE)
        name_program(&counting, argc, argv);
    counting.n_options = optind - 1;
    if (read == 0 && take_interval(&counting) == TOOL_FINE && take_wait(&counting) == TOOL_FINE &&
        check_control(&counting) == TOOL_FINE &&
        check_words(&counting, argc - optind, argv + optind) == TOOL_FINE)
        tool.status = run(&counting, argc - optind, argv + optind);
    return tool_end(&tool);
}
