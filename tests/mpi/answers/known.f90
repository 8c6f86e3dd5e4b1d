! SPDX-License-Identifier: BSD-3-Clause
! known.h for programs in Fortran, which include this file: include 'known.f90'
  interface
    subroutine known_begin() bind(c)
    end subroutine
    subroutine known_end(rank) bind(c)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: rank
    end subroutine
    subroutine known_work(seconds) bind(c)
      use, intrinsic :: iso_c_binding, only: c_double
      real(c_double), value :: seconds
    end subroutine
    subroutine known_work_named(name, seconds) bind(c)
      use, intrinsic :: iso_c_binding, only: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: seconds
    end subroutine
    subroutine known_spin(seconds) bind(c)
      use, intrinsic :: iso_c_binding, only: c_double
      real(c_double), value :: seconds
    end subroutine
    real(c_double) function known_now() bind(c)
      use, intrinsic :: iso_c_binding, only: c_double
    end function
    subroutine known_note(name, value) bind(c)
      use, intrinsic :: iso_c_binding, only: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
    end subroutine
  end interface
