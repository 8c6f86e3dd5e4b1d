/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_code.h"
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file */

/* Finds where all sources are, the folder in which this process is. */
struct taking {
    struct counts *counts;
    char *here;
};

static const char *relative(const struct taking *taking, const char *path)
{
    return counts_below(taking->counts, taking->here, counts_text(taking->counts, path));
}

static bool is_later(struct timespec one, struct timespec other)
{
    return one.tv_sec != other.tv_sec ? one.tv_sec > other.tv_sec : one.tv_nsec > other.tv_nsec;
}

/* A source that was changed after the program was made is not what runs: its lines would be others. */
static FILE *open_older(const struct taking *taking, const char *file, const char *object)
{
    const char *why;
    struct stat source, program;
    if (stat(file, &source) != 0 || stat(object, &program) != 0)
        return NULL;
    if (is_later(source.st_mtim, program.st_mtim)) {
        taking->counts->newer = relative(taking, file);
        taking->counts->older = relative(taking, object);
        return NULL;
    }
    return input_open(file, &why);
}

static FILE *open_source(const struct taking *taking, const char *file, const char *object)
{
    const char *slash = strrchr(object, '/');
    FILE *in = open_older(taking, file, object);
    if (in == NULL && file[0] != '/' && slash != NULL) {
        char *beside = memory_print("%.*s/%s", (int)(slash - object), object, file);
        in = open_older(taking, beside, object);
        free(beside);
    }
    return in;
}

static const char *trimmed(struct counts *counts, char *text)
{
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        end--;
    *end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return counts_text(counts, text);
}

/* The source of that name, which is read when it is asked for the first time; without lines: it cannot be
 * read. */
static const struct gate_source *read_source(const struct taking *taking, const char *file,
                                             const char *object)
{
    struct counts *counts = taking->counts;
    char *text = NULL;
    size_t room = 0, known = counts->n_sources;
    struct source_reader reader;
    struct gate_source *source = counts_source(counts, counts_below(counts, taking->here, file));
    FILE *in = counts->n_sources > known ? open_source(taking, file, object) : NULL;
    source_begin(&reader, file);
    while (in != NULL && getline(&text, &room, in) > 0) {
        uint64_t code = source_line(&reader, text);
        MEMORY_ONE_MORE(source->line, source->n, source->room);
        source->line[source->n++] = (struct gate_code){code, trimmed(counts, text)};
    }
    free(text);
    if (in != NULL)
        fclose(in);
    return source;
}

/* ---- those of an object */

/* Sources of the system's packages change with them alone. */
static bool is_system(const char *path)
{
    return strncmp(path, "/usr/", 5) == 0 || path[0] == '<';
}

static void read_unit(const struct taking *taking, Dwarf_Die *unit, const char *object)
{
    Dwarf_Files *files;
    Dwarf_Attribute attribute;
    size_t n;
    const char *folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    if (dwarf_getsrcfiles(unit, &files, &n) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        const char *file = dwarf_filesrc(files, i, NULL, NULL);
        if (file == NULL || is_system(file))
            continue;
        bool whole = file[0] == '/' || folder == NULL;
        char *path = memory_print("%s%s%s", whole ? "" : folder, whole ? "" : "/", file);
        read_source(taking, path, object);
        free(path);
    }
}

/* Reads the files of which an object was made: headers, too, of which no line counts. */
static void read_object(const struct taking *taking, const char *object)
{
    int file = open(object, O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = file >= 0 ? dwarf_begin(file, DWARF_C_READ) : NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (dwarf != NULL && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        read_unit(taking, &die, object);
    dwarf_end(dwarf);
    if (file >= 0)
        close(file);
}

/* ---- */

static const char *path_of(const struct counts *counts, const char *object)
{
    for (size_t i = 0; i < counts->n_objects; i++)
        if (counts->object[i].name == object)
            return counts->object[i].path;
    return "";
}

/* Leaves out what could not be read, and what is the system's. */
static void keep_read(struct counts *counts)
{
    size_t n = 0;
    for (size_t i = 0; i < counts->n_sources; i++)
        if (counts->source[i].n > 0 && !is_system(counts->source[i].path))
            counts->source[n++] = counts->source[i];
        else
            free(counts->source[i].line);
    counts->n_sources = n;
}

void take_sources(struct counts *counts)
{
    struct taking taking = {counts, realpath(".", NULL)};
    if (taking.here == NULL)
        taking.here = memory_text("");
    for (size_t i = 0; i < counts->n_routines; i++) {
        struct gate_routine *routine = &counts->routine[i];
        for (size_t j = 0; j < routine->n_lines; j++) {
            struct gate_line *line = &routine->line[j];
            if (line->file[0] == '\0')
                continue;
            const struct gate_source *source =
                read_source(&taking, line->file, path_of(counts, routine->object));
            if (line->line > 0 && (size_t)line->line <= source->n)
                line->text = source->line[line->line - 1].text;
        }
    }
    for (size_t i = 0; i < counts->n_objects; i++)
        read_object(&taking, counts->object[i].path);
    keep_read(counts);
    free(taking.here);
}
