/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* An efficiency as it was measured on so many ranks. */
struct growth_point {
    double ranks, efficiency; /* both above 0 */
    double spread;            /* of repeated runs, as a part of the efficiency: 0.02; 0: not known */
};

/* An efficiency as it is to be expected. */
struct growth_range {
    double low, high;
    const char *law; /* that fits best: "constant", "log(ranks)", "sqrt(ranks)", "ranks" */
};

enum { GROWTH_LEAST_POINTS = 3 };

/* Estimates the efficiency on other numbers of ranks.
 *   point  n of them, with at least GROWTH_LEAST_POINTS different numbers of ranks
 *   ranks  to be estimated for
 * The cost of a useful second, 1 / efficiency, is taken to grow as a + b g(ranks), where g is one of the laws
 * that parallel programs show: nothing, log2 (trees of messages), the square root (the surface of a square
 * part), and ranks themselves (Amdahl's law, in which a part of the work is done by one). The range holds
 * what each law gives that fits about as well as the best one, with two standard errors on both sides. false:
 * there are too few points. */
bool growth_estimate(struct growth_range *range, const struct growth_point *point, int n, double ranks);
