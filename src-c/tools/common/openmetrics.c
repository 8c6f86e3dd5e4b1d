/* SPDX-License-Identifier: BSD-3-Clause */
#include "openmetrics.h"

#include "base/visible.h"
#include "papi.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- units */

/* The units that events have, and the base unit that Prometheus' guide wants in its place. */
static const struct unit {
    const char *name;
    const char *base;
    double times, by;
} units[] = {
    {"J", "joules", 1, 1},
    {"Joules", "joules", 1, 1},
    {"mJ", "joules", 1, 1e3},
    {"uJ", "joules", 1, 1e6},
    {"nJ", "joules", 1, 1e9},
    {"W", "watts", 1, 1},
    {"mW", "watts", 1, 1e3},
    {"uW", "watts", 1, 1e6},
    {"s", "seconds", 1, 1},
    {"ms", "seconds", 1, 1e3},
    {"us", "seconds", 1, 1e6},
    {"ns", "seconds", 1, 1e9},
    {"bytes", "bytes", 1, 1},
    {"KiB", "bytes", 1024, 1},
    {"MiB", "bytes", 1024 * 1024, 1},
    {"GiB", "bytes", 1024 * 1024 * 1024, 1},
    {"Hz", "hertz", 1, 1},
    {"kHz", "hertz", 1e3, 1},
    {"MHz", "hertz", 1e6, 1},
    {"V", "volts", 1, 1},
    {"mV", "volts", 1, 1e3},
    {"mA", "amperes", 1, 1e3},
    {"C", "celsius", 1, 1},
    {"degree C", "celsius", 1, 1},
    {"percent", "ratio", 1, 100},
    {"%", "ratio", 1, 100},
};

static const struct unit *unit_of(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, name) == 0)
            return &units[i];
    return NULL;
}

/* The kernel's software clocks count nanoseconds; nothing says so but their descriptions. */
static const char *unit_of_clock(const char *event)
{
    static const char *const clocks[] = {"perf::TASK-CLOCK", "perf::CPU-CLOCK",
                                         "perf::PERF_COUNT_SW_TASK_CLOCK", "perf::PERF_COUNT_SW_CPU_CLOCK"};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(event, clocks[i]) == 0)
            return "ns";
    return "";
}

/* Takes the factor that may stand before a unit: "6.103515625e-5 MiB", "1/1000 degree C". Returns the unit.
 */
static const char *take_factor(const char *text, double *times, double *by)
{
    char *end;
    double factor = strtod(text, &end);
    *times = *by = 1;
    if (end == text || !isfinite(factor) || factor <= 0)
        return text;
    *times = factor;
    if (*end == '/' && isdigit((unsigned char)end[1]))
        *by = fmax(strtod(end + 1, &end), 1);
    return end + strspn(end, " ");
}

/* ---- names */

/* Place of the device in an event's name. */
enum place { NOWHERE, BEFORE_FIRST, BEHIND_FIRST, BEFORE_LAST };

static const struct device_place {
    const char *component;
    enum place place;
} device_places[] = {{"net", BEFORE_FIRST},      {"disk", BEFORE_FIRST},       {"infiniband", BEFORE_FIRST},
                     {"numa", BEFORE_FIRST},     {"frequency", BEFORE_FIRST},  {"coretemp", BEFORE_FIRST},
                     {"powercap", BEHIND_FIRST}, {"rapl", BEHIND_FIRST},       {"nvml", BEFORE_LAST},
                     {"amd_smi", BEHIND_FIRST},  {"rocm_smi", BEHIND_FIRST},   {"intel_smi", BEHIND_FIRST},
                     {"pcp", BEHIND_FIRST},      {"sensors_ppc", BEHIND_FIRST}};

static enum place place_of(const char *event, size_t component)
{
    for (size_t i = 0; i < sizeof device_places / sizeof device_places[0]; i++) {
        const struct device_place *row = &device_places[i];
        if (strlen(row->component) == component && strncmp(row->component, event, component) == 0)
            return row->place;
    }
    return NOWHERE;
}

/* Parts of an event's name. */
struct parts {
    size_t component;                  /* its length, from the beginning; 0: it has none */
    const char *what, *device;         /* device NULL: none */
    size_t what_length, device_length; /* bytes */
};

/* An event of what the cores share may name the CPU on which it is counted: "...:cpu=18". */
static const char *cpu_of(const char *event)
{
    const char *last = strrchr(event, ':');
    bool named = last != NULL && strncmp(last, ":cpu=", 5) == 0 && isdigit((unsigned char)last[5]);
    return named && last[5 + strspn(last + 5, "0123456789")] == '\0' ? last : NULL;
}

static struct parts split(const char *event)
{
    const char *colons = strstr(event, ":::"), *cpu = colons == NULL ? cpu_of(event) : NULL;
    struct parts parts = {.what = event, .what_length = strlen(event)};
    if (cpu != NULL) {
        parts.device = cpu + 1;
        parts.device_length = strlen(cpu + 1);
        parts.what_length = (size_t)(cpu - event);
    }
    if (colons == NULL)
        return parts;
    parts.component = (size_t)(colons - event);
    parts.what = colons + 3;
    parts.what_length = strlen(parts.what);
    enum place place = place_of(event, parts.component);
    const char *colon = place == BEFORE_LAST ? strrchr(parts.what, ':') : strchr(parts.what, ':');
    if (place == NOWHERE || colon == NULL)
        return parts;
    size_t before = (size_t)(colon - parts.what), behind = strlen(colon + 1);
    bool first = place != BEHIND_FIRST;
    parts.device = first ? parts.what : colon + 1;
    parts.device_length = first ? before : behind;
    parts.what_length = first ? behind : before;
    parts.what = first ? colon + 1 : parts.what;
    return parts;
}

/* Appends a text in letters, digits and single underscores. */
static void append(char *name, size_t size, const char *text, size_t length)
{
    size_t at = strlen(name);
    for (size_t i = 0; i < length && at + 1 < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool plain = c < 128 && isalnum(c);
        if (plain)
            name[at++] = (char)tolower(c);
        else if (at > 0 && name[at - 1] != '_')
            name[at++] = '_';
    }
    name[at] = '\0';
}

static void drop_end(char *name, const char *end)
{
    size_t length = strlen(name), ends = strlen(end);
    while (length > 0 && name[length - 1] == '_')
        name[--length] = '\0';
    if (length > ends && name[length - ends - 1] == '_' && strcasecmp(name + length - ends, end) == 0)
        name[length - ends - 1] = '\0';
}

/* Makes the family's name: the unit is said once, at the end, and "total" is the format's to add. */
static void name_family(struct series *series, const char *event, const struct parts *parts, const char *unit)
{
    size_t size = sizeof series->family - sizeof "_celsius_total_now";
    bool preset = strncmp(event, "PAPI_", 5) == 0;
    strcpy(series->family, "papi_");
    append(series->family, size, event, parts->component);
    if (parts->component > 0)
        append(series->family, size, "_", 1);
    append(series->family, size, parts->what + (preset ? 5 : 0), parts->what_length - (preset ? 5 : 0));
    drop_end(series->family, "total");
    drop_end(series->family, unit);
    if (series->unit == NULL)
        return;
    drop_end(series->family, series->unit);
    strcat(strcat(series->family, "_"), series->unit);
}

/* ---- labels and words */

/* Prints a text, as others gave it, in the quotes of a label. */
static void put_value(FILE *out, const char *text)
{
    size_t size = visible(NULL, 0, text) + 1;
    char *shown = malloc(size);
    if (shown != NULL)
        visible(shown, size, text);
    fputc('"', out);
    for (const char *at = shown != NULL ? shown : ""; *at != '\0'; at++)
        fputs(*at == '"' ? "\\\"" : *at == '\\' ? "\\\\" : (const char[]){*at, '\0'}, out);
    fputc('"', out);
    free(shown);
}

/* Puts a label in front of others. NULL: no memory. */
static char *put_label(const char *name, const char *value, const char *others)
{
    char *labels = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&labels, &size);
    if (out == NULL)
        return NULL;
    fprintf(out, "%s=", name);
    put_value(out, value);
    fprintf(out, "%s%s", others[0] != '\0' ? "," : "", others);
    return fclose(out) == 0 ? labels : NULL;
}

static char *make_labels(const char *event, const struct parts *parts)
{
    char *own = put_label("event", event, "");
    if (own == NULL || parts->device == NULL)
        return own;
    char *device = strndup(parts->device, parts->device_length);
    char *labels = device != NULL ? put_label("device", device, own) : NULL;
    free(device);
    free(own);
    return labels;
}

/* The two formats escape quotes and backslashes in different ways: there are none. */
static void set_words(struct series *series, const char *text, const char *unit)
{
    char shown[OPENMETRICS_WORDS / 2];
    visible(shown, sizeof shown, text[0] != '\0' ? text : "A count without a description");
    bool says_unit = series->unit == NULL && unit[0] != '\0';
    snprintf(series->words, sizeof series->words, says_unit ? "%s (%s)" : "%s", shown, unit);
    for (char *at = series->words; *at != '\0'; at++)
        *at = *at == '"' ? '\'' : *at == '\\' ? '/' : *at;
}

int series_open(struct series *series, const char *event, bool level, bool real)
{
    PAPI_event_info_t info;
    int code;
    bool known =
        PAPI_event_name_to_code(event, &code) == PAPI_OK && PAPI_get_event_info(code, &info) == PAPI_OK;
    *series = (struct series){.level = level, .real = real};
    const char *own = take_factor(known && info.units[0] != '\0' ? info.units : unit_of_clock(event),
                                  &series->times, &series->by);
    const struct unit *unit = unit_of(own);
    if (unit != NULL) {
        series->unit = unit->base;
        series->times *= unit->times;
        series->by *= unit->by;
    }
    struct parts parts = split(event);
    name_family(series, event, &parts, own);
    set_words(series, known ? info.long_descr : "", own);
    series->labels = make_labels(event, &parts);
    return series->labels != NULL ? PAPI_OK : PAPI_ENOMEM;
}

int series_open_figure(struct series *series, const struct figure_family *family)
{
    *series = (struct series){.level = family->level, .real = family->real, .times = 1, .by = family->by};
    snprintf(series->family, sizeof series->family, "%s", family->name);
    snprintf(series->words, sizeof series->words, "%s", family->words);
    series->unit = family->unit;
    series->labels = strdup("");
    return series->labels != NULL ? PAPI_OK : PAPI_ENOMEM;
}

int series_label(struct series *series, const char *name, const char *value)
{
    char *labels = put_label(name, value, series->labels);
    if (labels == NULL)
        return PAPI_ENOMEM;
    free(series->labels);
    series->labels = labels;
    return PAPI_OK;
}

void series_close(struct series *series)
{
    free(series->labels);
    series->labels = NULL;
}

/* ---- values */

static bool take_real(struct series *series, double now, bool estimate)
{
    bool fine = series->level || now >= series->real_last || estimate;
    if (!fine && isnan(now))
        now = 0;
    if (!fine)
        series->real_carried += series->real_last - now;
    if (series->level || now >= series->real_last || !estimate)
        series->real_last = now;
    return fine;
}

bool series_take(struct series *series, long long value, bool estimate)
{
    series->has_value = true;
    if (series->real) {
        double now;
        memcpy(&now, &value, sizeof now);
        return take_real(series, now, estimate);
    }
    bool fine = series->level || value >= series->last || estimate;
    if (!fine)
        series->carried += series->last - value;
    if (series->level || value >= series->last || !estimate)
        series->last = value;
    return fine;
}

/* Prints a number with the digits that it takes to read the same one back. */
static void put_real(FILE *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        fputs(isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf", out);
        return;
    }
    snprintf(text, sizeof text, "%.15g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    fputs(text, out);
}

static void put_number(FILE *out, const struct series *series)
{
    bool whole = !series->real && series->times == 1 && series->by == 1;
    if (whole)
        fprintf(out, "%lld", series->carried + series->last);
    else if (series->real)
        put_real(out, (series->real_carried + series->real_last) * series->times / series->by);
    else
        put_real(out, (double)(series->carried + series->last) * series->times / series->by);
}

/* ---- lines */

struct family {
    const char *name, *suffix, *unit;
    bool level, several;
};

static void put_head(FILE *out, enum openmetrics_form form, const struct family *family, const char *words)
{
    const char *more = family->several ? "; likewise of others" : "";
    const char *kind = family->level ? "gauge" : "counter";
    const char *total = family->level || form == FORM_OPENMETRICS ? "" : "_total";
    if (form == FORM_PROMETHEUS)
        fprintf(out, "# HELP %s%s%s %s%s\n", family->name, family->suffix, total, words, more);
    fprintf(out, "# TYPE %s%s%s %s\n", family->name, family->suffix, total, kind);
    if (form == FORM_OPENMETRICS && family->unit != NULL)
        fprintf(out, "# UNIT %s%s %s\n", family->name, family->suffix, family->unit);
    if (form == FORM_OPENMETRICS)
        fprintf(out, "# HELP %s%s %s%s\n", family->name, family->suffix, words, more);
}

/* A series that has a value, in the order of lines. */
struct line {
    const struct series *series;
    const struct series *first; /* of its family */
    bool twin;                  /* one before it has its name and labels */
    bool taken;                 /* a level, and a counter has its name */
};

static int by_address(const struct series *a, const struct series *b)
{
    return (a > b) - (a < b);
}

/* Levels come behind the counters that have their name. */
static int by_name(const void *left, const void *right)
{
    const struct series *a = ((const struct line *)left)->series, *b = ((const struct line *)right)->series;
    return strcmp(a->family, b->family) ?: (int)a->level - (int)b->level ?: strcmp(a->labels, b->labels)
           ?: by_address(a, b);
}

static int by_family(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    return by_address(a->first, b->first) ?: by_address(a->series, b->series);
}

/* Ends the family whose lines these are: says to each which is the first. */
static void end_family(struct line *line, size_t n, bool taken)
{
    const struct series *first = line[0].series;
    for (size_t i = 1; i < n; i++)
        first = line[i].series < first ? line[i].series : first;
    for (size_t i = 0; i < n; i++) {
        line[i].first = first;
        line[i].taken = taken;
    }
}

/* Finds the families, and the series that are there twice, in lines that are sorted by name. */
static void find_families(struct line *line, size_t n)
{
    size_t start = 0;
    bool taken = false;
    for (size_t i = 1; i <= n; i++) {
        const struct series *now = i < n ? line[i].series : NULL, *last = line[i - 1].series;
        bool same_name = i < n && strcmp(now->family, last->family) == 0;
        if (same_name && now->level == last->level) {
            line[i].twin = strcmp(now->labels, last->labels) == 0;
            continue;
        }
        end_family(line + start, i - start, taken);
        taken = same_name;
        start = i;
    }
}

/* Prints the family that begins at the first line, and returns how many lines it has. */
static size_t put_family(FILE *out, enum openmetrics_form form, const struct line *line, size_t n)
{
    const struct series *of = line[0].first;
    /* The unit ends the name, or it is none. */
    struct family family = {of->family, line[0].taken ? "_now" : "", line[0].taken ? NULL : of->unit,
                            of->level, false};
    size_t length = 0;
    for (; length < n && line[length].first == of; length++)
        family.several = family.several || strcmp(line[length].series->words, of->words) != 0;
    put_head(out, form, &family, of->words);
    for (size_t i = 0; i < length; i++) {
        const struct series *series = line[i].series;
        if (line[i].twin)
            continue;
        fprintf(out, "%s%s%s{%s} ", family.name, family.suffix, of->level ? "" : "_total", series->labels);
        put_number(out, series);
        fputc('\n', out);
    }
    return length;
}

int openmetrics_series(FILE *out, enum openmetrics_form form, const struct series *series, int n)
{
    size_t lines = 0;
    struct line *line = calloc((size_t)n + 1, sizeof *line);
    if (line == NULL)
        return PAPI_ENOMEM;
    for (int i = 0; i < n; i++)
        if (series[i].has_value)
            line[lines++].series = &series[i];
    if (lines > 0) {
        qsort(line, lines, sizeof *line, by_name);
        find_families(line, lines);
        qsort(line, lines, sizeof *line, by_family);
    }
    for (size_t i = 0; i < lines;)
        i += put_family(out, form, line + i, lines - i);
    free(line);
    return PAPI_OK;
}

static void put_one(FILE *out, enum openmetrics_form form, const struct family *family, const char *words,
                    double value)
{
    put_head(out, form, family, words);
    fprintf(out, "%s%s ", family->name, family->level ? "" : "_total");
    put_real(out, value);
    fputc('\n', out);
}

void openmetrics_counter(FILE *out, enum openmetrics_form form, const char *family, const char *unit,
                         const char *words, double value)
{
    put_one(out, form, &(struct family){family, "", unit, false, false}, words, value);
}

void openmetrics_gauge(FILE *out, enum openmetrics_form form, const char *family, const char *unit,
                       const char *words, double value)
{
    put_one(out, form, &(struct family){family, "", unit, true, false}, words, value);
}

void openmetrics_end(FILE *out, enum openmetrics_form form)
{
    if (form == FORM_OPENMETRICS)
        fputs("# EOF\n", out);
}

enum openmetrics_form openmetrics_form_of(const char *path)
{
    size_t length = strlen(path);
    bool prom = length > 5 && strcmp(path + length - 5, ".prom") == 0;
    return prom ? FORM_PROMETHEUS : FORM_OPENMETRICS;
}
