/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/presets.h"
#include "events/csv.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char *const derivation_names[] = {
    [NOT_DERIVED] = "NOT_DERIVED",   [DERIVED_ADD] = "DERIVED_ADD",         [DERIVED_SUB] = "DERIVED_SUB",
    [DERIVED_CMPD] = "DERIVED_CMPD", [DERIVED_POSTFIX] = "DERIVED_POSTFIX",
};

const char *derivation_name(enum derivation derivation)
{
    return derivation_names[derivation];
}

long long derived_value(enum derivation derivation, const struct formula *formula, int n,
                        const long long *operand)
{
    long long value = operand[0];
    switch (derivation) {
    case DERIVED_ADD:
        for (int i = 1; i < n; i++)
            value += operand[i];
        return value;
    case DERIVED_SUB:
        for (int i = 1; i < n; i++)
            value -= operand[i];
        return value;
    case DERIVED_POSTFIX:
        return formula_value(formula, operand);
    default:
        return value;
    }
}

/* ------------------------------------------------------------- one definition */

static void definition_free(struct preset_definition *definition)
{
    if (definition == NULL)
        return;
    for (int i = 0; i < definition->n_natives; i++)
        free(definition->native[i]);
    free(definition->postfix);
    free(definition->note);
    free(definition);
}

static int find_preset(const char *name)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        if (strcasecmp(preset_list[i].symbol, name) == 0)
            return i;
    return -1;
}

static int find_derivation(const char *name, enum derivation *out)
{
    for (int i = NOT_DERIVED; i <= DERIVED_POSTFIX; i++)
        if (strcmp(derivation_names[i], name) == 0) {
            *out = (enum derivation)i;
            return PAPI_OK;
        }
    return PAPI_EINVAL;
}

static int check_count(const struct preset_definition *definition, struct reason *why)
{
    int n = definition->n_natives;
    int least = definition->derivation == NOT_DERIVED || definition->derivation == DERIVED_POSTFIX ? 1 : 2;
    if (n < least)
        return reason_set(why, PAPI_EINVAL, "%s needs %s native event",
                          derivation_name(definition->derivation), least == 1 ? "a" : "more than one");
    if (definition->derivation == NOT_DERIVED && n > 1)
        return reason_set(why, PAPI_EINVAL, "NOT_DERIVED takes one native event, not %d", n);
    return PAPI_OK;
}

/* The fields behind the type: [formula,] natives [,NOTE,text] */
static int take_operands(struct preset_definition *definition, char **field, int n, struct reason *why)
{
    int i = 0;
    if (definition->derivation == DERIVED_POSTFIX && n > 0 &&
        (definition->postfix = strdup(field[i++])) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    for (; i < n && strcmp(field[i], "NOTE") != 0; i++) {
        if (field[i][0] == '\0')
            continue;
        if (definition->n_natives == MAX_OPERANDS)
            return reason_set(why, PAPI_EINVAL, "more than %d native events", (int)MAX_OPERANDS);
        if ((definition->native[definition->n_natives] = strdup(field[i])) == NULL)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        definition->n_natives++;
    }
    if (i + 1 < n)
        definition->note = strdup(field[i + 1]);
    int code = check_count(definition, why);
    if (code != PAPI_OK || definition->derivation != DERIVED_POSTFIX)
        return code;
    if (definition->postfix == NULL)
        return reason_set(why, PAPI_EINVAL, "DERIVED_POSTFIX needs a formula");
    return formula_compile(definition->postfix, definition->n_natives, &definition->formula, why);
}

/* A PRESET row into the table, when it is for this machine; a fault is reported in any case. */
static int read_preset(struct preset_table *table, char **field, int n, bool active, struct reason *why)
{
    int index = n > 1 ? find_preset(field[1]) : -1;
    if (index < 0)
        return reason_set(why, PAPI_EINVAL, "\"%.60s\" is no preset", n > 1 ? field[1] : "");
    struct preset_definition *fresh = calloc(1, sizeof *fresh);
    if (fresh == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    int code;
    if (n < 3 || find_derivation(field[2], &fresh->derivation) != PAPI_OK)
        code = reason_set(why, PAPI_EINVAL, "\"%.60s\" is no type of derivation", n > 2 ? field[2] : "");
    else
        code = take_operands(fresh, field + 3, n - 3, why);
    if (code != PAPI_OK || !active) {
        definition_free(fresh);
        return code;
    }
    definition_free(table->definition[index]);
    table->definition[index] = fresh;
    return 1;
}

/* -------------------------------------------------------------------- tables */

/* Where in a file the reader is. */
struct reader {
    struct preset_table *table;
    const char *file;
    int line;
    bool in_cpu_rows; /* CPU rows in sequence are synonyms */
    bool active;      /* the table below them is for this machine */
    pmu_matcher *matches;
    void *context;
};

static void note_fault(struct reader *reader, const char *text)
{
    struct preset_table *table = reader->table;
    if (table->n_faults++ < 3) {
        size_t used = strlen(table->faults);
        snprintf(table->faults + used, sizeof table->faults - used, "%s%.200s:%d: %s", used ? "; " : "",
                 reader->file, reader->line, text);
    }
}

static int read_row(struct reader *reader, char **field, int n)
{
    if (strcmp(field[0], "CPU") == 0) {
        if (!reader->in_cpu_rows)
            reader->active = false;
        reader->in_cpu_rows = true;
        if (n < 2 || field[1][0] == '\0')
            note_fault(reader, "a CPU row without a name");
        else
            reader->active |= reader->matches(field[1], reader->context);
        return 0;
    }
    reader->in_cpu_rows = false;
    if (strcmp(field[0], "PRESET") != 0) {
        note_fault(reader, "neither a CPU nor a PRESET row");
        return 0;
    }
    struct reason why = {0};
    int taken = read_preset(reader->table, field, n, reader->active, &why);
    if (taken < 0)
        note_fault(reader, why.text);
    return taken > 0;
}

static int read_line(struct reader *reader, char *line, size_t length)
{
    char *field[MAX_FIELDS];
    if (memchr(line, '\0', length) != NULL) {
        note_fault(reader, "a null byte: this is no text file");
        return 0;
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[strspn(line, " \t,")] == '\0')
        return 0;
    int n = csv_split(line, field);
    if (n == -1)
        note_fault(reader, "a quote without its end");
    else if (n == -2)
        note_fault(reader, "too many fields");
    return n > 0 ? read_row(reader, field, n) : 0;
}

int presets_read(struct preset_table *table, FILE *file, const char *file_name, pmu_matcher *matches,
                 void *context)
{
    struct reader reader = {.table = table, .file = file_name, .matches = matches, .context = context};
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    int taken = 0;
    errno = 0;
    /* CR alone ends a line too, in files from old spreadsheets; getline knows only LF. */
    while ((length = getline(&line, &size, file)) >= 0) {
        char *rest = line;
        for (char *part = line; part != NULL && part < line + length; part = rest) {
            char *end = memchr(part, '\r', (size_t)(line + length - part));
            rest = end == NULL ? NULL : end + 1 + (end[1] == '\n');
            reader.line++;
            taken += read_line(&reader, part, (size_t)((end == NULL ? line + length : end) - part));
        }
    }
    if (ferror(file))
        note_fault(&reader, strerror(errno));
    free(line);
    return taken;
}

static int read_builtin(struct preset_table *table, pmu_matcher *matches, void *context)
{
    FILE *file = fmemopen((void *)preset_tables_csv, strlen(preset_tables_csv), "r");
    if (file == NULL)
        return 0;
    int taken = presets_read(table, file, "built-in tables", matches, context);
    fclose(file);
    return taken;
}

static bool is_generic(const char *name, void *context)
{
    (void)context;
    return strcmp(name, "generic") == 0;
}

static void read_user_file(struct preset_table *table, const char *name, pmu_matcher *matches, void *context)
{
    struct reader nowhere = {.table = table, .file = name};
    struct stat status;
    /* A device or a pipe might never end. */
    if (stat(name, &status) == 0 && !S_ISREG(status.st_mode)) {
        note_fault(&nowhere, "not a regular file");
        return;
    }
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        table->try_again = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
        note_fault(&nowhere, strerror(errno));
        return;
    }
    presets_read(table, file, name, matches, context);
    fclose(file);
}

void presets_load(struct preset_table *table, const char *user_file, pmu_matcher *matches, void *context)
{
    memset(table, 0, sizeof *table);
    /* The kernel's generic events stand in for a processor that has no table of its own. */
    if (read_builtin(table, matches, context) == 0)
        read_builtin(table, is_generic, NULL);
    if (user_file != NULL)
        read_user_file(table, user_file, matches, context);
}

void presets_free(struct preset_table *table)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        definition_free(table->definition[i]);
    memset(table, 0, sizeof *table);
}
