/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* A folder for the files of one run, in TMPDIR or /tmp, which nobody else can enter. */

/* Makes the folder, whose name begins with a tool's. To be freed by folder_remove; NULL with a sentence in
 * why, to be freed. */
char *folder_make(const char *tool, char **why);

/* Removes the folder with all that is in it, and frees its name. NULL: there is none. */
void folder_remove(char *folder);
