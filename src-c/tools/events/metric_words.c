/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric_words.h"
#include "papi.h"

#include <stdio.h>

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

static void show_value(struct report *report, const struct metrics_row *row, bool known, double value,
                       const char *reason)
{
    if (known)
        report_line(report, row->name, "%.6g%s%s", value, row->unit[0] != '\0' ? " " : "", row->unit);
    else
        report_line(report, row->name, "- (%s)", reason);
    if (known)
        report_exact(report, NULL, "value", value);
    else
        report_number(report, NULL, "value", REPORT_UNKNOWN);
    report_string(report, NULL, "reason", known ? NULL : reason);
}

void by_name_show(const struct by_name *by_name, struct report *report, metrics_lookup *lookup,
                  const void *context, bool show_formulas)
{
    report_list(report, "metrics");
    for (int i = 0; i < by_name->picks.n; i++) {
        const struct metrics_pick *pick = &by_name->picks.pick[i];
        struct reason why = pick->why;
        double value = 0;
        bool known = why.code == PAPI_OK &&
                     metrics_value(pick->row->formula, lookup, context, &value, &why) == PAPI_OK;
        report_object(report, NULL);
        report_string(report, NULL, "name", pick->row->name);
        report_string(report, NULL, "unit", pick->row->unit);
        show_value(report, pick->row, known, value, why.text);
        report_string(report, NULL, "formula", pick->row->formula);
        report_string(report, NULL, "description", pick->row->description);
        if (show_formulas)
            report_line(report, NULL, "    = %s: %s", pick->row->formula, pick->row->description);
        report_end(report);
    }
    report_end(report);
}

void by_name_close(struct by_name *by_name)
{
    metrics_picks_free(&by_name->picks);
    metrics_free(by_name->metrics);
}
