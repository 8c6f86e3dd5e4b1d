/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"
#include "base/nearest.h"
#include "components/component.h"
#include "hardware/boxes.h"
#include "hardware/pmus.h"
#include "papi.h"

/* ---- sources of events */

/* A list of qualifiers, as many as PAPI_event_info_t has room for. */
struct event_qualifiers {
    int n;
    struct {
        char text[PAPI_MIN_STR_LEN], description[PAPI_2MAX_STR_LEN];
    } qualifier[PAPI_MAX_COMP_QUALS];
    /* The source's own: the PMU, and how many attributes of the event that are not masks. */
    int pmu, n_attributes;
};

/* The tables in which names of events are looked up. Begins as zeroes but for the root of the PMUs. */
struct event_tables {
    struct pmu_table pmus;
    struct event_list own[MAX_COMPONENTS]; /* of components that name their events themselves */
    const struct pfm_library *pfm;         /* libpfm4, which stays once it was loaded; NULL: not yet */
    bool pfm_missing;                      /* and cannot be: not looked for again */
};

/* Returned in place of a place or mask that cannot be found out now; errno says why. */
enum { CANNOT_LOOK = -2 };

/* Stands for the place of an event that nobody has asked for yet (native_settle). */
enum { PLACE_LATER = -3 };

/* A source of native events' names: libpfm4, the kernel's sysfs, or components with events of their own. */
struct event_source {
    /* The component that counts the event at a place; CANNOT_LOOK. */
    int (*component)(struct event_tables *tables, int place);
    bool of_perf; /* by perf_event or perf_event_uncore: no other has its events */

    /* The encoding of a name without ":cpu=2", and its event's place (without masks). PAPI_ENOEVNT: this
     * source does not know it, with the reason. PAPI_ENOMEM, PAPI_ESYS: it could not look. */
    int (*find)(struct event_tables *tables, const char *name, struct event_encoding *encoding,
                struct reason *why);

    /* The event after a place (-1: before the first): the next place and its name; -1: none.
     * CANNOT_LOOK. */
    int (*next)(struct event_tables *tables, int place, char *name, size_t size);

    /* The mask after a mask (-1: before the first) of the event at a place, and the event's name
     * with it; -1: none; CANNOT_LOOK. NULL: its events have none. */
    int (*next_mask)(struct event_tables *tables, int place, int mask, char *name, size_t size);

    /* A sentence on the event of this name at a place, and on one of its masks (-1: none). PAPI_ENOEVNT:
     * there is none. PAPI_ENOMEM, PAPI_ESYS: it could not look. */
    int (*describe)(struct event_tables *tables, const char *name, int place, int mask, char *text,
                    size_t size, struct reason *why);

    /* The unit of the event at a place, "" where nothing says it. PAPI_ENOMEM, PAPI_ESYS. NULL: as the
     * component lists it. */
    int (*unit)(struct event_tables *tables, int place, char *text, size_t size, struct reason *why);

    /* The event at a place as its component listed it. NULL: this source's events are not listed by one. */
    const struct component_event *(*listed)(struct event_tables *tables, int place);

    /* The qualifiers that can stand at the end of an event's name, and a sentence on each. NULL: none.
     * PAPI_ENOMEM: the list is not all.
     *   whole  what the caller keeps from call to call: the list of an event that takes all there are, which
     *          is most often that of the next one too; begins as zeroes */
    int (*qualifiers)(struct event_tables *tables, const char *name, int place, struct event_qualifiers *list,
                      struct event_qualifiers *whole);
};

extern const struct event_source pfm_source, sysfs_source;

/* The events that components name themselves: those that count in place of the processor, which are listed
 * before all others, and the rest. */
extern const struct event_source own_processor_source, own_source;

/* True if a name is that of a software event of every kernel ("perf::TASK-CLOCK"), which pfm_source encodes
 * without libpfm4: its encoding, with PLACE_LATER, if encoding is not NULL. */
bool kernel_event(const char *name, struct event_encoding *encoding);

/* The same of an event of this processor's cores ("skx::INST_RETIRED", "INST_RETIRED"). */
bool core_event(struct event_tables *tables, const char *name, struct event_encoding *encoding);

/* The identity of cores: cpuid's vendor; no vendor on 64-bit ARM, where family and model are the
 * implementer and the part; "POWER", where the model is the upper half of the processor version register. */
struct core_id {
    char vendor[13];
    int family, model, stepping;
};

/* The code of such an event on a processor (NULL: the one that runs this). False: it is not in the table, or
 * not of this processor. */
bool core_event_code(const char *name, const struct core_id *id, uint64_t *config);

/* libpfm4's name of a processor's cores (NULL: of the one that runs this); NULL: it is not in that table. */
const char *core_pmu_name(const struct core_id *id);

/* libpfm4's name of this machine's cores where it is known without libpfm4, and no other is; NULL: libpfm4 is
 * to be asked. */
const char *core_pmu(struct event_tables *tables);

/* True if libpfm4's variables are set: they can take away PMUs, or have it ask another kernel. */
bool pfm_has_variables(void);

/* libpfm4's place of an event; -1: it does not list it. CANNOT_LOOK with the reason. */
int pfm_place(struct event_tables *tables, const char *name, struct reason *why);

/* The component whose prefix a name has, whether there is such an event or not; -1: none. */
int own_component(const char *name);

void own_free(struct event_tables *tables);

/* The reason of a name with a modifier that is for sampling, or for events of perf_event_uncore. */
int no_modifier_here(const char *name, struct reason *why);

/* Makes libpfm4 find out which PMUs there are. PAPI_ENOMEM, PAPI_ESYS: it cannot now. */
int pfm_start(struct event_tables *tables, struct reason *why);

/* True if libpfm4 finds this PMU on the machine, e.g. "icx" or "perf". */
bool pfm_has_pmu(struct event_tables *tables, const char *name);

/* The PMUs that libpfm4 finds on the machine: the next after an index (-1: before the first), its
 * name in *name; -1: none. */
int pfm_next_pmu(struct event_tables *tables, int pmu, const char **name);

/* Writes the version of libpfm4, as "4.13". */
void pfm_version_text(struct event_tables *tables, char *text, size_t size);

/* ---- events that were named */

/* Native events that were named so far. An event gets its code when its name is first used and
 * keeps it until the library is shut down; codes are handed out in that order. */

struct native_event {
    int code;
    char *name;
    struct event_encoding encoding; /* its component at once, the rest by native_encode */
    const struct event_source *source;
    int place, mask; /* in its source, for enumeration and description; -1: none; PLACE_LATER */
    enum { NOT_ENCODED, ENCODED, NO_ENCODING } state;
    bool tried;                 /* the kernel was asked */
    bool named;                 /* by a program, and not only listed */
    struct kept_reason *answer; /* the kernel's, or why there is no encoding; NULL: it is counted */
};

/* The metrics of one device with their qualifiers are a quarter of a million: each has room for no sentence.
 */
_Static_assert(sizeof(struct native_event) < sizeof(struct reason), "a listed event takes little memory");

struct native_table {
    struct native_event **event; /* the first is NULL where it was not looked for yet (native_first) */
    int n;
    struct event_qualifiers qualifiers; /* for its sources */
    struct hash_table by_name;          /* an event's place and 1 */
};

/* The event of a name. PAPI_ENOEVNT with the reason; PAPI_ENOMEM; PAPI_ESYS as native_encode. */
int native_by_name(struct native_table *table, struct event_tables *tables, const char *name,
                   struct native_event **out, struct reason *why);

/* Finds the event's encoding, if that was not done yet: one that its source lists may lack it (a mask may be
 * required). PAPI_ENOEVNT with the reason; PAPI_ESYS: its PMU's files cannot be opened now. */
int native_encode(struct native_event *event, struct event_tables *tables, struct reason *why);

/* Finds the event that has the first code, which is the first one of all that are listed. PAPI_ENOMEM,
 * PAPI_ESYS: it cannot now. PAPI_ENOEVNT: there is none. */
int native_first(struct native_table *table, struct event_tables *tables, struct reason *why);

/* Finds the place of an event in its source, if that was left for later. PAPI_ENOMEM, PAPI_ESYS: it cannot be
 * found now. */
int native_settle(struct native_event *event, struct event_tables *tables, struct reason *why);

/* The event of a code, or NULL. Where the code is the first one, native_first comes before. */
struct native_event *native_by_code(const struct native_table *table, int code);

/* The event after this one (NULL: the first) among those of a component, ALL_COMPONENTS: of all.
 * PAPI_ENOEVNT: there is none. PAPI_ENOMEM, PAPI_ESYS: they cannot be listed now. */
enum { ALL_COMPONENTS = -1 };
int native_next(struct native_table *table, struct event_tables *tables, struct native_event *event,
                int component, struct native_event **out, struct reason *why);

/* The same event with its next mask; event without a mask gives the first. */
int native_next_mask(struct native_table *table, struct event_tables *tables, struct native_event *event,
                     struct native_event **out, struct reason *why);

/* The number of a component's events, without masks. PAPI_ENOMEM, PAPI_ESYS: they cannot be listed now. */
int native_count(struct event_tables *tables, int component, struct reason *why);

/* Tries the names of all events, masks apart, for the one nearest to a name: as it is, without its masks and
 * modifiers, and, where it names no PMU, without the PMU. None gets a code by that. */
void native_nearest(struct event_tables *tables, struct nearest *nearest);

void natives_free(struct native_table *table);
