/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/* The kernel's counters that this process has open. Programs close what they do not know (closefrom), and
 * open files of their own under the same numbers: these must neither be read nor closed. */
struct descriptors {
    int n;
    struct {
        int fd;
        uint64_t id; /* the kernel's, of the counter */
    } * of;
};

/* All there are now but those in before (NULL: none). Without memory for it: none. */
void descriptors_find(struct descriptors *descriptors, const struct descriptors *before);

/* 1: each of them is still what it was. */
int descriptors_are_there(const struct descriptors *descriptors);

void descriptors_free(struct descriptors *descriptors);
