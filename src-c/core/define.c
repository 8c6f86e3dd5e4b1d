/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/define.h"
#include "core/eventset.h"
#include "core/resolve.h"
#include "events/old_csv.h"
#include "events/text_file.h"

#include <errno.h>
#include <stdlib.h>
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

/* Changes that are kept all or none. */
struct changes {
    struct preset_table *table;
    struct definition_change *change;
    int n, room;
    bool user, replace;
};

static int note_change(struct changes *changes, const struct definition_change *change, struct reason *why)
{
    if (changes->n == changes->room) {
        int room = changes->room ? 2 * changes->room : 16;
        void *grown = realloc(changes->change, (size_t)room * sizeof *changes->change);
        if (grown == NULL) {
            definition_put_back(changes->table, change);
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        }
        changes->change = grown;
        changes->room = room;
    }
    changes->change[changes->n++] = *change;
    return PAPI_OK;
}

static int put(const struct event_parts *parts, int line, void *context, struct reason *why)
{
    struct changes *changes = context;
    struct definition_change change;
    struct reason local = {0};
    struct preset_definition *definition = definition_make(parts, &local);
    if (definition == NULL)
        return reason_set(why, local.code, "%s", local.text);
    int code = definition_put(changes->table, definition, changes->user, changes->replace, &change, why);
    change.line = line;
    return code == PAPI_OK ? note_change(changes, &change, why) : code;
}

/* Whether the events that they name exist, once all are there: they may name each other. */
static int check(const struct changes *changes, const char *file, struct reason *why)
{
    struct reason local = {0};
    for (int i = 0; i < changes->n; i++) {
        const struct definition_change *change = &changes->change[i];
        struct resolved_event event;
        int code = resolve_event(change->code, &event, &local);
        if (code == PAPI_OK)
            continue;
        code = code_passes(code) ? code : PAPI_EINVAL;
        const char *symbol = definition_symbol(changes->table, change->code);
        if (file != NULL)
            return reason_set(why, code, "%.200s:%d: %.60s: %s", file, change->line, symbol, local.text);
        return reason_set(why, code, "%.60s: %s", symbol, local.text);
    }
    return PAPI_OK;
}

static int finish(struct changes *changes, int code)
{
    while (changes->n > 0) {
        struct definition_change *change = &changes->change[--changes->n];
        if (code == PAPI_OK)
            definition_free(change->old);
        else
            definition_put_back(changes->table, change);
    }
    free(changes->change);
    return code;
}

int library_define(const struct event_parts *parts, bool user, bool replace, int *code, struct reason *why)
{
    struct changes changes = {.user = user, .replace = replace};
    int error = library_presets(&changes.table, why);
    if (error != PAPI_OK)
        return error;
    error = put(parts, 0, &changes, why);
    if (error == PAPI_OK)
        error = check(&changes, NULL, why);
    if (error == PAPI_OK)
        *code = changes.change[0].code;
    return finish(&changes, error);
}

static int open_file(const char *file, FILE **stream, struct reason *why)
{
    const char *error;
    bool passing;
    errno = 0;
    *stream = text_file_open(file, &error, &passing);
    if (*stream == NULL)
        return reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%.200s: %s", file, error);
    return PAPI_OK;
}

int library_encode(const char *file, bool replace, struct reason *why)
{
    struct changes changes = {.replace = replace};
    FILE *stream;
    int error = library_presets(&changes.table, why);
    if (error == PAPI_OK)
        error = open_file(file, &stream, why);
    if (error != PAPI_OK)
        return error;
    error = old_csv_read(stream, file, put, &changes, why);
    fclose(stream);
    if (error == PAPI_OK)
        error = check(&changes, file, why);
    return finish(&changes, error);
}

int library_read_events(const char *file, struct reason *why)
{
    struct preset_table *table;
    struct preset_machine machine;
    struct present_pmus present;
    int code = library_presets(&table, why);
    if (code == PAPI_OK)
        code = library_machine(&machine, &present, why);
    return code == PAPI_OK ? presets_read_events(table, file, &machine, why) : code;
}
