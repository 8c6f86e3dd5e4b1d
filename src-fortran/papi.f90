! SPDX-License-Identifier: BSD-3-Clause
! Module papi, the one that programs use: the constants and procedures of papi.h (papi_bindings, made
! from the binding table) and the objects on top of them. It has no name of its own and makes public what
! the others do; these are private but for what they say.
module papi
  use papi_bindings
  use papi_benches, only: papi_bench
  use papi_errors, only: papi_error_text
  use papi_event_sets, only: papi_event_set
  use papi_information, only: papi_cache_info, papi_component_info, papi_dmem_info, papi_event_code, &
    papi_event_info, papi_event_name, papi_hw_info, papi_memory_level, papi_tlb_info
  use papi_regions, only: papi_region
  implicit none
  public
end module papi
