/* SPDX-License-Identifier: BSD-3-Clause */
#include "utils/roofline/roofs_file.h"
#include "utils/allocate.h"
#include "utils/roofline/cpus.h"
#include "utils/roofline/show.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------------------------------- where */

/* Nodes that share a home have a file each, and so have numbers of cores that a process may use. */
char *roofs_path(void)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    bool has_cache = cache != NULL && cache[0] == '/';
    char host[ROOFS_NAME] = "";
    struct cpus cpus;
    if (!has_cache && (home == NULL || home[0] != '/'))
        return NULL;
    int cores = cpus_find(&cpus) == NULL ? cpus.n : 0;
    cpus_free(&cpus);
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    return memory_print("%s%s/papi/roofline-%s-%d.json", has_cache ? cache : home, has_cache ? "" : "/.cache",
                        host, cores);
}

/* ------------------------------------------------------------------------ writing */

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* where that fails, opening the file does */
        *slash = '/';
    }
}

static bool write_whole(const char *path, const struct roofs *roofs, const struct points *points)
{
    FILE *file = fopen(path, "we");
    struct report report = {.out = file, .plain = file, .json = true};
    if (file == NULL)
        return false;
    report_string(&report, NULL, "format", "papi_roofline");
    report_number(&report, NULL, "version", 1);
    show_roofs(&report, roofs);
    if (points != NULL)
        show_points(&report, roofs, points);
    report_finish(&report);
    bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed;
}

char *roofs_write(const char *path, const struct roofs *roofs, const struct points *points)
{
    char *part = memory_print("%s.%ld", path, (long)getpid()), *why = NULL;
    make_folders(part);
    if (!write_whole(part, roofs, points) || rename(part, path) != 0) {
        why = memory_print("%s: %s", path, strerror(errno));
        unlink(part);
    }
    free(part);
    return why;
}
