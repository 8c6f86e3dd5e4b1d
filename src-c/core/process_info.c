/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/process_info.h"
#include "hardware/process.h"

#include <stdlib.h>
#include <string.h>

/* What a caller got stays as it is until the shutdown. A program that loads and unloads the same
 * libraries over and over gets the same lists again. */
struct library_list {
    struct library_list *next;
    PAPI_shlib_info_t info;
};

int process_executable(const PAPI_exe_info_t **info, struct reason *why)
{
    PAPI_exe_info_t *made = papi_library.executable;
    if (made == NULL && (made = malloc(sizeof *made)) == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    if (papi_library.executable == NULL && executable_fill(papi_library.root, made) != 0) {
        free(made);
        return reason_set(why, PAPI_ENOSUPP, "the loader does not tell where the program's code is");
    }
    *info = papi_library.executable = made;
    return PAPI_OK;
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

int process_libraries(const PAPI_shlib_info_t **info, struct reason *why)
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
    if (list == NULL)
        return reason_set(why, PAPI_ENOMEM, "out of memory");
    *info = &list->info;
    return PAPI_OK;
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
