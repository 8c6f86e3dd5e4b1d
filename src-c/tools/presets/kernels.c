/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

bool kernels_feature(enum feature feature)
{
#if defined(__x86_64__)
    switch (feature) {
    case AVX:
        return __builtin_cpu_supports("avx");
    case FMA:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case AVX512:
        return __builtin_cpu_supports("avx512f");
    default:
        return feature == ALWAYS;
    }
#elif defined(__aarch64__)
    return feature == ALWAYS || feature == FMA || (feature == SVE && (getauxval(AT_HWCAP) & HWCAP_SVE) != 0);
#else
    return feature == ALWAYS || feature == FMA;
#endif
}

int kernels_scalable_bytes(void)
{
#if defined(__aarch64__)
    int bytes = kernels_feature(SVE) ? prctl(PR_SVE_GET_VL) : 0;
    return bytes > 0 ? bytes & PR_SVE_VL_LEN_MASK : 0;
#else
    return 0;
#endif
}

double kernels_per_iteration(const struct kernel *kernel, enum quantity quantity)
{
    bool by_lanes = quantity == SINGLE_OPS || quantity == DOUBLE_OPS;
    return kernel->of[quantity] * (kernel->needs == SVE && by_lanes ? kernels_scalable_bytes() / 16.0 : 1);
}

void kernels_ones(void *memory)
{
    double *large = memory;
    float *small = memory;
    for (size_t i = ONES_DOUBLE / sizeof *large; i < ONES_SINGLE / sizeof *large; i++)
        large[i] = 1;
    for (size_t i = ONES_SINGLE / sizeof *small; i < ONES_ROOM / sizeof *small; i++)
        small[i] = 1;
}

#if !defined(__x86_64__) && !defined(__aarch64__) && !(defined(__riscv) && __riscv_xlen == 64) &&            \
    !defined(__powerpc64__)
const struct kernel kernels[] = {{.name = NULL}};
#endif
