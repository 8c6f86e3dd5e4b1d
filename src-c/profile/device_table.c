/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Table of what devices did, by kernel and by the line that launched it: their time is beside the host's, and
 * never added to it.
 */
#include "device_table.h"
#include "base/visible.h"
#include "data_table.h"
#include "formats/device_activity.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

/* A row: a kernel or copy of a device, and the place of the launch. */
struct row_key {
    int32_t routine, place; /* place: PROFILE_NONE: nobody saw the call */
};

struct row {
    struct row_key key;
    uint64_t ns;
    struct device_sum sum;
};

struct table {
    struct report *report;
    const struct profile *profile;
    struct sources *sources;
    struct index keys; /* struct row_key */
    struct row *row;
    int n, room, event;
};

static const char *const kinds[WORK_KINDS] = {
    "kernel", "copy to device", "copy to host", "copy on device", "copy to another", "copy", "set"};

/* ---- rows */

static bool is_unseen(const struct profile *profile, int node)
{
    const struct place *place = profile_place_at(profile, profile_node_at(profile, node)->place);
    return strcmp(profile_text(profile, profile_routine_at(profile, place->routine)->name), LAUNCH_UNSEEN) ==
           0;
}

static void add_node(struct table *table, int i)
{
    const struct profile *profile = table->profile;
    int node = *(const int32_t *)index_key(&profile->device_nodes, i);
    const struct device_sum *sum = &profile->device_sum[i];
    const struct node *here = profile_node_at(profile, node);
    bool seen = here->parent >= 0 && !is_unseen(profile, here->parent);
    struct row_key key = {profile_place_at(profile, here->place)->routine,
                          seen ? profile_node_at(profile, here->parent)->place : PROFILE_NONE};
    int number = index_of(&table->keys, &key, sizeof key);
    if (number == table->n) {
        MEMORY_ONE_MORE(table->row, table->n, table->room);
        table->row[table->n++] = (struct row){.key = key, .sum = {.kind = sum->kind, .least = UINT64_MAX}};
    }
    struct row *row = &table->row[number];
    row->ns = profile_sum(row->ns, profile_value(profile, node, table->event));
    row->sum.times = profile_sum(row->sum.times, sum->times);
    row->sum.bytes = profile_sum(row->sum.bytes, sum->bytes);
    row->sum.least = sum->least < row->sum.least ? sum->least : row->sum.least;
    row->sum.most = sum->most > row->sum.most ? sum->most : row->sum.most;
}

static int by_time(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    bool unseen = one->key.place < 0, other_unseen = other->key.place < 0;
    if (unseen != other_unseen)
        return unseen ? 1 : -1;
    if (one->ns != other->ns)
        return one->ns > other->ns ? -1 : 1;
    return one->key.routine != other->key.routine ? one->key.routine - other->key.routine
                                                  : one->key.place - other->key.place;
}

static const char *object_of(const struct table *table, const struct row *row)
{
    return profile_text(table->profile, profile_routine_at(table->profile, row->key.routine)->object);
}

static const char *name_of(const struct table *table, const struct row *row)
{
    return profile_text(table->profile, profile_routine_at(table->profile, row->key.routine)->name);
}

/* ---- for programs */

static void list_launch(const struct table *table, const struct row *row)
{
    struct report *report = table->report;
    const struct place *place;
    if (row->key.place < 0) {
        report_string(report, NULL, "routine", NULL);
        report_string(report, NULL, "file", NULL);
        report_number(report, NULL, "line", REPORT_UNKNOWN);
        return;
    }
    place_list(report, table->profile, row->key.place);
    place = profile_place_at(table->profile, row->key.place);
    report_string(report, NULL, "text", sources_line(table->sources, place->file, place->line));
}

static void list_row(const struct table *table, const struct row *row)
{
    struct report *report = table->report;
    report_object(report, NULL);
    report_string(report, NULL, "name", name_of(table, row));
    report_string(report, NULL, "kind", kinds[row->sum.kind]);
    report_string(report, NULL, "device", object_of(table, row));
    report_number(report, NULL, "launches", (long long)row->sum.times);
    report_number(report, NULL, "ns", (long long)row->ns);
    report_number(report, NULL, "least_ns", (long long)row->sum.least);
    report_number(report, NULL, "largest_ns", (long long)row->sum.most);
    report_exact(report, NULL, "mean_ns", (double)row->ns / (double)row->sum.times);
    report_number(report, NULL, "bytes", (long long)row->sum.bytes);
    if (row->ns > 0 && row->sum.kind != WORK_KERNEL)
        report_exact(report, NULL, "bytes_per_second", (double)row->sum.bytes * 1e9 / (double)row->ns);
    list_launch(table, row);
    report_end(report);
}

static void list_devices(const struct table *table)
{
    struct report *report = table->report;
    const struct profile_devices *devices = &table->profile->devices;
    report_object(report, "devices");
    report_number(report, NULL, "processes", devices->processes);
    report_number(report, NULL, "unended", devices->unended);
    report_number(report, NULL, "dropped", (long long)devices->dropped);
    report_number(report, NULL, "unfinished", (long long)devices->unfinished);
    report_string(report, NULL, "reason", devices->why);
    report_end(report);
    report_list(report, "device_work");
    for (int i = 0; i < table->n; i++)
        list_row(table, &table->row[i]);
    report_end(report);
}

/* ---- for people */

/* Writes a time with four digits and its unit in 10 columns. */
static const char *time_text(double ns, char out[32])
{
    static const struct {
        double from;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}};
    int i = 0;
    while (ns < units[i].from)
        i++;
    double value = units[i].from > 0 ? ns / units[i].from : ns;
    snprintf(out, 32, "%.*f %s",
             value < 10     ? 3
             : value < 100  ? 2
             : value < 1000 ? 1
                            : 0,
             value, units[i].unit);
    return out;
}

static const char *bytes_text(double bytes, char out[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int i = 0;
    for (; bytes >= 1000 && i < 4; i++)
        bytes /= 1000;
    snprintf(out, 32, "%.4g %s", bytes, units[i]);
    return out;
}

static void print_name(const struct table *table, const struct row *row)
{
    char clean[2048], size[32];
    visible(clean, sizeof clean, name_of(table, row));
    report_part(table->report, "  %s", clean);
    if (row->sum.kind == WORK_KERNEL)
        return;
    report_part(table->report, " %s", bytes_text((double)row->sum.bytes, size));
    if (row->ns > 0)
        report_part(table->report, ", %.4g GB/s", (double)row->sum.bytes / (double)row->ns);
}

static void print_row(const struct table *table, const struct row *row)
{
    struct report *report = table->report;
    uint64_t all = table->profile->event[table->event].sum;
    char sum[32], mean[32], least[32], most[32], clean[2048];
    report_part(report, "%7.2f %% %10s %10llu %10s %10s %10s",
                all > 0 ? 100.0 * (double)row->ns / (double)all : 0, time_text((double)row->ns, sum),
                (unsigned long long)row->sum.times, time_text((double)row->ns / (double)row->sum.times, mean),
                time_text((double)row->sum.least, least), time_text((double)row->sum.most, most));
    print_name(table, row);
    if (row->key.place >= 0) {
        char *where = place_text(table->profile, row->key.place);
        visible(clean, sizeof clean, where);
        report_part(report, "  %s", clean);
        free(where);
    }
    report_blank(report);
}

static void print_head(const struct table *table)
{
    report_blank(table->report);
    report_line(table->report, NULL, "%9s %10s %10s %10s %10s %10s  %s", "device", "time", "times", "mean",
                "least", "largest", "kernel or copy, and the line that launches it");
}

static void print_all(const struct table *table, int most)
{
    bool head = false, unseen = false;
    for (int i = 0; i < table->n; i++) {
        const struct row *row = &table->row[i];
        if (i >= most && row->key.place >= 0) /* what nobody saw launched is said in any case */
            continue;
        if (!head)
            print_head(table);
        head = true;
        if (row->key.place < 0 && !unseen) {
            report_blank(table->report);
            report_line(table->report, NULL, "launched by calls that were not seen:");
            unseen = true;
        }
        print_row(table, row);
    }
}

/* ---- all */

void devices_print(struct report *report, const struct profile *profile, struct sources *sources, int most)
{
    struct table table = {.report = report, .profile = profile, .sources = sources};
    table.event = profile_device_event(profile);
    if (table.event == PROFILE_NONE)
        return;
    for (int i = 0; i < profile->device_nodes.n; i++)
        add_node(&table, i);
    if (table.n > 0)
        qsort(table.row, (size_t)table.n, sizeof *table.row, by_time);
    list_devices(&table);
    print_all(&table, most);
    free(table.row);
    index_free(&table.keys);
}
