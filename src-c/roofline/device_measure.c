/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Roofs of one of NVIDIA's devices, measured by its driver alone: fused multiply-adds, copies within its
 * memory, and reading it. The driver's events have the times.
 *
 * A device at rest has low clocks: it works for a while before anything counts. Each test is repeated inside
 * until it takes long enough for the clock. What it has calculated or copied is looked at afterwards, since
 * work that is not done is fast. Its best turn counts; what is above all that the device's properties allow
 * is no roof.
 */
#include "base/gpus.h"
#include "device_driver.h"
#include "device_kernels.h"
#include "roofs.h"
#include "tools/common/allocate.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG_MS 10.0       /* a turn takes so long */
#define SHORT_MS 1.0       /* one that is shorter is not believed */
#define WARM_MS 300.0      /* a device works so long before it is measured */
#define ABOVE 1.1          /* of what properties allow: clocks are told in whole steps */
#define DIFFERENT_PART 0.1 /* by which the median of the turns lies below the best */

enum { MOST_TURNS = 64, PATTERN = 0x3f80c0de, OTHER = 0x0badf00d };

typedef uint64_t address;

struct calls {
    int (*version)(int *version);
    int (*retain)(void **context, int device), (*release)(int device), (*current)(void *context);
    int (*load)(void **module, const void *text), (*unload)(void *module);
    int (*function)(void **function, void *module, const char *name);
    int (*launch)(void *function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, unsigned threads,
                  unsigned threads_y, unsigned threads_z, unsigned shared, void *stream, void **parameters,
                  void **more);
    int (*room)(size_t *free, size_t *total), (*allocate)(address *memory, size_t size);
    int (*free)(address memory), (*fill)(address memory, unsigned value, size_t n);
    int (*copy)(address to, address from, size_t size, void *stream);
    int (*fetch)(void *to, address from, size_t size);
    int (*event)(void **event, unsigned flags), (*end_event)(void *event);
    int (*record)(void *event, void *stream), (*wait)(void *event);
    int (*elapsed)(float *ms, void *from, void *to);
};

struct measuring {
    struct cuda_driver driver;
    struct calls call;
    struct roofs *roofs;
    int rounds;
    int processors, threads, cache, ecc; /* threads: of a multiprocessor */
    unsigned blocks;
    void *context, *module, *begun, *ended;
    size_t size; /* of each memory */
    address memory[2];
    char *why; /* the first thing that failed; NULL */
};

/* Something that is measured: work on the device, so many times (amount); its units in each, operations or
 * bytes; and whether its result is right. */
struct test {
    const char *name; /* for sentences */
    void *function;
    double units, rate, spread;
    unsigned amount, most;
    void (*work)(struct measuring *m, const struct test *test);
    bool (*is_right)(struct measuring *m, const struct test *test);
    int size; /* of a number that it calculates with */
};

/* ---- the driver */

/* Notes the first call that fails; false from then on. */
static bool done(struct measuring *m, int code, const char *name)
{
    if (code != 0 && m->why == NULL)
        m->why = memory_print("%s cannot be measured: NVIDIA's driver answers %s with error %d",
                              m->roofs->device, name, code);
    return m->why == NULL;
}

/* Calls the driver, unless something has failed. */
#define TRY(m, member, name, ...) done(m, (m)->why == NULL ? (m)->call.member(__VA_ARGS__) : 0, name)

static void find_calls(struct measuring *m)
{
    struct calls *call = &m->call;
    const struct {
        const char *name;
        void *place;
    } needed[] = {
        {"cuDriverGetVersion", &call->version},
        {"cuDevicePrimaryCtxRetain", &call->retain},
        {"cuDevicePrimaryCtxRelease_v2", &call->release},
        {"cuCtxSetCurrent", &call->current},
        {"cuModuleLoadData", &call->load},
        {"cuModuleUnload", &call->unload},
        {"cuModuleGetFunction", &call->function},
        {"cuLaunchKernel", &call->launch},
        {"cuMemGetInfo_v2", &call->room},
        {"cuMemAlloc_v2", &call->allocate},
        {"cuMemFree_v2", &call->free},
        {"cuMemsetD32_v2", &call->fill},
        {"cuMemcpyDtoDAsync_v2", &call->copy},
        {"cuMemcpyDtoH_v2", &call->fetch},
        {"cuEventCreate", &call->event},
        {"cuEventDestroy_v2", &call->end_event},
        {"cuEventRecord", &call->record},
        {"cuEventSynchronize", &call->wait},
        {"cuEventElapsedTime", &call->elapsed},
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (m->why == NULL && !cuda_driver_find(m->driver.library, needed[i].name, needed[i].place))
            m->why = memory_print("NVIDIA's driver lacks the function %s, by which devices are measured: "
                                  "install a newer one, or take --device-roofs=computed",
                                  needed[i].name);
}

static void ask(struct measuring *m)
{
    const struct {
        enum cuda_property property;
        int *value;
    } asked[] = {{CUDA_PROCESSORS, &m->processors}, {CUDA_THREADS, &m->threads}, {CUDA_CACHE, &m->cache}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked && m->why == NULL; i++)
        done(m, m->driver.attribute(asked[i].value, (int)asked[i].property, m->driver.device),
             "cuDeviceGetAttribute");
    if (m->driver.attribute(&m->ecc, CUDA_ECC, m->driver.device) != 0)
        m->ecc = 0;
    m->blocks = (unsigned)(m->processors * (m->threads / KERNEL_THREADS));
    if (m->why == NULL && m->blocks == 0)
        m->why = memory_print("%s cannot be measured: NVIDIA's driver has %d multiprocessors with %d "
                              "threads for it",
                              m->roofs->device, m->processors, m->threads);
}

/* ---- turns */

static double turn(struct measuring *m, const struct test *test)
{
    float ms = 0;
    if (TRY(m, record, "cuEventRecord", m->begun, NULL))
        test->work(m, test);
    if (TRY(m, record, "cuEventRecord", m->ended, NULL) && TRY(m, wait, "cuEventSynchronize", m->ended))
        TRY(m, elapsed, "cuEventElapsedTime", &ms, m->begun, m->ended);
    return ms;
}

/* Finds how often the work is to be done, and warms the device up. */
static void adjust(struct measuring *m, struct test *test)
{
    double warm = 0, ms = 0;
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES && m->why == NULL && (warm < WARM_MS || ms < LONG_MS / 2); i++) {
        ms = turn(m, test);
        warm += ms;
        if (ms >= LONG_MS / 2 || test->amount == test->most)
            continue;
        double times = ms > LONG_MS / 1000 ? LONG_MS / ms : 10;
        test->amount = (double)test->amount * times < test->most
                           ? (unsigned)((double)test->amount * times) + 1
                           : test->most;
    }
}

static int ascending(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void take_turns(struct measuring *m, struct test *test)
{
    double ms[MOST_TURNS];
    int n = m->rounds < MOST_TURNS ? m->rounds : MOST_TURNS;
    for (int i = 0; i < n && m->why == NULL; i++)
        ms[i] = turn(m, test);
    if (m->why != NULL)
        return;
    qsort(ms, (size_t)n, sizeof *ms, ascending);
    double median = (ms[(n - 1) / 2] + ms[n / 2]) / 2;
    if (!(ms[0] >= SHORT_MS)) {
        m->why = memory_print("%s cannot be measured: %s took %.3f ms by the driver's clock, in which it "
                              "cannot have been done",
                              m->roofs->device, test->name, ms[0]);
        return;
    }
    test->rate = test->units * test->amount / (ms[0] * 1e-3);
    test->spread = n > 1 ? 1 - ms[0] / median : -1;
    m->roofs->busy = m->roofs->busy || test->spread > DIFFERENT_PART;
}

static void measure(struct measuring *m, struct test *test)
{
    test->spread = -1;
    adjust(m, test);
    take_turns(m, test);
    if (m->why == NULL && !test->is_right(m, test) && m->why == NULL)
        m->why =
            memory_print("%s cannot be measured: the result of %s is wrong, so that its time is of other "
                         "work",
                         m->roofs->device, test->name);
}

/* ---- operations */

static void work_fma(struct measuring *m, const struct test *test)
{
    double x = 1, y = 1;
    float x_single = 1, y_single = 1;
    bool is_double = test->size == sizeof x;
    unsigned rounds = test->amount;
    void *parameters[] = {&m->memory[0], is_double ? (void *)&x : &x_single,
                          is_double ? (void *)&y : &y_single, &rounds};
    TRY(m, launch, "cuLaunchKernel", test->function, m->blocks, 1, 1, KERNEL_THREADS, 1, 1, 0, NULL,
        parameters, NULL);
}

static double number_at(const char *numbers, size_t i, int size)
{
    float single;
    double number;
    memcpy(&single, numbers + i * (size_t)size, sizeof single);
    if (size == (int)sizeof single)
        return (double)single;
    memcpy(&number, numbers + i * (size_t)size, sizeof number);
    return number;
}

/* Each chain has been added to as often as it has calculated: all are looked at, after a turn in memory that
 * held something else. */
static bool is_fma_right(struct measuring *m, const struct test *test)
{
    size_t n = (size_t)m->blocks * KERNEL_THREADS * KERNEL_CHAINS, size = n * (size_t)test->size;
    double steps = (double)test->amount * KERNEL_STEPS;
    char *numbers = memory_more(NULL, n, (size_t)test->size);
    bool right = true;
    TRY(m, fill, "cuMemsetD32", m->memory[0], OTHER, size / 4);
    turn(m, test);
    TRY(m, fetch, "cuMemcpyDtoH", numbers, m->memory[0], size);
    for (size_t i = 0; i < n && m->why == NULL && right; i++) {
        double begin = (double)(i / KERNEL_CHAINS % KERNEL_THREADS + i % KERNEL_CHAINS);
        right = number_at(numbers, i, test->size) == begin + steps;
    }
    free(numbers);
    return right;
}

static void measure_fma(struct measuring *m, const char *kernel, enum roof_precision precision, int size)
{
    struct test test = {.name = precision == ROOF_DOUBLE ? "calculating in double precision"
                                                         : "calculating in single precision",
                        .amount = 1,
                        .most = KERNEL_MOST_STEPS / KERNEL_STEPS,
                        .work = work_fma,
                        .is_right = is_fma_right,
                        .size = size,
                        .units = 2.0 * KERNEL_STEPS * KERNEL_CHAINS * KERNEL_THREADS * m->blocks};
    if (TRY(m, function, "cuModuleGetFunction", &test.function, m->module, kernel))
        measure(m, &test);
    if (m->why == NULL)
        m->roofs->peak[m->roofs->n_peaks++] = (struct roof_peak){
            .name = "FMA", .precision = precision, .rate = {0, test.rate}, .spread = {-1, test.spread}};
}

/* ---- memory */

static void work_copy(struct measuring *m, const struct test *test)
{
    for (unsigned i = 0; i < test->amount && m->why == NULL; i++)
        TRY(m, copy, "cuMemcpyDtoD", m->memory[1], m->memory[0], m->size, NULL);
}

/* Looks at the ends and the middle. */
static bool is_copy_right(struct measuring *m, const struct test *test)
{
    uint32_t part[1024];
    bool right = true;
    (void)test;
    TRY(m, fill, "cuMemsetD32", m->memory[1], OTHER, m->size / 4);
    turn(m, test);
    for (size_t i = 0; i < 3 && m->why == NULL; i++) {
        TRY(m, fetch, "cuMemcpyDtoH", part, m->memory[1] + (m->size - sizeof part) / 2 / 4 * 4 * i,
            sizeof part);
        for (size_t k = 0; k < sizeof part / sizeof *part && m->why == NULL; k++)
            right = right && part[k] == PATTERN;
    }
    return right;
}

static unsigned vectors_of(const struct measuring *m)
{
    return (unsigned)(m->size / ((size_t)m->blocks * KERNEL_THREADS * KERNEL_VECTOR));
}

static void work_read(struct measuring *m, const struct test *test)
{
    unsigned vectors = vectors_of(m);
    void *parameters[] = {&m->memory[1], &m->memory[0], &vectors};
    for (unsigned i = 0; i < test->amount && m->why == NULL; i++)
        TRY(m, launch, "cuLaunchKernel", test->function, m->blocks, 1, 1, KERNEL_THREADS, 1, 1, 0, NULL,
            parameters, NULL);
}

/* Each thread has the sum of all words that it read. */
static bool is_read_right(struct measuring *m, const struct test *test)
{
    size_t n = (size_t)m->blocks * KERNEL_THREADS, size = n * sizeof(uint32_t);
    uint32_t *sum = memory_more(NULL, n, sizeof *sum);
    uint32_t want = (uint32_t)PATTERN * vectors_of(m) * (KERNEL_VECTOR / sizeof(uint32_t));
    bool right = true;
    TRY(m, fill, "cuMemsetD32", m->memory[1], OTHER, n);
    turn(m, test);
    TRY(m, fetch, "cuMemcpyDtoH", sum, m->memory[1], size);
    for (size_t i = 0; i < n && m->why == NULL && right; i++)
        right = sum[i] == want;
    free(sum);
    return right;
}

/* Measures copies, of which the bytes that are read and those that are written count, and reading alone. */
static void measure_memory(struct measuring *m)
{
    struct test copy = {.name = "copying", .work = work_copy, .is_right = is_copy_right},
                read = {.name = "reading", .work = work_read, .is_right = is_read_right};
    copy.amount = read.amount = 1;
    copy.most = read.most = 1 << 16;
    copy.units = 2.0 * (double)m->size;
    read.units = (double)vectors_of(m) * m->blocks * KERNEL_THREADS * KERNEL_VECTOR;
    TRY(m, fill, "cuMemsetD32", m->memory[0], PATTERN, m->size / 4);
    measure(m, &copy);
    if (TRY(m, function, "cuModuleGetFunction", &read.function, m->module, KERNEL_READ))
        measure(m, &read);
    if (m->why != NULL)
        return;
    struct roof_level *memory = &m->roofs->level[m->roofs->n_levels++];
    *memory = (struct roof_level){.name = "memory"};
    for (int loop = 0; loop < STREAM_LOOPS; loop++) {
        const struct test *test = loop == STREAM_READ && read.rate > copy.rate ? &read : &copy;
        memory->rate[loop][ROOFS_ALL] = test->rate;
        memory->spread[loop][ROOFS_ONE] = -1;
        memory->spread[loop][ROOFS_ALL] = test->spread;
    }
}

/* ---- all */

/* Two memories, each much larger than the device's cache and than all results. */
static void find_room(struct measuring *m)
{
    enum { LEAST = 256 << 20, CACHES = 8, SHARE = 4, PAGE = 4096 };
    size_t free_bytes = 0, total = 0,
           results = (size_t)m->blocks * KERNEL_THREADS * KERNEL_CHAINS * sizeof(double);
    if (!TRY(m, room, "cuMemGetInfo", &free_bytes, &total))
        return;
    m->size = m->cache > 0 && (size_t)m->cache * CACHES > LEAST ? (size_t)m->cache * CACHES : LEAST;
    m->size = ((results > m->size ? results : m->size) + PAGE - 1) / PAGE * PAGE;
    if (m->size > free_bytes / SHARE)
        m->why = memory_print("%s cannot be measured: it has %zu MB of memory that is free, and %zu MB are "
                              "needed: end what uses it (nvidia-smi lists that)",
                              m->roofs->device, free_bytes / 1000000, m->size * SHARE / 1000000);
    for (int i = 0; i < 2 && m->why == NULL; i++)
        TRY(m, allocate, "cuMemAlloc", &m->memory[i], m->size);
}

static void prepare(struct measuring *m)
{
    char *text = device_kernels();
    find_calls(m);
    ask(m);
    if (TRY(m, retain, "cuDevicePrimaryCtxRetain", &m->context, m->driver.device) &&
        TRY(m, current, "cuCtxSetCurrent", m->context))
        TRY(m, load, "cuModuleLoadData", &m->module, text);
    TRY(m, event, "cuEventCreate", &m->begun, 0);
    TRY(m, event, "cuEventCreate", &m->ended, 0);
    find_room(m);
    free(text);
}

static void end(struct measuring *m)
{
    for (int i = 0; i < 2; i++)
        if (m->memory[i] != 0)
            m->call.free(m->memory[i]);
    if (m->begun != NULL)
        m->call.end_event(m->begun);
    if (m->ended != NULL)
        m->call.end_event(m->ended);
    if (m->module != NULL)
        m->call.unload(m->module);
    if (m->context != NULL)
        m->call.release(m->driver.device);
}

/* The driver's version as the kernel has it, and CUDA's. */
static void describe(struct measuring *m)
{
    const char *root = secure_getenv("PAPI_SYSROOT"), *version = "";
    struct roofs *roofs = m->roofs;
    struct gpu *gpus = NULL;
    int cuda = 0, n = gpus_find(root != NULL ? root : "", &gpus);
    for (int i = 0; i < n; i++)
        if (gpus[i].vendor == GPU_OF_NVIDIA && gpus[i].version[0] != '\0')
            version = gpus[i].version;
    TRY(m, version, "cuDriverGetVersion", &cuda);
    snprintf(roofs->driver, sizeof roofs->driver, "%s%sCUDA %d.%d, ECC %s", version,
             version[0] != '\0' ? ", " : "", cuda / 1000, cuda % 1000 / 10, m->ecc != 0 ? "on" : "off");
    roofs->measured = time(NULL);
    if (n > 0)
        free(gpus);
}

static void refuse_above(struct measuring *m, const char *what, double rate, double most)
{
    if (m->why == NULL && most > 0 && rate > ABOVE * most)
        m->why =
            memory_print("%s cannot be measured: %s at %.4g G a second would be more than the %.4g G that "
                         "its properties allow: its driver's clock or these are wrong; give the roofs in "
                         "a file, --device-roofs=FILE",
                         m->roofs->device, what, rate * 1e-9, most * 1e-9);
}

/* Compares with the roofs that are computed, where they can be. */
static void compare(struct measuring *m, int number)
{
    struct roofs computed;
    char *none = m->why == NULL ? roofs_of_device(number, &computed) : NULL;
    if (m->why == NULL && none == NULL) {
        for (int i = 0; i < m->roofs->n_peaks; i++)
            refuse_above(m, "calculating", m->roofs->peak[i].rate[ROOFS_ALL],
                         roofs_peak(&computed, m->roofs->peak[i].precision, 1));
        refuse_above(m, "memory", roofs_bandwidth(m->roofs, 0, true, 1),
                     roofs_bandwidth(&computed, 0, true, 1));
    }
    free(none);
}

char *roofs_measure_device(int number, int rounds, struct roofs *roofs)
{
    struct measuring m = {.driver = {.wanted = "measured"}, .roofs = roofs, .rounds = rounds};
    *roofs = (struct roofs){.source = "measured", .cores = 1, .bound = true};
    m.why = cuda_driver_open(&m.driver, number, roofs->device, sizeof roofs->device);
    if (m.why != NULL)
        return m.why;
    prepare(&m);
    measure_fma(&m, KERNEL_DOUBLE, ROOF_DOUBLE, sizeof(double));
    measure_fma(&m, KERNEL_SINGLE, ROOF_SINGLE, sizeof(float));
    measure_memory(&m);
    describe(&m);
    end(&m);
    compare(&m, number);
    return m.why;
}
