/* SPDX-License-Identifier: BSD-3-Clause */
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The source of the last file that was asked for. */
struct source {
    const char *file; /* NULL: none so far */
    char **line;      /* without the blanks around them */
    int n, room;
};

static void forget(struct source *source)
{
    for (int i = 0; i < source->n; i++)
        free(source->line[i]);
    free(source->line);
    *source = (struct source){.file = NULL};
}

/* A source that was changed after the program was made is not what runs: its lines would be others. */
static FILE *open_older(const char *file, const char *object)
{
    const char *why;
    struct stat source, program;
    if (stat(file, &source) != 0 || stat(object, &program) != 0 || source.st_mtime > program.st_mtime)
        return NULL;
    return input_open(file, &why);
}

static FILE *open_source(const char *file, const char *object)
{
    const char *slash = strrchr(object, '/');
    FILE *in = open_older(file, object);
    if (in == NULL && file[0] != '/' && slash != NULL) {
        char *beside = memory_print("%.*s/%s", (int)(slash - object), object, file);
        in = open_older(beside, object);
        free(beside);
    }
    return in;
}

static char *trimmed(char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return memory_text(text);
}

static void load(struct source *source, const char *file, const char *object)
{
    char *text = NULL;
    size_t room = 0;
    forget(source);
    source->file = file;
    FILE *in = open_source(file, object);
    while (in != NULL && getline(&text, &room, in) > 0) {
        MEMORY_ONE_MORE(source->line, source->n, source->room);
        source->line[source->n++] = trimmed(text);
    }
    free(text);
    if (in != NULL)
        fclose(in);
}

static const char *path_of(const struct counts *counts, const char *object)
{
    for (size_t i = 0; i < counts->n_objects; i++)
        if (counts->object[i].name == object)
            return counts->object[i].path;
    return "";
}

void take_sources(struct counts *counts)
{
    struct source source = {.file = NULL};
    for (size_t i = 0; i < counts->n_routines; i++) {
        struct gate_routine *routine = &counts->routine[i];
        for (size_t j = 0; j < routine->n_lines; j++) {
            struct gate_line *line = &routine->line[j];
            if (line->file[0] == '\0')
                continue;
            if (line->file != source.file)
                load(&source, line->file, path_of(counts, routine->object));
            if (line->line > 0 && line->line <= source.n)
                line->text = counts_text(counts, source.line[line->line - 1]);
        }
    }
    forget(&source);
}
