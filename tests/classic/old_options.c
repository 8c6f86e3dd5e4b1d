/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: the options of PAPI_get_opt and PAPI_set_opt that old_library.c has not: what is preloaded,
 * what the libraries are, address ranges, how long events take turns.
 */
#include "program.h"

int main(void)
{
    PAPI_preload_option_t *preload;
    PAPI_option_t options;
    int EventSet = PAPI_NULL, retval;
    need_events();
    OK(PAPI_multiplex_init());
    memset(&options, 0, sizeof options);
    OK(PAPI_get_opt(PAPI_PRELOAD, &options));
    preload = &options.preload;
    CHECK(strcmp(preload->lib_preload_env, "LD_PRELOAD") == 0);
    CHECK(strcmp(preload->lib_dir_env, "LD_LIBRARY_PATH") == 0 && preload->lib_dir_sep == ':');
    CHECK(preload->lib_preload_sep == ' ' || preload->lib_preload_sep == ':');

    OK(PAPI_create_eventset(&EventSet));
    OK(PAPI_add_event(EventSet, PAPI_FP_OPS));
    memset(&options, 0, sizeof options);
    options.addr.eventset = EventSet;
    options.addr.start = (vptr_t)&options;
    options.addr.end = (vptr_t)(&options + 1);
    CHECK(PAPI_set_opt(PAPI_DATA_ADDRESS, &options) < PAPI_OK);  /* Itanium's alone */
    CHECK(PAPI_set_opt(PAPI_INSTR_ADDRESS, &options) < PAPI_OK); /* Itanium's alone */
    CHECK(options.addr.start_off == 0 && options.addr.end_off == 0);

    memset(&options, 0, sizeof options);
    OK(PAPI_get_opt(PAPI_SHLIBINFO, &options));
    CHECK(options.shlib_info->count == PAPI_get_shared_lib_info()->count);

    memset(&options, 0, sizeof options);
    options.multiplex.us = 20000;
    retval = PAPI_set_opt(PAPI_DEF_MPX_USEC, &options);
    CHECK(retval == PAPI_OK || retval == PAPI_ESBSTR); /* the kernel's turns are everyone's */
    OK(PAPI_cleanup_eventset(EventSet));
    OK(PAPI_destroy_eventset(&EventSet));
    PAPI_shutdown();
    return 0;
}
