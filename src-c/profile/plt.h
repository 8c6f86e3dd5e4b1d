/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <libelf.h>
#include <stdint.h>

/* The stub by which a program calls a function of a library: "name@plt"; the section alone, "(.plt.got)",
 * where the relocations do not tell which. To be freed. NULL: there is no stub at the address, which is the
 * file's own. */
char *plt_name(Elf *elf, uint64_t address);
