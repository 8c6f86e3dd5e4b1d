/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_set_event_info, PAPI_encode_events. Definitions of one's own.
 */
#include "program.h"

static long_long counted(int EventCode)
{
    int EventSet = PAPI_NULL;
    long_long value = -1;
    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, EventCode));
    OK(PAPI_start(EventSet));
    do_100events();
    OK(PAPI_stop(EventSet, &value));
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    return value;
}

static void set_event_info(void)
{
    PAPI_event_info_t info;
    int EventCode, code = 0;
    OK(PAPI_event_name_to_code("PAPI_FP_OPS", &EventCode));
    OK(PAPI_get_event_info(EventCode, &info));
    strcpy(info.symbol, "MY_FP_OPS");
    strcpy(info.note, "This note describes my own operations.");
    OK(PAPI_set_event_info(&info, &code, 0));
    OK(PAPI_event_name_to_code("MY_FP_OPS", &EventCode));
    CHECK(EventCode == code);
    memset(&info, 0, sizeof info);
    OK(PAPI_get_event_info(code, &info));
    CHECK(strcmp(info.symbol, "MY_FP_OPS") == 0);
    CHECK(strcmp(info.note, "This note describes my own operations.") == 0);
    CHECK(near_to(counted(code), 100));
}

static void encode_events(void)
{
    PAPI_event_info_t info;
    char name[] = "./classic_events.csv";
    FILE *file = fopen(name, "w");
    int EventCode;
    CHECK(file != NULL);
    OK(PAPI_get_event_info(PAPI_FP_OPS, &info));
    fprintf(file, "name,derived,postfix,short_descr,long_descr,note,[native,...]\n\n");
    fprintf(file, "ENCODED_FP_OPS,NOT_DERIVED,,\"Mine\",\"My own operations, counted\",\"A note\",%s\n",
            info.name[0]);
    CHECK(fclose(file) == 0);
    OK(PAPI_encode_events(name, 1));
    remove(name);
    OK(PAPI_event_name_to_code("ENCODED_FP_OPS", &EventCode));
    OK(PAPI_get_event_info(EventCode, &info));
    CHECK(strcmp(info.long_descr, "My own operations, counted") == 0 && strcmp(info.note, "A note") == 0);
    CHECK(near_to(counted(EventCode), 100));
    CHECK(PAPI_encode_events(name, 1) < PAPI_OK); /* it is gone */
}

int main(void)
{
    need_events();
    set_event_info();
    encode_events();
    PAPI_shutdown();
    return 0;
}
