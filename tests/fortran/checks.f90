! SPDX-License-Identifier: BSD-3-Clause
! What the Fortran tests share. A test prints what fails and what it skips, and ends with finish().
module checks
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  private
  public :: require, same, one_of, skip, finish

  interface same
    module procedure same_int32, same_int64, same_text
  end interface same

  integer :: passed = 0, failed = 0, skipped = 0

contains

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what

    if (condition) then
      passed = passed + 1
    else
      failed = failed + 1
      print '(2a)', 'FAIL: ', what
    end if
  end subroutine require

  subroutine same_int32(got, wanted, what)
    integer(int32), intent(in) :: got, wanted
    character(len=*), intent(in) :: what

    call same_int64(int(got, int64), int(wanted, int64), what)
  end subroutine same_int32

  subroutine same_int64(got, wanted, what)
    integer(int64), intent(in) :: got, wanted
    character(len=*), intent(in) :: what
    character(len=100) :: values

    write (values, '(2(a, i0))') ': got ', got, ', wanted ', wanted
    call require(got == wanted, what // trim(values))
  end subroutine same_int64

  ! Every blank counts, unlike in ==.
  subroutine same_text(got, wanted, what)
    character(len=*), intent(in) :: got, wanted, what

    call require(len(got) == len(wanted) .and. got == wanted, what // ': got "' // got // '", wanted "' // wanted // '"')
  end subroutine same_text

  subroutine one_of(got, wanted, what)
    integer, intent(in) :: got, wanted(:)
    character(len=*), intent(in) :: what
    character(len=20) :: value

    write (value, '(i0)') got
    call require(any(got == wanted), what // ': got ' // trim(value))
  end subroutine one_of

  subroutine skip(what)
    character(len=*), intent(in) :: what

    skipped = skipped + 1
    print '(2a)', 'SKIP: ', what
  end subroutine skip

  subroutine finish()
    print '(3(i0, a))', passed, ' passed, ', failed, ' failed, ', skipped, ' skipped'
    if (failed > 0) stop 1
    if (passed == 0) stop 77
  end subroutine finish

end module checks
