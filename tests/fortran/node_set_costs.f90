! SPDX-License-Identifier: BSD-3-Clause
! What the calls of papi_event_set cost over those of the C functions, in instructions: for the emulated
! node, where a nanosecond of the clock is an instruction. The first argument is another limit. Status 1: more than the limit.
program node_set_costs
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use papi
  implicit none

  ! The clock advances in steps of 16, on RISC-V of 100, and its interrupt comes every few million instructions: many
  ! short batches, of which the median saw neither.
  integer, parameter :: batches = 31, calls = 200
  real(real64) :: limit = 30
  character(len=16) :: word
  real(real64), parameter :: doubt = 100.0_real64 / calls ! a step of the clock, for each call
  type(papi_event_set) :: set, same_set
  integer(int64) :: values(2), start, samples(batches)
  integer :: es, check, batch, i
  logical :: all_ok

  all_ok = .true.
  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) limit
  end if
  call set%add([PAPI_TOT_INS, PAPI_TOT_CYC])
  same_set = set
  es = same_set%handle() ! the handle of set itself would make it ask for its number of events at each call
  print '(a, t24, a)', 'instructions a call', 'C function      more'
  call set%start()
  call counting()
  call set%stop(values)
  call starting()
  if (.not. all_ok) stop 1

contains

  subroutine row(what, c, object)
    character(len=*), intent(in) :: what
    real(real64), intent(in) :: c, object

    print '(a, t20, 2f14.1)', what, c, object - c
    if (object - c > limit + doubt .or. check /= PAPI_OK) all_ok = .false.
  end subroutine row

  real(real64) function median(samples)
    integer(int64), intent(in) :: samples(:)
    integer :: i

    median = 0
    do i = 1, size(samples)
      if (count(samples < samples(i)) <= size(samples) / 2 .and. count(samples <= samples(i)) > size(samples) / 2) &
        median = real(samples(i), real64) / calls
    end do
  end function median

  subroutine counting()
    real(real64) :: c

    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        check = PAPI_read(es, values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    c = median(samples)
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%read(values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('read', c, median(samples))
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%read(values, check)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('read, stat=', c, median(samples))
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        check = PAPI_accum(es, values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    c = median(samples)
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%accum(values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('accum', c, median(samples))
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%accum(values, check)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('accum, stat=', c, median(samples))
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        check = PAPI_reset(es)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    c = median(samples)
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%reset()
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('reset', c, median(samples))
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%reset(check)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('reset, stat=', c, median(samples))
  end subroutine counting

  subroutine starting()
    real(real64) :: c

    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        check = PAPI_start(es)
        check = PAPI_stop(es, values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    c = median(samples) / 2
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%start()
        call set%stop(values)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('start, stop', c, median(samples) / 2)
    do batch = 1, batches
      start = PAPI_get_real_nsec()
      do i = 1, calls
        call set%start(check)
        call set%stop(values, check)
      end do
      samples(batch) = PAPI_get_real_nsec() - start
    end do
    call row('start, stop, stat=', c, median(samples) / 2)
  end subroutine starting

end program node_set_costs
