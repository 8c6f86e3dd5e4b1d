/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CPUINFO "/proc/cpuinfo"

/* Longer lines are cut: no x86 flags line comes near. */
#define LINE_SIZE 8192

/* Where reading ends in a file that never does. A line of 8192 processors with every flag known is
 * far below it. */
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

#define FIELD(key, member)                                                                                   \
    {                                                                                                        \
        key, offsetof(struct cpuinfo, member), sizeof(((struct cpuinfo *)0)->member)                         \
    }

static const struct field {
    const char *key;
    size_t offset, size;
} fields[] = {
    FIELD("vendor_id", vendor_id),
    FIELD("cpu family", cpu_family),
    FIELD("model", model),
    FIELD("model name", model_name),
    FIELD("stepping", stepping),
    FIELD("cpu MHz", cpu_mhz),
    FIELD("siblings", siblings),
    FIELD("cpu cores", cpu_cores),
    FIELD("CPU implementer", cpu_implementer),
    FIELD("CPU architecture", cpu_architecture),
    FIELD("CPU variant", cpu_variant),
    FIELD("CPU part", cpu_part),
    FIELD("CPU revision", cpu_revision),
    FIELD("cpu", cpu),
    FIELD("clock", clock),
    FIELD("bogomips", bogomips),
    FIELD("BogoMIPS", bogomips),
    FIELD("revision", revision),
    FIELD("isa", isa),
    FIELD("uarch", uarch),
    FIELD("mvendorid", mvendorid),
    FIELD("marchid", marchid),
    FIELD("mimpid", mimpid),
};

static int has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
        if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return 1;
    return 0;
}

static void keep(struct cpuinfo *out, const char *key, const char *value)
{
    if (strcmp(key, "flags") == 0) {
        out->has_flags = 1;
        out->hypervisor |= has_word(value, "hypervisor");
        return;
    }
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        char *to = (char *)out + fields[i].offset;
        /* LoongArch writes the same keys with other capitals. */
        if (strcasecmp(key, fields[i].key) == 0 && to[0] == '\0')
            snprintf(to, fields[i].size, "%s", value);
    }
}

static int identified(const struct cpuinfo *cpu)
{
    return cpu->vendor_id[0] || cpu->model_name[0] || cpu->cpu_implementer[0] || cpu->cpu[0] || cpu->isa[0];
}

/* The first processor that the file describes, or the one of a number; the first where there is no such. */
static int read_processor(const char *root, int wanted, struct cpuinfo *out)
{
    struct cpuinfo found = {0};
    bool any = false;
    int number = -1;
    memset(out, 0, sizeof *out);
    struct reader in = {.file = sysroot_open(root, CPUINFO)};
    if (in.file == NULL)
        return -1;
    while (next_line(&in)) {
        /* An empty line ends a processor, but 32-bit ARM once put what identifies it last. */
        if (in.line[0] == '\0' && identified(&found)) {
            if (!any || number == wanted)
                *out = found;
            any = true;
            if (wanted < 0 || number == wanted)
                break;
            memset(&found, 0, sizeof found);
            number = -1;
        }
        const char *value = split(in.line);
        if (value != NULL && strcmp(in.line, "processor") == 0)
            number = cpuinfo_int(value);
        else if (value != NULL)
            keep(&found, in.line, value);
    }
    if (!any || (wanted >= 0 && number == wanted))
        *out = found;
    int error = ferror(in.file) ? errno : 0;
    fclose(in.file);
    errno = error;
    return error == 0 ? 0 : -1;
}

int cpuinfo_read(const char *root, struct cpuinfo *out)
{
    return read_processor(root, -1, out);
}

int cpuinfo_read_cpu(const char *root, int cpu, struct cpuinfo *out)
{
    return read_processor(root, cpu, out);
}

int cpuinfo_count(const char *root)
{
    struct reader in = {.file = sysroot_open(root, CPUINFO)};
    if (in.file == NULL)
        return 0;
    int count = 0;
    while (count < CPULIST_MAX && next_line(&in))
        /* "Processor" of 32-bit ARM is a name, not a number. */
        if (split(in.line) != NULL && strcmp(in.line, "processor") == 0)
            count++;
    int error = ferror(in.file) ? errno : ENODATA;
    fclose(in.file);
    if (error == ENODATA && count > 0)
        return count;
    errno = error;
    return 0;
}

int cpuinfo_int(const char *text)
{
    /* Base 10 or 16: a leading 0 does not mean octal here. Unsigned, since a vendor's RISC-V numbers
     * use all 64 bits. */
    int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (text[0] < '0' || text[0] > '9')
        return 0;
    unsigned long long value = strtoull(text, NULL, hex ? 16 : 10);
    return value > INT_MAX ? INT_MAX : (int)value;
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
