/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "events/source.h"
#include "papi.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Names in the kernel's own spelling: "cpu/instructions/", "armv8_pmuv3_0/event=0x11,rdpmc=1/". Each
 * PMU in sysfs states its fields (format/NAME: "config:0-7,21") and its named events
 * (events/NAME: "event=0x3c,umask=0x1"). */

#define DEVICES "/sys/bus/event_source/devices"

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

/* PAPI_ENOEVNT, without a reason; PAPI_ENOMEM and PAPI_ESYS: it cannot be read now. */
static int read_attribute(const char *root, const char *pmu, const char *folder, const char *name, char *out,
                          size_t size, struct reason *why)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, DEVICES "/%s/%s/%s", pmu, folder, name);
    if (!plain_name(name) || n < 0 || (size_t)n >= sizeof path)
        return PAPI_ENOEVNT;
    int length = sysroot_line(root, path, out, size);
    if (length < 0 && error_passes(errno))
        return reason_unreadable(path, why);
    return length > 0 ? PAPI_OK : PAPI_ENOEVNT;
}

static int apply_terms(const char *root, const char *pmu, const char *terms, bool named,
                       struct event_encoding *encoding, struct reason *why);

/* One "field=value", "field" (1) or name of an event. */
static int apply_term(const char *root, const char *pmu, char *term, bool named,
                      struct event_encoding *encoding, struct reason *why)
{
    char text[512], *end = "";
    char *equals = strchr(term, '=');
    unsigned long long value = 1;
    int code;
    if (equals != NULL) {
        *equals = '\0';
        errno = 0;
        value = strtoull(equals + 1, &end, 0);
        if (term[0] == '\0')
            return reason_set(why, PAPI_ENOEVNT, "\"=%.60s\" for PMU %.60s has no field before the \"=\"",
                              equals + 1, pmu);
        if (equals[1] == '\0')
            return reason_set(why, PAPI_ENOEVNT, "\"%.60s=\" for PMU %.60s has no number behind the \"=\"",
                              term, pmu);
        if (end == equals + 1 || *end != '\0' || errno != 0 || strchr(equals + 1, '-') != NULL)
            return reason_set(why, PAPI_ENOEVNT, "\"%.60s\" is no number for %s of PMU %.60s", equals + 1,
                              term, pmu);
    }
    if (equals == NULL && !named) {
        code = read_attribute(root, pmu, "events", term, text, sizeof text, why);
        if (code != PAPI_ENOEVNT)
            return code == PAPI_OK ? apply_terms(root, pmu, text, true, encoding, why) : code;
    }
    if (strcmp(term, "config") == 0 || strcmp(term, "config1") == 0 || strcmp(term, "config2") == 0) {
        char whole[32];
        snprintf(whole, sizeof whole, "%s:0-63", term);
        return put_field(encoding, whole, value);
    }
    code = read_attribute(root, pmu, "format", term, text, sizeof text, why);
    if (code != PAPI_OK && code != PAPI_ENOEVNT)
        return code;
    if (code != PAPI_OK)
        return reason_set(why, PAPI_ENOEVNT, "PMU %.60s has no event and no field \"%.60s\"", pmu, term);
    if (strncmp(text, "config:", 7) != 0 && strncmp(text, "config1:", 8) != 0 &&
        strncmp(text, "config2:", 8) != 0)
        return reason_set(why, PAPI_ENOEVNT, "the field %s (%.60s) of PMU %.60s is not supported", term, text,
                          pmu);
    if (put_field(encoding, text, value) != PAPI_OK)
        return reason_set(why, PAPI_ENOEVNT, "%llu does not fit the field %s (%s) of PMU %.60s", value, term,
                          text, pmu);
    return PAPI_OK;
}

static int apply_terms(const char *root, const char *pmu, const char *terms, bool named,
                       struct event_encoding *encoding, struct reason *why)
{
    char copy[512], *rest = NULL;
    if (strlen(terms) >= sizeof copy)
        return reason_set(why, PAPI_ENOEVNT, "the terms of an event of PMU %.60s are too long", pmu);
    strcpy(copy, terms);
    for (char *term = strtok_r(copy, ", ", &rest); term; term = strtok_r(NULL, ", ", &rest)) {
        int code = apply_term(root, pmu, term, named, encoding, why);
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

/* "0-3,8" */
static bool list_has(const char *list, long cpu)
{
    for (char *end; *list != '\0'; list = *end == ',' ? end + 1 : "") {
        long low = strtol(list, &end, 10), high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        if (low <= cpu && cpu <= high)
            return true;
    }
    return false;
}

/* Whether a CPU that is online is none of the PMU's. -1: that cannot be read now. */
static int counts_on_some(const char *root, const char *pmu)
{
    char path[PATH_MAX], cpus[1024], online[1024];
    snprintf(path, sizeof path, DEVICES "/%s/cpus", pmu);
    errno = 0;
    if (sysroot_line(root, path, cpus, sizeof cpus) <= 0 ||
        sysroot_line(root, "/sys/devices/system/cpu/online", online, sizeof online) <= 0)
        return error_passes(errno) ? -1 : false;
    const char *range = online;
    for (char *end; *range != '\0'; range = *end == ',' ? end + 1 : "") {
        long low = strtol(range, &end, 10), high = *end == '-' ? strtol(end + 1, &end, 10) : low;
        for (; low <= high && low < 1 << 16; low++)
            if (!list_has(cpus, low))
                return true;
    }
    return false;
}

static int no_pmu(const char *pmu, struct reason *why)
{
    if (error_passes(errno))
        return reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
                          "the files of the PMU \"%.60s\" cannot be read: %s", pmu, strerror(errno));
    return reason_set(why, PAPI_ENOEVNT, "this machine has no PMU \"%.60s\" (see " DEVICES ")", pmu);
}

static int sysfs_find(const char *root, const char *name, struct event_encoding *encoding, struct reason *why)
{
    char pmu[128], terms[512], path[PATH_MAX];
    long long type;
    memset(encoding, 0, sizeof *encoding);
    if (split_name(name, pmu, sizeof pmu, terms, sizeof terms, &encoding->domain) != PAPI_OK)
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\" is not of the form pmu/event/ or pmu/field=value,.../", name);
    snprintf(path, sizeof path, DEVICES "/%s/type", pmu);
    errno = 0;
    if (sysroot_number(root, path, &type) != 0 || type < 0 || type > UINT32_MAX)
        return no_pmu(pmu, why);
    encoding->type = (uint32_t)type;
    int some = counts_on_some(root, pmu);
    if (some < 0)
        return no_pmu(pmu, why);
    encoding->some_cores = some;
    return apply_terms(root, pmu, terms, false, encoding, why);
}

/* -------------------------------------------------------------------- listing */

/* A place is the PMU's number and that of the event in it, both in the order of their names: a step
 * reads two folders, however many events there are. */
enum { EVENT_BITS = 16, MOST_PMUS = 1 << 14 };

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Longer names are not listed, since they would not be found by what compose makes of them. */
enum { LONGEST_NAME = 100 };

static int is_pmu_entry(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strlen(entry->d_name) <= LONGEST_NAME;
}

/* "cycles.scale" and "cycles.unit" describe the event beside them. */
static int is_event_entry(const struct dirent *entry)
{
    return is_pmu_entry(entry) && strchr(entry->d_name, '.') == NULL;
}

/* -1: it cannot be read now. */
static int list_folder(const char *root, const char *path, int (*wanted)(const struct dirent *),
                       struct dirent ***entries)
{
    char full[PATH_MAX];
    *entries = NULL;
    if (sysroot_path(root, path, full, sizeof full) != 0)
        return 0;
    int n = scandir(full, entries, wanted, by_name);
    if (n < 0)
        *entries = NULL;
    return n < 0 && !error_passes(errno) ? 0 : n;
}

static int list_pmus(const char *root, struct dirent ***pmus)
{
    return list_folder(root, DEVICES, is_pmu_entry, pmus);
}

static int list_events(const char *root, const char *pmu, struct dirent ***events)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, DEVICES "/%s/events", pmu);
    return list_folder(root, path, is_event_entry, events);
}

static void free_entries(struct dirent **entries, int n)
{
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

static void compose(char *name, size_t size, const char *pmu, const char *event)
{
    snprintf(name, size, "%.*s/%.*s/", LONGEST_NAME, pmu, LONGEST_NAME, event);
}

static void forget_events(struct source_memory *memory)
{
    free_entries(memory->event, memory->n_events);
    memory->event = NULL;
    memory->n_events = 0;
}

void source_forget(struct source_memory *memory)
{
    forget_events(memory);
    free_entries(memory->pmu, memory->n_pmus);
    *memory = (struct source_memory){.n_pmus = 0};
}

static int read_events(const char *root, struct source_memory *memory, int pmu)
{
    if (memory->event != NULL && memory->at == pmu)
        return 0;
    forget_events(memory);
    int n = list_events(root, memory->pmu[pmu]->d_name, &memory->event);
    memory->n_events = n < 0 ? 0 : n;
    memory->at = pmu;
    return n < 0 ? -1 : 0;
}

static int read_pmus(const char *root, struct source_memory *memory)
{
    if (memory->pmu != NULL)
        return 0;
    int n = list_pmus(root, &memory->pmu);
    memory->n_pmus = n < 0 ? 0 : n;
    return n < 0 ? -1 : 0;
}

/* The first event from a place on. */
static int first_from(const char *root, struct source_memory *memory, int place, char *name, size_t size)
{
    int pmu = place >> EVENT_BITS, event = place & ((1 << EVENT_BITS) - 1);
    if (read_pmus(root, memory) != 0)
        return CANNOT_LOOK;
    for (; pmu < memory->n_pmus && pmu < MOST_PMUS; pmu++, event = 0) {
        if (read_events(root, memory, pmu) != 0)
            return CANNOT_LOOK;
        if (event >= memory->n_events || event >= 1 << EVENT_BITS)
            continue;
        compose(name, size, memory->pmu[pmu]->d_name, memory->event[event]->d_name);
        return pmu << EVENT_BITS | event;
    }
    return -1;
}

/* Whoever begins anew sees the PMUs that there are now. */
static int sysfs_next(const char *root, struct source_memory *memory, int place, char *name, size_t size)
{
    struct source_memory none = {.n_pmus = 0};
    if (memory != NULL && place < 0)
        source_forget(memory);
    int next = first_from(root, memory != NULL ? memory : &none, place < 0 ? 0 : place + 1, name, size);
    source_forget(&none);
    return next;
}

/* The number of a name among the events of a PMU, -1: none; CANNOT_LOOK. */
static int event_number(const char *root, const char *pmu, const char *name)
{
    char listed[PAPI_2MAX_STR_LEN];
    struct dirent **events;
    int n = list_events(root, pmu, &events), found = n < 0 ? CANNOT_LOOK : -1;
    for (int i = 0; i < n && i < 1 << EVENT_BITS && found < 0; i++) {
        compose(listed, sizeof listed, pmu, events[i]->d_name);
        if (strcmp(listed, name) == 0)
            found = i;
    }
    free_entries(events, n);
    return found;
}

static int sysfs_place(const char *root, const char *name)
{
    struct dirent **pmus;
    size_t length = strcspn(name, "/");
    int n = list_pmus(root, &pmus), place = n < 0 ? CANNOT_LOOK : -1;
    for (int i = 0; i < n && i < MOST_PMUS && place == -1; i++) {
        const char *pmu = pmus[i]->d_name;
        int event =
            strncmp(pmu, name, length) == 0 && pmu[length] == '\0' ? event_number(root, pmu, name) : -1;
        place = event < 0 ? event : i << EVENT_BITS | event;
    }
    free_entries(pmus, n);
    return place;
}

static int sysfs_next_mask(const char *root, int place, int mask, char *name, size_t size)
{
    (void)root, (void)place, (void)mask, (void)name, (void)size;
    return -1;
}

static int sysfs_describe(const char *root, const char *name, int place, int mask, char *text, size_t size,
                          struct reason *why)
{
    char pmu[128], event[512], terms[256];
    int domain;
    (void)mask;
    text[0] = '\0';
    if (place < 0 || split_name(name, pmu, sizeof pmu, event, sizeof event, &domain) != PAPI_OK)
        return PAPI_ENOEVNT;
    int code = read_attribute(root, pmu, "events", event, terms, sizeof terms, why);
    if (code != PAPI_OK)
        return code;
    snprintf(text, size, "event %s of the kernel's PMU %s (%s)", event, pmu, terms);
    return PAPI_OK;
}

/* -------------------------------------------------------------- kinds of cores */

static int has_type(const char *root, const char *pmu, uint32_t type)
{
    char path[PATH_MAX];
    long long found;
    snprintf(path, sizeof path, DEVICES "/%s/type", pmu);
    if (sysroot_number(root, path, &found) != 0)
        return error_passes(errno) ? -1 : 0;
    return found == type;
}

/* Whether a PMU that counts on some cores has a type; any: of any type. */
static int find_kind(const char *root, bool any, uint32_t type)
{
    struct dirent **pmus;
    int n = list_pmus(root, &pmus), found = n < 0 ? -1 : 0;
    for (int i = 0; i < n && found == 0; i++) {
        found = counts_on_some(root, pmus[i]->d_name);
        if (found > 0 && !any)
            found = has_type(root, pmus[i]->d_name, type);
    }
    int saved = errno;
    free_entries(pmus, n);
    errno = saved;
    return found;
}

int sysfs_several_kinds(const char *root)
{
    return find_kind(root, true, 0);
}

int sysfs_some_cores(const char *root, uint32_t type)
{
    /* The kernel takes events of these types to one of the PMUs. */
    return find_kind(root, type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW,
                     type);
}

const struct event_source sysfs_source = {
    .find = sysfs_find,
    .place = sysfs_place,
    .next = sysfs_next,
    .next_mask = sysfs_next_mask,
    .describe = sysfs_describe,
};
