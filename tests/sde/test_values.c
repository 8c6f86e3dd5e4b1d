/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Software-defined events of every type and mode, through the interface.
 */
#include "events.h"
#include "sde_lib.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

static papi_handle_t handle;

static void show(const char *event, int mode, int type, void *counter)
{
    assert_int_equal(papi_sde_register_counter(handle, event, mode, type, counter), SDE_OK);
}

static long long twice(void *param)
{
    return 2 * *(long long *)param;
}

static void differences_and_levels(void **state)
{
    static long long big = 1LL << 40;
    static int small = -7;
    long long value[4];
    int es = PAPI_NULL;
    (void)state;
    show("big", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &big);
    show("small", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_int, &small);
    show("big_now", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &big);
    assert_int_equal(papi_sde_register_counter_cb(handle, "twice", PAPI_SDE_RO | PAPI_SDE_DELTA,
                                                  PAPI_SDE_long_long, twice, &big),
                     SDE_OK);
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, "sde:::values::big"));
    OK(PAPI_add_named_event(es, "sde:::values::small"));
    OK(PAPI_add_named_event(es, "sde:::values::big_now"));
    OK(PAPI_add_named_event(es, "sde:::values::twice"));
    OK(PAPI_start(es));
    big += 5, small -= 3;
    OK(PAPI_read(es, value));
    EQUAL(value[0], 5), EQUAL(value[1], -3), EQUAL(value[2], (1LL << 40) + 5), EQUAL(value[3], 10);
    OK(PAPI_reset(es));
    big += 2;
    OK(PAPI_stop(es, value));
    EQUAL(value[0], 2), EQUAL(value[1], 0), EQUAL(value[2], (1LL << 40) + 7), EQUAL(value[3], 4);
    big += 1000; /* not counted while it is stopped */
    OK(PAPI_read(es, value));
    EQUAL(value[0], 2), EQUAL(value[2], (1LL << 40) + 7);
    OK(PAPI_start(es));
    big++;
    OK(PAPI_stop(es, value));
    EQUAL(value[0], 1), EQUAL(value[2], (1LL << 40) + 1008);
}

/* A level stays when another event leaves the set: its counter is opened anew. */
static void a_level_stays_when_another_event_goes(void **state)
{
    static long long full = 12;
    long long value[2];
    int es = PAPI_NULL;
    (void)state;
    show("full", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &full);
    show("fills", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &full);
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, "sde:::values::fills"));
    OK(PAPI_add_named_event(es, "sde:::values::full"));
    OK(PAPI_start(es));
    full = 20;
    OK(PAPI_stop(es, value));
    EQUAL(value[0], 8), EQUAL(value[1], 20);
    full = 30;
    OK(PAPI_remove_named_event(es, "sde:::values::fills"));
    OK(PAPI_read(es, value));
    EQUAL(value[0], 20);
    OK(PAPI_start(es));
    OK(PAPI_stop(es, value));
    EQUAL(value[0], 30);
    test_drop(es);
}

static void real_numbers(void **state)
{
    static double time = 0.25;
    static float part = 1.5F;
    long long value[3], sum[3] = {0, 0, 0};
    int es = PAPI_NULL;
    (void)state;
    show("time", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &time);
    show("part", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_float, &part);
    show("time_now", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, &time);
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_named_event(es, "sde:::values::time"));
    OK(PAPI_add_named_event(es, "sde:::values::part"));
    OK(PAPI_add_named_event(es, "sde:::values::time_now"));
    OK(PAPI_start(es));
    time += 2.5, part += 0.5F;
    OK(PAPI_read(es, value));
    assert_float_equal(GET_DOUBLE_SDE(value[0]), 2.5, 0);
    assert_float_equal(GET_FLOAT_SDE(value[1]), 0.5, 0);
    assert_float_equal(GET_DOUBLE_SDE(value[2]), 2.75, 0);
    OK(PAPI_accum(es, sum));
    time += 1;
    sum[2] = 0;
    OK(PAPI_accum(es, sum));
    assert_float_equal(real_of(sum[0]), 3.5, 0);
    assert_float_equal(real_of(sum[2]), 3.75, 0);
    time += 0.125;
    OK(PAPI_reset(es));
    time += 0.5;
    OK(PAPI_stop(es, value));
    assert_float_equal(real_of(value[0]), 0.5, 0);
    assert_float_equal(real_of(value[1]), 0, 0);
}

static void what_an_event_is(void **state)
{
    static double level = 1;
    PAPI_event_info_t info;
    int code;
    (void)state;
    show("level", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_double, &level);
    OK(PAPI_event_name_to_code("sde:::values::level", &code));
    OK(PAPI_get_event_info(code, &info));
    assert_string_equal(info.long_descr, "values::level");
    assert_int_equal(papi_sde_describe_counter(handle, "level", "How full it is"), SDE_OK);
    OK(PAPI_get_event_info(code, &info));
    assert_string_equal(info.symbol, "sde:::values::level");
    assert_string_equal(info.long_descr, "How full it is");
    EQUAL(info.data_type, PAPI_DATATYPE_FP64);
    EQUAL(info.value_type, PAPI_VALUETYPE_ABSOLUTE);
    EQUAL(info.component_index, PAPI_get_component_index("sde"));
    assert_int_equal(papi_sde_describe_counter(handle, "nothing", "?"), SDE_EINVAL);
}

/* Regions leave real numbers out: their differences and sums would be those of the bits. */
static void regions_leave_real_numbers_out(void **state)
{
    static double seconds = 1;
    static long long turns;
    char folder[] = "/tmp/papi_sde_XXXXXX", command[128], text[4096] = "";
    (void)state;
    assert_non_null(mkdtemp(folder));
    setenv("PAPI_OUTPUT_DIRECTORY", folder, 1);
    setenv("PAPI_EVENTS", "sde:::values::seconds,sde:::values::turns", 1);
    show("seconds", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_double, &seconds);
    show("turns", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &turns);
    OK(PAPI_hl_region_begin("work"));
    seconds += 0.5, turns += 3;
    OK(PAPI_hl_region_end("work"));
    OK(PAPI_hl_stop());
    snprintf(command, sizeof command, "cat %s/*/*.json && rm -r %s", folder, folder);
    FILE *output = popen(command, "r");
    assert_non_null(output);
    assert_true(fread(text, 1, sizeof text - 1, output) > 0);
    assert_int_equal(pclose(output), 0);
    assert_non_null(strstr(text, "\"sde:::values::turns\": \"3\""));
    assert_null(strstr(text, "\"sde:::values::seconds\": {"));
    const char *reason = strstr(text, "\"events_not_counted\"");
    assert_non_null(reason);
    assert_non_null(strstr(reason, "sde:::values::seconds\": "));
    assert_non_null(strstr(reason, "its values are real numbers"));
    unsetenv("PAPI_EVENTS");
    unsetenv("PAPI_OUTPUT_DIRECTORY");
}

static void set_by_PAPI_write(void **state)
{
    static long long limit = 10;
    static double share = 0.5;
    static long long fixed = 1;
    long long value[2];
    (void)state;
    show("limit", PAPI_SDE_RW | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &limit);
    show("share", PAPI_SDE_RW | PAPI_SDE_INSTANT, PAPI_SDE_double, &share);
    show("fixed", PAPI_SDE_RO | PAPI_SDE_INSTANT, PAPI_SDE_long_long, &fixed);
    int es = set_of_one("sde:::values::limit");
    OK(PAPI_add_named_event(es, "sde:::values::share"));
    OK(PAPI_start(es));
    double quarter = 0.25;
    value[0] = 20;
    memcpy(&value[1], &quarter, sizeof quarter);
    OK(PAPI_write(es, value));
    EQUAL(limit, 20);
    assert_float_equal(share, 0.25, 0);
    OK(PAPI_stop(es, value));
    EQUAL(value[0], 20);
    es = set_of_one("sde:::values::fixed");
    OK(PAPI_start(es));
    value[0] = 5;
    REFUSES(PAPI_write(es, value), PAPI_ECMP, "PAPI_SDE_RW");
    EQUAL(fixed, 1);
    OK(PAPI_stop(es, value));
}

/* ---- libsde's own counters */

static void created_counters(void **state)
{
    void *counter = NULL, *again = NULL;
    long long value;
    (void)state;
    assert_int_equal(papi_sde_create_counter(handle, "steps", PAPI_SDE_DELTA, &counter), SDE_OK);
    assert_int_equal(papi_sde_create_counter(handle, "steps", PAPI_SDE_DELTA, &again), SDE_OK);
    assert_ptr_equal(counter, again);
    assert_ptr_equal(papi_sde_get_counter_handle(handle, "steps"), counter);
    assert_null(papi_sde_get_counter_handle(handle, "nothing"));
    papi_sde_inc_counter(counter, 7);
    int es = set_of_one("sde:::values::steps");
    OK(PAPI_start(es));
    assert_int_equal(papi_sde_inc_counter(counter, 3), SDE_OK);
    papi_sde_disable(handle);
    assert_int_equal(papi_sde_inc_counter(counter, 100), SDE_OK);
    papi_sde_enable(handle);
    OK(PAPI_read(es, &value));
    EQUAL(value, 3);
    assert_int_equal(papi_sde_reset_counter(counter), SDE_OK);
    OK(PAPI_read(es, &value));
    EQUAL(value, -7);
    assert_int_equal(papi_sde_unregister_counter(handle, "steps"), SDE_OK);
    assert_int_equal(papi_sde_inc_counter(counter, 1), SDE_EINVAL);
    OK(PAPI_stop(es, &value));
    EQUAL(value, -7);
}

static void groups(void **state)
{
    static long long a = 3, b = 5, c = -9;
    static double x = 1.5, y = 0.5, huge = 1e300;
    (void)state;
    show("a", PAPI_SDE_DELTA, PAPI_SDE_long_long, &a);
    show("b", PAPI_SDE_DELTA, PAPI_SDE_long_long, &b);
    show("c", PAPI_SDE_INSTANT, PAPI_SDE_long_long, &c);
    show("x", PAPI_SDE_INSTANT, PAPI_SDE_double, &x);
    show("y", PAPI_SDE_INSTANT, PAPI_SDE_double, &y);
    const char *const member[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(papi_sde_add_counter_to_group(handle, member[i], "sum", PAPI_SDE_SUM), SDE_OK);
        assert_int_equal(papi_sde_add_counter_to_group(handle, member[i], "max", PAPI_SDE_MAX), SDE_OK);
        assert_int_equal(papi_sde_add_counter_to_group(handle, member[i], "min", PAPI_SDE_MIN), SDE_OK);
    }
    assert_int_equal(papi_sde_add_counter_to_group(handle, "x", "xy", PAPI_SDE_SUM), SDE_OK);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "y", "xy", PAPI_SDE_SUM), SDE_OK);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "max", "of_groups", PAPI_SDE_SUM), SDE_OK);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "min", "of_groups", PAPI_SDE_SUM), SDE_OK);
    EQUAL(level_of("sde:::values::sum"), -1);
    EQUAL(level_of("sde:::values::max"), 5);
    EQUAL(level_of("sde:::values::min"), -9);
    EQUAL(level_of("sde:::values::of_groups"), -4);
    assert_float_equal(real_of(level_of("sde:::values::xy")), 2.0, 0);
    a = 100;
    EQUAL(level_of("sde:::values::max"), 100);
    papi_sde_unregister_counter(handle, "a");
    EQUAL(level_of("sde:::values::max"), 5);
    /* Registered anew as another type, and beyond the one that the group has. */
    papi_sde_unregister_counter(handle, "b");
    show("b", PAPI_SDE_INSTANT, PAPI_SDE_double, &huge);
    EQUAL(level_of("sde:::values::max"), LLONG_MAX);
    huge = NAN;
    EQUAL(level_of("sde:::values::max"), 0);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "of_groups", "max", PAPI_SDE_MAX), SDE_EINVAL);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "max", "max", PAPI_SDE_MAX), SDE_EINVAL);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "b", "sum", PAPI_SDE_MAX), SDE_EINVAL);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "x", "sum", PAPI_SDE_SUM), SDE_EINVAL);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "nothing", "sum", PAPI_SDE_SUM), SDE_EINVAL);
    assert_int_equal(papi_sde_add_counter_to_group(handle, "b", "sum", 3), SDE_EINVAL);
    assert_int_equal(papi_sde_unregister_counter(handle, "max"), SDE_OK);
    EQUAL(level_of("sde:::values::of_groups"), -9);
    int es = set_of_one("sde:::values::of_groups");
    OK(PAPI_start(es));
    assert_int_equal(papi_sde_unregister_counter(handle, "of_groups"), SDE_OK);
    long long value;
    OK(PAPI_stop(es, &value));
    EQUAL(value, -9);
}

static int quantile(const char *event)
{
    const int *element = GET_SDE_RECORDER_ADDRESS(level_of(event), const int);
    return element != NULL ? *element : -1;
}

/* Records a permutation of 1 to n: element k of the sorted data is k + 1. */
static void check_quantiles(void *recorder, int n)
{
    assert_int_equal(papi_sde_reset_recorder(recorder), SDE_OK);
    for (int i = 0; i < n; i++) {
        int value = (int)((i * 7919LL + 13) % n) + 1; /* 7919 is prime, and n below it */
        assert_int_equal(papi_sde_record(recorder, sizeof value, &value), SDE_OK);
    }
    EQUAL(level_of("sde:::values::sizes:CNT"), n);
    EQUAL(quantile("sde:::values::sizes:MIN"), 1);
    EQUAL(quantile("sde:::values::sizes:Q1"), n / 4 + 1);
    EQUAL(quantile("sde:::values::sizes:MED"), n / 2 + 1);
    EQUAL(quantile("sde:::values::sizes:Q3"), 3 * n / 4 + 1);
    EQUAL(quantile("sde:::values::sizes:MAX"), n);
    int *element = GET_SDE_RECORDER_ADDRESS(level_of("sde:::values::sizes"), int);
    for (int i = 0; i < n; i++)
        EQUAL(element[i], (int)((i * 7919LL + 13) % n) + 1);
    free(element);
}

/* Each reading gives other memory, as much as there is; a start takes none. */
static void results_are_the_readers(void *recorder)
{
    int es = set_of_one("sde:::values::sizes"), n = 0, one = 1;
    long long value[20];
    for (int round = 0; round < 2; round++) {
        assert_int_equal(papi_sde_record(recorder, sizeof one, &one), SDE_OK);
        OK(PAPI_start(es));
        for (n = 0; n < 17; n++)
            OK(PAPI_read(es, &value[n]));
        OK(PAPI_stop(es, &value[n]));
        for (n = 0; n < 16; n++) {
            for (int i = 0; i < n; i++)
                CHECK(value[i] != value[n]);
            EQUAL(*GET_SDE_RECORDER_ADDRESS(value[n], int), 13 % 5000 + 1);
        }
        EQUAL(value[16], 0);
        for (n = 0; n < 16; n++)
            free(GET_SDE_RECORDER_ADDRESS(value[n], int));
    }
    OK(PAPI_cleanup_eventset(es));
}

static void recorders(void **state)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 8, 9, 63, 64, 65, 1000, 5000};
    void *recorder = NULL, *plain = NULL;
    double real = 1;
    (void)state;
    assert_int_equal(papi_sde_create_recorder(handle, "sizes", sizeof(int), papi_sde_compare_int, &recorder),
                     SDE_OK);
    EQUAL(level_of("sde:::values::sizes"), 0);
    EQUAL(level_of("sde:::values::sizes:MED"), 0);
    EQUAL(level_of("sde:::values::sizes:CNT"), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_quantiles(recorder, sizes[i]);
    results_are_the_readers(recorder);
    assert_int_equal(papi_sde_record(recorder, sizeof real, &real), SDE_EINVAL);
    assert_int_equal(papi_sde_create_recorder(handle, "plain", 8, NULL, &plain), SDE_OK);
    int code;
    OK(PAPI_event_name_to_code("sde:::values::plain:CNT", &code));
    CODE(PAPI_event_name_to_code("sde:::values::plain:MED", &code), PAPI_ENOEVNT);
    assert_int_equal(papi_sde_unregister_counter(handle, "sizes:MED"), SDE_EINVAL);
    int es = set_of_one("sde:::values::sizes:MED");
    OK(PAPI_start(es));
    assert_int_equal(papi_sde_unregister_counter(handle, "sizes"), SDE_OK);
    assert_int_equal(papi_sde_record(recorder, sizeof(int), &code), SDE_EINVAL);
    long long value;
    OK(PAPI_stop(es, &value));
    EQUAL(value, 0);
}

static void counting_sets(void **state)
{
    struct {
        int key;
        char text[12];
    } element[] = {{1, "one"}, {2, "two"}, {1, "uno"}, {3, "three"}, {1, "ein"}};
    void *set = NULL;
    int seen = 0;
    (void)state;
    assert_int_equal(papi_sde_create_counting_set(handle, "blocks", &set), SDE_OK);
    EQUAL(level_of("sde:::values::blocks"), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(papi_sde_counting_set_insert(set, sizeof *element, sizeof(int), &element[i], 9),
                         SDE_OK);
    assert_int_equal(papi_sde_counting_set_insert(set, sizeof *element, sizeof(int), &element[0], 4), SDE_OK);
    assert_int_equal(papi_sde_counting_set_remove(set, sizeof(int), &element[1], 9), SDE_OK);
    assert_int_equal(papi_sde_counting_set_remove(set, sizeof(int), &element[1], 9), SDE_ENOEVNT);
    const cset_list_object_t *list =
        GET_SDE_RECORDER_ADDRESS(level_of("sde:::values::blocks"), const cset_list_object_t);
    papi_sde_counting_set_remove(set, sizeof(int), &element[3], 9); /* the list is a copy */
    for (; list != NULL; list = list->next, seen++) {
        int key;
        memcpy(&key, list->ptr, sizeof key);
        EQUAL(list->type_size, sizeof *element);
        EQUAL(list->count, key == 1 && list->type_id == 9 ? 3 : 1);
        CHECK(key == 1 || (key == 3 && list->type_id == 9));
        CHECK(strcmp((const char *)list->ptr + sizeof key, key == 1 ? "one" : "three") == 0);
    }
    EQUAL(seen, 3);
    assert_int_equal(papi_sde_counting_set_insert(set, 4, 8, element, 0), SDE_EINVAL);
    assert_int_equal(papi_sde_unregister_counter(handle, "blocks"), SDE_OK);
    assert_int_equal(papi_sde_counting_set_insert(set, 4, 4, element, 0), SDE_EINVAL);
}

/* ---- coming and going */

static int listed(const char *name)
{
    int code = PAPI_NATIVE_MASK, found = 0, component = PAPI_get_component_index("sde");
    char symbol[PAPI_MAX_STR_LEN];
    for (int more = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, component); more == PAPI_OK;
         more = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, component))
        found += PAPI_event_code_to_name(code, symbol) == PAPI_OK && strcmp(symbol, name) == 0;
    return found;
}

static void found_after_the_list_was_read(void **state)
{
    static long long late = 1, other = 50;
    long long value;
    int before, code;
    (void)state;
    show("early", PAPI_SDE_DELTA, PAPI_SDE_long_long, &other);
    OK(PAPI_event_name_to_code("sde:::values::early", &before));
    REFUSES(PAPI_event_name_to_code("sde:::values::late", &code), PAPI_ENOEVNT, "papi_native_avail");
    EQUAL(listed("sde:::values::late"), 0);
    int events = PAPI_get_component_info(PAPI_get_component_index("sde"))->num_native_events;
    show("late", PAPI_SDE_DELTA, PAPI_SDE_long_long, &late);
    show("LATE", PAPI_SDE_INSTANT, PAPI_SDE_long_long, &other);
    int es = set_of_one("sde:::values::late");
    EQUAL(PAPI_get_component_info(PAPI_get_component_index("sde"))->num_native_events, events + 2);
    EQUAL(listed("sde:::values::late"), 1);
    OK(PAPI_event_name_to_code("sde:::values::early", &code));
    EQUAL(code, before);
    OK(PAPI_start(es));
    late += 4;
    OK(PAPI_stop(es, &value));
    EQUAL(value, 4);
    EQUAL(level_of("sde:::values::LATE"), 50);
}

/* Names have any characters; what nobody has registered yet is there as soon as somebody has. */
static void names_with_spaces(void **state)
{
    static const char name[] = "sde:::a library::set of: all, 2";
    long long value;
    void *set;
    int es = PAPI_NULL, one = 1;
    (void)state;
    OK(PAPI_create_eventset(&es));
    REFUSES(PAPI_add_named_event(es, name), PAPI_ENOEVNT, "yet: ask for it when its library has");
    papi_handle_t library = papi_sde_init("a library");
    assert_int_equal(papi_sde_create_counting_set(library, "set of: all, 2", &set), SDE_OK);
    EQUAL(listed(name), 1);
    OK(PAPI_add_named_event(es, name));
    OK(PAPI_start(es));
    assert_int_equal(papi_sde_counting_set_insert(set, sizeof one, sizeof one, &one, 0), SDE_OK);
    OK(PAPI_stop(es, &value));
    CHECK(value != 0);
    EQUAL(((const cset_list_object_t *)(intptr_t)value)->count, 1);
}

static void last_value_of_what_is_gone(void **state)
{
    static long long first = 5, second = 1000;
    long long value;
    (void)state;
    show("gone", PAPI_SDE_DELTA, PAPI_SDE_long_long, &first);
    int es = set_of_one("sde:::values::gone"), other = PAPI_NULL;
    OK(PAPI_start(es));
    first += 3;
    assert_int_equal(papi_sde_unregister_counter(handle, "gone"), SDE_OK);
    assert_int_equal(papi_sde_unregister_counter(handle, "gone"), SDE_EINVAL);
    first = -1;
    OK(PAPI_read(es, &value));
    EQUAL(value, 3);
    EQUAL(listed("sde:::values::gone"), 0);
    OK(PAPI_create_eventset(&other));
    REFUSES(PAPI_add_named_event(other, "sde:::values::gone"), PAPI_ENOEVNT, "unregistered");
    show("gone", PAPI_SDE_DELTA, PAPI_SDE_long_long, &second);
    OK(PAPI_add_named_event(other, "sde:::values::gone"));
    OK(PAPI_start(other));
    second += 6;
    OK(PAPI_stop(other, &value));
    EQUAL(value, 6);
    OK(PAPI_stop(es, &value));
}

static void end_of_a_library(void **state)
{
    static long long number = 1;
    int code;
    (void)state;
    papi_handle_t library = papi_sde_init("short-lived");
    assert_ptr_equal(papi_sde_init("short-lived"), library);
    papi_sde_register_counter(library, "a", 0, 0, &number);
    papi_sde_register_counter(library, "b", 0, 0, &number);
    EQUAL(listed("sde:::short-lived::a") + listed("sde:::short-lived::b"), 2);
    assert_int_equal(papi_sde_shutdown(library), SDE_OK);
    EQUAL(listed("sde:::short-lived::a") + listed("sde:::short-lived::b"), 0);
    OK(PAPI_event_name_to_code("sde:::short-lived::a", &code));
    CODE(PAPI_query_event(code), PAPI_ENOEVNT);
}

static void wrong_calls(void **state)
{
    static long long number;
    void *made = NULL;
    char long_name[300];
    (void)state;
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(papi_sde_init(NULL));
    assert_null(papi_sde_init(""));
    assert_int_equal(papi_sde_register_counter(handle, NULL, 0, 0, &number), SDE_EINVAL);
    assert_int_equal(papi_sde_register_counter(handle, long_name, 0, 0, &number), SDE_EINVAL);
    assert_int_equal(papi_sde_register_counter(handle, "w", 2, 0, &number), SDE_EINVAL);
    assert_int_equal(papi_sde_register_counter(handle, "w", 0, 4, &number), SDE_EINVAL);
    assert_int_equal(papi_sde_register_counter(handle, "w", 0, 0, NULL), SDE_EINVAL);
    assert_int_equal(papi_sde_register_counter_cb(handle, "w", PAPI_SDE_RW, 0, twice, &number), SDE_ECMP);
    assert_int_equal(papi_sde_register_counter_cb(handle, "w", 0, 0, NULL, &number), SDE_EINVAL);
    assert_int_equal(papi_sde_create_recorder(handle, "w", 0, NULL, &made), SDE_EINVAL);
    show("w", 0, 0, &number);
    assert_int_equal(papi_sde_create_counter(handle, "w", 0, &made), SDE_ECMP);
    assert_int_equal(papi_sde_create_recorder(handle, "w", 8, NULL, &made), SDE_ECMP);
    assert_int_equal(papi_sde_create_counting_set(handle, "w", &made), SDE_ECMP);
    assert_int_equal(papi_sde_inc_counter(papi_sde_get_counter_handle(handle, "w"), 1), SDE_EINVAL);
    /* A library without events goes on without them. */
    assert_int_equal(papi_sde_register_counter(NULL, "w", 0, 0, &number), SDE_OK);
    assert_int_equal(papi_sde_create_counter(NULL, "w", 0, &made), SDE_OK);
    assert_null(made);
    assert_int_equal(papi_sde_inc_counter(made, 1), SDE_OK);
    assert_int_equal(papi_sde_record(made, 8, &number), SDE_OK);
    assert_int_equal(papi_sde_shutdown(NULL), SDE_OK);
}

static _Atomic int overflows;

static void on_overflow(int es, void *address, long long vector, void *context)
{
    (void)es, (void)address, (void)context;
    overflows += vector == 1;
}

/* Overflows by software come by a timer, as for every event that no hardware counts; the loop ends with the
 * first. */
static void overflows_by_software(void **state)
{
    static volatile long long number;
    long long value;
    int code;
    (void)state;
    show("number", 0, 0, (void *)&number);
    int es = set_of_one("sde:::values::number");
    OK(PAPI_event_name_to_code("sde:::values::number", &code));
    OK(PAPI_overflow(es, code, 1000, 0, on_overflow));
    OK(PAPI_start(es));
    while (overflows == 0)
        number++;
    OK(PAPI_stop(es, &value));
    EQUAL(value, number);
}

static int told_of;
static long long told_at[64];

static void on_told(int es, void *address, long long vector, void *context)
{
    (void)context;
    assert_non_null(address);
    assert_int_equal(vector, 1);
    OK(PAPI_read(es, &told_at[told_of++]));
}

/* Each addition that reaches or passes a threshold calls the handler, before it returns. */
static void overflows_of_a_created_counter(void **state)
{
    void *made;
    long long value;
    int code;
    (void)state;
    assert_int_equal(papi_sde_create_counter(handle, "told", PAPI_SDE_DELTA, &made), SDE_OK);
    papi_sde_inc_counter(made, 7);
    int es = set_of_one("sde:::values::told");
    OK(PAPI_event_name_to_code("sde:::values::told", &code));
    OK(PAPI_overflow(es, code, 10, PAPI_OVERFLOW_HARDWARE, on_told));
    OK(PAPI_start(es));
    told_of = 0;
    for (int i = 0; i < 30; i++)
        papi_sde_inc_counter(made, 1);
    papi_sde_inc_counter(made, 25);
    papi_sde_inc_counter(made, -25);
    papi_sde_inc_counter(made, 25);
    papi_sde_inc_counter(made, 5);
    OK(PAPI_stop(es, &value));
    papi_sde_inc_counter(made, 100);
    EQUAL(value, 60);
    assert_int_equal(told_of, 5);
    static const long long at[] = {10, 20, 30, 55, 60};
    for (int i = 0; i < 5; i++)
        EQUAL(told_at[i], at[i]);
    OK(PAPI_overflow(es, code, 0, 0, on_told));
}

static void *add_to_told(void *made)
{
    for (int i = 0; i < 1000; i++)
        papi_sde_inc_counter(made, 1);
    return NULL;
}

/* Whoever adds, it is the thread that counts which is told. */
static void overflows_of_other_threads(void **state)
{
    void *made;
    long long value;
    int code;
    pthread_t thread[4];
    (void)state;
    assert_int_equal(papi_sde_create_counter(handle, "told", PAPI_SDE_DELTA, &made), SDE_OK);
    int es = set_of_one("sde:::values::told");
    OK(PAPI_event_name_to_code("sde:::values::told", &code));
    OK(PAPI_overflow(es, code, 100, PAPI_OVERFLOW_HARDWARE, on_told));
    OK(PAPI_start(es));
    told_of = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, add_to_told, made), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    OK(PAPI_stop(es, &value));
    EQUAL(value, 4000);
    assert_int_equal(told_of, 40);
}

/* A number that libsde does not see change is refused, with the flag that works; a counter reports to one
 * running event set. */
static void overflows_that_are_refused(void **state)
{
    static long long number;
    void *made;
    int code;
    (void)state;
    show("untold", 0, 0, &number);
    int es = set_of_one("sde:::values::untold");
    OK(PAPI_event_name_to_code("sde:::values::untold", &code));
    assert_int_equal(PAPI_overflow(es, code, 10, PAPI_OVERFLOW_HARDWARE, on_told), PAPI_ENOSUPP);
    assert_non_null(strstr(PAPI_strerror(PAPI_ENOSUPP), "PAPI_OVERFLOW_FORCE_SW"));
    OK(PAPI_overflow(es, code, 10, PAPI_OVERFLOW_FORCE_SW, on_told));
    assert_int_equal(papi_sde_create_counter(handle, "told", PAPI_SDE_DELTA, &made), SDE_OK);
    int first = set_of_one("sde:::values::told"), second = set_of_one("sde:::values::told");
    OK(PAPI_event_name_to_code("sde:::values::told", &code));
    OK(PAPI_overflow(first, code, 10, PAPI_OVERFLOW_HARDWARE, on_told));
    OK(PAPI_overflow(second, code, 10, PAPI_OVERFLOW_HARDWARE, on_told));
    OK(PAPI_start(first));
    assert_int_equal(PAPI_start(second), PAPI_ECNFLCT);
    assert_non_null(strstr(PAPI_strerror(PAPI_ECNFLCT), "stop it first"));
    OK(PAPI_stop(first, NULL));
    OK(PAPI_start(second));
    OK(PAPI_stop(second, NULL));
}

static void not_of_another_thread(void **state)
{
    static long long number;
    (void)state;
    show("of_all", 0, 0, &number);
    int es = PAPI_NULL;
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, PAPI_get_component_index("sde")));
    REFUSES(PAPI_attach(es, 1), PAPI_ECMP, "");
}

static int begin_library(void **state)
{
    handle = papi_sde_init("values");
    return handle != NULL ? begin(state) : -1;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_library, end)
    const struct CMUnitTest tests[] = {
        TEST(differences_and_levels),
        TEST(a_level_stays_when_another_event_goes),
        TEST(real_numbers),
        TEST(what_an_event_is),
        TEST(regions_leave_real_numbers_out),
        TEST(set_by_PAPI_write),
        TEST(created_counters),
        TEST(groups),
        TEST(recorders),
        TEST(counting_sets),
        TEST(found_after_the_list_was_read),
        TEST(names_with_spaces),
        TEST(last_value_of_what_is_gone),
        TEST(end_of_a_library),
        TEST(wrong_calls),
        TEST(overflows_by_software),
        TEST(overflows_of_a_created_counter),
        TEST(overflows_of_other_threads),
        TEST(overflows_that_are_refused),
        TEST(not_of_another_thread),
    };
    return TEST_RUN(tests);
}
