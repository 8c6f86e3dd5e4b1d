! SPDX-License-Identifier: BSD-3-Clause
! PAPIF_flops as the first call: it initialises the library, and where it cannot count its error
! says that there are no hardware counters, that they are refused, or that none counts operations.
program flops_first
  use, intrinsic :: iso_fortran_env, only: int64, real32
  use checks
  use papi
  implicit none

  real(real32) :: rtime, ptime, mflops
  integer(int64) :: operations
  integer :: check, counters, level, told
  character(len=PAPI_HUGE_STR_LEN) :: text

  rtime = -1
  call PAPIF_flops(rtime, ptime, operations, mflops, check)
  call one_of(check, [PAPI_OK, PAPI_ENOEVNT, PAPI_EPERM], 'PAPIF_flops')
  call PAPIF_is_initialized(level)
  call require(iand(level, PAPI_HIGH_LEVEL_INITED) /= 0, 'the high level is initialised')
  if (check == PAPI_OK) then
    call require(operations == 0 .and. mflops >= 0, 'the first call gives zeroes')
    call require(rtime >= 0 .and. ptime >= 0, 'the first call gives times')
  else
    call PAPIF_perror(check, text, told)
    call same(told, PAPI_OK, 'PAPIF_perror')
    call PAPIF_num_hwctrs(counters)
    ! The table of the processor may say that nothing on it counts operations, wherever the program runs.
    if (check == PAPI_ENOEVNT .and. (counters > 0 .or. says(text, 'on this processor'))) then
      call require(says(text, 'PAPI_FP_OPS'), 'the text names the event: ' // trim(text))
    else
      call require(says(text, 'hardware counters'), 'the text names hardware counters: ' // trim(text))
    end if
    call require(rtime < 0, 'a call that fails leaves its arguments alone')
  end if
  call finish()

contains

  logical function says(text, word)
    character(len=*), intent(in) :: text, word

    says = index(text, word) > 0
  end function says

end program flops_first
