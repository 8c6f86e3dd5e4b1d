/* SPDX-License-Identifier: BSD-3-Clause */
#include "glue.h"

#include "papi.h"
#include "text.h"
#include "wide.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* No address is smaller: Linux maps nothing into the first 64 KiB (vm.mmap_min_addr). */
#define FIRST_ADDRESS 65536

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

int fpapi_strerror(int code, char *text)
{
    const char *found = PAPI_strerror(code);
    if (!found)
        return PAPI_EINVAL;
    copy(text, PAPI_HUGE_STR_LEN, found);
    return PAPI_OK;
}

static void print_with_last_error(const char *msg, size_t length)
{
    struct fpapi_text text;
    PAPI_perror(fpapi_text_in(&text, msg, length));
}

void fpapi_perror(int *code, char *destination, int *check, size_t length)
{
    char text[PAPI_HUGE_STR_LEN] = "";
    if ((uintptr_t)destination < FIRST_ADDRESS) {
        print_with_last_error((const char *)code, (size_t)(uintptr_t)destination);
        return;
    }
    /* As in C, no room asks for the text on stderr. */
    *check = PAPI_perror_string(*code, text, length == 0 ? 0 : (int)sizeof text);
    fpapi_text_out(destination, length, text, sizeof text);
}

void fpapi8_perror(long long *code, char *destination, long long *check, size_t length)
{
    int code_int, check_int;
    if ((uintptr_t)destination < FIRST_ADDRESS) {
        fpapi_perror((int *)code, destination, (int *)check, length);
        return;
    }
    code_int = fpapi_int(code);
    fpapi_perror(&code_int, destination, &check_int, length);
    *check = check_int;
}

int fpapi_unregster_thread(void)
{
    return PAPI_unregister_thread();
}

int fpapi_get_clockrate(void)
{
    return PAPI_get_opt(PAPI_CLOCKRATE, NULL);
}

/* A default is what PAPI_get_opt returns. */
static int get_default(int option, int *value)
{
    int found = PAPI_get_opt(option, NULL);
    if (found < 0)
        return found;
    *value = found;
    return PAPI_OK;
}

int fpapi_get_domain(int es, int *domain, int mode)
{
    PAPI_option_t option = {.domain = {.eventset = es}};
    int rc;
    if (mode == PAPI_DEFDOM)
        return get_default(mode, domain);
    if (mode != PAPI_DOMAIN)
        return PAPI_EINVAL;
    rc = PAPI_get_opt(mode, &option);
    if (rc == PAPI_OK)
        *domain = option.domain.domain;
    return rc;
}

int fpapi_get_granularity(int es, int *granularity, int mode)
{
    PAPI_option_t option = {.granularity = {.eventset = es}};
    int rc;
    if (mode == PAPI_DEFGRN)
        return get_default(mode, granularity);
    if (mode != PAPI_GRANUL)
        return PAPI_EINVAL;
    rc = PAPI_get_opt(mode, &option);
    if (rc == PAPI_OK)
        *granularity = option.granularity.granularity;
    return rc;
}

int fpapi_set_event_domain(int es, int domain)
{
    PAPI_option_t option = {.domain = {.eventset = es, .domain = domain}};
    return PAPI_set_opt(PAPI_DOMAIN, &option);
}

/* Sets the default of inheritance: the Fortran call has no event set. */
int fpapi_set_inherit(int inherit)
{
    PAPI_option_t option = {.inherit = {.eventset = PAPI_NULL, .inherit = inherit}};
    return PAPI_set_opt(PAPI_INHERIT, &option);
}

int fpapi_set_share(int es, int on)
{
    PAPI_option_t option = {.share = {.eventset = es, .on = on}};
    return PAPI_set_opt(PAPI_SHARE, &option);
}

int fpapi_set_wait(int es, double seconds)
{
    PAPI_option_t option = {.wait = {.eventset = es, .seconds = seconds}};
    return PAPI_set_opt(PAPI_WAIT, &option);
}

int fpapi_get_event_info(int code, char *symbol, char *long_descr, char *short_descr, int *count,
                         char *event_note, int *flags)
{
    PAPI_event_info_t info;
    int rc = PAPI_get_event_info(code, &info);
    if (rc != PAPI_OK)
        return rc;
    copy(symbol, PAPI_HUGE_STR_LEN, info.symbol);
    copy(long_descr, PAPI_HUGE_STR_LEN, info.long_descr);
    copy(short_descr, PAPI_MIN_STR_LEN, info.short_descr);
    copy(event_note, PAPI_HUGE_STR_LEN, info.note);
    *count = (int)info.count;
    *flags = (int)info.event_type;
    return PAPI_OK;
}

void fpapi_get_hardware_info(int *ncpu, int *nnodes, int *totalcpus, int *vendor, char *vendor_str,
                             int *model, char *model_str, float *revision, float *mhz)
{
    static const PAPI_hw_info_t nothing;
    const PAPI_hw_info_t *info = PAPI_get_hardware_info();
    if (!info)
        info = &nothing;
    *ncpu = info->ncpu;
    *nnodes = info->nnodes;
    *totalcpus = info->totalcpus;
    *vendor = info->vendor;
    copy(vendor_str, PAPI_MAX_STR_LEN, info->vendor_string);
    *model = info->model;
    copy(model_str, PAPI_MAX_STR_LEN, info->model_string);
    *revision = info->revision;
    *mhz = info->mhz;
}

int fpapi_get_dmem_info(long long *values)
{
    PAPI_dmem_info_t info;
    int rc = PAPI_get_dmem_info(&info);
    if (rc != PAPI_OK)
        return rc;
    values[PAPIF_DMEM_VMPEAK - 1] = info.peak;
    values[PAPIF_DMEM_VMSIZE - 1] = info.size;
    values[PAPIF_DMEM_RESIDENT - 1] = info.resident;
    values[PAPIF_DMEM_HIGH_WATER - 1] = info.high_water_mark;
    values[PAPIF_DMEM_SHARED - 1] = info.shared;
    values[PAPIF_DMEM_TEXT - 1] = info.text;
    values[PAPIF_DMEM_LIBRARY - 1] = info.library;
    values[PAPIF_DMEM_HEAP - 1] = info.heap;
    values[PAPIF_DMEM_LOCKED - 1] = info.locked;
    values[PAPIF_DMEM_STACK - 1] = info.stack;
    values[PAPIF_DMEM_PAGESIZE - 1] = info.pagesize;
    values[PAPIF_DMEM_PTE - 1] = info.pte;
    return PAPI_OK;
}

/* Calls the option of the same name, since it says why a function that returns a pointer gave none. */
int fpapi_get_exe_info(char *fullname, char *name, long long *text_start, long long *text_end,
                       long long *data_start, long long *data_end, long long *bss_start, long long *bss_end)
{
    PAPI_option_t option;
    const PAPI_address_map_t *map;
    int rc = PAPI_get_opt(PAPI_EXEINFO, &option);
    if (rc != PAPI_OK)
        return rc;
    map = &option.exe_info->address_info;
    copy(fullname, PAPI_HUGE_STR_LEN, option.exe_info->fullname);
    copy(name, PAPI_HUGE_STR_LEN, map->name);
    *text_start = (long long)(intptr_t)map->text_start;
    *text_end = (long long)(intptr_t)map->text_end;
    *data_start = (long long)(intptr_t)map->data_start;
    *data_end = (long long)(intptr_t)map->data_end;
    *bss_start = (long long)(intptr_t)map->bss_start;
    *bss_end = (long long)(intptr_t)map->bss_end;
    return PAPI_OK;
}

int fpapi_get_preload(char *env)
{
    PAPI_option_t option;
    int rc = PAPI_get_opt(PAPI_PRELOAD, &option);
    if (rc == PAPI_OK)
        copy(env, PAPI_MAX_STR_LEN, option.preload.lib_preload_env);
    return rc;
}

/* ---- samples */

/* The caller's room for a row of numbers holds the structure that comes in its place first. */
_Static_assert(sizeof(PAPI_sample_t) <= PAPIF_SAMPLE_MAXVAL * sizeof(long long), "a sample's room");
_Static_assert(sizeof(PAPI_branch_t) <= PAPIF_BRANCH_MAXVAL * sizeof(long long), "a branch's room");

static void put_sample(const PAPI_sample_t *sample, long long *row)
{
    row[PAPIF_SAMPLE_TIME - 1] = sample->time;
    row[PAPIF_SAMPLE_INSTRUCTION - 1] = sample->instruction;
    row[PAPIF_SAMPLE_ADDRESS - 1] = sample->address;
    row[PAPIF_SAMPLE_PERIOD - 1] = sample->period;
    row[PAPIF_SAMPLE_LATENCY - 1] = sample->latency;
    row[PAPIF_SAMPLE_PROCESS - 1] = sample->process;
    row[PAPIF_SAMPLE_THREAD - 1] = sample->thread;
    row[PAPIF_SAMPLE_CPU - 1] = sample->cpu;
    row[PAPIF_SAMPLE_ACCESS - 1] = sample->access;
    row[PAPIF_SAMPLE_LEVEL - 1] = sample->level;
    row[PAPIF_SAMPLE_TLB - 1] = sample->tlb;
    row[PAPIF_SAMPLE_SNOOP - 1] = sample->snoop;
    row[PAPIF_SAMPLE_HOPS - 1] = sample->hops;
    row[PAPIF_SAMPLE_FLAGS - 1] = sample->flags;
    row[PAPIF_SAMPLE_N_BRANCHES - 1] = sample->branches;
    row[PAPIF_SAMPLE_FIRST_BRANCH - 1] = sample->first_branch + 1LL;
}

/* A row ends behind its structure, and behind all before it: from the last one on, none is written over
 * before it was taken. */
int fpapi_sample_read(int sampler, long long *samples, int *n)
{
    int rc = PAPI_sample_read(sampler, (PAPI_sample_t *)samples, n);
    for (int i = rc == PAPI_OK ? *n - 1 : -1; i >= 0; i--) {
        PAPI_sample_t sample;
        memcpy(&sample, (char *)samples + (size_t)i * sizeof sample, sizeof sample);
        put_sample(&sample, samples + (size_t)i * PAPIF_SAMPLE_MAXVAL);
    }
    return rc;
}

int fpapi_sample_branches(int sampler, long long *branches, int *n)
{
    int rc = PAPI_sample_branches(sampler, (PAPI_branch_t *)branches, n);
    for (int i = rc == PAPI_OK ? *n - 1 : -1; i >= 0; i--) {
        PAPI_branch_t branch;
        memcpy(&branch, (char *)branches + (size_t)i * sizeof branch, sizeof branch);
        long long *row = branches + (size_t)i * PAPIF_BRANCH_MAXVAL;
        row[PAPIF_BRANCH_FROM - 1] = branch.from;
        row[PAPIF_BRANCH_TO - 1] = branch.to;
        row[PAPIF_BRANCH_CYCLES - 1] = branch.cycles;
        row[PAPIF_BRANCH_TYPE - 1] = branch.type;
        row[PAPIF_BRANCH_FLAGS - 1] = branch.flags;
    }
    return rc;
}
