/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_WITH_BOUNDS = 12 }; /* the version of libgcc, as runtime/arithmetic.c has it */

static bool says_library(const char *argument)
{
    return strncmp(argument, "-rtlib=", 7) == 0 || strncmp(argument, "--rtlib=", 8) == 0 ||
           strncmp(argument, "--gcc-toolchain=", 16) == 0 || strncmp(argument, "--gcc-install-dir=", 18) == 0;
}

/* Runs a command and returns its output; NULL: it cannot be run, or a word has a quote, which is not quoted
 * here. */
static FILE *asked(char *const *word)
{
    char *line = or_end(strdup("exec"));
    for (; *word != NULL && strchr(*word, '\'') == NULL; word++) {
        char *longer;
        or_end(asprintf(&longer, "%s '%s'", line, *word) < 0 ? NULL : longer);
        free(line);
        line = longer;
    }
    char *whole;
    or_end(asprintf(&whole, "%s 2>/dev/null", line) < 0 ? NULL : whole);
    FILE *out = *word == NULL ? popen(whole, "r") : NULL;
    free(line);
    free(whole);
    return out;
}

/* The version of the compiler's libgcc, from its path: /usr/lib/gcc/x86_64-linux-gnu/12/libgcc.a; 0: the
 * compiler has another library, or does not say. */
static int version_of_library(const struct job *job)
{
    struct words words = {0};
    char path[4096] = "";
    int version = 0;
    module_add_compiler(job, &words);
    for (size_t i = job->compiler + 1; job->words.word[i] != NULL; i++)
        if (says_library(job->words.word[i]))
            words_add(&words, "%s", job->words.word[i]);
    words_add(&words, "-print-libgcc-file-name");
    FILE *out = asked(words.word);
    char *last = out != NULL && fgets(path, sizeof path, out) != NULL ? strstr(path, "/libgcc.a") : NULL;
    if (out != NULL)
        pclose(out);
    if (last != NULL) {
        *last = '\0';
        last = strrchr(path, '/');
        version = last != NULL ? atoi(last + 1) : 0;
    }
    words_free(&words);
    return version;
}

static int compile(const struct job *job, const struct parts *parts, bool older, const char *object)
{
    static const char *const options[] = {"-O2",
                                          "-fPIC",
                                          "-ffp-contract=off",
                                          "-fno-math-errno",
                                          "-ffunction-sections",
                                          "-fno-tree-vectorize",
                                          "-fno-tree-slp-vectorize",
                                          "-w",
                                          "-xc",
                                          "-c"};
    struct words words = {0};
    module_add_compiler(job, &words);
    words_add(&words, "-B%s", parts->folder);
    if (job->clang)
        words_add(&words, "-fno-integrated-as");
    if (older)
        words_add(&words, "-DOLDER");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        words_add(&words, "%s", options[i]);
    words_add(&words, "%sarithmetic.c", parts->sources);
    words_add(&words, "-o");
    words_add(&words, "%s", object);
    int status = run(words.word);
    words_free(&words);
    return status;
}

/* Makes an archive of a file, by the ar beside the assembler. */
static int archive(const struct job *job, const char *file, const char *object)
{
    struct words words = {0};
    words_add(&words, "%.*sar", (int)strlen(job->assembler) - 2, job->assembler);
    words_add(&words, "rcs");
    words_add(&words, "%s", file);
    words_add(&words, "%s", object);
    unlink(file); /* an empty file is no archive */
    int status = run(words.word);
    words_free(&words);
    return status;
}

static int make(const struct job *job, struct parts *parts, bool older)
{
    char *object = module_file(".o"), *file = module_file(".a");
    int status = object != NULL && file != NULL ? 0 : EXIT_OWN_ERROR;
    free(parts->arithmetic);
    parts->arithmetic = file;
    parts->arithmetic_made = file != NULL;
    status = status ?: compile(job, parts, older, object) ?: archive(job, file, object);
    if (object != NULL)
        unlink(object);
    free(object);
    return status;
}

int arithmetic_make(const struct job *job, struct parts *parts, bool process)
{
    int version = version_of_library(job);
    bool older = version < FIRST_WITH_BOUNDS;
    if (version == 0)
        return 0;
    or_end(asprintf(&parts->arithmetic, "%s/arithmetic%s%s.a", parts->folder, older ? "_older" : "",
                    process ? "_process" : "") < 0
               ? NULL
               : parts->arithmetic);
    return access(parts->arithmetic, R_OK) == 0 ? 0 : make(job, parts, older);
}

void arithmetic_remove(const struct parts *parts)
{
    if (parts->arithmetic_made)
        unlink(parts->arithmetic);
}
