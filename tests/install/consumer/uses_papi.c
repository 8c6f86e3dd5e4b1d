/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A user of the installed library, in what ISO C99 and C++ have in common.
 */
#include <papi.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    char name[PAPI_MAX_STR_LEN] = "";
    int eventset = PAPI_NULL;
    long long before;
    const PAPI_hw_info_t *machine;
    /* An earlier libpapi may be installed too: this is the version of the header, and it is ours. */
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return 1;
    before = PAPI_get_real_nsec();
    if (PAPI_create_eventset(&eventset) != PAPI_OK || PAPI_destroy_eventset(&eventset) != PAPI_OK)
        return 2;
    if (PAPI_event_code_to_name(PAPI_TOT_INS, name) != PAPI_OK || strcmp(name, "PAPI_TOT_INS") != 0)
        return 3;
    /* hwloc is opened here, where it is installed. */
    machine = PAPI_get_hardware_info();
    if (machine == NULL || machine->totalcpus < 1 || PAPI_get_real_nsec() < before)
        return 4;
    printf("PAPI %d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION), PAPI_VERSION_MINOR(PAPI_VERSION));
    PAPI_shutdown();
    return 0;
}
