/* SPDX-License-Identifier: BSD-3-Clause */
#include "chooser.h"
#include "tools/common/event.h"

static int add(struct tool *tool, const char *name, int set)
{
    PAPI_event_info_t info;
    if (event_find(tool, name, &info) != TOOL_FINE)
        return TOOL_ERROR;
    int code = PAPI_add_event(set, (int)info.event_code);
    if (code == PAPI_OK)
        return TOOL_FINE;
    bool first = PAPI_num_events(set) <= 0;
    return tool_error(tool, "%s cannot be counted%s: %s", info.symbol, first ? "" : " with those before it",
                      PAPI_strerror(code));
}

int chooser_open(struct tool *tool, char **name, int n, int *set)
{
    *set = PAPI_NULL;
    int code = PAPI_create_eventset(set), status = TOOL_FINE;
    if (code != PAPI_OK)
        return tool_error(tool, "no event set: %s", PAPI_strerror(code));
    for (int i = 0; i < n && status == TOOL_FINE; i++)
        status = add(tool, name[i], *set);
    if (status != TOOL_FINE)
        chooser_close(*set);
    return status;
}

bool chooser_takes(int set, int code)
{
    return PAPI_add_event(set, code) == PAPI_OK && PAPI_remove_event(set, code) == PAPI_OK;
}

bool chooser_keeps(int set, struct native *native)
{
    int n = 0;
    for (int i = 0; i < native->n_masks; i++)
        if (chooser_takes(set, native->mask[i].code))
            native->mask[n++] = native->mask[i];
    native->n_masks = n;
    native->event.alone = chooser_takes(set, native->event.code);
    return native->event.alone || n > 0;
}

void chooser_close(int set)
{
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
}
