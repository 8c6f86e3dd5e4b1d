! SPDX-License-Identifier: BSD-3-Clause
!
! Complex numbers are calculated by functions of the compiler's library, of which counted ones take the place. Of ordinary
! numbers without zeros a quotient is 9 operations: the parts' ratio, 2 for the divisor, 3 for each part of the result. A sum
! is 2, and a power of 5 three products.
program complex_operations
    use papi
    use, intrinsic :: iso_fortran_env, only: int64, real64
    implicit none
    integer, parameter :: n = 75
    complex(real64) :: a(n), b(n), s
    real(real64) :: x(n)
    integer :: es, check, i, five
    integer(int64) :: before, quotients, powers
    five = command_argument_count() + 5
    a = [(cmplx(i, i + 1, real64), i = 1, n)]
    b = [(cmplx(i + 2, 3.5_real64 - i, real64), i = 1, n)]
    x = [(1 + i / 100._real64, i = 1, n)]
    call papi_setup()
    call read_now(before)
    s = 0
    do i = 1, n
        s = s + a(i) / b(i)
    end do
    call read_now(quotients)
    quotients = quotients - before
    call expect('quotients and their sum', quotients, 11_int64 * n)
    call read_now(before)
    do i = 1, n
        x(i) = x(i)**five
    end do
    call read_now(powers)
    call expect('powers of 5', powers - before, 3_int64 * n)
    if (abs(s) < 0 .or. sum(x) < 0) print *, s

contains

    subroutine papi_setup()
        check = PAPI_VER_CURRENT
        call PAPIF_library_init(check)
        es = PAPI_NULL
        call PAPIF_create_eventset(es, check)
        call PAPIF_add_named_event(es, 'counted::DP_OPS', check)
        if (check == PAPI_OK) call PAPIF_start(es, check)
        if (check /= PAPI_OK) stop 'no counted::DP_OPS'
    end subroutine

    subroutine read_now(value)
        integer(int64), intent(out) :: value
        integer(int64) :: values(1)
        call PAPIF_read(es, values, check)
        value = values(1)
    end subroutine

    subroutine expect(what, got, wanted)
        character(*), intent(in) :: what
        integer(int64), intent(in) :: got, wanted
        print '(a, 2(i0, a))', what // ': ', got, ' operations of ', wanted
        if (got /= wanted) error stop 1
    end subroutine
end program
