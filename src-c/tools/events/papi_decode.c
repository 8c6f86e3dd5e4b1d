/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_decode: the definitions of the presets as comma-separated values, for PAPI_encode_events.
 */
#include "tools/common/event.h"
#include "tools/common/machine_head.h"

#include <stdio.h>
#include <string.h>

static const char usage_text[] =
    "Usage: papi_decode [-a]\n"
    "Prints the presets' definitions as comma-separated values, for an editor or a\n"
    "spreadsheet. PAPI_encode_events reads them back.\n"
    "\n"
    "  -a, --avail            only the presets that count here\n"
    "      --json             the same for programs: one JSON object\n"
    "      --version          the version of the interface\n"
    "  -h, --help             this text\n"
    "\n"
    "Exit status: 0; 1 after an error, or if nothing can be counted here; 2 for\n"
    "wrong options.\n";

/* ---- CSV */

static void put_quoted(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

/* Prints a field of CSV, in quotes if it needs them. */
static void put_field(const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] != '\0')
        put_quoted(text);
    else
        fputs(text, stdout);
}

/* A row without a type and without events is one that defines nothing. */
static void put_row(const PAPI_event_info_t *info, bool available)
{
    int n = event_natives(info);
    printf("%s,%s,", info->symbol, n > 0 ? info->derived : "");
    put_field(n > 0 ? info->postfix : "");
    putchar(',');
    put_quoted(info->short_descr);
    putchar(',');
    put_quoted(info->long_descr);
    putchar(',');
    put_field(available ? info->note : ""); /* elsewhere it is why it does not count */
    for (int i = 0; i < n; i++) {
        putchar(',');
        put_field(info->name[i]);
    }
    putchar('\n');
}

/* ---- all */

static int run(struct tool *tool, bool only_available)
{
    struct report *report = &tool->report;
    struct events presets = {.code = PAPI_PRESET_MASK};
    const char *why;
    report_line(report, NULL, "name,derived,postfix,short_descr,long_descr,note,[native,...]\n");
    report_list(report, "presets");
    while (events_next(&presets)) {
        bool available = event_counts(&presets.info, &why);
        if (only_available && !available)
            continue;
        if (report->json)
            event_show(report, NULL, &presets.info, why, NULL);
        else
            put_row(&presets.info, available);
    }
    return only_available ? machine_check(tool) : TOOL_FINE;
}

int main(int argc, char **argv)
{
    static const struct option_row rows[] = {{'a', "avail", OPTION_SET, 0, 0, 0}, {0}};
    struct tool tool = {.name = "papi_decode", .usage = usage_text};
    bool only_available = false;
    if (tool_ready(&tool, argc, argv, rows, &only_available))
        tool.status = run(&tool, only_available);
    return tool_end(&tool);
}
