/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/result_file.h"

#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Closes a file. Returns 0, or the errno of the first error that writing or closing it had. */
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

/* ---- its place */

/* A part of a file's name: nothing that a shell or another tool would stumble over. */
static void append_plain(char *to, size_t room, const char *text)
{
    size_t used = strlen(to);
    for (; *text != '\0' && used + 1 < room; text++) {
        int plain = strchr("/ \t\n\"'\\*?[]$&;|<>(){}~`!#", *text) == NULL && (unsigned char)*text > ' ' &&
                    *text != 0x7f;
        to[used++] = plain ? *text : '_';
    }
    to[used] = '\0';
}

static void default_name(char *to, size_t room, const char *program, const char *job)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;
    snprintf(to, room, "papi_mpi_");
    append_plain(to, room - 80, name[0] != '\0' ? name : "program");
    snprintf(to + strlen(to), room - strlen(to), "_");
    append_plain(to, room - 6, job);
    snprintf(to + strlen(to), room - strlen(to), ".json");
}

static int is_directory(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* True if an existing file is empty or begins as a result does: anything else is not ours to replace. */
static int is_result(const char *path)
{
    static const char begin[] = "{\n  \"format\": \"" JOB_FILE_FORMAT "\"";
    char text[sizeof begin - 1];
    int fd = trust_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n == 0 || (n == (ssize_t)sizeof text && memcmp(text, begin, sizeof text) == 0);
}

void place_name_job(char *path, size_t room, const char *job)
{
    struct stat found;
    char name[JOB_NAME + 2] = ".", end[64] = "";
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode)) /* all can write to a device */
        return;
    const char *slash = strrchr(path, '/');
    char *point = strrchr(path, '.');
    if (point != NULL && point > path && (slash == NULL || point > slash + 1) && strlen(point) < sizeof end) {
        strcpy(end, point);
        *point = '\0';
    }
    append_plain(name, sizeof name, job);
    size_t used = strlen(path);
    snprintf(path + used, room - used, "%s%s", name, end);
}

/* Makes the name of the result file. Returns 1 if the user gave it, 0 if it was made of the job's. */
static int name_file(struct place *place, const char *output, const char *directory, const char *program,
                     const char *job)
{
    char name[200] = "";
    size_t room = sizeof place->file, length = strlen(output);
    const char *base = output[0] == '/' || directory[0] == '\0' ? "" : directory;
    const char *slash = base[0] != '\0' ? "/" : "";
    snprintf(place->file, room, "%.4095s%s%.4095s", base, slash, output);
    if (length > 0 && output[length - 1] != '/' && !is_directory(place->file))
        return 1;
    default_name(name, sizeof name, program, job);
    size_t used = strlen(place->file);
    slash = used > 0 && place->file[used - 1] != '/' ? "/" : "";
    snprintf(place->file + used, room - used, "%s%s", slash, name);
    return 0;
}

/* Replaces a link by the file that it leads to, so that this is overwritten and not the link; a link of
 * another user's is left alone. */
static void follow_link(struct place *place)
{
    char *real = trust_link(place->file) ? realpath(place->file, NULL) : NULL;
    if (real != NULL && strlen(real) < sizeof place->file)
        memcpy(place->file, real, strlen(real) + 1);
    free(real);
}

int place_find(struct place *place, const struct settings *settings, const char *directory,
               const char *program, const char *job, char why[COMPLAINT_LENGTH])
{
    struct stat found;
    memset(place, 0, sizeof *place);
    if (strcasecmp(settings->output, "none") == 0)
        return 0;
    if (name_file(place, settings->output, directory, program, job) && settings->spawned)
        place_name_job(place->file, sizeof place->file, job);
    if (strlen(place->file) >= 4096) {
        snprintf(why, COMPLAINT_LENGTH,
                 "no result file: its name has %zu characters; set PAPI_MPI_OUTPUT to a shorter one",
                 strlen(place->file));
        return -1;
    }
    follow_link(place);
    snprintf(place->part, sizeof place->part, "%s.%.64s.part", place->file, job);
    place->kind = PLACE_FILE;
    if (stat(place->file, &found) != 0)
        return 0;
    if (!S_ISREG(found.st_mode)) {
        place->kind = PLACE_SPECIAL;
        return 0;
    }
    place->replaces = 1;
    if (is_result(place->file))
        return 0;
    snprintf(why, COMPLAINT_LENGTH,
             "%.200s is not a result of papi_mpi and is left as it is; set PAPI_MPI_OUTPUT to another name",
             place->file);
    return -1;
}

/* ---- signals of a write */

void signals_hold(struct held_signals *signals)
{
    sigemptyset(&signals->held);
    sigaddset(&signals->held, SIGPIPE);
    sigaddset(&signals->held, SIGXFSZ);
    sigpending(&signals->pending);
    pthread_sigmask(SIG_BLOCK, &signals->held, &signals->before);
}

/* Takes away the signals that came in between, except for those that were pending before: they are the
 * program's. */
void signals_release(const struct held_signals *signals)
{
    const struct timespec now = {0, 0};
    sigset_t ours;
    int saved = errno;
    sigemptyset(&ours);
    if (!sigismember(&signals->pending, SIGPIPE))
        sigaddset(&ours, SIGPIPE);
    if (!sigismember(&signals->pending, SIGXFSZ))
        sigaddset(&ours, SIGXFSZ);
    while (sigtimedwait(&ours, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    errno = saved;
}
