/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int missing(const char *what)
{
    complain("%s is missing: papi_counted is not installed as a whole", what);
    return 125;
}

static char *name_in(const char *folder, const char *name, const char *rest)
{
    char *path;
    or_end(asprintf(&path, "%s/%s/%s%s", folder, PAPI_COUNTED_RELATIVE, name, rest) < 0 ? NULL : path);
    return path;
}

/* They are where this program is: PAPI_COUNTED_RELATIVE is the way from its folder to theirs. */
int parts_find(struct parts *parts, const char *processor)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    const char *folder = dirname(own);
    *parts = (struct parts){0};
    parts->folder = name_in(folder, processor != NULL ? processor : PAPI_COUNTED_PROCESSOR, "");
    parts->weigher = name_in(folder, "papi_counted_weigh", "");
    parts->share = name_in(folder, "share.so", "");
    parts->source = name_in(folder, "module.c", "");
    parts->sources = name_in(folder, "", "");
    parts->module = name_in(folder, processor != NULL ? processor : PAPI_COUNTED_PROCESSOR, "/module.o");
    if (access(parts->weigher, X_OK) != 0)
        return missing(parts->weigher);
    if (access(parts->folder, R_OK) != 0)
        return missing(parts->folder);
    return access(parts->module, R_OK) != 0 && access(parts->source, R_OK) != 0 ? missing(parts->source) : 0;
}

void parts_free(struct parts *parts)
{
    free(parts->folder);
    free(parts->weigher);
    free(parts->module);
    free(parts->source);
    free(parts->sources);
    free(parts->arithmetic);
    free(parts->share);
}
