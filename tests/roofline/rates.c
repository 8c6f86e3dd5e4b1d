/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares what papi_roofline measures with what else is known of the machine, each by turns with the other
 * and the best of both taken: on a busy machine both are slow.
 *
 *   rates bandwidth  memory: the tool's loops and STREAM's four, as a user would write them
 *   rates peak       the widest multiply-adds of a core, and its cycles times what its units do in one
 *
 * Status: 0, 1, 77 where it cannot be told.
 */
#include "../support/shared_core.h"
#include "base/seconds.h"
#include "roofline/stream.h"
#include "roofline/team.h"
#include "testing.h"

#include <stdlib.h>
#include <string.h>

/* The one for programs without tests of cmocka. */
#undef SKIP
#define SKIP(...)                                                                                            \
    do {                                                                                                     \
        test_skipping(__VA_ARGS__);                                                                          \
        return 77;                                                                                           \
    } while (0)

enum { ROUNDS = 8, ATTEMPTS = 12 };

static struct cpus cpus;

static struct team *one_core(size_t room)
{
    struct team *team = team_make(&cpus, 1, room);
    CHECK(team != NULL);
    CHECK(team_is_bound(team));
    return team;
}

/* ---- bandwidth */

static double *a, *b, *c;

/* STREAM, by its description: these are not the tool's. */
static __attribute__((noinline)) void own_loop(int loop, double *restrict x, const double *restrict y,
                                               const double *restrict z, long n)
{
    for (long i = 0; i < n && loop == 0; i++)
        x[i] = y[i];
    for (long i = 0; i < n && loop == 1; i++)
        x[i] = 3.0 * y[i];
    for (long i = 0; i < n && loop == 2; i++)
        x[i] = y[i] + z[i];
    for (long i = 0; i < n && loop == 3; i++)
        x[i] = y[i] + 3.0 * z[i];
}

static double own_rate(int loop, long n)
{
    double begin = seconds_now();
    own_loop(loop, a, b, c, n);
    return (loop < 2 ? 16.0 : 24.0) * (double)n / (seconds_now() - begin);
}

static double tools_rate(struct team *team, int loop, long long bytes)
{
    const struct stream_shape *shape = &stream_shapes[loop];
    struct team_work work = {.stream = stream_widest()->run[loop],
                             .arrays = sizes_arrays(loop),
                             .elements = sizes_elements(loop, bytes),
                             .amount = 1};
    bool alone;
    double seconds = team_run(team, &work, &alone);
    return 8.0 * (shape->read + shape->written) * (double)work.elements / seconds;
}

/* The ratio that was nearest to 1, of attempts that each take the best of some rounds. */
static int bandwidth(void)
{
    long long bytes = sizes_level(&cpus, cpus.n_caches, 1);
    struct team *team = one_core(team_room((size_t)bytes));
    long n = sizes_elements(STREAM_TRIAD, bytes);
    double own = 0, tools = 0;
    a = malloc((size_t)n * sizeof *a);
    b = malloc((size_t)n * sizeof *b);
    c = malloc((size_t)n * sizeof *c);
    CHECK(a != NULL && b != NULL && c != NULL);
    for (long i = 0; i < n; i++)
        a[i] = b[i] = c[i] = 1.0;
    CHECK(cpus_bind(&cpus, 0));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (int round = 0; round < ROUNDS; round++)
            for (int loop = 0; loop < 4; loop++) {
                double rate = own_rate(loop, n);
                own = rate > own ? rate : own;
                rate = tools_rate(team, STREAM_COPY + loop, bytes);
                tools = rate > tools ? rate : tools;
            }
        printf("memory: %.2f GB/s, STREAM %.2f\n", tools * 1e-9, own * 1e-9);
        if (tools > 0.9 * own && tools < 1.1 * own)
            break;
    }
    CHECK(tools > 0.9 * own && tools < 1.1 * own);
    team_end(team);
    free(a);
    free(b);
    free(c);
    return 0;
}

/* ---- peak */

/* Double-precision operations a cycle by the makers' descriptions of the cores: two units for fused
 * multiply-adds, of 256 bits; 0 where this is not known. */
static int operations_a_cycle(void)
{
    static const int intel[] = {60, 61,  63,  69,  70,  71,  79,  86,  78,  85,
                                94, 106, 108, 125, 126, 142, 143, 158, 165, 207};
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    int family = hardware->cpuid_family, model = hardware->cpuid_model;
    if (hardware->vendor == PAPI_VENDOR_AMD)
        return (family == 0x17 && model >= 0x30) || family == 0x19 || family == 0x1a ? 16 : 0;
    for (size_t i = 0; hardware->vendor == PAPI_VENDOR_INTEL && i < sizeof intel / sizeof *intel; i++)
        if (family == 6 && model == intel[i])
            return 16;
    return 0;
}

static const struct peak_kernel *wide(void)
{
    const struct peak_kernel *kernel = peak_kernels;
    while (kernel->run != NULL &&
           !(kernel->is_double && strcmp(kernel->name, "AVX2 FMA") == 0 && kernel->usable()))
        kernel++;
    return kernel->run != NULL ? kernel : NULL;
}

static double rate_of(struct team *team, const struct peak_kernel *kernel, int units, long amount)
{
    struct team_work work = {.peak = kernel, .amount = amount};
    bool alone;
    return units * (double)amount / team_run(team, &work, &alone);
}

static int peak(void)
{
    const struct peak_kernel *kernel = wide();
    int expected = operations_a_cycle();
    double clock = 0, peak = 0;
    if (kernel == NULL || expected == 0 || clock_additions == 0)
        SKIP("%s", "what the units of this processor do in a cycle is not known");
    struct team *team = one_core(team_room(0));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (int round = 0; round < 10 * ROUNDS; round++) {
            double rate = rate_of(team, NULL, clock_additions, 50000);
            clock = rate > clock ? rate : clock;
            rate = rate_of(team, kernel, kernel->operations, 500000);
            peak = rate > peak ? rate : peak;
        }
        printf("peak: %.2f GFLOP/s, %.2f GHz, %.2f operations a cycle\n", peak * 1e-9, clock * 1e-9,
               peak / clock);
        if (peak > 0.9 * expected * clock && peak < 1.1 * expected * clock)
            break;
    }
    team_end(team);
    if (peak < 0.9 * expected * clock && core_is_shared())
        SKIP("%s", "something else runs on this core");
    CHECK(peak > 0.9 * expected * clock && peak < 1.1 * expected * clock);
    return 0;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    OK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL);
    CHECK(cpus_find(&cpus) == NULL);
    int status = strcmp(argv[1], "peak") == 0 ? peak() : bandwidth();
    cpus_free(&cpus);
    return status;
}
