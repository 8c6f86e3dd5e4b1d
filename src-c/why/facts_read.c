/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads profiles into facts. Loops are those of the sampled profile; counts and other times are added to the
 * loop of the same code.
 */
#include "facts_read.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

const char *const sampled_events[] = {"-e", "perf::CPU-CLOCK", "-e", "perf::PAGE-FAULTS=97", NULL};

/* Events of an exact profile, in the order of counted_events. */
enum counted {
    COUNTED_INSTRUCTIONS,
    COUNTED_L1,
    COUNTED_READS,
    COUNTED_WRITES,
    COUNTED_CALLS,
    COUNTED_L2,
    COUNTED_EVENTS
};

const char *const *counted_events(int levels)
{
#define ALWAYS                                                                                               \
    "-e", "emu::INSTRUCTIONS", "-e", "emu::L1D_READ_MISSES", "-e", "emu::" LAST "_READ_MISSES", "-e",        \
        "emu::" LAST "_WRITE_MISSES", "-e", "emu::SYSTEM_CALLS"
#define LAST "L3"
    static const char *const three[] = {ALWAYS, "-e", "emu::L2_READ_MISSES", NULL};
#undef LAST
#define LAST "L2"
    static const char *const two[] = {ALWAYS, NULL};
#undef LAST
    return levels >= 3 ? three : two;
}

struct reader {
    const json_t *strings, *routines, *places, *tree, *loops, *events;
};

static const json_t *row(const json_t *table, json_int_t number)
{
    return number >= 0 ? json_array_get(table, (size_t)number) : NULL;
}

static json_int_t number_of(const json_t *from, size_t column)
{
    const json_t *value = json_array_get(from, column);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static const char *text_of(const struct reader *reader, json_int_t number)
{
    const char *text = json_string_value(row(reader->strings, number));
    return text != NULL ? text : "";
}

static struct where where_of(const struct reader *reader, json_int_t place)
{
    const json_t *at = row(reader->places, place), *routine = row(reader->routines, number_of(at, 0));
    struct where where = {.routine = text_of(reader, number_of(routine, 0)),
                          .file = text_of(reader, number_of(at, 1))};
    if (where.file[0] != '\0')
        where.line = (int)number_of(at, 2);
    return where;
}

static const char *object_of_place(const struct reader *reader, json_int_t place)
{
    const json_t *routine = row(reader->routines, number_of(row(reader->places, place), 0));
    return text_of(reader, number_of(routine, 1));
}

/* Code that is not the program's own. */
static bool is_system(const char *object)
{
    return strncmp(object, "/lib", 4) == 0 || strncmp(object, "/usr/lib", 8) == 0 || object[0] == '[' ||
           object[0] == '\0';
}

static char *open_reader(struct reader *reader, const json_t *root, size_t events)
{
    const struct {
        const char *key;
        const json_t **list;
    } lists[] = {
        {"strings", &reader->strings}, {"routines", &reader->routines}, {"places", &reader->places},
        {"tree", &reader->tree},       {"loops", &reader->loops},       {"events", &reader->events},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i].list = json_object_get(root, lists[i].key);
        if (!json_is_array(*lists[i].list))
            return memory_print("the profile has no list \"%s\"", lists[i].key);
    }
    if (json_array_size(reader->events) != events)
        return memory_print("the profile has %zu events", json_array_size(reader->events));
    return NULL;
}

/* ---- loops */

static double real(const json_t *from, const char *key)
{
    return json_number_value(json_object_get(from, key));
}

static int whole(const json_t *from, const char *key)
{
    return (int)json_integer_value(json_object_get(from, key));
}

static void take_places(struct why_loop *loop, const struct reader *reader, const json_t *places)
{
    const struct {
        const char *key;
        struct where *where;
    } rows[] = {
        {"hottest", &loop->hottest},   {"chain", &loop->chain},
        {"divide", &loop->divide},     {"root", &loop->root},
        {"convert", &loop->convert},   {"integer_divide", &loop->integer_divide},
        {"indirect", &loop->indirect}, {"far", &loop->far},
        {"stride", &loop->strided},    {"branch", &loop->branch},
        {"call", &loop->call},         {"locked", &loop->locked},
        {"store", &loop->stored},      {"undecided", &loop->undecided},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *place = json_object_get(places, rows[i].key);
        *rows[i].where = where_of(reader, json_is_integer(place) ? json_integer_value(place) : -1);
    }
}

static void take_turn(struct why_loop *loop, const json_t *turn)
{
    const struct {
        const char *key;
        int *n;
    } rows[] = {
        {"loads", &loop->loads},       {"stores", &loop->stores},
        {"scalar", &loop->scalar},     {"vector", &loop->vector},
        {"bits", &loop->bits},         {"calls", &loop->calls},
        {"branches", &loop->branches}, {"locked", &loop->atomics},
        {"unknown", &loop->unknown},   {"divides", &loop->divides},
        {"roots", &loop->roots},       {"converts", &loop->converts},
        {"stack", &loop->stack},       {"integer_divides", &loop->integer_divides},
        {"far", &loop->far_accesses},  {"indirect", &loop->indirect_loads},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i].n = whole(turn, rows[i].key);
    loop->known = turn != NULL;
    loop->stride = real(turn, "stride");
    loop->at_least = real(turn, "at_least");
    loop->divider = real(turn, "divider");
    loop->chain_cycles = real(turn, "chain");
    loop->chain_share = real(turn, "chain_share");
    loop->chain_work = json_string_value(json_object_get(turn, "chain_work"));
    loop->chain_work = loop->chain_work != NULL ? loop->chain_work : "";
    loop->chases = json_is_true(json_object_get(turn, "chases"));
}

static struct why_loop loop_of(const struct reader *reader, const json_t *from)
{
    struct why_loop loop = {.object = text_of(reader, json_integer_value(json_object_get(from, "object"))),
                            .start = json_integer_value(json_object_get(from, "start")),
                            .is_loop = json_is_true(json_object_get(from, "loop")),
                            .innermost = json_is_true(json_object_get(from, "innermost")),
                            .optimised = json_is_true(json_object_get(from, "optimised")),
                            .seconds_alone = -1};
    take_places(&loop, reader, json_object_get(from, "places"));
    take_turn(&loop, json_object_get(from, "turn"));
    return loop;
}

static double value_of(const json_t *loop, size_t event)
{
    return json_number_value(json_array_get(json_object_get(loop, "values"), event));
}

static struct why_loop *same_loop(struct facts *facts, const struct why_loop *loop)
{
    for (int i = 0; i < facts->n_loops; i++)
        if (facts->loop[i].start == loop->start && facts->loop[i].is_loop == loop->is_loop &&
            strcmp(facts->loop[i].object, loop->object) == 0)
            return &facts->loop[i];
    return NULL;
}

/* ---- libraries */

static struct why_callee *callee_at(struct facts *facts, const struct where *at)
{
    for (int i = 0; i < facts->n_callees; i++)
        if (facts->callee[i].at.line == at->line && strcmp(facts->callee[i].at.file, at->file) == 0 &&
            strcmp(facts->callee[i].at.routine, at->routine) == 0)
            return &facts->callee[i];
    facts->callee = memory_more(facts->callee, (size_t)facts->n_callees + 1, sizeof *facts->callee);
    facts->callee[facts->n_callees] = (struct why_callee){.at = *at, .routine = "", .object = ""};
    return &facts->callee[facts->n_callees++];
}

static bool is_openmp(const char *object)
{
    return strstr(object, "libgomp") != NULL || strstr(object, "libomp") != NULL;
}

/* True if OpenMP's library called a node of the program. */
static bool is_within(const struct reader *reader, const json_t *node)
{
    for (; node != NULL; node = row(reader->tree, number_of(node, 0)))
        if (is_openmp(object_of_place(reader, number_of(node, 1))))
            return true;
    return false;
}

static void take_node(struct facts *facts, const struct reader *reader, const json_t *node)
{
    double seconds = json_number_value(json_array_get(node, 3)) * 1e-9;
    double faults = json_number_value(json_array_get(node, 4));
    json_int_t place = number_of(node, 1), outer = place, entry = place; /* entry: what the program calls */
    facts->sampled += seconds;
    if (seconds + faults <= 0 || !is_system(object_of_place(reader, place)))
        return;
    enum call_kind kind = CALL_OTHER; /* that of the outermost whose task is known */
    const json_t *up = node;
    while (up != NULL && is_system(object_of_place(reader, outer))) {
        entry = outer;
        enum call_kind task = call_kind_of(where_of(reader, entry).routine);
        kind = task != CALL_OTHER ? task : kind;
        up = row(reader->tree, number_of(up, 0));
        outer = number_of(up, 1);
    }
    struct where at = where_of(reader, outer);
    struct why_callee *callee = callee_at(facts, &at);
    callee->seconds += seconds;
    callee->of_kind[kind] += seconds;
    callee->within |= is_within(reader, up);
    callee->faults += faults;
    if (seconds >= callee->most) {
        callee->most = seconds;
        callee->routine = where_of(reader, entry).routine;
        callee->object = object_of_place(reader, entry);
    }
}

/* ---- all */

char *facts_take_times(struct facts *facts, const json_t *root)
{
    struct reader reader;
    const json_t *from;
    size_t i;
    char *why = open_reader(&reader, root, 2);
    if (why != NULL)
        return why;
    facts->loop = memory_more(NULL, json_array_size(reader.loops) + 1, sizeof *facts->loop);
    json_array_foreach(reader.loops, i, from)
    {
        struct why_loop loop = loop_of(&reader, from);
        loop.seconds = value_of(from, 0) * 1e-9;
        loop.faults = value_of(from, 1);
        facts->decoded |= loop.known;
        if (!is_system(loop.object))
            facts->loop[facts->n_loops++] = loop;
    }
    json_array_foreach(reader.tree, i, from)
    {
        take_node(facts, &reader, from);
    }
    return NULL;
}

char *facts_take_alone(struct facts *facts, const json_t *root)
{
    struct reader reader;
    const json_t *from;
    size_t i;
    char *why = open_reader(&reader, root, 2);
    if (why != NULL)
        return why;
    for (int j = 0; j < facts->n_loops; j++)
        facts->loop[j].seconds_alone = 0;
    json_array_foreach(reader.loops, i, from)
    {
        struct why_loop other = loop_of(&reader, from), *loop = same_loop(facts, &other);
        if (loop != NULL)
            loop->seconds_alone = value_of(from, 0) * 1e-9;
    }
    return NULL;
}

static struct measured measured_of(const json_t *loop, const struct counters *counters)
{
    double value[COUNTERS];
    size_t event = 0;
    for (int i = 0; i < COUNTERS; i++)
        value[i] = counters->name[i] != NULL ? value_of(loop, event++) : -1;
    return (struct measured){.known = value[COUNTER_CYCLES] > 0,
                             .cycles = value[COUNTER_CYCLES],
                             .instructions = value[COUNTER_INSTRUCTIONS],
                             .mispredictions = value[COUNTER_MISPREDICTIONS],
                             .last_misses = value[COUNTER_LAST_MISSES]};
}

char *facts_take_measured(struct facts *facts, const json_t *root, const struct counters *counters)
{
    struct reader reader;
    const json_t *from;
    size_t i;
    char *why = open_reader(&reader, root, (size_t)counters->n);
    if (why != NULL)
        return why;
    json_array_foreach(reader.loops, i, from)
    {
        struct why_loop other = loop_of(&reader, from), *loop = same_loop(facts, &other);
        if (loop != NULL)
            loop->measured = measured_of(from, counters);
    }
    facts->measured = true;
    return NULL;
}

char *facts_take_counts(struct facts *facts, const json_t *root)
{
    struct reader reader;
    const json_t *from;
    size_t i;
    bool three = json_array_size(json_object_get(root, "events")) == COUNTED_EVENTS;
    char *why = open_reader(&reader, root, three ? COUNTED_EVENTS : COUNTED_EVENTS - 1);
    if (why != NULL)
        return why;
    json_array_foreach(reader.loops, i, from)
    {
        struct why_loop other = loop_of(&reader, from), *loop = same_loop(facts, &other);
        if (loop == NULL)
            continue;
        loop->counted = true;
        loop->turns = real(from, "turns");
        loop->undecided_turns = real(from, "undecided");
        loop->undecided = other.undecided;
        loop->instructions = value_of(from, COUNTED_INSTRUCTIONS);
        loop->l1_misses = value_of(from, COUNTED_L1);
        loop->last_reads = value_of(from, COUNTED_READS);
        loop->last_writes = value_of(from, COUNTED_WRITES);
        loop->l2_misses = three ? value_of(from, COUNTED_L2) : loop->last_reads;
    }
    json_array_foreach(reader.tree, i, from)
    {
        double calls = json_number_value(json_array_get(from, 3 + COUNTED_CALLS));
        facts->system_calls += calls;
        facts->calls[call_kind_of(where_of(&reader, number_of(from, 1)).routine)] += calls;
    }
    facts->counted = true;
    return NULL;
}

void facts_take_roofs(struct facts *facts, const json_t *root)
{
    const json_t *levels = json_object_get(json_object_get(root, "roofs"), "levels");
    const json_t *memory = json_array_get(levels, json_array_size(levels) - 1);
    static const char *const loops[] = {"read", "copy", "scale", "add", "triad"};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        const json_t *rate = json_object_get(memory, loops[i]);
        double one = real(rate, "one_core"), all = real(rate, "all_cores");
        facts->one_core = one > facts->one_core ? one : facts->one_core;
        facts->all_cores = all > facts->all_cores ? all : facts->all_cores;
    }
}

void facts_free(struct facts *facts)
{
    free(facts->loop);
    free(facts->callee);
    free(facts->wait);
}
