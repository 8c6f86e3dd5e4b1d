/* SPDX-License-Identifier: BSD-3-Clause */
#include "rank/advice_words.h"

#include "base/reason.h"

#include <stdio.h>
#include <string.h>

/* The length of the words "--option ..." that a text begins with. */
static size_t options_length(const char *text)
{
    size_t n = 0;
    while (strncmp(text + n, "--", 2) == 0) {
        n += strcspn(text + n, " \"");
        n += strspn(text + n, " ");
    }
    return n > 0 && text[n - 1] == ' ' ? n - 1 : n;
}

size_t advice_words(const char *reason, char *words, size_t size)
{
    static const char run[] = "papi_emulate ";
    const char *advice = strstr(reason, ADVICE_BEGINS);
    words[0] = '\0';
    if (advice == NULL)
        return strlen(reason);
    const char *emulate = strstr(advice, run);
    const char *counted = strstr(advice, "papi_counted") != NULL ? "papi_counted" : "";
    const char *options = emulate != NULL ? emulate + strlen(run) : "";
    int n = (int)options_length(options);
    if (emulate != NULL)
        snprintf(words, size, ADVICE_BEGINS "%s%spapi_emulate%s%.*s", counted,
                 counted[0] != '\0' ? " or " : "", n > 0 ? " " : "", n, options);
    else
        snprintf(words, size, "%s%s", counted[0] != '\0' ? ADVICE_BEGINS : advice, counted);
    return (size_t)(advice - reason);
}
