/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* An agreement of a job's machines on which ranks have this library, by names that the job's launcher keeps:
 * without messages, since a rank that has no library would not take part. One rank of each machine takes
 * part.
 *
 * The ranks' numbers are a tree with 16 branches at each node. Of those who take part below a node, the first
 * that the launcher knows collects there, and may collect a level higher, too. Who collects looks up what its
 * 16 branches have told, and tells what is new together; the one at the root decides when it has heard of all
 * ranks. So nobody has more to look up than of 16 branches for each level of the tree, nor does any collector
 * tell more often than it has something new. Nothing is added up on the way: what comes twice is known once.
 */

enum { AGREEMENT_VALUE = 1024 }; /* room for a value, with its end, of the MPI that has most */

struct agreement_names {
    /* Makes a name known, with a value. Launchers keep the first value of a name, or the last one. */
    void (*publish)(void *context, const char *name, const char *value);

    /* The value of a name. False: it is not known, or there is nobody who keeps names. */
    bool (*look_up)(void *context, const char *name, char value[AGREEMENT_VALUE]);

    void *context;
    size_t room; /* for a value, with its end: at most AGREEMENT_VALUE */
};

struct agreement;

/* Begins, for the machine of the ranks local, of which there are n. said: the ranks that the launcher has on
 * this machine, with this library or without. NULL: there is no memory. */
struct agreement *agreement_begin(const struct agreement_names *names, int ranks, const int *local, int n,
                                  int said);

/* True if somebody keeps names. */
bool agreement_has_names(const struct agreement *agreement);

/* True if this is the rank that decides. */
bool agreement_decides(const struct agreement *agreement);

/* Looks once for what the others have told. True if the answer is known now, or cannot be any more.
 *   ends  the patience is over: who decides does so by what it has heard */
bool agreement_step(struct agreement *agreement, bool ends);

/* The list of the ranks without the library (rank_list.h); NULL: there is no answer. */
const char *agreement_absent(const struct agreement *agreement);

void agreement_free(struct agreement *agreement);
