/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/perf_event/sys.h"
#include "events/natives.h"
#include "sampler.h"
#include "tools/common/allocate.h"
#include "tools/common/event.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The clock of a kernel that has no more than that, every millisecond; others that often on average. */
enum { CLOCK_PERIOD = 1000000, LEAST_CLOCK_PERIOD = 100000, RATE = 1000 };
static const char clock_name[] = "perf::CPU-CLOCK";

/* --------------------------------------------------------------- names to encodings */

/* Encodes an event, which is looked for in the sources that the library uses, in the same order. */
static int encode(const char *name, struct event_encoding *encoding, struct reason *why)
{
    static const struct event_source *const sources[] = {&pfm_source, &sysfs_source};
    static struct event_tables tables; /* libpfm4 stays, once it was loaded */
    int code = PAPI_ENOEVNT;
    tables.pmus.root = secure_getenv("PAPI_SYSROOT");
    for (int i = strchr(name, '/') != NULL; i < 2 && code != PAPI_OK; i++) {
        *encoding = (struct event_encoding){.component = 0};
        struct reason reason = {.code = PAPI_OK};
        code = sources[i]->find(&tables, name, encoding, &reason);
        if (i == 0 || strchr(name, '/') != NULL || code == PAPI_OK)
            *why = reason;
    }
    pmus_free(&tables.pmus);
    return code;
}

/* The one native event behind a name; NULL after a message. */
static const char *native_of(struct tool *tool, const char *name, PAPI_event_info_t *info)
{
    const char *why;
    if (event_find(tool, name, info) != TOOL_FINE)
        return NULL;
    if (!event_is_composed(info))
        return info->symbol;
    if (!event_counts(info, &why)) {
        tool_error(tool, "event %s cannot be sampled: %s", name, why);
        return NULL;
    }
    if (event_natives(info) == 1)
        return info->name[0];
    tool_error(tool,
               "event %s is computed from %d others, which do not overflow together: sample one of them, "
               "such as %s",
               name, event_natives(info), info->name[0]);
    return NULL;
}

static bool of_perf_event(struct tool *tool, const char *name)
{
    int code, component;
    const PAPI_component_info_t *info = NULL;
    if (PAPI_event_name_to_code(name, &code) == PAPI_OK) {
        component = PAPI_get_event_component(code);
        info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    }
    if (info == NULL || strcmp(info->name, "perf_event") == 0)
        return true;
    tool_error(tool,
               "event %s is one of the component %s, which cannot interrupt a program: sample events of the "
               "component perf_event",
               name, info->name);
    return false;
}

/* ------------------------------------------------------------------- what is asked for */

static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void take_encoding(struct perf_event_attr *attr, const struct event_encoding *encoding)
{
    int domain = encoding->domain != 0 ? encoding->domain : PAPI_DOM_USER;
    *attr = (struct perf_event_attr){
        .type = encoding->type,
        .size = sizeof *attr,
        .config = encoding->config,
        .config1 = encoding->config1,
        .config2 = encoding->config2,
        .exclude_user = (domain & PAPI_DOM_USER) == 0,
        .exclude_kernel = (domain & PAPI_DOM_KERNEL) == 0,
        .exclude_hv = 1,
    };
}

/* Sets how often an event is sampled: by the user's period; with 0, a clock by CLOCK_PERIOD, other events
 * RATE times a second. */
static void set_period(struct perf_event_attr *attr, uint64_t period)
{
    if (period == 0 && !is_clock(attr)) {
        attr->freq = 1;
        attr->sample_freq = RATE;
    } else {
        attr->sample_period = period != 0 ? period : CLOCK_PERIOD;
    }
}

static int add(struct attributes *attributes, struct tool *tool, const char *name,
               const struct event_encoding *encoding, uint64_t period, struct profile *profile)
{
    struct perf_event_attr *attr = &attributes->attr[attributes->n];
    if (attributes->n == PROFILE_EVENTS)
        return tool_usage_error(tool, "%s is one event more than the %d that can be sampled at once", name,
                                (int)PROFILE_EVENTS);
    take_encoding(attr, encoding);
    if (is_clock(attr) && period != 0 && period < LEAST_CLOCK_PERIOD)
        return tool_usage_error(tool,
                                "%s=%llu: a clock of the kernel interrupts a program every %d ns at "
                                "the most often",
                                name, (unsigned long long)period, (int)LEAST_CLOCK_PERIOD);
    set_period(attr, period);
    profile->event[profile->n_events++] = (struct profile_event){
        .name = memory_text(name), .period = attr->freq ? 0 : attr->sample_period, .clock = is_clock(attr)};
    attributes->n++;
    return TOOL_FINE;
}

/* ----------------------------------------------------------------------- the words */

/* "EVENT=1000": the period, and *length is that of EVENT; 0: there is none. */
static uint64_t period_of(const char *word, size_t *length)
{
    const char *equals = strrchr(word, '=');
    char *end;
    if (equals == NULL || !isdigit((unsigned char)equals[1]))
        return 0;
    errno = 0;
    unsigned long long period = strtoull(equals + 1, &end, 10);
    if (*end != '\0' || errno != 0 || period > LLONG_MAX)
        return 0;
    *length = (size_t)(equals - word);
    return period;
}

static bool known(const char *word)
{
    int code;
    return PAPI_event_name_to_code(word, &code) == PAPI_OK;
}

static int add_named(struct attributes *attributes, struct tool *tool, const char *name, uint64_t period,
                     struct profile *profile)
{
    PAPI_event_info_t info;
    struct event_encoding encoding;
    struct reason why = {.code = PAPI_OK};
    const char *native = native_of(tool, name, &info);
    if (native == NULL || !of_perf_event(tool, native))
        return TOOL_ERROR;
    if (encode(native, &encoding, &why) != PAPI_OK)
        return tool_error(tool, "event %s cannot be sampled: %s", name, why.text);
    return add(attributes, tool, name, &encoding, period, profile);
}

/* True if the processor counts cycles in a thread and can interrupt it. */
static bool cycles_count(struct perf_event_attr attr)
{
    int fd;
    attr.disabled = 1;
    bool counts = sys_open(secure_getenv("PAPI_SYSROOT"), NULL, &attr, -1, &fd, NULL) == PAPI_OK;
    if (counts)
        sys_close(fd);
    return counts;
}

static int add_usual(struct attributes *attributes, struct tool *tool, struct profile *profile)
{
    static const struct event_encoding cycles = {.type = PERF_TYPE_HARDWARE,
                                                 .config = PERF_COUNT_HW_CPU_CYCLES},
                                       clock = {.type = PERF_TYPE_SOFTWARE,
                                                .config = PERF_COUNT_SW_CPU_CLOCK};
    struct perf_event_attr attr;
    take_encoding(&attr, &cycles);
    set_period(&attr, 0);
    return cycles_count(attr) ? add(attributes, tool, "perf::CYCLES", &cycles, 0, profile)
                              : add(attributes, tool, clock_name, &clock, 0, profile);
}

/* Complains about a word of which only the period behind "=" is wrong; TOOL_FINE if the part before it is no
 * event either. */
static int wrong_period(struct tool *tool, const char *name)
{
    const char *equals = strrchr(name, '=');
    char *event = memory_text(name);
    if (equals != NULL)
        event[equals - name] = '\0';
    int status =
        equals == NULL || !known(event)
            ? TOOL_FINE
            : tool_error(tool,
                         "%s: the period of %s is a whole number of events from 1 on, such as %s=1000000",
                         name, event, event);
    free(event);
    return status;
}

int attributes_add(struct attributes *attributes, struct tool *tool, const char *word,
                   struct profile *profile)
{
    size_t length = 0;
    if (word == NULL)
        return add_usual(attributes, tool, profile);
    uint64_t period = known(word) ? 0 : period_of(word, &length);
    char *name = memory_text(word);
    if (period != 0)
        name[length] = '\0';
    int status = known(name) ? TOOL_FINE : wrong_period(tool, name);
    if (status == TOOL_FINE)
        status = add_named(attributes, tool, name, period, profile);
    free(name);
    return status;
}
