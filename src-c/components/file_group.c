/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Groups of numbers that files of the kernel show.
 *
 * Some of these counters begin at 0 again after a range that is much smaller than 64 bits: the energy
 * counters of processors do so within minutes. The group keeps, for each, a total as if that had never
 * happened: the difference of the new number and the last one, modulo the range, is added at each reading.
 * That is right as long as fewer than one range passes between two readings. Therefore a thread looks at the
 * counters four times in the shortest time in which one of them can pass its range, by its known rate or an
 * upper limit of it, and the time since the last reading is checked: where more may have passed, the value is
 * given with PAPI_ECLOST.
 *
 * Readings come from the program, its signal handlers and that thread, without a lock. The total is moved by
 * compare-and-exchange from the value that was loaded before the file was read: if another reading was
 * faster, the file is read again, so that an older number is never taken for one that has passed its range.
 */
#include "components/file_group.h"
#include "base/seconds.h"
#include "base/signals.h"
#include "base/suspended.h"
#include "base/syscall.h"
#include "base/sysroot.h"
#include "components/free_running.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- a thread that looks */

/* A thread that looks at something from time to time, for what would be missed if the program did not for too
 * long. Not a timer's signal: it would end the program's sleeps. The thread takes none of the process's
 * signals. */
struct watch {
    bool runs;
    int end; /* 1: it is to end; the kernel waits on it */
    pthread_t thread;
    uint64_t msec;
    void (*look)(void *context);
    void *context;
};

/* Waits for the interval; false: the watch has ended. By a clock of the kernel's own, since the time of day
 * may be set. */
static bool waited(struct watch *watch)
{
    /* The kernel's own structure: libc's may have a longer time_t. */
    const long time[2] = {(long)(watch->msec / 1000), (long)(watch->msec % 1000) * 1000000};
    long code;
    do {
        code = syscall(SYS_futex, &watch->end, FUTEX_WAIT_PRIVATE, 0, time, NULL, 0) == 0 ? 0 : errno;
    } while (code != ETIMEDOUT && __atomic_load_n(&watch->end, __ATOMIC_ACQUIRE) == 0);
    return __atomic_load_n(&watch->end, __ATOMIC_ACQUIRE) == 0;
}

static void *run(void *context)
{
    struct watch *watch = context;
    while (waited(watch))
        watch->look(watch->context);
    return NULL;
}

static bool start_thread(struct watch *watch)
{
    enum { STACK = 256 * 1024 };
    pthread_attr_t attributes;
    sigset_t before;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK); /* else the usual one */
    signals_block(&before);
    bool started = pthread_create(&watch->thread, &attributes, run, watch) == 0;
    signals_restore(&before);
    pthread_attr_destroy(&attributes);
    return started;
}

/* Has look called every msec from now on. false: there is no room for a thread, and nobody looks. */
static bool watch_begin(struct watch *watch, uint64_t msec, void (*look)(void *context), void *context)
{
    *watch = (struct watch){.msec = msec, .look = look, .context = context};
    watch->runs = start_thread(watch);
    return watch->runs;
}

/* Ends the watch, in any state: look is not called any more afterwards. */
static void watch_end(struct watch *watch)
{
    if (!watch->runs)
        return;
    __atomic_store_n(&watch->end, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &watch->end, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    pthread_join(watch->thread, NULL);
    watch->runs = false;
}

/* Forgets the thread in the child of a fork, which has none. Async-signal-safe. */
static void watch_abandon(struct watch *watch)
{
    watch->runs = false;
}

enum {
    TEXT_SIZE = 1 << 20
}; /* /proc/stat has 100 bytes for each processor. Memory that is not used is not there */

struct file_counter {
    int file;
    uint64_t range; /* the greatest number before 0 comes again; 0: any */
    _Alignas(
        8) uint64_t total; /* where there is a range: the last number, as if it had never begun at 0 again */
    uint64_t msec;         /* in which it can begin at 0 again */
};

struct file_group {
    struct free_running_group free_running;
    int n_files;
    struct {
        int fd;
        char *path;
    } file[MAX_COUNTERS];
    struct file_counter counter[MAX_COUNTERS];
    bool has_range;
    _Alignas(
        8) uint64_t read_at;    /* the clock's ms at the last reading, where a counter has a range; 0: none */
    struct suspended started;   /* the same */
    struct watch watch;         /* reads in between what begins at 0 again too soon */
    volatile unsigned readings; /* of a file, that began; those of handlers, too */
    char text[TEXT_SIZE];       /* of the file that is read now: a handler's stack may be small */
};

static struct file_group *file_group(struct counter_group *group)
{
    return (struct file_group *)group;
}

/* ---- numbers in texts */

enum number_found { NUMBER_FOUND, NUMBER_MISSING, NOT_A_NUMBER };

#define BLANKS " \t"
#define WORD_ENDS " \t\n"

/* The rest of a text that begins with this word; NULL if it does not. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strchr(WORD_ENDS, text[length]) != NULL ? text + length : NULL;
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

/* Returns what follows the word that the event's line begins with; NULL: there is no such line. */
static const char *line_of(const char *text, const char *word)
{
    for (; text != NULL && word != NULL; text = next_line(text)) {
        const char *rest = after_word(text + strspn(text, BLANKS), word);
        if (rest != NULL)
            return rest;
    }
    return text;
}

static bool scale(uint64_t *value, uint64_t times)
{
    return times == 0 || !__builtin_mul_overflow(*value, times, value);
}

static enum number_found number_at(const char *text, const struct component_event *event, uint64_t *value)
{
    bool negative = *text == '-' && event->level;
    char *end;
    if (event->level && strncmp(text, "max", 3) == 0 && strchr(WORD_ENDS, text[3]) != NULL) {
        *value = UINT64_MAX; /* a limit that is none, as -1 elsewhere */
        return NUMBER_FOUND;
    }
    int error = errno; /* a signal's handler may read */
    text += negative;
    errno = 0;
    *value = strtoull(text, &end, 10);
    bool fits = errno == 0;
    errno = error;
    if (*text < '0' || *text > '9' || !fits || strchr(WORD_ENDS, *end) == NULL || !scale(value, event->times))
        return NOT_A_NUMBER;
    *value = negative ? -*value : *value;
    return NUMBER_FOUND;
}

/* Adds up the numbers after the label over all lines: the kernel shows one for each device that had something
 * to do. */
static enum number_found sum(const char *text, const struct component_event *event, uint64_t *value)
{
    size_t length = strlen(event->label);
    *value = 0;
    while (*(text += strspn(text, WORD_ENDS)) != '\0') {
        uint64_t number = 0;
        if (strncmp(text, event->label, length) == 0 &&
            number_at(text + length, event, &number) != NUMBER_FOUND)
            return NOT_A_NUMBER;
        *value += number;
        text += strcspn(text, WORD_ENDS);
    }
    return NUMBER_FOUND;
}

static enum number_found whole_number(const char *text, const struct component_event *event, uint64_t *value)
{
    if (event->label != NULL)
        return sum(text, event, value);
    text = line_of(text, event->line);
    for (int i = 0; text != NULL; i++) {
        text += strspn(text, BLANKS);
        if (i == event->word)
            break;
        text += strcspn(text, WORD_ENDS);
    }
    if (text == NULL)
        return NUMBER_MISSING;
    size_t length = strcspn(text, WORD_ENDS);
    const char *label = memchr(text, '=', length); /* "total=12" */
    if (length == 0)
        return event->word > 0 || event->line != NULL ? NUMBER_MISSING : NOT_A_NUMBER;
    return number_at(label != NULL ? label + 1 : text, event, value);
}

/* The number of an event in a text of the kernel that ends with 0, times the event's factor: "123", "-5000"
 * of a level, "max" of one, which is -1, "cpu0 1 2 3", "total=123". Of a real event, which is a level: the
 * bits of a double. NUMBER_MISSING: the text has no such line or word. */
static enum number_found number_in(const char *text, const struct component_event *event, uint64_t *value)
{
    enum number_found found = whole_number(text, event, value);
    if (found != NUMBER_FOUND || !event->real)
        return found;
    double real = (double)(int64_t)*value / (double)event->per;
    memcpy(value, &real, sizeof real);
    return NUMBER_FOUND;
}

/* ---- numbers in files */

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

/* Reads a file, nearly always with a single system call. -1 with errno. */
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

/* Opens an event's file. Returns the descriptor, or a code.
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

/* ---- groups */

/* The time in milliseconds, also while the machine was suspended. */
static uint64_t clock_msec(void)
{
    return nsec_of(CLOCK_BOOTTIME) / 1000000;
}

static uint64_t last_reading(const struct file_group *group)
{
    return __atomic_load_n(&group->read_at, __ATOMIC_ACQUIRE);
}

/* Finds a counter that may have begun at 0 twice since the reading before: it looks as if it had done so
 * once, or not at all. Its place; -1: there is none. */
static int began_twice(const struct file_group *group, uint64_t before, uint64_t now)
{
    for (int i = 0; i < group->free_running.base.n_counters && before != 0; i++)
        if (group->counter[i].range != 0 && now - before > group->counter[i].msec)
            return i;
    return -1;
}

/* Checks the time since the last reading (before), and notes this one. */
static int check_gap(struct file_group *group, uint64_t before, struct reason *why)
{
    uint64_t now = clock_msec();
    int i = began_twice(group, before, now);
    __atomic_store_n(&group->read_at, now, __ATOMIC_RELEASE);
    if (suspended_since(&group->started))
        return reason_set(why, PAPI_ECLOST,
                          "the machine was suspended while the event set counted, and counters of energy may "
                          "have begun anew: what is shown may be wrong; stop and start to count from here");
    if (i < 0)
        return PAPI_OK;
    return reason_set(
        why, PAPI_ECLOST,
        "%s was not read for %.1f s and can begin at 0 again in %.1f s: what is shown may be too "
        "little; read it more often",
        group->free_running.event[i]->name, (double)(now - before) * 1e-3,
        (double)group->counter[i].msec * 1e-3);
}

/* Counters of a file: what they showed before, and show now. */
struct file_reading {
    uint64_t origin[MAX_COUNTERS]; /* subtracted from the number */
    uint64_t total[MAX_COUNTERS], now[MAX_COUNTERS];
};

static int take_numbers(struct file_group *group, int file, struct file_reading *reading, struct reason *why)
{
    int code = PAPI_OK;
    group->text[0] = '\0';
    for (int i = 0; i < group->free_running.base.n_counters && code == PAPI_OK; i++)
        if (group->counter[i].file == file)
            code = take_number(group->file[file].fd, group->text, group->free_running.event[i],
                               &reading->now[i], why);
    return code;
}

/* The counter's number as if it had never begun at 0 again, in place of the number. false: a handler or the
 * watch has read it since the total was looked at, and may have seen a later one. */
static bool unwrap(struct file_counter *counter, uint64_t total, uint64_t *now)
{
    if (counter->range == 0)
        return true;
    uint64_t last = total % counter->range, number = *now % counter->range;
    *now = total + (number >= last ? number - last : number + counter->range - last);
    return __atomic_compare_exchange_n(&counter->total, &total, *now, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

static bool unwrap_all(struct file_group *group, int file, struct file_reading *reading)
{
    bool done = true;
    for (int i = 0; i < group->free_running.base.n_counters && done; i++)
        if (group->counter[i].file == file)
            done = unwrap(&group->counter[i], reading->total[i], &reading->now[i]);
    return done;
}

static void note_before(const struct file_group *group, const uint64_t *from, struct file_reading *reading)
{
    for (int i = 0; i < group->free_running.base.n_counters; i++) {
        reading->origin[i] = group->free_running.hidden[i] + from[i];
        reading->total[i] = __atomic_load_n(&group->counter[i].total, __ATOMIC_RELAXED);
    }
}

/* The text is that of a handler's reading where one came in between: then the file is read anew. A handler
 * may also stop the group and start it: what is no part of the value is noted before the number is read. */
static int read_file(struct file_group *group, int file, const uint64_t *from, struct file_reading *reading,
                     struct reason *why)
{
    enum { TRIES = 1000 };
    for (int tries = 0; tries < TRIES; tries++) {
        unsigned mine = ++group->readings;
        note_before(group, from, reading);
        int code = take_numbers(group, file, reading, why);
        if (group->readings == mine && (code != PAPI_OK || unwrap_all(group, file, reading)))
            return code;
    }
    return reason_set(
        why, PAPI_ECNFLCT,
        "handlers that read the event set come faster than %s can be read: set their timer to a "
        "longer interval",
        group->file[file].path);
}

static int read_files(struct counter_group *base, const uint64_t *from, uint64_t *value, struct reason *why)
{
    struct file_group *group = file_group(base);
    struct file_reading reading;
    uint64_t before = group->has_range ? last_reading(group) : 0;
    for (int file = 0; file < group->n_files; file++) {
        int code = read_file(group, file, from, &reading, why);
        if (code != PAPI_OK)
            return code;
        for (int i = 0; i < base->n_counters; i++)
            if (group->counter[i].file == file)
                value[i] =
                    group->free_running.event[i]->level ? reading.now[i] : reading.now[i] - reading.origin[i];
    }
    return group->has_range ? check_gap(group, before, why) : PAPI_OK;
}

/* ---- watch */

/* Reads a counter's file, which has only this number, for the watch: into a short text that is not the one of
 * the group's own thread. */
static bool look_at(struct file_group *group, struct file_counter *counter,
                    const struct component_event *event)
{
    char text[64];
    uint64_t total = __atomic_load_n(&counter->total, __ATOMIC_RELAXED), now;
    ssize_t n = pread(group->file[counter->file].fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (n <= 0 || number_in(text, event, &now) != NUMBER_FOUND)
        return false;
    unwrap(counter, total, &now); /* or somebody else has just read it */
    return true;
}

/* Runs in the watch's thread, and leaves what has been missed for a reading to say. */
static void look(void *context)
{
    struct file_group *group = context;
    uint64_t before = last_reading(group), now = clock_msec();
    if (began_twice(group, before, now) >= 0)
        return;
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->counter[i].range != 0 && !look_at(group, &group->counter[i], group->free_running.event[i]))
            return;
    __atomic_compare_exchange_n(&group->read_at, &before, now, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* The counters are looked at four times in the time in which the first of them can begin at 0 again: one look
 * that comes late loses nothing, nor does more power than was thought. Without a thread a reading says what
 * was missed. */
static void watch(struct file_group *group)
{
    enum { LEAST = 10, MOST = 3600000 };
    uint64_t msec = UINT64_MAX;
    for (int i = 0; i < group->free_running.base.n_counters; i++)
        if (group->counter[i].range != 0 && group->counter[i].msec < msec)
            msec = group->counter[i].msec;
    if (msec == UINT64_MAX)
        return;
    msec /= 4;
    watch_begin(&group->watch, msec < LEAST ? LEAST : msec > MOST ? MOST : msec, look, group);
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
    bool told = most > 0 && (uint64_t)range <= UINT64_MAX / 1000;
    counter->msec = told ? (uint64_t)range * 1000 / most : UINT64_MAX;
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
    watch_end(&group->watch);
    group->counter[base->n_counters] = counter;
    group->has_range |= counter.range != 0;
    free_running_hold(base, event, now);
    watch(group);
    return PAPI_OK;
}

/* Starts the group; the gap since the stop does not matter. */
static int start(struct counter_group *base, struct reason *why)
{
    __atomic_store_n(&file_group(base)->read_at, 0, __ATOMIC_RELEASE);
    suspended_note(&file_group(base)->started);
    return free_running_start(base, why);
}

static void close_files(struct file_group *group)
{
    struct counter_group *base = &group->free_running.base;
    for (int i = 0; i < group->n_files && base->n_counters > 0; i++)
        close(group->file[i].fd);
    free_running_abandon(base);
}

static void abandon(struct counter_group *base)
{
    watch_abandon(&file_group(base)->watch);
    close_files(file_group(base));
}

static void destroy(struct counter_group *base)
{
    if (base != NULL) {
        watch_end(&file_group(base)->watch);
        close_files(file_group(base));
    }
    for (int i = 0; base != NULL && i < file_group(base)->n_files; i++)
        free(file_group(base)->file[i].path);
    free_running_destroy(base);
}

static int write_number(struct counter_group *base, const char *root, int index, long long value,
                        struct reason *why)
{
    const struct component_event *event = file_group(base)->free_running.event[index];
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
    .stop = free_running_stop,
    .destroy = destroy,
    .abandon = abandon,
    .write = write_number,
    .keep = free_running_keep,
};

struct counter_group *files_create(const struct group_options *options)
{
    return free_running_create(sizeof(struct file_group), options, &file_groups, read_files);
}

/* ---- components */

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

int file_check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0 || options->whole_cpu)
        return reason_set(why, PAPI_ECMP,
                          "the whole machine's numbers are read: they are not those of a thread or a CPU");
    return PAPI_OK;
}

/* ---- lists of events */

/* Lists the entries of a folder that begin with a prefix, by name and number. Returns their number; -1 with
 * errno. */
static int list_folder(const char *root, const char *folder, const char *prefix, struct dirent ***entry)
{
    char path[PATH_MAX];
    int kept = 0, n = -1;
    if (sysroot_path(root, folder, path, sizeof path) == 0)
        n = scandir(path, entry, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        const char *name = (*entry)[i]->d_name;
        if (name[0] != '.' && strncmp(name, prefix, strlen(prefix)) == 0)
            (*entry)[kept++] = (*entry)[i];
        else
            free((*entry)[i]);
    }
    return n < 0 ? -1 : kept;
}

int files_each(const char *root, const char *folder, const char *prefix,
               int (*visit)(void *context, const char *entry, struct reason *why), void *context,
               struct reason *why)
{
    struct dirent **entry = NULL;
    int code = PAPI_OK, n = list_folder(root, folder, prefix, &entry);
    if (n < 0)
        return error_passes(errno) ? reason_unreadable(folder, why) : PAPI_OK;
    for (int i = 0; i < n; i++) {
        code = code ?: visit(context, entry[i]->d_name, why);
        free(entry[i]);
    }
    free(entry);
    return code;
}

int files_lines(const char *root, const char *path,
                int (*visit)(void *context, char *line, struct reason *why), void *context,
                struct reason *why)
{
    char *line = NULL;
    size_t size = 0;
    int code = PAPI_OK;
    FILE *file = sysroot_open(root, path);
    if (file == NULL)
        return error_passes(errno) ? reason_unreadable(path, why) : PAPI_OK;
    errno = 0;
    while (code == PAPI_OK && getline(&line, &size, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        code = visit(context, line, why);
        errno = code == PAPI_OK ? 0 : errno;
    }
    if (code == PAPI_OK && error_passes(errno)) /* this was not its end */
        code = reason_unreadable(path, why);
    free(line);
    fclose(file);
    return code;
}

static int is_there(const char *root, const char *file, struct reason *why)
{
    char path[PATH_MAX];
    if (sysroot_path(root, file, path, sizeof path) == 0 && access(path, F_OK) == 0)
        return 1;
    return error_passes(errno) ? reason_unreadable(file, why) : 0;
}

int files_add(const struct files_list *to, const struct component_event *pattern, const char *folder,
              const char *name, const char *subject, struct reason *why)
{
    char file[PATH_MAX], range_file[PATH_MAX], rate_file[PATH_MAX], description[PAPI_2MAX_STR_LEN];
    struct component_event event = *pattern;
    const char *place = strstr(pattern->description, "%s");
    int before = place != NULL ? (int)(place - pattern->description) : (int)strlen(pattern->description);
    snprintf(file, sizeof file, "%s%s", folder, pattern->file ? pattern->file : "");
    snprintf(range_file, sizeof range_file, "%s%s", folder, pattern->range_file ? pattern->range_file : "");
    snprintf(rate_file, sizeof rate_file, "%s%s", folder, pattern->rate_file ? pattern->rate_file : "");
    snprintf(description, sizeof description, "%.*s%s%s", before, pattern->description,
             place != NULL ? subject : "", place != NULL ? place + 2 : "");
    event.name = name;
    event.description = description;
    event.file = file;
    event.range_file = pattern->range_file != NULL ? range_file : NULL;
    event.rate_file = pattern->rate_file != NULL ? rate_file : NULL;
    int there = is_there(to->root, file, why);
    return there > 0 ? event_list_add(to->list, &event, why) : there;
}

int files_add_row(const struct files_list *to, const struct event_row *row, const char *folder,
                  const char *name, const char *subject, struct reason *why)
{
    const struct component_event pattern = event_of_row(row);
    return files_add(to, &pattern, folder, name, subject, why);
}

int files_add_rows(const struct files_list *to, const struct event_row *row, int n, const char *folder,
                   const char *subject, struct reason *why)
{
    char name[PAPI_MIN_STR_LEN];
    int code = PAPI_OK;
    for (int i = 0; i < n && code == PAPI_OK; i++) {
        snprintf(name, sizeof name, "%s:%s", subject, row[i].name);
        code = files_add_row(to, &row[i], folder, name, subject, why);
    }
    return code;
}

void files_discover(struct pmu_table *pmus, struct component_state *state, const char *folder,
                    const char *prefix, const char *what)
{
    struct reason *why = &state->disabled;
    struct dirent **entry = NULL;
    int n = list_folder(pmus->root, folder, prefix, &entry), error = errno;
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    errno = error;
    if (n < 0 && (errno == ENOENT || errno == ENOTDIR))
        reason_set(why, PAPI_ENOSUPP, "there is no %s, where the kernel shows %s", folder, what);
    else if (n < 0)
        reason_set(why, error_passes(errno) ? PAPI_ESYS : PAPI_EPERM,
                   "%s, where the kernel shows %s, cannot be read: %s", folder, what, strerror(errno));
    else if (n == 0)
        reason_set(why, PAPI_ENOSUPP, "there is nothing%s%s in %s, where the kernel shows %s",
                   prefix[0] != '\0' ? " named " : "", prefix, folder, what);
}
