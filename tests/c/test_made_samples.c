/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Samples of processors that no machine of these tests is: of Intel's loads in a group of two, of AMD's IBS,
 * of branches, of Arm's SPE. The processor's PMUs are files of a made machine, its events page faults. What
 * it writes into the buffers is made by hand, in memory that the library gets when it maps a buffer.
 */
#undef _FILE_OFFSET_BITS /* functions of both names are replaced */
#undef _TIME_BITS
#include "made_machine.h"
#include "testing.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICES "sys/bus/event_source/devices/"
#define LOADS "cpu/mem-loads,ldlat=3/"
#define IBS "ibs_op/cnt_ctl=1/"
#define FETCHES "ibs_fetch/rand_en=1/"
#define SPE "arm_spe_0/ts_enable=1/"

enum { TYPE_IBS = 11, TYPE_FETCH = 12, TYPE_SPE = 13, TYPE_ATOM = 10, ROOM = 64, PAGES = 40 };
enum { LOADS_CONFIG = 0x1cd, AUX_CONFIG = 0x8203 };

static PAPI_sample_t sample[ROOM];

/* ---- the kernel */

static struct {
    int aux;                     /* a descriptor follows: that of the last mem-loads-aux */
    bool needs_aux, modes_alone; /* it samples loads in a group alone; IBS in all modes alone */
    int leaders, members;
    struct perf_event_attr first, asked; /* the last mem-loads-aux, the last sampled event */
} kernel;

static int stand_in(struct perf_event_attr *attr)
{
    attr->type = PERF_TYPE_SOFTWARE;
    attr->config = PERF_COUNT_SW_PAGE_FAULTS;
    attr->config1 = attr->precise_ip = 0;
    attr->sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK; /* which these have not */
    attr->branch_sample_type = 0;
    return 0;
}

static int answer_core(struct perf_event_attr *attr)
{
    if (attr->config == AUX_CONFIG) {
        kernel.first = *attr;
        kernel.leaders++;
        return made_machine_leader == -1 ? stand_in(attr) : EINVAL;
    }
    if (attr->sample_period == 0)
        return stand_in(attr);
    kernel.asked = *attr;
    kernel.members += made_machine_leader >= 0;
    if (kernel.needs_aux && attr->config == LOADS_CONFIG && made_machine_leader < 0)
        return ENODATA;
    if (made_machine_leader >= 0 && (attr->pinned || attr->disabled))
        return EINVAL;
    return stand_in(attr);
}

static int answer(struct perf_event_attr *attr, int thread, int cpu)
{
    bool excludes = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
    (void)thread, (void)cpu;
    if (attr->type == PERF_TYPE_RAW || attr->type == TYPE_ATOM)
        return answer_core(attr);
    if (attr->type != TYPE_IBS && attr->type != TYPE_FETCH && attr->type != TYPE_SPE)
        return 0;
    kernel.asked = *attr;
    if (attr->type != TYPE_SPE && ((kernel.modes_alone && excludes) || attr->sample_period % 16 != 0))
        return EINVAL;
    return stand_in(attr);
}

/* ---- its buffers */

static struct {
    bool made;
    struct perf_event_mmap_page *ring;
    char *records;
    uint8_t *aux;
    size_t aux_size;
} buffers;

static void *made_map(size_t length, off_t offset)
{
    char *memory = calloc(1, length);
    CHECK(memory != NULL);
    if (offset != 0) {
        buffers.aux = (uint8_t *)memory;
        buffers.aux_size = length;
    } else {
        buffers.ring = (struct perf_event_mmap_page *)memory;
        buffers.records = memory + sysconf(_SC_PAGESIZE);
    }
    return memory;
}

#define VISIBLE __attribute__((visibility("default")))

static bool is_made(int protection, int flags, int fd)
{
    return buffers.made && fd >= 0 && (protection & PROT_WRITE) != 0 && (flags & MAP_SHARED) != 0;
}

VISIBLE void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (is_made(protection, flags, fd))
        return made_map(length, offset);
    return ((__typeof__(mmap) *)dlsym(RTLD_NEXT, "mmap"))(at, length, protection, flags, fd, offset);
}

#ifdef __GLIBC__
VISIBLE void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t offset)
{
    if (is_made(protection, flags, fd))
        return made_map(length, (off_t)offset);
    return ((__typeof__(mmap64) *)dlsym(RTLD_NEXT, "mmap64"))(at, length, protection, flags, fd, offset);
}
#endif

VISIBLE int munmap(void *at, size_t length)
{
    if (at == buffers.ring || at == buffers.aux) {
        free(at);
        return 0;
    }
    return ((__typeof__(munmap) *)dlsym(RTLD_NEXT, "munmap"))(at, length);
}

static void put(const void *bytes, size_t size)
{
    memcpy(buffers.records + buffers.ring->data_head, bytes, size);
    buffers.ring->data_head += size;
}

static void put_word(uint64_t word)
{
    put(&word, sizeof word);
}

enum { IP = 0x401136, ADDRESS = 0x7f1234560040 };

/* Begins a sample's record, with the fields before those that differ. */
static void put_head(size_t size)
{
    const struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                                             (uint16_t)(sizeof header + 5 * 8 + size)};
    put(&header, sizeof header);
    put_word(IP);
    put_word(UINT64_C(4712) << 32 | 4711); /* thread, process */
    put_word(1000);                        /* time */
    put_word(ADDRESS);
    put_word(2); /* CPU */
}

/* ---- machines */

static void machine(void)
{
    memset(&kernel, 0, sizeof kernel);
    memset(&buffers, 0, sizeof buffers);
    made_machine_answer = answer;
    CHECK(made_machine_create() == 0);
    made_machine_put("sys/devices/system/cpu/online", "0-1\n");
}

/* Intel's cores. */
static void put_cores(const char *pmu, int type, bool aux)
{
    static const char *const files[][2] = {{"format/event", "config:0-7\n"},
                                           {"format/umask", "config:8-15\n"},
                                           {"format/ldlat", "config1:0-15\n"},
                                           {"events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
                                           {"events/mem-loads-aux", "event=0x03,umask=0x82\n"}};
    char path[128];
    made_machine_put_pmu(pmu, type, strcmp(pmu, "cpu") == 0 ? NULL : "0-1\n");
    for (int i = 0; i < 4 + aux; i++) {
        snprintf(path, sizeof path, DEVICES "%s/%s", pmu, files[i][0]);
        made_machine_put(path, files[i][1]);
    }
}

static void machine_ends(void)
{
    PAPI_shutdown();
    made_machine_answer = NULL;
    CHECK(made_machine_remove() == 0);
}

/* ---- Intel: mem-loads-aux */

static void touched(int sampler)
{
    int n = ROOM;
    OK(PAPI_sample_start(sampler));
    test_touch_pages(PAGES);
    OK(PAPI_sample_stop(sampler));
    OK(PAPI_sample_read(sampler, sample, &n));
    CHECK(n > PAGES / 2);
    test_touch_pages(PAGES); /* after the stop */
    n = ROOM;
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 0);
}

static void loads_in_a_group(void *unused)
{
    (void)unused;
    int sampler, before;
    machine();
    put_cores("cpu", PERF_TYPE_RAW, true);
    kernel.needs_aux = true;
    test_init();
    before = test_open_descriptors();
    OK(PAPI_sample_open(LOADS, 1, 0, &sampler));
    EQUAL(kernel.leaders, 1);
    CHECK(kernel.first.disabled && kernel.first.pinned && kernel.first.sample_period == 0);
    CHECK(kernel.members > 0 && kernel.asked.config == LOADS_CONFIG && kernel.asked.config1 == 3);
    EQUAL(test_open_descriptors(), before + 2);
    touched(sampler);
    touched(sampler);
    OK(PAPI_sample_close(&sampler));
    EQUAL(test_open_descriptors(), before);
    machine_ends();
}

/* Without it where the kernel does not list it, and for other events. */
static void loads_alone(void *unused)
{
    (void)unused;
    int sampler;
    machine();
    put_cores("cpu", PERF_TYPE_RAW, false);
    test_init();
    OK(PAPI_sample_open(LOADS, 1, 0, &sampler));
    EQUAL(kernel.leaders, 0);
    touched(sampler);
    OK(PAPI_sample_close(&sampler));
    machine_ends();
    machine();
    put_cores("cpu", PERF_TYPE_RAW, true);
    test_init();
    OK(PAPI_sample_open("cpu/event=0xd0,umask=0x81/", 1, 0, &sampler));
    EQUAL(kernel.leaders, 0);
    touched(sampler);
    OK(PAPI_sample_close(&sampler));
    machine_ends();
}

static void loads_of_two_kinds_of_cores(void *unused)
{
    (void)unused;
    int sampler;
    machine();
    put_cores("cpu_core", PERF_TYPE_RAW, true);
    put_cores("cpu_atom", TYPE_ATOM, false);
    test_init();
    OK(PAPI_sample_open("cpu_core/mem-loads,ldlat=3/", 1, 0, &sampler));
    EQUAL(kernel.leaders, 1);
    touched(sampler);
    OK(PAPI_sample_close(&sampler));
    OK(PAPI_sample_open("cpu_atom/mem-loads,ldlat=3/", 1, 0, &sampler));
    EQUAL(kernel.leaders, 1);
    touched(sampler);
    OK(PAPI_sample_close(&sampler));
    machine_ends();
}

/* ---- AMD: registers */

static void put_ibs(void)
{
    made_machine_put_pmu("cpu", PERF_TYPE_RAW, NULL);
    made_machine_put_pmu("ibs_op", TYPE_IBS, NULL);
    made_machine_put(DEVICES "ibs_op/format/cnt_ctl", "config:19\n");
    made_machine_put_pmu("ibs_fetch", TYPE_FETCH, NULL);
    made_machine_put(DEVICES "ibs_fetch/format/rand_en", "config:57\n");
}

static void put_registers(const uint64_t *value, size_t n)
{
    uint32_t head[2] = {(uint32_t)(4 + 8 * n), 1U << 9}; /* the size, the capabilities */
    put_head(sizeof head + 8 * n + 16);
    put(head, sizeof head);
    put(value, 8 * n);
    put_word(0); /* weight and source, as old kernels have them */
    put_word(PERF_MEM_S(OP, NA));
}

static void registers_of_ibs(void *unused)
{
    (void)unused;
    const uint64_t bit = 1;
    /* IbsOpCtl, IbsOpRip, IbsOpData to IbsOpData3, IbsDcLinAd, IbsDcPhysAd */
    const uint64_t load[7] = {0,
                              IP + 4,
                              0,
                              1,
                              bit << 0 | bit << 2 | bit << 7 | bit << 15 | bit << 17 | bit << 20 |
                                  UINT64_C(50) << 32,
                              ADDRESS + 8,
                              0},
                   other[7] = {0, IP + 8, bit << 38, 0, 0, 0, 0}; /* no access, whose place is not known */
    int sampler, n = ROOM;
    machine();
    put_ibs();
    test_init();
    REFUSES(PAPI_sample_open(IBS, 1001, 0, &sampler), PAPI_EINVAL, "multiples of 16");
    buffers.made = true;
    OK(PAPI_sample_open(IBS, 16000, 0, &sampler));
    CHECK((kernel.asked.sample_type & PERF_SAMPLE_RAW) != 0);
    OK(PAPI_sample_start(sampler));
    put_registers(load, 7);
    put_registers(other, 7);
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 2);
    EQUAL(sample[0].instruction, IP + 4);
    EQUAL(sample[0].address, ADDRESS + 8);
    EQUAL(sample[0].access, PAPI_SAMPLE_LOAD);
    EQUAL(sample[0].level, PAPI_SAMPLE_L3);
    EQUAL(sample[0].tlb, PAPI_SAMPLE_TLB_SECOND);
    EQUAL(sample[0].latency, 50);
    EQUAL(sample[0].flags, PAPI_SAMPLE_EXACT | PAPI_SAMPLE_LOCKED);
    EQUAL(sample[0].period, 16000);
    EQUAL(sample[0].thread, 4712);
    EQUAL(sample[1].instruction, IP);
    CHECK(sample[1].address == 0 && sample[1].access == 0 && sample[1].flags == 0 && sample[1].latency == -1);
    OK(PAPI_sample_close(&sampler));
    buffers.made = false;
    machine_ends();
}

static void fetches_of_ibs(void *unused)
{
    (void)unused;
    const uint64_t bit = 1, fetch[3] = {bit << 50 | bit << 51 | UINT64_C(12) << 32, IP + 64, 0};
    int sampler, n = ROOM;
    machine();
    put_ibs();
    test_init();
    buffers.made = true;
    OK(PAPI_sample_open(FETCHES, 16000, 0, &sampler));
    OK(PAPI_sample_start(sampler));
    put_registers(fetch, 3);
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 1);
    CHECK(sample[0].instruction == IP + 64 && sample[0].address == IP + 64);
    CHECK(sample[0].access == PAPI_SAMPLE_EXECUTION && sample[0].level == PAPI_SAMPLE_L2 &&
          sample[0].latency == 12);
    OK(PAPI_sample_close(&sampler));
    buffers.made = false;
    machine_ends();
}

static void modes_of_ibs(void *unused)
{
    (void)unused;
    int sampler;
    machine();
    put_ibs();
    kernel.modes_alone = true;
    test_init();
    REFUSES(PAPI_sample_open(IBS, 16000, 0, &sampler), PAPI_ENOSUPP, "PAPI_DOM_ALL");
    OK(PAPI_set_domain(PAPI_DOM_ALL));
    OK(PAPI_sample_open(IBS, 16000, 0, &sampler));
    OK(PAPI_sample_close(&sampler));
    machine_ends();
}

/* ---- branches, loads that the kernel describes */

static void put_branches(int n, uint64_t weight, uint64_t source)
{
    put_head(8 + 24 * (size_t)n + 16);
    put_word((uint64_t)n);
    for (int i = 0; i < n; i++) {
        put_word(IP + 16 * (uint64_t)i);
        put_word(IP - 16 * (uint64_t)i);
        put_word((i == 0 ? 1 : 2) | 7 << 4); /* mispredicted, predicted; cycles */
    }
    put_word(weight);
    put_word(source);
}

static void branches(void *unused)
{
    (void)unused;
    PAPI_branch_t branch[8];
    int sampler, n = ROOM;
    machine();
    put_cores("cpu", PERF_TYPE_RAW, false);
    test_init();
    buffers.made = true;
    OK(PAPI_sample_open(LOADS, 1000, PAPI_SAMPLE_WITH_BRANCHES, &sampler));
    CHECK((kernel.asked.sample_type & PERF_SAMPLE_BRANCH_STACK) != 0);
    OK(PAPI_sample_start(sampler));
    put_branches(3, 312, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, LOC_RAM));
    put_branches(2, 99, PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1));
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 2);
    CHECK(sample[0].latency == 312 && sample[0].level == PAPI_SAMPLE_LOCAL_MEMORY && sample[0].branches == 3);
    CHECK(sample[1].latency == -1 && sample[1].access == PAPI_SAMPLE_STORE && sample[1].first_branch == 3);
    n = 4;
    CODE(PAPI_sample_branches(sampler, branch, &n), PAPI_EBUF);
    EQUAL(n, 5);
    n = 8;
    OK(PAPI_sample_branches(sampler, branch, &n));
    EQUAL(n, 5);
    CHECK(branch[0].flags == PAPI_BRANCH_MISPREDICTED && branch[1].flags == PAPI_BRANCH_PREDICTED);
    CHECK(branch[3].from == IP && branch[4].from == IP + 16 && branch[4].to == IP - 16 &&
          branch[4].cycles == 7);
    OK(PAPI_sample_close(&sampler));
    buffers.made = false;
    machine_ends();
}

/* ---- Arm: packets */

static void put_spe_pmu(const char *midr)
{
    made_machine_put_pmu("arm_spe_0", TYPE_SPE, NULL);
    made_machine_put(DEVICES "arm_spe_0/cpumask", "0-1\n");
    made_machine_put(DEVICES "arm_spe_0/format/ts_enable", "config:0\n");
    made_machine_put(DEVICES "arm_spe_0/caps/min_interval", "1024\n");
    made_machine_put("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", midr);
}

static void put_byte(uint64_t *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        buffers.aux[(*at)++ % buffers.aux_size] = (uint8_t)(value >> 8 * i);
}

/* A load that took so many cycles, from the source L3, as it is written. */
static void put_load(int latency)
{
    uint64_t at = buffers.ring->aux_head;
    put_byte(&at, 0xb0, 1);
    put_byte(&at, IP, 8);
    put_byte(&at, 0x49, 1);
    put_byte(&at, 0, 1);
    put_byte(&at, 0x62, 1);
    put_byte(&at, 1 << 2 | 1 << 3, 4); /* an access to L1, which missed */
    put_byte(&at, 0x98, 1);
    put_byte(&at, (uint64_t)latency, 2);
    put_byte(&at, 0xb2, 1);
    put_byte(&at, ADDRESS, 8);
    put_byte(&at, 0x43, 1);
    put_byte(&at, 0xb, 1);
    put_byte(&at, 0x01, 1);
    while (at % 64 != 0)
        put_byte(&at, 0, 1);
    buffers.ring->aux_head = at;
}

static void put_truncated(void)
{
    const struct perf_event_header header = {PERF_RECORD_AUX, 0, (uint16_t)(sizeof header + 24)};
    put(&header, sizeof header);
    put_word(0);
    put_word(64);
    put_word(1);
}

static void packets_of_spe(void *unused)
{
    (void)unused;
    int sampler, n = ROOM;
    long long lost = -1;
    machine();
    put_spe_pmu("0x00000000413fd0c1\n"); /* Neoverse N1 */
    test_init();
    buffers.made = true;
    REFUSES(PAPI_sample_open(SPE, 1000, 0, &sampler), PAPI_EINVAL, "multiples of 256 from 1024 on");
    REFUSES(PAPI_sample_open(SPE, 512, 0, &sampler), PAPI_EINVAL, "from 1024 on");
    CODE(PAPI_sample_open(SPE, 4096, PAPI_SAMPLE_WITH_BRANCHES, &sampler), PAPI_ENOSUPP);
    CHECK(strstr(PAPI_strerror(PAPI_ENOSUPP), "papi_emulate") != NULL);
    OK(PAPI_sample_open(SPE, 4096, 0, &sampler));
    EQUAL(kernel.asked.config, 1);
    OK(PAPI_sample_start(sampler));
    put_load(200);
    put_load(201);
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 2);
    for (int i = 0; i < n; i++) {
        CHECK(sample[i].instruction == IP && sample[i].address == ADDRESS && sample[i].latency == 200 + i);
        CHECK(sample[i].access == PAPI_SAMPLE_LOAD && sample[i].level == PAPI_SAMPLE_L3);
        CHECK(sample[i].flags == PAPI_SAMPLE_EXACT && sample[i].cpu == -1 && sample[i].thread == getpid());
    }
    /* Around the end of the buffer many times. */
    int read = 0;
    for (int i = 0; i < 20000; i++) {
        put_load(1 + i % 1000);
        if (i % 50 == 49) {
            n = ROOM;
            OK(PAPI_sample_read(sampler, sample, &n));
            CHECK(n == 50 && sample[n - 1].latency == 1 + i % 1000);
            read += n;
        }
    }
    EQUAL(read, 20000);
    EQUAL(buffers.ring->aux_tail, buffers.ring->aux_head);
    OK(PAPI_sample_lost(sampler, &lost));
    EQUAL(lost, 0);
    put_truncated();
    REFUSES(PAPI_sample_stop(sampler), PAPI_ECLOST, "or more");
    OK(PAPI_sample_close(&sampler));
    buffers.made = false;
    machine_ends();
}

/* Packets that are none, a head that cannot be, and no handler. The sources of other cores are not guessed.
 */
static void hostile_packets_of_spe(void *unused)
{
    (void)unused;
    int sampler, n = ROOM;
    long long lost = -1;
    machine();
    put_spe_pmu("0x00000000460f0010\n");
    test_init();
    buffers.made = true;
    OK(PAPI_sample_open(SPE, 4096, 0, &sampler));
    OK(PAPI_sample_start(sampler));
    put_load(5);
    memset(buffers.aux + 64, 0xff, 64);
    buffers.ring->aux_head += 64;
    put_load(6);
    put_load(7);
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 2);
    CHECK(sample[0].latency == 5 && sample[1].latency == 7 && sample[0].level == PAPI_SAMPLE_BEYOND_L1);
    OK(PAPI_sample_lost(sampler, &lost));
    EQUAL(lost, 1);
    buffers.ring->aux_head = UINT64_MAX / 2;
    n = ROOM;
    OK(PAPI_sample_read(sampler, sample, &n));
    EQUAL(n, 0);
    CODE(PAPI_sample_stop(sampler), PAPI_ECLOST);
    CODE(PAPI_sample_handler(sampler, (PAPI_sample_handler_t)abort), PAPI_ENOSUPP);
    OK(PAPI_sample_close(&sampler));
    buffers.made = false;
    machine_ends();
}

/* ---- each in a process of its own, since the library keeps what it has found out */

static void run(void (*body)(void *))
{
    NEED_SOFTWARE_EVENTS();
    PAPI_shutdown();
    test_in_child(body, NULL);
}

#define TEST(body)                                                                                           \
    static void test_##body(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        run(body);                                                                                           \
    }
TEST(loads_in_a_group)
TEST(loads_alone)
TEST(loads_of_two_kinds_of_cores)
TEST(registers_of_ibs)
TEST(fetches_of_ibs)
TEST(modes_of_ibs)
TEST(branches)
TEST(packets_of_spe)
TEST(hostile_packets_of_spe)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_in_a_group),
        cmocka_unit_test(test_loads_alone),
        cmocka_unit_test(test_loads_of_two_kinds_of_cores),
        cmocka_unit_test(test_registers_of_ibs),
        cmocka_unit_test(test_fetches_of_ibs),
        cmocka_unit_test(test_modes_of_ibs),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_packets_of_spe),
        cmocka_unit_test(test_hostile_packets_of_spe),
    };
    return TEST_RUN(tests);
}
