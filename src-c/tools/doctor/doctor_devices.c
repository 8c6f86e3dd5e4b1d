/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Graphics devices and accelerators: what the machine has, and what keeps this process from counting there.
 */
#include "base/gpus.h"
#include "base/sysroot.h"
#include "doctor.h"
#include "tools/common/device_file.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct vendor {
    unsigned number;
    const char *components[4]; /* that count on its devices; NULL ends */
} vendors[] = {{GPU_OF_NVIDIA, {"cuda", "nvml", NULL}},
               {GPU_OF_AMD, {"rocp_sdk", "amd_smi", "rocm_smi", NULL}},
               {GPU_OF_INTEL, {"intel_gpu", "intel_smi", NULL}}};
enum { VENDORS = sizeof vendors / sizeof *vendors };

/* ---- what there is */

static void list_devices(const struct gpu *gpus, int n, char *list, size_t size)
{
    list[0] = '\0';
    for (int i = 0; i < n; i++) {
        const struct gpu *gpu = &gpus[i];
        text_append(list, size, ", ", "%s %s (%s%s%s)", gpu_vendor(gpu), gpu->address,
                    gpu->driver[0] != '\0' ? gpu->driver : "no driver", gpu->version[0] != '\0' ? " " : "",
                    gpu->version);
    }
}

static const struct gpu *first_of(const struct gpu *gpus, int n, unsigned vendor)
{
    for (int i = 0; i < n; i++)
        if (gpus[i].vendor == vendor)
            return &gpus[i];
    return NULL;
}

/* ---- what is in the way */

static void note(struct finding *finding, const char *format, const char *a, const char *b)
{
    finding->verdict = DOCTOR_NOTE;
    finding_add(finding, format, a, b);
}

/* Devices without a driver, or with one that nobody can count by. */
static void look_at_driver(const struct gpu *gpu, struct finding *finding)
{
    bool other = strcmp(gpu->driver, "nouveau") == 0;
    if (gpu->driver[0] != '\0' && !other)
        return;
    if (other)
        note(finding, "the driver nouveau of %s has no counters: it takes NVIDIA's driver%s", gpu->address,
             "");
    else
        note(finding, "no driver is bound to %s: it takes %s", gpu->address, device_driver(gpu));
    if (gpu->vendor == GPU_OF_NVIDIA)
        finding_change(finding, "as root", "apt install nvidia-driver");
    else
        finding_change(finding, "as root", "modprobe %s", gpu->vendor == GPU_OF_AMD ? "amdgpu" : "i915");
}

static bool is_there(const struct patient *patient, const char *file)
{
    char path[PATH_MAX];
    return sysroot_path(patient->root, file, path, sizeof path) == 0 && access(path, F_OK) == 0;
}

/* A container has the files of the devices that it was given alone. Snapshots have no files of devices. */
static void look_for_files(const struct patient *patient, const struct gpu *gpu, struct finding *finding)
{
    bool nvidia = gpu->vendor == GPU_OF_NVIDIA;
    const char *option = container_gives_devices(&patient->container, nvidia);
    const char *file = nvidia ? "/dev/nvidiactl" : gpu->vendor == GPU_OF_AMD ? "/dev/kfd" : gpu->node;
    if (gpu->driver[0] == '\0' || file[0] == '\0' || is_there(patient, file) ||
        (!patient->live && !is_there(patient, "/dev")))
        return;
    note(finding, "there is no %s%s", file,
         patient->container.name != NULL ? ": the container was given no devices" : "");
    if (patient->container.name != NULL)
        finding_change(finding, "at the container's start", "%s",
                       option != NULL ? option : "its devices: the files /dev/nvidia*, /dev/kfd, /dev/dri");
    else
        finding_change(finding, "as root", "%s", nvidia ? "nvidia-modprobe -u -c=0" : "modprobe amdgpu");
}

static void look_at_access(const struct gpu *gpu, struct finding *finding)
{
    char group[64] = "";
    const char *closed = device_closed_file(gpu, group, sizeof group);
    if (closed == NULL)
        return;
    note(finding, "this user may not open %s of the group %s", closed, group);
    finding_change(finding, "as root, and log in again", "usermod -aG %s USER", group);
}

/* ---- settings of the administrator */

/* True if NVIDIA's driver shows counters to the administrator alone. */
static bool is_for_root(const struct patient *patient)
{
    char line[256];
    bool found = false;
    FILE *file = sysroot_open(patient->root, "/proc/driver/nvidia/params");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        found = found || strncmp(line, "RmProfilingAdminOnly: 1", 23) == 0;
    if (file != NULL)
        fclose(file);
    return found && !patient->rights.admin;
}

static void look_at_settings(const struct patient *patient, const struct gpu *gpu, struct finding *finding)
{
    static const char i915[] = "dev.i915.perf_stream_paranoid", xe[] = "dev.xe.observation_paranoid";
    const char *name = strcmp(gpu->driver, "xe") == 0 ? xe : i915;
    char path[PATH_MAX];
    long long paranoid = 0;
    if (gpu->vendor == GPU_OF_NVIDIA && is_for_root(patient)) {
        note(finding, "the driver shows counters to the administrator alone (RmProfilingAdminOnly is 1)%s%s",
             "", "");
        finding_change(finding, patient_root(patient),
                       "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 "
                       ">/etc/modprobe.d/nvidia-profiling.conf; reboot");
    }
    snprintf(path, sizeof path, "/proc/sys/dev/%s",
             name == xe ? "xe/observation_paranoid" : "i915/perf_stream_paranoid");
    if (gpu->vendor != GPU_OF_INTEL || sysroot_number(patient->root, path, &paranoid) != 0 || paranoid == 0 ||
        patient_is_privileged(patient))
        return;
    note(finding, "%s is not 0: metrics are for the administrator alone%s", name, "");
    finding_change(finding, patient_root(patient), "sysctl %s=0", name);
}

/* ---- kernels and copies */

#define LAYER "libze_tracing_layer.so.1"

static bool has_layer(const char *root)
{
    static const char *const folders[] = {"lib64", "lib"};
    char path[PATH_MAX];
    bool found = false;
    for (size_t i = 0; root != NULL && i < sizeof folders / sizeof *folders; i++) {
        int n = snprintf(path, sizeof path, "%s/%s/" LAYER, root, folders[i]);
        found = found || (n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0);
    }
    void *layer = root == NULL ? dlopen(LAYER, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (layer != NULL)
        dlclose(layer);
    return found || layer != NULL;
}

/* Looks for what records the work of Intel's devices; that of others is recorded by what the components count
 * by. */
static void look_for_layer(const struct patient *patient, const struct gpu *gpu, struct finding *finding)
{
    const char *root = secure_getenv("PAPI_INTEL_GPU_ROOT");
    bool named = root != NULL && root[0] != '\0';
    if (gpu->vendor != GPU_OF_INTEL || (!patient->live && !named) || has_layer(named ? root : NULL))
        return;
    note(finding,
         "papi_profile --devices and PAPI_MPI_DEVICES take Level Zero's tracing layer: there is no " LAYER
         "%s%s",
         named ? " in lib64 or lib of " : "", named ? root : "");
    finding_change(finding, "as root", "apt install libze1");
}

/* ---- components */

/* Says what the library says of the components, as papi_component_avail does. For the files of another
 * machine it has no vendor's library, unless a variable names one. */
static void ask_components(const struct patient *patient, const struct vendor *vendor,
                           struct finding *finding)
{
    char name[32];
    for (int i = 0; vendor->components[i] != NULL; i++) {
        const PAPI_component_info_t *info =
            PAPI_get_component_info(PAPI_get_component_index(vendor->components[i]));
        snprintf(name, sizeof name, "%s", vendor->components[i]);
        if (info == NULL || (info->disabled && !patient->live))
            continue;
        if (info->disabled)
            note(finding, "Component %s does not count: %s", name, info->disabled_reason);
        else
            finding_add(finding, "Component %s counts", name);
    }
}

void check_devices(const struct patient *patient, struct finding *finding)
{
    struct gpu *gpus;
    char list[512];
    int n = gpus_find(patient->root, &gpus);
    if (n <= 0) {
        finding_ok(finding, n < 0 ? "/sys/bus/pci/devices cannot be read" : "none of NVIDIA, AMD or Intel");
        return;
    }
    list_devices(gpus, n, list, sizeof list);
    finding_ok(finding, "%s", list);
    for (int i = 0; i < VENDORS; i++) {
        const struct gpu *gpu = first_of(gpus, n, vendors[i].number);
        if (gpu == NULL)
            continue;
        look_at_driver(gpu, finding);
        look_for_files(patient, gpu, finding);
        look_at_access(gpu, finding);
        look_at_settings(patient, gpu, finding);
        look_for_layer(patient, gpu, finding);
        ask_components(patient, &vendors[i], finding);
    }
    free(gpus);
}
