! SPDX-License-Identifier: BSD-3-Clause
! Texts both ways: blanks to the end, cut where too short, of no length, with a null byte inside.
program strings
  use, intrinsic :: iso_fortran_env, only: int64
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
    call same(check, PAPI_OK, 'is no error')
    text = repeat('#', len(text))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, text(3:7), check)
    call same(check, PAPI_EBUF, 'a name in part is an error')
    call same(text, '##PAPI_#############', 'a short text is cut')
    text = repeat('#', len(text))
    call PAPIF_event_code_to_name(PAPI_TOT_CYC, text(3:2), check)
    call same(check, PAPI_EBUF, 'a name of which nothing is given is an error')
    call same(text, repeat('#', len(text)), 'a text of no length is left alone')
    call PAPIF_event_code_to_name(ior(PAPI_PRESET_MASK, 120), text, check)
    call same(check, PAPI_ENOTPRESET, 'no such event')
    call same(text, repeat(' ', len(text)), 'blanks where the call fails')
    call PAPIF_event_code_to_name(ior(PAPI_PRESET_MASK, 120), text(1:0), check)
    call same(check, PAPI_ENOTPRESET, 'the call''s own error comes first')
    call cut_names()
  end subroutine texts_out

  ! What is of use as a whole alone, and texts for people, which are cut.
  subroutine cut_names()
    character(len=300) :: long, other, note
    character(len=4096) :: path
    character(len=4) :: short, shorter
    integer(int64) :: at(6)
    integer :: count, flags, check

    call PAPIF_get_event_info(PAPI_TOT_CYC, short, long, other, count, note, flags, check)
    call same(check, PAPI_EBUF, 'a part of a symbol')
    call same(short, 'PAPI', 'is given')
    flags = -1
    call PAPIF_get_event_info(PAPI_TOT_CYC, long, short, shorter, count, note, flags, check)
    call same(check, PAPI_OK, 'parts of descriptions')
    call require(short /= ' ' .and. shorter /= ' ' .and. flags /= -1, 'are given')
    call PAPIF_get_preload(short, check)
    call same(check, PAPI_EBUF, 'a part of a variable''s name')
    call PAPIF_get_exe_info(short, path, at(1), at(2), at(3), at(4), at(5), at(6), check)
    call same(check, PAPI_EBUF, 'a part of a path')
    call require(short(1:1) == '/' .and. at(2) > at(1), 'comes with what else there is')
    call PAPIF_get_exe_info(path, short, at(1), at(2), at(3), at(4), at(5), at(6), check)
    call same(check, PAPI_EBUF, 'a part of the program''s name')
    call PAPIF_get_exe_info(path, long, at(1), at(2), at(3), at(4), at(5), at(6), check)
    call same(check, PAPI_OK, 'all of them')
    call PAPIF_strerror(PAPI_EINVAL, short, check)
    call same(check, PAPI_OK, 'a part of a message')
  end subroutine cut_names

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
