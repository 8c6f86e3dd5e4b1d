/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "events/source.h"
#include "hardware/pmus.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names in the kernel's own spelling: "cpu/instructions/", "armv8_pmuv3_0/event=0x11,rdpmc=1/". Each
 * PMU in sysfs states its fields (format/NAME: "config:0-7,21") and its named events
 * (events/NAME: "event=0x3c,umask=0x1"). */

/* Puts a value into the bits that a format file names: the lowest bit of the value into the first. */
static int put_field(struct event_encoding *encoding, const char *format, unsigned long long value)
{
    uint64_t *word;
    const char *p = strchr(format, ':');
    if (p == NULL)
        return PAPI_EINVAL;
    if (strncmp(format, "config1:", 8) == 0)
        word = &encoding->config1;
    else if (strncmp(format, "config2:", 8) == 0)
        word = &encoding->config2;
    else if (strncmp(format, "config:", 7) == 0)
        word = &encoding->config;
    else
        return PAPI_EINVAL;
    do {
        char *end;
        long low = strtol(p + 1, &end, 10), high = low;
        if (*end == '-')
            high = strtol(end + 1, &end, 10);
        for (long bit = low; bit >= 0 && bit <= high && bit < 64; bit++, value >>= 1)
            *word = (*word & ~(1ULL << bit)) | (value & 1ULL) << bit;
        p = end;
    } while (*p == ',');
    return value == 0 ? PAPI_OK : PAPI_EINVAL;
}

static bool plain_name(const char *name)
{
    return name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
}

static int unreadable(const char *pmu, struct reason *why)
{
    return reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
                      "the files of the PMU \"%.60s\" cannot be read: %s", pmu, strerror(errno));
}

static int apply_terms(struct pmu_table *pmus, struct pmu *pmu, const char *terms, bool named,
                       struct event_encoding *encoding, struct reason *why);

/* One "field=value", "field" (1) or name of an event. */
static int apply_term(struct pmu_table *pmus, struct pmu *pmu, char *term, bool named,
                      struct event_encoding *encoding, struct reason *why)
{
    char text[512], *end = "";
    const char *bits, *name = pmu->name;
    char *equals = strchr(term, '=');
    unsigned long long value = 1;
    int found;
    if (equals != NULL) {
        *equals = '\0';
        errno = 0;
        value = strtoull(equals + 1, &end, 0);
        if (term[0] == '\0')
            return reason_set(why, PAPI_ENOEVNT, "\"=%.60s\" for PMU %.60s has no field before the \"=\"",
                              equals + 1, name);
        if (equals[1] == '\0')
            return reason_set(why, PAPI_ENOEVNT, "\"%.60s=\" for PMU %.60s has no number behind the \"=\"",
                              term, name);
        if (end == equals + 1 || *end != '\0' || errno != 0 || strchr(equals + 1, '-') != NULL)
            return reason_set(why, PAPI_ENOEVNT, "\"%.60s\" is not a number for %s of PMU %.60s", equals + 1,
                              term, name);
    }
    if (equals == NULL && !named) {
        found = pmu_terms(pmus, pmu, term, text, sizeof text);
        if (found != 0)
            return found < 0 ? unreadable(name, why) : apply_terms(pmus, pmu, text, true, encoding, why);
    }
    if (strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 || strcmp(term, "config2") == 0) {
        char whole[32];
        snprintf(whole, sizeof whole, "%s:0-63", term);
        return put_field(encoding, whole, value);
    }
    found = pmu_format(pmus, pmu, term, &bits);
    if (found < 0)
        return unreadable(name, why);
    if (found == 0)
        return reason_set(why, PAPI_ENOEVNT, "PMU %.60s has no event and no field \"%.60s\"", name, term);
    if (strncmp(bits, "config:", 7) != 0 && strncmp(bits, "config1:", 8) != 0 &&
        strncmp(bits, "config2:", 8) != 0)
        return reason_set(why, PAPI_ENOEVNT, "the field %s (%.60s) of PMU %.60s is not supported", term, bits,
                          name);
    if (put_field(encoding, bits, value) != PAPI_OK)
        return reason_set(why, PAPI_ENOEVNT, "%llu does not fit the field %s (%s) of PMU %.60s", value, term,
                          bits, name);
    return PAPI_OK;
}

static int apply_terms(struct pmu_table *pmus, struct pmu *pmu, const char *terms, bool named,
                       struct event_encoding *encoding, struct reason *why)
{
    char copy[512], *rest = NULL;
    if (strlen(terms) >= sizeof copy)
        return reason_set(why, PAPI_ENOEVNT, "the terms of an event of PMU %.60s are too long", pmu->name);
    strcpy(copy, terms);
    for (char *term = strtok_r(copy, ", ", &rest); term; term = strtok_r(NULL, ", ", &rest)) {
        int code = apply_term(pmus, pmu, term, named, encoding, why);
        if (code != PAPI_OK)
            return code;
    }
    return PAPI_OK;
}

/* "pmu/terms/" or "pmu/terms/uk" into its parts. */
static int split_name(const char *name, char *pmu, size_t pmu_size, char *terms, size_t terms_size,
                      int *domain)
{
    const char *first = strchr(name, '/');
    const char *last = strrchr(name, '/');
    if (first == NULL || first == last || first == name || (size_t)(first - name) >= pmu_size ||
        (size_t)(last - first) > terms_size)
        return PAPI_ENOEVNT;
    memcpy(pmu, name, (size_t)(first - name));
    pmu[first - name] = '\0';
    memcpy(terms, first + 1, (size_t)(last - first - 1));
    terms[last - first - 1] = '\0';
    *domain = 0;
    for (const char *p = last + 1; *p != '\0'; p++) {
        if (*p != 'u' && *p != 'k')
            return PAPI_ENOEVNT;
        *domain |= *p == 'u' ? PAPI_DOM_USER : PAPI_DOM_KERNEL;
    }
    return plain_name(pmu) && terms[strspn(terms, ", ")] != '\0' ? PAPI_OK : PAPI_ENOEVNT;
}

/* Which component counts the PMU's events, and on which CPU. */
static int choose_component(struct pmu_table *pmus, struct pmu *pmu, const char *name, int stated_cpu,
                            struct event_encoding *encoding, struct reason *why)
{
    int uncore = pmu_uncore(pmus, pmu, &encoding->cpu);
    if (uncore < 0)
        return unreadable(pmu->name, why);
    if (!uncore)
        return stated_cpu < 0 ? PAPI_OK : cpu_of_a_thread(name, why);
    if (encoding->domain != 0)
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\": the PMU %.60s counts in all modes alone; leave out what follows the "
                          "last \"/\"",
                          name, pmu->name);
    encoding->component = COMPONENT_UNCORE;
    encoding->cpu = stated_cpu < 0 ? encoding->cpu : stated_cpu;
    return PAPI_OK;
}

static int sysfs_find(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                      struct reason *why)
{
    struct pmu_table *pmus = &tables->pmus;
    char pmu_name[128], terms[512], without[2 * PAPI_2MAX_STR_LEN];
    struct pmu *pmu;
    int cpu = -1;
    memset(encoding, 0, sizeof *encoding);
    if (take_cpu(name, without, sizeof without, &cpu, why) < 0)
        return PAPI_ENOEVNT;
    if (split_name(without, pmu_name, sizeof pmu_name, terms, sizeof terms, &encoding->domain) != PAPI_OK)
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\" is not of the form pmu/event/ or pmu/field=value,.../", name);
    int found = pmus_find(pmus, pmu_name, &pmu);
    if (found > 0)
        found = pmu_type(pmus, pmu, &encoding->type);
    if (found == 0)
        return reason_set(why, PAPI_ENOEVNT, "this machine has no PMU \"%.60s\" (see " SYSROOT_PMUS ")",
                          pmu_name);
    if (found < 0 || pmus_cores(pmus) < 0)
        return unreadable(pmu_name, why);
    encoding->some_cores = pmu->one_core_type;
    int code = choose_component(pmus, pmu, name, cpu, encoding, why);
    return code == PAPI_OK ? apply_terms(pmus, pmu, terms, false, encoding, why) : code;
}

/* -------------------------------------------------------------------- listing */

/* A place is the PMU's number and that of the event in it, both in the order of their names. */
enum { EVENT_BITS = 16, MOST_PMUS = 1 << 14 };

static void compose(char *name, size_t size, const char *pmu, const char *event)
{
    snprintf(name, size, "%.*s/%.*s/", PMU_LONGEST_NAME, pmu, PMU_LONGEST_NAME, event);
}

static int sysfs_next(struct event_tables *tables, int place, char *name, size_t size)
{
    struct pmu_table *pmus = &tables->pmus;
    int from = place < 0 ? 0 : place + 1;
    int at = from >> EVENT_BITS, event = from & ((1 << EVENT_BITS) - 1), n = pmus_read(pmus);
    for (; at < n && at < MOST_PMUS; at++, event = 0) {
        int n_events = pmu_events(pmus, &pmus->pmu[at]);
        if (n_events < 0)
            return CANNOT_LOOK;
        if (event >= n_events || event >= 1 << EVENT_BITS)
            continue;
        compose(name, size, pmus->pmu[at].name, pmus->pmu[at].event[event]->d_name);
        return at << EVENT_BITS | event;
    }
    return n < 0 ? CANNOT_LOOK : -1;
}

static int sysfs_place(struct event_tables *tables, const char *name)
{
    struct pmu_table *pmus = &tables->pmus;
    char pmu_name[PMU_LONGEST_NAME + 1], listed[PAPI_2MAX_STR_LEN], without[2 * PAPI_2MAX_STR_LEN];
    struct pmu *pmu;
    int cpu;
    size_t length = strcspn(name, "/");
    if (length >= sizeof pmu_name || take_cpu(name, without, sizeof without, &cpu, NULL) < 0)
        return -1;
    memcpy(pmu_name, name, length);
    pmu_name[length] = '\0';
    int found = pmus_find(pmus, pmu_name, &pmu);
    int n = found > 0 ? pmu_events(pmus, pmu) : found;
    for (int i = 0; i < n && i < 1 << EVENT_BITS && pmu - pmus->pmu < MOST_PMUS; i++) {
        compose(listed, sizeof listed, pmu_name, pmu->event[i]->d_name);
        if (strcmp(listed, without) == 0)
            return (int)(pmu - pmus->pmu) << EVENT_BITS | i;
    }
    return n < 0 ? CANNOT_LOOK : -1;
}

static int sysfs_next_mask(struct event_tables *tables, int place, int mask, char *name, size_t size)
{
    (void)tables, (void)place, (void)mask, (void)name, (void)size;
    return -1;
}

static int sysfs_describe(struct event_tables *tables, const char *name, int place, int mask, char *text,
                          size_t size, struct reason *why)
{
    struct pmu_table *pmus = &tables->pmus;
    char pmu_name[128], event[512], terms[256], without[2 * PAPI_2MAX_STR_LEN];
    struct pmu *pmu;
    int domain, cpu;
    (void)mask;
    text[0] = '\0';
    if (place < 0 || take_cpu(name, without, sizeof without, &cpu, why) < 0 ||
        split_name(without, pmu_name, sizeof pmu_name, event, sizeof event, &domain) != PAPI_OK)
        return PAPI_ENOEVNT;
    int found = pmus_find(pmus, pmu_name, &pmu);
    if (found > 0)
        found = pmu_terms(pmus, pmu, event, terms, sizeof terms);
    if (found <= 0)
        return found < 0 ? unreadable(pmu_name, why) : PAPI_ENOEVNT;
    snprintf(text, size, "event %s of the kernel's PMU %s (%s)", event, pmu_name, terms);
    return PAPI_OK;
}

/* NULL: the place is that of no PMU. */
static struct pmu *pmu_at(struct event_tables *tables, int place)
{
    int at = place >> EVENT_BITS;
    return place >= 0 && at < tables->pmus.n ? &tables->pmus.pmu[at] : NULL;
}

static int sysfs_component(struct event_tables *tables, int place)
{
    struct pmu *pmu = pmu_at(tables, place);
    int cpu, uncore = pmu != NULL ? pmu_uncore(&tables->pmus, pmu, &cpu) : 0;
    return uncore < 0 ? CANNOT_LOOK : uncore > 0 ? COMPONENT_UNCORE : COMPONENT_PERF_EVENT;
}

static int sysfs_unit(struct event_tables *tables, int place, char *text, size_t size, struct reason *why)
{
    struct pmu *pmu = pmu_at(tables, place);
    int event = place & ((1 << EVENT_BITS) - 1);
    text[0] = '\0';
    if (pmu == NULL || event >= pmu->n_events)
        return PAPI_OK;
    int code = pmu_unit(&tables->pmus, pmu, pmu->event[event]->d_name, text, (int)size);
    return code == 0 ? PAPI_OK : unreadable(pmu->name, why);
}

const struct event_source sysfs_source = {
    .component = sysfs_component,
    .of_perf = true,
    .unit = sysfs_unit,
    .find = sysfs_find,
    .place = sysfs_place,
    .next = sysfs_next,
    .next_mask = sysfs_next_mask,
    .describe = sysfs_describe,
};
