/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"
#include "base/visible.h"
#include "export.h"
#include "notes.h"
#include "profile_file.h"
#include "source_lines.h"
#include "tools/common/allocate.h"
#include "web/page.h"

#include <stdlib.h>

/* The page, with the profile's file in it, and the source of each line that has events. */

/* Larger files, which are hardly anybody's own, would make the page slow: of them only the lines with events
 * are shown. */
enum { MOST_LINES = 50000 };

static void put_source(struct json *json, const struct source_file *file, int string)
{
    if (file->text == NULL || file->n > MOST_LINES)
        return;
    json_open(json, NULL, '{');
    json_integer(json, "file", string);
    json_open(json, "lines", '[');
    for (int i = 0; i < file->n; i++)
        json_string(json, NULL, file->line[i]);
    json_close(json, ']');
    json_close(json, '}');
}

/* Writes the sources that were read. */
static void put_sources(struct json *json, void *data)
{
    const struct sources *sources = data;
    json_open(json, "source", '[');
    for (int i = 0; i < sources->n; i++)
        put_source(json, &sources->file[i], i);
    json_close(json, ']');
}

static void read_sources(struct sources *sources, const struct profile *profile)
{
    *sources = (struct sources){.profile = profile};
    for (int i = 0; i < profile->places.n; i++)
        if (profile_place_at(profile, i)->line > 0 && profile_place_at(profile, i)->file >= 0)
            sources_file(sources, profile_place_at(profile, i)->file);
}

static void put_verdict(FILE *out, const struct profile *profile, const struct totals *totals)
{
    int *order, n = totals_order(totals->routine_self, profile->routines.n, &order);
    if (n > 0 && profile->event[0].sum > 0) {
        visible_print(
            out, "%s has %.2f %% of %s.", profile_text(profile, profile_routine_at(profile, order[0])->name),
            100.0 * (double)totals_of(totals->routine_self, order[0], 0) / (double)profile->event[0].sum,
            profile->event[0].name);
        putc('\n', out);
    }
    free(order);
}

/* Ends a text that a stream wrote into memory. */
static void end_text(FILE *out, char **text)
{
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || *text == NULL)
        memory_is_out();
}

/* The page's first sentences, one a line: where most of the time is, and what a reader has to know. The
 * caller frees it. */
static char *verdict(const struct profile *profile, const struct totals *totals,
                     const struct sources *sources)
{
    char *text = NULL;
    size_t size = 0;
    struct notes notes = {.n = 0};
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        memory_is_out();
    put_verdict(out, profile, totals);
    notes_make(&notes, profile, totals);
    sources_note(sources, &notes);
    for (int i = 0; i < notes.n; i++)
        fprintf(out, "%s.\n", notes.text[i]);
    notes_free(&notes);
    end_text(out, &text);
    return text;
}

/* The JSON of the page: the profile's file and the sources. The caller frees it. */
static char *page_json(const struct profile *profile, struct sources *sources, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (out == NULL)
        memory_is_out();
    file_write_with(out, profile, put_sources, sources);
    end_text(out, &text);
    return text;
}

void export_html(FILE *out, const struct profile *profile, const struct totals *totals)
{
    size_t size = 0;
    struct sources sources;
    read_sources(&sources, profile);
    char *sentence = verdict(profile, totals, &sources), *text = page_json(profile, &sources, &size);
    FILE *json = fmemopen(text, size, "r");
    if (json == NULL)
        memory_is_out();
    report_html(out, sentence, json); /* what cannot be written is an error of out */
    fclose(json);
    free(text);
    free(sentence);
    sources_free(&sources);
}
