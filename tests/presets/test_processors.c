/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks which of the library's own tables a processor gets that libpfm4 does not know, by the numbers that
 * processors were sold with.
 */
#include "testing.h"

#include "events/presets.h"
#include "papi.h"

#include <string.h>

/* Operations of Zen 4, whose mask has bfloat16 products too; of Zen 5 and Zen 6; of Zen 1 */
#define ZEN4_OPS "cpu/event=0x03,umask=0x1f/ cpu/event=0x02,umask=0x07/"
#define ZEN5_OPS "cpu/event=0x03,umask=0x0f/ cpu/event=0x02,umask=0x07/"
#define ZEN1_OPS "cpu/event=0x03,umask=0xff/ cpu/event=0x02,umask=0x07/"
/* Operations of big and small cores of clients, from Alder Lake on; of Nova Lake, with 512 bits; of Monaka,
 * whose vectors have 256 bits; of the U74 */
#define BIG_OPS                                                                                              \
    "cpu_core/event=0xc7,umask=0x03/ cpu_core/event=0xc7,umask=0x04/ cpu_core/event=0xc7,umask=0x18/ "       \
    "cpu_core/event=0xc7,umask=0x20/"
#define SMALL_OPS "cpu_atom/event=0xc8,umask=0x03/"
#define NOVA_OPS BIG_OPS " cpu_core/event=0xc7,umask=0x40/ cpu_core/event=0xc7,umask=0x80/"
#define MONAKA_OPS "armv8_pmuv3_0/event=0x80c0/ armv8_pmuv3_0/event=0x80c1/"
#define P11_OPS "cpu/event=0x45050/ cpu/event=0x4d052/ cpu/event=0x45052/ cpu/event=0x4d054/"
#define U74_OPS "cpu/event=0x200000/ cpu/event=0x400000/ cpu/event=0x800000/ cpu/event=0x1000000/"
#define INTEL(pmu, model)                                                                                    \
    {                                                                                                        \
        pmu,                                                                                                 \
        {                                                                                                    \
            "x86", "GenuineIntel", 6, model                                                                  \
        }                                                                                                    \
    }
#define AMD(family, model)                                                                                   \
    {                                                                                                        \
        "cpu",                                                                                               \
        {                                                                                                    \
            "x86", "AuthenticAMD", family, model                                                             \
        }                                                                                                    \
    }

static const struct {
    const char *name;
    struct core_pmu core;
    const char *operations; /* the native events of PAPI_FP_OPS; NULL: none */
} processors[] = {
    {"Zen 4: Threadripper 7980X", AMD(25, 24), ZEN4_OPS},
    {"Zen 4: Ryzen 9 7950X", AMD(25, 97), ZEN4_OPS},
    {"Zen 4: Ryzen 9 7940HS", AMD(25, 116), ZEN4_OPS},
    {"Zen 4c: EPYC 9754", AMD(25, 160), ZEN4_OPS},
    {"Zen 5: EPYC 9755", AMD(26, 2), ZEN5_OPS},
    {"Zen 5c: EPYC 9965", AMD(26, 17), ZEN5_OPS},
    {"Zen 5: Ryzen AI 9 HX 370", AMD(26, 36), ZEN5_OPS},
    {"Zen 5: Ryzen 9 9950X", AMD(26, 68), ZEN5_OPS},
    {"Zen 5: Ryzen AI Max+ 395", AMD(26, 112), ZEN5_OPS},
    {"Zen 6, of servers", AMD(26, 80), ZEN5_OPS},
    {"Zen 6, of clients", AMD(26, 160), ZEN5_OPS},
    {"Alder Lake: Core i9-12900K", INTEL("cpu_core", 151), BIG_OPS},
    {"its small cores", INTEL("cpu_atom", 151), NULL},
    {"Lunar Lake: Core Ultra 7 258V", INTEL("cpu_core", 189), BIG_OPS},
    {"its small cores", INTEL("cpu_atom", 189), SMALL_OPS},
    {"Arrow Lake: Core Ultra 9 285K", INTEL("cpu_core", 198), BIG_OPS},
    {"Panther Lake", INTEL("cpu_core", 204), BIG_OPS},
    {"its small cores", INTEL("cpu_atom", 204), SMALL_OPS},
    {"Wildcat Lake", INTEL("cpu_core", 213), BIG_OPS},
    {"its small cores", INTEL("cpu_atom", 213), SMALL_OPS},
    {"Panther Lake, its third model", INTEL("cpu_core", 229), BIG_OPS},
    {"its small cores", INTEL("cpu_atom", 229), SMALL_OPS},
    {"Nova Lake", {"cpu_core", {"x86", "GenuineIntel", 18, 1}}, NOVA_OPS},
    {"its second model", {"cpu_core", {"x86", "GenuineIntel", 18, 3}}, NOVA_OPS},
    {"its small cores", {"cpu_atom", {"x86", "GenuineIntel", 18, 3}}, NULL},
    {"Sierra Forest: Xeon 6780E", INTEL("cpu", 175), "cpu/event=0xc8,umask=0x03/"},
    {"Clearwater Forest", INTEL("cpu", 221), "cpu/event=0xc8,umask=0x03/"},
    {"Fujitsu Monaka", {"armv8_pmuv3_0", {"arm64", "", 0x46, 3}}, MONAKA_OPS},
    {"Apple M1, its big cores", {"apple_firestorm_pmu", {"arm64", "", 0x61, 0x23}}, NULL},
    {"Qualcomm Oryon", {"armv8_pmuv3_0", {"arm64", "", 0x51, 1}}, NULL},
    {"SpacemiT K1", {"cpu", {"riscv64", "", 0x710, 1}}, NULL},
    {"IBM Power11", {"cpu", {"ppc64", "", 0x82, 0x200}}, P11_OPS},
    {"StarFive JH7110", {"cpu", {"riscv64", "", 0x489, 7}}, U74_OPS},
    {"Hygon C86 7185", {"cpu", {"x86", "HygonGenuine", 24, 1}}, ZEN1_OPS},
    /* libpfm4's own, which no rule may take, and what nobody knows yet */
    {"Zen 3: EPYC 7763", AMD(25, 1), NULL},
    {"Zen 4: EPYC 9654", AMD(25, 17), NULL},
    {"Zen 3: Ryzen 9 5900HX", AMD(25, 80), NULL},
    {"AMD's next", AMD(26, 52), NULL},
    {"AMD's one after it", AMD(27, 0), NULL},
    {"Hygon, with AMD's name", AMD(24, 1), NULL},
};

static bool unknown_to_libpfm4(const char *name, void *context)
{
    (void)name, (void)context;
    return false;
}

static void natives_of(const struct preset_table *table, unsigned code, char text[512])
{
    const struct preset_definition *found = table->definition[code & PAPI_UE_AND_MASK];
    text[0] = '\0';
    for (int i = 0; found != NULL && i < found->n_natives; i++) {
        strcat(text, i > 0 ? " " : "");
        strcat(text, found->native[i]);
    }
}

static void processors_get_their_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof processors / sizeof processors[0]; i++) {
        const char *operations = processors[i].operations;
        struct preset_machine machine = {
            .matches = unknown_to_libpfm4, .core = {processors[i].core}, .n_cores = 1};
        struct preset_table table;
        char text[512];
        presets_load(&table, NULL, NULL, &machine, NULL);
        assert_string_equal(table.faults, "");
        natives_of(&table, PAPI_FP_OPS, text);
        if (strcmp(text, operations ? operations : "") != 0)
            fail_msg("%s counts operations by \"%s\"", processors[i].name, text);
        natives_of(&table, PAPI_TOT_CYC, text);
        assert_string_not_equal(text, ""); /* by the kernel's event where no rule is */
        presets_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(processors_get_their_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
