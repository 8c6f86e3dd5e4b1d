/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Events of the processor's cores that are encoded without libpfm4: those of the tables of presets, and what
 * programs count most, by the names that libpfm4 gives them ("skx::INST_RETIRED", or without the PMU, as
 * tables have them), on processors that a model number tells. libpfm4 has a megabyte of tables to relocate,
 * or reads /proc/cpuinfo hundreds of times, before it answers for the first event. The encodings are its own:
 * a test compares all of them with it, and that it takes names without a PMU for these cores': it looks
 * through its list, in which what else a machine has comes later or has other names. A name in any other
 * form, and all else that is asked about these events, is for libpfm4.
 */
#include "base/sysroot.h"
#include "events/natives.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <linux/perf_event.h>
#include <string.h>

struct core_code {
    uint16_t text; /* the place of its name in event_text */
    uint64_t config;
};

/* Processors of one name, by what core_id has. */
struct core_models {
    char pmu[20], vendor[13];
    uint16_t family, first_model, last_model;
    uint8_t first_stepping, last_stepping;
    uint16_t first, n; /* of its codes */
};

#include "core_codes.h"

#if defined(__x86_64__) || defined(__i386__)
static bool identify(struct core_id *id)
{
    unsigned a, b, c, d, name[3];
    if (!__get_cpuid(0, &a, &name[0], &name[2], &name[1]) || !__get_cpuid(1, &a, &b, &c, &d))
        return false;
    unsigned family = a >> 8 & 0xf, more = family == 6 || family == 15 ? a >> 12 & 0xf0 : 0;
    *id = (struct core_id){.family = (int)(family == 15 ? family + (a >> 20 & 0xff) : family),
                           .model = (int)(more | (a >> 4 & 0xf)),
                           .stepping = (int)(a & 0xf)};
    memcpy(id->vendor, name, 12);
    return true;
}
#elif defined(__aarch64__)
static bool identify(struct core_id *id)
{
    long long midr;
    *id = (struct core_id){.family = 0};
    if (sysroot_number("", "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", &midr) != 0)
        return false;
    id->family = (int)(midr >> 24 & 0xff);
    id->model = (int)(midr >> 4 & 0xfff);
    return true;
}
#elif defined(__powerpc__)
/* The processor version register, which the kernel reads for programs. */
static bool identify(struct core_id *id)
{
    unsigned long version;
    __asm__ volatile("mfspr %0, 287" : "=r"(version));
    *id = (struct core_id){.vendor = "POWER", .model = (int)(version >> 16 & 0xffff)};
    return true;
}
#else
static bool identify(struct core_id *id)
{
    (void)id;
    return false;
}
#endif

static bool is_of(const struct core_models *models, const struct core_id *id)
{
    return strcmp(models->vendor, id->vendor) == 0 && models->family == id->family &&
           models->first_model <= id->model && id->model <= models->last_model &&
           models->first_stepping <= id->stepping && id->stepping <= models->last_stepping;
}

/* The models among which the processor is (id; NULL: this one), of a PMU's name; length 0: of any. NULL:
 * there are none. */
static const struct core_models *models_of(const char *name, size_t length, const struct core_id *id)
{
    struct core_id this;
    for (size_t i = 0; i < sizeof core_models / sizeof *core_models; i++) {
        const struct core_models *models = &core_models[i];
        if (length > 0 && (strncmp(models->pmu, name, length) != 0 || models->pmu[length] != '\0'))
            continue;
        if (id == NULL && !identify(&this))
            return NULL;
        id = id != NULL ? id : &this;
        if (is_of(models, id))
            return models;
    }
    return NULL;
}

bool core_event_code(const char *name, const struct core_id *id, uint64_t *config)
{
    const char *end = strstr(name, "::"), *event = end != NULL ? end + 2 : name;
    size_t length = end != NULL ? (size_t)(end - name) : 0;
    bool fits = end != name && length < sizeof core_models->pmu;
    const struct core_models *models = fits ? models_of(name, length, id) : NULL;
    for (int i = 0; models != NULL && i < models->n; i++) {
        const struct core_code *code = &core_codes[models->first + i];
        if (strcmp(event_text + code->text, event) == 0) {
            *config = code->config;
            return true;
        }
    }
    return false;
}

const char *core_pmu_name(const struct core_id *id)
{
    const struct core_models *models = models_of("", 0, id);
    return models != NULL ? models->pmu : NULL;
}

/* True if libpfm4 would find the PMU of the processor that runs this, and no other of cores. Those of several
 * kinds are left to it, since it takes the events of one. */
static bool goes_by_model(struct event_tables *tables)
{
    bool here = tables->pmus.root == NULL || tables->pmus.root[0] == '\0';
    return here && !pfm_has_variables() && pmus_hybrid(&tables->pmus) == 0 && pmus_cores(&tables->pmus) <= 1;
}

const char *core_pmu(struct event_tables *tables)
{
    return goes_by_model(tables) ? core_pmu_name(NULL) : NULL;
}

bool core_event(struct event_tables *tables, const char *name, struct event_encoding *encoding)
{
    uint64_t config;
    if (!core_event_code(name, NULL, &config) || !goes_by_model(tables))
        return false;
    if (encoding != NULL)
        *encoding = (struct event_encoding){
            .component = COMPONENT_PERF_EVENT, .type = PERF_TYPE_RAW, .config = config, .place = PLACE_LATER};
    return true;
}
