/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "result.h"

#include <stdio.h>

/* Reports what the process did, to where PAPI_OPENMP_OUTPUT says. */
void report_process(void);

/* ---- the forms */

enum { NOTES = 12 };
struct report_notes {
    int n;
    char text[NOTES][400];
};

struct report_head {
    const char *program, *source; /* source: "OMPT", "libgomp" or both */
    struct report_notes notes;    /* what is in doubt, or missing */
};

void report_text(FILE *out, const struct result *result, const struct report_head *head);
void report_json(FILE *out, const struct result *result, const struct report_head *head);
