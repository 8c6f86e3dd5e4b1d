/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of a program's code. */
struct code {
    const unsigned char *bytes;
    size_t size;
    uint64_t address;
    unsigned machine; /* EM_X86_64, EM_AARCH64 or another */
};

/* Finds the code at an address, at most size bytes and those of one section. False: there is none. */
bool code_at(Elf *elf, uint64_t address, uint64_t size, struct code *code);
