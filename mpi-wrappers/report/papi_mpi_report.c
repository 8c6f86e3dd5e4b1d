/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_mpi_report: the result of an MPI job as text, JSON, CSV or HTML; beside an earlier one; made from
 * what a job left that did not end well.
 */
#include "base/nearest.h"
#include "base/visible.h"
#include "job/job.h"
#include "job/recover.h"
#include "job/result_file.h"
#include "job/timeline_file.h"
#include "papi.h"
#include "record/settings.h"
#include "report/job_page.h"
#include "report/reference.h"
#include "report/reports.h"
#include "report/scaling.h"
#include "report/verdict.h"
#include "tools/common/options.h"
#include "tools/common/terminal.h"
#include "tools/common/tool_files.h"
#include "web/page.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_ERROR = 1, STATUS_USAGE = 2, WHY_ROOM = 8192 };

enum { PAGE_DATA = 3 };

struct options {
    bool text, json, html, formulas, hatchet, recover, records, remove, now, openmetrics;
    long long every;                  /* seconds between two looks at a job that runs; 0: one look */
    const char *csv;                  /* NULL: another form; "": the table of ranks */
    const char *region;               /* that alone is shown; NULL: the whole job */
    int region_at;                    /* its place in the job */
    const char *output, *reference;   /* NULL: standard output; none */
    const char *scaling;              /* "strong", "weak" or ""; NULL: no table of runs */
    const struct csv_table *table;    /* that csv names */
    const char *roofline, *profile;   /* of the job by these tools, for the page; NULL: none */
    char *newest;                     /* a result's name, to be freed */
    const char *result;               /* the file that is shown; NULL: it is not one */
    struct job_page *page;            /* for --openmetrics: it lives from one look at a job to the next */
    struct page_data data[PAGE_DATA]; /* the same, opened, and the timeline beside the result */
};

/* Results that are shown. */
struct shown {
    struct job *job, *reference; /* reference: NULL: none */
    struct scaling *scaling;     /* NULL: none; otherwise job is the run on most ranks */
};

static const char usage_text[] =
    "Usage: papi_mpi_report [OPTION]... [RESULT]\n"
    "       papi_mpi_report --scaling[=strong|weak] [OPTION]... RESULT RESULT...\n"
    "       papi_mpi_report --recover [OPTION]... | --records | --remove DIRECTORY...\n"
    "Shows what an MPI job left in RESULT, or in the newest papi_mpi_*.json here.\n"
    "\n"
    "  -t, --text            the report (this is the default): up to 40 lines, or 55\n"
    "  -j, --json            the whole result, as docs/mpi-result.md describes it\n"
    "  -c, --csv[=TABLE]     CSV: ranks (the default), metrics, calls, times, sites,\n"
    "                        communicators, regions, efficiency, places, long\n"
    "      --hatchet, --formulas  the tree of what calls MPI; metrics by name\n"
    "      --html            one page with plots, for a browser; it needs no network\n"
    "      --roofline=FILE, --profile=FILE  into the page, what these tools kept\n"
    "      --region=NAME     one region: its MPI calls and ranks, as text or --csv\n"
    "  -o, --output=FILE     into a file instead of standard output\n"
    "  -r, --reference=FILE  compares with the result of an earlier run\n"
    "      --scaling[=KIND]  the table of runs on several numbers of ranks\n"
    "      --now [JOB]       of a job that runs here: who waits for whom, and all\n"
    "                        so far; --every=SECONDS: often; --openmetrics: counts\n"
    "      --recover         from the records of a job that did not end well\n"
    "      --records         lists records (of PAPI_MPI_DIR, TMPDIR or /tmp);\n"
    "      --remove          removes those of jobs that do not run any more\n"
    "  -h, --help            this text; --version: the version of the interface\n"
    "\n"
    "Exit status: 0; 1: a file that cannot be read or written; 2: a wrong option.\n";

/* ---- the command line */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    va_list arguments;
    FILE *out = terminal_open(stderr);
    fputs("papi_mpi_report: ", out);
    va_start(arguments, format);
    visible_print_list(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
    terminal_close(out, stderr);
}

static int point_to_help(void)
{
    fputs("papi_mpi_report --help lists the options\n", stderr);
    return STATUS_USAGE;
}

#define usage_error(...) (say(__VA_ARGS__), point_to_help())

static int check_scaling(const struct options *options, int n)
{
    const char *kind = options->scaling;
    if (kind[0] != '\0' && strcmp(kind, "strong") != 0 && strcmp(kind, "weak") != 0)
        return usage_error(
            "--scaling is strong or weak, not \"%s\"; the results follow as words of their own: "
            "papi_mpi_report --scaling 2.json 4.json 8.json",
            kind);
    if (n < 2)
        return usage_error(
            "--scaling needs the results of at least two runs: papi_mpi_report --scaling 2.json "
            "4.json 8.json");
    if (n > MAX_RUNS)
        return usage_error("--scaling takes at most %d results", MAX_RUNS);
    if (options->reference != NULL || options->formulas || options->hatchet || options->recover ||
        options->records || options->remove || (options->csv != NULL && options->csv[0] != '\0'))
        return usage_error(
            "--scaling goes with --text, --json, --csv (of its own table), --html and --output");
    return EXIT_SUCCESS;
}

static int check_options(struct options *options, char **files, int n)
{
    options->table = csv_table(options->csv != NULL && options->csv[0] != '\0' ? options->csv : "ranks");
    if (options->table == NULL)
        return usage_error("--csv has no table \"%s\": it has ranks, metrics, calls, times, sites, "
                           "communicators, regions, efficiency, places and long",
                           options->csv);
    if (options->text + options->json + options->html + options->formulas + options->hatchet +
            options->openmetrics + (options->csv != NULL) >
        1)
        return usage_error("one form at a time: --text, --json, --csv, --formulas, --hatchet, --html or "
                           "--openmetrics");
    if (options->reference != NULL && (options->formulas || options->hatchet || options->openmetrics ||
                                       (options->csv != NULL && strcmp(options->table->name, "sites") != 0)))
        return usage_error("--reference compares in text, --json, --html or --csv=sites");
    if (options->region != NULL &&
        (options->json || options->html || options->formulas || options->hatchet || options->openmetrics ||
         options->reference != NULL || options->scaling != NULL ||
         (options->csv != NULL && options->csv[0] != '\0' && strcmp(options->csv, "calls") != 0)))
        return usage_error(
            "--region shows one region as text or as --csv=calls; --json and --html have all of them: "
            "papi_mpi_report --json");
    if (!options->html && (options->roofline != NULL || options->profile != NULL))
        return usage_error("--roofline and --profile are for the page: --html");
    if (options->scaling != NULL)
        return check_scaling(options, n);
    if (options->recover && n == 0)
        return usage_error("--recover needs the directory where the records are");
    if (options->every > 0 && !options->now)
        return usage_error("--every is for a job that runs: papi_mpi_report --now --every=%lld",
                           options->every);
    if (options->openmetrics && !options->now)
        return usage_error(
            "--openmetrics is for a job that runs: papi_mpi_report --now --openmetrics; a job that has ended "
            "counts no more");
    if (options->records + options->remove + options->recover + options->now > 1)
        return usage_error("one of --now, --recover, --records and --remove at a time");
    if (!options->recover && !options->records && !options->remove && n > 1)
        return usage_error("one result at a time; not also %s", files[1]);
    return EXIT_SUCCESS;
}

/* Reads the options. Returns the status for those that end the program at once, otherwise -1. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option_row rows[] = {
        {'t', "text", OPTION_SET, offsetof(struct options, text), 0, 0},
        {'j', "json", OPTION_SET, offsetof(struct options, json), 0, 0},
        {'c', "csv", OPTION_OPTIONAL, offsetof(struct options, csv), 0, 0},
        {0, "formulas", OPTION_SET, offsetof(struct options, formulas), 0, 0},
        {0, "hatchet", OPTION_SET, offsetof(struct options, hatchet), 0, 0},
        {0, "html", OPTION_SET, offsetof(struct options, html), 0, 0},
        {0, "roofline", OPTION_TEXT, offsetof(struct options, roofline), 0, 0},
        {0, "profile", OPTION_TEXT, offsetof(struct options, profile), 0, 0},
        {0, "region", OPTION_TEXT, offsetof(struct options, region), 0, 0},
        {'o', "output", OPTION_TEXT, offsetof(struct options, output), 0, 0},
        {'r', "reference", OPTION_TEXT, offsetof(struct options, reference), 0, 0},
        {0, "scaling", OPTION_OPTIONAL, offsetof(struct options, scaling), 0, 0},
        {0, "now", OPTION_SET, offsetof(struct options, now), 0, 0},
        {0, "openmetrics", OPTION_SET, offsetof(struct options, openmetrics), 0, 0},
        {0, "every", OPTION_NUMBER, offsetof(struct options, every), 1, 86400},
        {0, "recover", OPTION_SET, offsetof(struct options, recover), 0, 0},
        {0, "records", OPTION_SET, offsetof(struct options, records), 0, 0},
        {0, "remove", OPTION_SET, offsetof(struct options, remove), 0, 0},
        {0, "version", OPTION_RETURNED, 0, 0, 0},
        {'h', "help", OPTION_RETURNED, 0, 0, 0},
        {0},
    };
    static char name[] = "papi_mpi_report";
    argv[0] = name; /* messages about options begin like all the others */
    int c = options_read(argc, argv, rows, options), status = EXIT_SUCCESS;
    if (c == 'h')
        fputs(usage_text, stdout);
    else if (c == OPTION_WRONG)
        status = point_to_help();
    else if (c != 0)
        printf("%s (fpapi) %d.%d.%d\n", name, PAPI_VERSION_MAJOR(PAPI_VERSION),
               PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION));
    else
        status = check_options(options, argv + optind, argc - optind);
    return c == 0 && status == EXIT_SUCCESS ? -1 : status;
}

/* ---- what is read */

/* The newest result file in the working directory, apart from one; the caller frees the name. NULL: there is
 * none. */
static char *newest_result(const char *apart)
{
    glob_t found;
    struct timespec latest = {0, 0};
    char *newest = NULL;
    if (glob("papi_mpi_*.json", 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        if (stat(found.gl_pathv[i], &status) != 0 || !S_ISREG(status.st_mode) ||
            strcmp(found.gl_pathv[i], apart) == 0)
            continue;
        if (newest != NULL &&
            (status.st_mtim.tv_sec < latest.tv_sec ||
             (status.st_mtim.tv_sec == latest.tv_sec && status.st_mtim.tv_nsec < latest.tv_nsec)))
            continue;
        free(newest);
        newest = strdup(found.gl_pathv[i]);
        latest = status.st_mtim;
    }
    globfree(&found);
    return newest;
}

/* Says why a file cannot be read, and which result can be shown in place of it, or what makes one. */
static void say_unread(const char *file, const char *why)
{
    char *newest = newest_result(strncmp(file, "./", 2) == 0 ? file + 2 : file);
    if (newest != NULL)
        say("%s; the newest result here is %s: run \"papi_mpi_report '%s'\"", why, newest, newest);
    else
        say("%s; \"papi_mpirun -n 2 PROGRAM\" makes a result here", why);
    free(newest);
}

static struct job *read_or_say(const char *file)
{
    char why[WHY_ROOM];
    struct job *job = job_read(file, why, sizeof why);
    if (job == NULL)
        say_unread(file, why);
    return job;
}

/* The folder of the one job that runs, for the caller to free; NULL after a message. named: a folder, a
 * directory with folders, or a part of a job's name; NULL: all of this node. */
static char *running_job(const char *named)
{
    struct stat status;
    struct settings *settings = calloc(1, sizeof *settings);
    char *folder = calloc(1, PATH_MAX), *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    if (settings == NULL || folder == NULL || out == NULL) {
        say("out of memory");
        exit(STATUS_ERROR);
    }
    settings_read(settings);
    bool is_directory = named != NULL && stat(named, &status) == 0 && S_ISDIR(status.st_mode);
    const char *directory = is_directory ? named : settings->directory;
    int n = running_records(out, directory, is_directory ? NULL : named, folder, PATH_MAX);
    fclose(out);
    if (n < 0)
        say("%s: %s", directory, strerror(errno));
    else if (n == 0)
        say("%s has no records of a job%s%s that runs. \"papi_mpi_report --records %s\" lists those that do "
            "not "
            "run any more; PAPI_MPI_DIR names another directory, \"papi_mpirun -n 2 PROGRAM\" starts a job",
            directory, named != NULL && !is_directory ? " called " : "",
            named != NULL && !is_directory ? named : "", directory);
    else if (n > 1) {
        FILE *shown = terminal_open(stderr);
        fputs(list, shown);
        terminal_close(shown, stderr);
        say("%d jobs run: name one, as in \"papi_mpi_report --now %s\"", n, folder);
    }
    free(list);
    free(settings);
    if (n == 1)
        return folder;
    free(folder);
    return NULL;
}

static struct job *get_running_job(const char *named)
{
    char why[WHY_ROOM] = "", *folder = running_job(named);
    struct job *job = folder != NULL ? job_look(folder, why, sizeof why) : NULL;
    if (why[0] != '\0')
        say("%s", why);
    free(folder);
    return job;
}

static struct job *get_job(struct options *options, char **files, int n)
{
    char why[WHY_ROOM] = "";
    if (!options->recover && n == 1) {
        options->result = files[0];
        return read_or_say(files[0]);
    }
    char *newest = options->recover ? NULL : newest_result("");
    if (newest != NULL)
        say("the newest result here is %s", newest);
    else if (!options->recover)
        say("no papi_mpi_*.json in this directory: name the file of the job; \"papi_mpirun -n 2 PROGRAM\" "
            "makes one "
            "here");
    struct job *job = options->recover ? job_recover(files, n, why, sizeof why)
                      : newest != NULL ? read_or_say(newest)
                                       : NULL;
    if (why[0] != '\0') /* an error, or remarks */
        say("%s", why);
    if (newest != NULL)
        options->result = options->newest = newest;
    return job;
}

/* A file of another tool, if it begins like one. NULL after a message. */
static FILE *open_data(const char *file, const char *begins, const char *what)
{
    const char *why;
    FILE *in = input_open(file, &why);
    if (in == NULL) {
        say("%s: %s", file, why);
        return NULL;
    }
    for (int c; *begins != '\0' && (c = getc(in)) != EOF;) {
        if (c == ' ' || c == '\n')
            continue;
        if (c != *begins)
            break;
        begins++;
    }
    rewind(in);
    if (*begins == '\0')
        return in;
    say("%s is not %s", file, what);
    fclose(in);
    return NULL;
}

enum { MOST_OF_PAGE = 256 << 20 };

/* The timeline that lies beside the result, if it is of the same job. */
static FILE *open_timeline(const char *result, const struct job *job)
{
    struct stat status;
    char file[TIMELINE_NAME];
    FILE *in = timeline_open_beside(result, job->job, file);
    if (in == NULL || (fstat(fileno(in), &status) == 0 && status.st_size <= MOST_OF_PAGE))
        return in;
    fclose(in);
    say("the page has no timeline: %s is larger than 256 MiB; ui.perfetto.dev opens it, and "
        "PAPI_MPI_TIMELINE=256k makes a shorter one",
        file);
    return NULL;
}

/* The same of a job whose records were read. */
static FILE *write_timeline(const struct job *job)
{
    struct timeline_sums sums;
    FILE *out = tmpfile();
    bool failed = out == NULL || timeline_write(out, job->ring, (size_t)job->n_rings, job, &sums) != 0 ||
                  fflush(out) != 0 || ferror(out);
    bool large = !failed && ftell(out) > MOST_OF_PAGE;
    if (failed || large)
        say("the page has no timeline: %s",
            failed ? "it cannot be written to a temporary file"
                   : "it is larger than 256 MiB; --json -o FILE writes it beside FILE, for ui.perfetto.dev");
    if (out != NULL && !failed && !large) {
        rewind(out);
        return out;
    }
    if (out != NULL)
        fclose(out);
    return NULL;
}

/* Writes the last calls of a recovered job beside its result. */
static int put_timeline(const struct options *options, const struct job *job)
{
    struct timeline_sums sums;
    struct place *place = calloc(1, sizeof *place);
    char file[TIMELINE_NAME], why[COMPLAINT_LENGTH];
    if (place == NULL)
        return STATUS_ERROR;
    place->kind = PLACE_FILE;
    snprintf(place->file, sizeof place->file, "%s", options->output);
    int failed = timeline_write_beside(place, job->ring, (size_t)job->n_rings, job, &sums, file, why);
    if (failed != 0)
        say("%s", why);
    else
        say("timeline of the last %llu calls, with %llu messages as lines, for ui.perfetto.dev: %s",
            (unsigned long long)sums.calls, (unsigned long long)sums.lines, file);
    free(place);
    return failed != 0 ? STATUS_ERROR : EXIT_SUCCESS;
}

static int open_all(struct options *options, const struct job *job)
{
    struct page_data *data = options->data;
    if (options->roofline != NULL)
        data[0] = (struct page_data){"roofline", open_data(options->roofline, "{\"format\":\"papi_roofline\"",
                                                           "what papi_roofline keeps of a job: papi_roofline "
                                                           "--job=RESULT -o FILE makes it")};
    if (options->profile != NULL)
        data[1] = (struct page_data){"profile", open_data(options->profile, "{\"format\":\"papi_profile\"",
                                                          "a profile that papi_profile wrote")};
    if (options->html && options->result != NULL)
        data[2] = (struct page_data){"timeline", open_timeline(options->result, job)};
    else if (options->html && job->n_rings > 0)
        data[2] = (struct page_data){"timeline", write_timeline(job)};
    bool lacks = (options->roofline != NULL && data[0].json == NULL) ||
                 (options->profile != NULL && data[1].json == NULL);
    return lacks ? STATUS_ERROR : EXIT_SUCCESS;
}

static void close_all(struct options *options)
{
    for (int i = 0; i < PAGE_DATA; i++)
        if (options->data[i].json != NULL)
            fclose(options->data[i].json);
    free(options->newest);
}

/* ---- what is written */

/* Writes the job as JSON, with its comparison if there is a reference. */
/* Returns 0, or -1 with errno. */
static int write_json(FILE *out, const struct job *job, const struct job *reference)
{
    job_write_head(out, job);
    if (job_write_rows(out, job) != 0)
        return -1;
    if (reference == NULL) {
        job_write_tail(out);
        return 0;
    }
    fputs("  ],\n  \"comparison\": ", out);
    report_comparison_json(out, job, reference);
    fputs("}\n", out);
    return 0;
}

enum { SHOWN_ROOM = (int)VERDICT_WHOLE > (int)SCALING_VERDICT ? (int)VERDICT_WHOLE : (int)SCALING_VERDICT };

/* Makes each line of the verdict visible; the line feeds between stay. */
static void show_lines(char *out, size_t size, const char *text)
{
    char line[SHOWN_ROOM];
    for (size_t used = 0, length; used < size; text += length + (text[length] != '\0')) {
        length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        used += visible(out + used, size - used, line);
        if (text[length] == '\0' || used + 1 >= size)
            return;
        out[used++] = '\n';
        out[used] = '\0';
    }
}

/* Ends what was written into a temporary file, so that it can be read from its beginning. 0; -1: errno. */
static int turn_round(FILE *file)
{
    int failed = fflush(file) != 0 || ferror(file) ? -1 : 0;
    rewind(file);
    return failed;
}

/* Writes the page of a job, with the table of runs if there is one. Returns 0, or -1 with errno. */
static int write_page(FILE *out, const struct options *options, const struct shown *shown, FILE *json,
                      FILE *scaling)
{
    struct page_data data[] = {options->data[0], options->data[1], options->data[2], {"scaling", scaling}};
    char text[SHOWN_ROOM], visible_text[VISIBLE_GROWTH * sizeof text];
    int failed = write_json(json, shown->job, shown->reference);
    verdict_whole(text, shown->job);
    if (shown->scaling != NULL) {
        scaling_verdict(text, shown->scaling);
        scaling_json(scaling, shown->scaling);
        failed |= turn_round(scaling);
    }
    show_lines(visible_text, sizeof visible_text, text);
    failed |= turn_round(json);
    return failed != 0 ? -1 : report_html_with(out, visible_text, json, data, PAGE_DATA + 1);
}

static int write_html(FILE *out, const struct options *options, const struct shown *shown)
{
    FILE *json = tmpfile(), *scaling = json != NULL && shown->scaling != NULL ? tmpfile() : NULL;
    int failed = json == NULL || (shown->scaling != NULL && scaling == NULL)
                     ? -1
                     : write_page(out, options, shown, json, scaling);
    int reason = errno;
    if (json != NULL)
        fclose(json);
    if (scaling != NULL)
        fclose(scaling);
    errno = reason;
    return failed;
}

static int write_scaling(FILE *out, const struct options *options, const struct scaling *scaling)
{
    if (options->json)
        scaling_json(out, scaling);
    else if (options->csv != NULL)
        scaling_csv(out, scaling);
    else
        scaling_text(out, scaling);
    return 0;
}

static void write_comparison(FILE *out, const struct options *options, const struct job *job,
                             const struct job *reference)
{
    if (options->json)
        report_comparison_json(out, job, reference);
    else if (options->csv != NULL)
        csv_site_pairs(out, job, reference);
    else
        report_comparison(out, job, reference);
}

/* 0; -1: errno. */
static int write_openmetrics(FILE *out, const struct options *options, const struct job *job)
{
    bool file = options->output != NULL;
    enum openmetrics_form form = file ? openmetrics_form_of(options->output) : FORM_OPENMETRICS;
    if (job_page_take(options->page, job) == PAPI_OK && job_page_print(options->page, out, form) == PAPI_OK)
        return 0;
    errno = ENOMEM;
    return -1;
}

static int write_form(FILE *out, const struct options *options, const struct shown *shown)
{
    const struct job *job = shown->job;
    if (options->region != NULL && options->csv == NULL)
        return report_region(out, job, options->region_at);
    if (options->region != NULL) {
        csv_region_calls(out, job, options->region_at);
        return 0;
    }
    if (options->html)
        return write_html(out, options, shown);
    if (options->openmetrics)
        return write_openmetrics(out, options, job);
    if (shown->scaling != NULL)
        return write_scaling(out, options, shown->scaling);
    if (shown->reference != NULL)
        write_comparison(out, options, job, shown->reference);
    else if (options->json)
        return write_json(out, job, NULL);
    else if (options->formulas)
        report_formulas(out, job);
    else if (options->hatchet)
        report_hatchet(out, job);
    else if (options->csv != NULL)
        options->table->write(out, job);
    else
        return report_text(out, job, NULL);
    return 0;
}

/* Writes what the options ask for. NULL, or why it could not be written. */
static const char *write_into(FILE *out, const struct options *options, const struct shown *shown)
{
    errno = 0;
    bool failed = write_form(out, options, shown) != 0;
    failed |= fflush(out) != 0 || ferror(out);
    return failed ? output_reason(errno) : NULL;
}

/* Finds the region of a name; false after a message. */
static bool find_region(struct options *options, const struct job *job)
{
    char text[NEAREST_TEXT];
    struct nearest nearest;
    nearest_begin(&nearest, options->region);
    for (int i = 0; i < job->n_regions; i++) {
        if (strcmp(job->region[i].name, options->region) == 0) {
            options->region_at = i;
            return true;
        }
        nearest_try(&nearest, job->region[i].name);
    }
    say("the job has no region \"%s\"%s: papi_mpi_report --csv=regions lists those it has", options->region,
        nearest_text(&nearest, text));
    return false;
}

static int write_all(const struct options *options, const struct shown *shown)
{
    if (shown->scaling == NULL && options->region == NULL && options->csv != NULL &&
        strcmp(options->table->name, "ranks") == 0 && shown->job->n_rows == 0) {
        say("this result has no rows for its ranks: PAPI_MPI_ROWS=yes has a job write them. --csv=metrics "
            "works without");
        return STATUS_ERROR;
    }
    struct output output = {.file = NULL};
    const char *why = options->output != NULL ? output_open(&output, options->output) : NULL;
    if (why == NULL)
        why = write_into(output.file != NULL ? output.file : stdout, options, shown);
    if (why == NULL && output.file != NULL)
        why = output_close(&output);
    output_drop(&output);
    if (why != NULL)
        say("%s cannot be written: %s", options->output != NULL ? options->output : "standard output", why);
    return why != NULL ? STATUS_ERROR : EXIT_SUCCESS;
}

/* Prints, or removes, the records in the directories, or in the one of the environment. */
static int show_records(char **directories, int n, bool remove)
{
    struct settings *settings = calloc(1, sizeof *settings);
    int status = EXIT_SUCCESS;
    if (settings == NULL)
        return STATUS_ERROR;
    settings_read(settings);
    char *own[] = {settings->directory};
    directories = n > 0 ? directories : own;
    for (int i = 0; i < (n > 0 ? n : 1); i++) {
        int found = kept_records(stdout, directories[i], remove);
        if (found < 0)
            say("%s: %s", directories[i], strerror(errno));
        else if (found == 0)
            say("%s: there are no records", directories[i]);
        status = found < 0 ? STATUS_ERROR : status;
    }
    free(settings);
    return fflush(stdout) == 0 ? status : STATUS_ERROR;
}

static int show_table(struct options *options, struct job **job, int n)
{
    char why[SCALING_WHY];
    enum scaling_kind kind = strcmp(options->scaling, "strong") == 0 ? SCALING_STRONG
                             : options->scaling[0] != '\0'           ? SCALING_WEAK
                                                                     : SCALING_FOUND;
    struct scaling scaling;
    struct shown shown = {.scaling = &scaling};
    if (!scaling_make(&scaling, job, n, kind, why)) {
        say("%s", why);
        return STATUS_ERROR;
    }
    for (int i = 0; i < n; i++)
        if (job[i] == scaling.column[scaling.n - 1].job)
            shown.job = job[i];
    if (options->html)
        job_find_frames(shown.job, INT_MAX);
    int status = open_all(options, shown.job) ?: write_all(options, &shown);
    close_all(options);
    return status;
}

/* Shows the table of runs on different numbers of ranks. */
static int show_scaling(struct options *options, char **files, int n)
{
    struct job *job[MAX_RUNS] = {NULL};
    int read = 0;
    while (read < n && (job[read] = read_or_say(files[read])) != NULL)
        read++;
    int status = read == n ? show_table(options, job, n) : STATUS_ERROR;
    for (int i = 0; i < read; i++)
        job_free(job[i]);
    return status;
}

/* Shows a job, beside its reference if there is one, and frees it. job: NULL: what is wrong was said. */
static int show_job(struct options *options, struct job *job)
{
    struct shown shown = {.job = job};
    char sentences[VERDICT_WHOLE];
    if (job != NULL && options->reference != NULL)
        shown.reference = read_or_say(options->reference);
    if (job != NULL)
        job_find_frames(job, INT_MAX);
    if (shown.reference != NULL)
        job_find_frames(shown.reference, INT_MAX);
    if (job != NULL) {
        verdict_whole(sentences, job);
        job->verdict = sentences;
    }
    if (job != NULL && options->region != NULL && !find_region(options, job)) {
        job_free(job);
        return STATUS_ERROR;
    }
    bool complete = job != NULL && (options->reference == NULL || shown.reference != NULL);
    int status = complete ? open_all(options, job) ?: write_all(options, &shown) : STATUS_ERROR;
    if (status == EXIT_SUCCESS && options->json && options->output != NULL && job->n_rings > 0)
        status = put_timeline(options, job);
    close_all(options);
    job_free(job);
    job_free(shown.reference);
    return status;
}

/* True while a rank of the job runs. */
static bool still_runs(const char *folder)
{
    char found[PATH_MAX];
    FILE *nowhere = fopen("/dev/null", "we");
    int n = nowhere != NULL ? running_records(nowhere, folder, NULL, found, sizeof found) : -1;
    if (nowhere != NULL)
        fclose(nowhere);
    return n > 0;
}

/* Counters of a job that has ended would stay as they are in a folder from which a collector reads them. */
static void remove_page(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
}

/* Shows a job every so many seconds until it has ended. */
static int show_again(struct options *options, const char *named)
{
    char why[WHY_ROOM], *folder = running_job(named);
    int status = folder != NULL ? EXIT_SUCCESS : STATUS_ERROR;
    while (status == EXIT_SUCCESS && still_runs(folder)) {
        struct job *job = job_look(folder, why, sizeof why);
        if (job == NULL) /* it ends at this moment */
            break;
        status = show_job(options, job);
        fflush(stdout);
        sleep((unsigned int)options->every);
    }
    if (options->openmetrics && options->output != NULL)
        remove_page(options->output);
    free(folder);
    return status;
}

/* Looks at a job once, or again and again. */
static int show_now(struct options *options, const char *named)
{
    struct job_page page = {.n_ranks = 0};
    if (options->openmetrics)
        PAPI_library_init(PAPI_VER_CURRENT); /* it describes events; their names do without */
    options->page = &page;
    int status = options->every > 0 ? show_again(options, named) : show_job(options, get_running_job(named));
    job_page_close(&page);
    return status;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    signal(SIGXFSZ, SIG_IGN); /* a limit of the size of files (ulimit -f) is an error */
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.records || options.remove)
        return show_records(argv + optind, argc - optind, options.remove);
    if (options.scaling != NULL)
        return show_scaling(&options, argv + optind, argc - optind);
    if (options.now)
        return show_now(&options, argv[optind]);
    return show_job(&options, get_job(&options, argv + optind, argc - optind));
}
