/* SPDX-License-Identifier: BSD-3-Clause */
#include "event_choice.h"
#include "papi.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

const struct source source_emulator = {
    .name = "the emulator",
    .operations = {"emu::SP_OPS", "emu::DP_OPS"},
    .read = {"emu::L1D_READ_MISSES", "emu::L2_READ_MISSES", "emu::L3_READ_MISSES"},
    .written = {"emu::L1D_WRITE_MISSES", "emu::L2_WRITE_MISSES", "emu::L3_WRITE_MISSES"},
};

const struct source source_presets = {
    .name = "the processor's counters",
    .operations = {"PAPI_SP_OPS", "PAPI_DP_OPS"},
    .read = {"PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_TCM"},
};

static bool counts(const char *name)
{
    int code;
    return PAPI_event_name_to_code(name, &code) == PAPI_OK && PAPI_query_event(code) == PAPI_OK;
}

/* The first of the two that counts. */
static const char *one_of(const char *name, const char *other)
{
    return counts(name) ? name : counts(other) ? other : NULL;
}

bool source_counters(struct source *source, int levels, const char **why)
{
    static const char *const misses[][2] = {
        {"PAPI_L1_DCM", "PAPI_L1_TCM"}, {"PAPI_L2_DCM", "PAPI_L2_TCM"}, {"PAPI_L3_TCM", "PAPI_L3_DCM"}};
    *source = (struct source){.name = "the processor's counters"};
    source->operations[0] = one_of("PAPI_SP_OPS", "PAPI_SP_OPS");
    /* Where precisions are not told apart, most programs have the larger one. */
    source->operations[1] = source->operations[0] != NULL ? one_of("PAPI_DP_OPS", "PAPI_DP_OPS") : NULL;
    if (source->operations[1] == NULL) {
        source->operations[0] = NULL;
        source->operations[1] = one_of("PAPI_FP_OPS", "PAPI_DP_OPS");
    }
    for (int i = 0; i < levels && i < 3; i++)
        source->read[i] = one_of(misses[i][0], misses[i][1]);
    bool lines = levels > 0 && levels <= 3 && source->read[levels - 1] != NULL;
    *why = source->operations[1] == NULL ? "floating-point operations are not counted"
           : !lines                      ? "misses of the last cache are not counted"
                                         : NULL;
    return *why == NULL;
}

static void append(char **text, const char *name)
{
    if (name == NULL)
        return;
    char *more = *text == NULL ? memory_text(name) : memory_print("%s,%s", *text, name);
    free(*text);
    *text = more;
}

char *source_events(const struct source *source, int levels)
{
    char *text = NULL;
    for (int i = 0; i < 2; i++)
        append(&text, source->operations[i]);
    for (int i = 0; i < levels && i < ROOFS_LEVELS; i++) {
        append(&text, source->read[i]);
        append(&text, source->written[i]);
    }
    return text;
}

static bool is(const char *name, const char *event)
{
    return name != NULL && strcmp(name, event) == 0;
}

static void add_to(double *sum, double amount)
{
    *sum = (*sum > 0 ? *sum : 0) + amount;
}

void source_add(const struct source *source, struct point *point, const char *event, double amount,
                const struct roofs *roofs)
{
    for (int i = 0; i < 2; i++)
        if (is(source->operations[i], event))
            point->operations[i] += amount;
    /* What a cache lacked came from the level after it. */
    for (int i = 0; i + 1 < roofs->n_levels; i++) {
        double bytes = amount * roofs->level[i].line;
        if (is(source->read[i], event))
            add_to(&point->read[i + 1], bytes);
        if (is(source->written[i], event))
            add_to(&point->written[i + 1], bytes);
    }
}
