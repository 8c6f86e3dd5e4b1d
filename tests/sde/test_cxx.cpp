/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The objects of sde_lib.hpp.
 */
#include "papi.h"
#include "sde_lib.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

static void equal(long long got, long long wanted, const char *what)
{
    if (got == wanted)
        return;
    std::printf("%s: %lld, not %lld\n", what, got, wanted);
    std::exit(1);
}

static long long twice(long long *number)
{
    return 2 * *number;
}

int main()
{
    using namespace papi_sde;
    static long long number = 5;
    static double level = 0.5;
    PapiSde library("cxx");
    equal(library.register_counter("number", PAPI_SDE_RO | PAPI_SDE_DELTA, number), SDE_OK, "register");
    equal(library.register_counter("level", PAPI_SDE_RO | PAPI_SDE_INSTANT, level), SDE_OK, "register level");
    equal(library.register_counter_cb("twice", PAPI_SDE_RO | PAPI_SDE_INSTANT, twice, number), SDE_OK, "callback");
    equal(library.describe_counter("number", "A number"), SDE_OK, "describe");
    PapiSde::CreatedCounter *steps = library.create_counter("steps", PAPI_SDE_DELTA);
    PapiSde::Recorder *sizes = library.create_recorder("sizes", sizeof(int), papi_sde_compare_int);
    PapiSde::CountingSet *set = library.create_counting_set("set");
    equal(library.create_counter("number", PAPI_SDE_DELTA) == nullptr, 1, "a name that is in use");
    equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT, "PAPI_library_init");

    static const char *const names[] = {"number", "level", "twice", "steps", "sizes:MAX", "set"};
    int es = PAPI_NULL;
    long long value[6];
    equal(PAPI_create_eventset(&es), PAPI_OK, "PAPI_create_eventset");
    for (const char *name : names) {
        char event[64];
        std::snprintf(event, sizeof event, "sde:::cxx::%s", name);
        equal(PAPI_add_named_event(es, event), PAPI_OK, event);
    }
    equal(PAPI_start(es), PAPI_OK, "PAPI_start");
    number += 4;
    level = 0.75;
    ++*steps;
    *steps += 10;
    --*steps;
    for (int size : {3, 9, 6}) {
        equal(sizes->record(size), SDE_OK, "record");
        equal(set->insert(size, 1), SDE_OK, "insert");
    }
    equal(PAPI_stop(es, value), PAPI_OK, "PAPI_stop");
    equal(value[0], 4, "number");
    equal(GET_DOUBLE_SDE(value[1]) == 0.75, 1, "level");
    equal(value[2], 18, "twice");
    equal(value[3], 10, "steps");
    equal(*GET_SDE_RECORDER_ADDRESS(value[4], int), 9, "the maximum");
    int elements = 0;
    for (const cset_list_object_t *node = GET_SDE_RECORDER_ADDRESS(value[5], cset_list_object_t); node != nullptr;
         node = node->next)
        elements++;
    equal(elements, 3, "elements");
    equal(library.unregister_counter("number"), SDE_OK, "unregister");
    delete steps;
    delete sizes;
    delete set;
    std::puts("ok");
    return 0;
}
