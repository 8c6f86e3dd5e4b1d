/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/file_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"
#define WORD_ENDS " \t\n"

/* Whether the text goes on with this word; after it, if so. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strchr(WORD_ENDS, text[length]) != NULL ? text + length : NULL;
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');
    return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

/* What follows the word that the event's line begins with; NULL: there is no such line. */
static const char *line_of(const char *text, const char *word)
{
    for (; text != NULL && word != NULL; text = next_line(text)) {
        const char *rest = after_word(text + strspn(text, BLANKS), word);
        if (rest != NULL)
            return rest;
    }
    return text;
}

static bool scale(uint64_t *value, uint64_t times)
{
    return times == 0 || !__builtin_mul_overflow(*value, times, value);
}

static enum number_found number_at(const char *text, const struct component_event *event, uint64_t *value)
{
    bool negative = *text == '-' && event->level;
    char *end;
    if (event->level && strncmp(text, "max", 3) == 0 && strchr(WORD_ENDS, text[3]) != NULL) {
        *value = UINT64_MAX; /* a limit that is none, as -1 elsewhere */
        return NUMBER_FOUND;
    }
    int error = errno; /* a signal's handler may read */
    text += negative;
    errno = 0;
    *value = strtoull(text, &end, 10);
    bool fits = errno == 0;
    errno = error;
    if (*text < '0' || *text > '9' || !fits || strchr(WORD_ENDS, *end) == NULL || !scale(value, event->times))
        return NOT_A_NUMBER;
    *value = negative ? -*value : *value;
    return NUMBER_FOUND;
}

/* Over all lines: the kernel shows one for each device that had something to do. */
static enum number_found sum(const char *text, const struct component_event *event, uint64_t *value)
{
    size_t length = strlen(event->label);
    *value = 0;
    while (*(text += strspn(text, WORD_ENDS)) != '\0') {
        uint64_t number = 0;
        if (strncmp(text, event->label, length) == 0 &&
            number_at(text + length, event, &number) != NUMBER_FOUND)
            return NOT_A_NUMBER;
        *value += number;
        text += strcspn(text, WORD_ENDS);
    }
    return NUMBER_FOUND;
}

static enum number_found whole_number(const char *text, const struct component_event *event, uint64_t *value)
{
    if (event->label != NULL)
        return sum(text, event, value);
    text = line_of(text, event->line);
    for (int i = 0; text != NULL; i++) {
        text += strspn(text, BLANKS);
        if (i == event->word)
            break;
        text += strcspn(text, WORD_ENDS);
    }
    if (text == NULL)
        return NUMBER_MISSING;
    size_t length = strcspn(text, WORD_ENDS);
    const char *label = memchr(text, '=', length); /* "total=12" */
    if (length == 0)
        return event->word > 0 || event->line != NULL ? NUMBER_MISSING : NOT_A_NUMBER;
    return number_at(label != NULL ? label + 1 : text, event, value);
}

enum number_found number_in(const char *text, const struct component_event *event, uint64_t *value)
{
    enum number_found found = whole_number(text, event, value);
    if (found != NUMBER_FOUND || !event->real)
        return found;
    double real = (double)(int64_t)*value / (double)event->per;
    memcpy(value, &real, sizeof real);
    return NUMBER_FOUND;
}
