/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_version: the version of the library that this program found.
 */
#include "papi.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool.h"

static const char usage_text[] =
    "Usage: papi_version [--json]\n"
    "Prints the version of the library.\n"
    "\n"
    "      --json     the same for programs, with those of the header and libpfm4\n"
    "      --version  the version of the interface that this tool was built for\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0, 1 after an error, 2 for wrong options.\n";

static int run(struct tool *tool)
{
    char library[32], header[32];
    struct report *report = &tool->report;
    const PAPI_component_info_t *perf = PAPI_get_component_info(PAPI_get_component_index("perf_event"));
    version_text(PAPI_get_opt(PAPI_LIB_VERSION, NULL), library, sizeof library);
    version_text(PAPI_VERSION, header, sizeof header);
    report_string(report, "PAPI Version", "version", library);
    report_string(report, NULL, "implementation", "fpapi");
    report_string(report, NULL, "header", header);
    report_string(report, NULL, "libpfm", perf != NULL ? perf->support_version : NULL);
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_version", .usage = usage_text};
    if (tool_ready(&tool, argc, argv, NULL, NULL))
        tool.status = run(&tool);
    return tool_end(&tool);
}
