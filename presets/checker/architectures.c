/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add(struct checker *c, const char *file, int line, const char *architecture, const char *cpu)
{
    struct architectures *list = &c->architectures;
    if (architectures_have(list, architecture, cpu))
        fault_at(c, file, line, "%s stands there twice for %s", cpu, architecture);
    else if (list->n == (int)(sizeof list->entry / sizeof list->entry[0]))
        fault_at(c, file, line, "more names than there is room for");
    else {
        list->entry[list->n].line = line;
        snprintf(list->entry[list->n].architecture, sizeof list->entry->architecture, "%s", architecture);
        snprintf(list->entry[list->n++].cpu, sizeof list->entry->cpu, "%s", cpu);
    }
}

/* "nhm amd64,i386 Intel Nehalem", "x86:GenuineIntel:6:0xad 8 Intel Granite Rapids" */
static void read_line(struct checker *c, const char *file, int line, char *text)
{
    char *rest;
    text[strcspn(text, "#\n")] = '\0';
    const char *cpu = strtok_r(text, " \t", &rest), *architecture;
    char *list = cpu != NULL ? strtok_r(NULL, " \t", &rest) : NULL;
    if (cpu != NULL && (list == NULL || *rest == '\0'))
        fault_at(c, file, line, "%s: not a name, architectures or counters, and what it is", cpu);
    else if (cpu != NULL && rule_has_form(cpu) &&
             (cpu_named(c, cpu) || !ruled_add(c, file, line, cpu, atoi(list))))
        fault_at(c, file, line, "%s: stands there twice, or does not mean one processor", cpu);
    else if (cpu != NULL && !rule_has_form(cpu))
        while ((architecture = strsep(&list, ",")) != NULL)
            add(c, file, line, architecture, cpu);
}

void architectures_read(struct checker *c, const char *name)
{
    char text[512];
    c->architectures.file = name;
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        fault_at(c, name, 1, "%s", strerror(errno));
        return;
    }
    for (int line = 1; fgets(text, sizeof text, file) != NULL; line++)
        read_line(c, name, line, text);
    fclose(file);
}

bool architectures_have(const struct architectures *list, const char *architecture, const char *cpu)
{
    for (int i = 0; i < list->n; i++)
        if ((architecture == NULL || strcmp(list->entry[i].architecture, architecture) == 0) &&
            strcmp(list->entry[i].cpu, cpu) == 0)
            return true;
    return false;
}

void architectures_check(struct checker *c)
{
    const struct architectures *list = &c->architectures;
    for (int i = 0, told = 0; i < list->n; i++)
        if (list->entry[i].line != told && cpu_named(c, list->entry[i].cpu) == NULL) {
            told = list->entry[i].line;
            fault_at(c, list->file, told, "no table is for %s", list->entry[i].cpu);
        }
}
