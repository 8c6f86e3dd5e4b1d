/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/saved.h"

#include "base/visible.h"
#include "record/settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define END_TEXT(text) ((text)[sizeof(text) - 1] = '\0')

static int refuse(char *why, size_t room, const char *reason)
{
    snprintf(why, room, "%s", reason);
    return -1;
}

/* Reads size bytes at an offset; -1: the file has fewer, or an error. */
static int read_part(int fd, void *to, size_t size, off_t offset)
{
    char *next = to;
    while (size > 0) {
        ssize_t n = pread(fd, next, size, offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        next += n;
        offset += n;
        size -= (size_t)n;
    }
    return 0;
}

/* ---- what may be in it */

static const char *wrong_kind(const struct rank_record *record)
{
    if (record->magic == 0)
        return "was not begun: its rank ended within MPI_Init";
    if (record->magic != RECORD_MAGIC)
        return "is not a record of a rank";
    if (record->version != RECORD_VERSION || record->record_size != sizeof(struct rank_record) ||
        record->thread_size != sizeof(struct thread_record) || record->calls != CALL_COUNT)
        return "was made by another version of the wrapper library: use that version's papi_mpi_report";
    return NULL;
}

enum { MOST_NODES = 1 << 24 };

static int in_range(int64_t value, int64_t least, int64_t most)
{
    return value >= least && value <= most;
}

static const char *wrong_head(const struct rank_record *record)
{
    int right =
        in_range(record->ranks, 1, INT32_MAX) && in_range(record->rank, 0, record->ranks - 1) &&
        in_range(record->nodes, 1, record->ranks) && record->nodes <= MOST_NODES &&
        in_range(record->node, 0, record->nodes - 1) && in_range(record->n_counters, 0, MAX_COUNTERS) &&
        in_range(record->n_regions, 0, MAX_REGIONS) && in_range(record->n_chunks, 1, MAX_CHUNKS) &&
        in_range(record->memory_chunks, 0, record->n_chunks - 1) &&
        in_range(record->main_thread, 0, THREADS_IN_CHUNK - 1) && in_range(record->pid, 0, INT32_MAX) &&
        in_range(record->started, 0, INT64_MAX) && in_range(record->thread_level, 0, INT32_MAX) &&
        in_range(record->sites, SITES_NONE, SITES_PROGRAM) &&
        in_range(record->state, RANK_RUNS, RANK_IN_REPORT) && record->tick_hertz > 0;

    return right ? NULL : "is damaged";
}

static void end_texts(struct rank_record *record)
{
    END_TEXT(record->job);
    END_TEXT(record->host);
    END_TEXT(record->program);
    END_TEXT(record->command);
    END_TEXT(record->flavour);
    END_TEXT(record->counter_reason);
    END_TEXT(record->formulas);
    for (int i = 0; i < MAX_COUNTERS; i++) {
        END_TEXT(record->counter_name[i]);
        END_TEXT(record->counter_units[i]);
    }
    for (int i = 0; i < MAX_REGIONS; i++)
        END_TEXT(record->region_name[i]);
    for (int i = 0; i < MAX_SHARES; i++) {
        END_TEXT(record->share.row[i].library);
        END_TEXT(record->share.row[i].routine);
    }
    for (int i = 0; i < MAX_OBJECTS; i++)
        END_TEXT(record->object[i].path);
}

static const char *wrong_thread(const struct thread_record *thread)
{
    if (!in_range(thread->inside, -1, CALL_COUNT - 1) || !in_range(thread->n_open, 0, MAX_OPEN))
        return "is damaged";
    for (int i = 0; i < thread->n_open; i++)
        if (!in_range(thread->open[i].region, 0, MAX_REGIONS - 1))
            return "is damaged";
    return NULL;
}

/* ---- reading */

/* The process that has the record locked, as a running rank has; 0: none. A lock of another machine is seen
 * only if the file system passes locks on. */
static pid_t holder(int fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? lock.l_pid : 0;
}

static int open_file(int directory, const char *name, struct stat *status, char *why, size_t room)
{
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return refuse(why, room,
                      errno == ELOOP ? "is a symbolic link, which no rank makes" : strerror(errno));
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode) && (geteuid() == 0 || status->st_uid == geteuid()))
        return fd;
    close(fd);
    return refuse(why, room, S_ISREG(status->st_mode) ? "is another user's" : "is not a file");
}

/* Reads n chunks behind the head of record, which has room for them, and checks them. NULL, or what is
 * wrong. */
static const char *read_chunks(int fd, struct rank_record *record, int n)
{
    size_t head = record_chunk_offset(0);
    if (read_part(fd, (char *)record + head, record_chunk_offset(n) - head, (off_t)head) != 0)
        return "is truncated";
    atomic_store(&record->n_chunks, n);
    for (int i = 0; i < n * THREADS_IN_CHUNK; i++)
        if (wrong_thread(record_thread_at(record, i)) != NULL)
            return wrong_thread(record_thread_at(record, i));
    return NULL;
}

/* Reads a record into memory, with head_only without its chunks, and checks it. NULL, or what is wrong. */
static const char *load(struct saved *saved, int fd, off_t size, int head_only)
{
    struct rank_record *record = saved->record = aligned_alloc(RECORD_ALIGN, record_chunk_offset(0)), *whole;
    const char *wrong = NULL;
    int n;
    if (record == NULL)
        return "out of memory";
    if (size < (off_t)record_chunk_offset(0) || read_part(fd, record, sizeof *record, 0) != 0)
        return size == 0 ? "is empty: its rank ended within MPI_Init"
                         : "is truncated, or no record of a rank";
    wrong = wrong_kind(record);
    wrong = wrong != NULL ? wrong : wrong_head(record);
    if (wrong != NULL)
        return wrong;
    end_texts(record);
    n = record->n_chunks - record->memory_chunks;
    if (size < (off_t)record_chunk_offset(n))
        return "is truncated";
    atomic_store(&record->n_chunks, 0);
    if (head_only)
        return NULL;
    whole = aligned_alloc(RECORD_ALIGN, record_chunk_offset(n));
    if (whole == NULL)
        return "out of memory";
    memcpy(whole, record, sizeof *record);
    free(record);
    saved->record = whole;
    return read_chunks(fd, whole, n);
}

int saved_read(struct saved *saved, int directory, const char *name, int head_only, char *why, size_t room)
{
    struct stat status = {0};
    int fd = open_file(directory, name, &status, why, room);
    const char *wrong;
    *saved = (struct saved){0};
    if (fd < 0)
        return -1;
    wrong = load(saved, fd, status.st_size, head_only);
    saved->runs = holder(fd);
    close(fd);
    if (wrong == NULL)
        return 0;
    saved_free(saved);
    return refuse(why, room, wrong);
}

void saved_free(struct saved *saved)
{
    free(saved->record);
    saved->record = NULL;
}

/* -------------------------------------------------------------------------------------- what jobs left */

/* Facts that the records of one folder have in common. */
struct old_records {
    int files, ranks, runs; /* runs: ranks that still do */
    int64_t started;
    char program[256];
};

/* Calls use for each name in the folder that begins with begin, until it returns -1. */
static int for_each(int folder, const char *begin, int (*use)(int folder, const char *name, void *data),
                    void *data)
{
    int result = 0, fd = dup(folder);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    if (directory == NULL)
        return -1;
    rewinddir(directory);
    while (result >= 0 && (entry = readdir(directory)) != NULL)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0)
            result = use(folder, entry->d_name, data);
    closedir(directory);
    return result < 0 ? -1 : 0;
}

static int look_at(int folder, const char *name, void *data)
{
    struct old_records *old_records = data;
    struct saved saved;
    char why[256];
    old_records->files++;
    if (saved_read(&saved, folder, name, 1, why, sizeof why) == 0) {
        old_records->ranks = saved.record->ranks;
        old_records->started = saved.record->started;
        memcpy(old_records->program, saved.record->program, sizeof old_records->program);
        saved_free(&saved);
    }
    old_records->runs += saved.runs != 0;
    return 0;
}

static int remove_file(int folder, const char *name, void *data)
{
    (void)data;
    return unlinkat(folder, name, 0);
}

/* "a.out, 2 of 4 ranks, 2026-11-22 10:30", or what else there is to say. */
static void describe(FILE *out, const struct old_records *old_records)
{
    char date[32] = "";
    time_t started = (time_t)old_records->started;
    struct tm broken;
    const char *slash = strrchr(old_records->program, '/');
    if (old_records->ranks == 0) {
        fprintf(out, "%d records without figures", old_records->files);
        return;
    }
    if (localtime_r(&started, &broken) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &broken);
    visible_put(out, slash != NULL ? slash + 1 : old_records->program);
    fprintf(out, ", %d of %d ranks, %s", old_records->files, old_records->ranks, date);
}

struct listing {
    FILE *out;
    const char *directory; /* NULL: it is the folder itself */
    bool remove;
    int n;
};

/* A folder that cannot be opened is another user's. */
static int show(int directory, const char *name, void *data)
{
    struct listing *listing = data;
    struct old_records old_records = {0};
    int folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || for_each(folder, RECORD_FILE, look_at, &old_records) != 0) {
        if (folder >= 0)
            close(folder);
        return 0;
    }
    listing->n++;
    visible_print(listing->out, "%s%s%s: ", listing->directory != NULL ? listing->directory : "",
                  listing->directory != NULL ? "/" : "", name);
    describe(listing->out, &old_records);
    int failed = 0;
    if (old_records.runs > 0)
        fprintf(listing->out, ", still runs");
    else if (listing->remove) {
        failed = for_each(folder, RECORD_FILE, remove_file, NULL) != 0 ||
                 unlinkat(directory, name, AT_REMOVEDIR) != 0;
        fprintf(listing->out, failed ? ", cannot be removed" : ", removed");
    }
    putc('\n', listing->out);
    close(folder);
    return failed ? -1 : 0;
}

int kept_records(FILE *out, const char *directory, bool remove)
{
    const char *slash = strrchr(directory, '/'), *name = slash != NULL ? slash + 1 : directory;
    struct listing listing = {.out = out, .directory = directory, .remove = remove};
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;
    if (fd < 0)
        return -1;
    if (strncmp(name, RECORD_DIRECTORY, strlen(RECORD_DIRECTORY)) == 0) {
        listing.directory = NULL;
        result = show(AT_FDCWD, directory, &listing);
    } else
        result = for_each(fd, RECORD_DIRECTORY, show, &listing);
    int reason = errno;
    close(fd);
    errno = reason;
    return result < 0 ? -1 : listing.n;
}
