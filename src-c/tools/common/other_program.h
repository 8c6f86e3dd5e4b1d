/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Ends this process as another one ended, of which waitpid gave the status: with its exit status, or by its
 * signal. */
_Noreturn void end_like(int status);

/* The papi_emulate beside this tool, where both are installed; else its name, for PATH. To be freed; NULL: no
 * memory. */
char *emulator_path(void);
