! SPDX-License-Identifier: BSD-3-Clause
! Presets from a file by PAPIF_encode_events, stepping through events, and qualifiers in names; counted on the
! kernel's software events.
program events
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use papi
  implicit none

  character(len=*), parameter :: faults = 'perf::PAGE-FAULTS', file = 'fortran_events.csv'
  integer :: check, unit

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call same(check, PAPI_VER_CURRENT, 'PAPIF_library_init')
  call steps()
  call write_table('MY_FAULTS,DERIVED_POSTFIX,N0|3|*|,"mine, tripled",,"a note",' // faults)
  call tables()
  open (newunit=unit, file=file)
  close (unit, status='delete')
  call finish()

contains

  subroutine write_table(row)
    character(len=*), intent(in) :: row

    open (newunit=unit, file=file, status='replace', action='write')
    write (unit, '(a)') 'name,derived,postfix,short_descr,long_descr,note,[native,...]', '', row
    close (unit)
  end subroutine write_table

  subroutine steps()
    integer :: code, n, check

    code = PAPI_PRESET_MASK
    n = 1
    do
      call PAPIF_enum_event(code, PAPI_ENUM_EVENTS, check)
      if (check /= PAPI_OK) exit
      n = n + 1
    end do
    call same(check, PAPI_ENOEVNT, 'the end of the presets')
    call same(n, iand(PAPI_END, PAPI_UE_AND_MASK), 'the number of presets')
    code = PAPI_PRESET_MASK
    call PAPIF_enum_event(code, PAPI_PRESET_ENUM_FP, check)
    call same(check, PAPI_OK, 'PAPIF_enum_event of one kind')
    call same(code, PAPI_FPU_IDL, 'the first of floating point')
    code = PAPI_UE_MASK
    call PAPIF_enum_event(code, PAPI_ENUM_FIRST, check)
    call same(check, PAPI_ENOEVNT, 'no user events')
    call same(code, PAPI_UE_MASK, 'the code stays as it was')
    code = PAPI_NATIVE_MASK
    call PAPIF_enum_event(code, PAPI_NTV_ENUM_DEAR, check)
    call same(check, PAPI_ENOEVNT, 'an empty list')
    call PAPIF_enum_cmp_event(code, PAPI_ENUM_FIRST, 99, check)
    call same(check, PAPI_ENOCMP, 'no such component')
  end subroutine steps

  subroutine tables()
    integer :: es, code, count, flags, check
    integer(int64) :: values(3)
    character(len=PAPI_MAX_STR_LEN) :: name
    character(len=PAPI_HUGE_STR_LEN) :: symbol, long, note
    character(len=PAPI_MIN_STR_LEN) :: short
    integer, allocatable :: work(:)

    call PAPIF_encode_events('no such file', 0, check)
    call same(check, PAPI_ESYS, 'PAPIF_encode_events of no file')
    call PAPIF_encode_events(file // '   ', 0, check)
    call same(check, PAPI_OK, 'PAPIF_encode_events')
    call PAPIF_encode_events(file, 0, check)
    call same(check, PAPI_EPERM, 'PAPIF_encode_events, again')
    call PAPIF_encode_events(file, 1, check)
    call same(check, PAPI_OK, 'PAPIF_encode_events, replacing')
    call PAPIF_event_name_to_code('MY_FAULTS', code, check)
    call same(check, PAPI_OK, 'PAPIF_event_name_to_code')
    call same(code, PAPI_END, 'its code')
    call PAPIF_event_code_to_name(code, name, check)
    call require(name == 'MY_FAULTS', 'its name')
    call PAPIF_get_event_info(code, symbol, long, short, count, note, flags, check)
    call same(check, PAPI_OK, 'PAPIF_get_event_info')
    call require(short == 'mine, tripled', 'its description')
    call same(flags, PAPI_PRESET_BIT_MSC, 'its kind')

    es = PAPI_NULL
    call PAPIF_create_eventset(es, check)
    call PAPIF_add_named_event(es, faults, check)
    if (check /= PAPI_OK) then
      print '(a)', 'SKIP: the kernel does not let this user count its software events'
      return
    end if
    call require(note == 'a note', 'its note')
    call same(count, 1, 'its native events')
    call PAPIF_add_named_event(es, faults // ':u=1:k=0', check)
    call same(check, PAPI_OK, 'a name with qualifiers')
    call PAPIF_add_event(es, code, check)
    call same(check, PAPI_OK, 'PAPIF_add_event')
    call PAPIF_start(es, check)
    allocate (work(2000000))
    work = 1
    call PAPIF_stop(es, values, check)
    call same(check, PAPI_OK, 'PAPIF_stop')
    call require(values(1) > 0 .and. sum(work) == size(work), 'faults were counted')
    call require(values(2) == values(1), 'in user mode')
    call require(values(3) == 3 * values(1), 'and three of the defined event for each')
  end subroutine tables
end program events
