/* SPDX-License-Identifier: BSD-3-Clause */
#include "json.h"
#include "fuzz.h"

#include <jansson.h>

void fuzz_json(const char *text, size_t size)
{
    json_error_t error;
    json_t *root = json_loadb(text, size, 0, &error);
    REQUIRE(root != NULL);
    json_decref(root);
}
