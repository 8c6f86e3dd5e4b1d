/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "report/figure.h"
#include "report/sheet.h"

/* Tables of the report: which rows they have, and their lines. */

enum { MAX_COLUMNS = MAX_COUNTERS + 2, REGION_COLUMNS = 24 };

/* The rows of a table, in the order of their importance, and the number of lines that it gets. */
struct table {
    int n, lines;
    int row[METRIC_COUNT + CALL_COUNT + MAX_REGIONS + MAX_JOB_SITES];
};

/* Sorts the rows: those with the largest key come first. */
void table_sort(struct table *table, const uint64_t *key);

/* Chooses the regions, those with most time first. */
void table_choose_regions(struct table *table, const struct job *job);

/* Devices, and devices in regions: report_devices.c. */
void table_choose_devices(struct table *table, const struct job *job);
void table_choose_region_devices(struct table *table, const struct job *job);
extern const struct sheet_column device_columns[], region_device_columns[];
void choose_device_columns(struct sheet_column *column, const struct job *job);
void device_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int row);
void region_device_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job,
                        int id);

/* Sentences of the report on the energy of the devices, and on those that nobody uses; "": there is nothing
 * to say. */
void device_energy_sentence(char *text, size_t size, const struct job *job);
void unused_devices_sentence(char *text, size_t size, const struct job *job);
