/* SPDX-License-Identifier: BSD-3-Clause */
#include "access_width.h"
#include "tools/common/allocate.h"

#include <stdlib.h>

#ifdef PAPI_WITH_CAPSTONE

#include "code.h"
#include "formats/classification/classify.h"
#include "spots.h"

#include <string.h>

struct widths {
    struct objects *objects;
    struct index keys; /* struct spot_key: instructions that were looked at ... */
    uint8_t *width;    /* ... and what they access */
    int room;
    csh handle;
    cs_insn *insn; /* NULL: there is no disassembler */
};

struct widths *widths_make(struct objects *objects)
{
    struct widths *widths = memory_more(NULL, 1, sizeof *widths);
    *widths = (struct widths){.objects = objects};
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &widths->handle) == CS_ERR_OK) {
        cs_option(widths->handle, CS_OPT_DETAIL, CS_OPT_ON);
        widths->insn = cs_malloc(widths->handle);
    }
    return widths;
}

void widths_free(struct widths *widths)
{
    if (widths == NULL)
        return;
    if (widths->insn != NULL)
        cs_free(widths->insn, 1);
    if (widths->handle != 0)
        cs_close(&widths->handle);
    index_free(&widths->keys);
    free(widths->width);
    free(widths);
}

static uint8_t width_x86(struct widths *widths, const struct code *code)
{
    const uint8_t *at = code->bytes;
    size_t left = code->size;
    uint64_t address = code->address;
    struct kind kind = {.n = 0};
    if (classify_evex_first(code->bytes, code->size, &kind) != 0)
        return kind.memory_size;
    if (widths->insn == NULL || !cs_disasm_iter(widths->handle, &at, &left, &address, widths->insn))
        return 0;
    classify_x86(widths->handle, widths->insn, &kind);
    return kind.memory_size;
}

static uint8_t width_of(struct widths *widths, int object, uint64_t offset)
{
    enum { LONGEST = 15 };
    uint64_t address;
    uint32_t word;
    struct code code;
    struct kind kind = {.n = 0};
    if (!objects_address(widths->objects, object, offset, &address) ||
        !objects_code(widths->objects, object, address, LONGEST, &code))
        return 0;
    if (code.machine == EM_X86_64)
        return width_x86(widths, &code);
    if (code.machine != EM_AARCH64 || code.size < sizeof word)
        return 0;
    memcpy(&word, code.bytes, sizeof word);
    return classify_arm64_word(word, address, &kind) ? kind.memory_size : 0;
}

int widths_at(struct widths *widths, const struct space *space, uint64_t address)
{
    const struct mapping *mapping = space_find(space, address);
    if (mapping == NULL || mapping->object == PROFILE_NONE)
        return 0;
    const struct spot_key key = {.object = mapping->object,
                                 .offset = address - mapping->start + mapping->offset};
    int before = widths->keys.n, number = index_of(&widths->keys, &key, sizeof key);
    if (widths->keys.n > before) {
        MEMORY_ONE_MORE(widths->width, number, widths->room);
        widths->width[number] = width_of(widths, key.object, key.offset);
    }
    return widths->width[number];
}

#else /* nothing that decodes instructions was there when this was built */

struct widths {
    int unused;
};

struct widths *widths_make(struct objects *objects)
{
    (void)objects;
    return memory_more(NULL, 1, sizeof(struct widths));
}

void widths_free(struct widths *widths)
{
    free(widths);
}

int widths_at(struct widths *widths, const struct space *space, uint64_t address)
{
    (void)widths, (void)space, (void)address;
    return 0;
}

#endif
