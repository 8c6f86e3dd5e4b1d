/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "core/library.h"

/* Resolves event codes to native events and formulas. The library is locked in all of these. */

struct resolved_event {
    int code;
    enum derivation derivation;
    const struct formula *formula; /* DERIVED_POSTFIX: the definition's, or own */
    const char *postfix;
    const char *note;
    int n_natives;
    struct native_event *native[MAX_OPERANDS];
    int maker; /* the component that makes the event of another one's natives, in its own groups; 0: none does
                */
    struct formula own; /* of an event that is made of events that have definitions themselves */
    char own_postfix[PAPI_HUGE_STR_LEN];
};

/* The component in whose groups a native event of it is counted. */
static inline int resolved_component(const struct resolved_event *event, int native)
{
    return event->maker != 0 ? event->maker : event->native[native]->encoding.component;
}

/* The native events of a code. PAPI_EINVAL: no event code; PAPI_ENOTPRESET; PAPI_ENOEVNT: no
 * definition here, or a name in it that is not known. */
int resolve_event(int event, struct resolved_event *out, struct reason *why);

/* An event that was looked up by its name: its code, and its native event, NULL where it is a preset or a
 * user event. */
struct named_event {
    int code;
    struct native_event *native;
};

/* Looks a name up. PAPI_ENOEVNT, PAPI_ENOTPRESET; otherwise as native_by_name and library_presets. */
int event_by_name(const char *name, struct named_event *event, struct reason *why);

/* The same as resolve_event for an event that was looked up, which is not looked for once more. */
int resolve_named(const struct named_event *event, struct resolved_event *out, struct reason *why);

/* Tells if the machine counts it: all its native events, and together. Asked of the kernel once. */
int event_counts(int event, struct reason *why);
int resolved_counts(const struct resolved_event *event, struct reason *why);

/* Adds to the reason why one does not count what would count it here (core/advice.h). Returns the code. */
int resolved_advise(const struct resolved_event *event, int code, struct reason *why);

/* Tells whether an event counts: 1 or 0; PAPI_ENOMEM or PAPI_ESYS if that cannot be found out now. */
int event_available(int event, struct reason *why);

/* The name nearest to one that no event has; nearest->name is "" where none is near. */
void event_nearest(const char *name, struct nearest *nearest);

/* The name of a code, valid as long as the library is locked. As resolve_event. */
int event_name(int event, const char **name, struct reason *why);

/* The component that counts an event that has a name. PAPI_ENOMEM, PAPI_ESYS. */
int event_component(int event, struct reason *why);

/* The native event of a code: PAPI_EINVAL, PAPI_ENOEVNT (and NULL); of a name in a formula, with its
 * encoding: PAPI_ENOEVNT also where it is computed of other events itself. */
int native_of(int event, struct native_event **native, struct reason *why);
int native_named(const char *name, struct native_event **native, struct reason *why);

/* Tells if the machine counts one native event. */
int native_counts(struct native_event *event, struct reason *why);

/* The definitions of presets and user events, loaded by the first call. PAPI_ENOMEM, PAPI_ESYS: a file could
 * not be read to its end; the next call tries it again. */
int library_presets(struct preset_table **table, struct reason *why);

/* The state that a component found out, asked by the first call. */
const struct component_state *component_state_of(int component);

/* The state of a component, as component_state_of, if all of it could be found out; PAPI_ESYS: not now. */
int component_found_out(int component, const struct component_state **state, struct reason *why);

/* The component that counts the presets here: the emulated one in the emulator, perf_event where the
 * processor has counters, the counted one in a counted program; else perf_event. */
int processor_component(void);

/* PAPI_OK where the component may be used, else PAPI_ECMP_DISABLED or PAPI_ENOCMP. */
int component_usable(int component, struct reason *why);

/* The event of a counter, and the number of counts after which it overflows; 0: never. */
struct opened_counter {
    struct native_event *native;
    uint64_t period;
};

/* A group with options that were checked, with these counters. NULL, and the code: there is no such group. */
struct counter_group *counters_open(int component, const struct group_options *options,
                                    const struct opened_counter *counter, int n, int *code,
                                    struct reason *why);

/* ---- events that the program defines */

/* Events that the program defines. The library is locked in all of these, and on an error no
 * definition has changed, but for library_read_events. */

/* Defines one event: PAPI_EINVAL: its parts do not fit, or name what is not an event here; otherwise as
 * presets_put. */
int library_define(const struct event_parts *parts, bool user, bool replace, int *event, struct reason *why);

/* Defines the presets of a file (events/definition.h). PAPI_ESYS: it cannot be read. */
int library_encode(const char *file, bool replace, struct reason *why);

/* Reads a file of user events; rows with a fault are skipped, and the first is the error. */
int library_read_events(const char *file, struct reason *why);

/* True if the event is in an event set of any thread. */
bool eventset_has_anywhere(int code);

/* ---- definitions made of definitions */

/* An event that is made of presets or user events, as a formula of native events: sets what the
 * resolved event counts and how. PAPI_ENOEVNT: one of them is not defined here, the event is defined
 * through itself, or it takes more than an event can hold. */
int expand_definition(const struct preset_definition *definition, struct resolved_event *out,
                      struct reason *why);
