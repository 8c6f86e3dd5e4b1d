/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Work of a known length for programs whose efficiencies are known beforehand. A program works in known_work
 * alone, and notes by its own clocks how long that took; answers_test.py computes from that what the report
 * must say. A processor that is busy with something else makes work longer in these notes as it does in the
 * report. In Fortran these are the functions of the interface in known.f90. */

/* Right after MPI_Init, and right before MPI_Finalize, in the main thread. The notes are written to
 * KNOWN_DIR/RANK when the program ends: the time between the two calls, the part of it in which others had
 * the main thread's processor, and what the calls below note. */
void known_begin(void);
void known_end(int rank);

/* Computes for so many seconds of the calling thread's processor time. */
void known_work(double seconds);

/* The same with a name of its own in the notes, beside the whole: work that the program expects a region or
 * a call site to show. */
void known_work_named(const char *name, double seconds);

/* The same without a note, for a part of which the program notes the time: one thread of several. */
void known_spin(double seconds);

/* Adds a figure of the program's own to the notes. Any thread may. */
void known_note(const char *name, double value);

/* Seconds for which the calling thread could have run, but others had its processor. */
double known_delay(void);

/* Seconds by the clock that the notes are in. */
double known_now(void);
