/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_launches.h"
#include "formats/device_activity.h"
#include "formats/launch_record.h"
#include "native_data.h"
#include "sampler.h"
#include "shown_devices.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* The driver of NVIDIA's devices loads one library. */
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

/* Sets a variable for the program, and notes what it was. */
static bool change(struct native_launches *launches, const char *name, const char *value)
{
    const char *before = getenv(name);
    launches->changed[launches->n_changed++] =
        (struct changed_variable){name, before != NULL ? memory_text(before) : NULL};
    return setenv(name, value, 1) == 0;
}

/* The same, with a library before those between colons that are there already. */
static bool put_first(struct native_launches *launches, const char *name, const char *library)
{
    const char *others = getenv(name);
    bool any = others != NULL && others[0] != '\0';
    char *all = memory_print("%s%s%s", library, any ? ":" : "", any ? others : "");
    bool done = change(launches, name, all);
    free(all);
    return done;
}

/* Tells AMD's runtime to load its rocprofiler-sdk, which is not to be told where there is none. */
static bool prepare_amd(struct native_launches *launches, const char *library)
{
    return !shown_devices_of_amd() || put_first(launches, TOOLS_VARIABLE, library);
}

/* Preloads what notes that the driver of Intel's devices is started, which loads nothing by itself. */
static bool prepare_intel(struct native_launches *launches)
{
    char *library = shown_devices_of_intel() ? library_beside(PAPI_LEVEL_ZERO_RELATIVE) : NULL;
    bool done = library == NULL ||
                (put_first(launches, "LD_PRELOAD", library) && change(launches, TRACING_VARIABLE, "1"));
    free(library);
    return done;
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
                     : tool_error(tool, "--devices: " LAUNCHES_LIBRARY " is not installed with this tool");
    if (status == TOOL_FINE &&
        (!change(launches, INJECTION_VARIABLE, library) || !prepare_amd(launches, library) ||
         !prepare_intel(launches) || !change(launches, LAUNCHES_VARIABLE, launches->folder)))
        status = tool_error(tool, "out of memory");
    free(library);
    return status;
}

void native_launches_made(struct native_launches *launches)
{
    while (launches->n_changed > 0) {
        struct changed_variable *changed = &launches->changed[--launches->n_changed];
        if (changed->before == NULL || setenv(changed->name, changed->before, 1) != 0)
            unsetenv(changed->name);
        free(changed->before);
    }
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
    uint32_t last = LAUNCH_BEGUN;
    while (fread(&record.head, sizeof record.head, 1, in) == 1) {
        size_t rest = record.head.size - sizeof record.head;
        if (record.head.type < LAUNCH_STACK || record.head.type > LAUNCH_BEGUN ||
            record.head.size < sizeof record.head + sizeof(struct launch_tail) ||
            record.head.size % sizeof(uint64_t) != 0 || fread(&record.head + 1, 1, rest, in) != rest)
            break;
        record.head.file = number;
        sampler_append(sampler, &record, record.head.size);
        last = record.head.type;
    }
    return last == LAUNCH_END || last == LAUNCH_REFUSED;
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
    if (profile->devices.processes == 0 && profile->devices.why == NULL)
        profile->devices.why = shown_devices_none_used();
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
