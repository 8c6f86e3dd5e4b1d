/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: the pages on events.
 */
#include "program.h"

static void query(void) /* PAPI_query_event */
{
    if (PAPI_query_event(PAPI_TOT_INS) != PAPI_OK) {
        fprintf(stderr, "No instruction counter? How lame.\n");
        exit(1);
    }
    CHECK(PAPI_query_event(PAPI_CSR_FAL) < PAPI_OK);
}

static void names(void) /* PAPI_event_name_to_code, PAPI_event_code_to_name */
{
    int EventCode, EventSet = PAPI_NULL;
    char EventCodeStr[PAPI_MAX_STR_LEN], name[] = "PAPI_TOT_INS";
    OK(PAPI_event_name_to_code(name, &EventCode));
    CHECK(EventCode == PAPI_TOT_INS);
    OK(PAPI_event_code_to_name(EventCode, EventCodeStr));
    CHECK(strcmp(EventCodeStr, "PAPI_TOT_INS") == 0);
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, EventCode));
    CODE(PAPI_event_name_to_code("PAPI_NO_SUCH", &EventCode), PAPI_ENOTPRESET);
    CHECK(PAPI_event_name_to_code("NO_SUCH_EVENT", &EventCode) == PAPI_ENOEVNT);
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
}

static void event_info(void) /* PAPI_get_event_info */
{
    PAPI_event_info_t info;
    int EventCode;
    OK(PAPI_event_name_to_code("PAPI_TOT_INS", &EventCode));
    OK(PAPI_get_event_info(EventCode, &info));
    CHECK(info.event_code == (unsigned int)PAPI_TOT_INS);
    CHECK(strcmp(info.symbol, "PAPI_TOT_INS") == 0);
    CHECK(strlen(info.short_descr) > 0 && strlen(info.long_descr) > 0);
    CHECK(info.count >= 1 && info.count <= PAPI_MAX_INFO_TERMS);
    CHECK(strlen(info.derived) < PAPI_MIN_STR_LEN && strlen(info.postfix) < PAPI_2MAX_STR_LEN);
    CHECK(info.code[0] != 0 && strlen(info.name[0]) > 0);
    CHECK(strlen(info.note) < PAPI_HUGE_STR_LEN && strlen(info.event_note) == strlen(info.note));
}

static void enumerate(void) /* PAPI_enum_event */
{
    PAPI_event_info_t info;
    int i = PAPI_PRESET_MASK, presets = 0, available = 0, natives = 0, retval;
    do {
        retval = PAPI_get_event_info(i, &info);
        if (retval == PAPI_OK) {
            presets++;
            available += info.count > 0;
        }
    } while (PAPI_enum_event(&i, PAPI_ENUM_ALL) == PAPI_OK);
    CHECK(presets > 100 && available >= 4);
    i = PAPI_PRESET_MASK;
    retval = 0;
    while (PAPI_enum_event(&i, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK) {
        OK(PAPI_query_event(i));
        retval++;
    }
    CHECK(retval >= available - 1 && retval <= available); /* the mask is itself a preset */
    i = PAPI_NATIVE_MASK;
    while (PAPI_enum_event(&i, PAPI_ENUM_EVENTS) == PAPI_OK && natives < 20) {
        OK(PAPI_get_event_info(i, &info));
        CHECK(strlen(info.symbol) > 0);
        natives++;
    }
    CHECK(natives > 0);
}

/* PAPI_enum_event: what to ask for, by the processors of the day. They have no such events here. */
static void modifiers(void)
{
    static const int all[] = {PAPI_PENT4_ENUM_GROUPS, PAPI_PENT4_ENUM_COMBOS, PAPI_PENT4_ENUM_BITS,
                              PAPI_ITA_ENUM_IARR,     PAPI_ITA_ENUM_DARR,     PAPI_ITA_ENUM_OPCM,
                              PAPI_ITA_ENUM_IEAR,     PAPI_ITA_ENUM_DEAR,     PAPI_PWR4_ENUM_GROUPS};
    size_t i;

    for (i = 0; i < sizeof all / sizeof *all; i++) {
        int code = PAPI_NATIVE_MASK, retval = PAPI_enum_event(&code, all[i]);

        CHECK(retval <= PAPI_OK);
    }
}

int main(void)
{
    need_events();
    query();
    names();
    event_info();
    enumerate();
    modifiers();
    PAPI_shutdown();
    return 0;
}
