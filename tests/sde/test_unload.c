/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Libraries that are loaded by dlopen and unloaded again, and copies of libsde in several of them: arguments
 * are the libraries that do not unregister their events, that do, and that has libsde in itself.
 */
#include "events.h"

#include <dlfcn.h>

static char **library;

static void step(void *object)
{
    void (*plugin_step)(void);
    void *symbol = dlsym(object, "plugin_step");
    assert_non_null(symbol);
    memcpy(&plugin_step, &symbol, sizeof symbol);
    plugin_step();
}

static void check_unloaded(const char *file, const char *event)
{
    long long value;
    char name[64];
    void *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        fail_msg("%s", dlerror());
    snprintf(name, sizeof name, "sde:::%s::loads", event);
    int es = set_of_one(name);
    snprintf(name, sizeof name, "sde:::%s::level", event);
    OK(PAPI_add_named_event(es, name));
    OK(PAPI_start(es));
    step(object);
    long long values[2];
    OK(PAPI_read(es, values));
    EQUAL(values[0], 5);
    assert_float_equal(real_of(values[1]), 1.0, 0);
    assert_int_equal(dlclose(object), 0);
    OK(PAPI_read(es, values));
    EQUAL(values[0], 5);
    OK(PAPI_stop(es, values));
    EQUAL(values[0], 5);
    assert_float_equal(real_of(values[1]), 1.0, 0);
    (void)value;
}

static void does_not_unregister(void **state)
{
    (void)state;
    check_unloaded(library[1], "careless");
}

static void unregisters(void **state)
{
    (void)state;
    check_unloaded(library[2], "clean");
}

static void has_libsde_in_itself(void **state)
{
    (void)state;
    check_unloaded(library[3], "inside");
}

/* All copies have one registry: what one of them registered, another finds. */
static void one_registry(void **state)
{
    typedef void *init(const char *);
    void *handle[2];
    const int index[2] = {1, 3};
    (void)state;
    for (int i = 0; i < 2; i++) {
        void *object = dlopen(library[index[i]], RTLD_NOW | RTLD_LOCAL);
        assert_non_null(object);
        void *symbol = dlsym(object, "papi_sde_init");
        init *of_this_copy;
        assert_non_null(symbol);
        memcpy(&of_this_copy, &symbol, sizeof symbol);
        handle[i] = of_this_copy("shared");
        assert_non_null(handle[i]);
    }
    assert_ptr_equal(handle[0], handle[1]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_LIBRARY(has_libsde_in_itself),
        IN_LIBRARY(does_not_unregister),
        IN_LIBRARY(unregisters),
        IN_LIBRARY(one_registry),
    };
    library = argv;
    return argc == 4 ? TEST_RUN(tests) : 2;
}
