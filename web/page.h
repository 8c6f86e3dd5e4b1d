/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Writes the result of a job as one HTML page that needs nothing but a browser. verdict: the sentence that
 * stands first. json: the result file as docs/mpi-result.md describes it, from where it stands to its end.
 * What names in them say (of regions, hosts, programs) reaches the page as text, never as markup. Returns
 * 0, or -1 with errno where json cannot be read or out not be written. */
int report_html(FILE *out, const char *verdict, FILE *json);

/* The same with what other tools found. */
struct page_data {
    const char *id; /* "roofline" or "profile": the section of the page */
    FILE *json;     /* as papi_roofline or papi_profile keeps it; NULL: the page has none */
};
int report_html_with(FILE *out, const char *verdict, FILE *json, const struct page_data *more, int n);

/* Made by generate.py: the page up to the place of the verdict, from there to that of the data, the rest. */
extern const unsigned char page_begin[], page_middle[], page_end[];
extern const size_t page_begin_length, page_middle_length, page_end_length;
