/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

struct json_t;

/* Writes a result as a page that needs nothing but a browser. Its texts are text there, whatever they
 * contain.
 */
void why_page(FILE *out, const struct json_t *result);

/* The style sheet, made of the folder page (web/generate.py). */
extern const char why_style[];
