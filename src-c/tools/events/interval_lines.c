/* SPDX-License-Identifier: BSD-3-Clause */
#include "interval_lines.h"

#include "base/json.h"
#include "base/visible.h"

#include <math.h>
#include <string.h>

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

int watch_run(struct report *report, struct count_sets *sets, double interval, long long lines,
              const struct command *command)
{
    long long last[MAX_COUNT_EVENTS] = {0}, value[MAX_COUNT_EVENTS];
    long long begin = PAPI_get_real_nsec();
    FILE *out = report->json ? report->plain : report->out;
    int code = PAPI_OK;
    bool goes_on = true;
    if (!report->json)
        print_head(out, sets);
    for (long long line = 1; goes_on && code == PAPI_OK; line++) {
        fflush(out);
        goes_on = command_wait(command, (double)line * interval - seconds_since(begin)) && line != lines;
        code = read_values(sets, last, value);
        if (code == PAPI_OK)
            (report->json ? print_object : print_line)(out, sets, seconds_since(begin), value);
    }
    fflush(out);
    return code;
}
