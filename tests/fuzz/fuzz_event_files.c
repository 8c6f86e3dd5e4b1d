/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of presets and of the user's events, with their formulas.
 */
#include "events/presets.h"
#include "fuzz.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool every_second(const char *name, void *context)
{
    (void)context;
    return strlen(name) % 2 == 0;
}

/* Whole numbers alone; false: there is a fraction or an overflow on the way. */
static bool simple_value(const struct formula *formula, const long long *operand, long long *value)
{
    __int128 stack[MAX_STEPS + 1];
    int n = 0;
    for (int i = 0; i < formula->n_steps; i++) {
        const struct step *step = &formula->step[i];
        if (step->operation == 'N' || step->operation == 'c') {
            stack[n++] = step->operation == 'N' ? operand[step->value] : step->value;
            continue;
        }
        REQUIRE(n >= 2);
        __int128 b = stack[--n], a = stack[--n];
        if (step->operation == '/' && b != 0 && a % b != 0)
            return false;
        __int128 result = step->operation == '+'   ? a + b
                          : step->operation == '-' ? a - b
                          : step->operation == '*' ? a * b
                          : b == 0                 ? 0
                                                   : a / b;
        if (result > LLONG_MAX || result < LLONG_MIN)
            return false;
        stack[n++] = result;
    }
    REQUIRE(n == 1);
    *value = (long long)stack[0];
    return true;
}

static void check_formula(const struct preset_definition *definition)
{
    static const long long operands[][MAX_OPERANDS] = {
        {0},
        {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
        {-1, 0, 1000000007, -3, LLONG_MAX, LLONG_MIN, 0, 7, 1LL << 53, -(1LL << 62), 10, 100},
        {LLONG_MAX, LLONG_MAX, LLONG_MAX, LLONG_MIN, LLONG_MIN, LLONG_MIN, -1, -1, 1, 1, 0, 0}};
    struct formula again;
    REQUIRE(formula_compile(definition->postfix, definition->n_natives, &again, NULL) == 0);
    REQUIRE(memcmp(&again, &definition->formula, sizeof again) == 0);
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        long long expected, value = formula_value(&definition->formula, operands[i]);
        if (simple_value(&definition->formula, operands[i], &expected))
            REQUIRE(value == expected);
    }
}

static void print_field(FILE *out, const char *text)
{
    fputs(",\"", out);
    for (; *text != '\0'; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    putc('"', out);
}

static bool is_keyword(const char *native)
{
    return strcmp(native, "NOTE") == 0 || strcmp(native, "SDESC") == 0 || strcmp(native, "LDESC") == 0;
}

/* As a row again it is the same definition. */
static void check_round_trip(const char *name, const struct preset_definition *definition)
{
    static struct preset_table table;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "CPU,even\nPRESET,%s,%s", name, derivation_name(definition->derivation));
    if (definition->derivation == DERIVED_POSTFIX)
        print_field(out, definition->postfix);
    for (int i = 0; i < definition->n_natives; i++) {
        REQUIRE(!is_keyword(definition->native[i]));
        print_field(out, definition->native[i]);
    }
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    REQUIRE(presets_read(&table, in, "again", every_second, NULL) == 1);
    fclose(in);
    REQUIRE(table.n_faults == 0);
    struct preset_definition *read = *presets_place(&table, presets_code(&table, name));
    REQUIRE(read->derivation == definition->derivation && read->n_natives == definition->n_natives);
    for (int i = 0; i < read->n_natives; i++)
        REQUIRE(strcmp(read->native[i], definition->native[i]) == 0);
    REQUIRE(memcmp(&read->formula, &definition->formula, sizeof read->formula) == 0);
    presets_free(&table);
    free(text);
}

static void check_definition(struct preset_table *table, int code)
{
    const struct preset_definition *definition = *presets_place(table, code);
    if (definition == NULL)
        return;
    REQUIRE(definition->n_natives > 0 && definition->n_natives <= MAX_OPERANDS);
    for (int i = 0; i < definition->n_natives; i++) {
        REQUIRE(definition->native[i][0] != '\0');
        fuzz_visible(definition->native[i]);
    }
    fuzz_visible(presets_symbol(table, code));
    fuzz_visible(presets_short_descr(table, code));
    fuzz_visible(presets_long_descr(table, code));
    REQUIRE(presets_code(table, presets_symbol(table, code)) == code);
    if (definition->derivation == DERIVED_POSTFIX)
        check_formula(definition);
    if (definition->derivation <= DERIVED_POSTFIX && (code & PAPI_UE_MASK) == PAPI_PRESET_MASK)
        check_round_trip(presets_symbol(table, code), definition);
}

static void check_table(struct preset_table *table)
{
    REQUIRE((table->n_faults > 0) == (table->faults[0] != '\0'));
    REQUIRE(memchr(table->faults, '\0', sizeof table->faults) != NULL);
    REQUIRE(table->n_presets <= MAX_PRESETS && table->n_users <= MAX_USER_EVENTS);
    for (int i = 0; i < table->n_presets; i++)
        check_definition(table, PAPI_PRESET_MASK | i);
    for (int i = 0; i < table->n_users; i++)
        check_definition(table, PAPI_UE_MASK | i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct preset_table table;
    static const struct preset_machine machine = {.matches = every_second};
    struct reason why = {0};
    const char *path = fuzz_file(0, data, size);
    FILE *file = fopen(path, "re");
    REQUIRE(file != NULL);
    presets_read(&table, file, "tables", every_second, NULL);
    fclose(file);
    check_table(&table);
    presets_free(&table);
    if (presets_read_events(&table, path, &machine, &why) != PAPI_OK)
        fuzz_reason(why.text);
    else
        REQUIRE(table.n_faults == 0);
    check_table(&table);
    presets_free(&table);
    return 0;
}
