/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <errno.h>
#include <string.h>

/* The place in the file of neighbours. */
struct place {
    struct checker *c;
    const char *file;
    int line;
};

static bool says_why(const struct row *row)
{
    return row != NULL && row->differs != NULL;
}

/* NONE on one of them has its reason in itself. */
static bool needs_reason(const struct cpu *a, const struct cpu *b, int preset)
{
    const struct row *one = a->row[preset], *other = b->row[preset];
    bool defined = one != NULL && !one->none, other_defined = other != NULL && !other->none;
    if (defined && other_defined)
        return !same_definition(a, b, preset, preset);
    return (defined && other == NULL) || (other_defined && one == NULL);
}

/* Compares two neighbours. Those of another architecture are compared by its own check: only there it is
 * known what names mean. */
static void compare(struct place *p, const struct cpu *a, const struct cpu *b)
{
    for (int i = 0; a->encodable && b->encodable && i < PRESET_COUNT; i++) {
        const struct row *one = a->row[i], *other = b->row[i];
        if (!needs_reason(a, b, i) || says_why(one) || says_why(other))
            continue;
        const struct row *at = other != NULL ? other : one;
        fault_at(p->c, at->file, at->line, "%s is not as on %s%s, and no \"# differs:\" says why",
                 preset_list[i].symbol, at == other ? a->name : b->name,
                 one == NULL || other == NULL ? ", which has none" : "");
    }
}

static void read_line(struct place *p, char *text)
{
    const struct cpu *older = NULL, *cpu;
    char *rest;
    text[strcspn(text, "#\n")] = '\0';
    for (char *name = strtok_r(text, " \t", &rest); name; name = strtok_r(NULL, " \t", &rest), older = cpu) {
        cpu = cpu_named(p->c, name);
        if (cpu == NULL)
            fault_at(p->c, p->file, p->line, "no table is for %s", name);
        else if (older != NULL)
            compare(p, older, cpu);
    }
}

void generations_check(struct checker *c, const char *name)
{
    char text[1024];
    struct place place = {.c = c, .file = name, .line = 1};
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        fault_at(c, name, 1, "%s", strerror(errno));
        return;
    }
    for (; fgets(text, sizeof text, file) != NULL; place.line++)
        read_line(&place, text);
    fclose(file);
}
