! SPDX-License-Identifier: BSD-3-Clause
! OpenMP: each thread counts for itself in an event set of its own, and the sums are exact.
program threads
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  use omp_lib
  implicit none

  integer, parameter :: n = 1000, most = 4, rounds = 20
  real(real64) :: a(n), b(n)
  integer(int64) :: counts(0:most - 1)
  integer :: round, check, i

  a = 1.5_real64
  b = 2.5_real64
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call PAPIF_thread_init(omp_get_thread_num, check)
  do round = 1, rounds
    counts = -1
    !$omp parallel num_threads(most)
    call count_part(counts(omp_get_thread_num()))
    !$omp end parallel
    do i = 0, most - 1
      call need(counts(i) == n / most * 2)
    end do
    call need(sum(counts) == 2 * n)
  end do

contains

  subroutine count_part(counted)
    integer(int64), intent(out) :: counted
    integer(int64) :: values(1)
    integer :: es, code, j

    es = PAPI_NULL
    call PAPIF_create_eventset(es, code)
    call PAPIF_add_named_event(es, 'counted::DP_OPS', code)
    call PAPIF_start(es, code)
    !$omp do schedule(static)
    do j = 1, n
      a(j) = a(j) + 1.5_real64 * b(j)
    end do
    !$omp end do
    call PAPIF_stop(es, values, code)
    counted = values(1)
    if (code /= PAPI_OK) counted = code
    call PAPIF_cleanup_eventset(es, code)
    call PAPIF_destroy_eventset(es, code)
  end subroutine count_part

  subroutine need(holds)
    logical, intent(in) :: holds

    if (holds) return
    print '(a, i0, a, 4(1x, i0))', 'FAILED: round ', round, ':', counts
    stop 1
  end subroutine need

end program threads
