/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The component cuda on a machine with a device: counts of a kernel whose instructions are known, and what
 * the machine has. Skipped where there is no driver or no device.
 */
#include "testing.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Each thread executes n fused multiply-adds, one after the other. */
static const char kernel_text[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry multiply_adds(.param .u64 result, .param .u32 count)\n{\n"
    "    .reg .f64 %x, %a;\n    .reg .u32 %i, %n;\n    .reg .u64 %to;\n    .reg .pred %more;\n"
    "    ld.param.u64 %to, [result];\n    ld.param.u32 %n, [count];\n    cvta.to.global.u64 %to, %to;\n"
    "    mov.f64 %x, 0d3FF0000000000000;\n    mov.f64 %a, 0d3FE0000000000000;\n    mov.u32 %i, 0;\n"
    "again:\n    fma.rn.f64 %x, %x, %a, %a;\n    add.u32 %i, %i, 1;\n    setp.lt.u32 %more, %i, %n;\n"
    "    @%more bra again;\n    st.global.f64 [%to], %x;\n    ret;\n}\n";

enum { BLOCKS = 64, THREADS = 128, TURNS = 1000 };

static struct {
    int (*init)(unsigned), (*count)(int *), (*name)(char *, int, int);
    int (*retain)(void **, int), (*set_current)(void *), (*load)(void **, const void *);
    int (*function)(void **, void *, const char *), (*allocate)(uint64_t *, size_t);
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    int (*wait)(void);
} cu;

static const char *why_no_device(int *n)
{
    static const struct {
        void *to;
        const char *name;
    } functions[] = {{&cu.init, "cuInit"},
                     {&cu.count, "cuDeviceGetCount"},
                     {&cu.name, "cuDeviceGetName"},
                     {&cu.retain, "cuDevicePrimaryCtxRetain"},
                     {&cu.set_current, "cuCtxSetCurrent"},
                     {&cu.load, "cuModuleLoadData"},
                     {&cu.function, "cuModuleGetFunction"},
                     {&cu.allocate, "cuMemAlloc_v2"},
                     {&cu.launch, "cuLaunchKernel"},
                     {&cu.wait, "cuCtxSynchronize"}};
    void *library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (library == NULL)
        return "there is no libcuda.so.1";
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *address = dlsym(library, functions[i].name);
        if (address == NULL)
            return functions[i].name;
        memcpy(functions[i].to, &address, sizeof address);
    }
    if (cu.init(0) != 0 || cu.count(n) != 0 || *n < 1)
        return "the driver has no device";
    return NULL;
}

static int n_devices;

static void need_device(void)
{
    const char *why = why_no_device(&n_devices);
    if (why != NULL)
        SKIP("%s", why);
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

static void *kernel;
static uint64_t place;

static void prepare(int device)
{
    void *context, *module;
    char name[64] = "";
    cu.name(name, sizeof name, device);
    printf("device %d: %s\n", device, name);
    assert_int_equal(cu.retain(&context, device), 0);
    assert_int_equal(cu.set_current(context), 0);
    assert_int_equal(cu.load(&module, kernel_text), 0);
    assert_int_equal(cu.function(&kernel, module, "multiply_adds"), 0);
    assert_int_equal(cu.allocate(&place, 8), 0);
}

static void run(unsigned turns)
{
    void *arguments[] = {&place, &turns};
    assert_int_equal(cu.launch(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL), 0);
}

static int set_with(const char *event, int device)
{
    int es = PAPI_NULL;
    char name[PAPI_MAX_STR_LEN];
    snprintf(name, sizeof name, "cuda:::%s:device=%d", event, device);
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    int code = PAPI_add_named_event(es, name);
    if (code != PAPI_OK)
        fail_msg("%s: %s", name, PAPI_strerror(code));
    return es;
}

static void component(void **state)
{
    (void)state;
    need_device();
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index("cuda"));
    printf("cuda: %d events; disabled: %d %s; in part: %d %s\n", info->num_native_events, info->disabled,
           info->disabled_reason, info->partially_disabled, info->partially_disabled_reason);
    assert_int_equal(info->disabled, PAPI_OK);
    assert_true(info->num_native_events > 1000);
}

/* The number of instructions is exact, also where the kernel still runs when the set is read. */
static void multiply_adds(void **state)
{
    (void)state;
    need_device();
    for (int device = 0; device < n_devices; device++) {
        long long value, wanted = (long long)BLOCKS * THREADS * TURNS;
        prepare(device);
        int es = set_with("smsp__sass_thread_inst_executed_op_dfma_pred_on:stat=sum", device);
        assert_int_equal(PAPI_start(es), PAPI_OK);
        for (int i = 1; i <= 3; i++) {
            run(TURNS);
            assert_int_equal(PAPI_read(es, &value), PAPI_OK);
            printf("%lld of %lld multiply-adds\n", value, i * wanted);
            assert_int_equal(value, i * wanted);
        }
        assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
        assert_int_equal(value, 3 * wanted);
        run(TURNS);
        assert_int_equal(cu.wait(), 0);
        assert_int_equal(PAPI_start(es), PAPI_OK);
        assert_int_equal(PAPI_stop(es, &value), PAPI_OK);
        assert_int_equal(value, 0);
        PAPI_cleanup_eventset(es);
    }
}

/* A kernel of ten times the turns takes between five and twenty times the cycles. */
static void cycles(void **state)
{
    (void)state;
    need_device();
    prepare(0);
    long long value[2];
    int es = set_with("sm__cycles_active:stat=sum", 0);
    run(10); /* the first launch loads it */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(PAPI_start(es), PAPI_OK);
        run(i == 0 ? 100000 : 1000000);
        assert_int_equal(PAPI_stop(es, &value[i]), PAPI_OK);
        printf("%lld active cycles\n", value[i]);
    }
    assert_true(value[1] > 5 * value[0] && value[1] < 20 * value[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(component), cmocka_unit_test(multiply_adds),
                                       cmocka_unit_test(cycles)};
    return TEST_RUN(tests);
}
