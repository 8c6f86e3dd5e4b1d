/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* The papi_emulate beside this tool, where both are installed; else its name, for PATH. To be freed; NULL: no
 * memory. */
char *emulator_path(void);
