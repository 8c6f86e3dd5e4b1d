/* SPDX-License-Identifier: BSD-3-Clause
 *
 * papi_mem_info: the caches and translation buffers of this machine's processor.
 */
#include "base/json.h"
#include "papi.h"
#include "tool.h"

#include <limits.h>
#include <stdio.h>

static const char usage_text[] =
    "Usage: papi_mem_info [--json]\n"
    "Describes the caches and translation buffers (TLB) of the processor.\n"
    "\n"
    "      --json     the same for programs: one JSON object\n"
    "      --version  the version of the interface\n"
    "  -h, --help     this text\n"
    "\n"
    "Exit status: 0; 1 if the machine tells of no caches, or after an error; 2 for\n"
    "wrong options.\n";

/* ------------------------------------------------------------------------- names */

static const char *kind(int type)
{
    switch (PAPI_MH_CACHE_TYPE(type)) {
    case PAPI_MH_TYPE_INST:
        return "Instruction";
    case PAPI_MH_TYPE_DATA:
        return "Data";
    case PAPI_MH_TYPE_UNIFIED:
        return "Unified";
    case PAPI_MH_TYPE_TRACE:
        return "Trace";
    case PAPI_MH_TYPE_VECTOR:
        return "Vector";
    }
    return "Unknown";
}

static const char *json_kind(int type)
{
    switch (PAPI_MH_CACHE_TYPE(type)) {
    case PAPI_MH_TYPE_INST:
        return "instruction";
    case PAPI_MH_TYPE_DATA:
        return "data";
    case PAPI_MH_TYPE_UNIFIED:
        return "unified";
    case PAPI_MH_TYPE_TRACE:
        return "trace";
    case PAPI_MH_TYPE_VECTOR:
        return "vector";
    }
    return "unknown";
}

static bool is_there(int type)
{
    return PAPI_MH_CACHE_TYPE(type) != PAPI_MH_TYPE_EMPTY;
}

/* -------------------------------------------------------------------------- text */

/* What the machine does not tell is 0. */
static void print_number(const char *label, int number, const char *unit)
{
    if (number > 0)
        printf("  %-17s %6d%s\n", label, number, unit);
    else
        printf("  %-16s unknown\n", label);
}

/* SHRT_MAX is fully associative for caches, INT_MAX for translation buffers. */
static void print_ways(int ways)
{
    if (ways == SHRT_MAX || ways == INT_MAX)
        printf("  %-17s %6s\n", "Associativity:", "Full");
    else
        print_number("Associativity:", ways, "");
}

/* Whole kilobytes, as scripts know them, unless the size is none. */
static void print_size(const char *label, int bytes)
{
    bool whole = bytes % 1024 == 0;
    print_number(label, whole ? bytes / 1024 : bytes, whole ? " KB" : " B");
}

static void print_tlb(int level, const PAPI_mh_tlb_info_t *tlb)
{
    printf("\nL%d %s TLB:\n", level, kind(tlb->type));
    if (tlb->page_size > 0)
        print_size("Page size:", tlb->page_size);
    print_number("Number of Entries:", tlb->num_entries, "");
    print_ways(tlb->associativity);
}

static void print_cache(int level, const PAPI_mh_cache_info_t *cache)
{
    printf("\nL%d %s Cache:\n", level, kind(cache->type));
    print_size("Total size:", cache->size);
    print_number("Line size:", cache->line_size, " B");
    print_number("Number of Lines:", cache->num_lines, "");
    print_ways(cache->associativity);
}

/* Calls for each that there is, if print is not NULL. Returns how many. */
static int each_tlb(const PAPI_mh_info_t *memory, void (*print)(int, const PAPI_mh_tlb_info_t *))
{
    int n = 0;
    for (int level = 0; level < memory->levels && level < PAPI_MAX_MEM_HIERARCHY_LEVELS; level++)
        for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
            const PAPI_mh_tlb_info_t *tlb = &memory->level[level].tlb[i];
            if (!is_there(tlb->type))
                continue;
            n++;
            if (print != NULL)
                print(level + 1, tlb);
        }
    return n;
}

static int each_cache(const PAPI_mh_info_t *memory, void (*print)(int, const PAPI_mh_cache_info_t *))
{
    int n = 0;
    for (int level = 0; level < memory->levels && level < PAPI_MAX_MEM_HIERARCHY_LEVELS; level++)
        for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
            const PAPI_mh_cache_info_t *cache = &memory->level[level].cache[i];
            if (!is_there(cache->type))
                continue;
            n++;
            if (print != NULL)
                print(level + 1, cache);
        }
    return n;
}

static void print_memory(const PAPI_hw_info_t *hw)
{
    puts("Caches and translation buffers of one core, and of what it shares with others");
    puts("------------------------------------------------------------------------");
    printf("Processor: %s\n", hw->model_string[0] != '\0' ? hw->model_string : "unknown");
    if (each_tlb(&hw->mem_hierarchy, NULL) > 0)
        puts("\nTLB Information.");
    each_tlb(&hw->mem_hierarchy, print_tlb);
    if (each_cache(&hw->mem_hierarchy, NULL) > 0)
        puts("\nCache Information.");
    each_cache(&hw->mem_hierarchy, print_cache);
}

/* -------------------------------------------------------------------------- JSON */

/* null: not known. */
static void number_json(struct json *json, const char *key, int number)
{
    if (number > 0)
        json_integer(json, key, number);
    else
        json_string(json, key, NULL);
}

static void ways_json(struct json *json, int ways)
{
    bool full = ways == SHRT_MAX || ways == INT_MAX;
    if (full || ways > 0)
        json_boolean(json, "fully_associative", full);
    else
        json_string(json, "fully_associative", NULL);
    if (full || ways <= 0)
        json_string(json, "associativity", NULL);
    else
        json_integer(json, "associativity", ways);
}

static void tlbs_json(struct json *json, const PAPI_mh_level_t *level)
{
    json_open(json, "tlbs", '[');
    for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
        if (!is_there(level->tlb[i].type))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "type", json_kind(level->tlb[i].type));
        number_json(json, "page_size", level->tlb[i].page_size);
        number_json(json, "entries", level->tlb[i].num_entries);
        ways_json(json, level->tlb[i].associativity);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void caches_json(struct json *json, const PAPI_mh_level_t *level)
{
    json_open(json, "caches", '[');
    for (int i = 0; i < PAPI_MH_MAX_LEVELS; i++) {
        if (!is_there(level->cache[i].type))
            continue;
        json_open(json, NULL, '{');
        json_string(json, "type", json_kind(level->cache[i].type));
        number_json(json, "size", level->cache[i].size);
        number_json(json, "line_size", level->cache[i].line_size);
        number_json(json, "lines", level->cache[i].num_lines);
        ways_json(json, level->cache[i].associativity);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void memory_json(const PAPI_hw_info_t *hw)
{
    struct json json = {.out = stdout};
    json_open(&json, NULL, '{');
    json_string(&json, "processor", hw->model_string);
    json_open(&json, "levels", '[');
    for (int i = 0; i < hw->mem_hierarchy.levels && i < PAPI_MAX_MEM_HIERARCHY_LEVELS; i++) {
        json_open(&json, NULL, '{');
        json_integer(&json, "level", i + 1);
        tlbs_json(&json, &hw->mem_hierarchy.level[i]);
        caches_json(&json, &hw->mem_hierarchy.level[i]);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
}

static int run(struct tool *tool)
{
    if (tool_open(tool) != TOOL_FINE)
        return TOOL_ERROR;
    const PAPI_hw_info_t *hw = PAPI_get_hardware_info();
    if (hw == NULL)
        return tool_error(tool, "the machine cannot be described: %s", PAPI_strerror(PAPI_ENOMEM));
    if (tool->report.json)
        memory_json(hw);
    else
        print_memory(hw);
    if (each_cache(&hw->mem_hierarchy, NULL) == 0)
        return tool_error(tool, "this machine tells of no caches: /sys/devices/system/cpu may be hidden");
    return TOOL_FINE;
}

int main(int argc, char **argv)
{
    struct tool tool = {.name = "papi_mem_info", .usage = usage_text};
    tool_start(&tool, "h", NULL);
    if (tool_option(&tool, argc, argv) == TOOL_NO_MORE && tool_no_arguments(&tool, argc, argv) == TOOL_FINE)
        tool.status = run(&tool);
    return tool_end(&tool);
}
