/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"
#include "papi.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

const char *own_architecture(void)
{
#if defined __x86_64__
    return "amd64";
#elif defined __i386__
    return "i386";
#elif defined __aarch64__
    return "arm64";
#elif defined __arm__
    return "armhf";
#elif defined __powerpc64__
    return "ppc64el";
#elif defined __s390x__
    return "s390x";
#elif defined __mips__
    return "mips64el";
#elif defined __sparc__
    return "sparc64";
#elif defined __riscv
    return "riscv64";
#else
    return "another architecture";
#endif
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool stands_for_any(const char *name)
{
    return strcmp(name, "generic") == 0 || strcmp(name, "emulated") == 0 || strcmp(name, "counted") == 0;
}

/* The counters that a thread has, of the n that libpfm4 states: these are those of a core whose threads share
 * them, or too many. */
static int counters_of_thread(const char *name, int n)
{
    static const char *const halved[] = {"snb", "ivb", "hsw", "bdw", "skl",
                                         "skx", "clx", "icl", "icx", "spr"};
    for (size_t i = 0; i < sizeof halved / sizeof halved[0]; i++)
        if (begins(name, halved[i]))
            return n / 2;
    return strcmp(name, "slm") == 0 ? 2 : n;
}

void cpu_find(struct cpu *cpu)
{
    /* The kernel's events, whatever the processor; and the emulator's. */
    cpu->rule = rule_has_form(cpu->name);
    cpu->processor = !stands_for_any(cpu->name) && !cpu->rule;
    cpu->encodable = !cpu->processor;
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) != PFM_SUCCESS || strcmp(info.name, cpu->name) != 0)
            continue;
        cpu->encodable = true;
        /* libpfm4's own name for the kernel's events */
        cpu->processor = info.type == PFM_PMU_TYPE_CORE;
        cpu->n_counters = counters_of_thread(info.name, info.num_cntrs);
        cpu->n_fixed = info.num_fixed_cntrs;
    }
}

/* ---- encoding */

/* Events of the components that count what instructions do, which are in no library. */
static const struct own_events {
    const char *cpu, *prefix;
    bool caches;
} own_events[] = {{"emulated", "emu::", true}, {"counted", "counted::", false}};

static const struct own_events *own_events_of(const char *cpu)
{
    for (size_t i = 0; i < sizeof own_events / sizeof own_events[0]; i++)
        if (strcmp(own_events[i].cpu, cpu) == 0)
            return &own_events[i];
    return NULL;
}

static bool encode_own(const struct own_events *own, const char *native, struct encoding *out)
{
    static const struct {
        const char *name;
        bool cache;
    } names[] = {
#define EVENT(name, description) {#name, false},
#define CACHE_EVENT(name, description) {#name, true},
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
    };
    size_t length = strlen(own->prefix);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(own->prefix, native, length) == 0 && strcmp(names[i].name, native + length) == 0 &&
            (own->caches || !names[i].cache)) {
            *out = (struct encoding){.config = i};
            return true;
        }
    return false;
}

static void encode(struct checker *c, const struct cpu *cpu, const struct row *row, const char *native,
                   struct encoding *out)
{
    char name[PAPI_HUGE_STR_LEN];
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t argument = {.attr = &attr, .size = sizeof argument};
    bool qualified = strstr(native, "::") != NULL;
    c->n_encoded++;
    const struct own_events *own = own_events_of(cpu->name);
    if (own != NULL) {
        if (!encode_own(own, native, out))
            fault_at(c, row->file, row->line, "the component %s has no event %s", cpu->name, native);
        return;
    }
    if (!qualified && strcmp(cpu->name, "generic") == 0) {
        fault_at(c, row->file, row->line, "%s names no PMU: perf::%s?", native, native);
        return;
    }
    snprintf(name, sizeof name, "%s%s%s", qualified ? "" : cpu->name, qualified ? "" : "::", native);
    if (fields_have_form(native)) {
        if (!fields_encode(native, is_amd(cpu), out))
            fault_at(c, row->file, row->line, "%s: a field that the checker does not know", native);
        return;
    }
    int code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (code != PFM_SUCCESS)
        fault_at(c, row->file, row->line, "%s: %s", name, pfm_strerror(code));
    *out = (struct encoding){attr.type, attr.config, attr.config1, attr.config2};
}

/* Checks the spelling of a rule's native event. The kernel says what the fields and events mean. */
static void check_form(struct checker *c, const struct row *row, const char *native)
{
    struct reason why = {0};
    if (rule_native_check(native, &why) != PAPI_OK)
        fault_at(c, row->file, row->line, "%s", why.text);
    c->n_of_rules++;
}

static void encode_preset(struct checker *c, struct cpu *cpu, int preset)
{
    const struct row *row = cpu->row[preset];
    if (row == NULL || row->none)
        return;
    for (int i = 0; cpu->rule && i < row->parts->n_natives; i++)
        check_form(c, row, row->parts->native[i]);
    if (cpu->rule)
        return;
    cpu->code[preset] = calloc((size_t)row->parts->n_natives, sizeof *cpu->code[preset]);
    if (cpu->code[preset] == NULL)
        abort();
    for (int i = 0; i < row->parts->n_natives; i++)
        encode(c, cpu, row, row->parts->native[i], &cpu->code[preset][i]);
}

bool same_encoding(const struct encoding *a, const struct encoding *b)
{
    return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
           a->config2 == b->config2;
}

/* The first native event of a processor with this encoding. */
static const char *first_name(const struct cpu *cpu, const struct encoding *code)
{
    for (int p = 0; p < PRESET_COUNT; p++)
        for (int i = 0; cpu->code[p] != NULL && i < cpu->row[p]->parts->n_natives; i++)
            if (same_encoding(&cpu->code[p][i], code))
                return cpu->row[p]->parts->native[i];
    return NULL;
}

/* Checks that an event has one name in a table: a reader takes two names for two events. */
static void check_names(struct checker *c, const struct cpu *cpu, int preset)
{
    const struct row *row = cpu->row[preset];
    for (int i = 0; cpu->code[preset] != NULL && i < row->parts->n_natives; i++) {
        const char *native = row->parts->native[i], *other = first_name(cpu, &cpu->code[preset][i]);
        if (strcmp(native, other) != 0)
            fault_at(c, row->file, row->line, "%s is %s by another name on %s", native, other, cpu->name);
    }
}

void events_encode(struct checker *c)
{
    for (int i = 0; i < c->n_cpus; i++)
        for (int p = 0; c->cpu[i].encodable && p < PRESET_COUNT; p++)
            encode_preset(c, &c->cpu[i], p);
    for (int i = 0; i < c->n_cpus; i++)
        for (int p = 0; p < PRESET_COUNT; p++)
            check_names(c, &c->cpu[i], p);
}

/* ---- counters */

/* The counter of POWER that an event asks for, 1 ...; 0: any of them. */
static int power_counter(const struct cpu *cpu, const struct encoding *code)
{
    static const struct {
        const char *name;
        int shift;
    } fields[] = {{"power4", 12}, {"power5", 20}, {"power6", 20}, {"power", 16}, {"ppc64", 16}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (begins(cpu->name, fields[i].name))
            return (int)(code->config >> fields[i].shift & 15);
    return 0;
}

/* A counter that counts this event and no other. */
static bool has_own_counter(const struct cpu *cpu, const struct encoding *code)
{
    if (begins(cpu->name, "arm_") || begins(cpu->name, "qcom_"))
        return code->config == 0x11 || code->config == 0xff; /* cycles, which libpfm4 does not number */
    if (code->type == PERF_TYPE_HARDWARE)
        return code->config == PERF_COUNT_HW_CPU_CYCLES ||
               (is_intel(cpu) && code->config == PERF_COUNT_HW_INSTRUCTIONS);
    if (begins(cpu->name, "power") || begins(cpu->name, "ppc64"))
        return power_counter(cpu, code) > 4;
    if (cpu->n_fixed == 0)
        return false;
    /* Intel: instructions, cycles, reference cycles, slots, without conditions */
    return code->config == 0xc0 || code->config == 0x3c || code->config == 0x300 || code->config == 0x400;
}

/* The counters that an event takes: on family 17h and 19h one of up to 64 operations a cycle takes two. */
static int counters_of(const struct cpu *cpu, const struct encoding *code)
{
    bool zen = begins(cpu->name, "amd64_fam17h") || begins(cpu->name, "amd64_fam19h");
    return (zen || (cpu->ruled && is_amd(cpu))) && (code->config & 0xf000000ff) == 3 ? 2 : 1;
}

/* True if an event sets one of the registers that choose requests beyond the core, as the kernel's generic
 * events of the last level do on Intel. */
static bool is_offcore(const struct cpu *cpu, const struct encoding *code)
{
    unsigned event = code->config & 0xff;
    if (code->type == PERF_TYPE_HW_CACHE)
        return is_intel(cpu) && event == PERF_COUNT_HW_CACHE_LL;
    return code->type == PERF_TYPE_RAW && code->config1 != 0 &&
           (event == 0xb7 || event == 0xbb || event == 0x2a || event == 0x2b);
}

static bool seen(const struct encoding *code, int i)
{
    for (int k = 0; k < i; k++)
        if (same_encoding(&code[k], &code[i]))
            return true;
    return false;
}

static int counter_collisions(const struct cpu *cpu, const struct encoding *code, int n)
{
    int collisions = 0, used[16] = {0};
    for (int i = 0; i < n; i++) {
        int counter = seen(code, i) ? 0 : power_counter(cpu, &code[i]);
        collisions += counter != 0 && used[counter]++ > 0;
    }
    return collisions;
}

int events_too_many(const struct cpu *cpu, int preset, const char **limit)
{
    const struct encoding *code = cpu->code[preset];
    int n = cpu->row[preset]->parts->n_natives, general = 0, offcore = 0;
    bool x86 = !begins(cpu->name, "arm") && !begins(cpu->name, "power") && !begins(cpu->name, "ppc64");
    for (int i = 0; i < n; i++) {
        if (seen(code, i) || code[i].type == PERF_TYPE_SOFTWARE)
            continue;
        general += has_own_counter(cpu, &code[i]) ? 0 : counters_of(cpu, &code[i]);
        offcore += x86 && is_offcore(cpu, &code[i]);
    }
    int registers = begins(cpu->name, "nhm") ? 1 : 2;
    *limit = "registers for requests beyond the core";
    if (offcore > registers)
        return offcore - registers;
    *limit = "events on one counter";
    if (counter_collisions(cpu, code, n) > 0)
        return counter_collisions(cpu, code, n);
    *limit = "counters";
    int counters = cpu->n_counters + (begins(cpu->name, "cpum_") ? cpu->n_fixed : 0);
    return general > counters ? general - counters : 0;
}
