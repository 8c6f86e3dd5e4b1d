/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The assembler of counted builds for 64-bit Arm.
 */
#include "assembler.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_assemble(data, size);
    return 0;
}
