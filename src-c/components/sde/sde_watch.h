/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "components/component.h"
#include "formats/sde_registry.h"

/* Overflows of created counters, of which whoever adds to them tells. */

/* The calling thread is told of a counter from now on. PAPI_ECNFLCT: another event set is. */
int sde_watch_begin(struct sde_counter *counter, uint64_t period, struct reason *why);

/* Async-signal-safe; from any thread. */
void sde_watch_pause(struct sde_counter *counter);

/* Somebody else may be told. Gives the overflows that were not taken. */
unsigned sde_watch_end(struct sde_counter *counter);

bool sde_watch_take(struct sde_counter *counter, uint64_t *address);
