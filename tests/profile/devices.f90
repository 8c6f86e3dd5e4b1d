! SPDX-License-Identifier: BSD-3-Clause
program devices
  use iso_c_binding, only: c_char, c_int, c_int64_t, c_null_char
  implicit none
  interface
    subroutine start(kernel, ns) bind(c, name="double_starts_kernel")
      import :: c_char, c_int64_t
      character(kind=c_char), intent(in) :: kernel(*)
      integer(c_int64_t), value :: ns
    end subroutine start
    integer(c_int) function initialise(flags) bind(c, name="cuInit")
      import :: c_int
      integer(c_int), value :: flags
    end function initialise
  end interface
  integer :: i
  if (initialise(0_c_int) /= 0) stop 1
  do i = 1, 4
    call solve(i)
  end do
contains
  subroutine solve(i)
    integer, intent(in) :: i
    call start("solve_kernel" // c_null_char, int(100*i, c_int64_t)) ! solve
  end subroutine solve
end program devices
