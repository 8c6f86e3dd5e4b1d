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

/* They are where this program is: PAPI_COUNTED_RELATIVE is the way from its folder to theirs. */
int parts_find(struct parts *parts)
{
    char own[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    const char *folder = dirname(own);
    *parts = (struct parts){0};
    or_end(asprintf(&parts->folder, "%s/%s", folder, PAPI_COUNTED_RELATIVE) < 0 ? NULL : parts->folder);
    or_end(asprintf(&parts->weigher, "%s/papi_counted_weigh", parts->folder) < 0 ? NULL : parts->weigher);
    or_end(asprintf(&parts->module, "%s/module.o", parts->folder) < 0 ? NULL : parts->module);
    or_end(asprintf(&parts->share, "%s/share.so", parts->folder) < 0 ? NULL : parts->share);
    if (access(parts->weigher, X_OK) != 0)
        return missing(parts->weigher);
    return access(parts->module, R_OK) != 0 ? missing(parts->module) : 0;
}

void parts_free(struct parts *parts)
{
    free(parts->folder);
    free(parts->weigher);
    free(parts->module);
    free(parts->share);
}
