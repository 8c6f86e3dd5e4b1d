/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Run by node_taken, which has all counters of the CPU: an event gets none, and the reason names that
 * process.
 */
#include "node_test.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char holder[64];
    int es = PAPI_NULL;
    snprintf(holder, sizeof holder, "held by %d (node_taken)", (int)getppid());
    NEED(PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? PAPI_OK : PAPI_EINVAL);
    NEED(PAPI_create_eventset(&es));
    CODE(PAPI_add_named_event(es, "PAPI_TOT_INS"), PAPI_ECNFLCT);
    const char *text = PAPI_strerror(PAPI_ECNFLCT);
    node_check(strstr(text, holder) != NULL, "%s", text);
    node_check(strstr(text, "root alone") == NULL, "root sees all processes");
    return node_test_end();
}
