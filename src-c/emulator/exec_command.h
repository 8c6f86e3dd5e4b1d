/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* Makes the command that runs a program in the emulator: for papi_emulate, and for the plugin where a program
 * executes another. */

enum { COMMAND_MAX_SCRIPTS = 4, COMMAND_PATH = 4096 };

/* Finds what the kernel would run for a path: the program itself, or the interpreter of a script. */
struct command_target {
    char path[COMMAND_PATH];
    uint16_t machine;                                 /* EM_X86_64, ... from the ELF header */
    int n_before;                                     /* arguments that scripts put before the rest */
    char *before[2 * COMMAND_MAX_SCRIPTS];            /* in text */
    char text[COMMAND_MAX_SCRIPTS][2 * COMMAND_PATH]; /* of the scripts' first lines */
};

/* Looks at a file. 0, or an errno: ENOENT, EACCES, EISDIR, ENOEXEC (no program for a 64-bit machine),
 * EPERM (set-user-ID: it must not run in the emulator), ELOOP. */
int command_resolve(const char *path, struct command_target *target);

struct command {
    char **argv, **environment;
};

/* emulator: n words, the emulator and its options up to the plugin. argv: the program's own, with
 * argv[0] as it shall see it. Variables that tell the dynamic linker what to load are for the program
 * and not for the emulator. 0, or ENOMEM. The arrays are new, their strings partly those of the
 * arguments; command_free frees what is new. */
int command_build(struct command *out, char *const *emulator, int n, const struct command_target *target,
                  char *const *argv, char *const *environment);
void command_free(struct command *command);
