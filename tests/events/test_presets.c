/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables of presets: which rows are taken, what is wrong with the others, and derived values. The
 * built-in tables are this program's own.
 */
#include "testing.h"

#include "events/presets.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char preset_tables_csv[] = "CPU,here\n"
                                 "PRESET,PAPI_TOT_CYC,NOT_DERIVED,CYCLES\n"
                                 "PRESET,PAPI_TOT_INS,NOT_DERIVED,INSTRUCTIONS\n"
                                 "CPU,generic\n"
                                 "PRESET,PAPI_TOT_INS,NOT_DERIVED,GENERIC\n";

static bool is_here(const char *name, void *context)
{
    int *asked = context;
    if (asked != NULL)
        ++*asked;
    return strcmp(name, "here") == 0 || strcmp(name, "here too") == 0;
}

static bool is_nowhere(const char *name, void *context)
{
    (void)name, (void)context;
    return false;
}

/* The number of rows that are read from a table, which is a text or, with null bytes, any memory. */
static int read_bytes(struct preset_table *table, const char *text, size_t size)
{
    FILE *file = fmemopen((void *)text, size, "r");
    assert_non_null(file);
    memset(table, 0, sizeof *table);
    int taken = presets_read(table, file, "my.csv", is_here, NULL);
    fclose(file);
    return taken;
}

static int read_text(struct preset_table *table, const char *text)
{
    return read_bytes(table, text, strlen(text));
}

static const struct preset_definition *definition(const struct preset_table *table, unsigned code)
{
    return table->definition[code & PAPI_UE_AND_MASK];
}

static int how_many(const struct preset_table *table)
{
    int n = 0;
    for (int i = 0; i < PRESET_COUNT; i++)
        n += table->definition[i] != NULL;
    return n;
}

#define INS(cpu) cpu "PRESET,PAPI_TOT_INS,NOT_DERIVED,"

/* ---- which tables are for this machine */

static const struct {
    const char *text;
    int taken;
    const char *native; /* of PAPI_TOT_INS */
} tables[] = {
    {INS("CPU,here\n") "A\n", 1, "A"},
    {INS("CPU,there\n") "A\n", 0, NULL},
    {INS("") "A\n", 0, NULL},
    {"", 0, NULL},
    {"CPU,here\n", 0, NULL},
    /* CPU rows in sequence are synonyms, wherever the right one is among them. */
    {INS("CPU,here\nCPU,there\n") "A\n", 1, "A"},
    {INS("CPU,there\nCPU,here\n") "A\n", 1, "A"},
    {INS("CPU,a\nCPU,here\nCPU,b\nCPU,c\n") "A\n", 1, "A"},
    {INS("CPU,here\nCPU,here too\n") "A\n", 1, "A"},
    {INS("CPU,a\nCPU,b\n") "A\n", 0, NULL},
    /* Comments and empty rows do not part them. */
    {INS("CPU,here\n# a comment\n\n \t\n,,,\nCPU,there\n") "A\n", 1, "A"},
    /* Behind a PRESET row a new table begins. */
    {INS("CPU,here\n") INS("A\nCPU,there\n") "B\n", 1, "A"},
    {INS("CPU,there\n") INS("A\nCPU,here\n") "B\n", 1, "B"},
    {INS("CPU,here\n") INS("A\nCPU,there\nCPU,here\n") "B\n", 2, "B"},
    /* Later ones replace earlier ones: in one table, in a second one of the name, of a synonym. */
    {INS("CPU,here\n") INS("A\n") "B\n", 2, "B"},
    {INS("CPU,here\n") INS("A\nCPU,here\n") "B\n", 2, "B"},
    {INS("CPU,here\n") INS("A\nCPU,there\n") INS("B\nCPU,here too\n") "C\n", 2, "C"},
    {INS(" CPU , here \n") "A\n", 1, "A"},
    {INS("\"CPU\",\"here\"\n") "\"A:b=1,c\"\n", 1, "A:b=1,c"},
    {INS("CPU,here,further,fields\n") "A\n", 1, "A"},
};

static void tables_for_this_machine(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(tables); i++) {
        struct preset_table table;
        int taken = read_text(&table, tables[i].text);
        const struct preset_definition *found = definition(&table, PAPI_TOT_INS);
        if (taken != tables[i].taken)
            print_error("table: %s\n", tables[i].text);
        assert_int_equal(taken, tables[i].taken);
        assert_string_equal(table.faults, "");
        assert_int_equal(table.n_faults, 0);
        assert_int_equal(how_many(&table), tables[i].native != NULL);
        assert_int_equal(found != NULL, tables[i].native != NULL);
        if (found != NULL) {
            assert_int_equal(found->n_natives, 1);
            assert_string_equal(found->native[0], tables[i].native);
        }
        presets_free(&table);
        assert_int_equal(how_many(&table), 0);
    }
}

static void a_later_fault_replaces_nothing(void **state)
{
    (void)state;
    struct preset_table table;
    assert_int_equal(read_text(&table, INS("CPU,here\n") INS("A\n") "\n"), 1);
    assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], "A");
    assert_int_equal(table.n_faults, 1);
    presets_free(&table);
}

static void the_matcher_gets_its_context(void **state)
{
    (void)state;
    static const char text[] = "CPU,a\nCPU,b\nCPU,here\n";
    struct preset_table table = {0};
    int asked = 0;
    FILE *file = fmemopen((void *)text, sizeof text - 1, "r");
    assert_non_null(file);
    presets_read(&table, file, "my.csv", is_here, &asked);
    fclose(file);
    assert_true(asked >= 1 && asked <= 3);
}

/* ---- line ends */

static void line_ends(void **state)
{
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    static const char *const lines[] = {
        "# comment, with \"one quote",
        "CPU,here",
        "",
        "PRESET,PAPI_L1_DCM,ROUND,X",
        INS("") "A B",
        "PRESET,PAPI_TOT_CYC,NOT_DERIVED,C,NOTE,\"a, b\"",
        "junk",
        INS("") "LAST,NOTE,x",
    };
    (void)state;
    /* The last kind mixes them; the last line ends or not. */
    for (size_t kind = 0; kind <= COUNT(ends); kind++)
        for (int ended = 0; ended < 2; ended++) {
            char text[1024] = "";
            for (size_t i = 0; i < COUNT(lines); i++) {
                strcat(text, lines[i]);
                if (i + 1 < COUNT(lines) || ended)
                    strcat(text, ends[kind < COUNT(ends) ? kind : i % COUNT(ends)]);
            }
            struct preset_table table;
            assert_int_equal(read_text(&table, text), 3);
            assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], "LAST");
            assert_string_equal(definition(&table, PAPI_TOT_INS)->note, "x");
            assert_string_equal(definition(&table, PAPI_TOT_CYC)->native[0], "C");
            assert_string_equal(definition(&table, PAPI_TOT_CYC)->note, "a, b");
            assert_int_equal(table.n_faults, 2);
            /* Mixed: a CR and the LF of the next empty line are one end. */
            if (kind < COUNT(ends))
                assert_string_equal(table.faults, "my.csv:4: \"ROUND\" is not a type of derivation; "
                                                  "my.csv:7: neither a CPU, a PRESET nor an EVENT row");
            presets_free(&table);
        }
}

/* ---- one definition */

static void derivations(void **state)
{
    static const struct {
        const char *row;
        enum derivation derivation;
        int n;
        const char *postfix, *note;
    } rows[] = {
        {"NOT_DERIVED,E0", NOT_DERIVED, 1, NULL, NULL},
        {"NOT_DERIVED,E0,NOTE,text", NOT_DERIVED, 1, NULL, "text"},
        {"NOT_DERIVED,E0,NOTE,\"one, \"\"two\"\"\"", NOT_DERIVED, 1, NULL, "one, \"two\""},
        {"NOT_DERIVED,E0,NOTE", NOT_DERIVED, 1, NULL, NULL},
        {"NOT_DERIVED,E0,,,", NOT_DERIVED, 1, NULL, NULL},
        {"NOT_DERIVED,,E0", NOT_DERIVED, 1, NULL, NULL},
        {"DERIVED_ADD,E0,E1", DERIVED_ADD, 2, NULL, NULL},
        {"DERIVED_ADD,E0,,E1,,NOTE,text", DERIVED_ADD, 2, NULL, "text"},
        {"DERIVED_SUB,E0,E1,E2", DERIVED_SUB, 3, NULL, NULL},
        {"DERIVED_CMPD,E0,E1", DERIVED_CMPD, 2, NULL, NULL},
        {"DERIVED_POSTFIX,N0|,E0", DERIVED_POSTFIX, 1, "N0|", NULL},
        {"DERIVED_POSTFIX,N0|N1|/|100|*|,E0,E1,NOTE,percent", DERIVED_POSTFIX, 2, "N0|N1|/|100|*|",
         "percent"},
        {"DERIVED_POSTFIX,N11|,E0,E1,E2,E3,E4,E5,E6,E7,E8,E9,E10,E11", DERIVED_POSTFIX, 12, "N11|", NULL},
        {"DERIVED_ADD,E0,E1,E2,E3,E4,E5,E6,E7,E8,E9,E10,E11", DERIVED_ADD, 12, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[256], name[8];
        snprintf(text, sizeof text, "CPU,here\nPRESET,PAPI_FP_OPS,%s\n", rows[i].row);
        struct preset_table table;
        assert_int_equal(read_text(&table, text), 1);
        const struct preset_definition *found = definition(&table, PAPI_FP_OPS);
        assert_int_equal(found->derivation, rows[i].derivation);
        assert_int_equal(found->n_natives, rows[i].n);
        for (int k = 0; k < rows[i].n; k++) {
            snprintf(name, sizeof name, "E%d", k);
            assert_string_equal(found->native[k], name);
        }
        assert_int_equal(found->postfix != NULL, rows[i].postfix != NULL);
        if (found->postfix != NULL)
            assert_string_equal(found->postfix, rows[i].postfix);
        assert_true(found->formula.n_steps > 0);
        assert_int_equal(found->note != NULL, rows[i].note != NULL);
        if (found->note != NULL)
            assert_string_equal(found->note, rows[i].note);
        assert_int_equal(table.n_faults, 0);
        presets_free(&table);
    }
}

/* ---- what the processor cannot count */

static void absences(void **state)
{
#define NONE "PRESET,PAPI_TOT_INS,NONE,NOTE,"
    static const struct {
        const char *text;
        int taken;
        const char *native, *absence; /* of PAPI_TOT_INS */
    } cases[] = {
        {"CPU,here\n" NONE "\"no event, none\"\n", 1, NULL, "no event, none"},
        {"CPU,there\n" NONE "no event\n", 0, NULL, NULL},
        {NONE "no event\n", 0, NULL, NULL},
        /* It takes a definition away, and a later definition takes its place. */
        {INS("CPU,here\n") "A\n" NONE "gone\n", 2, NULL, "gone"},
        {INS("CPU,here\nCPU,there\n") "A\nCPU,here\n" NONE "gone\n", 2, NULL, "gone"},
        {INS("CPU,here\n") "A\nCPU,there\n" NONE "gone\n", 1, "A", NULL},
        {"CPU,here\n" NONE "gone\n" INS("") "A\n", 2, "A", NULL},
        {"CPU,here\n" NONE "one\n" NONE "two\n", 2, NULL, "two"},
        {INS("CPU,here\n") "A\n" NONE "one\n" INS("") "B\n" NONE "two\n", 4, NULL, "two"},
        {"CPU,here\n" NONE "gone,SDESC,ignored\n", 1, NULL, "gone"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct preset_table table;
        assert_int_equal(read_text(&table, cases[i].text), cases[i].taken);
        assert_string_equal(table.faults, "");
        const struct preset_definition *found = definition(&table, PAPI_TOT_INS);
        assert_int_equal(found != NULL, cases[i].native != NULL);
        if (found != NULL)
            assert_string_equal(found->native[0], cases[i].native);
        const char *absence = presets_absence(&table, (int)PAPI_TOT_INS);
        assert_int_equal(absence != NULL, cases[i].absence != NULL);
        if (absence != NULL)
            assert_string_equal(absence, cases[i].absence);
        assert_null(presets_absence(&table, (int)PAPI_TOT_CYC));
        assert_null(presets_absence(&table, PAPI_PRESET_MASK | PRESET_COUNT));
        presets_free(&table);
    }
}

static void rows_with_faults(void **state)
{
    static const struct {
        const char *row, *fault;
    } rows[] = {
        {"PRESET", "\"\" is not a preset"},
        {"PRESET,", "\"\" is not a preset"},
        {"PRESET,PAPI_NO_SUCH,NOT_DERIVED,E", "\"PAPI_NO_SUCH\" is not a preset"},
        {"PRESET,PAPI_FP_OPS", "\"\" is not a type of derivation"},
        {"PRESET,PAPI_FP_OPS,E", "\"E\" is not a type of derivation"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED", "NOT_DERIVED needs a native event"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED,,", "NOT_DERIVED needs a native event"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED,NOTE,text", "NOT_DERIVED needs a native event"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED,E,E", "NOT_DERIVED takes one native event, not 2"},
        {"PRESET,PAPI_FP_OPS,DERIVED_ADD,E", "DERIVED_ADD needs more than one native event"},
        {"PRESET,PAPI_FP_OPS,DERIVED_SUB,E", "DERIVED_SUB needs more than one native event"},
        {"PRESET,PAPI_FP_OPS,DERIVED_CMPD,E", "DERIVED_CMPD needs more than one native event"},
        {"PRESET,PAPI_FP_OPS,DERIVED_ADD,E,E,E,E,E,E,E,E,E,E,E,E,E", "more than 12 native events"},
        {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX", "DERIVED_POSTFIX needs a native event"},
        {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|", "DERIVED_POSTFIX needs a native event"},
        {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N1|,E", "the formula names N1 but there are 1 native events"},
        {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|0|/|,E", "the formula divides by 0"},
        {"PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,,E", "the formula leaves 0 values instead of one"},
        {"PRESET,PAPI_FP_OPS,NONE", "NONE needs a NOTE that says why"},
        {"PRESET,PAPI_FP_OPS,NONE,NOTE", "NONE needs a NOTE that says why"},
        {"PRESET,PAPI_FP_OPS,NONE,NOTE,", "NONE needs a NOTE that says why"},
        {"PRESET,PAPI_FP_OPS,NONE,E,NOTE,text", "NONE takes no events"},
        {"PRESET,PAPI_NO_SUCH,NONE,NOTE,text", "\"PAPI_NO_SUCH\" is not a preset"},
        {"PRESET,PAPI_FP_OPS,none,NOTE,text", "\"none\" is not a type of derivation"},
        {"EVENT,x,NONE,NOTE,text", "\"NONE\" is not a type of derivation"},
        {"CPU", "a CPU row without a name"},
        {"CPU,", "a CPU row without a name"},
        {"EVENT,x", "\"\" is not a type of derivation"},
        {"EVENT", "\"\" is not a name for an event (letters, digits, _ - .)"},
        {"EVENT,perf::X,NOT_DERIVED,E", "\"perf::X\" is not a name for an event (letters, digits, _ - .)"},
        {"EVENT,papi_tot_ins,NOT_DERIVED,E", "papi_tot_ins is a preset: a PRESET row defines it"},
        {"EVENT,x,NOT_DERIVED,E,E", "NOT_DERIVED takes one native event, not 2"},
        {"NOTHING,x", "neither a CPU, a PRESET nor an EVENT row"},
        {"preset,PAPI_FP_OPS,NOT_DERIVED,E", "neither a CPU, a PRESET nor an EVENT row"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED,\"E", "a quote without its end"},
        {"PRESET,PAPI_FP_OPS,NOT_DERIVED,E,,,,,,,,,,,,,,,,,,,,,,,,,,,,,", "too many fields"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[256], fault[128];
        snprintf(text, sizeof text, "CPU,here\n\n%s\n", rows[i].row);
        snprintf(fault, sizeof fault, "my.csv:3: %s", rows[i].fault);
        struct preset_table table;
        assert_int_equal(read_text(&table, text), 0);
        assert_int_equal(table.n_faults, 1);
        assert_string_equal(table.faults, fault);
        assert_int_equal(how_many(&table), 0);
        presets_free(&table);
        /* Tables of other machines are checked too. */
        text[4] = 't';
        assert_int_equal(read_text(&table, text), 0);
        assert_string_equal(table.faults, fault);
        presets_free(&table);
    }
}

static void three_faults_are_kept(void **state)
{
    (void)state;
    struct preset_table table;
    assert_int_equal(read_text(&table, INS("one\nCPU,here\ntwo\nthree\n") "A\nfour\nfive\n"), 1);
    assert_int_equal(table.n_faults, 5);
    assert_string_equal(table.faults, "my.csv:1: neither a CPU, a PRESET nor an EVENT row; "
                                      "my.csv:3: neither a CPU, a PRESET nor an EVENT row; "
                                      "my.csv:4: neither a CPU, a PRESET nor an EVENT row");
    presets_free(&table);
}

static void faults_with_long_names(void **state)
{
    (void)state;
    struct {
        struct preset_table table;
        char behind[8];
    } box = {.behind = "intact"};
    char *name = test_text(4000, "folder/"), *text = test_text(400, "bad\n");
    FILE *file = fmemopen(text, 400, "r");
    assert_non_null(file);
    assert_int_equal(presets_read(&box.table, file, name, is_here, NULL), 0);
    fclose(file);
    assert_int_equal(box.table.n_faults, 100);
    assert_int_equal(strncmp(box.table.faults, name, 200), 0);
    assert_non_null(strstr(box.table.faults, ":1: neither a CPU, a PRESET nor an EVENT row"));
    assert_true(strlen(box.table.faults) < sizeof box.table.faults);
    assert_string_equal(box.behind, "intact");
    free(name);
    free(text);
}

/* ---- files that are not tables */

static void null_bytes(void **state)
{
    (void)state;
    static const char text[] =
        INS("CPU,here\n") INS("A\n") "B\0hidden\n" INS("") "\0\n\0\0\n"
                                                           "PRESET,PAPI_TOT_CYC,NOT_DERIVED,C\n";
    struct preset_table table;
    assert_int_equal(read_bytes(&table, text, sizeof text - 1), 2);
    assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], "A");
    assert_string_equal(definition(&table, PAPI_TOT_CYC)->native[0], "C");
    assert_int_equal(table.n_faults, 3);
    assert_string_equal(table.faults, "my.csv:3: a null byte: this is not a text file; "
                                      "my.csv:4: a null byte: this is not a text file; "
                                      "my.csv:5: a null byte: this is not a text file");
    presets_free(&table);
}

static void very_long_lines(void **state)
{
    enum { LENGTH = 1 << 20 };
    static const char head[] = INS("CPU,here\n"),
                      tail[] = "\n" INS("") "LAST\nPRESET,PAPI_TOT_CYC,NOT_DERIVED,C\n";
    static const struct {
        const char *pattern;
        int taken;
        const char *fault;
    } cases[] = {
        {"EVENT", 3, ""},
        {"E,", 2, "my.csv:2: too many fields"},
        {"\"", 3, ""},
        {" ", 2, "my.csv:2: NOT_DERIVED needs a native event"},
        {"\r", 2, "my.csv:2: NOT_DERIVED needs a native event"},
        {"#\n", 3, ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *middle = test_text(LENGTH, cases[i].pattern),
             *text = malloc(LENGTH + sizeof head + sizeof tail);
        assert_non_null(text);
        strcpy(text, head);
        strcat(text, middle);
        strcat(text, tail);
        struct preset_table table;
        assert_int_equal(read_text(&table, text), cases[i].taken);
        assert_string_equal(table.faults, cases[i].fault);
        assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], "LAST");
        assert_string_equal(definition(&table, PAPI_TOT_CYC)->native[0], "C");
        presets_free(&table);
        free(middle);
        free(text);
    }
    /* A name of any length is kept whole. */
    char *name = test_text(LENGTH, "EVENT"), *text = malloc(LENGTH + sizeof head);
    assert_non_null(text);
    strcat(strcpy(text, head), name);
    struct preset_table table;
    assert_int_equal(read_text(&table, text), 1);
    assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], name);
    presets_free(&table);
    free(name);
    free(text);
}

/* A table with some bytes changed: nothing but definitions and faults comes of it. */
static void any_bytes(void **state)
{
    static const char good[] =
        "# tables\r\nCPU,here\nCPU,\"here too\"\n"
        "PRESET,PAPI_TOT_INS,NOT_DERIVED,A::B:c=0x1\n"
        "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|*|N1|+|,A,\"B,C\",NOTE,\"a \"\"b\"\"\"\r"
        "PRESET,PAPI_TOT_CYC,DERIVED_ADD,A,B,,C\n"
        "PRESET,PAPI_L1_DCM,DERIVED_SUB,A,B,NOTE,x\n"
        "PRESET,PAPI_L1_DCM,NONE,NOTE,\"why, not\"\n";
    (void)state;
    for (int round = 0; round < (test_under_valgrind() ? 3000 : 20000); round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (unsigned i = 1 + test_random(6); i > 0; i--)
            text[test_random(sizeof good - 1)] = "\n\r\0,\"| N9#CP/\xff"[test_random(14)];
        struct preset_table table;
        int taken = read_bytes(&table, text, 1 + test_random(sizeof good - 1));
        assert_true(taken >= how_many(&table) && taken <= 8);
        assert_int_equal(table.n_faults > 0, table.faults[0] != '\0');
        for (int i = 0; i < PRESET_COUNT; i++)
            if (table.definition[i] != NULL)
                assert_true(table.definition[i]->n_natives >= 1);
        presets_free(&table);
    }
}

/* ---- the tables of the library and of the user */

static void check_load(const char *file, pmu_matcher *matches, const char *ins, const char *cyc)
{
    struct preset_table table;
    memset(&table, 0xa5, sizeof table);
    presets_load(&table, file, NULL, &(struct preset_machine){.matches = matches}, NULL);
    assert_string_equal(table.faults, "");
    assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], ins);
    assert_int_equal(definition(&table, PAPI_TOT_CYC) != NULL, cyc != NULL);
    if (cyc != NULL)
        assert_string_equal(definition(&table, PAPI_TOT_CYC)->native[0], cyc);
    presets_free(&table);
}

static void tables_are_loaded(void **state)
{
    char path[256];
    (void)state;
    const char *folder = test_folder();
    test_file(folder, "user.csv", INS("CPU,here\n") "USER\nCPU,generic\n" INS("") "NEVER\n");
    snprintf(path, sizeof path, "%s/user.csv", folder);
    check_load(NULL, is_here, "INSTRUCTIONS", "CYCLES");
    check_load(path, is_here, "USER", "CYCLES");
    /* A processor without a table: the kernel's events stand in, and the user's table is on top. */
    check_load(NULL, is_nowhere, "GENERIC", NULL);
    check_load(path, is_nowhere, "GENERIC", NULL);
    test_folder_remove(folder);
}

static void check_bad_file(const char *folder, const char *name, const char *fault)
{
    char path[256], wanted[512];
    snprintf(path, sizeof path, "%s%s", folder, name);
    snprintf(wanted, sizeof wanted, "%s: %s", path, fault);
    struct preset_table table;
    presets_load(&table, path, NULL, &(struct preset_machine){.matches = is_here}, NULL);
    assert_int_equal(table.n_faults, 1);
    assert_string_equal(table.faults, wanted);
    assert_string_equal(definition(&table, PAPI_TOT_INS)->native[0], "INSTRUCTIONS");
    presets_free(&table);
}

static void files_of_users_that_are_none(void **state)
{
    char path[256];
    (void)state;
    const char *folder = test_folder();
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    check_bad_file(folder, "/missing.csv", "No such file or directory");
    check_bad_file(folder, "", "not a regular file");
    check_bad_file(folder, "/pipe", "not a regular file");
    check_bad_file("/dev", "/zero", "not a regular file");
    test_folder_remove(folder);
}

/* ---- values */

static void derived_values(void **state)
{
    static const struct {
        enum derivation derivation;
        int n;
        long long value;
    } cases[] = {
        {NOT_DERIVED, 1, 100},  {DERIVED_ADD, 2, 107},    {DERIVED_ADD, 4, 8999999999990002LL},
        {DERIVED_SUB, 2, 93},   {DERIVED_SUB, 3, 98},     {DERIVED_SUB, 4, -8999999999989802LL - 10 + 10},
        {DERIVED_CMPD, 4, 100}, {DERIVED_POSTFIX, 2, 14}, {DERIVED_ADD, 1, 100},
        {DERIVED_SUB, 1, 100},
    };
    static const long long operand[] = {100, 7, -5, 8999999999989900LL};
    (void)state;
    struct formula formula;
    assert_int_equal(formula_compile("N0|N1|/|", 2, &formula, NULL), PAPI_OK);
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_true(derived_value(cases[i].derivation, &formula, cases[i].n, operand) == cases[i].value);
}

static void derivations_have_names(void **state)
{
    (void)state;
    assert_string_equal(derivation_name(NOT_DERIVED), "NOT_DERIVED");
    assert_string_equal(derivation_name(DERIVED_ADD), "DERIVED_ADD");
    assert_string_equal(derivation_name(DERIVED_SUB), "DERIVED_SUB");
    assert_string_equal(derivation_name(DERIVED_CMPD), "DERIVED_CMPD");
    assert_string_equal(derivation_name(DERIVED_POSTFIX), "DERIVED_POSTFIX");
}

static void presets_are_where_their_codes_say(void **state)
{
    (void)state;
    for (int i = 0; i < PRESET_COUNT; i++) {
        assert_non_null(preset_list[i].symbol);
        assert_int_equal(strncmp(preset_list[i].symbol, "PAPI_", 5), 0);
        assert_true(strlen(preset_list[i].short_descr) < PAPI_MIN_STR_LEN);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(preset_list[i].symbol, preset_list[k].symbol);
    }
    assert_string_equal(preset_list[PAPI_TOT_INS & PAPI_UE_AND_MASK].symbol, "PAPI_TOT_INS");
    assert_string_equal(preset_list[PAPI_L1_DCM & PAPI_UE_AND_MASK].symbol, "PAPI_L1_DCM");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_for_this_machine),
        cmocka_unit_test(a_later_fault_replaces_nothing),
        cmocka_unit_test(the_matcher_gets_its_context),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(derivations),
        cmocka_unit_test(absences),
        cmocka_unit_test(rows_with_faults),
        cmocka_unit_test(three_faults_are_kept),
        cmocka_unit_test(faults_with_long_names),
        cmocka_unit_test(null_bytes),
        cmocka_unit_test(very_long_lines),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(tables_are_loaded),
        cmocka_unit_test(files_of_users_that_are_none),
        cmocka_unit_test(derived_values),
        cmocka_unit_test(derivations_have_names),
        cmocka_unit_test(presets_are_where_their_codes_say),
    };
    return TEST_RUN(tests);
}
