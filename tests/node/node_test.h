/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks for the programs of the emulated node. Each prints what it found and ends in
 * node_test_end(): 0 all held, 1 one did not. 77: skipped, after a line "SKIP: reason".
 */
#pragma once

#include "papi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int node_test_failures;

__attribute__((format(printf, 2, 3), unused)) static int node_check(int held, const char *format, ...)
{
    __builtin_va_list list;
    __builtin_va_start(list, format);
    printf(held ? "  ok    " : "  WRONG ");
    vprintf(format, list);
    printf("\n");
    __builtin_va_end(list);
    if (!held)
        node_test_failures++;
    return held;
}

/* A call that has to return a certain code; others are shown with the library's text. */
__attribute__((unused)) static int node_code(int code, int wanted, const char *call)
{
    const char *text = code < 0 ? PAPI_strerror(code) : NULL;
    return node_check(code == wanted, "%s = %d%s%s%s", call, code, text ? " (" : "", text ? text : "",
                      text ? ")" : "");
}
#define CODE(call, wanted) node_code((call), (wanted), #call)

/* A call without which the rest makes no sense. */
#define NEED(call)                                                                                           \
    do {                                                                                                     \
        int need_code = (call);                                                                              \
        if (need_code != PAPI_OK) {                                                                          \
            node_code(need_code, PAPI_OK, #call);                                                            \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

__attribute__((unused)) static void node_init(void)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        node_code(version, PAPI_VER_CURRENT, "PAPI_library_init(PAPI_VER_CURRENT)");
        exit(1);
    }
}

/* A new event set with the named events, up to NULL. */
__attribute__((unused)) static int node_set(const char *const *names)
{
    int es = PAPI_NULL;
    NEED(PAPI_create_eventset(&es));
    for (; *names; names++) {
        int code = PAPI_add_named_event(es, *names);

        if (code != PAPI_OK) {
            node_check(0, "add %s = %d (%s)", *names, code, PAPI_strerror(code));
            exit(1);
        }
    }
    return es;
}
#define NODE_SET(...) node_set((const char *const[]){__VA_ARGS__, NULL})

__attribute__((unused)) static void node_inherit(int es)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.inherit.eventset = es;
    option.inherit.inherit = PAPI_INHERIT_ALL;
    NEED(PAPI_set_opt(PAPI_INHERIT, &option));
}

__attribute__((unused)) static void node_on_first_cpu(int es)
{
    PAPI_option_t option;
    memset(&option, 0, sizeof option);
    option.cpu.eventset = es;
    NEED(PAPI_set_opt(PAPI_CPU_ATTACH, &option));
}

__attribute__((unused)) static void node_drop(int es)
{
    NEED(PAPI_cleanup_eventset(es));
    NEED(PAPI_destroy_eventset(&es));
}

__attribute__((unused)) static int node_test_end(void)
{
    printf("%s\n", node_test_failures ? "FAILED" : "passed");
    return node_test_failures ? 1 : 0;
}
