/* SPDX-License-Identifier: BSD-3-Clause */
#include "points.h"
#include "roofline_output.h"
#include "roofs.h"
#include "team.h"
#include "tools/common/allocate.h"
#include "tools/common/report.h"
#include "tools/common/tool_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where */

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

/* ---- writing */

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777); /* where that fails, opening the file does */
        *slash = '/';
    }
}

static void write_whole(FILE *file, const struct roofs *roofs, const struct points *points)
{
    struct report report = {.out = file, .plain = file, .json = true};
    report_string(&report, NULL, "format", "papi_roofline");
    report_number(&report, NULL, "version", 1);
    show_roofs(&report, roofs);
    if (points != NULL)
        show_points(&report, roofs, points);
    report_finish(&report);
}

char *roofs_write(const char *path, const struct roofs *roofs, const struct points *points)
{
    struct output output;
    char *folders = memory_text(path);
    make_folders(folders);
    free(folders);
    const char *why = output_open(&output, path);
    if (why == NULL) {
        write_whole(output.file, roofs, points);
        why = output_close(&output);
    }
    return why != NULL ? memory_print("%s: %s", path, why) : NULL;
}
