/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/hash.h"
#include "counted/complain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The assembler of counted builds: puts counters into a compiler's assembly, and has the true assembler
 * assemble that.
 *
 *   assembler_main.c   the command line, and the true assembler
 *   read_assembly.c    from text to statements, the section of each, and labels
 *   graph.c            blocks, and the blocks that follow each
 *   flags.c            places at which flags are dead
 *   registers.c        places at which registers are dead
 *   exclusive.c        places at which nothing may be stored
 *   trips.c            loops whose number of iterations is known before they begin
 *   carried.c          loops whose counters are in registers
 *   placement.c        blocks that have a counter, and the sums that make up the others
 *   emit.c             the assembly with counters, and the tables (formats/counted_section.h)
 *
 * Each processor has files of its own, *_x86.c or *_arm64.c, and an assembler is linked with those of one:
 *
 *   instruction_*      an instruction's effect on the flow of control and the flags, its size, jump tables
 *   registers_*        registers that an instruction reads and writes
 *   steps_*            instructions that add a number to a register, and comparisons
 *   counters_*         the instructions of counters, in memory and in registers
 */

/* ---- spans, in graph.c */

struct span {
    const char *at;
    size_t n;
};

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
bool span_contains(struct span span, const char *text);
bool span_same(struct span a, struct span b);
struct span span_trim(struct span span);
/* The text up to a character, trimmed; rest is what follows it. */
struct span span_cut(struct span span, char at, struct span *rest);
/* True if the word is one of those in a text, separated by spaces. */
bool span_in(struct span word, const char *words);

/* Makes room for one more element at array[n]; returns the array. size: of an element. */
void *grown(void *array, size_t n, size_t size);

/* ---- what an instruction does */

enum flow { FLOW_NEXT, FLOW_JUMP, FLOW_BRANCH, FLOW_CALL, FLOW_RETURN, FLOW_STOP };

/* Flags, one bit each; Arm's are C, Z, S (its N) and O (its V). */
enum { FLAG_C = 1, FLAG_P = 2, FLAG_A = 4, FLAG_Z = 8, FLAG_S = 16, FLAG_O = 32, FLAGS_ALL = 63 };

/* Exclusive accesses: between a load that begins one and the store that ends it, nothing else may be
 * stored. */
enum exclusive { EXCLUSIVE_NOTHING, EXCLUSIVE_BEGINS, EXCLUSIVE_ENDS };

struct effect {
    uint8_t flow;
    uint8_t reads, kills; /* flags */
    uint8_t exclusive;    /* enum exclusive */
    bool unknown;         /* it may do anything but jump */
};

/* Registers, one bit each: the general ones, and from FIRST_VECTOR on those of vectors, whose bit is the same
 * for %xmm3, %ymm3 and %zmm3, or for s3, d3 and v3. */
struct uses {
    uint64_t reads;  /* it may read these */
    uint64_t kills;  /* it writes these whole, whatever was in them */
    uint64_t writes; /* it writes these */
    uint64_t may;    /* it may write these and no others */
    uint64_t named;  /* its operands */
};

enum { FIRST_VECTOR = 32 };
#define REGISTERS_ALL UINT64_MAX
#define REGISTER(number) (UINT64_C(1) << (number))

/* ---- read_assembly.c */

enum statement_kind {
    STATEMENT_LABEL,
    STATEMENT_DIRECTIVE,
    STATEMENT_INSTRUCTION,
    STATEMENT_PREFIX, /* a number that begins an instruction */
    STATEMENT_OPAQUE, /* code that is not what is written: of a macro, or left out by a condition */
};

struct statement {
    struct span whole;
    struct span word; /* the label's name, the directive with its dot, the mnemonic behind prefixes */
    struct span rest; /* operands */
    uint32_t line;
    int32_t section;
    uint8_t kind;
    bool assembler; /* between #APP and #NO_APP: somebody wrote it */
    bool continues; /* it is one with what is before it: a prefix, or a sequence that the linker knows */
    bool landing;   /* nothing may come before it in its block: where indirect jumps arrive (ENDBR64, BTI) */
    bool exclusive; /* nothing may be stored before it */
    struct effect effect;
    struct uses uses;
};

struct section {
    struct span directive; /* that switches to it */
    struct span name;
    bool code, debug;
};

struct source {
    const char *text;
    size_t size;
    struct statement *statement;
    size_t n;
    struct section *section;
    size_t n_sections;
    const char *why; /* it cannot be counted; NULL: it can */
    uint32_t why_line;
};

void source_read(struct source *source, const char *text, size_t size);
void source_free(struct source *source);
/* True if the statement is in a section of code. */
bool is_code(const struct source *source, const struct statement *statement);

/* ---- labels, in read_assembly.c */

struct label {
    struct span name;
    size_t statement;
    bool jumped;    /* target of a jump */
    bool addressed; /* its address is somewhere: it may be reached from anywhere */
    bool called;    /* from this file, by this name or another */
    bool aliased;   /* it has another name */
    bool resolver;  /* of an IFUNC: runs before there is memory of threads */
    int32_t block;  /* that begins there; -1: none */
};

struct labels {
    struct label *label; /* in the order of the text */
    size_t n;
    struct hash_table table; /* index + 1, by the name */
};

enum { NO_LABEL = -1 };

void labels_find(struct labels *labels, const struct source *source);
void labels_free(struct labels *labels);
/* The index of the label that a name refers to at a statement, also of 1f and 1b; NO_LABEL: it is not in this
 * file. */
int32_t label_of(const struct labels *labels, struct span name, size_t statement);

/* ---- instruction_*.c */

struct effect effect_of(const struct statement *statement);
/* True for prefixes with which an instruction may begin. */
bool is_prefix(struct span word);
bool is_call(struct span word);
/* True for instructions at which indirect jumps must arrive: ENDBR64, BTI and their like. */
bool is_landing(const struct statement *statement);
/* True if the statement begins a sequence that the linker may rewrite as a whole, up to its call and, if
 * continues_call is true of that, the statement after it. */
bool begins_sequence(const struct statement *statement);
bool continues_call(const struct statement *call);
/* True for a directive that writes the first byte of an instruction. */
bool is_prefix_byte(const struct statement *statement);
/* True if a comment begins here that ends with its line; first: nothing is before it. */
bool begins_comment(const char *at, bool first);
/* The name to which a direct jump goes, as it is written; empty: the jump is indirect. */
struct span jump_target(const struct statement *statement);
/* True if a jump or call goes to one of the compiler's own routines, which use other registers than functions
 * do. */
bool goes_to_helper(const struct statement *jump);
/* True for a conditional jump whose target may be replaced by a stub nearby. */
bool may_be_redirected(const struct statement *jump);
/* The distance that a jump can reach, in bytes, with room for counters in between; 0: the assembler chooses a
 * form that reaches. */
size_t reach_of(const struct statement *jump);

/* ---- graph.c */

enum { NOWHERE = -1 };

struct block {
    size_t first, last; /* statements; those between that are no code of this section are not its own */
    uint32_t line, file;
    struct span function;
    int32_t section;
    int32_t next;   /* the block behind it, that it may go on in; NOWHERE: none */
    int32_t target; /* that it may jump to; NOWHERE: none, or not known */
    uint8_t flow;
    bool away;                 /* it may go somewhere that is not known, or not come back */
    bool entry;                /* it may be reached from anywhere */
    uint8_t depth;             /* of loops around it */
    uint8_t live_in, live_out; /* flags */
    bool exclusive;            /* some of it is before the store that ends an exclusive access */
    bool exclusive_begun;      /* behind it one has begun that may not have ended */
    bool exclusive_ends;       /* from its beginning on one may end that has begun before */
    uint64_t registers_in;     /* that are live */
    uint64_t changed;          /* that its function changes, of those that a call may change */
};

struct file_name {
    uint32_t number;
    struct span name;
};

struct graph {
    const struct source *source;
    struct labels labels;
    struct block *block;
    size_t n;
    uint64_t addressed; /* registers that are live where somebody may come from anywhere */
    uint32_t *n_from;   /* by block, where those begin in from that may go on in it */
    int32_t *from;
    struct file_name *file;
    size_t n_files;
};

void graph_build(struct graph *graph, struct source *source);
void graph_free(struct graph *graph);
/* The function that a block is of: f, where its part is f.cold. */
struct span function_name(const struct block *block);
/* True if a statement between a block's first and last one is code of that block. */
bool is_own(const struct graph *graph, const struct block *block, size_t statement);

/* ---- flags.c */

/* Fills in live_in and live_out of all blocks. */
void flags_analyse(struct graph *graph);
uint8_t flags_before(uint8_t live, struct effect effect);

/* ---- registers_*.c */

enum { MAX_OPERANDS = 6, MOST_PREFERRED = 18 };

/* Sets of registers, and numbers of them. */
extern const struct processor {
    uint64_t arguments, returned; /* of functions, whatever they do */
    uint64_t changed_by_calls;
    uint64_t changed_always; /* also by functions that do not name them */
    uint64_t vectors;
    uint64_t momentary;       /* that what counts may use for a moment */
    uint64_t carries;         /* general ones in which counters may be while a loop runs */
    uint64_t carries_vectors; /* and others */
    uint8_t preferred[MOST_PREFERRED], n_preferred; /* general ones, for a moment */
    uint8_t for_counter[3], for_trip[3];            /* so many are needed, by enum slots */
    bool keeps_flags;                               /* counters change none */
    bool carries_any_slots; /* in general registers; else those of SLOTS_LOCAL, and where flags are dead */
} processor;

struct uses uses_of(const struct statement *statement);
/* The number of a general register, %eax; NOWHERE: it is something else. */
int register_of(struct span operand, int *bytes);
const char *register_name(int number, int bytes);
/* True if a statement shows that its function leaves all registers as they were. */
bool restores_registers(const struct statement *statement);

/* ---- registers.c */

unsigned operands_of(struct span text, struct span operand[MAX_OPERANDS]);
/* Fills in registers_in of all blocks. */
void registers_analyse(struct graph *graph);
/* The registers that are live at the end of a block. */
uint64_t registers_behind(const struct graph *graph, const struct block *block);
uint64_t registers_before(uint64_t live, struct uses uses);
/* A dead register that a counter may use where the given ones are live; NOWHERE: there is none. */
int dead_register(const struct block *block, uint64_t live);

/* ---- exclusive.c */

/* Fills in exclusive of all statements and blocks. */
void exclusive_analyse(struct graph *graph, struct source *source);

/* ---- places of counters, in placement.c */

/* The memory of slots: thread-local in a program (local-exec), thread-local in a shared library
 * (initial-exec), or one for the whole process. */
enum slots { SLOTS_LOCAL, SLOTS_INITIAL, SLOTS_PROCESS };

enum { MOST_SCRATCH = 4 };

/* The place of a counter, and the flags and registers that it may change there. */
struct spot {
    size_t statement;
    bool flags;                /* the counter may change those that it has to */
    bool none;                 /* there is no such place */
    int scratch[MOST_SCRATCH]; /* dead registers; NOWHERE: none */
};

/* The best place in a block: one with as many dead registers as are wanted, if there is such a place. */
struct spot spot_in(const struct graph *graph, const struct block *block, unsigned wanted);
/* The place on the way from a block to the next one. */
struct spot spot_behind(const struct graph *graph, const struct block *block);
/* Finds dead registers where the given ones are live; NOWHERE for each that there is not. */
void find_scratch(const struct block *block, uint64_t live, int scratch[MOST_SCRATCH]);

/* ---- trips.c */

enum { MOST_ENTRIES = 4 };

/* The place of code that runs when a loop is entered: before a statement at the end of a block or after
 * it. */
struct entry {
    int32_t block;
    size_t statement;
};

/* The condition on which a loop goes on: its counter is not the limit, or has not passed it, compared as
 * numbers with or without a sign. */
enum until { UNTIL_EQUAL, UNTIL_SIGNED, UNTIL_UNSIGNED };

/* A loop whose number of iterations is known when it begins: the counter changes by step until it equals the
 * limit, or by 1 until it has passed it. */
struct trip {
    int32_t head, latch; /* its first and last block */
    uint8_t until;       /* enum until */
    bool once_more;      /* where the counter is the limit, the loop goes on */
    int counter, limit;  /* registers; limit NOWHERE: it is number */
    int64_t number, step;
    int bytes;                 /* of what is compared */
    bool behind;               /* the counter changes behind the comparison */
    int scratch[MOST_SCRATCH]; /* registers; NOWHERE: it is not needed */
    bool saved[MOST_SCRATCH];  /* it is not dead: it has to be saved */
    struct entry entry[MOST_ENTRIES];
    unsigned n_entries;
};

struct trips {
    struct trip *trip;
    size_t n;
    int32_t *of;     /* by block, the trip of which it is the latch; NOWHERE */
    unsigned needed; /* registers */
};

void trips_find(struct trips *trips, const struct graph *graph, enum slots slots);
void trips_free(struct trips *trips);

/* ---- steps_*.c */

/* A comparison that may end a loop: of a register with another one or with a number. */
struct comparison {
    int counter, limit; /* limit NOWHERE: it is number */
    int64_t number;
    int bytes;
    bool of_result; /* the statement itself may have changed the counter before */
    bool ordered;   /* a jump behind it may ask which one is less: the counter, or the limit if swapped */
    bool swapped;
};

/* True if a jump is taken while the first one is less, and where both are equal. */
struct order {
    uint8_t until; /* enum until */
    bool less, equal;
};

enum { MOST_COMPARISONS = 2 };

/* Finds the number by which a statement changes a register each time; false: it is not a known number. */
bool step_of(const struct statement *statement, int counter, int64_t *step, int *bytes);
/* True for a jump that is taken if the compared values were not equal. */
bool jumps_unless_equal(const struct statement *jump);
/* The condition of a jump that asks which value is less; false: it is another jump, or an unknown one. */
bool order_of(const struct statement *jump, struct order *order);
/* True for a conditional jump that compares a register with 0 by itself (cbnz). */
bool jump_compares(const struct statement *jump);
/* Finds the comparisons of a statement, where either operand may be the counter; returns their number. */
unsigned comparisons_of(const struct statement *statement, struct comparison found[MOST_COMPARISONS]);

/* ---- instruction_*.c: jump tables */

/* The text with jump tables that have room for counters, line by line the same, to be freed; NULL: as it is.
 * Where there is a table that it does not know, source->why says so. */
char *tables_widened(struct source *source, size_t *size);

/* ---- instruction_*.c: sizes */

unsigned size_of(const struct statement *statement);

/* ---- carried.c */

enum { MOST_WAYS = 8, MOST_CARRIED = 4 };

/* A way from a block into a loop, or out of it. */
struct way {
    int32_t from, to;
    bool taken; /* by the jump at the block's end; else the block goes on there */
    bool enters;
};

/* A loop with counters in registers. */
struct carried {
    struct way way[MOST_WAYS];
    int32_t arc[MOST_CARRIED];
    int number[MOST_CARRIED]; /* by counter, its register, as in struct uses */
    int spare;                /* a vector register that is free outside; NOWHERE: it is not needed */
    unsigned n_ways, n;
    bool vex; /* AVX instructions are to be used */
};

struct placement;
/* Finds the counters of a placement that can be in registers. */
void carried_find(struct placement *placement, const struct graph *graph, enum slots slots);
/* The first block, from one on, that never goes on to the next, so that a stub can be put after it; NOWHERE:
 * there is none. */
int32_t stub_behind(const struct graph *graph, int32_t from);

/* ---- placement.c */

struct form {
    int32_t *term; /* as counted_block.term, by slots of the whole file */
    uint32_t n;
};

struct arc {
    int32_t block;
    bool edge;    /* not the block but the way from it to the next one */
    bool counted; /* it has a slot */
    uint32_t slot;
    uint32_t from, to; /* junctions */
    uint32_t cost;
    int32_t carried; /* the loop in which it is in a register; NOWHERE */
    struct form form;
};

struct placement {
    struct arc *arc; /* the blocks in order, then the edges */
    size_t n;
    int32_t *edge_of; /* by block, the arc of its edge; NOWHERE: none */
    uint32_t n_slots;
    struct trips trips;
    struct carried *carried;
    size_t n_carried;
    uint8_t
        *align; /* by block: it begins a line of the cache if so many bytes before it do; 0: it need not */
    int32_t block_without; /* a block that needs a counter and has no place for one; NOWHERE: all have */
};

/* Optimisations of counters, each in addition to the previous ones: every block has a counter; blocks whose
 * count is a sum of others' have none; loops whose number of iterations is known before have none; counters
 * of small loops are in registers. */
enum level { LEVEL_BLOCKS, LEVEL_TREE, LEVEL_TRIPS, LEVEL_CARRIED };

void placement_make(struct placement *placement, const struct graph *graph, enum level level,
                    enum slots slots);
void placement_free(struct placement *placement);

/* ---- counters_*.c */

/* A slot, as the assembly names it. */
struct slot {
    int32_t unit;
    uint32_t at;
};

/* Adds one to a slot. */
void put_count(FILE *out, enum slots slots, struct slot slot, struct spot spot);
/* Adds a loop's number of iterations to a slot before the loop begins; mark is the number of a free label. */
void put_trip(FILE *out, enum slots slots, struct slot slot, const struct trip *trip, uint32_t mark);
/* Writes the constants of put_trip, once in a file. */
void put_trip_numbers(FILE *out);
void put_jump(FILE *out, struct span target);
/* Writes eight bytes from which the weigher takes the place of a unit's slots in the thread-local memory. */
void put_place(FILE *out, int32_t unit);

/* ---- counters_*.c: in registers */

/* Dead registers, and whether ADD may change the flags. */
struct carried_place {
    struct slot slot;
    int scratch[MOST_SCRATCH];
    bool flags;
};

void put_carried_entry(FILE *out, const struct carried *loop);
/* Writes the constant that put_carried_step adds to vector registers, once in a file. */
void put_carried_one(FILE *out);
/* Adds one to a counter in a register. number: that register. */
void put_carried_step(FILE *out, const struct carried *loop, int number);
/* Adds one counter to its slot. */
void put_carried_exit(FILE *out, const struct carried *loop, int number, enum slots slots,
                      struct carried_place place);

/* ---- emit.c */

void emit(FILE *out, const struct graph *graph, const struct placement *placement, enum slots slots);
