/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/reason.h"

/* Answers of vendors' libraries to calls that fail, as sentences: "the device does not start: Level Zero
 * answers 0x70010000: the administrator does not allow it". */

/* An answer that is known, and what helps. A vendor's header has a list ANSWER(result, code, advice) of them
 * beside its other numbers. */
struct device_answer {
    int result, code; /* PAPI_OK: the code that the caller has for all answers */
    char advice[280]; /* not a pointer, as the texts of struct device_maker */
};
#define DEVICE_ANSWER(RESULT, CODE, ADVICE) {RESULT, CODE, ADVICE},

struct device_answers {
    char library[24]; /* in sentences */
    enum {
        DEVICE_ANSWERS_NAME,  /* "library answers WORDS (7)"; the advice stands in place of it */
        DEVICE_ANSWERS_WORDS, /* "library answers "words" (7)", and the advice */
        DEVICE_ANSWERS_NUMBER /* "library answers 0x7", and the advice */
    } form;
    int n;
    const struct device_answer *known;
};

/* The answers of a library, of such a list. */
#define DEVICE_ANSWERS(LIBRARY, FORM, LIST)                                                                  \
    {                                                                                                        \
        LIBRARY, FORM, sizeof(DEVICE_ANSWERS_OF(LIST)) / sizeof(struct device_answer),                       \
            DEVICE_ANSWERS_OF(LIST)                                                                          \
    }
#define DEVICE_ANSWERS_OF(LIST) ((const struct device_answer[]){LIST(DEVICE_ANSWER)})

/* Sets the reason of an answer, and returns its code; where it is not known, that of the caller. words: the
 * library's; NULL: it has none. */
int device_answered(const struct device_answers *answers, int result, int code, const char *words,
                    const char *what, struct reason *why);
