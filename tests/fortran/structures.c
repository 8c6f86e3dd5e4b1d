/* SPDX-License-Identifier: BSD-3-Clause
 * For information.f90: structures of papi.h in which each number is another one and each text is the
 * name of its component, and the size of those that Fortran has the library fill. */
#include <papi.h>
#include <string.h>

const PAPI_hw_info_t *filled_hw_info(void);
void fill_event_info(PAPI_event_info_t *i);
const PAPI_component_info_t *filled_component_info(int flag);
void fill_dmem_info(PAPI_dmem_info_t *i);
size_t size_of_event_info(void);
size_t size_of_dmem_info(void);

#define TEXT(field) strncpy(field, #field + 3, sizeof field)

const PAPI_hw_info_t *filled_hw_info(void)
{
    static PAPI_hw_info_t info, *i = &info;
    i->ncpu = 1;
    i->threads = 2;
    i->cores = 3;
    i->sockets = 4;
    i->nnodes = 5;
    i->totalcpus = 6;
    i->vendor = 7;
    TEXT(i->vendor_string);
    i->model = 8;
    TEXT(i->model_string);
    i->revision = 9.5F;
    i->cpuid_family = 10;
    i->cpuid_model = 11;
    i->cpuid_stepping = 12;
    i->cpu_max_mhz = 13;
    i->cpu_min_mhz = 14;
    i->mem_hierarchy.levels = 2;
    i->mem_hierarchy.level[0].tlb[1] = (PAPI_mh_tlb_info_t){PAPI_MH_TYPE_DATA, 15, 16, 17};
    i->mem_hierarchy.level[0].cache[0] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_INST, 18, 19, 20, 21};
    i->mem_hierarchy.level[0].cache[5] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_DATA, 22, 23, 24, 25};
    i->mem_hierarchy.level[1].cache[1] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_UNIFIED, 26, 27, 28, 29};
    i->mem_hierarchy.level[2].cache[1] = (PAPI_mh_cache_info_t){PAPI_MH_TYPE_UNIFIED, 1, 1, 1, 1};
    i->virtualized = 1;
    TEXT(i->virtual_vendor_string);
    TEXT(i->virtual_vendor_version);
    i->mhz = 30.25F;
    i->clock_mhz = 31;
    return i;
}

void fill_event_info(PAPI_event_info_t *i)
{
    memset(i, 0, sizeof *i);
    i->event_code = 0x80000001U;
    TEXT(i->symbol);
    TEXT(i->short_descr);
    memset(i->long_descr, '+', sizeof i->long_descr); /* no end */
    i->component_index = 2;
    TEXT(i->units);
    i->location = 3;
    i->data_type = 4;
    i->value_type = 5;
    i->timescope = 6;
    i->update_type = 7;
    i->update_freq = 8;
    i->count = 2;
    i->event_type = 9;
    TEXT(i->derived);
    TEXT(i->postfix);
    i->code[0] = 10;
    i->code[1] = 11;
    TEXT(i->name[0]);
    TEXT(i->name[1]);
    TEXT(i->note);
    i->num_quals = 3;
    TEXT(i->quals[0]);
    TEXT(i->quals[1]);
    TEXT(i->quals[2]);
    TEXT(i->quals_descrs[0]);
    TEXT(i->quals_descrs[1]);
    TEXT(i->quals_descrs[2]);
}

static void set_flag(PAPI_component_info_t *i, int which)
{
    switch (which) {
    case 1:
        i->hardware_intr = 1;
        break;
    case 2:
        i->precise_intr = 1;
        break;
    case 3:
        i->posix1b_timers = 1;
        break;
    case 4:
        i->kernel_profile = 1;
        break;
    case 5:
        i->kernel_multiplex = 1;
        break;
    case 6:
        i->fast_counter_read = 1;
        break;
    case 7:
        i->fast_real_timer = 1;
        break;
    case 8:
        i->fast_virtual_timer = 1;
        break;
    case 9:
        i->attach = 1;
        break;
    case 10:
        i->attach_must_ptrace = 1;
        break;
    case 11:
        i->cntr_umasks = 1;
        break;
    case 12:
        i->cpu = 1;
        break;
    case 13:
        i->inherit = 1;
        break;
    }
}

/* flag: which of the flags is set, from 1. */
const PAPI_component_info_t *filled_component_info(int flag)
{
    static char first[] = "pmu_names[0]", second[] = "pmu_names[1]";
    static PAPI_component_info_t info, *i = &info;
    memset(i, 0, sizeof *i);
    TEXT(i->name);
    TEXT(i->short_name);
    TEXT(i->description);
    TEXT(i->version);
    TEXT(i->support_version);
    TEXT(i->kernel_version);
    TEXT(i->disabled_reason);
    i->disabled = 1;
    TEXT(i->partially_disabled_reason);
    i->partially_disabled = 2;
    i->initialized = 3;
    i->CmpIdx = 4;
    i->num_cntrs = 5;
    i->num_mpx_cntrs = 6;
    i->num_preset_events = 7;
    i->num_native_events = 8;
    i->default_domain = 9;
    i->available_domains = 10;
    i->default_granularity = 11;
    i->available_granularities = 12;
    i->hardware_intr_sig = 13;
    i->component_type = 14;
    i->pmu_names[0] = first;
    i->pmu_names[1] = second;
    set_flag(i, flag);
    return i;
}

void fill_dmem_info(PAPI_dmem_info_t *i)
{
    memset(i, 0, sizeof *i);
    i->peak = 1;
    i->size = 2;
    i->resident = 3;
    i->high_water_mark = 4;
    i->shared = 5;
    i->text = 6;
    i->library = 7;
    i->heap = 8;
    i->locked = 9;
    i->stack = 10;
    i->pagesize = 11;
    i->pte = 12;
}

size_t size_of_event_info(void)
{
    return sizeof(PAPI_event_info_t);
}

size_t size_of_dmem_info(void)
{
    return sizeof(PAPI_dmem_info_t);
}
