/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A processor's costs by class of instruction, from a file of models/ (docs/gate.md has the format). */

/* The classes of instructions. Those from "load" on are parts of an instruction, beside its class. */
#define PRICE_CLASSES(CLASS)                                                                                 \
    CLASS(move)                                                                                              \
    CLASS(integer)                                                                                           \
    CLASS(integer_multiply)                                                                                  \
    CLASS(integer_divide_32)                                                                                 \
    CLASS(integer_divide_64)                                                                                 \
    CLASS(fp_add)                                                                                            \
    CLASS(fp_multiply)                                                                                       \
    CLASS(fp_fma)                                                                                            \
    CLASS(fp_divide_32)                                                                                      \
    CLASS(fp_divide_64)                                                                                      \
    CLASS(fp_sqrt_32)                                                                                        \
    CLASS(fp_sqrt_64)                                                                                        \
    CLASS(fp_other)                                                                                          \
    CLASS(fp_compare)                                                                                        \
    CLASS(fp_convert)                                                                                        \
    CLASS(vector_integer)                                                                                    \
    CLASS(vector_multiply)                                                                                   \
    CLASS(string)                                                                                            \
    CLASS(atomic)                                                                                            \
    CLASS(system_call)                                                                                       \
    CLASS(load)                                                                                              \
    CLASS(load_vector)                                                                                       \
    CLASS(gather)                                                                                            \
    CLASS(store)                                                                                             \
    CLASS(store_vector)                                                                                      \
    CLASS(stored)                                                                                            \
    CLASS(stored_vector)                                                                                     \
    CLASS(branch)

enum price_class {
#define CLASS(name) PRICE_##name,
    PRICE_CLASSES(CLASS)
#undef CLASS
        PRICES
};

enum { MODEL_UNITS = 16, MODEL_WIDTHS = 3 }; /* at most 128 bits, 256, 512 */

struct price {
    double latency[MODEL_WIDTHS];
    double ops[MODEL_WIDTHS];               /* of the processor's width */
    double busy[MODEL_UNITS][MODEL_WIDTHS]; /* cycles of each group of units: 0.5 where two take one each */
};

struct model {
    char *name, *title, *version; /* version: a hash of the file */
    double gigahertz, width;      /* width: instructions that begin in a cycle */
    double mispredicted[2];       /* cycles of a branch that goes where it was not expected, as below */
    double taken[2];              /* cycles of a branch that is taken, at least and at most */
    double window;                /* instructions that it looks ahead */
    bool fuses;                   /* a comparison and the branch behind it are one instruction */
    char *unit[MODEL_UNITS];
    int n_units;
    struct price price[PRICES];
};

/* Reads the model of a name, or the file where it has a '/' or ends with ".json". NULL, or a sentence to be
 * freed: a name that there is not, with the nearest one and all. */
char *model_read(struct model *model, const char *name);

/* The name of this machine's model; NULL: there is none. */
const char *model_of_machine(void);

void model_free(struct model *model);
