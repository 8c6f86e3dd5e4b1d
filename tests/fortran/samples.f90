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
  integer(int64), allocatable, target :: array(:), other(:)

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

  call set_limits(other)
  call PAPIF_sample_handler(sampler, sampled, check)
  call same(check, PAPI_OK, 'PAPIF_sample_handler')
  call PAPIF_sample_start(sampler, check)
  other = 1_int64
  call PAPIF_sample_stop(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_stop')
  call require(inside > 0 .and. inside <= calls, 'the handler is called for faults of the array')
  call require(sum(array) + sum(other) == 2 * words, 'the arrays were written')
  call PAPIF_sample_close(sampler, check)
  call same(check, PAPI_OK, 'PAPIF_sample_close')
  call require(sampler == PAPI_NULL, 'the sampler is closed')
  call finish()

contains

  subroutine set_limits(of)
    integer(int64), target, intent(in) :: of(:)

    first = transfer(c_loc(of(1)), first)
    last = first + 8_c_long_long * words
  end subroutine set_limits

end program samples
