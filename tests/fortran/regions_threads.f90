! SPDX-License-Identifier: BSD-3-Clause
! Regions in OpenMP threads, for regions_test.py: thread t makes n * (t + 1) additions in each of two
! steps, and one more region is begun in one thread alone.
program regions_threads
  use, intrinsic :: iso_fortran_env, only: real64
  use omp_lib, only: omp_get_thread_num
  use papi
  implicit none

  integer, parameter :: n = 1000
  integer :: step

  call check_of('program', 'begin')
  do step = 1, 2
    !$omp parallel num_threads(4)
    call check_of('step', 'begin')
    call add(n * (omp_get_thread_num() + 1))
    call check_of('step', 'end')
    !$omp end parallel
  end do
  call check_of('program', 'end')

contains

  subroutine check_of(name, what)
    character(len=*), intent(in) :: name, what
    integer :: check

    if (what == 'begin') call PAPIF_hl_region_begin(name, check)
    if (what == 'end') call PAPIF_hl_region_end(name, check)
    if (check /= PAPI_OK) error stop 'a region was refused'
  end subroutine check_of

  ! One floating-point operation a turn.
  subroutine add(turns)
    integer, intent(in) :: turns
    real(real64), volatile :: total
    integer :: i

    total = 0
    do i = 1, turns
      total = total + 1.5_real64
    end do
  end subroutine add

end program regions_threads
