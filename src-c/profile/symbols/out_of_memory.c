/* SPDX-License-Identifier: BSD-3-Clause */
#include "out_of_memory.h"

#include "tools/common/allocate.h"

#include <setjmp.h>

static _Thread_local jmp_buf *ending;

bool memory_enough(void (*work)(void *with), void *with)
{
    jmp_buf own;
    ending = &own;
    bool enough = setjmp(own) == 0;
    if (enough)
        work(with);
    ending = NULL;
    return enough;
}

void memory_is_out(void)
{
    longjmp(*ending, 1);
}
