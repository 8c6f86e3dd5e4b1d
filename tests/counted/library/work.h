/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Loops of known operations on n elements, of at most WORK_MOST. */
enum { WORK_MOST = 1000 };
void work_dot(int n);         /* double: a multiplication and an addition each */
void work_triad(int n);       /* the same, and a store */
void work_axpy_single(int n); /* of singles */
void work_divide(int n);      /* double: a division and a square root each */
void work_integers(int n);    /* no floating point */
void work_odd(int n);         /* an addition in double for each odd element: (n / 2) */

/* The type of "plugin_work", a function of a library that is loaded with dlopen: three additions in double
 * for each n. */
typedef void work_plugin(int n);
