/* SPDX-License-Identifier: BSD-3-Clause */
#undef _FILE_OFFSET_BITS /* functions of both names are replaced */
#undef _TIME_BITS
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
int made_machine_leader = -1;

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

/* The function behind, found before a handler can ask for it: dlsym takes a lock. */
static long (*next_syscall)(long, ...);

static __attribute__((constructor)) void find_next_syscall(void)
{
    next_syscall = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

/* The library's way to the kernel. */
__attribute__((visibility("default"))) long syscall(long number, ...)
{
    long argument[6];
    struct perf_event_attr attr; /* the caller's stays as it is, as it does with the kernel */
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open && made_machine_answer != NULL) {
        made_machine_leader = (int)argument[3];
        attr = *(struct perf_event_attr *)argument[0];
        argument[0] = (long)&attr;
        int error = made_machine_answer(&attr, (int)argument[1], (int)argument[2]);
        if (error != 0) {
            errno = error;
            return -1;
        }
    }
    if (next_syscall == NULL) /* by a constructor that comes earlier */
        find_next_syscall();
    return next_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* The functions by which the library opens files, replaced: files below /sys come from the made machine. */
static const char *instead_of(const char *path, char there[512])
{
    snprintf(there, 512, "%s%s", root, path);
    return root[0] != '\0' && strncmp(path, "/sys/", 5) == 0 && access(there, R_OK) == 0 ? there : path;
}

#define VISIBLE __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

VISIBLE FILE *fopen(const char *path, const char *mode)
{
    char there[512];
    return NEXT(fopen)(instead_of(path, there), mode);
}

/* Takes no mode: the library creates no files with open. */
VISIBLE int open(const char *path, int flags, ...)
{
    char there[512];
    return NEXT(open)(instead_of(path, there), flags);
}

/* The open of builds with _FORTIFY_SOURCE, which call it where the flags are not a constant. */
int __open_2(const char *path, int flags);
VISIBLE int __open_2(const char *path, int flags)
{
    return open(path, flags);
}

VISIBLE int scandir(const char *path, struct dirent ***entries, int (*wanted)(const struct dirent *),
                    int (*order)(const struct dirent **, const struct dirent **))
{
    char there[512];
    return NEXT(scandir)(instead_of(path, there), entries, wanted, order);
}

#ifdef __GLIBC__ /* other C libraries have one name for both */

VISIBLE FILE *fopen64(const char *path, const char *mode)
{
    char there[512];
    return NEXT(fopen64)(instead_of(path, there), mode);
}

VISIBLE int open64(const char *path, int flags, ...)
{
    char there[512];
    return NEXT(open64)(instead_of(path, there), flags);
}

int __open64_2(const char *path, int flags);
VISIBLE int __open64_2(const char *path, int flags)
{
    return open64(path, flags);
}

VISIBLE int scandir64(const char *path, struct dirent64 ***entries, int (*wanted)(const struct dirent64 *),
                      int (*order)(const struct dirent64 **, const struct dirent64 **))
{
    char there[512];
    return NEXT(scandir64)(instead_of(path, there), entries, wanted, order);
}

#endif
