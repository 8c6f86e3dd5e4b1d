! SPDX-License-Identifier: BSD-3-Clause
! Two routines with 70 and 30 parts of the work: chains of operations, each waiting for the one before, so that how fast
! they are does not hang on where the loops lie. They take turns of a millisecond, so that a machine
! whose speed changes changes it for both. With OpenMP, each thread does the same.
module kernels
  implicit none
contains

  subroutine heavy(turns, x)
    integer, intent(in) :: turns
    real(8), intent(inout) :: x
    integer :: i
    do i = 1, turns
      x = x * 0.999999d0 + 0.1d0 ! heavy
    end do
  end subroutine heavy

  subroutine light(turns, x)
    integer, intent(in) :: turns
    real(8), intent(inout) :: x
    integer :: i
    do i = 1, turns
      x = x * 0.999998d0 + 0.2d0 ! light
    end do
  end subroutine light

end module kernels

program shares
  use kernels
  implicit none
  real(8) :: x
  integer :: round, rounds
  character(len=16) :: word

  rounds = 600
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) rounds
  end if
  x = 1
  !$omp parallel firstprivate(x) private(round)
  do round = 1, rounds
    call heavy(700000, x)
    call light(300000, x)
    call inner(x)
  end do
  if (x < 0) print *, x
  !$omp end parallel

contains

  subroutine inner(y)
    real(8), intent(inout) :: y
    y = y + 1
  end subroutine inner

end program shares
