/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/* Writes the result of a job as one HTML page that needs nothing but a browser. verdict: the sentence that
 * stands first. json: the result file as docs/mpi-result.md describes it, from where it stands to its end.
 * What names in them say (of regions, hosts, programs) reaches the page as text, never as markup. Returns
 * 0, or -1 with errno where json cannot be read or out not be written. */
int report_html(FILE *out, const char *verdict, FILE *json);
