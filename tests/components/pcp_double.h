/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values that a test sets in pcp_double.c, which stands for libpcp and pmcd.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pcp_double {
    int context_result; /* of pmNewContext, where it is negative */
    int contexts;       /* that are open */
    int fetch_result;   /* of the next pmFetch: an error, which stays, or what changed, once */
    int reconnect_result;
    int many;            /* metrics beside the usual ones */
    int fetches;         /* so far */
    int at_work, within; /* fetches that are being answered, and those that came within another */
    bool cpu0_gone;      /* an instance */
    bool wrong_type, wrong_metric, short_block, no_value;
    int metric_result; /* of each metric, where it is negative */
    uint32_t u32;
    int32_t i32, i32_counter;
    uint64_t u64, cpu[3];
    int64_t i64;
    float real;
    double joules;
};
