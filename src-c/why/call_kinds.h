/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Tasks of functions in the C and Fortran libraries, of which some are system calls, too. */
enum call_kind {
    CALL_OTHER,
    CALL_OPEN,     /* opens, closes or removes a file, or asks for one */
    CALL_TRANSFER, /* reads or writes one */
    CALL_COPY,     /* of memory */
    CALL_ALLOCATE,
    CALL_KINDS
};

/* The task of a routine by its name, with whatever the libraries have before and behind it
 * (__memcpy_avx_unaligned_erms). */
enum call_kind call_kind_of(const char *routine);
