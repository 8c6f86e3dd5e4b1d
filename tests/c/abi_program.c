/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that prints what the library tells it, compiled twice: against papi.h, and with OTHER_HEADER
 * against the numbers of abi.def alone, as one that was built for PAPI 7.3 knows them. Both must print the
 * same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OTHER_HEADER
/* Names of sizes and of offsets, for this architecture. */
#define SIZE(type, size) SIZE_##type = (size),
#define MEMBER(type, member, offset, size) OFFSET_##type##_##member = (offset),
enum layout {
#if __SIZEOF_POINTER__ == 8
#include "abi.def"
#else
#include "abi32.def"
#endif
};
#define SIZE_OF(type) SIZE_##type
#define OFFSET_OF(type, member) OFFSET_##type##_##member
int PAPI_library_init(int version);
int PAPI_create_eventset(int *set);
int PAPI_add_named_event(int set, const char *name);
int PAPI_start(int set);
int PAPI_stop(int set, long long *values);
int PAPI_event_name_to_code(const char *name, int *code);
int PAPI_get_event_info(int code, void *info);
const void *PAPI_get_hardware_info(void);
const void *PAPI_get_component_info(int index);
#else
#include "papi.h"
#include <stddef.h>
#define SIZE_OF(type) sizeof(type)
#define OFFSET_OF(type, member) offsetof(type, member)
#endif

/* PAPI 7.3's own words for these. */
enum { VERSION = 0x07030000, NO_SET = -1 };

#define AT(object, type, member) ((const char *)(object) + OFFSET_OF(type, member))
#define SHOW_NUMBER(object, type, member) show_number(#type "." #member, AT(object, type, member))
#define SHOW_TEXT(object, type, member) printf(#type "." #member " %s\n", AT(object, type, member))

static void show_number(const char *name, const char *place)
{
    int number;
    memcpy(&number, place, sizeof number);
    printf("%s %d\n", name, number);
}

static void show_machine(void)
{
    const void *hardware = PAPI_get_hardware_info();
    SHOW_NUMBER(hardware, PAPI_hw_info_t, totalcpus);
    SHOW_TEXT(hardware, PAPI_hw_info_t, vendor_string);
    SHOW_TEXT(hardware, PAPI_hw_info_t, model_string);
    SHOW_NUMBER(hardware, PAPI_hw_info_t, cpu_max_mhz);
    SHOW_NUMBER(hardware, PAPI_hw_info_t, virtualized);
    SHOW_NUMBER(hardware, PAPI_hw_info_t, clock_mhz);
}

static void show_component(int index)
{
    const void *component = PAPI_get_component_info(index);
    unsigned bits;
    SHOW_TEXT(component, PAPI_component_info_t, name);
    SHOW_TEXT(component, PAPI_component_info_t, disabled_reason);
    SHOW_NUMBER(component, PAPI_component_info_t, num_native_events);
    SHOW_NUMBER(component, PAPI_component_info_t, default_granularity);
    /* The bits are behind the last member that has an address. */
    memcpy(&bits, AT(component, PAPI_component_info_t, reserved_ints) + 16, sizeof bits);
    printf("bits %x\n", bits);
}

static int show_event(const char *name)
{
    char *info = calloc(1, SIZE_OF(PAPI_event_info_t));
    int code;
    if (info == NULL || PAPI_event_name_to_code(name, &code) != 0 ||
        PAPI_get_event_info(code, (void *)info) != 0)
        return 1;
    SHOW_TEXT(info, PAPI_event_info_t, symbol);
    SHOW_TEXT(info, PAPI_event_info_t, long_descr);
    SHOW_NUMBER(info, PAPI_event_info_t, component_index);
    SHOW_NUMBER(info, PAPI_event_info_t, count);
    SHOW_NUMBER(info, PAPI_event_info_t, num_quals);
    free(info);
    return 0;
}

static int count(const char *name)
{
    long long value = -1;
    int set = NO_SET;
    if (PAPI_create_eventset(&set) != 0 || PAPI_add_named_event(set, name) != 0)
        return printf("nothing counts\n") < 0;
    if (PAPI_start(set) != 0 || PAPI_stop(set, &value) != 0)
        return 1;
    printf("counted %d\n", value >= 0);
    return 0;
}

int main(void)
{
    if (PAPI_library_init(VERSION) != VERSION)
        return 1;
    show_machine();
    for (int index = 0; index < 2; index++)
        show_component(index);
    return show_event("perf::TASK-CLOCK") || count("perf::TASK-CLOCK");
}
