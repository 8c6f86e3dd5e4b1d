/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "formats/emulator_memory.h"
#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The effect of one instruction on the counters, from its disassembly alone. emulator_events.def says what
 * each event counts. */

enum flow { FLOW_ON, FLOW_CONDITIONAL, FLOW_OTHER };

enum { MAX_ADDENDS = 12 };

struct kind {
    uint8_t n;
    uint8_t event[MAX_ADDENDS];
    uint8_t amount[MAX_ADDENDS]; /* at least 1 */
    uint8_t flow;                /* enum flow: a branch, and whether it may go on behind itself */
    bool repeats;                /* a REP string instruction, which the emulator runs turn by turn */
    uint8_t memory_size;         /* bytes that its memory operand has, of a gather one element; 0: not
                                  * known, more than 255, or none */
    uint64_t target;             /* FLOW_CONDITIONAL: where it goes if taken */
};

/* Fills in all but INSTRUCTIONS and what is only known when it runs (TAKEN_BRANCHES, caches).
 * insn has its details (CS_OPT_DETAIL). */
void classify_x86(csh disassembler, const cs_insn *insn, struct kind *out);
void classify_arm64(csh disassembler, const cs_insn *insn, struct kind *out);

/* An instruction that Capstone 4 does not know but some programs use. False: unknown here too, and out
 * counts nothing. */
bool classify_x86_bytes(const uint8_t *bytes, size_t size, struct kind *out);

/* AVX-512, from the bytes: also what Capstone 4 does not know of it. False: it is not that. */
bool classify_evex(const uint8_t *bytes, size_t size, struct kind *out);

/* The same of one that begins there, whatever follows. Its length; 0: it is none of AVX-512, or not known.
 * To be asked before Capstone 4, which has those that say how to round one byte longer than they are. */
size_t classify_evex_first(const uint8_t *bytes, size_t size, struct kind *out);

/* The length of an instruction that the disassembler does not know; 0: not known here either. */
size_t x86_length(const uint8_t *bytes, size_t size);

/* The same as classify_arm64 from the instruction itself, which needs no disassembler: Capstone 4 knows
 * nothing behind ARMv8.0, not the atomics that every C library uses, nor half precision. False: no
 * instruction that is known here (SVE, SME and what is not allocated), and out counts nothing. */
bool classify_arm64_word(uint32_t word, uint64_t address, struct kind *out);

static inline void kind_add(struct kind *kind, enum emulated_event event, unsigned amount)
{
    if (amount == 0 || kind->n == MAX_ADDENDS)
        return;
    kind->event[kind->n] = (uint8_t)event;
    kind->amount[kind->n++] = (uint8_t)amount;
}

/* ---- for the classifiers */

enum operation {
    OPERATION_NONE, /* moves, and all that no event is for */
    OPERATION_INTEGER,
    OPERATION_PACKED, /* integers in vectors; logic and shuffles of any type */
    OPERATION_ADD,
    OPERATION_MULTIPLY,
    OPERATION_DIVIDE,
    OPERATION_SQRT,
    OPERATION_INVERSE,
    OPERATION_REFINE, /* a step towards a reciprocal: a fused multiply-subtract */
    OPERATION_FMA,
    OPERATION_DOT,         /* two products a lane, or one product and its part of the sum */
    OPERATION_COMPLEX,     /* of complex numbers: a product and a fused multiply-add a lane */
    OPERATION_COMPLEX_FMA, /* two fused multiply-adds a lane */
    OPERATION_OTHER,       /* floating-point arithmetic without an event of its own: minimum, maximum, sine */
    OPERATION_COMPARE,
    OPERATION_CONVERT,
    OPERATION_JUMP,
    OPERATION_BRANCH, /* conditional */
    OPERATION_CALL,
    OPERATION_RETURN,
    OPERATION_SYSTEM_CALL,
};

enum precision { PRECISION_HALF, PRECISION_SINGLE, PRECISION_DOUBLE, PRECISION_EXTENDED };

struct lanes {
    enum precision precision;
    unsigned n;  /* lanes that are computed */
    bool vector; /* all lanes of a vector register, be it one */
};

/* Adds the events of an operation; lanes is for operations on vectors and floating point. */
void kind_add_operation(struct kind *kind, enum operation operation, struct lanes lanes);

enum { ACCESS_LOAD = 1, ACCESS_STORE = 2 };

/* Adds the events of an access to memory of size bytes; access: ACCESS_LOAD, ACCESS_STORE, both or
 * neither. */
void kind_add_accesses(struct kind *kind, unsigned access, unsigned size);
