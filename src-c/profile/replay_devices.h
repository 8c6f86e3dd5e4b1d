/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "call_tree.h"
#include "formats/launch_record.h"

#include <linux/perf_event.h>

/* Work of devices, put below the lines that launched it: kernels and copies as routines of their own. Begins
 * as zeroes but for the profile. */

struct replay_devices {
    struct profile *profile;
    struct index stacks;      /* process, file and number, and ... */
    int *node, node_room;     /* ... where that is in the profile */
    struct index devices;     /* the same of devices, and ... */
    int *object, object_room; /* ... their names, strings of the profile */
    struct piece *piece;      /* work, which waits for the names of the devices */
    int n_pieces, piece_room;
};

/* True for a record that is as long as what is read of its type. */
bool replay_devices_is_whole(const struct perf_event_header *header);

/* True for a library between a program's launch and the one that notes it: no line of the program is in it.
 */
bool replay_devices_is_runtime(const char *path);

/* Takes where something was launched: below a node, PROFILE_NONE: that could not be found. */
void replay_devices_stack(struct replay_devices *devices, const struct launch_stack *record, int node);

/* Takes any other record. */
void replay_devices_take(struct replay_devices *devices, const struct perf_event_header *header);

/* Puts all work into the profile. */
void replay_devices_end(struct replay_devices *devices);
