/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/descriptors.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int is_counter(DIR *directory, const char *name)
{
    static const char link[] = "anon_inode:[perf_event]";
    char text[sizeof link];
    ssize_t n = readlinkat(dirfd(directory), name, text, sizeof text);
    return n == (ssize_t)sizeof link - 1 && memcmp(text, link, sizeof link - 1) == 0;
}

/* 0: it is not a counter of the kernel. */
static uint64_t id_of(int fd)
{
    uint64_t id = 0;
    return ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

static int is_in(const struct descriptors *descriptors, int fd, uint64_t id)
{
    for (int i = 0; descriptors != NULL && i < descriptors->n; i++)
        if (descriptors->of[i].fd == fd && descriptors->of[i].id == id)
            return 1;
    return 0;
}

/* 0, or -1: no memory. */
static int append(struct descriptors *descriptors, int fd, uint64_t id)
{
    enum { CHUNK = 32 };
    void *more = descriptors->of;

    if (descriptors->n % CHUNK == 0)
        more = realloc(more, (size_t)(descriptors->n + CHUNK) * sizeof *descriptors->of);
    if (more == NULL)
        return -1;
    descriptors->of = more;
    descriptors->of[descriptors->n].fd = fd;
    descriptors->of[descriptors->n++].id = id;
    return 0;
}

void descriptors_find(struct descriptors *descriptors, const struct descriptors *before)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    *descriptors = (struct descriptors){0};
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        int fd = atoi(entry->d_name);
        uint64_t id = is_counter(directory, entry->d_name) ? id_of(fd) : 0;

        if (id != 0 && !is_in(before, fd, id) && append(descriptors, fd, id) != 0) {
            descriptors_free(descriptors);
            break;
        }
    }
    if (directory != NULL)
        closedir(directory);
}

int descriptors_are_there(const struct descriptors *descriptors)
{
    for (int i = 0; i < descriptors->n; i++)
        if (id_of(descriptors->of[i].fd) != descriptors->of[i].id)
            return 0;
    return 1;
}

void descriptors_free(struct descriptors *descriptors)
{
    free(descriptors->of);
    *descriptors = (struct descriptors){0};
}
