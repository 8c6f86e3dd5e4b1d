! SPDX-License-Identifier: BSD-3-Clause
! type(papi_region): a region of the high-level interface that ends with its BLOCK or procedure, however
! that is left.
!
!   block
!     type(papi_region) :: region
!     call region%enter('solver')
!     call solve()
!   end block
!
! Errors: see papi_errors; those of the leaving at the end of the variable are passed over. A copy of a
! variable is in no region. The main program's variables exist to the end: use a BLOCK there, or %leave.
! In which order several variables of one procedure end, the language does not say: regions inside of
! each other want BLOCKs inside of each other.
module papi_regions
  use, intrinsic :: iso_c_binding, only: c_int, c_intptr_t, c_loc
  use papi_bindings, only: PAPI_EINVAL, PAPI_ENOMEM, PAPI_OK, PAPIF_hl_region_begin, PAPIF_hl_region_end
  use papi_errors, only: settle
  implicit none
  private

  type, public :: papi_region
    private
    character(len=:), allocatable :: name
    ! Where the variable is that entered, 0 outside: a copy is elsewhere, and knows so that it is one.
    integer(c_intptr_t) :: home = 0
  contains
    ! %enter(name): as PAPI_hl_region_begin. PAPI_EINVAL: the variable is in a region. After PAPI_EINVAL and
    ! PAPI_ENOMEM it is not inside; other errors are those of counters, and it is.
    procedure :: enter
    ! %leave(): as PAPI_hl_region_end. Outside of a region it does nothing.
    procedure :: leave
    ! %inside(): whether the variable is in a region.
    procedure :: inside
    final :: finish
  end type papi_region

contains

  integer(c_intptr_t) function place(self)
    class(papi_region), intent(in), target :: self

    place = transfer(c_loc(self%home), place)
  end function place

  logical function inside(self)
    class(papi_region), intent(in) :: self

    inside = self%home == place(self)
  end function inside

  subroutine enter(self, name, stat, errmsg)
    class(papi_region), intent(inout) :: self
    character(len=*), intent(in) :: name
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    if (inside(self)) then
      call settle(PAPI_EINVAL, 'papi_region%enter: ' // trim(name), stat, errmsg, 'the variable is in region ' // self%name)
      return
    end if
    call PAPIF_hl_region_begin(name, check)
    if (check /= PAPI_EINVAL .and. check /= PAPI_ENOMEM) then
      self%name = name
      self%home = place(self)
    end if
    call settle(check, 'papi_region%enter: ' // trim(name), stat, errmsg)
  end subroutine enter

  subroutine leave(self, stat, errmsg)
    class(papi_region), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = PAPI_OK
    if (inside(self)) call PAPIF_hl_region_end(self%name, check)
    self%home = 0
    call settle(check, 'papi_region%leave', stat, errmsg)
  end subroutine leave

  impure elemental subroutine finish(self)
    type(papi_region), intent(inout) :: self
    integer(c_int) :: ignored

    call leave(self, ignored)
  end subroutine finish

end module papi_regions
