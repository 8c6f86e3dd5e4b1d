/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware/pmus.h"
#include "base/reason.h"
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "hardware/boxes.h"
#include "hardware/parts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* The contents of a PMU's file; "" if there is no such file. */
struct pmu_file {
    struct pmu_file *next;
    const char *folder;
    char *text;
    char name[];
};

/* ---- files */

/* The answer after a read failed: -1: for a reason that passes; 0: what was asked for is not there. */
static int not_read(void)
{
    return error_passes(errno) ? -1 : 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_pmu(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strlen(entry->d_name) <= PMU_LONGEST_NAME;
}

/* True for a file of an event; "cycles.scale" and "cycles.unit" describe the event beside them. */
static int is_event(const struct dirent *entry)
{
    return is_pmu(entry) && strchr(entry->d_name, '.') == NULL;
}

static int list_folder(const char *root, const char *path, int (*wanted)(const struct dirent *),
                       struct dirent ***entries)
{
    char full[PATH_MAX];
    int n = sysroot_path(root, path, full, sizeof full) == 0 ? scandir(full, entries, wanted, by_name) : -1;
    if (n >= 0)
        return n;
    *entries = NULL;
    return not_read();
}

static void free_entries(struct dirent **entries, int n)
{
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
}

/* The path of a file in the PMU's folder or, with a folder that is not "", in one below it. */
static int path_of(const struct pmu *pmu, const char *folder, const char *name, char path[PATH_MAX])
{
    int n = snprintf(path, PATH_MAX, SYSROOT_PMUS "/%s/%s%s", pmu->name, folder, name);
    bool plain = name[0] != '\0' && name[0] != '.' && strchr(name, '/') == NULL;
    return plain && n > 0 && n < PATH_MAX;
}

static int read_line(const struct pmu_table *table, const struct pmu *pmu, const char *folder,
                     const char *name, char *out, int size)
{
    char path[PATH_MAX];
    out[0] = '\0';
    if (!path_of(pmu, folder, name, path))
        return 0;
    int length = sysroot_line(table->root, path, out, (size_t)size);
    return length < 0 ? not_read() : length > 0;
}

static struct pmu_file *keep_file(struct pmu *pmu, const char *folder, const char *name, const char *text)
{
    struct pmu_file *file = malloc(sizeof *file + strlen(name) + 1);
    char *copy = strdup(text);
    if (file == NULL || copy == NULL) {
        free(file);
        free(copy);
        errno = ENOMEM;
        return NULL;
    }
    file->folder = folder;
    file->text = copy;
    file->next = pmu->files;
    strcpy(file->name, name);
    return pmu->files = file;
}

/* Reads a file, once. *text is "" where it is not there. */
static int read_file(const struct pmu_table *table, struct pmu *pmu, const char *folder, const char *name,
                     const char **text)
{
    char line[512];
    struct pmu_file *file = pmu->files;
    while (file != NULL && (strcmp(file->folder, folder) != 0 || strcmp(file->name, name) != 0))
        file = file->next;
    *text = "";
    if (file == NULL && read_line(table, pmu, folder, name, line, sizeof line) >= 0)
        file = keep_file(pmu, folder, name, line);
    if (file == NULL)
        return -1;
    *text = file->text;
    return file->text[0] != '\0';
}

/* Reads a number; 0 where it is not there, or not a number. */
static int read_number(const struct pmu_table *table, struct pmu *pmu, const char *name, long long *number)
{
    const char *text;
    char *end;
    int found = read_file(table, pmu, "", name, &text);
    *number = 0;
    if (found <= 0)
        return found;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (end == text || end[strspn(end, " \t\r")] != '\0' || errno != 0 || value < 0)
        return 0;
    *number = value;
    return 1;
}

/* ---- PMUs */

static int keep_entries(struct pmu_table *table, struct dirent **entries, int n)
{
    table->pmu = calloc((size_t)n + 1, sizeof *table->pmu);
    if (table->pmu == NULL) {
        free_entries(entries, n);
        errno = ENOMEM;
        return -1;
    }
    for (int i = 0; i < n; i++)
        table->pmu[i].name = entries[i]->d_name;
    table->entry = entries;
    table->n = n;
    table->read = true;
    return n;
}

int pmus_read(struct pmu_table *table)
{
    struct dirent **entries;
    if (table->read)
        return table->n;
    int n = list_folder(table->root, SYSROOT_PMUS, is_pmu, &entries);
    return n < 0 ? -1 : keep_entries(table, entries, n);
}

int pmus_find(struct pmu_table *table, const char *name, struct pmu **out)
{
    int n = pmus_read(table);
    for (int i = 0; i < n; i++)
        if (strcmp(table->pmu[i].name, name) == 0) {
            *out = &table->pmu[i];
            return 1;
        }
    return n < 0 ? -1 : 0;
}

/* ---- cores */

/* True for PMUs that most machines have beside those of hardware: none of their files need to be read. */
static bool never_of_cores(const char *name)
{
    TEXT_ROWS_BEGIN
    static const char names[][12] = {"breakpoint", "kprobe", "msr", "software", "tracepoint", "uprobe"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Sets what the questions for cores are answered from. The file is missing where the PMU counts on all CPUs.
 */
static int look_at(const struct pmu_table *table, struct pmu *pmu)
{
    struct cpulist online, cpus;
    char path[PATH_MAX];
    uint32_t type = 0; /* which gcc 11 takes for uninitialized */
    if (never_of_cores(pmu->name) || !path_of(pmu, "", "cpus", path))
        return 0;
    if (cpulist_read(table->root, path, &cpus) != 0 && errno != EINVAL) {
        int found = error_passes(errno) ? -1 : pmu_type(table, pmu, &type);
        pmu->core = found > 0 && type == PERF_TYPE_RAW;
        return found < 0 ? -1 : 0;
    }
    pmu->core = true;
    pmu->first_cpu = cpulist_count(&cpus) > 0 ? cpulist_next(&cpus, 0) : 0;
    if (cpulist_read(table->root, "/sys/devices/system/cpu/online", &online) != 0)
        return not_read();
    for (int cpu = -1; (cpu = cpulist_next(&online, cpu + 1)) >= 0;)
        pmu->one_core_type |= !cpulist_has(&cpus, cpu);
    return 0;
}

/* Looks at all PMUs. "cpu" is for all cores of a machine; only without it all must be looked at. */
static int look_at_all(struct pmu_table *table)
{
    struct pmu *cpu;
    int code = pmus_find(table, "cpu", &cpu);
    if (code > 0)
        code = look_at(table, cpu);
    else
        cpu = NULL;
    if (cpu != NULL && cpu->core && !cpu->one_core_type)
        return code;
    for (int i = 0; i < table->n && code == 0; i++)
        code = look_at(table, &table->pmu[i]);
    return code;
}

int pmus_cores(struct pmu_table *table)
{
    if (!table->cores_read && look_at_all(table) != 0)
        return -1;
    table->cores_read = true;
    int n = 0;
    for (int i = 0; i < table->n; i++)
        n += table->pmu[i].core;
    return n;
}

int pmus_hybrid(struct pmu_table *table)
{
    if (pmus_cores(table) < 0)
        return -1;
    for (int i = 0; i < table->n; i++)
        if (table->pmu[i].one_core_type)
            return 1;
    return 0;
}

/* The PMU of the kernel's type, of all or of those of one core type. */
static int find_type(struct pmu_table *table, bool of_parts, uint32_t type, struct pmu **out)
{
    uint32_t found;
    int n = pmus_read(table);
    for (int i = 0; i < n; i++) {
        *out = &table->pmu[i];
        int known = of_parts && !(*out)->one_core_type ? 0 : pmu_type(table, *out, &found);
        if (known < 0 || (known > 0 && found == type))
            return known;
    }
    return n < 0 ? -1 : 0;
}

int pmus_one_core_type(struct pmu_table *table, uint32_t type)
{
    struct pmu *pmu;
    if (type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_TRACEPOINT || type == PERF_TYPE_BREAKPOINT)
        return 0;
    int hybrid = pmus_hybrid(table);
    /* The kernel takes events of these types to one of the PMUs. */
    if (hybrid <= 0 || type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW)
        return hybrid;
    return find_type(table, true, type, &pmu);
}

/* True for PMUs outside the cores, by their file cpumask: the cores' own PMUs have none, or one named
 * cpus. Arm's SPE has one, of the CPUs whose threads it samples. */
int pmu_uncore(const struct pmu_table *table, struct pmu *pmu, int *cpu)
{
    const char *mask, *cpus;
    int stated = read_file(table, pmu, "", "cpumask", &mask);
    int core = stated > 0 ? read_file(table, pmu, "", "cpus", &cpus) : 0;
    bool uncore = stated > 0 && core == 0 && strncmp(pmu->name, "arm_spe_", 8) != 0;
    *cpu = uncore ? atoi(mask) : 0;
    return stated < 0 || core < 0 ? -1 : uncore;
}

int pmu_cpumask(const struct pmu_table *table, struct pmu *pmu, const char **cpus)
{
    return read_file(table, pmu, "", "cpumask", cpus);
}

char *pmu_cpumask_path(const struct pmu *pmu)
{
    char path[PATH_MAX];
    return path_of(pmu, "", "cpumask", path) ? strdup(path) : NULL;
}

int pmus_find_type(struct pmu_table *table, uint32_t type, struct pmu **out)
{
    return find_type(table, false, type, out);
}

int pmus_mux_interval_ms(struct pmu_table *table, long long *msec)
{
    int code = pmus_cores(table) < 0 ? -1 : 0;
    *msec = 0;
    for (int i = 0; i < table->n && *msec == 0 && code == 0; i++)
        if (table->pmu[i].core && read_number(table, &table->pmu[i], "perf_event_mux_interval_ms", msec) < 0)
            code = -1;
    return code;
}

/* ---- one PMU's events */

int pmu_type(const struct pmu_table *table, struct pmu *pmu, uint32_t *type)
{
    long long number;
    int found = read_number(table, pmu, "type", &number);
    *type = (uint32_t)number;
    return found > 0 ? number <= UINT32_MAX : found;
}

int pmu_format(const struct pmu_table *table, struct pmu *pmu, const char *field, const char **bits)
{
    return read_file(table, pmu, "format/", field, bits);
}

int pmu_terms(const struct pmu_table *table, const struct pmu *pmu, const char *event, char *out, int size)
{
    return read_line(table, pmu, "events/", event, out, size);
}

int pmu_unit(const struct pmu_table *table, const struct pmu *pmu, const char *event, char *out, int size)
{
    char file[PMU_LONGEST_NAME + 8], scale[64], unit[64];
    snprintf(file, sizeof file, "%.*s.scale", PMU_LONGEST_NAME, event);
    int scaled = read_line(table, pmu, "events/", file, scale, sizeof scale);
    snprintf(file, sizeof file, "%.*s.unit", PMU_LONGEST_NAME, event);
    int stated = read_line(table, pmu, "events/", file, unit, sizeof unit);
    bool once = scaled <= 0 || strcmp(scale, "1") == 0;
    snprintf(out, (size_t)size, "%s%s%s", once ? "" : scale, once || stated <= 0 ? "" : " ", unit);
    return scaled < 0 || stated < 0 ? -1 : 0;
}

int pmu_events(const struct pmu_table *table, struct pmu *pmu)
{
    char path[PATH_MAX];
    if (!pmu->events_read && path_of(pmu, "", "events", path)) {
        int n = list_folder(table->root, path, is_event, &pmu->event);
        if (n < 0)
            return -1;
        pmu->n_events = n;
        pmu->events_read = true;
    }
    return pmu->n_events;
}

int pmu_event_numbers(const struct pmu_table *table, struct pmu *pmu, uint64_t *numbers)
{
    char line[128];
    unsigned number;
    uint64_t read = 0;
    int n = pmu->numbers_read ? 0 : pmu_events(table, pmu), found = n;
    for (int i = 0; i < n && found >= 0; i++) {
        found = pmu_terms(table, pmu, pmu->event[i]->d_name, line, sizeof line);
        if (found > 0 && sscanf(line, "event=%x", &number) == 1 && number < 64)
            read |= 1ULL << number;
    }
    if (found < 0)
        return -1;
    pmu->numbers |= read;
    pmu->numbers_read = true;
    *numbers = pmu->numbers;
    return 0;
}

void pmus_free(struct pmu_table *table)
{
    for (int i = 0; i < table->n; i++) {
        for (struct pmu_file *file = table->pmu[i].files, *next; file != NULL; file = next) {
            next = file->next;
            free(file->text);
            free(file);
        }
        free_entries(table->pmu[i].event, table->pmu[i].n_events);
    }
    for (struct pmu_boxes *boxes = table->boxes, *next; boxes != NULL; boxes = next) {
        next = boxes->next;
        pmu_boxes_free(boxes);
    }
    free_entries(table->entry, table->n);
    free(table->pmu);
    *table = (struct pmu_table){.root = table->root};
}
