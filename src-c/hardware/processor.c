/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "base/text_rows.h"
#include "hardware/hardware.h"
#include "hardware/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A vendor by the beginning of a text. */
struct vendor_name {
    char prefix[16]; /* "": the end of the table */
    int vendor;
    char name[12];
};

static const struct vendor_name *find_vendor(const struct vendor_name *table, const char *text)
{
    for (; table->prefix[0] != '\0'; table++)
        if (strncmp(text, table->prefix, strlen(table->prefix)) == 0)
            return table;
    return NULL;
}

int processor_x86_vendor(const char *vendor_string)
{
    static const struct vendor_name table[] = {
        {"GenuineIntel", PAPI_VENDOR_INTEL, ""}, {"AuthenticAMD", PAPI_VENDOR_AMD, ""},
        {"HygonGenuine", PAPI_VENDOR_AMD, ""}, /* a Zen, with its events */
        {"IBM/S390", PAPI_VENDOR_IBM, ""},       {"", 0, ""},
    };
    const struct vendor_name *found = find_vendor(table, vendor_string);
    return found ? found->vendor : PAPI_VENDOR_UNKNOWN;
}

static void identify_x86(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", cpuinfo_text(cpu, "vendor_id"));
    info->vendor = processor_x86_vendor(info->vendor_string);
    info->cpuid_family = cpuinfo_number(cpu, "cpu family");
    info->cpuid_model = cpuinfo_number(cpu, "model");
    info->cpuid_stepping = cpuinfo_number(cpu, "stepping");
    info->revision = (float)info->cpuid_stepping;
}

static bool arm_of_cpuinfo(const struct cpuinfo *cpu, struct arm_id *id)
{
    *id = (struct arm_id){
        .implementer = cpuinfo_number(cpu, "CPU implementer"),
        .architecture = cpuinfo_number(cpu, "CPU architecture"),
        .variant = cpuinfo_number(cpu, "CPU variant"),
        .part = cpuinfo_number(cpu, "CPU part"),
        .revision = cpuinfo_number(cpu, "CPU revision"),
    };
    return cpuinfo_text(cpu, "CPU implementer")[0] != '\0';
}

/* Reads the main ID register, also for a container that hides /proc/cpuinfo. */
static bool arm_of_register(struct reading *from, int cpu, struct arm_id *id)
{
    long long midr = reading_number(from, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
    *id = (struct arm_id){
        .implementer = midr >> 24 & 0xff,
        .architecture = 8, /* the file exists on arm64 alone */
        .variant = midr >> 20 & 0xf,
        .part = midr >> 4 & 0xfff,
        .revision = midr & 0xf,
    };
    return midr >= 0;
}

/* True if cpuinfo has the processor version register: "revision : 2.0 (pvr 0080 0200)". */
static bool power_version(const struct cpuinfo *cpu, int *version, int *stepping)
{
    const char *pvr = strstr(cpuinfo_text(cpu, "revision"), "(pvr ");
    unsigned upper, lower;
    if (pvr == NULL || sscanf(pvr, "(pvr %4x %4x)", &upper, &lower) != 2)
        return false;
    *version = (int)upper;
    *stepping = (int)lower;
    return true;
}

/* "cpu : POWER10 (architected), altivec supported": the model is the upper half of the processor version
 * register, the stepping the lower. */
static void identify_power(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    static const struct vendor_name table[] = {
        {"POWER", PAPI_VENDOR_IBM, "IBM"},
        {"Power", PAPI_VENDOR_IBM, "IBM"}, /* from Power11 on */
        {"PPC970", PAPI_VENDOR_IBM, "IBM"},
        {"Cell", PAPI_VENDOR_IBM, "IBM"},
        {"e500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {"e5500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {"e6500", PAPI_VENDOR_FREESCALE, "Freescale"},
        {"", 0, ""},
    };
    const char *model = cpuinfo_text(cpu, "cpu"), *pvr;
    const struct vendor_name *found = find_vendor(table, model);
    info->vendor = found ? found->vendor : PAPI_VENDOR_UNKNOWN;
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", found ? found->name : "");
    snprintf(info->model_string, sizeof info->model_string, "%s", model);
    info->revision = cpuinfo_decimal(cpuinfo_text(cpu, "revision"), &pvr);
    (void)power_version(cpu, &info->cpuid_model, &info->cpuid_stepping);
}

/* The maker of a RISC-V core, by its JEDEC number. 0: the core does not say it, as that of an emulator. */
static void name_riscv_vendor(int mvendorid, PAPI_hw_info_t *info)
{
    static const struct {
        int id;
        const char *name;
    } table[] = {
        {0x31e, "Andes"}, {0x489, "SiFive"}, {0x5b7, "T-Head"}, {0x61f, "Ventana"}, {0x710, "SpacemiT"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].id == mvendorid) {
            snprintf(info->vendor_string, sizeof info->vendor_string, "%s", table[i].name);
            return;
        }
    snprintf(info->vendor_string, sizeof info->vendor_string, "RISC-V, mvendorid 0x%x", (unsigned)mvendorid);
}

/* The top bit of marchid says "commercial"; the rest is the maker's number. */
static int riscv_number(const char *text)
{
    return text[0] ? (int)(strtoull(text, NULL, 0) & INT_MAX) : 0;
}

static void identify_riscv(const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    const char *model = cpuinfo_text(cpu, "uarch"), *isa = cpuinfo_text(cpu, "isa");
    name_riscv_vendor(cpuinfo_number(cpu, "mvendorid"), info);
    /* Without a name, the instruction set to its first long extension: the others would fill the rest. */
    snprintf(info->model_string, sizeof info->model_string, "%.*s",
             (int)(model[0] != '\0' ? strlen(model) : strcspn(isa, "_")), model[0] != '\0' ? model : isa);
    info->cpuid_model = riscv_number(cpuinfo_text(cpu, "marchid"));
    info->cpuid_stepping = riscv_number(cpuinfo_text(cpu, "mimpid"));
    info->revision = (float)info->cpuid_stepping;
}

void processor_identify(struct reading *from, const struct cpuinfo *cpu, PAPI_hw_info_t *info)
{
    struct arm_id arm;
    if (arm_of_cpuinfo(cpu, &arm))
        arm_identify(&arm, info);
    else if (cpuinfo_text(cpu, "vendor_id")[0])
        identify_x86(cpu, info);
    else if (cpuinfo_text(cpu, "cpu")[0])
        identify_power(cpu, info);
    else if (strncmp(cpuinfo_text(cpu, "isa"), "rv", 2) == 0) /* LoongArch has such a line, too */
        identify_riscv(cpu, info);
    else if (strncmp(cpuinfo_text(cpu, "cpu family"), "Loongson", 8) == 0)
        snprintf(info->vendor_string, sizeof info->vendor_string, "Loongson");
    else if (arm_of_register(from, 0, &arm))
        arm_identify(&arm, info);
    else if (from->root[0] == '\0')
        cpuid_identify(info);
    if (cpuinfo_text(cpu, "model name")[0])
        snprintf(info->model_string, sizeof info->model_string, "%s", cpuinfo_text(cpu, "model name"));
    info->model = info->cpuid_model;
}

int processor_id(const char *root, int cpu, struct processor_id *id)
{
    struct reading from = {.root = root};
    struct cpuinfo info = {0};
    struct arm_id arm;
    *id = (struct processor_id){.architecture = ""};
    bool is_arm = arm_of_register(&from, cpu, &arm);
    if (!is_arm && from.error == 0 && cpuinfo_read(root, cpu, &info) != 0)
        reading_failed(&from);
    if (is_arm || arm_of_cpuinfo(&info, &arm)) {
        *id = (struct processor_id){.architecture = "arm64", .family = arm.implementer, .model = arm.part};
    } else if (info.has_flags && cpuinfo_text(&info, "cpu family")[0]) {
        id->architecture = "x86";
        /* cpuid's has 12 letters */
        snprintf(id->vendor, sizeof id->vendor, "%.12s", cpuinfo_text(&info, "vendor_id"));
        id->family = cpuinfo_number(&info, "cpu family");
        id->model = cpuinfo_number(&info, "model");
    } else if (cpuinfo_text(&info, "mvendorid")[0]) {
        *id = (struct processor_id){.architecture = "riscv64",
                                    .family = cpuinfo_number(&info, "mvendorid"),
                                    .model = riscv_number(cpuinfo_text(&info, "marchid")) & 0xffff};
    } else if (power_version(&info, &id->family, &id->model)) {
        id->architecture = "ppc64";
    }
    errno = from.error;
    return from.error == 0 ? 0 : -1;
}

/* ---- /proc/cpuinfo */

#define CPUINFO "/proc/cpuinfo"

/* Room for a line. Longer ones are cut; no flags line of x86 comes near. */
#define LINE_SIZE 8192

/* The limit on a file that never ends. A line of 8192 processors with every flag known is far below it. */
#define MAX_BYTES (64L << 20)

struct reader {
    FILE *file;
    long bytes;
    char line[LINE_SIZE];
};

/* The next line without its end, 0 at the end of the file. Not fgets: a byte 0 in the file must not
 * hide the end of its line. */
static int next_line(struct reader *in)
{
    size_t n = 0;
    int c = EOF;
    while (in->bytes < MAX_BYTES && (c = getc(in->file)) != EOF && c != '\n') {
        in->bytes++;
        if (n + 1 < sizeof in->line)
            in->line[n++] = c >= ' ' && c != 0x7f ? (char)c : ' ';
    }
    in->bytes++;
    in->line[n] = '\0';
    return c == '\n' || n > 0;
}

/* Cuts the line at its colon: the key in the line itself, the value returned, both without blanks
 * around them. NULL: no such line. */
static char *split(char *line)
{
    char *colon = strchr(line, ':');
    if (colon == NULL)
        return NULL;
    char *value = colon + 1 + strspn(colon + 1, " ");
    char *end = value + strlen(value);
    while (end > value && end[-1] == ' ')
        *--end = '\0';
    while (colon > line && colon[-1] == ' ')
        colon--;
    *colon = '\0';
    return value;
}

/* Reads a number of base 10 or 16: a leading 0 does not mean octal here. Unsigned, since a vendor's RISC-V
 * numbers use all 64 bits. */
static int to_int(const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (text[0] < '0' || text[0] > '9')
        return 0;
    unsigned long long value = strtoull(text, NULL, hex ? 16 : 10);
    return value > INT_MAX ? INT_MAX : (int)value;
}

static void keep(struct cpuinfo *out, const char *key, char *value)
{
    char *rest = NULL;
    bool flags = strcmp(key, "flags") == 0, room = out->n_lines < (int)(sizeof out->line / sizeof *out->line);
    out->has_flags |= flags;
    for (char *word = flags ? strtok_r(value, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest))
        out->hypervisor |= strcmp(word, "hypervisor") == 0;
    if (flags || !room || value[0] == '\0' || cpuinfo_text(out, key)[0] != '\0')
        return;
    snprintf(out->line[out->n_lines].key, sizeof out->line->key, "%s", key);
    snprintf(out->line[out->n_lines++].value, sizeof out->line->value, "%s", value);
}

static bool identified(const struct cpuinfo *cpu)
{
    TEXT_ROWS_BEGIN
    static const char keys[][20] = {"vendor_id", "model name", "CPU implementer", "cpu", "isa"};
    TEXT_ROWS_END
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (cpuinfo_text(cpu, keys[i])[0] != '\0')
            return true;
    return false;
}

/* Reads one processor, up to the empty line after it, and its number, -1 where it has none. False: the file
 * ends. An empty line before the processor is identified does not end it: 32-bit ARM once put what identifies
 * it last. */
static bool read_processor(struct reader *in, struct cpuinfo *out, int *number)
{
    *number = -1;
    *out = (struct cpuinfo){.n_read = out->n_read};
    while (out->n_read < CPULIST_MAX && next_line(in)) {
        if (in->line[0] == '\0' && identified(out))
            return true;
        char *value = split(in->line);
        if (value != NULL && strcmp(in->line, "processor") != 0)
            keep(out, in->line, value);
        /* "Processor" of 32-bit ARM is a name, not a number. */
        else if (value != NULL) {
            *number = to_int(value);
            out->n_read++;
        }
    }
    return false;
}

int cpuinfo_read(const char *root, int cpu, struct cpuinfo *out)
{
    struct cpuinfo next = {0};
    int number;
    memset(out, 0, sizeof *out);
    struct reader in = {.file = sysroot_open(root, CPUINFO)};
    if (in.file == NULL)
        return -1;
    bool more = true;
    for (bool first = true; more && (first || cpu != CPUINFO_FIRST); first = false) {
        more = read_processor(&in, &next, &number);
        if (first || number == cpu)
            *out = next;
        out->n_read = next.n_read;
        more &= number != cpu;
    }
    int error = ferror(in.file) ? errno : 0;
    fclose(in.file);
    errno = error;
    return error == 0 ? 0 : -1;
}

const char *cpuinfo_text(const struct cpuinfo *cpu, const char *key)
{
    /* LoongArch writes the same keys with other capitals. */
    for (int i = 0; i < cpu->n_lines; i++)
        if (strcasecmp(cpu->line[i].key, key) == 0)
            return cpu->line[i].value;
    return "";
}

int cpuinfo_number(const struct cpuinfo *cpu, const char *key)
{
    return to_int(cpuinfo_text(cpu, key));
}

float cpuinfo_decimal(const char *text, const char **end)
{
    float value = 0, unit = 1;
    int fraction = 0;
    const char *p = text;
    for (; (*p >= '0' && *p <= '9') || (*p == '.' && p != text && !fraction); p++) {
        if (*p == '.')
            fraction = 1;
        else if (fraction)
            value += (float)(*p - '0') * (unit /= 10);
        else
            value = value * 10 + (float)(*p - '0');
    }
    if (end != NULL)
        *end = p;
    return value;
}

/* ---- cpuid */

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else /* a processor without CPUID */
#define __get_cpuid_count(number, subleaf, a, b, c, d) ((void)(number), (void)(subleaf), 0)
#define __cpuid(number, a, b, c, d) ((a) = (b) = (c) = (d) = 0)
#endif

bool cpuid_leaf(unsigned number, unsigned subleaf, struct cpuid_leaf *out)
{
    memset(out, 0, sizeof *out);
    return __get_cpuid_count(number, subleaf, &out->eax, &out->ebx, &out->ecx, &out->edx) != 0;
}

void cpuid_name(const struct cpuid_leaf leaf[3], char *out, size_t size)
{
    char text[49] = "";
    memcpy(text, leaf, sizeof text - 1);
    char *end = text + strlen(text);
    while (end > text && end[-1] == ' ')
        *--end = '\0';
    snprintf(out, size, "%s", text + strspn(text, " "));
}

void cpuid_signature(unsigned signature, PAPI_hw_info_t *info)
{
    unsigned family = signature >> 8 & 0xf;
    unsigned model = signature >> 4 & 0xf;
    if (family == 6 || family == 15) /* before the family takes its extension */
        model |= signature >> 12 & 0xf0;
    if (family == 15)
        family += signature >> 20 & 0xff;
    info->cpuid_family = (int)family;
    info->cpuid_model = (int)model;
    info->cpuid_stepping = (int)(signature & 0xf);
    info->revision = (float)info->cpuid_stepping;
}

int cpuid_identify(PAPI_hw_info_t *info)
{
    struct cpuid_leaf leaf, brand[3];
    if (!cpuid_leaf(0, 0, &leaf))
        return -1;
    const unsigned name[3] = {leaf.ebx, leaf.edx, leaf.ecx};
    snprintf(info->vendor_string, sizeof info->vendor_string, "%.12s", (const char *)name);
    info->vendor = processor_x86_vendor(info->vendor_string);
    if (cpuid_leaf(0x80000002, 0, &brand[0]) && cpuid_leaf(0x80000003, 0, &brand[1]) &&
        cpuid_leaf(0x80000004, 0, &brand[2]))
        cpuid_name(brand, info->model_string, sizeof info->model_string);
    if (cpuid_leaf(1, 0, &leaf))
        cpuid_signature(leaf.eax, info);
    return 0;
}

int cpuid_hypervisor(char *signature, size_t size)
{
    struct cpuid_leaf leaf;
    signature[0] = '\0';
    if (!cpuid_leaf(1, 0, &leaf) || !(leaf.ecx & 1u << 31))
        return 0;
    /* Not __get_cpuid: the range of the hypervisor has a limit of its own. */
    __cpuid(0x40000000, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
    const unsigned name[3] = {leaf.ebx, leaf.ecx, leaf.edx};
    snprintf(signature, size, "%.12s", (const char *)name);
    return 1;
}

int cpuid_base_mhz(void)
{
    struct cpuid_leaf leaf;
    if (cpuid_leaf(0x16, 0, &leaf) && (leaf.eax & 0xffff) != 0)
        return (int)(leaf.eax & 0xffff);
    /* The time stamp counter runs at the nominal rate: crystal * numerator / denominator. */
    if (cpuid_leaf(0x15, 0, &leaf) && leaf.eax != 0 && leaf.ebx != 0 && leaf.ecx != 0)
        return (int)((unsigned long long)leaf.ecx * leaf.ebx / leaf.eax / 1000000);
    return 0;
}

/* ---- Arm's implementers and parts */

/* Facts of the makers' reference manuals: the kernel gives the numbers without names. */
TEXT_ROWS_BEGIN
static const struct {
    int code;
    char name[16];
} implementers[] = {
    {0x41, "ARM"},       {0x42, "Broadcom"}, {0x43, "Cavium"},   {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"},    {0x50, "APM"},      {0x51, "Qualcomm"}, {0x53, "Samsung"}, {0x61, "Apple"},
    {0x6d, "Microsoft"}, {0x70, "Phytium"},  {0xc0, "Ampere"},
};
TEXT_ROWS_END

TEXT_ROWS_BEGIN
static const struct {
    int implementer, part;
    char name[20];
} parts[] = {
    {0x41, 0xc07, "Cortex-A7"},
    {0x41, 0xc09, "Cortex-A9"},
    {0x41, 0xc0f, "Cortex-A15"},
    {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse N1"},
    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd40, "Neoverse V1"},
    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse N2"},
    {0x41, 0xd4a, "Neoverse E1"},
    {0x41, 0xd4f, "Neoverse V2"},
    {0x41, 0xd83, "Neoverse V3AE"},
    {0x41, 0xd84, "Neoverse V3"},
    {0x41, 0xd8e, "Neoverse N3"},
    {0x42, 0x516, "ThunderX2"},
    {0x43, 0x0a1, "ThunderX"},
    {0x43, 0x0af, "ThunderX2"},
    {0x43, 0x0b8, "ThunderX3"},
    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng 920"},
    {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},
    {0x50, 0x000, "X-Gene"},
    {0x51, 0x001, "Oryon"},
    {0x51, 0xc00, "Falkor"},
    {0x61, 0x022, "M1 Icestorm"},
    {0x61, 0x023, "M1 Firestorm"},
    {0x61, 0x032, "M2 Blizzard"},
    {0x61, 0x033, "M2 Avalanche"},
    {0x6d, 0xd49, "Azure Cobalt 100"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
};
TEXT_ROWS_END

static const char *implementer_name(int code)
{
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].code == code)
            return implementers[i].name;
    return NULL;
}

static const char *part_name(int implementer, int part)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].implementer == implementer && parts[i].part == part)
            return parts[i].name;
    return NULL;
}

static void name_model(const struct arm_id *id, const char *maker, PAPI_hw_info_t *info)
{
    char unknown[32];
    const char *part = part_name(id->implementer, id->part);
    if (part == NULL) {
        snprintf(unknown, sizeof unknown, "part 0x%03x", (unsigned)id->part);
        part = unknown;
    }
    if (maker != NULL)
        snprintf(info->model_string, sizeof info->model_string, "%s %s", maker, part);
    else
        snprintf(info->model_string, sizeof info->model_string, "ARM implementer 0x%02x %s",
                 (unsigned)id->implementer, part);
}

void arm_identify(const struct arm_id *id, PAPI_hw_info_t *info)
{
    const char *maker = implementer_name(id->implementer);
    info->vendor = id->implementer;
    snprintf(info->vendor_string, sizeof info->vendor_string, "%s", maker ? maker : "ARM");
    name_model(id, maker, info);
    info->cpuid_family = id->architecture;
    info->cpuid_model = id->part;
    info->cpuid_stepping = id->revision;
    /* r3p1, as ARM writes a stepping, is 3.1. */
    info->revision = (float)(id->variant + id->revision / (id->revision < 10 ? 10.0 : 100.0));
}
