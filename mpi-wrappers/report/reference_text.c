/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure.h"
#include "report/reference.h"
#include "report/sheet.h"
#include "report/site_pairs.h"
#include "report/site_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static void line(struct sheet *sheet, const char *name, const char *here, const char *there,
                 const char *ratio)
{
    sheet_line(sheet, "%-30s %14s %14s %12s", name, here, there, ratio);
}

static void factor_text(char text[16], double value)
{
    if (isnan(value))
        snprintf(text, 16, "n/a");
    else
        snprintf(text, 16, "%.3f", value);
}

static void figure_line(struct sheet *sheet, const struct compared *compared)
{
    char here[FIGURE_ROOM], there[FIGURE_ROOM], ratio[16] = "";
    factor_text(here, compared->here);
    factor_text(there, compared->there);
    if (compared->kind == COMPARED_VALUE) {
        strcpy(here, figure(compared->here, compared->unit).text);
        strcpy(there, figure(compared->there, compared->unit).text);
    }
    if (compared->kind != COMPARED_SCALING)
        factor_text(ratio, figure_ratio(compared->here, compared->there));
    line(sheet, compared->name, here, there, ratio);
}

static void job_lines(struct sheet *sheet, const struct job *job, const struct job *reference)
{
    const struct job *both[] = {job, reference};
    char text[2][32] = {"", ""}, name[2][4 * 14 + 1];
    for (int i = 0; i < 2; i++) {
        time_t started = (time_t)both[i]->started;
        struct tm broken;
        if (started > 0 && localtime_r(&started, &broken) != NULL)
            strftime(text[i], sizeof text[i], "%y-%m-%d %H:%M", &broken);
        figure_name(name[i], sizeof name[i], figure_base_name(both[i]->program), 14);
    }
    line(sheet, "", "this run", "reference", "ratio");
    line(sheet, "program", name[0], name[1], "");
    line(sheet, "started", text[0], text[1], "");
}

static void figure_lines(struct sheet *sheet, const struct job *job, const struct job *reference,
                         const struct comparison *comparison)
{
    struct compared compared[MAX_COMPARED];
    int n = compared_figures(compared, job, reference, comparison);
    for (int i = 0; i < n; i++) {
        if (strcmp(compared[i].key, "global") == 0)
            sheet_line(sheet, "%s", "");
        figure_line(sheet, &compared[i]);
    }
}

/* ------------------------------------------------------------------- call sites */

enum { NAME_COLUMNS = 52, MOST_SITES = 8 };
static const struct sheet_column site_columns[] = {
    {NAME_COLUMNS, 0, ""},  {9, 0, "this run"},   {9, 0, "reference"}, {7, 0, "ratio"},
    {12, 1, "calls, this"}, {11, 1, "reference"}, {0, 0, NULL}};

static uint64_t line_of(const struct job *job, const struct job_site *site)
{
    return site->frames > 0 ? job->frame[site->first_frame].line : 0;
}

/* "MPI_Send halo.f90:57 (was 52) halo::exchange". */
static void pair_name(char *name, size_t room, const struct job *job, const struct job *reference,
                      const struct site_pair *pair)
{
    const struct job_site *site = pair->here != NULL ? pair->here : pair->there;
    char where[SITE_TEXT], text[SITE_TEXT + 64];
    uint64_t before = pair->there != NULL ? line_of(reference, pair->there) : 0;
    site_text(where, pair->here != NULL ? job : reference, site);
    int first = (int)strcspn(where, " ");
    if (pair->here != NULL && before > 0 && before != line_of(job, site))
        snprintf(text, sizeof text, "%s %.*s (was %" PRIu64 ")%s", call_name[site->call], first, where,
                 before, where + first);
    else
        snprintf(text, sizeof text, "%s %s", call_name[site->call], where);
    figure_name(name, room, text, NAME_COLUMNS);
}

static void pair_line(struct sheet *sheet, const struct job *job, const struct job *reference,
                      const struct site_pair *pair)
{
    const struct job_site *here = pair->here, *there = pair->there;
    char name[4 * NAME_COLUMNS + 1], ratio[16] = "";
    pair_name(name, sizeof name, job, reference, pair);
    if (here == NULL || there == NULL)
        strcpy(ratio, here == NULL ? "gone" : "new");
    else
        factor_text(ratio, figure_ratio((double)here->ns, (double)there->ns));
    sheet_row(sheet, site_columns,
              (const char *const[]){name, here == NULL ? "" : figure((double)here->ns, "ns").text,
                                    there == NULL ? "" : figure((double)there->ns, "ns").text, ratio,
                                    here == NULL ? "" : figure((double)here->calls, "").text,
                                    there == NULL ? "" : figure((double)there->calls, "").text});
}

/* As many as have room, those first whose times differ most. */
static void site_lines(struct sheet *sheet, const struct job *job, const struct job *reference)
{
    struct site_pair pair[MAX_SITE_PAIRS];
    int n = site_pairs(pair, job, reference), fresh = 0, gone = 0;
    char title[128];
    if (job->n_sites == 0 || reference->n_sites == 0) {
        if (job->n_sites != reference->n_sites)
            sheet_line(sheet, "call sites are not compared: %s has none",
                       job->n_sites == 0 ? "this run" : "the reference");
        return;
    }
    for (int i = 0; i < n; i++) {
        fresh += pair[i].there == NULL;
        gone += pair[i].here == NULL;
    }
    snprintf(title, sizeof title, "call sites: %d in both, %d new, %d gone", n - fresh - gone, fresh, gone);
    int room = sheet_most(sheet, SHEET_LINES) - sheet->lines - 2;
    if (room < 1)
        return;
    sheet_line(sheet, "%s", "");
    sheet_head(sheet, site_columns, title);
    for (int i = 0; i < n && i < room && i < MOST_SITES; i++)
        pair_line(sheet, job, reference, &pair[i]);
}

void report_comparison(FILE *out, const struct job *job, const struct job *reference)
{
    struct sheet sheet = sheet_on(out);
    struct comparison comparison = compare(job, reference);
    char verdict[COMPARISON_VERDICT], caveat[MAX_CAVEATS][CAVEAT_ROOM];
    comparison_verdict(verdict, job, reference, &comparison);
    sheet_wrapped(&sheet, 2, 2, verdict);
    sheet_line(&sheet, "%s", "");
    job_lines(&sheet, job, reference);
    figure_lines(&sheet, job, reference, &comparison);
    sheet_line(&sheet, "%s", "");
    int n = comparison_caveats(caveat, job, reference, &comparison);
    for (int i = 0; i < n; i++)
        sheet_wrapped(&sheet, 2, 2, caveat[i]);
    site_lines(&sheet, job, reference);
}
