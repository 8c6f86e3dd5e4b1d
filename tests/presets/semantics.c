/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Usage: test_semantics [--every] --table=PRESETS.csv... SEMANTICS.csv...
 *
 * Checks what the definitions of the tables compute, by the library's reader and formulas, against what they
 * must give: SEMANTICS.csv says which counts the events have in three runs, and from what happened in them
 * the value of each preset (README.md). --every: each processor of the tables must be there. Exit status 1
 * when something is wrong; each fault is printed as file:line: text.
 */
#include "events/presets.h"
#include "formats/text_file.h"
#include "papi.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CPUS = 256, MAX_EVENTS = 400, MAX_FILES = 128, MAX_NOTES = 16, RUNS = 3 };

/* A CPU row of a table. */
struct mention {
    char name[128];
    int table;
};

/* An EVENT, EXPECT or NOTE row. */
struct entry {
    const char *file;
    int line;
    char name[PAPI_2MAX_STR_LEN];
    long long value[RUNS];
    int n_used;     /* by how many processors */
    bool none;      /* EXPECT: not defined, whatever an earlier row says */
    char words[64]; /* NOTE */
};

struct cpu {
    char name[128];
    const char *file;
    int line;
    int n_events;
    struct entry *event[MAX_EVENTS], *expect[PRESET_COUNT];
    int n_notes;
    struct entry *note[MAX_NOTES];
    struct preset_table table;
};

struct test {
    int n_cpus;
    struct cpu cpu[MAX_CPUS];
    int n_entries;
    struct entry *entry[MAX_CPUS * PRESET_COUNT];
    int n_tables;
    const char *tables[MAX_FILES];
    int n_mentions;
    struct mention mention[4 * MAX_CPUS]; /* each name once a table */
    int n_faults, n_values;
    /* where it reads */
    const char *file;
    int line;
    bool in_cpu_rows;
    int n_current;
    struct cpu *current[MAX_CPUS];
};

static void fault(struct test *t, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void fault(struct test *t, const char *file, int line, const char *format, ...)
{
    va_list args;
    fprintf(stderr, "%s:%d: ", file, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    t->n_faults++;
}

#define fault_here(t, ...) fault((t), (t)->file, (t)->line, __VA_ARGS__)

/* ---- reading */

static struct cpu *cpu_named(struct test *t, const char *name)
{
    for (int i = 0; i < t->n_cpus; i++)
        if (strcmp(t->cpu[i].name, name) == 0)
            return &t->cpu[i];
    return NULL;
}

static void take_cpu(struct test *t, const char *name)
{
    struct cpu *cpu = cpu_named(t, name);
    if (!t->in_cpu_rows)
        t->n_current = 0;
    t->in_cpu_rows = true;
    if (cpu != NULL && cpu->file != t->file) {
        fault_here(t, "%s is in %s already", name, cpu->file);
        return;
    }
    if (cpu == NULL && (t->n_cpus == MAX_CPUS || strlen(name) >= sizeof cpu->name)) {
        fault_here(t, "too many processors, or a name too long");
        return;
    }
    if (cpu == NULL) {
        cpu = &t->cpu[t->n_cpus++];
        *cpu = (struct cpu){.file = t->file, .line = t->line};
        strcpy(cpu->name, name);
    }
    t->current[t->n_current++] = cpu;
}

static struct entry **event_place(struct cpu *cpu, const char *name)
{
    int i = 0;
    while (i < cpu->n_events && strcmp(cpu->event[i]->name, name) != 0)
        i++;
    if (i == MAX_EVENTS)
        abort();
    cpu->n_events += i == cpu->n_events;
    return &cpu->event[i];
}

static bool take_values(struct entry *entry, char **field)
{
    for (int i = 0; i < RUNS; i++) {
        char *end;
        errno = 0;
        entry->value[i] = strtoll(field[i], &end, 10);
        if (end == field[i] || *end != '\0' || errno != 0)
            return false;
    }
    return true;
}

static struct entry *new_entry(struct test *t, const char *name)
{
    struct entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL || t->n_entries == (int)(sizeof t->entry / sizeof t->entry[0]))
        abort();
    t->entry[t->n_entries++] = entry;
    entry->file = t->file;
    entry->line = t->line;
    snprintf(entry->name, sizeof entry->name, "%s", name);
    return entry;
}

static struct entry *make_entry(struct test *t, char **field, int n)
{
    struct entry *entry = new_entry(t, field[1]);
    entry->none = n == 3 && strcmp(field[0], "EXPECT") == 0 && strcmp(field[2], PRESET_NONE) == 0;
    if (!entry->none && (n != 2 + RUNS || !take_values(entry, field + 2)))
        fault_here(t, "a row has a name and %d whole numbers", (int)RUNS);
    return entry;
}

static void take_note(struct test *t, char **field, int n)
{
    struct entry *entry = new_entry(t, field[1]);
    if (n != 3 || snprintf(entry->words, sizeof entry->words, "%s", field[2]) >= (int)sizeof entry->words)
        fault_here(t, "a NOTE row has a preset, and words of at most %zu letters", sizeof entry->words - 1);
    for (int i = 0; i < t->n_current; i++) {
        struct cpu *cpu = t->current[i];
        if (cpu->n_notes == MAX_NOTES)
            abort();
        cpu->note[cpu->n_notes++] = entry;
    }
}

static void take_entry(struct test *t, char **field, int n)
{
    bool event = strcmp(field[0], "EVENT") == 0, note = strcmp(field[0], "NOTE") == 0;
    int preset = n > 1 ? presets_index(field[1]) : -1;
    t->in_cpu_rows = false;
    if (n < 3 || (!event && !note && strcmp(field[0], "EXPECT") != 0))
        fault_here(t, "neither a CPU, an EVENT, an EXPECT nor a NOTE row");
    else if (!event && preset < 0)
        fault_here(t, "%s is not a preset", field[1]);
    else if (t->n_current == 0)
        fault_here(t, "no CPU row above");
    else if (note)
        take_note(t, field, n);
    else {
        struct entry *entry = make_entry(t, field, n);
        for (int i = 0; i < t->n_current; i++) {
            struct entry **place =
                event ? event_place(t->current[i], field[1]) : &t->current[i]->expect[preset];
            *place = entry;
        }
    }
}

static void take_line(struct test *t, char *line)
{
    char *field[MAX_FIELDS];
    line[strcspn(line, "\r\n")] = '\0';
    if (line[0] == '#' || line[0] == '\0')
        return;
    int n = csv_split(line, field);
    if (n == 2 && strcmp(field[0], "CPU") == 0)
        take_cpu(t, field[1]);
    else if (n > 0)
        take_entry(t, field, n);
    else
        fault_here(t, "a quote without its end, or too many fields");
}

static void read_file(struct test *t, const char *name)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(name, "re");
    t->file = name;
    t->line = 1;
    t->n_current = 0;
    t->in_cpu_rows = false;
    if (file == NULL) {
        fault_here(t, "%s", strerror(errno));
        return;
    }
    for (; getline(&line, &size, file) >= 0; t->line++)
        take_line(t, line);
    free(line);
    fclose(file);
}

/* ---- the definitions */

static bool is_cpu(const char *name, void *context)
{
    const struct cpu *cpu = context;
    return strcmp(name, cpu->name) == 0;
}

static bool mentions(const struct test *t, int table, const char *name)
{
    for (int i = 0; i < t->n_mentions; i++)
        if (t->mention[i].table == table && strcmp(t->mention[i].name, name) == 0)
            return true;
    return false;
}

struct place {
    struct test *t;
    int table;
};

/* Takes no definition. */
static bool note_mention(const char *name, void *context)
{
    struct test *t = ((struct place *)context)->t;
    int table = ((struct place *)context)->table;
    if (mentions(t, table, name))
        return false;
    if (t->n_mentions == (int)(sizeof t->mention / sizeof t->mention[0]))
        abort();
    struct mention *mention = &t->mention[t->n_mentions++];
    mention->table = table;
    snprintf(mention->name, sizeof mention->name, "%s", name);
    return false;
}

/* Reads the table of a file and returns the number of definitions that apply. */
static int read_table(struct test *t, int i, struct preset_table *table, pmu_matcher *matches, void *context)
{
    FILE *file = fopen(t->tables[i], "re");
    if (file == NULL) {
        fault(t, t->tables[i], 1, "%s", strerror(errno));
        return 0;
    }
    int taken = presets_read(table, file, t->tables[i], matches, context);
    fclose(file);
    return taken;
}

static void find_mentions(struct test *t)
{
    for (int i = 0; i < t->n_tables; i++) {
        struct preset_table table = {0};
        read_table(t, i, &table, note_mention, &(struct place){t, i});
        presets_free(&table);
    }
}

static void read_tables(struct test *t, struct cpu *cpu)
{
    int taken = 0;
    for (int i = 0; i < t->n_tables; i++)
        if (mentions(t, i, cpu->name))
            taken += read_table(t, i, &cpu->table, is_cpu, cpu);
    if (taken == 0)
        fault(t, cpu->file, cpu->line, "no table is for %s", cpu->name);
    if (cpu->table.n_faults > 0)
        fault(t, cpu->file, cpu->line, "%s", cpu->table.faults);
}

/* ---- the values */

/* The counts of a definition's events in each run; false: one is not stated. */
static bool find_operands(struct test *t, struct cpu *cpu, int preset, long long operand[RUNS][MAX_OPERANDS])
{
    const struct preset_definition *definition = cpu->table.definition[preset];
    bool found = true;
    for (int i = 0; i < definition->n_natives; i++) {
        int k = 0;
        while (k < cpu->n_events && strcmp(cpu->event[k]->name, definition->native[i]) != 0)
            k++;
        if (k == cpu->n_events) {
            fault(t, cpu->file, cpu->line, "%s: no EVENT row for %s of %s", cpu->name, definition->native[i],
                  preset_list[preset].symbol);
            found = false;
            continue;
        }
        cpu->event[k]->n_used++;
        for (int run = 0; run < RUNS; run++)
            operand[run][i] = cpu->event[k]->value[run];
    }
    return found;
}

static void check_value(struct test *t, struct cpu *cpu, int preset)
{
    const struct preset_definition *definition = cpu->table.definition[preset];
    struct entry *expect = cpu->expect[preset];
    long long operand[RUNS][MAX_OPERANDS];
    bool known = find_operands(t, cpu, preset, operand);
    if (expect == NULL || expect->none) {
        fault(t, cpu->file, cpu->line, "%s: no EXPECT row for %s", cpu->name, preset_list[preset].symbol);
        return;
    }
    expect->n_used++;
    for (int run = 0; known && run < RUNS; run++) {
        long long value =
            derived_value(definition->derivation, &definition->formula, definition->n_natives, operand[run]);
        if (value != expect->value[run])
            fault(t, expect->file, expect->line, "%s of %s is %lld in vector %d, and must be %lld",
                  preset_list[preset].symbol, cpu->name, value, run + 1, expect->value[run]);
        t->n_values++;
    }
}

static void check_presets(struct test *t, struct cpu *cpu)
{
    for (int i = 0; i < PRESET_COUNT; i++) {
        struct entry *expect = cpu->expect[i];
        if (cpu->table.definition[i] != NULL)
            check_value(t, cpu, i);
        else if (expect != NULL && !expect->none)
            fault(t, expect->file, expect->line, "%s has no definition of %s", cpu->name,
                  preset_list[i].symbol);
        else if (expect != NULL)
            expect->n_used++;
    }
}

/* Checks that notes say what a value alone does not. */
static void check_notes(struct test *t, const struct cpu *cpu)
{
    for (int i = 0; i < cpu->n_notes; i++) {
        struct entry *note = cpu->note[i];
        const struct preset_definition *definition = cpu->table.definition[presets_index(note->name)];
        const char *said = definition == NULL || definition->note == NULL ? "" : definition->note;
        note->n_used++;
        if (strstr(said, note->words) == NULL)
            fault(t, note->file, note->line, "the note of %s of %s does not say \"%s\": %s", note->name,
                  cpu->name, note->words, said);
    }
}

/* ---- would a wrong formula show? */

static bool same_values(const struct entry *a, const struct entry *b)
{
    return memcmp(a->value, b->value, sizeof a->value) == 0;
}

static void check_vectors(struct test *t, const struct cpu *cpu)
{
    bool large = false;
    for (int i = 0; i < cpu->n_events; i++) {
        const struct entry *event = cpu->event[i];
        bool zero = true;
        for (int run = 0; run < RUNS; run++) {
            large |= event->value[run] > 1LL << 32;
            zero &= event->value[run] == 0;
            if (event->value[run] < 0)
                fault(t, event->file, event->line, "%s is negative", event->name);
        }
        if (zero)
            fault(t, event->file, event->line, "%s is 0 in every vector", event->name);
        for (int k = 0; k < i; k++)
            if (same_values(event, cpu->event[k]))
                fault(t, event->file, event->line, "%s has the values of %s (line %d) on %s", event->name,
                      cpu->event[k]->name, cpu->event[k]->line, cpu->name);
    }
    if (!large && cpu->n_events > 0)
        fault(t, cpu->file, cpu->line, "%s: no vector has a value beyond 2^32", cpu->name);
}

/* Presets that are the sum of others by their meaning. level: the names are completed for each of the
 * caches. */
struct whole {
    const char *name, *part[3]; /* the third need not be there */
    bool level;
};
static const struct whole wholes[] = {
    {"FP_OPS", {"SP_OPS", "DP_OPS", "HP_OPS"}, false},
    {"BR_INS", {"BR_CN", "BR_UCN", NULL}, false},
    {"BR_CN", {"BR_TKN", "BR_NTK", NULL}, false},
    {"BR_CN", {"BR_MSP", "BR_PRC", NULL}, false},
    {"TLB_TL", {"TLB_DM", "TLB_IM", NULL}, false},
    {"CSR_TOT", {"CSR_FAL", "CSR_SUC", NULL}, false},
    {"DCA", {"DCH", "DCM", NULL}, true},
    {"DCA", {"DCR", "DCW", NULL}, true},
    {"DCM", {"LDM", "STM", NULL}, true},
    {"ICA", {"ICH", "ICM", NULL}, true},
    {"TCA", {"TCH", "TCM", NULL}, true},
    {"TCA", {"DCA", "ICA", NULL}, true},
    {"TCA", {"TCR", "TCW", NULL}, true},
    {"TCH", {"DCH", "ICH", NULL}, true},
    {"TCM", {"DCM", "ICM", NULL}, true},
    {"TCR", {"DCR", "ICR", NULL}, true},
};

/* The preset of a name at a level (0: of none); -1: there is no such name. */
static int preset_of(const char *name, int level)
{
    char symbol[PAPI_MIN_STR_LEN];
    if (name == NULL)
        return -1;
    if (level > 0)
        snprintf(symbol, sizeof symbol, "PAPI_L%d_%s", level, name);
    else
        snprintf(symbol, sizeof symbol, "PAPI_%s", name);
    return presets_index(symbol);
}

/* True if a preset counts what its name says, or says what the whole does: no note says something else. */
static bool counts_as_whole(const struct cpu *cpu, int preset, int whole)
{
    const struct preset_definition *definition = cpu->table.definition[preset],
                                   *of = cpu->table.definition[whole];
    if (definition == NULL || of == NULL || cpu->expect[preset] == NULL)
        return false;
    return definition->note == NULL || (of->note != NULL && strcmp(definition->note, of->note) == 0);
}

/* A whole with a note has its meaning from parts of which one says the same. */
static bool says_alike(const struct cpu *cpu, int whole, const int part[3])
{
    if (cpu->table.definition[whole]->note == NULL)
        return true;
    for (int i = 0; i < 3; i++)
        if (part[i] >= 0 && cpu->table.definition[part[i]] != NULL &&
            cpu->table.definition[part[i]]->note != NULL)
            return true;
    return false;
}

static void check_whole(struct test *t, const struct cpu *cpu, const struct whole *whole, int level)
{
    int all = preset_of(whole->name, level), part[3];
    for (int i = 0; i < 3; i++)
        part[i] = preset_of(whole->part[i], level);
    if (!counts_as_whole(cpu, all, all) || !counts_as_whole(cpu, part[0], all) ||
        !counts_as_whole(cpu, part[1], all) ||
        (part[2] >= 0 && cpu->table.definition[part[2]] != NULL && !counts_as_whole(cpu, part[2], all)) ||
        !says_alike(cpu, all, part))
        return;
    const struct entry *expect = cpu->expect[all];
    for (int run = 0; run < RUNS; run++) {
        long long sum = 0;
        for (int i = 0; i < 3; i++)
            sum += part[i] >= 0 && counts_as_whole(cpu, part[i], all) ? cpu->expect[part[i]]->value[run] : 0;
        if (sum != expect->value[run])
            fault(t, expect->file, expect->line,
                  "%s of %s is not the sum of %s, %s and the like in vector %d, and no NOTE says why",
                  preset_list[all].symbol, cpu->name, preset_list[part[0]].symbol,
                  preset_list[part[1]].symbol, run + 1);
    }
}

static void check_wholes(struct test *t, const struct cpu *cpu)
{
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        for (int level = wholes[i].level; level <= 3 * wholes[i].level; level++)
            check_whole(t, cpu, &wholes[i], level);
}

static void check_use(struct test *t)
{
    for (int i = 0; i < t->n_entries; i++)
        if (t->entry[i]->n_used == 0)
            fault(t, t->entry[i]->file, t->entry[i]->line, "%s: no processor of this row has it",
                  t->entry[i]->name);
}

/* ---- is every processor there? */

static void check_every(struct test *t)
{
    for (int i = 0; i < t->n_mentions; i++) {
        const struct mention *mention = &t->mention[i];
        /* Tables below rules are made from others, and checked against them. */
        if (!rule_has_form(mention->name) && cpu_named(t, mention->name) == NULL)
            fault(t, t->tables[mention->table], 1, "no table says what the definitions of %s must give",
                  mention->name);
    }
}

static void check(struct test *t, bool every)
{
    find_mentions(t);
    for (int i = 0; i < t->n_cpus; i++) {
        struct cpu *cpu = &t->cpu[i];
        read_tables(t, cpu);
        check_presets(t, cpu);
        check_notes(t, cpu);
        check_vectors(t, cpu);
        check_wholes(t, cpu);
        presets_free(&cpu->table);
    }
    check_use(t);
    if (every)
        check_every(t);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"table", required_argument, NULL, 't'}, {"every", no_argument, NULL, 'e'}, {NULL, 0, NULL, 0}};
    static struct test test;
    bool every = false;
    int letter;
    while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (letter == 't' && test.n_tables < MAX_FILES)
            test.tables[test.n_tables++] = optarg;
        every |= letter == 'e';
        if (letter != 't' && letter != 'e')
            return 2;
    }
    for (int i = optind; i < argc; i++)
        read_file(&test, argv[i]);
    check(&test, every);
    printf("%d values of %d processors compared, %d faults\n", test.n_values, test.n_cpus, test.n_faults);
    return test.n_faults > 0 || test.n_cpus == 0;
}
