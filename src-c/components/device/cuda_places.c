/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/cuda_places.h"

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
