! SPDX-License-Identifier: BSD-3-Clause
! Loops whose operations are known by analysis, counted by the emulator: one program for each
! precision (REAL_KIND, BYTES) and each set of compiler flags. The counts must be the same for all.
!
! A count is the analysis and OVERHEAD: what PAPIF_start and PAPIF_stop do themselves, which is nothing.
! The compiler may make vectors and fused multiply-adds of a loop; it may not leave out, join or repeat
! operations: the flags keep to the rules of IEEE 754.
module data
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: wp = REAL_KIND

  ! In a module, so that no call can be moved past a loop that works on them.
  real(wp), allocatable :: a(:, :), b(:, :), c(:, :), x(:), y(:), z(:)
  complex(wp), allocatable :: u(:), v(:), w(:)
  real(wp) :: total
  integer :: n
end module data

program kernels
  use data
  use papi
  implicit none

  integer(int64), parameter :: overhead = 0
  ! PAPIF_flops computes times and the rate; these operations are neither 0 nor exact, but few.
  integer(int64), parameter :: most_of_flops = 19
  integer, parameter :: n_events = 3
  character(len=*), parameter :: events(n_events) = [ &
    character(len=12) :: 'PAPI_FP_OPS', 'PAPI_SP_OPS', 'PAPI_DP_OPS']
  integer, parameter :: sizes(3) = [37, 40, 100]
  integer :: es, code, i, failures

  failures = 0
  call make_event_set()
  do i = 1, size(sizes)
    n = sizes(i)
    call prepare()
    call empty()
    call matrix_product()
    n = sizes(i)**2
    call dot_product_loop()
    call division()
    call square_root()
    call complex_product()
  end do
  ! The high-level calls have the thread's counters for themselves.
  n = 40
  call prepare()
  call rate_of_matrix_product()
  if (failures > 0) error stop 1

contains

  subroutine make_event_set()
    code = PAPI_VER_CURRENT
    call PAPIF_library_init(code)
    if (code /= PAPI_VER_CURRENT) error stop 'PAPIF_library_init'
    es = PAPI_NULL
    call PAPIF_create_eventset(es, code)
    call need(code, 'PAPIF_create_eventset')
    do i = 1, n_events
      call PAPIF_add_named_event(es, events(i), code)
      call need(code, events(i))
    end do
    ! The first time also finds what it calls.
    call empty()
  end subroutine make_event_set

  subroutine need(error, what)
    integer, intent(in) :: error
    character(len=*), intent(in) :: what
    character(len=PAPI_HUGE_STR_LEN) :: text
    integer :: check

    if (error == PAPI_OK) return
    call PAPIF_perror(error, text, check)
    print '(4a)', 'FAIL: ', what, ': ', trim(text)
    error stop 1
  end subroutine need

  subroutine prepare()
    integer :: k

    if (allocated(a)) deallocate (a, b, c, x, y, z, u, v, w)
    allocate (a(n, n), b(n, n), c(n, n), x(n * n), y(n * n), z(n * n), u(n * n), v(n * n), w(n * n))
    x = [(1 + real(k, wp) / (n * n), k=1, n * n)]
    y = [(2 - real(k, wp) / (n * n), k=1, n * n)]
    a = reshape(x, [n, n])
    b = reshape(y, [n, n])
    u = cmplx(x, y, wp)
    v = cmplx(y, -x, wp)
    c = 0
  end subroutine prepare

  subroutine start()
    call PAPIF_start(es, code)
    call need(code, 'PAPIF_start')
  end subroutine start

  subroutine stop_and_compare(name, analysis, result)
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: analysis
    real(wp), intent(in) :: result

    call stop_and_compare_any(name, [analysis], result)
  end subroutine stop_and_compare

  ! result is used, so that the loop is needed.
  subroutine stop_and_compare_any(name, analyses, result)
    character(len=*), intent(in) :: name
    integer(int64), intent(in) :: analyses(:)
    real(wp), intent(in) :: result
    integer(int64) :: got(n_events)
    integer :: own, other

    call PAPIF_stop(es, got, code)
    call need(code, 'PAPIF_stop')
    own = merge(2, 3, wp == real32)
    other = 5 - own
    print '(a, t20, i8, 3(i14), es14.5)', name, n, got, result
    if (any(got(1) == analyses + overhead) .and. got(own) == got(1) .and. got(other) == 0 .and. &
        abs(result) < huge(result)) return
    failures = failures + 1
    print '(a, *(i14))', 'FAIL, not these operations, in this precision alone:', analyses + overhead
  end subroutine stop_and_compare_any

  subroutine empty()
    call start()
    call stop_and_compare('nothing', 0_int64, 0.0_wp)
  end subroutine empty

  ! One multiplication and one addition for each of the n^3 turns.
  subroutine multiply()
    integer :: k, l, m

    do m = 1, n
      do l = 1, n
        do k = 1, n
          c(k, m) = c(k, m) + a(k, l) * b(l, m)
        end do
      end do
    end do
  end subroutine multiply

  subroutine matrix_product()
    call start()
    call multiply()
    call stop_and_compare('matrix product', 2 * int(n, int64)**3, c(n, 1))
  end subroutine matrix_product

  ! The sum begins with the 0 that is there: as many additions as products. They stay in order, as
  ! floating-point additions do without -ffast-math: there is no sum of partial sums at the end.
  subroutine dot_product_loop()
    integer :: k

    total = 0
    call start()
    do k = 1, n
      total = total + x(k) * y(k)
    end do
    call stop_and_compare('dot product', 2_int64 * n, total)
  end subroutine dot_product_loop

  subroutine division()
    integer :: k

    call start()
    do k = 1, n
      z(k) = x(k) / y(k)
    end do
    call stop_and_compare('division', int(n, int64), z(n))
  end subroutine division

  subroutine square_root()
    integer :: k

    call start()
    do k = 1, n
      z(k) = sqrt(x(k))
    end do
    call stop_and_compare('square root', int(n, int64), z(n))
  end subroutine square_root

  ! (p + iq)(r + is) = (pr - qs) + i(ps + qr): four products, a subtraction and an addition, 6. That is
  ! Fortran's rule (gfortran's -fcx-fortran-rules, the default); C's would look for NaN and infinity
  ! besides. A fused multiply-add in the place of a product and a sum is two operations: 6 again.
  subroutine complex_product()
    integer :: k

    call start()
    call complex_product_of_scalars(n, u, v, w)
    call stop_and_compare('complex, scalars', 6_int64 * n, real(w(n)))
    call start()
    do k = 1, n
      w(k) = u(k) * v(k)
    end do
    call stop_and_compare_any('complex product', complex_with_vectors(), real(w(n)))
  end subroutine complex_product

  ! A vector instruction computes all its lanes, also those of which the compiler drops the result, and
  ! they count. Where vectors have an instruction that adds and subtracts in turn (ADDSUB of SSE3,
  ! FMADDSUB, or lanes of real parts alone) none is dropped: 6. With SSE2 alone one addition and one
  ! subtraction compute both lanes of each number, of which half are dropped:
  !   double precision   2 lanes * (2 products + addition + subtraction) = 8
  !   single precision   the same in registers of 4 lanes, one number each: 16
  ! and numbers left over after a loop over whole registers may take a register of 4 lanes each:
  ! a product and a fused multiply-add are 4 + 8 = 12, which is 6 more.
  function complex_with_vectors() result(possible)
    integer(int64) :: possible(4)

    possible = [6, 8, 16, 6] * int(n, int64)
    possible(4) = possible(4) + 6 * mod(n, 4)
  end function complex_with_vectors

  ! What most users call. The times are the emulator's, so that the rate means nothing here.
  subroutine rate_of_matrix_product()
    real(real32) :: rtime, ptime, rate
    integer(int64) :: operations, rest

    call PAPIF_flops(rtime, ptime, operations, rate, code)
    call need(code, 'PAPIF_flops')
    call multiply()
    call PAPIF_flops(rtime, ptime, operations, rate, code)
    call need(code, 'PAPIF_flops')
    rest = operations - 2 * int(n, int64)**3
    print '(a, t20, i8, i14, a, i0, es14.5)', 'PAPIF_flops', n, operations, ', besides the loop: ', rest, &
      c(n, 1)
    if (rest < 0 .or. rest > most_of_flops .or. rate <= 0) then
      failures = failures + 1
      print '(a)', 'FAIL: PAPIF_flops'
    end if
  end subroutine rate_of_matrix_product

end program kernels
