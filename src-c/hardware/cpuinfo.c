/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sysroot.h"
#include "hardware/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
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

/* Base 10 or 16: a leading 0 does not mean octal here. Unsigned, since a vendor's RISC-V numbers use all 64
 * bits. */
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
    static const char *const keys[] = {"vendor_id", "model name", "CPU implementer", "cpu", "isa"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (cpuinfo_text(cpu, keys[i])[0] != '\0')
            return true;
    return false;
}

/* One processor, up to the empty line after it: its number, -1 where it has none. False: the file ends. But
 * 32-bit ARM once put what identifies it last. */
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
