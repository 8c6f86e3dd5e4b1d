/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "events/natives.h"
#include "hardware/boxes.h"
#include "hardware/pmus.h"
#include "papi.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names in the kernel's own spelling: "cpu/instructions/", "armv8_pmuv3_0/event=0x11,rdpmc=1/". Each
 * PMU in sysfs states its fields (format/NAME: "config:0-7,21") and its named events
 * (events/NAME: "event=0x3c,umask=0x1"). */

/* The word of the encoding that "config1" or "config1:0-7" names; NULL: none. */
static uint64_t *word_of(struct event_encoding *encoding, const char *text)
{
    TEXT_ROWS_BEGIN
    static const char names[][8] = {"config", "config1", "config2"};
    TEXT_ROWS_END
    uint64_t *const words[] = {&encoding->config, &encoding->config1, &encoding->config2};
    size_t length = strcspn(text, ":");
    for (int i = 0; i < 3; i++)
        if (strlen(names[i]) == length && strncmp(text, names[i], length) == 0)
            return words[i];
    return NULL;
}

/* Puts a value into the bits that a format file names: the lowest bit of the value into the first. False: it
 * has more. */
static bool put_field(uint64_t *word, const char *format, unsigned long long value)
{
    const char *p = format + strcspn(format, ":");
    do {
        char *end;
        long low = strtol(p + 1, &end, 10), high = low;
        if (*end == '-')
            high = strtol(end + 1, &end, 10);
        for (long bit = low; bit >= 0 && bit <= high && bit < 64; bit++, value >>= 1)
            *word = (*word & ~(1ULL << bit)) | (value & 1ULL) << bit;
        p = end;
    } while (*p == ',');
    return value == 0;
}

static int unreadable(const char *pmu, struct reason *why)
{
    return reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS,
                      "the files of the PMU \"%.60s\" cannot be read: %s", pmu, strerror(errno));
}

/* Takes the value off a term: of "field=12" the field is left; "field" alone has the value 1. */
static int take_value(char *term, const char *pmu, unsigned long long *value, struct reason *why)
{
    char *text = strchr(term, '='), *end;
    *value = 1;
    if (text == NULL)
        return PAPI_OK;
    *text++ = '\0';
    if (term[0] == '\0')
        return reason_set(why, PAPI_ENOEVNT, "\"=%.60s\" for PMU %.60s has no field before the \"=\"", text,
                          pmu);
    if (text[0] == '\0')
        return reason_set(why, PAPI_ENOEVNT, "\"%.60s=\" for PMU %.60s has no number behind the \"=\"", term,
                          pmu);
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (end == text || *end != '\0' || errno != 0 || strchr(text, '-') != NULL)
        return reason_set(why, PAPI_ENOEVNT, "\"%.60s\" is not a number for %s of PMU %.60s", text, term,
                          pmu);
    return PAPI_OK;
}

static int apply_field(struct pmu_table *pmus, struct pmu *pmu, const char *field, unsigned long long value,
                       struct event_encoding *encoding, struct reason *why)
{
    const char *bits = field;
    uint64_t *word = word_of(encoding, field);
    if (word != NULL) {
        *word = value;
        return PAPI_OK;
    }
    int found = pmu_format(pmus, pmu, field, &bits);
    if (found < 0)
        return unreadable(pmu->name, why);
    if (found == 0)
        return reason_set(why, PAPI_ENOEVNT, "PMU %.60s has no event and no field \"%.60s\"", pmu->name,
                          field);
    word = strchr(bits, ':') != NULL ? word_of(encoding, bits) : NULL;
    if (word == NULL)
        return reason_set(why, PAPI_ENOEVNT, "the field %s (%.60s) of PMU %.60s is not supported", field,
                          bits, pmu->name);
    if (!put_field(word, bits, value))
        return reason_set(why, PAPI_ENOEVNT, "%llu does not fit the field %s (%s) of PMU %.60s", value, field,
                          bits, pmu->name);
    return PAPI_OK;
}

/* Fields, and the names of events unless the terms are those of one. */
static int apply_terms(struct pmu_table *pmus, struct pmu *pmu, char *terms, bool named,
                       struct event_encoding *encoding, struct reason *why)
{
    char text[512], *rest = NULL;
    int code = PAPI_OK;
    for (char *term = strtok_r(terms, ", ", &rest); term && code == PAPI_OK;
         term = strtok_r(NULL, ", ", &rest)) {
        unsigned long long value;
        bool may_name = !named && strchr(term, '=') == NULL;
        int found = may_name ? pmu_terms(pmus, pmu, term, text, sizeof text) : 0;
        if (found < 0)
            code = unreadable(pmu->name, why);
        else if (found > 0)
            code = apply_terms(pmus, pmu, text, true, encoding, why);
        else
            code = take_value(term, pmu->name, &value, why)
                       ?: apply_field(pmus, pmu, term, value, encoding, why);
    }
    return code;
}

/* A name in its parts: "pmu/terms/", "pmu/terms/uk". */
struct parts {
    char pmu[2 * PAPI_2MAX_STR_LEN], *terms;
    int domain;
};

static bool split_name(const char *name, struct parts *parts)
{
    if (strlen(name) >= sizeof parts->pmu)
        return false;
    strcpy(parts->pmu, name);
    char *first = strchr(parts->pmu, '/'), *last = strrchr(parts->pmu, '/');
    if (first == last || first == parts->pmu || parts->pmu[0] == '.')
        return false;
    *first = *last = '\0';
    parts->terms = first + 1;
    parts->domain = 0;
    for (const char *p = last + 1; *p != '\0'; p++) {
        if (*p != 'u' && *p != 'k')
            return false;
        parts->domain |= *p == 'u' ? PAPI_DOM_USER : PAPI_DOM_KERNEL;
    }
    return parts->terms[strspn(parts->terms, ", ")] != '\0';
}

/* A place is the PMU's number and that of the event in it, both in the order of their names. */
enum { EVENT_BITS = 16, MOST_PMUS = 1 << 14 };

/* The place of an event in the list. -1: it is not listed; CANNOT_LOOK. */
static int place_of(struct pmu_table *pmus, struct pmu *pmu, const struct parts *parts)
{
    int at = (int)(pmu - pmus->pmu), n = pmu_events(pmus, pmu);
    for (int i = 0; i < n && i < 1 << EVENT_BITS && at < MOST_PMUS && parts->domain == 0; i++)
        if (strcmp(pmu->event[i]->d_name, parts->terms) == 0)
            return at << EVENT_BITS | i;
    return n < 0 ? CANNOT_LOOK : -1;
}

/* Chooses the component that counts the PMU's events, and where.
 *   family  of all instances */
static int choose_component(struct pmu_table *pmus, struct pmu *pmu, bool family, const char *name,
                            struct event_encoding *encoding, struct reason *why)
{
    int uncore = pmu_boxes(pmus, pmu, family, &encoding->boxes);
    if (uncore < 0)
        return unreadable(pmu->name, why);
    if (uncore && encoding->domain != 0)
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\": the PMU %.60s counts in all modes alone; leave out what follows the "
                          "last \"/\"",
                          name, pmu->name);
    encoding->component = uncore ? COMPONENT_UNCORE : COMPONENT_PERF_EVENT;
    if (uncore) {
        encoding->type = encoding->boxes->box[0].type;
        encoding->cpu = encoding->boxes->box[0].cpu;
    }
    return PAPI_OK;
}

static int sysfs_find(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                      struct reason *why)
{
    struct pmu_table *pmus = &tables->pmus;
    struct parts parts;
    struct pmu *pmu;
    *encoding = (struct event_encoding){.place = -1};
    if (!split_name(name, &parts))
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\" is not of the form pmu/event/ or pmu/field=value,.../", name);
    int found = pmus_find(pmus, parts.pmu, &pmu);
    bool family = found == 0 && (found = pmus_find_family(pmus, parts.pmu, &pmu)) > 0;
    if (found > 0)
        found = pmu_type(pmus, pmu, &encoding->type);
    if (found == 0)
        return reason_set(why, PAPI_ENOEVNT, "this machine has no PMU \"%.60s\" (see " SYSROOT_PMUS ")",
                          parts.pmu);
    encoding->place = found > 0 && pmus_cores(pmus) >= 0 ? place_of(pmus, pmu, &parts) : CANNOT_LOOK;
    if (encoding->place == CANNOT_LOOK)
        return unreadable(parts.pmu, why);
    encoding->some_cores = pmu->one_core_type;
    encoding->domain = parts.domain;
    return choose_component(pmus, pmu, family, name, encoding, why)
               ?: apply_terms(pmus, pmu, parts.terms, false, encoding, why);
}

/* ---- listing */

/* The length of the name under which a PMU's events are listed: that of its family, if it is the first of
 * one. 0: they are listed as another's. CANNOT_LOOK. */
static int listed_length(struct pmu_table *pmus, struct pmu *pmu)
{
    struct pmu *first;
    int family = pmu_has_family(pmus, pmu, &first);
    if (family <= 0)
        return family < 0 ? CANNOT_LOOK : (int)strlen(pmu->name);
    return first == pmu ? pmu_family_length(pmu->name) : 0;
}

static int sysfs_next(struct event_tables *tables, int place, char *name, size_t size)
{
    struct pmu_table *pmus = &tables->pmus;
    int from = place < 0 ? 0 : place + 1;
    int at = from >> EVENT_BITS, event = from & ((1 << EVENT_BITS) - 1), n = pmus_read(pmus);
    for (; at < n && at < MOST_PMUS; at++, event = 0) {
        int n_events = pmu_events(pmus, &pmus->pmu[at]), length = listed_length(pmus, &pmus->pmu[at]);
        if (n_events < 0 || length < 0)
            return CANNOT_LOOK;
        if (event >= n_events || event >= 1 << EVENT_BITS || length == 0)
            continue;
        snprintf(name, size, "%.*s/%s/", length, pmus->pmu[at].name, pmus->pmu[at].event[event]->d_name);
        return at << EVENT_BITS | event;
    }
    return n < 0 ? CANNOT_LOOK : -1;
}

/* The PMU of a place, and the name of the event there; NULL: there is none. */
static struct pmu *pmu_at(struct event_tables *tables, int place, const char **event)
{
    int at = place >> EVENT_BITS, index = place & ((1 << EVENT_BITS) - 1);
    if (place < 0 || at >= tables->pmus.n || index >= tables->pmus.pmu[at].n_events)
        return NULL;
    *event = tables->pmus.pmu[at].event[index]->d_name;
    return &tables->pmus.pmu[at];
}

static int sysfs_describe(struct event_tables *tables, const char *name, int place, int mask, char *text,
                          size_t size, struct reason *why)
{
    const char *event;
    char terms[256];
    struct pmu *pmu = pmu_at(tables, place, &event);
    (void)mask;
    text[0] = '\0';
    int found = pmu != NULL ? pmu_terms(&tables->pmus, pmu, event, terms, sizeof terms) : 0;
    if (found <= 0)
        return found < 0 ? unreadable(pmu->name, why) : PAPI_ENOEVNT;
    snprintf(text, size, "event %s of the kernel's PMU %.*s (%s)", event, (int)strcspn(name, "/"), name,
             terms);
    return PAPI_OK;
}

static int sysfs_component(struct event_tables *tables, int place)
{
    const char *event;
    struct pmu *pmu = pmu_at(tables, place, &event);
    int cpu, uncore = pmu != NULL ? pmu_uncore(&tables->pmus, pmu, &cpu) : 0;
    return uncore < 0 ? CANNOT_LOOK : uncore > 0 ? COMPONENT_UNCORE : COMPONENT_PERF_EVENT;
}

static int sysfs_unit(struct event_tables *tables, int place, char *text, size_t size, struct reason *why)
{
    const char *event;
    struct pmu *pmu = pmu_at(tables, place, &event);
    text[0] = '\0';
    if (pmu != NULL && pmu_unit(&tables->pmus, pmu, event, text, (int)size) != 0)
        return unreadable(pmu->name, why);
    return PAPI_OK;
}

const struct event_source sysfs_source = {
    .component = sysfs_component,
    .of_perf = true,
    .unit = sysfs_unit,
    .find = sysfs_find,
    .next = sysfs_next,
    .describe = sysfs_describe,
};
