/* SPDX-License-Identifier: BSD-3-Clause */
#include "job.h"
#include "fuzz.h"
#include "page.h"

#include "base/visible.h"
#include "job/result_file.h"
#include "report/reference.h"
#include "report/reports.h"
#include "report/verdict.h"
#include "web/page.h"

#include <stdlib.h>
#include <string.h>

static void check_sheet(const char *text)
{
    int lines = 0;
    fuzz_visible(text);
    while (*text != '\0') {
        int columns = 0;
        for (; *text != '\n'; text++) {
            REQUIRE(*text != '\0');
            columns += ((unsigned char)*text & 0xc0) != 0x80;
        }
        REQUIRE(columns <= 110);
        lines++;
        text++;
    }
    REQUIRE(lines > 0 && lines <= 40);
}

static char *text_of(const struct job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(report_text(out, job, NULL) == 0);
    fclose(out);
    REQUIRE(strlen(text) == size);
    return text;
}

void fuzz_check_text(const struct job *job)
{
    char *text = text_of(job);
    check_sheet(text);
    free(text);
}

void fuzz_check_comparison(const struct job *job, const struct job *reference)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report_comparison(out, job, reference);
    fclose(out);
    REQUIRE(strlen(text) == size);
    check_sheet(text);
    free(text);
}

/* Spreadsheets compute what begins so, and run it where it says. A number may have its sign. */
static void check_field(const char *field)
{
    field += *field == '"';
    REQUIRE(strchr("=+@", *field) == NULL || *field == '\0');
    REQUIRE(*field != '-' || strchr("0123456789.", field[1]) != NULL);
}

/* Counts the fields of a line and returns what follows it. */
static const char *count_fields(const char *line, int *fields)
{
    int quoted = 0;
    *fields = 1;
    check_field(line);
    for (; *line != '\n' || quoted; line++) {
        REQUIRE(*line != '\0');
        quoted ^= *line == '"';
        if (*line == ',' && !quoted) {
            (*fields)++;
            check_field(line + 1);
        }
    }
    return line + 1;
}

static void check_hatchet(const struct job *job)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    report_hatchet(out, job);
    fclose(out);
    REQUIRE(strlen(text) == size && size > 0);
    free(text);
}

void fuzz_check_csv(const struct job *job)
{
    static const char *const names[] = {"ranks",   "metrics",    "calls", "sites",
                                        "regions", "efficiency", "long"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text = NULL;
        size_t size = 0;
        int titles, fields;
        FILE *out = open_memstream(&text, &size);
        csv_table(names[i])->write(out, job);
        fclose(out);
        REQUIRE(strlen(text) == size);
        fuzz_visible(text);
        for (const char *line = count_fields(text, &titles); *line != '\0';) {
            line = count_fields(line, &fields);
            REQUIRE(fields == titles);
        }
        free(text);
    }
    check_hatchet(job);
}

struct job *fuzz_read_job(const void *data, size_t size)
{
    char why[8192] = "";
    struct job *job = job_read(fuzz_file(0, data, size), why, sizeof why);
    REQUIRE((job != NULL) == (why[0] == '\0'));
    if (job == NULL && getenv("FUZZ_TELL") != NULL)
        fprintf(stderr, "%s\n", why);
    REQUIRE(memchr(why, '\0', sizeof why) != NULL);
    return job;
}

static char *json_of(const struct job *job, size_t *size)
{
    char *json = NULL;
    FILE *out = open_memstream(&json, size);
    job_write_head(out, job);
    REQUIRE(job_write_rows(out, job) == 0);
    job_write_tail(out);
    fclose(out);
    return json;
}

void fuzz_check_page(const struct job *job)
{
    char sentence[VERDICT_WHOLE], shown[VISIBLE_GROWTH * sizeof sentence], *page = NULL;
    size_t json_size = 0, size = 0;
    char *json = json_of(job, &json_size);
    FILE *in = fmemopen(json, json_size, "r"), *out = open_memstream(&page, &size);
    verdict_whole(sentence, job);
    visible(shown, sizeof shown, sentence);
    REQUIRE(report_html(out, shown, in) == 0);
    fclose(in);
    fclose(out);
    fuzz_page(page, size);
    free(page);
    free(json);
}

static struct job *written_and_read(const struct job *job)
{
    size_t size = 0;
    char *json = json_of(job, &size);
    fuzz_visible(json);
    struct job *again = fuzz_read_job(json, size);
    REQUIRE(again != NULL);
    free(json);
    return again;
}

void fuzz_check_json(const struct job *job)
{
    /* Bytes that are no UTF-8 are other ones in JSON: what was read once stays. */
    struct job *once = written_and_read(job), *twice = written_and_read(once);
    char *before = text_of(once), *after = text_of(twice);
    REQUIRE(strcmp(before, after) == 0);
    free(before);
    free(after);
    job_free(once);
    job_free(twice);
}
