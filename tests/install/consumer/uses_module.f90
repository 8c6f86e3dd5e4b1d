! SPDX-License-Identifier: BSD-3-Clause
! A user of module papi as it is installed.
program uses_module
  use, intrinsic :: iso_fortran_env, only: int64
  use papi
  implicit none
  character(len=PAPI_MAX_STR_LEN) :: name
  integer(int64) :: usec
  integer :: check, es

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  if (check /= PAPI_VER_CURRENT) stop 1
  es = PAPI_NULL
  call PAPIF_create_eventset(es, check)
  if (check /= PAPI_OK) stop 2
  call PAPIF_event_code_to_name(PAPI_TOT_INS, name, check)
  if (check /= PAPI_OK .or. name /= 'PAPI_TOT_INS') stop 3
  call PAPIF_get_real_usec(usec)
  if (usec <= 0) stop 4
  print '(a, i0, a, i0)', 'PAPI ', ishft(PAPI_VERSION, -24), '.', iand(ishft(PAPI_VERSION, -16), 255)
end program uses_module
