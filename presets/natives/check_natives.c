/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_natives [--write] FILE: asks libpfm4, of this architecture, for the encodings of the events in FILE,
 * whose lines are "PMU::EVENT CONFIG". Status 1: libpfm4 encodes one otherwise, or has the PMU of none of
 * them. With
 * --write, where no CONFIG need be there: prints the lines of those that the library may encode itself, on
 * PMUs that libpfm4 knows here. What it encodes by more than a number stays libpfm4's.
 */
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_HERE, COMPARED, DIFFERS };

static bool known_here(const char *name)
{
    size_t length = (size_t)(strstr(name, "::") - name);
    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && strlen(info.name) == length &&
            strncmp(info.name, name, length) == 0)
            return true;
    }
    return false;
}

static int encode(const char *name, unsigned modes, struct perf_event_attr *attr)
{
    memset(attr, 0, sizeof *attr);
    pfm_perf_encode_arg_t arg = {.attr = attr, .size = sizeof arg};
    return pfm_get_os_event_encoding(name, (int)modes, PFM_OS_PERF_EVENT, &arg);
}

/* True for an event of the processor's raw type that a number encodes, in the modes that it is asked for. The
 * library sets what is left out itself, as for all events. */
static bool number_encodes(const char *name, unsigned long long *config)
{
    struct perf_event_attr of_user, of_kernel, plain = {.type = PERF_TYPE_RAW};
    if (encode(name, PFM_PLM3, &of_user) != PFM_SUCCESS || encode(name, PFM_PLM0, &of_kernel) != PFM_SUCCESS)
        return false;
    bool modes = !of_user.exclude_user && of_user.exclude_kernel && of_kernel.exclude_user &&
                 !of_kernel.exclude_kernel;
    plain.size = of_user.size;
    plain.config = *config = of_user.config;
    plain.exclude_kernel = 1;
    plain.exclude_hv = of_user.exclude_hv;
    plain.exclude_guest = of_user.exclude_guest;
    return modes && memcmp(&plain, &of_user, sizeof plain) == 0;
}

static int compare(const char *name, const char *wanted)
{
    unsigned long long config;
    if (!known_here(name))
        return NOT_HERE;
    if (number_encodes(name, &config) && config == strtoull(wanted, NULL, 16))
        return COMPARED;
    printf("%s: libpfm4 does not encode it as %s\n", name, wanted);
    return DIFFERS;
}

static void write_line(const char *name)
{
    unsigned long long config;
    if (known_here(name) && number_encodes(name, &config))
        printf("%s 0x%llx\n", name, config);
}

int main(int argc, char **argv)
{
    char line[512];
    int n[DIFFERS + 1] = {0};
    bool writes = argc == 3 && strcmp(argv[1], "--write") == 0;
    FILE *file = argc > 1 ? fopen(argv[argc - 1], "r") : NULL;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    if (file == NULL || pfm_initialize() != PFM_SUCCESS) {
        fprintf(stderr, "check_natives: no file, or libpfm4 does not start\n");
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        const char *name = strtok(line, " \n"), *config = strtok(NULL, " \n");
        if (name == NULL || name[0] == '#' || strstr(name, "::") == NULL)
            continue;
        if (writes)
            write_line(name);
        else
            n[compare(name, config != NULL ? config : "")]++;
    }
    fclose(file);
    if (writes)
        return 0;
    printf(
        "%d events encoded as libpfm4 does, %d otherwise, %d of PMUs that it knows on other architectures\n",
        n[COMPARED], n[DIFFERS], n[NOT_HERE]);
    return n[DIFFERS] > 0 || n[COMPARED] == 0;
}
