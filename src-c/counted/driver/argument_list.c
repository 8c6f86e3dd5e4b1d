/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_add(struct words *words, const char *format, ...)
{
    va_list arguments;
    char *text;
    words->word = or_end(reallocarray(words->word, words->n + 2, sizeof *words->word));
    va_start(arguments, format);
    or_end(vasprintf(&text, format, arguments) < 0 ? NULL : text);
    va_end(arguments);
    words->word[words->n++] = text;
    words->word[words->n] = NULL;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
}
