/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 7: the devices of the machine.
 */
#include "program.h"

int main(void)
{
    void *handle = NULL;
    int kinds = 0;
    CHECK(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    while (PAPI_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, &handle) == PAPI_OK) {
        const char *type_name = NULL, *status = NULL, *device = NULL;
        unsigned int family = 0, threads = 0, numas = 0;
        int id = -1, vendor_id = -1, dev_count = -1;

        kinds++;
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, &id));
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_VENDOR_ID, &vendor_id));
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_NAME, &type_name));
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, &dev_count));
        OK(PAPI_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__CHAR_STATUS, &status));
        CHECK(type_name != NULL && dev_count >= 0);
        printf("%s: %d\n", type_name, dev_count);
        if (id != PAPI_DEV_TYPE_ID__CPU || dev_count < 1)
            continue;
        OK(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, &device));
        OK(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_FAMILY, &family));
        OK(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_THREAD_COUNT, &threads));
        OK(PAPI_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT, &numas));
        CHECK(device != NULL && threads >= 1 && numas >= 1);
        CHECK(family == (unsigned int)PAPI_get_hardware_info()->cpuid_family);
    }
    CHECK(kinds >= 1);
    PAPI_shutdown();
    return 0;
}
