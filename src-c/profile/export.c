/* SPDX-License-Identifier: BSD-3-Clause */
#include "export.h"

#include <string.h>

const char export_names[] = "html, callgrind, folded, pprof, speedscope";

static const struct export formats[] = {
    {"callgrind", ".callgrind", false, export_callgrind},
    {"folded", ".folded", true, export_folded},
    {"html", ".html", false, export_html},
    {"pprof", ".pb", true, export_pprof},
    {"speedscope", ".speedscope.json", true, export_speedscope},
};

const struct export *export_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strlen(formats[i].name) == length && strncmp(formats[i].name, name, length) == 0)
            return &formats[i];
    return NULL;
}
