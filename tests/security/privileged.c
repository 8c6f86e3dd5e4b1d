/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program that setuid_test.py installs with more rights than its caller has: it uses the whole interface
 * and prints what it was told, less what changes from run to run.
 *
 *   privileged [stop | again]    stop: PAPI_hl_stop is called before the end; again: and once more, after
 * what is in its way has been removed
 */
#include "papi.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FAULTS "perf::PAGE-FAULTS"

void papif_flops_(float *real, float *process, long long *operations, float *rate, int *check);

static void say(const char *what, int code)
{
    printf("%s: %d\n", what, code);
}

static void describe_machine(void)
{
    PAPI_option_t option;
    const PAPI_hw_info_t *hardware = PAPI_get_hardware_info();
    PAPI_dmem_info_t memory;
    if (hardware == NULL) {
        printf("hardware: none\n");
        return;
    }
    printf("processors: %d %d %d %d %d %d\n", hardware->ncpu, hardware->threads, hardware->cores,
           hardware->sockets, hardware->nnodes, hardware->totalcpus);
    printf("processor: %s, %s, family %d, model %d, virtual %d %s\n", hardware->vendor_string,
           hardware->model_string, hardware->cpuid_family, hardware->cpuid_model, hardware->virtualized,
           hardware->virtual_vendor_string);
    printf("caches: %d", hardware->mem_hierarchy.levels);
    for (int i = 0; i < hardware->mem_hierarchy.levels; i++)
        for (int j = 0; j < PAPI_MH_MAX_LEVELS; j++)
            printf(" %d", hardware->mem_hierarchy.level[i].cache[j].size);
    printf("\nmax cpus: %d\n", PAPI_get_opt(PAPI_MAX_CPUS, &option));
    printf("clock rate known: %d\n", PAPI_get_opt(PAPI_CLOCKRATE, &option) > 0);
    say("memory", PAPI_get_dmem_info(&memory));
    say("domain", PAPI_get_opt(PAPI_DEFDOM, NULL));
    say("debug", PAPI_get_opt(PAPI_DEBUG, &option) == PAPI_OK ? option.debug.level : -1);
    printf("lists: %d %d\n", PAPI_get_shared_lib_info() != NULL, PAPI_get_executable_info() != NULL);
}

static void describe_components(void)
{
    for (int i = 0; i < PAPI_num_components(); i++) {
        const PAPI_component_info_t *component = PAPI_get_component_info(i);

        printf("component %s: %d %s\n", component->name, component->disabled, component->disabled_reason);
        printf("natives of %s: %d\n", component->name, component->num_native_events);
    }
}

static int number_of(int first, int how)
{
    int code = first, n = 0;
    for (int error = PAPI_enum_event(&code, PAPI_ENUM_FIRST); error == PAPI_OK; n++)
        error = PAPI_enum_event(&code, how);
    return n;
}

static int define_event(void)
{
    PAPI_event_info_t info = {
        .count = 1, .event_code = PAPI_UE_MASK, .symbol = "OWN_EVENT", .derived = "NOT_DERIVED"};

    strcpy(info.name[0], FAULTS);
    return PAPI_set_event_info(&info, &(int){0}, 1);
}

static unsigned long thread_number(void)
{
    return 1;
}

static void describe_events(void)
{
    char name[PAPI_MAX_STR_LEN] = "";
    int code = 0;
    say("presets", number_of(PAPI_PRESET_MASK, PAPI_PRESET_ENUM_AVAIL));
    say("natives", number_of(PAPI_NATIVE_MASK, PAPI_ENUM_EVENTS));
    say("user events", number_of((int)PAPI_UE_MASK, PAPI_ENUM_EVENTS));
    say("event of a caller's file", PAPI_event_name_to_code("TRAP_EVENT", &code));
    say("preset of a caller's file", PAPI_event_name_to_code("PAPI_TRAP", &code));
    say("defined", define_event());
    say("own event", PAPI_event_name_to_code("OWN_EVENT", &code));
    say("its name", PAPI_event_code_to_name(code, name));
    printf("name: %s\n", name);
}

static void touch_pages(int n)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = page * (size_t)n;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += page)
        ((volatile char *)memory)[i] = 1;
    munmap(memory, size);
}

static void overflowed(int set, void *address, long long vector, void *context)
{
    (void)set, (void)address, (void)vector, (void)context;
}

static void count(const char *what, int multiplexed)
{
    int set = PAPI_NULL;
    long long value[2] = {0};
    say(what, PAPI_create_eventset(&set));
    say("assigned", PAPI_assign_eventset_component(set, 0));
    if (multiplexed)
        say("multiplexed", PAPI_set_multiplex(set));
    say("added", PAPI_add_named_event(set, FAULTS));
    say("added", PAPI_add_named_event(set, "perf::TASK-CLOCK"));
    say("started", PAPI_start(set));
    touch_pages(1000);
    say("read", PAPI_read(set, value));
    say("stopped", PAPI_stop(set, value));
    if (!multiplexed)
        printf("counted: %d\n", value[0] >= 1000);
    say("cleaned", PAPI_cleanup_eventset(set));
    say("destroyed", PAPI_destroy_eventset(&set));
}

static void sample(void)
{
    static unsigned short buckets[64];
    int set = PAPI_NULL, code = 0;
    long long value = 0;
    say("overflow", PAPI_create_eventset(&set));
    say("code", PAPI_event_name_to_code(FAULTS, &code));
    say("added", PAPI_add_event(set, code));
    say("set", PAPI_overflow(set, code, 100, 0, overflowed));
    say("started", PAPI_start(set));
    touch_pages(1000);
    say("stopped", PAPI_stop(set, &value));
    say("ended", PAPI_overflow(set, code, 0, 0, overflowed));
    say("profile",
        PAPI_profil(buckets, sizeof buckets, (vptr_t)&sample, 65536, set, code, 100, PAPI_PROFIL_POSIX));
    say("started", PAPI_start(set));
    touch_pages(1000);
    say("stopped", PAPI_stop(set, &value));
    say("cleaned", PAPI_cleanup_eventset(set));
    say("destroyed", PAPI_destroy_eventset(&set));
}

static void use_rates(void)
{
    float real, process, rate;
    long long operations;
    int check = 0;
    papif_flops_(&real, &process, &operations, &rate, &check);
    say("flops", check);
    say("rates end", PAPI_rate_stop());
    printf("clocks: %d\n", PAPI_get_real_nsec() > 0 && PAPI_get_virt_nsec() > 0 && PAPI_get_real_cyc() > 0 &&
                               PAPI_get_virt_cyc() > 0);
}

static void use_regions(const char *how)
{
    say("region", PAPI_hl_region_begin("region"));
    say("region read", PAPI_hl_read("region"));
    say("region end", PAPI_hl_region_end("region"));
    if (how == NULL)
        return;
    int code = PAPI_hl_stop();
    say("regions written", code);
    printf("regions: %s\n", code == PAPI_OK ? "" : PAPI_strerror(code));
    if (strcmp(how, "again") == 0 && remove("papi_hl_output") == 0)
        say("regions written now", PAPI_hl_stop());
}

int main(int argc, char **argv)
{
    char day[64];
    time_t now = time(NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    setlocale(LC_ALL, "");
    printf("secure: %lu\n", getauxval(AT_SECURE));
    strftime(day, sizeof day, "%Z", localtime(&now));
    say("version", PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT);
    say("threads", PAPI_thread_init(thread_number));
    say("multiplexing", PAPI_multiplex_init());
    describe_machine();
    describe_components();
    describe_events();
    count("plain", 0);
    count("multiplex", 1);
    sample();
    use_rates();
    use_regions(argc > 1 ? argv[1] : NULL);
    PAPI_shutdown();
    printf("end\n");
    return 0;
}
