/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/visible.h"
#include "export.h"
#include "stack.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Formats that list stacks: folded stacks, of which flame graphs are drawn, and speedscope's. */

static int routine_of(const struct profile *profile, int node)
{
    return profile_place_at(profile, profile_node_at(profile, node)->place)->routine;
}

/* ----------------------------------------------------------------------- folded */

/* A ";" would end the name. */
static void put_frame(FILE *out, const char *name)
{
    char *plain = memory_text(name);
    for (char *p = plain; *p != '\0'; p++)
        if (*p == ';')
            *p = ',';
    visible_put(out, plain);
    free(plain);
}

static const char *frame_name(const struct profile *profile, int node)
{
    return node == STACK_GAP
               ? STACK_GAP_NAME
               : profile_text(profile, profile_routine_at(profile, routine_of(profile, node))->name);
}

void export_folded(FILE *out, const struct profile *profile, const struct totals *totals)
{
    struct stacks stacks;
    (void)totals;
    stacks_begin(&stacks, profile);
    for (int node = 0; node < profile->nodes.n; node++) {
        unsigned long long value = profile_value(profile, node, 0);
        int n = value > 0 ? stacks_of(&stacks, node) : 0;
        for (int i = 0; i < n; i++) {
            put_frame(out, frame_name(profile, stacks.frame[i]));
            putc(i < n - 1 ? ';' : ' ', out);
        }
        if (n > 0)
            fprintf(out, "%llu\n", value);
    }
    stacks_end(&stacks);
}

/* ------------------------------------------------------------------- speedscope */

/* The gap comes last. */
static void put_frames(struct json *json, const struct profile *profile, const struct stacks *stacks)
{
    json_open(json, "shared", '{');
    json_open(json, "frames", '[');
    for (int i = 0; i < profile->routines.n; i++) {
        const struct routine *routine = profile_routine_at(profile, i);
        json_open(json, NULL, '{');
        json->in_line = true;
        json_string(json, "name", profile_text(profile, routine->name));
        if (routine->file >= 0)
            json_string(json, "file", profile_text(profile, routine->file));
        if (routine->line > 0)
            json_integer(json, "line", routine->line);
        json_close(json, '}');
        json->in_line = false;
    }
    if (stacks->cut > 0) {
        json_open(json, NULL, '{');
        json_string(json, "name", STACK_GAP_NAME);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

static void put_samples(struct json *json, const struct profile *profile, struct stacks *stacks, int event)
{
    json_open(json, "samples", '[');
    for (int node = 0; node < profile->nodes.n; node++) {
        if (profile_value(profile, node, event) == 0)
            continue;
        int n = stacks_of(stacks, node);
        json_open(json, NULL, '[');
        json->in_line = true;
        for (int i = 0; i < n; i++)
            json_integer(json, NULL,
                         stacks->frame[i] == STACK_GAP ? profile->routines.n
                                                       : routine_of(profile, stacks->frame[i]));
        json_close(json, ']');
        json->in_line = false;
    }
    json_close(json, ']');
}

static void put_weights(struct json *json, const struct profile *profile, int event)
{
    json_open(json, "weights", '[');
    for (int node = 0; node < profile->nodes.n; node++)
        if (profile_value(profile, node, event) > 0)
            json_integer(json, NULL, (long long)profile_value(profile, node, event));
    json_close(json, ']');
}

void export_speedscope(FILE *out, const struct profile *profile, const struct totals *totals)
{
    struct json json = {.out = out};
    struct stacks stacks;
    (void)totals;
    stacks_begin(&stacks, profile);
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_string(&json, "exporter", "papi_profile");
    json_string(&json, "name", profile->command != NULL ? profile->command[0] : NULL);
    put_frames(&json, profile, &stacks);
    json_open(&json, "profiles", '[');
    for (int e = 0; e < profile->n_events; e++) {
        json_open(&json, NULL, '{');
        json_string(&json, "type", "sampled");
        json_string(&json, "name", profile->event[e].name);
        json_string(&json, "unit", profile->event[e].clock ? "nanoseconds" : "none");
        json_integer(&json, "startValue", 0);
        json_integer(&json, "endValue", (long long)profile->event[e].sum);
        put_samples(&json, profile, &stacks, e);
        put_weights(&json, profile, e);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    stacks_end(&stacks);
}
