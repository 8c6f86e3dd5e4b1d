/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Circumstances in which calls fail. All but the first are for good: they are for a child process.
 * C and Fortran tests use them.
 */
#pragma once

/* So many allocations succeed from now on, and no more; < 0: all. Returns how many were refused since
 * the last call. 0 in a build whose allocator is the sanitizer's: nothing is ever refused there. */
int circumstance_allocations(int n);

/* True if allocations can be refused. */
int circumstance_refuses(void);

/* perf_event_open() fails with EACCES. */
void circumstance_forbidden(void);

/* perf_event_open() fails with another error: EBUSY, ENOENT. */
void circumstance_counters_refused(int error);

/* Counters that are open read as an end of file, as those do that the kernel gave to somebody else. So
 * does all else that is read. */
void circumstance_counters_taken(void);

/* The system calls of counting (perf_event_open, ioctl, read, fcntl, timer_create) fail with EIO. */
void circumstance_kernel_fails(void);

/* The file of the regions cannot be written. */
void circumstance_no_output(void);

/* No descriptor can be opened. */
void circumstance_no_files(void);

/* The program continues in a child process; the parent waits, and ends with the child's status. */
void circumstance_forked(void);

/* Calls body(argument) in a child process and returns what it returned; -1000 where it did not,
 * because it crashed or took too long; -1001 where its circumstance cannot be made: valgrind reads, too,
 * and has its own descriptors. */
int circumstance_child(int (*body)(void *), void *argument);
