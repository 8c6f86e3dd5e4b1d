! SPDX-License-Identifier: BSD-3-Clause
! cuda from Fortran: a kernel's instructions on each device, a share that is a real number, and what is refused. A
! false kernel of size n has a device execute 4 n instructions; three of four lookups are hits.
program cuda_fortran
    use papi
    use, intrinsic :: iso_fortran_env, only: int64, real64
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
    implicit none
    character(len=*), parameter :: names(4) = [character(len=60) :: 'cuda:::sm__inst_executed:stat=sum', &
        'cuda:::sm__inst_executed:device=1:stat=sum', 'cuda:::l1tex__t_sector_hit_rate:stat=ratio:real', &
        'cuda:::sm__inst_executed:stat=max']
    integer :: es, other, check, i
    integer(int64) :: counted(4)

    interface
        subroutine launch(device, n) bind(c, name='cuda_double_primary_kernel')
            import :: c_int, c_int64_t
            integer(c_int), value :: device
            integer(c_int64_t), value :: n
        end subroutine
    end interface

    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    if (check /= PAPI_VER_CURRENT) error stop 'no library'
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    do i = 1, size(names)
        call PAPIF_add_named_event(es, trim(names(i)), check)
        call must_be(check, PAPI_OK, names(i))
    end do
    call PAPIF_add_named_event(es, 'cuda:::sm__throughput:stat=avg', check)
    call must_be(check, PAPI_EMULPASS, 'a throughput')
    call PAPIF_add_named_event(es, 'cuda:::sm__inst_executed:stat=sum:stat=sum', check)
    call must_be(check, PAPI_ENOEVNT, 'a qualifier twice')

    call PAPIF_start(es, check)
    call must_be(check, PAPI_OK, 'start')
    other = PAPI_NULL
    call PAPIF_create_eventset(other, check)
    call PAPIF_add_named_event(other, 'cuda:::sm__cycles_elapsed:stat=sum', check)
    call PAPIF_start(other, check)
    call must_be(check, PAPI_EISRUN, 'a second set')
    call launch(0_c_int, 1000_c_int64_t)
    call launch(1_c_int, 7_c_int64_t)
    call PAPIF_stop(es, counted, check)
    call must_be(check, PAPI_OK, 'stop')
    do i = 1, size(names)
        print '(a, 1x, i0)', trim(names(i)), counted(i)
    end do
    if (any(counted([1, 2, 4]) /= [4000_int64, 28_int64, 3000_int64])) error stop 'other counts'
    if (counted(3) /= transfer(0.75_real64, counted(3))) error stop 'another share'

contains

    subroutine must_be(got, wanted, what)
        integer, intent(in) :: got, wanted
        character(len=*), intent(in) :: what
        if (got == wanted) return
        call PAPIF_perror(what)
        print '(2a, 2(1x, i0))', what, ':', got, wanted
        error stop 'another code'
    end subroutine
end program
