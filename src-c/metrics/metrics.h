/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

/* Metrics by name: formulas of events, of the time and of constants of the machine, in groups. The table is
 * presets/metrics/metrics.csv, compiled in; PAPI_METRICS_FILE names a file with more, of the same form. */

enum { METRICS_NAMES = 12, METRICS_STEPS = 48 };

/* Names in formulas that are not those of events: seconds, seconds of the processor, bytes of a line of the
 * level 1 data cache. */
#define METRICS_TIME "time"
#define METRICS_CPU_TIME "cpu_time"
#define METRICS_CACHE_LINE "cache_line"

/* A metric, or one of the alternatives of its name, with its formula as postfix; or a group, which has a name
 * and a description. */
struct metrics_row {
    const char *group, *name, *unit, *formula, *description;
    int is_group;
    int file;  /* 0: the built-in table, 1: the user's */
    int ended; /* the user's file has one of the name instead */
    int n_names, n_steps;
    const char *operand[METRICS_NAMES]; /* "ZONE#" is the sum over ZONE0, ZONE1 and so on */
    struct metrics_step {
        char operation; /* 'n' operand, 'c' number, or + - * / */
        int name;
        double number;
        unsigned short from, length; /* of the divisor in the formula */
    } step[METRICS_STEPS];
    char *line, *names; /* that the texts are in */
};

struct metrics {
    int n;
    struct metrics_row **row;
    struct reason fault; /* of the user's file, with the line and what to do; PAPI_OK: none */
};

/* The table, with the user's file on top, of which lines that have a fault are passed over. NULL: no memory.
 */
struct metrics *metrics_load(void);
void metrics_free(struct metrics *metrics);

/* A metric as the file of a result has it (make.c). NULL: PAPI_EINVAL or PAPI_ENOMEM with the reason. */
struct metrics_row *metrics_make(const char *name, const char *unit, const char *formula,
                                 const char *description, struct reason *why);
void metrics_row_free(struct metrics_row *row);

/* The first row of a name, or the one after a row of the same name; NULL: there is none. */
const struct metrics_row *metrics_find(const struct metrics *metrics, const char *name,
                                       const struct metrics_row *after);

/* Gives each event that a row needs to take, until that returns other than PAPI_OK, which is returned. */
int metrics_events(const struct metrics_row *row, int (*take)(void *context, const char *event),
                   void *context);

/* A metric that was asked for: the row of its name that counts here, or the first one and why it does not. */
struct metrics_pick {
    const struct metrics_row *row;
    char *why; /* NULL: each of its events counts here */
};
struct metrics_picks {
    int n;
    struct metrics_pick *pick;
};

/* Adds what a word asks for, a group or a metric, without those that are there. PAPI_EINVAL: there is
 * neither of the name; PAPI_ENOMEM. */
int metrics_pick(const struct metrics *metrics, const char *word, struct metrics_picks *picks,
                 struct reason *why);
void metrics_picks_free(struct metrics_picks *picks);

/* What is known of a name in a formula: PAPI_OK with its value; PAPI_ENOEVNT: it was not counted; another
 * code with the reason: it should have been. */
typedef int metrics_lookup(const void *context, const char *name, double *value, struct reason *why);

/* The value of a metric. An error with the reason where there is none: an event is missing, a divisor is 0.
 * What lookup does not know of the machine's constants is asked of the library. */
int metrics_value(const struct metrics_row *row, metrics_lookup *lookup, const void *context, double *value,
                  struct reason *why);
