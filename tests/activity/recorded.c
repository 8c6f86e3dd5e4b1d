/* SPDX-License-Identifier: BSD-3-Clause */
#include "recorded.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct recorded recorded;

static void see_launch(uint64_t launch, bool again)
{
    assert_true(recorded.n_launches < 8);
    recorded.launch[recorded.n_launches] = launch;
    recorded.again[recorded.n_launches++] = again;
}

static void see_work(const struct device_work *work)
{
    assert_true(recorded.n_work < 16);
    snprintf(recorded.name[recorded.n_work], sizeof recorded.name[0], "%s", work->name);
    recorded.work[recorded.n_work++] = *work;
}

const struct device_watcher recorded_watcher = {see_launch, see_work};

void *recorded_symbol(const char *name)
{
    void *address = dlsym(recorded.vendor, name);
    assert_non_null(address);
    return address;
}

void recorded_load(const char *vendor)
{
    void *library = dlopen(ACTIVITY_LIBRARY, RTLD_NOW);
    assert_non_null(library);
    device_activity_function *function;
    *(void **)&function = dlsym(library, DEVICE_ACTIVITY_FUNCTION);
    assert_non_null(function);
    assert_null(function(DEVICE_ACTIVITY_VERSION + 1));
    recorded.library = function(DEVICE_ACTIVITY_VERSION);
    assert_non_null(recorded.library);
    if (vendor == NULL)
        return;
    recorded.vendor = dlopen(vendor, RTLD_NOW);
    assert_non_null(recorded.vendor);
    *(void **)&recorded.give = dlsym(recorded.vendor, "double_gives_work");
    *(void **)&recorded.call = dlsym(recorded.vendor, "double_calls_of");
}

void recorded_start(const char *vendor)
{
    struct reason why = {0};
    if (recorded.library == NULL)
        recorded_load(vendor);
    if (recorded.library->start(NULL, &why) != PAPI_OK)
        fail_msg("%s", why.text);
    assert_int_equal(recorded.library->watch(&recorded_watcher, ACTIVITY_VENDORS, &why), PAPI_OK);
}

void recorded_refused(int code, const char *part)
{
    struct reason why = {0};
    assert_int_equal(recorded.library->start(NULL, &why), code);
    if (strstr(why.text, part) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", why.text, part);
    assert_true(recorded.library->mark(0));
    assert_int_equal(recorded_settle(true), 0);
}

static void tell(void *to, int device, uint64_t of, struct busy_time time)
{
    assert_ptr_equal(to, &recorded);
    assert_true(of < RECORDED_MARKS);
    recorded.told[device][of] = time;
    recorded.n_told++;
}

int recorded_settle(bool all)
{
    struct reason why = {0};
    const struct device_activity *device;
    if (recorded.library->settle(all, tell, &recorded, &why) != PAPI_OK)
        fail_msg("%s", why.text);
    return recorded.library->devices(&device);
}

const struct device_activity *recorded_device(int i)
{
    const struct device_activity *device;
    assert_true(i < recorded.library->devices(&device));
    return &device[i];
}

void recorded_alone(void (*test)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        test();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
