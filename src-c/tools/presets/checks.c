/* SPDX-License-Identifier: BSD-3-Clause */
#include "checks.h"

#include "tools/common/event.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Few iterations are seldom interrupted. Before a definition is called wrong, more are counted. */
enum { ITERATIONS = 3000, MORE_ITERATIONS = 4 * ITERATIONS };

static void set_aside(struct check *check, enum verdict verdict, const char *reason)
{
    check->judgement = (struct judgement){.verdict = verdict};
    snprintf(check->judgement.reason, sizeof check->judgement.reason, "%s", reason);
}

/* ---- which presets */

static bool is_named(const char *preset, char *const *name, int names)
{
    for (int i = 0; i < names; i++)
        if (strcasecmp(preset, name[i]) == 0)
            return true;
    return names == 0;
}

static int list_presets(struct checks *checks, char *const *name, int names)
{
    struct events presets = {.code = PAPI_PRESET_MASK};
    while (events_next(&presets)) {
        if (!is_named(presets.info.symbol, name, names))
            continue;
        struct check *more = reallocarray(checks->check, (size_t)checks->n + 1, sizeof *more);
        if (more == NULL)
            return -1;
        checks->check = more;
        more[checks->n++] = (struct check){.info = presets.info, .absent_walk = ""};
    }
    return 0;
}

/* ---- counting */

/* Counts a preset that can be tested; the others have their verdict then. */
static void count(struct check *check, struct bench *bench, long n)
{
    const char *why;
    if (!event_counts(&check->info, &why)) {
        set_aside(check, VERDICT_ABSENT, why);
        return;
    }
    if ((why = claims_none(check->info.symbol)) != NULL) {
        set_aside(check, VERDICT_NOT_TESTED, why);
        return;
    }
    int code = bench_count(bench, &check->info, n, &check->samples, &check->absent_walk);
    if (code != PAPI_OK)
        set_aside(check, VERDICT_NOT_TESTED, PAPI_strerror(code));
    else if (check->samples.n == 0)
        set_aside(check, VERDICT_NOT_TESTED,
                  check->absent_walk[0] != '\0' ? check->absent_walk : "no work for it is known here");
    if (code != PAPI_OK)
        check->samples.n = 0;
}

/* ---- judging */

/* True if the counters of this machine count instructions of whatever kind: most presets that claim something
 * else do so. One definition that does is just wrong. */
static bool most_count_any(struct checks *checks)
{
    int any = 0, others = 0;
    for (int i = 0; i < checks->n; i++) {
        const struct samples *samples = &checks->check[i].samples;
        if (samples->n == 0 || !samples->sample[0].exact || judge_claims_any(samples))
            continue;
        any += judge_counts_any(samples);
        others++;
    }
    return any >= 3 && 4 * any >= 3 * others;
}

static void judge_one(struct check *check, struct circumstances known)
{
    if (check->samples.n == 0)
        return;
    known.note = check->info.note;
    known.like = bench_like(&check->samples, check->info.symbol);
    judge(&check->judgement, &check->samples, &known);
    if (check->judgement.verdict == VERDICT_NOT_TESTED && check->absent_walk[0] != '\0')
        set_aside(check, VERDICT_NOT_TESTED, check->absent_walk);
}

/* Counts again, and for longer, before something is called wrong. */
static void judge_all(struct checks *checks, struct bench *bench, struct circumstances known)
{
    known.counts_any = most_count_any(checks);
    for (int i = 0; i < checks->n; i++) {
        struct check *check = &checks->check[i];
        judge_one(check, known);
        if (check->judgement.verdict == VERDICT_WRONG) {
            count(check, bench, MORE_ITERATIONS);
            judge_one(check, known);
        }
        checks->of[check->judgement.verdict]++;
    }
}

static void bind_and_count(struct checks *checks, struct bench *bench, const struct cores *cores, int kind)
{
    char why[128] = "";
    if (cores_bind(cores, kind) != 0)
        snprintf(why, sizeof why, "this process may not run on these cores: %s", strerror(errno));
    for (int i = 0; i < checks->n; i++)
        if (why[0] != '\0')
            set_aside(&checks->check[i], VERDICT_NOT_TESTED, why);
        else
            count(&checks->check[i], bench, ITERATIONS);
}

int checks_run(struct checks *checks, const struct cores *cores, int kind, char *const *name, int names)
{
    struct bench bench;
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    bool virtual = (hw == NULL || hw->virtualized) && !machine_is_emulated();
    *checks = (struct checks){.pmu = cores->n > 1 ? cores->kind[kind].pmu : NULL};
    if (bench_make(&bench) != 0)
        return -1;
    int code = list_presets(checks, name, names);
    if (code == 0) {
        bind_and_count(checks, &bench, cores, kind);
        judge_all(
            checks, &bench,
            (struct circumstances){.ranges_may_err = virtual || cores->n > 1, .may_be_silent = virtual});
    }
    cores_release(cores);
    bench_free(&bench);
    return code;
}

void checks_free(struct checks *checks)
{
    free(checks->check);
}
