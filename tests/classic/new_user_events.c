/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 5 to 7: a file of one's own events, named in the environment. (With PAPI_set_event_info.)
 */
#include "program.h"

#include <unistd.h>

int main(void)
{
    char name[] = "./classic_user_events_XXXXXX";
    int fd = mkstemp(name), code = 0, es = PAPI_NULL;
    PAPI_event_info_t info;
    long long value = -1;
    FILE *file;
    need_events();
    PAPI_shutdown();
    CHECK(fd >= 0);
    file = fdopen(fd, "w");
    CHECK(file != NULL);
    fprintf(file,
            "# twice the operations\n#define TWICE 2\nEVENT,MY_DOUBLE,DERIVED_POSTFIX,N0|2|*|,PAPI_FP_OPS\n");
    CHECK(fclose(file) == 0);
    CHECK(setenv("PAPI_USER_EVENTS_FILE", name, 1) == 0);
    need_events();
    OK(PAPI_event_name_to_code("MY_DOUBLE", &code));
    OK(PAPI_query_event(code));
    OK(PAPI_get_event_info(code, &info));
    CHECK(strcmp(info.symbol, "MY_DOUBLE") == 0);
    OK(PAPI_create_eventset(&es));
    OK(PAPI_add_event(es, code));
    OK(PAPI_start(es));
    do_100events();
    OK(PAPI_stop(es, &value));
    CHECK(near_to(value / 2, 100));
    strcpy(info.symbol, "MY_COPY");
    OK(PAPI_set_event_info(&info, &code, 0));
    OK(PAPI_cleanup_eventset(es));
    OK(PAPI_destroy_eventset(&es));
    PAPI_shutdown();
    unlink(name);
    return 0;
}
