/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine_head.h"

#include <string.h>

/* By libpfm4's name; by what cpuid says of the processor, and the PMU of its cores where there are several
 * kinds; by implementer and part. */
static const struct title {
    const char *pmu, *vendor, *cores, *title;
    int code, family, low, high;
} titles[] = {
#include "processor_titles.h"
};

static bool has_name(char *const *names, const char *name)
{
    for (int i = 0; i < PAPI_PMU_MAX && names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool fits(const struct title *row, const PAPI_hw_info_t *hw, char *const *names, const char *cores)
{
    if (row->pmu != NULL)
        return has_name(names, row->pmu);
    if (hw->model < row->low || hw->model > row->high)
        return false;
    if (row->vendor == NULL)
        return hw->vendor == row->code;
    return strcmp(row->vendor, hw->vendor_string) == 0 && row->family == hw->cpuid_family &&
           strcmp(row->cores != NULL ? row->cores : "cpu", cores) == 0;
}

void machine_show_processor(struct report *report, const PAPI_hw_info_t *hw, char *const *names)
{
    static const struct title *const end = titles + sizeof titles / sizeof *titles;
    const struct title *shown = NULL;
    char cores[PAPI_PMU_MAX][MACHINE_PMU_NAME] = {"cpu"};
    int n = machine_core_pmus(cores, PAPI_PMU_MAX);
    report_list(report, "processors");
    for (int i = 0; i < n || i == 0; i++) {
        const struct title *row = titles;
        while (row < end && !fits(row, hw, names, cores[i]))
            row++;
        if (row == end || row == shown)
            continue;
        report_sentence(report, "Processor", "{}{.pmu? (%s)}", AS_TEXT(NULL, row->title),
                        AS_TEXT(".pmu", row->pmu));
        shown = row;
    }
    report_end(report);
}
