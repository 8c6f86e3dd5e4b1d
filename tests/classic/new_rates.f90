! SPDX-License-Identifier: BSD-3-Clause
! PAPI 6 and 7, Fortran, f90papi.h: the rates.
program new_rates
  implicit none
  include 'f90papi.h'
  integer :: check
  integer(8) :: count, ref, core
  real(4) :: rtime, ptime, rate
  integer, external :: nrate
  external :: do100, needev

  call needev()
  call PAPIF_flops_rate(PAPI_FP_OPS, rtime, ptime, count, rate, check)
  if (check /= PAPI_OK) stop 1
  call do100()
  call PAPIF_flops_rate(PAPI_FP_OPS, rtime, ptime, count, rate, check)
  if (check /= PAPI_OK .or. nrate(count, 100) == 0 .or. rate <= 0) stop 2
  call PAPIF_rate_stop(check)
  if (check /= PAPI_OK) stop 3
  call PAPIF_flips_rate(PAPI_FP_INS, rtime, ptime, count, rate, check)
  if (check /= PAPI_OK) stop 4
  call PAPIF_rate_stop(check)
  call PAPIF_epc(PAPI_FP_OPS, rtime, ptime, ref, core, count, rate, check)
  if (check /= PAPI_OK .and. check /= PAPI_ENOEVNT) stop 5
  call PAPIF_shutdown()
end program new_rates
