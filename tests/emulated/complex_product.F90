! SPDX-License-Identifier: BSD-3-Clause
! A file of its own: it is compiled without vectors.
subroutine complex_product_of_scalars(n, u, v, w)
  use, intrinsic :: iso_fortran_env, only: real32, real64
  implicit none
  integer, intent(in) :: n
  complex(REAL_KIND), intent(in) :: u(n), v(n)
  complex(REAL_KIND), intent(out) :: w(n)
  integer :: k

  do k = 1, n
    w(k) = u(k) * v(k)
  end do
end subroutine complex_product_of_scalars
