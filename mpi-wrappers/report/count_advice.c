/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/count_advice.h"

#include "base/reason.h"
#include "report/figure.h"

#include <stdio.h>
#include <string.h>

/* The job's command if a shell takes it as it is, and it is whole and short. */
static const char *command_of(const struct job *job)
{
    enum { MOST = 100 };
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:,+@%- ";
    const char *command = job->command;
    bool fits = command[0] != '\0' && command[strspn(command, plain)] == '\0' && strlen(command) < MOST;
    return fits ? command : "./a.out";
}

/* words: as the record has them (rank/advice_words.h). */
static void write_commands(const struct job *job, const char *words, char *to, size_t size)
{
    static const char emulate[] = "papi_emulate";
    const char *emulator = strstr(words, emulate);
    bool counted = strstr(words, "papi_counted") != NULL;
    figure_append(to, size, "%s", counted || emulator != NULL ? ADVICE_BEGINS : words);
    if (counted)
        figure_append(to, size, "rebuild the program by \"papi_counted mpifort ...\"%s",
                      emulator != NULL ? ", or " : "");
    if (emulator != NULL)
        figure_append(to, size, "run \"papi_mpirun -n %llu papi_emulate%s %s\"",
                      (unsigned long long)job->ranks, emulator + strlen(emulate), command_of(job));
}

void count_advice(const struct job *job, char *reason, size_t reason_size, char *advice, size_t size)
{
    const char *words = strstr(job->counter_reason, ADVICE_BEGINS);
    size_t length = words != NULL ? (size_t)(words - job->counter_reason) : sizeof job->counter_reason;
    snprintf(reason, reason_size, "%.*s", (int)length, job->counter_reason);
    advice[0] = '\0';
    if (words != NULL)
        write_commands(job, words, advice, size);
}
