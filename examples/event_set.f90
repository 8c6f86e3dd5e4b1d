! SPDX-License-Identifier: BSD-3-Clause
! An event set: what the kernel and, if there are any, the processor's counters show for
! two ways through a matrix. The set frees itself; an error without stat= would end the program.
!
! Status: 0 if something was counted, 77 if nothing can be counted here.
program event_set
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  implicit none
  character(len=*), parameter :: wanted(5) = [character(len=20) :: &
    'PAPI_TOT_INS', 'PAPI_TOT_CYC', 'PAPI_FP_OPS', 'perf::TASK-CLOCK', 'perf::PAGE-FAULTS']
  integer, parameter :: n = 1500
  real(real64), allocatable :: matrix(:, :)
  type(papi_hw_info) :: machine

  call machine%get()
  print '(i0, 2a)', machine%totalcpus, ' x ', machine%model_string
  allocate (matrix(n, n))
  matrix = 1
  call measure()
  deallocate (matrix)

contains

  subroutine measure()
    type(papi_event_set) :: set
    character(len=300) :: reason
    integer(int64), allocatable :: counts(:, :)
    real(real64) :: sums(2)
    integer :: i, check

    do i = 1, size(wanted)
      call set%add(wanted(i), check, reason)
      if (check /= PAPI_OK) print '(2a)', 'not counted: ', trim(reason)
    end do
    if (set%count() == 0) stop 77

    allocate (counts(set%count(), 2))
    call set%start()
    sums(1) = sum_by_columns()
    call set%stop(counts(:, 1))
    call set%start()
    sums(2) = sum_by_rows()
    call set%stop(counts(:, 2))

    print '(/, a, t22, 2a16)', 'event', 'by columns', 'by rows'
    do i = 1, set%count()
      print '(a, t22, 2i16)', set%name(i), counts(i, :)
    end do
    print '(a, t22, 2f16.1)', 'sum', sums
  end subroutine measure ! here the set is destroyed

  real(real64) function sum_by_columns() result(total)
    integer :: i, j

    total = 0
    do j = 1, n
      do i = 1, n
        total = total + matrix(i, j)
      end do
    end do
  end function sum_by_columns

  real(real64) function sum_by_rows() result(total)
    integer :: i, j

    total = 0
    do i = 1, n
      do j = 1, n
        total = total + matrix(i, j)
      end do
    end do
  end function sum_by_rows

end program event_set
