/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_csv.h"

#include "base/json.h"
#include "report/figure.h"
#include "report/site_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const struct job *job;
    const struct job_site *site;
};

struct tree {
    FILE *out;
    const struct job *job;
    struct entry entry[MAX_JOB_SITES]; /* by what calls them, from the outside in */
    int n;
};

/* ---- what calls a site */

/* At least one: where nothing is known of it, its address. */
static int callers(const struct job_site *site)
{
    return site->frames > 0 ? site->frames : 1;
}

static const struct job_frame *caller(const struct job *job, const struct job_site *site, int depth)
{
    return site->frames > 0 ? &job->frame[site->first_frame + site->frames - 1 - depth] : NULL;
}

static const char *caller_name(char text[SITE_TEXT], const struct job *job, const struct job_site *site,
                               int depth)
{
    const struct job_frame *frame = caller(job, site, depth);
    return frame != NULL ? frame->routine : site_text(text, job, site);
}

static int same_caller(const struct job *job, const struct job_site *a, const struct job_site *b, int depth)
{
    char one[SITE_TEXT], other[SITE_TEXT];
    return depth < callers(a) && depth < callers(b)
               ? strcmp(caller_name(one, job, a, depth), caller_name(other, job, b, depth))
               : callers(a) - callers(b);
}

static int in_order(const void *one, const void *other)
{
    const struct job *of = ((const struct entry *)one)->job;
    const struct job_site *a = ((const struct entry *)one)->site, *b = ((const struct entry *)other)->site;
    for (int depth = 0; depth < callers(a) || depth < callers(b); depth++) {
        int order = same_caller(of, a, b, depth);
        if (order != 0 || depth >= callers(a) || depth >= callers(b))
            return order;
    }
    return (a > b) - (a < b);
}

/* ---- nodes */

struct cost {
    double own_ns, ns; /* ns: with that of its children */
    uint64_t calls, bytes;
};

static void open_node(struct tree *tree, int follows, const char *name, const struct job_frame *frame)
{
    struct json json = {.out = tree->out, .in_line = true};
    fprintf(tree->out, "%s\n{\"frame\": {", follows ? "," : "");
    json_string(&json, "name", name);
    json_string(&json, "type", "function");
    if (frame != NULL && frame->line > 0) {
        json_string(&json, "file", frame->file);
        json_integer(&json, "line", (long long)frame->line);
    }
    fputs("}, ", tree->out);
}

static void put_cost(struct tree *tree, struct cost cost)
{
    fprintf(tree->out,
            "\"metrics\": {\"time\": %.9f, \"time (inc)\": %.9f, \"calls\": %" PRIu64 ", \"bytes\": %" PRIu64
            "}, \"children\": [",
            1e-9 * cost.own_ns, 1e-9 * cost.ns, cost.calls, cost.bytes);
}

static void put_leaf(struct tree *tree, int follows, int call, const struct job_frame *frame,
                     struct cost cost)
{
    open_node(tree, follows, call_name[call], frame);
    put_cost(tree, cost);
    fputs("]}", tree->out);
}

static double time_of(const struct tree *tree, int from, int to)
{
    double ns = 0;
    for (int i = from; i < to; i++)
        ns += (double)tree->entry[i].site->ns;
    return ns;
}

/* The sites that are called there, and then what is called in between. */
static void put_callers(struct tree *tree, int from, int to, int depth, int follows)
{
    char text[SITE_TEXT];
    for (int end; from < to; from = end, follows = 1) {
        const struct job_site *site = tree->entry[from].site;
        end = from + 1;
        if (depth == callers(site)) {
            put_leaf(tree, follows, site->call, caller(tree->job, site, callers(site) - 1),
                     (struct cost){(double)site->ns, (double)site->ns, site->calls, site->bytes});
            continue;
        }
        while (end < to && same_caller(tree->job, site, tree->entry[end].site, depth) == 0)
            end++;
        open_node(tree, follows, caller_name(text, tree->job, site, depth), NULL);
        put_cost(tree, (struct cost){.ns = time_of(tree, from, end)});
        put_callers(tree, from, end, depth + 1, 0);
        fputs("]}", tree->out);
    }
}

static uint64_t less(uint64_t whole, uint64_t part)
{
    return whole > part ? whole - part : 0;
}

/* What is in calls and at no site. */
static struct cost elsewhere(const struct tree *tree, int call)
{
    struct job_call left = tree->job->call[call];
    for (int i = 0; i < tree->n; i++) {
        const struct job_site *site = tree->entry[i].site;
        if (site->call != call)
            continue;
        left.ns = less(left.ns, site->ns);
        left.calls = less(left.calls, site->calls);
        left.bytes = less(left.bytes, site->bytes);
    }
    return (struct cost){(double)left.ns, (double)left.ns, left.calls, left.bytes};
}

static void put_elsewhere(struct tree *tree, int follows)
{
    for (int i = 0; i < CALL_COUNT; i++) {
        struct cost left = elsewhere(tree, i);
        if (left.calls > 0)
            put_leaf(tree, follows, i, NULL, left);
        follows |= left.calls > 0;
    }
}

void report_hatchet(FILE *out, const struct job *job)
{
    struct tree tree = {.out = out, .job = job};
    for (int i = 0; i < job->n_sites; i++)
        if (job->site[i].calls > 0)
            tree.entry[tree.n++] = (struct entry){job, &job->site[i]};
    qsort(tree.entry, (size_t)tree.n, sizeof *tree.entry, in_order);
    double useful = metric_sum(&job->metric[METRIC_USEFUL]), all = useful + time_of(&tree, 0, tree.n);
    for (int i = 0; i < CALL_COUNT; i++)
        all += elsewhere(&tree, i).ns;
    fputc('[', out);
    open_node(&tree, 0, figure_base_name(job->program), NULL);
    put_cost(&tree, (struct cost){.own_ns = useful, .ns = all});
    put_callers(&tree, 0, tree.n, 0, 0);
    put_elsewhere(&tree, tree.n > 0);
    fputs("]}\n]\n", out);
}
