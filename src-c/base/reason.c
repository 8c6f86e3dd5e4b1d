/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/reason.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int reason_set(struct reason *why, int code, const char *format, ...)
{
    if (why == NULL)
        return code;
    /* The caller of PAPI may look at errno after PAPI_ESYS. */
    int saved = errno;
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    why->code = code;
    why->fresh = 1;
    errno = saved;
    return code;
}
