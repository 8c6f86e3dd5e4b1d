/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A user's table of metrics, and what its formulas make of any values.
 */
#include "fuzz.h"
#include "metrics/metrics.h"
#include "papi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A small table in place of the build's, which each run would read again. */
extern const char metric_table_csv[];
const char metric_table_csv[] =
    "GROUP,own,\"of the library\"\nMETRIC,mflops,MFLOP/s,PAPI_FP_OPS / time,\"a rate\"\n";

/* Stubs of the library: no event counts, and nothing is known of the machine. */
const PAPI_hw_info_t *PAPI_get_hardware_info(void)
{
    return NULL;
}

int PAPI_query_named_event(const char *name)
{
    return name[0] == 'x' ? PAPI_ENOEVNT : PAPI_OK;
}

char *PAPI_strerror(int code)
{
    return code == PAPI_OK ? (char *)"no error" : (char *)"an error";
}

/* Names that begin with "x" are not counted, and those with "y" lost; all others are what their letters
 * are. */
static int look_up(const void *context, const char *name, double *value, struct reason *why)
{
    (void)context;
    if (name[0] == 'x')
        return PAPI_ENOEVNT;
    if (name[0] == 'y')
        return reason_set(why, PAPI_ECLOST, "%.100s was read too seldom", name);
    *value = 0;
    for (; *name != '\0'; name++)
        *value = *value * 3 + (unsigned char)*name - 'a';
    return strlen(name) < 12 ? PAPI_OK : PAPI_ENOEVNT;
}

static void check_row(const struct metrics *metrics, const struct metrics_row *row)
{
    double value = NAN;
    struct reason why = {0};
    REQUIRE(row->name != NULL && row->group != NULL && row->description != NULL);
    REQUIRE(row->name[0] != '\0' && row->name[strspn(row->name, METRICS_WORD)] == '\0');
    fuzz_visible(row->description);
    if (row->formula == NULL)
        return;
    fuzz_visible(row->formula);
    fuzz_visible(row->unit);
    int code = metrics_value(row->formula, look_up, NULL, &value, &why);
    REQUIRE(code == PAPI_OK ? isfinite(value) : why.code == code);
    if (code != PAPI_OK)
        fuzz_reason(why.text);
    struct metrics_pick first = metrics_first(metrics, row->name, look_up, NULL, &value);
    REQUIRE(first.row != NULL && strcmp(first.row->name, row->name) == 0);
}

static int take(void *context, const char *name)
{
    (void)context;
    REQUIRE(name[0] != '\0');
    return PAPI_OK;
}

static void check_picks(const struct metrics *metrics)
{
    struct metrics_picks picks = {0};
    struct reason why = {0};
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next)
        if (row->formula != NULL)
            REQUIRE(metrics_pick(metrics, row->name, &picks, &why) == PAPI_OK);
    for (int i = 0; i < picks.n; i++)
        REQUIRE(metrics_events(&picks.pick[i], take, NULL) == PAPI_OK);
    metrics_picks_free(&picks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    if (getenv("PAPI_METRICS_FILE") == NULL)
        setenv("PAPI_METRICS_FILE", path, 1);
    struct metrics *metrics = metrics_load();
    REQUIRE(metrics != NULL);
    if (metrics->fault.code != PAPI_OK)
        fuzz_reason(metrics->fault.text);
    for (const struct metrics_row *row = metrics->first; row != NULL; row = row->next)
        if (row->file == 1)
            check_row(metrics, row);
    check_picks(metrics);
    metrics_free(metrics);
    return 0;
}
