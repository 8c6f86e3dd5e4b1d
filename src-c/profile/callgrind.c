/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/visible.h"
#include "export.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* Callgrind's format, which KCachegrind and callgrind_annotate read. How often a call was made is not known:
 * it is said to be once. */

struct edge {
    int32_t from, to; /* a place, and the routine that it calls */
};

struct writing {
    FILE *out;
    const struct profile *profile;
    struct index edges;
    uint64_t *value; /* of edges */
    int room;
    int *first, *next; /* of each routine: its places as a list; of each place: its edges */
    uint64_t *self;    /* of places */
};

/* ------------------------------------------------------------------------ sums */

static uint64_t *zeroes(int n)
{
    size_t size = ((size_t)n * PROFILE_EVENTS + 1) * sizeof(uint64_t);
    return memset(memory_more(NULL, size, 1), 0, size);
}

static void add(uint64_t *to, int i, const uint64_t *from, int j)
{
    for (int e = 0; e < PROFILE_EVENTS; e++) {
        uint64_t *sum = &to[(size_t)i * PROFILE_EVENTS + (size_t)e];
        *sum = profile_sum(*sum, from[(size_t)j * PROFILE_EVENTS + (size_t)e]);
    }
}

static void add_edge(struct writing *writing, const struct totals *totals, int node)
{
    const struct profile *profile = writing->profile;
    int parent = profile_node_at(profile, node)->parent, before = writing->edges.n;
    if (parent < 0)
        return;
    struct edge edge = {
        .from = profile_node_at(profile, parent)->place,
        .to = profile_place_at(profile, profile_node_at(profile, node)->place)->routine,
    };
    int number = index_of(&writing->edges, &edge, sizeof edge);
    if (number >= writing->room) {
        writing->room = number + number / 2 + 64;
        writing->value =
            memory_more(writing->value, (size_t)writing->room * PROFILE_EVENTS, sizeof(uint64_t));
    }
    if (writing->edges.n > before)
        memset(writing->value + (size_t)number * PROFILE_EVENTS, 0, PROFILE_EVENTS * sizeof(uint64_t));
    add(writing->value, number, totals->node, node);
}

static void add_up(struct writing *writing, const struct totals *totals)
{
    writing->self = zeroes(writing->profile->places.n);
    for (int i = 0; i < writing->profile->nodes.n; i++) {
        add(writing->self, profile_node_at(writing->profile, i)->place, writing->profile->value, i);
        add_edge(writing, totals, i);
    }
}

/* Links the places of each routine, and the edges of each place, to lists. */
static void link_lists(struct writing *writing)
{
    const struct profile *profile = writing->profile;
    int n = profile->routines.n + profile->places.n;
    writing->first = memory_more(NULL, (size_t)n, sizeof(int));
    writing->next = memory_more(NULL, (size_t)(profile->places.n + writing->edges.n), sizeof(int));
    for (int i = 0; i < n; i++)
        writing->first[i] = PROFILE_NONE;
    for (int i = profile->places.n - 1; i >= 0; i--) {
        int *first = &writing->first[profile_place_at(profile, i)->routine];
        writing->next[i] = *first;
        *first = i;
    }
    for (int i = writing->edges.n - 1; i >= 0; i--) {
        const struct edge *edge = index_key(&writing->edges, i);
        int *first = &writing->first[profile->routines.n + edge->from];
        writing->next[profile->places.n + i] = *first;
        *first = i;
    }
}

/* ------------------------------------------------------------------------ lines */

/* "fn=(3) name": the name is the same each time, so that no reader has to remember it. */
static void put_name(const struct writing *writing, const char *key, int string)
{
    fprintf(writing->out, "%s=", key);
    visible_put(writing->out, string >= 0 ? profile_text(writing->profile, string) : "???");
    putc('\n', writing->out);
}

static void put_costs(const struct writing *writing, int line, const uint64_t *value, int i)
{
    fprintf(writing->out, "%d", line);
    for (int e = 0; e < writing->profile->n_events; e++)
        fprintf(writing->out, " %llu", (unsigned long long)totals_of(value, i, e));
    putc('\n', writing->out);
}

static void put_call(const struct writing *writing, int number, int line)
{
    const struct edge *edge = index_key(&writing->edges, number);
    const struct routine *called = profile_routine_at(writing->profile, edge->to);
    put_name(writing, "cob", called->object);
    put_name(writing, "cfi", called->file);
    put_name(writing, "cfn", called->name);
    fprintf(writing->out, "calls=1 %d\n", called->line);
    put_costs(writing, line, writing->value, number);
}

static void put_place(const struct writing *writing, int number)
{
    const struct profile *profile = writing->profile;
    const struct place *place = profile_place_at(profile, number);
    const struct routine *routine = profile_routine_at(profile, place->routine);
    int file = place->file >= 0 ? place->file : routine->file;
    put_name(writing, file == routine->file ? "fe" : "fi", file);
    put_costs(writing, place->line, writing->self, number);
    for (int i = writing->first[profile->routines.n + number]; i >= 0;
         i = writing->next[profile->places.n + i])
        put_call(writing, i, place->line);
}

static void put_routine(const struct writing *writing, int number)
{
    const struct routine *routine = profile_routine_at(writing->profile, number);
    put_name(writing, "\nob", routine->object);
    put_name(writing, "fl", routine->file);
    put_name(writing, "fn", routine->name);
    for (int place = writing->first[number]; place >= 0; place = writing->next[place])
        put_place(writing, place);
}

/* Prints an event's name as one word, because names in this list end at blanks. */
static void put_event(FILE *out, const char *name)
{
    char word[1024];
    visible(word, sizeof word, name);
    for (char *p = word; *p != '\0'; p++)
        *p = *p == ' ' ? '_' : *p;
    fprintf(out, " %s", word[0] != '\0' ? word : "?");
}

static void put_head(const struct writing *writing)
{
    const struct profile *profile = writing->profile;
    fputs("# callgrind format\nversion: 1\ncreator: papi_profile\ncmd:", writing->out);
    for (char **word = profile->command; word != NULL && *word != NULL; word++)
        visible_print(writing->out, " %s", *word);
    fputs("\npositions: line\nevents:", writing->out);
    for (int e = 0; e < profile->n_events; e++)
        put_event(writing->out, profile->event[e].name);
    fputs("\nsummary:", writing->out);
    for (int e = 0; e < profile->n_events; e++)
        fprintf(writing->out, " %llu", (unsigned long long)profile->event[e].sum);
    putc('\n', writing->out);
}

void export_callgrind(FILE *out, const struct profile *profile, const struct totals *totals)
{
    struct writing writing = {.out = out, .profile = profile};
    add_up(&writing, totals);
    link_lists(&writing);
    put_head(&writing);
    for (int i = 0; i < profile->routines.n; i++)
        if (writing.first[i] >= 0)
            put_routine(&writing, i);
    free(writing.value);
    free(writing.first);
    free(writing.next);
    free(writing.self);
    index_free(&writing.edges);
}
