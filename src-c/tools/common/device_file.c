/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/common/device_file.h"

#include "base/sysroot.h"
#include "tools/common/machine_head.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

const char *device_driver(const struct gpu *gpu)
{
    switch (gpu->vendor) {
    case GPU_OF_NVIDIA:
        return "nvidia";
    case GPU_OF_AMD:
        return "amdgpu";
    default:
        return "i915 or xe";
    }
}

const char *device_closed_file(const struct gpu *gpu, char *group, size_t size)
{
    const char *const files[] = {gpu->node, gpu->vendor == GPU_OF_AMD      ? "/dev/kfd"
                                            : gpu->vendor == GPU_OF_NVIDIA ? "/dev/nvidiactl"
                                                                           : ""};
    char path[PATH_MAX];
    struct stat file;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i][0] == '\0' || sysroot_path(machine_root(), files[i], path, sizeof path) != 0 ||
            access(path, R_OK | W_OK) == 0 || errno != EACCES || stat(path, &file) != 0)
            continue;
        const struct group *of_file = getgrgid(file.st_gid);
        snprintf(group, size, "%s", of_file != NULL ? of_file->gr_name : "render");
        return files[i];
    }
    return NULL;
}
