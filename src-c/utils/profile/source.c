/* SPDX-License-Identifier: BSD-3-Clause */
#include "utils/profile/source.h"
#include "utils/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };

/* Only files: a pipe or device of that name is not read. */
static int open_file(const char *path)
{
    struct stat is;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode) && is.st_size <= LARGEST)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static int open_source(const char *path)
{
    int fd = open_file(path);
    const char *base = strrchr(path, '/');
    return fd < 0 && base != NULL ? open_file(base + 1) : fd;
}

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
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[length] = '\0';
    return text;
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

const struct source_file *sources_file(struct sources *sources, const char *path)
{
    for (int i = 0; i < sources->n; i++)
        if (strcmp(sources->file[i].path, path) == 0)
            return &sources->file[i];
    MEMORY_ONE_MORE(sources->file, sources->n, sources->room);
    struct source_file *file = &sources->file[sources->n++];
    *file = (struct source_file){.path = memory_text(path)};
    int fd = open_source(path);
    if (fd < 0)
        return file;
    file->text = read_all(fd);
    close(fd);
    split(file);
    return file;
}

const char *sources_line(struct sources *sources, const char *path, int line)
{
    const struct source_file *file = sources_file(sources, path);
    return line > 0 && line <= file->n ? file->line[line - 1] : NULL;
}

void sources_free(struct sources *sources)
{
    for (int i = 0; i < sources->n; i++) {
        free(sources->file[i].path);
        free(sources->file[i].text);
        free(sources->file[i].line);
    }
    free(sources->file);
    *sources = (struct sources){.n = 0};
}
