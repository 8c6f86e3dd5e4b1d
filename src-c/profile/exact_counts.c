/* SPDX-License-Identifier: BSD-3-Clause */
#include "exact_counts.h"
#include "formats/emulator_memory.h"
#include "loops/hot.h"
#include "objects.h"
#include "tools/common/allocate.h"
#include "tools/common/emulated_metrics.h"
#include "tools/common/other_program.h"
#include "vector_lines.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of the emulator's events, without its prefix. */
static const char *const event_names[] = {
#define EVENT(name, description) #name,
#define CACHE_EVENT(name, description) #name,
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

static const char prefix[] = "emu::";

/* ---- beforehand */

bool exact_wanted(const struct option_words *events)
{
    return events->n > 0 && strncmp(events->word[0], prefix, strlen(prefix)) == 0;
}

static int add_event(struct exact *exact, struct tool *tool, const char *word, struct profile *profile);

/* A preset is the emulator's events of which it is computed, each with a column of its own; so is a metric.
 */
static int add_listed(struct exact *exact, struct tool *tool, const char *events, struct profile *profile)
{
    int status = TOOL_FINE;
    while (status == TOOL_FINE && events[0] != '\0') {
        size_t n = strcspn(events, ",");
        char *name = memory_print("%.*s", (int)n, events);
        status = add_event(exact, tool, name, profile);
        free(name);
        events += n + (events[n] == ',');
    }
    return status;
}

static int add_metric(struct exact *exact, struct tool *tool, const char *word, struct profile *profile)
{
    char *why, *events = emulated_metric(word, true, &why);
    int status = events != NULL ? add_listed(exact, tool, events, profile) : tool_error(tool, "%s", why);
    free(events);
    free(why);
    return status;
}

static bool has_event(const struct exact *exact, const struct profile *profile, int event)
{
    int i = 0;
    while (i < profile->n_events && exact->event[i] != event)
        i++;
    return i < profile->n_events;
}

static int add_event(struct exact *exact, struct tool *tool, const char *word, struct profile *profile)
{
    const char *name = strncmp(word, prefix, strlen(prefix)) == 0 ? word + strlen(prefix) : word;
    int event = 0;
    if (word[0] == '@')
        return add_metric(exact, tool, word, profile);
    while (event < EMULATED_EVENTS && strcmp(event_names[event], name) != 0)
        event++;
    const char *preset = event == EMULATED_EVENTS ? emulated_preset(word, strlen(word)) : NULL;
    if (preset != NULL)
        return add_listed(exact, tool, preset, profile);
    if (event == EMULATED_EVENTS)
        return tool_error(
            tool,
            "the emulator has no event \"%s\": papi_emulate --events lists those that it has; an "
            "exact profile takes no period",
            word);
    if (event == EMULATED_ESTIMATED_CYCLES)
        return tool_error(tool, "event %s: the emulator has no cycles; emu::INSTRUCTIONS counts by line",
                          word);
    if (event >= EMULATED_FIRST_CACHE_EVENT && strncmp(name, "L1I_", 4) != 0 && strstr(name, "FETCH") == NULL)
        exact->caches = true;
    else if (event >= EMULATED_FIRST_CACHE_EVENT)
        return tool_error(tool, "event %s: instructions are fetched by blocks, not by lines", word);
    if (has_event(exact, profile, event)) /* of another preset, too */
        return TOOL_FINE;
    if (profile->n_events == PROFILE_EVENTS)
        return tool_usage_error(tool, "%s is one event more than the %d of a profile", word,
                                (int)PROFILE_EVENTS);
    exact->event[profile->n_events] = event;
    profile->event[profile->n_events++] =
        (struct profile_event){.name = memory_print("%s%s", prefix, name), .exact = true};
    return TOOL_FINE;
}

static int make_folder(struct exact *exact, struct tool *tool)
{
    const char *where = secure_getenv("TMPDIR");
    char *folder = memory_print("%s/papi_profile.XXXXXX", where != NULL && where[0] != '\0' ? where : "/tmp");
    if (strchr(folder, ',') != NULL)
        tool_error(tool, "TMPDIR has a comma, which the emulator takes for the end of it: %s", folder);
    else if (mkdtemp(folder) == NULL)
        tool_error(tool, "%s: %s", folder, strerror(errno));
    else
        exact->folder = folder;
    if (exact->folder == NULL)
        free(folder);
    bool set = exact->folder != NULL && setenv(EMULATED_LINES, folder, 1) == 0 &&
               (exact->data ? setenv(EMULATED_DATA, "1", 1) : unsetenv(EMULATED_DATA)) == 0;
    return set ? TOOL_FINE : TOOL_ERROR;
}

static void make_command(struct exact *exact, char **program)
{
    int n = 0;
    while (program[n] != NULL)
        n++;
    exact->word = memory_more(NULL, (size_t)n + 4, sizeof *exact->word);
    char **word = exact->word;
    *word++ = tool_path("papi_emulate");
    if (exact->caches)
        *word++ = (char *)"--caches";
    *word++ = (char *)"--";
    memcpy(word, program, ((size_t)n + 1) * sizeof *program);
}

int exact_prepare(struct exact *exact, struct tool *tool, const struct option_words *events, char **program,
                  struct profile *profile)
{
    static const char *const usual[2][4] = {
        {"INSTRUCTIONS", "FP_OPS", "LOADS", "STORES"},
        {"LOADS", "STORES", "L1D_READ_MISSES", "L2_READ_MISSES"}, /* where data is asked for */
    };
    int status = TOOL_FINE;
    exact->caches = exact->data;
    for (int i = 0; events->n == 0 && i < 4; i++)
        add_event(exact, tool, usual[exact->data][i], profile);
    for (int i = 0; i < events->n && i < OPTION_MOST_WORDS && status == TOOL_FINE; i++)
        status = add_event(exact, tool, events->word[i], profile);
    if (status == TOOL_FINE)
        status = make_folder(exact, tool);
    make_command(exact, program);
    return status;
}

/* ---- reading */

struct reading {
    const struct exact *exact;
    struct profile *profile;
    struct objects *objects;
    struct hot *hot;
    int *object, n_objects; /* of the files of a program, by their numbers */
    int *datum, n_data;     /* likewise */
    bool ended;
};

static void read_process(struct reading *reading, char *line)
{
    unsigned pid = 0, threads = 0;
    int name = 0;
    if (sscanf(line, "p %u %u %n", &pid, &threads, &name) == 2 && name > 0)
        profile_process(reading->profile, pid, line + name)->threads = (int)threads;
}

static void read_file(struct reading *reading, char *line)
{
    int number = -1, name = 0;
    if (sscanf(line, "f %d %n", &number, &name) != 1 || name == 0 || number != reading->n_objects)
        return;
    reading->object = memory_more(reading->object, (size_t)number + 1, sizeof *reading->object);
    reading->object[reading->n_objects++] = objects_number(reading->objects, line + name);
}

/* The node of an address without its callers: a routine that was inlined stands below the one that it is
 * in. */
static int node_at(struct reading *reading, int object, uint64_t offset)
{
    const struct places *places = objects_look_up(reading->objects, object, offset, false);
    int parent = PROFILE_NONE;
    for (int i = places->n - 1; i >= 0; i--) {
        struct node node = {.parent = parent, .place = places->place[i], .inlined = i < places->n - 1};
        parent = profile_node(reading->profile, &node);
    }
    return parent;
}

/* Counts the events of an instruction, from ":EVENT=AMOUNT...", as often as its block ran. */
static void count_instruction(struct reading *reading, const char *text, uint64_t runs, int object,
                              uint64_t offset)
{
    struct profile *profile = reading->profile;
    int node = PROFILE_NONE;
    for (char *end; *text == ':'; text = end) {
        unsigned long event = strtoul(text + 1, &end, 10);
        unsigned long amount = *end == '=' ? strtoul(end + 1, &end, 10) : 0;
        for (int i = 0; i < profile->n_events; i++) {
            if (reading->exact->event[i] != (int)event)
                continue;
            if (node == PROFILE_NONE)
                node = node_at(reading, object, offset);
            profile_count(profile, node, i, amount * runs);
            hot_count(reading->hot, object, offset, i, amount * runs);
        }
    }
}

/* Counts the branch of a block, which is its last instruction. */
static void count_branch(struct reading *reading, uint64_t taken, uint64_t not_taken, int object,
                         uint64_t offset)
{
    hot_branch(reading->hot, object, offset, taken, not_taken);
    for (int i = 0; i < reading->profile->n_events; i++) {
        int event = reading->exact->event[i];
        uint64_t amount = event == EMULATED_TAKEN_BRANCHES       ? taken
                          : event == EMULATED_NOT_TAKEN_BRANCHES ? not_taken
                                                                 : 0;
        if (amount > 0)
            profile_count(reading->profile, node_at(reading, object, offset), i, amount);
    }
}

static void read_block(struct reading *reading, char *line)
{
    int file = -1, at = 0;
    unsigned long long offset, runs, taken, not_taken;
    if (sscanf(line, "b %d %llx %llu %llu %llu%n", &file, &offset, &runs, &taken, &not_taken, &at) != 5)
        return;
    int object = file >= 0 && file < reading->n_objects ? reading->object[file] : PROFILE_NONE;
    uint64_t last = offset;
    for (char *word = line + at; *word == ' ';) {
        unsigned long length = strtoul(word + 1, &word, 10);
        count_instruction(reading, word, runs, object, offset);
        hot_run(reading->hot, object, offset, runs);
        last = offset;
        offset += length;
        word += strcspn(word, " \n");
    }
    count_branch(reading, taken, not_taken, object, last);
}

/* Reads a line "m FILE OFFSET :EVENT=AMOUNT...": what the accesses of an instruction missed. */
static void read_access(struct reading *reading, const char *line)
{
    int file = -1, at = 0;
    unsigned long long offset;
    if (sscanf(line, "m %d %llx %n", &file, &offset, &at) != 2 || at == 0)
        return;
    int object = file >= 0 && file < reading->n_objects ? reading->object[file] : PROFILE_NONE;
    count_instruction(reading, line + at, 1, object, offset);
}

/* ---- data */

static int object_of(const struct reading *reading, int file)
{
    return file >= 0 && file < reading->n_objects ? reading->object[file] : PROFILE_NONE;
}

/* "d NUMBER KIND FILE AT SIZE TIMES" */
static void read_datum(struct reading *reading, const char *line)
{
    struct profile *profile = reading->profile;
    struct datum datum = {DATUM_OTHER, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE};
    int number = -1, file = -1;
    char kind = 'o';
    unsigned long long at, size, times;
    if (sscanf(line, "d %d %c %d %llx %llu %llu", &number, &kind, &file, &at, &size, &times) != 6 ||
        number != reading->n_data)
        return;
    int object = object_of(reading, file);
    char *name =
        kind == 'v' && object != PROFILE_NONE ? objects_variable(reading->objects, object, at) : NULL;
    if (name != NULL)
        datum = (struct datum){DATUM_VARIABLE, profile_string(profile, name),
                               profile_string(profile, objects_path(reading->objects, object)), PROFILE_NONE};
    else if (kind == 'h')
        datum = (struct datum){DATUM_ALLOCATED, PROFILE_NONE, PROFILE_NONE,
                               objects_look_up(reading->objects, object, at, true)->place[0]};
    else if (kind == 's' || kind == 'u')
        datum.kind = kind == 's' ? DATUM_STACK : DATUM_UNSEEN;
    free(name);
    struct datum_counts counts = {size, times};
    reading->datum = memory_more(reading->datum, (size_t)number + 1, sizeof *reading->datum);
    reading->datum[reading->n_data++] = profile_add_datum(profile, &datum, &counts);
}

/* "a FILE OFFSET DATA ACCESSES L1D L2 L3 STRIDE EQUAL MOVES FETCHED USED" */
static void read_use(struct reading *reading, const char *line)
{
    int file = -1, number = -1;
    unsigned long long offset, accesses, miss[DATA_LEVELS], equal, moves, fetched, used;
    long long stride;
    if (sscanf(line, "a %d %llx %d %llu %llu %llu %llu %lld %llu %llu %llu %llu", &file, &offset, &number,
               &accesses, &miss[0], &miss[1], &miss[2], &stride, &equal, &moves, &fetched, &used) != 12 ||
        number < 0 || number >= reading->n_data)
        return;
    struct datum_use use = {
        .datum = reading->datum[number],
        .place = objects_look_up(reading->objects, object_of(reading, file), offset, false)->place[0]};
    struct datum_use_counts counts = {accesses, {miss[0], miss[1], miss[2]}, stride, equal, moves, fetched,
                                      used};
    profile_add_use(reading->profile, &use, &counts);
}

static void read_line(struct reading *reading, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (line[0] == 'p' && line[1] == ' ')
        read_process(reading, line);
    else if (line[0] == 'f')
        read_file(reading, line);
    else if (line[0] == 'b')
        read_block(reading, line);
    else if (line[0] == 'm')
        read_access(reading, line);
    else if (line[0] == 'd')
        read_datum(reading, line);
    else if (line[0] == 'a')
        read_use(reading, line);
    else if (strcmp(line, "end") == 0)
        reading->ended = true;
}

static int read_program(struct reading *reading, struct tool *tool, const char *path)
{
    FILE *in = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    if (in == NULL)
        return tool_error(tool, "%s: %s", path, strerror(errno));
    reading->n_objects = reading->n_data = 0;
    reading->ended = false;
    while (getline(&line, &room, in) > 0)
        read_line(reading, line);
    fclose(in);
    free(line);
    return reading->ended ? TOOL_FINE
                          : tool_error(tool, "%s is not whole: was there no room for it? (TMPDIR)", path);
}

/* Calls visit for each file of a folder. Returns the sum of the results. */
static int each_file(const char *folder, int (*visit)(void *data, const char *path), void *data)
{
    DIR *all = opendir(folder);
    int n = 0;
    for (struct dirent *entry; all != NULL && (entry = readdir(all)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        char *path = memory_print("%s/%s", folder, entry->d_name);
        n += visit(data, path);
        free(path);
    }
    if (all != NULL)
        closedir(all);
    return n;
}

struct visit {
    struct reading *reading;
    struct tool *tool;
};

static int visit_program(void *data, const char *path)
{
    const struct visit *visit = data;
    return read_program(visit->reading, visit->tool, path) == TOOL_FINE;
}

int exact_read(struct exact *exact, struct tool *tool, struct profile *profile)
{
    struct reading reading = {.exact = exact, .profile = profile, .objects = objects_open(profile)};
    struct visit visit = {.reading = &reading, .tool = tool};
    reading.hot = hot_open(profile, reading.objects);
    struct arithmetics *arithmetics = arithmetics_open(profile, reading.objects);
    int n = each_file(exact->folder, visit_program, &visit);
    hot_close(reading.hot);
    arithmetics_close(arithmetics);
    objects_close(reading.objects);
    free(reading.object);
    free(reading.datum);
    if (n == 0 && tool->status == TOOL_FINE)
        return tool_error(tool, "papi_emulate counted no program to its end; one that a signal ends is lost");
    return tool->status;
}

static int visit_remove(void *data, const char *path)
{
    (void)data;
    return unlink(path) == 0;
}

void exact_end(struct exact *exact)
{
    if (exact->folder != NULL) {
        each_file(exact->folder, visit_remove, NULL);
        rmdir(exact->folder);
    }
    if (exact->word != NULL)
        free(exact->word[0]);
    free(exact->word);
    free(exact->folder);
}
