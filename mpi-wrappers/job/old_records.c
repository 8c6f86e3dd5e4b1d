/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/old_records.h"

#include "base/visible.h"
#include "job/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What the records of one folder say. */
struct old_records {
    int files, ranks, runs; /* runs: ranks that still do */
    int64_t started;
    char program[256];
};

/* Calls use for each name in the folder that begins so; it says -1 to end. */
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
