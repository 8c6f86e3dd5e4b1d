/* SPDX-License-Identifier: BSD-3-Clause */
#include "job/job.h"

#include <math.h>

/* The factors of the POP model. P ranks, E the longest elapsed time, U a rank's useful time:
 *   parallel = sum(U) / (P * E) = load balance * communication
 *   load balance = mean(U) / max(U) = in nodes * across nodes
 *   communication = max(U) / E
 *   across nodes = mean(U) / max over the nodes of their mean(U), in nodes = that maximum / max(U)
 * In nodes is what the busiest node says of itself: with nodes of the same size the two factors are those
 * of a tree of nodes and ranks. */
struct efficiency job_efficiency(const struct job *job)
{
    struct efficiency result = {NAN, NAN, NAN, NAN, NAN};
    const struct metric *useful = &job->metric[METRIC_USEFUL];
    const struct metric *elapsed = &job->metric[METRIC_ELAPSED];
    const struct metric *node = &job->metric[METRIC_NODE_USEFUL];
    double longest = (double)elapsed->largest[0].value, most = (double)useful->largest[0].value;
    double mean = metric_mean(useful), node_most = (double)node->largest[0].value;
    if (useful->count == 0 || longest <= 0)
        return result;
    result.parallel = mean / longest;
    result.communication = most / longest;
    if (most > 0)
        result.load_balance = mean / most;
    if (most > 0 && node->count > 0 && node_most > 0) {
        result.in_nodes = node_most / most;
        result.across_nodes = mean / node_most;
    }
    return result;
}
