/* SPDX-License-Identifier: BSD-3-Clause */
#include "events/pfm_library.h"

const struct pfm_library *pfm_library_open(void)
{
#define LINKED(name) .name = pfm_##name,
    static const struct pfm_library linked = {PFM_FUNCTIONS(LINKED)};
    return &linked;
}
