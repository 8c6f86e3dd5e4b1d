/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_places.h"

const struct device_library_source cuda_driver_places = {
    .files = (const char *const[]){"libcuda.so.1", NULL},
    .advice = "which the driver of NVIDIA's devices brings: install the driver, and try it with nvidia-smi",
};

const struct device_library_source cupti_places = {
    .name = "CUPTI",
    .files = (const char *const[]){"libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL},
    .file_variable = "PAPI_CUDA_CUPTI",
    .root_variable = "PAPI_CUDA_ROOT",
    .usual_root = "/usr/local/cuda",
    .folders = (const char *const[]){"extras/CUPTI/lib64", "lib64", "lib", "targets/x86_64-linux/lib",
                                     "targets/sbsa-linux/lib", NULL},
    .advice = "which CUDA's toolkit brings, from 12.6 on: install it, or name its folder in PAPI_CUDA_ROOT",
};

const struct device_library_source level_zero_places = {
    .files = (const char *const[]){"libze_loader.so.1", "libze_loader.so", NULL},
    .root_variable = "PAPI_INTEL_GPU_ROOT",
    .folders = (const char *const[]){LIBRARY_FOLDERS},
    .advice =
        "which is in the package libze1 or level-zero: install it with the driver of Intel's devices, or "
        "name the folder that has it in lib64 or lib in PAPI_INTEL_GPU_ROOT",
};

struct device_library_source rocprofiler_places(void)
{
    static const char *const files[] = {"librocprofiler-sdk.so.1", "librocprofiler-sdk.so.0",
                                        "librocprofiler-sdk.so", NULL};
    static const char *const folders[] = {"lib", "lib64", NULL};
    return (struct device_library_source){
        .name = "librocprofiler-sdk.so",
        .files = files,
        .file_variable = "PAPI_ROCP_SDK_LIB",
        .root_variable =
            device_setting("PAPI_ROCP_SDK_ROOT") != NULL ? "PAPI_ROCP_SDK_ROOT" : "PAPI_ROCM_ROOT",
        .usual_root = "/opt/rocm",
        .folders = folders,
        .advice =
            "which is in AMD's package rocprofiler-sdk of ROCm: install it, or name the folder of ROCm in "
            "PAPI_ROCP_SDK_ROOT, or the file in PAPI_ROCP_SDK_LIB",
    };
}
