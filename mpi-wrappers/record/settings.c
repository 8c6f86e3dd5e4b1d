/* SPDX-License-Identifier: BSD-3-Clause */
#include "record/settings.h"

#include "base/nearest.h"
#include "base/trust.h"
#include "base/visible.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct word {
    const char *text; /* several that mean the same: with a | between them */
    int value;
};

/* The words of all variables that are on or off; docs/man/papi_mpi.7.md lists them. */
static const char on_words[] = "1|on|yes|true", off_words[] = "0|off|no|false";

void settings_complain(struct settings *settings, const char *format, ...)
{
    char text[COMPLAINT_LENGTH];
    va_list arguments;
    if (settings->n_complaints >= MAX_COMPLAINTS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    visible(settings->complaint[settings->n_complaints++], COMPLAINT_LENGTH, text);
}

static const char *value_of(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool is_among(const char *value, const char *words)
{
    size_t length = strlen(value);
    for (; *words != '\0'; words += strspn(words, "|")) {
        size_t next = strcspn(words, "|");
        if (next == length && strncasecmp(value, words, length) == 0)
            return true;
        words += next;
    }
    return false;
}

/* Reads a variable that is one of words; expected names them in the complaint ("auto, yes or no"). */
static int read_word(struct settings *settings, const char *name, const struct word *words,
                     const char *expected, int otherwise)
{
    const char *value = value_of(name);
    if (value == NULL)
        return otherwise;
    for (; words->text != NULL; words++)
        if (is_among(value, words->text))
            return words->value;
    settings_complain(settings, "%s=%.100s is not one of %s; it is ignored", name, value, expected);
    return otherwise;
}

static void read_text(struct settings *settings, const char *name, char *to, size_t room)
{
    const char *value = value_of(name);
    if (value == NULL)
        return;
    if (strlen(value) >= room)
        settings_complain(settings, "%s=%.60s... has %zu characters, more than %zu; it is ignored", name,
                          value, strlen(value), room - 1);
    else
        memcpy(to, value, strlen(value) + 1);
}

/* True for a word that says that something is not wanted. */
static bool is_no(const char *text)
{
    return is_among(text, off_words) || strcasecmp(text, "none") == 0;
}

/* Reads the name of a file. The words by which PAPI_MPI says no ("off", "0") mean "none" here, too. */
static void read_place(struct settings *settings, const char *name, char *to, size_t room)
{
    read_text(settings, name, to, room);
    if (is_no(to))
        memcpy(to, "none", sizeof "none");
}

static void read_directory(struct settings *settings)
{
    static const char *const names[] = {"PAPI_MPI_DIR", "TMPDIR"};

    for (size_t i = 0; i < sizeof names / sizeof *names && settings->directory[0] == '\0'; i++)
        read_text(settings, names[i], settings->directory, sizeof settings->directory);
    if (settings->directory[0] == '\0')
        memcpy(settings->directory, "/tmp", sizeof "/tmp");
}

enum { LEAST_TIMELINE = 64 << 10 };
static const size_t most_timeline = (size_t)1 << 30;

/* Reads a number of bytes, with k, M or G behind it. */
static size_t read_bytes(struct settings *settings, const char *name, size_t least, size_t most)
{
    static const char units[] = "kmg";
    const char *value = value_of(name);
    if (value == NULL || is_no(value))
        return 0;
    char *end;
    unsigned long long bytes = strtoull(value, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end | 0x20) : NULL;
    int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;
    bool is_number = value[0] >= '0' && value[0] <= '9' && end[unit != NULL] == '\0';
    if (is_number && bytes <= most >> shift && bytes << shift >= least)
        return (size_t)bytes << shift;
    settings_complain(settings,
                      "%s=%.100s is not a number of bytes from %zuk to %zuM, such as %s=4M; it is ignored",
                      name, value, least >> 10, most >> 20, name);
    return 0;
}

static int read_switch(struct settings *settings, const char *name, int otherwise)
{
    static const struct word switches[] = {{on_words, 1}, {off_words, 0}, {NULL, 0}};
    return read_word(settings, name, switches, "1, on, yes, true, 0, off, no and false", otherwise);
}

bool settings_want_teams(void)
{
    struct settings *nobodys = calloc(1, sizeof *nobodys);
    bool wanted = nobodys != NULL && read_switch(nobodys, "PAPI_MPI_THREADS", 0);
    free(nobodys);
    return wanted;
}

/* Names a variable that nobody reads, and the nearest that somebody does. */
static void check_name(struct settings *settings, const char *entry)
{
    static const char *const names[] = {"PAPI_MPI_COMMUNICATORS", "PAPI_MPI_COUNTERS", "PAPI_MPI_DEVICES",
                                        "PAPI_MPI_DIR",           "PAPI_MPI_OUTPUT",   "PAPI_MPI_PATH",
                                        "PAPI_MPI_RECEIVED",      "PAPI_MPI_REGIONS",  "PAPI_MPI_REPORT",
                                        "PAPI_MPI_ROWS",          "PAPI_MPI_SITES",    "PAPI_MPI_SWITCHED",
                                        "PAPI_MPI_THREADS",       "PAPI_MPI_TIMELINE", "PAPI_MPI_TIMES"};
    char name[NEAREST_SIZE], shown[4 * NEAREST_SIZE], text[NEAREST_TEXT];
    struct nearest nearest;
    size_t length = strcspn(entry, "=");
    if (strncmp(entry, "PAPI_MPI_", 9) != 0 || length >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s", (int)length, entry);
    nearest_begin(&nearest, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0)
            return;
        nearest_try(&nearest, names[i]);
    }
    visible(shown, sizeof shown, name);
    settings_complain(settings, "%.200s is not a variable of this library%s", shown,
                      nearest.name[0] != '\0' ? nearest_text(&nearest, text)
                                              : "; \"man papi_mpi\" lists those there are");
}

void settings_read(struct settings *settings)
{
    static const struct word counters[] = {{"auto", COUNTERS_AUTO},
                                           {"boundary", COUNTERS_BOUNDARY},
                                           {"inside", COUNTERS_INSIDE},
                                           {"none", COUNTERS_NONE},
                                           {NULL, 0}};
    static const struct word rows[] = {
        {"auto", ROWS_AUTO}, {on_words, ROWS_YES}, {off_words, ROWS_NO}, {NULL, 0}};
    static const struct word sites[] = {{"call", SITES_CALLS},      {on_words, SITES_CALLS},
                                        {"program", SITES_PROGRAM}, {"none", SITES_NONE},
                                        {off_words, SITES_NONE},    {NULL, 0}};
    static const struct word regions[] = {{"job", 0}, {"rank", 1}, {NULL, 0}};

    memset(settings, 0, offsetof(struct settings, complaint));
    settings->off = !read_switch(settings, "PAPI_MPI", 1);
    settings->off |= !trust_environment(); /* records and results are files, in folders of the caller's */
    read_place(settings, "PAPI_MPI_OUTPUT", settings->output, sizeof settings->output);
    memcpy(settings->report, "stderr", sizeof "stderr");
    read_place(settings, "PAPI_MPI_REPORT", settings->report, sizeof settings->report);
    read_directory(settings);
    settings->counters = (enum counters_mode)read_word(settings, "PAPI_MPI_COUNTERS", counters,
                                                       "auto, boundary, inside and none", COUNTERS_AUTO);
    settings->rows =
        (enum rows_mode)read_word(settings, "PAPI_MPI_ROWS", rows, "auto, yes and no", ROWS_AUTO);
    settings->sites =
        (enum sites_mode)read_word(settings, "PAPI_MPI_SITES", sites, "call, program and off", SITES_CALLS);
    settings->regions_by_rank = read_word(settings, "PAPI_MPI_REGIONS", regions, "job and rank", 0);
    settings->path = read_switch(settings, "PAPI_MPI_PATH", 0);
    settings->share = read_switch(settings, "PAPI_COUNTED_SHARE", 1);
    settings->teams = read_switch(settings, "PAPI_MPI_THREADS", 0);
    settings->devices = read_switch(settings, "PAPI_MPI_DEVICES", 0);
    settings->times = read_switch(settings, "PAPI_MPI_TIMES", 0);
    settings->communicators = read_switch(settings, "PAPI_MPI_COMMUNICATORS", 0);
    settings->timeline = read_bytes(settings, "PAPI_MPI_TIMELINE", LEAST_TIMELINE, most_timeline);
    /* The critical path looks at each message in any case. */
    settings->received = read_switch(settings, "PAPI_MPI_RECEIVED", settings->path);
    settings->events = value_of("PAPI_EVENTS");
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        check_name(settings, *entry);
}
