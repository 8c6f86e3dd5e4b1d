/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What Capstone decodes. What it does not decode has a length all the same, so that the instructions behind
 * it are found.
 */
#include "formats/classification/classify.h"
#include "weigher.h"

size_t decode_x86(uintptr_t handle, void *insn, const uint8_t *code, size_t left, uint64_t address,
                  struct kind *kind, bool *known)
{
    const uint8_t *at = code;
    size_t rest = left;
    size_t length = classify_evex_first(code, left, kind);
    *known = true;
    if (length != 0)
        return length;
    if (cs_disasm_iter(handle, &at, &rest, &address, insn)) {
        classify_x86(handle, insn, kind);
        return ((cs_insn *)insn)->size;
    }
    length = x86_length(code, left);
    *known = length != 0 && (classify_x86_bytes(code, length, kind) || classify_evex(code, length, kind));
    return length;
}
