/* SPDX-License-Identifier: BSD-3-Clause
 *
 * as: what a compiler calls as its assembler, by papi_counted. Takes the true one's arguments.
 */
#include "assembler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- command line */

struct command {
    char **argv;
    int argc;
    int input;  /* index; 0: standard input */
    bool other; /* not to be counted: not assembly of 64 bits, or several files */
};

static bool takes_value(const char *option)
{
    return strcmp(option, "-o") == 0 || strcmp(option, "-I") == 0 || strcmp(option, "--defsym") == 0 ||
           strcmp(option, "-defsym") == 0 || strcmp(option, "--MD") == 0 || strcmp(option, "-MD") == 0 ||
           strcmp(option, "--debug-prefix-map") == 0;
}

static bool means_other(const char *option)
{
    return strcmp(option, "--32") == 0 || strcmp(option, "--x32") == 0 || strcmp(option, "--version") == 0 ||
           strcmp(option, "-version") == 0 || strcmp(option, "--help") == 0 || strcmp(option, "-EB") == 0 ||
           strcmp(option, "-mabi=ilp32") == 0 || strncmp(option, "-mmnemonic=intel", 16) == 0 ||
           strncmp(option, "-msyntax=intel", 14) == 0;
}

static struct command command_of(int argc, char **argv)
{
    struct command command = {.argv = argv, .argc = argc};
    for (int i = 1; i < argc; i++) {
        if (takes_value(argv[i])) {
            i++;
        } else if (argv[i][0] != '-') {
            command.other = command.other || command.input != 0;
            command.input = i;
        } else if (means_other(argv[i])) {
            command.other = true;
        }
    }
    return command;
}

/* ---- the true assembler */

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Finds the assembler that is run in turn: that which papi_counted names by its path, or the next one of that
 * name on PATH that is not this program. */
static void find_true(char *path, size_t size)
{
    const char *at = getenv("PATH"), *name = getenv("PAPI_COUNTED_AS");
    name = name != NULL ? name : "as";
    snprintf(path, size, "%s", name);
    if (strchr(name, '/') != NULL)
        return;
    for (at = at != NULL ? at : "/usr/local/bin:/usr/bin:/bin"; *at != '\0';) {
        int n = (int)strcspn(at, ":");
        snprintf(path, size, "%.*s/%s", n, at, name);
        if (access(path, X_OK) == 0 && !same_file(path, "/proc/self/exe"))
            return;
        at += n + (at[n] == ':');
    }
    snprintf(path, size, "/usr/bin/%s", name);
}

static int assemble(const struct command *command)
{
    char path[PATH_MAX];
    find_true(path, sizeof path);
    execv(path, command->argv);
    complain("%s: %s", path, strerror(errno));
    return EXIT_FAILURE;
}

/* ---- files */

static char *read_all(int fd, size_t *size)
{
    size_t room = 1 << 16;
    char *text = or_end(malloc(room + 1));
    ssize_t n;
    for (*size = 0; (n = read(fd, text + *size, room - *size)) != 0; *size += (size_t)n) {
        if (n < 0 && errno != EINTR)
            break;
        n = n < 0 ? 0 : n;
        if (*size + (size_t)n == room)
            text = or_end(realloc(text, (room *= 2) + 1));
    }
    text[*size] = '\0';
    return text;
}

static char *read_input(const struct command *command, size_t *size)
{
    const char *name = command->input != 0 ? command->argv[command->input] : "-";
    int fd = command->input != 0 ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd < 0)
        return NULL;
    char *text = read_all(fd, size);
    if (fd != STDIN_FILENO)
        close(fd);
    return text;
}

/* Replaces the input by a file without a name. */
static bool replace_input(struct command *command, FILE *out)
{
    static char name[64];
    int fd = fileno(out);
    if (fflush(out) != 0 || ferror(out) || lseek(fd, 0, SEEK_SET) != 0)
        return false;
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (command->input != 0)
        command->argv[command->input] = name;
    else
        dup2(fd, STDIN_FILENO);
    return true;
}

/* ---- counting */

static enum slots slots_wanted(void)
{
    const char *slots = getenv("PAPI_COUNTED_SLOTS");
    if (slots != NULL && strcmp(slots, "initial") == 0)
        return SLOTS_INITIAL;
    return slots != NULL && strcmp(slots, "process") == 0 ? SLOTS_PROCESS : SLOTS_LOCAL;
}

static enum level level_wanted(void)
{
    static const char *const names[] = {
        [LEVEL_BLOCKS] = "blocks", [LEVEL_TREE] = "tree", [LEVEL_TRIPS] = "trips"};
    const char *level = getenv("PAPI_COUNTED_LEVEL");
    for (int i = 0; level != NULL && i < LEVEL_CARRIED; i++)
        if (strcmp(level, names[i]) == 0)
            return (enum level)i;
    return LEVEL_CARRIED;
}

static void refuse(struct source *source, const struct graph *graph, int32_t block)
{
    source->why = "an exclusive access of memory in which several ways meet: there is no place for a counter";
    source->why_line = source->statement[graph->block[block].first].line;
}

static void put_counters(FILE *out, struct source *source)
{
    struct graph graph;
    graph_build(&graph, source);
    if (source->why == NULL) {
        struct placement placement;
        flags_analyse(&graph);
        registers_analyse(&graph);
        exclusive_analyse(&graph, source);
        placement_make(&placement, &graph, level_wanted(), slots_wanted());
        if (placement.block_without != NOWHERE)
            refuse(source, &graph, placement.block_without);
        else
            emit(out, &graph, &placement, slots_wanted());
        placement_free(&placement);
    }
    graph_free(&graph);
}

/* # 1 "name" at the beginning, by the preprocessor. */
static struct span preprocessed_name(const struct source *source)
{
    const char *quote =
        source->size > 2 && source->text[0] == '#' ? memchr(source->text, '"', source->size) : NULL;
    const char *end = memchr(source->text, '\n', source->size);
    if (quote == NULL || end == NULL || quote > end)
        return (struct span){0};
    return (struct span){quote + 1, strcspn(quote + 1, "\"\n")};
}

/* The source that the compiler had, as it is named in its assembly. */
static struct span source_name(const struct source *source, const char *file)
{
    struct span name = preprocessed_name(source);
    if (name.n > 0)
        return name;
    for (size_t i = 0; i < source->n && i < 16; i++) {
        struct span rest = source->statement[i].rest;
        if (span_is(source->statement[i].word, ".file") && rest.n > 2 && rest.at[0] == '"')
            return (struct span){rest.at + 1, rest.n - 2};
    }
    return (struct span){file, strlen(file)};
}

static void say_why(const struct source *source, struct span name)
{
    if (source->why_line > 0)
        complain("%.*s: not counted: %s (line %u of its assembly)", (int)name.n, name.at, source->why,
                 source->why_line);
    else
        complain("%.*s: not counted: %s", (int)name.n, name.at, source->why);
}

/* Reads a source; returns its text if that is another one than text. */
static char *read_source(struct source *source, const char *text, size_t size)
{
    source_read(source, text, size);
    char *widened = source->why == NULL ? tables_widened(source, &size) : NULL;
    if (widened == NULL || source->why != NULL)
        return widened;
    source_free(source);
    source_read(source, widened, size);
    return widened;
}

/* Puts counters into a text. False: the input stays as it is. */
static bool count(struct command *command, const char *text, size_t size)
{
    struct source source;
    FILE *out = fdopen(memfd_create("papi_counted", 0), "w+");
    or_end(out);
    char *widened = read_source(&source, text, size);
    if (source.why == NULL)
        put_counters(out, &source);
    bool counted = source.why == NULL;
    if (!counted) {
        struct span name = source_name(&source, command->input != 0 ? command->argv[command->input] : "-");
        say_why(&source, name);
        rewind(out);
        fwrite(text, 1, size, out);
    }
    source_free(&source);
    free(widened);
    return (counted || command->input == 0) && replace_input(command, out);
}

int main(int argc, char **argv)
{
    struct command command = command_of(argc, argv);
    size_t size;
    char *text = command.other ? NULL : read_input(&command, &size);
    if (text != NULL)
        count(&command, text, size);
    free(text);
    return assemble(&command);
}
