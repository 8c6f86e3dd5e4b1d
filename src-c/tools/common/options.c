/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"
#include "base/nearest.h"
#include "base/visible.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHORT_OPTIONS = 128 };

/* True if the word is an option with "=value" that takes no value. */
static int takes_no_value(const char *word, const struct option *options)
{
    size_t n = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || word[n] == '\0')
        return 0;
    while (options->name != NULL && (options->val != optopt || strncmp(options->name, word + 2, n - 2) != 0))
        options++;
    return options->name != NULL && options->has_arg == no_argument;
}

/* Names the tool that counts what runs already, to those who know its option from elsewhere. */
static void name_attaching(bool asks)
{
    if (asks)
        fputs("; \"papi_command_line --attach=PROCESS EVENT...\" counts a running process", stderr);
}

static bool asks_to_attach(const char *name)
{
    return strcmp(name, "--attach") == 0 || strcmp(name, "--pid") == 0;
}

/* An option that does not exist, and the nearest that does. */
static void unknown(const char *word, const struct option *options)
{
    char name[NEAREST_SIZE];
    struct nearest nearest;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    nearest_begin(&nearest, name + strspn(name, "-"));
    for (; options->name != NULL; options++)
        nearest_try(&nearest, options->name);
    visible_print(stderr, "unrecognized option '%s'", word);
    if (nearest.name[0] != '\0')
        visible_print(stderr, "; the nearest is --%s", nearest.name);
    name_attaching(asks_to_attach(name));
}

/*   runs  the tool runs a program */
static void complain(char **argv, int result, const struct option *options, bool runs)
{
    const char *word = argv[optind - 1];
    int is_long = strncmp(word, "--", 2) == 0;
    visible_print(stderr, "%s: ", argv[0]);
    if (result == ':' && is_long)
        visible_print(stderr, "option '%s' requires an argument", word);
    else if (result == ':')
        visible_print(stderr, "option requires an argument -- '%c'", optopt);
    else if (optopt == 0)
        unknown(word, options);
    else if (takes_no_value(word, options))
        visible_print(stderr, "option '%.*s' doesn't allow an argument", (int)strcspn(word, "="), word);
    else {
        visible_print(stderr, "invalid option -- '%c'", optopt);
        name_attaching(runs && optopt == 'p');
    }
    fputc('\n', stderr);
}

int options_next(int argc, char **argv, const char *short_options, const struct option *options)
{
    /* ':' in front has getopt tell a missing argument from an unknown option. */
    char with_colon[MOST_SHORT_OPTIONS];
    int order = short_options[0] == '+' || short_options[0] == '-';
    snprintf(with_colon, sizeof with_colon, "%.*s:%s", order, short_options, short_options + order);
    opterr = 0;
    int result = getopt_long(argc, argv, with_colon, options, NULL);
    if (result != '?' && result != ':')
        return result;
    complain(argv, result, options, short_options[0] == '+');
    return '?';
}

/* ---- rows */

static int code_of(const struct option_row *rows, int i)
{
    return rows[i].letter != 0 ? rows[i].letter : OPTION_NO_LETTER + i;
}

/* Translates the rows into getopt's options, and its string of letters. */
static void translate(const struct option_row *rows, struct option *options, char *letters)
{
    memset(options, 0, (OPTION_MOST_ROWS + 1) * sizeof *options);
    if (rows[0].kind == OPTION_PROGRAM)
        *letters++ = '+';
    for (int i = 0; i < OPTION_MOST_ROWS && rows[i].name != NULL; i++) {
        bool optional = rows[i].kind == OPTION_OPTIONAL;
        bool takes_value = optional || rows[i].kind == OPTION_NUMBER || rows[i].kind == OPTION_TEXT ||
                           rows[i].kind == OPTION_EACH;
        options[i].name = rows[i].name;
        options[i].has_arg = optional ? optional_argument : takes_value ? required_argument : no_argument;
        options[i].val = code_of(rows, i);
        if (rows[i].letter != 0)
            *letters++ = (char)rows[i].letter;
        for (int n = takes_value + optional; rows[i].letter != 0 && n > 0; n--)
            *letters++ = ':';
    }
    *letters = '\0';
}

static bool read_number(char **argv, const struct option_row *row, long long *value)
{
    char *end;
    errno = 0;
    long long read = strtoll(optarg, &end, 10);
    bool fine = end != optarg && *end == '\0' && errno == 0 && read >= row->least && read <= row->most;
    if (fine) {
        *value = read;
        return true;
    }
    if (row->letter != 0)
        visible_print(stderr, "%s: -%c", argv[0], row->letter);
    else
        visible_print(stderr, "%s: --%s", argv[0], row->name);
    visible_print(stderr, " takes a whole number from %lld to %lld, not \"%s\"", row->least, row->most,
                  optarg);
    fputc('\n', stderr);
    return false;
}

static void add_word(struct option_words *words)
{
    if (words->n < OPTION_MOST_WORDS)
        words->word[words->n] = optarg;
    words->n++;
}

/* False: the value is wrong, which was said. */
static bool take(char **argv, const struct option_row *row, void *values)
{
    void *place = (char *)values + row->place;
    if (row->kind == OPTION_NUMBER)
        return read_number(argv, row, place);
    if (row->kind == OPTION_SET)
        *(bool *)place = true;
    else if (row->kind == OPTION_CHOICE)
        *(long long *)place = row->least;
    else if (row->kind == OPTION_TEXT)
        *(const char **)place = optarg;
    else if (row->kind == OPTION_OPTIONAL)
        *(const char **)place = optarg != NULL ? optarg : "";
    else if (row->kind == OPTION_EACH)
        add_word(place);
    return true;
}

int options_read(int argc, char **argv, const struct option_row *rows, void *values)
{
    struct option options[OPTION_MOST_ROWS + 1];
    char letters[3 * OPTION_MOST_ROWS + 2];
    int c;
    translate(rows, options, letters);
    while ((c = options_next(argc, argv, letters, options)) != -1) {
        int i = 0;
        while (c != OPTION_WRONG && code_of(rows, i) != c)
            i++;
        if (c == OPTION_WRONG || rows[i].kind == OPTION_RETURNED)
            return c;
        if (!take(argv, &rows[i], values))
            return OPTION_WRONG;
    }
    return 0;
}
