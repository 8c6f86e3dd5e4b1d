! SPDX-License-Identifier: BSD-3-Clause
! What the library knows of the machine, of its components and of events, in derived types. Each has %get:
!
!   type(papi_hw_info) :: machine
!   call machine%get()
!   print *, machine%model_string, machine%totalcpus
!
! %get initialises the library where nobody has. Errors: see papi_errors; after one the variable is as
! before. Components have the names and the meaning of those of the structures in papi.h. Texts are
! character(:), allocatable, without trailing blanks, and allocated after %get; arrays have the number
! of elements that the structure's counts tell, those of texts blanks at their ends.
module papi_information
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_float, c_int, c_loc, c_long_long, &
    c_null_char, c_ptr
  use papi_bindings, only: PAPI_2MAX_STR_LEN, PAPI_COMPONENTINFO, PAPI_get_cmp_opt, PAPI_get_dmem_info, &
    PAPI_get_event_info, PAPI_get_opt, PAPI_HUGE_STR_LEN, PAPI_HWINFO, PAPI_MAX_COMP_QUALS, PAPI_MAX_INFO_TERMS, &
    PAPI_MAX_MEM_HIERARCHY_LEVELS, PAPI_MAX_STR_LEN, PAPI_MH_MAX_LEVELS, PAPI_MH_TYPE_EMPTY, PAPI_OK, &
    PAPIF_event_code_to_name, PAPIF_event_name_to_code, PAPIF_get_component_index
  use papi_errors, only: library_ready, settle
  use papi_structures, only: bit_attach, bit_attach_must_ptrace, bit_cntr_umasks, bit_cpu, bit_fast_counter_read, &
    bit_fast_real_timer, bit_fast_virtual_timer, bit_hardware_intr, bit_inherit, bit_kernel_multiplex, &
    bit_kernel_profile, bit_posix1b_timers, bit_precise_intr, PAPI_component_info_t, PAPI_dmem_info_t, &
    PAPI_event_info_t, PAPI_hw_info_t, PAPI_mh_cache_info_t, PAPI_mh_level_t, PAPI_mh_tlb_info_t
  implicit none
  private
  public :: papi_event_code, papi_event_name

  ! What the tests fill with known values; module papi does not pass them on.
  public :: from_c

  type, public :: papi_tlb_info
    integer(c_int) :: type = 0, num_entries = 0, page_size = 0, associativity = 0
  end type papi_tlb_info

  type, public :: papi_cache_info
    integer(c_int) :: type = 0, size = 0, line_size = 0, num_lines = 0, associativity = 0
  end type papi_cache_info

  ! One level of the memory hierarchy: what it has, empty places left out.
  type, public :: papi_memory_level
    type(papi_tlb_info), allocatable :: tlb(:)
    type(papi_cache_info), allocatable :: cache(:)
  end type papi_memory_level

  ! The machine: PAPI_hw_info_t, with mem_hierarchy as the array level. %get(): PAPI_ENOMEM,
  ! PAPI_ESYS: it cannot be found out now.
  type, public :: papi_hw_info
    integer(c_int) :: ncpu = 0, threads = 0, cores = 0, sockets = 0, nnodes = 0, totalcpus = 0, vendor = 0
    character(len=:), allocatable :: vendor_string
    integer(c_int) :: model = 0
    character(len=:), allocatable :: model_string
    real(c_float) :: revision = 0
    integer(c_int) :: cpuid_family = 0, cpuid_model = 0, cpuid_stepping = 0, cpu_max_mhz = 0, cpu_min_mhz = 0
    type(papi_memory_level), allocatable :: level(:)
    logical :: virtualized = .false.
    character(len=:), allocatable :: virtual_vendor_string, virtual_vendor_version
    real(c_float) :: mhz = 0
    integer(c_int) :: clock_mhz = 0
  contains
    procedure :: get => get_hw
  end type papi_hw_info

  ! An event: PAPI_event_info_t. code and name: the native events of a preset; quals, quals_descrs: the
  ! qualifiers of a native event. %get(event): by code or by name; the errors of PAPI_get_event_info and
  ! PAPI_event_name_to_code.
  type, public :: papi_event_info
    integer(c_int) :: event_code = 0
    character(len=:), allocatable :: symbol, short_descr, long_descr
    integer(c_int) :: component_index = 0
    character(len=:), allocatable :: units
    integer(c_int) :: location = 0, data_type = 0, value_type = 0, timescope = 0, update_type = 0, update_freq = 0
    integer(c_int) :: count = 0, event_type = 0
    character(len=:), allocatable :: derived, postfix
    integer(c_int), allocatable :: code(:)
    character(len=PAPI_2MAX_STR_LEN), allocatable :: name(:)
    character(len=:), allocatable :: note
    character(len=PAPI_HUGE_STR_LEN), allocatable :: quals(:), quals_descrs(:)
  contains
    generic :: get => get_event_by_code, get_event_by_name
    procedure, private :: get_event_by_code, get_event_by_name
  end type papi_event_info

  ! A component: PAPI_component_info_t. disabled and partially_disabled are codes, 0 where it is not.
  ! %get(component): by index or by name. PAPI_ENOCMP: no such component. PAPI_ENOMEM, PAPI_ESYS: it
  ! cannot be found out now.
  type, public :: papi_component_info
    character(len=:), allocatable :: name, short_name, description, version, support_version, kernel_version
    integer(c_int) :: disabled = 0
    character(len=:), allocatable :: disabled_reason
    integer(c_int) :: partially_disabled = 0
    character(len=:), allocatable :: partially_disabled_reason
    logical :: initialized = .false.
    integer(c_int) :: cmpidx = 0, num_cntrs = 0, num_mpx_cntrs = 0, num_preset_events = 0, num_native_events = 0, &
      default_domain = 0, available_domains = 0, default_granularity = 0, available_granularities = 0, &
      hardware_intr_sig = 0, component_type = 0
    character(len=PAPI_MAX_STR_LEN), allocatable :: pmu_names(:)
    logical :: hardware_intr = .false., precise_intr = .false., posix1b_timers = .false., kernel_profile = .false., &
      kernel_multiplex = .false., fast_counter_read = .false., fast_real_timer = .false., &
      fast_virtual_timer = .false., attach = .false., attach_must_ptrace = .false., cntr_umasks = .false., &
      cpu = .false., inherit = .false.
  contains
    generic :: get => get_component_by_index, get_component_by_name
    procedure, private :: get_component_by_index, get_component_by_name
  end type papi_component_info

  ! The memory of the process: PAPI_dmem_info_t, in kilobytes but for pagesize, which is in bytes, and
  ! PAPI_EINVAL where the kernel does not tell. %get(): the errors of PAPI_get_dmem_info.
  type, public :: papi_dmem_info
    integer(c_long_long) :: peak = 0, size = 0, resident = 0, high_water_mark = 0, shared = 0, text = 0, library = 0, &
      heap = 0, locked = 0, stack = 0, pagesize = 0, pte = 0
  contains
    procedure :: get => get_dmem
  end type papi_dmem_info

  interface from_c
    module procedure hw_from_c, event_from_c, component_from_c, dmem_from_c
  end interface from_c

contains

  ! ------------------------------------------------------------------------------------ codes and names

  ! The name of an event code, without trailing blanks; nothing after an error.
  function papi_event_name(code, stat, errmsg) result(name)
    integer(c_int), intent(in) :: code
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=:), allocatable :: name
    character(len=PAPI_MAX_STR_LEN) :: found
    integer(c_int) :: check

    found = ' '
    check = library_ready()
    if (check == PAPI_OK) call PAPIF_event_code_to_name(code, found, check)
    call settle(check, 'papi_event_name', stat, errmsg)
    name = trim(found)
  end function papi_event_name

  ! The code of an event name; 0 after an error.
  integer(c_int) function papi_event_code(name, stat, errmsg) result(code)
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    code = 0
    check = library_ready()
    if (check == PAPI_OK) call PAPIF_event_name_to_code(name, code, check)
    call settle(check, 'papi_event_code: ' // trim(name), stat, errmsg)
  end function papi_event_code

  ! --------------------------------------------------------------------------------------------- %get

  subroutine get_hw(self, stat, errmsg)
    class(papi_hw_info), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(PAPI_hw_info_t), pointer :: found
    type(c_ptr), target :: address ! the one component of the union that is filled
    integer(c_int) :: check

    check = library_ready()
    if (check == PAPI_OK) check = PAPI_get_opt(PAPI_HWINFO, c_loc(address))
    if (check == PAPI_OK) then
      call c_f_pointer(address, found)
      call hw_from_c(found, self)
    end if
    call settle(check, 'papi_hw_info%get', stat, errmsg)
  end subroutine get_hw

  subroutine get_dmem(self, stat, errmsg)
    class(papi_dmem_info), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    type(PAPI_dmem_info_t), target :: found
    integer(c_int) :: check

    check = library_ready()
    if (check == PAPI_OK) check = PAPI_get_dmem_info(c_loc(found))
    if (check == PAPI_OK) call dmem_from_c(found, self)
    call settle(check, 'papi_dmem_info%get', stat, errmsg)
  end subroutine get_dmem

  subroutine get_event_by_code(self, event, stat, errmsg)
    class(papi_event_info), intent(inout) :: self
    integer(c_int), intent(in) :: event
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = library_ready()
    if (check == PAPI_OK) check = event_info(event, self)
    call settle(check, 'papi_event_info%get', stat, errmsg)
  end subroutine get_event_by_code

  subroutine get_event_by_name(self, event, stat, errmsg)
    class(papi_event_info), intent(inout) :: self
    character(len=*), intent(in) :: event
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: code, check

    check = library_ready()
    if (check == PAPI_OK) call PAPIF_event_name_to_code(event, code, check)
    if (check == PAPI_OK) check = event_info(code, self)
    call settle(check, 'papi_event_info%get: ' // trim(event), stat, errmsg)
  end subroutine get_event_by_name

  integer(c_int) function event_info(code, info) result(check)
    integer(c_int), intent(in) :: code
    class(papi_event_info), intent(inout) :: info
    type(PAPI_event_info_t), allocatable, target :: found ! long for a stack

    allocate (found)
    check = PAPI_get_event_info(code, c_loc(found))
    if (check == PAPI_OK) call event_from_c(found, info)
  end function event_info

  subroutine get_component_by_index(self, component, stat, errmsg)
    class(papi_component_info), intent(inout) :: self
    integer(c_int), intent(in) :: component
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = library_ready()
    if (check == PAPI_OK) check = component_info(component, self)
    call settle(check, 'papi_component_info%get', stat, errmsg)
  end subroutine get_component_by_index

  subroutine get_component_by_name(self, component, stat, errmsg)
    class(papi_component_info), intent(inout) :: self
    character(len=*), intent(in) :: component
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: cidx, check

    check = library_ready()
    if (check == PAPI_OK) then
      call PAPIF_get_component_index(component, cidx)
      check = min(PAPI_OK, cidx)
    end if
    if (check == PAPI_OK) check = component_info(cidx, self)
    call settle(check, 'papi_component_info%get: ' // trim(component), stat, errmsg)
  end subroutine get_component_by_name

  integer(c_int) function component_info(cidx, info) result(check)
    integer(c_int), intent(in) :: cidx
    class(papi_component_info), intent(inout) :: info
    type(PAPI_component_info_t), pointer :: found
    type(c_ptr), target :: address ! the one component of the union that is filled

    check = PAPI_get_cmp_opt(PAPI_COMPONENTINFO, c_loc(address), cidx)
    if (check /= PAPI_OK) return
    call c_f_pointer(address, found)
    call component_from_c(found, info)
  end function component_info

  ! --------------------------------------------------------------------------------------------- texts

  pure integer function length_of(text)
    character(kind=c_char), intent(in) :: text(:)

    do length_of = 0, size(text) - 1
      if (text(length_of + 1) == c_null_char) exit
    end do
  end function length_of

  pure function text_of(text) result(found)
    character(kind=c_char), intent(in) :: text(:)
    character(len=length_of(text)) :: found
    integer :: i

    do i = 1, len(found)
      found(i:i) = text(i)
    end do
  end function text_of

  ! An array of texts, one a column.
  subroutine copy_texts(from, to)
    character(kind=c_char), intent(in) :: from(:, :)
    character(len=*), intent(out) :: to(:)
    integer :: i

    do i = 1, size(to)
      to(i) = text_of(from(:, i))
    end do
  end subroutine copy_texts

  ! ------------------------------------------------------------------------------------- from C's types

  subroutine hw_from_c(from, to)
    type(PAPI_hw_info_t), intent(in) :: from
    class(papi_hw_info), intent(inout) :: to
    integer :: i, levels

    to%ncpu = from%ncpu
    to%threads = from%threads
    to%cores = from%cores
    to%sockets = from%sockets
    to%nnodes = from%nnodes
    to%totalcpus = from%totalcpus
    to%vendor = from%vendor
    to%vendor_string = text_of(from%vendor_string)
    to%model = from%model
    to%model_string = text_of(from%model_string)
    to%revision = from%revision
    to%cpuid_family = from%cpuid_family
    to%cpuid_model = from%cpuid_model
    to%cpuid_stepping = from%cpuid_stepping
    to%cpu_max_mhz = from%cpu_max_mhz
    to%cpu_min_mhz = from%cpu_min_mhz
    levels = max(0, min(from%mem_hierarchy%levels, PAPI_MAX_MEM_HIERARCHY_LEVELS))
    if (allocated(to%level)) deallocate (to%level)
    allocate (to%level(levels))
    do i = 1, levels
      call level_from_c(from%mem_hierarchy%level(i), to%level(i))
    end do
    to%virtualized = from%virtualized /= 0
    to%virtual_vendor_string = text_of(from%virtual_vendor_string)
    to%virtual_vendor_version = text_of(from%virtual_vendor_version)
    to%mhz = from%mhz
    to%clock_mhz = from%clock_mhz
  end subroutine hw_from_c

  subroutine level_from_c(from, to)
    type(PAPI_mh_level_t), intent(in) :: from
    type(papi_memory_level), intent(inout) :: to
    type(PAPI_mh_tlb_info_t) :: tlb
    type(PAPI_mh_cache_info_t) :: cache
    integer :: i, n

    allocate (to%tlb(count(from%tlb%type /= PAPI_MH_TYPE_EMPTY)), to%cache(count(from%cache%type /= PAPI_MH_TYPE_EMPTY)))
    n = 0
    do i = 1, PAPI_MH_MAX_LEVELS
      tlb = from%tlb(i)
      if (tlb%type == PAPI_MH_TYPE_EMPTY) cycle
      n = n + 1
      to%tlb(n) = papi_tlb_info(tlb%type, tlb%num_entries, tlb%page_size, tlb%associativity)
    end do
    n = 0
    do i = 1, PAPI_MH_MAX_LEVELS
      cache = from%cache(i)
      if (cache%type == PAPI_MH_TYPE_EMPTY) cycle
      n = n + 1
      to%cache(n) = papi_cache_info(cache%type, cache%size, cache%line_size, cache%num_lines, cache%associativity)
    end do
  end subroutine level_from_c

  subroutine event_from_c(from, to)
    type(PAPI_event_info_t), intent(in) :: from
    class(papi_event_info), intent(inout) :: to
    integer :: terms, quals

    to%event_code = from%event_code
    to%symbol = text_of(from%symbol)
    to%short_descr = text_of(from%short_descr)
    to%long_descr = text_of(from%long_descr)
    to%component_index = from%component_index
    to%units = text_of(from%units)
    to%location = from%location
    to%data_type = from%data_type
    to%value_type = from%value_type
    to%timescope = from%timescope
    to%update_type = from%update_type
    to%update_freq = from%update_freq
    to%count = from%count
    to%event_type = from%event_type
    to%derived = text_of(from%derived)
    to%postfix = text_of(from%postfix)
    to%note = text_of(from%note)
    terms = max(0, min(from%count, PAPI_MAX_INFO_TERMS))
    quals = max(0, min(from%num_quals, PAPI_MAX_COMP_QUALS))
    if (allocated(to%code)) deallocate (to%code, to%name, to%quals, to%quals_descrs)
    allocate (to%code(terms), to%name(terms), to%quals(quals), to%quals_descrs(quals))
    to%code = from%code(:terms)
    call copy_texts(from%name, to%name)
    call copy_texts(from%quals, to%quals)
    call copy_texts(from%quals_descrs, to%quals_descrs)
  end subroutine event_from_c

  subroutine component_from_c(from, to)
    type(PAPI_component_info_t), intent(in) :: from
    class(papi_component_info), intent(inout) :: to

    to%name = text_of(from%name)
    to%short_name = text_of(from%short_name)
    to%description = text_of(from%description)
    to%version = text_of(from%version)
    to%support_version = text_of(from%support_version)
    to%kernel_version = text_of(from%kernel_version)
    to%disabled = from%disabled
    to%disabled_reason = text_of(from%disabled_reason)
    to%partially_disabled = from%partially_disabled
    to%partially_disabled_reason = text_of(from%partially_disabled_reason)
    to%initialized = from%initialized /= 0
    to%cmpidx = from%cmpidx
    to%num_cntrs = from%num_cntrs
    to%num_mpx_cntrs = from%num_mpx_cntrs
    to%num_preset_events = from%num_preset_events
    to%num_native_events = from%num_native_events
    to%default_domain = from%default_domain
    to%available_domains = from%available_domains
    to%default_granularity = from%default_granularity
    to%available_granularities = from%available_granularities
    to%hardware_intr_sig = from%hardware_intr_sig
    to%component_type = from%component_type
    call copy_pmu_names(from, to)
    to%hardware_intr = btest(from%bits_2, bit_hardware_intr)
    to%precise_intr = btest(from%bits_2, bit_precise_intr)
    to%posix1b_timers = btest(from%bits_2, bit_posix1b_timers)
    to%kernel_profile = btest(from%bits_2, bit_kernel_profile)
    to%kernel_multiplex = btest(from%bits_2, bit_kernel_multiplex)
    to%fast_counter_read = btest(from%bits_2, bit_fast_counter_read)
    to%fast_real_timer = btest(from%bits_2, bit_fast_real_timer)
    to%fast_virtual_timer = btest(from%bits_2, bit_fast_virtual_timer)
    to%attach = btest(from%bits_2, bit_attach)
    to%attach_must_ptrace = btest(from%bits_2, bit_attach_must_ptrace)
    to%cntr_umasks = btest(from%bits_2, bit_cntr_umasks)
    to%cpu = btest(from%bits_2, bit_cpu)
    to%inherit = btest(from%bits_2, bit_inherit)
  end subroutine component_from_c

  subroutine dmem_from_c(from, to)
    type(PAPI_dmem_info_t), intent(in) :: from
    class(papi_dmem_info), intent(inout) :: to

    to%peak = from%peak
    to%size = from%size
    to%resident = from%resident
    to%high_water_mark = from%high_water_mark
    to%shared = from%shared
    to%text = from%text
    to%library = from%library
    to%heap = from%heap
    to%locked = from%locked
    to%stack = from%stack
    to%pagesize = from%pagesize
    to%pte = from%pte
  end subroutine dmem_from_c

  subroutine copy_pmu_names(from, to)
    type(PAPI_component_info_t), intent(in) :: from
    class(papi_component_info), intent(inout) :: to
    character(kind=c_char), pointer :: letters(:)
    integer :: i, n

    do n = 0, size(from%pmu_names) - 1
      if (.not. c_associated(from%pmu_names(n + 1))) exit
    end do
    if (allocated(to%pmu_names)) deallocate (to%pmu_names)
    allocate (to%pmu_names(n))
    do i = 1, n
      call c_f_pointer(from%pmu_names(i), letters, [PAPI_MAX_STR_LEN]) ! looked at up to its end alone
      to%pmu_names(i) = text_of(letters)
    end do
  end subroutine copy_pmu_names

end module papi_information
