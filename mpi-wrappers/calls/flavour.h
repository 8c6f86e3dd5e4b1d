/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Whether the MPI that is loaded is the one that this library was built for. Handles differ: passing a call
 * on to the other one cannot work. */
int flavour_fits(void);
extern const char *const flavour_name; /* "MPICH", "Open MPI" */
