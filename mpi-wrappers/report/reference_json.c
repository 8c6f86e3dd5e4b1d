/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "report/figure.h"
#include "report/reference.h"
#include "report/site_pairs.h"

#include <math.h>
#include <string.h>

/* base/json.c with a depth of 0 puts an object on one line. */

static void write_run(FILE *out, const char *key, const struct job *job)
{
    struct json json = {.out = out};
    fprintf(out, ",\n  \"%s\": {", key);
    json_string(&json, "name", job->job);
    json_string(&json, "program", job->program);
    json_integer(&json, "started", job->started);
    json_integer(&json, "ranks", (long long)job->ranks);
    json_integer(&json, "nodes", (long long)job->nodes);
    fputc('}', out);
}

static void write_figure(FILE *out, const struct compared *compared)
{
    struct json json = {.out = out};
    json_string(&json, "key", compared->key);
    json_string(&json, "name", compared->name + strspn(compared->name, " "));
    json_string(&json, "unit", compared->unit);
    json_real(&json, "value", compared->here);
    json_real(&json, "reference", compared->there);
    json_real(&json, "ratio", figure_ratio(compared->here, compared->there));
}

static void write_side(struct json *json, const char *key, const struct job *job, const struct job_site *site)
{
    const struct job_frame none = {.routine = ""};
    const struct job_frame *frame = site != NULL && site->frames > 0 ? &job->frame[site->first_frame] : &none;
    if (site == NULL) {
        json_string(json, key, NULL);
        return;
    }
    struct json inner = {.out = json->out};
    fprintf(json->out, "%s\"%s\": {", json->follows ? "," : "", key);
    json_string(&inner, "file", frame->file);
    json_integer(&inner, "line", (long long)frame->line);
    json_string(&inner, "object", site->object >= 0 ? job->object[site->object].path : "");
    json_integer(&inner, "address", (long long)site->address);
    for (const struct job_field *field = job_site_fields; field->key != NULL; field++)
        json_integer(&inner, field->key, (long long)job_number(site, field));
    fputc('}', json->out);
    json->follows = true;
}

static void write_pair(FILE *out, const struct job *job, const struct job *reference,
                       const struct site_pair *pair)
{
    struct json json = {.out = out};
    const struct job_site *site = pair->here != NULL ? pair->here : pair->there;
    const struct job *of = pair->here != NULL ? job : reference;
    json_string(&json, "call", call_name[site->call]);
    json_string(&json, "routine", site->frames > 0 ? of->frame[site->first_frame].routine : "");
    write_side(&json, "here", job, pair->here);
    write_side(&json, "reference", reference, pair->there);
}

static void write_caveats(FILE *out, const struct job *job, const struct job *reference,
                          const struct comparison *comparison)
{
    char caveat[MAX_CAVEATS][CAVEAT_ROOM];
    struct json json = {.out = out};
    int n = comparison_caveats(caveat, job, reference, comparison);
    fputs(",\n  \"remarks\": [", out);
    for (int i = 0; i < n; i++)
        json_string(&json, NULL, caveat[i]);
    fputc(']', out);
}

/* {"a": 1}, {"a": 2}: each on a line. */
static void begin_item(FILE *out, int i)
{
    fprintf(out, "%s\n    {", i > 0 ? "," : "");
}

void report_comparison_json(FILE *out, const struct job *job, const struct job *reference)
{
    struct comparison comparison = compare(job, reference);
    struct compared compared[MAX_COMPARED];
    struct site_pair pair[MAX_SITE_PAIRS];
    char verdict[COMPARISON_VERDICT];
    struct json json = {.out = out, .depth = 1};
    comparison_verdict(verdict, job, reference, &comparison);
    fputc('{', out);
    json_string(&json, "format", "papi_mpi comparison");
    json_integer(&json, "version", 1);
    json_string(&json, "verdict", verdict);
    write_run(out, "job", job);
    write_run(out, "reference", reference);
    int n = compared_figures(compared, job, reference, &comparison);
    fputs(",\n  \"figures\": [", out);
    for (int i = 0; i < n; i++) {
        begin_item(out, i);
        write_figure(out, &compared[i]);
        fputc('}', out);
    }
    n = site_pairs(pair, job, reference);
    fputs("\n  ],\n  \"sites\": [", out);
    for (int i = 0; i < n; i++) {
        begin_item(out, i);
        write_pair(out, job, reference, &pair[i]);
        fputc('}', out);
    }
    fputs("\n  ]", out);
    write_caveats(out, job, reference, &comparison);
    fputs("\n}\n", out);
}
