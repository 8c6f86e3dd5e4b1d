/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

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

static void print_head(const struct watch *watch)
{
    fprintf(watch->out, "%10s", "seconds");
    for (int i = 0; i < watch->n; i++) {
        const char *name = column_name(watch->name[i]);
        fprintf(watch->out, " %*s", column_width(watch->name[i]) - (int)visible(NULL, 0, name), "");
        visible_put(watch->out, name);
    }
    fputc('\n', watch->out);
}

static void print_line(const struct watch *watch, double seconds, const long long *value)
{
    fprintf(watch->out, "%10.3f", seconds);
    for (int i = 0; i < watch->n; i++)
        if (watch->place[i].real)
            fprintf(watch->out, " %*.15g", column_width(watch->name[i]), count_real(value[i]));
        else
            fprintf(watch->out, " %*lld", column_width(watch->name[i]), value[i]);
    fputc('\n', watch->out);
    if (watch->sets->doubt[0] != '\0') {
        visible_print(watch->out, "in doubt: %s", watch->sets->doubt);
        fputc('\n', watch->out);
    }
}

static void print_object(const struct watch *watch, double seconds, const long long *value)
{
    struct json json = {.out = watch->out, .in_line = true};
    json_open(&json, NULL, '{');
    json_number(&json, "seconds", round(seconds * 1000) / 1000);
    for (int i = 0; i < watch->n; i++)
        if (watch->place[i].real)
            json_real(&json, watch->name[i], count_real(value[i]));
        else
            json_integer(&json, watch->name[i], value[i]);
    if (watch->sets->doubt[0] != '\0')
        json_string(&json, "doubt", watch->sets->doubt);
    json_close(&json, '}');
}

/* Those of the time since the last line. */
static int read_values(const struct watch *watch, long long *last, long long *value)
{
    int code = count_sets_read(watch->sets);
    for (int i = 0; i < watch->n && code == PAPI_OK; i++) {
        long long now = count_sets_value(watch->sets, &watch->place[i]);
        value[i] = watch->place[i].level ? now : count_growth(&watch->place[i], last[i], now);
        last[i] = now;
    }
    return code;
}

int watch_run(const struct watch *watch, const struct command *command)
{
    long long last[MAX_COUNT_EVENTS] = {0}, value[MAX_COUNT_EVENTS];
    long long begin = PAPI_get_real_nsec();
    int code = PAPI_OK;
    bool goes_on = true;
    if (!watch->json)
        print_head(watch);
    for (long long line = 1; goes_on && code == PAPI_OK; line++) {
        fflush(watch->out);
        goes_on = command_wait(command, (double)line * watch->interval - seconds_since(begin));
        code = read_values(watch, last, value);
        if (code == PAPI_OK)
            (watch->json ? print_object : print_line)(watch, seconds_since(begin), value);
        goes_on = goes_on && line != watch->lines;
    }
    fflush(watch->out);
    return code;
}
