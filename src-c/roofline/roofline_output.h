/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "points.h"

#include <stdio.h>

struct report;

/* ---- drawings and pages */

/* Drawings of roofs and points with two logarithmic scales: operations for each byte, and operations a
 * second. Names and commands, which others wrote, are made text, whatever they contain. */
typedef void draw_function(FILE *out, const struct roofs *roofs, const struct points *points);

/* Draws as a file of its own, or inside of a page that has the drawing's style. */
draw_function draw_svg, draw_inside;

/* Writes a page with the drawing and its numbers, which needs nothing but a browser. */
draw_function draw_page;

/* "94.3 %", with the spread of the roof "94.3 % ±1.2"; "-" without a roof. */
void draw_percent(FILE *out, const struct point *point);

/* "94.3 % of its roof (memory, reads only)" */
void draw_share(FILE *out, const struct roofs *roofs, const struct point *point);

/* Style sheets of a drawing and of a page, made of the folder page (web/generate.py). */
extern const char draw_style[], page_style[];

/* ---- text and JSON */

/* The roofs as a table, or as the member "roofs" of the JSON, which roofs_read takes again. */
void show_roofs(struct report *report, const struct roofs *roofs);

/* The points, in the order in which they were found; the member "points". */
void show_points(struct report *report, const struct roofs *roofs, const struct points *points);
