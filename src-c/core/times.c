/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times of a run of the program without an emulator, shown again in its emulated run: in the emulator a
 * program runs many times slower, so that times would say nothing, and a program that acts by the clock would
 * act otherwise. A first run notes what each call of PAPI's timers returned, and a second one returns the
 * same numbers in the same order, as long as the program makes the same calls.
 * Each thread has a file of its own, which is mapped piece by piece, so that a call writes one record and
 * needs neither a lock nor a system call. Runs are matched by what they have in common: the rank, the name of
 * the program, how many processes of that name came before, and in a process the number that the program
 * gives its threads or, without that, the order in which they come.
 * Where the second run asks for another clock than the first one did, or for more times, it has diverged: its
 * place is noted for papi_emulate, and from there on time passes as it does in the emulator, starting at the
 * last time of each clock that was shown. Limits: threads that the program does not number, and that come in
 * another order, get each other's times; a file has TIMES_MOST_PIECES pieces at most.
 */
#include "core/times.h"
#include "base/text_rows.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct times {
    int fd;
    struct times_head *head;
    struct times_record *piece; /* the piece that has the next record, or NULL */
    uint64_t next;
    /* Time goes on from the last of each clock where the recording ends or differs. */
    long long last[TIMES_KINDS], clock_then[TIMES_KINDS];
};

/* ---- the mode */

static int find_mode(void)
{
    const char *text = secure_getenv(TIMES_VARIABLE);
    int mode = TIMES_PLAIN;
    if (text != NULL && strncmp(text, "record:", 7) == 0)
        mode = TIMES_RECORD;
    else if (text != NULL && strncmp(text, "replay:", 7) == 0)
        mode = TIMES_REPLAY;
    if (mode == TIMES_PLAIN)
        atomic_store(&papi_library.clock, clock_fastest());
    atomic_store(&papi_library.times_mode, mode);
    return mode;
}

bool times_recording(void)
{
    int mode = atomic_load(&papi_library.times_mode);
    return (mode == TIMES_UNKNOWN ? find_mode() : mode) == TIMES_RECORD;
}

static long long clock_now(enum times_kind kind)
{
    if (kind == TIMES_TICKS)
        return clock_ticks();
    return kind == TIMES_REAL ? clock_real_nsec() : clock_virt_nsec();
}

/* ---- the process's folder */

static const char *rank(void)
{
    TEXT_ROWS_BEGIN
    static const char names[][24] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = secure_getenv(names[i]);
        if (value != NULL && value[0] != '\0' && strspn(value, "0123456789") == strlen(value))
            return value;
    }
    return "x";
}

/* The first process that is free: not recorded yet, or recorded and not replayed yet. */
static int claim_folder(int mode, char *path, size_t size)
{
    const char *folder = secure_getenv(TIMES_VARIABLE) + strlen("record:");
    for (int i = 0; i < 1 << 16; i++) {
        int n = snprintf(path, size, "%s/%s-%s-%d%s", folder, rank(), program_invocation_short_name, i,
                         mode == TIMES_REPLAY ? "/replayed" : "");
        if (n < 0 || (size_t)n >= size)
            return -1;
        if (mkdir(path, 0700) == 0) {
            if (mode == TIMES_REPLAY)
                *strrchr(path, '/') = '\0';
            return 0;
        }
        if (errno == EEXIST)
            continue;
        /* A process that the native run did not have: papi_emulate will say so. */
        if (mode == TIMES_REPLAY && errno == ENOENT) {
            memcpy(strrchr(path, '/'), TIMES_NEW, sizeof TIMES_NEW);
            mkdir(path, 0700);
        }
        return -1;
    }
    return -1;
}

/* The process's folder of recorded times; an empty text: there is none, and it is not tried again. The
 * library is locked. */
static const char *process_folder(int mode)
{
    if (papi_library.times_folder == NULL) {
        papi_library.times_folder = calloc(1, PATH_MAX);
        if (papi_library.times_folder != NULL && claim_folder(mode, papi_library.times_folder, PATH_MAX) != 0)
            papi_library.times_folder[0] = '\0';
    }
    return papi_library.times_folder;
}

/* ---- a thread's file */

static int open_file(int mode, const char *folder, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, mode == TIMES_RECORD ? O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC : O_RDWR | O_CLOEXEC,
                0600);
}

/* Opens the thread's file. A small number of the program's own names the thread in every run alike; others
 * come in some order. */
static int open_thread_file(int mode, const char *folder)
{
    char name[32];
    unsigned long (*number)(void) = papi_library.thread_id;
    unsigned long id = number != NULL ? number() : ~0ul;
    int fd = -1;
    if (id < 1 << 16) {
        snprintf(name, sizeof name, "t%lu", id);
        fd = open_file(mode, folder, name);
    }
    if (fd < 0) {
        snprintf(name, sizeof name, "n%d", papi_library.times_threads++);
        fd = open_file(mode, folder, name);
    }
    return fd;
}

static void *map_part(int fd, off_t offset, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 ||
        (status.st_size < offset + (off_t)size && ftruncate(fd, offset + (off_t)size) != 0))
        return NULL;
    void *part = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    return part == MAP_FAILED ? NULL : part;
}

static struct times *open_times(int mode)
{
    struct times *times = calloc(1, sizeof *times);
    if (times == NULL)
        return NULL;
    library_lock();
    const char *folder = process_folder(mode);
    times->fd = folder != NULL && folder[0] != '\0' ? open_thread_file(mode, folder) : -1;
    library_unlock();
    times->head = times->fd >= 0 ? map_part(times->fd, 0, TIMES_HEAD_SIZE) : NULL;
    if (times->head == NULL) {
        times_close(times);
        return NULL;
    }
    return times;
}

void times_close(struct times *times)
{
    if (times == NULL)
        return;
    if (times->piece != NULL)
        munmap(times->piece, TIMES_PIECE_SIZE);
    if (times->head != NULL)
        munmap(times->head, TIMES_HEAD_SIZE);
    if (times->fd >= 0)
        close(times->fd);
    free(times);
}

void times_after_fork(void)
{
    struct papi_thread *thread = papi_thread_pointer;
    free(papi_library.times_folder);
    papi_library.times_folder = NULL;
    papi_library.times_threads = 0;
    if (thread != NULL) {
        times_close(thread->times);
        thread->times = NULL;
        thread->times_tried = 0;
    }
}

/* ---- the records */

/* The next record; NULL: there is no room for it. */
static struct times_record *next_record(struct times *times)
{
    uint64_t place = times->next % TIMES_PIECE_RECORDS, piece = times->next / TIMES_PIECE_RECORDS;
    if (piece >= TIMES_MOST_PIECES)
        return NULL;
    if (times->piece != NULL && place == 0 && times->next > 0) {
        munmap(times->piece, TIMES_PIECE_SIZE);
        times->piece = NULL;
    }
    if (times->piece == NULL)
        times->piece =
            map_part(times->fd, TIMES_HEAD_SIZE + (off_t)piece * TIMES_PIECE_SIZE, TIMES_PIECE_SIZE);
    return times->piece != NULL ? &times->piece[place] : NULL;
}

static long long record(struct times *times, enum times_kind kind, long long now)
{
    struct times_record *record = next_record(times);
    if (record == NULL) {
        times->head->lost++;
        return now;
    }
    *record = (struct times_record){.value = now, .kind = kind};
    times->head->recorded = ++times->next;
    return now;
}

/* The time to show after the recording has ended or differed: from there on it passes as it does in the
 * emulator. A damaged file may hold any number. */
static long long go_on(struct times *times, enum times_kind kind, long long now)
{
    long long shown;
    if (times->clock_then[kind] == 0)
        return now;
    bool fits = !__builtin_add_overflow(times->last[kind], now - times->clock_then[kind], &shown);
    return fits ? shown : LLONG_MAX;
}

static long long replay(struct times *times, enum times_kind kind, long long now)
{
    struct times_head *head = times->head;
    if (head->diverged != 0)
        return go_on(times, kind, now);
    const struct times_record *record = times->next < head->recorded ? next_record(times) : NULL;
    if (record == NULL || record->kind != kind) {
        head->native = record != NULL ? record->kind : TIMES_END;
        head->emulated = kind;
        head->diverged = times->next + 1;
        return go_on(times, kind, now);
    }
    head->replayed = ++times->next;
    times->last[kind] = record->value;
    times->clock_then[kind] = now;
    return record->value;
}

long long times_call(enum times_kind kind)
{
    int mode = atomic_load(&papi_library.times_mode), saved = errno;
    if (mode == TIMES_UNKNOWN)
        mode = find_mode();
    long long now = clock_now(kind);
    struct papi_thread *thread = mode != TIMES_PLAIN ? thread_self() : NULL;
    if (thread == NULL || thread == &papi_library.spare_thread)
        return now;
    if (thread->times == NULL && !thread->times_tried) {
        thread->times = open_times(mode);
        thread->times_tried = 1;
    }
    errno = saved;
    if (thread->times == NULL)
        return now;
    return mode == TIMES_RECORD ? record(thread->times, kind, now) : replay(thread->times, kind, now);
}
