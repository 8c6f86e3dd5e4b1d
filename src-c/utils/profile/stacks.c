/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/visible.h"
#include "utils/allocate.h"
#include "utils/profile/export.h"

#include <stdlib.h>
#include <string.h>

/* Formats that list stacks: folded stacks, of which flame graphs are drawn, and speedscope's. */

static int routine_of(const struct profile *profile, int node)
{
    return profile_place_at(profile, profile_node_at(profile, node)->place)->routine;
}

/* The nodes of a stack from the outside in. Returns how many; *stack grows. */
static int stack_of(const struct profile *profile, int node, int **stack, int *room)
{
    int n = 0;
    for (int at = node; at >= 0; at = profile_node_at(profile, at)->parent)
        n++;
    if (n > *room)
        *stack = memory_more(*stack, (size_t)(*room = n + 64), sizeof **stack);
    for (int i = n - 1, at = node; i >= 0; i--, at = profile_node_at(profile, at)->parent)
        (*stack)[i] = at;
    return n;
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

void export_folded(FILE *out, const struct profile *profile, const struct totals *totals)
{
    int *stack = NULL, room = 0;
    (void)totals;
    for (int node = 0; node < profile->nodes.n; node++) {
        unsigned long long value = profile_value(profile, node, 0);
        int n = value > 0 ? stack_of(profile, node, &stack, &room) : 0;
        for (int i = 0; i < n; i++) {
            const struct routine *routine = profile_routine_at(profile, routine_of(profile, stack[i]));
            put_frame(out, profile_text(profile, routine->name));
            putc(i < n - 1 ? ';' : ' ', out);
        }
        if (n > 0)
            fprintf(out, "%llu\n", value);
    }
    free(stack);
}

/* ------------------------------------------------------------------- speedscope */

static void put_frames(struct json *json, const struct profile *profile)
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
    json_close(json, ']');
    json_close(json, '}');
}

static void put_samples(struct json *json, const struct profile *profile, int event)
{
    int *stack = NULL, room = 0;
    json_open(json, "samples", '[');
    for (int node = 0; node < profile->nodes.n; node++) {
        if (profile_value(profile, node, event) == 0)
            continue;
        int n = stack_of(profile, node, &stack, &room);
        json_open(json, NULL, '[');
        json->in_line = true;
        for (int i = 0; i < n; i++)
            json_integer(json, NULL, routine_of(profile, stack[i]));
        json_close(json, ']');
        json->in_line = false;
    }
    json_close(json, ']');
    free(stack);
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
    (void)totals;
    json_open(&json, NULL, '{');
    json_string(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    json_string(&json, "exporter", "papi_profile");
    json_string(&json, "name", profile->command != NULL ? profile->command[0] : NULL);
    put_frames(&json, profile);
    json_open(&json, "profiles", '[');
    for (int e = 0; e < profile->n_events; e++) {
        json_open(&json, NULL, '{');
        json_string(&json, "type", "sampled");
        json_string(&json, "name", profile->event[e].name);
        json_string(&json, "unit", profile->event[e].clock ? "nanoseconds" : "none");
        json_integer(&json, "startValue", 0);
        json_integer(&json, "endValue", (long long)profile->event[e].sum);
        put_samples(&json, profile, e);
        put_weights(&json, profile, e);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}
