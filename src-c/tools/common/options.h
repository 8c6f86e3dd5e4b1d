/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <getopt.h>
#include <stddef.h>

/* getopt_long(3), but for its messages about wrong options: they show the arguments as base/visible.h has
 * them. */
int options_next(int argc, char **argv, const char *short_options, const struct option *options);

/* Kinds of a program's options, which say what becomes of a value. */
enum option_kind {
    OPTION_IGNORED,  /* it is taken, and nothing comes of it */
    OPTION_RETURNED, /* to the caller, who knows what to do */
    OPTION_SET,      /* a bool becomes true */
    OPTION_CHOICE,   /* a long long becomes least */
    OPTION_NUMBER,   /* a long long: a whole number in decimal, from least to most */
    OPTION_TEXT,     /* a const char * */
    OPTION_OPTIONAL, /* the same; "" where the option comes without a value */
    OPTION_EACH,     /* a struct option_words, which gets the value of each time that the option comes */
    OPTION_PROGRAM,  /* not an option, and the first row: what follows the first other word is not read */
};

enum { OPTION_MOST_WORDS = 16 };

struct option_words {
    int n; /* may be more than there is room for */
    const char *word[OPTION_MOST_WORDS];
};

struct option_row {
    int letter; /* 0: it has none */
    const char *name;
    enum option_kind kind;
    size_t place; /* in the caller's structure */
    long long least, most;
};

enum { OPTION_WRONG = '?', OPTION_MOST_ROWS = 32, OPTION_NO_LETTER = 0x100 };

/* Reads the options. rows ends with an empty one.
 *   values  the structure that they go to
 * 0: those were all, the other words begin at argv[optind]. OPTION_WRONG: that one was wrong, which was
 * reported. Else an OPTION_RETURNED, by its letter or OPTION_NO_LETTER and the number of its row: call again
 * for the others. */
int options_read(int argc, char **argv, const struct option_row *rows, void *values);
