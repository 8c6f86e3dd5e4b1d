/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/process.h"
#include "hardware/process.h"

#include <stdlib.h>
#include <string.h>

/* What a caller got stays as it is until the shutdown. A program that loads and unloads the same
 * libraries over and over gets the same lists again. */
struct library_list {
    struct library_list *next;
    PAPI_shlib_info_t info;
};

static int out_of_memory(struct reason *why)
{
    return reason_set(why, PAPI_ENOMEM, "out of memory");
}

const PAPI_exe_info_t *process_executable(struct reason *why)
{
    if (papi_library.executable != NULL)
        return papi_library.executable;
    PAPI_exe_info_t *info = malloc(sizeof *info);
    if (info == NULL) {
        out_of_memory(why);
        return NULL;
    }
    if (executable_fill(papi_library.root, info) != 0) {
        reason_set(why, PAPI_ENOSUPP, "the loader does not tell where the program's code is");
        free(info);
        return NULL;
    }
    papi_library.executable = info;
    return info;
}

static struct library_list *find_list(const PAPI_address_map_t *maps, int count)
{
    struct library_list *list = papi_library.libraries;
    while (list != NULL && (list->info.count != count ||
                            (count > 0 && memcmp(list->info.map, maps, (size_t)count * sizeof *maps) != 0)))
        list = list->next;
    return list;
}

/* Takes the maps over. */
static struct library_list *keep_list(PAPI_address_map_t *maps, int count)
{
    struct library_list *list = find_list(maps, count);
    if (list == NULL && (list = malloc(sizeof *list)) != NULL) {
        *list = (struct library_list){papi_library.libraries, {.map = maps, .count = count}};
        papi_library.libraries = list;
        return list;
    }
    free(maps);
    return list;
}

const PAPI_shlib_info_t *process_libraries(struct reason *why)
{
    PAPI_address_map_t *maps;
    int count;
    struct library_list *list = NULL;
    if (libraries_list(&maps, &count) == 0) {
        library_lock();
        if (library_ready())
            list = keep_list(maps, count);
        else
            free(maps);
        library_unlock();
    }
    if (list == NULL) {
        out_of_memory(why);
        return NULL;
    }
    return &list->info;
}

void process_free(void)
{
    struct library_list *next;
    free(papi_library.executable);
    papi_library.executable = NULL;
    for (struct library_list *list = papi_library.libraries; list != NULL; list = next) {
        next = list->next;
        free(list->info.map);
        free(list);
    }
    papi_library.libraries = NULL;
}
