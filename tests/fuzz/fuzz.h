/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared parts of the fuzz targets. Each has one function, LLVMFuzzerTestOneInput, which libFuzzer calls with
 * its inputs, and replay.c with those of the tree.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run as a finding unless a condition holds. */
#define REQUIRE(condition)                                                                                   \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            fuzz_fail(__FILE__, __LINE__, #condition);                                                       \
    } while (0)
_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/* Fails unless text is UTF-8 in which nothing is hidden; line feeds and tabs are allowed. */
void fuzz_visible(const char *text);

/* Fails unless there is a reason of at least one character that can be shown on one line. */
void fuzz_reason(const char *text);

/* An input is looked at in several ways, each of which takes long: in all of them (replay.c), or in one of n
 * that depends on the input. */
extern int fuzz_in_all_ways;
int fuzz_way(const uint8_t *data, size_t size, int way, int n);

/* A file in memory with this content, and its path. Each number is one file, which is rewritten. */
enum { FUZZ_FILES = 4 };
const char *fuzz_file(int number, const void *data, size_t size);

/* The descriptor of a file that fuzz_file has made. */
int fuzz_descriptor(int number);

/* A folder in memory that this process alone has; it goes at the end. */
const char *fuzz_folder(void);

/* Makes a file in it, and the folders above. The path has neither a slash at its begin nor "..". */
void fuzz_put(const char *path, const void *data, size_t size);

/* Empties it. */
void fuzz_clear(void);

/* The input as a text that ends with '\0'; for free(). */
char *fuzz_text(const uint8_t *data, size_t size);

/* Records standard error from fuzz_listen to fuzz_heard, which returns the text; free() it. */
void fuzz_listen(void);
char *fuzz_heard(void);

/* Takes bytes from an input one after the other; 0 after its end. */
struct fuzz_bytes {
    const uint8_t *next, *end;
};
uint64_t fuzz_number(struct fuzz_bytes *bytes, int n);
