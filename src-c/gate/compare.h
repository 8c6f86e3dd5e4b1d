/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counts.h"
#include "limits.h"

/* Comparison of two results: functions of counts alone. Texts belong to the counts or to the comparison. */

enum gate_verdict {
    VERDICT_SAME,    /* not one count differs */
    VERDICT_WITHIN,  /* it differs by less than the limit */
    VERDICT_FELL,    /* by more than the limit, which is allowed */
    VERDICT_ABOVE,   /* it rose by more */
    VERDICT_BELOW,   /* it fell by more, and may not */
    VERDICT_UNKNOWN, /* it varies from run to run, or rules leave all of it out */
};

/* A count that is judged. */
struct change {
    enum gate_scope scope;
    const char *name, *event; /* name: of the region or routine; "" */
    amount before, after;
    amount left_out; /* of a total: the larger counts of routines that vary or that a rule leaves out */
    const struct limit *limit;
    enum gate_verdict verdict;
};

/* A source line before and after. */
struct line_change {
    const char *routine, *file, *text, *text_before;
    int line, line_before; /* 0: it was not there, or is not any more */
    uint64_t before[GATE_EVENTS], after[GATE_EVENTS];
};

/* A line of a source that is not what it was. */
struct changed_line {
    const char *file, *text, *routine; /* text and routine: "": not known */
    int line, line_before;             /* as those of a line_change */
    bool inside;                       /* the routine; false: it is next to it */
    bool renamed;                      /* it differs in names alone */
};

struct routine_change {
    const char *name, *object, *name_before; /* of the other name before; NULL: it is the same */
    uint64_t before[GATE_EVENTS], after[GATE_EVENTS];
};

struct varying {
    const char *name, *object, *event;
    amount least, most;
    bool regional;                 /* a region, not a routine */
    const struct gate_line *where; /* the line of the routine that varies most; NULL: none does */
};

struct comparison {
    const struct counts *before, *after;
    int n_events;
    const char *event[GATE_EVENTS]; /* those that both have, in the order of the new one */
    int at_before[GATE_EVENTS], at_after[GATE_EVENTS];
    struct change *change;
    size_t n_changes, room_changes;
    struct line_change *line;
    size_t n_lines, room_lines;
    struct routine_change *routine;
    size_t n_routines, room_routines;
    struct varying *varying;
    size_t n_varying, room_varying;
    struct changed_line *changed; /* by file and line */
    size_t n_changed, room_changed;
    char **note; /* sentences: what cannot be compared, and why */
    size_t n_notes, room_notes;
    size_t n_failed; /* changes ABOVE or BELOW */

    /* Indexes: routines of the results by their names, those before that have no successor by their counts;
     * changes by the names of routines, by the places of lines; what varies by its name. */
    struct hash_table names_before, names_after, orphans, changes, places, variations;
};

/* Says that the program may not be the one of its sources: a format of two paths, newer and older. */
#define COMPARE_STALE "%s is newer than %s, which may not have the change: build it, and run this again"

/* Compares. The counts and limits must stay as long as the comparison.
 *   judged  names of the events to judge, NULL behind the last; NULL: the usual ones */
void compare(struct comparison *comparison, const struct counts *before, const struct counts *after,
             const struct limits *limits, const char *const *judged);

/* True if something was judged: not where all that is more than nothing varies. */
bool compare_has_judged(const struct comparison *comparison);

/* True if an event is judged: it is among these, NULL behind the last, or, with NULL, one of the usual ones.
 */
bool compare_judges(const char *event, const char *const *judged);

/* Judges a change. least: one of less is within a limit that is a share. */
enum gate_verdict compare_verdict(amount before, amount after, const struct limit *limit, amount least);

/* Numbers of lines by how much the event of this number rose, those that rose most first; at most room of
 * them, and none that did not rise (or fall, where falls). A line whose routine rose less counts as much as
 * the routine did. Returns how many. */
size_t compare_top_lines(const struct comparison *comparison, int event, bool falls, size_t *number,
                         size_t room);

/* By how much an event of the line at a place rose, or fell; line 0: it is gone, and was line_before. */
amount compare_line_rise(const struct comparison *comparison, const char *file, int line, int line_before,
                         int event, bool falls);

/* By how much an event of a routine rose, or fell. */
amount compare_routine_rise(const struct comparison *comparison, const char *name, int event, bool falls);

/* The number of an event in the comparison; -1. */
int compare_event(const struct comparison *comparison, const char *name);

/* The sentence that refuses a name which is no event of the comparison, with the nearest one. To be freed. */
char *compare_stranger(const struct comparison *comparison, const char *name);

void compare_free(struct comparison *comparison);
