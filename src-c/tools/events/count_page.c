/* SPDX-License-Identifier: BSD-3-Clause */
#include "count_page.h"

#include "tools/common/tool_files.h"

static int open_series(struct count_page *page, struct tool *tool, const struct count_sets *sets)
{
    int code = PAPI_OK;
    for (int i = 0; i < sets->n_events && code == PAPI_OK; i++) {
        const struct count_event *event = &sets->event[i];
        code = series_open(&page->series[i], event->name, event->level, event->real);
    }
    page->open = true;
    return code == PAPI_OK ? TOOL_FINE : tool_error(tool, "no page: %s", PAPI_strerror(code));
}

/* Takes the values, and says which counter went back. */
static void take_values(struct count_page *page, struct tool *tool, const struct count_sets *sets)
{
    bool lost = sets->doubt[0] != '\0';
    for (int i = 0; i < sets->n_events; i++) {
        const struct count_event *event = &sets->event[i];
        if (!event->added ||
            series_take(&page->series[i], count_sets_value(sets, event), count_sets_estimated(sets, event)))
            continue;
        lost = true;
        fflush(stdout);
        struct tool warner = {.name = tool->name}; /* it is no failure */
        tool_error(&warner,
                   "in doubt: %s began anew, and what it counted before that since the last page is lost",
                   event->name);
    }
    page->lost += lost;
}

static int print_page(const struct count_page *page, FILE *out, enum openmetrics_form form, int n)
{
    int code = openmetrics_series(out, form, page->series, n);
    openmetrics_counter(out, form, "papi_lost_counts", NULL,
                        "Reads in which counts were lost: a counter began anew or was read too seldom",
                        (double)page->lost);
    openmetrics_end(out, form);
    return code;
}

int count_page_write(struct count_page *page, struct tool *tool, const struct count_sets *sets)
{
    if (!page->open && open_series(page, tool, sets) != TOOL_FINE)
        return TOOL_ERROR;
    take_values(page, tool, sets);
    if (page->path[0] == '\0') {
        int code = print_page(page, stdout, FORM_OPENMETRICS, sets->n_events);
        tool_flush(tool, stdout);
        return code == PAPI_OK ? TOOL_FINE : tool_error(tool, "%s", PAPI_strerror(code));
    }
    struct output output;
    const char *why = output_open(&output, page->path);
    if (why == NULL) {
        int code = print_page(page, output.file, openmetrics_form_of(page->path), sets->n_events);
        why = code == PAPI_OK ? output_close(&output) : PAPI_strerror(code);
        output_drop(&output);
    }
    return why == NULL ? TOOL_FINE : tool_error(tool, "%s: %s", page->path, why);
}

void count_page_end(struct count_page *page)
{
    for (int i = 0; i < MAX_COUNT_EVENTS; i++)
        series_close(&page->series[i]);
}
