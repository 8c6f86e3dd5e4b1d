/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/define.h"
#include "core/eventset.h"
#include "core/resolve.h"
#include "events/old_csv.h"
#include "formats/text_file.h"

#include <errno.h>
#include <string.h>

bool eventset_has_anywhere(int code)
{
    for (const struct papi_thread *thread = papi_library.threads; thread != NULL; thread = thread->next)
        for (const struct eventset *set = thread->sets; set != NULL; set = set->next)
            for (int i = 0; i < set->n_events; i++)
                if (set->event[i].code == code && !set->closed)
                    return true;
    return false;
}

struct change {
    struct preset_table *table;
    bool user, replace;
    int code; /* of the last event */
};

static int put(const struct event_parts *parts, int line, void *context, struct reason *why)
{
    struct change *change = context;
    struct reason local = {0};
    struct preset_definition *definition = definition_make(parts, &local);
    if (definition == NULL)
        return reason_pass(&local, why);
    definition->line = line;
    return definition_put(change->table, definition, change->user, change->replace, &change->code, why);
}

/* Whether the events that they name exist, once all are there: they may name each other. */
static int check(struct preset_table *table, const char *file, struct reason *why)
{
    struct reason local = {0};
    const struct preset_definition *definition;
    for (int event = 0; (definition = definition_changed(table, &event)) != NULL;) {
        struct resolved_event resolved;
        int code = resolve_event(event, &resolved, &local);
        if (code == PAPI_OK)
            continue;
        code = code_passes(code) ? code : PAPI_EINVAL;
        const char *symbol = definition_symbol(table, event);
        if (file != NULL)
            return reason_set(why, code, "%.200s:%d: %.60s: %s", file, definition->line, symbol, local.text);
        return reason_set(why, code, "%.60s: %s", symbol, local.text);
    }
    return PAPI_OK;
}

int library_define(const struct event_parts *parts, bool user, bool replace, int *event, struct reason *why)
{
    struct change change = {.user = user, .replace = replace};
    struct preset_table before;
    int code = library_presets(&change.table, why);
    if (code != PAPI_OK)
        return code;
    presets_change(change.table, &before);
    code = put(parts, 0, &change, why) ?: check(change.table, NULL, why);
    if (code == PAPI_OK)
        *event = change.code;
    return presets_finish(change.table, code);
}

int library_encode(const char *file, bool replace, struct reason *why)
{
    struct change change = {.replace = replace};
    struct preset_table before;
    const char *error;
    int code = library_presets(&change.table, why);
    FILE *stream = code == PAPI_OK ? text_file_open(file, &error) : NULL;
    if (stream == NULL)
        return code ?: reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%.200s: %s", file, error);
    presets_change(change.table, &before);
    code = old_csv_read(stream, file, put, &change, why) ?: check(change.table, file, why);
    fclose(stream);
    return presets_finish(change.table, code);
}

int library_read_events(const char *file, struct reason *why)
{
    struct preset_table *table;
    struct preset_machine machine;
    struct present_pmus present;
    return library_presets(&table, why) ?: library_machine(&machine, &present, why)
               ?: presets_read_events(table, file, &machine, why);
}
