/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/print.h"

#include "base/visible.h"

#include "job/result_file.h"
#include "report/report_text.h"

#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a reader is slow and the descriptor does not wait for it: so long. */
enum { PATIENCE = 10000 /* ms */ };

static int can_wait(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    return errno == EINTR || (errno == EAGAIN && poll(&polled, 1, PATIENCE) > 0);
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && !can_wait(fd))
            return errno;
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

/* job: NULL: it is not in the name. */
static int write_file(const char *name, const char *directory, const char *job, const char *text,
                      size_t length)
{
    char path[8400];
    int relative = name[0] != '/' && directory[0] != '\0';
    snprintf(path, sizeof path, "%s%s%s", relative ? directory : "", relative ? "/" : "", name);
    if (job != NULL)
        place_name_job(path, sizeof path, job);
    int fd = trust_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0)
        return errno;
    struct stat made;
    if (fstat(fd, &made) == 0 && S_ISREG(made.st_mode) && (made.st_mode & 0600) != 0600) /* the umask */
        fchmod(fd, (made.st_mode & 0777) | 0600);
    int error = write_all(fd, text, length);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* 0, or the errno of what failed; -1: it goes to standard error. */
static int write_report(const struct settings *settings, const char *directory, const struct job *job,
                        const char *text, size_t length)
{
    if (job == NULL || strcasecmp(settings->report, "none") == 0)
        return 0;
    if (strcasecmp(settings->report, "stderr") == 0)
        return -1;
    if (strcasecmp(settings->report, "stdout") == 0) {
        fflush(stdout); /* the program's own lines come first */
        return write_all(STDOUT_FILENO, text, length);
    }
    return write_file(settings->report, directory, settings->spawned ? job->job : NULL, text, length);
}

/* Whether two sentences say the same but for numbers, such as that of the rank. */
static int says_the_same(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return 0;
        if (*a == '\0')
            return 1;
    }
}

static void put_complaints(FILE *out, const struct settings *settings, const struct job *job)
{
    const struct job_complaint *others = job != NULL ? &job->complaint : NULL;
    int known = 0;
    for (int i = 0; i < settings->n_complaints; i++) {
        fprintf(out, "papi_mpi: %s\n", settings->complaint[i]);
        known |= others != NULL && says_the_same(settings->complaint[i], others->text);
    }
    if (others == NULL || others->ranks == 0 || known) /* a wrong value is wrong on all ranks */
        return;
    fprintf(out, "papi_mpi: rank %" PRIu64, others->rank);
    if (others->ranks > 1)
        fprintf(out, " and %" PRIu64 " more", others->ranks - 1);
    fprintf(out, ": %s\n", others->text);
}

void print_all(const struct job *job, const char *result_file, const struct settings *settings,
               const char *directory)
{
    struct held_signals signals;
    char *lines = NULL, *report = NULL;
    size_t n_lines = 0, n_report = 0;
    FILE *out = open_memstream(&lines, &n_lines), *text = open_memstream(&report, &n_report);
    if (out != NULL && text != NULL) {
        put_complaints(out, settings, job);
        if (job != NULL && report_text(text, job, result_file) != 0)
            fputs("papi_mpi: there is no memory for the report of this job\n", out);
        fflush(text);
        signals_hold(&signals);
        int error = write_report(settings, directory, job, report, n_report);
        if (error > 0) {
            visible_print(out, "papi_mpi: cannot write the report to %.200s: %s; it follows",
                          settings->report, strerror(error));
            putc('\n', out);
        }
        if (error != 0)
            fwrite(report, 1, n_report, out);
        fflush(out);
        write_all(STDERR_FILENO, lines, n_lines);
        signals_release(&signals);
    }
    if (out != NULL)
        fclose(out);
    if (text != NULL)
        fclose(text);
    free(lines);
    free(report);
}
