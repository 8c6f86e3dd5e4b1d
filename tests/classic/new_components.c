/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 5 to 7: components, and the events of each.
 */
#include "program.h"

static void info(void)
{
    int cid, n = PAPI_num_components();
    CHECK(n >= 1);
    for (cid = 0; cid < n; cid++) {
        const PAPI_component_info_t *cmpinfo = PAPI_get_component_info(cid);
        PAPI_option_t options;
        int i;

        CHECK(cmpinfo != NULL);
        printf("%-20s %s%s\n", cmpinfo->name, cmpinfo->disabled ? "disabled: " : "",
               cmpinfo->disabled_reason);
        CHECK(cmpinfo->CmpIdx == cid && PAPI_get_component_index(cmpinfo->name) == cid);
        CHECK(strlen(cmpinfo->short_name) < PAPI_MIN_STR_LEN && strlen(cmpinfo->description) > 0);
        CHECK(strlen(cmpinfo->version) < PAPI_MIN_STR_LEN);
        CHECK(strlen(cmpinfo->support_version) < PAPI_MIN_STR_LEN);
        CHECK(strlen(cmpinfo->kernel_version) < PAPI_MIN_STR_LEN);
        CHECK((cmpinfo->disabled != 0) == (strlen(cmpinfo->disabled_reason) > 0));
        CHECK((cmpinfo->partially_disabled != 0) == (strlen(cmpinfo->partially_disabled_reason) > 0));
        CHECK(cmpinfo->num_cntrs == PAPI_num_cmp_hwctrs(cid));
        CHECK(cmpinfo->num_mpx_cntrs >= cmpinfo->num_cntrs || cmpinfo->num_mpx_cntrs == 0);
        CHECK(cmpinfo->num_preset_events >= 0 && cmpinfo->num_native_events >= 0);
        CHECK((cmpinfo->available_domains & cmpinfo->default_domain) == cmpinfo->default_domain);
        CHECK((cmpinfo->available_granularities & cmpinfo->default_granularity) ==
              cmpinfo->default_granularity);
        CHECK(cmpinfo->hardware_intr_sig >= 0 && cmpinfo->component_type >= 0);
        CHECK(cmpinfo->hardware_intr + cmpinfo->precise_intr + cmpinfo->posix1b_timers <= 3);
        CHECK(cmpinfo->kernel_profile + cmpinfo->kernel_multiplex + cmpinfo->fast_counter_read <= 3);
        CHECK(cmpinfo->fast_real_timer + cmpinfo->fast_virtual_timer + cmpinfo->attach <= 3);
        CHECK(cmpinfo->attach_must_ptrace + cmpinfo->cntr_umasks + cmpinfo->cpu + cmpinfo->inherit <= 4);
        CHECK(cmpinfo->initialized == 0 || cmpinfo->initialized == 1);
        for (i = 0; i < PAPI_PMU_MAX && cmpinfo->pmu_names[i] != NULL; i++)
            CHECK(strlen(cmpinfo->pmu_names[i]) > 0);
        memset(&options, 0, sizeof options);
        CHECK(PAPI_get_cmp_opt(PAPI_COMPONENTINFO, &options, cid) >= PAPI_OK);
        CHECK(strcmp(options.cmp_info->name, cmpinfo->name) == 0);
        CHECK(PAPI_get_cmp_opt(PAPI_MAX_HWCTRS, NULL, cid) == cmpinfo->num_cntrs);
    }
    CHECK(PAPI_get_component_info(n) == NULL && PAPI_get_component_info(-1) == NULL);
    CODE(PAPI_get_component_index("nonsense"), PAPI_ENOCMP);
}

/* Every native event of every component, with its masks, as listing tools step through them. */
static void enumerate(void)
{
    int cid, found = 0;
    for (cid = 0; cid < PAPI_num_components(); cid++) {
        int code = PAPI_NATIVE_MASK, retval, n = 0;

        if (PAPI_get_component_info(cid)->disabled)
            continue;
        retval = PAPI_enum_cmp_event(&code, PAPI_ENUM_FIRST, cid);
        while (retval == PAPI_OK && n++ < 50) {
            PAPI_event_info_t event;
            char name[PAPI_MAX_STR_LEN];
            int mask = code, again = 0, masks = 0;

            CHECK(PAPI_get_event_component(code) == cid);
            OK(PAPI_get_event_info(code, &event));
            CHECK(event.event_code == (unsigned int)code && event.component_index == cid);
            CHECK(event.data_type == PAPI_DATATYPE_INT64 || event.data_type == PAPI_DATATYPE_UINT64);
            CHECK(event.value_type == PAPI_VALUETYPE_RUNNING_SUM ||
                  event.value_type == PAPI_VALUETYPE_ABSOLUTE);
            CHECK(event.num_quals >= 0);
            CHECK(strlen(event.units) < PAPI_MIN_STR_LEN && strlen(event.symbol) > 0);
            if (PAPI_event_code_to_name(code, name) == PAPI_OK) {
                OK(PAPI_event_name_to_code(name, &again));
                CHECK(again == code);
            }
            while (PAPI_enum_cmp_event(&mask, PAPI_NTV_ENUM_UMASKS, cid) == PAPI_OK && masks++ < 10)
                OK(PAPI_get_event_info(mask, &event));
            retval = PAPI_enum_cmp_event(&code, PAPI_ENUM_EVENTS, cid);
        }
        found += n;
    }
    CHECK(found > 0);
}

static void assign(void)
{
    int es = PAPI_NULL, cid = PAPI_get_event_component(PAPI_FP_OPS);
    long long values[1] = {-1};
    PAPI_option_t options;
    CHECK(cid >= 0);
    OK(PAPI_set_cmp_domain(PAPI_DOM_USER, cid));
    OK(PAPI_set_cmp_granularity(PAPI_GRN_THR, cid));
    CHECK(PAPI_get_cmp_opt(PAPI_DEFDOM, NULL, cid) == PAPI_DOM_USER);
    CHECK(PAPI_get_cmp_opt(PAPI_DEFGRN, NULL, cid) == PAPI_GRN_THR);
    memset(&options, 0, sizeof options);
    options.defdomain.def_cidx = cid;
    options.defdomain.domain = PAPI_DOM_USER;
    OK(PAPI_set_opt(PAPI_DEFDOM, &options));
    OK(PAPI_create_eventset(&es));
    OK(PAPI_assign_eventset_component(es, cid));
    CHECK(PAPI_get_eventset_component(es) == cid);
    OK(PAPI_add_named_event(es, "PAPI_FP_OPS"));
    OK(PAPI_start(es));
    do_100events();
    OK(PAPI_stop(es, values));
    CHECK(near_to(values[0], 100));
    OK(PAPI_remove_named_event(es, "PAPI_FP_OPS"));
    OK(PAPI_destroy_eventset(&es));
}

int main(void)
{
    int cid;
    need_events();
    info();
    enumerate();
    assign();
    PAPI_shutdown();
    /* Switched off before the library starts: nothing can be counted by it. */
    OK(PAPI_disable_component_by_name("perf_event"));
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    cid = PAPI_get_component_index("perf_event");
    CHECK(cid >= 0 && PAPI_get_component_info(cid)->disabled != 0);
    PAPI_shutdown();
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    CHECK(PAPI_disable_component(cid) == PAPI_ENOINIT);
    PAPI_shutdown();
    return 0;
}
