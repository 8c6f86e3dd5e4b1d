/* SPDX-License-Identifier: BSD-3-Clause */
#include "limits.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of at least 0 at the start of a text; NULL: there is none. */
static const char *read_number(const char *text, double *number)
{
    char *end;
    size_t n = strspn(text, "0123456789.");
    *number = strtod(text, &end); /* takes 0x10 and 1e3, too: nobody means them */
    return n > 0 && end == text + n && isfinite(*number) ? end : NULL;
}

bool limit_read(struct limit *limit, const char *text)
{
    double number;
    struct limit fresh = {.both = limit->both};
    if (strcmp(text, "ignore") == 0) {
        limit->ignored = true;
        return true;
    }
    for (bool more = true; more; more = *text == '+', text += more) {
        text = read_number(text, &number);
        if (text == NULL)
            return false;
        if (*text == '%') {
            fresh.share += number / 100;
            text++;
        } else {
            fresh.absolute += number;
        }
        if (*text != '+' && *text != '\0')
            return false;
    }
    *limit = fresh;
    return true;
}

char *limit_text(const struct limit *limit)
{
    if (limit->ignored)
        return memory_text("ignore");
    if (limit->absolute == 0)
        return memory_print("%g %%", 100 * limit->share);
    if (limit->share == 0)
        return memory_print("%.0f", limit->absolute);
    return memory_print("%g %% + %.0f", 100 * limit->share, limit->absolute);
}

/* ---- a file of rules */

/* The next word, which is divided from the rest; "" where there is none. */
static char *word(char **rest)
{
    char *begin = *rest + strspn(*rest, " \t");
    char *end = begin + strcspn(begin, " \t");
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return begin;
}

/* Cuts blanks from the end. */
static void trim(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    text[n] = '\0';
}

/* Reads what follows the limit. NULL, or what is wrong. */
static const char *read_place(struct limit_rule *rule, char *rest)
{
    static const char both[] = "both";
    size_t n = strlen(rest), m = strlen(both);
    if (n >= m && strcmp(rest + n - m, both) == 0 && (n == m || isspace((unsigned char)rest[n - m - 1]))) {
        rule->limit.both = true;
        rest[n - m] = '\0';
        trim(rest);
    }
    const char *kind = word(&rest);
    if (kind[0] == '\0')
        return NULL;
    rule->scope = strcmp(kind, "region") == 0 ? SCOPE_REGION : SCOPE_ROUTINE;
    if (rule->scope == SCOPE_ROUTINE && strcmp(kind, "routine") != 0)
        return "after the limit comes \"region NAME\", \"routine NAME\" or \"both\"";
    rest += strspn(rest, " \t");
    if (rest[0] == '\0')
        return "it does not say which region or routine";
    rule->name = memory_text(rest);
    return NULL;
}

static const char *read_rule(struct limits *limits, char *text)
{
    struct limit_rule rule = {.event = NULL};
    const char *event = word(&text), *limit = word(&text);
    if (text[strspn(text, " \t")] == '%')
        return "a limit is one word: 1%, without a blank";
    if (!limit_read(&rule.limit, limit))
        return "the second word is not a limit (1%, 5000, 1%+5000, ignore)";
    const char *wrong = read_place(&rule, text);
    if (wrong != NULL)
        return wrong;
    if (strcmp(event, "*") != 0)
        rule.event = memory_text(event);
    MEMORY_ONE_MORE(limits->rule, limits->n, limits->room);
    limits->rule[limits->n++] = rule;
    return NULL;
}

/* Reads a line, with or without a rule; editors begin files with a mark of their order of bytes. */
static const char *read_line(struct limits *limits, char *text, bool first)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (first && strncmp(text, mark, strlen(mark)) == 0)
        text += strlen(mark);
    text[strcspn(text, "#\r\n")] = '\0';
    trim(text);
    return text[strspn(text, " \t")] != '\0' ? read_rule(limits, text) : NULL;
}

char *limits_read(struct limits *limits, const char *path)
{
    const char *why, *wrong = NULL;
    char *text = NULL;
    size_t room = 0;
    int number = 0;
    FILE *in = input_open(path, &why);
    if (in == NULL)
        return memory_print("%s: %s", path, why);
    for (ssize_t n; wrong == NULL && (n = getline(&text, &room, in)) > 0;) {
        number++;
        wrong = strlen(text) != (size_t)n ? "it is no text: it has a byte that is 0"
                                          : read_line(limits, text, number == 1);
    }
    if (wrong == NULL && ferror(in))
        wrong = "it cannot be read to its end";
    free(text);
    fclose(in);
    return wrong != NULL ? memory_print("%s:%d: %s", path, number, wrong) : NULL;
}

/* ---- search */

bool limit_names(const struct limit_rule *rule, const char *name)
{
    return strcmp(rule->name, name) == 0 || fnmatch(rule->name, name, 0) == 0;
}

static bool fits(const struct limit_rule *rule, enum gate_scope scope, const char *name, const char *event)
{
    return rule->scope == scope && (rule->event == NULL || strcasecmp(rule->event, event) == 0) &&
           (rule->name == NULL || limit_names(rule, name));
}

const struct limit *limits_find(const struct limits *limits, enum gate_scope scope, const char *name,
                                const char *event)
{
    for (size_t i = limits->n; i-- > 0;)
        if (fits(&limits->rule[i], scope, name, event))
            return &limits->rule[i].limit;
    return scope == SCOPE_ROUTINE ? NULL : &limits->usual;
}

/* A call is one instruction, and may be a system call or an allocation, whose work nobody counts: far fewer
 * of them are worth to be told; not those of a start. */
double limits_floor(const struct limits *limits, const char *event, double instructions)
{
    enum { START = 10 };
    double least = limits->least * instructions;
    if (strcmp(event, "CALLS") != 0 && strcmp(event, "SYSTEM_CALLS") != 0)
        return least;
    return fmin(least, fmax(limits->least_calls * instructions, START));
}

void limits_free(struct limits *limits)
{
    for (size_t i = 0; i < limits->n; i++) {
        free(limits->rule[i].event);
        free(limits->rule[i].name);
    }
    free(limits->rule);
    *limits = (struct limits){.n = 0};
}
