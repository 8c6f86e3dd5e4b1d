/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/gpus.h"
#include "base/array.h"
#include "base/sysroot.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "/sys/bus/pci/devices"

enum { CLASS_DISPLAY = 0x03, CLASS_ACCELERATOR = 0x12 };

/* ---- files of a device */

static void path_of(const struct gpu *gpu, const char *file, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, DEVICES "/%s/%s", gpu->address, file);
}

static long long number_of(const char *root, const struct gpu *gpu, const char *file, long long otherwise)
{
    char path[PATH_MAX];
    long long number;
    path_of(gpu, file, path);
    return sysroot_number(root, path, &number) == 0 ? number : otherwise;
}

static void line_of(const char *root, const char *path, char *line, size_t size)
{
    if (sysroot_line(root, path, line, size) < 0)
        line[0] = '\0';
}

/* The last part of the path that a link names. */
static void linked_name(const char *root, const char *path, char *name, size_t size)
{
    char whole[PATH_MAX], target[PATH_MAX];
    ssize_t n = -1;
    if (sysroot_path(root, path, whole, sizeof whole) == 0)
        n = readlink(whole, target, sizeof target - 1);
    target[n > 0 ? n : 0] = '\0';
    const char *last = strrchr(target, '/');
    snprintf(name, size, "%s", last != NULL ? last + 1 : target);
}

/* The entry of a folder that begins with a prefix; "": there is none. */
static void entry_of(const char *root, const char *folder, const char *prefix, char *name, size_t size)
{
    char path[PATH_MAX];
    name[0] = '\0';
    DIR *opened = sysroot_path(root, folder, path, sizeof path) == 0 ? opendir(path) : NULL;
    for (struct dirent *entry; opened != NULL && (entry = readdir(opened)) != NULL;)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            snprintf(name, size, "%s", entry->d_name);
    if (opened != NULL)
        closedir(opened);
}

/* ---- facts of a device */

/* Reads the file in which the driver of NVIDIA shows a device with the line "Model: \t\t NAME". */
static void read_nvidia(const char *root, struct gpu *gpu)
{
    char path[PATH_MAX], line[512] = "", minor[32] = "";
    snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", gpu->address);
    FILE *file = sysroot_open(root, path);
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "Model:", 6) == 0)
            snprintf(gpu->model, sizeof gpu->model, "%s", line + 6 + strspn(line + 6, " \t"));
        if (strncmp(line, "Device Minor:", 13) == 0)
            snprintf(minor, sizeof minor, "%s", line + 13 + strspn(line + 13, " \t"));
    }
    if (file != NULL)
        fclose(file);
    gpu->model[strcspn(gpu->model, "\n")] = minor[strcspn(minor, "\n")] = '\0';
    if (minor[0] != '\0')
        snprintf(gpu->node, sizeof gpu->node, "/dev/nvidia%s", minor);
}

static void read_others(const char *root, struct gpu *gpu)
{
    char path[PATH_MAX], name[40];
    path_of(gpu, "product_name", path);
    line_of(root, path, gpu->model, sizeof gpu->model);
    gpu->memory = (unsigned long long)number_of(root, gpu, "mem_info_vram_total", 0);
    path_of(gpu, "drm", path);
    entry_of(root, path, "renderD", name, sizeof name);
    if (name[0] != '\0')
        snprintf(gpu->node, sizeof gpu->node, "/dev/dri/%s", name);
}

static void read_gpu(const char *root, struct gpu *gpu)
{
    char path[PATH_MAX];
    gpu->device = (unsigned)number_of(root, gpu, "device", 0);
    gpu->numa_node = (int)number_of(root, gpu, "numa_node", -1);
    path_of(gpu, "local_cpulist", path);
    line_of(root, path, gpu->cpus, sizeof gpu->cpus);
    path_of(gpu, "driver", path);
    linked_name(root, path, gpu->driver, sizeof gpu->driver);
    snprintf(path, sizeof path, "/sys/module/%s/version", gpu->driver);
    if (gpu->driver[0] != '\0')
        line_of(root, path, gpu->version, sizeof gpu->version);
    if (gpu->vendor == GPU_OF_NVIDIA)
        read_nvidia(root, gpu);
    else
        read_others(root, gpu);
}

/* ---- devices */

static bool is_gpu(const char *root, struct gpu *gpu)
{
    long long class = number_of(root, gpu, "class", 0) >> 16;
    gpu->vendor = (unsigned)number_of(root, gpu, "vendor", 0);
    return (class == CLASS_DISPLAY || class == CLASS_ACCELERATOR) && gpu_vendor(gpu)[0] != '\0';
}

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct gpu *)a)->address, ((const struct gpu *)b)->address);
}

static bool add(struct gpu **gpus, int *n, const struct gpu *gpu)
{
    if (!ARRAY_GROW(*gpus, *n))
        return false;
    (*gpus)[(*n)++] = *gpu;
    return true;
}

int gpus_find(const char *root, struct gpu **gpus)
{
    char path[PATH_MAX];
    int n = 0;
    bool room = true;
    *gpus = NULL;
    DIR *folder = sysroot_path(root, DEVICES, path, sizeof path) == 0 ? opendir(path) : NULL;
    if (folder == NULL)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    for (struct dirent *entry; room && (entry = readdir(folder)) != NULL;) {
        struct gpu gpu = {.numa_node = -1};
        snprintf(gpu.address, sizeof gpu.address, "%s", entry->d_name);
        if (entry->d_name[0] == '.' || !is_gpu(root, &gpu))
            continue;
        read_gpu(root, &gpu);
        room = add(gpus, &n, &gpu);
    }
    closedir(folder);
    if (room && n > 1)
        qsort(*gpus, (size_t)n, sizeof **gpus, by_address);
    if (room)
        return n;
    free(*gpus);
    *gpus = NULL;
    errno = ENOMEM;
    return -1;
}

int gpus_there(const char *root, unsigned vendor)
{
    struct gpu *gpus;
    int n = gpus_find(root, &gpus), there = 0;
    for (int i = 0; i < n; i++)
        there += gpus[i].vendor == vendor;
    free(gpus);
    return n < 0 ? -1 : there > 0;
}

const char *gpu_vendor(const struct gpu *gpu)
{
    switch (gpu->vendor) {
    case GPU_OF_NVIDIA:
        return "NVIDIA";
    case GPU_OF_AMD:
        return "AMD";
    case GPU_OF_INTEL:
        return "Intel";
    default:
        return "";
    }
}
