/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C side of those Fortran routines that no single C function serves. The rows of functions.tab
 * with the flag "glue" describe them; the build fails where the two disagree. Texts that come out
 * (char *) have as many bytes as their row says and hold an empty string when called.
 */
#pragma once

#include <stddef.h>

int fpapi_strerror(int code, char *text);

/* PAPIF_perror as called: (code, destination, check) or (msg). In the short form the first word is
 * the address of msg, the second its length, and the others are not there. */
void fpapi_perror(int *code, char *destination, int *check, size_t length);
void fpapi8_perror(long long *code, char *destination, long long *check,
                   size_t length); /* integers of 8 bytes */

/* The clock rate in MHz, as PAPI_get_opt(PAPI_CLOCKRATE) has it. */
int fpapi_get_clockrate(void);
int fpapi_unregster_thread(void);

/* The domain of an event set, or the one that new event sets get.
 *   domain  PAPI_DOM_*, or-ed
 *   mode    PAPI_DOMAIN: of the event set es; PAPI_DEFDOM: the default, whatever es is
 * PAPI_EINVAL: another mode. PAPI_ENOEVST. See PAPI_set_domain. */
int fpapi_get_domain(int es, int *domain, int mode);

/* The granularity of an event set, or the one that new event sets get.
 *   granularity  PAPI_GRN_THR
 *   mode         PAPI_GRANUL: of the event set es; PAPI_DEFGRN: the default, whatever es is
 * PAPI_EINVAL: another mode. PAPI_ENOEVST. See PAPI_set_granularity. */
int fpapi_get_granularity(int es, int *granularity, int mode);

/* Sets the domain of a stopped event set.
 *   domain  PAPI_DOM_*, or-ed
 * PAPI_EINVAL: not a domain. PAPI_EINVAL_DOM: the kernel does not tell it apart. PAPI_EISRUN. PAPI_EPERM,
 * PAPI_ECNFLCT: the events cannot be counted in this domain. See PAPI_set_opt and PAPI_set_domain. */
int fpapi_set_event_domain(int es, int domain);
int fpapi_set_inherit(int inherit);

/* Has a stopped event set share its counters with whatever else holds some: see PAPI_read_shares.
 *   on  1 or 0
 * PAPI_EINVAL: another number, or as of PAPI_set_opt with PAPI_SHARE. PAPI_EISRUN. */
int fpapi_set_share(int es, int on);

/* Has PAPI_start wait for the counters of a stopped event set, where others have them: see PAPI_start.
 *   seconds  at most; 0: not at all
 * PAPI_EINVAL: another number. PAPI_EISRUN. */
int fpapi_set_wait(int es, double seconds);
/* Takes samples that wait, the oldest first.
 *   samples  integer(8), samples(PAPIF_SAMPLE_MAXVAL, n): the members of a sample are at PAPIF_SAMPLE_TIME
 *            and so on. Its branches begin at PAPIF_SAMPLE_FIRST_BRANCH, counted from 1
 *   n        how many there is room for; receives how many there are
 * PAPI_EINVAL: the thread has no such sampler, or it has a handler; n is negative. PAPI_ECLOST: it was opened
 * before a fork. PAPI_ENOINIT. See PAPI_sample_open. */
int fpapi_sample_read(int sampler, long long *samples, int *n);

/* Copies the branches of the samples that PAPIF_sample_read gave last.
 *   branches  integer(8), branches(PAPIF_BRANCH_MAXVAL, n), with members at PAPIF_BRANCH_FROM and so on
 *   n         how many there is room for; receives how many there are
 * PAPI_EBUF: more than that, and none was copied. PAPI_EINVAL: the thread has no such sampler; n is negative.
 * PAPI_ECLOST: it was opened before a fork. PAPI_ENOINIT. See PAPI_sample_open. */
int fpapi_sample_branches(int sampler, long long *branches, int *n);

/* flags: the category of a preset (event_type). */
int fpapi_get_event_info(int code, char *symbol, char *long_descr, char *short_descr, int *count,
                         char *event_note, int *flags);

int fpapi_get_dmem_info(long long *values);
int fpapi_get_exe_info(char *fullname, char *name, long long *text_start, long long *text_end,
                       long long *data_start, long long *data_end, long long *bss_start, long long *bss_end);
int fpapi_get_preload(char *env);

void fpapi_get_hardware_info(int *ncpu, int *nnodes, int *totalcpus, int *vendor, char *vendor_str,
                             int *model, char *model_str, float *revision, float *mhz);
