! SPDX-License-Identifier: BSD-3-Clause
! What a Fortran program reads and writes is counted: the run-time library calls read and write for it.
program appio
    use papi
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    integer, parameter :: n = 100000
    character(len=*), parameter :: names(4) = [character(len=20) :: 'appio:::WRITE_BYTES', 'appio:::READ_BYTES', &
        'appio:::OPEN_CALLS', 'appio:::READ_ERR']
    integer(int64), parameter :: wanted(4) = [int(n, int64), int(n, int64), 2_int64, 0_int64]
    integer :: es, check, i, unit
    integer(int64) :: counted(4)
    character :: bytes(n)

    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    if (check /= PAPI_VER_CURRENT) error stop 'no library'
    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    do i = 1, size(names)
        call PAPIF_add_named_event(es, trim(names(i)), check)
        if (check /= PAPI_OK) then
            call PAPIF_perror(names(i))
            error stop 'not added'
        end if
    end do
    bytes = 'x'
    call PAPIF_start(es, check)
    open (newunit=unit, file='appio.data', access='stream', form='unformatted', status='replace', action='write')
    write (unit) bytes
    close (unit)
    open (newunit=unit, file='appio.data', access='stream', form='unformatted', status='old', action='read')
    read (unit) bytes
    close (unit, status='delete')
    call PAPIF_stop(es, counted, check)
    if (check /= PAPI_OK) error stop 'not stopped'
    do i = 1, size(names)
        print '(a, 2(1x, i0))', trim(names(i)), counted(i), wanted(i)
    end do
    if (any(counted /= wanted)) error stop 'other counts'
end program
