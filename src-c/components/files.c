/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/files.h"
#include "base/sysroot.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file_group {
    struct counter_group base;
    int fd[MAX_COUNTERS];
    const char *name[MAX_COUNTERS];
    /* The kernel counts all the time: what it counted while the group was stopped is left out. */
    uint64_t hidden[MAX_COUNTERS];
    uint64_t reading[2][MAX_COUNTERS]; /* when the group was last stopped, and the time before */
};

static struct file_group *file_group(struct counter_group *group)
{
    return (struct file_group *)group;
}

/* ---------------------------------------------------------------------- numbers */

/* 0, or -1 with errno: EINVAL where it is not a number. */
static int read_number(int fd, uint64_t *value)
{
    char text[32], *end;
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n < 0)
        return -1;
    text[n] = '\0';
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno == 0 && end != text && text[0] >= '0' && text[0] <= '9' && (*end == '\n' || *end == '\0'))
        return 0;
    errno = errno ? errno : EINVAL;
    return -1;
}

static int unreadable(const char *name, struct reason *why)
{
    if (error_passes(errno))
        return reason_unreadable(name, why);
    if (errno == EINVAL || errno == ERANGE)
        return reason_set(why, PAPI_EMISC, "%s: the kernel's file does not hold a number", name);
    return reason_set(why, errno == EACCES || errno == EPERM ? PAPI_EPERM : PAPI_ENOEVNT,
                      "%s cannot be read: %s", name, strerror(errno));
}

/* The descriptor, or a code. */
static int open_event(const char *root, const struct event_encoding *event, struct reason *why)
{
    char path[PATH_MAX];
    uint64_t value;
    int fd = sysroot_path(root, event->file, path, sizeof path);
    if (fd >= 0)
        fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return unreadable(event->name, why);
    if (read_number(fd, &value) == 0)
        return fd;
    int code = unreadable(event->name, why);
    close(fd);
    return code;
}

/* ------------------------------------------------------------------------ groups */

static int read_files(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    const struct file_group *group = file_group(base);
    for (int i = 0; i < base->n_counters; i++) {
        uint64_t now;
        if (read_number(group->fd[i], &now) != 0)
            return unreadable(group->name[i], why);
        value[i] = now - group->hidden[i] - from[i];
    }
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *event,
               uint64_t period, struct reason *why)
{
    struct file_group *group = file_group(base);
    int n = base->n_counters;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is a number in a file, which delivers no overflows",
                          event->name);
    int fd = open_event(root, event, why);
    if (fd < 0)
        return fd;
    group->fd[n] = fd;
    group->name[n] = event->name;
    group->reading[0][n] = group->reading[1][n] = 0;
    base->n_counters++;
    return PAPI_OK;
}

static int start(struct counter_group *base, struct reason *why)
{
    struct file_group *group = file_group(base);
    uint64_t now[MAX_COUNTERS];
    memset(group->hidden, 0, sizeof group->hidden);
    int code = read_files(base, base->stopped, now, why);
    for (int i = 0; i < base->n_counters && code == PAPI_OK; i++)
        group->hidden[i] = now[i];
    return code;
}

static int stop(struct counter_group *base, struct reason *why)
{
    static const uint64_t from_zero[MAX_COUNTERS];
    struct file_group *group = file_group(base);
    uint64_t *spare = group->reading[base->stopped == group->reading[0]];
    int code = read_files(base, from_zero, spare, why);
    if (code == PAPI_OK)
        base->stopped = spare;
    return code;
}

static void silence(const struct counter_group *base)
{
    (void)base; /* nothing is switched on */
}

static void abandon(struct counter_group *base)
{
    for (int i = 0; i < base->n_counters; i++)
        close(file_group(base)->fd[i]);
    base->n_counters = 0;
}

static void destroy(struct counter_group *base)
{
    if (base != NULL)
        abandon(base);
    free(base);
}

static const struct group_ops file_groups = {
    .add = add,
    .start = start,
    .stop = stop,
    .silence = silence,
    .destroy = destroy,
    .abandon = abandon,
};

struct counter_group *files_create(const struct group_form *form)
{
    struct file_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->base.read = read_files;
    group->base.accum = accum_takes_a_read;
    group->base.ops = &file_groups;
    group->base.stopped = group->reading[0];
    group->base.form = *form;
    return &group->base;
}

/* -------------------------------------------------------------------- components */

int files_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                    struct reason *why)
{
    (void)domain;
    int fd = open_event(pmus->root, event, why);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? PAPI_OK : fd;
}

int files_check_form(const char *root, const struct group_form *form, struct reason *why)
{
    (void)root;
    if (form->target != 0 || form->whole_cpu)
        return reason_set(why, PAPI_ECMP,
                          "the whole machine's numbers are read: they are not those of a thread or a CPU");
    return PAPI_OK;
}
