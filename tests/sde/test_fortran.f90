! SPDX-License-Identifier: BSD-3-Clause
!
! A Fortran library's own events, by module papi_sde, counted by module papi.
program test_fortran
    use papi
    use papi_sde
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer(c_long_long), target, save :: iterations = 10
    real(c_double), target, save :: residual = 1.0_c_double
    real(c_double), target :: sample
    type(c_ptr) :: library, steps, times
    integer :: es, check, i
    integer(int64) :: values(5)
    real(c_double), pointer :: median

    library = papi_sde_init('solver'//c_null_char)
    call must(papi_sde_register_counter(library, 'iterations'//c_null_char, PAPI_SDE_RO + PAPI_SDE_DELTA, &
        PAPI_SDE_long_long, c_loc(iterations)), 'register iterations')
    call must(papi_sde_register_counter(library, 'residual'//c_null_char, PAPI_SDE_RO + PAPI_SDE_INSTANT, &
        PAPI_SDE_double, c_loc(residual)), 'register residual')
    call must(papi_sde_register_counter_cb(library, 'twice'//c_null_char, PAPI_SDE_RO + PAPI_SDE_INSTANT, &
        PAPI_SDE_long_long, c_funloc(twice), c_loc(iterations)), 'register twice')
    call must(papi_sde_describe_counter(library, 'residual'//c_null_char, 'The norm'//c_null_char), 'describe')
    call must(papi_sde_create_counter(library, 'steps'//c_null_char, PAPI_SDE_DELTA, steps), 'create')
    call must(papi_sde_create_recorder(library, 'times'//c_null_char, c_sizeof(sample), &
        c_funloc(papi_sde_compare_double), times), 'recorder')

    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    if (check /= PAPI_VER_CURRENT) error stop 'no library'
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call add('iterations')
    call add('residual')
    call add('twice')
    call add('steps')
    call add('times:MED')
    call PAPIF_start(es, check)
    call must(int(check, c_int), 'start')
    do i = 1, 9
        iterations = iterations + 1
        residual = residual/2
        sample = real(mod(4*i, 9), c_double)
        call must(papi_sde_inc_counter(steps, 3_c_long_long), 'inc')
        call must(papi_sde_record(times, c_sizeof(sample), c_loc(sample)), 'record')
    end do
    call PAPIF_stop(es, values, check)
    call must(int(check, c_int), 'stop')
    call equal(values(1), 9_int64, 'iterations')
    call equal(values(2), transfer(2.0_c_double**(-9), 0_int64), 'residual')
    call equal(values(3), 38_int64, 'twice')
    call equal(values(4), 27_int64, 'steps')
    call c_f_pointer(transfer(values(5), c_null_ptr), median)
    if (abs(median - 4.0_c_double) > 0) error stop 'the median'
    print '(a)', 'ok'

contains

    integer(c_long_long) function twice(param) bind(C)
        type(c_ptr), value :: param
        integer(c_long_long), pointer :: number
        call c_f_pointer(param, number)
        twice = 2*number
    end function

    subroutine add(event)
        character(len=*), intent(in) :: event
        call PAPIF_add_named_event(es, 'sde:::solver::'//event, check)
        call must(int(check, c_int), event)
    end subroutine

    subroutine must(code, what)
        integer(c_int), intent(in) :: code
        character(len=*), intent(in) :: what
        if (code == SDE_OK) return
        print '(2a, i0)', what, ' returned ', code
        error stop
    end subroutine

    subroutine equal(got, wanted, what)
        integer(int64), intent(in) :: got, wanted
        character(len=*), intent(in) :: what
        if (got == wanted) return
        print '(2a, i0, a, i0)', what, ': ', got, ', not ', wanted
        error stop
    end subroutine
end program
