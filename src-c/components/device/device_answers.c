/* SPDX-License-Identifier: BSD-3-Clause */
#include "components/device/device_answers.h"
#include "papi.h"

static const struct device_answer *find(const struct device_answers *answers, int result)
{
    for (int i = 0; i < answers->n; i++)
        if (answers->known[i].result == result)
            return &answers->known[i];
    return NULL;
}

int device_answered(const struct device_answers *answers, int result, int code, const char *words,
                    const char *what, struct reason *why)
{
    const struct device_answer *answer = find(answers, result);
    const char *library = answers->library, *advice = answer != NULL ? answer->advice : "";
    code = answer != NULL && answer->code != PAPI_OK ? answer->code : code;
    words = words != NULL ? words : "an error";
    if (answers->form == DEVICE_ANSWERS_NUMBER)
        return reason_set(why, code, "%s: %s answers 0x%x%s", what, library, (unsigned)result, advice);
    if (answers->form == DEVICE_ANSWERS_WORDS)
        return reason_set(why, code, "%s: %s answers \"%.120s\" (%d)%s", what, library, words, result,
                          advice);
    if (advice[0] != '\0')
        return reason_set(why, code, "%s: %s", what, advice);
    return reason_set(why, code, "%s: %s answers %s (%d)", what, library, words, result);
}
