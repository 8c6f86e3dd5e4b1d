/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds the events by what the kernel lists in sysfs: "mem-loads" and "mem-stores" of each PMU of Intel's
 * cores, of which a hybrid processor has two, and the PMU "ibs_op" of AMD's. Loads are sampled from three
 * cycles on, which are all of them: a higher threshold would leave out the ones that hit. Since Sapphire
 * Rapids loads are only sampled in a group with "mem-loads-aux". What a kernel allows is tried: how precise,
 * whether the weight is three numbers, and whether IBS can leave the kernel out.
 */
#include "memory_events.h"
#include "base/sysroot.h"
#include "components/perf_event/sys.h"
#include "events/natives.h"
#include "formats/perf_memory.h"
#include "papi.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- by sysfs */

struct list {
    struct memory_event *event;
    int n;
    struct event_tables tables;
};

static bool encode(struct list *list, const char *name, struct perf_event_attr *attr)
{
    struct event_encoding encoding;
    if (sysfs_source.find(&list->tables, name, &encoding, NULL) != PAPI_OK)
        return false;
    *attr = (struct perf_event_attr){.type = encoding.type,
                                     .size = sizeof *attr,
                                     .config = encoding.config,
                                     .config1 = encoding.config1,
                                     .config2 = encoding.config2};
    return true;
}

static bool lists(struct list *list, struct pmu *pmu, const char *event)
{
    char terms[256];
    return pmu_terms(&list->tables.pmus, pmu, event, terms, sizeof terms) > 0;
}

static bool has_field(struct list *list, struct pmu *pmu, const char *field)
{
    const char *bits;
    return pmu_format(&list->tables.pmus, pmu, field, &bits) > 0;
}

static struct memory_event *add(struct list *list, const char *pmu, const char *terms)
{
    struct memory_event *event = &list->event[list->n];
    if (list->n == MEMORY_EVENTS)
        return NULL;
    *event = (struct memory_event){.has_leader = false};
    snprintf(event->name, sizeof event->name, "%s/%s/", pmu, terms);
    if (!encode(list, event->name, &event->attr))
        return NULL;
    list->n++;
    return event;
}

static void add_core(struct list *list, const char *name)
{
    struct pmu *pmu;
    if (pmus_find(&list->tables.pmus, name, &pmu) <= 0)
        return;
    if (lists(list, pmu, "mem-loads")) {
        struct memory_event *loads =
            add(list, name, has_field(list, pmu, "ldlat") ? "mem-loads,ldlat=3" : "mem-loads");
        char leader[96];
        snprintf(leader, sizeof leader, "%s/mem-loads-aux/", name);
        if (loads != NULL && lists(list, pmu, "mem-loads-aux"))
            loads->has_leader = encode(list, leader, &loads->leader);
    }
    if (lists(list, pmu, "mem-stores"))
        add(list, name, "mem-stores");
}

static void add_ibs(struct list *list)
{
    struct pmu *pmu;
    if (pmus_find(&list->tables.pmus, "ibs_op", &pmu) <= 0)
        return;
    struct memory_event *event =
        add(list, "ibs_op", has_field(list, pmu, "swfilt") ? "cnt_ctl=1,swfilt=1" : "cnt_ctl=1");
    if (event != NULL)
        event->ibs = true;
}

int memory_events_list(const char *root, struct memory_event event[MEMORY_EVENTS], struct reason *why)
{
    struct list list = {.event = event, .tables.pmus.root = root};
    struct pmu *spe;
    add_core(&list, "cpu");
    add_core(&list, "cpu_core");
    add_core(&list, "cpu_atom");
    add_ibs(&list);
    if (list.n == 0 && pmus_find(&list.tables.pmus, "arm_spe_0", &spe) > 0)
        reason_set(why, PAPI_ENOEVNT, "samples of this processor's SPE are not taken");
    else if (list.n == 0)
        reason_set(why, PAPI_ENOEVNT,
                   "the kernel has no event here whose samples have addresses of data (mem-loads, ibs_op)");
    pmus_free(&list.tables.pmus);
    return list.n;
}

/* ---- by the kernel */

/* Describes what is sampled, in one of the ways that a kernel may have. */
static struct perf_event_attr variant(const struct memory_event *event, int precise, bool numbers)
{
    struct perf_event_attr attr = event->attr;
    attr.disabled = 1;
    attr.freq = 1;
    attr.sample_freq = 1000;
    attr.precise_ip = precise & 3;
    attr.exclude_kernel = attr.exclude_hv = !event->everything;
    attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_DATA_SRC |
                       (numbers ? PERF_SAMPLE_WEIGHT_STRUCT : PERF_SAMPLE_WEIGHT) |
                       (event->ibs ? PERF_SAMPLE_RAW : 0);
    return attr;
}

static bool opens(const char *root, struct memory_event *event, const struct perf_event_attr *attr,
                  struct reason *why)
{
    struct perf_event_attr leader = event->leader, tried = *attr;
    int first = -1, fd;
    leader.disabled = 1;
    leader.exclude_kernel = leader.exclude_hv = 1;
    if (event->has_leader && sys_open(root, NULL, &leader, -1, &first, why) != PAPI_OK)
        return false;
    tried.disabled = first < 0;
    bool open = sys_open(root, NULL, &tried, first, &fd, why) == PAPI_OK;
    if (open)
        sys_close(fd);
    if (first >= 0)
        sys_close(first);
    return open;
}

/* Without a precise address PEBS has none of data; IBS has it always. */
static bool try_event(const char *root, struct memory_event *event, struct reason *why)
{
    for (int way = 0; way < 2 * (event->ibs ? 1 : 3); way++) {
        struct perf_event_attr attr = variant(event, event->ibs ? 0 : 3 - way / 2, way % 2 == 0);
        if (opens(root, event, &attr, why)) {
            event->attr = attr;
            return true;
        }
    }
    return false;
}

int memory_events_find(const char *root, struct memory_event event[MEMORY_EVENTS], struct reason *why)
{
    int listed = memory_events_list(root, event, why), n = 0;
    for (int i = 0; i < listed; i++) {
        bool open = try_event(root, &event[i], why);
        if (!open && event[i].ibs) {
            event[i].everything = true;
            open = try_event(root, &event[i], why);
        }
        if (open)
            event[n++] = event[i];
    }
    return n;
}

/* ---- lines */

int memory_line_bytes(const char *root)
{
    enum { USUAL = 64, LEAST = 16, MOST = 4096 };
    long long bytes;
    bool known =
        sysroot_number(root, "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size", &bytes) == 0;
    return known && bytes >= LEAST && bytes <= MOST && (bytes & (bytes - 1)) == 0 ? (int)bytes : USUAL;
}
