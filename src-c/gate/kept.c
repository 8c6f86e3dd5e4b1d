/* SPDX-License-Identifier: BSD-3-Clause */
#include "kept.h"
#include "gate_file.h"
#include "run.h"
#include "tools/common/allocate.h"
#include "tools/common/other_program.h"
#include "tools/common/tool_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the key */

static uint64_t add_text(uint64_t hash, const char *text)
{
    return hash_more(hash, text, strlen(text) + 1);
}

static uint64_t add_words(uint64_t hash, char *const *word)
{
    while (*word != NULL)
        hash = add_text(hash, *word++);
    return add_text(hash, "");
}

/* Adds which file is at a path: another one has another size, time or number. */
static uint64_t add_file(uint64_t hash, const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return add_text(hash, "");
    hash = hash_more(hash, &file.st_size, sizeof file.st_size);
    hash = hash_more(hash, &file.st_mtim, sizeof file.st_mtim);
    return hash_more(hash, &file.st_ino, sizeof file.st_ino);
}

/* Adds the files of a folder, in the order of their names. */
static uint64_t add_folder(uint64_t hash, const char *folder)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *path = memory_print("%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.')
            hash = add_file(add_text(hash, entry[i]->d_name), path);
        free(path);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return hash;
}

/* Adds the program of a name that PATH finds. */
static uint64_t add_program(uint64_t hash, const char *name)
{
    char *all = memory_text(getenv("PATH") != NULL ? getenv("PATH") : ""), *rest = all, *folder;
    bool found = false;
    while (!found && (folder = strsep(&rest, ":")) != NULL) {
        char *path = memory_print("%s/%s", folder, name);
        found = access(path, X_OK) == 0;
        if (found)
            hash = add_file(add_text(hash, path), path);
        free(path);
    }
    free(all);
    return hash;
}

/* Adds the tools that count, and where the system has them, the compilers. */
static uint64_t add_tools(uint64_t hash)
{
    static const char *const tool[] = {"papi_counted", "papi_profile", "papi_emulate"};
    static const char *const compiler[] = {"cc",       "c++",   "gcc",     "g++",
                                           "gfortran", "clang", "clang++", "flang"};
    char *library = gate_library();
    *strrchr(library, '/') = '\0';
    hash = add_file(add_folder(hash, library), "/proc/self/exe");
    free(library);
    for (size_t i = 0; i < sizeof tool / sizeof *tool; i++) {
        char *path = or_end(tool_path(tool[i]));
        hash = add_program(add_file(hash, path), tool[i]);
        free(path);
    }
    for (size_t i = 0; i < sizeof compiler / sizeof *compiler; i++)
        hash = add_program(hash, compiler[i]);
    return hash;
}

/* Adds variables of which builds and runs often depend. */
static uint64_t add_variables(uint64_t hash)
{
    static const char *const variable[] = {
        "CC",     "CXX",      "FC",      "CFLAGS",    "CXXFLAGS",       "FCFLAGS",
        "FFLAGS", "CPPFLAGS", "LDFLAGS", "MAKEFLAGS", "OMP_NUM_THREADS"};
    for (size_t i = 0; i < sizeof variable / sizeof *variable; i++) {
        const char *value = getenv(variable[i]);
        hash = add_text(hash, value != NULL ? value : "");
    }
    return hash;
}

static uint64_t add_counting(uint64_t hash, const struct counting *counting)
{
    hash = hash_more(hash, &counting->emulate, sizeof counting->emulate);
    hash = hash_more(hash, &counting->runs, sizeof counting->runs);
    if (counting->model != NULL)
        hash = add_text(add_text(hash, counting->model->name), counting->model->version);
    for (int i = 0; i < counting->events->n && i < OPTION_MOST_WORDS && counting->emulate; i++)
        hash = add_text(hash, counting->events->word[i]);
    hash = add_text(hash, "inputs");
    for (int i = 0; i < counting->inputs->n && i < OPTION_MOST_WORDS; i++)
        hash = add_text(hash, counting->inputs->word[i]);
    return hash;
}

/* ---- files */

/* Makes a folder that may be there already. NULL, or a sentence to be freed. */
static char *make(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? NULL : memory_print("%s: %s", path, strerror(errno));
}

char *kept_open(struct kept *kept, const char *common, const char *inside, const struct counting *counting,
                char *const *build, char *const *run)
{
    uint64_t hash = add_words(add_words(add_text(HASH_OF_NOTHING, inside), build), run);
    hash = add_variables(add_tools(add_counting(hash, counting)));
    char *above = memory_print("%s/papi_gate", common);
    kept->folder = memory_print("%s/%016" PRIx64, above, hash);
    char *why = make(above);
    if (why == NULL)
        why = make(kept->folder);
    if (why != NULL)
        kept_close(kept);
    free(above);
    return why;
}

static char *path_of(const struct kept *kept, const char *commit, const char *kind)
{
    return memory_print("%s/%s.%s", kept->folder, commit, kind);
}

static bool read_skipped(const char *path, char **skipped)
{
    const char *unread;
    size_t room = 0;
    FILE *in = input_open(path, &unread);
    if (in == NULL)
        return false;
    char *text = NULL;
    bool fine = getline(&text, &room, in) > 0;
    fclose(in);
    if (fine) {
        text[strcspn(text, "\n")] = '\0';
        *skipped = memory_text(text);
    }
    free(text);
    return fine;
}

bool kept_read(const struct kept *kept, const char *commit, struct counts *counts, char **skipped)
{
    if (kept->folder == NULL)
        return false;
    char *result = path_of(kept, commit, "json"), *skip = path_of(kept, commit, "skip");
    bool found = read_skipped(skip, skipped);
    if (!found && access(result, F_OK) == 0) {
        char *why = gate_read(counts, result);
        found = why == NULL;
        if (!found) /* half a file, of another version: it is counted again */
            counts_free(counts);
        free(why);
    }
    free(skip);
    free(result);
    return found;
}

void kept_write(const struct kept *kept, const char *commit, const struct counts *counts, const char *skipped)
{
    struct output output = {.file = NULL};
    if (kept->folder == NULL)
        return;
    char *path = path_of(kept, commit, counts != NULL ? "json" : "skip");
    if (output_open(&output, path) == NULL) {
        if (counts != NULL)
            gate_write(output.file, counts);
        else
            fprintf(output.file, "%s\n", skipped);
        output_close(&output);
    }
    free(path);
}

void kept_close(struct kept *kept)
{
    free(kept->folder);
    kept->folder = NULL;
}
