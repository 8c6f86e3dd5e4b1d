/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Derived presets of every type, from node_derived.csv (PAPI_CSV_EVENT_FILE), equal the values
 * computed from their parts, which are in the same event set and come from the same read.
 */
#include "counted_loop.h"
#include "node_test.h"

#if defined(__aarch64__)
#define PARTS "arm_n1::INST_RETIRED", "arm_n1::CPU_CYCLES", "arm_n1::STALL_FRONTEND"
#elif defined(__powerpc64__)
#define PARTS "PM_RUN_INST_CMPL", "PM_RUN_CYC", "PM_DTLB_MISS"
#else
#define PARTS "skx::INST_RETIRED", "skx::UNHALTED_CORE_CYCLES", "skx::LONGEST_LAT_CACHE:MISS"
#endif

enum { INS, CYC, STALL, FP_OPS, DP_OPS, VEC_INS, LD_INS, SR_INS, BR_INS, N_EVENTS };

static void check_values(const char *how, const long long *v)
{
    long long ins = v[INS], cyc = v[CYC];
    node_check(ins >= 500000 && cyc >= 500000, "%s: instructions %lld, cycles %lld", how, ins, cyc);
    node_check(v[FP_OPS] == ins * 2 + cyc, "%s: DERIVED_POSTFIX N0|2|*|N1|+ %lld", how, v[FP_OPS]);
    node_check(v[DP_OPS] == (ins + cyc) * (3 * ins - cyc) / 7,
               "%s: DERIVED_POSTFIX N0|N1|+|N0|3|*|N1|-|*|7|/ %lld (wanted %lld)", how, v[DP_OPS],
               (ins + cyc) * (3 * ins - cyc) / 7);
    node_check(v[VEC_INS] == ins + cyc, "%s: DERIVED_ADD %lld", how, v[VEC_INS]);
    node_check(v[LD_INS] == cyc - ins - v[STALL], "%s: DERIVED_SUB %lld", how, v[LD_INS]);
    node_check(v[SR_INS] == cyc, "%s: DERIVED_CMPD %lld", how, v[SR_INS]);
    node_check(v[BR_INS] == ins, "%s: NOT_DERIVED %lld", how, v[BR_INS]);
}

int main(void)
{
    long long values[N_EVENTS], sum[N_EVENTS] = {0};
    PAPI_event_info_t info;
    int es;
    node_init();
    es = NODE_SET(PARTS, "PAPI_FP_OPS", "PAPI_DP_OPS", "PAPI_VEC_INS", "PAPI_LD_INS", "PAPI_SR_INS",
                  "PAPI_BR_INS");
    NEED(PAPI_get_event_info(PAPI_FP_OPS, &info));
    node_check(info.count == 2, "PAPI_FP_OPS takes %u native events", info.count);
    NEED(PAPI_start(es));
    counted_loop(100000);
    NEED(PAPI_read(es, values));
    check_values("read", values);
    counted_loop(100000);
    NEED(PAPI_accum(es, sum));
    check_values("accum", sum);
    NEED(PAPI_reset(es));
    counted_loop(100000);
    NEED(PAPI_stop(es, values));
    check_values("stop", values);
    NEED(PAPI_read(es, values));
    check_values("read when stopped", values);
    return node_test_end();
}
