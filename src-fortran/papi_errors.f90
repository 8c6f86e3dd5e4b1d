! SPDX-License-Identifier: BSD-3-Clause
! How the objects of module papi report errors. It is the language's own way, as of ALLOCATE and READ:
!
!   stat    present: receives PAPI_OK (0) or a negative PAPI_E* code, and the call returns.
!           absent: an error prints its text on the error unit and ends the program with ERROR STOP.
!   errmsg  receives the text of an error, cut or filled with blanks to its length. Without an error
!           it keeps its value. It alone does not keep an error from ending the program.
!
! stat is of the kind of the constants, integer(c_int): the default integers, unless a compiler option
! such as -fdefault-integer-8 makes these longer.
module papi_errors
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: error_unit
  use papi_bindings, only: PAPI_HUGE_STR_LEN, PAPI_is_initialized, PAPI_library_init, PAPI_NOT_INITED, PAPI_OK, &
    PAPI_VER_CURRENT, PAPIF_strerror
  implicit none
  private
  public :: papi_error_text ! the one of these that module papi passes on
  public :: library_ready, settle

contains

  ! The text of an error code, with the reason of the thread's last error where that had this code:
  ! what PAPI_strerror says, without trailing blanks. Every number has a text.
  function papi_error_text(code) result(text)
    integer(c_int), intent(in) :: code
    character(len=:), allocatable :: text
    character(len=PAPI_HUGE_STR_LEN) :: found
    integer(c_int) :: check

    call PAPIF_strerror(code, found, check)
    if (check /= PAPI_OK) write (found, '(i0, a)') code, ' is not an error code'
    text = trim(found)
  end function papi_error_text

  ! Who uses an object need not call PAPIF_library_init.
  integer(c_int) function library_ready() result(check)
    check = PAPI_OK
    if (PAPI_is_initialized() /= PAPI_NOT_INITED) return
    check = PAPI_library_init(PAPI_VER_CURRENT)
    if (check == PAPI_VER_CURRENT) check = PAPI_OK
  end function library_ready

  ! Ends a procedure: tells the caller, or nobody, that it failed. reason replaces the text of the code.
  subroutine settle(code, what, stat, errmsg, reason)
    integer(c_int), value :: code ! in a register, so that calls which succeed do not store it
    character(len=*), intent(in) :: what
    integer(c_int), intent(out), optional :: stat
    character(len=*), intent(inout), optional :: errmsg
    character(len=*), intent(in), optional :: reason
    character(len=:), allocatable :: text

    if (present(stat)) stat = code
    if (code == PAPI_OK) return
    if (present(reason)) then
      text = trim(what) // ': ' // reason
    else
      text = trim(what) // ': ' // papi_error_text(code)
    end if
    if (present(errmsg)) errmsg = text
    if (present(stat)) return
    write (error_unit, '(a)') text
    flush (error_unit) ! what ERROR STOP writes would overtake it in a file
    error stop 1
  end subroutine settle

end module papi_errors
