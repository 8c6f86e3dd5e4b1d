/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Weighs the blocks of a linked program or shared library: what one run of a block adds to each event.
 *
 * The assembler knows where blocks begin and end, but not their final instructions: the linker may have
 * relaxed, padded or rewritten some. So the weights are made after the link, from the bytes that will run.
 * Each block's bytes are disassembled from its beginning, its length says where it ends, and each instruction
 * is classified as the emulator classifies it; the sums are written into the block's table in the file. This
 * is right because a block has no jump into or out of it, and because counters are not among its bytes: the
 * assembler's tables have a block for each run of bytes between two of them.
 *
 * What cannot be weighed is said. An unknown instruction counts as an instruction only; after bytes that
 * cannot even be measured the rest of the block is not counted; and a jump within a block, which a macro may
 * hide from the assembler, may skip what is counted. The file's tables are checked against its size before
 * they are used, as they may be damaged.
 */
#include "base/array.h"
#include "weigher.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DOUBTS = 20 }; /* that are said */

/* Checks the numbers that ../runtime/module.c has without these headers. */
_Static_assert(COUNTED_VERSION == 1 && COUNTED_EVENTS == 32 && COUNTED_NOTE_TYPE == 0x636e74 &&
                   sizeof COUNTED_NOTE_NAME == 5 && sizeof COUNTED_MAGIC == 8,
               "the module's run-time part");
_Static_assert(offsetof(struct counted_module, units) == 16 &&
                   offsetof(struct counted_module, anchor) == 32 &&
                   offsetof(struct counted_module, process) == 48 &&
                   offsetof(struct counted_module, weighed) == 64 && sizeof(struct counted_module) == 136,
               "the module's run-time part");

struct weighing {
    const struct image *image;
    struct counted_module *module;
    struct decoder *decoder;
    struct covered *covered;
    int64_t first, end; /* the slots of threads, in bytes */
    unsigned n_doubts;
};

/* A text that ends within the unit. */
static const char *text_at(const struct counted_unit *unit, uint32_t distance)
{
    bool inside = distance != 0 && distance < unit->size &&
                  memchr((const char *)unit + distance, '\0', unit->size - distance) != NULL;
    return inside ? (const char *)unit + distance : "?";
}

static void say(struct weighing *weighing, const struct counted_unit *unit, const struct counted_block *block,
                const struct doubt *doubt)
{
    char bytes[3 * 15 + 1] = "";
    if (++weighing->n_doubts > MOST_DOUBTS)
        return;
    for (size_t i = 0; i < doubt->n && i < 15; i++)
        snprintf(bytes + 3 * i, 4, "%02x ", doubt->bytes[i]);
    complain("%s:%u: in %s: %s: %s", text_at(unit, block->file), block->line, text_at(unit, block->function),
             doubt->what, bytes);
}

static void note_start(struct covered *covered, uint64_t start)
{
    covered->start = or_end(array_room(covered->start, covered->n, sizeof *covered->start));
    covered->start[covered->n++] = start;
}

static bool weigh_block(struct weighing *weighing, const struct counted_unit *unit,
                        struct counted_block *block)
{
    struct doubt doubt = {0};
    const uint8_t *code = image_at(weighing->image, &block->start, block->length);
    if (code == NULL)
        return false;
    memset(block->weight, 0, sizeof block->weight);
    weighing->module->n_unknown += decode(weighing->decoder, code, block->length,
                                          image_address(weighing->image, code), block->weight, &doubt);
    if (doubt.what != NULL)
        say(weighing, unit, block, &doubt);
    note_start(weighing->covered, image_address(weighing->image, code));
    weighing->module->n_blocks++;
    return true;
}

static void find_place(const struct weighing *weighing, int64_t *place)
{
    if (weighing->image->machine == EM_AARCH64)
        *place = place_arm64(*place);
}

static void note_slots(struct weighing *weighing, struct counted_unit *unit)
{
    if (unit->kind == COUNTED_THREAD)
        find_place(weighing, &unit->slots);
    int64_t end = (int64_t)((uint64_t)unit->slots + UINT64_C(8) * unit->n_slots);
    if (unit->kind != COUNTED_THREAD || unit->n_slots == 0)
        return;
    if (weighing->end == 0 || unit->slots < weighing->first)
        weighing->first = unit->slots;
    if (end > weighing->end)
        weighing->end = end;
}

static bool weigh_unit(struct weighing *weighing, struct counted_unit *unit)
{
    char *at = (char *)(unit + 1), *end = (char *)unit + unit->size;
    for (uint32_t i = 0; i < unit->n_blocks; i++) {
        struct counted_block *block = (void *)at;
        if (end - at < (ptrdiff_t)sizeof *block || (uint64_t)(end - at) < counted_block_size(block) ||
            !weigh_block(weighing, unit, block))
            return false;
        at += counted_block_size(block);
    }
    note_slots(weighing, unit);
    weighing->module->n_units++;
    return true;
}

static bool weigh_units(struct weighing *weighing, char *at, char *end)
{
    while (at < end) {
        struct counted_unit *unit = (void *)at;
        if (unit->size == 0) {
            at += 8;
            continue;
        }
        if (unit->size % 8 != 0 || unit->size < sizeof *unit || (uint64_t)(end - at) < unit->size ||
            !weigh_unit(weighing, unit))
            return false;
        at += unit->size;
    }
    return true;
}

static bool weigh_module(struct weighing *weighing)
{
    struct counted_module *module = weighing->module;
    module->n_units = 0;
    module->n_blocks = module->n_unknown = 0;
    uint64_t size = (uint64_t)module->units_end - (uint64_t)module->units + 8;
    char *units = image_at(weighing->image, &module->units, 0);
    if (units == NULL || (uintptr_t)units % 8 != 0 || size % 8 != 0 ||
        image_at(weighing->image, &module->units, size) == NULL ||
        !weigh_units(weighing, units, units + size))
        return false;
    find_place(weighing, &module->anchor_block);
    module->slots = weighing->first;
    module->n_slots = ((uint64_t)weighing->end - (uint64_t)weighing->first) / 8;
    module->weighed = 1;
    return true;
}

int weigh(const struct image *image, struct counted_module *module, struct covered *covered)
{
    struct weighing weighing = {
        .image = image, .module = module, .decoder = decoder_make(image->machine), .covered = covered};
    if (weighing.decoder == NULL) {
        complain("%s: Capstone does not know its processor", image->path);
        return EXIT_FAILURE;
    }
    bool done =
        module->version == COUNTED_VERSION && module->events == COUNTED_EVENTS && weigh_module(&weighing);
    decoder_free(weighing.decoder);
    if (!done) {
        complain("%s: its tables are damaged, or of another version of papi_counted: build all of it again",
                 image->path);
        return EXIT_FAILURE;
    }
    if (weighing.n_doubts > MOST_DOUBTS)
        complain("%s: and %u more", image->path, weighing.n_doubts - MOST_DOUBTS);
    return EXIT_SUCCESS;
}
