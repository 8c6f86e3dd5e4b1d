/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The file that holds a rank's record, so that it outlives the process.
 *
 * A rank may be killed at any moment; what it wrote into a mapped file stays in the page cache and can be
 * recovered. The file must never harm the program: its blocks are allocated before they are mapped, or a disk
 * that fills up later would end the program by SIGBUS; a limit on file sizes is asked for first, as it would
 * come as a signal; and where anything fails, the record is plain memory. Addresses for all chunks are
 * reserved at the beginning, so that the record grows without moving while other threads write.
 *
 * The directory may be in a place where all may write: it must belong to this user, with no rights for
 * others, and neither it nor the file may be a link. A lock on the file tells a reader that the rank still
 * runs; it ends with the process in any case. The program may close all descriptors that it does not know:
 * before the file is touched by its number, device and inode are compared.
 */
#include "rank/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

struct rank_file {
    int fd; /* -1: plain memory */
    dev_t device;
    ino_t inode;
    char *base;
    bool timed;              /* chunks have the times of calls */
    int room;                /* chunks that the reserved addresses have room for */
    pthread_mutex_t lock;    /* of file_grow */
    char name[32], ring[32]; /* ring: "" is none */
    char directory[PATH_MAX + 128];
};

/* ---- the file */

/* The program may have closed the descriptor, and have another file under its number. */
static int is_ours(const struct rank_file *file)
{
    struct stat status;
    return file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode;
}

/* Blocks for a part of the file: 0, or an errno. A limit on file sizes would come as a signal. */
static int allocate(int fd, size_t offset, size_t size)
{
    struct rlimit limit;
    int error;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < offset + size)
        return EFBIG;
    do
        error = posix_fallocate(fd, (off_t)offset, (off_t)size);
    while (error == EINTR);
    return error;
}

static void job_directory_name(char *to, size_t room, const char *job)
{
    int n = snprintf(to, room, RECORD_DIRECTORY "%ld.", (long)geteuid());
    snprintf(to + n, room - (size_t)n, "%s", job);
    for (char *c = to + n; *c != '\0'; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c) == NULL)
            *c = '_';
}

/* The other ranks of this machine make the same directory: it must be there and this user's alone. A
 * descriptor, or -1 with errno. */
static int open_job_directory(int parent, const char *name)
{
    struct stat status;
    int fd;
    if (mkdirat(parent, name, 0700) == 0)
        /* Whatever the umask: papi_mpi_report reads it. */
        (void)!fchmodat(parent, name, 0700, AT_SYMLINK_NOFOLLOW);
    else if (errno != EEXIST)
        return -1;
    fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0))
        return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

/* Creates a file of a size in a directory that is open. A descriptor, or -1 with errno. */
static int create_sized(int directory, const char *name, size_t size)
{
    int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error;
    if (fd < 0)
        return -1;
    fchmod(fd, 0600);
    error = allocate(fd, 0, size);
    if (error == 0)
        return fd;
    unlinkat(directory, name, 0);
    close(fd);
    errno = error;
    return -1;
}

/* Writes zeros where each rank comes to: the record, and that of its main thread. Blocks that are allocated
 * only would be read page by page when the record is first written to, which takes five times as long. It is
 * as good without. */
static void write_zeros(int fd)
{
    enum { PAGE = 4096, MOST = 256 };
    static const char zeros[PAGE];
    struct iovec part[MOST];
    size_t n = (record_chunk_offset(false, 0) + sizeof(struct thread_record) + PAGE - 1) / PAGE;
    _Static_assert(sizeof(struct rank_record) + sizeof(struct thread_record) < (MOST - 32) * PAGE,
                   "one call writes them");
    for (size_t i = 0; i < n; i++)
        part[i] = (struct iovec){(void *)(uintptr_t)zeros, PAGE};
    ssize_t written = pwritev(fd, part, (int)n, 0);
    (void)written;
}

/* Creates the file in a directory that is open. 0, or an errno. */
static int create_in(struct rank_file *file, int directory)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    int fd = create_sized(directory, file->name, record_chunk_offset(file->timed, 1));
    if (fd < 0)
        return errno;
    write_zeros(fd);
    if (fstat(fd, &status) != 0) {
        int error = errno;
        unlinkat(directory, file->name, 0);
        close(fd);
        return error;
    }
    /* Tries to lock the file. One without a lock is as good, but a reader cannot see then that the rank
     * runs. */
    fcntl(fd, F_SETLK, &all);
    file->fd = fd;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return 0;
}

/* Creates the file in the job's directory below where. 0, or an errno. */
static int create_file(struct rank_file *file, const char *where, const char *job)
{
    char name[128], *absolute;
    int parent = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC), directory = -1, error;
    if (parent < 0)
        return errno;
    job_directory_name(name, sizeof name, job);
    directory = open_job_directory(parent, name);
    error = directory < 0 ? errno : create_in(file, directory);
    if (error == 0) {
        absolute = realpath(where, NULL); /* the program may go to another directory */
        snprintf(file->directory, sizeof file->directory, "%s/%s", absolute != NULL ? absolute : where, name);
        free(absolute);
    }
    if (directory >= 0)
        close(directory);
    if (directory >= 0 && error != 0)
        unlinkat(parent, name, AT_REMOVEDIR); /* unless other ranks have theirs there */
    close(parent);
    return error;
}

/* ---- the addresses */

/* Addresses for all chunks that there may be, so that none has to move; fewer where a limit says so. */
static int reserve(struct rank_file *file)
{
    for (file->room = MAX_CHUNKS; file->room > 0; file->room /= 2) {
        void *base = mmap(NULL, record_chunk_offset(file->timed, file->room), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        file->base = base != MAP_FAILED ? base : NULL;
        if (file->base != NULL)
            return 0;
    }
    return -1;
}

static int map_part(struct rank_file *file, size_t offset, size_t size, int fd)
{
    int flags = MAP_FIXED | (fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS);
    void *part =
        mmap(file->base + offset, size, PROT_READ | PROT_WRITE, flags, fd, fd >= 0 ? (off_t)offset : 0);

    return part != MAP_FAILED ? 0 : -1;
}

static void remove_file(struct rank_file *file)
{
    char path[sizeof file->directory + sizeof file->name + 1];
    if (file->fd < 0)
        return;
    if (file->ring[0] != '\0') {
        snprintf(path, sizeof path, "%s/%s", file->directory, file->ring);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", file->directory, file->name);
    unlink(path);
    rmdir(file->directory); /* the last rank of this machine succeeds */
    if (is_ours(file))
        close(file->fd);
    file->fd = -1;
}

struct rank_file *file_create(struct settings *settings, const char *job, int rank,
                              struct rank_record **record)
{
    struct rank_file *file = calloc(1, sizeof *file);
    int error;
    if (file != NULL)
        file->timed = settings->times != 0;
    if (file == NULL || reserve(file) != 0) {
        free(file);
        return NULL;
    }
    file->fd = -1;
    pthread_mutex_init(&file->lock, NULL);
    snprintf(file->name, sizeof file->name, RECORD_FILE "%d", rank);
    error = create_file(file, settings->directory, job);
    if (error == 0 && map_part(file, 0, record_chunk_offset(file->timed, 1), file->fd) != 0) {
        error = errno;
        remove_file(file);
    }
    if (error == 0) /* else a look at the record of a thread that there is not would read 32 pages of zeros */
        madvise(file->base, record_chunk_offset(file->timed, 1), MADV_RANDOM);
    if (error != 0)
        settings_complain(
            settings,
            "%s: no record can be made there (%s): it is kept in memory, and nothing is left of "
            "it after a crash. PAPI_MPI_DIR names another directory",
            settings->directory, strerror(error));
    if (error != 0 && map_part(file, 0, record_chunk_offset(file->timed, 1), -1) != 0) {
        munmap(file->base, record_chunk_offset(file->timed, file->room));
        free(file);
        return NULL;
    }
    *record = (struct rank_record *)(void *)file->base;
    return file;
}

static int add_chunk(struct rank_file *file, struct rank_record *record, int chunk)
{
    size_t offset = record_chunk_offset(file->timed, chunk),
           size = record_chunk_offset(file->timed, chunk + 1) - offset;
    if (chunk >= file->room)
        return -1;
    if (record->memory_chunks == 0 && is_ours(file)) {
        if (allocate(file->fd, offset, size) == 0 && map_part(file, offset, size, file->fd) == 0)
            return 0;
        if (ftruncate(file->fd, (off_t)offset) != 0)
            return -1; /* it may be that a part is allocated: no harm */
    }
    if (map_part(file, offset, size, -1) != 0)
        return -1;
    record->memory_chunks++;
    return 0;
}

int file_grow(struct rank_file *file, struct rank_record *record, int known)
{
    int error = 0;
    pthread_mutex_lock(&file->lock);
    if (atomic_load(&record->n_chunks) == known) {
        error = add_chunk(file, record, known);
        if (error == 0)
            atomic_store_explicit(&record->n_chunks, known + 1, memory_order_release);
    }
    pthread_mutex_unlock(&file->lock);
    return error;
}

void *file_add_ring(struct rank_file *file, size_t size)
{
    if (file->fd < 0)
        return NULL;
    int directory = open(file->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return NULL;
    snprintf(file->ring, sizeof file->ring, RECORD_RING "%s", file->name + strlen(RECORD_FILE));
    int fd = create_sized(directory, file->ring, size);
    void *ring = fd >= 0 ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (ring == MAP_FAILED && fd >= 0)
        unlinkat(directory, file->ring, 0);
    if (ring == MAP_FAILED)
        file->ring[0] = '\0';
    if (fd >= 0)
        close(fd);
    close(directory);
    return ring != MAP_FAILED ? ring : NULL;
}

const char *file_directory(const struct rank_file *file)
{
    return file != NULL && file->fd >= 0 ? file->directory : NULL;
}

void file_remove(struct rank_file *file)
{
    const struct rank_record *record = (const struct rank_record *)(const void *)file->base;
    size_t used = record_chunk_offset(file->timed, atomic_load(&record->n_chunks));
    size_t reserved = record_chunk_offset(file->timed, file->room);
    /* Fresh pages in place of the old ones: a thread that ends at this moment gives its record back. */
    if (mmap(file->base, used, PROT_READ | PROT_WRITE,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED &&
        reserved > used)
        munmap(file->base + used, reserved - used);
    remove_file(file);
    pthread_mutex_destroy(&file->lock);
    free(file);
}
