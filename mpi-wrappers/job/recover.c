/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a job of the records that its ranks left in files, as papi_mpi_report --recover does for a job that
 * did not come to its end. It is done in three passes. The first one reads each record, checks it, and finds
 * the last moment that any rank knows of, at which a rank ended that has no end of its own (ending.h). The
 * places of counters, regions and sites in a job's tables depend on all ranks: the second one merges their
 * names as the ranks would do by MPI at the end (block.h). Then the tables are laid out, and the third one
 * makes each rank's block and row as the rank itself would, and merges the block into the job: memory is
 * needed for one record at a time, however many ranks there are.
 * The first record that is found says which job this is; records of another one end the attempt, since the
 * directory must then be named more exactly. Files that are damaged, are not what their name says, or were
 * there twice are left out and named in a remark. A rank may still run, or have ended within a region or a
 * call: its record was consistent at each moment, and what was open is closed at the last moment that is
 * known of it. Figures of a node are those of its ranks that are here.
 */
#include "job/recover.h"
#include "base/array.h"
#include "base/visible.h"
#include "job/block.h"
#include "job/ending.h"
#include "job/result_file.h"
#include "job/timeline_file.h"
#include "record/settings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the record of a rank */

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

static const char *wrong_comms(const struct rank_record *record)
{
    for (int i = 0; i < record->n_counted; i++)
        if (record->counted_comm[i].key == 0 || !in_range(record->counted_comm[i].call, -1, CALL_COUNT - 1) ||
            record->counted_comm[i].size < 0)
            return "is damaged";
    return NULL;
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
        in_range(record->started, 0, INT64_MAX) && in_range(record->began, 0, INT64_MAX / 2) &&
        in_range(record->began_here, 0, INT64_MAX / 2) && in_range(record->thread_level, 0, INT32_MAX) &&
        in_range(record->sites, SITES_NONE, SITES_PROGRAM) && in_range(record->timed, 0, 1) &&
        in_range(record->by_comm, 0, 1) && in_range(record->n_counted, 0, MAX_COMMS) &&
        in_range(record->state, RANK_RUNS, RANK_IN_REPORT) && record->tick_hertz > 0;

    return right ? wrong_comms(record) : "is damaged";
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
    for (int i = 0; i < MAX_COMMS; i++)
        END_TEXT(record->counted_comm[i].name);
}

static const char *wrong_thread(const struct thread_record *thread)
{
    if (!in_range(thread->inside, record_outside(CALL_COUNT - 1), CALL_COUNT - 1) ||
        !in_range(thread->n_open, 0, MAX_OPEN) || !in_range(thread->comms.gone, 0, MAX_COMMS) ||
        !in_range(thread->n_told, 0, CALL_COUNT))
        return "is damaged";
    for (int i = 0; i < thread->n_told; i++)
        if (!in_range(thread->told_call[i].call, 0, CALL_COUNT - 1))
            return "is damaged";
    for (int i = 0; i < CALL_COUNT; i++)
        if (!in_range(thread->comms.last[i].place, 0, COMM_PLACES))
            return "is damaged";
    for (int i = 0; i < thread->n_open; i++)
        if (!in_range(thread->open[i].region, 0, MAX_REGIONS - 1))
            return "is damaged";
    return NULL;
}

static const char *wrong_times(const struct thread_times *times)
{
    if (!in_range(times->n, 0, MAX_TIMED))
        return "is damaged";
    for (int i = 0; i < times->n; i++)
        if (!in_range(times->call[i], 0, CALL_COUNT - 1))
            return "is damaged";
    for (int call = 0; call < CALL_COUNT; call++)
        if (times->at[call] > times->n)
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

/* Reads once more what a thread that runs writes around each call, until it is the same twice: then the call
 * and its arguments belong together. A thread whose calls are too quick for that is in none that anybody
 * waits for. */
static void read_steady(int fd, struct thread_record *thread, off_t offset)
{
    enum { TRIES = 20 };
    const size_t size = offsetof(struct thread_record, noted);
    char again[offsetof(struct thread_record, noted)];
    for (int i = 0; i < TRIES; i++) {
        if (read_part(fd, again, size, offset) != 0 || memcmp(again, thread, size) == 0)
            return;
        memcpy(thread, again, size);
    }
}

/* Reads n chunks behind the head of record, which has room for them, and checks them. NULL, or what is
 * wrong. */
static const char *read_chunks(int fd, struct rank_record *record, int n)
{
    size_t head = record_chunk_offset(false, 0), whole = record_chunk_offset(record->timed != 0, n);
    if (read_part(fd, (char *)record + head, whole - head, (off_t)head) != 0)
        return "is truncated";
    atomic_store(&record->n_chunks, n);
    for (int i = 0; i < n * THREADS_IN_CHUNK; i++) {
        struct thread_record *thread = record_thread_at(record, i);
        read_steady(fd, thread, (off_t)((const char *)thread - (const char *)record));
        if (wrong_thread(record_thread_at(record, i)) != NULL)
            return wrong_thread(record_thread_at(record, i));
        if (record->timed && wrong_times(record_times_at(record, i)) != NULL)
            return wrong_times(record_times_at(record, i));
    }
    return NULL;
}

/* Reads a record into memory, with head_only without its chunks, and checks it. NULL, or what is wrong. */
static const char *load(struct saved *saved, int fd, off_t size, int head_only)
{
    struct rank_record *record = saved->record = aligned_alloc(RECORD_ALIGN, record_chunk_offset(false, 0)),
                       *whole;
    const char *wrong = NULL;
    int n;
    if (record == NULL)
        return "out of memory";
    if (size < (off_t)record_chunk_offset(false, 0) || read_part(fd, record, sizeof *record, 0) != 0)
        return size == 0 ? "is empty: its rank ended within MPI_Init"
                         : "is truncated, or no record of a rank";
    wrong = wrong_kind(record);
    wrong = wrong != NULL ? wrong : wrong_head(record);
    if (wrong != NULL)
        return wrong;
    end_texts(record);
    n = record->n_chunks - record->memory_chunks;
    if (size < (off_t)record_chunk_offset(record->timed != 0, n))
        return "is truncated";
    atomic_store(&record->n_chunks, 0);
    if (head_only)
        return NULL;
    whole = aligned_alloc(RECORD_ALIGN, record_chunk_offset(record->timed != 0, n));
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
    if (saved->runs != 0 && strncmp(wrong, "was not begun", 13) == 0)
        wrong = "was not begun: its rank is within MPI_Init";
    saved_free(saved);
    return refuse(why, room, wrong);
}

void saved_free(struct saved *saved)
{
    free(saved->record);
    saved->record = NULL;
}

/* ---- what jobs left */

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
    bool remove, running;  /* running: those alone of which a rank does */
    const char *job;       /* a part of their names; NULL: all */
    char *folder;          /* the last one; NULL: nobody asks */
    size_t room;
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
    if (listing->running &&
        (old_records.runs == 0 || (listing->job != NULL && strstr(name, listing->job) == NULL))) {
        close(folder);
        return 0;
    }
    listing->n++;
    if (listing->folder != NULL)
        snprintf(listing->folder, listing->room, "%s%s%s",
                 listing->directory != NULL ? listing->directory : "", listing->directory != NULL ? "/" : "",
                 name);
    visible_print(listing->out, "%s%s%s: ", listing->directory != NULL ? listing->directory : "",
                  listing->directory != NULL ? "/" : "", name);
    describe(listing->out, &old_records);
    int failed = 0;
    if (old_records.runs > 0)
        fprintf(listing->out, ", still runs");
    else if (listing->remove) {
        failed = for_each(folder, RECORD_FILE, remove_file, NULL) != 0 ||
                 for_each(folder, RECORD_RING, remove_file, NULL) != 0 ||
                 for_each(folder, RECORD_ENDED, remove_file, NULL) != 0 ||
                 unlinkat(directory, name, AT_REMOVEDIR) != 0;
        fprintf(listing->out, failed ? ", cannot be removed" : ", removed");
    }
    putc('\n', listing->out);
    close(folder);
    return failed ? -1 : 0;
}

static int list(struct listing *listing, const char *directory)
{
    const char *slash = strrchr(directory, '/'), *name = slash != NULL ? slash + 1 : directory;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result;
    if (fd < 0)
        return -1;
    listing->directory = directory;
    if (strncmp(name, RECORD_DIRECTORY, strlen(RECORD_DIRECTORY)) == 0) {
        listing->directory = NULL;
        result = show(AT_FDCWD, directory, listing);
    } else
        result = for_each(fd, RECORD_DIRECTORY, show, listing);
    int reason = errno;
    close(fd);
    errno = reason;
    return result < 0 ? -1 : listing->n;
}

int kept_records(FILE *out, const char *directory, bool remove)
{
    struct listing listing = {.out = out, .remove = remove};
    return list(&listing, directory);
}

int running_records(FILE *out, const char *directory, const char *job, char *folder, size_t room)
{
    struct listing listing = {.out = out, .running = true, .job = job, .folder = folder, .room = room};
    return list(&listing, directory);
}

/* ---- the job of records */

/* A record that was found. */
struct found {
    char *path;
    int rank, node;
    const int *members; /* the ranks that are on its node */
    int n_members;
};

struct recovery {
    char *why; /* sentences; those of a job that could be made are remarks */
    size_t room;
    int remarks; /* their number, with those that had no room */
    struct found *found;
    int n;
    char job[JOB_NAME];
    int ranks, nodes; /* of the job */
    int many;         /* there are records of another job */
    int looks;        /* at a job that runs */
    struct ending_facts facts;
    struct endings endings;
    struct region_names regions;
    struct site_names sites;
    struct share_names shares;
    struct meeting_names meetings;
    struct timeline_names timeline;
    struct block_names names;
    struct job *made, *one; /* one: a rank of it */
};

static __attribute__((format(printf, 2, 3))) void remark(struct recovery *recovery, const char *format, ...)
{
    enum { MOST = 8 };
    size_t n = strlen(recovery->why);
    va_list arguments;

    if (recovery->remarks++ >= MOST || n + 3 >= recovery->room)
        return;
    if (n > 0)
        n += (size_t)snprintf(recovery->why + n, recovery->room - n, "; ");
    va_start(arguments, format);
    vsnprintf(recovery->why + n, recovery->room - n, format, arguments);
    va_end(arguments);
}

/* ---- which records there are */

static int is_rank_file(const char *name)
{
    size_t n = strlen(RECORD_FILE);
    return strncmp(name, RECORD_FILE, n) == 0 && name[n] != '\0' &&
           name[n + strspn(name + n, "0123456789")] == '\0';
}

static int add_found(struct recovery *recovery, const char *path, const struct rank_record *record)
{
    if (!ARRAY_GROW(recovery->found, recovery->n))
        return -1;
    struct found *found = &recovery->found[recovery->n++];
    *found = (struct found){.path = strdup(path), .rank = record->rank, .node = record->node};
    return found->path != NULL ? 0 : -1;
}

/* The first record says which job it is. */
static int belongs(struct recovery *recovery, const struct rank_record *record, const char *path)
{
    if (recovery->n == 0) {
        memcpy(recovery->job, record->job, JOB_NAME);
        recovery->ranks = record->ranks;
        recovery->nodes = record->nodes;
        return 1;
    }
    if (strcmp(recovery->job, record->job) != 0) {
        if (!recovery->many)
            snprintf(recovery->why, recovery->room,
                     "%s is of another job than %s: name the directory of one job, which is "
                     "called " RECORD_DIRECTORY "...",
                     path, recovery->found[0].path);
        recovery->many = 1;
        return 0;
    }
    if (recovery->ranks == record->ranks && recovery->nodes == record->nodes)
        return 1;
    remark(recovery, "%s says that the job has %d ranks on %d nodes, and %s %d on %d: it is left out", path,
           record->ranks, record->nodes, recovery->found[0].path, recovery->ranks, recovery->nodes);
    return 0;
}

static void add_names(struct recovery *recovery, const struct rank_record *record)
{
    struct region_names regions;
    struct site_names sites;
    struct share_names shares;
    struct meeting_names meetings;
    struct timeline_names timeline;
    region_names_of(&regions, record);
    region_names_merge(&recovery->regions, &regions);
    site_names_of(&sites, record);
    site_names_merge(&recovery->sites, &sites);
    share_names_of(&shares, record);
    share_names_merge(&recovery->shares, &shares);
    meeting_names_of(&meetings, record);
    meeting_names_merge(&recovery->meetings, &meetings);
    timeline_names_of(&timeline, record);
    timeline_names_merge(&recovery->timeline, &timeline);
}

static int look_at_file(struct recovery *recovery, int directory, const char *name, const char *path)
{
    char why[256];
    struct saved saved;
    int result = 0;
    if (saved_read(&saved, directory, name, 0, why, sizeof why) != 0) {
        remark(recovery, "%s %s", path, why);
        return 0;
    }
    if (saved.record->rank != strtol(name + strlen(RECORD_FILE), NULL, 10))
        remark(recovery, "%s has the record of rank %d: it is left out", path, saved.record->rank);
    else if (belongs(recovery, saved.record, path)) {
        if (saved.runs != 0 && !recovery->looks)
            remark(recovery, "rank %d still runs (process %ld on %s): its figures are those of this moment",
                   saved.record->rank, (long)saved.runs, saved.record->host);
        if (saved.record->memory_chunks > 0)
            remark(recovery, "%s: some threads are missing, for which the file system had no room", path);
        result = add_found(recovery, path, saved.record);
        ending_learn(&recovery->facts, saved.record, saved.runs);
    }
    saved_free(&saved);
    return result;
}

/* Reads what papi_mpirun wrote when mpirun had ended: the seconds since 1970. */
static void look_at_end(struct recovery *recovery, int directory)
{
    char text[64] = "";
    struct stat status;
    int fd = openat(directory, RECORD_ENDED, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && read(fd, text, sizeof text - 1) > 0) {
        double seconds = strtod(text, NULL);
        if (seconds > 0 && seconds < 1e10)
            recovery->facts.launcher = (int64_t)(seconds * 1e9);
    }
    close(fd);
}

/* below: look into the directories of jobs in it, too. Returns how many names there were that a rank or a
 * job would have, or -1: out of memory. */
static int look_into(struct recovery *recovery, int fd, const char *path, int below)
{
    DIR *directory = fdopendir(fd);
    struct dirent *entry;
    int names = 0, result = 0;
    if (directory == NULL)
        close(fd);
    else
        look_at_end(recovery, dirfd(directory));
    while (directory != NULL && result >= 0 && (entry = readdir(directory)) != NULL) {
        char *whole;
        int job = below && strncmp(entry->d_name, RECORD_DIRECTORY, strlen(RECORD_DIRECTORY)) == 0, inner;

        if (!job && !is_rank_file(entry->d_name))
            continue;
        if (asprintf(&whole, "%s/%s", path, entry->d_name) < 0)
            result = -1;
        if (result < 0)
            break;
        names++;
        if (!job) {
            result = look_at_file(recovery, dirfd(directory), entry->d_name, whole);
        } else {
            inner = openat(dirfd(directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (inner < 0)
                remark(recovery, "%s: %s", whole, strerror(errno));
            else
                result = look_into(recovery, inner, whole, 0);
        }
        free(whole);
    }
    if (directory != NULL)
        closedir(directory);
    return result < 0 ? -1 : names;
}

static int look_at_directory(struct recovery *recovery, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), names;
    if (fd < 0) {
        snprintf(recovery->why, recovery->room, "%s: %s", path, strerror(errno));
        return -1;
    }
    names = look_into(recovery, fd, path, 1);
    if (names < 0)
        snprintf(recovery->why, recovery->room, "out of memory");
    else if (names == 0)
        remark(recovery,
               "%s: there are no records here, whose files are called " RECORD_DIRECTORY "*/" RECORD_FILE "*",
               path);
    return names < 0 ? -1 : 0;
}

static int compare(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Sorts the records, and keeps one a rank. */
static void sort(struct recovery *recovery)
{
    int n = 0;
    if (recovery->n == 0)
        return;
    qsort(recovery->found, (size_t)recovery->n, sizeof *recovery->found, compare);
    for (int i = 0; i < recovery->n; i++) {
        struct found *found = &recovery->found[i];

        if (n > 0 && recovery->found[n - 1].rank == found->rank) {
            remark(recovery, "%s: rank %d was found before, in %s", found->path, found->rank,
                   recovery->found[n - 1].path);
            free(found->path);
            continue;
        }
        recovery->found[n++] = *found;
    }
    recovery->n = n;
}

/* ---- the job */

static int by_node(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->node != y->node ? (x->node > y->node) - (x->node < y->node) : compare(a, b);
}

/* Says of each rank which are on its node. members has room for all of them. */
static void group(const struct recovery *recovery, int *members)
{
    struct found *found = recovery->found;
    int first = 0;
    qsort(found, (size_t)recovery->n, sizeof *found, by_node);
    for (int i = 0; i < recovery->n; i++) {
        members[i] = found[i].rank;
        if (i + 1 < recovery->n && found[i + 1].node == found[i].node)
            continue;
        for (int n = i + 1 - first; first <= i; first++) {
            found[first].members = members + i + 1 - n;
            found[first].n_members = n;
        }
    }
    qsort(found, (size_t)recovery->n, sizeof *found, compare);
}

static bool is_finished(const struct rank_record *record)
{
    return atomic_load(&record->state) == RANK_FINALIZED;
}

/* Reads a record that was found before, and closes what is open in it. -1: it cannot be read any more, or has
 * become another one. */
static int read_again(struct recovery *recovery, const struct found *found, struct saved *saved)
{
    char why[256];
    if (saved_read(saved, AT_FDCWD, found->path, 0, why, sizeof why) != 0) {
        remark(recovery, "%s %s", found->path, why);
        return -1;
    }
    if (saved->record->rank != found->rank || saved->record->node != found->node ||
        strcmp(saved->record->job, recovery->job) != 0) {
        remark(recovery, "%s has become another file meanwhile", found->path);
        saved_free(saved);
        return -1;
    }
    if (!is_finished(saved->record))
        ending_close(saved->record, saved->runs, &recovery->facts);
    return 0;
}

/* Gives a row its regions; without memory, rows have none. */
static void take_regions(struct recovery *recovery, struct job_row *row)
{
    struct job *job = recovery->made;
    size_t n = (size_t)recovery->names.n_regions;
    if (job->of_rows == NULL)
        job->of_rows = calloc((size_t)recovery->n * n + 1, sizeof *job->of_rows);
    if (job->of_rows != NULL)
        row->region = memcpy(job->of_rows + (size_t)(row - job->row) * n, recovery->one->region,
                             n * sizeof *job->of_rows);
}

static void take_calls(struct recovery *recovery, struct job_row *row)
{
    struct job *job = recovery->made;
    size_t n = 0, at = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        n += recovery->names.called[i];
    if (job->calls_of_rows == NULL)
        job->calls_of_rows = calloc((size_t)recovery->n * n + 1, sizeof *job->calls_of_rows);
    if (job->calls_of_rows == NULL)
        return;
    struct job_call *call = job->calls_of_rows + (size_t)(row - job->row) * n;
    for (int i = 0; i < CALL_COUNT; i++)
        if (recovery->names.called[i])
            call[at++] = recovery->one->call[i];
    row->call = call;
}

static bool is_regular(const struct recovery *recovery)
{
    for (int i = 0; i < recovery->n; i++)
        if (!block_is_regular(recovery->found[i].rank, recovery->ranks, recovery->found[i].node,
                              recovery->nodes))
            return false;
    return true;
}

/* Figures that were never read are none. */
static void leave_out_unread(struct job_row *row)
{
    for (int i = 0; i < USAGE_COUNT; i++)
        row->value[METRIC_CPU_USER + i] = ROW_NONE;
}

static void take_record(struct recovery *recovery, const struct saved *saved, const struct found *found)
{
    struct rank_record *record = saved->record;
    struct job_row *row = &recovery->made->row[recovery->made->n_rows];
    const struct block_common common = {&recovery->regions,
                                        &recovery->sites,
                                        &recovery->shares,
                                        &recovery->meetings,
                                        &recovery->timeline,
                                        is_regular(recovery),
                                        true};
    if (recovery->made->n_rows++ == 0) {
        job_identify(recovery->made, record);
        block_names_make(&recovery->names, record, &common);
    }
    bool unread = !is_finished(record) && record->updates == 0;
    row_of_record(row, record, &recovery->names, found->members, found->n_members);
    if (unread)
        leave_out_unread(row);
    memset(recovery->one, 0, sizeof *recovery->one);
    block_of_record(recovery->one, record, &recovery->names, row);
    if (unread)
        recovery->one->lost = 0; /* they were not lost on the way */
    ending_add(&recovery->endings, record, saved->runs, &recovery->facts, &recovery->names);
    take_regions(recovery, row);
    take_calls(recovery, row);
    block_merge(recovery->made, recovery->one);
}

/* Reads the last calls of the rank, if it kept them. before: its record, in which what was open still is. */
static void take_ring(struct recovery *recovery, const struct found *found, struct rank_record *before,
                      struct rank_record *record, int first_open)
{
    struct job *job = recovery->made;
    const struct endings *endings = &recovery->endings;
    size_t length = strlen(found->path) - strlen(strrchr(found->path, '/') + 1);
    char why[512], *path;
    if (recovery->looks)
        return;
    if (job->ring == NULL)
        job->ring = calloc((size_t)recovery->n, sizeof *job->ring);
    if (job->ring == NULL ||
        asprintf(&path, "%.*s" RECORD_RING "%d", (int)length, found->path, found->rank) < 0)
        return;
    int code = timeline_saved(&job->ring[job->n_rings], path, before, record, &recovery->names.sites,
                              endings->n > first_open ? endings->open + first_open : NULL,
                              endings->n - first_open, why, sizeof why);
    if (code < 0)
        remark(recovery, "%s", why);
    job->n_rings += code == 0;
    free(path);
}

/* A record that cannot be read any more is left out. */
static void add_rank(struct recovery *recovery, const struct found *found)
{
    struct saved saved, before;
    char why[256];
    int first_open = recovery->endings.n;
    int has_before = saved_read(&before, AT_FDCWD, found->path, 0, why, sizeof why) == 0;
    if (read_again(recovery, found, &saved) == 0) {
        take_record(recovery, &saved, found);
        if (has_before)
            take_ring(recovery, found, before.record, saved.record, first_open);
        saved_free(&saved);
    }
    if (has_before)
        saved_free(&before);
}

/* Ranks of one node have the same clock, whose rate each has measured by itself: that of the first one
 * counts. */
static void share_clocks(struct job *job)
{
    for (int i = 1; i < job->n_rings; i++)
        for (int k = 0; k < i; k++) {
            struct ring_facts *facts = &job->ring[i].facts, *first = &job->ring[k].facts;
            uint64_t apart =
                facts->hertz > first->hertz ? facts->hertz - first->hertz : first->hertz - facts->hertz;

            if (facts->node != first->node)
                continue;
            if (apart < first->hertz / 100) {
                facts->hertz = first->hertz;
                facts->ticks = first->ticks;
                facts->nsec = first->nsec;
            }
            break;
        }
}

/* Gives the job who waited for whom in the last calls. */
static void finish_rings(struct recovery *recovery)
{
    struct job *job = recovery->made;
    share_clocks(job);
    if (job->n_rings == 0 || (timeline_order(job->ring, (size_t)job->n_rings) == 0 &&
                              timeline_late(job->ring, (size_t)job->n_rings, job) == 0))
        return;
    timeline_free(job->ring, (size_t)job->n_rings);
    job->ring = NULL;
    job->n_rings = 0;
    remark(recovery, "no timeline: there is no memory for the calls of all ranks");
}

/* Keeps the largest of the nodes' means. */
static void take_node_regions(struct recovery *recovery, const struct node_regions *sums)
{
    int n = recovery->names.n_regions;
    memset(recovery->one->region, 0, sizeof recovery->one->region);
    node_region_figures(sums, recovery->one->region, n);
    for (int i = 0; i < n; i++) {
        uint64_t mean = recovery->one->region[i].node_useful_ns,
                 *most = &recovery->made->region[i].node_useful_ns;
        *most = mean > *most ? mean : *most;
    }
}

static void add_all_names(struct recovery *recovery)
{
    struct saved saved;
    for (int i = 0; i < recovery->n; i++)
        if (read_again(recovery, &recovery->found[i], &saved) == 0) {
            add_names(recovery, saved.record);
            saved_free(&saved);
        }
}

/* The figures of each node, of its ranks that are here: the first of them has them. */
static int add_nodes(struct recovery *recovery)
{
    struct job *job = recovery->made;
    struct {
        struct node_sums sums;
        struct node_regions regions;
        uint64_t first;
    } *node = calloc((size_t)recovery->nodes, sizeof *node);
    if (node == NULL)
        return -1;
    for (uint64_t i = 0; i < job->n_rows; i++) {
        uint64_t n = job->row[i].node;
        if (node[n].sums.ranks == 0)
            node[n].first = i;
        node_add(&node[n].sums, &job->row[i]);
        if (job->row[i].region != NULL)
            node_add_regions(&node[n].regions, job->row[i].region, recovery->names.n_regions);
    }
    for (int n = 0; n < recovery->nodes; n++) {
        struct job_row *row = &job->row[node[n].first];
        node_figures(&node[n].sums, row);
        take_node_regions(recovery, &node[n].regions);
        for (int i = 0; i < METRIC_FIXED && node[n].sums.ranks > 0; i++)
            if (job_is_of_node(i) && row->value[i] != ROW_NONE)
                metric_add(&job->metric[i], row->value[i], row->rank);
    }
    free(node);
    return 0;
}

static int make_job(struct recovery *recovery)
{
    struct job *job = recovery->made = calloc(1, sizeof *job);
    int done = 0, *members = calloc((size_t)recovery->n, sizeof *members);
    if (job != NULL)
        job->row = calloc((size_t)recovery->n, sizeof *job->row);
    recovery->one = malloc(sizeof *job);
    if (recovery->one != NULL && job != NULL && job->row != NULL && members != NULL) {
        group(recovery, members);
        add_all_names(recovery);
        for (int i = 0; i < recovery->n; i++)
            add_rank(recovery, &recovery->found[i]);
        done = job->n_rows > 0 && add_nodes(recovery) == 0;
    }
    if (done) {
        job_name(job, &recovery->names);
        job->recovered = 1;
        finish_rings(recovery);
        ending_finish(&recovery->endings, job);
    }
    free(members);
    free(recovery->one);
    return done ? 0 : -1;
}

static void tell_too_many(struct recovery *recovery)
{
    size_t n = strlen(recovery->why);
    if (recovery->remarks > 8 && n < recovery->room)
        snprintf(recovery->why + n, recovery->room - n, "; and %d more remarks", recovery->remarks - 8);
}

static struct job *make(char *const *directories, int n, int looks, char *why, int room)
{
    struct recovery recovery = {.why = why, .room = (size_t)room, .looks = looks};
    int failed = 0;
    why[0] = '\0';
    for (int i = 0; i < n && !failed; i++)
        failed = look_at_directory(&recovery, directories[i]) != 0;
    failed |= recovery.many;
    if (!failed) {
        sort(&recovery);
        failed = recovery.n == 0 || make_job(&recovery) != 0;
        tell_too_many(&recovery);
    }
    if (failed && why[0] == '\0')
        snprintf(why, recovery.room, "out of memory");
    if (failed) {
        job_free(recovery.made);
        recovery.made = NULL;
    }
    for (int i = 0; i < recovery.n; i++)
        free(recovery.found[i].path);
    free(recovery.found);
    return recovery.made;
}

struct job *job_recover(char *const *directories, int n, char *why, int room)
{
    return make(directories, n, 0, why, room);
}

struct job *job_look(char *folder, char *why, int room)
{
    return make(&folder, 1, 1, why, room);
}
