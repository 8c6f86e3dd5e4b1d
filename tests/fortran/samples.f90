! SPDX-License-Identifier: BSD-3-Clause
! Samples in Fortran: the addresses that faulted, read and by a handler.
module sample_handlers
  use, intrinsic :: iso_c_binding
  use papi_structures, only: PAPI_sample_t
  implicit none
  private
  public :: sampled

  integer, volatile, public :: calls = 0, inside = 0
  integer(c_long_long), public :: first = 0, last = 0

contains

  subroutine sampled(sampler, sample, branches, context) bind(C)
    integer(c_int), value :: sampler
    type(c_ptr), value :: sample, branches, context
    type(PAPI_sample_t), pointer :: got

    call c_f_pointer(sample, got)
    calls = calls + 1
    if (got%address >= first .and. got%address < last .and. sampler > 0 .and. .not. c_associated(branches) &
        .and. c_associated(context)) inside = inside + 1
  end subroutine sampled

end module sample_handlers

program samples
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use papi
  use papi_structures, only: PAPI_sample_t
  use checks, only: require, same, skip, finish
  use sample_handlers
  implicit none

  character(*), parameter :: FAULTS = 'perf::PAGE-FAULTS'
  integer, parameter :: room = 4096, words = 512 * 400
  integer :: check, sampler, code, n, i, found
  integer(int64) :: lost
  type(PAPI_sample_t), target, save :: sample(room)
  integer(int64), save :: rows(PAPIF_SAMPLE_MAXVAL, room), branch(PAPIF_BRANCH_MAXVAL, 8)
  integer(int64), allocatable, target :: array(:), other(:), third(:)

  call PAPIF_sample_open(FAULTS, 1_int64, 0, sampler, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_open')
  call PAPIF_sample_start(1, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_start')
  call PAPIF_sample_stop(1, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_stop')
  call PAPIF_sample_lost(1, lost, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_lost')
  call PAPIF_sample_handler(1, sampled, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_handler')
  n = room
  call PAPIF_sample_read(1, rows, n, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_read')
  call PAPIF_sample_branches(1, branch, n, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_branches')
  sampler = 1
  call PAPIF_sample_close(sampler, check)
  call same(check, PAPI_ENOINIT, 'PAPIF_sample_close')
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
  call PAPIF_event_name_to_code(FAULTS, code, check)
  if (check == PAPI_OK) call PAPIF_query_event(code, check)
  if (check /= PAPI_OK) then
    print '(a)', 'SKIP: software events do not count here'
    stop 77
  end if

  call PAPIF_sample_open(FAULTS, 0_int64, 0, sampler, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_open with a period of 0')
  call PAPIF_sample_open('perf::NO-SUCH-EVENT', 1_int64, 0, sampler, check)
  call same(check, PAPI_ENOEVNT, 'PAPIF_sample_open of no event')
  call PAPIF_sample_open('PAPI_NO_SUCH', 1_int64, 0, sampler, check)
  call same(check, PAPI_ENOTPRESET, 'PAPIF_sample_open of no preset')
  call PAPIF_sample_open(FAULTS, 1_int64, PAPI_SAMPLE_WITH_BRANCHES, sampler, check)
  call same(check, PAPI_ENOSUPP, 'PAPIF_sample_open with branches')
  call PAPIF_sample_open(FAULTS, 1_int64, 0, sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_open')
  call PAPIF_sample_start(4711, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_start of no sampler')
  call PAPIF_sample_stop(4711, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_stop of no sampler')
  call PAPIF_sample_lost(4711, lost, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_lost of no sampler')
  call PAPIF_sample_handler(4711, sampled, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_handler of no sampler')
  n = room
  rows = -7
  call PAPIF_sample_read(4711, rows, n, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_read of no sampler')
  call require(n == room .and. all(rows == -7), 'nothing is changed')
  n = 8
  call PAPIF_sample_branches(4711, branch, n, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_branches of no sampler')
  i = -1
  call PAPIF_sample_read(sampler, rows, i, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_read with room for -1')
  i = 4711
  call PAPIF_sample_close(i, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_close of no sampler')
  call PAPIF_sample_stop(sampler, check)
  call same(check, PAPI_ENOTRUN, 'PAPIF_sample_stop of one that is stopped')

  allocate (array(words), other(words))
  call PAPIF_sample_start(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_start')
  array = 1_int64
  call PAPIF_sample_start(sampler, check)
  call same(check, PAPI_EISRUN, 'PAPIF_sample_start of one that runs')
  call PAPIF_sample_handler(sampler, sampled, check)
  call same(check, PAPI_EISRUN, 'PAPIF_sample_handler of one that runs')
  call PAPIF_sample_stop(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_stop')
  n = room
  check = PAPI_sample_read(sampler, c_loc(sample), n)
  call same(check, PAPI_OK, 'PAPI_sample_read')
  call set_limits(array)
  found = count(sample(:n)%address >= first .and. sample(:n)%address < last)
  call require(found > 0 .and. found <= n, 'faults of the array')
  call PAPIF_sample_lost(sampler, lost, check)
  call same(check, PAPI_OK, 'PAPIF_sample_lost')
  call require(lost == 0, 'no sample is lost')

  allocate (third(words))
  call rows_of(third)

  call set_limits(other)
  call PAPIF_sample_handler(sampler, sampled, check)
  call same(check, PAPI_OK, 'PAPIF_sample_handler')
  n = room
  call PAPIF_sample_read(sampler, rows, n, check)
  call same(check, PAPI_EINVAL, 'PAPIF_sample_read beside a handler')
  call PAPIF_sample_start(sampler, check)
  other = 1_int64
  call PAPIF_sample_stop(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_stop')
  call require(inside > 0 .and. inside <= calls, 'the handler is called for faults of the array')
  call require(sum(array) + sum(other) + sum(third) == 3 * words, 'the arrays were written')
  call PAPIF_sample_close(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_close')
  call require(sampler == PAPI_NULL, 'the sampler is closed')
  call finish()

contains

  ! The same samples as rows of numbers.
  subroutine rows_of(of)
    integer(int64), target, intent(inout) :: of(:)
    integer :: before

    call set_limits(of)
    call PAPIF_sample_start(sampler, check)
    call same(check, PAPI_OK, 'PAPIF_sample_start')
    of = 1_int64
    call PAPIF_sample_stop(sampler, check)
    rows = -7
    before = 0
    do ! a few at a time
      n = min(100, room - before)
      call PAPIF_sample_read(sampler, rows(:, before + 1:), n, check)
      call same(check, PAPI_OK, 'PAPIF_sample_read')
      before = before + n
      if (n < 100) exit
    end do
    associate (address => rows(PAPIF_SAMPLE_ADDRESS, :before), time => rows(PAPIF_SAMPLE_TIME, :before))
      found = count(address >= first .and. address < last)
      call require(found > 0 .and. found <= before, 'faults of the array, as rows')
      call require(all(time(2:) >= time(:before - 1)) .and. time(1) > 0, 'times')
    end associate
    call require(all(rows(PAPIF_SAMPLE_PERIOD, :before) == 1), 'period')
    call require(all(rows(PAPIF_SAMPLE_LATENCY, :before) == -1), 'latency')
    call require(all(rows(PAPIF_SAMPLE_THREAD, :before) == rows(PAPIF_SAMPLE_PROCESS, 1)), 'the first thread')
    call require(all(rows(PAPIF_SAMPLE_CPU, :before) >= 0 .and. rows(PAPIF_SAMPLE_CPU, :before) < 100000), 'CPU')
    call require(all(rows(PAPIF_SAMPLE_INSTRUCTION, :before) /= 0), 'instruction')
    call require(all(rows([PAPIF_SAMPLE_ACCESS, PAPIF_SAMPLE_LEVEL, PAPIF_SAMPLE_TLB, PAPIF_SAMPLE_SNOOP, &
      PAPIF_SAMPLE_HOPS, PAPIF_SAMPLE_FLAGS, PAPIF_SAMPLE_N_BRANCHES], :before) == 0), 'what page faults have not')
    call require(all(rows(PAPIF_SAMPLE_FIRST_BRANCH, :before) == 1), 'no branches')
    call require(all(rows(:, before + 1:) == -7), 'nothing behind them')
    n = 8
    call PAPIF_sample_branches(sampler, branch, n, check)
    call same(check, PAPI_OK, 'PAPIF_sample_branches')
    call same(n, 0, 'branches')
    n = -1
    call PAPIF_sample_branches(sampler, branch, n, check)
    call same(check, PAPI_EINVAL, 'PAPIF_sample_branches with room for -1')
  end subroutine rows_of

  subroutine set_limits(of)
    integer(int64), target, intent(in) :: of(:)

    first = transfer(c_loc(of(1)), first)
    last = first + 8_c_long_long * words
  end subroutine set_limits

end program samples
