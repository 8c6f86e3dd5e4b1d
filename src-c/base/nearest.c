/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that are longer are not compared: the work grows with the product of the lengths. */
enum { LONGEST = 64, MOST_APART = 3 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Rows of the matrix of distances between beginnings of the two names: the current one, the one before, and
 * the one before that, which a swap of two characters goes back to. */
struct rows {
    int current[LONGEST + 1], before[LONGEST + 1], earlier[LONGEST + 1];
};

static void fill_row(struct rows *rows, const char *a, int i, const char *b, int n)
{
    rows->current[0] = i;
    for (int j = 1; j <= n; j++) {
        bool equal = same(a[i - 1], b[j - 1]);
        int cost = rows->before[j - 1] + !equal;
        cost = least(cost, least(rows->before[j], rows->current[j - 1]) + 1);
        if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
            cost = least(cost, rows->earlier[j - 2] + 1);
        rows->current[j] = cost;
    }
}

static int distance(const char *a, int m, const char *b, int n)
{
    struct rows rows;
    for (int j = 0; j <= n; j++)
        rows.current[j] = j;
    memcpy(rows.before, rows.current, sizeof rows.before);
    for (int i = 1; i <= m; i++) {
        memcpy(rows.earlier, rows.before, sizeof rows.earlier);
        memcpy(rows.before, rows.current, sizeof rows.before);
        fill_row(&rows, a, i, b, n);
    }
    return rows.current[n];
}

void nearest_begin(struct nearest *nearest, const char *wanted)
{
    nearest->wanted = wanted;
    nearest->distance = INT_MAX;
    nearest->name[0] = '\0';
}

void nearest_try(struct nearest *nearest, const char *name)
{
    size_t wanted = strnlen(nearest->wanted, LONGEST + 1), length = strnlen(name, LONGEST + 1);
    if (wanted > LONGEST || length > LONGEST || strlen(name) >= sizeof nearest->name)
        return;
    int m = (int)wanted, n = (int)length, limit = least(MOST_APART, least(m, n) / 3);
    if (abs(m - n) > limit)
        return;
    int found = distance(nearest->wanted, m, name, n);
    if (found > limit || found >= nearest->distance)
        return;
    nearest->distance = found;
    strcpy(nearest->name, name);
}

const char *nearest_text(const struct nearest *nearest, char text[NEAREST_TEXT])
{
    snprintf(text, NEAREST_TEXT, "%s%s", nearest->name[0] != '\0' ? "; the nearest is " : "", nearest->name);
    return text;
}
