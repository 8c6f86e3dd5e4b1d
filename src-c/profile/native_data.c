/* SPDX-License-Identifier: BSD-3-Clause */
#include "native_data.h"
#include "formats/allocation_record.h"
#include "tools/common/allocate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int native_data_find(struct native_data *data, struct reason *why)
{
    return data->n = memory_events_find(secure_getenv("PAPI_SYSROOT"), data->event, why);
}

char *library_beside(const char *relative)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    self[strrchr(self, '/') + 1 - self] = '\0';
    char *name = memory_print("%s%s", self, relative), *path = realpath(name, NULL);
    free(name);
    return path;
}

static int make_file(struct native_data *data, struct tool *tool)
{
    const char *where = secure_getenv("TMPDIR");
    char *folder = memory_print("%s/papi_profile.XXXXXX", where != NULL && where[0] != '\0' ? where : "/tmp");
    if (mkdtemp(folder) == NULL) {
        tool_error(tool, "%s: %s", folder, strerror(errno));
        free(folder);
        return TOOL_ERROR;
    }
    data->folder = folder;
    data->allocations = memory_print("%s/allocations", folder);
    int fd = open(data->allocations, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0)
        return tool_error(tool, "%s: %s", data->allocations, strerror(errno));
    close(fd);
    return TOOL_FINE;
}

int native_data_prepare(struct native_data *data, struct tool *tool)
{
    const char *others = getenv("LD_PRELOAD");
    char *library = library_beside(PAPI_DATA_RELATIVE);
    int status = library != NULL ? make_file(data, tool) : TOOL_FINE;
    if (status == TOOL_FINE && library != NULL) {
        bool any = others != NULL && others[0] != '\0';
        char *all = memory_print("%s%s%s", library, any ? ":" : "", any ? others : "");
        data->preload = others != NULL ? memory_text(others) : NULL;
        if (setenv("LD_PRELOAD", all, 1) != 0 || setenv(ALLOCATIONS_VARIABLE, data->allocations, 1) != 0)
            status = tool_error(tool, "out of memory");
        free(all);
    }
    free(library);
    return status;
}

void native_data_made(const struct native_data *data)
{
    if (data->allocations == NULL)
        return;
    unsetenv(ALLOCATIONS_VARIABLE);
    if (data->preload == NULL || setenv("LD_PRELOAD", data->preload, 1) != 0)
        unsetenv("LD_PRELOAD");
}

void native_data_end(struct native_data *data)
{
    if (data->allocations != NULL)
        unlink(data->allocations);
    if (data->folder != NULL)
        rmdir(data->folder);
    free(data->allocations);
    free(data->folder);
    free(data->preload);
}
