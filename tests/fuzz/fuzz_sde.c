/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of software-defined events, as another build of libsde fills it: any names, kinds and values,
 * which change while the events are counted. A byte for how many there are; then for each a byte for its
 * kind, one for its type, eight for its value, one for the length of its name, and the name.
 */
#include "components/components.h"
#include "formats/sde_registry.h"
#include "fuzz.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 12, LONGEST_NAME = 256 };

static struct event {
    struct sde_counter counter;
    struct sde_source source;
    union {
        long long number;
        int small;
        double real;
        float small_real;
    } value;
    uint64_t computed;
    char name[LONGEST_NAME + 1];
} event[MOST_EVENTS];

static struct sde_registry registry;
static struct sde_registry *_Atomic first_registry;

struct sde_registry *_Atomic *SDE_ANCHOR(void);

__attribute__((visibility("default"))) struct sde_registry *_Atomic *SDE_ANCHOR(void)
{
    return &first_registry;
}

static uint64_t compute(const struct sde_source *source)
{
    return *(const uint64_t *)source->object;
}

static bool is_real(enum sde_type type, unsigned kind)
{
    return type == SDE_DOUBLE || type == SDE_FLOAT || (type == SDE_COMPUTED && (kind & 8) != 0);
}

static void set_value(struct event *to, uint64_t value)
{
    struct sde_source *source = &to->source;
    to->computed = value;
    if (source->type != SDE_COMPUTED)
        sde_store(source, source->real ? sde_bits((double)(int32_t)value) : value);
}

static void make_event(struct event *made, struct fuzz_bytes *bytes)
{
    unsigned kind = (unsigned)fuzz_number(bytes, 1);
    enum sde_type type = (enum sde_type)(fuzz_number(bytes, 1) % (SDE_COMPUTED + 1));
    uint64_t value = fuzz_number(bytes, 8);
    memset(made, 0, sizeof *made);
    made->source = (struct sde_source){.kind = (enum sde_kind)(kind % 8 % (SDE_GONE + 1)),
                                       .type = type,
                                       .level = (kind & 16) != 0,
                                       .real = is_real(type, kind),
                                       .writable = (kind & 32) != 0 && type != SDE_COMPUTED,
                                       .place = &made->value,
                                       .compute = compute,
                                       .object = &made->computed};
    set_value(made, value);
    size_t length = fuzz_number(bytes, 1), left = (size_t)(bytes->end - bytes->next);
    length = length < left ? length : left;
    memcpy(made->name, bytes->next, length);
    bytes->next += length;
    made->counter.registry = &registry;
    made->counter.name = made->name;
    atomic_init(&made->counter.source, &made->source);
    atomic_init(&made->counter.description, (kind & 64) != 0 ? NULL : made->name);
}

static int make_events(struct fuzz_bytes *bytes)
{
    int n = (int)(fuzz_number(bytes, 1) % (MOST_EVENTS + 1));
    for (int i = 0; i < n; i++) {
        make_event(&event[i], bytes);
        if (i > 0)
            atomic_store(&event[i - 1].counter.next, &event[i].counter);
    }
    atomic_store(&registry.first, n > 0 ? &event[0].counter : NULL);
    return n;
}

/* Checks the values of numbers that do not change: levels show the number, all others have counted
 * nothing. */
static void check_values(struct counter_group *group)
{
    uint64_t base[MAX_COUNTERS] = {0}, value[MAX_COUNTERS];
    struct reason why = {0};
    REQUIRE(group->ops->start(group, &why) == PAPI_OK);
    REQUIRE(group->read(group, base, value, &why) == PAPI_OK);
    for (int i = 0; i < group->n_counters; i++) {
        bool level = (group->levels >> i & 1) != 0, real = (group->reals >> i & 1) != 0;
        if (!level && !real)
            REQUIRE(value[i] == 0);
        group->ops->write(group, "", i, 12, &why);
    }
    REQUIRE(group->ops->stop(group, &why) == PAPI_OK);
}

static void count(const struct event_list *list)
{
    const struct group_options options = {.domain = PAPI_DOM_ALL};
    struct reason why = {0};
    struct counter_group *group = sde_component.create(&options);
    REQUIRE(group != NULL);
    for (int i = 0; i < list->n; i++) {
        struct event_encoding encoding = {
            .event = list->event[i], .config = list->event[i]->config, .place = i};
        int code = sde_component.try_event(NULL, &encoding, PAPI_DOM_ALL, &why);
        REQUIRE((code != PAPI_OK) == (event[i].source.kind == SDE_GONE));
        int before = group->n_counters;
        if (code == PAPI_OK)
            code = group->ops->add(group, "", &encoding, 0, &why);
        REQUIRE(group->n_counters == before + (code == PAPI_OK));
        if (code != PAPI_OK)
            fuzz_reason(why.text);
    }
    if (group->n_counters > 0)
        check_values(group);
    group->ops->destroy(group);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    struct event_list list = {0};
    struct reason why = {0};
    int n = make_events(&bytes);
    atomic_store(&first_registry, &registry);
    REQUIRE(sde_component.list("", &list, &why) == PAPI_OK);
    REQUIRE(list.n == n);
    for (int i = 0; i < n; i++)
        REQUIRE(strcmp(list.event[i]->name, event[i].name) == 0);
    count(&list);
    event_list_free(&list);
    return 0;
}
