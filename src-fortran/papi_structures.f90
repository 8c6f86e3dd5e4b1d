! SPDX-License-Identifier: BSD-3-Clause
! The structures of papi.h as C lays them out. Programs use the types of papi_information, whose texts
! are Fortran's; tests/fortran/structures.c compares these here with papi.h, component by component.
module papi_structures
  use, intrinsic :: iso_c_binding, only: c_char, c_float, c_int, c_long_long, c_ptr
  use papi_bindings, only: PAPI_2MAX_STR_LEN, PAPI_HUGE_STR_LEN, PAPI_MAX_COMP_QUALS, PAPI_MAX_INFO_TERMS, &
    PAPI_MAX_MEM_HIERARCHY_LEVELS, PAPI_MAX_STR_LEN, PAPI_MH_MAX_LEVELS, PAPI_MIN_STR_LEN, PAPI_PMU_MAX
  implicit none
  private

  type, bind(C), public :: c_event_info
    integer(c_int) :: event_code
    character(kind=c_char) :: symbol(PAPI_HUGE_STR_LEN)
    character(kind=c_char) :: short_descr(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: long_descr(PAPI_HUGE_STR_LEN)
    integer(c_int) :: component_index
    character(kind=c_char) :: units(PAPI_MIN_STR_LEN)
    integer(c_int) :: location, data_type, value_type, timescope, update_type, update_freq
    integer(c_int) :: count, event_type
    character(kind=c_char) :: derived(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: postfix(PAPI_2MAX_STR_LEN)
    integer(c_int) :: code(PAPI_MAX_INFO_TERMS)
    character(kind=c_char) :: name(PAPI_2MAX_STR_LEN, PAPI_MAX_INFO_TERMS)
    character(kind=c_char) :: note(PAPI_HUGE_STR_LEN)
    integer(c_int) :: num_quals
    character(kind=c_char) :: quals(PAPI_HUGE_STR_LEN, PAPI_MAX_COMP_QUALS)
    character(kind=c_char) :: quals_descrs(PAPI_HUGE_STR_LEN, PAPI_MAX_COMP_QUALS)
  end type c_event_info

  type, bind(C), public :: c_tlb_info
    integer(c_int) :: type, num_entries, page_size, associativity
  end type c_tlb_info

  type, bind(C), public :: c_cache_info
    integer(c_int) :: type, size, line_size, num_lines, associativity
  end type c_cache_info

  type, bind(C), public :: c_level_info
    type(c_tlb_info) :: tlb(PAPI_MH_MAX_LEVELS)
    type(c_cache_info) :: cache(PAPI_MH_MAX_LEVELS)
  end type c_level_info

  type, bind(C), public :: c_hierarchy_info
    integer(c_int) :: levels
    type(c_level_info) :: level(PAPI_MAX_MEM_HIERARCHY_LEVELS)
  end type c_hierarchy_info

  type, bind(C), public :: c_hw_info
    integer(c_int) :: ncpu, threads, cores, sockets, nnodes, totalcpus, vendor
    character(kind=c_char) :: vendor_string(PAPI_MAX_STR_LEN)
    integer(c_int) :: model
    character(kind=c_char) :: model_string(PAPI_MAX_STR_LEN)
    real(c_float) :: revision
    integer(c_int) :: cpuid_family, cpuid_model, cpuid_stepping, cpu_max_mhz, cpu_min_mhz
    type(c_hierarchy_info) :: mem_hierarchy
    integer(c_int) :: virtualized
    character(kind=c_char) :: virtual_vendor_string(PAPI_MAX_STR_LEN)
    character(kind=c_char) :: virtual_vendor_version(PAPI_MAX_STR_LEN)
    real(c_float) :: mhz
    integer(c_int) :: clock_mhz
  end type c_hw_info

  type, bind(C), public :: c_component_info
    character(kind=c_char) :: name(PAPI_MAX_STR_LEN)
    character(kind=c_char) :: short_name(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: description(PAPI_MAX_STR_LEN)
    character(kind=c_char) :: version(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: support_version(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: kernel_version(PAPI_MIN_STR_LEN)
    character(kind=c_char) :: disabled_reason(PAPI_HUGE_STR_LEN)
    integer(c_int) :: disabled
    character(kind=c_char) :: partially_disabled_reason(PAPI_HUGE_STR_LEN)
    integer(c_int) :: partially_disabled, initialized, cmpidx, num_cntrs, num_mpx_cntrs, num_preset_events, &
      num_native_events, default_domain, available_domains, default_granularity, available_granularities, &
      hardware_intr_sig, component_type
    type(c_ptr) :: pmu_names(PAPI_PMU_MAX)
    integer(c_int) :: flags ! 13 fields of one bit: see flag_of
  end type c_component_info

  type, bind(C), public :: c_dmem_info
    integer(c_long_long) :: peak, size, resident, high_water_mark, shared, text, library, heap, locked, stack, &
      pagesize, pte
  end type c_dmem_info

  public :: flag_of

contains

  ! The i-th field of one bit, from 0. C compilers give the first field the lowest bit on little-endian
  ! machines, and the highest on the others.
  logical function flag_of(flags, i)
    integer(c_int), intent(in) :: flags
    integer, intent(in) :: i
    logical :: little

    little = ichar(transfer(1_c_int, ' ')) == 1
    flag_of = btest(flags, merge(i, bit_size(flags) - 1 - i, little))
  end function flag_of

end module papi_structures
