/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A history as JSON, for programs (docs/gate.md).
 */
#include "history.h"
#include "output.h"
#include "tools/common/allocate.h"

#include <jansson.h>
#include <math.h>

static json_t *json_results(const struct history *history)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < history->n; i++) {
        const struct history_result *result = &history->result[i];
        output_json_add(list, json_pack("{s:o,s:o,s:o,s:I}", "file", output_json_text(result->file), "commit",
                                        output_json_text(result->counts.revision), "subject",
                                        output_json_text(result->subject), "made",
                                        (json_int_t)result->counts.made));
    }
    return list;
}

/* A value of each result; null: it has none. (jansson's json_integer is not to be had here: base/json.h has a
 * function of this name.) */
static json_t *json_values(const struct history *history, const struct series *series)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < history->n; i++)
        output_json_add(list,
                        isnan(series->value[i]) ? json_null() : json_pack("I", (json_int_t)series->value[i]));
    return list;
}

static json_t *json_series(const struct history *history)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < history->n_series; i++) {
        const struct series *series = &history->series[i];
        output_json_add(list,
                        json_pack("{s:s,s:o,s:o,s:b,s:o}", "scope", scope_names[series->scope], "name",
                                  output_json_text(series->name), "event", output_json_text(series->event),
                                  "varies", series->varies, "values", json_values(history, series)));
    }
    return list;
}

static json_t *json_jumps(const struct history *history)
{
    json_t *list = or_end(json_array());
    for (size_t i = 0; i < history->n_jumps; i++) {
        const struct jump *jump = &history->jump[i];
        output_json_add(list, json_pack("{s:I,s:s,s:o,s:o,s:I,s:I}", "result", (json_int_t)jump->at, "scope",
                                        scope_names[jump->series->scope], "name",
                                        output_json_text(jump->series->name), "event",
                                        output_json_text(jump->series->event), "before",
                                        (json_int_t)jump->before, "after", (json_int_t)jump->after));
    }
    return list;
}

void history_json(FILE *out, const struct history *history)
{
    char *verdict = history_verdict(history);
    json_t *root = or_end(
        json_pack("{s:s,s:i,s:o,s:o,s:o,s:o,s:o,s:o}", "format", "papi_gate_history", "version", 1, "verdict",
                  output_json_text(verdict), "results", json_results(history), "series", json_series(history),
                  "jumps", json_jumps(history), "notes", output_json_texts(history->note, history->n_notes),
                  "left_out", output_json_texts(history->unread, history->n_unread)));
    json_dumpf(root, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(root);
    free(verdict);
}
