/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_mpi_report: the result of an MPI job as text, JSON, CSV or HTML; beside an earlier one; made from
 * what a job left that did not end well.
 */
#include "base/options.h"
#include "base/visible.h"
#include "job/reader.h"
#include "job/writer.h"
#include "page/page.h"
#include "papi.h"
#include "report/csv.h"
#include "report/reference.h"
#include "report/text.h"
#include "report/verdict.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STATUS_ERROR = 1, STATUS_USAGE = 2, WHY_ROOM = 8192 };

enum form { TEXT, JSON, CSV, HTML };

struct options {
    enum form form;
    const struct csv_table *table;
    const char *output;    /* NULL: standard output */
    const char *reference; /* NULL: none */
    bool recover;
    char **files;
    int n_files;
};

static const char usage_text[] =
    "Usage: papi_mpi_report [OPTION]... [RESULT]\n"
    "       papi_mpi_report --recover [OPTION]... DIRECTORY...\n"
    "Shows what the MPI wrapper library measured. RESULT is the file that a job left;\n"
    "without it, the newest papi_mpi_*.json in the current directory.\n"
    "\n"
    "  -t, --text            the report, at most 40 lines (this is the default)\n"
    "  -j, --json            the whole result, as docs/mpi-result.md describes it\n"
    "  -c, --csv[=TABLE]     comma-separated values of: ranks (this is the default),\n"
    "                        metrics, calls, regions or efficiency\n"
    "      --html            one page with plots, for a browser; it needs no network\n"
    "  -o, --output=FILE     into a file instead of standard output\n"
    "  -r, --reference=FILE  compares with the result of an earlier run\n"
    "      --recover         from the records that a job left which did not end well;\n"
    "                        DIRECTORY is where they are (PAPI_MPI_DIR, or /tmp)\n"
    "      --version         the version of the interface\n"
    "  -h, --help            this text\n"
    "\n"
    "Exit status: 0; 1 if a file cannot be read or written, or does not hold what is\n"
    "asked for; 2 if the command line is wrong.\n";

/* ------------------------------------------------------------------ the command line */

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
    va_list arguments;
    fputs("papi_mpi_report: ", stderr);
    va_start(arguments, format);
    visible_print_list(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static int usage_error(const char *what, const char *which)
{
    say("%s%s", what, which);
    fputs("Try papi_mpi_report --help.\n", stderr);
    return STATUS_USAGE;
}

/* The options that end the program at once: a status; otherwise -1. */
static int parse(int argc, char **argv, struct options *options)
{
    enum { HTML_OPTION = 256, RECOVER_OPTION, VERSION_OPTION };
    static const struct option names[] = {{"text", no_argument, NULL, 't'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"csv", optional_argument, NULL, 'c'},
                                          {"html", no_argument, NULL, HTML_OPTION},
                                          {"output", required_argument, NULL, 'o'},
                                          {"reference", required_argument, NULL, 'r'},
                                          {"recover", no_argument, NULL, RECOVER_OPTION},
                                          {"version", no_argument, NULL, VERSION_OPTION},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option, forms = 0;
    while ((option = options_next(argc, argv, "tjc::o:r:h", names)) != -1) {
        switch (option) {
        case 't':
        case 'j':
        case 'c':
        case HTML_OPTION:
            forms++;
            options->form = option == 't' ? TEXT : option == 'j' ? JSON : option == 'c' ? CSV : HTML;
            options->table = csv_table(option == 'c' && optarg != NULL ? optarg : "ranks");
            if (options->table == NULL)
                return usage_error("CSV has ranks, metrics, calls, regions, efficiency, and no ", optarg);
            break;
        case 'o':
            options->output = optarg;
            break;
        case 'r':
            options->reference = optarg;
            break;
        case RECOVER_OPTION:
            options->recover = true;
            break;
        case VERSION_OPTION:
            printf("papi_mpi_report %d.%d.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
                   PAPI_VERSION_MINOR(PAPI_VERSION), PAPI_VERSION_REVISION(PAPI_VERSION),
                   PAPI_VERSION_INCREMENT(PAPI_VERSION));
            return EXIT_SUCCESS;
        case 'h':
            fputs(usage_text, stdout);
            return EXIT_SUCCESS;
        default:
            fputs("Try papi_mpi_report --help.\n", stderr);
            return STATUS_USAGE;
        }
    }
    options->files = argv + optind;
    options->n_files = argc - optind;
    if (forms > 1)
        return usage_error("one form at a time: --text, --json, --csv or --html", "");
    if (options->reference != NULL && options->form != TEXT)
        return usage_error("--reference compares in text alone", "");
    if (options->recover && options->n_files == 0)
        return usage_error("--recover needs the directory where the records are", "");
    if (!options->recover && options->n_files > 1)
        return usage_error("one result at a time; not also ", options->files[1]);
    return -1;
}

/* --------------------------------------------------------------------- what is read */

/* Back in newest, to be freed; NULL: there is none. */
static char *newest_result(void)
{
    glob_t found;
    struct timespec latest = {0, 0};
    char *newest = NULL;
    if (glob("papi_mpi_*.json", 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct stat status;
        if (stat(found.gl_pathv[i], &status) != 0 || !S_ISREG(status.st_mode))
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

static struct job *read_or_say(const char *file)
{
    char why[WHY_ROOM];
    struct job *job = job_read(file, why, sizeof why);
    if (job == NULL)
        say("%s", why);
    return job;
}

static struct job *read_newest(void)
{
    char *file = newest_result();
    if (file == NULL) {
        say("no papi_mpi_*.json in the current directory: name the file that the job left");
        return NULL;
    }
    say("the newest result here is %s", file);
    struct job *job = read_or_say(file);
    free(file);
    return job;
}

static struct job *recover_or_say(char **directories, int n)
{
    char why[WHY_ROOM];
    struct job *job = job_recover(directories, n, why, sizeof why);
    if (why[0] != '\0') /* an error, or remarks */
        say("%s", why);
    return job;
}

static struct job *get_job(const struct options *options)
{
    if (options->recover)
        return recover_or_say(options->files, options->n_files);
    return options->n_files == 1 ? read_or_say(options->files[0]) : read_newest();
}

/* ------------------------------------------------------------------ what is written */

static void write_json(FILE *out, const struct job *job)
{
    char row[JOB_ROW_LENGTH];
    job_write_head(out, job);
    for (uint64_t i = 0; i < job->n_rows; i++) {
        job_write_row(row, job, &job->row[i], i + 1 == job->n_rows);
        fwrite(row, sizeof row, 1, out);
    }
    job_write_tail(out);
}

/* Returns 0, or -1 with errno. */
static int write_html(FILE *out, const struct job *job)
{
    char text[2 * VERDICT_ROOM], shown[VISIBLE_GROWTH * sizeof text];
    FILE *json = tmpfile();
    if (json == NULL)
        return -1;
    write_json(json, job);
    verdict_whole(text, job);
    visible(shown, sizeof shown, text);
    int failed = fflush(json) != 0 || ferror(json) ? -1 : 0;
    rewind(json);
    if (failed == 0)
        failed = report_html(out, shown, json);
    int reason = errno;
    fclose(json);
    errno = reason;
    return failed;
}

static int write_form(FILE *out, const struct options *options, const struct job *job,
                      const struct job *reference)
{
    if (reference != NULL)
        report_comparison(out, job, reference);
    else if (options->form == TEXT)
        report_text(out, job, NULL);
    else if (options->form == JSON)
        write_json(out, job);
    else if (options->form == CSV)
        options->table->write(out, job);
    else
        return write_html(out, job);
    return 0;
}

static int write_all(const struct options *options, const struct job *job, const struct job *reference)
{
    const char *name = options->output != NULL ? options->output : "standard output";
    if (options->form == CSV && strcmp(options->table->name, "ranks") == 0 && job->n_rows == 0) {
        say("this result has no rows for its ranks: PAPI_MPI_ROWS=yes has a job write them. --csv=metrics "
            "works without");
        return STATUS_ERROR;
    }
    errno = 0;
    FILE *out = options->output != NULL ? fopen(options->output, "we") : stdout;
    int failed = out == NULL ? -1 : write_form(out, options, job, reference);
    if (out != NULL && (fflush(out) != 0 || ferror(out)))
        failed = -1;
    int reason = errno;
    if (out != NULL && out != stdout && fclose(out) != 0 && failed == 0) {
        failed = -1;
        reason = errno;
    }
    if (failed == 0)
        return EXIT_SUCCESS;
    say("%s cannot be written: %s", name, strerror(reason));
    return STATUS_ERROR;
}

int main(int argc, char **argv)
{
    struct options options = {.form = TEXT};
    int status = parse(argc, argv, &options);
    if (status >= 0)
        return status;
    struct job *job = get_job(&options), *reference = NULL;
    status = job != NULL ? EXIT_SUCCESS : STATUS_ERROR;
    if (status == EXIT_SUCCESS && options.reference != NULL) {
        reference = read_or_say(options.reference);
        status = reference != NULL ? EXIT_SUCCESS : STATUS_ERROR;
    }
    if (status == EXIT_SUCCESS)
        status = write_all(&options, job, reference);
    job_free(job);
    job_free(reference);
    return status;
}
