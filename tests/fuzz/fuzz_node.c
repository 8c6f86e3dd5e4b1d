/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The components that read the kernel's files, over files that say anything: each of them lists what it finds
 * there, and counts it. The input has files with "%%" between them: the path in a line, then the text.
 */
#include "components/components.h"
#include "components/file_group.h"
#include "fuzz.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

/* Components of the folder device ask a library. */
static const struct component *const all[] = {
    &powercap_component,   &rapl_component,         &coretemp_component, &net_component,
    &infiniband_component, &io_component,           &lustre_component,   &stealtime_component,
    &disk_component,       &cgroup_component,       &pressure_component, &numa_component,
    &frequency_component,  &powercap_ppc_component,
};
enum { MOST_FILES = 24, MOST_COUNTED = 8 };

static bool is_inside(const char *path)
{
    return path[0] != '\0' && path[0] != '/' && strstr(path, "..") == NULL && strstr(path, "//") == NULL;
}

static void make_file(const uint8_t *data, size_t size)
{
    const uint8_t *line = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t length = line != NULL ? (size_t)(line - data) : size;
    char *path = fuzz_text(data, length);
    if (is_inside(path))
        fuzz_put(path, line != NULL ? line + 1 : data, line != NULL ? size - length - 1 : 0);
    free(path);
}

static void make_files(const uint8_t *data, size_t size)
{
    for (int i = 0; i < MOST_FILES && size > 0; i++) {
        const uint8_t *end = memmem(data, size, "%%", 2);
        size_t length = end != NULL ? (size_t)(end - data) : size;
        make_file(data, length);
        length += end != NULL ? 2 : 0;
        data += length;
        size -= length;
    }
}

static void check_values(struct counter_group *group, int n)
{
    uint64_t base[MAX_COUNTERS] = {0}, value[MAX_COUNTERS];
    struct reason why = {0};
    int code = group->ops->start(group, &why);
    if (code == PAPI_OK)
        code = group->read(group, base, value, &why);
    if (code == PAPI_OK)
        for (int i = 0; i < n; i++) /* nothing has changed */
            REQUIRE((group->levels >> i & 1) != 0 || value[i] == 0);
    code = group->ops->stop(group, &why);
    REQUIRE(code == PAPI_OK || why.code == code);
    if (code != PAPI_OK)
        fuzz_reason(why.text);
}

static void count(const struct component *component, const struct event_list *list, int component_index)
{
    const struct group_options options = {.domain = component->default_domain};
    struct pmu_table pmus = {.root = fuzz_folder()};
    struct reason why = {0};
    if (component->check_options(pmus.root, &options, &why) != PAPI_OK)
        return;
    struct counter_group *group = component->create(&options);
    REQUIRE(group != NULL);
    for (int i = 0; i < list->n && group->n_counters < MOST_COUNTED; i++) {
        struct event_encoding encoding = {.component = component_index,
                                          .config = list->event[i]->config,
                                          .event = list->event[i],
                                          .place = i};
        int code = component->try_event(&pmus, &encoding, options.domain, &why);
        REQUIRE(code == PAPI_OK || code == why.code);
        if (code == PAPI_OK)
            code = group->ops->add(group, pmus.root, &encoding, 0, &why);
        if (code != PAPI_OK)
            fuzz_reason(why.text);
    }
    if (group->n_counters > 0)
        check_values(group, group->n_counters);
    group->ops->destroy(group);
}

static void check(int number)
{
    const struct component *component = all[number];
    struct pmu_table pmus = {.root = fuzz_folder()};
    struct component_state state = {0};
    struct event_list list = {0};
    struct reason why = {0};
    component->discover(&pmus, &state);
    if (state.disabled.code != PAPI_OK)
        fuzz_reason(state.disabled.text);
    int code = component->list(pmus.root, &list, &why);
    if (code != PAPI_OK)
        fuzz_reason(why.text);
    for (int i = 0; i < list.n; i++)
        REQUIRE(list.event[i]->name[0] != '\0' && event_list_find(&list, list.event[i]->name) >= 0);
    count(component, &list, number);
    event_list_free(&list);
    pmus_free(&pmus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, data + size};
    unsigned first = (unsigned)fuzz_number(&bytes, 1), n = sizeof all / sizeof *all;
    make_files(bytes.next, (size_t)(bytes.end - bytes.next));
    if (first < n)
        check((int)first);
    for (unsigned i = 0; first >= n && i < n; i++)
        check((int)i);
    fuzz_clear();
    return 0;
}
