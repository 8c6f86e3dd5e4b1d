/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

enum { NEAREST_SIZE = 128 };

/* The name that is most like one that does not exist, for the sentence that refuses it. */
struct nearest {
    const char *wanted;      /* stays the caller's */
    int distance;            /* of the best so far; more than any that is near enough: none yet */
    char name[NEAREST_SIZE]; /* the best so far, "" */
};

void nearest_begin(struct nearest *nearest, const char *wanted);

/* Takes a name that exists if it is nearer than those before. Two names are as far apart as characters have
 * to be added, left out, changed or swapped with the next one (the optimal string alignment distance); upper
 * and lower case are alike. More than a third of the shorter name's characters, or more than three, is not
 * near. */
void nearest_try(struct nearest *nearest, const char *name);

/* "; the nearest is NAME", or "" where none is near. Stays with the structure that is in text's place:
 *   text  room for the sentence */
enum { NEAREST_TEXT = NEAREST_SIZE + 24 };
const char *nearest_text(const struct nearest *nearest, char text[NEAREST_TEXT]);
