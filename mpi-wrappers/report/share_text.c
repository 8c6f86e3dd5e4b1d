/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/share_text.h"

#include "components/counted/counted_advice.h"
#include "report/figure.h"

#include <string.h>

enum { MOST_LIBRARIES = 3, MOST_ROUTINES = 3, COLUMNS = 32, FEW = 100 };
static const double little = 0.005;

struct text {
    char *to;
    size_t size;
};

#define append(text, ...) figure_append((text)->to, (text)->size, __VA_ARGS__)

static const char *percent(uint64_t part, const struct job_share *share, struct figure *figure)
{
    *figure = figure_percent(figure_ratio((double)part, (double)share->samples));
    return figure->text;
}

/* The rows of one library, which are together. */
static int next_library(const struct job_share *share, int first, uint64_t *samples)
{
    int i = first;
    for (*samples = 0; i < share->n && strcmp(share->row[i].library, share->row[first].library) == 0; i++)
        *samples += share->row[i].samples;
    return i;
}

static void say_routines(struct text *text, const struct job_share *share, int first, int next)
{
    char name[4 * COLUMNS + 1];
    struct figure figure;
    for (int i = first; i < next && i < first + MOST_ROUTINES; i++) {
        const struct share_row *row = &share->row[i];
        if (i > first && (double)row->samples < little * (double)share->samples)
            break;
        figure_name(name, sizeof name, row->routine[0] != '\0' ? row->routine : "(no name)", COLUMNS);
        append(text, "%s%s %s", i > first ? ", " : "", name, percent(row->samples, share, &figure));
    }
}

static void say_others(struct text *text, const struct job_share *share)
{
    char name[4 * COLUMNS + 1];
    struct figure figure;
    uint64_t samples;
    bool algebra = false;
    for (int i = 0, next, libraries = 0; i < share->n && libraries < MOST_LIBRARIES; i = next, libraries++) {
        next = next_library(share, i, &samples);
        if ((double)samples < little * (double)share->samples)
            break;
        figure_name(name, sizeof name, figure_base_name(share->row[i].library), COLUMNS);
        append(text, "%s %s in %s (",
               libraries > 0 ? "," : "; not counted:", percent(samples, share, &figure), name);
        say_routines(text, share, i, next);
        append(text, ")");
        algebra |= counted_linear_algebra(share->row[i].library);
    }
    append(text, "; to have it counted, build it with papi_counted, too%s, or run once under papi_emulate",
           algebra ? " (BLAS and LAPACK: link with counted ones)" : "");
}

void share_sentence(char *to, size_t size, const struct job *job)
{
    const struct job_share *share = &job->share;
    struct text text = {to, size};
    struct figure figure;
    to[0] = '\0';
    if (share->samples > 0)
        append(
            &text,
            "counted code: %s of the processor time outside MPI (main threads, %llu samples%s), least %s on "
            "rank %llu",
            percent(share->counted, share, &figure), (unsigned long long)share->samples,
            share->samples < FEW ? ", which are few" : "", figure_percent((double)share->least / 10000).text,
            (unsigned long long)share->least_rank);
    if (share->counted < share->samples)
        say_others(&text, share);
    if (share->unknown > 0)
        append(&text,
               "%sits share of the processor time is not known of %llu %s, which took SIGPROF or ended early",
               to[0] != '\0' ? "; " : "counted code: ", (unsigned long long)share->unknown,
               share->unknown == 1 ? "rank" : "ranks");
}
