/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PAPI_MPI_PRESENCE_H
#define PAPI_MPI_PRESENCE_H

/* Which ranks have this library: one without it, such as a helper that is linked statically, would be waited
 * for in vain. Before MPI_Init, which nobody leaves before all have entered it, a rank that has the library
 * opens a socket of a name that the others of this machine work out. */

/* Before MPI_Init. A second call does nothing. */
void presence_show(void);

/* After MPI_Init: writes the ranks that are not there into absent, which has room for all, and returns how
 * many those are. 0, too, where the launcher does not say that all ranks are on this machine: then all of
 * them must have the library. */
int presence_absent(int ranks, int *absent);

/* Once all have looked. */
void presence_end(void);

#endif
