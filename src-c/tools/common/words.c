/* SPDX-License-Identifier: BSD-3-Clause */
#include "words.h"
#include "allocate.h"

#include <stdarg.h>
#include <stdlib.h>

void words_add(struct words *words, const char *format, ...)
{
    va_list arguments;
    words->word = memory_more(words->word, words->n + 2, sizeof *words->word);
    va_start(arguments, format);
    words->word[words->n++] = memory_print_list(format, arguments);
    va_end(arguments);
    words->word[words->n] = NULL;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct words){0};
}
