/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzzes what is made of a machine that hwloc read from XML. The input says what the tree has and which
 * numbers: they may be of no machine, but the document is one that hwloc takes, whose own reader is not meant
 * here.
 */
#include "fuzz.h"
#include "hardware/hardware.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CPUS = 64 };

/* Small, or as large as a text has it. */
static unsigned long long number(struct fuzz_bytes *bytes)
{
    static const unsigned long long numbers[] = {0,
                                                 1,
                                                 64,
                                                 32768,
                                                 0x7fffffff,
                                                 0x80000000,
                                                 0xffffffff,
                                                 0x100000000,
                                                 0x7fffffffffffffff,
                                                 0xffffffffffffffff};
    unsigned choice = (unsigned)fuzz_number(bytes, 1);
    return choice < sizeof numbers / sizeof *numbers ? numbers[choice] : fuzz_number(bytes, choice % 8 + 1);
}

static void begin(FILE *out, const char *type, int os, int first, int n)
{
    unsigned long long mask = (n >= 64 ? ~0ull : (1ull << n) - 1) << first;
    fprintf(out,
            "<object type=\"%s\" os_index=\"%d\" cpuset=\"0x%08llx,0x%08llx\" "
            "complete_cpuset=\"0x%08llx,0x%08llx\"",
            type, os, mask >> 32, mask & 0xffffffff, mask >> 32, mask & 0xffffffff);
    fprintf(out, " nodeset=\"0x00000001\" complete_nodeset=\"0x00000001\"");
}

static int cache(FILE *out, struct fuzz_bytes *bytes, int first, int n)
{
    static const char *const names[] = {"L1Cache", "L2Cache",  "L3Cache", "L4Cache",
                                        "L5Cache", "L1iCache", "L2iCache"};
    int open = 0;
    for (int level = 6; level >= 0; level--) {
        if (fuzz_number(bytes, 1) % 2 == 0)
            continue;
        begin(out, names[level], level, first, n);
        fprintf(out, " cache_size=\"%llu\" depth=\"%d\"", number(bytes), level > 4 ? level - 4 : level + 1);
        fprintf(out, " cache_linesize=\"%llu\" cache_associativity=\"%lld\" cache_type=\"%d\">\n",
                number(bytes), (long long)number(bytes), level > 4 ? 2 : (int)fuzz_number(bytes, 1) % 2);
        open++;
    }
    return open;
}

static void document(FILE *out, struct fuzz_bytes *bytes)
{
    int packages = 1 + (int)fuzz_number(bytes, 1) % 4, cores = 1 + (int)fuzz_number(bytes, 1) % 4;
    int threads = 1 + (int)fuzz_number(bytes, 1) % 4, cpus = packages * cores * threads, cpu = 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
          "<topology version=\"2.0\">\n",
          out);
    begin(out, "Machine", 0, 0, cpus);
    fprintf(out, " allowed_cpuset=\"0xffffffff,0xffffffff\" allowed_nodeset=\"0x00000001\">\n");
    begin(out, "NUMANode", 0, 0, cpus);
    fprintf(out, " local_memory=\"%llu\"/>\n", number(bytes));
    for (int p = 0; p < packages; p++) {
        begin(out, "Package", p, cpu, cores * threads);
        fputs(">\n", out);
        for (int c = 0; c < cores; c++) {
            int open = cache(out, bytes, cpu, threads);
            begin(out, "Core", c, cpu, threads);
            fputs(">\n", out);
            for (int t = 0; t < threads; t++, cpu++) {
                begin(out, "PU", cpu, cpu, 1);
                fputs("/>\n", out);
            }
            fputs("</object>\n", out);
            while (open-- > 0)
                fputs("</object>\n", out);
        }
        fputs("</object>\n", out);
    }
    fputs("</object>\n</topology>\n", out);
}

static void check(const PAPI_hw_info_t *info)
{
    const PAPI_mh_info_t *mh = &info->mem_hierarchy;
    REQUIRE(info->ncpu >= 0 && info->totalcpus >= 0 && info->nnodes >= 0);
    REQUIRE(info->sockets >= 0 && info->cores >= 0 && info->threads >= 0);
    REQUIRE(info->totalcpus <= MOST_CPUS);
    REQUIRE(mh->levels >= 0 && mh->levels <= PAPI_MH_MAX_LEVELS);
    for (int level = 0; level < mh->levels; level++)
        for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
            const PAPI_mh_cache_info_t *one = &mh->level[level].cache[i];
            REQUIRE(one->size >= 0 && one->line_size >= 0 && one->num_lines >= 0 && one->associativity >= 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static PAPI_hw_info_t info;
    struct fuzz_bytes bytes = {data, data + size};
    char *text = NULL;
    size_t length = 0;
    static void *kept;
    if (kept == NULL) { /* or it would be loaded anew each time, with plugins that look for graphics cards */
        setenv("HWLOC_PLUGINS_PATH", "/dev/null", 1);
        setenv("HWLOC_HIDE_ERRORS", "2", 1);
        kept = dlopen("libhwloc.so.15", RTLD_LAZY);
    }
    FILE *out = open_memstream(&text, &length);
    document(out, &bytes);
    fclose(out);
    fuzz_put("topology.xml", text, length);
    hardware_info_fill(fuzz_folder(), &info);
    check(&info);
    free(text);
    return 0;
}
