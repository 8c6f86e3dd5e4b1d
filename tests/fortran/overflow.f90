! SPDX-License-Identifier: BSD-3-Clause
! A handler in Fortran is called for overflows, by hardware and by software, and a profile is filled.
module handlers
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  private
  public :: overflowed

  integer, volatile, public :: calls = 0, of_nothing = 0, last_set = -1
  integer(int64), volatile, public :: vectors = 0

contains

  subroutine overflowed(es, address, overflow_vector, context) bind(C)
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector

    calls = calls + 1
    last_set = es
    vectors = ior(vectors, int(overflow_vector, int64))
    if (.not. c_associated(address) .or. .not. c_associated(context)) of_nothing = of_nothing + 1
  end subroutine overflowed

end module handlers

program overflow
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  use checks, only: require, same, skip, finish
  use handlers
  implicit none

  integer, parameter :: threshold = 100
  integer :: check, es, faults, clock, which(4), n
  integer(int64) :: values(2)
  integer(int64), target, save :: bucket(1)
  real(real64) :: start, now, waste

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
  call PAPIF_event_name_to_code('perf::PAGE-FAULTS', faults, check)
  if (check == PAPI_OK) call PAPIF_query_event(faults, check)
  if (check /= PAPI_OK) then
    print '(a)', 'SKIP: software events do not count here'
    stop 77
  end if
  call PAPIF_event_name_to_code('perf::TASK-CLOCK', clock, check)
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  call PAPIF_add_event(es, clock, check)
  call PAPIF_add_event(es, faults, check)
  call same(check, PAPI_OK, 'PAPIF_add_event')

  call PAPIF_overflow(es, faults, threshold, 0, overflowed, check)
  call same(check, PAPI_OK, 'PAPIF_overflow')
  call run()
  call require(calls > 0, 'the handler was called')
  call same(int(calls, int64), values(2) / threshold, 'calls of the handler')
  call same(last_set, es, 'the event set that the handler got')
  call same(of_nothing, 0, 'calls without an address or a context')
  n = size(which)
  call PAPIF_get_overflow_event_index(es, vectors, which, n, check)
  call same(check, PAPI_OK, 'PAPIF_get_overflow_event_index')
  call same(n, 1, 'events that overflowed')
  call same(which(1), 1, 'the event that overflowed')
  call PAPIF_overflow(es, faults, 0, 0, overflowed, check)
  call same(check, PAPI_OK, 'PAPIF_overflow with a threshold of 0')
  call run()
  call same(calls, 0, 'calls after it was switched off')

  bucket = 0
  call PAPIF_profil(c_loc(bucket), 8, c_null_ptr, 2, es, faults, threshold, PAPI_PROFIL_BUCKET_64, check)
  call same(check, PAPI_OK, 'PAPIF_profil')
  call run()
  call same(calls, 0, 'calls of the handler while there is a profile')
  call require(bucket(1) > 0, 'the profile was filled')
  call same(bucket(1), values(2) / threshold, 'samples of the profile')
  call PAPIF_profil(c_null_ptr, 0, c_null_ptr, 0, es, faults, 0, 0, check)
  call same(check, PAPI_OK, 'PAPIF_profil with a threshold of 0')

  call PAPIF_overflow(es, clock, 1000, PAPI_OVERFLOW_FORCE_SW, overflowed, check)
  call same(check, PAPI_OK, 'PAPIF_overflow by software')
  calls = 0
  call PAPIF_start(es, check)
  call cpu_time(start)
  now = start
  waste = 0
  do while (now < start + 0.1_real64)
    waste = waste + sqrt(now)
    call cpu_time(now)
  end do
  call PAPIF_stop(es, values, check)
  call same(check, PAPI_OK, 'PAPIF_stop')
  call require(calls > 0 .and. calls <= values(1) / 1000 .and. waste >= 0, 'the handler is called by a timer')
  call same(of_nothing, 0, 'calls by a timer without an address or a context')
  call PAPIF_cleanup_eventset(es, check)
  call PAPIF_destroy_eventset(es, check)
  call same(check, PAPI_OK, 'PAPIF_destroy_eventset')
  call finish()

contains

  ! Fresh memory, each page of it used.
  subroutine run()
    real(real64), allocatable :: fresh(:)
    integer :: i

    calls = 0
    vectors = 0
    call PAPIF_start(es, check)
    call same(check, PAPI_OK, 'PAPIF_start')
    do i = 1, 2
      allocate (fresh(4 * 1024 * 1024))
      fresh(1::512) = i
      call require(fresh(513) > 0, 'the memory is there')
      deallocate (fresh)
    end do
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_stop')
  end subroutine run

end program overflow
