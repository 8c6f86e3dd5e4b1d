/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Binds each call of PAPI's that a program or a library in it would bind when it is first made, as the
 * dynamic linker would then: what this executes, which may be between two readings, is not the program's. A
 * name that is not found is left to the linker. */
void bind_own_calls(void);
