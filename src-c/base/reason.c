/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/reason.h"
#include "base/visible.h"
#include "papi.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int reason_set(struct reason *why, int code, const char *format, ...)
{
    if (why == NULL)
        return code;
    /* The caller of PAPI may look at errno after PAPI_ESYS. */
    int saved = errno;
    va_list args;
    char text[sizeof why->text];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    visible(why->text, sizeof why->text, text);
    why->code = code;
    why->fresh = 1;
    why->advice = 0;
    errno = saved;
    return code;
}

int reason_blind(struct reason *why, int code)
{
    if (why != NULL)
        why->advice |= ADVICE_BLIND;
    return code;
}

int reason_held(struct reason *why, int code)
{
    if (why != NULL)
        why->advice |= ADVICE_HELD;
    return code;
}

void reason_add(struct reason *why, const char *format, ...)
{
    if (why == NULL)
        return;
    int saved = errno;
    size_t length = strlen(why->text);
    va_list args;
    char text[sizeof why->text];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    visible(why->text + length, sizeof why->text - length, text);
    errno = saved;
}

int reason_pass(const struct reason *from, struct reason *why)
{
    if (from->code == PAPI_OK)
        return PAPI_OK;
    reason_set(why, from->code, "%s", from->text);
    if (why != NULL)
        why->advice = from->advice;
    return from->code;
}

int reason_keep(struct kept_reason **kept, const struct reason *why)
{
    size_t length = strlen(why->text) + 1;
    struct kept_reason *made = why->code != PAPI_OK ? malloc(sizeof *made + length) : NULL;
    if (made == NULL && why->code != PAPI_OK)
        return PAPI_ENOMEM;
    if (made != NULL) {
        *made = (struct kept_reason){why->code, why->advice};
        memcpy(made->text, why->text, length);
    }
    free(*kept);
    *kept = made;
    return PAPI_OK;
}

int reason_pass_kept(const struct kept_reason *kept, struct reason *why)
{
    if (kept == NULL)
        return PAPI_OK;
    reason_set(why, kept->code, "%s", kept->text);
    if (why != NULL)
        why->advice = kept->advice;
    return kept->code;
}

bool error_passes(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS || error == EINTR ||
           error == EAGAIN || error == EIO;
}

bool code_passes(int code)
{
    return code == PAPI_ESYS || code == PAPI_ENOMEM;
}

int reason_unreadable(const char *what, struct reason *why)
{
    return reason_set(why, errno == ENOMEM ? PAPI_ENOMEM : PAPI_ESYS, "%.200s cannot be read now: %s", what,
                      strerror(errno));
}
