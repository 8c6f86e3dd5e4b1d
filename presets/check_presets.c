/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: check_presets [--elsewhere CPU]... FILE...
 *
 * Checks the tables of presets: the library's reader must take every row, every native event must
 * be one that libpfm4 encodes. A later row overrides an earlier one of the same processor. Then prints which
 * preset has a definition on which processor. Exit status 1 when there was a fault; each is printed
 * as file:line: text.
 *
 * libpfm4 is built with the processors of one architecture. Those of another one are named with
 * --elsewhere: their rows are read, their native events are not encoded, and the output says so.
 */
#include "events/csv.h"
#include "events/presets.h"
#include "papi.h"

#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CPUS = 256, MAX_ELSEWHERE = 256 };

struct cpu {
    char name[128];
    bool encodable;                 /* this libpfm4 knows it */
    int line[PRESET_COUNT];         /* of the definition; 0: none */
    const char *file[PRESET_COUNT]; /* points into the arguments */
    char cell[PRESET_COUNT][3];     /* for the matrix */
};

struct checker {
    int n_cpus;
    struct cpu cpu[MAX_CPUS];
    int n_elsewhere;
    const char *elsewhere[MAX_ELSEWHERE];
    int n_faults;
    int n_encoded;
    int n_checked; /* events of rules, whose form alone can be looked at */
    /* where it reads */
    const char *file;
    int line;
    bool in_cpu_rows;
    int n_current; /* the CPU rows above */
    int current[MAX_CPUS];
};

static void fault(struct checker *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fault(struct checker *c, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%d: ", c->file, c->line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    c->n_faults++;
}

/* ---------------------------------------------------------------- CPU rows */

static bool pfm_knows(const char *name)
{
    for (int i = 0; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && strcmp(info.name, name) == 0)
            return true;
    }
    /* The kernel's events, whatever the processor; and the emulator's. */
    return strcmp(name, "generic") == 0 || strcmp(name, "emulated") == 0;
}

static bool is_elsewhere(const struct checker *c, const char *name)
{
    for (int i = 0; i < c->n_elsewhere; i++)
        if (strcmp(c->elsewhere[i], name) == 0)
            return true;
    return false;
}

static int find_cpu(struct checker *c, const char *name)
{
    for (int i = 0; i < c->n_cpus; i++)
        if (strcmp(c->cpu[i].name, name) == 0)
            return i;
    if (c->n_cpus == MAX_CPUS || strlen(name) >= sizeof c->cpu[0].name) {
        fault(c, "more than %d processors, or a name too long", (int)MAX_CPUS);
        return -1;
    }
    struct cpu *cpu = &c->cpu[c->n_cpus];
    strcpy(cpu->name, name);
    cpu->encodable = pfm_knows(name) || rule_has_form(name);
    if (!cpu->encodable && !is_elsewhere(c, name))
        fault(c, "libpfm4 knows no processor \"%s\"", name);
    return c->n_cpus++;
}

static void check_cpu_row(struct checker *c, char **field, int n)
{
    if (!c->in_cpu_rows)
        c->n_current = 0;
    c->in_cpu_rows = true;
    if (n != 2)
        fault(c, "a CPU row has two fields, not %d", n);
    int index = find_cpu(c, field[1]);
    if (index >= 0 && c->n_current < MAX_CPUS)
        c->current[c->n_current++] = index;
}

/* ------------------------------------------------------------- PRESET rows */

struct row {
    int preset;
    const char *type;
    const char *formula; /* NULL: none */
    int n_natives;
    char *native[MAX_OPERANDS];
    const char *note; /* NULL: none */
};

static bool uses_operand(const struct formula *formula, int operand)
{
    for (int i = 0; i < formula->n_steps; i++)
        if (formula->step[i].operation == 'N' && formula->step[i].value == operand)
            return true;
    return false;
}

/* The reader has found it valid already; a native event that the formula forgets is no error there. */
static void check_formula(struct checker *c, const struct row *row)
{
    struct formula formula;
    struct reason why = {0};
    if (strlen(row->formula) >= PAPI_2MAX_STR_LEN)
        fault(c, "the formula is too long for PAPI_event_info_t");
    if (formula_compile(row->formula, row->n_natives, &formula, &why) != PAPI_OK) {
        fault(c, "%s", why.text);
        return;
    }
    for (int i = 0; i < row->n_natives; i++)
        if (!uses_operand(&formula, i))
            fault(c, "the formula does not use N%d, %s", i, row->native[i]);
}

/* The emulator's own events are in no library. */
static bool is_emulated_event(const char *native)
{
    static const char *const names[] = {
#define EVENT(name, description) "emu::" #name,
#define CACHE_EVENT(name, description) "emu::" #name,
#include "components/emulated/events.def"
#undef EVENT
#undef CACHE_EVENT
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], native) == 0)
            return true;
    return false;
}

static void encode(struct checker *c, const struct cpu *cpu, const char *native)
{
    if (strcmp(cpu->name, "emulated") == 0) {
        if (!is_emulated_event(native))
            fault(c, "the emulator has no event %s", native);
        c->n_encoded++;
        return;
    }
    struct reason why = {0};
    if (rule_has_form(cpu->name)) {
        /* What the fields and events mean the kernel says, on a machine that has the PMU. */
        if (rule_native_check(native, &why) != PAPI_OK)
            fault(c, "%s", why.text);
        c->n_checked++;
        return;
    }
    char name[PAPI_HUGE_STR_LEN];
    struct perf_event_attr attr = {.size = sizeof attr};
    pfm_perf_encode_arg_t argument = {.attr = &attr, .size = sizeof argument};
    bool qualified = strstr(native, "::") != NULL;
    if (!qualified && strcmp(cpu->name, "generic") == 0) {
        fault(c, "%s names no PMU: perf::%s?", native, native);
        return;
    }
    snprintf(name, sizeof name, "%s%s%s", qualified ? "" : cpu->name, qualified ? "" : "::", native);
    int code = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
    if (code != PFM_SUCCESS)
        fault(c, "%s: %s", name, pfm_strerror(code));
    c->n_encoded++;
}

/* The fields of a row that the library's reader has taken. */
static void split_row(struct checker *c, char **field, int n, struct row *row)
{
    memset(row, 0, sizeof *row);
    row->type = field[2];
    int i = 3;
    if (strcmp(row->type, "DERIVED_POSTFIX") == 0)
        row->formula = field[i++];
    for (; i < n && strcmp(field[i], "NOTE") != 0; i++) {
        if (field[i][0] == '\0')
            fault(c, "an empty field");
        else if (strlen(field[i]) >= PAPI_2MAX_STR_LEN)
            fault(c, "a name too long for PAPI_event_info_t");
        else
            row->native[row->n_natives++] = field[i];
    }
    if (i == n)
        return;
    row->note = n == i + 2 ? field[i + 1] : "";
    if (row->note[0] == '\0' || strlen(row->note) >= PAPI_HUGE_STR_LEN)
        fault(c, "NOTE ends a row, with one text behind it");
}

static int find_preset(const char *symbol)
{
    for (int i = 0; i < PRESET_COUNT; i++)
        if (strcmp(preset_list[i].symbol, symbol) == 0)
            return i;
    return -1;
}

static char sign_of(const struct row *row)
{
    if (strcmp(row->type, "DERIVED_ADD") == 0)
        return '+';
    if (strcmp(row->type, "DERIVED_SUB") == 0)
        return '-';
    return row->formula != NULL ? 'f' : '=';
}

static void define(struct checker *c, struct cpu *cpu, const struct row *row)
{
    int p = row->preset;
    cpu->cell[p][0] = '\0';
    cpu->line[p] = 0;
    if (strcmp(row->type, PRESET_NONE) == 0)
        return;
    cpu->line[p] = c->line;
    cpu->file[p] = c->file;
    snprintf(cpu->cell[p], sizeof cpu->cell[p], "%c%s", sign_of(row), row->note != NULL ? "~" : "");
    for (int i = 0; cpu->encodable && i < row->n_natives; i++)
        encode(c, cpu, row->native[i]);
}

static void check_preset_row(struct checker *c, char **field, int n)
{
    struct row row;
    c->in_cpu_rows = false;
    if (c->n_current == 0)
        fault(c, "no CPU row above");
    split_row(c, field, n, &row);
    row.preset = find_preset(field[1]);
    if (row.preset < 0) {
        fault(c, "%s: presets are written in capitals", field[1]);
        return;
    }
    if (row.formula != NULL)
        check_formula(c, &row);
    for (int i = 0; i < c->n_current; i++)
        define(c, &c->cpu[c->current[i]], &row);
}

/* ------------------------------------------------------------------- files */

static bool every_cpu(const char *name, void *context)
{
    (void)name;
    (void)context;
    return true;
}

/* What the library says to the file. */
static bool reader_takes(struct checker *c, FILE *file)
{
    struct preset_table table;
    memset(&table, 0, sizeof table);
    int taken = presets_read(&table, file, c->file, every_cpu, NULL);
    int n_faults = table.n_faults;
    if (n_faults > 0)
        fprintf(stderr, "%s\n", table.faults);
    else if (taken == 0)
        fprintf(stderr, "%s:1: no definition in it\n", c->file);
    presets_free(&table);
    c->n_faults += n_faults + (n_faults == 0 && taken == 0);
    return n_faults == 0 && taken > 0;
}

static void check_rows(struct checker *c, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    c->n_current = 0;
    c->in_cpu_rows = false;
    for (c->line = 1; getline(&line, &size, file) >= 0; c->line++) {
        char *field[MAX_FIELDS];
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        int n = csv_split(line, field);
        if (n > 0 && strcmp(field[0], "CPU") == 0)
            check_cpu_row(c, field, n);
        else if (n > 0)
            check_preset_row(c, field, n);
    }
    free(line);
}

static void check_file(struct checker *c, const char *name)
{
    c->file = name;
    c->line = 1;
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        fault(c, "%s", strerror(errno));
        return;
    }
    /* The rows are looked at only when the reader takes them: no fault is reported twice. */
    if (reader_takes(c, file)) {
        rewind(file);
        check_rows(c, file);
    }
    fclose(file);
}

/* ------------------------------------------------------------------ matrix */

static int count(const struct cpu *cpu)
{
    int n = 0;
    for (int p = 0; p < PRESET_COUNT; p++)
        n += cpu->line[p] != 0;
    return n;
}

static void print_matrix(const struct checker *c)
{
    printf("= one event   + sum   - difference   f formula   ~ with a note\n\n%-14s", "");
    for (int i = 0; i < c->n_cpus; i++)
        printf(" %s", c->cpu[i].name);
    for (int p = 0; p < PRESET_COUNT; p++) {
        printf("\n%-14s", preset_list[p].symbol);
        for (int i = 0; i < c->n_cpus; i++) {
            const struct cpu *cpu = &c->cpu[i];
            printf(" %-*s", (int)strlen(cpu->name), cpu->line[p] ? cpu->cell[p] : ".");
        }
    }
    printf("\nof %-11d", PRESET_COUNT);
    for (int i = 0; i < c->n_cpus; i++)
        printf(" %-*d", (int)strlen(c->cpu[i].name), count(&c->cpu[i]));
    printf("\n\n%d native events encoded, %d of rules looked at\n", c->n_encoded, c->n_checked);
    for (int i = 0; i < c->n_cpus; i++)
        if (!c->cpu[i].encodable)
            printf("not encoded, because libpfm4 knows it on another architecture: %s\n", c->cpu[i].name);
}

static int usage(void)
{
    fputs("usage: check_presets [--elsewhere CPU]... FILE...\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    static struct checker checker;
    /* The tables are for processors that this machine does not have. */
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (pfm_initialize() != PFM_SUCCESS) {
        fputs("check_presets: libpfm4 does not start\n", stderr);
        return 1;
    }
    int i = 1;
    for (; i + 1 < argc && strcmp(argv[i], "--elsewhere") == 0; i += 2)
        if (checker.n_elsewhere < MAX_ELSEWHERE)
            checker.elsewhere[checker.n_elsewhere++] = argv[i + 1];
    if (i >= argc || argv[i][0] == '-')
        return usage();
    for (; i < argc; i++)
        check_file(&checker, argv[i]);
    print_matrix(&checker);
    if (checker.n_faults > 0)
        fprintf(stderr, "check_presets: %d faults\n", checker.n_faults);
    return checker.n_faults > 0;
}
