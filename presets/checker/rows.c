/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"
#include "formats/text_file.h"
#include "papi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A reason is reported in a sentence with the preset's name, in struct reason. */
enum { LONGEST_REASON = 400 };

/* The place in a file. */
struct place {
    struct checker *c;
    const char *file;
    int line;
    enum { NO_ROW, COMMENT_ROW, CPU_ROW, PRESET_ROW } before; /* kind of the line above */
    char *differs, *unlisted;                                 /* of the comments above */
    bool in_cpu_rows;                                         /* no PRESET row since */
    int n_cpus;
    struct cpu *cpu[MAX_CPUS]; /* the CPU rows above */
};

#define fault(p, ...) fault_at((p)->c, (p)->file, (p)->line, __VA_ARGS__)

struct cpu *cpu_named(struct checker *c, const char *name)
{
    for (int i = 0; i < c->n_cpus; i++)
        if (strcmp(c->cpu[i].name, name) == 0)
            return &c->cpu[i];
    return NULL;
}

/* ---- CPU rows */

static void check_known(struct place *p, struct cpu *cpu)
{
    const struct architectures *list = &p->c->architectures;
    bool here = architectures_have(list, own_architecture(), cpu->name);
    if (!cpu->processor || (cpu->encodable && (here || list->n == 0)))
        return;
    if (cpu->encodable)
        fault(p, "%s: libpfm4 knows it on %s, which the list of architectures does not say", cpu->name,
              own_architecture());
    else if (here || !architectures_have(list, NULL, cpu->name))
        fault(p, "libpfm4 knows no processor \"%s\"", cpu->name);
}

/* A rule that means one processor alone is not this processor: other rules may choose rows of it too. */
static struct cpu *row_cpu_named(struct checker *c, const char *name)
{
    for (int i = 0; i < c->n_cpus; i++)
        if (!c->cpu[i].ruled && strcmp(c->cpu[i].name, name) == 0)
            return &c->cpu[i];
    return NULL;
}

static struct cpu *find_cpu(struct place *p, const char *name)
{
    struct cpu *cpu = row_cpu_named(p->c, name);
    if (cpu != NULL) {
        if (strcmp(cpu->file, p->file) != 0)
            fault(p, "%s is in %s already: a processor's blocks stand in one file", name, cpu->file);
        return cpu;
    }
    if (p->c->n_cpus == MAX_CPUS || strlen(name) >= sizeof cpu->name) {
        fault(p, "more than %d processors, or a name too long", (int)MAX_CPUS);
        return NULL;
    }
    cpu = &p->c->cpu[p->c->n_cpus++];
    strcpy(cpu->name, name);
    cpu->file = p->file;
    cpu->line = p->line;
    cpu_find(cpu);
    check_known(p, cpu);
    return cpu;
}

static void forget_reasons(struct place *p)
{
    free(p->differs);
    free(p->unlisted);
    p->differs = p->unlisted = NULL;
}

static void take_cpu(struct place *p, char **field, int n)
{
    if (!p->in_cpu_rows)
        p->n_cpus = 0;
    if (p->before == PRESET_ROW)
        forget_reasons(p);
    p->in_cpu_rows = true;
    p->before = CPU_ROW;
    if (n != 2)
        fault(p, "a CPU row has two fields, not %d", n);
    struct cpu *cpu = find_cpu(p, field[1]);
    for (int i = 0; i < p->n_cpus; i++)
        if (p->cpu[i] == cpu)
            fault(p, "%s stands here twice", field[1]);
    if (cpu != NULL && p->n_cpus < MAX_CPUS)
        p->cpu[p->n_cpus++] = cpu;
}

/* ---- PRESET rows */

/* The fields of a row that the library's reader has taken. */
static void split_row(struct place *p, char **field, int n, struct event_parts *parts)
{
    int i = 3;
    *parts = (struct event_parts){.symbol = field[1], .derived = field[2]};
    if (strcmp(parts->derived, derivation_name(DERIVED_POSTFIX)) == 0)
        parts->postfix = field[i++];
    for (; i < n && strcmp(field[i], "NOTE") != 0; i++) {
        if (field[i][0] == '\0')
            fault(p, "an empty field");
        else if (strlen(field[i]) >= PAPI_2MAX_STR_LEN)
            fault(p, "a name too long for PAPI_event_info_t");
        else
            parts->native[parts->n_natives++] = field[i];
    }
    if (i == n)
        return;
    parts->note = n == i + 2 ? field[i + 1] : "";
    if (parts->note[0] == '\0' || strlen(parts->note) >= PAPI_HUGE_STR_LEN)
        fault(p, "NOTE ends a row, with one text behind it");
}

static bool uses_operand(const struct formula *formula, int operand)
{
    for (int i = 0; i < formula->n_steps; i++)
        if (formula->step[i].operation == 'N' && formula->step[i].value == operand)
            return true;
    return false;
}

/* The reader has found it valid already; what the formula leaves out is not an error there. */
static void check_parts(struct place *p, const struct preset_definition *parts)
{
    bool formula = parts->derivation == DERIVED_POSTFIX;
    if (formula && strlen(parts->postfix) >= PAPI_2MAX_STR_LEN)
        fault(p, "the formula is too long for PAPI_event_info_t");
    for (int i = 0; i < parts->n_natives; i++) {
        if (formula && !uses_operand(&parts->formula, i))
            fault(p, "the formula does not use N%d, %s", i, parts->native[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(parts->native[i], parts->native[k]) == 0)
                fault(p, "%s stands in it twice", parts->native[i]);
    }
}

static bool alike(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* True if two rows are the same in everything, also in their notes. */
static bool same_row(const struct row *a, const struct row *b)
{
    bool same = a->none == b->none && alike(a->note, b->note);
    if (!same || a->none)
        return same;
    same = a->parts->derivation == b->parts->derivation && alike(a->parts->postfix, b->parts->postfix) &&
           a->parts->n_natives == b->parts->n_natives;
    for (int i = 0; same && i < a->parts->n_natives; i++)
        same = strcmp(a->parts->native[i], b->parts->native[i]) == 0;
    return same;
}

static void hold(struct place *p, struct cpu *cpu, struct row *row)
{
    struct row **place = &cpu->row[row->preset];
    if (*place != NULL && same_row(*place, row))
        fault(p, "%s has the same for %s already, at %s:%d", preset_list[row->preset].symbol, cpu->name,
              (*place)->file, (*place)->line);
    if (*place != NULL)
        (*place)->n_holds--;
    row->n_holds++;
    *place = row;
}

static struct row *make_row(struct place *p, const struct event_parts *parts, int preset)
{
    struct row *row = calloc(1, sizeof *row);
    struct reason why = {0};
    if (row == NULL)
        abort();
    *row = (struct row){.file = p->file, .line = p->line, .preset = preset};
    row->none = strcmp(parts->derived, PRESET_NONE) == 0;
    row->note = parts->note ? strdup(parts->note) : NULL;
    row->differs = p->differs ? strdup(p->differs) : NULL;
    row->unlisted = p->unlisted ? strdup(p->unlisted) : NULL;
    if (!row->none)
        row->parts = definition_make(parts, &why);
    if (!row->none && row->parts == NULL) {
        fault(p, "%s", why.text);
        row->none = true;
    }
    *p->c->last = row;
    p->c->last = &row->next;
    return row;
}

static void take_preset(struct place *p, char **field, int n)
{
    struct event_parts parts;
    p->before = PRESET_ROW;
    p->in_cpu_rows = false;
    if (p->n_cpus == 0)
        fault(p, "no CPU row above");
    split_row(p, field, n, &parts);
    int preset = presets_index(parts.symbol);
    if (preset < 0 || strcmp(preset_list[preset].symbol, parts.symbol) != 0) {
        fault(p, "%s: presets are written in capitals", field[1]);
        return;
    }
    struct row *row = make_row(p, &parts, preset);
    if (row->none && row->note != NULL && strlen(row->note) > LONGEST_REASON)
        fault(p, "a reason longer than %d characters", (int)LONGEST_REASON);
    if (row->parts != NULL)
        check_parts(p, row->parts);
    for (int i = 0; i < p->n_cpus; i++)
        hold(p, p->cpu[i], row);
    ruled_hold(p->c, row, p->cpu, p->n_cpus);
}

/* ---- files */

/* "# differs: reason": the reason, if the line has this head. */
static void take_reason(struct place *p, const char *line, const char *head, char **reason)
{
    if (strncmp(line, head, strlen(head)) != 0)
        return;
    const char *why = line + strlen(head) + strspn(line + strlen(head), " ");
    if (why[0] == '\0')
        fault(p, "%s and why?", head + strlen("# "));
    free(*reason);
    *reason = strdup(why);
}

static void take_comment(struct place *p, const char *line)
{
    if (p->before != COMMENT_ROW)
        forget_reasons(p);
    p->before = COMMENT_ROW;
    take_reason(p, line, "# differs:", &p->differs);
    take_reason(p, line, "# unlisted:", &p->unlisted);
}

static void take_line(struct place *p, char *line)
{
    char *field[MAX_FIELDS];
    line[strcspn(line, "\r\n")] = '\0';
    if (strncmp(line, "#define", 7) == 0)
        fault(p, "constants are for users' files");
    if (line[0] == '#') {
        take_comment(p, line);
        return;
    }
    if (line[0] == '\0')
        return;
    int n = csv_split(line, field);
    if (n > 0 && strcmp(field[0], "CPU") == 0)
        take_cpu(p, field, n);
    else if (n > 0 && strcmp(field[0], "PRESET") == 0)
        take_preset(p, field, n);
    else if (n > 0)
        fault(p, "%s: user events are for users' files", field[0]);
}

static bool every_cpu(const char *name, void *context)
{
    (void)name, (void)context;
    return true;
}

/* True if the library's own reader takes the file. */
static bool reader_takes(struct place *p, FILE *file)
{
    struct preset_table table = {0};
    int taken = presets_read(&table, file, p->file, every_cpu, NULL);
    int n_faults = table.n_faults;
    if (n_faults > 0)
        fprintf(stderr, "%s\n", table.faults);
    else if (taken == 0)
        fprintf(stderr, "%s:1: no definition in it\n", p->file);
    presets_free(&table);
    p->c->n_faults += n_faults + (n_faults == 0 && taken == 0);
    return n_faults == 0 && taken > 0;
}

static void take_lines(struct place *p, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    for (p->line = 1; getline(&line, &size, file) >= 0; p->line++)
        take_line(p, line);
    free(line);
    forget_reasons(p);
}

void rows_read(struct checker *c, const char *name)
{
    struct place place = {.c = c, .file = name, .line = 1};
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        fault(&place, "%s", strerror(errno));
        return;
    }
    /* The rows are looked at only when the reader takes them: no fault is reported twice. */
    if (reader_takes(&place, file)) {
        rewind(file);
        take_lines(&place, file);
    }
    fclose(file);
}
