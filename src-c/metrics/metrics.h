/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/nearest.h"
#include "base/reason.h"

#include <stdbool.h>

/* Metrics by name: formulas of events, of the time and of constants of the machine, in groups. The table is
 * presets/metrics/metrics.csv, compiled in; PAPI_METRICS_FILE names a file with more, of the same form. */

/* Names in formulas that are not those of events: seconds, seconds of the processor, bytes of a line of the
 * level 1 data cache. */
#define METRICS_TIME "time"
#define METRICS_CPU_TIME "cpu_time"
#define METRICS_CACHE_LINE "cache_line"

/* The characters of which the names of metrics and groups are made. */
#define METRICS_WORD "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* A metric, or one of the alternatives of its name; or a group, which has a name and a description only. */
struct metrics_row {
    const char *group, *name, *unit, *formula, *description;
    int file; /* 0: the built-in table, 1: the user's */
    struct metrics_row *next;
    char line[]; /* that the texts are in */
};

struct metrics {
    struct metrics_row *first, *last;
    struct reason fault; /* of the user's file, with the line and what to do; PAPI_OK: none */
    bool passes;         /* for lack of memory or descriptors not all of the file is here: once more, later */
};

/* The table, with the user's file on top, of which lines that have a fault are passed over. NULL: no memory.
 */
struct metrics *metrics_load(void);
void metrics_free(struct metrics *metrics);

/* A metric that was asked for: the row of its name that counts here, or the first one and why it does not. */
struct metrics_pick {
    const struct metrics_row *row;
    struct reason why; /* PAPI_OK: each of its events counts here */
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

/* Looks up a name in a formula: PAPI_OK with its value; PAPI_ENOEVNT: it was not counted, which needs
 * no reason; another code with the reason: it should have been. */
typedef int metrics_lookup(const void *context, const char *name, double *value, struct reason *why);

/* "; the nearest is NAME", or "": of the metrics, and of their groups where those can stand as well. */
const char *metrics_nearest(const struct metrics *metrics, const char *name, bool groups,
                            char text[NEAREST_TEXT]);

/* The value of a formula. An error with the reason, which was none before, where there is none: an event is
 * missing, a divisor is 0, it is not a formula. What lookup does not know of the machine's constants is asked
 * of the library, and "ZONE#" is the sum over ZONE0, ZONE1 and so on.
 *   lookup  NULL: names have no values, and the formula is only read
 *   value   NULL: only lookup is to see the names */
int metrics_value(const char *formula, metrics_lookup *lookup, const void *context, double *value,
                  struct reason *why);

/* The first row of a name that has a value, or else the first one and why it has none. Its row is NULL: there
 * is no such name. */
struct metrics_pick metrics_first(const struct metrics *metrics, const char *name, metrics_lookup *lookup,
                                  const void *context, double *value);

/* Gives each event of one that counts here to take, until take returns other than PAPI_OK, which is returned.
 */
int metrics_events(const struct metrics_pick *pick, int (*take)(void *context, const char *event),
                   void *context);
