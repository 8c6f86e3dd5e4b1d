/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what papi_roofline reads: its own files, profiles, results of jobs; and what it draws of them,
 * whatever they have in them. Each input is read as all of these.
 */
#include "fuzz.h"
#include "roofline/points.h"
#include "roofline/roofline_output.h"
#include "roofline/roofs.h"
#include "tools/common/allocate.h"

#include <stdlib.h>
#include <string.h>

void memory_is_out(void)
{
    abort();
}

static const struct roofs usual = {
    .cores = 4,
    .clock = 2e9,
    .peak = {{.name = "scalar", .bits = 64, .precision = ROOF_DOUBLE, .rate = {4e9, 16e9}}},
    .n_peaks = 1,
    .level = {{.name = "L1d", .size = 1 << 15, .line = 64, .rate = {{1e11, 4e11}, {1e11, 4e11}}},
              {.name = "L2", .size = 1 << 20, .line = 64, .rate = {{5e10, 2e11}, {5e10, 2e11}}},
              {.name = "memory", .line = 64, .rate = {{1e10, 2e10}, {1e10, 2e10}}}},
    .n_levels = 3,
};

static const struct roofs device = {
    .device = "A",
    .source = "given",
    .cores = 1,
    .peak = {{.name = "FMA", .precision = ROOF_DOUBLE, .rate = {0, 16e9}}},
    .n_peaks = 1,
    .level = {{.name = "memory", .rate = {{0, 2e10}, {0, 2e10}}}},
    .n_levels = 1,
};

/* Quotation marks of texts are not written as such: each of these begins an attribute. */
static void check_attributes(const char *text)
{
    while ((text = strstr(text, "=\"")) != NULL) {
        size_t length = strcspn(text += 2, "\"");
        REQUIRE(memmem(text, length, "nan", 3) == NULL && memmem(text, length, "inf", 3) == NULL);
    }
}

/* Text alone, and numbers that a browser can draw. */
static void check_drawing(draw_function *draw, const struct roofs *roofs, const struct points *points)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    REQUIRE(out != NULL);
    draw(out, roofs, points);
    REQUIRE(fclose(out) == 0 && strlen(text) == size);
    fuzz_visible(text);
    REQUIRE(strstr(text, "<script") == NULL);
    check_attributes(text);
    free(text);
}

static void check(char *why, const struct roofs *roofs, struct points *points)
{
    if (why != NULL) {
        REQUIRE(why[0] != '\0');
    } else {
        points_limit(points, roofs);
        for (int i = 0; i < points->n; i++)
            REQUIRE(points->point[i].limit >= POINT_NONE && points->point[i].limit < roofs->n_levels);
        check_drawing(draw_svg, roofs, points);
        check_drawing(draw_page, roofs, points);
    }
    free(why);
    points_free(points);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(0, data, size);
    struct points points = {.n = 0};
    struct roofs roofs;
    char *why = roofs_read(path, &roofs, NULL);
    check(why, &roofs, &points);
    why = roofs_read(path, &roofs, &points);
    check(why, &roofs, &points);
    why = profiles_read(&path, 1, &usual, &points);
    check(why, &usual, &points);
    why = job_read(path, &usual, &points);
    check(why, &usual, &points);
    struct kernel_counts *counts = NULL;
    why = kernel_counts_read(path, &counts);
    REQUIRE((why == NULL) == (counts != NULL));
    free(why);
    kernel_counts_free(counts);
    why = kernels_read(&path, 1, &device, NULL, &points);
    check(why, &device, &points);
    return 0;
}
