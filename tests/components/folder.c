/* SPDX-License-Identifier: BSD-3-Clause */
#include "folder.h"

#include <dlfcn.h>
#include <stdlib.h>

const char *folder;

int folder_create(void **state)
{
    (void)state;
    folder = test_folder();
    return 0;
}

int folder_remove(void **state)
{
    (void)state;
    PAPI_shutdown();
    test_folder_remove(folder);
    return 0;
}

void shows(const char *path, const char *text)
{
    test_file(folder, path, text);
}

void begin_in_folder(void)
{
    setenv("PAPI_SYSROOT", folder, 1);
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

void begin_here(void)
{
    unsetenv("PAPI_SYSROOT");
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
}

int set_of(const char *first, ...)
{
    int es = PAPI_NULL;
    va_list names;
    va_start(names, first);
    assert_int_equal(PAPI_create_eventset(&es), PAPI_OK);
    for (const char *name = first; name != NULL; name = va_arg(names, const char *)) {
        int code = PAPI_add_named_event(es, name);
        if (code != PAPI_OK)
            fail_msg("%s: %s", name, PAPI_strerror(code));
    }
    va_end(names);
    return es;
}

void reads(int es, ...)
{
    long long value[64], wanted;
    int i = 0, code = PAPI_read(es, value);
    va_list all;
    va_start(all, es);
    if (code != PAPI_OK)
        fail_msg("%s", PAPI_strerror(code));
    while ((wanted = va_arg(all, long long)) != END) {
        if (value[i] != wanted)
            fail_msg("event %d is %lld, not %lld", i, value[i], wanted);
        i++;
    }
    va_end(all);
}

void refused(int got, int wanted, const char *part)
{
    if (got != wanted || strstr(PAPI_strerror(got), part) == NULL)
        fail_msg("%d, wanted %d; \"%s\" should have \"%s\"", got, wanted, PAPI_strerror(got), part);
}

/* ---- components that open a library */

bool library_is_loaded(const char *file)
{
    void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
        dlclose(library);
    return library != NULL;
}

void *begin_with_double(void **state, const char *file, const char *name)
{
    void *library = dlopen(file, RTLD_LAZY);
    assert_non_null(library);
    *state = library;
    begin_here();
    void *found = dlsym(library, name);
    assert_non_null(found);
    return found;
}

int library_end(void **state)
{
    PAPI_shutdown();
    if (*state != NULL)
        dlclose(*state);
    return 0;
}

const PAPI_component_info_t *info_of_component(const char *name)
{
    const PAPI_component_info_t *info = PAPI_get_component_info(PAPI_get_component_index(name));
    assert_non_null(info);
    return info;
}

void no_event(const char *name, const char *part)
{
    int code;
    refused(PAPI_event_name_to_code(name, &code), PAPI_ENOEVNT, part);
}
