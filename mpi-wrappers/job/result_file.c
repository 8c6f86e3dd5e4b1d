/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/result_file.h"

#include "base/trust.h"
#include "job/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* fclose, or the error that came before. */
static int close_file(FILE *file)
{
    int failed = fflush(file) != 0 || ferror(file) ? (errno != 0 ? errno : EIO) : 0;
    if (fclose(file) != 0 && failed == 0)
        failed = errno;
    return failed;
}

/* Room for all of it is taken now, so that a disk is full here and not in the middle of the rows. What cannot
 * do that finds out later. */
static int take_room(int fd, int64_t length)
{
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)length) == 0)
        return 0;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? errno : 0;
}

/* The other ranks open it too, and the user reads it, whatever umask the program has. */
static void make_readable(int fd)
{
    struct stat made;
    if (fstat(fd, &made) == 0 && (made.st_mode & 0600) != 0600)
        fchmod(fd, (made.st_mode & 0777) | 0600);
}

int result_file_begin(const struct place *place, const struct job *job, uint64_t rows, int64_t *head,
                      int64_t *size)
{
    int fd = open(place->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    int64_t room;
    if (file == NULL) {
        int failed = errno;
        if (fd >= 0)
            close(fd);
        return failed;
    }
    make_readable(fd);
    errno = 0;
    job_write_head(file, job);
    fflush(file);
    *head = ftello(file);
    room = (int64_t)rows * (int64_t)job_row_length(job);
    int failed = *head < 0 ? errno : take_room(fd, *head + room + 64);
    if (failed == 0 && fseeko(file, room, SEEK_CUR) == 0)
        job_write_tail(file);
    *size = ftello(file);
    int closed = close_file(file);
    return failed != 0 ? failed : closed;
}

int result_file_check_rows(const struct place *place, const struct job *job, uint64_t rows, int64_t head)
{
    size_t length = job_row_length(job);
    char *text = calloc(1, length + 1);
    FILE *file = text != NULL ? fopen(place->part, "re") : NULL;
    uint64_t rank, next = 0;
    if (file == NULL) {
        free(text);
        return errno;
    }
    int failed = fseeko(file, head, SEEK_SET) == 0 ? 0 : errno;
    for (uint64_t i = 0; i < rows && failed == 0; i++, next = rank + 1)
        if (fread(text, length, 1, file) != 1 || text[length - 1] != '\n' || strlen(text) != length ||
            sscanf(text, "{\"rank\":%" SCNu64 ",", &rank) != 1 || rank < next)
            failed = EIO;
    fclose(file);
    free(text);
    return failed;
}

/* Opened without waiting: a pipe that nobody reads is an error. */
int result_file_write_special(const struct place *place, const struct job *job)
{
    int fd = trust_open(place->file, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0);
    if (fd < 0)
        return errno;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *file = fdopen(fd, "w");
    if (file == NULL) {
        int failed = errno;
        close(fd);
        return failed;
    }
    errno = 0;
    job_write_head(file, job);
    job_write_tail(file);
    return close_file(file);
}
