/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: PAPI_get_substrate_info, and the option of this name.
 */
#include "program.h"

int main(void)
{
    const PAPI_substrate_info_t *sbinfo = NULL;
    PAPI_option_t options;
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        exit(1);
    if ((sbinfo = PAPI_get_substrate_info()) == NULL)
        exit(1);
    printf("This substrate supports %d Preset Events and %d Native events.\n", sbinfo->num_preset_events,
           sbinfo->num_native_events);
    CHECK(sbinfo->num_preset_events >= 0 && sbinfo->num_native_events > 0);
    CHECK(strlen(sbinfo->name) > 0 && strlen(sbinfo->name) < PAPI_MAX_STR_LEN);
    CHECK(strlen(sbinfo->version) < PAPI_MIN_STR_LEN && strlen(sbinfo->support_version) < PAPI_MIN_STR_LEN);
    CHECK(strlen(sbinfo->kernel_version) > 0 && strlen(sbinfo->kernel_version) < PAPI_MIN_STR_LEN);
    CHECK(sbinfo->num_cntrs == PAPI_num_hwctrs());
    CHECK(sbinfo->num_mpx_cntrs >= 0);
    CHECK(sbinfo->default_domain == PAPI_DOM_USER);
    CHECK((sbinfo->available_domains & PAPI_DOM_USER) != 0);
    CHECK(sbinfo->default_granularity == PAPI_GRN_THR);
    CHECK((sbinfo->available_granularities & PAPI_GRN_THR) != 0);
    CHECK(sbinfo->multiplex_timer_sig >= 0 && sbinfo->hardware_intr_sig >= 0);
    CHECK(sbinfo->opcode_match_width == 0);
    CHECK(sbinfo->attach <= 1 && sbinfo->attach_must_ptrace <= 1 && sbinfo->kernel_profile <= 1);
    CHECK(sbinfo->hardware_intr <= 1 && sbinfo->precise_intr <= 1 && sbinfo->posix1b_timers <= 1);
    CHECK(sbinfo->fast_counter_read <= 1 && sbinfo->fast_real_timer <= 1 && sbinfo->fast_virtual_timer <= 1);
    CHECK(sbinfo->edge_detect + sbinfo->invert + sbinfo->profile_ear + sbinfo->grouped_cntrs <= 4);
    CHECK(sbinfo->data_address_range + sbinfo->instr_address_range <= 2);

    memset(&options, 0, sizeof options);
    CHECK(PAPI_get_opt(PAPI_SUBSTRATEINFO, &options) >= PAPI_OK);
    CHECK(options.sub_info != NULL && strcmp(options.sub_info->name, sbinfo->name) == 0);
    PAPI_shutdown();
    return 0;
}
