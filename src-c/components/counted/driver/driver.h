/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/counted/complain.h"
#include <stdbool.h>
#include <stddef.h>

/* papi_counted.
 *
 *   main.c   options, and the order of things
 *   job.c    what the compiler was asked for, and is asked for instead
 *   parts.c  where the assembler, the weigher and the run-time part are
 *   words.c  lists of arguments; messages
 */

/* ------------------------------------------------------------------- words.c */

struct words {
    char **word; /* NULL behind the last */
    size_t n;
};

__attribute__((format(printf, 2, 3))) void words_add(struct words *words, const char *format, ...);
void words_free(struct words *words);

/* ------------------------------------------------------------------- parts.c */

struct parts {
    char *folder;  /* in which the assembler is, by the name as */
    char *weigher; /* a program */
    char *module;  /* an object file, a part of each counted program and shared library */
    char *share;   /* a library that is preloaded */
};

/* Returns an exit status, and has said what is missing. */
int parts_find(struct parts *parts);
void parts_free(struct parts *parts);

/* --------------------------------------------------------------------- job.c */

struct job {
    char **command;
    struct words words; /* the same with what is in response files */
    char *output;       /* of the link */
    bool clang;         /* or flang: another option for the assembler */
    bool flang;         /* knows neither -B nor -Xlinker */
    bool links;
    bool shared;         /* its code may become part of a shared library */
    const char *why_not; /* it cannot be counted; NULL: it can */
};

struct job job_of(char **command);
void job_free(struct job *job);
/* The compiler's command line with what it takes to count. */
void job_words(const struct job *job, const struct parts *parts, struct words *words);
