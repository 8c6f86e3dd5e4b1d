/* SPDX-License-Identifier: BSD-3-Clause */
#include "shown_devices.h"
#include "base/gpus.h"
#include "base/sysroot.h"
#include "tools/common/allocate.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *root(void)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    return root != NULL ? root : "";
}

static bool is_there(const char *file)
{
    char path[PATH_MAX];
    struct stat found;
    return sysroot_path(root(), file, path, sizeof path) == 0 && stat(path, &found) == 0;
}

/* A guest of Windows has the devices of all vendors behind one file. */
static bool is_guest(void)
{
    return is_there("/dev/dxg");
}

static bool is_set(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value != NULL && value[0] != '\0';
}

bool shown_devices_of_amd(void)
{
    return is_set("PAPI_ROCP_SDK_LIB") || is_set("PAPI_ROCP_SDK_ROOT") || is_set("PAPI_ROCM_ROOT") ||
           gpus_there(root(), GPU_OF_AMD) == 1 || is_there("/dev/kfd") || is_guest();
}

bool shown_devices_of_intel(void)
{
    return is_set("PAPI_INTEL_GPU_ROOT") || gpus_there(root(), GPU_OF_INTEL) == 1 || is_guest();
}

/* Some of NVIDIA's are on the processor's chip, where PCI does not show them. */
static bool any_is_shown(void)
{
    return shown_devices_of_amd() || shown_devices_of_intel() || gpus_there(root(), GPU_OF_NVIDIA) == 1 ||
           is_there("/proc/driver/nvidia");
}

char *shown_devices_none_used(void)
{
    return memory_print(
        "no process of the program started the runtime of a device (CUDA, HIP, Level Zero)%s",
        !any_is_shown() ? ", and this machine shows no device of NVIDIA, AMD or Intel: papi_doctor says what "
                          "there is, and what is missing"
        : shown_devices_of_intel()
            ? ": the program uses none, or has Level Zero's loader linked statically, or something hides the "
              "devices from it (CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, ZE_AFFINITY_MASK)"
            : ": the program uses none, or something hides the devices from it (CUDA_VISIBLE_DEVICES, "
              "ROCR_VISIBLE_DEVICES)");
}
