! SPDX-License-Identifier: BSD-3-Clause
! The types of papi_information: first that their components are those of papi.h, from structures that
! structures.c fills, then what the library says of this machine.
module filled
  use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_size_t
  use papi_structures, only: PAPI_dmem_info_t, PAPI_event_info_t
  implicit none
  public

  interface
    type(c_ptr) function filled_hw_info() bind(C)
      import :: c_ptr
    end function filled_hw_info
    subroutine fill_event_info(info) bind(C)
      import :: PAPI_event_info_t
      type(PAPI_event_info_t), intent(out) :: info
    end subroutine fill_event_info
    type(c_ptr) function filled_component_info(flag) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: flag
    end function filled_component_info
    subroutine fill_dmem_info(info) bind(C)
      import :: PAPI_dmem_info_t
      type(PAPI_dmem_info_t), intent(out) :: info
    end subroutine fill_dmem_info
    integer(c_size_t) function size_of_dmem_info() bind(C)
      import :: c_size_t
    end function size_of_dmem_info
    integer(c_size_t) function size_of_event_info() bind(C)
      import :: c_size_t
    end function size_of_event_info
  end interface
end module filled

program information
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_sizeof
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use filled
  use papi
  use papi_information, only: from_c
  use papi_structures, only: PAPI_component_info_t, PAPI_hw_info_t
  implicit none

  call hardware_structure()
  call event_structure()
  call component_structure()
  call memory()
  call machine()
  call events()
  call components()
  call codes_and_names()
  call finish()

contains

  subroutine numbers(got, first, what)
    integer, intent(in) :: got(:), first
    character(len=*), intent(in) :: what
    integer :: i

    call require(all(got == [(first + i, i = 0, size(got) - 1)]), what)
  end subroutine numbers

  subroutine hardware_structure()
    type(PAPI_hw_info_t), pointer :: c
    type(papi_hw_info) :: i
    integer :: turn

    call c_f_pointer(filled_hw_info(), c)
    do turn = 1, 2 ! the second time over what is there
      call from_c(c, i)
      call numbers([i%ncpu, i%threads, i%cores, i%sockets, i%nnodes, i%totalcpus, i%vendor, i%model], 1, 'ncpu to model')
      call same(i%vendor_string, 'vendor_string', 'text')
      call same(i%model_string, 'model_string', 'text')
      call numbers([i%cpuid_family, i%cpuid_model, i%cpuid_stepping, i%cpu_max_mhz, i%cpu_min_mhz], 10, 'cpuid and mhz')
      call require(all(nint(4 * [i%revision, i%mhz]) == [38, 121]), 'revision and mhz')
      call same(i%clock_mhz, 31, 'clock_mhz')
      call require(i%virtualized, 'virtualized')
      call same(i%virtual_vendor_string, 'virtual_vendor_string', 'text')
      call same(i%virtual_vendor_version, 'virtual_vendor_version', 'text')
      call same(size(i%level), 2, 'levels')
      call numbers([size(i%level(2)%tlb), size(i%level(1)%tlb), size(i%level(1)%cache)], 0, 'parts of the levels')
      associate (tlb => i%level(1)%tlb(1), first => i%level(1)%cache(1), second => i%level(1)%cache(2), &
                 third => i%level(2)%cache(1))
        call numbers([tlb%num_entries, tlb%page_size, tlb%associativity], 15, 'tlb')
        call numbers([first%size, first%line_size, first%num_lines, first%associativity], 18, 'first cache')
        call numbers([second%size, second%line_size, second%num_lines, second%associativity], 22, 'second cache')
        call numbers([third%size, third%line_size, third%num_lines, third%associativity], 26, 'third cache')
        call require(all([tlb%type, first%type, second%type, third%type] == [PAPI_MH_TYPE_DATA, PAPI_MH_TYPE_INST, &
                         PAPI_MH_TYPE_DATA, PAPI_MH_TYPE_UNIFIED]), 'types')
      end associate
    end do
  end subroutine hardware_structure

  subroutine event_structure()
    type(PAPI_event_info_t), allocatable :: c
    type(papi_event_info) :: i
    integer :: turn

    allocate (c)
    call same(int(c_sizeof(c)), int(size_of_event_info()), 'the size of PAPI_event_info_t')
    if (c_sizeof(c) /= size_of_event_info()) return
    call fill_event_info(c)
    do turn = 1, 2
      call from_c(c, i)
      call same(i%event_code, PAPI_L1_ICM, 'event_code')
      call same(i%symbol, 'symbol', 'text')
      call same(i%short_descr, 'short_descr', 'text')
      call same(i%long_descr, repeat('+', PAPI_HUGE_STR_LEN), 'a text without an end')
      call same(i%units, 'units', 'text')
      call numbers([i%component_index, i%location, i%data_type, i%value_type, i%timescope, i%update_type, &
                    i%update_freq, i%event_type], 2, 'component_index to event_type')
      call same(i%count, 2, 'count')
      call same(i%derived, 'derived', 'text')
      call same(i%postfix, 'postfix', 'text')
      call same(i%note, 'note', 'text')
      call same(size(i%code), 2, 'how many codes')
      call numbers(i%code, 10, 'code')
      call require(size(i%name) == 2 .and. i%name(1) == 'name[0]' .and. i%name(2) == 'name[1]', 'name')
      call same(size(i%quals), 3, 'how many qualifiers')
      call require(all(i%quals == ['quals[0]', 'quals[1]', 'quals[2]']), 'quals')
      call require(all(i%quals_descrs == ['quals_descrs[0]', 'quals_descrs[1]', 'quals_descrs[2]']), 'quals_descrs')
    end do
  end subroutine event_structure

  subroutine component_structure()
    type(PAPI_component_info_t), pointer :: c
    type(papi_component_info) :: i
    logical :: flags(0:13)
    integer :: which

    do which = 0, 13
      call c_f_pointer(filled_component_info(which), c)
      call from_c(c, i)
      flags = [which == 0, i%hardware_intr, i%precise_intr, i%posix1b_timers, i%kernel_profile, i%kernel_multiplex, &
               i%fast_counter_read, i%fast_real_timer, i%fast_virtual_timer, i%attach, i%attach_must_ptrace, &
               i%cntr_umasks, i%cpu, i%inherit]
      call require(flags(which), 'the flag that was set')
      call same(count(flags), 1, 'and no other')
    end do
    call same(i%name, 'name', 'text')
    call same(i%short_name, 'short_name', 'text')
    call same(i%description, 'description', 'text')
    call same(i%version, 'version', 'text')
    call same(i%support_version, 'support_version', 'text')
    call same(i%kernel_version, 'kernel_version', 'text')
    call same(i%disabled_reason, 'disabled_reason', 'text')
    call same(i%partially_disabled_reason, 'partially_disabled_reason', 'text')
    call require(i%initialized, 'initialized')
    call numbers([i%disabled, i%partially_disabled], 1, 'disabled')
    call numbers([i%cmpidx, i%num_cntrs, i%num_mpx_cntrs, i%num_preset_events, i%num_native_events, i%default_domain, &
                  i%available_domains, i%default_granularity, i%available_granularities, i%hardware_intr_sig, &
                  i%component_type], 4, 'cmpidx to component_type')
    call require(size(i%pmu_names) == 2 .and. i%pmu_names(1) == 'pmu_names[0]' .and. &
                 i%pmu_names(2) == 'pmu_names[1]', 'pmu_names')
  end subroutine component_structure

  subroutine memory()
    type(PAPI_dmem_info_t) :: c
    type(papi_dmem_info) :: i, now
    integer(int64) :: values(PAPIF_DMEM_MAXVAL)
    integer :: check

    call same(int(c_sizeof(c)), int(size_of_dmem_info()), 'the size of PAPI_dmem_info_t')
    if (c_sizeof(c) /= size_of_dmem_info()) return
    call fill_dmem_info(c)
    call from_c(c, i)
    call numbers(int([i%peak, i%size, i%resident, i%high_water_mark, i%shared, i%text, i%library, i%heap, i%locked, &
                      i%stack, i%pagesize, i%pte]), 1, 'peak to pte')
    call now%get(check)
    call same(check, PAPI_OK, 'papi_dmem_info%get')
    call PAPIF_get_dmem_info(values, check)
    call require(now%size > 0 .and. now%peak >= now%size, 'sizes')
    call same(now%pagesize, values(PAPIF_DMEM_PAGESIZE), 'pagesize, as PAPIF_get_dmem_info has it')
    call same(now%text, values(PAPIF_DMEM_TEXT), 'text')
  end subroutine memory

  subroutine machine()
    type(papi_hw_info) :: info, copy
    integer :: ncpu, nnodes, totalcpus, vendor, model, check
    real(kind(info%mhz)) :: revision, mhz
    character(len=PAPI_MAX_STR_LEN) :: vendor_string, model_string
    character(len=30) :: text

    text = 'as before'
    call info%get(check, text)
    call same(check, PAPI_OK, 'papi_hw_info%get')
    call require(text == 'as before', 'errmsg is as before')
    call PAPIF_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, revision, mhz)
    call require(all([ncpu, nnodes, totalcpus, vendor, model] == [info%ncpu, info%nnodes, info%totalcpus, info%vendor, &
                     info%model]), 'the numbers of PAPIF_get_hardware_info')
    call require(all(abs([info%revision, info%mhz] - [revision, mhz]) < 1e-6), 'revision and mhz')
    call same(info%vendor_string, trim(vendor_string), 'vendor_string')
    call same(info%model_string, trim(model_string), 'model_string')
    call info%get()
    copy = info
    call same(size(copy%level), size(info%level), 'a copy')
  end subroutine machine

  subroutine events()
    type(papi_event_info) :: info
    character(len=200) :: text
    integer :: check

    call info%get(PAPI_TOT_INS)
    call same(info%symbol, 'PAPI_TOT_INS', 'symbol')
    call same(info%event_code, PAPI_TOT_INS, 'event_code')
    call require(len(info%long_descr) > 0 .and. len_trim(info%long_descr) == len(info%long_descr), 'long_descr')
    call same(size(info%code), info%count, 'code')
    call info%get('PAPI_NO_SUCH_EVENT', check, text)
    call same(check, PAPI_ENOTPRESET, 'no event')
    call require(index(text, 'papi_event_info%get: PAPI_NO_SUCH_EVENT: ') == 1, trim(text))
    call info%get(ior(PAPI_PRESET_MASK, 120), check)
    call same(check, PAPI_ENOTPRESET, 'no code')
    call same(info%symbol, 'PAPI_TOT_INS', 'the variable is as before')
    call info%get('perf::PAGE-FAULTS ', check)
    call same(check, PAPI_OK, 'an event of the kernel''s')
    call same(info%symbol, 'perf::PAGE-FAULTS', 'its symbol')
    call same(info%component_index, 0, 'its component')
  end subroutine events

  subroutine components()
    type(papi_component_info) :: info
    character(len=200) :: text
    integer :: check, i

    do i = 0, PAPI_num_components() - 1
      call info%get(i)
      call same(info%cmpidx, i, 'cmpidx')
      call require(len(info%name) > 0 .and. len(info%description) > 0, 'a name and a description')
      call require((info%disabled /= 0) .eqv. (len(info%disabled_reason) > 0), 'a reason where it is disabled')
    end do
    call info%get('perf_event')
    call same(info%cmpidx, 0, 'perf_event')
    call require(info%disabled /= 0 .or. size(info%pmu_names) > 0, 'names of its PMUs')
    call info%get(99, check, text)
    call same(check, PAPI_ENOCMP, 'component 99')
    call require(index(text, 'papi_component_info%get: ') == 1, trim(text))
    call info%get('', check)
    call same(check, PAPI_ENOCMP, 'a name of no length')
    call same(info%name, 'perf_event', 'the variable is as before')
  end subroutine components

  subroutine codes_and_names()
    character(len=100) :: text
    integer :: check

    call same(papi_event_name(PAPI_TOT_CYC), 'PAPI_TOT_CYC', 'papi_event_name')
    call same(papi_event_name(ior(PAPI_PRESET_MASK, 120), check), '', 'of no event')
    call same(check, PAPI_ENOTPRESET, 'is an error')
    call same(papi_event_code('PAPI_TOT_CYC  '), PAPI_TOT_CYC, 'papi_event_code')
    text = ' '
    call same(papi_event_code('PAPI_NO_SUCH_EVENT', check, text), 0, 'of no event')
    call same(check, PAPI_ENOTPRESET, 'is an error')
    call require(index(text, 'papi_event_code: PAPI_NO_SUCH_EVENT: ') == 1, trim(text))
  end subroutine codes_and_names

end program information
