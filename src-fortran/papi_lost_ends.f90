! SPDX-License-Identifier: BSD-3-Clause
! Event sets of variables whose end the compiler loses. Where a BLOCK directly follows an OpenMP directive,
! gfortran 12 finalises its variables when it is entered, and never again. A variable that is used after it was
! finalised is such a one, since the language gives nobody else a way to do so.
!
! Its event set is noted with the variable's place. Once a variable at this place is finalised that does not
! have the set, the first one is gone, and its set can be destroyed. A thread that ends frees what is left.
module papi_lost_ends
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t
  use papi_bindings, only: PAPI_NULL
  implicit none
  private
  public :: note, noted

  type :: entry
    integer(c_intptr_t) :: place
    integer(c_int) :: es
    type(entry), pointer :: next => null()
  end type entry

  ! Those of the thread, if it has any. A program of threads that is compiled without OpenMP would have one list
  ! for all: the archive has it with OpenMP always.
  type(entry), pointer, save :: first => null()
  !$omp threadprivate(first)

contains

  subroutine note(place, es)
    integer(c_intptr_t), intent(in) :: place
    integer(c_int), intent(in) :: es
    type(entry), pointer :: new

    allocate (new)
    new%place = place
    new%es = es
    new%next => first
    first => new
  end subroutine note

  ! The event set that is noted with the place, no longer noted then, or PAPI_NULL.
  integer(c_int) function noted(place) result(es)
    integer(c_intptr_t), intent(in) :: place
    type(entry), pointer :: this, before

    es = PAPI_NULL
    before => null()
    this => first
    do while (associated(this))
      if (this%place == place) exit
      before => this
      this => this%next
    end do
    if (.not. associated(this)) return
    es = this%es
    if (associated(before)) then
      before%next => this%next
    else
      first => this%next
    end if
    deallocate (this)
  end function noted

end module papi_lost_ends
