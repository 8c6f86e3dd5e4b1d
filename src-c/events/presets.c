/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads tables of presets and user events.
 *
 * Rows "CPU" say for which processors the rows below them are; several in sequence are synonyms, of which the
 * closest match holds. A processor can be matched by libpfm4's name for it, by a rule that names its vendor,
 * family and models, or by a rule on its PMU alone; a definition from a closer match stays against one from a
 * farther match, whatever their order, and between equal ones the later holds. Rows of a user's file come
 * last and replace the library's.
 *
 * The library's own tables are compiled in and were checked by the build, so rows for other processors are
 * skipped unread; a user's file is read with a message for each fault, and its good rows count. A file that
 * cannot be read whole, for lack of memory, changes nothing. On a hybrid processor each kind of core has a
 * table of its own at first, and a preset is the sum over all kinds (presets_add_up), or absent if one of
 * them does not count it.
 */
#include "events/presets.h"
#include "base/visible.h"
#include "formats/text_file.h"
#include "papi.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONSTANTS = 64, FORMULA_SIZE = 512 };

/* The state of a reader of tables. */
struct reader {
    struct preset_table *table;
    const struct preset_machine *machine;
    struct reason lack; /* why no more can be read, PAPI_OK: nothing is in the way */
    const char *file;
    int line;
    bool in_cpu_rows;               /* CPU rows in sequence are synonyms */
    bool active;                    /* the table below them is for this machine */
    const struct core_pmu *matched; /* by a rule above; NULL: none */
    enum rule_rank rank;
    enum rule_rank rank_of[MAX_PRESETS]; /* of the row that a definition is from */
    struct reason *why;                  /* of the first fault; NULL: nobody asks */
    int n_constants;
    struct constant {
        char name[PAPI_MIN_STR_LEN];
        char value[24];
    } constant[MAX_CONSTANTS];
};

/* The name of the library's own tables, in the place of a file's. */
static const char built_in[] = "built-in tables";

/* Notes a fault of a line, from which nothing is taken. */
static int note_fault(struct reader *reader, int code, const char *text)
{
    struct preset_table *table = reader->table;
    char next[sizeof table->faults], *fault = next + 2, line[16] = "";
    size_t used = strlen(table->faults);
    if (reader->line > 0)
        snprintf(line, sizeof line, ":%d", reader->line);
    snprintf(next, sizeof next, "; %.200s%s: %s", reader->file, line, text);
    if (code == PAPI_ENOMEM) { /* no fault of the file's */
        reason_set(&reader->lack, code, "%s", fault);
        return 0;
    }
    if (reader->why != NULL && reader->why->code == PAPI_OK)
        reason_set(reader->why, code, "%s", fault);
    if (table->n_faults++ < 3)
        visible(table->faults + used, sizeof table->faults - used, used > 0 ? next : fault);
    return 0;
}

/* ---- constants */

/* Reads a constant, "#define NAME 123". */
static int read_constant(struct reader *reader, char *line)
{
    char *rest = NULL, *end = "x";
    char *name = strtok_r(line + strlen("#define"), " \t", &rest);
    char *value = name ? strtok_r(NULL, " \t", &rest) : NULL;
    errno = 0;
    long long number = value != NULL ? strtoll(value, &end, 10) : 0;
    if (value == NULL || *end != '\0' || errno != 0 || value[0] == '-')
        return note_fault(reader, PAPI_EINVAL, "#define takes a name and a whole number");
    if (!(isalpha((unsigned char)name[0]) || name[0] == '_') || !definition_name_fits(name) ||
        strlen(name) >= sizeof reader->constant->name ||
        (name[0] == 'N' && name[1 + strspn(name + 1, "0123456789")] == '\0'))
        return note_fault(reader, PAPI_EINVAL, "#define of what is not a name of a constant");
    if (reader->n_constants == MAX_CONSTANTS)
        return note_fault(reader, PAPI_EINVAL, "more constants than there is room for");
    struct constant *constant = &reader->constant[reader->n_constants++];
    strcpy(constant->name, name);
    snprintf(constant->value, sizeof constant->value, "%lld", number);
    return 0;
}

static bool is_definition_of_constant(const char *line)
{
    return strncmp(line, "#define", 7) == 0 && (line[7] == ' ' || line[7] == '\t');
}

/* The later one of a name counts. */
static const char *constant_value(const struct reader *reader, const char *term)
{
    for (int i = reader->n_constants - 1; i >= 0; i--)
        if (strcmp(reader->constant[i].name, term) == 0)
            return reader->constant[i].value;
    return term;
}

/* The formula with the values of the constants in it. */
static int put_constants(const struct reader *reader, char *formula, char *out, struct reason *why)
{
    char *rest = NULL;
    size_t used = 0;
    out[0] = '\0';
    for (char *term = strtok_r(formula, "| \t", &rest); term; term = strtok_r(NULL, "| \t", &rest)) {
        const char *value = constant_value(reader, term);
        if (used + strlen(value) + 2 > FORMULA_SIZE)
            return reason_set(why, PAPI_EINVAL, "the formula is longer than %d characters", FORMULA_SIZE - 1);
        used += (size_t)sprintf(out + used, "%s|", value);
    }
    return PAPI_OK;
}

/* ---- rows */

/* The member that takes the text after a keyword; NULL: it is not a keyword. */
static const char **keyword(struct event_parts *parts, const char *name)
{
    return strcmp(name, "NOTE") == 0    ? &parts->note
           : strcmp(name, "LDESC") == 0 ? &parts->long_descr
           : strcmp(name, "SDESC") == 0 ? &parts->short_descr
                                        : NULL;
}

/* The fields after the type: [formula,] natives [,NOTE,text] [,SDESC,text] [,LDESC,text] */
static int take_fields(const struct reader *reader, struct event_parts *parts, char **field, int n,
                       char *formula, struct reason *why)
{
    int i = 0, code = PAPI_OK;
    if (strcmp(parts->derived, derivation_name(DERIVED_POSTFIX)) == 0 && n > 0) {
        bool plain = reader->n_constants == 0;
        parts->postfix = plain ? field[i] : formula;
        code = plain ? PAPI_OK : put_constants(reader, field[i], formula, why);
        i++;
    }
    for (; i < n && code == PAPI_OK && keyword(parts, field[i]) == NULL; i++)
        code = event_parts_add(parts, field[i], why);
    while (i < n) {
        const char **text = keyword(parts, field[i++]);
        if (text != NULL)
            *text = i < n ? field[i++] : NULL;
    }
    return code;
}

/* Completes names such as "/event=0x11/" by the PMU that the rule above has matched. */
static int name_pmu(const struct reader *reader, struct preset_definition *fresh, struct reason *why)
{
    for (int i = 0; reader->matched != NULL && i < fresh->n_natives; i++) {
        char *whole;
        if (!rule_native_has_form(fresh->native[i]))
            continue;
        int code = rule_native_check(fresh->native[i], why);
        if (code != PAPI_OK)
            return code;
        /* The built-in tables are read for each PMU and added up; rows of a file stand alone. */
        if (reader->machine->n_cores > 1)
            return reason_set(why, PAPI_EINVAL,
                              "this processor's cores have %d PMUs, and \"%.60s\" would be of the %s alone: "
                              "name those of each in one row (%s%.60s)",
                              reader->machine->n_cores, fresh->native[i], reader->matched->name,
                              reader->matched->name, fresh->native[i]);
        if (asprintf(&whole, "%s%s", reader->matched->name, fresh->native[i]) < 0)
            return reason_set(why, PAPI_ENOMEM, "out of memory");
        free(fresh->native[i]);
        fresh->native[i] = whole;
    }
    return PAPI_OK;
}

/* A rule that means the processor less closely comes second, wherever it stands. */
static bool comes_second(struct reader *reader, const char *symbol)
{
    int index = presets_index(symbol);
    if (index < 0)
        return false;
    if (reader->rank < reader->rank_of[index])
        return true;
    reader->rank_of[index] = reader->rank;
    return false;
}

/* Takes a row "PRESET,name,NONE,NOTE,reason", by which this machine cannot count the preset. */
static bool take_away(struct reader *reader, int preset, const struct event_parts *parts, struct reason *why)
{
    if (parts->n_natives > 0)
        reason_set(why, PAPI_EINVAL, "NONE takes no events");
    else if (parts->note == NULL || parts->note[0] == '\0')
        reason_set(why, PAPI_EINVAL, "NONE needs a NOTE that says why");
    else if (reader->active && !comes_second(reader, parts->symbol)) {
        reader->table->absence_of_file[preset] = reader->file != built_in;
        return presets_take_away(reader->table, preset, parts->note, why) == PAPI_OK;
    }
    return false;
}

static bool take_definition(struct reader *reader, const struct event_parts *parts, bool user,
                            struct reason *why)
{
    int code;
    struct preset_definition *fresh = definition_make(parts, why);
    if (fresh == NULL || !reader->active || name_pmu(reader, fresh, why) != PAPI_OK ||
        comes_second(reader, fresh->symbol)) {
        definition_free(fresh);
        return false;
    }
    fresh->line = reader->line;
    return presets_put(reader->table, fresh, user, true, &code, why) == PAPI_OK;
}

/* A PRESET or EVENT row into the table, when it is for this machine; a fault is reported in any case. */
static int read_definition(struct reader *reader, char **field, int n, bool user)
{
    char formula[FORMULA_SIZE];
    struct reason why = {0};
    struct event_parts parts = {.symbol = n > 1 ? field[1] : "", .derived = n > 2 ? field[2] : ""};
    bool taken = false;
    int index = presets_index(parts.symbol);
    if (!user && index < 0)
        reason_set(&why, PAPI_EINVAL, "\"%.60s\" is not a preset", parts.symbol);
    else if (user && index >= 0)
        reason_set(&why, PAPI_EINVAL, "%.60s is a preset: a PRESET row defines it", parts.symbol);
    else if (user && !definition_name_fits(parts.symbol))
        presets_check_name(parts.symbol, &why);
    else if (take_fields(reader, &parts, field + 3, n - 3, formula, &why) == PAPI_OK)
        taken = !user && strcmp(parts.derived, PRESET_NONE) == 0
                    ? take_away(reader, index, &parts, &why)
                    : take_definition(reader, &parts, user, &why);
    return why.code != PAPI_OK ? note_fault(reader, why.code, why.text) : taken;
}

static void read_rule(struct reader *reader, const char *name)
{
    struct reason why = {0};
    if (rule_check(name, &why) != PAPI_OK)
        note_fault(reader, why.code, why.text);
    for (int i = 0; i < reader->machine->n_cores && why.code == PAPI_OK; i++) {
        enum rule_rank rank = rule_matches(name, &reader->machine->core[i]);
        if (rank > reader->rank) {
            reader->rank = rank;
            reader->matched = &reader->machine->core[i];
        }
    }
    reader->active |= reader->rank != RULE_NONE;
}

static int read_cpu(struct reader *reader, const char *name)
{
    if (!reader->in_cpu_rows) {
        reader->active = false;
        reader->rank = RULE_NONE;
        reader->matched = NULL;
    }
    reader->in_cpu_rows = true;
    if (name[0] == '\0')
        return note_fault(reader, PAPI_EINVAL, "a CPU row without a name");
    /* The build has checked its rules: where there is no core to ask them about, they say nothing. */
    if ((reader->file != built_in || reader->machine->n_cores > 0) && rule_has_form(name))
        read_rule(reader, name);
    if (reader->machine->matches(name, reader->machine->context)) {
        reader->active = true;
        reader->rank = RULE_NAME;
    }
    return 0;
}

static int read_row(struct reader *reader, char **field, int n)
{
    bool user = strcmp(field[0], "EVENT") == 0;
    if (strcmp(field[0], "CPU") == 0)
        return read_cpu(reader, n > 1 ? field[1] : "");
    reader->in_cpu_rows = false;
    if (user || strcmp(field[0], "PRESET") == 0)
        return read_definition(reader, field, n, user);
    return note_fault(reader, PAPI_EINVAL, "neither a CPU, a PRESET nor an EVENT row");
}

static int read_line(struct reader *reader, char *line, size_t length)
{
    char *field[MAX_FIELDS];
    struct reason why;
    int n = csv_row(line, length, field, &why);
    if (n == 0 && is_definition_of_constant(line))
        return read_constant(reader, line);
    return n > 0 ? read_row(reader, field, n) : n < 0 ? note_fault(reader, n, why.text) : 0;
}

/* ---- files */

static int read_lines(struct reader *reader, FILE *file)
{
    struct text_lines lines = {.file = file};
    int taken = 0;
    size_t length;
    char *line;
    while (reader->lack.code == PAPI_OK && (line = text_lines_next(&lines, &length)) != NULL) {
        reader->line = lines.number;
        taken += read_line(reader, line, length);
    }
    errno = text_lines_end(&lines);
    if (errno != 0 && reader->lack.code == PAPI_OK)
        reason_unreadable(reader->file, &reader->lack);
    return taken;
}

int presets_read(struct preset_table *table, FILE *file, const char *file_name, pmu_matcher *matches,
                 void *context)
{
    const struct preset_machine machine = {.matches = matches, .context = context};
    struct reader reader = {.table = table, .machine = &machine, .file = file_name};
    struct preset_table before;
    presets_begin_change(table, &before);
    if (table->n_presets < PRESET_COUNT)
        table->n_presets = PRESET_COUNT;
    int taken = read_lines(&reader, file);
    return presets_finish_change(table, reader.lack.code) ?: taken;
}

/* read_line writes into its line. */
static int read_copy(struct reader *reader, const char *line, size_t length)
{
    char *copy = strndup(line, length);
    int taken =
        copy != NULL ? read_line(reader, copy, length) : note_fault(reader, PAPI_ENOMEM, "out of memory");
    free(copy);
    return taken;
}

/* A place in the built-in tables. */
struct builtin_place {
    const char *line;
    int number;
};

static void to_next_line(struct builtin_place *place)
{
    const char *end = strchrnul(place->line, '\n');
    place->line = end + (*end != '\0');
    place->number++;
}

static long take_number(const char **text)
{
    long number = 0;
    while (isdigit((unsigned char)**text))
        number = 10 * number + *(*text)++ - '0';
    return number;
}

/* Reads a line "#4711 12" before CPU rows: the characters and lines from it to the next of its kind. */
static void read_length(struct builtin_place *place, struct builtin_place *end)
{
    const char *text = place->line + 1;
    long length = take_number(&text);
    text += *text == ' ';
    int n = (int)take_number(&text);
    to_next_line(place);
    *end = (struct builtin_place){place->line + length, place->number + n};
}

/* Reads a row of the built-in tables. They are most often for other processors: CPU rows are read here and
 * not as those of files, whose form is not known. */
static int read_builtin_row(struct reader *reader, const char *line)
{
    char name[256];
    size_t length = (size_t)(strchrnul(line, '\n') - line);
    if (strncmp(line, "CPU,", 4) != 0 || length - 4 >= sizeof name)
        return read_copy(reader, line, length);
    memcpy(name, line + 4, length - 4);
    name[length - 4] = '\0';
    return read_cpu(reader, name);
}

/* True for a row of a preset that nobody has asked for: it is for another machine, or not the one wanted. */
static bool is_passed_over(const struct reader *reader, const char *line, const char *wanted)
{
    static const char preset[] = "PRESET,";
    enum { LENGTH = sizeof preset - 1 };
    if (strncmp(line, preset, LENGTH) != 0)
        return false;
    size_t length = wanted != NULL ? strlen(wanted) : 0;
    return !reader->active ||
           (wanted != NULL && (strncmp(line + LENGTH, wanted, length) != 0 || line[LENGTH + length] != ','));
}

/* Reads the built-in tables; returns the number of definitions that were taken, or PAPI_ENOMEM.
 *   wanted  the one preset that is read; NULL: all are */
static int read_builtin(struct preset_table *table, const struct preset_machine *machine, const char *wanted,
                        struct reason *why)
{
    struct reader reader = {.table = table, .machine = machine, .file = built_in};
    struct builtin_place place = {preset_tables_csv, 1}, end = {NULL, 0};
    int taken = 0;
    while (*place.line != '\0' && reader.lack.code == PAPI_OK) {
        bool passed = is_passed_over(&reader, place.line, wanted);
        reader.line = place.number;
        reader.in_cpu_rows &= !passed;
        if (place.line[0] == '#' && isdigit((unsigned char)place.line[1])) {
            read_length(&place, &end);
        } else if (passed && !reader.active && end.line != NULL) { /* the build has checked them all */
            place = end;
        } else {
            taken += passed ? 0 : read_builtin_row(&reader, place.line);
            to_next_line(&place);
        }
    }
    return reason_pass(&reader.lack, why) ?: taken;
}

static bool is_generic(const char *name, void *context)
{
    (void)context;
    return strcmp(name, "generic") == 0;
}

static bool is_none(const char *name, void *context)
{
    (void)name, (void)context;
    return false;
}

/* Checks for definitions that lead back to themselves, which is known only when all rows are there. They
 * stay, and cannot be counted. */
static void check_nesting(struct reader *reader)
{
    const struct preset_definition *definition;
    for (int code = 0; (definition = presets_next_changed(reader->table, &code)) != NULL;) {
        struct reason why = {0};
        reader->line = definition->line;
        if (presets_check_nesting(reader->table, definition, &why) != PAPI_OK)
            note_fault(reader, why.code, why.text);
    }
}

/* Takes over what a file defines, or nothing where it cannot be read whole. */
static int read_file(struct reader *reader, struct reason *why)
{
    const char *error;
    struct preset_table before;
    presets_begin_change(reader->table, &before);
    FILE *file = text_file_open(reader->file, &error);
    if (file == NULL && error_passes(errno))
        reason_unreadable(reader->file, &reader->lack);
    else if (file == NULL)
        note_fault(reader, PAPI_ESYS, error);
    else {
        read_lines(reader, file);
        int saved = errno;
        fclose(file);
        errno = saved;
    }
    if (reader->lack.code == PAPI_OK)
        check_nesting(reader);
    return presets_finish_change(reader->table, reason_pass(&reader->lack, why));
}

/* A processor whose cores have several PMUs. The kernel's generic events count on one of them alone. */
static int load_parts(struct preset_table *table, const struct preset_machine *machine, struct reason *why)
{
    struct preset_table part[MAX_CORE_PMUS] = {0};
    int code = PAPI_OK;
    for (int i = 0; i < machine->n_cores && code >= PAPI_OK; i++) {
        const struct preset_machine one = {.matches = is_none, .core = {machine->core[i]}, .n_cores = 1};
        part[i].n_presets = PRESET_COUNT;
        code = read_builtin(&part[i], &one, NULL, why);
    }
    if (code >= PAPI_OK)
        code = presets_add_up(table, part, machine->core, machine->n_cores, why);
    for (int i = 0; i < machine->n_cores; i++)
        presets_free(&part[i]);
    return code;
}

static int load_builtin(struct preset_table *table, const struct preset_machine *machine, struct reason *why)
{
    struct preset_machine kind = *machine;
    if (machine->n_cores > 1)
        return load_parts(table, machine, why);
    kind.n_cores = 0;
    int taken = read_builtin(table, &kind, NULL, why);
    if (taken != 0)
        return taken > 0 ? PAPI_OK : taken;
    /* The kernel's generic events stand in for a processor that has no table of its own. */
    kind.matches = is_generic;
    taken = read_builtin(table, &kind, NULL, why);
    kind.matches = is_none;
    kind.n_cores = machine->n_cores;
    if (taken >= 0 && kind.n_cores > 0)
        taken = read_builtin(table, &kind, NULL, why);
    return taken > 0 ? PAPI_OK : taken;
}

/* True if a native event of the definition may be one that has a definition itself. */
static bool may_nest(const struct preset_definition *definition)
{
    for (int i = 0; i < definition->n_natives; i++)
        if (presets_index(definition->native[i]) >= 0)
            return true;
    return false;
}

struct preset_definition *presets_builtin(int preset, const struct preset_machine *machine)
{
    struct preset_table one = {.n_presets = PRESET_COUNT};
    struct preset_machine kind = *machine;
    struct reason why = {0};
    kind.n_cores = 0;
    int taken = machine->n_cores <= 1 ? read_builtin(&one, &kind, preset_list[preset].symbol, &why) : 0;
    struct preset_definition *definition = one.definition[preset];
    if (definition != NULL && taken > 0 && !may_nest(definition))
        one.definition[preset] = NULL;
    else
        definition = NULL;
    presets_free(&one);
    return definition;
}

/* Reads a file of events. Rows with a fault are passed over; fault gets the first one, if it is not NULL. */
static int read_events(struct preset_table *table, const char *file, const struct preset_machine *machine,
                       struct reason *fault, struct reason *why)
{
    struct reader reader = {
        .table = table, .machine = machine, .file = file, .active = true, .rank = RULE_NAME, .why = fault};
    return read_file(&reader, why);
}

int presets_load(struct preset_table *table, const char *user_file, const char *events_file,
                 const struct preset_machine *machine, struct reason *why)
{
    struct reader reader = {.table = table, .machine = machine, .file = user_file};
    *table = (struct preset_table){.n_presets = PRESET_COUNT};
    return load_builtin(table, machine, why) ?: (user_file != NULL ? read_file(&reader, why) : PAPI_OK)
               ?: (events_file != NULL ? read_events(table, events_file, machine, NULL, why) : PAPI_OK);
}

int presets_read_events(struct preset_table *table, const char *file_name,
                        const struct preset_machine *machine, struct reason *why)
{
    struct reason first = {0};
    return read_events(table, file_name, machine, &first, why) ?: reason_pass(&first, why);
}
