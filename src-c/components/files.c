/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/files.h"
#include "base/sysroot.h"
#include "components/moving.h"
#include "components/number.h"
#include "papi.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_SIZE = 1 << 20
}; /* /proc/stat has 100 bytes for each processor. Memory that is not used is not there */

struct file_counter {
    int file;
    uint64_t range;         /* the greatest number before 0 comes again; 0: any */
    uint64_t last, wrapped; /* the last number, and what came before it began at 0 again */
    uint64_t seconds;       /* in which it can begin at 0 again */
};

struct file_group {
    struct moving_group moving;
    int n_files;
    struct {
        int fd;
        char *path;
    } file[MAX_COUNTERS];
    struct file_counter counter[MAX_COUNTERS];
    bool has_range;
    uint64_t read_at;     /* the clock's seconds at the last reading, where a counter has a range */
    char text[TEXT_SIZE]; /* of the file that is read now: a handler's stack may be small */
};

static struct file_group *file_group(struct counter_group *group)
{
    return (struct file_group *)group;
}

/* ---------------------------------------------------------------------- numbers */

static int unreadable(const struct component_event *event, struct reason *why)
{
    if (error_passes(errno))
        return reason_unreadable(event->name, why);
    bool denied = errno == EACCES || errno == EPERM;
    return reason_set(why, denied ? PAPI_EPERM : PAPI_ENOEVNT, "%s cannot be read: %s: %s", event->name,
                      event->file, errno == ESPIPE ? "it is a pipe or a device" : strerror(errno));
}

static int no_number(const struct component_event *event, enum number_found found, struct reason *why)
{
    if (found == NUMBER_MISSING)
        return reason_set(why, PAPI_ENOEVNT, "%s: %s has no \"%s\" any more, or here", event->name,
                          event->file, event->line != NULL ? event->line : "such number");
    return reason_set(why, PAPI_EMISC, "%s: %s does not hold a number where one is expected", event->name,
                      event->file);
}

/* One call of the kernel is enough for nearly all files. -1 with errno. */
static int read_text(int fd, char text[TEXT_SIZE])
{
    size_t n = 0;
    ssize_t got;
    do {
        got = pread(fd, text + n, TEXT_SIZE - 1 - n, (off_t)n);
        n += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && n >= 4096 && n < TEXT_SIZE - 1) || (got < 0 && errno == EINTR));
    text[n] = '\0';
    if (got > 0 && n == TEXT_SIZE - 1) { /* there may be more, and half a number */
        errno = EFBIG;
        return -1;
    }
    return got < 0 ? -1 : 0;
}

static int take_number(int fd, char text[TEXT_SIZE], const struct component_event *event, uint64_t *value,
                       struct reason *why)
{
    if (text[0] == '\0' && read_text(fd, text) != 0)
        return unreadable(event, why);
    enum number_found found = number_in(text, event, value);
    return found == NUMBER_FOUND ? PAPI_OK : no_number(event, found, why);
}

/* The descriptor, or a code.
 *   text  room to read it */
static int open_event(const char *root, const struct component_event *event, char text[TEXT_SIZE],
                      uint64_t *value, struct reason *why)
{
    int fd = sysroot_file(root, event->file, O_RDONLY);
    if (fd < 0)
        return unreadable(event, why);
    text[0] = '\0';
    int code = take_number(fd, text, event, value, why);
    if (code == PAPI_OK)
        return fd;
    close(fd);
    return code;
}

/* The counter's number as if it had never begun at 0 again. */
static uint64_t unwrapped(struct file_counter *counter, uint64_t now)
{
    if (counter->range == 0)
        return now;
    if (now < counter->last)
        counter->wrapped += counter->range;
    counter->last = now;
    return counter->wrapped + now;
}

/* ------------------------------------------------------------------------ groups */

/* A counter that began at 0 twice since the last reading looks as if it had done so once, or not at all. */
static int check_gap(struct file_group *group, struct reason *why)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    uint64_t seconds = (uint64_t)now.tv_sec - group->read_at;
    bool first = group->read_at == 0;
    group->read_at = (uint64_t)now.tv_sec;
    for (int i = 0; i < group->moving.base.n_counters && !first; i++)
        if (group->counter[i].range != 0 && seconds > group->counter[i].seconds)
            return reason_set(why, PAPI_ECLOST,
                              "%s was not read for %" PRIu64 " s and can begin at 0 again in %" PRIu64
                              " s: what is shown may be too little; read it more often",
                              group->moving.event[i]->name, seconds, group->counter[i].seconds);
    return PAPI_OK;
}

static int read_files(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct file_group *group = file_group(base);
    for (int file = 0; file < group->n_files; file++) {
        group->text[0] = '\0';
        for (int i = 0; i < base->n_counters; i++) {
            struct file_counter *counter = &group->counter[i];
            const struct component_event *event = group->moving.event[i];
            uint64_t now;
            if (counter->file != file)
                continue;
            int code = take_number(group->file[file].fd, group->text, event, &now, why);
            if (code != PAPI_OK)
                return code;
            value[i] = event->level ? now : unwrapped(counter, now) - group->moving.hidden[i] - from[i];
        }
    }
    return group->has_range ? check_gap(group, why) : PAPI_OK;
}

/* The place of an event's file in the group, opened if it is not yet there; or a code. */
static int file_of(struct file_group *group, const char *root, const struct component_event *event,
                   uint64_t *now, struct reason *why)
{
    int n = group->n_files, fd = open_event(root, event, group->text, now, why);
    if (fd < 0)
        return fd;
    for (int i = 0; i < n; i++)
        if (strcmp(group->file[i].path, event->file) == 0) {
            close(fd);
            return i;
        }
    group->file[n].path = strdup(event->file);
    if (group->file[n].path == NULL) {
        close(fd);
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    }
    group->file[n].fd = fd;
    return group->n_files++;
}

static int find_range(const char *root, const struct component_event *event, struct file_counter *counter,
                      struct reason *why)
{
    long long range = 0, rate = 0;
    if (event->range_file == NULL)
        return PAPI_OK;
    if (sysroot_number(root, event->range_file, &range) != 0 && error_passes(errno))
        return reason_unreadable(event->range_file, why);
    if (event->rate_file != NULL && sysroot_number(root, event->rate_file, &rate) != 0 && error_passes(errno))
        return reason_unreadable(event->rate_file, why);
    if (range <= 0)
        return PAPI_OK;
    counter->range = (uint64_t)range * (event->times ? event->times : 1);
    uint64_t most = rate > 0 ? (uint64_t)rate : event->rate;
    counter->seconds = most > 0 ? (uint64_t)range / most : UINT64_MAX;
    return PAPI_OK;
}

static int add(struct counter_group *base, const char *root, const struct event_encoding *encoding,
               uint64_t period, struct reason *why)
{
    struct file_group *group = file_group(base);
    const struct component_event *event = encoding->event;
    struct file_counter counter = {0};
    uint64_t now;
    if (period != 0)
        return reason_set(why, PAPI_ENOSUPP, "%s is a number in a file, which delivers no overflows",
                          event->name);
    counter.file = find_range(root, event, &counter, why) ?: file_of(group, root, event, &now, why);
    if (counter.file < 0)
        return counter.file;
    group->counter[base->n_counters] = counter;
    group->has_range |= counter.range != 0;
    moving_hold(base, event, now);
    return PAPI_OK;
}

/* The gap since the stop does not matter. */
static int start(struct counter_group *base, struct reason *why)
{
    file_group(base)->read_at = 0;
    return moving_start(base, why);
}

static void abandon(struct counter_group *base)
{
    struct file_group *group = file_group(base);
    for (int i = 0; i < group->n_files && base->n_counters > 0; i++)
        close(group->file[i].fd);
    moving_abandon(base);
}

static void destroy(struct counter_group *base)
{
    if (base != NULL)
        abandon(base);
    for (int i = 0; base != NULL && i < file_group(base)->n_files; i++)
        free(file_group(base)->file[i].path);
    moving_destroy(base);
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    const struct component_event *event = file_group(base)->moving.event[index];
    char text[32];
    int length = snprintf(text, sizeof text, "%lld\n", value), error = 0;
    if (!event->writable)
        return reason_set(why, PAPI_ECMP, "%s shows what the machine does now: it cannot be set",
                          event->name);
    int fd = sysroot_file(root, event->file, O_WRONLY);
    if (fd < 0 || write(fd, text, (size_t)length) != length)
        error = errno;
    if (fd >= 0)
        close(fd);
    if (error != 0)
        return reason_set(why, error == EACCES || error == EPERM || error == EROFS ? PAPI_EPERM : PAPI_EINVAL,
                          "%s cannot be set to %lld: %s: %s", event->name, value, event->file,
                          strerror(error));
    return PAPI_OK;
}

static const struct group_ops file_groups = {
    .add = add,
    .start = start,
    .stop = moving_stop,
    .destroy = destroy,
    .abandon = abandon,
    .write = write_number,
};

struct counter_group *files_create(const struct group_form *form)
{
    return moving_create(sizeof(struct file_group), form, &file_groups, read_files);
}

/* -------------------------------------------------------------------- components */

int files_try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                    struct reason *why)
{
    uint64_t value;
    char *text = malloc(TEXT_SIZE);
    (void)domain;
    if (text == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int fd = open_event(pmus->root, event->event, text, &value, why);
    free(text);
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
