! SPDX-License-Identifier: BSD-3-Clause
! What gfortran makes of Fortran's loops, branches and calls: each kernel by itself between two marks. None calls the
! run-time library, which would not be counted.
#ifndef KIND
#define KIND real64
#endif
module kernels
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  implicit none
  integer, parameter :: wp = KIND, n = 29

  type :: body
    real(wp) :: place(3) = 0, speed(3) = 0
    real(wp) :: mass = 1
  contains
    procedure :: move
    procedure :: energy
  end type body
  type, extends(body) :: heavy_body
    real(wp) :: drag = 0.5_wp
  contains
    procedure :: energy => heavy_energy
  end type heavy_body

  real(wp), allocatable :: a(:, :), b(:, :), c(:, :), x(:), y(:), z(:)
  complex(wp), allocatable :: u(:), v(:), w(:)
  integer(int64), allocatable :: whole(:)
  type(body) :: light(n)
  type(heavy_body) :: heavy
  real(wp) :: total
  integer(int64) :: total_whole

contains

  subroutine prepare()
    integer :: i

    allocate (a(n, n), b(n, n), c(n, n), x(n * n), y(n * n), z(n * n), u(n), v(n), w(n), whole(n * n))
    do i = 1, n * n
      x(i) = 1 + real(i, wp) / (n * n)
      y(i) = 2 - real(i, wp) / (n * n)
      whole(i) = mod(i * 7919, 1009)
    end do
    a = reshape(x, [n, n])
    b = reshape(y, [n, n])
    c = 0
    z = 0
    u = cmplx(x(:n), y(:n), wp)
    v = cmplx(y(:n), -x(:n), wp)
  end subroutine prepare

  subroutine empty()
  end subroutine empty

  subroutine matrix_product()
    integer :: i, j, k

    do j = 1, n
      do k = 1, n
        do i = 1, n
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine matrix_product

  subroutine dot()
    integer :: i

    total = 0
    do i = 1, n * n
      total = total + x(i) * y(i)
    end do
  end subroutine dot

  subroutine triad()
    z = x + 3 * y
  end subroutine triad

  subroutine complex_product()
    w = u * v + w
  end subroutine complex_product

  subroutine division_and_root()
    integer :: i

    do i = 1, n * n
      z(i) = sqrt(x(i)) / y(i)
    end do
  end subroutine division_and_root

  subroutine leave()
    integer :: i, j

    total_whole = 0
    rows: do i = 1, n
      do j = 1, n
        if (whole((i - 1) * n + j) == 500) exit rows
        if (whole((i - 1) * n + j) > 900) cycle rows
        total_whole = total_whole + j
      end do
    end do rows
    do while (total_whole > 3)
      total_whole = total_whole / 3 - 1
    end do
  end subroutine leave

  subroutine choose()
    integer :: i

    total_whole = 0
    do i = 1, n * n
      select case (mod(whole(i), 9_int64))
      case (0)
        total_whole = total_whole + 3
      case (1:2)
        total_whole = ieor(total_whole, int(i, int64))
      case (4)
        if (total_whole > 100) total_whole = total_whole - 50
      case (6)
        total_whole = shiftr(total_whole, 1)
      case (7)
        total_whole = total_whole * 5
      case default
        total_whole = total_whole - 1
      end select
    end do
  end subroutine choose

  recursive function ackermann(m, k) result(value)
    integer, intent(in) :: m, k
    integer :: value

    if (m == 0) then
      value = k + 1
    else if (k == 0) then
      value = ackermann(m - 1, 1)
    else
      value = ackermann(m - 1, ackermann(m, k - 1))
    end if
  end function ackermann

  subroutine recursion()
    total_whole = ackermann(2, 5)
  end subroutine recursion

  subroutine move(self, step)
    class(body), intent(inout) :: self
    real(wp), intent(in) :: step

    self%place = self%place + step * self%speed
  end subroutine move

  function energy(self) result(value)
    class(body), intent(in) :: self
    real(wp) :: value

    value = self%mass / 2 * sum(self%speed**2)
  end function energy

  function heavy_energy(self) result(value)
    class(heavy_body), intent(in) :: self
    real(wp) :: value

    value = self%mass / 2 * sum(self%speed**2) - self%drag * self%place(1)
  end function heavy_energy

  function energy_of(object) result(value)
    class(body), intent(in) :: object
    real(wp) :: value

    value = object%energy()
  end function energy_of

  subroutine types()
    integer :: i

    do i = 1, n
      light(i)%speed = [x(i), y(i), x(i)]
      call light(i)%move(0.25_wp)
      total = total + energy_of(light(i))
    end do
    heavy%speed = 1
    total = total + energy_of(heavy)
  end subroutine types

  subroutine concurrent()
    integer :: i

    do concurrent(i=1:n * n, whole(i) > 300)
      z(i) = x(i) * y(i) - z(i)
    end do
  end subroutine concurrent

  subroutine integers()
    integer :: i

    total_whole = 0
    do i = n * n, 1, -3
      total_whole = total_whole + whole(i) * i
    end do
    whole = merge(whole - 1, whole + 1, whole > 500)
    total_whole = total_whole + maxval(whole) + count(whole > 100)
  end subroutine integers

  subroutine parallel()
    integer :: i
    real(wp) :: sum_of_all

    sum_of_all = 0
    !$omp parallel do reduction(+:sum_of_all)
    do i = 1, n * n
      z(i) = x(i) * y(i) + 1
      sum_of_all = sum_of_all + z(i)
    end do
    !$omp end parallel do
    !$omp parallel
    !$omp single
    do i = 1, n
      !$omp task firstprivate(i)
      w(i) = u(i) * v(i)
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    total = sum_of_all
  end subroutine parallel

end module kernels

program marks
  use kernels
  use, intrinsic :: iso_c_binding, only: c_char, c_null_char
  implicit none

  interface
    subroutine mark_begin() bind(c)
    end subroutine mark_begin
    subroutine mark_end(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine mark_end
    subroutine kernel()
    end subroutine kernel
  end interface
  procedure(kernel), pointer :: run

  call prepare()
  run => empty
  call measure('empty')
  run => matrix_product
  call measure('matrix')
  run => dot
  call measure('dot')
  run => triad
  call measure('triad')
  run => complex_product
  call measure('complex')
  run => division_and_root
  call measure('division')
  run => leave
  call measure('leave')
  run => choose
  call measure('choose')
  run => recursion
  call measure('recursion')
  run => types
  call measure('types')
  run => concurrent
  call measure('concurrent')
  run => integers
  call measure('integers')
#ifdef _OPENMP
  run => parallel
  call measure('parallel')
#endif

contains

  subroutine measure(name)
    character(len=*), intent(in) :: name
    character(len=32) :: text

    text = name//c_null_char
    call mark_begin()
    call run()
    call mark_end(text)
  end subroutine measure

end program marks
