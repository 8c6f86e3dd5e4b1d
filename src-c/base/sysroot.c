/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "base/reason.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

int sysroot_path(const char *root, const char *path, char *out, size_t size)
{
    int n = snprintf(out, size, "%s%s", root ? root : "", path);
    if (n < 0 || (size_t)n >= size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return 0;
}

FILE *sysroot_open(const char *root, const char *path)
{
    char full[4096];
    if (sysroot_path(root, path, full, sizeof full) != 0)
        return NULL;
    return fopen(full, "re");
}

int sysroot_line(const char *root, const char *path, char *out, size_t size)
{
    if (size == 0) {
        errno = EINVAL;
        return -1;
    }
    out[0] = '\0';
    FILE *f = sysroot_open(root, path);
    if (f == NULL)
        return -1;
    errno = 0;
    if (fgets(out, (int)size, f) == NULL)
        out[0] = '\0';
    int error = ferror(f) ? errno : 0;
    fclose(f);
    if (error != 0) {
        errno = error;
        return -1;
    }
    out[strcspn(out, "\n")] = '\0';
    return (int)strlen(out);
}

int sysroot_number(const char *root, const char *path, long long *out)
{
    char line[64];
    if (sysroot_line(root, path, line, sizeof line) < 0)
        return -1;
    char *end;
    errno = 0;
    long long value = strtoll(line, &end, 0);
    if (end == line || end[strspn(end, " \t\r")] != '\0' || errno != 0) {
        errno = EINVAL;
        return -1;
    }
    *out = value;
    return 0;
}

int sysroot_is_core_pmu(const char *root, const char *pmu)
{
    static const char devices[] = "/sys/bus/event_source/devices";
    char path[PATH_MAX], line[32];
    long long type = -1;
    snprintf(path, sizeof path, "%s/%s/type", devices, pmu);
    if (sysroot_number(root, path, &type) == 0 && type == PERF_TYPE_RAW)
        return 1;
    if (type < 0 && error_passes(errno))
        return -1;
    snprintf(path, sizeof path, "%s/%s/cpus", devices, pmu);
    int length = sysroot_line(root, path, line, sizeof line);
    return length < 0 && error_passes(errno) ? -1 : length > 0;
}
