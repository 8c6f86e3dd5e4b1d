/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric_words.h"
#include "base/reason.h"
#include "papi.h"

#include <stdio.h>
#include <string.h>

int by_name_open(struct by_name *by_name, struct tool *tool)
{
    by_name->metrics = metrics_load();
    if (by_name->metrics == NULL)
        return tool_error(tool, "out of memory");
    const struct reason *fault = &by_name->metrics->fault;
    return fault->code == PAPI_OK ? TOOL_FINE : tool_error(tool, "%s", fault->text);
}

int by_name_take(struct by_name *by_name, struct tool *tool, int n, char **word)
{
    struct reason why;
    int status = TOOL_FINE;
    for (int i = 0; i < n && status == TOOL_FINE; i++) {
        if (!by_name_word(word[i]))
            continue;
        if (by_name->metrics == NULL)
            status = by_name_open(by_name, tool);
        if (status == TOOL_FINE &&
            metrics_pick(by_name->metrics, word[i] + 1, &by_name->picks, &why) != PAPI_OK)
            status = tool_error(tool, "%s", why.text);
    }
    return status;
}

/*   said  the reasons before: base/reason.h; NULL: this one does not stay */
static void show_value(struct report *report, const struct metrics_row *row, bool known, double value,
                       const char *reason, struct advice_said *said)
{
    char text[sizeof((struct reason *)NULL)->text];
    int length = report->json || said == NULL ? (int)strlen(reason) : advice_length(reason, said);
    snprintf(text, sizeof text, "%.*s", length, reason);
    report_sentence(report, row->name, known ? "{value:%.6g}{unit? %s}" : "- ({reason})",
                    AS_TEXT("name", row->name), AS_TEXT("unit", row->unit),
                    known ? AS_EXACT("value", value) : AS_NUMBER("value", REPORT_UNKNOWN),
                    AS_TEXT("reason", known ? NULL : text));
}

void by_name_show(const struct by_name *by_name, struct report *report, metrics_lookup *lookup,
                  const void *context, bool show_formulas)
{
    struct advice_said said = {0};
    report_list(report, "metrics");
    for (int i = 0; i < by_name->picks.n; i++) {
        const struct metrics_pick *pick = &by_name->picks.pick[i];
        struct reason why = pick->why;
        double value = 0;
        bool known = why.code == PAPI_OK &&
                     metrics_value(pick->row->formula, lookup, context, &value, &why) == PAPI_OK;
        report_object(report, NULL);
        bool stays = pick->why.code != PAPI_OK;
        show_value(report, pick->row, known, value, stays ? pick->why.text : why.text, stays ? &said : NULL);
        report_sentence(report, NULL, show_formulas ? "    = {formula}: {description}" : NULL,
                        AS_TEXT("formula", pick->row->formula),
                        AS_TEXT("description", pick->row->description));
        report_end(report);
    }
    report_end(report);
}

void by_name_close(struct by_name *by_name)
{
    metrics_picks_free(&by_name->picks);
    metrics_free(by_name->metrics);
}
