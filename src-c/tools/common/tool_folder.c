/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool_folder.h"
#include "allocate.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *folder_make(const char *tool, char **why)
{
    const char *where = secure_getenv("TMPDIR");
    char *folder = memory_print("%s/%s.XXXXXX", where != NULL && where[0] != '\0' ? where : "/tmp", tool);
    if (mkdtemp(folder) != NULL)
        return folder;
    *why = memory_print("%s: %s", folder, strerror(errno));
    free(folder);
    return NULL;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

void folder_remove(char *folder)
{
    enum { FILES = 16 };
    if (folder != NULL)
        nftw(folder, remove_one, FILES, FTW_DEPTH | FTW_PHYS);
    free(folder);
}
