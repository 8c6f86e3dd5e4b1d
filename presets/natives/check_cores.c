/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_cores [--here] FILE: compares what the library says of processors' cores before libpfm4 is loaded
 * with libpfm4's answers: the definition of each preset, and the encoding of its native events and of those
 * in FILE (natives.txt), with and without their PMU's name. For each processor of libpfm4's architecture, in
 * a process for which libpfm4 takes it for the machine's (LIBPFM_FORCE_PMU), and that no PMU outside cores
 * has an event of such a name; with --here, for the processor that runs this, with all that libpfm4 finds
 * beside it (77: the library does not know it). Status 1: a difference.
 */
#include "events/natives.h"
#include "events/presets.h"

#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NAMES = 4000, MAX_PMUS = 1024 };
enum {
    SAME,
    DIFFERS,
    UNKNOWN = 77
}; /* the last: libpfm4 of this architecture has no such PMU, or the library none */

/* A processor that one process compares, and the PMUs that libpfm4 finds. */
struct check {
    const char *pmu;
    const struct core_id *id; /* NULL: of the processor that runs this */
    const char *present[MAX_PMUS];
    int n_present, n_presets, n_encoded, n_left, n_differ;
};

static char names[MAX_NAMES][256]; /* of FILE */
static int n_names;

static bool read_names(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    while (file != NULL && n_names < MAX_NAMES && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "%255[^# \n]", names[n_names]) == 1 && strstr(names[n_names], "::") != NULL)
            n_names++;
    if (file != NULL)
        fclose(file);
    return n_names > 0 && n_names < MAX_NAMES;
}

/* ---- encodings */

static int encode(const char *name, int modes, struct perf_event_attr *attr)
{
    memset(attr, 0, sizeof *attr);
    pfm_perf_encode_arg_t arg = {.attr = attr, .size = sizeof arg};
    return pfm_get_os_event_encoding(name, modes, PFM_OS_PERF_EVENT, &arg);
}

/* True if libpfm4 encodes a name by this number alone, and leaves its modes to who asks. */
static bool is_so(const char *name, uint64_t config)
{
    struct perf_event_attr of_user, of_kernel, plain;
    if (encode(name, PFM_PLM3, &of_user) != PFM_SUCCESS || encode(name, PFM_PLM0, &of_kernel) != PFM_SUCCESS)
        return false;
    memset(&plain, 0, sizeof plain);
    plain.type = PERF_TYPE_RAW;
    plain.size = of_user.size;
    plain.config = config;
    plain.exclude_kernel = 1;
    plain.exclude_hv = of_user.exclude_hv;
    plain.exclude_guest = of_user.exclude_guest;
    bool user = memcmp(&plain, &of_user, sizeof plain) == 0;
    plain.exclude_kernel = 0;
    plain.exclude_user = 1;
    return user && memcmp(&plain, &of_kernel, sizeof plain) == 0;
}

static void check_name(struct check *check, const char *name)
{
    uint64_t config;
    if (!core_event_code(name, check->id, &config)) {
        check->n_left++;
    } else if (is_so(name, config)) {
        check->n_encoded++;
    } else {
        check->n_differ++;
        printf("%s: %s is not 0x%llx to libpfm4\n", check->pmu, name, (unsigned long long)config);
    }
}

static void check_file(struct check *check)
{
    size_t length = strlen(check->pmu);
    for (int i = 0; i < n_names; i++)
        if (strncmp(names[i], check->pmu, length) == 0 && strncmp(names[i] + length, "::", 2) == 0) {
            check_name(check, names[i]);
            check_name(check, names[i] + length + 2);
        }
}

/* ---- definitions */

static bool is_core(const char *name, void *context)
{
    return strcmp(name, ((const struct check *)context)->pmu) == 0;
}

static bool is_present(const char *name, void *context)
{
    const struct check *check = context;
    for (int i = 0; i < check->n_present; i++)
        if (strcmp(check->present[i], name) == 0)
            return true;
    return false;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same(const struct preset_definition *a, const struct preset_definition *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    bool all = a->derivation == b->derivation && a->n_natives == b->n_natives &&
               same_text(a->note, b->note) && same_text(a->postfix, b->postfix) &&
               a->formula.n_steps == b->formula.n_steps;
    for (int i = 0; all && i < a->n_natives; i++)
        all = strcmp(a->native[i], b->native[i]) == 0;
    for (int i = 0; all && i < a->formula.n_steps; i++)
        all = a->formula.step[i].operation == b->formula.step[i].operation &&
              a->formula.step[i].value == b->formula.step[i].value;
    return all;
}

static void check_preset(struct check *check, int preset, const struct preset_definition *found,
                         const struct preset_definition *all)
{
    struct preset_machine machine = {.matches = is_core, .context = check};
    struct preset_definition *alone = presets_builtin(preset, &machine);
    if (!same(found, all) || !same(found, alone)) {
        check->n_differ++;
        printf("%s: %s has another definition with libpfm4\n", check->pmu, preset_list[preset].symbol);
    }
    check->n_presets += found != NULL;
    for (int i = 0; found != NULL && i < found->n_natives; i++)
        if (strchr(found->native[i], '/') == NULL)
            check_name(check, found->native[i]);
    definition_free(alone);
}

static void check_presets(struct check *check)
{
    struct preset_table found, all;
    struct preset_machine by_core = {.matches = is_core, .context = check};
    struct preset_machine by_libpfm4 = {.matches = is_present, .context = check};
    struct reason why = {0};
    if (presets_load(&found, NULL, NULL, &by_core, &why) ||
        presets_load(&all, NULL, NULL, &by_libpfm4, &why)) {
        printf("%s: %s\n", check->pmu, why.text);
        check->n_differ++;
        return;
    }
    for (int i = 0; i < PRESET_COUNT; i++)
        check_preset(check, i, found.definition[i], all.definition[i]);
    presets_free(&found);
    presets_free(&all);
}

/* ---- other PMUs */

static bool is_in_file(const char *event)
{
    size_t length = strlen(event);
    for (int i = 0; i < n_names; i++) {
        const char *name = strstr(names[i], "::") + 2;
        if (strcspn(name, ":") == length && strncasecmp(name, event, length) == 0)
            return true;
    }
    return false;
}

static int check_events_of(const pfm_pmu_info_t *pmu)
{
    int status = SAME;
    for (int place = pmu->first_event; place >= 0; place = pfm_get_event_next(place)) {
        pfm_event_info_t event = {.size = sizeof event};
        if (pfm_get_event_info(place, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS && is_in_file(event.name)) {
            printf("%s has an event %s, too\n", pmu->name, event.name);
            status = DIFFERS;
        }
    }
    return status;
}

/* A name without a PMU is the core's wherever libpfm4 comes to such a PMU first. */
static int check_others(void)
{
    int status = SAME, n = 0;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    pfm_initialize();
    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS ||
            (info.type != PFM_PMU_TYPE_UNCORE && info.type != PFM_PMU_TYPE_OS_GENERIC))
            continue;
        n++;
        status = check_events_of(&info) == SAME ? status : DIFFERS;
    }
    printf("%d PMUs outside cores looked through\n", n);
    return n > 0 ? status : DIFFERS;
}

/* ---- processors */

static void find_present(struct check *check)
{
    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && info.is_present &&
            check->n_present < MAX_PMUS)
            check->present[check->n_present++] = info.name;
    }
}

static bool is_listed(const char *name)
{
    for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
        pfm_pmu_info_t info = {.size = sizeof info};
        if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) == PFM_SUCCESS && strcmp(info.name, name) == 0)
            return true;
    }
    return false;
}

static int check_processor(const char *pmu, const struct core_id *id)
{
    struct check check = {.pmu = pmu, .id = id};
    int error = pfm_initialize();
    if (!is_listed(pmu))
        return UNKNOWN;
    find_present(&check);
    if (error != PFM_SUCCESS || !is_present(pmu, &check)) {
        printf("%s: libpfm4 does not find it: %s\n", pmu, pfm_strerror(error));
        return DIFFERS;
    }
    check_presets(&check);
    check_file(&check);
    printf("%s, beside %d PMUs: %d presets, %d names of events encoded as libpfm4 does, %d left to it, %d "
           "differences\n",
           pmu, check.n_present - 1, check.n_presets, check.n_encoded, check.n_left, check.n_differ);
    return check.n_differ > 0 || check.n_presets == 0 || check.n_encoded == 0 ? DIFFERS : SAME;
}

/*   pmu  NULL: those outside cores are checked */
static int check_in_child(const char *pmu, const struct core_id *id)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (pmu != NULL)
            setenv("LIBPFM_FORCE_PMU", pmu, 1);
        status = pmu != NULL ? check_processor(pmu, id) : check_others();
        fflush(stdout);
        _exit(status);
    }
    bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended ? WEXITSTATUS(status) : DIFFERS;
}

struct found {
    char pmu[64][32];
    int n, n_compared, n_wrong;
};

/* Looks for each name once: the codes of all models of a name are the same. */

static void check_once(struct found *found, const struct core_id *id)
{
    const char *pmu = core_pmu_name(id);
    for (int i = 0; i < found->n && pmu != NULL; i++)
        if (strcmp(found->pmu[i], pmu) == 0)
            pmu = NULL;
    if (pmu == NULL || found->n == 64)
        return;
    snprintf(found->pmu[found->n++], sizeof found->pmu[0], "%s", pmu);
    int status = check_in_child(pmu, id);
    found->n_compared += status != UNKNOWN;
    found->n_wrong += status != UNKNOWN && status != SAME;
}

/* Tries all numbers that a processor may have. */
static int check_all(void)
{
    static const struct {
        const char *vendor;
        int families, models, steppings;
    } spaces[] = {{"GenuineIntel", 7, 256, 16},
                  {"AuthenticAMD", 0x1b, 256, 1},
                  {"", 256, 4096, 1},
                  {"POWER", 1, 65536, 1}};
    struct found found = {.n = 0};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        for (int family = 0; family < spaces[i].families; family++)
            for (int model = 0; model < spaces[i].models; model++)
                for (int stepping = 0; stepping < spaces[i].steppings; stepping++) {
                    struct core_id id = {.family = family, .model = model, .stepping = stepping};
                    strcpy(id.vendor, spaces[i].vendor);
                    check_once(&found, &id);
                }
    printf("%d processors of %d compared, %d with differences\n", found.n_compared, found.n, found.n_wrong);
    return found.n_wrong > 0 || found.n_compared == 0 ? DIFFERS : check_in_child(NULL, NULL);
}

int main(int argc, char **argv)
{
    bool here = argc == 3 && strcmp(argv[1], "--here") == 0;
    if (argc < 2 || !read_names(argv[argc - 1])) {
        fprintf(stderr, "usage: check_cores [--here] natives.txt\n");
        return 2;
    }
    if (!here)
        return check_all();
    const char *pmu = core_pmu_name(NULL);
    if (pmu != NULL)
        return check_processor(pmu, NULL);
    printf("the library does not know this processor by its model\n");
    return UNKNOWN;
}
