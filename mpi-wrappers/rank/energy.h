/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "record/record.h"

#include <stdbool.h>

/* The devices that ranks may use, and the energy that these use from MPI_Init to MPI_Finalize, by the energy
 * counters of the vendors' libraries of management. It is the whole device's, whoever uses it. */

struct rank_energy;

/* The number of an address "0000:3b:00.0", as node_device has it; 0: it is not one. */
uint64_t energy_address(const char *text);

/* Puts the devices that this rank may use into here, with the number of the rank among those of the node. */
void energy_usable(struct node_devices *here, int node_rank);

/* Finds the energy counters of the node's devices that no rank has taken yet: of all of them, or of those
 * whose first rank is this one. Takes them, and notes the reason where there is none. The libraries of
 * management are loaded for it, and only where there is such a device. */
void energy_find(struct rank_devices *devices, int node_rank);

/* Reads the counters at the begin, and at the end. */
void energy_start(struct rank_record *record);
void energy_stop(struct rank_record *record);
