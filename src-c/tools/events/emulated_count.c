/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulated_count.h"
#include "formats/native_times.h"
#include "tools/common/machine_head.h"
#include "tools/common/other_program.h"

#include <stdlib.h>
#include <string.h>

bool emulated_times(void)
{
    const char *times = secure_getenv(TIMES_VARIABLE);
    return machine_is_emulated() && times == NULL;
}

struct needs {
    bool caches, times;
};

/* Notes what a name in a formula needs of the emulator: a time, or caches. */
static int note_name(const void *context, const char *name, double *value, struct reason *why)
{
    struct needs *const *needs = context;
    (void)why;
    *value = 1;
    (*needs)->times = (*needs)->times || strcmp(name, METRICS_TIME) == 0;
    (*needs)->caches = (*needs)->caches || emulated_by_caches(name);
    return PAPI_OK;
}

static struct needs needs_of(const struct by_name *by_name, int n, char *const *name)
{
    struct needs needs = {0}, *all = &needs;
    struct reason why = {0};
    for (int i = 0; i < n; i++)
        needs.caches = needs.caches || emulated_by_caches(name[i]);
    for (int i = 0; i < by_name->picks.n; i++)
        metrics_value(by_name->picks.pick[i].row->formula, note_name, &all, NULL, &why);
    return needs;
}

int emulated_count(struct tool *tool, const struct by_name *by_name, int n, char *const *name,
                   char *const *word)
{
    struct needs needs = needs_of(by_name, n, name);
    char *option[3] = {NULL};
    int options = 0;
    if (needs.caches)
        option[options++] = (char *)"--caches";
    if (needs.times)
        option[options++] = (char *)"--native-times";
    return tool_error(tool, "papi_emulate: %s", strerror(emulate_tool(option, word)));
}
