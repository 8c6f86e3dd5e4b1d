/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "formats/sample_record.h"
#include "objects.h"
#include "unwind.h"

/* Records of branches, while a profile is made. */

struct replay_branches {
    struct profile *profile;
    struct objects *objects;
    struct index jumps, runs; /* struct jump_key, struct run_key: code that ran from one branch to the next */
    struct jump_counts *jump;
    struct run_counts *run;
    int jump_room, run_room;
    struct branch_sums sums;
};

/* Takes the branches before a sample, in the mappings of that time. */
void replay_branches_take(struct replay_branches *branches, const struct space *space,
                          const struct sample_record *record);

/* Makes the profile's branches and loops, if any stack was taken, and ends. */
void replay_branches_end(struct replay_branches *branches);
