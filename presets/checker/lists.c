/* SPDX-License-Identifier: BSD-3-Clause */
#include "checker.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NUMBERS = 512, MAX_LINES = 4096 };

struct numbers {
    int n;
    unsigned value[MAX_NUMBERS];
};

/* A line: events, the masks of each, and the processors whose lists have them so. */
struct listed {
    struct numbers events, masks;
    char *cpus; /* " nhm wsm ", with a blank at both ends */
};

struct lists {
    int n;
    struct listed *line[MAX_LINES];
};

/* "21,22,e1", hexadecimal */
static void read_numbers(struct numbers *numbers, char *list)
{
    const char *number;
    while (list != NULL && (number = strsep(&list, ",")) != NULL && numbers->n < MAX_NUMBERS)
        numbers->value[numbers->n++] = (unsigned)strtoul(number, NULL, 16);
}

static void read_line(struct lists *lists, char *text)
{
    char *rest;
    text[strcspn(text, "#\n")] = '\0';
    char *events = strtok_r(text, " ", &rest);
    if (events == NULL || lists->n == MAX_LINES)
        return;
    struct listed *listed = calloc(1, sizeof *listed);
    if (listed == NULL)
        abort();
    lists->line[lists->n++] = listed;
    read_numbers(&listed->events, events);
    read_numbers(&listed->masks, strtok_r(NULL, " ", &rest));
    if (asprintf(&listed->cpus, " %s ", rest) < 0)
        abort();
}

static bool is_of(const struct listed *listed, const char *cpu)
{
    char word[NAME_SIZE + 2];
    snprintf(word, sizeof word, " %s ", cpu);
    return strstr(listed->cpus, word) != NULL;
}

static bool has_list(const struct lists *lists, const struct cpu *cpu)
{
    for (int i = 0; i < lists->n; i++)
        if (is_of(lists->line[i], cpu->name))
            return true;
    return false;
}

/* True if masks of the list make it: each by itself, or several together. */
static bool has_mask(const struct listed *listed, unsigned mask)
{
    unsigned together = 0;
    bool any = false;
    for (int i = 0; i < listed->masks.n; i++)
        if ((listed->masks.value[i] & ~mask) == 0) {
            together |= listed->masks.value[i];
            any = true;
        }
    return any && together == mask;
}

static bool has_number(const struct numbers *numbers, unsigned number)
{
    int i = 0;
    while (i < numbers->n && numbers->value[i] != number)
        i++;
    return i < numbers->n;
}

static bool has_event(const struct lists *lists, const struct cpu *cpu, unsigned event, unsigned mask)
{
    for (int i = 0; i < lists->n; i++)
        if (has_number(&lists->line[i]->events, event) && is_of(lists->line[i], cpu->name) &&
            has_mask(lists->line[i], mask))
            return true;
    return false;
}

/* Arm numbers events without masks. */
static void split(const struct cpu *cpu, const struct encoding *code, unsigned *event, unsigned *mask)
{
    bool arm = strncmp(cpu->name, "arm", 3) == 0;
    *event = (unsigned)(code->config & (arm ? 0xffff : 0xff));
    *mask = arm ? 0 : (unsigned)(code->config >> 8 & 0xff);
    if (is_amd(cpu))
        *event |= (unsigned)(code->config >> 24 & 0xf00);
}

/* Arm's first 64 events are the architecture's, which a maker's list need not repeat. Intel's architectural
 * events are on all of its processors, whether or not a list repeats them; reference cycles have a counter of
 * their own, which the kernel calls 0x00/0x03; the second register for requests beyond the core of the small
 * cores has the mask 2. */
static bool is_architectural(const struct cpu *cpu, unsigned event, unsigned mask)
{
    static const unsigned known[][2] = {{0x3c, 0},    {0xc0, 0}, {0x00, 3}, {0x2e, 0x4f},
                                        {0x2e, 0x41}, {0xc4, 0}, {0xc5, 0}, {0xb7, 2}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i][0] == event && known[i][1] == mask)
            return !is_amd(cpu) && strncmp(cpu->name, "arm", 3) != 0;
    return strncmp(cpu->name, "arm", 3) == 0 && event < 0x40;
}

static void check_preset(struct checker *c, const struct lists *lists, const struct cpu *cpu, int preset)
{
    const struct row *row = cpu->row[preset];
    for (int i = 0; cpu->code[preset] != NULL && i < row->parts->n_natives; i++) {
        unsigned event, mask;
        split(cpu, &cpu->code[preset][i], &event, &mask);
        if (cpu->code[preset][i].type != PERF_TYPE_RAW || row->unlisted != NULL ||
            is_architectural(cpu, event, mask) || has_event(lists, cpu, event, mask))
            continue;
        fault_at(c, row->file, row->line,
                 "%s of %s is event %#x with the mask %#04x, which the vendor's list of this processor does "
                 "not have, and no \"# unlisted:\" says where it is from",
                 row->parts->native[i], cpu->name, event, mask);
    }
}

static void read_lists(struct checker *c, struct lists *lists, const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(name, "re");
    if (file == NULL) {
        fault_at(c, name, 1, "%s", strerror(errno));
        return;
    }
    while (getline(&text, &size, file) >= 0)
        read_line(lists, text);
    free(text);
    fclose(file);
    if (lists->n == 0)
        fault_at(c, name, 1, "no event is listed");
}

static void free_lists(struct lists *lists)
{
    for (int i = 0; i < lists->n; i++) {
        free(lists->line[i]->cpus);
        free(lists->line[i]);
    }
}

void lists_check(struct checker *c, const char *name)
{
    static struct lists lists;
    read_lists(c, &lists, name);
    for (int i = 0; i < c->n_cpus; i++)
        for (int p = 0; has_list(&lists, &c->cpu[i]) && p < PRESET_COUNT; p++)
            check_preset(c, &lists, &c->cpu[i], p);
    free_lists(&lists);
}
