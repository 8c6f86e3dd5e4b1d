/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The tools that run a program, as words of a command: one before another would measure that, and not the
 * program.
 */

/* The tool's name, if a command begins with one of papi_emulate, papi_profile, papi_roofline, papi_mpirun,
 * papi_command_line, papi_openmp and papi_why, in whatever folder; NULL: it does not. */
const char *tool_word(char *const *word);

/* True if a word is a program: a file that can be executed, in PATH where it names no folder. */
bool tool_can_run(const char *word);

/* The words behind those of the tool that a command begins with, and of others behind it: the program that is
 * meant. A launcher of MPI stays, with its own words. */
char *const *tool_program(char *const *word);

/* The program among the arguments of mpirun: the first that can be run. The end: none can. */
char *const *tool_launched(char *const *word);

/* A command as a shell takes it. To be freed; NULL: no memory.
 *   name, option   the tool, and one more option or NULL
 *   words, n       its words so far, without its name
 *   program        what follows */
char *tool_command(const char *name, const char *option, char *const *words, int n, char *const *program);
