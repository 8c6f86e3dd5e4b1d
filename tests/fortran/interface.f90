! SPDX-License-Identifier: BSD-3-Clause
! Module papi: each PAPIF_ routine is called (routines.py sees that none is left out) and answers
! with the code that papi.h names. Events of the kernel's own, so that no counters are needed.
module numbering
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_long, c_long_long, c_ptr
  implicit none
  private
  public :: thread_number, overflowed

contains

  integer(c_long) function thread_number() bind(C)
    thread_number = 42
  end function thread_number

  subroutine overflowed(es, address, overflow_vector, context) bind(C)
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector
    if (es < 0 .or. overflow_vector == 0 .or. .not. c_associated(address) .or. .not. c_associated(context)) &
      print *, 'an overflow of nothing'
  end subroutine overflowed

end module numbering

program interface_test
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_funloc, c_funptr, c_int, c_intptr_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use numbering, only: thread_number, overflowed
  use papi
  implicit none

  character(len=*), parameter :: faults = 'perf::PAGE-FAULTS', clock = 'perf::TASK-CLOCK'
  integer :: check
  logical :: counts

  call before_the_library()
  call library()
  call threads()
  call empty_event_set()
  call options()
  call machine()
  call components()
  call process()
  call devices()
  call locks()
  call events()
  call PAPIF_query_named_event(faults, check)
  counts = check == PAPI_OK
  if (counts) then
    call event_set()
    call counting()
    call forms()
    call classic()
  else
    call skip('counting: the kernel counts no software events for this user')
  end if
  call rates()
  call rates_of_events()
  call regions()
  call the_end()
  call finish()

contains

  subroutine before_the_library()
    integer(int64) :: t, memory(PAPIF_DMEM_MAXVAL)
    integer :: level, es, check
    character(len=8) :: text, name

    call PAPIF_is_initialized(level)
    call same(level, PAPI_NOT_INITED, 'PAPIF_is_initialized')
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call same(check, PAPI_ENOINIT, 'PAPIF_create_eventset before the library is there')
    call same(es, PAPI_NULL, 'its handle')
    t = -1
    call PAPIF_get_preload(text, check)
    call same(check, PAPI_ENOINIT, 'PAPIF_get_preload before the library is there')
    call require(text == ' ', 'it gives blanks')
    memory = 5
    call PAPIF_get_dmem_info(memory, check)
    call same(check, PAPI_ENOINIT, 'PAPIF_get_dmem_info before the library is there')
    call require(all(memory == 5), 'and leaves the values alone')
    call PAPIF_get_exe_info(text, name, t, memory(1), memory(2), memory(3), memory(4), memory(5), check)
    call same(check, PAPI_ENOINIT, 'PAPIF_get_exe_info before the library is there')
    call PAPIF_get_real_cyc(t)
    call require(t > 0, 'PAPIF_get_real_cyc')
    call PAPIF_get_real_usec(t)
    call require(t > 0, 'PAPIF_get_real_usec')
    call PAPIF_get_real_nsec(t)
    call require(t > 0, 'PAPIF_get_real_nsec')
    call PAPIF_get_virt_cyc(t)
    call require(t > 0, 'PAPIF_get_virt_cyc')
    call PAPIF_get_virt_usec(t)
    call require(t >= 0, 'PAPIF_get_virt_usec')
    call PAPIF_get_virt_nsec(t)
    call require(t > 0, 'PAPIF_get_virt_nsec')
  end subroutine before_the_library

  subroutine library()
    integer :: level, check
    character(len=PAPI_HUGE_STR_LEN) :: text

    check = 1
    call PAPIF_library_init(check)
    call same(check, PAPI_EINVAL, 'PAPIF_library_init(1)')
    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
    call PAPIF_is_initialized(level)
    call same(level, PAPI_LOW_LEVEL_INITED, 'PAPIF_is_initialized')
    call same(int(PAPI_is_initialized()), level, 'PAPI_is_initialized')
    call PAPIF_set_debug(PAPI_QUIET, check)
    call same(check, PAPI_OK, 'PAPIF_set_debug')
    call PAPIF_set_debug(-7, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_debug(-7)')
    call PAPIF_strerror(PAPI_ENOEVST, text, check)
    call same(check, PAPI_OK, 'PAPIF_strerror')
    call require(text /= ' ', 'PAPIF_strerror gives a text')
    call PAPIF_strerror(7777, text, check)
    call same(check, PAPI_EINVAL, 'PAPIF_strerror(7777)')
    call require(text == ' ', 'PAPIF_strerror(7777) gives blanks')
    text = ' '
    call PAPIF_perror(PAPI_ENOEVST, text, check)
    call same(check, PAPI_OK, 'PAPIF_perror')
    call require(text /= ' ', 'PAPIF_perror gives a text')
    call PAPIF_perror('two lines of this test on stderr')
    call PAPIF_perror_msg('and this is the second')
  end subroutine library

  subroutine threads()
    integer :: id, check

    call PAPIF_thread_id(id)
    call same(id, PAPI_EMISC, 'PAPIF_thread_id without a function')
    call PAPIF_thread_init(thread_number, check)
    call same(check, PAPI_OK, 'PAPIF_thread_init')
    call PAPIF_thread_id(id)
    call same(id, 42, 'PAPIF_thread_id')
    call same(int(PAPI_thread_id()), 42, 'PAPI_thread_id')
    call PAPIF_register_thread(check)
    call same(check, PAPI_OK, 'PAPIF_register_thread')
    call PAPIF_unregister_thread(check)
    call same(check, PAPI_OK, 'PAPIF_unregister_thread')
    call PAPIF_unregster_thread(check)
    call same(check, PAPI_OK, 'PAPIF_unregster_thread')
  end subroutine threads

  subroutine empty_event_set()
    integer :: es, n, status, cidx, check

    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call same(check, PAPI_OK, 'PAPIF_create_eventset')
    call require(es /= PAPI_NULL, 'a handle')
    call PAPIF_num_events(es, n)
    call same(n, 0, 'PAPIF_num_events of an empty set')
    call PAPIF_get_eventset_component(es, cidx)
    call same(cidx, PAPI_ENOCMP, 'PAPIF_get_eventset_component of an unbound set')
    call PAPIF_assign_eventset_component(es, 99, check)
    call same(check, PAPI_ENOCMP, 'PAPIF_assign_eventset_component(99)')
    call PAPIF_assign_eventset_component(es, 0, check)
    call same(check, PAPI_OK, 'PAPIF_assign_eventset_component')
    call PAPIF_get_eventset_component(es, cidx)
    call same(cidx, 0, 'PAPIF_get_eventset_component')
    call PAPIF_state(es, status, check)
    call same(check, PAPI_OK, 'PAPIF_state')
    call require(iand(status, PAPI_STOPPED) /= 0, 'a new set is stopped')
    call PAPIF_start(es, check)
    call same(check, PAPI_EINVAL, 'PAPIF_start of an empty set')
    call PAPIF_destroy_eventset(es, check)
    call same(check, PAPI_OK, 'PAPIF_destroy_eventset')
    call same(es, PAPI_NULL, 'the handle afterwards')
    call PAPIF_state(4711, status, check)
    call same(check, PAPI_ENOEVST, 'PAPIF_state of no set')
  end subroutine empty_event_set

  subroutine options()
    integer :: es, domain, granularity, mhz, check

    call PAPIF_get_clockrate(mhz)
    call require(mhz >= 0, 'PAPIF_get_clockrate')
    call PAPIF_set_domain(PAPI_DOM_USER, check)
    call same(check, PAPI_OK, 'PAPIF_set_domain')
    call PAPIF_set_domain(0, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_domain(0)')
    call PAPIF_set_cmp_domain(PAPI_DOM_USER, 0, check)
    call same(check, PAPI_OK, 'PAPIF_set_cmp_domain')
    call PAPIF_set_cmp_domain(PAPI_DOM_USER, 99, check)
    call same(check, PAPI_ENOCMP, 'PAPIF_set_cmp_domain of no component')
    call PAPIF_set_granularity(PAPI_GRN_THR, check)
    call same(check, PAPI_OK, 'PAPIF_set_granularity')
    call PAPIF_set_cmp_granularity(PAPI_GRN_THR, 0, check)
    call same(check, PAPI_OK, 'PAPIF_set_cmp_granularity')
    domain = -1
    call PAPIF_get_domain(PAPI_NULL, domain, PAPI_DEFDOM, check)
    call same(check, PAPI_OK, 'PAPIF_get_domain, default')
    call same(domain, PAPI_DOM_USER, 'the default domain')
    granularity = -1
    call PAPIF_get_granularity(PAPI_NULL, granularity, PAPI_DEFGRN, check)
    call same(check, PAPI_OK, 'PAPIF_get_granularity, default')
    call same(granularity, PAPI_GRN_THR, 'the default granularity')
    call PAPIF_get_domain(PAPI_NULL, domain, 4711, check)
    call same(check, PAPI_EINVAL, 'PAPIF_get_domain, no mode')

    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call PAPIF_assign_eventset_component(es, 0, check)
    call PAPIF_set_event_domain(es, PAPI_DOM_ALL, check)
    call one_of(check, [PAPI_OK, PAPI_EPERM], 'PAPIF_set_event_domain')
    if (check == PAPI_OK) then
      call PAPIF_get_domain(es, domain, PAPI_DOMAIN, check)
      call same(check, PAPI_OK, 'PAPIF_get_domain')
      call same(domain, PAPI_DOM_ALL, 'the domain of the set')
    end if
    call PAPIF_get_granularity(es, granularity, PAPI_GRANUL, check)
    call same(check, PAPI_OK, 'PAPIF_get_granularity')
    call PAPIF_destroy_eventset(es, check)
  end subroutine options

  subroutine machine()
    integer :: ncpu, nnodes, totalcpus, vendor, model, n
    real(real32) :: revision, mhz
    character(len=PAPI_MAX_STR_LEN) :: vendor_string, model_string

    call PAPIF_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, revision, mhz)
    call require(totalcpus >= 1 .and. ncpu >= 1 .and. nnodes >= 1, 'PAPIF_get_hardware_info counts processors')
    call require(index(vendor_string, char(0)) == 0, 'vendor_string is blanks to its end')
    call require(index(model_string, char(0)) == 0, 'model_string is blanks to its end')
    call require(revision >= 0 .and. mhz >= 0, 'revision and mhz')
    call PAPIF_num_hwctrs(n)
    call require(n >= 0, 'PAPIF_num_hwctrs')
    call PAPIF_num_cmp_hwctrs(0, n)
    call require(n >= 0, 'PAPIF_num_cmp_hwctrs')
    call PAPIF_num_cmp_hwctrs(99, n)
    call same(n, PAPI_ENOCMP, 'PAPIF_num_cmp_hwctrs of no component')
  end subroutine machine

  subroutine components()
    integer :: n, cidx, check

    call PAPIF_num_components(n)
    call require(n >= 1, 'PAPIF_num_components')
    call PAPIF_get_component_index('perf_event', cidx)
    call same(cidx, 0, 'PAPIF_get_component_index')
    call PAPIF_get_component_index('nothing of this name', cidx)
    call same(cidx, PAPI_ENOCMP, 'PAPIF_get_component_index of no component')
    call PAPIF_disable_component(99, check)
    call same(check, PAPI_ENOCMP, 'PAPIF_disable_component(99)')
    call PAPIF_disable_component_by_name('nothing of this name', check)
    call same(check, PAPI_ENOCMP, 'PAPIF_disable_component_by_name')
  end subroutine components

  subroutine process()
    integer(int64) :: memory(PAPIF_DMEM_MAXVAL), after(PAPIF_DMEM_MAXVAL), bounds(6), address
    integer, target, save :: zeroes(1000) = 0
    real(real64), allocatable :: big(:)
    character(len=PAPI_HUGE_STR_LEN) :: fullname, name, command
    character(len=20) :: variable
    type(c_funptr) :: function
    integer :: check

    call PAPIF_get_dmem_info(memory, check)
    call same(check, PAPI_OK, 'PAPIF_get_dmem_info')
    allocate (big(8 * 1024 * 1024))
    big = 1
    call PAPIF_get_dmem_info(after, check)
    call get_environment_variable('LD_PRELOAD', command)
    if (index(command, 'vgpreload') > 0) then
      call skip('how much the memory grows: valgrind has its own beside the program''s')
    else
      call require(abs(after(PAPIF_DMEM_RESIDENT) - memory(PAPIF_DMEM_RESIDENT) - 65536) < 4096, &
                   '64 MiB more are resident')
      call require(abs(after(PAPIF_DMEM_VMSIZE) - memory(PAPIF_DMEM_VMSIZE) - 65536) < 4096, 'and of the address space')
      call require(abs(after(PAPIF_DMEM_HEAP) - memory(PAPIF_DMEM_HEAP) - 65536) < 4096, 'and of the heap')
    end if
    call require(after(PAPIF_DMEM_VMPEAK) >= after(PAPIF_DMEM_VMSIZE), 'the peak')
    call require(after(PAPIF_DMEM_HIGH_WATER) >= after(PAPIF_DMEM_RESIDENT), 'the high water mark')
    call require(big(size(big)) > 0 .and. after(PAPIF_DMEM_PTE) > memory(PAPIF_DMEM_PTE), 'page tables')
    deallocate (big)
    call require(all(after([PAPIF_DMEM_TEXT, PAPIF_DMEM_LIBRARY, PAPIF_DMEM_STACK, PAPIF_DMEM_SHARED]) > 0), 'parts')
    call require(after(PAPIF_DMEM_LOCKED) == memory(PAPIF_DMEM_LOCKED), 'nothing was locked')
    call require(iand(after(PAPIF_DMEM_PAGESIZE), 4095_int64) == 0, 'a page in bytes')

    call PAPIF_get_exe_info(fullname, name, bounds(1), bounds(2), bounds(3), bounds(4), bounds(5), bounds(6), check)
    call same(check, PAPI_OK, 'PAPIF_get_exe_info')
    call get_command_argument(0, command)
    call require(name == command(index(command, '/', .true.) + 1:), 'the name of the program')
    call require(fullname(:1) == '/' .and. fullname(index(fullname, '/', .true.) + 1:) == name, 'its whole path')
    function = c_funloc(thread_number)
    address = int(transfer(function, 0_c_intptr_t), int64)
    call require(address >= bounds(1) .and. address < bounds(2), 'a function is in the text')
    zeroes(check + 1) = 1
    address = int(transfer(c_loc(zeroes), 0_c_intptr_t), int64)
    call require(address >= bounds(3) .and. address < bounds(6), 'a variable is in data or bss')
    call require(bounds(4) <= bounds(5), 'bss comes after the data')

    variable = repeat('x', len(variable))
    call PAPIF_get_preload(variable, check)
    call same(check, PAPI_OK, 'PAPIF_get_preload')
    call require(variable == 'LD_PRELOAD', 'the variable that preloads libraries')
  end subroutine process

  subroutine devices()
    type(c_ptr) :: handle
    type(c_ptr), target :: text
    integer, target :: number
    integer :: check, kinds, ncpu, nnodes, totalcpus, vendor, model
    real(real32) :: revision, mhz
    character(len=PAPI_MAX_STR_LEN) :: vendor_string, model_string
    character(kind=c_char), pointer :: letters(:)

    call PAPIF_get_hardware_info(ncpu, nnodes, totalcpus, vendor, vendor_string, model, model_string, revision, mhz)
    handle = c_null_ptr
    kinds = 0
    do
      call PAPIF_enum_dev_type(PAPI_DEV_TYPE_ENUM__ALL, handle, check)
      if (check /= PAPI_OK) exit
      call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_PAPI_ID, c_loc(number), check)
      call same(number, kinds, 'the number of a kind of devices')
      kinds = kinds + 1
      call PAPIF_get_dev_type_attr(handle, PAPI_DEV_TYPE_ATTR__INT_COUNT, c_loc(number), check)
      call require(check == PAPI_OK .and. number == merge(1, 0, kinds == 1), 'there is one, the processor')
    end do
    call same(kinds, PAPI_DEV_TYPE_ID__MAX_NUM, 'kinds of devices')
    call PAPIF_enum_dev_type(PAPI_DEV_TYPE_ENUM__CPU, handle, check)
    call same(check, PAPI_OK, 'PAPIF_enum_dev_type')
    call PAPIF_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_UINT_NUMA_COUNT, c_loc(number), check)
    call same(check, PAPI_OK, 'PAPIF_get_dev_attr')
    call same(number, nnodes, 'NUMA nodes')
    call PAPIF_get_dev_attr(handle, 0, PAPI_DEV_ATTR__CPU_CHAR_NAME, c_loc(text), check)
    call same(check, PAPI_OK, 'PAPIF_get_dev_attr of a text')
    call c_f_pointer(text, letters, [len_trim(model_string)])
    call require(all(letters == [(model_string(number:number), number=1, len_trim(model_string))]), 'the model')
    call PAPIF_get_dev_attr(handle, 1, PAPI_DEV_ATTR__CPU_UINT_FAMILY, c_loc(number), check)
    call same(check, PAPI_EINVAL, 'PAPIF_get_dev_attr of no device')
    call PAPIF_get_dev_type_attr(c_null_ptr, PAPI_DEV_TYPE_ATTR__INT_COUNT, c_loc(number), check)
    call same(check, PAPI_EINVAL, 'PAPIF_get_dev_type_attr without a handle')
  end subroutine devices

  ! There is no result: PAPIF_perror is for errors.
  subroutine locks()
    character(len=PAPI_HUGE_STR_LEN) :: text
    integer :: check

    call PAPIF_lock(PAPI_LOCK_USR1)
    call PAPIF_lock(PAPI_LOCK_USR1)
    call PAPIF_unlock(PAPI_LOCK_USR1)
    call PAPIF_unlock(PAPI_LOCK_USR1)
    call PAPIF_strerror(PAPI_EPERM, text, check)
    call require(index(text, 'lock') == 0, 'as many unlocks as locks')
    call PAPIF_unlock(PAPI_LOCK_USR1)
    call PAPIF_strerror(PAPI_EPERM, text, check)
    call require(index(text, 'lock 0') > 0, 'one more is an error')
  end subroutine locks

  subroutine events()
    integer :: code, count, flags, cidx, check
    character(len=PAPI_MAX_STR_LEN) :: name, short
    character(len=PAPI_HUGE_STR_LEN) :: symbol, long, note

    code = 0
    call PAPIF_event_name_to_code('PAPI_TOT_CYC', code, check)
    call same(check, PAPI_OK, 'PAPIF_event_name_to_code')
    call same(code, PAPI_TOT_CYC, 'the code of PAPI_TOT_CYC')
    call PAPIF_event_name_to_code('PAPI_NO_SUCH', code, check)
    call same(check, PAPI_ENOTPRESET, 'PAPIF_event_name_to_code of no preset')
    call same(code, PAPI_TOT_CYC, 'the code stays as it was')
    call PAPIF_event_code_to_name(PAPI_TOT_INS, name, check)
    call same(check, PAPI_OK, 'PAPIF_event_code_to_name')
    call require(name == 'PAPI_TOT_INS', 'the name of PAPI_TOT_INS')
    call PAPIF_query_event(PAPI_TOT_INS, check)
    call one_of(check, [PAPI_OK, PAPI_ENOEVNT, PAPI_EPERM], 'PAPIF_query_event')
    call PAPIF_query_named_event('PAPI_NO_SUCH', check)
    call same(check, PAPI_ENOTPRESET, 'PAPIF_query_named_event')
    call PAPIF_get_event_info(PAPI_TOT_INS, symbol, long, short, count, note, flags, check)
    call same(check, PAPI_OK, 'PAPIF_get_event_info')
    call require(symbol == 'PAPI_TOT_INS', 'its symbol')
    call require(long /= ' ' .and. short /= ' ', 'its descriptions')
    call PAPIF_get_event_info(ior(PAPI_PRESET_MASK, 120), symbol, long, short, count, note, flags, check)
    call same(check, PAPI_ENOTPRESET, 'PAPIF_get_event_info of no preset')
    call require(symbol == ' ' .and. note == ' ', 'its texts are blank')
    code = PAPI_PRESET_MASK
    call PAPIF_enum_event(code, PAPI_ENUM_FIRST, check)
    call same(check, PAPI_OK, 'PAPIF_enum_event')
    call same(code, PAPI_L1_DCM, 'the first preset')
    code = PAPI_NATIVE_MASK
    call PAPIF_enum_cmp_event(code, PAPI_ENUM_FIRST, 0, check)
    call one_of(check, [PAPI_OK, PAPI_ENOEVNT], 'PAPIF_enum_cmp_event')
    call PAPIF_encode_events('no such file', 0, check)
    call same(check, PAPI_ESYS, 'PAPIF_encode_events')
    call PAPIF_get_event_component(PAPI_TOT_INS, cidx)
    call one_of(cidx, [0, PAPI_ENOEVNT, PAPI_EPERM], 'PAPIF_get_event_component')
  end subroutine events

  subroutine event_set()
    integer :: es, code, codes(3), list(4), n, cidx, check

    call PAPIF_event_name_to_code(faults, codes(1), check)
    call same(check, PAPI_OK, 'the code of ' // faults)
    call PAPIF_event_name_to_code(clock, codes(2), check)
    codes(3) = codes(1)
    call PAPIF_get_event_component(codes(1), cidx)
    call same(cidx, 0, 'PAPIF_get_event_component of a native event')
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call PAPIF_add_event(es, codes(1), check)
    call same(check, PAPI_OK, 'PAPIF_add_event')
    call PAPIF_add_event(es, codes(1), check)
    call same(check, PAPI_EINVAL, 'PAPIF_add_event, again')
    call PAPIF_remove_event(es, codes(1), check)
    call same(check, PAPI_OK, 'PAPIF_remove_event')
    call PAPIF_add_events(es, codes, 3, check)
    call same(check, 2, 'PAPIF_add_events tells how many')
    list = 0
    n = size(list)
    call PAPIF_list_events(es, list, n, check)
    call same(check, PAPI_OK, 'PAPIF_list_events')
    call same(n, 2, 'the number of events')
    call require(all(list == [codes(1), codes(2), 0, 0]), 'their codes, and nothing beyond')
    call PAPIF_remove_events(es, codes, 2, check)
    call same(check, PAPI_OK, 'PAPIF_remove_events')
    call PAPIF_add_named_event(es, clock, check)
    call same(check, PAPI_OK, 'PAPIF_add_named_event')
    call PAPIF_remove_named_event(es, clock, check)
    call same(check, PAPI_OK, 'PAPIF_remove_named_event')
    call PAPIF_add_named_event(es, clock, check)
    code = es
    call PAPIF_destroy_eventset(es, check)
    call same(check, PAPI_EINVAL, 'PAPIF_destroy_eventset of a set with events')
    call same(es, code, 'its handle stays')
    call PAPIF_cleanup_eventset(es, check)
    call same(check, PAPI_OK, 'PAPIF_cleanup_eventset')
    call PAPIF_destroy_eventset(es, check)
  end subroutine event_set

  subroutine counting()
    integer(int64) :: values(1), again(1), cycles
    integer, target :: buckets(2)
    integer :: es, check, which(2), n

    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call PAPIF_add_named_event(es, clock, check)
    values = -3
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_ENOTRUN, 'PAPIF_stop of a stopped set')
    call same(values(1), -3_int64, 'values stay as they were')
    call PAPIF_start(es, check)
    call same(check, PAPI_OK, 'PAPIF_start')
    call PAPIF_read(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_read')
    call require(values(1) > 0, 'a task has run')
    cycles = -1
    call PAPIF_read_ts(es, again, cycles, check)
    call same(check, PAPI_OK, 'PAPIF_read_ts')
    call require(again(1) > values(1) .and. cycles > 0, 'it ran on')
    values = 10_int64**12
    call PAPIF_accum(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_accum')
    call require(values(1) > 10_int64**12, 'it adds')
    call PAPIF_reset(es, check)
    call same(check, PAPI_OK, 'PAPIF_reset')
    values = 10_int64**13
    call PAPIF_write(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_write')
    call PAPIF_overflow(es, PAPI_TOT_INS, 1000, 0, overflowed, check)
    call same(check, PAPI_EISRUN, 'PAPIF_overflow of a running set')
    call PAPIF_profil(c_loc(buckets), 8, c_null_ptr, 65536, es, PAPI_TOT_INS, 1000, PAPI_PROFIL_POSIX, check)
    call same(check, PAPI_EISRUN, 'PAPIF_profil of a running set')
    n = size(which)
    call PAPIF_get_overflow_event_index(es, 1_int64, which, n, check)
    call same(check, PAPI_EINVAL, 'PAPIF_get_overflow_event_index where nothing overflows')
    call PAPIF_stop(es, again, check)
    call same(check, PAPI_OK, 'PAPIF_stop')
    call require(again(1) > values(1), 'it counted from what was written')
    call PAPIF_overflow(es, PAPI_TOT_INS, 1000, 0, overflowed, check)
    call same(check, PAPI_EINVAL, 'PAPIF_overflow of an event that the set has not')
    call PAPIF_profil(c_loc(buckets), 8, c_null_ptr, 1, es, PAPI_TOT_INS, 1000, PAPI_PROFIL_POSIX, check)
    call same(check, PAPI_EINVAL, 'PAPIF_profil with a scale of 1')
    call PAPIF_cleanup_eventset(es, check)
    call PAPIF_destroy_eventset(es, check)
  end subroutine counting

  subroutine forms()
    interface
      integer(c_int) function own_number() bind(C, name='getpid')
        import :: c_int
      end function own_number
    end interface
    integer(int64) :: values(1)
    integer :: es, status, check, rows
    real(real64) :: shares(1)

    call PAPIF_multiplex_init(check)
    call same(check, PAPI_OK, 'PAPIF_multiplex_init')
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call PAPIF_get_multiplex(es, check)
    call same(check, 0, 'PAPIF_get_multiplex of a plain set')
    call PAPIF_set_multiplex(es, check)
    call same(check, PAPI_OK, 'PAPIF_set_multiplex')
    call PAPIF_get_multiplex(es, check)
    call same(check, 1, 'PAPIF_get_multiplex')
    call PAPIF_set_multiplex(es, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_multiplex again')
    call PAPIF_set_wait(es, -1d0, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_wait for less than nothing')
    call PAPIF_set_wait(es, 0.5d0, check)
    call same(check, PAPI_OK, 'PAPIF_set_wait')
    call PAPIF_set_share(es, 2, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_share of neither on nor off')
    call PAPIF_set_share(es, 1, check)
    call same(check, PAPI_OK, 'PAPIF_set_share')
    call PAPIF_add_named_event(es, clock, check)
    call PAPIF_read_shares(es, shares, check)
    call same(check, PAPI_OK, 'PAPIF_read_shares')
    if (shares(1) < 1) error stop 'nothing was missed'
    call PAPIF_state(es, status, check)
    if (iand(status, PAPI_SHARING) == 0) error stop 'the state has no PAPI_SHARING'
    call PAPIF_set_share(es, 0, check)
    call same(check, PAPI_OK, 'PAPIF_set_share, no more')
    call PAPIF_detach(es, check)
    call same(check, PAPI_EINVAL, 'PAPIF_detach of a set that is not attached')
    call PAPIF_attach(es, 0, check)
    call same(check, PAPI_EINVAL, 'PAPIF_attach to no thread')
    call PAPIF_attach_cgroup(es, '/no/such/group', check)
    call same(check, PAPI_EINVAL, 'PAPIF_attach_cgroup to no group')
    call PAPIF_attach_process(es, 0, 0, check)
    call same(check, PAPI_EINVAL, 'PAPIF_attach_process to no process')
    call PAPIF_attach_process(es, own_number(), PAPI_PROCESS_TREE, check)
    call same(check, PAPI_OK, 'PAPIF_attach_process')
    call PAPIF_start(es, check)
    call same(check, PAPI_OK, 'PAPIF_start of a set of a process')
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_stop of a set of a process')
    rows = 1
    call PAPIF_read_threads(es, values, values, values, rows, check)
    call same(check, PAPI_EINVAL, 'PAPIF_read_threads of a set that is not kept by threads')
    call PAPIF_attach(es, own_number(), check)
    call same(check, PAPI_OK, 'PAPIF_attach')
    call PAPIF_state(es, status, check)
    call same(status, PAPI_STOPPED + PAPI_MULTIPLEXING + PAPI_ATTACHED, 'its state')
    call PAPIF_start(es, check)
    call same(check, PAPI_OK, 'PAPIF_start of an attached set')
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_stop of an attached set')
    call require(values(1) > 0, 'it counted')
    call PAPIF_detach(es, check)
    call same(check, PAPI_OK, 'PAPIF_detach')
    call PAPIF_cleanup_eventset(es, check)
    call PAPIF_destroy_eventset(es, check)

    call PAPIF_set_inherit(4711, check)
    call same(check, PAPI_EINVAL, 'PAPIF_set_inherit(4711)')
    call PAPIF_set_inherit(PAPI_INHERIT_ALL, check)
    call same(check, PAPI_OK, 'PAPIF_set_inherit')
    call PAPIF_create_eventset(es, check)
    call PAPIF_add_named_event(es, clock, check)
    call same(check, PAPI_OK, 'an inherited set')
    call PAPIF_set_inherit(PAPI_INHERIT_NONE, check)
    call PAPIF_start(es, check)
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_OK, 'it counts')
    call require(values(1) > 0, 'time')
    call PAPIF_cleanup_eventset(es, check)
    call PAPIF_destroy_eventset(es, check)
  end subroutine forms

  subroutine classic()
    integer(int64) :: values(1)
    integer :: codes(1), n, check

    call PAPIF_num_counters(n)
    call require(n >= 0, 'PAPIF_num_counters')
    call PAPIF_event_name_to_code(clock, codes(1), check)
    call PAPIF_read_counters(values, 1, check)
    call same(check, PAPI_ENOTRUN, 'PAPIF_read_counters before the start')
    call PAPIF_start_counters(codes, 1, check)
    call same(check, PAPI_OK, 'PAPIF_start_counters')
    call PAPIF_read_counters(values, 1, check)
    call same(check, PAPI_OK, 'PAPIF_read_counters')
    values = 10_int64**12
    call PAPIF_accum_counters(values, 1, check)
    call same(check, PAPI_OK, 'PAPIF_accum_counters')
    call require(values(1) > 10_int64**12, 'it adds')
    call PAPIF_stop_counters(values, 1, check)
    call same(check, PAPI_OK, 'PAPIF_stop_counters')
    call require(values(1) > 0, 'it counted')
  end subroutine classic

  subroutine rates()
    integer, parameter :: answers(*) = [PAPI_OK, PAPI_ENOEVNT, PAPI_EPERM, PAPI_ECNFLCT]
    real(real32) :: rtime, ptime, rate
    integer(int64) :: count, values(2)
    integer :: check, ignored

    call PAPIF_flips(rtime, ptime, count, rate, check)
    call one_of(check, answers, 'PAPIF_flips')
    call PAPIF_stop_counters(values, 2, ignored)
    call PAPIF_flops(rtime, ptime, count, rate, check)
    call one_of(check, answers, 'PAPIF_flops')
    call PAPIF_stop_counters(values, 2, ignored)
    call PAPIF_ipc(rtime, ptime, count, rate, check)
    call one_of(check, answers, 'PAPIF_ipc')
    if (check == PAPI_OK) then
      call PAPIF_ipc(rtime, ptime, count, rate, check)
      call same(check, PAPI_OK, 'PAPIF_ipc, again')
      call require(count > 0 .and. rate > 0 .and. ptime > 0, 'PAPIF_ipc counts')
    end if
    call PAPIF_stop_counters(values, 2, ignored)
  end subroutine rates

  subroutine rates_of_events()
    real(real32) :: rtime, ptime, rate
    integer(int64) :: count, ref, core
    integer, parameter :: answers(3) = [PAPI_OK, PAPI_ENOEVNT, PAPI_EPERM]
    integer :: check

    call PAPIF_rate_stop(check)
    call same(check, PAPI_ENOTRUN, 'PAPIF_rate_stop')
    call PAPIF_flips_rate(PAPI_FP_INS, rtime, ptime, count, rate, check)
    call one_of(check, answers, 'PAPIF_flips_rate')
    if (check == PAPI_OK) call PAPIF_rate_stop(check)
    call PAPIF_flops_rate(0, rtime, ptime, count, rate, check)
    call same(check, PAPI_EINVAL, 'PAPIF_flops_rate of no event')
    call PAPIF_flops_rate(PAPI_FP_OPS, rtime, ptime, count, rate, check)
    call one_of(check, answers, 'PAPIF_flops_rate')
    if (check == PAPI_OK) call PAPIF_rate_stop(check)
    call PAPIF_epc(0, rtime, ptime, ref, core, count, rate, check)
    call one_of(check, answers, 'PAPIF_epc')
    if (check == PAPI_OK) call PAPIF_rate_stop(check)
  end subroutine rates_of_events

  ! What they write is looked at elsewhere.
  subroutine regions()
    integer :: check
    real(real64) :: value, efficiencies(PAPI_EFF_COUNT)

    call PAPIF_hl_region_begin(' ', check)
    call same(check, PAPI_EINVAL, 'PAPIF_hl_region_begin without a name')
    call PAPIF_hl_region_begin('region  ', check)
    call same(check, PAPI_OK, 'PAPIF_hl_region_begin')
    call PAPIF_hl_read('region', check)
    call same(check, PAPI_OK, 'PAPIF_hl_read')
    call PAPIF_hl_region_end('another', check)
    call same(check, PAPI_EINVAL, 'PAPIF_hl_region_end of another region')
    call PAPIF_hl_region_end('region', check)
    call same(check, PAPI_OK, 'PAPIF_hl_region_end')
    value = -1
    call PAPIF_metric(PAPI_NULL, 'ipc', [1_int64], 0_int64, value, check)
    call same(check, PAPI_ENOEVST, 'PAPIF_metric of no event set')
    call PAPIF_hl_metric('region', 'no_such_metric', value, check)
    call same(check, PAPI_EINVAL, 'PAPIF_hl_metric of no metric')
    call PAPIF_hl_metric('region ', 'ipc ', value, check)
    call one_of(check, [PAPI_OK, PAPI_ENOEVNT, PAPI_EINVAL, PAPI_ECNFLCT], 'PAPIF_hl_metric')
    call same(merge(1, 0, value >= 0), merge(1, 0, check == PAPI_OK), 'the value of PAPIF_hl_metric')
    efficiencies = -1
    call PAPIF_hl_efficiency('region', PAPI_EFF_RANK, efficiencies, check)
    call same(check, PAPI_ENOSUPP, 'PAPIF_hl_efficiency without papi_mpirun')
    call same(count(efficiencies < 0), PAPI_EFF_COUNT, 'the values of PAPIF_hl_efficiency are kept')
    call PAPIF_hl_stop(check)
    call one_of(check, [PAPI_OK, PAPI_ESYS], 'PAPIF_hl_stop')
  end subroutine regions

  subroutine the_end()
    integer :: level, check

    call PAPIF_shutdown()
    call PAPIF_is_initialized(level)
    call same(level, PAPI_NOT_INITED, 'PAPIF_is_initialized after PAPIF_shutdown')
    call PAPIF_start(1, check)
    call same(check, PAPI_ENOINIT, 'PAPIF_start after PAPIF_shutdown')
  end subroutine the_end

end program interface_test
