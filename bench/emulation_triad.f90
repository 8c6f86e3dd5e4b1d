! SPDX-License-Identifier: BSD-3-Clause
! Usage: emulation_triad N SWEEPS
! What bench/emulation runs: loops over three arrays of N numbers, which no cache shall hold.
program emulation_triad
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64), allocatable :: a(:), b(:), c(:)
  character(len=20) :: word(2)
  integer :: n, sweeps, sweep, i

  call get_command_argument(1, word(1))
  call get_command_argument(2, word(2))
  read (word, *) n, sweeps
  allocate (a(n), b(n), c(n))
  b = 0.1_real64
  c = 0.7_real64
  do sweep = 1, sweeps
    do i = 1, n
      a(i) = b(i) + 3 * c(i)
    end do
    b(sweep) = a(n - sweep) ! each sweep needs the one before
  end do
  print *, sum(a)
end program emulation_triad
