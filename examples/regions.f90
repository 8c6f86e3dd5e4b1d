! SPDX-License-Identifier: BSD-3-Clause
! Regions: what two parts of a program cost, in every OpenMP thread. PAPI_REPORT=1 prints a table when
! the program ends; papi_hl_output has the counts of each entry. PAPI_EVENTS chooses what is counted.
program regions
  use, intrinsic :: iso_fortran_env, only: real64
  use papi
  implicit none

  integer, parameter :: n = 100000, steps = 20
  real(real64) :: a(n), b(n), total
  integer :: step, check

  b = 1.5_real64
  total = 0
  do step = 1, steps
    !$omp parallel private(check)
    call PAPIF_hl_region_begin('triad', check)
    call triad()
    call PAPIF_hl_region_end('triad', check)
    !$omp end parallel

    call PAPIF_hl_region_begin('sum', check)
    total = total + sum(a)
    call PAPIF_hl_region_end('sum', check)
    if (check /= PAPI_OK) error stop 'the region was not recorded'
  end do
  print '(a, es12.4)', 'result:', total

contains

  subroutine triad()
    integer :: i

    !$omp do
    do i = 1, n
      a(i) = b(i) + 1.0001_real64 * step
    end do
  end subroutine triad

end program regions
