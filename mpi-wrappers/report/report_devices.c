/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tables.h"

#include <math.h>
#include <stdio.h>

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

const struct sheet_column device_columns[] = {
    {28, 0, ""},      {5, 4, "node"},    {13, 3, "address"}, {9, 0, "rank"},   {9, 0, "kernels"},
    {9, 0, "of all"}, {9, 0, "copying"}, {9, 1, "of all"},   {9, 2, "copied"}, {0, 0, NULL}};

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
                                    figure((double)device->copied_bytes, "B").text});
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
