! SPDX-License-Identifier: BSD-3-Clause
! counted_kernels NAME: the processor time of one kernel in seconds, the best of five, and a number that it computed.
program counted_kernels
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none

  integer, parameter :: n = 200, long = 20000, huge_n = 1000000
  real(real64), allocatable :: a(:, :), b(:, :), c(:, :), x(:), y(:), z(:)
  integer, allocatable :: keys(:)
  real(real64) :: best, from, to, total
  character(len=32) :: name
  integer :: run, i, j

  call get_command_argument(1, name)
  allocate(a(n, n), b(n, n), c(n, n), x(huge_n), y(huge_n), z(huge_n), keys(long))
  do j = 1, n
    do i = 1, n
      a(i, j) = 1 + mod(i * j, 7) / 8.0_real64
      b(i, j) = 1 + mod(i + j, 5) / 8.0_real64
    end do
  end do
  x = 1.25_real64
  y = 0.75_real64
  best = huge(best)
  total = 0
  do run = 1, 5
    c = 0
    call cpu_time(from)
    select case (name)
    case ('matrix');     call matrix(10)
    case ('dot');        call dot()
    case ('triad');      call triad(long / 10, 20000)
    case ('triad_memory'); call triad(huge_n, 20)
    case ('stencil');    call stencil()
    case ('solve');      do i = 1, 10; call factorise(); end do
    case ('bodies');     call bodies()
    case ('sort');       call sort()
    case ('recursion');  total = total + fibonacci(38)
    case ('histogram');  call histogram()
    case ('collatz');    call collatz()
    case default;        stop 2
    end select
    call cpu_time(to)
    best = min(best, to - from)
  end do
  print '(es14.6, es24.16)', best, total + sum(c) + x(1)

contains

  subroutine matrix(repeats)
    integer, intent(in) :: repeats
    integer :: i, j, k, again
    do again = 1, repeats
      do j = 1, n
        do k = 1, n
          do i = 1, n
            c(i, j) = c(i, j) + a(i, k) * b(k, j)
          end do
        end do
      end do
    end do
  end subroutine matrix

  subroutine dot()
    integer :: i, k
    do k = 1, 1000
      do i = 1, long
        total = total + x(i) * y(i)
      end do
      x(k) = total * 1e-9_real64
    end do
  end subroutine dot

  subroutine triad(size, repeats)
    integer, intent(in) :: size, repeats
    integer :: i, k
    do k = 1, repeats
      do i = 1, size
        z(i) = x(i) + 1.5_real64 * y(i)
      end do
      x(mod(k, size) + 1) = z(1)
    end do
  end subroutine triad

  subroutine stencil()
    integer :: i, j, k
    do k = 1, 1000
      do j = 2, n - 1
        do i = 2, n - 1
          c(i, j) = 0.2_real64 * (a(i, j) + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
        end do
      end do
      a(2:n - 1, 2:n - 1) = c(2:n - 1, 2:n - 1)
    end do
  end subroutine stencil

  subroutine factorise()
    integer :: i, j, k
    c = a
    do i = 1, n
      c(i, i) = c(i, i) + 1000
    end do
    do k = 1, n - 1
      do i = k + 1, n
        c(i, k) = c(i, k) / c(k, k)
      end do
      do j = k + 1, n
        do i = k + 1, n
          c(i, j) = c(i, j) - c(i, k) * c(k, j)
        end do
      end do
    end do
  end subroutine factorise

  subroutine bodies()
    integer, parameter :: m = 3000
    real(real64) :: force, distance
    integer :: i, j
    do i = 1, m
      force = 0
      do j = 1, m
        distance = x(i) - y(j) + real(i - j, real64)
        force = force + distance / (sqrt(distance * distance + 0.01_real64))**3
      end do
      z(i) = force
    end do
    total = total + z(m / 2)
  end subroutine bodies

  subroutine sort()
    integer, parameter :: m = 10000
    integer :: i, j, key
    do i = 1, m
      keys(i) = mod(i * 7919, 10007)
    end do
    do i = 2, m
      key = keys(i)
      j = i - 1
      do while (j >= 1)
        if (keys(j) <= key) exit
        keys(j + 1) = keys(j)
        j = j - 1
      end do
      keys(j + 1) = key
    end do
    total = total + keys(m / 3)
  end subroutine sort

  recursive integer function fibonacci(k) result(value)
    integer, intent(in) :: k
    if (k < 2) then
      value = k
    else
      value = fibonacci(k - 1) + fibonacci(k - 2)
    end if
  end function fibonacci

  subroutine histogram()
    integer :: i, k, bin(0:63)
    bin = 0
    do k = 1, 3000
      do i = 1, long
        bin(iand(i * k, 63)) = bin(iand(i * k, 63)) + 1
      end do
    end do
    total = total + bin(3)
  end subroutine histogram

  subroutine collatz()
    integer(int64) :: value
    integer :: i, steps
    steps = 0
    do i = 1, 300000
      value = i
      do while (value > 1)
        if (mod(value, 2_int64) == 0) then
          value = value / 2
        else
          value = 3 * value + 1
        end if
        steps = steps + 1
      end do
    end do
    total = total + steps
  end subroutine collatz

end program counted_kernels
