/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

unsigned size_of(const struct statement *statement)
{
    return statement->kind == STATEMENT_INSTRUCTION ? 4 : 8;
}
