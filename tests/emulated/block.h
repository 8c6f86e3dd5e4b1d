/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A function in assembler that returns; it may change memory that is its own and the registers that
 * a function may change. */
#define BLOCK_AT(boundary, name, text)                                                                       \
    __asm__(".text\n\t.balign " #boundary "\n\t.globl block_" #name "\n\t.type block_" #name                 \
            ", %function\nblock_" #name ":\n\t" text "\n\tret\n\t.size block_" #name ", .-block_" #name      \
            "\n");                                                                                           \
    void block_##name(void)
#define BLOCK(name, text) BLOCK_AT(64, name, text)
