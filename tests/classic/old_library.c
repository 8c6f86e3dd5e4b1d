/* SPDX-License-Identifier: BSD-3-Clause
 *
 * PAPI 3.5: what concerns the library as a whole, a section for each page of its reference.
 */
#include "program.h"

static int handled; /* errors that the debug handler was told of */

static void library_init(void) /* PAPI_library_init, PAPI_is_initialized */
{
    int retval;
    CHECK(PAPI_is_initialized() == PAPI_NOT_INITED);
    retval = PAPI_library_init(PAPI_VER_CURRENT);
    if (retval != PAPI_VER_CURRENT && retval > 0) {
        fprintf(stderr, "PAPI library version mismatch!\n");
        exit(1);
    }
    CHECK(retval == PAPI_VER_CURRENT);
    retval = PAPI_is_initialized();
    CHECK(retval == PAPI_LOW_LEVEL_INITED);
    CHECK(PAPI_VERSION_MAJOR(PAPI_VERSION) >= 3);
}

static void perror_strerror(void) /* PAPI_perror, PAPI_strerror */
{
    char error_str[PAPI_MAX_STR_LEN];
    int retval, set = PAPI_NULL;
    retval = PAPI_add_event(set, PAPI_TOT_INS);
    CHECK(retval == PAPI_ENOEVST);
    strcpy(error_str, "");
    OK(PAPI_perror(retval, error_str, PAPI_MAX_STR_LEN));
    CHECK(strlen(error_str) > 0 && strlen(error_str) < PAPI_MAX_STR_LEN);
    CHECK(strncmp(error_str, PAPI_strerror(retval), 10) == 0);
    CHECK(PAPI_strerror(PAPI_ESBSTR) != NULL);
    CHECK(PAPI_strerror(12345) == NULL);
    CODE(PAPI_perror(12345, error_str, PAPI_MAX_STR_LEN), PAPI_EINVAL);
    /* The last argument 0: on stderr. */
    OK(PAPI_perror(PAPI_ESBSTR, NULL, 0));
    PAPI_perror("the form of later versions");
}

static int handler(int code)
{
    CHECK(code == PAPI_ENOEVST);
    handled++;
    return code;
}

static void set_debug(void) /* PAPI_set_debug, and its option */
{
    PAPI_option_t options;
    OK(PAPI_set_debug(PAPI_VERB_ECONT));
    OK(PAPI_set_debug(PAPI_QUIET));
    CODE(PAPI_set_debug(77), PAPI_EINVAL);
    memset(&options, 0x0, sizeof(options));
    options.debug.level = PAPI_VERB_ECONT;
    options.debug.handler = handler;
    OK(PAPI_set_opt(PAPI_DEBUG, &options));
    CODE(PAPI_start(PAPI_NULL), PAPI_ENOEVST);
    CHECK(handled == 1);
    memset(&options, 0x0, sizeof(options));
    OK(PAPI_get_opt(PAPI_DEBUG, &options));
    CHECK(options.debug.level == PAPI_VERB_ECONT && options.debug.handler == handler);
    OK(PAPI_set_debug(PAPI_QUIET));
}

static void hardware_info(void) /* PAPI_get_hardware_info */
{
    const PAPI_hw_info_t *hwinfo = NULL;
    const PAPI_mh_info_t *memory;
    int i;
    hwinfo = PAPI_get_hardware_info();
    CHECK(hwinfo != NULL);
    printf("%d CPU's at %f Mhz.\n", hwinfo->totalcpus, hwinfo->mhz);
    CHECK(hwinfo->ncpu >= 1 && hwinfo->nnodes >= 1 && hwinfo->totalcpus >= hwinfo->ncpu);
    CHECK(hwinfo->vendor >= 0 && strlen(hwinfo->vendor_string) < PAPI_MAX_STR_LEN);
    CHECK(hwinfo->model >= 0 && strlen(hwinfo->model_string) < PAPI_MAX_STR_LEN);
    CHECK(hwinfo->revision >= 0 && hwinfo->mhz >= 0);
    memory = &hwinfo->mem_hierarchy;
    CHECK(memory->levels >= 0 && memory->levels <= PAPI_MAX_MEM_HIERARCHY_LEVELS);
    for (i = 0; i < memory->levels; i++) {
        const PAPI_mh_cache_info_t *cache = &memory->level[i].cache[0];
        const PAPI_mh_tlb_info_t *tlb = &memory->level[i].tlb[0];

        CHECK(PAPI_MH_CACHE_TYPE(cache->type) != PAPI_MH_TYPE_EMPTY || cache->size == 0);
        CHECK(cache->size >= 0 && cache->line_size >= 0 && cache->num_lines >= 0);
        CHECK(cache->associativity >= 0);
        CHECK(tlb->num_entries >= 0 && tlb->associativity >= 0);
    }
}

static void get_opt(void) /* PAPI_get_opt: the library, the machine */
{
    PAPI_option_t options;
    int num = PAPI_get_opt(PAPI_MAX_HWCTRS, NULL);
    CHECK(num >= 0);
    printf("This machine has %d counters.\n", num);
    CHECK(PAPI_num_hwctrs() == num);
    CHECK(PAPI_get_opt(PAPI_MAX_CPUS, NULL) >= 1);
    CHECK(PAPI_get_opt(PAPI_CLOCKRATE, NULL) >= 0);
    CHECK(PAPI_get_opt(PAPI_MAX_MPX_CTRS, NULL) >= 0);
    CHECK(PAPI_VERSION_MAJOR(PAPI_get_opt(PAPI_LIB_VERSION, NULL)) == PAPI_VERSION_MAJOR(PAPI_VERSION));
    memset(&options, 0x0, sizeof(options));
    CHECK(PAPI_get_opt(PAPI_HWINFO, &options) >= PAPI_OK);
    CHECK(options.hw_info->totalcpus == PAPI_get_hardware_info()->totalcpus);
    CODE(PAPI_get_opt(-1, &options), PAPI_EINVAL);
    CODE(PAPI_get_opt(PAPI_HWINFO, NULL), PAPI_EINVAL);
}

static void domains(void) /* PAPI_set_domain, PAPI_set_granularity, PAPI_set_opt */
{
    PAPI_option_t options;
    int set = PAPI_NULL;
    OK(PAPI_set_domain(PAPI_DOM_KERNEL));
    OK(PAPI_create_eventset(&set));
    memset(&options, 0x0, sizeof(options));
    options.domain.eventset = set;
    OK(PAPI_get_opt(PAPI_DOMAIN, &options));
    CHECK(options.domain.domain == PAPI_DOM_KERNEL);
    memset(&options, 0x0, sizeof(options));
    options.domain.eventset = set;
    options.domain.domain = PAPI_DOM_ALL;
    OK(PAPI_set_opt(PAPI_DOMAIN, &options));
    options.domain.domain = 0;
    OK(PAPI_get_opt(PAPI_DOMAIN, &options));
    CHECK(options.domain.domain == PAPI_DOM_ALL);
    OK(PAPI_destroy_eventset(&set));
    memset(&options, 0x0, sizeof(options));
    options.defdomain.domain = PAPI_DOM_USER;
    OK(PAPI_set_opt(PAPI_DEFDOM, &options));
    CHECK(PAPI_get_opt(PAPI_DEFDOM, NULL) == PAPI_DOM_USER);
    CHECK(PAPI_DOM_MIN == PAPI_DOM_USER && (PAPI_DOM_MAX & PAPI_DOM_OTHER));
    CHECK(PAPI_set_domain(0) < 0 && PAPI_set_granularity(0) < 0);

    OK(PAPI_set_granularity(PAPI_GRN_THR));
    memset(&options, 0x0, sizeof(options));
    options.defgranularity.granularity = PAPI_GRN_THR;
    OK(PAPI_set_opt(PAPI_DEFGRN, &options));
    CHECK(PAPI_get_opt(PAPI_DEFGRN, NULL) == PAPI_GRN_THR);
    OK(PAPI_create_eventset(&set));
    options.granularity.eventset = set;
    options.granularity.granularity = 0;
    OK(PAPI_get_opt(PAPI_GRANUL, &options));
    CHECK(options.granularity.granularity == PAPI_GRN_THR);
    OK(PAPI_destroy_eventset(&set));
}

static void your_slow_code(void)
{
    volatile double x = 1;
    int i;
    for (i = 0; i < 200000; i++)
        x = x * 1.000001;
}

static void timers(void) /* PAPI_get_real_cyc, _usec; PAPI_get_virt_cyc, _usec */
{
    long_long s, e, usec = PAPI_get_real_usec(), cpu = PAPI_get_virt_usec();
    s = PAPI_get_real_cyc();
    your_slow_code();
    e = PAPI_get_real_cyc();
    CHECK(e > s);
    s = PAPI_get_virt_cyc();
    your_slow_code();
    e = PAPI_get_virt_cyc();
    CHECK(e > s);
    usec = PAPI_get_real_usec() - usec;
    cpu = PAPI_get_virt_usec() - cpu;
    CHECK(usec > 0 && cpu > 0 && cpu <= usec + 1000);
}

static void shut_down(void) /* PAPI_shutdown */
{
    int set = PAPI_NULL;
    OK(PAPI_create_eventset(&set));
    PAPI_shutdown();
    CHECK(PAPI_is_initialized() == PAPI_NOT_INITED);
}

int main(void)
{
    library_init();
    perror_strerror();
    set_debug();
    hardware_info();
    get_opt();
    domains();
    timers();
    shut_down();
    return 0;
}
