! SPDX-License-Identifier: BSD-3-Clause
! Where the operations happen: a handler is called after every 10,000 operations, with the
! address of the instruction that caused it, and records which procedure contains it.
!
! It counts floating-point operations if they can be counted (papi_emulate ./overflow), otherwise
! cycles or the clock (in nanoseconds). Status: 0, or 77 if nothing here delivers overflows.
module overflow_work
  use, intrinsic :: iso_c_binding, only: c_funptr, c_int, c_intptr_t, c_long_long, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: note, note_in, interrupts, triad, dot

  integer, parameter :: n = 1000
  real(real64) :: a(n) = 0, b(n) = 1.5_real64, c(n) = 0.5_real64, total = 0
  integer(c_intptr_t), parameter :: longest = 4096 ! bytes: more than either procedure has
  integer(c_intptr_t) :: begins(2) = 0
  ! Calls of the handler for each procedure; 0: for neither. The handler changes them asynchronously.
  integer, volatile :: interrupts(0:2) = 0

contains

  ! The handler: no input, no output, no ALLOCATE, as in every signal handler.
  subroutine note(es, address, overflow_vector, context) bind(C)
    integer(c_int), value :: es
    type(c_ptr), value :: address, context
    integer(c_long_long), value :: overflow_vector
    integer(c_intptr_t) :: place, nearest
    integer :: i, which

    place = transfer(address, place)
    which = 0
    nearest = longest
    do i = 1, 2
      if (place < begins(i) .or. place - begins(i) >= nearest) cycle
      nearest = place - begins(i)
      which = i
    end do
    interrupts(which) = interrupts(which) + 1
  end subroutine note

  subroutine note_in(procedures)
    type(c_funptr), intent(in) :: procedures(2)
    integer :: i

    begins = [(transfer(procedures(i), begins(i)), i = 1, 2)]
  end subroutine note_in

  subroutine triad() bind(C)
    integer :: i, turn

    do turn = 1, 1000
      do i = 1, n
        a(i) = b(i) + 1.0001_real64 * c(i)
      end do
      b(1) = a(n)
    end do
  end subroutine triad

  subroutine dot() bind(C)
    integer :: i, turn

    do turn = 1, 500
      do i = 1, n
        total = total + b(i) * c(i)
      end do
    end do
  end subroutine dot

end module overflow_work

program overflow
  use, intrinsic :: iso_c_binding, only: c_f_procpointer, c_funloc, c_funptr
  use overflow_work
  use papi
  implicit none

  interface
    subroutine work() bind(C)
    end subroutine work
  end interface

  integer, parameter :: thresholds(3) = [10000, 10000, 100000]
  character(len=*), parameter :: events(3) = [character(len=20) :: 'PAPI_DP_OPS', 'PAPI_TOT_CYC', 'perf::TASK-CLOCK']
  character(len=*), parameter :: names(2) = ['triad', 'dot  ']
  type(papi_event_set) :: set
  type(c_funptr) :: procedures(2)
  procedure(work), pointer :: run
  character(len=300) :: reason
  integer :: i, threshold, check

  do i = 1, size(events)
    threshold = thresholds(i)
    call set%add(events(i), check, reason)
    if (check == PAPI_OK) then
      call set%overflow(events(i), threshold, note, stat=check, errmsg=reason)
      if (check == PAPI_OK) exit
      call set%clear()
    end if
    print '(2a)', 'not used: ', trim(reason)
  end do
  if (check /= PAPI_OK) stop 77

  procedures = [c_funloc(triad), c_funloc(dot)]
  call note_in(procedures)
  call set%start()
  do i = 1, 2
    call c_f_procpointer(procedures(i), run) ! called by address, so that it is not inlined
    call run()
  end do
  call set%stop()

  print '(3a, i0)', 'interrupts, one for ', set%name(1), ' x ', threshold
  print '(a, t10, i8)', (names(i), interrupts(i), i = 1, 2), 'other', interrupts(0)
end program overflow
