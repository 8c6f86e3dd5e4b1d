! SPDX-License-Identifier: BSD-3-Clause
! The rates of two loops: floating-point operations by PAPIF_flops, instructions by PAPIF_ipc and,
! where the machine cannot count one of these, software events.
!
! Status: 0 if something was counted, 77 if nothing can be counted here.
program flops_loop
  use, intrinsic :: iso_fortran_env, only: int64, real32, real64
  use papi
  implicit none

  integer, parameter :: n = 200000, repeats = 25
  character(len=*), parameter :: loops(2) = ['triad', 'dot  ']
  real(real64) :: a(n), b(n), c(n), total
  logical :: have_flops, have_ipc, have_kernel

  b = 1.5_real64
  c = 0.5_real64
  total = 0
  call flops_table(have_flops)
  call ipc_table(have_ipc)
  have_kernel = .false.
  if (.not. (have_flops .and. have_ipc)) call kernel_table(have_kernel)
  print '(/, a, es12.4)', 'result of the loops:', total
  if (.not. (have_flops .or. have_ipc .or. have_kernel)) stop 77

contains

  subroutine work(which)
    integer, intent(in) :: which
    integer :: i, k

    do k = 1, repeats
      if (which == 1) then
        do i = 1, n
          a(i) = b(i) + 1.0001_real64 * c(i)
        end do
        total = total + a(k)
      else
        do i = 1, n
          total = total + b(i) * c(i)
        end do
      end if
    end do
  end subroutine work

  subroutine flops_table(ok)
    logical, intent(out) :: ok
    real(real32) :: rtime, ptime, mflops
    integer(int64) :: operations
    integer :: which, check

    ok = .false.
    do which = 1, size(loops)
      call PAPIF_flops(rtime, ptime, operations, mflops, check) ! starts the counters
      if (check == PAPI_OK) then
        call work(which)
        call PAPIF_flops(rtime, ptime, operations, mflops, check)
      end if
      if (check /= PAPI_OK) then
        call explain('PAPIF_flops', check)
        return
      end if
      if (which == 1) print '(/, a)', 'loop       real s     CPU s          operations     MFLOP/s'
      print '(a, 2f10.4, i20, f12.2)', loops(which), rtime, ptime, operations, mflops
      call stop_rates()
      ok = .true.
    end do
  end subroutine flops_table

  subroutine ipc_table(ok)
    logical, intent(out) :: ok
    real(real32) :: rtime, ptime, ipc
    integer(int64) :: instructions
    integer :: which, check

    ok = .false.
    do which = 1, size(loops)
      call PAPIF_ipc(rtime, ptime, instructions, ipc, check)
      if (check == PAPI_OK) then
        call work(which)
        call PAPIF_ipc(rtime, ptime, instructions, ipc, check)
      end if
      if (check /= PAPI_OK) then
        call explain('PAPIF_ipc', check)
        return
      end if
      if (which == 1) print '(/, a)', 'loop       real s     CPU s        instructions         IPC'
      print '(a, 2f10.4, i20, f12.2)', loops(which), rtime, ptime, instructions, ipc
      call stop_rates()
      ok = .true.
    end do
  end subroutine ipc_table

  ! PAPIF_flops, PAPIF_flips and PAPIF_ipc share one set of counters: the next one can start after this.
  subroutine stop_rates()
    integer(int64) :: counts(2)
    integer :: check

    call PAPIF_stop_counters(counts, size(counts), check)
    if (check /= PAPI_OK) call explain('PAPIF_stop_counters', check)
  end subroutine stop_rates

  subroutine kernel_table(ok)
    logical, intent(out) :: ok
    character(len=*), parameter :: wanted(3) = [character(len=24) :: &
      'perf::TASK-CLOCK', 'perf::PAGE-FAULTS', 'perf::CONTEXT-SWITCHES']
    character(len=len(wanted)) :: names(size(wanted))
    integer(int64) :: counts(size(wanted)), start_usec, end_usec
    integer :: es, i, found, which, check

    ok = .false.
    es = PAPI_NULL
    check = PAPI_VER_CURRENT
    call PAPIF_library_init(check)
    call PAPIF_create_eventset(es, check)
    if (check /= PAPI_OK) then
      call explain('PAPIF_create_eventset', check)
      return
    end if
    found = 0
    do i = 1, size(wanted)
      call PAPIF_add_named_event(es, wanted(i), check)
      if (check == PAPI_OK) then
        found = found + 1
        names(found) = wanted(i)
      end if
    end do
    if (found == 0) then
      call explain(trim(wanted(size(wanted))), check) ! the others will have the same reason
      return
    end if

    print '(/, a, t20, *(a24))', 'loop       real s', (adjustr(names(i)), i = 1, found)
    do which = 1, size(loops)
      call PAPIF_get_real_usec(start_usec)
      call PAPIF_start(es, check)
      if (check == PAPI_OK) then
        call work(which)
        call PAPIF_stop(es, counts, check)
      end if
      call PAPIF_get_real_usec(end_usec)
      if (check /= PAPI_OK) then
        call explain('counting', check)
        return
      end if
      print '(a, f12.4, t20, *(i24))', loops(which), real(end_usec - start_usec) * 1e-6, counts(1:found)
      ok = .true.
    end do
  end subroutine kernel_table

  subroutine explain(what, code)
    character(len=*), intent(in) :: what
    integer, intent(in) :: code
    character(len=PAPI_HUGE_STR_LEN) :: text
    integer :: check

    call PAPIF_perror(code, text, check)
    if (check /= PAPI_OK) write (text, '(a, i0)') 'error ', code
    print '(3a)', what, ': ', trim(text)
  end subroutine explain

end program flops_loop
