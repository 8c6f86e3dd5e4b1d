/* SPDX-License-Identifier: BSD-3-Clause */
#include "gate_file.h"
#include "source_code.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing */

static void put_text(FILE *out, const char *text)
{
    json_t *value = json_pack("s", text);
    char *quoted = value != NULL ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    fputs(quoted != NULL ? quoted : "\"?\"", out); /* not UTF-8 */
    free(quoted);
    json_decref(value);
}

static void put_member(FILE *out, const char *key, const char *text)
{
    fprintf(out, "  \"%s\": ", key);
    put_text(out, text);
    fputs(",\n", out);
}

/* Writes events that are not 0; one that varied has its range. */
static void put_counts(FILE *out, const struct counts *counts, const struct count *count)
{
    const char *comma = "";
    fputc('{', out);
    for (int i = 0; i < counts->n_events; i++) {
        if (count[i].most == 0 && count[i].value == 0)
            continue;
        fputs(comma, out);
        put_text(out, counts->event[i]);
        if (count[i].least != count[i].most)
            fprintf(out, ": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", count[i].value, count[i].least,
                    count[i].most);
        else
            fprintf(out, ": %" PRIu64, count[i].value);
        comma = ", ";
    }
    fputc('}', out);
}

static void put_routine(FILE *out, const struct counts *counts, const struct gate_routine *routine)
{
    fputs("    {\"routine\": ", out);
    put_text(out, routine->name);
    fputs(", \"object\": ", out);
    put_text(out, routine->object);
    fputs(", \"file\": ", out);
    put_text(out, routine->file);
    fputs(",\n     \"counts\": ", out);
    put_counts(out, counts, routine->count);
    fputs(",\n     \"lines\": [", out);
    for (size_t i = 0; i < routine->n_lines; i++) {
        const struct gate_line *line = &routine->line[i];
        fprintf(out, "%s\n      {\"line\": %d, ", i > 0 ? "," : "", line->line);
        if (line->file != routine->file) {
            fputs("\"file\": ", out);
            put_text(out, line->file);
            fputs(", ", out);
        }
        fputs("\"text\": ", out);
        put_text(out, line->text);
        fputs(", \"counts\": ", out);
        put_counts(out, counts, line->count);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void put_words(FILE *out, const char *key, char *const *word)
{
    fprintf(out, "  \"%s\": [", key);
    for (int i = 0; word != NULL && word[i] != NULL; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_text(out, word[i]);
    }
    fputs("],\n", out);
}

static void put_objects(FILE *out, const struct counts *counts)
{
    fputs("  \"objects\": [", out);
    for (size_t i = 0; i < counts->n_objects; i++) {
        const struct gate_object *object = &counts->object[i];
        fprintf(out, "%s\n    {\"path\": ", i > 0 ? "," : "");
        put_text(out, object->path);
        fputs(", \"build_id\": ", out);
        put_text(out, object->build_id);
        fputs(", \"compiler\": ", out);
        put_text(out, object->compiler);
        fputc('}', out);
    }
    fputs("],\n  \"inputs\": [", out);
    for (size_t i = 0; i < counts->n_inputs; i++) {
        fprintf(out, "%s\n    {\"path\": ", i > 0 ? "," : "");
        put_text(out, counts->input[i].path);
        fputs(", \"hash\": ", out);
        put_text(out, counts->input[i].hash);
        fputc('}', out);
    }
    fputs("],\n", out);
}

/* SOURCE_DIGITS characters of base 64 for each line: a source is one line of this file. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_source(FILE *out, const struct gate_source *source)
{
    fputs("\n    {\"path\": ", out);
    put_text(out, source->path);
    fputs(", \"lines\": \"", out);
    for (size_t i = 0; i < source->n; i++)
        for (int shift = 6 * (SOURCE_DIGITS - 1); shift >= 0; shift -= 6)
            fputc(digits[source->line[i].code >> shift & 63], out);
    fputs("\"}", out);
}

/* False: JSON has no such name, by which the source could be found again. */
static bool is_utf8(const char *text)
{
    json_t *value = json_pack("s", text);
    bool is = value != NULL;
    json_decref(value);
    return is;
}

static void put_sources(FILE *out, const struct counts *counts)
{
    bool first = true;
    fputs("  \"sources\": [", out);
    for (size_t i = 0; i < counts->n_sources; i++) {
        if (!is_utf8(counts->source[i].path))
            continue;
        fputs(first ? "" : ",", out);
        put_source(out, &counts->source[i]);
        first = false;
    }
    fputs("],\n", out);
}

bool gate_write(FILE *out, const struct counts *counts)
{
    fprintf(out, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n", GATE_FORMAT, GATE_VERSION);
    put_member(out, "mode", counts->mode);
    put_words(out, "command", counts->command);
    put_member(out, "revision", counts->revision);
    put_member(out, "host", counts->host);
    put_member(out, "processor", counts->processor);
    if (counts->model != NULL && counts->model[0] != '\0')
        put_member(out, "model", counts->model);
    if (counts->no_time != NULL && counts->no_time[0] != '\0')
        put_member(out, "no_time", counts->no_time);
    fprintf(out, "  \"made\": %lld,\n  \"runs\": %d,\n  \"processes\": %d,\n  \"ranks\": %d,\n", counts->made,
            counts->runs, counts->processes, counts->ranks);
    fprintf(out, "  \"processor_seconds\": %.3f,\n", counts->processor_seconds);
    put_objects(out, counts);
    put_sources(out, counts);
    fputs("  \"events\": [", out);
    for (int i = 0; i < counts->n_events; i++) {
        fputs(i > 0 ? ", " : "", out);
        put_text(out, counts->event[i]);
    }
    fputs("],\n  \"regions\": [", out);
    for (size_t i = 0; i < counts->n_regions; i++) {
        fprintf(out, "%s\n    {\"region\": ", i > 0 ? "," : "");
        put_text(out, counts->region[i].name);
        fputs(", \"counts\": ", out);
        put_counts(out, counts, counts->region[i].count);
        if (counts->region[i].no_time[0] != '\0') {
            fputs(", \"no_time\": ", out);
            put_text(out, counts->region[i].no_time);
        }
        fputc('}', out);
    }
    fputs("],\n  \"routines\": [", out);
    for (size_t i = 0; i < counts->n_routines; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        put_routine(out, counts, &counts->routine[i]);
    }
    fputs("]\n}\n", out);
    return ferror(out) == 0;
}

/* ---- reading: the first fault is kept, and nothing after it is used */

struct reader {
    struct counts *counts;
    const char *path, *cure; /* cure: a command, and what it does */
    char *why;
};

static __attribute__((format(printf, 2, 3))) void fail(struct reader *reader, const char *format, ...)
{
    va_list arguments;
    if (reader->why != NULL)
        return;
    va_start(arguments, format);
    char *what = memory_print_list(format, arguments);
    va_end(arguments);
    reader->why = memory_print("%s is not a result of papi_gate of this version: %s: %s", reader->path, what,
                               reader->cure);
    free(what);
}

static const char *text(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        fail(reader, "\"%s\" is not a text", key);
    return counts_text(reader->counts, json_is_string(value) ? json_string_value(value) : "");
}

static json_int_t integer(struct reader *reader, const json_t *value, const char *what)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        fail(reader, "%s is not a whole number", what);
    return json_integer_value(value);
}

/* The same of a number that is kept as an int. */
static int small(struct reader *reader, const json_t *value, const char *what)
{
    json_int_t number = integer(reader, value, what);
    if (number > INT_MAX)
        fail(reader, "%s is above %d", what, INT_MAX);
    return reader->why == NULL ? (int)number : 0;
}

static const json_t *list(struct reader *reader, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_array(value))
        fail(reader, "\"%s\" is not a list", key);
    return value;
}

static void read_count(struct reader *reader, const char *name, const json_t *value, struct count *count)
{
    const json_t *first = json_is_array(value) ? json_array_get(value, 0) : value;
    count->value = count->least = count->most = (uint64_t)integer(reader, first, name);
    if (json_is_array(value)) {
        if (json_array_size(value) != 3)
            fail(reader, "%s is neither a number nor three", name);
        count->least = (uint64_t)integer(reader, json_array_get(value, 1), name);
        count->most = (uint64_t)integer(reader, json_array_get(value, 2), name);
    }
    count->estimated = strcmp(name, GATE_TIME) == 0;
    if (count->least > count->value || count->value > count->most)
        fail(reader, "%s is outside its range", name);
}

static void read_counts(struct reader *reader, const json_t *from, struct count *count)
{
    const json_t *object = json_object_get(from, "counts");
    const char *name;
    json_t *value;
    if (!json_is_object(object))
        fail(reader, "\"counts\" is not an object");
    json_object_foreach((json_t *)object, name, value)
    {
        int event = counts_event(reader->counts, name);
        if (event < 0)
            fail(reader, "there are more than %d events", GATE_EVENTS);
        else
            read_count(reader, name, value, &count[event]);
    }
}

/* A routine has what its lines have, if there are any: a file in which it has not was edited, and would let a
 * rise pass. */
static void check_sums(struct reader *reader, const struct gate_routine *routine)
{
    for (int k = 0; k < reader->counts->n_events && routine->n_lines > 0; k++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < routine->n_lines; i++)
            sum += routine->line[i].count[k].value;
        if (sum != routine->count[k].value)
            fail(reader, "%s of routine %s is not the sum of its lines", reader->counts->event[k],
                 routine->name);
    }
}

/* Sums stay below what files have room for, so that none turns over in a comparison. */
static void check_totals(struct reader *reader)
{
    const char *event = counts_too_large(reader->counts);
    if (event != NULL)
        fail(reader, "%s of all routines is above %" PRIu64, event, COUNT_MOST);
}

/* A text that may be left out: "". */
static const char *optional(struct reader *reader, const json_t *from, const char *key)
{
    return json_object_get(from, key) != NULL ? text(reader, from, key) : "";
}

static void read_routine(struct reader *reader, const json_t *from)
{
    struct counts *counts = reader->counts;
    const char *object = text(reader, from, "object"), *name = text(reader, from, "routine");
    const json_t *lines = list(reader, from, "lines"), *value;
    size_t i;
    if (reader->why != NULL)
        return;
    size_t known = counts->n_routines;
    struct gate_routine *routine = counts_routine(counts, object, name);
    if (counts->n_routines == known)
        fail(reader, "routine %s is there twice", name);
    routine->file = text(reader, from, "file");
    read_counts(reader, from, routine->count);
    json_array_foreach(lines, i, value)
    {
        const char *file =
            json_object_get(value, "file") != NULL ? text(reader, value, "file") : routine->file;
        int number = small(reader, json_object_get(value, "line"), "line");
        size_t lines_known = routine->n_lines;
        struct gate_line *line = counts_line(counts, routine, file, number);
        if (routine->n_lines == lines_known)
            fail(reader, "line %d of routine %s is there twice", number, name);
        line->text = text(reader, value, "text");
        read_counts(reader, value, line->count);
    }
    check_sums(reader, routine);
}

static void read_command(struct reader *reader, const json_t *root)
{
    const json_t *from = list(reader, root, "command"), *value;
    size_t i, n = json_array_size(from);
    char **word = memory_more(NULL, n + 1, sizeof *word);
    reader->counts->command = word;
    memset(word, 0, (n + 1) * sizeof *word);
    if (n == 0)
        fail(reader, "its command has no words");
    json_array_foreach(from, i, value)
    {
        if (!json_is_string(value))
            fail(reader, "a word of the command is not a text");
        word[i] = (char *)(uintptr_t)counts_text(reader->counts,
                                                 json_is_string(value) ? json_string_value(value) : "");
    }
}

/* A time, which older files do not have: 0. */
static double seconds(struct reader *reader, const json_t *value)
{
    double number = json_number_value(value);
    if (value != NULL && (!json_is_number(value) || number < 0))
        fail(reader, "processor_seconds is not a time");
    return number;
}

static void read_head(struct reader *reader, const json_t *root)
{
    struct counts *counts = reader->counts;
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format == NULL || strcmp(format, GATE_FORMAT) != 0 ||
        json_integer_value(json_object_get(root, "version")) != GATE_VERSION)
        fail(reader, "its \"format\" is not \"" GATE_FORMAT "\", or its \"version\" not %d", GATE_VERSION);
    counts->mode = text(reader, root, "mode");
    if (strcmp(counts->mode, GATE_COUNTED) != 0 && strcmp(counts->mode, GATE_EMULATED) != 0)
        fail(reader, "its \"mode\" is neither \"" GATE_COUNTED "\" nor \"" GATE_EMULATED "\"");
    counts->revision = text(reader, root, "revision");
    counts->host = text(reader, root, "host");
    counts->processor = text(reader, root, "processor");
    counts->model = optional(reader, root, "model");
    counts->no_time = optional(reader, root, "no_time");
    counts->made = integer(reader, json_object_get(root, "made"), "made");
    counts->runs = small(reader, json_object_get(root, "runs"), "runs");
    counts->processes = small(reader, json_object_get(root, "processes"), "processes");
    counts->ranks = small(reader, json_object_get(root, "ranks"), "ranks");
    counts->processor_seconds = seconds(reader, json_object_get(root, "processor_seconds"));
    read_command(reader, root);
}

/* Each of one result is looked for among those of the other. */
static void refuse_many(struct reader *reader, const json_t *all)
{
    enum { MOST = 10000 };
    if (json_array_size(all) > MOST)
        fail(reader, "it has more than %d programs, libraries or inputs", MOST);
}

static void read_objects(struct reader *reader, const json_t *root)
{
    struct counts *counts = reader->counts;
    const json_t *value;
    size_t i;
    refuse_many(reader, list(reader, root, "objects"));
    refuse_many(reader, list(reader, root, "inputs"));
    if (reader->why != NULL)
        return;
    json_array_foreach(list(reader, root, "objects"), i, value)
    {
        struct gate_object *object = counts_object(counts, text(reader, value, "path"));
        object->build_id = text(reader, value, "build_id");
        object->compiler = text(reader, value, "compiler");
    }
    json_array_foreach(list(reader, root, "inputs"), i, value)
    {
        MEMORY_ONE_MORE(counts->input, counts->n_inputs, counts->room_inputs);
        counts->input[counts->n_inputs++] =
            (struct gate_input){text(reader, value, "path"), text(reader, value, "hash")};
    }
}

static void read_source(struct reader *reader, const json_t *from)
{
    struct gate_source *source = counts_source(reader->counts, text(reader, from, "path"));
    const char *lines = text(reader, from, "lines");
    const char *none = counts_text(reader->counts, "");
    size_t n = strlen(lines);
    if (source->n > 0 || n % SOURCE_DIGITS != 0 || strspn(lines, digits) != n) {
        fail(reader, "\"lines\" of a source are not in base 64, or it is there twice");
        return;
    }
    for (size_t i = 0; i < n; i += SOURCE_DIGITS) {
        uint64_t code = 0;
        for (size_t k = i; k < i + SOURCE_DIGITS; k++)
            code = code << 6 | (uint64_t)(strchr(digits, lines[k]) - digits);
        MEMORY_ONE_MORE(source->line, source->n, source->room);
        source->line[source->n++] = (struct gate_code){code, none};
    }
}

static void read_all(struct reader *reader, const json_t *root)
{
    const json_t *value;
    size_t i;
    read_head(reader, root);
    if (reader->why != NULL)
        return;
    read_objects(reader, root);
    json_array_foreach(json_object_get(root, "sources"), i, value) /* older files have none */
    {
        read_source(reader, value);
    }
    json_array_foreach(list(reader, root, "events"), i, value)
    {
        if (!json_is_string(value) || counts_event(reader->counts, json_string_value(value)) < 0)
            fail(reader, "an event is not a text, or there are too many");
    }
    json_array_foreach(list(reader, root, "regions"), i, value)
    {
        const char *name = text(reader, value, "region");
        size_t known = reader->counts->n_regions;
        struct gate_region *region = counts_region(reader->counts, name);
        if (reader->counts->n_regions == known)
            fail(reader, "region %s is there twice", name);
        read_counts(reader, value, region->count);
        region->no_time = optional(reader, value, "no_time");
    }
    json_array_foreach(list(reader, root, "routines"), i, value)
    {
        read_routine(reader, value);
    }
    check_totals(reader);
}

/* Reads what was parsed, which is NULL where it could not be. */
static char *read_parsed(struct reader *reader, json_t *root, const json_error_t *error)
{
    if (root == NULL)
        fail(reader, "line %d: %s", error->line, error->text);
    else
        read_all(reader, root);
    json_decref(root);
    return reader->why;
}

char *gate_read(struct counts *counts, const char *path)
{
    const char *unread;
    struct reader reader = {counts, path, "\"papi_gate record COMMAND\" makes one", NULL};
    json_error_t error;
    FILE *in = input_open(path, &unread);
    if (in == NULL)
        return memory_print("%s: %s", path, unread);
    json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
    fclose(in);
    return read_parsed(&reader, root, &error);
}

char *gate_read_text(struct counts *counts, const char *name, const char *cure, const char *text)
{
    struct reader reader = {counts, name, cure, NULL};
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    return read_parsed(&reader, root, &error);
}
