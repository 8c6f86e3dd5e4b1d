/* SPDX-License-Identifier: BSD-3-Clause */
#include "source_lines.h"
#include "base/trust.h"
#include "tools/common/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };

/* ---- what is source */

/* The languages whose compilers write debug information. */
static const char suffixes[] = " a ad ada adb ads asm bas c c++ cc cl cpp cppm cr cu cuh cxx d def dpr erl f "
                               "f03 f08 f15 f18 f23 f77 f90 f95 for fpp ftn "
                               "fypp go h h++ hh hip hpp hs hxx i ii inc inl ino ipp ispc ixx jl kt l ll m "
                               "m4 mm ml mod mpp nim odin opt p pas pp proto py "
                               "pyx rl rs s sx sv swift t tcc tpl tpp txx v vala vhd y yy zig ";

static bool has_suffix(const char *name)
{
    char word[16];
    const char *point = strrchr(name, '.');
    size_t length = point != NULL ? strlen(point + 1) : 0;
    if (length == 0 || length + 3 > sizeof word)
        return false;
    snprintf(word, sizeof word, " %s ", point + 1);
    for (char *c = word; *c != '\0'; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return strstr(suffixes, word) != NULL;
}

/* True for a name with a suffix of source files, or, as the headers of C++ have none, in their folder. */
static bool is_source_name(const char *path)
{
    const char *name = path_base(path);
    return name[0] != '.' &&
           (has_suffix(name) || (strchr(name, '.') == NULL && strstr(path, "/include/c++/") != NULL));
}

/* ---- opening */

/* True for a regular file: a pipe or device of that name is not read. */
static int regular(int fd)
{
    struct stat is;
    if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= LARGEST)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Opens a regular file, following no link of another user's. -1: it cannot be read. */
static int open_file(const char *path)
{
    return regular(trust_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0));
}

static int open_source(const char *path)
{
    int fd = path[0] == '/' ? open_file(path) : -1;
    return fd < 0 && path_base(path)[0] != '\0' ? open_file(path_base(path)) : fd;
}

/* True if an open file is below the folder after all symbolic links. */
static bool is_below(int fd, const char *folder)
{
    char link[64], path[PATH_MAX], *real = realpath(folder, NULL);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    size_t length = real != NULL ? strlen(real) : 0;
    path[n > 0 ? n : 0] = '\0';
    while (length > 0 && real[length - 1] == '/')
        length--;
    bool below = real != NULL && strncmp(path, real, length) == 0 && path[length] == '/';
    free(real);
    return below;
}

static int open_below(const char *folder, const char *path)
{
    char *whole = path[0] == '/' ? memory_text(path) : memory_print("%s/%s", folder, path);
    int fd = open_file(whole);
    free(whole);
    if (fd >= 0 && is_below(fd, folder))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Opens a path below the folder: as it is, or without more and more of its first folders, as a program has it
 * that was built elsewhere. Returns a descriptor, or -1. */
static int open_in_folder(const char *folder, const char *path)
{
    int fd = open_below(folder, path);
    for (const char *rest = strchr(path, '/'); fd < 0 && rest != NULL; rest = strchr(rest + 1, '/'))
        fd = rest[1] != '\0' && rest[1] != '/' ? open_below(folder, rest + 1) : -1;
    return fd;
}

static int open_in_folders(const struct profile_origin *origin, const char *path)
{
    int fd = -1;
    for (int i = 0; i < origin->n_folders && fd < 0; i++)
        fd = open_in_folder(origin->folder[i], path);
    return fd;
}

/* ---- reading */

/* Reads a file as a text, to be freed; NULL if it is not one. */
static char *read_all(int fd)
{
    char *text = NULL;
    size_t length = 0, room = 0;
    ssize_t n;
    do {
        if (length + 1 >= room)
            text = memory_more(text, room = room * 2 + 65536, 1);
        n = read(fd, text + length, room - length - 1);
        if (n > 0)
            length += (size_t)n;
    } while (n > 0 || (n < 0 && errno == EINTR));
    text[length] = '\0';
    if (strlen(text) == length)
        return text;
    free(text);
    return NULL;
}

static void split(struct source_file *file)
{
    int room = 0;
    for (char *p = file->text; *p != '\0';) {
        size_t length = strcspn(p, "\n");
        bool more = p[length] == '\n';
        MEMORY_ONE_MORE(file->line, file->n, room);
        file->line[file->n++] = p;
        p[length] = '\0';
        if (length > 0 && p[length - 1] == '\r')
            p[length - 1] = '\0';
        p += length + more;
    }
}

static bool is_named(struct sources *sources, int string)
{
    const struct profile *profile = sources->profile;
    if (sources->named == NULL) {
        sources->named = memory_more(NULL, (size_t)sources->n, sizeof *sources->named);
        memset(sources->named, 0, (size_t)sources->n * sizeof *sources->named);
        if (profile->origin.names != NULL)
            profile->origin.names(profile, sources->named);
    }
    return sources->named[string];
}

static enum source_state read_file(struct sources *sources, struct source_file *file, int string)
{
    const struct profile_origin *origin = &sources->profile->origin;
    const char *path = profile_text(sources->profile, string);
    if (origin->n_folders == 0 && origin->maker == PROFILE_OF_OTHERS)
        return SOURCE_OF_OTHERS;
    int fd = origin->n_folders > 0 ? open_in_folders(origin, path) : open_source(path);
    if (fd < 0)
        return origin->n_folders > 0 ? SOURCE_ELSEWHERE : SOURCE_ABSENT;
    enum source_state state =
        !is_source_name(path) ? SOURCE_NO_SOURCE
        : origin->n_folders == 0 && origin->maker == PROFILE_OF_READER && !is_named(sources, string)
            ? SOURCE_UNNAMED
            : SOURCE_READ;
    file->text = state == SOURCE_READ ? read_all(fd) : NULL;
    close(fd);
    if (file->text != NULL)
        split(file);
    return state == SOURCE_READ && file->text == NULL ? SOURCE_NO_SOURCE : state;
}

const struct source_file *sources_file(struct sources *sources, int string)
{
    if (sources->file == NULL) {
        sources->n = sources->profile->strings.n;
        sources->file = memory_more(NULL, (size_t)sources->n + 1, sizeof *sources->file);
        memset(sources->file, 0, ((size_t)sources->n + 1) * sizeof *sources->file);
    }
    struct source_file *file = &sources->file[string];
    if (file->state == SOURCE_UNREAD)
        file->state = read_file(sources, file, string);
    return file;
}

const char *sources_line(struct sources *sources, int string, int line)
{
    const struct source_file *file = string >= 0 ? sources_file(sources, string) : NULL;
    return file != NULL && line > 0 && line <= file->n ? file->line[line - 1] : NULL;
}

/* ---- what is left out */

/* Lists the files in a state, "a.c, b.c and 3 more", to be freed; *n is their number. */
static char *list(const struct sources *sources, enum source_state state, int *n)
{
    enum { MOST = 5 };
    char *text = memory_text("");
    *n = 0;
    for (int i = 0; i < sources->n; i++) {
        if (sources->file[i].state != state || (*n)++ >= MOST)
            continue;
        char *more = memory_print("%s%s%s", text, *n > 1 ? ", " : "", profile_text(sources->profile, i));
        free(text);
        text = more;
    }
    if (*n <= MOST)
        return text;
    char *more = memory_print("%s and %d more", text, *n - MOST);
    free(text);
    return more;
}

void sources_note(const struct sources *sources, struct notes *notes)
{
    static const struct {
        enum source_state state;
        const char *why;
    } kinds[] = {
        {SOURCE_OF_OTHERS,
         "another user made the profile, or may write to it: --sources=FOLDER shows what is below FOLDER"},
        {SOURCE_UNNAMED,
         "no program that the profile names, and that is here and yours or root's, names it in its debug "
         "information: --sources=FOLDER shows what is below FOLDER"},
        {SOURCE_NO_SOURCE, "it is not source by its name, or not a text"},
        {SOURCE_ELSEWHERE, "it is not below the folders of --sources"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int n;
        char *files = list(sources, kinds[i].state, &n);
        if (n > 0)
            notes_add(notes, "Not shown as source: %s, because %s", files, kinds[i].why);
        free(files);
    }
}

void sources_free(struct sources *sources)
{
    for (int i = 0; i < sources->n; i++) {
        free(sources->file[i].text);
        free(sources->file[i].line);
    }
    free(sources->file);
    free(sources->named);
    *sources = (struct sources){.n = 0};
}
