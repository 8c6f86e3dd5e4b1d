/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_error_codes: the codes that the library's functions return, their names and texts.
 */
#include "base/nearest.h"
#include "papi.h"
#include "tools/common/machine_head.h"
#include "tools/common/tool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char usage_text[] =
    "Usage: papi_error_codes [--json] [CODE...]\n"
    "Lists the error codes with their names and texts.\n"
    "CODE is a name or a number, with or without its sign: 8, ECNFLCT, -- -8.\n"
    "\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0; 1 if there is no such code, or after an error; 2 for wrong\n"
    "options.\n";

#define CODE(name) [-(name)] = #name
static const char *const names[] = {
    CODE(PAPI_OK),         CODE(PAPI_EINVAL),        CODE(PAPI_ENOMEM),      CODE(PAPI_ESYS),
    CODE(PAPI_ECMP),       CODE(PAPI_ECLOST),        CODE(PAPI_EBUG),        CODE(PAPI_ENOEVNT),
    CODE(PAPI_ECNFLCT),    CODE(PAPI_ENOTRUN),       CODE(PAPI_EISRUN),      CODE(PAPI_ENOEVST),
    CODE(PAPI_ENOTPRESET), CODE(PAPI_ENOCNTR),       CODE(PAPI_EMISC),       CODE(PAPI_EPERM),
    CODE(PAPI_ENOINIT),    CODE(PAPI_ENOCMP),        CODE(PAPI_ENOSUPP),     CODE(PAPI_ENOIMPL),
    CODE(PAPI_EBUF),       CODE(PAPI_EINVAL_DOM),    CODE(PAPI_EATTR),       CODE(PAPI_ECOUNT),
    CODE(PAPI_ECOMBO),     CODE(PAPI_ECMP_DISABLED), CODE(PAPI_EDELAY_INIT), CODE(PAPI_EMULPASS),
    CODE(PAPI_PARTIAL),
};
static_assert(sizeof names / sizeof names[0] == PAPI_NUM_ERRORS, "each code has its name");

/* The code as a word states it; 1: there is none. */
static int find_code(const char *word)
{
    char *end;
    for (int i = 0; i < PAPI_NUM_ERRORS; i++)
        if (strcasecmp(word, names[i]) == 0 || strcasecmp(word, names[i] + strlen("PAPI_")) == 0)
            return -i;
    if (strcasecmp(word, "PAPI_ESBSTR") == 0)
        return PAPI_ESBSTR;
    long code = strtol(word, &end, 10);
    code = code > 0 ? -code : code;
    return end == word || *end != '\0' || code <= -PAPI_NUM_ERRORS ? 1 : (int)code;
}

static void refuse(struct tool *tool, const char *word)
{
    struct nearest nearest;
    char text[NEAREST_TEXT];
    nearest_begin(&nearest, word);
    for (int i = 0; i < PAPI_NUM_ERRORS; i++)
        nearest_try(&nearest, names[i]);
    tool_error(tool, "there is no error code \"%s\"%s", word, nearest_text(&nearest, text));
}

static void show(struct report *report, int code)
{
    report_row(report, NULL, "Error code {code:%4d}: {text} ({name})", AS_NUMBER("code", code),
               AS_TEXT("name", names[-code]), AS_TEXT("text", PAPI_strerror(code)));
}

static int run(struct tool *tool, char **words, int n)
{
    char version[32];
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    version_text(PAPI_VERSION, version, sizeof version);
    if (n == 0)
        report_line(&tool->report, NULL, "Error codes of PAPI version %s\n", version);
    report_list(&tool->report, "codes");
    for (int i = 0; i < n; i++) {
        int code = find_code(words[i]);
        if (code > 0)
            refuse(tool, words[i]);
        else
            show(&tool->report, code);
    }
    for (int i = 0; i < PAPI_NUM_ERRORS && n == 0; i++)
        show(&tool->report, -i);
    return tool->status;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_error_codes", .usage = usage_text};
    if (tool_read(&tool, argc, argv, NULL, NULL) == 0)
        tool.status = run(&tool, argv + optind, argc - optind);
    return tool_end(&tool);
}
