/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"
#include "base/json.h"
#include "base/visible.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- formats */

const char export_names[] = "html, callgrind, folded, pprof, speedscope";

static const struct export formats[] = {
    {"callgrind", ".callgrind", false, export_callgrind},
    {"folded", ".folded", true, export_folded},
    {"html", ".html", false, export_html},
    {"pprof", ".pb", true, export_pprof},
    {"speedscope", ".speedscope.json", true, export_speedscope},
};

const struct export *export_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strlen(formats[i].name) == length && strncmp(formats[i].name, name, length) == 0)
            return &formats[i];
    return NULL;
}

/* ------------------------------------------------------------------------ stacks */

enum { MOST_FRAMES = 8 << 20, LEAST = 16 };

static bool has_any(const struct profile *profile, int node)
{
    for (int e = 0; e < profile->n_events; e++)
        if (profile_value(profile, node, e) > 0)
            return true;
    return false;
}

/* Number of frames of all stacks together if each is cut to at most so many. */
static long long frames(const struct stacks *stacks, int most)
{
    long long n = 0;
    for (int i = 0; i < stacks->profile->nodes.n; i++)
        if (has_any(stacks->profile, i))
            n += stacks->depth[i] < most ? stacks->depth[i] : most;
    return n;
}

/* The largest length of a stack with which all of them together stay below MOST_FRAMES, by bisection; stacks
 * of LEAST frames are never cut. */
static int find_most(const struct stacks *stacks, int deepest)
{
    int least = LEAST, most = deepest;
    if (deepest <= LEAST || frames(stacks, deepest) <= MOST_FRAMES)
        return deepest;
    while (most - least > 1) {
        int middle = least + (most - least) / 2;
        if (frames(stacks, middle) <= MOST_FRAMES)
            least = middle;
        else
            most = middle;
    }
    return least;
}

/* Number of frames that a stack that is cut keeps at its root. The gap follows them, then the innermost
 * frames. */
static int outer_part(const struct stacks *stacks)
{
    return stacks->most / 2;
}

/* Computes the depth of each node in one pass, since a parent comes before its children, and how many frames
 * of each stack are kept. */
void stacks_begin(struct stacks *stacks, const struct profile *profile)
{
    int n = profile->nodes.n, deepest = 0;
    *stacks = (struct stacks){.profile = profile};
    stacks->depth = memory_more(NULL, (size_t)n + 1, sizeof *stacks->depth);
    stacks->top = memory_more(NULL, (size_t)n + 1, sizeof *stacks->top);
    for (int i = 0; i < n; i++) {
        int parent = profile_node_at(profile, i)->parent;
        stacks->depth[i] = parent >= 0 ? stacks->depth[parent] + 1 : 1;
        deepest = stacks->depth[i] > deepest ? stacks->depth[i] : deepest;
    }
    stacks->most = find_most(stacks, deepest);
    for (int i = 0; i < n; i++) {
        int parent = profile_node_at(profile, i)->parent;
        stacks->top[i] = parent < 0 || stacks->depth[i] <= outer_part(stacks) ? i : stacks->top[parent];
        stacks->cut += stacks->depth[i] > stacks->most && has_any(profile, i);
    }
    stacks->frame = memory_more(NULL, (size_t)stacks->most + 1, sizeof *stacks->frame);
}

/* Copies the nodes from this one up to its n-th ancestor into the n frames before end, the outermost first.
 */
static void take(struct stacks *stacks, int node, int end, int n)
{
    for (; n > 0; n--, node = profile_node_at(stacks->profile, node)->parent)
        stacks->frame[--end] = node;
}

int stacks_of(struct stacks *stacks, int node)
{
    int depth = stacks->depth[node], outer = outer_part(stacks);
    if (depth <= stacks->most) {
        take(stacks, node, depth, depth);
        return depth;
    }
    take(stacks, stacks->top[node], outer, outer);
    stacks->frame[outer] = STACK_GAP;
    take(stacks, node, stacks->most, stacks->most - outer - 1);
    return stacks->most;
}

void stacks_end(struct stacks *stacks)
{
    free(stacks->depth);
    free(stacks->top);
    free(stacks->frame);
    *stacks = (struct stacks){.profile = NULL};
}

/* Formats that list stacks: folded stacks, of which flame graphs are drawn, and speedscope's. */

static int routine_of(const struct profile *profile, int node)
{
    return profile_place_at(profile, profile_node_at(profile, node)->place)->routine;
}

/* ----------------------------------------------------------------------- folded */

/* Writes a name of a folded stack, in which a ";" becomes a comma, since it would end the name. */
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

/* Writes the names of all frames: the routines, and last the one that stands for frames that were left
 * out. */
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
