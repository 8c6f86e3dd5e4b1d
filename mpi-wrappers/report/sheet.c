/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sheet.h"
#include "report/figure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

struct sheet sheet_on(FILE *out)
{
    struct winsize size = {.ws_col = 0};
    struct sheet sheet = {out, SHEET_COLUMNS, 0};
    /* Launchers of MPI run their ranks in pseudo-terminals without a width. */
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_col < SHEET_COLUMNS)
        sheet.columns = SHEET_NARROW;
    return sheet;
}

int sheet_most(const struct sheet *sheet, int lines)
{
    return (lines * SHEET_COLUMNS + sheet->columns - 1) / sheet->columns;
}

/* ---- lines */

static void put(struct sheet *sheet, int indent, const char *text)
{
    char clean[4 * SHEET_COLUMNS + 8];
    if (sheet->lines >= sheet_most(sheet, SHEET_LINES))
        return;
    figure_name(clean, sizeof clean, text, sheet->columns - indent);
    size_t length = strlen(clean);
    while (length > 0 && clean[length - 1] == ' ')
        clean[--length] = '\0';
    fprintf(sheet->out, "%*s%s\n", length > 0 ? indent : 0, "", clean);
    sheet->lines++;
}

void sheet_line(struct sheet *sheet, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(sheet, 0, text);
}

/* ---- rows */

/* The least spare number of the columns that are left out: those that remain, with smaller numbers, fit the
 * sheet. */
static int left_out(const struct sheet *sheet, const struct sheet_column *column)
{
    for (int least = SHEET_COLUMNS;;) {
        int columns = -1, greatest = 0;
        for (int i = 0; column[i].width > 0; i++)
            if (column[i].spare < least) {
                columns += column[i].width + 1;
                greatest = column[i].spare > greatest ? column[i].spare : greatest;
            }
        if (columns <= sheet->columns || greatest == 0)
            return least;
        least = greatest;
    }
}

static int columns_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void sheet_row(struct sheet *sheet, const struct sheet_column *column, const char *const *cell)
{
    char text[1024] = "";
    int without = left_out(sheet, column), at = 0, end = -1;
    for (int i = 0; column[i].width > 0; i++) {
        int columns = columns_of(cell[i]), blanks;
        if (column[i].spare >= without)
            continue;
        end += column[i].width + 1;
        blanks = i == 0 ? 0 : end - at - columns > 1 ? end - at - columns : 1;
        if (at + blanks + columns > sheet->columns)
            continue;
        figure_append(text, sizeof text, "%*s%s", blanks, "", cell[i]);
        at += blanks + columns;
    }
    put(sheet, 0, text);
}

void sheet_head(struct sheet *sheet, const struct sheet_column *column, const char *title)
{
    enum { MOST = 16, ROOM = 4 * SHEET_COLUMNS + 1 };
    char shown[MOST][ROOM];
    const char *cell[MOST] = {title};
    for (int i = 1; i < MOST && column[i].width > 0; i++) {
        figure_name(shown[i], ROOM, column[i].head, column[i].width);
        cell[i] = shown[i];
    }
    sheet_row(sheet, column, cell);
}

/* ---- sentences */

/* True where a line may end: not before the % of a number. */
static bool may_end(const char *at)
{
    return *at == ' ' && at[1] != '%';
}

/* Bytes of the first line of text when it has so many columns; *rest: where the next one begins. A text whose
 * parts have two blanks between them is broken there alone, if one fits. */
static size_t first_line(const char *text, int columns, const char **rest)
{
    size_t blank = 0, part = 0, at = 0;
    for (int column = 0; text[at] != '\0'; at++) {
        column += ((unsigned char)text[at] & 0xc0) != 0x80;
        if (may_end(&text[at]) && text[at + 1] == ' ')
            part = at;
        if (column > columns)
            break;
        if (may_end(&text[at]))
            blank = at;
    }
    size_t length = text[at] == '\0' ? at : part > 0 ? part : blank == 0 || may_end(&text[at]) ? at : blank;
    *rest = text + length;
    *rest += strspn(*rest, " ");
    return length;
}

int sheet_lines_for(const struct sheet *sheet, int indent, int lines, const char *text)
{
    int n = 0, most = sheet_most(sheet, lines);
    for (int at = 0; *text != '\0' && n < most; at = indent, n++)
        first_line(text, sheet->columns - at, &text);
    return n;
}

void sheet_wrapped(struct sheet *sheet, int indent, int lines, const char *text)
{
    int at = 0;
    for (lines = sheet_most(sheet, lines); lines > 1 && *text != '\0'; lines--, at = indent) {
        char part[4 * SHEET_COLUMNS + 8];
        const char *rest;
        size_t length = first_line(text, sheet->columns - at, &rest);
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        put(sheet, at, part);
        text = rest;
    }
    if (*text != '\0')
        put(sheet, at, text);
}

/* ---- places of calls */

/* The routine as the table has room for it: of C++'s, without the types of its arguments. */
static int routine_length(const char *routine)
{
    size_t at = strlen(routine), length = at;
    int depth = 0;
    if (length > 6 && strcmp(routine + length - 6, " const") == 0)
        at -= 6;
    if (at == 0 || routine[at - 1] != ')')
        return (int)length;
    do
        at--, depth += (routine[at] == ')') - (routine[at] == '(');
    while (at > 0 && depth > 0);
    return (int)(at > 0 && routine[at - 1] != ' ' ? at : length);
}

bool site_is_named(const struct job *job, const struct job_site *site)
{
    if (site->object < 0 || site->frames == 0)
        return false;
    const char *object = figure_base_name(job->object[site->object].path);
    const char *routine = job->frame[site->first_frame].routine;
    size_t length = strlen(object);
    return strncmp(routine, object, length) != 0 || strncmp(routine + length, "+0x", 3) != 0;
}

const char *site_text(char text[SITE_TEXT], const struct job *job, const struct job_site *site)
{
    const char *object = site->object >= 0 ? figure_base_name(job->object[site->object].path) : "";
    if (!site_is_named(job, site)) {
        snprintf(text, SITE_TEXT, site->object < 0 ? "in no file" : "%.200s+0x%" PRIx64, object,
                 site->address);
        return text;
    }
    const struct job_frame *frame = &job->frame[site->first_frame];
    const struct job_frame *outer = &frame[site->frames - 1];
    int n = frame->line > 0 ? snprintf(text, SITE_TEXT, "%s:%" PRIu64 " %.*s", figure_base_name(frame->file),
                                       frame->line, routine_length(frame->routine), frame->routine)
                            : snprintf(text, SITE_TEXT, "%.*s (%.48s)", routine_length(frame->routine),
                                       frame->routine, object);
    if (site->frames > 1 && n < SITE_TEXT)
        snprintf(text + n, SITE_TEXT - (size_t)n, " (in %.*s)", routine_length(outer->routine),
                 outer->routine);
    return text;
}

const char *site_phrase(char text[SITE_TEXT], const struct job *job, const struct job_site *site)
{
    char plain[SITE_TEXT];
    if (!site_is_named(job, site)) {
        snprintf(text, SITE_TEXT, "%s%.*s", site->object < 0 ? "" : "at ", SITE_TEXT - 4,
                 site_text(plain, job, site));
        return text;
    }
    const struct job_frame *frame = &job->frame[site->first_frame];
    int length = routine_length(frame->routine);
    if (frame->line > 0)
        snprintf(text, SITE_TEXT, "at %s:%" PRIu64 " in %.*s", figure_base_name(frame->file), frame->line,
                 length, frame->routine);
    else
        snprintf(text, SITE_TEXT, "in %.*s (%.200s)", length, frame->routine,
                 figure_base_name(job->object[site->object].path));
    return text;
}

/* ---- the sites of two results */

/* A call site, and what is compared of it. */
struct place {
    const struct job_site *site;
    const char *file, *routine, *outer; /* "": not known. outer: into which the routine is inlined */
    uint64_t line;
};

static struct place place_of(const struct job *job, const struct job_site *site)
{
    const struct job_frame *frame = site->frames > 0 ? &job->frame[site->first_frame] : NULL;
    const char *object = site->object >= 0 ? job->object[site->object].path : "";
    bool has_line = frame != NULL && frame->line > 0;
    return (struct place){.site = site,
                          .file = figure_base_name(has_line ? frame->file : object),
                          .routine = frame != NULL ? frame->routine : "",
                          .outer = frame != NULL ? frame[site->frames - 1].routine : "",
                          .line = has_line ? frame->line : site->address};
}

/* True if it is the same call in the same routine. */
static int compare_groups(const struct place *a, const struct place *b)
{
    int order = strcmp(a->file, b->file);
    order = order != 0 ? order : strcmp(a->routine, b->routine);
    return order != 0 ? order : (a->site->call > b->site->call) - (a->site->call < b->site->call);
}

static int in_order(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    int order = compare_groups(a, b);
    order = order != 0 ? order : (a->line > b->line) - (a->line < b->line);
    order = order != 0 ? order : strcmp(a->outer, b->outer);
    return order != 0 ? order : (a->site->address > b->site->address) - (a->site->address < b->site->address);
}

static int sorted_places(struct place *place, const struct job *job)
{
    int n = 0;
    for (int i = 0; i < job->n_sites; i++)
        if (job->site[i].calls > 0)
            place[n++] = place_of(job, &job->site[i]);
    qsort(place, (size_t)n, sizeof *place, in_order);
    return n;
}

/* ---- one call in one routine */

/* Between two runs a program may have been edited, so that its call sites have other lines. Sites are
 * therefore compared in groups: the same MPI call in the same routine of the same file, which edits seldom
 * change. If both runs have equally many sites in a group, they are paired in the order of their lines,
 * whatever those are. Otherwise a site was added or removed: then the shift is found by which most lines of
 * one run are lines of the other, the smallest if several do equally well. Sites that this shift maps onto
 * each other are paired, the others in their order as far as there are any on both sides, and the rest has no
 * partner. Groups are small, so that trying the shift of each pair, which takes time of the third power, is
 * cheap. */

struct group {
    const struct place *place;
    int n;
    bool has[MAX_JOB_SITES]; /* found in the other */
};

static void take(struct group *group, const struct place *place, const struct place *end)
{
    memset(group, 0, sizeof *group);
    group->place = place;
    while (place + group->n < end && compare_groups(place, place + group->n) == 0)
        group->n++;
}

static void join(struct site_pair *pair, int *n, struct group *here, int i, struct group *there, int k)
{
    pair[(*n)++] = (struct site_pair){here->place[i].site, there->place[k].site};
    here->has[i] = there->has[k] = true;
}

/* Number of lines that both runs have, if the lines of this one are shifted by so many. */
static int agreeing(const struct group *here, const struct group *there, int64_t shift)
{
    int n = 0;
    for (int i = 0, k = 0; i < here->n && k < there->n;) {
        int64_t apart = (int64_t)(here->place[i].line - there->place[k].line) - shift;
        n += apart == 0;
        i += apart <= 0;
        k += apart >= 0;
    }
    return n;
}

/* The number of lines by which most call sites have moved; the smallest of several. */
static int64_t best_shift(const struct group *here, const struct group *there)
{
    int64_t best = 0;
    int most = agreeing(here, there, 0);
    for (int i = 0; i < here->n; i++)
        for (int k = 0; k < there->n; k++) {
            int64_t shift = (int64_t)(here->place[i].line - there->place[k].line);
            int n = agreeing(here, there, shift);
            if (n > most || (n == most && llabs(shift) < llabs(best))) {
                most = n;
                best = shift;
            }
        }
    return best;
}

static void join_moved(struct site_pair *pair, int *n, struct group *here, struct group *there)
{
    int64_t shift = best_shift(here, there);
    for (int i = 0, k = 0; i < here->n && k < there->n;) {
        int64_t apart = (int64_t)(here->place[i].line - there->place[k].line) - shift;
        if (apart == 0)
            join(pair, n, here, i, there, k);
        i += apart <= 0;
        k += apart >= 0;
    }
}

/* Pairs the sites that have no partner yet in their order: the first of both, the second of both, and so
 * on. */
static void join_in_order(struct site_pair *pair, int *n, struct group *here, struct group *there)
{
    for (int i = 0, k = 0; i < here->n && k < there->n;) {
        if (!here->has[i] && !there->has[k])
            join(pair, n, here, i, there, k);
        i += here->has[i];
        k += k < there->n && there->has[k];
    }
}

static void pair_groups(struct site_pair *pair, int *n, struct group *here, struct group *there)
{
    if (here->n != there->n)
        join_moved(pair, n, here, there);
    join_in_order(pair, n, here, there);
    for (int i = 0; i < here->n; i++)
        if (!here->has[i])
            pair[(*n)++] = (struct site_pair){here->place[i].site, NULL};
    for (int i = 0; i < there->n; i++)
        if (!there->has[i])
            pair[(*n)++] = (struct site_pair){NULL, there->place[i].site};
}

/* ---- all */

static uint64_t difference(const struct site_pair *pair)
{
    uint64_t here = pair->here != NULL ? pair->here->ns : 0,
             there = pair->there != NULL ? pair->there->ns : 0;
    return here > there ? here - there : there - here;
}

static uint64_t whole(const struct site_pair *pair)
{
    return (pair->here != NULL ? pair->here->ns : 0) + (pair->there != NULL ? pair->there->ns : 0);
}

/* Compares two pairs by their difference, then by their time. Equal ones stay in the order of this run,
 * followed by those that only the other one has. */
static int by_difference(const void *one, const void *other)
{
    const struct site_pair *x = one, *y = other;
    uint64_t a = difference(x), b = difference(y), all = whole(x), other_all = whole(y);
    if (a != b || all != other_all)
        return a != b ? (a < b) - (a > b) : (all < other_all) - (all > other_all);
    if (x->here == NULL || y->here == NULL)
        return x->here == y->here ? (x->there > y->there) - (x->there < y->there)
                                  : (x->here == NULL) - (y->here == NULL);
    return (x->here > y->here) - (x->here < y->here);
}

int site_pairs(struct site_pair pair[MAX_SITE_PAIRS], const struct job *job, const struct job *reference)
{
    struct place ours[MAX_JOB_SITES], theirs[MAX_JOB_SITES];
    struct group here, there;
    const struct place *a = ours, *b = theirs, *end = ours + sorted_places(ours, job),
                       *other_end = theirs + sorted_places(theirs, reference);
    int n = 0;
    while (a < end || b < other_end) {
        int order = a == end ? 1 : b == other_end ? -1 : compare_groups(a, b);
        take(&here, a, order <= 0 ? end : a);
        take(&there, b, order >= 0 ? other_end : b);
        pair_groups(pair, &n, &here, &there);
        a += here.n;
        b += there.n;
    }
    qsort(pair, (size_t)n, sizeof *pair, by_difference);
    return n;
}
