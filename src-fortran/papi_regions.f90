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
! In which order several variables of one procedure end, the language does not say: a variable that ends while
! others of its thread are in regions inside of its own leaves together with the last of them.
module papi_regions
  use, intrinsic :: iso_c_binding, only: c_bool, c_int, c_intptr_t, c_loc
  use papi_bindings, only: PAPI_EINVAL, PAPI_ENOMEM, PAPI_OK, PAPIF_hl_region_begin, PAPIF_hl_region_end
  use papi_errors, only: settle
  implicit none
  private

  ! A region that a variable entered. It outlives a variable that ends too early.
  type :: entry
    character(len=:), allocatable :: name
    logical :: ended = .false. ! the variable has
    type(entry), pointer :: outer => null()
  end type entry

  ! Those of the thread, of which each is inside of the next. In a program of several threads that is
  ! compiled without OpenMP there would be one list for all: the archive has it with OpenMP always.
  type(entry), pointer, save :: innermost => null()
  !$omp threadprivate(innermost)

  type, public :: papi_region
    private
    type(entry), pointer :: own => null()
    ! Where the variable is that entered, 0 outside: a copy is elsewhere, and knows so that it is one.
    integer(c_intptr_t) :: home = 0
    logical(c_bool) :: finalised = .false.
  contains
    ! %enter(name): as PAPI_hl_region_begin. PAPI_EINVAL: the variable is in a region, or has been finalised (see
    ! papi_lost_ends: nothing would end the region). After PAPI_EINVAL and
    ! PAPI_ENOMEM it is not inside; other errors are those of counters, and it is.
    procedure :: enter
    ! %leave(): as PAPI_hl_region_end. Outside of a region it does nothing. After PAPI_EINVAL, where
    ! a region inside of it is still open, the variable is inside as before.
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
      call settle(PAPI_EINVAL, action(name), stat, errmsg, 'the variable is in region ' // self%own%name)
      return
    else if (self%finalised) then
      call settle(PAPI_EINVAL, action(name), stat, errmsg, 'the compiler ended the variable before its block began, ' // &
        'and would never leave the region: write CONTINUE between the OpenMP directive and BLOCK')
      return
    end if
    call PAPIF_hl_region_begin(name, check)
    if (check /= PAPI_EINVAL .and. check /= PAPI_ENOMEM) then
      call push(self%own, name)
      self%home = place(self)
    end if
    call settle(check, action(name), stat, errmsg)
  end subroutine enter

  subroutine leave(self, stat, errmsg)
    class(papi_region), intent(inout) :: self
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    integer(c_int) :: check

    check = PAPI_OK
    if (inside(self)) call PAPIF_hl_region_end(self%own%name, check)
    if (check /= PAPI_EINVAL) call forget(self)
    call settle(check, 'papi_region%leave', stat, errmsg)
  end subroutine leave

  impure elemental subroutine finish(self)
    type(papi_region), intent(inout) :: self
    integer(c_int) :: check

    self%finalised = .true.
    check = PAPI_OK
    if (inside(self)) then
      check = PAPI_EINVAL
      if (may_be_left(self%own)) call PAPIF_hl_region_end(self%own%name, check)
    end if
    if (check == PAPI_EINVAL .and. .not. associated(self%own, innermost)) then
      self%own%ended = .true. ! to be left when what is inside of it is
      self%home = 0
    else
      call forget(self)
    end if
  end subroutine finish

  ! ------------------------------------------------------------------------------- the thread's entries

  subroutine push(own, name)
    type(entry), pointer, intent(out) :: own
    character(len=*), intent(in) :: name

    allocate (own)
    own%name = name
    own%outer => innermost
    innermost => own
  end subroutine push

  ! Whether the region may be the innermost one; else the library would count a call that does not fit.
  logical function may_be_left(own)
    type(entry), pointer, intent(in) :: own

    may_be_left = .true.
    if (associated(innermost)) may_be_left = own%name == innermost%name
  end function may_be_left

  ! Takes the variable's entry out. It need not be the innermost: regions of the same name are alike.
  subroutine forget(self)
    class(papi_region), intent(inout) :: self
    type(entry), pointer :: inner

    if (inside(self)) then
      if (associated(self%own, innermost)) then
        innermost => self%own%outer
        deallocate (self%own)
      else
        inner => innermost
        do while (associated(inner))
          if (associated(inner%outer, self%own)) exit
          inner => inner%outer
        end do
        if (associated(inner)) then
          inner%outer => self%own%outer
          deallocate (self%own)
        else
          self%own%ended = .true. ! it is another thread's
        end if
      end if
      call leave_ended()
    end if
    self%own => null()
    self%home = 0
  end subroutine forget

  ! The regions of variables that have ended before those inside of them.
  subroutine leave_ended()
    type(entry), pointer :: last
    integer(c_int) :: ignored

    do while (associated(innermost))
      if (.not. innermost%ended) exit
      last => innermost
      innermost => last%outer
      call PAPIF_hl_region_end(last%name, ignored)
      deallocate (last)
    end do
  end subroutine leave_ended

  ! What an error message says first.
  function action(name) result(text)
    character(len=*), intent(in) :: name
    character(len=:), allocatable :: text

    text = 'papi_region%enter'
    if (len_trim(name) > 0) text = text // ': ' // trim(name)
  end function action

end module papi_regions
