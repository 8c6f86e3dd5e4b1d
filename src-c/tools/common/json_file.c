/* SPDX-License-Identifier: BSD-3-Clause */
#include "json_file.h"
#include "allocate.h"
#include "tool_files.h"

#include <errno.h>
#include <string.h>

json_t *json_file_read(const char *path, size_t flags, char **why)
{
    const char *unread;
    json_error_t error;
    FILE *file = input_open(path, &unread);
    if (file == NULL) {
        *why = memory_print("%s: %s", path, unread);
        return NULL;
    }
    errno = 0;
    json_t *root = json_loadf(file, flags, &error);
    int failed = ferror(file) != 0 ? errno : 0;
    fclose(file);
    if (root == NULL && failed != 0)
        *why = memory_print("%s cannot be read: %s", path, strerror(failed));
    else
        *why =
            root == NULL ? memory_print("%s is not JSON: line %d: %s", path, error.line, error.text) : NULL;
    return root;
}
