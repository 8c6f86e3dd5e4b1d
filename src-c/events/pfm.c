/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/load.h"
#include "base/trust.h"
#include "events/natives.h"
#include "events/pfm_library.h"
#include "papi.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libpfm4 follows its variables whoever set them: it prints, and takes another processor's tables. Where the
 * caller may not direct the program, it is not asked while there are any. */
static bool misled(void)
{
    return !trust_environment() && pfm_has_variables();
}

static const struct pfm_library *load(struct event_tables *tables)
{
    if (tables->pfm == NULL && !tables->pfm_missing) {
        tables->pfm = pfm_library_open();
        tables->pfm_missing = tables->pfm == NULL && !error_passes(errno);
    }
    return tables->pfm;
}

/* libpfm4 detects the processor on its first call; later calls return at once. It is never
 * terminated here: the program may use it too. NULL: it is not to be asked. */
static const struct pfm_library *ready(struct event_tables *tables)
{
    const struct pfm_library *pfm = misled() ? NULL : load(tables);
    return pfm != NULL && pfm->initialize() == PFM_SUCCESS ? pfm : NULL;
}

/* Descriptors and memory enough for libpfm4 to find out what there is: what it cannot open or keep it takes
 * for missing, for ever. The memory is as much as malloc gives without a mapping for it alone. */
static int has_room(struct reason *why)
{
    enum { DESCRIPTORS = 3, MEMORY = 64 << 10 };
    return load_room(MEMORY, DESCRIPTORS) || !error_passes(errno)
               ? PAPI_OK
               : reason_unreadable("what libpfm4 needs to know of this machine", why);
}

/* The tables of two PMUs are made when libpfm4 starts: the kernel's events, and those that all Intel
 * processors have. Without memory for one it starts all the same, and crashes when it is asked about that
 * PMU. Looking for an event is safe. */
static bool has_tables(const struct pfm_library *pfm)
{
    bool expected = false;
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0, b, c, d;
    expected = __get_cpuid(10, &a, &b, &c, &d) && (a & 0xff) > 0; /* the version of Intel's common events */
#endif
    return pfm->find_event("perf::PERF_COUNT_SW_PAGE_FAULTS") >= 0 &&
           (!expected || pfm->find_event("ix86arch::UNHALTED_CORE_CYCLES") >= 0);
}

static bool pmu_info(const struct pfm_library *pfm, int pmu, pfm_pmu_info_t *info)
{
    *info = (pfm_pmu_info_t){.size = sizeof *info};
    return pfm->get_pmu_info((pfm_pmu_t)pmu, info) == PFM_SUCCESS;
}

static bool finds_cores(const struct pfm_library *pfm)
{
    pfm_pmu_info_t info;
    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++)
        if (pmu_info(pfm, pmu, &info) && info.is_present && info.type == PFM_PMU_TYPE_CORE)
            return true;
    return false;
}

int pfm_start(struct event_tables *tables, struct reason *why)
{
    pfm_pmu_info_t info = {.size = sizeof info};
    if (misled())
        return PAPI_OK;
    const struct pfm_library *pfm = load(tables);
    if (pfm == NULL)
        return tables->pfm_missing ? PAPI_OK : reason_unreadable("libpfm4", why);
    if (pfm->get_pmu_info(PFM_PMU_PERF_EVENT_RAW, &info) != PFM_ERR_NOINIT)
        return PAPI_OK;
    int code = has_room(why);
    /* Has libpfm4 start again where it found nothing: a read may have failed, or an allocation. */
    if (code == PAPI_OK && ready(tables) != NULL && (!has_tables(pfm) || !finds_cores(pfm)))
        pfm->terminate();
    return code;
}

/* A PMU that libpfm4 calls deprecated (amd64_fam17h) is there when it is forced, and its events are found
 * behind its name only. false: the event has a PMU's name, or none is forced. */
static bool behind_forced_pmu(const char *name, char *whole, size_t size)
{
    const char *pmu = secure_getenv("LIBPFM_FORCE_PMU");
    int n = pmu != NULL && strstr(name, "::") == NULL ? snprintf(whole, size, "%s::%s", pmu, name) : -1;
    return n > 0 && (size_t)n < size;
}

static int encode(const struct pfm_library *pfm, const char *name, int default_mode,
                  struct perf_event_attr *attr)
{
    char whole[2 * PAPI_2MAX_STR_LEN];
    memset(attr, 0, sizeof *attr);
    pfm_perf_encode_arg_t arg = {.attr = attr, .size = sizeof arg};
    int error = pfm->get_os_event_encoding(name, default_mode, PFM_OS_PERF_EVENT, &arg);
    if (error == PFM_ERR_NOTFOUND && behind_forced_pmu(name, whole, sizeof whole))
        return pfm->get_os_event_encoding(whole, default_mode, PFM_OS_PERF_EVENT, &arg);
    return error;
}

/* Finds the modes that a name states (":u"): then it is encoded alike whatever the default is.
 * PAPI_ENOMEM. */
static int stated_domain(const struct pfm_library *pfm, const char *name, const struct perf_event_attr *attr)
{
    struct perf_event_attr other;
    int error = encode(pfm, name, PFM_PLM0, &other);
    if (error != PFM_SUCCESS)
        return error == PFM_ERR_NOMEM ? PAPI_ENOMEM : 0;
    if (attr->exclude_user != other.exclude_user || attr->exclude_kernel != other.exclude_kernel)
        return 0;
    /* On some machines libpfm4 leaves the hypervisor's mode included where nothing states it. */
    bool hypervisor = !attr->exclude_hv && strstr(name, ":h") != NULL;
    return (attr->exclude_user ? 0 : PAPI_DOM_USER) | (attr->exclude_kernel ? 0 : PAPI_DOM_KERNEL) |
           (hypervisor ? PAPI_DOM_SUPERVISOR : 0);
}

/* ":period=1000", ":cpu=2": libpfm4 knows them for the whole of perf_event's attributes. */
static bool has_sampling_modifier(const struct pfm_library *pfm, const char *name)
{
    struct perf_event_attr attr = {0};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof arg};
    return pfm->get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg) == PFM_SUCCESS;
}

static bool beyond_counting(const struct perf_event_attr *attr)
{
    return attr->exclude_host || attr->precise_ip || attr->sample_period || attr->pinned;
}

/* libpfm4 says "event not found" of a PMU, too. */
static int not_encoded(struct event_tables *tables, const char *name, int error, struct reason *why)
{
    char pmu[64];
    const char *end = strstr(name, "::");
    size_t length = end != NULL ? (size_t)(end - name) : sizeof pmu;
    if (error == PFM_ERR_NOTFOUND && length > 0 && length < sizeof pmu) {
        snprintf(pmu, sizeof pmu, "%.*s", (int)length, name);
        if (!pfm_has_pmu(tables, pmu))
            return reason_set(
                why, PAPI_ENOEVNT,
                "libpfm4 on \"%.100s\": %s: it finds no PMU %s on this machine (papi_component_avail "
                "lists those that it finds)",
                name, tables->pfm->strerror(error), pmu);
    }
    return reason_set(why, PAPI_ENOEVNT,
                      "libpfm4 on \"%.100s\": %s (papi_native_avail lists the events and their masks)", name,
                      tables->pfm->strerror(error));
}

int no_modifier_here(const char *name, struct reason *why)
{
    return reason_set(why, PAPI_ENOEVNT,
                      "\"%.100s\" has a modifier that is not part of an event here: leave it out; "
                      "PAPI_overflow takes the "
                      "period, PAPI_set_opt with PAPI_CPU_ATTACH the processor",
                      name);
}

static int lacks_memory(const char *name, struct reason *why)
{
    return reason_set(why, PAPI_ENOMEM, "libpfm4 on \"%.100s\": out of memory", name);
}

static const char *why_not_asked(const struct event_tables *tables)
{
    if (misled())
        return "libpfm4 is not asked: its variables (LIBPFM_...) are set, and the program has rights that "
               "its caller lacks";
    if (tables->pfm == NULL)
        return "libpfm.so.4 cannot be loaded: install libpfm4, or name its folder in LD_LIBRARY_PATH";
    return "libpfm4 finds no event tables for this machine";
}

static int encode_plain(struct event_tables *tables, const struct pfm_library *pfm, const char *name,
                        struct event_encoding *encoding, struct reason *why)
{
    struct perf_event_attr attr;
    int error = encode(pfm, name, PFM_PLM3, &attr);
    if (error == PFM_ERR_NOMEM)
        return lacks_memory(name, why);
    if (error != PFM_SUCCESS && has_sampling_modifier(pfm, name))
        return no_modifier_here(name, why);
    if (error != PFM_SUCCESS)
        return not_encoded(tables, name, error, why);
    /* A part of the name that would be dropped makes it another event. */
    if (beyond_counting(&attr))
        return reason_set(why, PAPI_ENOEVNT,
                          "\"%.100s\" has a modifier that only sampling or virtual machine hosts use", name);
    *encoding = (struct event_encoding){.type = attr.type,
                                        .config = attr.config,
                                        .config1 = attr.config1,
                                        .config2 = attr.config2,
                                        .domain = stated_domain(pfm, name, &attr)};
    return encoding->domain < 0 ? lacks_memory(name, why) : PAPI_OK;
}

static int no_memory(void)
{
    errno = ENOMEM;
    return CANNOT_LOOK;
}

/* The place of an event. libpfm4 finds no event by a name with modifiers (":u"): they are taken off one by
 * one. */
static int place_of(const struct pfm_library *pfm, const char *name)
{
    char event[2 * PAPI_2MAX_STR_LEN];
    snprintf(event, sizeof event, "%s", name);
    int index = pfm->find_event(event);
    for (char *last; index < 0 && index != PFM_ERR_NOMEM; index = pfm->find_event(event)) {
        last = strrchr(event, ':');
        if (last == NULL || last == event || last[-1] == ':')
            return -1;
        *last = '\0';
    }
    return index >= 0 ? index : no_memory();
}

static int place_anywhere(const struct pfm_library *pfm, const char *name)
{
    char whole[2 * PAPI_2MAX_STR_LEN];
    int place = place_of(pfm, name);
    return place == -1 && behind_forced_pmu(name, whole, sizeof whole) ? place_of(pfm, whole) : place;
}

int pfm_place(struct event_tables *tables, const char *name, struct reason *why)
{
    if (pfm_start(tables, why) != PAPI_OK)
        return CANNOT_LOOK;
    const struct pfm_library *pfm = ready(tables);
    int place = pfm != NULL ? place_anywhere(pfm, name) : -1;
    if (place == CANNOT_LOOK)
        lacks_memory(name, why);
    return place;
}

/* libpfm4's code. */
static int event_info(const struct pfm_library *pfm, int place, pfm_event_info_t *info)
{
    *info = (pfm_event_info_t){.size = sizeof *info};
    return place >= 0 && pfm != NULL ? pfm->get_event_info(place, PFM_OS_PERF_EVENT, info) : PFM_ERR_INVAL;
}

/* CANNOT_LOOK: it has no memory. */
static int pfm_component(struct event_tables *tables, int place)
{
    const struct pfm_library *pfm = ready(tables);
    pfm_event_info_t event;
    pfm_pmu_info_t pmu;
    int error = event_info(pfm, place, &event);
    if (error == PFM_ERR_NOMEM || place == CANNOT_LOOK)
        return no_memory();
    bool uncore =
        error == PFM_SUCCESS && pmu_info(pfm, (int)event.pmu, &pmu) && pmu.type == PFM_PMU_TYPE_UNCORE;
    return uncore ? COMPONENT_UNCORE : COMPONENT_PERF_EVENT;
}

/* Names the first instance in the place of all: libpfm4 has a PMU for each, "skx_unc_imc0", and none of the
 * name that they have in common. false: the name is of no such family. */
static bool first_instance(struct event_tables *tables, const char *name, char *numbered, size_t size)
{
    const char *end = strstr(name, "::");
    int length = end != NULL ? (int)(end - name) : 0;
    int n = snprintf(numbered, size, "%.*s0", length, name);
    bool digit = length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9';
    if (length == 0 || digit || (size_t)n + strlen(end) >= size || !pfm_has_pmu(tables, numbered))
        return false;
    strcat(numbered, end);
    return true;
}

/* Finds where an event outside the cores is counted, if the kernel has its PMU. -1 with errno. */
static int find_boxes(struct pmu_table *pmus, bool family, struct event_encoding *encoding)
{
    struct pmu *pmu;
    int found = pmus_find_type(pmus, encoding->type, &pmu);
    found = found > 0 ? pmu_boxes(pmus, pmu, family, &encoding->boxes) : found;
    if (found > 0) {
        encoding->type = encoding->boxes->box[0].type;
        encoding->cpu = encoding->boxes->box[0].cpu;
    }
    return found;
}

static int pfm_find(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                    struct reason *why)
{
    char numbered[2 * PAPI_2MAX_STR_LEN];
    if (kernel_event(name, encoding) || core_event(tables, name, encoding))
        return PAPI_OK;
    int code = pfm_start(tables, why);
    if (code != PAPI_OK)
        return code;
    const struct pfm_library *pfm = ready(tables);
    if (pfm == NULL)
        return reason_set(why, PAPI_ENOEVNT, "%s", why_not_asked(tables));
    code = encode_plain(tables, pfm, name, encoding, why);
    bool family = code == PAPI_ENOEVNT && first_instance(tables, name, numbered, sizeof numbered);
    name = family ? numbered : name;
    code = family ? encode_plain(tables, pfm, name, encoding, why) : code;
    if (code != PAPI_OK)
        return code;
    encoding->place = place_anywhere(pfm, name);
    encoding->component = pfm_component(tables, encoding->place);
    if (encoding->component < 0)
        return lacks_memory(name, why);
    if (encoding->component != COMPONENT_UNCORE)
        return PAPI_OK;
    encoding->domain = 0; /* which is all that such a PMU knows */
    return find_boxes(&tables->pmus, family, encoding) >= 0
               ? PAPI_OK
               : reason_unreadable("the kernel's list of PMUs", why);
}

/* libpfm4 goes by the processor's model alone, of which a virtual machine has no PMU outside the cores. An
 * event that needs a mask does not say whether the kernel has its PMU: the next one may. */
static int kernel_has(const struct pfm_library *pfm, const pfm_pmu_info_t *pmu)
{
    struct perf_event_attr attr;
    pfm_event_info_t event;
    char name[2 * PAPI_2MAX_STR_LEN];
    int error = PFM_ERR_UMASK;
    for (int place = pmu->first_event; place >= 0 && error == PFM_ERR_UMASK;
         place = pfm->get_event_next(place)) {
        error = event_info(pfm, place, &event);
        snprintf(name, sizeof name, "%s::%s", pmu->name, error == PFM_SUCCESS ? event.name : "");
        error = error == PFM_SUCCESS ? encode(pfm, name, PFM_PLM3, &attr) : error;
    }
    return error == PFM_ERR_NOMEM ? no_memory() : error != PFM_ERR_NOTSUPP;
}

/* libpfm4 finds out what runs this. For another machine's files that is not an answer, but for the kernel's
 * generic events; there LIBPFM_FORCE_PMU tells which processor it is. */
static bool answers_for(const char *root, const pfm_pmu_info_t *info)
{
    return root == NULL || root[0] == '\0' || info->type == PFM_PMU_TYPE_OS_GENERIC ||
           secure_getenv("LIBPFM_FORCE_PMU") != NULL;
}

/* The PMU that is present after one; -1: none. */
static int next_pmu(struct event_tables *tables, int pmu, pfm_pmu_info_t *info)
{
    const struct pfm_library *pfm = ready(tables);
    while (pfm != NULL && ++pmu < PFM_PMU_MAX)
        if (pmu_info(pfm, pmu, info) && info->is_present && answers_for(tables->pmus.root, info))
            return pmu;
    return -1;
}

int pfm_next_pmu(struct event_tables *tables, int pmu, const char **name)
{
    pfm_pmu_info_t info;
    pmu = next_pmu(tables, pmu, &info);
    if (pmu >= 0)
        *name = info.name;
    return pmu;
}

bool pfm_has_pmu(struct event_tables *tables, const char *name)
{
    const char *found;
    for (int pmu = -1; (pmu = pfm_next_pmu(tables, pmu, &found)) >= 0;)
        if (strcmp(found, name) == 0)
            return true;
    return false;
}

/* The event after this one: in its PMU, or the first of the next PMU that is present. */
static int following(struct event_tables *tables, const struct pfm_library *pfm, int place)
{
    pfm_event_info_t info;
    pfm_pmu_info_t pmu;
    int next = place < 0 ? -1 : pfm->get_event_next(place);
    if (next >= 0)
        return next;
    int error = event_info(pfm, place, &info), after = error == PFM_SUCCESS ? (int)info.pmu : -1;
    if (error == PFM_ERR_NOMEM)
        return no_memory();
    while ((after = next_pmu(tables, after, &pmu)) >= 0) {
        int there = pmu.type != PFM_PMU_TYPE_UNCORE || pmu.first_event < 0 ? 1 : kernel_has(pfm, &pmu);
        if (there < 0)
            return there;
        if (there && pmu.first_event >= 0)
            return pmu.first_event;
    }
    return -1;
}

static const char *pmu_name(const struct pfm_library *pfm, const pfm_event_info_t *event)
{
    pfm_pmu_info_t pmu;
    /* A PMU that is not there is named, too: LIBPFM_ENCODE_INACTIVE. */
    return pmu_info(pfm, (int)event->pmu, &pmu) ? pmu.name : "";
}

static int pfm_next(struct event_tables *tables, int place, char *name, size_t size)
{
    pfm_event_info_t info;
    if (pfm_start(tables, NULL) != PAPI_OK)
        return CANNOT_LOOK;
    const struct pfm_library *pfm = ready(tables);
    int next = pfm != NULL ? following(tables, pfm, place) : -1;
    if (next < 0)
        return next;
    int error = event_info(pfm, next, &info);
    if (error != PFM_SUCCESS)
        return error == PFM_ERR_NOMEM ? no_memory() : -1;
    snprintf(name, size, "%s::%s", pmu_name(pfm, &info), info.name);
    return next;
}

static int mask_info(const struct pfm_library *pfm, int place, int mask, pfm_event_attr_info_t *info)
{
    *info = (pfm_event_attr_info_t){.size = sizeof *info};
    return pfm->get_event_attr_info(place, mask, PFM_OS_PERF_EVENT, info);
}

/* The next mask of an event. libpfm4 lists masks before the event's modifiers. */
static int pfm_next_mask(struct event_tables *tables, int place, int mask, char *name, size_t size)
{
    const struct pfm_library *pfm = ready(tables);
    pfm_event_info_t event;
    pfm_event_attr_info_t info;
    int error = event_info(pfm, place, &event);
    mask++;
    if (error == PFM_SUCCESS && mask >= event.nattrs)
        return -1;
    if (error == PFM_SUCCESS)
        error = mask_info(pfm, place, mask, &info);
    if (error == PFM_ERR_NOMEM)
        return no_memory();
    if (error != PFM_SUCCESS || info.type != PFM_ATTR_UMASK)
        return -1;
    snprintf(name, size, "%s::%s:%s", pmu_name(pfm, &event), event.name, info.name);
    return mask;
}

static int pfm_describe(struct event_tables *tables, const char *name, int place, int mask, char *text,
                        size_t size, struct reason *why)
{
    const struct pfm_library *pfm = ready(tables);
    pfm_event_info_t event;
    pfm_event_attr_info_t info;
    text[0] = '\0';
    int error = event_info(pfm, place, &event);
    bool masked = error == PFM_SUCCESS && mask >= 0;
    if (masked)
        error = mask_info(pfm, place, mask, &info);
    if (error == PFM_ERR_NOMEM)
        return lacks_memory(name, why);
    if (error != PFM_SUCCESS && !masked)
        return PAPI_ENOEVNT;
    if (masked && error == PFM_SUCCESS)
        snprintf(text, size, "%s: %s", event.desc, info.desc);
    else
        snprintf(text, size, "%s", event.desc);
    return PAPI_OK;
}

/* ---- qualifiers */

/* An event's masks come before its modifiers. Each question for an attribute makes libpfm4 build the list of
 * them all: few are asked. */
static int first_modifier(const struct pfm_library *pfm, int place, int n_attributes)
{
    pfm_event_attr_info_t info;
    int low = 0, high = n_attributes;
    while (low < high) {
        int middle = (low + high) / 2;
        int error = mask_info(pfm, place, middle, &info);
        if (error == PFM_ERR_NOMEM)
            return no_memory();
        if (error == PFM_SUCCESS && info.type == PFM_ATTR_UMASK)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Asks libpfm4 whether a name with more behind it is an event. 1, 0, or PAPI_ENOMEM. */
static int is_event(const struct pfm_library *pfm, const char *name, const char *more)
{
    struct perf_event_attr attr;
    char longer[2 * PAPI_2MAX_STR_LEN];
    int n = snprintf(longer, sizeof longer, "%s%s", name, more);
    if (n <= 0 || (size_t)n >= sizeof longer)
        return 0;
    int error = encode(pfm, longer, PFM_PLM3, &attr);
    return error == PFM_ERR_NOMEM ? PAPI_ENOMEM : error == PFM_SUCCESS && !beyond_counting(&attr);
}

/* Asks whether all qualifiers of the list together go with the name. 1, 0, or PAPI_ENOMEM. */
static int all_fit(const struct pfm_library *pfm, const struct event_qualifiers *list, const char *name)
{
    char all[PAPI_2MAX_STR_LEN] = "";
    size_t used = 0;
    for (int i = 0; i < list->n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s", list->qualifier[i].text);
    return used < sizeof all ? is_event(pfm, name, all) : 0;
}

/* Lists the qualifiers that go with a name. 1: these are all; 0: the processor has more, which do not go with
 * this event's masks; PAPI_ENOMEM. */
static int search_qualifiers(const struct pfm_library *pfm, struct event_qualifiers *list, const char *name,
                             int place, int first, int end)
{
    pfm_event_attr_info_t info;
    char text[PAPI_MIN_STR_LEN];
    bool whole = true;
    list->n = 0;
    for (int i = first; i < end && list->n < PAPI_MAX_COMP_QUALS; i++) {
        int error = mask_info(pfm, place, i, &info);
        if (error == PFM_ERR_NOMEM)
            return PAPI_ENOMEM;
        if (error != PFM_SUCCESS)
            continue;
        snprintf(text, sizeof text, ":%s=%d", info.name, info.type == PFM_ATTR_MOD_BOOL);
        int fits = is_event(pfm, name, text);
        if (fits < 0)
            return fits;
        if (!fits) {
            whole &= info.ctrl != PFM_ATTR_CTRL_PMU;
            continue;
        }
        strcpy(list->qualifier[list->n].text, text);
        snprintf(list->qualifier[list->n].description, sizeof list->qualifier[0].description, "%s",
                 info.desc != NULL ? info.desc : "");
        list->n++;
    }
    return whole;
}

static int pfm_qualifiers(struct event_tables *tables, const char *name, int place,
                          struct event_qualifiers *list, struct event_qualifiers *whole)
{
    const struct pfm_library *pfm = ready(tables);
    pfm_event_info_t event;
    char masked[PAPI_2MAX_STR_LEN];
    list->n = 0;
    int error = event_info(pfm, place, &event);
    if (error != PFM_SUCCESS)
        return error == PFM_ERR_NOMEM ? PAPI_ENOMEM : PAPI_OK;
    int found = is_event(pfm, name, "");
    /* An event that lacks a mask says nothing of its own. */
    int mask = found == 0 ? pfm_next_mask(tables, place, -1, masked, sizeof masked) : -1;
    int first = found >= 0 && mask != CANNOT_LOOK ? first_modifier(pfm, place, event.nattrs) : CANNOT_LOOK;
    if (first == CANNOT_LOOK)
        return PAPI_ENOMEM;
    name = mask >= 0 ? masked : name;
    bool like = whole->n > 0 && whole->pmu == (int)event.pmu && whole->n_attributes == event.nattrs - first;
    found = like ? all_fit(pfm, whole, name) : 0;
    if (found > 0) {
        *list = *whole;
        return PAPI_OK;
    }
    if (found == 0)
        found = search_qualifiers(pfm, list, name, place, first, event.nattrs);
    if (found > 0) {
        list->pmu = (int)event.pmu;
        list->n_attributes = event.nattrs - first;
        *whole = *list;
    }
    return found < 0 ? found : PAPI_OK;
}

void pfm_version_text(struct event_tables *tables, char *text, size_t size)
{
    const struct pfm_library *pfm = load(tables);
    int version = pfm != NULL ? pfm->get_version() : 0;
    snprintf(text, size, "%d.%d", PFM_MAJ_VERSION(version), PFM_MIN_VERSION(version));
}

const struct event_source pfm_source = {
    .component = pfm_component,
    .of_perf = true,
    .find = pfm_find,
    .next = pfm_next,
    .next_mask = pfm_next_mask,
    .describe = pfm_describe,
    .qualifiers = pfm_qualifiers,
};
