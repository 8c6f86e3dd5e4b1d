! SPDX-License-Identifier: BSD-3-Clause
! PAPIF_flops in a program that counts itself: operations are known by hand, times are real.
program flops
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use papi
  implicit none

  integer, parameter :: n = 500, repeats = 400, rounds = 3
  real(real64) :: a(n), b(n), total
  real(real32) :: rtime, ptime, mflops
  integer(int64) :: operations, from, to
  integer :: round, check

  a = 1.5_real64
  b = 0.5_real64
  total = 0
  call PAPIF_get_real_usec(from)
  call PAPIF_flops(rtime, ptime, operations, mflops, check)
  call need('the start', check == PAPI_OK)
  call need('nothing yet', operations == 0)
  do round = 1, rounds
    call work()
    call PAPIF_flops(rtime, ptime, operations, mflops, check)
    call need('a reading', check == PAPI_OK)
    call need('operations', operations == 2_int64 * n * repeats * round)
    call need('a rate', mflops > 0)
  end do
  call PAPIF_get_real_usec(to)
  call need('real time', rtime > 0 .and. rtime < 1.001 * real(to - from) * 1e-6 + 1e-4)
  call need('processor time', ptime > 0 .and. ptime < 1.5 * rtime + 0.1)
  print '(i0, a, f8.4, a, f10.2, a)', operations, ' operations in ', rtime, ' s: ', mflops, ' MFLOP/s'
  if (total < 0) print *, total

contains

  subroutine work()
    integer :: i, k

    do k = 1, repeats
      do i = 1, n
        total = total + a(i) * b(i)
      end do
      a(1) = total
    end do
  end subroutine work

  subroutine need(what, holds)
    character(len=*), intent(in) :: what
    logical, intent(in) :: holds

    if (holds) return
    print '(2a, 3(1x, es12.4), 1x, i0, 1x, i0)', 'FAILED: ', what, rtime, ptime, mflops, operations, check
    stop 1
  end subroutine need

end program flops
