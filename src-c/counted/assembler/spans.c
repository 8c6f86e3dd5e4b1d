/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool span_is(struct span span, const char *text)
{
    return span.n == strlen(text) && memcmp(span.at, text, span.n) == 0;
}

bool span_starts(struct span span, const char *text)
{
    size_t n = strlen(text);
    return span.n >= n && memcmp(span.at, text, n) == 0;
}

bool span_contains(struct span span, const char *text)
{
    return span.n > 0 && memmem(span.at, span.n, text, strlen(text)) != NULL;
}

bool span_same(struct span a, struct span b)
{
    return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

struct span span_trim(struct span span)
{
    for (; span.n > 0 && isspace((unsigned char)span.at[0]); span.n--)
        span.at++;
    while (span.n > 0 && isspace((unsigned char)span.at[span.n - 1]))
        span.n--;
    return span;
}

struct span span_cut(struct span span, char at, struct span *rest)
{
    const char *found = span.n > 0 ? memchr(span.at, at, span.n) : NULL;
    size_t n = found != NULL ? (size_t)(found - span.at) : span.n;
    size_t skip = found != NULL ? n + 1 : n;
    *rest = span_trim((struct span){span.at + skip, span.n - skip});
    return span_trim((struct span){span.at, n});
}

bool span_in(struct span word, const char *words)
{
    const char *at = words, *end = words + strlen(words);
    if (word.n == 0 || memchr(word.at, ' ', word.n) != NULL)
        return false;
    for (; (at = memmem(at, (size_t)(end - at), word.at, word.n)) != NULL; at++)
        if ((at == words || at[-1] == ' ') && (at[word.n] == ' ' || at[word.n] == '\0'))
            return true;
    return false;
}

void *grown(void *array, size_t n, size_t size)
{
    if ((n & (n - 1)) != 0) /* room is a power of two */
        return array;
    return or_end(reallocarray(array, n == 0 ? 1 : 2 * n, size));
}
