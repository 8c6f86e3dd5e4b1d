/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------------ strings */

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

/* ------------------------------------------------------------------------- parts */

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
static bool put_samples(struct message *all, const struct profile *profile)
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
    bool cut = put_samples(&all, profile);
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
