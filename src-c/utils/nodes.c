/* SPDX-License-Identifier: BSD-3-Clause */
#include "nodes.h"
#include "base/sysroot.h"
#include "base/visible.h"
#include "launcher.h"
#include "machine.h"
#include "papi.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ------------------------------------------------------------------- one node */

#define DEVICES "/sys/bus/event_source/devices"
enum { MAX_PMUS = 8 };

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* "cpu", or "cpu_atom+cpu_core". */
static void describe_pmu(const char *root, char *out, size_t size)
{
    char path[PATH_MAX], name[MAX_PMUS][64];
    int n = 0;
    DIR *folder = sysroot_path(root, DEVICES, path, sizeof path) == 0 ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder != NULL && n < MAX_PMUS && (entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && sysroot_is_core_pmu(root, entry->d_name))
            snprintf(name[n++], sizeof name[0], "%s", entry->d_name);
    if (folder != NULL)
        closedir(folder);
    qsort(name, (size_t)n, sizeof name[0], by_name);
    snprintf(out, size, "%s", n > 0 ? name[0] : "none");
    for (int i = 1; i < n; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "+%s", name[i]);
    }
}

static void describe_kernel(const char *root, char *out, size_t size)
{
    struct utsname system;
    if (sysroot_line(root, "/proc/sys/kernel/osrelease", out, size) <= 0)
        snprintf(out, size, "%s", root[0] == '\0' && uname(&system) == 0 ? system.release : "?");
}

static int available_presets(void)
{
    PAPI_event_info_t info;
    int n = 0, code = PAPI_PRESET_MASK;
    int more = PAPI_enum_event(&code, PAPI_ENUM_FIRST);
    for (; more == PAPI_OK; more = PAPI_enum_event(&code, PAPI_ENUM_EVENTS))
        n += PAPI_get_event_info(code, &info) == PAPI_OK && info.count > 0;
    return n;
}

static void describe_processor(struct node_kind *kind)
{
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return;
    const char *vendor = hw->virtual_vendor_string;
    snprintf(kind->processor, sizeof kind->processor, "%s", hw->model_string);
    snprintf(kind->vm, sizeof kind->vm, "%s", !hw->virtualized ? "no" : vendor[0] != '\0' ? vendor : "yes");
    kind->sockets = hw->sockets;
    kind->cores = hw->sockets * hw->cores;
    kind->cpus = hw->totalcpus;
}

void node_describe(struct node_kind *kind)
{
    const char *root = secure_getenv("PAPI_SYSROOT");
    long long paranoid;
    root = root != NULL ? root : "";
    memset(kind, 0, sizeof *kind);
    describe_processor(kind);
    if (kind->processor[0] == '\0')
        snprintf(kind->processor, sizeof kind->processor, "?");
    if (machine_is_emulated())
        snprintf(kind->pmu, sizeof kind->pmu, "papi_emulate");
    else
        describe_pmu(root, kind->pmu, sizeof kind->pmu);
    describe_kernel(root, kind->kernel, sizeof kind->kernel);
    int counters = PAPI_num_hwctrs();
    kind->counters = counters > 0 ? counters : 0;
    int code = sysroot_number(root, "/proc/sys/kernel/perf_event_paranoid", &paranoid);
    kind->paranoid = code == 0 && paranoid > INT32_MIN && paranoid <= INT32_MAX ? (int32_t)paranoid
                                                                                : (int32_t)NODES_UNKNOWN;
    kind->presets = available_presets();
}

/* FNV-1a */
unsigned node_hash(const struct node_kind *kind)
{
    const unsigned char *byte = (const unsigned char *)kind;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *kind; i++)
        hash = (hash ^ byte[i]) * 16777619u;
    return hash;
}

/* ------------------------------------------------------------------ the table */

void node_table_set(struct node_table *table, const struct node_kind *kind, int rank, bool first_on_node,
                    bool first_of_kind)
{
    memset(table, 0, sizeof *table);
    table->ranks = 1;
    table->nodes = first_on_node;
    table->n = 1;
    table->row[0].kind = *kind;
    table->row[0].ranks = 1;
    table->row[0].nodes = first_of_kind;
    if (first_of_kind) {
        struct node_host *host = &table->row[0].host[0];
        table->row[0].n_hosts = 1;
        host->rank = rank;
        gethostname(host->name, sizeof host->name - 1);
    }
}

/* The first ones of both, which are sorted. */
static void merge_hosts(struct node_row *into, const struct node_row *from)
{
    struct node_host merged[NODES_MAX_HOSTS] = {0};
    int n = 0, a = 0, b = 0;
    while (n < NODES_MAX_HOSTS && (a < into->n_hosts || b < from->n_hosts)) {
        bool take_a = b >= from->n_hosts || (a < into->n_hosts && into->host[a].rank < from->host[b].rank);
        merged[n++] = take_a ? into->host[a++] : from->host[b++];
    }
    memcpy(into->host, merged, sizeof merged);
    into->n_hosts = n;
}

static int order(const struct node_row *a, const struct node_row *b)
{
    return memcmp(&a->kind, &b->kind, sizeof a->kind);
}

/* A kind that is left out for many smaller ones in one part of the job has as many before it in the whole:
 * what stays has all its ranks, whatever was merged first. */
static void merge_row(struct node_table *into, const struct node_row *from)
{
    int place = 0;
    while (place < into->n && order(&into->row[place], from) < 0)
        place++;
    struct node_row *row = &into->row[place];
    if (place < into->n && order(row, from) == 0) {
        row->ranks += from->ranks;
        row->nodes += from->nodes;
        merge_hosts(row, from);
        return;
    }
    into->full |= into->n == NODES_MAX_KINDS;
    if (place == NODES_MAX_KINDS)
        return;
    int behind = (into->n < NODES_MAX_KINDS ? into->n : NODES_MAX_KINDS - 1) - place;
    memmove(row + 1, row, (size_t)behind * sizeof *row);
    *row = *from;
    into->n += into->n < NODES_MAX_KINDS;
}

void node_table_merge(struct node_table *into, const struct node_table *from)
{
    into->ranks += from->ranks;
    into->nodes += from->nodes;
    into->full |= from->full;
    for (int i = 0; i < from->n; i++)
        merge_row(into, &from->row[i]);
}

/* -------------------------------------------------------------------- the job */

static void merge_blocks(void *from, void *into, int *n, void *type)
{
    (void)type;
    for (int i = 0; i < *n; i++)
        node_table_merge((struct node_table *)into + i, (const struct node_table *)from + i);
}

static void print_table(const struct node_table *table, bool json, const char *hint)
{
    if (json)
        node_table_json(table, hint);
    else
        node_table_print(table, hint);
}

/* This node alone, of a job whose other nodes cannot be asked: once, not by every rank. */
static int print_one(const struct launcher *launcher, const struct node_kind *kind, bool json,
                     const char *why)
{
    struct node_table table;
    if (launcher->rank != 0)
        return EXIT_SUCCESS;
    node_table_set(&table, kind, 0, true, true);
    print_table(&table, json, json ? why : NULL);
    fflush(stdout);
    visible_print(stderr, "papi_avail: %s", why);
    fputc('\n', stderr);
    return EXIT_FAILURE;
}

static int list_job(struct launcher *launcher, const struct node_kind *kind, bool json)
{
    char why[512], text[1024];
    struct nodes_place place;
    struct node_table *table;
    if (launcher_open(launcher, why, sizeof why) != 0) {
        snprintf(text, sizeof text,
                 "this is the node of rank 0 alone, because the library for the MPI of this launcher cannot "
                 "be opened: %s. fpapi makes it where that MPI is installed when fpapi is built",
                 why);
        return print_one(launcher, kind, json, text);
    }
    table = malloc(sizeof *table);
    if (table == NULL || launcher->begin(node_hash(kind), &place) != 0) {
        free(table);
        return print_one(launcher, kind, json, "this is the node of rank 0 alone: MPI_Init failed");
    }
    node_table_set(table, kind, place.rank, place.first_on_node, place.first_of_kind);
    launcher->end(table, sizeof *table, merge_blocks);
    int status = EXIT_SUCCESS;
    if (launcher->size > 0 && launcher->size != place.ranks) {
        snprintf(
            text, sizeof text,
            "this is the node of rank 0 alone: the launcher started %d ranks, but the MPI of %s sees %d. "
            "Use the mpirun of that MPI",
            launcher->size, launcher->name, place.ranks);
        status = print_one(launcher, kind, json, text);
    } else if (place.rank == 0) {
        print_table(table, json, NULL);
    }
    free(table);
    return status;
}

int nodes_list(bool json)
{
    struct launcher launcher;
    struct node_kind kind;
    struct node_table table;
    node_describe(&kind);
    if (launcher_find(&launcher))
        return list_job(&launcher, &kind, json);
    node_table_set(&table, &kind, 0, true, true);
    print_table(&table, json, "This node alone; for those of a job: mpirun -n RANKS papi_avail --nodes");
    return EXIT_SUCCESS;
}
