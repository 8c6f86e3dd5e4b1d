/* SPDX-License-Identifier: BSD-3-Clause */
#include "example.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void end(const char *file, int line)
{
    fprintf(stderr, "FAILED at %s:%d\n", file, line);
    exit(1);
}

void example_code(const char *file, int line, const char *call, int got, int wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s: %s (%d), and not %d\n", call, PAPI_strerror(got), got, wanted);
    end(file, line);
}

void example_same(const char *file, int line, const char *what, long long got, long long wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "%s is %lld, and not %lld\n", what, got, wanted);
    end(file, line);
}

void example_has(const char *file, int line, const char *text, const char *part)
{
    if (text != NULL && strstr(text, part) != NULL)
        return;
    fprintf(stderr, "\"%s\" is not in: %s\n", part, text != NULL ? text : "(none)");
    end(file, line);
}

void *example_symbol(const char *name)
{
    const char *file = getenv("EXAMPLE_LIBRARY");
    void *library = file != NULL ? dlopen(file, RTLD_NOW) : NULL;
    void *found = library != NULL ? dlsym(library, name) : NULL;
    if (found != NULL)
        return found;
    fprintf(stderr, "EXAMPLE_LIBRARY=%s: %s\n", file != NULL ? file : "", dlerror());
    end(__FILE__, __LINE__);
}

/* As programs for PAPI do it: a component that is to be initialised later is asked for an event first. */
int example_begin(const char *component)
{
    int code = PAPI_NATIVE_MASK;
    SAME(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    int index = PAPI_get_component_index(component);
    const PAPI_component_info_t *info = index >= 0 ? PAPI_get_component_info(index) : NULL;
    if (info != NULL && info->disabled == PAPI_EDELAY_INIT) {
        PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, index);
        info = PAPI_get_component_info(index);
    }
    if (info == NULL || info->disabled != PAPI_OK) {
        fprintf(stderr, "component %s: %s\n", component,
                info != NULL ? info->disabled_reason : "is not there");
        end(__FILE__, __LINE__);
    }
    return index;
}

int example_set(const char *first, ...)
{
    int es = PAPI_NULL;
    va_list names;
    va_start(names, first);
    MUST(PAPI_create_eventset(&es));
    for (const char *name = first; name != NULL; name = va_arg(names, const char *)) {
        int code = PAPI_add_named_event(es, name);
        if (code != PAPI_OK)
            fprintf(stderr, "%s: ", name);
        MUST(code);
    }
    va_end(names);
    return es;
}

void example_no_event(const char *name)
{
    int es = PAPI_NULL, code, by_name = PAPI_event_name_to_code(name, &code);
    MUST(PAPI_create_eventset(&es));
    int added = PAPI_add_named_event(es, name);
    if (by_name != PAPI_ENOEVNT || added != PAPI_ENOEVNT)
        fprintf(stderr, "%s: %d, %d: ", name, by_name, added);
    MUST_BE(PAPI_ENOEVNT, by_name);
    MUST_BE(PAPI_ENOEVNT, added);
    MUST(PAPI_destroy_eventset(&es));
}

void example_print(int es, const long long *value)
{
    int event[PAPI_MAX_STR_LEN], n = PAPI_MAX_STR_LEN;
    char name[PAPI_2MAX_STR_LEN];
    MUST(PAPI_list_events(es, event, &n));
    for (int i = 0; i < n; i++) {
        MUST(PAPI_event_code_to_name(event[i], name));
        printf("%s: %lld\n", name, value[i]);
    }
}

static void look_at(int event)
{
    char name[PAPI_2MAX_STR_LEN];
    PAPI_event_info_t info;
    int again;
    MUST(PAPI_event_code_to_name(event, name));
    MUST(PAPI_event_name_to_code(name, &again));
    SAME(again, event);
    MUST(PAPI_get_event_info(event, &info));
    HAS(info.symbol, name);
    SAME(info.long_descr[0] != '\0', true);
}

void example_walk(int component, int *events, int *forms)
{
    int event = PAPI_NATIVE_MASK, modifier = PAPI_ENUM_FIRST;
    *events = *forms = 0;
    for (; PAPI_enum_cmp_event(&event, modifier, component) == PAPI_OK; modifier = PAPI_ENUM_EVENTS) {
        look_at(event);
        ++*events;
        for (int form = event; PAPI_enum_cmp_event(&form, PAPI_NTV_ENUM_UMASKS, component) == PAPI_OK;
             ++*forms)
            look_at(form);
    }
}
