/* SPDX-License-Identifier: BSD-3-Clause */
#include "formats/counted_section.h"
#include "formats/counted_totals.h"
#include "profile/routine_names.h"
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const event_names[COUNTED_EVENTS] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

/* A file that is read. */
struct reading {
    struct counts *counts;
    const char *object;
    int event[COUNTED_EVENTS];
    size_t routine, line; /* the numbers of the last; line: 1 more, or 0: there was none */
    size_t region;        /* the same of the last bench */
    const char *within;   /* the object of its next blocks */
    bool head, whole;
};

/* The next field of a line, which is divided; NULL: there is none. */
static char *field(char **rest)
{
    return strsep(rest, "\t");
}

static bool read_number(const char *text, int base, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = text != NULL ? strtoull(text, &end, base) : 0;
    return text != NULL && end != text && *end == '\0' && errno == 0;
}

static bool read_head(struct reading *reading, char *rest)
{
    uint64_t version, rank;
    if (reading->head || !read_number(field(&rest), 10, &version) || version != TOTALS_VERSION)
        return false;
    field(&rest);
    field(&rest);
    if (read_number(field(&rest), 10, &rank))
        reading->counts->ranks++;
    reading->counts->processes++;
    reading->head = true;
    return rest != NULL;
}

static bool read_pair(char *pair, uint64_t *event, uint64_t *value)
{
    const char *name = strsep(&pair, ":");
    return read_number(name, 10, event) && *event < COUNTED_EVENTS && read_number(pair, 10, value);
}

/* Adds "EVENT:COUNT" for each event. */
static bool read_counts(struct reading *reading, struct gate_routine *routine, struct gate_line *line,
                        char *rest)
{
    for (char *pair; (pair = field(&rest)) != NULL;) {
        uint64_t event, value;
        if (!read_pair(pair, &event, &value))
            return false;
        counts_add(routine, line, reading->event[event], value);
    }
    return true;
}

static bool read_line(struct reading *reading, char *rest)
{
    uint64_t address, number;
    bool known = read_number(field(&rest), 16, &address) && read_number(field(&rest), 10, &number);
    const char *function = field(&rest), *file = field(&rest);
    if (!known || file == NULL || reading->object == NULL || number > INT32_MAX)
        return false;
    char *name = name_of_symbol(function[0] != '\0' ? function : "(no name)");
    struct gate_routine *routine = counts_routine(reading->counts, reading->object, name);
    struct gate_line *line = counts_line(reading->counts, routine, file, (int)number);
    if (routine->file[0] == '\0')
        routine->file = line->file;
    free(name);
    reading->routine = (size_t)(routine - reading->counts->routine);
    reading->line = (size_t)(line - routine->line) + 1;
    return read_counts(reading, routine, line, rest);
}

static bool read_bench(struct reading *reading, char *rest)
{
    const char *name = field(&rest);
    if (name == NULL || !reading->head)
        return false;
    struct gate_region *region = counts_region(reading->counts, name);
    reading->region = (size_t)(region - reading->counts->region) + 1;
    reading->within = NULL;
    region->bench = true;
    for (char *pair; (pair = field(&rest)) != NULL;) {
        uint64_t event, value;
        if (!read_pair(pair, &event, &value))
            return false;
        region->count[reading->event[event]].value += value;
    }
    return true;
}

static bool read_numbers(struct gate_block *block, char *rest)
{
    uint64_t size;
    bool known = read_number(field(&rest), 16, &block->address) && read_number(field(&rest), 10, &size) &&
                 read_number(field(&rest), 10, &block->runs) &&
                 read_number(field(&rest), 10, &block->taken) && size <= UINT32_MAX;
    block->size = known ? (uint32_t)size : 0;
    return known;
}

static bool read_block(struct reading *reading, char *rest)
{
    struct counts *counts = reading->counts;
    struct gate_block block = {.object = reading->object, .routine = reading->routine};
    if (reading->line == 0 || !read_numbers(&block, rest))
        return false;
    block.line = reading->line - 1;
    MEMORY_ONE_MORE(counts->block, counts->n_blocks, counts->room_blocks);
    counts->block[counts->n_blocks++] = block;
    return true;
}

static bool read_within(struct reading *reading, const char *path)
{
    if (path == NULL || reading->region == 0)
        return false;
    reading->within = counts_object(reading->counts, path)->name;
    return true;
}

static bool read_bench_block(struct reading *reading, bool around, char *rest)
{
    struct counts *counts = reading->counts;
    struct bench_block block = {.region = reading->region - 1, .around = around};
    block.block.object = reading->within;
    if (reading->within == NULL || !read_numbers(&block.block, rest))
        return false;
    MEMORY_ONE_MORE(counts->bench_block, counts->n_bench_blocks, counts->room_bench_blocks);
    counts->bench_block[counts->n_bench_blocks++] = block;
    return true;
}

static bool read_module(struct reading *reading, const char *path)
{
    if (path == NULL || !reading->head)
        return false;
    reading->object = counts_object(reading->counts, path)->name;
    reading->line = 0;
    return true;
}

static bool read_row(struct reading *reading, char *text)
{
    char *rest = text;
    const char *kind = field(&rest);
    if (reading->whole)
        return false;
    if (strcmp(kind, TOTALS_MAGIC) == 0)
        return read_head(reading, rest);
    if (strcmp(kind, TOTALS_MODULE) == 0)
        return read_module(reading, rest);
    if (strcmp(kind, TOTALS_LINE) == 0)
        return read_line(reading, rest);
    if (strcmp(kind, TOTALS_BENCH) == 0)
        return read_bench(reading, rest);
    if (strcmp(kind, TOTALS_BLOCK) == 0)
        return read_block(reading, rest);
    if (strcmp(kind, TOTALS_WITHIN) == 0)
        return read_within(reading, rest);
    if (strcmp(kind, TOTALS_RAN) == 0 || strcmp(kind, TOTALS_AROUND) == 0)
        return read_bench_block(reading, strcmp(kind, TOTALS_AROUND) == 0, rest);
    reading->whole = strcmp(kind, TOTALS_END) == 0;
    return reading->whole;
}

/* The sentence about a file that has no end; its name begins with the number of the process. */
static char *unfinished(const char *path)
{
    long pid = strtol(path_base(path), NULL, 10);
    if (pid > 0 && kill((pid_t)pid, 0) == 0)
        return memory_print(
            "a counted process (%ld) still runs: what it counts is not known; have the command "
            "wait for it (\"wait\" at the end of a script)",
            pid);
    return memory_print(
        "a counted process did not come to its end (a signal, abort, or _exit with another "
        "status than 0), or had no room in %.*s (TMPDIR names another folder): what it counted "
        "is lost",
        (int)(path_base(path) - path - 1), path);
}

/* NULL, or what is wrong with the file. */
static char *read_file(struct counts *counts, const char *path)
{
    const char *why;
    struct reading reading = {.counts = counts};
    char *text = NULL, *wrong = NULL;
    size_t room = 0;
    FILE *in = input_open(path, &why);
    if (in == NULL)
        return memory_print("%s: %s", path, why);
    for (int i = 0; i < COUNTED_EVENTS; i++)
        reading.event[i] = counts_event(counts, event_names[i]);
    bool fine = true;
    for (ssize_t n; fine && (n = getline(&text, &room, in)) > 0;) {
        if (text[n - 1] == '\n')
            text[n - 1] = '\0';
        fine = read_row(&reading, text);
    }
    if (!fine)
        wrong = memory_print("%s: what a counted process has written cannot be read: was it built by "
                             "papi_counted of another version?",
                             path);
    else if (!reading.whole)
        wrong = unfinished(path);
    free(text);
    fclose(in);
    return wrong;
}

char *take_totals(struct counts *counts, const char *folder)
{
    char *wrong = NULL;
    int files = 0;
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return memory_print("%s: %s", folder, strerror(errno));
    for (struct dirent *entry; wrong == NULL && (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = memory_print("%s/%s", folder, entry->d_name);
        wrong = read_file(counts, path);
        files++;
        free(path);
    }
    closedir(directory);
    if (wrong == NULL && files == 0)
        wrong = memory_text("no process that ran was a counted build");
    return wrong;
}
