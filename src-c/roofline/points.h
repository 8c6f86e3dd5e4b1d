/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "roofs.h"

/* What regions of a program did, and how near to the roofs they came. */

struct point {
    char *name;
    int threads; /* that were in it */
    long long entries;
    double seconds;       /* of the thread that was in it for the longest time */
    double operations[2]; /* single and double precision, by all threads */
    /* Bytes that came from each level of the roofs; a negative number: not known. What was written is part of
     * what came where it is not known by itself. */
    double read[ROOFS_LEVELS], written[ROOFS_LEVELS];

    /* by points_limit */
    double rate;  /* operations a second */
    int limit;    /* the level whose roof is the lowest, or POINT_PEAK, or POINT_NONE */
    bool reads;   /* it is the roof of reads only */
    double roof;  /* operations a second that it allows */
    double share; /* of that roof: how near to it; 1 is on it */
};

enum { POINT_PEAK = -1, POINT_NONE = -2 };

struct points {
    char *command; /* NULL: there is none */
    char *counted_by;
    struct point *point;
    int n;
};

/* The point of a name, a new one where there is none. */
struct point *points_find(struct points *points, const char *name);
void points_free(struct points *points);

/* Finds the lowest roof over each, and puts those that took longest first. */
void points_limit(struct points *points, const struct roofs *roofs);

/* All precisions together; operations for each byte that came from a level, 0 where that is not known, or
 * nothing came. */
double point_operations(const struct point *point);
double point_bytes(const struct point *point, int level);
double point_intensity(const struct point *point, int level);

/* "peak", or the name of the level: which roof it is. */
const char *point_limit_name(const struct point *point, const struct roofs *roofs);
