/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "counted/complain.h"
#include "tools/common/words.h"

#include <stdbool.h>
#include <stddef.h>

/* papi_counted.
 *
 *   papi_counted.c      options, and the order of the steps
 *   compiler_run.c      the compiler's task, the commands that do it with counters
 *   target.c            the processor that a compiler is for, and its assembler
 *   link_module.c       the run-time part for a processor other than papi_counted's own
 *   helpers.c           the archive of counted functions that replace those of the compiler's library
 *   installed_parts.c   paths of the assembler, the weigher and the run-time part
 */

/* ---- installed_parts.c */

struct parts {
    char *folder;     /* in which the assembler is, by the name as */
    char *weigher;    /* a program */
    char *module;     /* an object file, a part of each counted program and shared library */
    char *source;     /* file that it is compiled from, where it is not there */
    char *sources;    /* the folder of this and of other sources */
    char *share;      /* a library that is preloaded */
    bool made;        /* module is a file for this link alone */
    char *arithmetic; /* an archive of functions; NULL: there is none for the compiler's library */
    bool arithmetic_made;
};

/* Finds papi_counted's parts for a processor: "x86-64", "arm64"; NULL: the own one. Returns an exit status,
 * after a message about what is missing. */
int parts_find(struct parts *parts, const char *processor);
void parts_free(struct parts *parts);

/* ---- target.c */

struct target {
    const char *processor; /* NULL: the own one */
    char *assembler;       /* its name, or its path */
    bool other;            /* nothing here is for it */
};

/* Finds the target of a compiler's arguments, the first of which is its name or path. */
struct target target_of(char *const *arguments);

/* ---- link_module.c */

struct job;
/* Compiles the run-time part into a file for the link, whose name replaces parts->module. Status as of the
 * compiler. */
int module_make(const struct job *job, struct parts *parts);
void module_remove(const struct parts *parts);

/* Adds the compiler, and the arguments that say which processor it is for. */
void module_add_compiler(const struct job *job, struct words *words);
/* Creates an empty file for this link alone, whose name ends so; NULL: none could be made, after a
 * message. */
char *module_file(const char *suffix);

/* ---- helpers.c */

/* The archive of counted functions for a link: one of the own processor's, by the version of the compiler's
 * library, or compiled for it. The environment is the assembler's. Status as of the compiler. */
int arithmetic_make(const struct job *job, struct parts *parts, bool process);
void arithmetic_remove(const struct parts *parts);

/* ---- papi_counted.c */

/* Runs a command. Its exit status; a signal is an error. */
int run(char *const *argv);

/* ---- compiler_run.c */

struct job {
    char **command;
    struct words words; /* the same with what is in response files */
    size_t compiler;    /* the word that it is */
    char *output;       /* of the link */
    bool clang;         /* or flang: another option for the assembler */
    bool flang;         /* knows neither -B nor -Xlinker */
    bool links;
    bool shared;           /* its code may become part of a shared library */
    const char *processor; /* that it compiles for, as parts_find takes it */
    char *assembler;       /* the true one's name, or its path */
    const char *why_not;   /* it cannot be counted; NULL: it can */
};

struct job job_of(char **command);
void job_free(struct job *job);
/* Fills words with the compiler's command line and what it takes to count. */
void job_words(const struct job *job, const struct parts *parts, struct words *words);
