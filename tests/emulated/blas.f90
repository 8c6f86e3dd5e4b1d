! SPDX-License-Identifier: BSD-3-Clause
! The operations of the system's dgemm, C := alpha A B + beta C, of m x k and k x n matrices.
!
! Each library does the 2mnk of the product and its own work with alpha and beta besides, which this
! shows. From a depth k to the next one only the sums of products grow: what is added for each k is 2mn,
! and n more where each element of B is multiplied by alpha. What does not grow is done once.
!   reference BLAS  2mnk + nk: alpha B(l, j) once for each element of B; with beta = 0 C is set to 0
!   OpenBLAS        2mnk + mn + 2 with its kernel for Haswell: alpha times the product is put into C, and
!                   two operations choose whether threads are worth it. The sizes are multiples of the
!                   kernel's block (others it pads), and it runs in one thread (each has counts of its own).
! Any other library must keep to 2mnk + nk and three operations for each element of C.
program blas
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  implicit none

  interface
    subroutine dgemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
      import real64
      character, intent(in) :: transa, transb
      integer, intent(in) :: m, n, k, lda, ldb, ldc
      real(real64), intent(in) :: alpha, beta, a(lda, *), b(ldb, *)
      real(real64), intent(inout) :: c(ldc, *)
    end subroutine dgemm
  end interface

  integer, parameter :: m = 48, n = 96, depths(3) = [64, 128, 192]
  integer(int64) :: counts(size(depths)), step, rest
  integer :: es, code, i

  call make_event_set()
  do i = 1, size(depths)
    counts(i) = operations_of(depths(i))
    counts(i) = operations_of(depths(i)) ! the first call also chooses the library's kernel
    print '(4(a, i0))', 'm=', m, ' n=', n, ' k=', depths(i), ' FP_OPS=', counts(i)
  end do
  step = (counts(3) - counts(2)) / (depths(3) - depths(2))
  rest = counts(1) - step * depths(1)
  print '(4(a, i0))', 'for each k: 2mn + ', step - 2_int64 * m * n, '; once: ', rest, ' = ', rest / (m * n), &
    ' mn + ', mod(rest, int(m * n, int64))
  if (counts(2) - counts(1) /= step * (depths(2) - depths(1))) error stop 'the operations are not linear in k'
  if (step == 2_int64 * m * n + n .and. rest == 0) then
    print '(a)', 'as the reference BLAS: 2mnk + nk'
  else if (step == 2_int64 * m * n .and. rest == m * n + 2) then
    print '(a)', 'as OpenBLAS for Haswell: 2mnk + mn + 2'
  else if (step < 2_int64 * m * n .or. step > 2_int64 * m * n + n .or. rest < 0 .or. rest > 3 * m * n) then
    error stop 'not 2mnk + nk and up to three operations for each element of C'
  end if

contains

  subroutine need(error, what)
    integer, intent(in) :: error
    character(len=*), intent(in) :: what

    if (error /= PAPI_OK) then
      print '(2a, i0)', what, ': ', error
      error stop 1
    end if
  end subroutine need

  subroutine make_event_set()
    code = PAPI_VER_CURRENT
    call PAPIF_library_init(code)
    es = PAPI_NULL
    call PAPIF_create_eventset(es, code)
    call need(code, 'PAPIF_create_eventset')
    call PAPIF_add_named_event(es, 'PAPI_FP_OPS', code)
    call need(code, 'PAPI_FP_OPS')
  end subroutine make_event_set

  function operations_of(k) result(operations)
    integer, intent(in) :: k
    integer(int64) :: operations, got(1)
    real(real64), allocatable :: a(:, :), b(:, :), c(:, :)

    allocate (a(m, k), b(k, n), c(m, n), source=1.0_real64)
    call PAPIF_start(es, code)
    call need(code, 'PAPIF_start')
    call dgemm('N', 'N', m, n, k, 1.0_real64, a, m, b, k, 0.0_real64, c, m)
    call PAPIF_stop(es, got, code)
    call need(code, 'PAPIF_stop')
    if (any(abs(c - k) > 0)) error stop 'a wrong product'
    operations = got(1)
  end function operations_of

end program blas
