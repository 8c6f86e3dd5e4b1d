! SPDX-License-Identifier: BSD-3-Clause
! Texts both ways: blanks to the end, cut where too short, of no length, with a null byte inside.
program strings
  use checks
  use papi
  implicit none

  character(len=*), parameter :: name = 'PAPI_TOT_CYC'
  integer :: check

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
  call texts_in()
  call texts_out()
  call errors()
  call finish()

contains

  subroutine code_of(text, wanted_check, what)
    character(len=*), intent(in) :: text, what
    integer, intent(in) :: wanted_check
    integer :: code, check

    code = 0
    call PAPIF_event_name_to_code(text, code, check)
    call same(check, wanted_check, what)
    if (wanted_check == PAPI_OK) call same(code, PAPI_TOT_CYC, what // ', its code')
  end subroutine code_of

  subroutine texts_in()
    character(len=5000) :: long
    integer :: code, check

    long = name
    call code_of(name, PAPI_OK, 'an exact text')
    call code_of(name // '   ', PAPI_OK, 'trailing blanks')
    call code_of(long, PAPI_OK, 'many trailing blanks')
    call code_of(name // char(0), PAPI_OK, 'a null byte at the end')
    call code_of(name // char(0) // 'rubbish', PAPI_OK, 'a null byte inside')
    call code_of(name // '  ' // char(0) // ' ', PAPI_OK, 'blanks before a null byte')
    call code_of(name // 'X', PAPI_ENOTPRESET, 'one character too many')
    call code_of(name(1:11), PAPI_ENOTPRESET, 'one character too few')
    long = repeat('x', len(long))
    call PAPIF_event_name_to_code(long, code, check)
    call require(check /= PAPI_OK, 'a text longer than any name')
    call PAPIF_event_name_to_code('', code, check)
    call require(check /= PAPI_OK, 'no text')
    call PAPIF_event_name_to_code('    ', code, check)
    call require(check /= PAPI_OK, 'blanks')
  end subroutine texts_in

  subroutine texts_out()
    character(len=300) :: long
    character(len=20) :: text
    integer :: check

    long = repeat('#', len(long))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, long, check)
    call same(long, name // repeat(' ', len(long) - len(name)), 'blanks to the end')
    text = repeat('#', len(text))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, text(1:12), check)
    call same(text, name // '########', 'an exact fit')
    text = repeat('#', len(text))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, text(3:7), check)
    call same(check, PAPI_OK, 'a short text is not an error')
    call same(text, '##PAPI_#############', 'a short text is cut')
    text = repeat('#', len(text))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, text(3:2), check)
    call same(check, PAPI_OK, 'a text of no length is not an error')
    call same(text, repeat('#', len(text)), 'a text of no length is left alone')
    call PAPIF_event_code_to_name(ior(PAPI_PRESET_MASK, 120), text, check)
    call same(check, PAPI_ENOTPRESET, 'no such event')
    call same(text, repeat(' ', len(text)), 'blanks where the call fails')
  end subroutine texts_out

  subroutine errors()
    character(len=PAPI_HUGE_STR_LEN) :: full, other
    character(len=12) :: cut
    integer :: check

    call PAPIF_strerror(PAPI_ENOEVST, full, check)
    call PAPIF_perror(PAPI_ENOEVST, other, check)
    call same(other, full, 'PAPIF_perror and PAPIF_strerror say the same')
    cut = repeat('#', len(cut))
    call PAPIF_perror(PAPI_ENOEVST, cut(1:10), check)
    call same(check, PAPI_OK, 'PAPIF_perror into a short text')
    call same(cut, full(1:10) // '##', 'it is cut')
    call PAPIF_perror(4711, cut, check)
    call same(check, PAPI_EINVAL, 'PAPIF_perror of no error code')
  end subroutine errors

end program strings
