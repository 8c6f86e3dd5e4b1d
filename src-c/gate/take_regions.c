/* SPDX-License-Identifier: BSD-3-Clause */
#include "take.h"
#include "tools/common/allocate.h"
#include "tools/common/tool_files.h"

#include <glob.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds the counts of one time that a region ran; other members are times and names. */
static void add_region(struct counts *counts, const json_t *from)
{
    const char *name = json_string_value(json_object_get(from, "name")), *key;
    json_t *value;
    if (name == NULL)
        return;
    struct gate_region *region = counts_region(counts, name);
    json_object_foreach((json_t *)from, key, value)
    {
        const char *colons = strstr(key, "::"), *text = json_string_value(value);
        int event = colons != NULL && text != NULL ? counts_event(counts, colons + 2) : -1;
        if (event >= 0)
            region->count[event].value += strtoull(text, NULL, 10);
    }
}

static void take_file(struct counts *counts, const char *path)
{
    const char *why, *thread_name, *region_name;
    json_t *thread, *region;
    FILE *in = input_open(path, &why);
    json_t *root = in != NULL ? json_loadf(in, 0, NULL) : NULL;
    json_object_foreach(json_object_get(root, "threads"), thread_name, thread)
    {
        json_object_foreach(json_object_get(thread, "regions"), region_name, region)
        {
            add_region(counts, region);
        }
    }
    json_decref(root);
    if (in != NULL)
        fclose(in);
}

void take_regions(struct counts *counts, const char *folder)
{
    glob_t found;
    char *pattern = memory_print("%s/papi_hl_output*/rank_*.json", folder);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            take_file(counts, found.gl_pathv[i]);
        globfree(&found);
    }
    free(pattern);
}
