/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/place.h"

#include "base/trust.h"
#include "job/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether an existing file is empty or begins as a result does: anything else is not ours to replace. */
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

/* 1: it has the name that the user gave it; 0: one with that of the job. */
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

/* What is there is replaced, and not the link to it; what another user's link leads to is left alone. */
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
