/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes, calls and times of the program's own calls of read, write, open and others, "appio:::READ_BYTES".
 * They are counted by libpapi_appio.so, which stands between the program and the C library where it is
 * preloaded or linked.
 */
#include "components/components.h"
#include "components/free_running.h"
#include "formats/appio_counts.h"
#include "papi.h"

#include <dlfcn.h>
#include <string.h>

TEXT_ROWS_BEGIN
static const struct event_row events[] = {
#define EVENT(NAME, DESCRIPTION, UNIT, LEVEL)                                                                \
    {#NAME, DESCRIPTION, .unit = UNIT, .level = LEVEL, .config = NAME},
#include "formats/appio_events.def"
#undef EVENT
};
TEXT_ROWS_END

static const void *object_of(const void *address)
{
    Dl_info info;
    return address != NULL && dladdr(address, &info) != 0 ? info.dli_fbase : NULL;
}

/* The function of libpapi_appio.so that counts; NULL: it is not there, or was loaded after the C library,
 * when it would count nothing and show 0 for calls that were made. (The threads' library of an older glibc
 * has its own read, but not readv.) */
static void *counting(void)
{
    void *function = dlsym(RTLD_DEFAULT, APPIO_FUNCTION);
    bool in_time = object_of(dlsym(RTLD_DEFAULT, "readv")) != object_of(dlsym(RTLD_DEFAULT, "abort"));
    return in_time ? function : NULL;
}

static int list(const char *root, struct event_list *list, struct reason *why)
{
    void *function = counting();
    int code = PAPI_OK;
    (void)root;
    for (int i = 0; i < APPIO_EVENTS && code == PAPI_OK; i++) {
        struct component_event event = event_of_row(&events[i]);
        event.opened = function;
        code = event_list_add(list, &event, why);
    }
    return code;
}

static int refuse(int code, struct reason *why)
{
    return reason_set(
        why, code,
        "libpapi_appio.so, which counts the program's calls, does not stand before the C library: "
        "start the program with LD_PRELOAD=libpapi_appio.so, with the folder that libpapi is in "
        "before the name if need be, or link it with -lpapi_appio");
}

static void discover(struct pmu_table *pmus, struct component_state *state)
{
    (void)pmus;
    if (counting() == NULL)
        refuse(PAPI_ENOSUPP, &state->disabled);
}

static int ask(const struct component_event *event, uint64_t *now, struct reason *why)
{
    uint64_t (*count)(int);
    if (event->opened == NULL)
        return refuse(PAPI_ENOEVNT, why);
    memcpy(&count, &event->opened, sizeof count);
    *now = count((int)event->config);
    return PAPI_OK;
}

static const struct function_source source = {.ask = ask};

static int try_event(struct pmu_table *pmus, const struct event_encoding *event, int domain,
                     struct reason *why)
{
    (void)pmus, (void)domain;
    return function_try(&source, event, why);
}

static int check_options(const char *root, const struct group_options *options, struct reason *why)
{
    (void)root;
    if (options->target != 0 || options->whole_cpu || options->inherit)
        return reason_set(why, PAPI_ECMP,
                          "component appio counts the calls of the calling thread; it neither attaches to "
                          "others nor inherits");
    return PAPI_OK;
}

static struct counter_group *create(const struct group_options *options)
{
    return function_create(options, &source);
}

const struct component appio_component = {
    LISTING_MEMBERS("appio"),
    .description = "What the thread's own calls of read, write, open and others do",
    .list = list,
    .always_listed = true,
    .discover = discover,
    .try_event = try_event,
    .check_options = check_options,
    .create = create,
};
