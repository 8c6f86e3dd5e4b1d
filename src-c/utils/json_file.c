/* SPDX-License-Identifier: BSD-3-Clause */
#include "utils/json_file.h"
#include "base/input.h"
#include "utils/allocate.h"

json_t *json_file_read(const char *path, size_t flags, char **why)
{
    const char *unread;
    json_error_t error;
    FILE *file = input_open(path, &unread);
    if (file == NULL) {
        *why = memory_print("%s: %s", path, unread);
        return NULL;
    }
    json_t *root = json_loadf(file, flags, &error);
    fclose(file);
    *why = root == NULL ? memory_print("%s is not JSON: line %d: %s", path, error.line, error.text) : NULL;
    return root;
}
