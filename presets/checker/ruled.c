/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The PMU that Linux gives the cores of one kind. */
static const char *usual_pmu(const char *architecture)
{
    return strcmp(architecture, "arm64") == 0 ? "armv8_pmuv3_0" : "cpu";
}

static bool is_number(const char *text, int *number)
{
    char *end;
    *number = (int)strtol(text, &end, 0);
    return end != text && *end == '\0';
}

/* "x86:GenuineIntel:6:0xad", "arm64:0x41:0xd4f", both perhaps with a PMU */
static bool parse(const char *rule, struct core_pmu *core)
{
    static const char *const known[] = {"x86", "arm64", "riscv64", "ppc64", "loongarch64"};
    char copy[NAME_SIZE], *rest = copy;
    snprintf(copy, sizeof copy, "%s", rule);
    const char *architecture = strsep(&rest, ":");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(architecture, known[i]) == 0)
            core->id.architecture = known[i];
    if (core->id.architecture == NULL)
        return false;
    if (strcmp(architecture, "x86") == 0 && rest != NULL)
        snprintf(core->id.vendor, sizeof core->id.vendor, "%s", strsep(&rest, ":"));
    const char *family = rest ? strsep(&rest, ":") : "", *model = rest ? strsep(&rest, ":") : "";
    snprintf(core->name, sizeof core->name, "%s", rest ? rest : usual_pmu(architecture));
    return is_number(family, &core->id.family) && is_number(model, &core->id.model);
}

bool ruled_add(struct checker *c, const char *file, int line, const char *rule, int n_counters)
{
    struct cpu *cpu = &c->cpu[c->n_cpus];
    struct core_pmu core = {0};
    if (c->n_cpus == MAX_CPUS || strlen(rule) >= sizeof cpu->name || !parse(rule, &core))
        return false;
    *cpu = (struct cpu){.file = file, .line = line, .core = core, .n_counters = n_counters};
    cpu->ruled = cpu->processor = cpu->encodable = true;
    strcpy(cpu->name, rule);
    cpu->n_fixed = is_intel(cpu) ? 3 : 0;
    c->n_cpus++;
    return true;
}

bool is_amd(const struct cpu *cpu)
{
    return strcmp(cpu->core.id.vendor, "AuthenticAMD") == 0 ||
           strcmp(cpu->core.id.vendor, "HygonGenuine") == 0 || strncmp(cpu->name, "amd64", 5) == 0;
}

bool is_intel(const struct cpu *cpu)
{
    return strcmp(cpu->core.id.vendor, "GenuineIntel") == 0;
}

/* The kernel's generic events count on the PMU of the big cores alone, where there are several. */
static bool takes_generic(const struct cpu *cpu)
{
    return strcmp(cpu->core.name, usual_pmu(cpu->core.id.architecture)) == 0;
}

static int rank_of(const struct cpu *cpu, const char *name)
{
    if (strcmp(name, "generic") == 0)
        return takes_generic(cpu) ? BY_GENERIC : -1;
    enum rule_rank rank = rule_matches(name, &cpu->core);
    return rank == RULE_PROCESSOR ? BY_PROCESSOR : rank == RULE_PMU ? BY_PMU : -1;
}

void ruled_hold(struct checker *c, struct row *row, struct cpu *const named[], int n)
{
    for (int i = 0; i < c->n_cpus; i++) {
        int best = -1;
        for (int k = 0; c->cpu[i].ruled && k < n; k++)
            if (rank_of(&c->cpu[i], named[k]->name) > best)
                best = rank_of(&c->cpu[i], named[k]->name);
        if (best >= 0)
            c->cpu[i].ranked[best][row->preset] = row;
    }
}

static void choose_rows(struct checker *c, struct cpu *cpu)
{
    bool any = false;
    for (int rank = 0; rank < N_RANKS; rank++)
        for (int p = 0; p < PRESET_COUNT; p++)
            if (cpu->ranked[rank][p] != NULL) {
                cpu->row[p] = cpu->ranked[rank][p];
                any |= rank > BY_GENERIC;
            }
    if (!any)
        fault_at(c, cpu->file, cpu->line, "no table has a rule for %s", cpu->name);
}

void ruled_finish(struct checker *c)
{
    for (int i = 0; i < c->n_cpus; i++)
        if (c->cpu[i].ruled)
            choose_rows(c, &c->cpu[i]);
}
