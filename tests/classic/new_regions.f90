! SPDX-License-Identifier: BSD-3-Clause
! PAPI 6 and 7, Fortran, f90papi.h: regions.
program new_regions
  implicit none
  include 'f90papi.h'
  integer :: check, i
  external :: do100, needev

  call needev()
  call PAPIF_hl_region_begin('computation', check)
  if (check /= PAPI_OK) stop 1
  do i = 1, 2
    call PAPIF_hl_region_begin('inner', check)
    if (check /= PAPI_OK) stop 2
    call do100()
    call PAPIF_hl_read('inner', check)
    if (check /= PAPI_OK) stop 3
    call PAPIF_hl_region_end('inner', check)
    if (check /= PAPI_OK) stop 4
  end do
  call PAPIF_hl_region_end('computation', check)
  if (check /= PAPI_OK) stop 5
  call PAPIF_hl_stop(check)
  if (check /= PAPI_OK) stop 6
  call PAPIF_shutdown()
end program new_regions
