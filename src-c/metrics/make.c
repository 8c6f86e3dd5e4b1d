/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Metrics that do not come from the table, for those who read results. The library itself has no use for it.
 */
#include "metrics/formula.h"
#include "papi.h"

#include <stdlib.h>
#include <string.h>

struct metrics_row *metrics_make(const char *name, const char *unit, const char *formula,
                                 const char *description, struct reason *why)
{
    size_t n[4] = {strlen(name) + 1, strlen(unit) + 1, strlen(formula) + 1, strlen(description) + 1};
    struct metrics_row *row = calloc(1, sizeof *row);
    char *p = row != NULL ? malloc(n[0] + n[1] + n[2] + n[3]) : NULL;
    if (p == NULL) {
        free(row);
        reason_set(why, PAPI_ENOMEM, "out of memory");
        return NULL;
    }
    *row = (struct metrics_row){.group = "", .line = p};
    row->name = memcpy(p, name, n[0]);
    row->unit = memcpy(p += n[0], unit, n[1]);
    row->formula = memcpy(p += n[1], formula, n[2]);
    row->description = memcpy(p + n[2], description, n[3]);
    if (metrics_compile(row, why) == PAPI_OK)
        return row;
    metrics_row_free(row);
    return NULL;
}
