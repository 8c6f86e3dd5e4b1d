/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_version: the version of the library that this program found.
 */
#include "base/json.h"
#include "papi.h"
#include "tool.h"

#include <stdio.h>

static const char usage_text[] =
    "Usage: papi_version [--json]\n"
    "Prints the version of the library.\n"
    "\n"
    "      --json     the same for programs, with those of the header and libpfm4\n"
    "      --version  the version of the interface that this tool was built for\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0, 1 after an error, 2 for wrong options.\n";

enum { ROOM = 48 };

static void version_text(int version, char *out)
{
    snprintf(out, ROOM, "%d.%d.%d.%d", PAPI_VERSION_MAJOR(version), PAPI_VERSION_MINOR(version),
             PAPI_VERSION_REVISION(version), PAPI_VERSION_INCREMENT(version));
}

static int run(struct tool *tool)
{
    char library[ROOM], header[ROOM];
    struct json json = {.out = stdout};
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), library);
    version_text(PAPI_VERSION, header);
    if (!tool->report.json) {
        printf("PAPI Version: %s\n", library);
        return TOOL_FINE;
    }
    const PAPI_component_info_t *perf = PAPI_get_component_info(PAPI_get_component_index("perf_event"));
    json_open(&json, NULL, '{');
    json_string(&json, "version", library);
    json_string(&json, "implementation", "fpapi");
    json_string(&json, "header", header);
    json_string(&json, "libpfm", perf != NULL ? perf->support_version : NULL);
    json_close(&json, '}');
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_version", .usage = usage_text};
    tool_start(&tool, "h", NULL);
    if (tool_option(&tool, argc, argv) == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool);
    return tool_end(&tool);
}
