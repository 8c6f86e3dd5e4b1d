/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/trust.h"
#include "formats/device_activity.h"
#include "memory_samples.h"
#include "profile_file.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* State of reading one file. Everything is checked as it is read: the first fault is reported, and nothing
 * after it is used. */
struct reader {
    struct profile *profile;
    const char *path;
    char *why;
    /* of the numbers in the file: those in the profile */
    int *string, *routine, *place, *node, *datum, *line;
    int n_strings, n_routines, n_places, n_nodes, n_data, n_lines;
    int first_process; /* of the file */
};

static __attribute__((format(printf, 2, 3))) bool fail(struct reader *reader, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (reader->why == NULL)
        reader->why = memory_print("%s is not a profile of this version: %s", reader->path, what);
    return false;
}

/* ---- values */

static long long integer(struct reader *reader, const json_t *value, long long least, long long most,
                         const char *what)
{
    long long number = json_integer_value(value);
    if (!json_is_integer(value) || number < least || number > most) {
        fail(reader, "%s is not a whole number from %lld to %lld", what, least, most);
        return least;
    }
    return number;
}

static long long member(struct reader *reader, const json_t *object, const char *key)
{
    return integer(reader, json_object_get(object, key), 0, LLONG_MAX, key);
}

/* A number that older files lack; then 0. */
static long long optional(struct reader *reader, const json_t *object, const char *key)
{
    return json_object_get(object, key) != NULL ? member(reader, object, key) : 0;
}

static const char *text(struct reader *reader, const json_t *value, const char *what)
{
    if (json_is_string(value))
        return json_string_value(value);
    fail(reader, "%s is not a text", what);
    return "";
}

static const json_t *list(struct reader *reader, const json_t *root, const char *key)
{
    const json_t *found = json_object_get(root, key);
    if (!json_is_array(found))
        fail(reader, "\"%s\" is not a list", key);
    return found;
}

/* Reads a row of n numbers, each from least to most, for example the number of things that it counts
 * through. */
static void row(struct reader *reader, const json_t *from, int n, const int *least, const int *most,
                int32_t *number, const char *what)
{
    if (!json_is_array(from) || json_array_size(from) < (size_t)n) {
        fail(reader, "a row of \"%s\" is not a list of %d numbers", what, n);
        return;
    }
    for (int i = 0; i < n; i++)
        number[i] = (int32_t)integer(reader, json_array_get(from, (size_t)i), least[i], most[i], what);
}

/* ---- tables */

static int *numbers(size_t n)
{
    return memory_more(NULL, n, sizeof(int));
}

static void read_strings(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "strings"), *value;
    size_t i;
    reader->string = numbers(json_array_size(from));
    json_array_foreach(from, i, value)
    {
        reader->string[i] = profile_string(reader->profile, text(reader, value, "a string"));
    }
    reader->n_strings = (int)json_array_size(from);
}

static void read_lacking(struct reader *reader, const json_t *root)
{
    const int least[] = {0, 0, 0}, most[] = {reader->n_strings - 1, 1, 1};
    const json_t *from = list(reader, root, "lacking"), *value;
    int32_t number[3] = {0};
    size_t i;
    json_array_foreach(from, i, value)
    {
        row(reader, value, 3, least, most, number, "lacking");
        if (reader->why == NULL)
            profile_lacks(reader->profile, reader->string[number[0]], number[1] != 0, number[2] != 0);
    }
}

static int string_of(const struct reader *reader, int number)
{
    return number >= 0 ? reader->string[number] : PROFILE_NONE;
}

static void read_routines(struct reader *reader, const json_t *root)
{
    int last = reader->n_strings - 1;
    const int least[] = {0, 0, -1, 0}, most[] = {last, last, last, INT_MAX};
    const json_t *from = list(reader, root, "routines"), *value;
    size_t i;
    reader->routine = numbers(json_array_size(from));
    json_array_foreach(from, i, value)
    {
        int32_t number[4] = {0};
        row(reader, value, 4, least, most, number, "routines");
        if (reader->why != NULL)
            return;
        struct routine routine = {string_of(reader, number[0]), string_of(reader, number[1]),
                                  string_of(reader, number[2]), number[3]};
        reader->routine[i] = profile_routine(reader->profile, &routine);
        reader->n_routines++;
    }
}

static void read_places(struct reader *reader, const json_t *root)
{
    const int least[] = {0, -1, 0}, most[] = {reader->n_routines - 1, reader->n_strings - 1, INT_MAX};
    const json_t *from = list(reader, root, "places"), *value;
    size_t i;
    reader->place = numbers(json_array_size(from));
    json_array_foreach(from, i, value)
    {
        int32_t number[3] = {0};
        row(reader, value, 3, least, most, number, "places");
        if (reader->why != NULL)
            return;
        struct place place = {reader->routine[number[0]], string_of(reader, number[1]), number[2]};
        reader->place[i] = profile_place(reader->profile, &place);
        reader->n_places++;
    }
}

/* Reads the arithmetic of places, which older files lack. */
static void read_arithmetic(struct reader *reader, const json_t *root)
{
    const int least[] = {0, 0, 0}, most[] = {reader->n_places - 1, 1, UINT16_MAX};
    const json_t *from = json_object_get(root, "arithmetic"), *value;
    size_t i;
    json_array_foreach(from, i, value)
    {
        int32_t number[3] = {0};
        row(reader, value, 3, least, most, number, "arithmetic");
        if (reader->why != NULL)
            return;
        struct arithmetic arithmetic = {.scalar = number[1] != 0, .bits = (uint16_t)number[2]};
        profile_calculates(reader->profile, reader->place[number[0]], &arithmetic);
    }
}

static void count_values(struct reader *reader, const json_t *from, int node)
{
    for (int e = 0; e < reader->profile->n_events && reader->why == NULL; e++) {
        long long value = integer(reader, json_array_get(from, (size_t)(3 + e)), 0, LLONG_MAX, "tree");
        profile_count(reader->profile, node, e, (uint64_t)value);
    }
}

/* Reads the tree's nodes. The parent of each has a smaller number, so that there are no cycles. */
static void read_tree(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "tree"), *value;
    size_t i;
    reader->node = numbers(json_array_size(from));
    json_array_foreach(from, i, value)
    {
        const int least[] = {-1, 0, 0}, most[] = {(int)i - 1, reader->n_places - 1, 1};
        int32_t number[3] = {0};
        row(reader, value, 3, least, most, number, "tree");
        if (reader->why != NULL)
            return;
        struct node node = {number[0] >= 0 ? reader->node[number[0]] : PROFILE_NONE, reader->place[number[1]],
                            number[2]};
        reader->node[i] = profile_node(reader->profile, &node);
        count_values(reader, value, reader->node[i]);
        reader->n_nodes = (int)i + 1;
    }
}

static uint64_t amount(struct reader *reader, const json_t *from, int i)
{
    return (uint64_t)integer(reader, json_array_get(from, (size_t)i), 0, LLONG_MAX, "a count");
}

/* [address, place, text, flow, target, runs, taken, events...] */
static void read_instruction(struct reader *reader, const json_t *from, struct listing *code)
{
    struct instruction row = {.address = amount(reader, from, 0)};
    int place = (int)integer(reader, json_array_get(from, 1), 0, reader->n_places - 1, "listings");
    int text = (int)integer(reader, json_array_get(from, 2), 0, reader->n_strings - 1, "listings");
    row.flow = (int32_t)integer(reader, json_array_get(from, 3), 0, FLOW_KINDS - 1, "listings");
    row.target = amount(reader, from, 4);
    row.runs = amount(reader, from, 5);
    row.taken = amount(reader, from, 6);
    for (int e = 0; e < reader->profile->n_events && reader->why == NULL; e++)
        row.value[e] = amount(reader, from, 7 + e);
    if (reader->why == NULL && code->n > 0 && row.address <= code->row[code->n - 1].address)
        fail(reader, "the rows of \"listings\" are not in the order of their addresses");
    if (reader->why != NULL)
        return;
    row.place = reader->place[place];
    row.text = reader->string[text];
    MEMORY_ONE_MORE(code->row, code->n, code->room);
    code->row[code->n++] = row;
}

static void read_piece(struct reader *reader, const json_t *from, int *left)
{
    const json_t *rows = json_object_get(from, "rows"), *value;
    int routine =
        (int)integer(reader, json_object_get(from, "routine"), 0, reader->n_routines - 1, "listings");
    int object = (int)integer(reader, json_object_get(from, "object"), 0, reader->n_strings - 1, "listings");
    struct listing code = {.counted = json_is_true(json_object_get(from, "counted"))};
    size_t i, n = json_array_size(rows);
    if (reader->why == NULL && (n == 0 || n > LISTING_MOST_ROWS || n > (size_t)*left))
        fail(reader, "a piece of \"listings\" has %zu rows", n);
    json_array_foreach(rows, i, value)
    {
        if (reader->why == NULL)
            read_instruction(reader, value, &code);
    }
    if (reader->why != NULL) {
        free(code.row);
        return;
    }
    *left -= code.n;
    code.routine = reader->routine[routine];
    code.object = reader->string[object];
    profile_add_listing(reader->profile, &code);
}

/* Older files have none. */
static void read_code(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "listings"), *value;
    int left = LISTING_MOST_ROWS_IN_ALL;
    size_t i;
    json_array_foreach(from, i, value)
    {
        if (reader->why == NULL)
            read_piece(reader, value, &left);
    }
}

static int place_of(const struct reader *reader, int number)
{
    return number >= 0 ? reader->place[number] : PROFILE_NONE;
}

/* [kind, name, object, place, bytes, allocations] */
static void read_datum(struct reader *reader, const json_t *from, int i)
{
    int last = reader->n_strings - 1;
    const int least[] = {0, -1, -1, -1}, most[] = {DATUM_KINDS - 1, last, last, reader->n_places - 1};
    int32_t number[4] = {0};
    row(reader, from, 4, least, most, number, "data");
    struct datum_counts counts = {amount(reader, from, 4), amount(reader, from, 5)};
    if (reader->why != NULL)
        return;
    struct datum datum = {number[0], string_of(reader, number[1]), string_of(reader, number[2]),
                          place_of(reader, number[3])};
    reader->datum[i] = profile_add_datum(reader->profile, &datum, &counts);
    reader->n_data = i + 1;
}

/* [data, place, accesses, misses of three levels..., stride, equal, moves, fetched, used] */
static void read_use(struct reader *reader, const json_t *from)
{
    const int least[] = {0, 0}, most[] = {reader->n_data - 1, reader->n_places - 1};
    int32_t number[2] = {0};
    row(reader, from, 2, least, most, number, "data_uses");
    struct datum_use_counts counts = {.accesses = amount(reader, from, 2)};
    for (int level = 0; level < DATA_LEVELS; level++)
        counts.miss[level] = amount(reader, from, 3 + level);
    counts.stride = integer(reader, json_array_get(from, 6), -LLONG_MAX, LLONG_MAX, "data_uses");
    counts.equal = amount(reader, from, 7);
    counts.moves = amount(reader, from, 8);
    counts.fetched = amount(reader, from, 9);
    counts.used = amount(reader, from, 10);
    if (reader->why != NULL)
        return;
    struct datum_use use = {reader->datum[number[0]], reader->place[number[1]]};
    profile_add_use(reader->profile, &use, &counts);
}

/* [data, place, store, level, tlb, latency, samples] */
static void read_samples(struct reader *reader, const json_t *from)
{
    const int least[] = {0, 0, 0, 0, 0, LATENCY_UNKNOWN},
              most[] = {reader->n_data - 1, reader->n_places - 1, 1,
                        MEMORY_LEVELS - 1,  TLB_KINDS - 1,        INT_MAX};
    int32_t number[6] = {0};
    row(reader, from, 6, least, most, number, "data_samples");
    uint64_t n = amount(reader, from, 6);
    if (reader->why != NULL)
        return;
    struct datum_sample sample = {
        reader->datum[number[0]], reader->place[number[1]], number[2], number[3], number[4], number[5]};
    profile_add_samples(reader->profile, &sample, n);
}

/* Files without data have none. */
static void read_data(struct reader *reader, const json_t *root)
{
    const json_t *data = json_object_get(root, "data"), *uses = json_object_get(root, "data_uses"),
                 *samples = json_object_get(root, "data_samples"), *value;
    size_t i;
    reader->datum = numbers(json_array_size(data) + 1);
    json_array_foreach(data, i, value)
    {
        if (reader->why == NULL)
            read_datum(reader, value, (int)i);
    }
    json_array_foreach(uses, i, value)
    {
        if (reader->why == NULL)
            read_use(reader, value);
    }
    json_array_foreach(samples, i, value)
    {
        if (reader->why == NULL)
            read_samples(reader, value);
    }
}

/* [address, process] */
static void read_line(struct reader *reader, const json_t *from, int i)
{
    uint64_t address = amount(reader, from, 0);
    int process = (int)integer(reader, json_array_get(from, 1), 0,
                               reader->profile->n_processes - reader->first_process - 1, "lines");
    if (address % (uint64_t)reader->profile->line_bytes != 0)
        fail(reader, "an address of \"lines\" is not that of a line");
    if (reader->why != NULL)
        return;
    reader->line[i] = profile_add_line(reader->profile, address, process + reader->first_process);
    reader->n_lines = i + 1;
}

/* [line, thread, data, place, within the data, offset, bytes, store, moved, samples, wait, squares] */
static void read_line_use(struct reader *reader, const json_t *from)
{
    enum { LINE, THREAD, DATUM, PLACE, WITHIN, OFFSET, WIDTH, STORE, MOVED, NUMBERS, SAMPLES = NUMBERS };
    const int last = reader->profile->line_bytes - 1;
    const long long least[NUMBERS] = {[WITHIN] = PROFILE_NONE}, most[NUMBERS] = {reader->n_lines - 1,
                                                                                 INT_MAX,
                                                                                 reader->n_data - 1,
                                                                                 reader->n_places - 1,
                                                                                 LLONG_MAX,
                                                                                 last,
                                                                                 last + 1,
                                                                                 1,
                                                                                 1};
    long long number[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        number[i] = integer(reader, json_array_get(from, (size_t)i), least[i], most[i], "line_uses");
    struct line_use_counts counts = {.samples = amount(reader, from, SAMPLES),
                                     .wait = amount(reader, from, SAMPLES + 1),
                                     .squares = json_number_value(json_array_get(from, SAMPLES + 2))};
    if (!json_is_number(json_array_get(from, SAMPLES + 2)) ||
        !(counts.squares >= 0 && counts.squares <= 1e36))
        fail(reader, "squares of \"line_uses\" are not a number from 0 to 1e36");
    if (reader->why != NULL)
        return;
    const struct line_use use = {.line = reader->line[number[LINE]],
                                 .thread = (int32_t)number[THREAD],
                                 .datum = reader->datum[number[DATUM]],
                                 .place = reader->place[number[PLACE]],
                                 .within = number[WITHIN],
                                 .offset = (int32_t)number[OFFSET],
                                 .width = (int32_t)number[WIDTH],
                                 .store = (int32_t)number[STORE],
                                 .moved = (int32_t)number[MOVED]};
    profile_add_line_use(reader->profile, &use, &counts);
}

/* Files without sampled accesses, and older ones, have none. Several files have lines of one size. */
static void read_lines(struct reader *reader, const json_t *root)
{
    enum { MOST_BYTES = 4096 };
    const json_t *lines = json_object_get(root, "lines"), *uses = json_object_get(root, "line_uses"), *value;
    struct profile *profile = reader->profile;
    size_t i;
    if (lines == NULL)
        return;
    int bytes = (int)integer(reader, json_object_get(root, "line_bytes"), 1, MOST_BYTES, "line_bytes");
    if (profile->line_bytes != 0 && profile->line_bytes != bytes)
        fail(reader, "its lines have %d bytes, and those of the file before it %d", bytes,
             profile->line_bytes);
    profile->line_bytes = bytes;
    reader->line = numbers(json_array_size(lines) + 1);
    json_array_foreach(lines, i, value)
    {
        if (reader->why == NULL)
            read_line(reader, value, (int)i);
    }
    json_array_foreach(uses, i, value)
    {
        if (reader->why == NULL)
            read_line_use(reader, value);
    }
}

enum { MOST_TYPES = 32 }; /* of branches */

/* [from, to, places of both, object, type, taken, records, told, mispredicted, timed, cycles] */
static void read_branch(struct reader *reader, const json_t *from)
{
    const int last_place = reader->n_places - 1;
    struct branch branch = {.from = amount(reader, from, 0), .to = amount(reader, from, 1)};
    int from_place = (int)integer(reader, json_array_get(from, 2), 0, last_place, "branches"),
        to_place = (int)integer(reader, json_array_get(from, 3), 0, last_place, "branches"),
        object = (int)integer(reader, json_array_get(from, 4), 0, reader->n_strings - 1, "branches");
    branch.type = (int32_t)integer(reader, json_array_get(from, 5), 0, MOST_TYPES - 1, "branches");
    const struct branch_counts counts = {.taken = amount(reader, from, 6),
                                         .stacks = amount(reader, from, 7),
                                         .told = amount(reader, from, 8),
                                         .mispredicted = amount(reader, from, 9),
                                         .timed = amount(reader, from, 10),
                                         .cycles = amount(reader, from, 11)};
    if (counts.told > counts.taken || counts.mispredicted > counts.told || counts.timed > counts.taken)
        fail(reader, "a row of \"branches\" has parts that are more than the whole");
    if (reader->why != NULL)
        return;
    branch.from_place = reader->place[from_place];
    branch.to_place = reader->place[to_place];
    branch.object = reader->string[object];
    profile_add_branch(reader->profile, &branch, &counts);
}

/* [head, object, place, end, its place, arrivals, entries, records] */
static void read_branch_loop(struct reader *reader, const json_t *from)
{
    const int last_place = reader->n_places - 1;
    struct branch_loop loop = {.head = amount(reader, from, 0)};
    int object = (int)integer(reader, json_array_get(from, 1), 0, reader->n_strings - 1, "branch_loops"),
        place = (int)integer(reader, json_array_get(from, 2), 0, last_place, "branch_loops"),
        end_place = (int)integer(reader, json_array_get(from, 4), 0, last_place, "branch_loops");
    struct branch_loop_counts counts = {.end = amount(reader, from, 3),
                                        .arrivals = amount(reader, from, 5),
                                        .entries = amount(reader, from, 6),
                                        .stacks = amount(reader, from, 7)};
    if (counts.stacks > counts.entries)
        fail(reader, "a row of \"branch_loops\" has more records than entries");
    if (reader->why != NULL)
        return;
    loop.object = reader->string[object];
    loop.place = reader->place[place];
    counts.end_place = reader->place[end_place];
    profile_add_branch_loop(reader->profile, &loop, &counts);
}

/* Files without records of branches have none. */
static void read_branches(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "branch_sums"), *rows = json_object_get(root, "branches"),
                 *loops = json_object_get(root, "branch_loops"), *value;
    size_t i;
    if (from == NULL)
        return;
    const struct branch_sums sums = {.stacks = (uint64_t)member(reader, from, "stacks"),
                                     .taken = (uint64_t)member(reader, from, "taken"),
                                     .told = (uint64_t)member(reader, from, "told"),
                                     .mispredicted = (uint64_t)member(reader, from, "mispredicted"),
                                     .mispredicted_stacks =
                                         (uint64_t)member(reader, from, "mispredicted_stacks"),
                                     .broken = (uint64_t)member(reader, from, "broken")};
    profile_add_branch_sums(reader->profile, &sums);
    json_array_foreach(rows, i, value)
    {
        if (reader->why == NULL)
            read_branch(reader, value);
    }
    json_array_foreach(loops, i, value)
    {
        if (reader->why == NULL)
            read_branch_loop(reader, value);
    }
}

/* [node, kind, times, least, most, bytes] */
static void read_device_work(struct reader *reader, const json_t *from)
{
    const int least[] = {0, 0}, most[] = {reader->n_nodes - 1, WORK_KINDS - 1};
    int32_t number[2] = {0};
    row(reader, from, 2, least, most, number, "device_work");
    struct device_sum sum = {.kind = number[1],
                             .least = amount(reader, from, 3),
                             .most = amount(reader, from, 4),
                             .bytes = amount(reader, from, 5)};
    sum.times = (uint64_t)integer(reader, json_array_get(from, 2), 1, LLONG_MAX, "device_work");
    if (reader->why == NULL)
        profile_add_device_work(reader->profile, reader->node[number[0]], &sum);
}

enum { MOST_PROCESSES = 1 << 20 };

/* Files without devices have none. */
static void read_devices(struct reader *reader, const json_t *root)
{
    const json_t *from = json_object_get(root, "devices"), *work = json_object_get(root, "device_work"),
                 *value, *why = json_object_get(from, "reason");
    struct profile_devices *devices = &reader->profile->devices;
    size_t i;
    json_array_foreach(work, i, value)
    {
        if (reader->why == NULL)
            read_device_work(reader, value);
    }
    if (from == NULL)
        return;
    devices->processes +=
        (int)integer(reader, json_object_get(from, "processes"), 0, MOST_PROCESSES, "processes");
    devices->unended += (int)integer(reader, json_object_get(from, "unended"), 0, MOST_PROCESSES, "unended");
    devices->dropped = profile_sum(devices->dropped, (uint64_t)optional(reader, from, "dropped"));
    devices->unfinished = profile_sum(devices->unfinished, (uint64_t)optional(reader, from, "unfinished"));
    if (devices->why == NULL && json_is_string(why))
        devices->why = memory_text(json_string_value(why));
}

static void read_extremes(struct reader *reader, const json_t *root)
{
    struct profile *profile = reader->profile;
    const json_t *from = json_object_get(root, "spread"), *value;
    size_t i, n = (size_t)reader->n_routines;
    if (profile->extremes != NULL || !json_is_array(from) || json_array_size(from) != n || n == 0 ||
        profile->routines.n != (int)n)
        return; /* of no job, or not the only file */
    profile->extremes = memory_more(NULL, n, sizeof *profile->extremes);
    json_array_foreach(from, i, value)
    {
        struct extremes *extremes = &profile->extremes[i];
        extremes->least = (uint64_t)integer(reader, json_array_get(value, 1), 0, LLONG_MAX, "spread");
        extremes->least_rank = (int32_t)integer(reader, json_array_get(value, 2), 0, INT_MAX, "spread");
        extremes->most = (uint64_t)integer(reader, json_array_get(value, 3), 0, LLONG_MAX, "spread");
        extremes->most_rank = (int32_t)integer(reader, json_array_get(value, 4), 0, INT_MAX, "spread");
    }
    profile->n_extremes = (int)n;
    profile->ranks = (int)integer(reader, json_object_get(root, "ranks"), 0, INT_MAX, "ranks");
}

/* ---- the head */

static void read_command(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "command"), *value;
    struct profile *profile = reader->profile;
    size_t i, n = json_array_size(from);
    if (profile->command != NULL) /* of the first file */
        return;
    profile->command = memory_more(NULL, n + 1, sizeof *profile->command);
    json_array_foreach(from, i, value)
    {
        profile->command[i] = memory_text(text(reader, value, "a word of the command"));
    }
    profile->command[n] = NULL;
}

/* The least precise samples of several files are what is known of all. */
static void read_precision(struct reader *reader, const json_t *from, struct profile_event *event)
{
    if (json_object_get(from, "precise") == NULL)
        return;
    long long level = member(reader, from, "precise");
    if (level < 0 || level >= PRECISE_LEVELS)
        fail(reader, "an event's samples have the precision %lld", level);
    else if (event->precise == 0 || PRECISE_KNOWN + level < event->precise)
        event->precise = PRECISE_KNOWN + (int)level;
}

static void read_event(struct reader *reader, const json_t *from, int i, bool first)
{
    struct profile_event *event = &reader->profile->event[i];
    const char *name = text(reader, json_object_get(from, "name"), "an event's name");
    uint64_t period = (uint64_t)member(reader, from, "period");
    bool exact = json_is_true(json_object_get(from, "exact"));
    if (first) {
        *event = (struct profile_event){.name = memory_text(name), .period = period, .exact = exact};
        event->clock = json_is_true(json_object_get(from, "clock"));
        reader->profile->n_events = i + 1;
    } else if (strcmp(event->name, name) != 0 || event->period != period || event->exact != exact) {
        fail(reader, "its event %d is %s, or counted otherwise, and that of the file before it is %s", i + 1,
             name, event->name);
    }
    read_precision(reader, from, event);
    event->samples = profile_sum(event->samples, (uint64_t)member(reader, from, "samples"));
    event->enabled = profile_sum(event->enabled, (uint64_t)optional(reader, from, "enabled"));
    event->running = profile_sum(event->running, (uint64_t)optional(reader, from, "running"));
}

static void read_events(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "events"), *value;
    bool first = reader->profile->n_events == 0;
    size_t i, n = json_array_size(from);
    if (n == 0 || n > PROFILE_EVENTS || (!first && n != (size_t)reader->profile->n_events)) {
        fail(reader, "it has %zu events", n);
        return;
    }
    json_array_foreach(from, i, value)
    {
        read_event(reader, value, (int)i, first);
    }
}

static void read_processes(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "processes"), *value;
    size_t i;
    reader->first_process = reader->profile->n_processes;
    json_array_foreach(from, i, value)
    {
        const char *command = text(reader, json_object_get(value, "command"), "a process's command");
        int threads = (int)integer(reader, json_object_get(value, "threads"), 0, INT_MAX, "threads");
        profile_process(reader->profile, (long)member(reader, value, "pid"), command)->threads = threads;
    }
}

/* The longest time that is believed, thirty years in seconds. */
#define LONGEST 1e9

static void read_head(struct reader *reader, const json_t *root)
{
    struct profile *profile = reader->profile;
    const json_t *host = json_object_get(root, "host");
    double seconds = json_number_value(json_object_get(root, "seconds"));
    if (profile->host == NULL && json_is_string(host))
        profile->host = memory_text(json_string_value(host));
    if (profile->started == 0)
        profile->started = member(reader, root, "started");
    if (seconds > LONGEST)
        fail(reader, "seconds is not a number up to %.0f", LONGEST);
    else if (seconds > profile->seconds)
        profile->seconds = seconds;
    profile->lost = profile_sum(profile->lost, (uint64_t)member(reader, root, "lost"));
    profile->throttled = profile_sum(profile->throttled, (uint64_t)optional(reader, root, "throttled"));
    read_command(reader, root);
}

/* ---- all */

static void read_all(struct reader *reader, const json_t *root)
{
    static void (*const parts[])(struct reader *, const json_t *) = {
        read_events,   read_head,   read_processes,  read_strings, read_lacking,
        read_routines, read_places, read_arithmetic, read_tree,    read_code,
        read_data,     read_lines,  read_branches,   read_devices, read_extremes,
    };
    const json_t *format = json_object_get(root, "format");
    if (!json_is_string(format) || strcmp(json_string_value(format), "papi_profile") != 0 ||
        json_integer_value(json_object_get(root, "version")) != 1)
        fail(reader, "\"format\" and \"version\" are not \"papi_profile\" and 1");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && reader->why == NULL; i++)
        parts[i](reader, root);
}

static enum profile_maker maker_of(FILE *in)
{
    struct stat status;
    bool own = fstat(fileno(in), &status) == 0 && trust_contents(&status);
    return own ? PROFILE_OF_READER : PROFILE_OF_OTHERS;
}

static void note_maker(struct profile *profile, enum profile_maker maker)
{
    if (maker > profile->origin.maker)
        profile->origin.maker = maker;
}

char *file_read(struct profile *profile, const char *path)
{
    struct reader reader = {.profile = profile, .path = path};
    json_error_t error;
    const char *unread;
    FILE *in = input_open(path, &unread);
    if (in == NULL)
        return memory_print("%s: %s", path, unread);
    note_maker(profile, maker_of(in));
    errno = 0;
    json_t *root = json_loadf(in, 0, &error);
    int failed = ferror(in) != 0 ? errno : 0;
    fclose(in);
    if (root == NULL && failed != 0)
        return memory_print("%s cannot be read: %s", path, strerror(failed));
    if (root == NULL)
        return memory_print("%s is not a profile: line %d: %s", path, error.line, error.text);
    read_all(&reader, root);
    json_decref(root);
    free(reader.string);
    free(reader.routine);
    free(reader.place);
    free(reader.node);
    free(reader.datum);
    free(reader.line);
    return reader.why;
}
