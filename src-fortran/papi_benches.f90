! SPDX-License-Identifier: BSD-3-Clause
! Micro-benchmarks that are counted, not timed (papi_bench.h, for C, says more):
!
!   call papi_bench('sum of a thousand', add_up)
!
! papi_gate has each as a region of this name, with the exact counts of the subroutine add_up and of what it calls:
! nothing of the call is in it, but add_up's own return. Without papi_gate the subroutine runs once, and nothing else
! happens.
module papi_benches
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_procpointer, c_funptr, c_int, c_null_char, c_null_ptr, c_ptr
  implicit none
  private
  public :: papi_bench

  integer(c_int), parameter :: CALLED = 2, ENDED = 3 ! PAPI_BENCH_CALLED, PAPI_BENCH_END

  abstract interface
    subroutine mark(name, step) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: step
    end subroutine mark
  end interface

  interface
    function dlsym(handle, name) bind(C)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function dlsym
  end interface

contains

  ! Calls papi_gate's own part in the process, where there is one.
  subroutine tell(name, step)
    character(kind=c_char, len=*), intent(in) :: name
    integer(c_int), intent(in) :: step
    procedure(mark), pointer :: found
    type(c_funptr) :: place

    place = dlsym(c_null_ptr, 'papi_gate_bench' // c_null_char)
    if (.not. c_associated(place)) return
    call c_f_procpointer(place, found)
    call found(name // c_null_char, step)
  end subroutine tell

  subroutine papi_bench(name, work)
    character(len=*), intent(in) :: name
    interface
      subroutine work()
      end subroutine work
    end interface

    call tell(trim(name), CALLED)
    call work()
    call tell('', ENDED)
  end subroutine papi_bench
end module papi_benches
