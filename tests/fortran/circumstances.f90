! SPDX-License-Identifier: BSD-3-Clause
! What the rows of wrong_calls.tab find when they are called, and who calls them. Each row runs in a
! child process: nothing of it is left for the next one.
module circumstances
  use, intrinsic :: iso_c_binding, only: c_char, c_f_procpointer, c_funloc, c_funptr, c_int, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use checks
  use papi
  implicit none
  public

  integer, parameter :: NOLIB = 0, EMPTY = 1, STOPPED = 2, RUNNING = 3, CLASSIC = 4, RATES = 5, FORBIDDEN = 6, &
                        NOFILES = 7, FORKED = 8, DISABLED = 9
  character(len=*), parameter :: faults = 'perf::PAGE-FAULTS', clock = 'perf::TASK-CLOCK'
  ! A native event's code that no library gives.
  integer, parameter :: no_native = ior(PAPI_NATIVE_MASK, int(z'3ffffff0'))

  ! Linux's errno.
  integer(c_int), parameter :: ENOENT = 2, EACCES = 13, EBUSY = 16

  ! For the rows: es is the situation's event set, code its event, other one that counts too; handle
  ! is for rows that try handles; the rest is for results.
  integer :: es, handle, fresh, code, other, check, number, codes(4), flags
  integer(int64) :: values(8), ticks, three(3)
  real(real64) :: shares(8)
  integer(int64), target :: buckets(8)
  real(real32) :: rtime, ptime, rate, real_number
  real(real64) :: metric, efficiencies(PAPI_EFF_COUNT)
  character(len=PAPI_HUGE_STR_LEN) :: text, text2, text3, text4
  type(c_ptr) :: pointer
  type(papi_hw_info) :: machine
  type(papi_component_info) :: component
  integer :: answer
  integer(c_int), save :: allocations = -1
  integer, save :: refused = 0

  interface
    integer(c_int) function circumstance_allocations(n) bind(C)
      import :: c_int
      integer(c_int), value :: n
    end function circumstance_allocations
    integer(c_int) function circumstance_refuses() bind(C)
      import :: c_int
    end function circumstance_refuses
    subroutine circumstance_forbidden() bind(C)
    end subroutine circumstance_forbidden
    subroutine circumstance_counters_refused(error) bind(C)
      import :: c_int
      integer(c_int), value :: error
    end subroutine circumstance_counters_refused
    subroutine circumstance_counters_taken() bind(C)
    end subroutine circumstance_counters_taken
    subroutine circumstance_kernel_fails() bind(C)
    end subroutine circumstance_kernel_fails
    subroutine circumstance_no_output() bind(C)
    end subroutine circumstance_no_output
    subroutine circumstance_no_files() bind(C)
    end subroutine circumstance_no_files
    subroutine circumstance_forked() bind(C)
    end subroutine circumstance_forked
    integer(c_int) function own_number() bind(C, name='getpid')
      import :: c_int
    end function own_number
    integer(c_int) function set_environment(name, value, overwrite) bind(C, name='setenv')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*), value(*)
      integer(c_int), value :: overwrite
    end function set_environment
    integer(c_int) function circumstance_child(body, argument) bind(C)
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: body
      type(c_ptr), value :: argument
    end function circumstance_child
  end interface

  abstract interface
    subroutine row()
    end subroutine row
  end interface

  procedure(row), pointer, private :: running_row => null()

contains

  subroutine begin()
    integer :: probe

    call write_presets()
    probe = PAPI_VER_CURRENT
    call PAPIF_library_init(probe)
    call PAPIF_query_named_event(faults, probe)
    if (probe /= PAPI_OK) then
      call skip('the kernel counts no software events for this user')
      call finish()
      stop 77
    end if
    call PAPIF_shutdown()
  end subroutine begin

  ! Presets that every machine counts.
  subroutine write_presets()
    character(len=*), parameter :: file = 'fortran_wrong_calls.presets'
    integer :: unit

    open (newunit=unit, file=file, action='write', status='replace')
    write (unit, '(a)') 'CPU,perf', 'PRESET,PAPI_TOT_INS,NOT_DERIVED,' // faults, &
      'PRESET,PAPI_FP_INS,NOT_DERIVED,' // faults, 'PRESET,PAPI_FP_OPS,NOT_DERIVED,' // faults, &
      'PRESET,PAPI_TOT_CYC,NOT_DERIVED,' // clock
    close (unit)
    call require(set_environment('PAPI_CSV_EVENT_FILE' // char(0), file // char(0), 1_c_int) == 0, 'setenv')
  end subroutine write_presets

  subroutine enter(situation)
    integer, intent(in) :: situation

    es = PAPI_NULL
    handle = PAPI_NULL
    fresh = PAPI_NULL
    code = PAPI_TOT_INS
    other = PAPI_TOT_INS
    number = 0
    if (situation == NOLIB) return
    if (situation == DISABLED) call PAPIF_disable_component_by_name('perf_event', check)
    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    call PAPIF_event_name_to_code(faults, code, check)
    call PAPIF_event_name_to_code(clock, other, check)
    call PAPIF_create_eventset(es, check)
    if (situation == STOPPED .or. situation == RUNNING .or. situation == FORKED) then
      call PAPIF_add_event(es, code, check)
      call PAPIF_start(es, check)
    end if
    if (situation == STOPPED .or. situation == FORKED) call PAPIF_stop(es, values, check)
    if (situation == CLASSIC) call PAPIF_start_counters([code], 1, check)
    if (situation == RATES) call PAPIF_flops(rtime, ptime, ticks, rate, check)
    if (situation == FORBIDDEN) call circumstance_forbidden()
    if (situation == NOFILES) call circumstance_no_files()
    if (situation == FORKED) call circumstance_forked()
    if (check /= PAPI_OK) print '(a, i0, a, i0)', 'FAIL: situation ', situation, ' cannot be made: ', check
  end subroutine enter

  subroutine set_number(to)
    integer, intent(in) :: to

    number = to
  end subroutine set_number

  subroutine first_device(kind)
    integer, intent(in) :: kind

    pointer = c_null_ptr
    call PAPIF_enum_dev_type(kind, pointer, check)
  end subroutine first_device

  ! Fills es with spellings of an event's name, each of which is one of its own.
  subroutine fill()
    character(len=len(faults)) :: name
    integer :: n, i, bit, ignored

    do n = 0, 1023
      name = 'perf::PAGE-FAULTS'
      bit = 0
      do i = 7, len(name)
        if (name(i:i) == '-') cycle
        if (btest(n, bit)) name(i:i) = achar(iachar(name(i:i)) + 32)
        bit = bit + 1
      end do
      call PAPIF_add_named_event(es, name, ignored)
      if (ignored == PAPI_ECNFLCT) return
    end do
  end subroutine fill

  ! Makes code an event whose name is longer than PAPI_MAX_STR_LEN.
  subroutine name_at_length()
    call PAPIF_event_name_to_code('perf::PAGE-FAULTS' // repeat(':u=1', PAPI_MAX_STR_LEN / 4), code, check)
  end subroutine name_at_length

  ! A file of definitions of n presets, and what defines each.
  subroutine define(name, n, rest)
    character(len=*), intent(in) :: name, rest
    integer, intent(in) :: n
    integer :: unit, i

    open (newunit=unit, file='fortran_wrong_calls.csv', action='write', status='replace')
    write (unit, '(a)') 'name,derived,postfix,short_descr,long_descr,note,native'
    do i = 0, n - 1
      write (unit, '(a, i0, 2a)') name, i, ',', rest
    end do
    close (unit)
  end subroutine define

  integer function destroyed_handle()
    integer :: again, ignored

    again = PAPI_NULL
    call PAPIF_create_eventset(again, ignored)
    destroyed_handle = again
    call PAPIF_destroy_eventset(again, ignored)
  end function destroyed_handle

  subroutine ignore_overflow(es, address, overflow_vector, context) bind(C)
    use, intrinsic :: iso_c_binding, only: c_long_long
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector

    es = es
    address = context
    overflow_vector = 0
  end subroutine ignore_overflow

  subroutine without_memory(wanted)
    logical, intent(in) :: wanted
    integer(c_int) :: before

    if (wanted) before = circumstance_allocations(allocations)
  end subroutine without_memory

  subroutine with_memory()
    refused = circumstance_allocations(-1)
  end subroutine with_memory

  integer(c_int) function child_body(argument) bind(C)
    type(c_ptr), value :: argument

    argument = c_null_ptr
    call running_row()
    child_body = answer
    ! Tells the parent that more allocations would change nothing.
    if (allocations >= 0 .and. refused == 0) child_body = -2000
  end function child_body

  subroutine try(procedure, situation, wanted, line, what)
    procedure(row) :: procedure
    integer, intent(in) :: situation, wanted, line
    character(len=*), intent(in) :: what
    integer, parameter :: impossible = -1001
    character(len=20) :: place
    integer :: got

    write (place, '(a, i0, a, i0, a)') 'line ', line, ' (', situation, ')'
    running_row => procedure
    if (wanted == PAPI_ENOMEM) then
      call try_without_memory(trim(place) // ': ' // what)
    else
      allocations = -1
      got = circumstance_child(c_funloc(child_body), c_null_ptr)
      if (got == impossible) then
        call skip(trim(place) // ': ' // what // ': its circumstance cannot be made here')
      else
        call same(got, wanted, trim(place) // ': ' // what)
      end if
    end if
  end subroutine try

  ! All allocations of the call fail, all but the first, and so on, until one answer is PAPI_ENOMEM or none
  ! fails. A process each takes time: the sweep over all of them is C's.
  subroutine try_without_memory(what)
    character(len=*), intent(in) :: what
    integer, parameter :: crashed = -1000, nothing_refused = -2000, most = 40
    integer :: got

    if (circumstance_refuses() == 0) then
      call skip(what // ': the allocator of a sanitizer never refuses')
      return
    end if
    got = crashed
    do allocations = 0, most
      got = circumstance_child(c_funloc(child_body), c_null_ptr)
      if (got == PAPI_ENOMEM .or. got == nothing_refused .or. got == crashed) exit
    end do
    call same(got, PAPI_ENOMEM, what)
    allocations = -1
  end subroutine try_without_memory

  subroutine finish_rows()
    call finish()
  end subroutine finish_rows

end module circumstances
