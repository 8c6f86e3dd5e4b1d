/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/cache.h"
#include "emulator/launcher/launcher.h"
#include "papi.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* ---- the processor */

/* The processor as which the emulator shows itself. Libraries choose their code by vendor, family and model:
 * by the emulator's own they would take it for one of 2007, although it has AVX2 and FMA. A model here is all
 * that the emulator has, under the name of a processor with AVX2 and FMA and without AVX-512; and not what
 * such a processor has no longer. A named model of the emulator would print what it lacks of it. Nor are
 * copies by REP MOVSB said to be quick: in the emulator, which moves a byte at a time, they are slow, and C
 * libraries that find none copy by vectors. */
#define WITHOUT "3dnow=off,3dnowext=off,erms=off,fsrm=off,"
static const struct {
    const char *vendor, *model;
} models[] = {
    {"GenuineIntel", "max,vendor=GenuineIntel,family=6,model=60,stepping=3," WITHOUT
                     "model-id=Intel Core Processor (Haswell) in papi_emulate"},
    {"AuthenticAMD", "max,vendor=AuthenticAMD,family=23,model=49,stepping=0," WITHOUT
                     "model-id=AMD EPYC Processor (Rome) in papi_emulate"},
    {"HygonGenuine", "max,vendor=HygonGenuine,family=24,model=0,stepping=1," WITHOUT
                     "model-id=Hygon Dhyana Processor in papi_emulate"},
};

/* Reads the processor's vendor; "": this machine is of another architecture. */
static void read_vendor(char vendor[13])
{
    memset(vendor, 0, 13);
#if defined(__x86_64__)
    unsigned most, part[3];
    if (__get_cpuid(0, &most, &part[0], &part[2], &part[1]) != 0)
        memcpy(vendor, part, sizeof part);
#endif
}

static const char *model_x86_64(void)
{
    char vendor[13];
    read_vendor(vendor);
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        if (strcmp(models[i].vendor, vendor) == 0)
            return models[i].model;
    return models[0].model;
}

/* Signatures of pointers by a quick method: the architecture's own costs more than all the counting. SVE and
 * SME: the disassembler does not know them, so programs shall not find them. */
static const char *model_arm64(void)
{
    return "max,sve=off,sme=off,pauth-impdef=on";
}

static const struct {
    const char *emulator, *(*model)(void), *sysroot;
} guests[] = {
    [GUEST_X86_64] = {"qemu-x86_64", model_x86_64, "/usr/x86_64-linux-gnu"},
    [GUEST_ARM64] = {"qemu-aarch64", model_arm64, "/usr/aarch64-linux-gnu"},
};

/* ---- finding */

static int explain_missing(const char *emulator)
{
    char *path, *fixed = memory_print("%s-static", emulator);
    bool found = search_path(fixed, &path) == 0;
    complain("%s is not in PATH%s%s%s", emulator, found ? "; " : "", found ? fixed : "",
             found ? " is, but cannot load plugins" : "");
    complain("install qemu-user (Debian, Ubuntu, Fedora) or qemu-linux-user (openSUSE); or "
             "PAPI_EMULATOR=FILE");
    free(fixed);
    free(path);
    return EXIT_NOT_FOUND;
}

/* An absolute path of the same file. Links are not followed: an emulator may look at its name. */
static char *absolute(const char *path)
{
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *whole = folder == NULL ? memory_print("%s", path) : memory_print("%s/%s", folder, path);
    free(folder);
    return whole;
}

static int find_emulator(struct emulator *emulator, enum guest guest)
{
    const char *asked = getenv("PAPI_EMULATOR");
    bool own = asked != NULL && asked[0] != '\0';
    const char *name = own ? asked : guests[guest].emulator;
    char *path;
    int error = search_path(name, &path);
    if (error == 0)
        emulator->path = absolute(path);
    free(path);
    if (error == 0)
        return 0;
    if (!own && error == ENOENT)
        return explain_missing(name);
    complain("%s%s: %s", own ? "PAPI_EMULATOR=" : "", name, strerror(error));
    return EXIT_NOT_FOUND;
}

/* The path of the plugin beside the installed tool; NULL if it is not there. */
static char *installed_plugin(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return NULL;
    self[n] = '\0';
    *(strrchr(self, '/') + 1) = '\0';
    char *relative = memory_print("%s" PAPI_PLUGIN_RELATIVE, self);
    char *path = realpath(relative, NULL);
    free(relative);
    return path;
}

static int find_plugin(struct emulator *emulator)
{
    const char *asked = getenv("PAPI_EMULATE_PLUGIN");
    if (asked != NULL && asked[0] != '\0') {
        emulator->plugin = realpath(asked, NULL);
        if (emulator->plugin == NULL)
            complain("PAPI_EMULATE_PLUGIN=%s: %s", asked, strerror(errno));
        return emulator->plugin == NULL ? EXIT_NOT_FOUND : 0;
    }
    emulator->plugin = installed_plugin();
    if (emulator->plugin != NULL)
        return 0;
    complain("the emulator's plugin is not installed: no " PAPI_PLUGIN_RELATIVE " from this tool's folder "
             "on; or PAPI_EMULATE_PLUGIN=FILE");
    return EXIT_NOT_FOUND;
}

int emulator_find(struct emulator *emulator, enum guest guest)
{
    int status = find_emulator(emulator, guest);
    return status != 0 ? status : find_plugin(emulator);
}

void emulator_free(struct emulator *emulator)
{
    free(emulator->path);
    free(emulator->plugin);
}

/* ---- the command line */

static bool is_foreign(enum guest guest)
{
#if defined(__x86_64__)
    return guest != GUEST_X86_64;
#elif defined(__aarch64__)
    return guest != GUEST_ARM64;
#else
    (void)guest;
    return true;
#endif
}

/* Adds the folder in which a distribution puts the libraries for another architecture. */
static void add_sysroot(struct words *command, enum guest guest)
{
    const char *folder = guests[guest].sysroot;
    if (!is_foreign(guest) || getenv("QEMU_LD_PREFIX") != NULL || access(folder, X_OK) != 0)
        return;
    words_add(command, "-L");
    words_add(command, "%s", folder);
}

/* A program with an unlimited stack, as Fortran codes with large local arrays are told to have, gets
 * 8 MB from QEMU; limits it heeds. A stack needs memory only as it grows: a quarter of the machine's. */
static void add_stack(struct words *command)
{
    struct rlimit limit;
    if (getenv("QEMU_STACK_SIZE") != NULL || getrlimit(RLIMIT_STACK, &limit) != 0 ||
        limit.rlim_cur != RLIM_INFINITY)
        return;
    long long memory = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    long long megabytes = memory / 4 >> 20;
    words_add(command, "-s");
    words_add(command, "%lldM", megabytes > 8 ? megabytes : 8);
}

/* Doubles the commas in a value, since QEMU separates by commas. */
static char *with_commas_doubled(const char *value)
{
    char *doubled = memory_print("%s%s", value, value), *out = doubled; /* long enough in any case */
    for (const char *p = value; *p != '\0'; p++) {
        *out++ = *p;
        if (*p == ',')
            *out++ = ',';
    }
    *out = '\0';
    return doubled;
}

static void add_plugin(struct words *command, const struct emulator *emulator, const struct words *options)
{
    char *value = with_commas_doubled(emulator->plugin);
    char *all = memory_print("file=%s", value); /* with its key: a path may have an = */
    free(value);
    for (size_t i = 0; i < options->n; i++) {
        char *before = all;
        value = with_commas_doubled(options->word[i]);
        all = memory_print("%s,%s", before, value);
        free(value);
        free(before);
    }
    words_add(command, "-plugin");
    words_add(command, "%s", all);
    free(all);
}

/* Adds the emulator and its options. The plugin stays last: it looks there for what it starts other programs
 * with. */
void emulator_words(struct words *words, const struct emulator *emulator, enum guest guest, const char *cpu,
                    const struct words *plugin_options)
{
    words_add(words, "%s", emulator->path);
    if (cpu != NULL || getenv("QEMU_CPU") == NULL) {
        words_add(words, "-cpu");
        words_add(words, "%s", cpu != NULL ? cpu : guests[guest].model());
    }
    add_sysroot(words, guest);
    add_stack(words);
    add_plugin(words, emulator, plugin_options);
}

/* Open MPI copies long messages from another process's memory, for which the emulator has no system call, and
 * complains of each; then it copies them through shared memory, as it does from the beginning with these. The
 * first is that of release 4, the second of 5. */
void emulator_environment(void)
{
    if (getenv("OMPI_COMM_WORLD_RANK") == NULL)
        return;
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    setenv("OMPI_MCA_smsc", "^cma", 0);
}

/* ---- caches */

static const char usual[] = "L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:32M:16:64";

/* ---- this machine's */

/* Geometry of a level of caches; NULL: not known. */
static const PAPI_mh_cache_info_t *known_cache(const PAPI_mh_info_t *memory, int level, int type)
{
    for (int i = 0; level < memory->levels && i < PAPI_MH_MAX_LEVELS; i++) {
        const PAPI_mh_cache_info_t *cache = &memory->level[level].cache[i];
        if ((PAPI_MH_CACHE_TYPE(cache->type) & type) == type && cache->size > 0)
            return cache;
    }
    return NULL;
}

static struct cache_geometry geometry_of(const PAPI_mh_cache_info_t *cache)
{
    uint32_t line = cache->line_size > 0 ? (uint32_t)cache->line_size : 64;
    uint32_t lines = (uint32_t)cache->size / line;
    uint32_t ways = cache->associativity > 0 ? (uint32_t)cache->associativity : 8;
    if (cache->associativity == SHRT_MAX) /* any line of memory in any place */
        ways = lines < CACHE_MAX_WAYS ? lines : CACHE_MAX_WAYS;
    return (struct cache_geometry){.size = (uint64_t)cache->size, .ways = ways, .line = line};
}

/* Finds the machine's caches; false: they are not known. */
static bool machine_geometry(struct cache_geometry geometry[CACHES])
{
    static const struct {
        int level, type;
    } where[CACHES] = {
        [CACHE_L1D] = {0, PAPI_MH_TYPE_DATA},
        [CACHE_L1I] = {0, PAPI_MH_TYPE_INST},
        [CACHE_L2] = {1, PAPI_MH_TYPE_DATA},
        [CACHE_L3] = {2, PAPI_MH_TYPE_DATA},
    };
    const PAPI_hw_info_t *machine = PAPI_get_hardware_info();
    memset(geometry, 0, CACHES * sizeof *geometry);
    for (int i = 0; machine != NULL && i < CACHES; i++) {
        const PAPI_mh_cache_info_t *cache =
            known_cache(&machine->mem_hierarchy, where[i].level, where[i].type);
        if (cache != NULL)
            geometry[i] = geometry_of(cache);
        if (cache != NULL && cache_geometry_fault(&geometry[i]) != NULL)
            return false;
    }
    return geometry[CACHE_L1D].size != 0;
}

static bool ask_machine(struct cache_geometry geometry[CACHES])
{
    if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return false;
    bool known = machine_geometry(geometry);
    PAPI_shutdown();
    return known;
}

/* ---- the choice */

int caches_choose(const char *asked, char **text)
{
    struct cache_geometry geometry[CACHES];
    char canonical[CACHE_TEXT], message[256];
    if (asked == NULL && !ask_machine(geometry)) {
        complain("this machine does not tell its caches: those simulated are %s", usual);
        asked = usual;
    }
    if (asked != NULL && cache_geometry_parse(asked, geometry, message, sizeof message) != 0) {
        complain("--caches: %s", message);
        return EXIT_OWN_ERROR;
    }
    cache_geometry_text(geometry, canonical, sizeof canonical);
    *text = memory_print("%s", canonical);
    return 0;
}
