! SPDX-License-Identifier: BSD-3-Clause
! Writes before and after a region, for regions_test.py.
program regions_output
  use papi
  implicit none

  integer :: check

  print '(a)', 'the first line'
  call PAPIF_hl_region_begin('region', check)
  if (check /= PAPI_OK) error stop 'a region was refused'
  call PAPIF_hl_region_end('region', check)
  if (check /= PAPI_OK) error stop 'a region does not end'
  print '(a)', 'the last line'
end program regions_output
