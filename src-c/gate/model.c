/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Models of processors. They are JSON, read from the program's own copies or from a file of the user's, and
 * checked whole: a number that is missing would be a cost of 0.
 */
#include "model.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "model_text.h"
#include "papi.h"
#include "tools/common/allocate.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[PRICES] = {
#define CLASS(name) #name,
    PRICE_CLASSES(CLASS)
#undef CLASS
};

struct reader {
    struct model *model;
    const char *path;
    char *why; /* the first fault */
};

static __attribute__((format(printf, 2, 3))) void fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    if (reader->why != NULL)
        return;
    va_start(arguments, format);
    char *what = memory_print_list(format, arguments);
    va_end(arguments);
    reader->why = memory_print("%s is not a model of a processor: %s (docs/gate.md has the format; "
                               "--model=none is for no estimate)",
                               reader->path, what);
    free(what);
}

/* ---- numbers */

static double number(struct reader *reader, const json_t *value, const char *what)
{
    double found = json_number_value(value);
    if (!json_is_number(value) || !(found >= 0) || found > 1e6)
        fail(reader, "%s is not a number from 0 to a million", what);
    return found;
}

/* A number with its source. */
static double sourced(struct reader *reader, const json_t *root, const char *key)
{
    const json_t *object = json_object_get(root, key), *value = json_object_get(object, "value");
    if (!json_is_string(json_object_get(object, "source")))
        fail(reader, "%s has no \"source\"", key);
    if (json_is_boolean(value))
        return json_is_true(value);
    return number(reader, value, key);
}

/* Reads two numbers with their source. */
static void range(struct reader *reader, const json_t *root, const char *key, double out[2])
{
    const json_t *object = json_object_get(root, key);
    if (!json_is_string(json_object_get(object, "source")))
        fail(reader, "%s has no \"source\"", key);
    out[0] = number(reader, json_object_get(object, "least"), key);
    out[1] = number(reader, json_object_get(object, "most"), key);
}

/* Reads one number for all widths, or one for each. */
static void widths(struct reader *reader, const json_t *value, const char *what, double out[MODEL_WIDTHS])
{
    bool list = json_is_array(value);
    if (list && json_array_size(value) != MODEL_WIDTHS)
        fail(reader, "%s has not %d numbers", what, (int)MODEL_WIDTHS);
    for (size_t i = 0; i < MODEL_WIDTHS; i++)
        out[i] = number(reader, list ? json_array_get(value, i) : value, what);
}

/* ---- classes */

static int unit_number(const struct model *model, const char *name)
{
    int i = 0;
    while (i < model->n_units && strcmp(model->unit[i], name) != 0)
        i++;
    return i < model->n_units ? i : -1;
}

static void read_price(struct reader *reader, const json_t *from, const char *name, struct price *price)
{
    const json_t *ops = json_object_get(from, "instructions");
    const char *unit;
    json_t *busy;
    if (!json_is_object(from) || !json_is_string(json_object_get(from, "source"))) {
        fail(reader, "there is no class %s with a \"source\"", name);
        return;
    }
    widths(reader, json_object_get(from, "latency"), name, price->latency);
    for (int i = 0; i < MODEL_WIDTHS; i++)
        price->ops[i] = 1;
    if (ops != NULL)
        widths(reader, ops, name, price->ops);
    json_object_foreach(json_object_get(from, "busy"), unit, busy)
    {
        int at = unit_number(reader->model, unit);
        if (at < 0)
            fail(reader, "%s is busy in %s, which is not among \"units\"", name, unit);
        else
            widths(reader, busy, name, price->busy[at]);
    }
}

static void read_units(struct reader *reader, const json_t *root)
{
    struct model *model = reader->model;
    const char *name;
    json_t *value;
    if (!json_is_object(json_object_get(root, "units")))
        fail(reader, "there are no \"units\"");
    json_object_foreach(json_object_get(root, "units"), name, value)
    {
        if (model->n_units == MODEL_UNITS)
            fail(reader, "there are more than %d units", (int)MODEL_UNITS);
        else
            model->unit[model->n_units++] = memory_text(name);
    }
}

static void read_root(struct reader *reader, const json_t *root)
{
    struct model *model = reader->model;
    const char *name = json_string_value(json_object_get(root, "name")),
               *title = json_string_value(json_object_get(root, "title"));
    const json_t *classes = json_object_get(root, "classes");
    if (name == NULL || title == NULL) {
        fail(reader, "it has no \"name\" and \"title\"");
        return;
    }
    model->name = memory_text(name);
    model->title = memory_text(title);
    model->gigahertz = sourced(reader, root, "gigahertz");
    model->width = sourced(reader, root, "width");
    range(reader, root, "taken", model->taken);
    range(reader, root, "mispredicted", model->mispredicted);
    model->window = sourced(reader, root, "window");
    model->fuses = sourced(reader, root, "fuses") != 0;
    if (model->gigahertz <= 0 || model->width <= 0 || model->window <= 0)
        fail(reader, "gigahertz, width or window is 0");
    read_units(reader, root);
    for (int i = 0; i < PRICES; i++)
        read_price(reader, json_object_get(classes, class_names[i]), class_names[i], &model->price[i]);
}

static char *read_text(struct model *model, const char *path, const char *text)
{
    struct reader reader = {.model = model, .path = path};
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        fail(&reader, "line %d: %s", error.line, error.text);
    else
        read_root(&reader, root);
    json_decref(root);
    model->version = memory_print("%08x", (unsigned)(hash_text(text) & UINT32_MAX));
    return reader.why;
}

/* ---- names */

static char *refuse(const char *name)
{
    struct nearest nearest;
    char text[NEAREST_TEXT], *all = memory_text("");
    nearest_begin(&nearest, name);
    for (const struct model_text *at = model_texts; at->name != NULL; at++) {
        char *more = memory_print("%s%s, ", all, at->name);
        nearest_try(&nearest, at->name);
        free(all);
        all = more;
    }
    char *why =
        memory_print("%s is not the name of a model%s: there are %snone, and files that end with .json", name,
                     nearest_text(&nearest, text), all);
    free(all);
    return why;
}

static bool is_file(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') != NULL || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

static char *read_file(struct model *model, const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    char *text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
    char *why = text != NULL ? read_text(model, path, text)
                             : memory_print("%s is not a model of a processor: %s", path, error.text);
    free(text);
    json_decref(root);
    return why;
}

char *model_read(struct model *model, const char *name)
{
    *model = (struct model){.name = NULL};
    if (is_file(name))
        return read_file(model, name);
    for (const struct model_text *at = model_texts; at->name != NULL; at++)
        if (strcmp(at->name, name) == 0)
            return read_text(model, name, at->text);
    return refuse(name);
}

void model_free(struct model *model)
{
    for (int i = 0; i < model->n_units; i++)
        free(model->unit[i]);
    free(model->name);
    free(model->title);
    free(model->version);
    *model = (struct model){.name = NULL};
}

/* ---- this machine's */

static bool has_model(const json_t *ranges, int model)
{
    const json_t *range;
    size_t i;
    json_array_foreach(ranges, i, range)
    {
        if (model >= json_integer_value(json_array_get(range, 0)) &&
            model <= json_integer_value(json_array_get(range, 1)))
            return true;
    }
    return false;
}

static bool is_of(const json_t *processor, const PAPI_hw_info_t *hardware)
{
    const char *vendor = json_string_value(json_object_get(processor, "vendor"));
    if (vendor != NULL)
        return strcmp(vendor, hardware->vendor_string) == 0 &&
               json_integer_value(json_object_get(processor, "family")) == hardware->cpuid_family &&
               has_model(json_object_get(processor, "models"), hardware->cpuid_model);
    return json_integer_value(json_object_get(processor, "implementer")) == hardware->vendor &&
           json_integer_value(json_object_get(processor, "part")) == hardware->cpuid_model;
}

static bool is_model_of(const char *text, const PAPI_hw_info_t *hardware)
{
    json_t *root = json_loads(text, 0, NULL);
    const json_t *processor;
    bool found = false;
    size_t i;
    json_array_foreach(json_object_get(root, "processors"), i, processor)
    {
        found |= is_of(processor, hardware);
    }
    json_decref(root);
    return found;
}

const char *model_of_machine(void)
{
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    const struct model_text *at = model_texts;
    while (at->name != NULL && (hardware == NULL || !is_model_of(at->text, hardware)))
        at++;
    return at->name;
}
