/* SPDX-License-Identifier: BSD-3-Clause */
#include "peak.h"

#include <stddef.h>
#include <string.h>

/* The file is compiled without the compiler's own vectors, and with multiplication and addition made one
 * instruction wherever the target has it (CMakeLists.txt): each kernel has the instructions of its row. */

/* On x86 16 registers hold 12 chains and two constants. Four units of four cycles each, as Neoverse V has
 * them, need 16, and there are 32 registers on 64-bit ARM. */
#define LOW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#if defined(__aarch64__)
#define HIGH(DO) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23)
#define CHAINS(DO) LOW(DO) HIGH(DO)
enum { N_CHAINS = 24 };
/* Its vector instructions add to a register in place. */
#define STEP(i) a##i = a##i + a##i * x;
#define FACTOR 1e-20
#else
#define CHAINS(DO) LOW(DO)
enum { N_CHAINS = 12 };
/* Without an instruction for both, neither of the two needs a copy. */
#define STEP(i) a##i = a##i * x + y;
#define FACTOR 0.5
#endif

/* A multiplication and an addition. */
enum { PER_LANE = 2 };

#define LOAD(i) register_type a##i = chain[i];
#define STORE(i) chain[i] = a##i;

/* The values stay between 0 and 1: they neither overflow, nor become so small that operations take longer.
 * They are set as bytes of the type, which takes no operations. */
#define PEAK(name, target, element, type)                                                                    \
    target static void name(long rounds, void *memory)                                                       \
    {                                                                                                        \
        typedef type register_type;                                                                          \
        register_type *chain = memory;                                                                       \
        volatile element factor = (element)FACTOR;                                                           \
        register_type x, y;                                                                                  \
        element one = factor;                                                                                \
        for (size_t i = 0; i < sizeof x / sizeof one; i++)                                                   \
            memcpy((char *)&x + i * sizeof one, &one, sizeof one);                                           \
        y = x;                                                                                               \
        (void)y;                                                                                             \
        CHAINS(LOAD)                                                                                         \
        for (long i = 0; i < rounds; i++) {                                                                  \
            CHAINS(STEP)                                                                                     \
        }                                                                                                    \
        CHAINS(STORE)                                                                                        \
    }

#define VECTOR(element, bytes) element __attribute__((vector_size(bytes), may_alias))
#define SCALAR(element) element __attribute__((may_alias))
#define ROW(text, width, function, element, bytes, check)                                                    \
    {                                                                                                        \
        text, width, sizeof(element) == sizeof(double),                                                      \
            PER_LANE *N_CHAINS *((bytes) / (int)sizeof(element)), function, check                            \
    }

PEAK(scalar_dp, , double, SCALAR(double))
PEAK(scalar_sp, , float, SCALAR(float))
PEAK(vector_dp, , double, VECTOR(double, 16))
PEAK(vector_sp, , float, VECTOR(float, 16))

#if defined(__x86_64__)
#define WITH(features) __attribute__((target(features)))
PEAK(avx_dp, WITH("avx"), double, VECTOR(double, 32))
PEAK(avx_sp, WITH("avx"), float, VECTOR(float, 32))
PEAK(fma_scalar_dp, WITH("avx2,fma"), double, SCALAR(double))
PEAK(fma_scalar_sp, WITH("avx2,fma"), float, SCALAR(float))
PEAK(fma_dp, WITH("avx2,fma"), double, VECTOR(double, 32))
PEAK(fma_sp, WITH("avx2,fma"), float, VECTOR(float, 32))
PEAK(avx512_dp, WITH("avx512f"), double, VECTOR(double, 64))
PEAK(avx512_sp, WITH("avx512f"), float, VECTOR(float, 64))

static bool has_avx(void)
{
    return __builtin_cpu_supports("avx");
}

static bool has_fma(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

const struct peak_kernel peak_kernels[] = {
    ROW("scalar", 64, scalar_dp, double, 8, NULL),
    ROW("scalar", 32, scalar_sp, float, 4, NULL),
    ROW("scalar FMA", 64, fma_scalar_dp, double, 8, has_fma),
    ROW("scalar FMA", 32, fma_scalar_sp, float, 4, has_fma),
    ROW("SSE2", 128, vector_dp, double, 16, NULL),
    ROW("SSE2", 128, vector_sp, float, 16, NULL),
    ROW("AVX", 256, avx_dp, double, 32, has_avx),
    ROW("AVX", 256, avx_sp, float, 32, has_avx),
    ROW("AVX2 FMA", 256, fma_dp, double, 32, has_fma),
    ROW("AVX2 FMA", 256, fma_sp, float, 32, has_fma),
    ROW("AVX-512", 512, avx512_dp, double, 64, has_avx512),
    ROW("AVX-512", 512, avx512_sp, float, 64, has_avx512),
    {.run = NULL},
};

#else
#if defined(__aarch64__)
#define VECTORS "NEON"
#else
#define VECTORS "vector"
#endif

const struct peak_kernel peak_kernels[] = {
    ROW("scalar", 64, scalar_dp, double, 8, NULL),
    ROW("scalar", 32, scalar_sp, float, 4, NULL),
    ROW(VECTORS, 128, vector_dp, double, 16, NULL),
    ROW(VECTORS, 128, vector_sp, float, 16, NULL),
    {.run = NULL},
};
#endif

/* ---- cycles */

/* Registers are added, not constants, which some processors add while they rename. */
#if defined(__x86_64__)
#define ADD "add %1, %0\n\t"
#elif defined(__aarch64__)
#define ADD "add %0, %0, %1\n\t"
#endif

#ifdef ADD
#define ADD_8 ADD ADD ADD ADD ADD ADD ADD ADD
#define ADD_64 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8 ADD_8
const int clock_additions = 64;

void clock_run(long rounds)
{
    long sum = 0;
    for (long i = 0; i < rounds; i++)
        __asm__ volatile(ADD_64 : "+r"(sum) : "r"(i));
}
#else
const int clock_additions = 0;

void clock_run(long rounds)
{
    (void)rounds;
}
#endif
