/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the n-th call of a kind fail, in a process that inject.c is preloaded into or linked with.
 *
 * Functions of the C library are counted where they are called by the libraries under test (libpapi,
 * libpapi_mpi, libsde, libpfm) or by the C library on their behalf. System calls are counted whoever makes
 * them, also past the C library: a seccomp filter traps them, and the handler of SIGSYS fails them or makes
 * them. Calls made inside hwloc are never failed and counted apart: hwloc crashes where its own memory runs
 * out, and libpfm4 where a read fails as it begins, on arm64 where memory does. FAULTS_SHOW in the
 * environment: the call that fails is shown on stderr.
 *
 * FAULTS=KIND:N[:ERRNO] in the environment of a preloaded process begins with its first instruction;
 * FAULTS_COUNT names a file that takes the number of calls when it ends. FAULTS_RANK: in this rank of an MPI
 * job alone, and only calls that the libraries under test make or have the C library make; the MPI's are not.
 */
#pragma once

/* Counting begins: the n-th call of the kind fails with the error (0: the kind's own). n 0: none does. */
void inject_begin(const char *kind, long n, int error);

/* Counting ends. The number of calls that were counted. */
long inject_end(void);

/* Calls of the test's own are neither counted nor failed meanwhile. */
void inject_pause(int pause);

/* True if the call that failed was libpfm4's own. */
int inject_in_libpfm(void);

/* Calls inside hwloc that were let alone since the beginning. */
long inject_left_out(void);

/* The number of blocks of memory that the process has. */
long inject_blocks(void);
