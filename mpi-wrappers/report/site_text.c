/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/site_text.h"

#include "report/figure.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The routine as the table has room for it: of C++'s, without the types of its arguments. */
static int routine_length(const char *routine)
{
    size_t at = strlen(routine), length = at;
    int depth = 0;
    if (length > 6 && strcmp(routine + length - 6, " const") == 0)
        at -= 6;
    if (at == 0 || routine[at - 1] != ')')
        return (int)length;
    do
        at--, depth += (routine[at] == ')') - (routine[at] == '(');
    while (at > 0 && depth > 0);
    return (int)(at > 0 && routine[at - 1] != ' ' ? at : length);
}

bool site_is_named(const struct job *job, const struct job_site *site)
{
    if (site->object < 0 || site->frames == 0)
        return false;
    const char *object = figure_base_name(job->object[site->object].path);
    const char *routine = job->frame[site->first_frame].routine;
    size_t length = strlen(object);
    return strncmp(routine, object, length) != 0 || strncmp(routine + length, "+0x", 3) != 0;
}

const char *site_text(char text[SITE_TEXT], const struct job *job, const struct job_site *site)
{
    const char *object = site->object >= 0 ? figure_base_name(job->object[site->object].path) : "";
    if (!site_is_named(job, site)) {
        snprintf(text, SITE_TEXT, site->object < 0 ? "in no file" : "%.200s+0x%" PRIx64, object,
                 site->address);
        return text;
    }
    const struct job_frame *frame = &job->frame[site->first_frame];
    const struct job_frame *outer = &frame[site->frames - 1];
    int n = frame->line > 0 ? snprintf(text, SITE_TEXT, "%s:%" PRIu64 " %.*s", figure_base_name(frame->file),
                                       frame->line, routine_length(frame->routine), frame->routine)
                            : snprintf(text, SITE_TEXT, "%.*s (%.48s)", routine_length(frame->routine),
                                       frame->routine, object);
    if (site->frames > 1 && n < SITE_TEXT)
        snprintf(text + n, SITE_TEXT - (size_t)n, " (in %.*s)", routine_length(outer->routine),
                 outer->routine);
    return text;
}
