/* SPDX-License-Identifier: BSD-3-Clause */
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* A profile's tables; rows refer to those before by their numbers. */
struct tables {
    const json_t *strings, *routines, *places, *events;
};

static json_int_t number(const json_t *row, size_t at)
{
    return json_integer_value(json_array_get(row, at));
}

static const json_t *row_of(const json_t *table, json_int_t at)
{
    return at >= 0 ? json_array_get(table, (size_t)at) : NULL;
}

static const char *text(const struct tables *tables, json_int_t at)
{
    const char *found = json_string_value(row_of(tables->strings, at));
    return found != NULL ? found : "";
}

/* The name of an event without its component's: all ways to count have the same. */
static const char *plain_name(const char *name)
{
    const char *colons = strstr(name, "::");
    return colons != NULL ? colons + 2 : name;
}

/* Adds what one node of the tree has by itself. */
static bool take_node(struct counts *counts, const struct tables *tables, const json_t *node)
{
    const json_t *place = row_of(tables->places, number(node, 1));
    const json_t *from = row_of(tables->routines, number(place, 0));
    if (place == NULL || from == NULL)
        return number(node, 1) < 0;
    const char *object = text(tables, number(from, 1));
    struct gate_routine *routine =
        counts_routine(counts, counts_object(counts, object)->name, text(tables, number(from, 0)));
    struct gate_line *line =
        counts_line(counts, routine, text(tables, number(place, 1)), (int)number(place, 2));
    routine->file = counts_text(counts, text(tables, number(from, 2)));
    for (size_t i = 0; i < json_array_size(tables->events); i++) {
        const char *name = json_string_value(json_object_get(json_array_get(tables->events, i), "name"));
        int event = name != NULL ? counts_event(counts, plain_name(name)) : -1;
        if (event < 0)
            return false;
        counts_add(routine, line, event, (uint64_t)number(node, 3 + i));
    }
    return true;
}

char *take_profile(struct counts *counts, const char *path)
{
    const char *unread = NULL;
    FILE *in = input_open(path, &unread);
    json_t *root = in != NULL ? json_loadf(in, 0, NULL) : NULL;
    const json_t *tree = json_object_get(root, "tree"), *node;
    struct tables tables = {json_object_get(root, "strings"), json_object_get(root, "routines"),
                            json_object_get(root, "places"), json_object_get(root, "events")};
    bool fine = json_is_array(tree) && json_array_size(tables.events) > 0;
    size_t i;
    json_array_foreach(tree, i, node)
    {
        fine = fine && take_node(counts, &tables, node);
    }
    counts->processes += (int)json_array_size(json_object_get(root, "processes"));
    json_decref(root);
    if (in != NULL)
        fclose(in);
    return fine ? NULL
                : memory_print("the exact profile of the program cannot be read (%s)",
                               unread != NULL ? unread : "it is not one of this version");
}
