/* SPDX-License-Identifier: BSD-3-Clause */
#include "beside.h"

__thread long beside_variable[BESIDE_VARIABLES];
static __thread double value;

void beside_work(void)
{
    value = value * 0.5 + 1.0;
}
