/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions of x86-64 as an analysis of a loop needs them: their work, and the registers that they take
 * and give. */

enum work {
    WORK_MOVE, /* also what no other kind is for */
    WORK_INTEGER,
    WORK_INTEGER_MULTIPLY,
    WORK_INTEGER_DIVIDE,
    WORK_ADD, /* from here to WORK_CONVERT of floating-point numbers */
    WORK_MULTIPLY,
    WORK_FMA,
    WORK_DIVIDE,
    WORK_SQRT,
    WORK_OTHER, /* minimum, maximum, estimates, functions of the x87 unit */
    WORK_COMPARE,
    WORK_CONVERT,
    WORK_SHUFFLE, /* and integers in vectors */
    WORK_LOAD,    /* the part of an instruction that reads memory */
    WORK_STORED,  /* the same, of what the loop has stored a moment before */
    WORKS
};

enum { UNIT_NONE = -1, UNITS = 64, UNIT_FIRST_VECTOR = 16, UNIT_FLAGS = 48, UNIT_X87 = 49 };

/* An address of memory: base + index * scale + displacement, by the numbers of their registers. */
struct address {
    int base, index, scale;
    int64_t displacement;
};

struct step {
    uint64_t address, target; /* target: of a branch; 0: not known */
    uint64_t takes, gives;    /* bits of registers, without those of the address */
    struct address memory;
    int64_t adds; /* to its register, where it does only that: a counter or a pointer */
    enum work work;
    uint16_t size;
    uint16_t bits;   /* of vectors; 0: it computes on no vector */
    uint16_t width;  /* bits of the widest register that it names; 0: not known */
    uint8_t element; /* bits of the floating-point numbers that it computes with; 0: it does not */
    bool scalar_fp;  /* on one floating-point number */
    bool loads, stores;
    bool branch, conditional, call, ends; /* ends: nothing goes on behind it */
    bool computed;                        /* a jump or call to where a register or a table says */
    bool locked;                          /* atomic */
    bool is_adding, advances;             /* advances: adds a register to its register */
    bool copies;                          /* a register into another */
    bool multiplies;                      /* integers in vectors */
    bool gathers;                         /* loads elements from where a vector says */
    bool repeats;                         /* a REP string instruction */
    bool system_call;
    bool unknown; /* to the disassembler */
};

struct decoder;

/* NULL: there is none. */
struct decoder *decoder_open(void);
void decoder_close(struct decoder *decoder);

/* Decodes the instruction that begins there. Its length; 0: it is not known. */
size_t decoder_step(struct decoder *decoder, const uint8_t *code, size_t left, uint64_t address,
                    struct step *step);
