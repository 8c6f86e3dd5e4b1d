/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert((int)MAX_JOB_DEVICES <= (int)MAX_JOB_SITES, "the rows of a table");

/* ---- each device */

void table_choose_devices(struct table *table, const struct job *job)
{
    uint64_t key[MAX_JOB_DEVICES];
    table->n = job_listed_devices(job);
    for (int i = 0; i < table->n; i++) {
        key[i] = job->device[i].kernel_ns;
        table->row[i] = i;
    }
    table_sort(table, key);
}

const struct sheet_column device_columns[] = {{28, 0, ""},       {5, 4, "node"},    {13, 3, "address"},
                                              {9, 0, "rank"},    {9, 0, "kernels"}, {9, 0, "of all"},
                                              {9, 0, "copying"}, {9, 5, "of all"},  {9, 2, "copied"},
                                              {9, 1, "energy"},  {0, 0, NULL}};
enum { DEVICE_ENERGY = 9 };

void choose_device_columns(struct sheet_column *column, const struct job *job)
{
    if (job->energy_devices == 0)
        column[DEVICE_ENERGY].spare = SHEET_LEFT_OUT;
}

/* The energy of the device of a row; NAN: not known. */
static double joules_of(const struct job *job, int row)
{
    int i = job_node_device_of(job, row);
    bool known = i >= 0 && job->node_device[i].microjoules != NOT_KNOWN;
    return known ? (double)job->node_device[i].microjoules * 1e-6 : NAN;
}

/* "3", "3 and 2", of the ranks that use a device. */
static void say_ranks(char *text, size_t room, const struct job_device *device)
{
    int n = snprintf(text, room, "%llu", (unsigned long long)device->rank);
    if (device->ranks > 1)
        snprintf(text + n, room - (size_t)n, " and %llu", (unsigned long long)(device->ranks - 1));
}

void device_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int row)
{
    const struct job_device *device = &job->device[row];
    double elapsed = (double)job->metric[METRIC_ELAPSED].largest[0].value;
    double joules = joules_of(job, row);
    char name[4 * JOB_DEVICE_NAME + 1], ranks[48], node[24];
    figure_name(name, sizeof name, device->name[0] != '\0' ? device->name : "device", 28);
    say_ranks(ranks, sizeof ranks, device);
    snprintf(node, sizeof node, "%llu", (unsigned long long)device->node);
    sheet_row(sheet, column,
              (const char *const[]){name, node, device->address, ranks,
                                    figure((double)device->kernel_ns, "ns").text,
                                    figure_percent(figure_ratio((double)device->kernel_ns, elapsed)).text,
                                    figure((double)device->copy_ns, "ns").text,
                                    figure_percent(figure_ratio((double)device->copy_ns, elapsed)).text,
                                    figure((double)device->copied_bytes, "B").text,
                                    isnan(joules) ? "" : figure(joules, "J").text});
}

/* ---- devices that ranks may use */

enum { MOST_NAMED = 2, NAME_COLUMNS = 24 };

#define add(...) figure_append(text, size, __VA_ARGS__)

static void say_nodes(char *text, size_t size, const struct job *job)
{
    if (job->energy_nodes > 1)
        add("; of a node %s (node %llu) to %s (node %llu)",
            figure((double)job->least_energy_uj * 1e-6, "J").text, (unsigned long long)job->least_energy_node,
            figure((double)job->most_energy_uj * 1e-6, "J").text, (unsigned long long)job->most_energy_node);
}

void device_energy_sentence(char *text, size_t size, const struct job *job)
{
    unsigned long long known = job->energy_devices, all = job->usable_devices;
    const char *why = job->energy_reason[0] != '\0' ? job->energy_reason : "no reason is known";
    if (known > 0 && known == all)
        add("energy of the devices: %s of %llu%s", figure((double)job->energy_uj * 1e-6, "J").text, known,
            known == 1 ? " device" : " devices");
    else if (known > 0)
        add("energy of %llu of %llu devices: %s", known, all,
            figure((double)job->energy_uj * 1e-6, "J").text);
    say_nodes(text, size, job);
    if (known > 0)
        add(", of the whole devices, whoever uses them, idle or not");
    if (job->not_told_nodes > 0 && all > 0)
        add("; on %llu of %llu nodes ranks may use others than these",
            (unsigned long long)job->not_told_nodes, (unsigned long long)job->usable_nodes);
    if (known > 0 && known < all)
        add("; that of the others is not known: %s", why);
    else if (known == 0 && (all > 0 || job->energy_reason[0] != '\0'))
        add("energy of the devices: not known: %s", why);
}

static int name_unused(char *text, size_t size, const struct job *job)
{
    char name[4 * NAME_COLUMNS + 1], address[ADDRESS_TEXT];
    int named = 0;
    for (int i = 0; i < job_listed_node_devices(job) && named < MOST_NAMED; i++) {
        const struct job_node_device *device = &job->node_device[i];
        if (device->used != 0)
            continue;
        job_address(address, device->address);
        figure_name(name, sizeof name, device->name[0] != '\0' ? device->name : "device", NAME_COLUMNS);
        add("%s%s %s of node %llu", named++ > 0 ? ", " : "", name, address, (unsigned long long)device->node);
    }
    return named;
}

/* The variable by which a rank sees one device alone. */
static const char *hiding_variable(const char *name)
{
    if (strstr(name, "Intel") != NULL)
        return "ZE_AFFINITY_MASK";
    return strstr(name, "AMD") != NULL || strstr(name, "Instinct") != NULL || strstr(name, "Radeon") != NULL
               ? "ROCR_VISIBLE_DEVICES"
               : "CUDA_VISIBLE_DEVICES";
}

void unused_devices_sentence(char *text, size_t size, const struct job *job)
{
    unsigned long long n = job->unused_devices;
    uint64_t ranks = job->ranks > job->usable_devices ? job->ranks : job->usable_devices;
    bool open = strstr(job->flavour, "Open") != NULL;
    if (n == 0)
        return;
    add("%llu of %llu devices that the ranks may use %s used by none: ", n,
        (unsigned long long)job->usable_devices, n == 1 ? "is" : "are");
    int named = name_unused(text, size, job);
    if (n > (unsigned)named)
        add("%s%llu more", named > 0 ? " and " : "", n - (unsigned)named);
    add("; a rank for each device: papi_mpirun -n %llu sh -c '%s=$%s exec %s'", (unsigned long long)ranks,
        hiding_variable(job->node_device[0].name), open ? "OMPI_COMM_WORLD_LOCAL_RANK" : "MPI_LOCALRANKID",
        figure_command(job));
}

/* ---- in regions */

/* Chooses the regions in which devices were busy, or might have been; none where that is not known. */
void table_choose_region_devices(struct table *table, const struct job *job)
{
    int n = 0;
    table_choose_regions(table, job);
    for (int i = 0; i < table->n; i++)
        if (!isnan(job_region_device_efficiency(job, &job->region[table->row[i]]).parallel))
            table->row[n++] = table->row[i];
    table->n = n;
}

const struct sheet_column region_device_columns[] = {
    {REGION_COLUMNS, 0, ""}, {9, 0, "parallel"}, {9, 0, "balance"}, {9, 0, "comm."}, {9, 0, "orchestr."},
    {9, 0, "offload"},       {9, 1, "kernels"},  {9, 2, "copying"}, {0, 0, NULL}};

void region_device_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_region *region = &job->region[id];
    struct device_efficiency efficiency = job_region_device_efficiency(job, region);
    char name[4 * REGION_COLUMNS + 1], value[DEVICE_EFFICIENCIES][16];
    figure_name(name, sizeof name, region->name, REGION_COLUMNS);
    for (int i = 0; i < DEVICE_EFFICIENCIES; i++)
        snprintf(value[i], sizeof value[i], isnan(efficiency.all[i]) ? "n/a" : "%.3f", efficiency.all[i]);
    sheet_row(sheet, column,
              (const char *const[]){name, value[0], value[1], value[2], value[3], value[4],
                                    figure((double)region->device_kernel_ns, "ns").text,
                                    figure((double)region->device_copy_ns, "ns").text});
}
