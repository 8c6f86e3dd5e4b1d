/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/counted/counted.h"
#include "components/components.h"
#include "components/counted/columns.h"
#include "papi.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *description;
} events[COUNTED_EVENTS] = {
#define EVENT(name, description) {#name, description},
#define CACHE_EVENT(name, description)
#include "formats/emulator_events.def"
#undef EVENT
#undef CACHE_EVENT
};

static void close_columns(void *columns)
{
    columns_free(columns);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    struct columns *columns = columns_make();
    (void)root;
    if (columns == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code = event_list_open(list, columns, close_columns, why);
    for (int i = 0; i < COUNTED_EVENTS && code == PAPI_OK; i++) {
        const struct component_event event = {.name = (char *)events[i].name,
                                              .description = (char *)events[i].description,
                                              .config = (uint64_t)i,
                                              .opened = columns};
        code = event_list_add(list, &event, why);
    }
    return code;
}

/* ------------------------------------------------------------------- what there is */

/* The numbers of modules by kind, and the name of the first one of some kinds. Modules with damaged tables,
 * which only a look inside shows, are among the foreign ones. */
struct finds {
    bool look_inside;
    int counted, of_threads, foreign, unweighed, of_process;
    char name_foreign[128], name_unweighed[128], name_of_process[128];
};

static void note(int *n, char name[128], const char *module)
{
    if ((*n)++ == 0)
        snprintf(name, 128, "%s", module[0] != '\0' ? module : "the program");
}

static bool has_process_units(const struct counted_module *module)
{
    const struct counted_unit *unit = NULL;
    while ((unit = module_next_unit(module, unit)) != NULL)
        if (unit->kind == COUNTED_PROCESS)
            return true;
    return false;
}

static void see(const struct counted_module *module, const char *name, void *context)
{
    struct finds *finds = context;
    if (!module_is_known(module)) {
        note(&finds->foreign, finds->name_foreign, name);
        return;
    }
    if (module->weighed == 0) {
        note(&finds->unweighed, finds->name_unweighed, name);
        return;
    }
    if (finds->look_inside && !module_is_whole(module)) {
        note(&finds->foreign, finds->name_foreign, name);
        return;
    }
    finds->counted++;
    if (has_process_units(module))
        note(&finds->of_process, finds->name_of_process, name);
    finds->of_threads += module->n_slots > 0;
}

/* The reason why nothing is counted; PAPI_OK: something is. */
static int check_counted(const struct finds *finds, struct reason *why)
{
    if (finds->counted > 0)
        return PAPI_OK;
    if (finds->foreign > 0)
        return reason_set(why, PAPI_ENOCMP,
                          "%s was built by papi_counted of another version of this library: build it again",
                          finds->name_foreign);
    if (finds->unweighed > 0)
        return reason_set(
            why, PAPI_ENOCMP,
            "%s was compiled by papi_counted and linked without it: link it with papi_counted, too",
            finds->name_unweighed);
    return reason_set(why, PAPI_ENOCMP,
                      "the program is not a counted build: compile and link it with papi_counted "
                      "(\"papi_counted gfortran ...\"), and it counts its own operations");
}

/* Explains modules that are there and are not counted, or not as it seems. */
static void note_parts(const struct finds *finds, struct component_state *state)
{
    const char *than = finds->unweighed > 0 ? finds->name_unweighed : finds->name_foreign;
    struct reason *why = &state->partially_disabled;
    if (finds->unweighed + finds->foreign > 0)
        reason_set(why, PAPI_PARTIAL, "%s is not counted: link it with papi_counted of this version", than);
    else if (finds->of_process > 0)
        reason_set(
            why, PAPI_PARTIAL,
            "what %s does is the sum of all threads (papi_counted --shared-by-threads), in each thread's "
            "event sets",
            finds->name_of_process);
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    struct finds finds = {.look_inside = true};
    (void)pmus;
    modules_look(see, &finds);
    if (check_counted(&finds, &state->disabled) != PAPI_OK)
        return;
    note_parts(&finds, state);
    state->n_hardware_counters = COUNTED_EVENTS;
    state->fast_read = true;
}

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    struct finds finds = {0};
    (void)pmus, (void)event;
    modules_look(see, &finds);
    int code = check_counted(&finds, why);
    return code == PAPI_OK ? counted_check_domain(domain, why) : code;
}

/* Refuses inheritance where slots are thread-local, since only each thread knows where its own are. Those of
 * the process are everybody's sum. */
static int check_inherit(struct reason *why)
{
    struct finds finds = {0};
    modules_look(see, &finds);
    if (finds.of_threads == 0)
        return PAPI_OK;
    return reason_set(why, PAPI_ECMP,
                      "a counted program counts each thread for itself: make an event set in each thread "
                      "(papi_counted --shared-by-threads builds programs that count all threads together)");
}

/* Checks options. Multiplexing cannot fail here: all events are counted all the time. */
static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0)
        return reason_set(why, PAPI_ECMP,
                          "a counted program counts each thread for itself: event sets cannot be attached to "
                          "another");
    if (options->whole_cpu)
        return reason_set(why, PAPI_ECMP, "a counted program counts its own threads, not a CPU");
    return options->inherit ? check_inherit(why) : PAPI_OK;
}

const struct component counted_component = {
    .name = "counted",
    .short_name = "counted",
    .description = "papi_counted: what the program's own instructions do, counted exactly by the program",
    .processor = "counted",
    .where_no_counters = true,
    .prefix = "counted::",
    .list = list,
    .default_domain = PAPI_DOM_USER,
    .available_domains = PAPI_DOM_USER,
    .inherit = true,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = counted_group_create,
};
