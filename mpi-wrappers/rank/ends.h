/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Notes in the record when this rank is ended by a signal that a process sees, and by which. Watched are
 * those that neither the program nor a library handles or ignores, and those of crashes also where a library
 * has a handler, which is called after it. Each of them ends the process as it would without. */

/* From now on; once. */
void ends_watch(void);
