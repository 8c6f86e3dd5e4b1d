! SPDX-License-Identifier: BSD-3-Clause
! Instructions and cycles of a loop of known length, through the Fortran interface: for a machine
! with counters, such as the emulated node.
program node_loop
  use, intrinsic :: iso_c_binding, only: c_long
  use, intrinsic :: iso_fortran_env, only: int64
  use papi
  implicit none

  interface
    subroutine counted_loop(n) bind(C)
      import :: c_long
      integer(c_long), value :: n
    end subroutine counted_loop
  end interface

  ! Volatile, so that a call takes the same instructions whatever the number.
  integer(c_long), volatile :: iterations(3) = [1000_c_long, 100000_c_long, 3000000_c_long]
  ! Two readings have one whole way out of the library and into it between them, the Fortran layer's
  ! included: what two readings without a loop count, and a few instructions around the loop. The start and the stop of a
  ! parked set are readings, too, so that less than two whole ones are between them.
  integer(int64), parameter :: length = 5, around = 20
  integer(int64) :: reading
  integer(int64) :: values(2)
  integer :: es, i, check
  integer(int64) :: beside(2) ! the instructions beside the first loop: from read to read, from start to stop
  logical :: all_ok

  all_ok = .true.
  beside = -1
  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call step(check == PAPI_VER_CURRENT, 'PAPIF_library_init', check)
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  call step(check == PAPI_OK, 'PAPIF_create_eventset', check)
  call PAPIF_add_event(es, PAPI_TOT_INS, check)
  call step(check == PAPI_OK, 'PAPIF_add_event PAPI_TOT_INS', check)
  call PAPIF_add_event(es, PAPI_TOT_CYC, check)
  call step(check == PAPI_OK, 'PAPIF_add_event PAPI_TOT_CYC', check)
  ! A routine's first call looks up its address; once uncounted, it is part of no measurement.
  call PAPIF_start(es, check)
  call counted_loop(1_c_long)
  call PAPIF_read(es, values, check)
  call PAPIF_stop(es, values, check)
  call step(check == PAPI_OK, 'first calls', check)
  call measure(iterations(1)) ! once more before they are compared: what is looked up once has been
  beside = -1
  do i = 1, size(iterations)
    if (all_ok) call measure(iterations(i))
  end do
  if (.not. all_ok) stop 1

contains

  ! Nothing is printed while the set counts: it would count that too.
  subroutine measure(n)
    integer(c_long), intent(in) :: n
    integer(int64) :: empty(2), before(2), after(2), whole(2)
    integer :: check(5)

    call PAPIF_start(es, check(1))
    call PAPIF_read(es, empty, check(2))
    call PAPIF_read(es, before, check(3))
    call counted_loop(n)
    call PAPIF_read(es, after, check(4))
    call PAPIF_stop(es, values, check(5))
    call step(all(check == PAPI_OK), 'start, three reads, stop', minval(check))
    reading = before(1) - empty(1)
    call compare('read to read', after - before, n, beside(1), reading + around)

    call PAPIF_start(es, check(1))
    call counted_loop(n)
    call PAPIF_stop(es, whole, check(2))
    call step(all(check(1:2) == PAPI_OK), 'start, stop', minval(check(1:2)))
    call compare('start to stop', whole, n, beside(2), 2 * reading)
  end subroutine measure

  subroutine compare(what, counts, n, first, slack)
    character(len=*), intent(in) :: what
    integer(int64), intent(in) :: counts(2)
    integer(c_long), intent(in) :: n
    integer(int64), intent(inout) :: first
    integer(int64), intent(in) :: slack
    character(len=120) :: text

    if (first < 0) first = counts(1) - length * n
    write (text, '(5(a, i0))') what // ': ', counts(1), ' instructions, ', counts(1) - length * n, &
      ' more than the loop has, at most ', slack, '; ', counts(2), ' cycles'
    call step(first >= 0 .and. first <= slack .and. counts(1) - length * n == first .and. counts(2) > 0, &
      trim(text), PAPI_OK)
  end subroutine compare

  subroutine step(ok, what, code)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    integer, intent(in) :: code
    character(len=PAPI_HUGE_STR_LEN) :: text
    integer :: told

    if (ok) then
      print '(2a)', 'ok ', what
      return
    end if
    all_ok = .false.
    call PAPIF_strerror(code, text, told)
    print '(4a)', 'not ok ', what, ': ', trim(text)
  end subroutine step

end program node_loop
