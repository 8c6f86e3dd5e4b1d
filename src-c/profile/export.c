/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"
#include "base/json.h"
#include "base/visible.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* ---- formats */

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

/* ---- stacks */

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

/* ---- folded */

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

/* ---- speedscope */

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

/* ---- callgrind */

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

/* ---- sums */

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

/* ---- lines */

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

/* ---- pprof */

/* pprof's format: one message of protocol buffers, which its readers take uncompressed too. A message is a
 * list of fields, each a number that has its key and kind, and a number or so many bytes. */

enum { NUMBER = 0, BYTES = 2 };

/* The fields of pprof's messages. */
enum { SAMPLE_TYPE = 1, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING, TIME_NANOS = 9, DURATION_NANOS };

struct message {
    unsigned char *byte;
    size_t n, room;
};

static void put_byte(struct message *message, unsigned char byte)
{
    MEMORY_ONE_MORE(message->byte, message->n, message->room);
    message->byte[message->n++] = byte;
}

/* Appends a number as seven bits a byte, the lowest first, with the highest bit set in all bytes but the
 * last. */
static void put_varint(struct message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(message, (unsigned char)(value | 0x80));
    put_byte(message, (unsigned char)value);
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3 | NUMBER);
    put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t n)
{
    put_varint(message, field << 3 | BYTES);
    put_varint(message, n);
    for (size_t i = 0; i < n; i++)
        put_byte(message, ((const unsigned char *)bytes)[i]);
}

/* Appends an inner message as a field, and empties it. */
static void put_message(struct message *message, unsigned field, struct message *inner)
{
    put_bytes(message, field, inner->byte, inner->n);
    inner->n = 0;
}

/* ---- strings */

/* The table of strings: first an empty one, then those of the profile, then these. */
struct strings {
    int n; /* of the profile */
    struct index more;
};

static uint64_t string_number(int string)
{
    return string >= 0 ? (uint64_t)string + 1 : 0;
}

static uint64_t other_string(struct strings *strings, const char *text)
{
    return (uint64_t)strings->n + 1 + (uint64_t)index_of(&strings->more, text, strlen(text) + 1);
}

static void put_strings(struct message *all, const struct profile *profile, const struct strings *strings)
{
    put_bytes(all, STRING, "", 0);
    for (int i = 0; i < profile->strings.n; i++)
        put_bytes(all, STRING, profile_text(profile, i), strlen(profile_text(profile, i)));
    for (int i = 0; i < strings->more.n; i++)
        put_bytes(all, STRING, index_key(&strings->more, i), strlen(index_key(&strings->more, i)));
}

/* ---- parts */

static void put_types(struct message *all, const struct profile *profile, struct strings *strings)
{
    struct message inner = {.n = 0};
    for (int e = 0; e < profile->n_events; e++) {
        put_number(&inner, 1, other_string(strings, profile->event[e].name));
        put_number(&inner, 2, other_string(strings, profile->event[e].clock ? "nanoseconds" : "count"));
        put_message(all, SAMPLE_TYPE, &inner);
    }
    free(inner.byte);
}

/* The number of a node's location. All frames that were left out share one location after all others. */
static uint64_t location(const struct profile *profile, int node)
{
    int place = node == STACK_GAP ? profile->places.n : profile_node_at(profile, node)->place;
    return (uint64_t)place + 1;
}

/* Writes the samples, each with its calls from the inside out. Returns true if frames were left out. */
static bool put_stacks(struct message *all, const struct profile *profile)
{
    struct message inner = {.n = 0}, list = {.n = 0};
    struct stacks stacks;
    stacks_begin(&stacks, profile);
    for (int node = 0; node < profile->nodes.n; node++) {
        uint64_t some = 0;
        for (int e = 0; e < profile->n_events; e++)
            some |= profile_value(profile, node, e);
        if (some == 0)
            continue;
        for (int i = stacks_of(&stacks, node) - 1; i >= 0; i--)
            put_varint(&list, location(profile, stacks.frame[i]));
        put_message(&inner, 1, &list);
        for (int e = 0; e < profile->n_events; e++)
            put_varint(&list, profile_value(profile, node, e));
        put_message(&inner, 2, &list);
        put_message(all, SAMPLE, &inner);
    }
    bool cut = stacks.cut > 0;
    stacks_end(&stacks);
    free(inner.byte);
    free(list.byte);
    return cut;
}

static void put_locations(struct message *all, const struct profile *profile)
{
    struct message inner = {.n = 0}, line = {.n = 0};
    for (int i = 0; i < profile->places.n; i++) {
        const struct place *place = profile_place_at(profile, i);
        put_number(&inner, 1, (uint64_t)i + 1);
        put_number(&line, 1, (uint64_t)place->routine + 1);
        put_number(&line, 2, (uint64_t)place->line);
        put_message(&inner, 4, &line);
        put_message(all, LOCATION, &inner);
    }
    free(inner.byte);
    free(line.byte);
}

static void put_functions(struct message *all, const struct profile *profile)
{
    struct message inner = {.n = 0};
    for (int i = 0; i < profile->routines.n; i++) {
        const struct routine *routine = profile_routine_at(profile, i);
        put_number(&inner, 1, (uint64_t)i + 1);
        put_number(&inner, 2, string_number(routine->name));
        put_number(&inner, 4, string_number(routine->file));
        put_number(&inner, 5, (uint64_t)routine->line);
        put_message(all, FUNCTION, &inner);
    }
    free(inner.byte);
}

static void put_gap(struct message *all, const struct profile *profile, struct strings *strings)
{
    struct message inner = {.n = 0}, line = {.n = 0};
    uint64_t function = (uint64_t)profile->routines.n + 1;
    put_number(&inner, 1, location(profile, STACK_GAP));
    put_number(&line, 1, function);
    put_message(&inner, 4, &line);
    put_message(all, LOCATION, &inner);
    put_number(&inner, 1, function);
    put_number(&inner, 2, other_string(strings, STACK_GAP_NAME));
    put_message(all, FUNCTION, &inner);
    free(inner.byte);
    free(line.byte);
}

void export_pprof(FILE *out, const struct profile *profile, const struct totals *totals)
{
    struct message all = {.n = 0};
    struct strings strings = {.n = profile->strings.n};
    (void)totals;
    put_types(&all, profile, &strings);
    bool cut = put_stacks(&all, profile);
    put_locations(&all, profile);
    put_functions(&all, profile);
    if (cut)
        put_gap(&all, profile, &strings);
    put_strings(&all, profile, &strings);
    put_number(&all, TIME_NANOS, (uint64_t)profile->started * 1000000000u);
    put_number(&all, DURATION_NANOS, (uint64_t)(profile->seconds * 1e9));
    fwrite(all.byte, 1, all.n, out);
    free(all.byte);
    index_free(&strings.more);
}
