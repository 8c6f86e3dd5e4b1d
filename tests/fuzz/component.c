/* SPDX-License-Identifier: BSD-3-Clause */
#include "component.h"
#include "fuzz.h"
#include "papi.h"

#include <string.h>

enum { MOST_COUNTED = 8 };

static void check_reason(int code, const struct reason *why)
{
    REQUIRE(code == PAPI_OK || code == why->code);
    if (code != PAPI_OK)
        fuzz_reason(why->text);
}

static void check_values(struct counter_group *group, bool still)
{
    uint64_t base[MAX_COUNTERS] = {0}, value[MAX_COUNTERS];
    struct reason why = {0};
    int code = group->ops->start(group, &why);
    if (code == PAPI_OK)
        code = group->read(group, base, value, &why);
    for (int i = 0; code == PAPI_OK && still && i < group->n_counters; i++)
        REQUIRE((group->levels >> i & 1) != 0 || value[i] == 0);
    check_reason(code, &why);
    why = (struct reason){0};
    check_reason(group->ops->stop(group, &why), &why);
}

static void count(const struct component *component, const struct event_list *list, int index,
                  struct pmu_table *pmus, bool still)
{
    const struct group_options options = {.domain = component->default_domain};
    struct reason why = {0};
    if (component->check_options(pmus->root, &options, &why) != PAPI_OK)
        return;
    struct counter_group *group = component->create(&options);
    REQUIRE(group != NULL);
    for (int i = 0; i < list->n && group->n_counters < MOST_COUNTED; i++) {
        struct event_encoding encoding = {
            .component = index, .config = list->event[i]->config, .event = list->event[i], .place = i};
        why = (struct reason){0};
        int code = component->try_event(pmus, &encoding, options.domain, &why);
        check_reason(code, &why);
        if (code == PAPI_OK)
            check_reason(group->ops->add(group, pmus->root, &encoding, 0, &why), &why);
    }
    if (group->n_counters > 0)
        check_values(group, still);
    group->ops->destroy(group);
}

static void check_event(const struct component *component, const struct event_list *list,
                        const struct component_event *event)
{
    char text[PAPI_HUGE_STR_LEN], unit[PAPI_MIN_STR_LEN];
    struct reason why = {0};
    REQUIRE(event->name[0] != '\0' && event_list_find(list, event->name) >= 0);
    REQUIRE(strlen(component->prefix) + strlen(event->name) < PAPI_MAX_STR_LEN);
    if (component->describe == NULL)
        return;
    check_reason(component->describe(event, text, sizeof text, unit, sizeof unit, &why), &why);
}

void fuzz_component(const struct component *component, int index, const char *root, bool still)
{
    struct pmu_table pmus = {.root = root};
    struct component_state state = {0};
    struct event_list list = {0};
    struct reason why = {0};
    component->discover(&pmus, &state);
    check_reason(state.disabled.code, &state.disabled);
    check_reason(component->list(root, &list, &why), &why);
    for (int i = 0; i < list.n; i++)
        check_event(component, &list, list.event[i]);
    count(component, &list, index, &pmus, still);
    event_list_free(&list);
    pmus_free(&pmus);
}
