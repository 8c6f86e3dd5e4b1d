/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tables of presets as the checker has them: every row, and for each processor the rows that hold.
 */
#pragma once

#include "events/presets.h"
#include "events/rule.h"
#include <stdint.h>

enum { MAX_CPUS = 256, NAME_SIZE = 128 };

/* A PRESET row. */
struct row {
    const char *file; /* an argument of the program */
    int line;
    int preset;
    bool none;                       /* the processor cannot count it */
    struct preset_definition *parts; /* NULL: none */
    char *note;                      /* NULL: none */
    char *differs;                   /* why it is not as on the neighbour; NULL: not said */
    char *unlisted;                  /* why it uses what the vendor's list lacks; NULL: not said */
    int n_holds;                     /* for how many processors no later row overrides it */
    struct row *next;
};

/* The encoding of a native event, as libpfm4 gives it. */
struct encoding {
    uint64_t type, config, config1, config2;
};

/* Ranks of CPU rows by how closely they match a processor that libpfm4 does not know. */
enum { BY_GENERIC, BY_PMU, BY_PROCESSOR, N_RANKS };

struct cpu {
    char name[NAME_SIZE];
    const char *file; /* that names it first */
    int line;
    bool encodable; /* this libpfm4 knows it, or its events need no libpfm4 */
    bool processor; /* no rule, and not what stands for any (generic, emulated) */
    bool rule;      /* the kernel says what its events mean, on a machine that has it */
    bool ruled;     /* a processor that rules choose the rows of: its name is a rule that means it alone */
    struct core_pmu core;                      /* of one that is ruled */
    struct row *ranked[N_RANKS][PRESET_COUNT]; /* of one that is ruled, as long as tables are read */
    int n_counters, n_fixed;
    struct row *row[PRESET_COUNT]; /* NULL: none */
    struct encoding *code[PRESET_COUNT];
};

/* The names of processors by the architecture of their libpfm4. */
struct architectures {
    const char *file;
    struct {
        int line;
        char architecture[16], cpu[NAME_SIZE];
    } entry[2 * MAX_CPUS];
    int n;
};

struct checker {
    int n_cpus;
    struct cpu cpu[MAX_CPUS];
    struct row *rows, **last;
    struct architectures architectures;
    int n_faults, n_encoded, n_of_rules, n_weighed;
};

/* ---- main.c: prints a fault as file:line: text, and counts it. */
void fault_at(struct checker *c, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- rows.c: reads a file; reports its faults. */
void rows_read(struct checker *c, const char *name);

/* ---- events.c: libpfm4 */

/* "amd64": whose libpfm4 the program was built with, as Debian calls it. */
const char *own_architecture(void);

/* Finds the processor among libpfm4's, and how many counters it has. */
void cpu_find(struct cpu *cpu);

/* Encodes the native events of every definition that holds. */
void events_encode(struct checker *c);

/* ---- fields.c: "cpu/event=0xa4,umask=0x02/", or without the PMU, as the kernel makes a configuration of it.
 * An event of the kernel's by name, whose number is not known, has a type of its own. false: a field is not
 * known. */
bool fields_encode(const char *native, bool amd, struct encoding *out);
bool fields_have_form(const char *native);

/* ---- ruled.c: processors that rules choose the rows of. */

/* Adds the processor that a rule matches; false: it does not match exactly one. */
bool ruled_add(struct checker *c, const char *file, int line, const char *rule, int n_counters);

/* Takes over a row that was read below CPU rows of these names. */
void ruled_hold(struct checker *c, struct row *row, struct cpu *const named[], int n);

/* Ends the reading: all tables were read. */
void ruled_finish(struct checker *c);

bool is_amd(const struct cpu *cpu);
bool is_intel(const struct cpu *cpu);

/* ---- lists.c: what the vendors' lists have. Reads lines of events, their masks, and processors. */
void lists_check(struct checker *c, const char *name);

/* ---- sums.c: hits and misses make the accesses, where one event counts all three by its masks. */
void sums_check(struct checker *c, const struct cpu *cpu);

/* ---- weights.c: floating-point presets give the sums that the masks of their events say. */
void weights_check(struct checker *c, const struct cpu *cpu);

bool same_encoding(const struct encoding *a, const struct encoding *b);

/* The number of events by which a definition exceeds the processor's counters; *limit says of what kind they
 * are. */
int events_too_many(const struct cpu *cpu, int preset, const char **limit);

/* ---- architectures.c */

/* Reads lines of a processor's name, architectures with commas between them, and what it is. */
void architectures_read(struct checker *c, const char *name);

/* True if the list has the processor for the architecture, or, if that is NULL, for any. */
bool architectures_have(const struct architectures *list, const char *architecture, const char *cpu);

/* Checks that each processor of the list has a table. */
void architectures_check(struct checker *c);

/* ---- rules.c: of each processor's presets. complete: the tables are whole, and what must be said of every
 * processor is. */
void rules_check(struct checker *c, bool complete);

/* True if two definitions, of one processor or of two, count the same. Either may be NULL. */
bool same_definition(const struct cpu *a, const struct cpu *b, int preset_a, int preset_b);

/* ---- generations.c: neighbouring processors differ with a reason. Lines of the file: names, oldest first.
 */
void generations_check(struct checker *c, const char *name);

/* ---- matrix.c */
int count_definitions(const struct checker *c);
int count_processors(const struct checker *c);
void matrix_print(const struct checker *c);

/* The same as a table for programs. 0, or errno. */
int matrix_write(const struct checker *c, const char *name);

/* True if the processor has a definition of the preset. */
bool cpu_defines(const struct cpu *cpu, int preset);

struct cpu *cpu_named(struct checker *c, const char *name);
