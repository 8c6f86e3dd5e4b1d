/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Tables of texts that lie in their rows, as arrays of characters: between these two marks. A table of
 * pointers to texts is written anew in every process that is linked with the library, before the program
 * begins, whether anybody reads it or not: ten instructions a pointer, and ten thousand for each page of
 * them. One without pointers stays in the file. The compiler refuses a text that fits only without its '\0',
 * which C allows. */
#if defined(__GNUC__) && !defined(__clang__)
#define TEXT_ROWS_BEGIN _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic error \"-Wc++-compat\"")
#define TEXT_ROWS_END _Pragma("GCC diagnostic pop")
#else
#define TEXT_ROWS_BEGIN
#define TEXT_ROWS_END
#endif
