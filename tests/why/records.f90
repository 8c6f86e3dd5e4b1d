! SPDX-License-Identifier: BSD-3-Clause
! Opens and closes the file for each record.
program records
    use, intrinsic :: iso_fortran_env, only: real64
    implicit none
    real(real64) :: x
    integer :: i, u
    x = 0.5_real64
    open(newunit=u, file='records.out', status='replace')
    close(u)
    do i = 1, 20000
        x = 3.9_real64 * x * (1 - x)
        open(newunit=u, file='records.out', position='append', status='old') ! fault
        write(u, '(f12.6)') x
        close(u)
    end do
end program
