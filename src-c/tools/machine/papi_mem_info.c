/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_mem_info: the caches and translation buffers of this machine's processor.
 */
#include "papi.h"
#include "tools/common/tool.h"

#include <limits.h>

static const char usage_text[] =
    "Usage: papi_mem_info [--json]\n"
    "Describes the caches and translation buffers (TLB) of the processor.\n"
    "\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0; 1 if the machine reports no caches, or after an error; 2 for\n"
    "wrong options.\n";

/* ---- names */

static const struct kind {
    int type;
    const char *name, *key;
} kinds[] = {
    {PAPI_MH_TYPE_INST, "Instruction", "instruction"}, {PAPI_MH_TYPE_DATA, "Data", "data"},
    {PAPI_MH_TYPE_UNIFIED, "Unified", "unified"},      {PAPI_MH_TYPE_TRACE, "Trace", "trace"},
    {PAPI_MH_TYPE_VECTOR, "Vector", "vector"},         {0, "Unknown", "unknown"},
};

static const struct kind *find_kind(int type)
{
    const struct kind *kind = kinds;
    while (kind->type != 0 && kind->type != PAPI_MH_CACHE_TYPE(type))
        kind++;
    return kind;
}

/* ---- values */

/* Shows a number, where 0 stands for one that the machine does not report. */
static void show_number(struct report *report, const char *label, const char *key, int number,
                        const char *unit)
{
    report_measure(report, label, key, number > 0 ? number : REPORT_UNKNOWN, unit);
}

/* Whole kilobytes, as scripts know them, unless the size is none. In JSON always bytes. label NULL: the text
 * does not have it. */
static void show_size(struct report *report, const char *label, const char *key, int bytes)
{
    bool known = bytes > 0, whole = bytes % 1024 == 0;
    report_sentence(report, label, label != NULL ? "{.size:%6d|unknown}{.unit}" : NULL,
                    AS_NUMBER(key, known ? bytes : REPORT_UNKNOWN),
                    AS_NUMBER(".size", known ? (whole ? bytes / 1024 : bytes) : REPORT_UNKNOWN),
                    AS_TEXT(".unit", known ? (whole ? " KB" : " B") : ""));
}

/* SHRT_MAX is fully associative for caches, INT_MAX for translation buffers. */
static void show_ways(struct report *report, int ways)
{
    bool full = ways == SHRT_MAX || ways == INT_MAX;
    bool known = full || ways > 0;
    report_sentence(report, "Associativity:", full ? "{.full:%6s}" : "{associativity:%6d|unknown}",
                    known ? AS_FLAG("fully_associative", full) : AS_TEXT("fully_associative", NULL),
                    AS_NUMBER("associativity", full || !known ? REPORT_UNKNOWN : ways),
                    AS_TEXT(".full", "Full"));
}

/* ---- parts */

enum part { TLBS, CACHES };
static const struct {
    const char *name, *heading, *key;
} parts[] = {{"TLB", "TLB Information.", "tlbs"}, {"Cache", "Cache Information.", "caches"}};

static void show_tlb(struct report *report, const PAPI_mh_tlb_info_t *tlb)
{
    show_size(report, tlb->page_size > 0 ? "Page size:" : NULL, "page_size", tlb->page_size);
    show_number(report, "Number of Entries:", "entries", tlb->num_entries, "");
    show_ways(report, tlb->associativity);
}

static void show_cache(struct report *report, const PAPI_mh_cache_info_t *cache)
{
    show_size(report, "Total size:", "size", cache->size);
    show_number(report, "Line size:", "line_size", cache->line_size, " B");
    show_number(report, "Number of Lines:", "lines", cache->num_lines, "");
    show_ways(report, cache->associativity);
}

/* Shows the caches or TLBs of one level. first: none has been shown yet. Returns how many there are. */
static int show_part(struct report *report, enum part part, const PAPI_mh_info_t *memory, int level,
                     bool first)
{
    const PAPI_mh_level_t *found = &memory->level[level];
    int n = 0;
    report_list(report, parts[part].key);
    for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
        int type = part == TLBS ? found->tlb[i].type : found->cache[i].type;
        if (PAPI_MH_CACHE_TYPE(type) == PAPI_MH_TYPE_EMPTY)
            continue;
        if (n++ == 0 && first)
            report_line(report, NULL, "\n%s", parts[part].heading);
        report_object(report, NULL);
        report_line(report, NULL, "\nL%d %s %s:", level + 1, find_kind(type)->name, parts[part].name);
        report_string(report, NULL, "type", find_kind(type)->key);
        if (part == TLBS)
            show_tlb(report, &found->tlb[i]);
        else
            show_cache(report, &found->cache[i]);
        report_end(report);
    }
    report_end(report);
    return n;
}

/* JSON has both parts of each level, the text all translation buffers first. Returns the number of caches. */
static int show_levels(struct report *report, const PAPI_mh_info_t *memory)
{
    int levels =
        memory->levels < PAPI_MAX_MEM_HIERARCHY_LEVELS ? memory->levels : PAPI_MAX_MEM_HIERARCHY_LEVELS;
    int tlbs = 0, caches = 0;
    report_only(report, REPORT_TEXT_ONLY);
    for (int i = 0; i < levels; i++)
        tlbs += show_part(report, TLBS, memory, i, tlbs == 0);
    report_only(report, REPORT_BOTH);
    report_list(report, "levels");
    for (int i = 0; i < levels; i++) {
        report_object(report, NULL);
        report_number(report, NULL, "level", i + 1);
        report_only(report, REPORT_JSON_ONLY);
        show_part(report, TLBS, memory, i, false);
        report_only(report, REPORT_BOTH);
        caches += show_part(report, CACHES, memory, i, caches == 0);
        report_end(report);
    }
    report_end(report);
    return caches;
}

static int run(struct tool *tool)
{
    static const struct report_layout layout = {2, 17, " ", 6, 0, NULL};
    struct report *report = &tool->report;
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return tool_error(tool, "the machine cannot be described: %s", PAPI_strerror(PAPI_ENOMEM));
    report->layout = &layout;
    report_line(report, NULL,
                "Caches and translation buffers of one core, and of what it shares with others");
    report_line(report, NULL, "------------------------------------------------------------------------");
    report_sentence(report, NULL, "Processor: {processor|unknown}", AS_TEXT("processor", hw->model_string));
    int caches = show_levels(report, &hw->mem_hierarchy);
    report_finish(report);
    if (caches == 0)
        return tool_error(tool, "this machine reports no caches: /sys/devices/system/cpu may be hidden");
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_mem_info", .usage = usage_text};
    if (tool_ready(&tool, argc, argv, NULL, NULL))
        tool.status = run(&tool);
    return tool_end(&tool);
}
