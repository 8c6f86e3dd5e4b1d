/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_launches.h"
#include "base/sysroot.h"
#include "formats/device_activity.h"
#include "formats/launch_record.h"
#include "native_data.h"
#include "sampler.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- beforehand */

static int make_folder(struct native_launches *launches, struct tool *tool)
{
    const char *where = secure_getenv("TMPDIR");
    char *folder = memory_print("%s/papi_profile.XXXXXX", where != NULL && where[0] == '/' ? where : "/tmp");
    if (mkdtemp(folder) == NULL) {
        tool_error(tool, "%s: %s", folder, strerror(errno));
        free(folder);
        return TOOL_ERROR;
    }
    launches->folder = folder;
    return TOOL_FINE;
}

/* The driver loads one library. */
static int refuse_second(struct tool *tool, const char *other, char **words, int n_words, char **program)
{
    char *command = tool_command(tool->name, NULL, words, n_words, program);
    if (command == NULL)
        return tool_error(tool, "out of memory");
    tool_error(tool,
               "--devices: " INJECTION_VARIABLE
               " names %s, and the driver loads only one tool; run \"env -u " INJECTION_VARIABLE " %s\"",
               other, command);
    free(command);
    return TOOL_ERROR;
}

int native_launches_prepare(struct native_launches *launches, struct tool *tool, char **words, int n_words,
                            char **program)
{
    const char *other = secure_getenv(INJECTION_VARIABLE);
    if (other != NULL && other[0] != '\0')
        return refuse_second(tool, other, words, n_words, program);
    char *library = library_beside(PAPI_LAUNCHES_RELATIVE);
    int status = library != NULL
                     ? make_folder(launches, tool)
                     : tool_error(tool, "--devices: libpapi_launches.so is not installed with this tool");
    if (status == TOOL_FINE &&
        (setenv(INJECTION_VARIABLE, library, 1) != 0 || setenv(LAUNCHES_VARIABLE, launches->folder, 1) != 0))
        status = tool_error(tool, "out of memory");
    free(library);
    return status;
}

void native_launches_made(const struct native_launches *launches)
{
    if (launches->folder == NULL)
        return;
    unsetenv(INJECTION_VARIABLE);
    unsetenv(LAUNCHES_VARIABLE);
}

int native_launches_describe(struct tool *tool, struct profile *profile)
{
    if (profile->n_events == PROFILE_EVENTS)
        return tool_usage_error(tool,
                                "--devices: the time of devices is one event more than the %d of a profile",
                                (int)PROFILE_EVENTS);
    profile->event[profile->n_events++] =
        (struct profile_event){.name = memory_text(DEVICE_TIME), .period = 1, .clock = true, .exact = true};
    return TOOL_FINE;
}

/* ---- afterwards */

static bool read_file(FILE *in, struct sampler *sampler, uint16_t number)
{
    union {
        struct launch_head head;
        uint64_t words[(UINT16_MAX + 1) / sizeof(uint64_t)];
    } record;
    bool ended = false;
    while (fread(&record.head, sizeof record.head, 1, in) == 1) {
        size_t rest = record.head.size - sizeof record.head;
        if (record.head.type < LAUNCH_STACK || record.head.type > LAUNCH_REFUSED ||
            record.head.size < sizeof record.head + sizeof(struct launch_tail) ||
            record.head.size % sizeof(uint64_t) != 0 || fread(&record.head + 1, 1, rest, in) != rest)
            break;
        record.head.file = number;
        sampler_append(sampler, &record, record.head.size);
        ended |= record.head.type == LAUNCH_END || record.head.type == LAUNCH_REFUSED;
    }
    return ended;
}

/* True for a machine whose kernel has the driver. */
static bool has_driver(void)
{
    char path[PATH_MAX];
    struct stat found;
    return sysroot_path(secure_getenv("PAPI_SYSROOT"), "/proc/driver/nvidia", path, sizeof path) == 0 &&
           stat(path, &found) == 0;
}

static void explain_none(struct profile *profile)
{
    if (profile->devices.processes > 0 || profile->devices.why != NULL)
        return;
    profile->devices.why = memory_text(
        has_driver()
            ? "no process of the program started the driver of NVIDIA's devices: the program uses none, or "
              "something hides them from it (nvidia-smi -L and CUDA_VISIBLE_DEVICES show which there are)"
            : "no process of the program started a driver of NVIDIA's devices, and this machine has none: "
              "install it, and try it with nvidia-smi");
}

void native_launches_take(const struct native_launches *launches, struct sampler *sampler,
                          struct profile *profile)
{
    DIR *folder = launches->folder != NULL ? opendir(launches->folder) : NULL;
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        struct stat status;
        bool is_file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
        FILE *in = is_file ? fdopen(fd, "r") : NULL;
        if (in == NULL) {
            if (fd >= 0)
                close(fd);
            continue;
        }
        profile->devices.unended += !read_file(in, sampler, (uint16_t)profile->devices.processes++);
        fclose(in);
    }
    if (folder != NULL)
        closedir(folder);
    explain_none(profile);
}

void native_launches_end(struct native_launches *launches)
{
    DIR *folder = launches->folder != NULL ? opendir(launches->folder) : NULL;
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder != NULL)
        closedir(folder);
    if (launches->folder != NULL)
        rmdir(launches->folder);
    free(launches->folder);
    launches->folder = NULL;
}
