/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <errno.h>
#include <string.h>

enum { IN_ONE = 32 }; /* processors beside one another */

static int count(const struct cpu *cpu, bool none)
{
    int n = 0;
    for (int p = 0; p < PRESET_COUNT; p++)
        n += cpu->row[p] != NULL && cpu->row[p]->none == none;
    return n;
}

static int count_all(const struct checker *c, bool none)
{
    int n = 0;
    for (int i = 0; i < c->n_cpus; i++)
        n += c->cpu[i].processor ? count(&c->cpu[i], none) : 0;
    return n;
}

int count_definitions(const struct checker *c)
{
    return count_all(c, false);
}

int count_processors(const struct checker *c)
{
    int n = 0;
    for (int i = 0; i < c->n_cpus; i++)
        n += c->cpu[i].processor && count(&c->cpu[i], false) > 0;
    return n;
}

static const char *sign_of(const struct row *row)
{
    if (row == NULL)
        return ".";
    if (row->none)
        return "x";
    static const char *const signs[][2] = {
        [NOT_DERIVED] = {"=", "=~"},  [DERIVED_ADD] = {"+", "+~"},     [DERIVED_SUB] = {"-", "-~"},
        [DERIVED_CMPD] = {"c", "c~"}, [DERIVED_POSTFIX] = {"f", "f~"},
    };
    return signs[row->parts->derivation][row->note != NULL];
}

/* A column: a processor, or what stands for any. Rules are in those of the processors that they mean. */
static const struct cpu *column(const struct checker *c, int number)
{
    for (int i = 0; i < c->n_cpus; i++)
        if (!c->cpu[i].rule && number-- == 0)
            return &c->cpu[i];
    return NULL;
}

static int count_columns(const struct checker *c)
{
    int n = 0;
    while (column(c, n) != NULL)
        n++;
    return n;
}

/* Names one below the other, each with a line down to its column. */
static void print_head(const struct checker *c, int first, int end)
{
    for (int i = first; i < end; i++) {
        printf("%-12s", "");
        for (int k = first; k < i; k++)
            printf("  |");
        printf("  %s\n", column(c, i)->name);
    }
}

static void print_part(const struct checker *c, int first, int end)
{
    putchar('\n');
    print_head(c, first, end);
    for (int p = 0; p < PRESET_COUNT; p++) {
        int used = printf("%-12s", preset_list[p].symbol);
        for (int i = first; i < end; i++) {
            int place = 14 + 3 * (i - first);
            used += printf("%*s%s", place - used, "", sign_of(column(c, i)->row[p]));
        }
        putchar('\n');
    }
    printf("of %-3d       ", PRESET_COUNT);
    for (int i = first; i < end; i++)
        printf("%3d", count(column(c, i), false));
    putchar('\n');
}

void matrix_print(const struct checker *c)
{
    puts("= one event   + sum   - difference   f formula   c counted together   ~ with a note");
    puts("x cannot be counted, with a reason   . nothing");
    int columns = count_columns(c);
    for (int i = 0; i < columns; i += IN_ONE)
        print_part(c, i, i + IN_ONE < columns ? i + IN_ONE : columns);
    printf("\n%d native events encoded on %s, %d of rules looked at\n", c->n_encoded, own_architecture(),
           c->n_of_rules);
    printf("%d floating-point presets held against the masks of their events\n", c->n_weighed);
    int n = 0;
    for (int i = 0; i < c->n_cpus; i++)
        if (!c->cpu[i].encodable)
            printf("%s%s", n++ ? " " : "not encoded, because libpfm4 knows it on another architecture: ",
                   c->cpu[i].name);
    printf("%s%d definitions and %d reasons for %d processors\n", n ? "\n" : "", count_definitions(c),
           count_all(c, true), count_processors(c));
}

int matrix_write(const struct checker *c, const char *name)
{
    FILE *file = fopen(name, "we");
    if (file == NULL)
        return errno;
    int columns = count_columns(c);
    fputs("preset", file);
    for (int i = 0; i < columns; i++)
        fprintf(file, ",%s", column(c, i)->name);
    for (int p = 0; p < PRESET_COUNT; p++) {
        fprintf(file, "\n%s", preset_list[p].symbol);
        for (int i = 0; i < columns; i++)
            fprintf(file, ",%s", column(c, i)->row[p] != NULL ? sign_of(column(c, i)->row[p]) : "");
    }
    fputc('\n', file);
    int error = ferror(file) ? errno : 0;
    return fclose(file) != 0 ? errno : error;
}
