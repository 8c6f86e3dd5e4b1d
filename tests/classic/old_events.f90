! SPDX-License-Identifier: BSD-3-Clause
! PAPI 3.5, Fortran, f90papi.h in free form: the events.
module my_counters
  implicit none
  include 'f90papi.h'
  character(len=PAPI_MAX_STR_LEN) :: name
end module my_counters

program old_events
  use my_counters
  implicit none
  integer :: code, check, count, flags, i, available
  character(len=PAPI_MAX_STR_LEN) :: symbol, long_descr, short_descr, note
  external :: needev, papif_query_event, papif_event_name_to_code, papif_event_code_to_name
  external :: papif_get_event_info, papif_enum_event, papif_shutdown

  call needev()
  call PAPIF_query_event(PAPI_TOT_INS, check)
  if (check /= PAPI_OK) stop 1
  call PAPIF_event_name_to_code('PAPI_TOT_INS', code, check)
  if (check /= PAPI_OK .or. code /= PAPI_TOT_INS) stop 2
  call PAPIF_event_name_to_code('PAPI_TOT_INS     ', code, check)
  if (check /= PAPI_OK .or. code /= PAPI_TOT_INS) stop 3
  call PAPIF_event_code_to_name(PAPI_FP_OPS, name, check)
  if (check /= PAPI_OK .or. name /= 'PAPI_FP_OPS') stop 4
  call PAPIF_get_event_info(PAPI_FP_OPS, symbol, long_descr, short_descr, count, note, flags, check)
  if (check /= PAPI_OK .or. symbol /= 'PAPI_FP_OPS') stop 5
  if (long_descr == ' ' .or. short_descr == ' ' .or. count < 1) stop 6

  available = 0
  code = PAPI_PRESET_MASK
  do i = 1, 1000
    call PAPIF_enum_event(code, PAPI_PRESET_ENUM_AVAIL, check)
    if (check /= PAPI_OK) exit
    available = available + 1
  end do
  if (check /= PAPI_ENOEVNT .or. available < 2) stop 7
  code = PAPI_NATIVE_MASK
  call PAPIF_enum_event(code, PAPI_ENUM_ALL, check)
  if (check /= PAPI_OK .or. iand(code, PAPI_NATIVE_MASK) == 0) stop 8
  call PAPIF_shutdown()
end program old_events
