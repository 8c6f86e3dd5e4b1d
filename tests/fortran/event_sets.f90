! SPDX-License-Identifier: BSD-3-Clause
! type(papi_event_set): its procedures, what becomes of it where its variable ends, and its copies. Events
! of the kernel's own, so that no counters are needed.
module event_set_users
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_long_long, c_ptr
  use papi, only: papi_event_set
  implicit none
  private
  public :: measurement, make, counted_in_function, ignore

  type :: measurement ! as a code has it: the set is one component of several
    character(len=20) :: label = 'none'
    type(papi_event_set) :: set
  end type measurement

contains

  ! The set outlives the procedure, not being its own variable.
  subroutine make(set, event)
    type(papi_event_set), intent(inout) :: set
    character(len=*), intent(in) :: event

    call set%add(event)
  end subroutine make

  ! A polymorphic argument, left early.
  integer function counted_in_function(set) result(n)
    class(papi_event_set), intent(inout) :: set

    n = -1
    if (set%count() == 0) return
    n = set%count()
  end function counted_in_function

  subroutine ignore(es, address, overflow_vector, context) bind(C)
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector

    if (es < 0 .or. overflow_vector == 0 .or. .not. c_associated(address) .or. .not. c_associated(context)) stop 1
  end subroutine ignore

end module event_set_users

program event_sets
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use event_set_users
  use papi
  implicit none

  interface
    integer(c_int) function this_process() bind(C, name='getpid')
      import :: c_int
    end function this_process
    integer(c_int) function make_process() bind(C, name='fork')
      import :: c_int
    end function make_process
    integer(c_int) function wait_for(seconds) bind(C, name='sleep')
      import :: c_int
      integer(c_int), value :: seconds
    end function wait_for
    integer(c_int) function send_signal(pid, signal) bind(C, name='kill')
      import :: c_int
      integer(c_int), value :: pid, signal
    end function send_signal
    subroutine end_at_once(status) bind(C, name='_exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine end_at_once
  end interface

  character(len=*), parameter :: faults = 'perf::PAGE-FAULTS', clock = 'perf::TASK-CLOCK', &
    switches = 'perf::CONTEXT-SWITCHES', migrations = 'perf::CPU-MIGRATIONS'
  integer :: check, fault_code, clock_code, i

  call before_the_first_event()
  call PAPIF_query_named_event(faults, check)
  if (check /= PAPI_OK) then
    call skip('the kernel counts no software events for this user')
    call finish()
    stop
  end if
  call PAPIF_event_name_to_code(faults, fault_code, check)
  call PAPIF_event_name_to_code(clock, clock_code, check)
  call events_by_code_and_name()
  call all_or_none()
  call counting()
  call odd_arrays()
  call scalars()
  call short_arrays()
  call messages()
  call metrics()
  call state_errors()
  call handles()
  do i = 1, 1000 ! more than the library has room for, unless each is destroyed
    call scopes()
  end do
  call end_in_block()
  call end_of_running()
  call copies()
  call copies_of_structures()
  call moves()
  call arrays_of_sets()
  call texts()
  call turns()
  call sharing()
  call other_threads()
  call control_groups()
  call after_shutdown()
  call finish()

contains

  ! Makes page faults and time pass.
  subroutine work()
    ! More than the C library ever takes of its heap, where it might be memory that was touched before.
    integer, parameter :: room = 12000000, touched = 400000
    integer, allocatable :: memory(:)
    integer :: k, sum

    allocate (memory(room))
    do k = 1, touched
      memory(k) = k
    end do
    sum = 0
    do k = 1, touched, 3
      sum = ieor(sum, memory(k))
    end do
    if (sum == -1) print *, sum
  end subroutine work

  ! The library's own answer to whether a handle is an event set.
  logical function exists(handle)
    integer, intent(in) :: handle
    integer :: status, check

    call PAPIF_state(handle, status, check)
    exists = check == PAPI_OK
  end function exists

  ! Those of what the kernel counts; of the processor's, the emulator's tests have them.
  subroutine metrics()
    ! The kernel's two clocks may go apart by 500 millionths, and count nanoseconds.
    real(real64), parameter :: all_of_it = 1.001_real64
    type(papi_event_set) :: set
    character(len=PAPI_HUGE_STR_LEN) :: message
    integer(int64) :: counts(2)
    real(real64) :: value, busy, most, faults_a_second
    integer :: check, i

    value = -1
    call set%add([character(len=30) :: faults, clock])
    call set%metric('page_faults', value, stat=check)
    call same(check, PAPI_EINVAL, 'a metric that needs the time, which nobody knows')
    call set%mark()
    call same(merge(1, 0, set%running()), 1, 'mark starts the set')
    call work()
    call set%metric('cpus_busy', busy)
    call same(merge(1, 0, busy > 0 .and. busy < all_of_it), 1, 'one thread keeps at most one processor busy')
    call set%metric('page_faults', faults_a_second)
    call same(merge(1, 0, faults_a_second > 0), 1, 'page faults a second')
    most = 0
    do i = 1, 1000 ! counts and time of nothing but the calls themselves
      call set%mark()
      call set%metric('cpus_busy', busy)
      most = max(most, busy)
    end do
    call same(merge(1, 0, most > 0 .and. most < all_of_it), 1, 'nor does it at once after the mark')
    call set%mark() ! begins anew
    call set%read(counts)
    call same(merge(1, 0, counts(1) < 300), 1, 'the page faults before the mark are gone')
    call work()
    call set%stop(counts)
    call set%metric('page_faults', value, seconds=2.0_real64)
    call same(merge(1, 0, abs(value - real(counts(1), real64) / 2) < 1e-9_real64), 1, 'a metric with its time')
    call set%metric('ipc', value, stat=check, errmsg=message)
    call same(check, PAPI_ENOEVNT, 'a metric whose events are not there')
    call same(merge(1, 0, index(message, 'PAPI_TOT_INS is not counted') > 0), 1, 'which event it is')
    call same(merge(1, 0, abs(value - real(counts(1), real64) / 2) < 1e-9_real64), 1, 'the value stays')
    call set%metric('page_faults', value, stat=check)
    call same(check, PAPI_EINVAL, 'nothing is known of the time of a set that has stopped')
  end subroutine metrics

  subroutine before_the_first_event()
    type(papi_event_set) :: set
    integer(int64) :: values(1)
    integer :: check, level

    call PAPIF_is_initialized(level)
    call same(level, PAPI_NOT_INITED, 'nobody has initialised the library')
    call same(set%count(), 0, 'a new set has no events')
    call same(set%state(), PAPI_STOPPED, 'and is stopped')
    call require(.not. set%running(), 'and does not run')
    call same(set%handle(), PAPI_NULL, 'and has no handle')
    call same(size(set%codes()), 0, 'and no codes')
    call set%start(check)
    call same(check, PAPI_ENOEVST, 'start without events')
    call set%read(values, check)
    call same(check, PAPI_ENOEVST, 'read without events')
    call set%stop(stat=check)
    call same(check, PAPI_ENOEVST, 'stop without events')
    call set%stop(values, check)
    call same(check, PAPI_ENOEVST, 'stop without events, with an array')
    call set%stop(values(1), check)
    call same(check, PAPI_ENOEVST, 'stop without events, with a scalar')
    call set%accum(values, check)
    call same(check, PAPI_ENOEVST, 'accum without events')
    call set%reset(check)
    call same(check, PAPI_ENOEVST, 'reset without events')
    call set%write(values, check)
    call same(check, PAPI_ENOEVST, 'write without events')
    call set%detach(check)
    call same(check, PAPI_ENOEVST, 'detach without events')
    call set%overflow(PAPI_TOT_CYC, 0, stat=check)
    call same(check, PAPI_ENOEVST, 'overflow without events')
    call set%destroy(check)
    call same(check, PAPI_OK, 'destroy without events')
    call set%add('PAPI_NO_SUCH_EVENT', check)
    call same(check, PAPI_ENOTPRESET, 'an event that is none')
    call PAPIF_is_initialized(level)
    call same(level, PAPI_LOW_LEVEL_INITED, 'the set initialised the library')
    call require(exists(set%handle()), 'and made an event set')
  end subroutine before_the_first_event

  subroutine events_by_code_and_name()
    type(papi_event_set) :: set
    integer :: check, none(0)
    character(len=5) :: no_names(0)

    call set%add(fault_code)
    call set%add(clock // '   ')
    call same(set%count(), 2, 'an event by its code and one by its name')
    call require(all(set%codes() == [fault_code, clock_code]), 'their codes')
    call same(set%name(1), faults, 'the first one''s name')
    call same(set%name(2), clock, 'the second one''s')
    call same(set%name(3, check), '', 'the third one''s')
    call same(check, PAPI_EINVAL, 'is an error')
    call same(set%name(0, check), '', 'nor is there a name 0')
    call set%remove(faults)
    call require(all(set%codes() == [clock_code]), 'remove by name')
    call set%remove(clock_code)
    call same(set%count(), 0, 'remove by code')
    call set%add([clock_code, fault_code])
    call set%add([character(len=24) :: switches, migrations], check)
    if (check /= PAPI_OK) call set%add([character(len=24) :: 'perf::CPU-CLOCK', 'perf::MINOR-FAULTS'])
    call same(set%count(), 4, 'arrays of both')
    call set%remove([fault_code, clock_code])
    call same(set%count(), 2, 'remove an array of codes')
    call set%remove([set%name(1)])
    call same(set%count(), 1, 'remove an array of names')
    call set%add(none)
    call set%add(no_names)
    call set%remove(none, check)
    call same(check, PAPI_OK, 'arrays of no length')
    call same(set%count(), 1, 'change nothing')
    call set%clear()
    call same(set%count(), 0, 'clear')
    call set%remove(clock, check)
    call same(check, PAPI_EINVAL, 'remove what is not there')
    call set%add('', check)
    call require(check < 0, 'a name of no length')
  end subroutine events_by_code_and_name

  subroutine all_or_none()
    type(papi_event_set) :: set
    character(len=200) :: text
    integer :: check

    call set%add(clock)
    call set%add([character(len=24) :: faults, 'PAPI_NO_SUCH_EVENT', clock], check, text)
    call same(check, PAPI_ENOTPRESET, 'one of three events is none')
    call require(index(text, 'papi_event_set%add: PAPI_NO_SUCH_EVENT: ') == 1, 'the message names it: ' // trim(text))
    call require(all(set%codes() == [clock_code]), 'none of them was added')
    call set%add([fault_code, clock_code], check, text)
    call same(check, PAPI_EINVAL, 'one of two codes is there already')
    call require(index(text, 'papi_event_set%add: ' // clock // ': ') == 1, 'the message names it: ' // trim(text))
    call require(all(set%codes() == [clock_code]), 'and none was added')
    call set%add(faults)
    call set%remove([character(len=24) :: faults, switches, clock], check, text)
    call same(check, PAPI_EINVAL, 'remove ends at what is not there')
    call require(index(text, 'papi_event_set%remove: ' // switches // ': ') == 1, 'and names it: ' // trim(text))
    call require(all(set%codes() == [clock_code]), 'what is before it is out, what is behind it is not')
  end subroutine all_or_none

  subroutine counting()
    type(papi_event_set) :: set
    integer(int64) :: first(2), values(2), longer(5)
    integer :: check

    call set%add([character(len=20) :: clock, faults])
    call set%start(check)
    call same(check, PAPI_OK, 'start')
    call require(set%running(), 'it runs')
    call require(iand(set%state(), PAPI_RUNNING) /= 0, 'and its state says so')
    call set%read(first, check)
    call same(check, PAPI_OK, 'read')
    call work()
    longer = -7
    call set%read(longer)
    call require(longer(1) > first(1) .and. longer(2) > first(2), 'both events have counted')
    call require(all(longer(3:) == -7), 'what the array has more stays as it was')
    values = [10_int64**15, 10_int64**16]
    call set%accum(values, check)
    call same(check, PAPI_OK, 'accum')
    call require(all(values - [10_int64**15, 10_int64**16] >= longer(:2)), 'accum adds')
    call set%read(first)
    call require(first(2) < longer(2), 'and zeroes')
    call work()
    call set%reset()
    call set%read(first)
    call require(first(2) < longer(2), 'reset zeroes')
    call set%write([10_int64**12, 10_int64**13], check)
    call same(check, PAPI_OK, 'write')
    call work()
    call set%stop(values, check)
    call same(check, PAPI_OK, 'stop')
    call require(values(1) > 10_int64**12 .and. values(2) >= 10_int64**13, 'it went on from what was written')
    call require(.not. set%running(), 'it has stopped')
    call set%read(first)
    call require(all(first == values), 'a stopped set is read, too')
    call set%start()
    call set%stop()
    call require(.not. set%running(), 'stop without values')
  end subroutine counting

  ! Arrays that are not contiguous go in and out.
  subroutine odd_arrays()
    type(papi_event_set) :: set
    integer(int64) :: table(3, 4), values(2)
    integer(int64), allocatable :: heap(:)
    integer(int64), pointer :: backwards(:)
    integer(int64), target :: store(4)

    call set%add([character(len=20) :: clock, faults])
    call set%start()
    call work()
    call set%stop(values)
    table = -1
    call set%read(table(2, 1:3:2))
    call require(all(table(2, [1, 3]) == values), 'a row of a table')
    call same(count(table == -1), 10, 'and nothing beside it')
    store = -1
    backwards => store(4:1:-1)
    call set%read(backwards)
    call require(all(store == [-1_int64, -1_int64, values(2), values(1)]), 'backwards')
    allocate (heap(0:1))
    call set%read(heap)
    call require(all(heap == values), 'bounds of its own')
    call set%write(table(2, 3:1:-2))
    call set%read(heap)
    call require(all(heap == values(2:1:-1)), 'written backwards')
    table(1, :) = 1
    call set%accum(table(1, ::3))
    call require(all(table(1, [1, 4]) == 1 + values(2:1:-1)), 'accum into every third')
  end subroutine odd_arrays

  subroutine scalars()
    type(papi_event_set) :: set
    integer(int64) :: value, again(2)
    character(len=80) :: text
    integer :: check

    call set%add(clock)
    call set%start()
    call work()
    value = -1
    call set%read(value)
    call require(value > 0, 'a scalar is read')
    call set%stop(value, check, text)
    call same(check, PAPI_OK, 'a scalar from stop')
    call set%read(again(1:1))
    call same(value, again(1), 'stop into a scalar')
    call set%write(41_int64)
    value = 1
    call set%accum(value)
    call same(value, 42_int64, 'write of a scalar, accum into a scalar')
    call set%add(faults)
    value = -5
    call set%read(value, check, text)
    call same(check, PAPI_EBUF, 'a scalar for two events')
    call require(index(text, 'papi_event_set%read: values has 1 ') == 1, trim(text))
    call set%stop(value, check)
    call set%accum(value, check)
    call same(check, PAPI_EBUF, 'a scalar for two sums')
    call set%write(value, check)
    call same(check, PAPI_EBUF, 'a scalar for two counts')
    call same(value, -5_int64, 'and it was not touched')
  end subroutine scalars

  subroutine short_arrays()
    type(papi_event_set) :: set, copy
    integer(int64) :: values(3)
    character(len=80) :: text
    integer :: check

    call set%add(clock)
    copy = set
    call set%add(faults) ! the copy does not know
    call set%start()
    values = -5
    text = 'nothing'
    call set%read(values(1:1), check, text)
    call same(check, PAPI_EBUF, 'read into too few elements')
    call require(text == 'papi_event_set%read: values has 1 elements, the number of events is 2', trim(text))
    call set%read(values(1:1), check)
    call same(check, PAPI_EBUF, 'the same without errmsg')
    call set%accum(values(1:0), check, text)
    call same(check, PAPI_EBUF, 'accum into nothing')
    call require(index(text, 'papi_event_set%accum: values has 0 ') == 1, trim(text))
    call set%accum(values(1:1), check)
    call same(check, PAPI_EBUF, 'accum into too few elements')
    call set%write(values(1:1), check)
    call same(check, PAPI_EBUF, 'write from too few')
    call set%stop(values(1:1), check)
    call same(check, PAPI_EBUF, 'stop into too few elements')
    call require(set%running(), 'and it runs on')
    call copy%read(values(1:1), check)
    call same(check, PAPI_EBUF, 'a copy asks for the number of events')
    call copy%stop(values(1:1), check, text)
    call same(check, PAPI_EBUF, 'at each call')
    call require(all(values == -5), 'and nothing was touched')
    call copy%read(values(1:2), check)
    call same(check, PAPI_OK, 'enough for the copy')
    call set%stop(values(1:2))
    call same(values(3), -5_int64, 'the element behind')
  end subroutine short_arrays

  ! errmsg is defined by an error alone, and has any length.
  subroutine messages()
    type(papi_event_set) :: set
    character(len=400) :: long
    character(len=10) :: short
    integer(int64) :: values(1)
    integer :: check

    call set%add(clock)
    long = 'as before'
    call set%start(check, long)
    call set%read(values, check, long)
    call set%accum(values, check, long)
    call set%reset(check, long)
    call set%write([1_int64], check, long)
    call set%stop(values, check, long)
    call same(check, PAPI_OK, 'nothing fails')
    call require(long == 'as before', 'errmsg is as before')
    call set%stop(values, check, long)
    call same(check, PAPI_ENOTRUN, 'stop of a stopped set')
    call require(long == 'papi_event_set%stop: ' // papi_error_text(PAPI_ENOTRUN), trim(long))
    short = repeat('#', len(short))
    call set%stop(values, check, short(2:9))
    call same(short, '#papi_eve#', 'a short errmsg is cut')
    call set%stop(values, check, short(2:1))
    call same(check, PAPI_ENOTRUN, 'one of no length is not a trouble')
    call set%stop(stat=check, errmsg=long)
    call require(index(long, 'papi_event_set%stop: ') == 1, 'stop without values has a message')
    call set%remove(faults, errmsg=long, stat=check)
    call same(check, PAPI_EINVAL, 'stat and errmsg by keyword')
  end subroutine messages

  subroutine state_errors()
    type(papi_event_set) :: set
    integer(int64) :: values(2)
    integer :: check

    call set%add(clock)
    call set%start()
    call set%start(check)
    call same(check, PAPI_EISRUN, 'start, again')
    call set%add(faults, check)
    call same(check, PAPI_EISRUN, 'add to a running set')
    call set%remove(clock, check)
    call same(check, PAPI_EISRUN, 'remove from a running set')
    call set%clear(check)
    call same(check, PAPI_EISRUN, 'clear of a running set')
    call set%overflow(clock, 1000, ignore, stat=check)
    call same(check, PAPI_EISRUN, 'overflow of a running set')
    call set%read(values(1:1), check)
    call same(check, PAPI_OK, 'it still counts')
    call set%stop()
    call set%overflow(faults, 1000, ignore, stat=check)
    call same(check, PAPI_EINVAL, 'overflow of an event that the set has not')
    call set%overflow(fault_code, 1000, ignore, stat=check)
    call same(check, PAPI_EINVAL, 'the same by its code')
    call set%overflow('PAPI_NO_SUCH_EVENT', 1000, ignore, stat=check)
    call same(check, PAPI_ENOTPRESET, 'overflow of no event')
    call set%destroy(check)
    call same(check, PAPI_OK, 'destroy')
    call same(set%count(), 0, 'nothing is left')
    call set%add(clock)
    call same(set%count(), 1, 'and the variable can be used again')
  end subroutine state_errors

  ! Who has the handle may add events without the variable's knowledge.
  subroutine handles()
    type(papi_event_set) :: set
    integer(int64) :: values(2)
    integer :: check

    call set%add(clock)
    call PAPIF_add_named_event(set%handle(), faults, check)
    call same(check, PAPI_OK, 'an event by PAPIF_add_named_event')
    call set%start()
    values = -1
    call set%read(values(1:1), check)
    call same(check, PAPI_EBUF, 'it is noticed')
    call require(all(values == -1), 'before it is too late')
    call set%stop(values, check)
    call same(check, PAPI_OK, 'stop')
  end subroutine handles

  ! Each of these leaves nothing.
  subroutine scopes()
    type(papi_event_set) :: local
    type(papi_event_set), allocatable :: on_heap
    class(papi_event_set), allocatable :: polymorphic
    type(measurement) :: component

    call make(local, clock)
    allocate (on_heap, polymorphic)
    call on_heap%add(faults)
    call polymorphic%add(faults)
    call component%set%add(clock)
    if (counted_in_function(local) /= 1) call require(.false., 'one event')
    deallocate (on_heap)
    allocate (on_heap)
    call on_heap%add(clock)
    call local%start()
    if (local%running()) return
    call require(.false., 'never reached')
  end subroutine scopes

  subroutine end_in_block()
    integer :: handle(4), turn

    do turn = 1, 2
      block
        type(papi_event_set) :: set
        call set%add(clock)
        handle(turn) = set%handle()
        call require(exists(handle(turn)), 'inside the block')
        if (turn == 1) cycle
        exit
      end block
    end do
    call require(.not. exists(handle(1)), 'left with CYCLE')
    call require(.not. exists(handle(2)), 'left with EXIT')
    named: block
      type(papi_event_set) :: set
      type(papi_event_set), allocatable :: allocated
      allocate (allocated)
      call set%add(clock)
      call allocated%add(clock)
      handle(3:4) = [set%handle(), allocated%handle()]
    end block named
    call require(.not. exists(handle(3)), 'the end of a block')
    call require(.not. exists(handle(4)), 'what the block allocated')
  end subroutine end_in_block

  ! The end of the variable stops a running set: its counters are free.
  subroutine end_of_running()
    integer :: handle, check

    block
      type(papi_event_set) :: set
      call set%add([clock_code, fault_code])
      call set%start()
      handle = set%handle()
    end block
    call PAPIF_start(handle, check)
    call same(check, PAPI_ENOEVST, 'a set that ran is gone')
    block
      type(papi_event_set) :: set
      call set%add(clock)
      handle = set%handle()
      call PAPIF_cleanup_eventset(handle, check)
      call PAPIF_destroy_eventset(handle, check) ! which nobody should
      call same(check, PAPI_OK, 'destroyed behind the back')
      call set%destroy(check)
      call same(check, PAPI_ENOEVST, 'destroy tells')
      call set%destroy(check)
      call same(check, PAPI_OK, 'once')
    end block
  end subroutine end_of_running

  subroutine copies()
    type(papi_event_set) :: owner, other
    type(papi_event_set), allocatable :: source
    class(papi_event_set), allocatable :: polymorphic
    integer(int64) :: values(2)
    integer :: handle, check
    character(len=100) :: text

    call owner%add([clock_code, fault_code])
    block
      type(papi_event_set) :: copy
      copy = owner
      allocate (source, source=owner)
      allocate (polymorphic, source=owner)
      call copy%start(check)
      call same(check, PAPI_OK, 'a copy starts the set')
      call require(owner%running(), 'which is the owner''s')
      call source%read(values, check)
      call same(check, PAPI_OK, 'a copy made by SOURCE= reads it')
      call polymorphic%accum(values, check)
      call same(check, PAPI_OK, 'and a polymorphic one')
      call copy%stop(values, check)
      call same(check, PAPI_OK, 'a copy stops it')
      call copy%add(switches, check, text)
      call same(check, PAPI_EINVAL, 'a copy cannot add events')
      call require(index(text, 'copy') > 0, trim(text))
      call copy%remove(clock, check)
      call same(check, PAPI_EINVAL, 'nor remove any')
      call copy%clear(check)
      call same(check, PAPI_EINVAL, 'nor clear')
      call same(copy%count(), 2, 'but count them')
      deallocate (source)
      call copy%destroy(check)
      call same(check, PAPI_OK, 'destroy of a copy')
      call same(copy%handle(), PAPI_NULL, 'lets go of the set')
      deallocate (polymorphic)
    end block
    handle = owner%handle()
    call require(exists(handle), 'the end of the copies is not that of the set')
    block
      type(papi_event_set) :: first
      call first%add(clock)
      other = first
      call require(exists(other%handle()), 'a copy that outlives the owner')
    end block
    call other%read(values, check)
    call same(check, PAPI_ENOEVST, 'has no set any more')
    call other%destroy(check)
    call same(check, PAPI_OK, 'and can be made empty')
    owner = owner
    ! The language ends the set of the left side first; not all compilers do.
    call one_of(owner%count(check), [0, 2], 'assignment to itself')
    call one_of(check, [PAPI_OK, PAPI_ENOEVST], 'does no harm')
  end subroutine copies

  subroutine copies_of_structures()
    type(measurement) :: whole, array(2)
    integer :: handle

    call whole%set%add(clock)
    whole%label = 'whole'
    handle = whole%set%handle()
    block
      type(measurement) :: copy
      copy = whole
      array = whole
      call same(copy%set%count(), 1, 'a copy of what contains a set')
    end block
    call require(exists(handle), 'ends without ending the set')
    array(1) = measurement('constructed', whole%set)
    call same(array(1)%set%count(), 1, 'a constructor copies, too')
    call require(exists(handle), 'and the set is there to the end')
  end subroutine copies_of_structures

  subroutine moves()
    type(papi_event_set) :: to
    type(papi_event_set), allocatable :: from, moved
    integer :: first, second

    call to%add(faults)
    first = to%handle()
    allocate (from)
    call from%add(clock)
    second = from%handle()
    call from%move_to(to)
    call require(.not. exists(first), 'the set of the receiver is destroyed')
    call same(to%handle(), second, 'the receiver has the other')
    call same(from%handle(), PAPI_NULL, 'the giver has none')
    deallocate (from)
    call require(exists(second), 'the giver''s end changes nothing')
    call to%add(faults)
    call same(to%count(), 2, 'the receiver adds to it as the owner')
    call to%move_to(to)
    call same(to%count(), 2, 'a move to itself does nothing')
    allocate (from)
    call from%add(clock)
    call move_alloc(from, moved)
    call moved%add(faults)
    call same(moved%count(), 2, 'MOVE_ALLOC moves the owner')
    first = moved%handle()
    deallocate (moved)
    call require(.not. exists(first), 'who ends the set')
  end subroutine moves

  subroutine arrays_of_sets()
    type(papi_event_set), allocatable :: sets(:), table(:, :)
    integer :: handles(3), k

    allocate (sets(3), table(2, 2))
    do k = 1, 3
      call sets(k)%add(clock)
      handles(k) = sets(k)%handle()
    end do
    call table(2, 2)%add(faults)
    k = table(2, 2)%handle()
    deallocate (table)
    call require(.not. exists(k), 'a set in a table')
    deallocate (sets)
    do k = 1, 3
      call require(.not. exists(handles(k)), 'a set in an array')
    end do
  end subroutine arrays_of_sets

  subroutine texts()
    character(len=PAPI_HUGE_STR_LEN) :: text
    integer :: check

    call PAPIF_strerror(PAPI_EINVAL, text, check)
    call same(papi_error_text(PAPI_EINVAL), trim(text), 'papi_error_text')
    call same(papi_error_text(4711), '4711 is not an error code', 'papi_error_text(4711)')
  end subroutine texts

  ! The kernel's software events need no turns: their counts are exact.
  subroutine turns()
    type(papi_event_set) :: set
    integer(int64) :: values(2)
    integer :: check

    call require(.not. set%multiplexed(), 'a new set is not multiplexed')
    call set%multiplex(check)
    call same(check, PAPI_OK, 'multiplex before the first event')
    call require(set%multiplexed(check), 'it is')
    call set%multiplex(check)
    call same(check, PAPI_EINVAL, 'multiplex, again')
    call set%add([clock_code, fault_code])
    call set%start()
    call work()
    call set%stop(values)
    call require(values(1) > 0, 'it counts')
    call require(iand(set%state(), PAPI_MULTIPLEXING) /= 0, 'its state says so')
  end subroutine turns

  subroutine sharing()
    type(papi_event_set) :: set
    integer(int64) :: values(2)
    real(real64) :: shares(3)
    integer :: check

    shares = -1
    call set%shares(shares, check)
    call same(check, PAPI_ENOEVST, 'shares of no set')
    call set%wait(-1d0, check)
    call same(check, PAPI_EINVAL, 'wait for less than nothing')
    call set%wait(0.5d0)
    call set%share()
    call set%add([clock_code, fault_code])
    call set%start()
    call work()
    call set%stop(values)
    call set%shares(shares(:1), check)
    call same(check, PAPI_EBUF, 'shares without room')
    call set%shares(shares)
    call require(all(shares(:2) >= 1) .and. shares(3) < 0, 'nothing was missed')
    call require(iand(set%state(), PAPI_SHARING) /= 0, 'its state says that it shares')
    call set%share(.false., check)
    call same(check, PAPI_OK, 'and no more')
    call require(iand(set%state(), PAPI_SHARING) == 0, 'as its state says')
  end subroutine sharing

  integer function sleeping_child() result(child)
    integer :: rest

    child = make_process()
    if (child == 0) then
      rest = wait_for(60)
      call end_at_once(rest)
    end if
  end function sleeping_child

  subroutine other_threads()
    type(papi_event_set) :: set
    integer(int64) :: tids(8), ended(8), values(1, 8)
    integer :: check, n, child

    call set%detach(check)
    call same(check, PAPI_ENOEVST, 'detach of no set')
    call set%attach(0, check)
    call same(check, PAPI_EINVAL, 'attach to no thread')
    call set%attach(this_process(), check) ! the first thread has the number of the process
    call same(check, PAPI_OK, 'attach to the calling thread')
    call require(iand(set%state(), PAPI_ATTACHED) /= 0, 'its state says so')
    call set%add(clock)
    call set%start()
    call work()
    call set%stop()
    call set%attach_process(0, stat=check)
    call same(check, PAPI_EINVAL, 'attach to no process')
    call set%attach_process(this_process(), PAPI_PROCESS_THREADS, check)
    call same(check, PAPI_EINVAL, 'attach to each thread of the calling process')
    call set%attach_process(this_process(), stat=check)
    call same(check, PAPI_OK, 'attach to the calling process')
    call set%start()
    call work()
    call set%stop(values(:, 1))
    call require(values(1, 1) > 0, 'which counts')
    call set%read_threads(tids, values, n, stat=check)
    call same(check, PAPI_EINVAL, 'read_threads of a set that is not kept by threads')
    child = sleeping_child()
    call set%attach_process(child, PAPI_PROCESS_THREADS, check)
    if (check == PAPI_OK) then ! where this user may follow it
      call set%start()
      call set%read_threads(tids, values, n, ended, check)
      call same(check, PAPI_OK, 'read_threads')
      call require(n >= 1 .and. tids(1) > 1 .and. ended(1) == 0, 'of the child')
      call set%read_threads(tids, values(:0, :), n, stat=check)
      call same(check, PAPI_EINVAL, 'read_threads without room for the events')
      call set%stop()
    else
      call require(check == PAPI_EPERM, 'or the child may not be followed')
    end if
    call set%detach(check)
    call same(check, PAPI_OK, 'detach')
    call require(iand(set%state(), PAPI_ATTACHED) == 0, 'and the state')
    call require(send_signal(child, 9) == 0, 'the child is there')
  end subroutine other_threads

  ! The group of all tasks is counted as a whole, where that is allowed: of the work of this one at least.
  subroutine control_groups()
    type(papi_event_set) :: set
    integer(int64) :: values(1)
    integer :: check
    character(len=300) :: text

    call set%attach_cgroup('/no/such/group', check, text)
    call same(check, PAPI_EINVAL, 'attach to no control group')
    call require(index(text, 'papi_event_set%attach_cgroup') /= 0, 'by its name')
    call set%attach_cgroup('/', check)
    if (check == PAPI_EPERM .or. check == PAPI_EINVAL) then
      print '(a)', 'no control group may be counted here'
      return
    end if
    call same(check, PAPI_OK, 'attach to a control group')
    call require(iand(set%state(), PAPI_ATTACHED) /= 0, 'its state says so')
    call set%add(clock)
    call set%start()
    call work()
    call set%stop(values)
    call require(values(1) > 0, 'which counts')
    call set%detach(check)
    call same(check, PAPI_OK, 'detach of a control group')
    call require(iand(set%state(), PAPI_ATTACHED) == 0, 'and the state')
  end subroutine control_groups

  subroutine after_shutdown()
    type(papi_event_set) :: set
    integer(int64) :: values(1)
    integer :: check

    call set%add(clock)
    call set%start()
    call PAPIF_shutdown()
    call set%read(values, check)
    call same(check, PAPI_ENOINIT, 'read after PAPIF_shutdown')
    call set%destroy(check)
    call same(check, PAPI_ENOINIT, 'destroy tells so')
    call set%add(clock, check)
    call same(check, PAPI_OK, 'the library starts afresh')
    call same(set%count(), 1, 'with a new set')
  end subroutine after_shutdown

end program event_sets
