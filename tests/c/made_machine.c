/* SPDX-License-Identifier: BSD-3-Clause */
#include "made_machine.h"
#include "testing.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char root[64];
int (*made_machine_answer)(struct perf_event_attr *attr, int thread, int cpu);

int made_machine_create(void)
{
    strcpy(root, "/tmp/fpapi-machine-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : -1;
}

const char *made_machine_folder(void)
{
    return root;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

int made_machine_remove(void)
{
    int status = nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    root[0] = '\0';
    return status;
}

void made_machine_put(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        CHECK(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

void made_machine_put_pmu(const char *pmu, int type, const char *cpus)
{
    char path[128], text[32];
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/type", pmu);
    snprintf(text, sizeof text, "%d\n", type);
    made_machine_put(path, text);
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/format/event", pmu);
    made_machine_put(path, "config:0-63\n");
    snprintf(path, sizeof path, "sys/bus/event_source/devices/%s/cpus", pmu);
    if (cpus != NULL)
        made_machine_put(path, cpus);
}

/* The library's way to the kernel. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    long argument[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open && made_machine_answer != NULL) {
        int error =
            made_machine_answer((struct perf_event_attr *)argument[0], (int)argument[1], (int)argument[2]);
        if (error != 0) {
            errno = error;
            return -1;
        }
    }
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* The functions by which the library opens files, replaced: files below /sys come from the made machine. */
static const char *instead_of(const char *path, char there[512])
{
    snprintf(there, 512, "%s%s", root, path);
    return root[0] != '\0' && strncmp(path, "/sys/", 5) == 0 && access(there, R_OK) == 0 ? there : path;
}

__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
    char there[512];
    FILE *(*next)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
    return next(instead_of(path, there), mode);
}

/* Takes no mode: the library creates no files with open. */
__attribute__((visibility("default"))) int open(const char *path, int flags, ...)
{
    char there[512];
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    return next(instead_of(path, there), flags);
}

/* The open of builds with _FORTIFY_SOURCE, which call it where the flags are not a constant. */
int __open_2(const char *path, int flags);
__attribute__((visibility("default"))) int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

__attribute__((visibility("default"))) int
scandir(const char *path, struct dirent ***entries, int (*wanted)(const struct dirent *),
        int (*order)(const struct dirent **, const struct dirent **))
{
    char there[512];
    __typeof__(scandir) *next = (__typeof__(scandir) *)dlsym(RTLD_NEXT, "scandir");
    return next(instead_of(path, there), entries, wanted, order);
}
