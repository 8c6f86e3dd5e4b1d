/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tables that a rule chooses: which processors a rule means, which table goes before which, and the sums of
 * processors whose cores have several PMUs. The built-in tables are this program's own.
 */
#include "testing.h"

#include "events/presets.h"
#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char preset_tables_csv[] =
    "CPU,known\n"
    "PRESET,PAPI_L1_DCM,NOT_DERIVED,KNOWN\n"
    /* before the generic table and the less exact rule in the file, and all the same on top of them */
    "CPU,x86:GenuineIntel:6:0xcf\n"
    "PRESET,PAPI_TOT_INS,NOT_DERIVED,\"/event=0xc0,umask=1/\",NOTE,mine\n"
    "PRESET,PAPI_BR_MSP,NONE,NOTE,It miscounts.\n"
    "CPU,sysfs:c*\n"
    "PRESET,PAPI_TOT_INS,NOT_DERIVED,/any/\n"
    "PRESET,PAPI_BR_MSP,NOT_DERIVED,/any/\n"
    "PRESET,PAPI_LD_INS,NOT_DERIVED,/loads/\n"
    "CPU,generic\n"
    "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CYCLES\n"
    "PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::INSTRUCTIONS\n"
    "CPU,sysfs:big\n"
    "PRESET,PAPI_TOT_CYC,NOT_DERIVED,/cycles/\n"
    "PRESET,PAPI_TOT_INS,NOT_DERIVED,/ins/,NOTE,the same\n"
    "PRESET,PAPI_BR_INS,DERIVED_ADD,/b0/,/b1/\n"
    "PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|N1|2|*|+|,/s/,/v/,NOTE,Of big ones.\n"
    "PRESET,PAPI_BR_MSP,NOT_DERIVED,/misses/\n"
    "PRESET,PAPI_VEC_INS,NOT_DERIVED,/vectors/\n"
    "PRESET,PAPI_LST_INS,DERIVED_ADD,/l0/,/l1/,/l2/,/l3/,/l4/,/l5/\n"
    "CPU,sysfs:little\n"
    "PRESET,PAPI_TOT_CYC,NOT_DERIVED,/cycles/\n"
    "PRESET,PAPI_TOT_INS,NOT_DERIVED,/ins/,NOTE,the same\n"
    "PRESET,PAPI_BR_INS,NOT_DERIVED,/b/\n"
    "PRESET,PAPI_FP_OPS,DERIVED_SUB,/all/,/int/,NOTE,Of little ones.\n"
    "PRESET,PAPI_BR_MSP,NONE,NOTE,They cannot.\n"
    "PRESET,PAPI_LST_INS,DERIVED_ADD,/l0/,/l1/,/l2/,/l3/,/l4/,/l5/,/l6/\n";

/* ---- which processors a rule means */

static const struct core_pmu emerald = {"cpu", {"x86", "GenuineIntel", 6, 0xcf}};
static const struct core_pmu atom = {"cpu_atom", {"x86", "GenuineIntel", 6, 0x97}};
static const struct core_pmu u74 = {"cpu", {"riscv64", "", 0x489, 7}};
static const struct core_pmu power11 = {"cpu", {"ppc64", "", 0x82, 0x200}};
static const struct core_pmu grace = {"armv8_pmuv3_0", {"arm64", "", 0x41, 0xd4f}};
static const struct core_pmu nobody = {"cpu", {"", "", 0, 0}};

static void rules_match(void **state)
{
    static const struct {
        const char *rule;
        const struct core_pmu *core;
        enum rule_rank rank;
    } cases[] = {
        {"x86:GenuineIntel:6:0xcf", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:207", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:0xce|0xcf", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:1-3|0xc0-0xcf|9", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:*", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:*:*:*", &emerald, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:0xce", &emerald, RULE_NONE},
        {"x86:GenuineIntel:6:0xd0-0xff", &emerald, RULE_NONE},
        {"x86:GenuineIntel:5:0xcf", &emerald, RULE_NONE},
        {"x86:AuthenticAMD:6:0xcf", &emerald, RULE_NONE},
        {"arm64:6:0xcf", &emerald, RULE_NONE},
        {"sysfs:cpu", &emerald, RULE_PMU},
        {"sysfs:cpu_core|cpu", &emerald, RULE_PMU},
        {"sysfs:cpu_core", &emerald, RULE_NONE},
        {"sysfs:c*", &emerald, RULE_PMU},
        {"sysfs:cpu_*", &emerald, RULE_NONE},
        /* Without a PMU the rule is for processors that are not hybrid. */
        {"x86:GenuineIntel:6:0x97", &atom, RULE_NONE},
        {"x86:GenuineIntel:6:0x97:cpu_core", &atom, RULE_NONE},
        {"x86:GenuineIntel:6:0x97:cpu_core|cpu_atom", &atom, RULE_PROCESSOR},
        {"x86:GenuineIntel:6:0x97:cpu_*", &atom, RULE_PROCESSOR},
        {"arm64:0x41:0xd4f", &grace, RULE_PROCESSOR},
        {"riscv64:0x489:7", &u74, RULE_PROCESSOR},
        {"riscv64:0x489:7:cpu", &u74, RULE_PROCESSOR},
        {"riscv64:0x489:8", &u74, RULE_NONE},
        {"ppc64:0x82:*", &power11, RULE_PROCESSOR},
        {"ppc64:0x80:*", &power11, RULE_NONE},
        {"arm64:0x489:7", &u74, RULE_NONE},
        {"riscv64:0x41:0xd4f", &grace, RULE_NONE},
        {"arm64:65:*", &grace, RULE_PROCESSOR},
        {"arm64:0x41:0xd4f:armv8_pmuv3_*", &grace, RULE_PROCESSOR},
        {"arm64:0x41:0xd4f:armv8_neoverse_v2", &grace, RULE_NONE},
        {"arm64:0x41:0xd40", &grace, RULE_NONE},
        {"sysfs:armv8_*", &grace, RULE_PMU},
        {"x86:GenuineIntel:0:0", &nobody, RULE_NONE},
        {"arm64:0:0", &nobody, RULE_NONE},
        {"sysfs:*", &nobody, RULE_PMU},
        {"icx", &emerald, RULE_NONE},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum rule_rank rank = rule_matches(cases[i].rule, cases[i].core);
        if (rank != cases[i].rank)
            print_error("%s on %s: %d\n", cases[i].rule, cases[i].core->name, (int)rank);
        assert_int_equal(rank, cases[i].rank);
        assert_int_equal(rule_has_form(cases[i].rule), strcmp(cases[i].rule, "icx") != 0);
        if (rule_has_form(cases[i].rule))
            assert_int_equal(rule_check(cases[i].rule, NULL), PAPI_OK);
    }
}

static void wrong_rules(void **state)
{
    static const char *const rules[] = {
        "x86:",
        "x86:GenuineIntel",
        "x86:GenuineIntel:6",
        "x86:GenuineIntel:6:1:cpu:more",
        "x86::6:1",
        "x86:A:6:",
        "x86:A:6:0x",
        "x86:A:6:1|",
        "x86:A:6:|1",
        "x86:A:6:3-1",
        "x86:A:6:1-",
        "x86:A:6:-1",
        "x86:A:6:ff",
        "x86:A:6:99999",
        "x86:A:six:1",
        "x86:A:6:1:",
        "arm64:0x41",
        "arm64:0x41:1:a:b",
        "arm64:ARM:1",
        "riscv64:0x489",
        "riscv64:SiFive:7",
        "sysfs:",
        "sysfs:a*b",
        "sysfs:a|",
        "sysfs:a b",
        "sysfs:a/b",
        "sysfs:a:b",
        "x86:A:6:1 ",
        "x86:A:6:99999999999999999999",
    };
    struct reason why = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(rules); i++) {
        assert_true(rule_has_form(rules[i]));
        REFUSED(rule_check(rules[i], &why), PAPI_EINVAL, &why, "");
        assert_int_equal(rule_matches(rules[i], &nobody), RULE_NONE);
    }
    char *name = test_text(5000, "x86:1|");
    REFUSED(rule_check(name, &why), PAPI_EINVAL, &why, "is not x86:VENDOR");
    assert_int_equal(rule_matches(name, &emerald), RULE_NONE);
    free(name);
}

/* Rules and natives with some bytes changed. */
static void any_rule(void **state)
{
    static const char *const good[] = {"x86:GenuineIntel:6:0x97|1-3:cpu_core|cpu*",
                                       "arm64:0x41:0xd4f|*:armv8_*", "sysfs:cpu|armv8_*",
                                       "/event=0xc7,umask=0x01,inv/uk"};
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char text[64] = ""; /* a change may take away its end */
        snprintf(text, sizeof text, "%s", good[test_random(COUNT(good))]);
        for (unsigned i = 1 + test_random(4); i > 0; i--)
            text[test_random((unsigned)strlen(text) + 1)] = "|:*-,=/ 0x9a\0\xff"[test_random(14)];
        text[sizeof text - 1] = '\0';
        rule_matches(text, &atom);
        if (rule_check(text, NULL) == PAPI_OK)
            assert_true(rule_has_form(text));
        if (!rule_has_form(text))
            assert_int_equal(rule_matches(text, &grace), RULE_NONE);
        if (rule_native_check(text, NULL) == PAPI_OK)
            assert_true(text[0] == '/' && strchr(text + 1, '/') != NULL);
    }
}

static void natives_of_rules(void **state)
{
    static const char *const good[] = {"/a/", "/a-b.c_d/", "/event=0xc0/", "/event=1,umask=0x2,inv/u",
                                       "/a/uk"};
    static const char *const bad[] = {"/",
                                      "//",
                                      "/a",
                                      "a/b/",
                                      "/a,/",
                                      "/,a/",
                                      "/=1/",
                                      "/a=/",
                                      "/a=x/",
                                      "/a b/",
                                      "/a=1=2/",
                                      "/a/x",
                                      "/a/b/c",
                                      "/a=-1/",
                                      "/a= 1/",
                                      "",
                                      "/a=0x1ffffffffffffffff/"};
    struct reason why = {0};
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++)
        assert_int_equal(rule_native_check(good[i], NULL), PAPI_OK);
    for (size_t i = 0; i < COUNT(bad); i++)
        REFUSED(rule_native_check(bad[i], &why), PAPI_EINVAL, &why, "");
}

/* ---- which table */

static bool is_known(const char *name, void *context)
{
    return strcmp(name, context) == 0;
}

static struct preset_table loaded(const char *pmu, const char *file, const struct core_pmu *core, int n)
{
    struct preset_machine machine = {.matches = is_known, .context = (void *)pmu, .n_cores = n};
    struct preset_table table;
    for (int i = 0; i < n; i++)
        machine.core[i] = core[i];
    presets_load(&table, file, NULL, &machine, NULL);
    return table;
}

static const struct preset_definition *find(const struct preset_table *table, unsigned code)
{
    return table->definition[code & PAPI_UE_AND_MASK];
}

static void is_made_of(const struct preset_table *table, unsigned code, const char *derived,
                       const char *natives, const char *postfix)
{
    char text[512] = "";
    const struct preset_definition *found = find(table, code);
    assert_non_null(found);
    for (int i = 0; i < found->n_natives; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, found->native[i]);
    }
    assert_string_equal(text, natives);
    assert_string_equal(derivation_name(found->derivation), derived);
    assert_string_equal(found->postfix ? found->postfix : "", postfix);
}

/* A table of libpfm4's name there goes before all others, and nothing is added to it. */
static void known_processors_keep_their_tables(void **state)
{
    (void)state;
    struct preset_table table = loaded("known", NULL, &emerald, 1);
    is_made_of(&table, PAPI_L1_DCM, "NOT_DERIVED", "KNOWN", "");
    assert_null(find(&table, PAPI_TOT_INS));
    assert_null(find(&table, PAPI_TOT_CYC));
    presets_free(&table);
}

static void rules_lie_on_the_generic_table(void **state)
{
    (void)state;
    struct preset_table table = loaded("", NULL, &emerald, 1);
    is_made_of(&table, PAPI_TOT_CYC, "NOT_DERIVED", "perf::CYCLES", "");
    is_made_of(&table, PAPI_TOT_INS, "NOT_DERIVED", "cpu/event=0xc0,umask=1/", "");
    assert_string_equal(find(&table, PAPI_TOT_INS)->note, "mine");
    is_made_of(&table, PAPI_LD_INS, "NOT_DERIVED", "cpu/loads/", "");
    assert_null(find(&table, PAPI_BR_MSP));
    assert_string_equal(presets_absence(&table, PAPI_BR_MSP), "It miscounts.");
    assert_string_equal(table.faults, "");
    presets_free(&table);

    table = loaded("", NULL, &nobody, 1);
    is_made_of(&table, PAPI_TOT_INS, "NOT_DERIVED", "cpu/any/", "");
    is_made_of(&table, PAPI_BR_MSP, "NOT_DERIVED", "cpu/any/", "");
    presets_free(&table);

    /* No PMU is shown. */
    table = loaded("", NULL, NULL, 0);
    is_made_of(&table, PAPI_TOT_INS, "NOT_DERIVED", "perf::INSTRUCTIONS", "");
    assert_null(find(&table, PAPI_LD_INS));
    presets_free(&table);
}

static void files_of_users_have_rules(void **state)
{
    (void)state;
    const char *folder = test_folder();
    char path[256];
    snprintf(path, sizeof path, "%s/mine.csv", folder);
    test_file(folder, "mine.csv",
              "CPU,x86:GenuineIntel:6:0xcf\nPRESET,PAPI_LD_INS,NOT_DERIVED,\"/event=0xd0/u\"\n"
              "CPU,sysfs:cpu\nPRESET,PAPI_LD_INS,NOT_DERIVED,/other/\n"
              "PRESET,PAPI_SR_INS,NOT_DERIVED,/a=b/\nCPU,x86:1\nPRESET,PAPI_SR_INS,NOT_DERIVED,/a/\n");
    struct preset_table table = loaded("", path, &emerald, 1);
    is_made_of(&table, PAPI_LD_INS, "NOT_DERIVED", "cpu/event=0xd0/u", "");
    assert_null(find(&table, PAPI_SR_INS));
    assert_int_equal(table.n_faults, 2);
    assert_non_null(strstr(table.faults, "mine.csv:5: \"/a=b/\" has what is neither"));
    assert_non_null(strstr(table.faults, "mine.csv:6: \"x86:1\" is not"));
    presets_free(&table);
    test_folder_remove(folder);
}

static const struct core_pmu both[] = {{"big", {"arm64", "", 0x41, 0xd08}},
                                       {"little", {"arm64", "", 0x41, 0xd03}}};

/* Rows of users' files for one kind of core are refused: of two such rows, the later would replace the first
 * and pass for the whole processor. */
static void files_of_users_count_on_all_kinds(void **state)
{
    (void)state;
    const char *folder = test_folder();
    char path[256];
    snprintf(path, sizeof path, "%s/mine.csv", folder);
    test_file(folder, "mine.csv",
              "CPU,sysfs:big\nPRESET,PAPI_TOT_INS,NOT_DERIVED,/x/\n"
              "CPU,sysfs:little\nPRESET,PAPI_TOT_INS,NOT_DERIVED,/x/\nEVENT,MINE,NOT_DERIVED,little/x/\n"
              "PRESET,PAPI_LD_INS,DERIVED_ADD,big/x/,little/x/\nPRESET,PAPI_BR_INS,NONE,NOTE,No.\n");
    struct preset_table table = loaded("", path, both, 2);
    is_made_of(&table, PAPI_TOT_INS, "DERIVED_ADD", "big/ins/ little/ins/", "");
    is_made_of(&table, PAPI_LD_INS, "DERIVED_ADD", "big/x/ little/x/", "");
    assert_string_equal(presets_absence(&table, PAPI_BR_INS), "No.");
    assert_int_equal(table.n_users, 1);
    assert_int_equal(table.n_faults, 2);
    assert_non_null(strstr(table.faults, "mine.csv:2: this processor's cores have 2 PMUs, and \"/x/\" would "
                                         "be of the big alone: name those of each in one row (big/x/)"));
    presets_free(&table);
    test_folder_remove(folder);
}

/* ---- sums */

static void kinds_of_cores_are_added_up(void **state)
{
    (void)state;
    /* libpfm4 may know one of them: its table would be a part of the count. */
    struct preset_table table = loaded("known", NULL, both, 2);
    assert_null(find(&table, PAPI_L1_DCM));
    is_made_of(&table, PAPI_TOT_CYC, "DERIVED_ADD", "big/cycles/ little/cycles/", "");
    is_made_of(&table, PAPI_TOT_INS, "DERIVED_ADD", "big/ins/ little/ins/", "");
    is_made_of(&table, PAPI_BR_INS, "DERIVED_ADD", "big/b0/ big/b1/ little/b/", "");
    is_made_of(&table, PAPI_FP_OPS, "DERIVED_POSTFIX", "big/s/ big/v/ little/all/ little/int/",
               "N0|N1|2|*|+|N2|N3|-|+|");
    const struct preset_definition *ops = find(&table, PAPI_FP_OPS);
    assert_true(derived_value(ops->derivation, &ops->formula, 4, (long long[]){1, 10, 700, 300}) == 421);
    assert_null(find(&table, PAPI_TOT_CYC)->note);
    assert_string_equal(find(&table, PAPI_TOT_INS)->note, "the same");
    assert_string_equal(ops->note, "big: Of big ones. little: Of little ones.");
    /* Presets that some cores do not count, or that take too many events, are absent, with the reason. */
    assert_null(find(&table, PAPI_BR_MSP));
    assert_string_equal(presets_absence(&table, PAPI_BR_MSP), "on the cores of little: They cannot.");
    assert_string_equal(presets_absence(&table, PAPI_VEC_INS),
                        "no event of the cores of little is known to count it.");
    assert_string_equal(presets_absence(&table, PAPI_LST_INS),
                        "on all kinds of its cores together it takes more than 12 native events.");
    assert_null(presets_absence(&table, PAPI_L1_DCM));
    presets_free(&table);

    /* A third kind that no rule knows. */
    const struct core_pmu three[] = {both[0], both[1], {"medium", {"arm64", "", 0x41, 0xd0b}}};
    table = loaded("", NULL, three, 3);
    assert_null(find(&table, PAPI_TOT_CYC));
    assert_string_equal(presets_absence(&table, PAPI_TOT_CYC),
                        "no event of the cores of medium is known to count it.");
    presets_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_match),
        cmocka_unit_test(wrong_rules),
        cmocka_unit_test(any_rule),
        cmocka_unit_test(natives_of_rules),
        cmocka_unit_test(known_processors_keep_their_tables),
        cmocka_unit_test(rules_lie_on_the_generic_table),
        cmocka_unit_test(files_of_users_have_rules),
        cmocka_unit_test(files_of_users_count_on_all_kinds),
        cmocka_unit_test(kinds_of_cores_are_added_up),
    };
    return TEST_RUN(tests);
}
