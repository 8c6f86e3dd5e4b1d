/* SPDX-License-Identifier: BSD-3-Clause */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(struct span name)
{
    size_t hash = 5381;
    for (size_t i = 0; i < name.n; i++)
        hash = hash * 33 + (unsigned char)name.at[i];
    return hash;
}

static bool is_number(struct span name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!isdigit((unsigned char)name.at[i]))
            return false;
    return name.n > 0;
}

static void put(struct labels *labels, uint32_t index)
{
    size_t at = hash_of(labels->label[index].name);
    while (labels->bucket[at % labels->n_buckets] != 0)
        at++;
    labels->bucket[at % labels->n_buckets] = index + 1;
}

void labels_find(struct labels *labels, const struct source *source)
{
    *labels = (struct labels){0};
    for (size_t i = 0; i < source->n; i++) {
        if (source->statement[i].kind != STATEMENT_LABEL)
            continue;
        labels->label = grown(labels->label, labels->n, sizeof *labels->label);
        labels->label[labels->n++] =
            (struct label){.name = source->statement[i].word, .statement = i, .block = -1};
    }
    labels->n_buckets = 2 * labels->n + 1;
    labels->bucket = or_end(calloc(labels->n_buckets, sizeof *labels->bucket));
    for (uint32_t i = 0; i < labels->n; i++)
        if (!is_number(labels->label[i].name))
            put(labels, i);
}

void labels_free(struct labels *labels)
{
    free(labels->label);
    free(labels->bucket);
}

/* 1f and 1b: the next and the last one of that number. */
static int32_t numbered(const struct labels *labels, struct span name, size_t statement)
{
    struct span number = {name.at, name.n - 1};
    bool forward = name.at[name.n - 1] == 'f';
    int32_t last = NO_LABEL;
    for (size_t i = 0; i < labels->n; i++) {
        if (!span_same(labels->label[i].name, number))
            continue;
        if (labels->label[i].statement > statement)
            return forward ? (int32_t)i : last;
        last = (int32_t)i;
    }
    return forward ? NO_LABEL : last;
}

int32_t label_of(const struct labels *labels, struct span name, size_t statement)
{
    if (name.n > 1 && (name.at[name.n - 1] == 'f' || name.at[name.n - 1] == 'b') &&
        is_number((struct span){name.at, name.n - 1}))
        return numbered(labels, name, statement);
    for (size_t at = hash_of(name); labels->bucket[at % labels->n_buckets] != 0; at++) {
        uint32_t index = labels->bucket[at % labels->n_buckets] - 1;
        if (span_same(labels->label[index].name, name))
            return (int32_t)index;
    }
    return NO_LABEL;
}
