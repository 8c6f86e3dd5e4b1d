/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the program's own calls of read, write, open and others do, "appio:::READ_BYTES". They are counted by
 * libpapi_appio.so, which stands between the program and the C library where it is preloaded.
 */
#include "components/appio/appio.h"
#include "components/appio/counts.h"
#include "components/asked.h"
#include "papi.h"

#include <dlfcn.h>
#include <string.h>

static const struct component_event events[] = {
#define EVENT(NAME, DESCRIPTION, UNIT, LEVEL)                                                                \
    {#NAME, DESCRIPTION, .unit = UNIT, .level = LEVEL, .config = NAME},
#include "components/appio/events.def"
#undef EVENT
};

static void *preloaded(void)
{
    return dlsym(RTLD_DEFAULT, APPIO_FUNCTION);
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    void *function = preloaded();
    int code = PAPI_OK;
    (void)root;
    for (int i = 0; i < APPIO_EVENTS && code == PAPI_OK && function != NULL; i++) {
        struct component_event event = events[i];
        event.opened = function;
        code = event_list_add(list, &event, why);
    }
    return code;
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    (void)pmus;
    if (preloaded() == NULL)
        reason_set(
            &state->disabled, PAPI_ENOSUPP,
            "libpapi_appio.so, which counts the program's calls, is not preloaded: start the program with "
            "LD_PRELOAD=libpapi_appio.so, with the folder that libpapi is in before the name if need be");
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    uint64_t (*count)(int);
    (void)why;
    memcpy(&count, &event->opened, sizeof count);
    *now = count((int)event->config);
    return PAPI_OK;
}

static const struct asked_source source = {.ask = ask};

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return asked_try(&source, event, why);
}

static int check_form(const char *root, const struct group_form *form, struct reason *why)
{
    (void)root;
    if (form->target != 0 || form->whole_cpu || form->inherit)
        return reason_set(why, PAPI_ECMP,
                          "component appio counts the calls of the calling thread; it neither attaches to "
                          "others nor inherits");
    return PAPI_OK;
}

static struct counter_group *create(const struct group_form *form)
{
    return asked_create(form, &source);
}

const struct component appio_component = {
    LISTING_MEMBERS("appio"),
    .description = "What the thread's own calls of read, write, open and others do",
    .list = list,
    .discover = discover,
    .try_event = try_event,
    .check_form = check_form,
    .create = create,
};
