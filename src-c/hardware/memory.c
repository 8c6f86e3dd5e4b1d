/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/process.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = sizeof(PAPI_dmem_info_t) / sizeof(long long) };

/* Lines of /proc/self/status, in kilobytes. */
static const struct line {
    const char *key;
    size_t field;
} lines[] = {
    {"VmPeak:", offsetof(PAPI_dmem_info_t, peak)},    {"VmSize:", offsetof(PAPI_dmem_info_t, size)},
    {"VmRSS:", offsetof(PAPI_dmem_info_t, resident)}, {"VmHWM:", offsetof(PAPI_dmem_info_t, high_water_mark)},
    {"VmExe:", offsetof(PAPI_dmem_info_t, text)},     {"VmLib:", offsetof(PAPI_dmem_info_t, library)},
    {"VmData:", offsetof(PAPI_dmem_info_t, heap)},    {"VmLck:", offsetof(PAPI_dmem_info_t, locked)},
    {"VmStk:", offsetof(PAPI_dmem_info_t, stack)},    {"VmPTE:", offsetof(PAPI_dmem_info_t, pte)},
    {"RssFile:", offsetof(PAPI_dmem_info_t, shared)}, {"RssShmem:", offsetof(PAPI_dmem_info_t, shared)},
};

/* What stands in two lines is their sum. */
static void read_line(const char *text, PAPI_dmem_info_t *info)
{
    long long kilobytes;
    size_t key = strcspn(text, ":") + 1;
    if (sscanf(text, "%*[^:]:%lld kB", &kilobytes) != 1)
        return;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        long long *field = (long long *)(void *)((char *)info + lines[i].field);
        if (strlen(lines[i].key) == key && memcmp(text, lines[i].key, key) == 0 &&
            __builtin_add_overflow(*field > 0 ? *field : 0, kilobytes, field))
            *field = PAPI_EINVAL;
    }
}

/* Kernels before 4.5 do not tell the two kinds of shared pages apart, but count them. */
static void shared_pages(const char *root, PAPI_dmem_info_t *info)
{
    char line[256];
    long long pages;
    if (sysroot_line(root, "/proc/self/statm", line, sizeof line) > 0 &&
        sscanf(line, "%*s %*s %lld", &pages) == 1 &&
        __builtin_mul_overflow(pages, info->pagesize / 1024, &info->shared))
        info->shared = PAPI_EINVAL;
}

static int read_status(const char *root, const char *path, PAPI_dmem_info_t *info)
{
    char text[256];
    FILE *in = sysroot_open(root, path);
    if (in == NULL)
        return -1;
    while (fgets(text, sizeof text, in) != NULL)
        read_line(text, info);
    fclose(in);
    if (info->shared < 0)
        shared_pages(root, info);
    if (info->size >= 0)
        return 0;
    errno = ENODATA;
    return -1;
}

int memory_fill(const char *root, PAPI_dmem_info_t *info)
{
    long long unknown[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        unknown[i] = PAPI_EINVAL;
    memcpy(info, unknown, sizeof unknown);
    info->pagesize = sysconf(_SC_PAGESIZE);
    /* A process whose first thread has ended shows its memory in its other threads alone. */
    if (read_status(root, "/proc/self/status", info) == 0)
        return 0;
    int error = errno;
    if (read_status(root, "/proc/thread-self/status", info) == 0)
        return 0;
    errno = error;
    return -1;
}
