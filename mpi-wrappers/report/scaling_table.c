/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table of runs as text, JSON and CSV.
 */
#include "report/scaling.h"

#include "base/json.h"
#include "report/figure.h"
#include "report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 28, VALUE_COLUMNS = 9 };

/* ---- text */

/* The columns of the sheet. Where there is no room for all runs, those between the first and the last are
 * left out, at first every other one. */
static void make_columns(struct sheet_column column[MAX_RUNS + 2], char head[MAX_RUNS][24],
                         const struct scaling *scaling)
{
    int spare = 0;
    memset(column, 0, (MAX_RUNS + 2) * sizeof *column);
    column[0] = (struct sheet_column){NAME_COLUMNS, 0, ""};
    for (int i = 0; i < scaling->n; i++) {
        snprintf(head[i], sizeof head[i], "%" PRIu64, scaling->column[i].job->ranks);
        column[i + 1] = (struct sheet_column){VALUE_COLUMNS, 0, head[i]};
    }
    for (int step = MAX_RUNS; step > 0; step /= 2) /* multiples of 32, then of 16, ... which are none of 32 */
        for (int i = step; i < scaling->n - 1; i += 2 * step)
            column[i + 1].spare = ++spare;
}

static struct figure cell_of(enum scaling_row row, double value)
{
    struct figure cell;
    if (row == SCALING_ELAPSED)
        return figure(value, "ns");
    if (isnan(value))
        return (struct figure){"n/a"};
    snprintf(cell.text, sizeof cell.text, row == SCALING_SPEEDUP ? "%.2f" : "%.3f", value);
    return cell;
}

static void put_row(struct sheet *sheet, const struct sheet_column *column, const char *name, int n,
                    struct figure text[MAX_RUNS])
{
    const char *cell[MAX_RUNS + 1] = {name};
    for (int i = 0; i < n; i++)
        cell[i + 1] = text[i].text;
    sheet_row(sheet, column, cell);
}

static bool known_somewhere(const struct scaling *scaling, enum scaling_row row)
{
    bool known = false;
    for (int i = 0; i < scaling->n; i++)
        known = known || !isnan(scaling->column[i].value[row]);
    return known;
}

/* True if the row is worth its line. On one node, the balance in nodes is that of the whole. */
static bool says_something(const struct scaling *scaling, enum scaling_row row)
{
    bool of_nodes = row == SCALING_IN_NODES || row == SCALING_ACROSS_NODES;
    return known_somewhere(scaling, row) && !(of_nodes && scaling->column[scaling->n - 1].job->nodes < 2);
}

static void put_counts(struct sheet *sheet, const struct sheet_column *column, const struct scaling *scaling)
{
    struct figure nodes[MAX_RUNS], runs[MAX_RUNS];
    bool repeated = false;
    for (int i = 0; i < scaling->n; i++) {
        nodes[i] = figure((double)scaling->column[i].job->nodes, "");
        runs[i] = figure(scaling->column[i].runs, "");
        repeated = repeated || scaling->column[i].runs > 1;
    }
    put_row(sheet, column, "nodes", scaling->n, nodes);
    if (repeated)
        put_row(sheet, column, "runs (the median is shown)", scaling->n, runs);
}

static void put_table(struct sheet *sheet, const struct scaling *scaling)
{
    struct sheet_column column[MAX_RUNS + 2];
    char head[MAX_RUNS][24];
    struct figure heads[MAX_RUNS];
    make_columns(column, head, scaling);
    for (int i = 0; i < scaling->n; i++)
        snprintf(heads[i].text, sizeof heads[i].text, "%s", head[i]);
    put_row(sheet, column, "ranks", scaling->n, heads);
    put_counts(sheet, column, scaling);
    for (enum scaling_row row = 0; row < SCALING_ROWS; row++) {
        struct figure text[MAX_RUNS];
        for (int i = 0; i < scaling->n; i++)
            text[i] = cell_of(row, scaling->column[i].value[row]);
        if (says_something(scaling, row))
            put_row(sheet, column, scaling_name[row], scaling->n, text);
    }
}

void scaling_text(FILE *out, const struct scaling *scaling)
{
    struct sheet sheet = sheet_on(out);
    char verdict[SCALING_VERDICT], remark[MAX_SCALING_REMARKS][SCALING_REMARK];
    scaling_verdict(verdict, scaling);
    sheet_wrapped(&sheet, 2, 8, verdict);
    sheet_line(&sheet, "%s", "");
    put_table(&sheet, scaling);
    sheet_line(&sheet, "%s", "");
    int n = scaling_remarks(remark, scaling);
    for (int i = 0; i < n; i++)
        sheet_wrapped(&sheet, 2, 3, remark[i]);
}

/* ---- JSON */

static void write_run(struct json *json, const struct scaling_column *column)
{
    const struct job *job = column->job;
    json_open(json, NULL, '{');
    json_integer(json, "ranks", (long long)job->ranks);
    json_integer(json, "nodes", (long long)job->nodes);
    json_integer(json, "runs", column->runs);
    json_string(json, "name", job->job);
    json_string(json, "program", job->program);
    json_integer(json, "started", (long long)job->started);
    json_real(json, "least_elapsed", column->least);
    json_real(json, "most_elapsed", column->most);
    for (enum scaling_row row = 0; row < SCALING_ROWS; row++)
        json_real(json, scaling_key[row], column->value[row]);
    json_close(json, '}');
}

static void write_estimate(struct json *json, const struct scaling *scaling, int ahead)
{
    const struct growth_range *range = scaling->estimate[ahead];
    double ranks = (double)scaling->column[scaling->n - 1].job->ranks * scaling_ahead[ahead];
    json_open(json, NULL, '{');
    json_integer(json, "ranks", (long long)ranks);
    json_integer(json, "times", scaling_ahead[ahead]);
    json_string(json, "law", range[SCALING_GLOBAL].law);
    json_open(json, scaling_key[SCALING_ELAPSED], '[');
    json_real(json, NULL, scaling_elapsed(scaling, range[SCALING_GLOBAL].high, ranks));
    json_real(json, NULL, scaling_elapsed(scaling, range[SCALING_GLOBAL].low, ranks));
    json_close(json, ']');
    for (enum scaling_row row = SCALING_GLOBAL; row < SCALING_ROWS; row++)
        if (range[row].law != NULL) {
            json_open(json, scaling_key[row], '[');
            json_real(json, NULL, range[row].low);
            json_real(json, NULL, range[row].high);
            json_close(json, ']');
        }
    json_close(json, '}');
}

static void write_names(struct json *json)
{
    json_open(json, "rows", '[');
    for (enum scaling_row row = 0; row < SCALING_ROWS; row++) {
        json_open(json, NULL, '{');
        json_string(json, "key", scaling_key[row]);
        json_string(json, "name", scaling_name[row] + strspn(scaling_name[row], " "));
        json_integer(json, "depth", (long long)(strspn(scaling_name[row], " ") / 2));
        json_string(json, "unit", row == SCALING_ELAPSED ? "ns" : "");
        json_close(json, '}');
    }
    json_close(json, ']');
}

void scaling_json(FILE *out, const struct scaling *scaling)
{
    static const char *const kinds[] = {
        [SCALING_STRONG] = "strong", [SCALING_WEAK] = "weak", [SCALING_UNKNOWN] = NULL};
    char verdict[SCALING_VERDICT], remark[MAX_SCALING_REMARKS][SCALING_REMARK];
    struct json json = {.out = out};
    scaling_verdict(verdict, scaling);
    json_open(&json, NULL, '{');
    json_string(&json, "format", "papi_mpi scaling");
    json_integer(&json, "version", 1);
    json_string(&json, "verdict", verdict);
    json_string(&json, "kind", kinds[scaling->kind]);
    json_boolean(&json, "found", !scaling->given);
    json_string(&json, "work", scaling->by);
    json_real(&json, "work_ratio", scaling->work);
    json_string(&json, "factor", scaling->factor >= 0 ? scaling_key[scaling->factor] : NULL);
    write_names(&json);
    json_open(&json, "runs", '[');
    for (int i = 0; i < scaling->n; i++)
        write_run(&json, &scaling->column[i]);
    json_close(&json, ']');
    json_open(&json, "estimates", '[');
    for (int i = 0; i < SCALING_AHEAD && scaling->estimated; i++)
        write_estimate(&json, scaling, i);
    json_close(&json, ']');
    json_open(&json, "remarks", '[');
    int n = scaling_remarks(remark, scaling);
    for (int i = 0; i < n; i++)
        json_string(&json, NULL, remark[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', out);
}

/* ---- CSV */

static void put_number(FILE *out, double value)
{
    if (isnan(value))
        fputc(',', out);
    else
        fprintf(out, ",%.9g", value);
}

/* Lines of "low" and "high" are estimates. */
static void put_line(FILE *out, const struct scaling *scaling, int ahead, bool high)
{
    const struct growth_range *range = scaling->estimate[ahead];
    double ranks = (double)scaling->column[scaling->n - 1].job->ranks * scaling_ahead[ahead];
    fprintf(out, "%.0f,,0,%s", ranks, high ? "high" : "low");
    put_number(
        out, scaling_elapsed(scaling, high ? range[SCALING_GLOBAL].high : range[SCALING_GLOBAL].low, ranks));
    for (enum scaling_row row = SCALING_ELAPSED + 1; row < SCALING_ROWS; row++)
        put_number(out, range[row].law == NULL ? NAN : high ? range[row].high : range[row].low);
    fputc('\n', out);
}

void scaling_csv(FILE *out, const struct scaling *scaling)
{
    fputs("ranks,nodes,runs,kind", out);
    for (enum scaling_row row = 0; row < SCALING_ROWS; row++)
        fprintf(out, ",%s", scaling_key[row]);
    fputc('\n', out);
    for (int i = 0; i < scaling->n; i++) {
        const struct scaling_column *column = &scaling->column[i];
        fprintf(out, "%" PRIu64 ",%" PRIu64 ",%d,measured", column->job->ranks, column->job->nodes,
                column->runs);
        for (enum scaling_row row = 0; row < SCALING_ROWS; row++)
            put_number(out, column->value[row]);
        fputc('\n', out);
    }
    for (int i = 0; i < SCALING_AHEAD && scaling->estimated; i++) {
        put_line(out, scaling, i, false);
        put_line(out, scaling, i, true);
    }
}
