/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/site_text.h"

#include "report/figure.h"

#include <inttypes.h>
#include <stdio.h>

const char *site_text(char text[SITE_TEXT], const struct job *job, const struct job_site *site)
{
    const char *object = site->object >= 0 ? figure_base_name(job->object[site->object].path) : "";
    if (site->object < 0 || site->frames == 0) {
        snprintf(text, SITE_TEXT, site->object < 0 ? "in no file" : "%.200s+0x%" PRIx64, object,
                 site->address);
        return text;
    }
    const struct job_frame *frame = &job->frame[site->first_frame];
    const struct job_frame *outer = &frame[site->frames - 1];
    int n = frame->line > 0 ? snprintf(text, SITE_TEXT, "%s:%" PRIu64 " %s", figure_base_name(frame->file),
                                       frame->line, frame->routine)
                            : snprintf(text, SITE_TEXT, "%s (%.48s)", frame->routine, object);
    if (site->frames > 1 && n < SITE_TEXT)
        snprintf(text + n, SITE_TEXT - (size_t)n, " (in %s)", outer->routine);
    return text;
}
