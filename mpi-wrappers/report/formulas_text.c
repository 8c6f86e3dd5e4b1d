/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/formulas_text.h"
#include "base/visible.h"
#include "job/formulas.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void report_formulas(FILE *out, const struct job *job)
{
    struct job_formula formula;
    char reason[FORMULA_REASON];
    if (job->formulas[0] == '\0')
        fputs("this job was not asked for metrics by name, such as PAPI_EVENTS=@flops\n", out);
    for (int i = 0; job_formula(job, i, &formula); i++) {
        double value = job_formula_value(job, NULL, &formula, reason);
        if (isnan(value))
            visible_print(out, "%s: - (%s)", formula.name, reason);
        else
            visible_print(out, "%s: %.6g %s", formula.name, value, formula.unit);
        fputc('\n', out);
        visible_print(out, "    = %s: %s", formula.formula, formula.description);
        fputc('\n', out);
    }
}

/* Behind what is there. */
static __attribute__((format(printf, 3, 4))) void add(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void formulas_sentence(char *text, size_t size, const struct job *job)
{
    struct job_formula formula;
    char reason[FORMULA_REASON], lacks[1024] = "";
    text[0] = '\0';
    for (int i = 0; job_formula(job, i, &formula); i++) {
        double value = job_formula_value(job, NULL, &formula, reason);
        if (isnan(value))
            add(lacks, sizeof lacks, "%s%s", lacks[0] != '\0' ? ", " : "", formula.name);
        else
            add(text, size, "%s%s %.4g %s", text[0] != '\0' ? ", " : "all ranks together: ", formula.name,
                value, formula.unit);
    }
    if (lacks[0] != '\0')
        add(text, size, "%sno value of %s: papi_mpi_report --formulas says why", text[0] != '\0' ? "; " : "",
            lacks);
}
