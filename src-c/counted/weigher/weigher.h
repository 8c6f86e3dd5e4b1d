/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counted/complain.h"
#include "formats/counted_section.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The weigher: after the link, writes into a program or shared library what each of its blocks counts.
 *
 *   weigher_main.c      the command line
 *   image.c             the file, by its program headers
 *   weigh.c             its units and blocks
 *   decode.c            events of the instructions of a block
 *   uncounted_calls.c   calls of functions that do arithmetic and are not counted
 */

/* ---- image.c */

struct image {
    const char *path;
    unsigned char *bytes;
    size_t size;
    uint16_t machine; /* EM_X86_64, EM_AARCH64 */
};

/* IMAGE_OTHER: not an ELF file of x86-64 or 64-bit Arm. IMAGE_FAILED: errno tells. */
enum image_status { IMAGE_OPEN, IMAGE_OTHER, IMAGE_FAILED };

/* Maps a program or library. With writes, changes of the image are written to the file. */
enum image_status image_open(struct image *image, const char *path, bool writes);
void image_close(struct image *image);
/* The module's description; NULL: it has none. */
struct counted_module *image_module(const struct image *image);
/* Has a shared library stay in the process after dlclose, where what it counted would go with it. */
void image_keep(const struct image *image);
/* The bytes of the file at a distance, in loaded memory, from the field that states it, at least size of
 * them; NULL: the file has none there. */
void *image_at(const struct image *image, const int64_t *distance, size_t size);
uint64_t image_address(const struct image *image, const void *place);

/* ---- decode.c */

struct decoder;

/* A fault found in a block. */
struct doubt {
    const char *what; /* NULL: nothing */
    const uint8_t *bytes;
    size_t n;
};

/* Creates a decoder for an ELF machine; NULL: there is no memory, or Capstone does not know the machine. */
struct decoder *decoder_make(uint16_t machine);
void decoder_free(struct decoder *decoder);
/* Decodes the size bytes of a block at code, which run at address, and adds up their events in weight.
 * Returns the number of instructions that are not known; doubt says which is the first fault. */
unsigned decode(struct decoder *decoder, const uint8_t *code, size_t size, uint64_t address,
                uint16_t weight[COUNTED_EVENTS], struct doubt *doubt);

/* ---- decode.c: one instruction */

struct kind;

/* Decodes the instruction at code, of at most left bytes. known becomes false where its effect is not known.
 * Returns its length in bytes; 0: not even that is known. */
size_t decode_x86(uintptr_t handle, void *insn, const uint8_t *code, size_t left, uint64_t address,
                  struct kind *kind, bool *known);
size_t decode_arm64(const uint8_t *code, size_t left, uint64_t address, struct kind *kind, bool *known);
/* A place in thread-local memory, as the assembler writes it: a number, on Arm by two instructions that load
 * it. */
int64_t place_arm64(int64_t place);

/* ---- weigh.c */

/* The addresses at which blocks begin. */
struct covered {
    uint64_t *start;
    size_t n;
};

/* Weighs all blocks of an image. Returns an exit status, after a message if that is not 0. The caller frees
 * covered->start. */
int weigh(const struct image *image, struct counted_module *module, struct covered *covered);

/* ---- uncounted_calls.c */

/* The names of functions, and libraries, whose arithmetic is not counted: all, one library in a line, or
 * some, as a part of a sentence. To be freed; NULL: there are none. */
char *outside_names(const struct image *image, const struct covered *covered, bool all);
