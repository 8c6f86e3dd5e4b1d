/* SPDX-License-Identifier: BSD-3-Clause */
#include "node_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the CPUs */

/* Calls take for each CPU of a list such as "0-3,8". */
static bool each_cpu(const char *list, bool (*take)(struct node_counts *, int), struct node_counts *counts)
{
    bool fine = true;
    while (fine && *list >= '0' && *list <= '9') {
        char *end;
        long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && fine; cpu++)
            fine = take(counts, (int)cpu);
        list = end + (*end == ',');
    }
    return fine;
}

static bool add_cpu(struct node_counts *counts, int cpu)
{
    enum { MOST = 65536 };
    struct cpu_set *grown = NULL;
    if (counts->n_cpus < MOST)
        grown = realloc(counts->cpu, ((size_t)counts->n_cpus + 1) * sizeof *grown);
    if (grown == NULL)
        return false;
    grown[counts->n_cpus++] = (struct cpu_set){.cpu = cpu, .es = PAPI_NULL};
    counts->cpu = grown;
    return true;
}

/* Finds the CPU from which on a search for one that runs succeeds. */
static bool find_first(struct node_counts *counts, int cpu)
{
    for (int c = 0; c < counts->n_cpus; c++)
        if (counts->cpu[c].cpu == cpu) {
            counts->first = c;
            return false; /* no more */
        }
    return true;
}

/* Calls take for each CPU of a list in a file of the kernel's. Returns what each_cpu does, or a code. */
static int read_list(const char *path, bool (*take)(struct node_counts *, int), struct node_counts *counts)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return PAPI_ESYS;
    int code = getline(&line, &size, file) < 0 ? PAPI_ESYS : each_cpu(line, take, counts);
    free(line);
    fclose(file);
    return code;
}

/* Takes CPUs that are switched off, too: they may be on later. */
int node_counts_open(struct node_counts *counts)
{
    int present = read_list("/sys/devices/system/cpu/present", add_cpu, counts);
    int online = present > 0 ? read_list("/sys/devices/system/cpu/online", find_first, counts) : present;
    return present < 0 || online < 0             ? PAPI_ESYS
           : present == 0 || counts->n_cpus == 0 ? PAPI_ENOMEM
                                                 : PAPI_OK;
}

static void drop_set(int *es)
{
    if (*es == PAPI_NULL)
        return;
    PAPI_cleanup_eventset(*es);
    PAPI_destroy_eventset(es);
    *es = PAPI_NULL;
}

/* Makes the event set of a CPU, with the first n events. */
static int make_set(const struct node_counts *counts, struct cpu_set *cpu, int n, bool multiplexed)
{
    PAPI_option_t option;
    drop_set(&cpu->es);
    int code = PAPI_create_eventset(&cpu->es) ?: PAPI_assign_eventset_component(cpu->es, 0);
    memset(&option, 0, sizeof option);
    option.cpu.eventset = cpu->es;
    option.cpu.cpu_num = (unsigned)cpu->cpu;
    if (code == PAPI_OK)
        code = PAPI_set_opt(PAPI_CPU_ATTACH, &option);
    if (code == PAPI_OK && multiplexed)
        code = PAPI_set_multiplex(cpu->es);
    for (int i = 0; i < n && code == PAPI_OK; i++)
        code = PAPI_add_event(cpu->es, counts->core[i].code);
    return code;
}

/* Tries the event on one CPU, beside those that are there; if it does not fit, they take turns. */
static int add_core(struct node_counts *counts, const char *name, int event)
{
    if (counts->n_core == MAX_COUNT_EVENTS)
        return PAPI_ECOUNT;
    counts->core[counts->n_core] = (struct core_event){.name = name, .code = event};
    struct cpu_set *first = &counts->cpu[counts->first];
    int n = counts->n_core + 1, code = make_set(counts, first, n, counts->multiplexed);
    if ((code == PAPI_ECNFLCT || code == PAPI_ECOUNT) && !counts->multiplexed) {
        code = make_set(counts, first, n, true);
        counts->multiplexed = code == PAPI_OK;
    }
    if (code == PAPI_OK)
        code = series_open(&counts->series[MAX_COUNT_EVENTS + counts->n_core], name, false, false);
    counts->n_core += code == PAPI_OK;
    return code;
}

/* ---- all events */

static int add_node(struct node_counts *counts, const char *name, char *why, size_t size)
{
    int i = counts->node.n_events;
    if (i == MAX_COUNT_EVENTS)
        return PAPI_ECOUNT;
    const struct count_event *event = count_sets_add(&counts->node, name);
    if (event->added)
        return series_open(&counts->series[i], name, event->level, event->real);
    snprintf(why, size, "%s", event->why);
    counts->node.n_events--; /* the place is the next one's */
    return PAPI_EMISC;
}

static bool is_there(const struct node_counts *counts, const char *name)
{
    bool there = false;
    for (int i = 0; i < counts->n_core; i++)
        there = there || strcmp(counts->core[i].name, name) == 0;
    for (int i = 0; i < counts->node.n_events; i++)
        there = there || strcmp(counts->node.event[i].name, name) == 0;
    return there;
}

int node_counts_add(struct node_counts *counts, const char *name, char *why, size_t size)
{
    int event, code = PAPI_event_name_to_code(name, &event);
    int component = code == PAPI_OK ? PAPI_get_event_component(event) : -1;
    const PAPI_component_info_t *info = component >= 0 ? PAPI_get_component_info(component) : NULL;
    why[0] = '\0';
    if (is_there(counts, name))
        return PAPI_OK;
    if (code == PAPI_OK && component == 0)
        code = add_core(counts, name, event);
    else if (code == PAPI_OK && info != NULL && info->default_granularity >= PAPI_GRN_SYS)
        code = add_node(counts, name, why, size);
    else if (code == PAPI_OK) {
        snprintf(why, size, "it counts what this tool does, and not the node");
        return PAPI_EINVAL;
    }
    if (code != PAPI_OK && why[0] == '\0')
        snprintf(why, size, "%s", PAPI_strerror(code));
    return code;
}

int node_counts_n(const struct node_counts *counts)
{
    return counts->n_core + counts->node.n_added;
}

/* Begins to count on a CPU; one that is switched off has no set then. A code of PAPI's. */
static int start_cpu(struct node_counts *counts, struct cpu_set *cpu)
{
    int code = make_set(counts, cpu, counts->n_core, counts->multiplexed) ?: PAPI_start(cpu->es);
    memset(cpu->last, 0, sizeof cpu->last);
    if (code != PAPI_OK)
        drop_set(&cpu->es);
    return code;
}

/* True for the codes of a CPU that has nothing to count: it is switched off, or is no core of the events'
 * kind. With others there is something, and a sum without it is wrong. */
static bool has_nothing(int code)
{
    return code == PAPI_EINVAL || code == PAPI_ENOEVNT || code == PAPI_ECLOST;
}

int node_counts_start(struct node_counts *counts)
{
    int code = PAPI_OK;
    /* The set of the first CPU may be one that an event did not fit into. */
    for (int c = 0; c < counts->n_cpus && counts->n_core > 0 && code == PAPI_OK; c++) {
        code = start_cpu(counts, &counts->cpu[c]);
        if (has_nothing(code) && c != counts->first)
            code = PAPI_OK;
    }
    return code ?: count_sets_start(&counts->node);
}

/* ---- values */

/* A code of PAPI's. PAPI_ECLOST: the CPU was switched off, and what it counted before is kept. */
static int read_cpu(const struct node_counts *counts, struct cpu_set *cpu)
{
    long long value[MAX_COUNT_EVENTS];
    int code = PAPI_read(cpu->es, value);
    if (code == PAPI_OK || code == PAPI_ECLOST)
        memcpy(cpu->last, value, (size_t)counts->n_core * sizeof *value);
    if (code != PAPI_ECLOST)
        return code;
    for (int i = 0; i < counts->n_core; i++)
        cpu->carried[i] += cpu->last[i];
    memset(cpu->last, 0, sizeof cpu->last);
    drop_set(&cpu->es);
    return code;
}

/* The sums over all CPUs; of one alone that cannot be read there are none. *lost: one was switched off or on
 * since the last read, of which a part may be missing. */
static int read_cpus(struct node_counts *counts, bool *lost)
{
    long long sum[MAX_COUNT_EVENTS] = {0};
    int code = PAPI_OK;
    counts->counting = 0;
    for (int c = 0; c < counts->n_cpus && counts->n_core > 0 && code == PAPI_OK; c++) {
        struct cpu_set *cpu = &counts->cpu[c];
        bool was_on = cpu->es != PAPI_NULL;
        code = was_on ? read_cpu(counts, cpu) : PAPI_OK;
        if (code == PAPI_OK || code == PAPI_ECLOST) {
            int begun = cpu->es == PAPI_NULL ? start_cpu(counts, cpu) : PAPI_OK; /* it may be on again */
            *lost |= code == PAPI_ECLOST || (cpu->es != PAPI_NULL && !was_on);
            code = has_nothing(begun) ? PAPI_OK : begun;
        }
        counts->counting += cpu->es != PAPI_NULL;
        for (int i = 0; i < counts->n_core; i++)
            sum[i] += cpu->carried[i] + cpu->last[i];
    }
    for (int i = 0; i < counts->n_core; i++)
        counts->core[i].value = sum[i];
    return code;
}

void node_counts_read(struct node_counts *counts)
{
    bool lost = false, failed;
    counts->core_code = read_cpus(counts, &lost);
    failed = count_sets_read(&counts->node) != PAPI_OK || counts->core_code != PAPI_OK;
    lost |= counts->node.doubt[0] != '\0';
    for (int i = 0; i < counts->n_core; i++) {
        struct series *series = &counts->series[MAX_COUNT_EVENTS + i];
        series->has_value = false;
        if (counts->core_code == PAPI_OK)
            lost |= !series_take(series, counts->core[i].value, counts->multiplexed);
    }
    for (int i = 0; i < counts->node.n_events; i++) {
        const struct count_event *event = &counts->node.event[i];
        int code = counts->node.set[event->set].code;
        counts->series[i].has_value = false;
        if (code == PAPI_OK || code == PAPI_ECLOST)
            lost |= !series_take(&counts->series[i], count_sets_value(&counts->node, event),
                                 count_sets_estimated(&counts->node, event));
    }
    counts->reads++;
    counts->failed += failed;
    counts->lost += lost;
}

int node_counts_print(const struct node_counts *counts, FILE *out, enum openmetrics_form form)
{
    return openmetrics_series(out, form, counts->series, 2 * MAX_COUNT_EVENTS);
}

void node_counts_close(struct node_counts *counts)
{
    for (int c = 0; c < counts->n_cpus; c++)
        drop_set(&counts->cpu[c].es);
    count_sets_end(&counts->node);
    for (int i = 0; i < 2 * MAX_COUNT_EVENTS; i++)
        series_close(&counts->series[i]);
    free(counts->cpu);
    counts->cpu = NULL;
    counts->n_cpus = 0;
}
