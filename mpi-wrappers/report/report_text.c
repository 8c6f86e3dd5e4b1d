/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/trust.h"
#include "base/visible.h"
#include "job/job.h"
#include "job/result_file.h"
#include "record/settings.h"
#include "report/figure.h"
#include "report/report_tail.h"
#include "report/reports.h"
#include "report/sheet.h"
#include "report/tables.h"
#include "report/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_COLUMNS = 22 };

/* ---- the head */

static void head(struct sheet *sheet, const struct job *job)
{
    char text[VERDICT_ROOM];
    verdict_partial(text, job);
    if (text[0] != '\0')
        sheet_wrapped(sheet, 2, 3, text);
    verdict(text, job);
    sheet_wrapped(sheet, 2, 3, text);
    verdict_place(text, job);
    if (text[0] != '\0')
        sheet_wrapped(sheet, 2, 2, text);
}

static void job_line(struct sheet *sheet, const struct job *job)
{
    char date[32] = "", program[4 * 40 + 1], flavour[4 * 12 + 1], host[4 * 24 + 1], on[160], text[TAIL_ROOM];
    time_t started = (time_t)job->started;
    struct tm broken;
    if (job->started > 0 && localtime_r(&started, &broken) != NULL)
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &broken);
    figure_name(program, sizeof program, figure_base_name(job->program), 40);
    figure_name(flavour, sizeof flavour, job->flavour, 12);
    figure_name(host, sizeof host, job->host, 24);
    if (job->nodes == 1)
        snprintf(on, sizeof on, "on %s", host[0] ? host : "1 node");
    else
        snprintf(on, sizeof on, "on %llu nodes", (unsigned long long)job->nodes);
    snprintf(text, sizeof text, "%s: %llu %s %s, %s, %s, %s elapsed", program[0] ? program : "(no name)",
             (unsigned long long)job->ranks, job->ranks == 1 ? "rank" : "ranks", on, flavour, date,
             figure((double)job->metric[METRIC_ELAPSED].largest[0].value, "ns").text);
    sheet_wrapped(sheet, 2, 1, text);
}

static void efficiency_line(struct sheet *sheet, const char *name, double value, const char *remark)
{
    char bar[] = "                      ";
    int filled = isnan(value) ? 0 : (int)lround(fmin(fmax(value, 0), 1) * 20);
    for (int i = 0; i < 20; i++)
        bar[i] = i < filled ? '#' : '.';
    bool wide = sheet->columns == SHEET_COLUMNS;
    int width = wide ? 26 : 20;
    if (isnan(value))
        sheet_line(sheet, "%-*s   n/a  %s", width, name, remark);
    else
        sheet_line(sheet, "%-*s %5.3f  %s%s", width, name, value, wide ? bar : "", remark);
}

/* "ranks 2 (61 %) and 0 (39 %)": the largest shares. */
static void append_path_ranks(char *text, const struct path *path)
{
    for (int i = 0; i < 3 && path->rank_share[i].ns > 0; i++)
        append(text, "%s%u (%s)", i == 0 ? "" : ", ", path->rank_share[i].of,
               figure_percent((double)path->rank_share[i].ns / (double)path->ns).text);
    if (path->rank_share[3].ns > 0)
        append(text, ", ...");
}

static void append_path_regions(char *text, const struct job *job)
{
    const struct path *path = &job->path;
    for (int i = 0, n = 0; i < PATH_SHARES && path->region_share[i].ns > 0 && n < 2; i++) {
        const char *region = job_path_region(job, path->region_share[i].of);
        char name[4 * 24 + 1] = "";
        if (region == NULL || (region[0] != '\0' && figure_name(name, sizeof name, region, 24) == 0))
            continue;
        append(text, "%s%s (%s)", n++ == 0 ? "; in " : ", ", name[0] ? name : "no region",
               figure_percent((double)path->region_share[i].ns / (double)path->ns).text);
    }
}

static bool has_files(const struct job *job)
{
    for (int i = 0; i < CALL_COUNT; i++)
        if (call_class[i] == CALLS_FILE && job->call[i].ns > 0)
            return true;
    return false;
}

/* Writes the two efficiencies of the critical path, and the ranks and regions whose time it is made of. */
static void path_lines(struct sheet *sheet, const struct job *job, const struct efficiency *efficiency)
{
    char text[TAIL_ROOM] = "";
    efficiency_line(sheet, "    serialisation", efficiency->serialisation,
                    "ranks wait for each other in turn");
    efficiency_line(sheet, "    transfer", efficiency->transfer,
                    has_files(job) ? "messages and file access take time" : "messages take time");
    append(text, "    critical path: %s, %llu %s; ranks ", figure((double)job->path.ns, "ns").text,
           (unsigned long long)job->path.moves, job->path.moves == 1 ? "change of rank" : "changes of rank");
    append_path_ranks(text, &job->path);
    if (job->n_regions > 0)
        append_path_regions(text, job);
    sheet_wrapped(sheet, 6, 2, text);
}

static void efficiencies(struct sheet *sheet, const struct job *job)
{
    struct efficiency efficiency = job_efficiency(job);
    bool followed = job_path_missing(job) == NULL;
    sheet_line(sheet, "%s", "");
    efficiency_line(sheet, "parallel efficiency", efficiency.parallel,
                    "load balance x communication; good from 0.8 on");
    efficiency_line(sheet, "  load balance", efficiency.load_balance, "in nodes x across nodes");
    efficiency_line(sheet, "    in nodes", efficiency.in_nodes, "");
    efficiency_line(sheet, "    across nodes", efficiency.across_nodes, "");
    efficiency_line(sheet, "  communication", efficiency.communication,
                    followed                ? "serialisation x transfer"
                    : job->path_ranks > 0   ? "serialisation, transfer: n/a (see quality)"
                    : job_meets_others(job) ? "serialisation, transfer: n/a, as other jobs take part"
                                            : "serialisation, transfer: only with PAPI_MPI_PATH=1");
    if (followed)
        path_lines(sheet, job, &efficiency);
}

/* ---- the metrics */

static bool worth_a_line(const struct job *job, int metric)
{
    if (!job_has_metric(job, metric) || job->metric[metric].count == 0)
        return false;
    return metric >= METRIC_FIXED || metric <= METRIC_MPI_TIME || job->metric[metric].largest[0].value > 0;
}

static void choose_metrics(struct table *table, const struct job *job)
{
    static const int first[] = {METRIC_ELAPSED, METRIC_THREADS_TIME, METRIC_USEFUL, METRIC_MPI_TIME,
                                METRIC_TEAM_IDLE};
    static const int then[] = {METRIC_PEAK_MEMORY,
                               METRIC_NODE_MEMORY,
                               METRIC_FREQUENCY,
                               METRIC_SENT_BYTES,
                               METRIC_RECEIVED_BYTES,
                               METRIC_SENT_RATE,
                               METRIC_RECEIVED_RATE,
                               METRIC_MESSAGE_RATE,
                               METRIC_COLLECTIVE_BYTES,
                               METRIC_FILE_BYTES,
                               METRIC_CPU_USER,
                               METRIC_CPU_SYSTEM,
                               METRIC_MPI_CALLS,
                               METRIC_INVOLUNTARY_SWITCHES,
                               METRIC_MAJOR_FAULTS,
                               METRIC_VOLUNTARY_SWITCHES,
                               METRIC_SENT_AWAY_BYTES,
                               METRIC_MINOR_FAULTS,
                               METRIC_SENT_MESSAGES,
                               METRIC_TEAM_TIME,
                               METRIC_TEAM_WORK,
                               METRIC_TEAM_MOST,
                               METRIC_TEAM_THREADS,
                               METRIC_RECEIVED_MESSAGES,
                               METRIC_COLLECTIVE_RECEIVED_BYTES};
    table->n = 0;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (worth_a_line(job, first[i]))
            table->row[table->n++] = first[i];
    /* Each counter without what MPI counted, where that is known, before the whole: a short report has the
     * program's own. */
    for (int i = METRIC_FIXED; i < METRIC_FIXED + job->n_counters; i++)
        for (int j = i + MAX_COUNTERS; j >= i; j -= MAX_COUNTERS)
            if (worth_a_line(job, j))
                table->row[table->n++] = j;
    for (size_t i = 0; i < sizeof then / sizeof *then; i++)
        if (worth_a_line(job, then[i]))
            table->row[table->n++] = then[i];
}

const char *report_unit_of(const struct job *job, int metric, double *times)
{
    static const struct {
        const char *unit, *shown;
        double times;
    } known[] = {{"ns", "ns", 1},   {"B", "B", 1},     {"J", "J", 1},       {"bytes", "B", 1},
                 {"Hz", "Hz", 1},   {"B/s", "B/s", 1}, {"uJ", "J", 1e-6},   {"nJ", "J", 1e-9},
                 {"us", "ns", 1e3}, {"ms", "ns", 1e6}, {"1/ks", "/s", 1e-3}};
    const char *unit = job_metric_unit(job, metric);
    *times = 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(unit, known[i].unit) == 0) {
            *times = known[i].times;
            return known[i].shown;
        }
    return "";
}

const char *report_name_of(const struct job *job, int metric, size_t columns)
{
    const char *name = job_metric_name(job, metric), *event = strstr(name, ":::");
    return event != NULL && strlen(name) > columns ? event + 3 : name;
}

static const struct sheet_column metric_columns[] = {
    {NAME_COLUMNS, 0, ""}, {9, 0, "total"},      {17, 0, "min @rank"}, {9, 3, "p5"}, {9, 1, "p50"},
    {9, 2, "p95"},         {17, 0, "max @rank"}, {9, 0, "imbalance"},  {0, 0, NULL}};

/* Counts that differ by a few are no imbalance: 1 beside 0 would be one of hundreds of percent. */
static bool is_trifle(const struct metric *metric, const char *unit)
{
    const uint64_t few = 10;
    return unit[0] == '\0' && metric->count > 0 &&
           metric->largest[0].value - metric->smallest[0].value <= few && metric_imbalance(metric) > 0;
}

static void metric_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct metric *metric = &job->metric[id];
    double times;
    const char *unit = report_unit_of(job, id, &times);
    struct percentiles percentiles = percentiles_of(job, id);
    char name[4 * NAME_COLUMNS + 1], long_name[128];
    double total = job_is_rate(id) ? job_rate(job, id) : times * metric_sum(metric);
    bool has_total = strcmp(unit, "Hz") != 0;
    snprintf(long_name, sizeof long_name, "%s%s", report_name_of(job, id, NAME_COLUMNS),
             id >= METRIC_FIXED + MAX_COUNTERS ? ", not MPI" : "");
    figure_name(name, sizeof name, long_name, NAME_COLUMNS);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, has_total ? figure(total, unit).text : "",
                  figure_at(times * (double)metric->smallest[0].value, unit, metric->smallest[0].rank).text,
                  figure(times * percentiles.p5, unit).text, figure(times * percentiles.p50, unit).text,
                  figure(times * percentiles.p95, unit).text,
                  figure_at(times * (double)metric->largest[0].value, unit, metric->largest[0].rank).text,
                  is_trifle(metric, unit) ? "-" : figure_percent(metric_imbalance(metric)).text});
}

/* ---- MPI calls */

void table_sort(struct table *table, const uint64_t *key)
{
    for (int i = 1; i < table->n; i++) {
        int row = table->row[i], at = i;
        for (; at > 0 && key[table->row[at - 1]] < key[row]; at--)
            table->row[at] = table->row[at - 1];
        table->row[at] = row;
    }
}

static void choose_calls(struct table *table, const struct job *job)
{
    uint64_t key[CALL_COUNT];
    table->n = 0;
    for (int i = 0; i < CALL_COUNT; i++) {
        key[i] = job->call[i].ns;
        if (job->call[i].calls > 0)
            table->row[table->n++] = i;
    }
    table_sort(table, key);
}

static const struct sheet_column call_columns[] = {
    {26, 0, ""},        {9, 0, "calls"},          {9, 0, "time"},     {7, 0, "of MPI"},
    {7, 0, "of all"},   {9, 1, "sent"},           {9, 4, "per call"}, {9, 3, "speed"},
    {9, 2, "received"}, {17, 0, "longest @rank"}, {0, 0, NULL}};

/* Speed of a call, by what it sends if it does both; NAN: its time is not that of its bytes. */
static double speed_of(const struct job *job, int call)
{
    struct job_speed speed = job_call_speed(job, call);
    return isnan(speed.sent) ? speed.received : speed.sent;
}

static void choose_call_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    enum { SPEED = 7 };
    for (int i = 0; i < CALL_COUNT; i++)
        if (job->call[i].calls > 0 && !isnan(speed_of(job, i)))
            return;
    column[SPEED].spare = SHEET_LEFT_OUT;
}

static void call_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_call *call = &job->call[id];
    char name[4 * 26 + 1];
    double all = 0, elapsed = job_whole_time(job);
    for (int i = 0; i < CALL_COUNT; i++)
        all += (double)job->call[i].ns;
    figure_name(name, sizeof name, call_name[id], 26);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, figure((double)call->calls, "").text, figure((double)call->ns, "ns").text,
                  figure_percent(figure_ratio((double)call->ns, all)).text,
                  figure_percent(figure_ratio((double)call->main_ns, elapsed)).text,
                  figure((double)call->bytes, "B").text,
                  figure(floor((double)call->bytes / (double)call->calls), "B").text,
                  figure(speed_of(job, id), "B/s").text,
                  call->received_bytes == NOT_KNOWN ? "-" : figure((double)call->received_bytes, "B").text,
                  figure_at((double)call->longest_ns, "ns", call->longest_rank).text});
}

/* ---- how long a call took */

static void choose_times(struct table *table, const struct job *job)
{
    int n = 0;
    choose_calls(table, job);
    for (int i = 0; i < table->n; i++)
        if (job_times_of(job, table->row[i]) != NULL)
            table->row[n++] = table->row[i];
    table->n = n;
}

static const struct sheet_column time_columns[] = {{26, 0, ""},     {9, 1, "mean"},  {17, 0, "50 % took"},
                                                   {17, 2, "95 %"}, {17, 0, "99 %"}, {9, 0, "longest"},
                                                   {0, 0, NULL}};

/* "16-20 ns": the unit once, where both have the same. */
static void put_range(char *text, size_t room, struct job_range range)
{
    struct figure from = figure(range.from, "ns"), to = figure(range.to, "ns");
    const char *unit = strchr(to.text, ' ');
    char *same = strchr(from.text, ' ');
    if (same != NULL && unit != NULL && strcmp(same, unit) == 0)
        *same = '\0';
    snprintf(text, room, "%s-%s", from.text, to.text);
}

static void time_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_call *call = &job->call[id];
    char name[4 * 26 + 1], between[QUANTILES][48];
    figure_name(name, sizeof name, call_name[id], 26);
    for (int i = 0; i < QUANTILES; i++) {
        struct job_range range = {0, 0};
        job_time_quantile(job, id, job_quantiles[i].part, &range);
        put_range(between[i], sizeof between[i], range);
    }
    sheet_row(sheet, column,
              (const char *const[]){name, figure(floor((double)call->ns / (double)call->calls), "ns").text,
                                    between[0], between[1], between[2],
                                    figure((double)call->longest_ns, "ns").text});
}

/* ---- communicators */

/* The rows are those of the job's communicators, and behind them what belongs to none. */
static const struct job_comm *comm_at(const struct job *job, int row)
{
    return row < MAX_JOB_COMMS ? &job->comm[row] : &job->comm_rest[row - MAX_JOB_COMMS];
}

/* Chooses what has calls; nothing where all is on MPI_COMM_WORLD. */
static void choose_comms(struct table *table, const struct job *job)
{
    uint64_t key[MAX_JOB_COMMS + COMM_PLACES - MAX_COMMS];
    table->n = 0;
    for (int i = 0; job_has_comms(job) && i < MAX_JOB_COMMS + COMM_PLACES - MAX_COMMS; i++) {
        key[i] = comm_at(job, i)->ns;
        if (comm_at(job, i)->calls > 0)
            table->row[table->n++] = i;
    }
    table_sort(table, key);
}

static const struct sheet_column comm_columns[] = {
    {26, 0, ""},      {7, 3, "number"}, {9, 0, "ranks"},     {9, 0, "calls"},      {9, 0, "time"},
    {7, 0, "of MPI"}, {9, 1, "sent"},   {9, 2, "called by"}, {17, 0, "max @rank"}, {0, 0, NULL}};

static void comm_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    static const char *const rest[] = {"other communicators", "windows", "files", "requests",
                                       "no communicator"};
    const struct job_comm *comm = comm_at(job, id);
    bool is_one = id < MAX_JOB_COMMS;
    char name[4 * 26 + 1], size[32] = "";
    double all = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        all += (double)job->call[i].ns;
    figure_name(name, sizeof name, is_one ? job_comm_text(comm) : rest[id - MAX_JOB_COMMS], 26);
    if (is_one && comm->least_size == comm->most_size)
        snprintf(size, sizeof size, "%" PRIu64, comm->most_size);
    else if (is_one)
        snprintf(size, sizeof size, "%" PRIu64 "-%" PRIu64, comm->least_size, comm->most_size);
    sheet_row(sheet, column,
              (const char *const[]){name, is_one ? figure((double)comm->communicators, "").text : "", size,
                                    figure((double)comm->calls, "").text, figure((double)comm->ns, "ns").text,
                                    figure_percent(figure_ratio((double)comm->ns, all)).text,
                                    figure((double)comm->bytes, "B").text,
                                    figure((double)comm->ranks, "").text,
                                    figure_at((double)comm->most_ns, "ns", comm->most_rank).text});
}

/* ---- call sites */

/* Chooses the call sites of the table. Those without a known place say no more than the calls do. */
static void choose_sites(struct table *table, const struct job *job)
{
    uint64_t key[MAX_JOB_SITES];
    table->n = 0;
    for (int i = 0; i < job->n_sites; i++) {
        key[i] = job->site[i].ns;
        if (job->site[i].calls > 0 && job->site[i].object >= 0)
            table->row[table->n++] = i;
    }
    table_sort(table, key);
}

enum { SITE_COLUMNS = 54 };
static const struct sheet_column site_columns[] = {
    {SITE_COLUMNS, 0, ""}, {9, 0, "time"},       {7, 0, "of MPI"}, {9, 1, "calls"},
    {9, 2, "sent"},        {17, 3, "max @rank"}, {0, 0, NULL}};

static void site_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_site *site = &job->site[id];
    char name[4 * SITE_COLUMNS + 1], where[SITE_TEXT], text[SITE_TEXT + 64];
    double all = 0;
    for (int i = 0; i < CALL_COUNT; i++)
        all += (double)job->call[i].ns;
    snprintf(text, sizeof text, "%s %s", call_name[site->call], site_text(where, job, site));
    figure_name(name, sizeof name, text, SITE_COLUMNS);
    sheet_row(sheet, column,
              (const char *const[]){name, figure((double)site->ns, "ns").text,
                                    figure_percent(figure_ratio((double)site->ns, all)).text,
                                    figure((double)site->calls, "").text,
                                    figure((double)site->bytes, "B").text,
                                    figure_at((double)site->most_ns, "ns", site->most_rank).text});
}

/* ---- who waited for whom */

static void choose_late(struct table *table, const struct job *job)
{
    table->n = job->n_late;
    for (int i = 0; i < job->n_late; i++)
        table->row[i] = i;
}

static const struct sheet_column late_columns[] = {{SITE_COLUMNS, 0, ""}, {11, 0, "late sender"},
                                                   {9, 0, "messages"},    {13, 1, "late receiver"},
                                                   {9, 1, "messages"},    {0, 0, NULL}};

static void late_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_late *late = &job->late[id];
    const struct job_site *site = late->site >= 0 ? &job->site[late->site] : NULL;
    char name[4 * SITE_COLUMNS + 1], where[SITE_TEXT], text[SITE_TEXT + 64] = "calls without a site";
    if (site != NULL)
        snprintf(text, sizeof text, "%s %s", call_name[site->call], site_text(where, job, site));
    figure_name(name, sizeof name, text, SITE_COLUMNS);
    sheet_row(sheet, column,
              (const char *const[]){name, figure((double)late->late_sender_ns, "ns").text,
                                    figure((double)late->late_senders, "").text,
                                    figure((double)late->late_receiver_ns, "ns").text,
                                    figure((double)late->late_receivers, "").text});
}

/* ---- regions */

void table_choose_regions(struct table *table, const struct job *job)
{
    uint64_t key[MAX_REGIONS];
    table->n = 0;
    for (int i = 0; i < job->n_regions && i < MAX_REGIONS; i++) {
        key[i] = job->region[i].ns;
        table->row[table->n++] = i;
    }
    table_sort(table, key);
}

enum { REGION_IPC = 7, REGION_RATE, REGION_ENERGY };
static const struct sheet_column region_columns[] = {
    {REGION_COLUMNS, 0, ""}, {9, 0, "visits"},     {9, 0, "time"},       {7, 0, "of all"},
    {7, 0, "in MPI"},        {17, 2, "min @rank"}, {17, 1, "max @rank"}, {5, 0, "IPC"},
    {7, 0, "MFLOP/s"},       {9, 0, "energy"},     {0, 0, NULL}};

/* Chooses the columns for which the job has counters: rates and energy. */
static void choose_region_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    struct rate_counters counter = rate_counters(job);
    if (counter.instructions < 0 || counter.cycles < 0)
        column[REGION_IPC].spare = SHEET_LEFT_OUT;
    if (counter.operations < 0)
        column[REGION_RATE].spare = SHEET_LEFT_OUT;
    if (isnan(energy_of(job).joules))
        column[REGION_ENERGY].spare = SHEET_LEFT_OUT;
}

static void region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int id)
{
    const struct job_region *region = &job->region[id];
    struct rate_counters counter = rate_counters(job);
    double elapsed = job_whole_time(job);
    double joules = region_joules(job, region);
    char name[4 * REGION_COLUMNS + 1], ipc[16] = "";
    struct figure rate = {""};
    figure_name(name, sizeof name, region->name, REGION_COLUMNS);
    if (counter.instructions >= 0 && counter.cycles >= 0 && job_region_count(region, counter.cycles) > 0)
        snprintf(ipc, sizeof ipc, "%.2f",
                 job_region_count(region, counter.instructions) / job_region_count(region, counter.cycles));
    if (counter.operations >= 0 && region->ns > 0 && job->metric[METRIC_FIXED + counter.operations].count > 0)
        rate = figure_plain(job_region_count(region, counter.operations) * 1e3 / (double)region->ns);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, figure((double)region->visits, "").text, figure((double)region->ns, "ns").text,
                  figure_percent(figure_ratio((double)region->ns, elapsed)).text,
                  figure_percent(figure_ratio((double)region->mpi_ns, (double)region->ns)).text,
                  figure_at((double)region->least_ns, "ns", region->least_rank).text,
                  figure_at((double)region->most_ns, "ns", region->most_rank).text, ipc, rate.text,
                  joules > 0 ? figure(joules, "J").text : ""});
}

/* Chooses the regions whose efficiencies are known; none where a rank is alone. */
static void choose_region_efficiencies(struct table *table, const struct job *job)
{
    int n = 0;
    table_choose_regions(table, job);
    for (int i = 0; i < table->n && job->ranks > 1; i++)
        if (!isnan(job_region_efficiency(job, &job->region[table->row[i]]).parallel))
            table->row[n++] = table->row[i];
    table->n = n;
}

static const struct sheet_column region_efficiency_columns[] = {
    {REGION_COLUMNS, 0, ""}, {9, 0, "parallel"}, {9, 0, "balance"},  {9, 3, "in nodes"},     {9, 3, "across"},
    {9, 0, "comm."},         {9, 2, "serial."},  {9, 2, "transfer"}, {17, 1, "most useful"}, {0, 0, NULL}};

/* Leaves out what has no second node, and no critical path. */
static void choose_region_efficiency_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    if (job->nodes < 2)
        column[3].spare = column[4].spare = SHEET_LEFT_OUT;
    if (job_path_missing(job) != NULL)
        column[6].spare = column[7].spare = SHEET_LEFT_OUT;
}

static void region_efficiency_line(struct sheet *sheet, const struct sheet_column *column,
                                   const struct job *job, int id)
{
    const struct job_region *region = &job->region[id];
    struct efficiency efficiency = job_region_efficiency(job, region);
    char name[4 * REGION_COLUMNS + 1], value[EFFICIENCIES][16];
    figure_name(name, sizeof name, region->name, REGION_COLUMNS);
    for (int i = 0; i < EFFICIENCIES; i++)
        snprintf(value[i], sizeof value[i], isnan(efficiency.all[i]) ? "n/a" : "%.3f", efficiency.all[i]);
    sheet_row(sheet, column,
              (const char *const[]){
                  name, value[0], value[1], value[2], value[3], value[4], value[5], value[6],
                  figure_at((double)region->most_useful_ns, "ns", region->most_useful_rank).text});
}

/* Chooses the regions of the table of counts; none if nothing was counted. */
static void choose_counted_regions(struct table *table, const struct job *job)
{
    table_choose_regions(table, job);
    table->n = job->n_counters > 0 ? table->n : 0;
}

/* Makes a column for each counter; the sheet leaves out those without room. */
static void choose_counter_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    column[0] = region_columns[0];
    for (int i = 0; i < job->n_counters; i++) {
        const char *event = strrchr(job->counter_name[i], ':');
        column[i + 1] = (struct sheet_column){13, i, event != NULL ? event + 1 : job->counter_name[i]};
    }
    column[job->n_counters + 1].width = 0;
}

static void counted_region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job,
                                int id)
{
    char name[4 * REGION_COLUMNS + 1];
    struct figure value[MAX_COUNTERS];
    const char *cell[MAX_COUNTERS + 1] = {name};
    figure_name(name, sizeof name, job->region[id].name, REGION_COLUMNS);
    for (int i = 0; i < job->n_counters; i++) {
        double times;
        const char *unit = report_unit_of(job, METRIC_FIXED + i, &times);
        value[i] = figure(times * job_region_count(&job->region[id], i), unit);
        cell[i + 1] = value[i].text;
    }
    sheet_row(sheet, column, cell);
}

/* Chooses the regions of the table of metrics by name; none if no metric was asked for. */
static void choose_formula_regions(struct table *table, const struct job *job)
{
    table_choose_regions(table, job);
    table->n = job->formulas[0] != '\0' ? table->n : 0;
}

/* The first ones that were counted, as many as have room. */
static int formulas_of(const struct job *job, struct job_formula formula[MAX_COLUMNS - 2])
{
    int n = 0;
    for (int i = 0; n < MAX_COLUMNS - 2 && job_formula(job, i, &formula[n]); i++)
        n += formula[n].reason[0] == '\0';
    return n;
}

static void choose_formula_columns(struct sheet_column column[MAX_COLUMNS], const struct job *job)
{
    struct job_formula formula[MAX_COLUMNS - 2];
    int n = formulas_of(job, formula);
    column[0] = region_columns[0];
    for (int i = 0; i < n; i++)
        column[i + 1] = (struct sheet_column){16, i, formula[i].name};
    column[n + 1].width = 0;
}

static void formula_region_line(struct sheet *sheet, const struct sheet_column *column, const struct job *job,
                                int id)
{
    struct job_formula formula[MAX_COLUMNS - 2];
    char name[4 * REGION_COLUMNS + 1], cells[MAX_COLUMNS - 2][24], reason[FORMULA_REASON];
    const char *cell[MAX_COLUMNS] = {name};
    int n = formulas_of(job, formula);
    figure_name(name, sizeof name, job->region[id].name, REGION_COLUMNS);
    for (int i = 0; i < n; i++) {
        double value = job_formula_value(job, &job->region[id], &formula[i], reason);
        snprintf(cells[i], sizeof cells[i], isnan(value) ? "-" : "%.4g", value);
        cell[i + 1] = cells[i];
    }
    sheet_row(sheet, column, cell);
}

/* ---- the whole */

enum { TABLES = 12 };

static const struct {
    void (*choose)(struct table *table, const struct job *job);
    const char *title, *part; /* with all rows; with some of them */
    const struct sheet_column *column;
    void (*choose_columns)(struct sheet_column column[MAX_COLUMNS], const struct job *job); /* NULL: these */
    void (*line)(struct sheet *sheet, const struct sheet_column *column, const struct job *job, int row);
    int least; /* so many rows before another table gets more */
} tables[TABLES] = {
    {choose_metrics, "of each rank", "figures, %d of %d", metric_columns, NULL, metric_line, 4},
    {choose_calls, "MPI calls by time", "top %d of %d MPI calls", call_columns, choose_call_columns,
     call_line, 2},
    {choose_times, "times of calls", "times of %d of %d calls", time_columns, NULL, time_line, 2},
    {choose_comms, "communicators by time", "top %d of %d communicators", comm_columns, NULL, comm_line, 2},
    {choose_sites, "call sites by time", "top %d of %d call sites", site_columns, NULL, site_line, 2},
    {choose_late, "waits for late ranks", "waits, top %d of %d", late_columns, NULL, late_line, 2},
    {table_choose_regions, "regions by time", "top %d of %d regions", region_columns, choose_region_columns,
     region_line, 2},
    {choose_region_efficiencies, "efficiency of regions", "efficiency, %d of %d", region_efficiency_columns,
     choose_region_efficiency_columns, region_efficiency_line, 2},
    {table_choose_devices, "devices", "devices, %d of %d", device_columns, choose_device_columns, device_line,
     2},
    {table_choose_region_devices, "devices in regions", "devices, %d of %d", region_device_columns, NULL,
     region_device_line, 2},
    {choose_counted_regions, "counters of regions", "counters, %d of %d", region_columns,
     choose_counter_columns, counted_region_line, 2},
    {choose_formula_regions, "metrics of regions", "metrics, %d of %d", region_columns,
     choose_formula_columns, formula_region_line, 2},
};

static void print_table(struct sheet *sheet, const struct job *job, const struct table *table, int which)
{
    char title[32];
    struct sheet_column column[MAX_COLUMNS];
    if (table->lines == 0)
        return;
    for (int i = 0; i == 0 || column[i - 1].width > 0; i++)
        column[i] = tables[which].column[i];
    if (tables[which].choose_columns != NULL)
        tables[which].choose_columns(column, job);
    snprintf(title, sizeof title, table->lines < table->n ? tables[which].part : tables[which].title,
             table->lines, table->n);
    sheet_line(sheet, "%s", "");
    sheet_head(sheet, column, title);
    for (int i = 0; i < table->lines; i++)
        tables[which].line(sheet, column, job, table->row[i]);
}

/* Tables that are left out where the report has no room for all, the first ones first. */
static const int least_needed[] = {11, 10, 2, 3, 7, 5, 4, 9, 8};

/* Shares the lines that are left among the tables. Each table first gets its least number of lines, and two
 * for the blank and the title. If that is too much, because much stands below, lines are taken back down to
 * one a table, from the last table on, and where that is still too much, whole tables: the result file has
 * them, and the remarks below say how good the figures are. What is left over then goes to the tables in
 * turn, a line each, until all rows have one. */
static void share_lines(struct table table[TABLES], int left)
{
    for (int i = 0; i < TABLES; i++) {
        left -= table[i].n > 0 ? 2 : 0;
        table[i].lines = table[i].n < tables[i].least ? table[i].n : tables[i].least;
        left -= table[i].lines;
    }
    for (int i = TABLES - 1; i >= 0; i--)
        for (; left < 0 && table[i].lines > 1; left++)
            table[i].lines--;
    for (size_t i = 0; i < sizeof least_needed / sizeof *least_needed && left < 0; i++) {
        struct table *without = &table[least_needed[i]];
        left += without->lines > 0 ? without->lines + 2 : 0;
        without->n = without->lines = 0;
    }
    for (bool given = true; left > 0 && given;) {
        given = false;
        for (int i = 0; i < TABLES && left > 0; i++)
            if (table[i].lines < table[i].n) {
                table[i].lines++;
                left--;
                given = true;
            }
    }
}

int report_text(FILE *out, const struct job *job, const char *result_file)
{
    struct sheet sheet = sheet_on(out);
    struct page {
        struct tail tail;
        struct table table[TABLES];
    } *page = malloc(sizeof *page);
    if (page == NULL)
        return -1;
    head(&sheet, job);
    job_line(&sheet, job);
    efficiencies(&sheet, job);
    page->tail.sheet = &sheet;
    page->tail.n = 0;
    tail_make(&page->tail, job, result_file);
    int below = 1;
    for (int i = 0; i < page->tail.n; i++)
        below += page->tail.part[i].lines;
    for (int i = 0; i < TABLES; i++)
        tables[i].choose(&page->table[i], job);
    share_lines(page->table, sheet_most(&sheet, SHEET_LINES) - sheet.lines - below);
    for (int i = 0; i < TABLES; i++)
        print_table(&sheet, job, &page->table[i], i);
    sheet_line(&sheet, "%s", "");
    for (int i = 0; i < page->tail.n; i++)
        sheet_wrapped(&sheet, 2, page->tail.part[i].most, page->tail.part[i].text);
    free(page);
    return 0;
}

/* ---- what rank 0 says at the end */

/* The longest wait for a slow reader whose descriptor does not wait itself. */
enum { PATIENCE = 10000 /* ms */ };

static int can_wait(int fd)
{
    struct pollfd polled = {.fd = fd, .events = POLLOUT};
    return errno == EINTR || (errno == EAGAIN && poll(&polled, 1, PATIENCE) > 0);
}

static int write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && !can_wait(fd))
            return errno;
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return 0;
}

/* job: NULL: it is not in the name. */
static int write_file(const char *name, const char *directory, const char *job, const char *text,
                      size_t length)
{
    char path[8400];
    int relative = name[0] != '/' && directory[0] != '\0';
    snprintf(path, sizeof path, "%s%s%s", relative ? directory : "", relative ? "/" : "", name);
    if (job != NULL)
        place_name_job(path, sizeof path, job);
    int fd = trust_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0)
        return errno;
    struct stat made;
    if (fstat(fd, &made) == 0 && S_ISREG(made.st_mode) && (made.st_mode & 0600) != 0600) /* the umask */
        fchmod(fd, (made.st_mode & 0777) | 0600);
    int error = write_all(fd, text, length);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* Writes the report to where PAPI_MPI_REPORT says. 0, or the errno of what failed; -1: it goes to standard
 * error. */
static int write_report(const struct settings *settings, const char *directory, const struct job *job,
                        const char *text, size_t length)
{
    if (job == NULL || strcasecmp(settings->report, "none") == 0)
        return 0;
    if (strcasecmp(settings->report, "stderr") == 0)
        return -1;
    if (strcasecmp(settings->report, "stdout") == 0) {
        fflush(stdout); /* the program's own lines come first */
        return write_all(STDOUT_FILENO, text, length);
    }
    return write_file(settings->report, directory, settings->spawned ? job->job : NULL, text, length);
}

/* True if two sentences say the same but for numbers, such as that of the rank. */
static int says_the_same(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return 0;
        if (*a == '\0')
            return 1;
    }
}

static void put_complaints(FILE *out, const struct settings *settings, const struct job *job)
{
    const struct job_complaint *others = job != NULL ? &job->complaint : NULL;
    int known = 0;
    for (int i = 0; i < settings->n_complaints; i++) {
        fprintf(out, "papi_mpi: %s\n", settings->complaint[i]);
        known |= others != NULL && says_the_same(settings->complaint[i], others->text);
    }
    if (others == NULL || others->ranks == 0 || known) /* a wrong value is wrong on all ranks */
        return;
    fprintf(out, "papi_mpi: rank %" PRIu64, others->rank);
    if (others->ranks > 1)
        fprintf(out, " and %" PRIu64 " more", others->ranks - 1);
    fprintf(out, ": %s\n", others->text);
}

void print_all(const struct job *job, const char *result_file, const struct settings *settings,
               const char *directory)
{
    struct held_signals signals;
    char *lines = NULL, *report = NULL;
    size_t n_lines = 0, n_report = 0;
    FILE *out = open_memstream(&lines, &n_lines), *text = open_memstream(&report, &n_report);
    if (out != NULL && text != NULL) {
        put_complaints(out, settings, job);
        if (job != NULL && report_text(text, job, result_file) != 0)
            fputs("papi_mpi: there is no memory for the report of this job\n", out);
        fflush(text);
        signals_hold(&signals);
        int error = write_report(settings, directory, job, report, n_report);
        if (error > 0) {
            visible_print(out, "papi_mpi: cannot write the report to %.200s: %s; it follows",
                          settings->report, strerror(error));
            putc('\n', out);
        }
        if (error != 0)
            fwrite(report, 1, n_report, out);
        fflush(out);
        write_all(STDERR_FILENO, lines, n_lines);
        signals_release(&signals);
    }
    if (out != NULL)
        fclose(out);
    if (text != NULL)
        fclose(text);
    free(lines);
    free(report);
}
