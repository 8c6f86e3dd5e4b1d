/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/options.h"
#include "base/visible.h"

#include <string.h>

enum { MOST_SHORT_OPTIONS = 128 };

/* An option with "=value" that takes none. */
static int takes_no_value(const char *word, const struct option *options)
{
    size_t n = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || word[n] == '\0')
        return 0;
    while (options->name != NULL && (options->val != optopt || strncmp(options->name, word + 2, n - 2) != 0))
        options++;
    return options->name != NULL && options->has_arg == no_argument;
}

static void complain(char **argv, int result, const struct option *options)
{
    const char *word = argv[optind - 1];
    int is_long = strncmp(word, "--", 2) == 0;
    visible_print(stderr, "%s: ", argv[0]);
    if (result == ':' && is_long)
        visible_print(stderr, "option '%s' requires an argument", word);
    else if (result == ':')
        visible_print(stderr, "option requires an argument -- '%c'", optopt);
    else if (optopt == 0)
        visible_print(stderr, "unrecognized option '%s'", word);
    else if (takes_no_value(word, options))
        visible_print(stderr, "option '%.*s' doesn't allow an argument", (int)strcspn(word, "="), word);
    else
        visible_print(stderr, "invalid option -- '%c'", optopt);
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
    complain(argv, result, options);
    return '?';
}
