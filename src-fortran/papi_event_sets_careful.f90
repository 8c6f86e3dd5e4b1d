! SPDX-License-Identifier: BSD-3-Clause
submodule (papi_event_sets) papi_event_sets_careful
  use papi_bindings, only: PAPI_EBUF
  implicit none

contains

  module procedure events_of
    n = max(0, PAPI_num_events(self%es))
  end procedure events_of

  module procedure count_carefully
    integer(c_int) :: check

    check = PAPI_OK
    if (length < events_of(self)) then
      call too_short(actions(action), self, length, stat, errmsg)
      return
    end if
    select case (action)
    case (stopping)
      check = PAPI_stop(self%es, values)
    case (reading)
      check = PAPI_read(self%es, values)
    case (adding)
      check = PAPI_accum(self%es, values)
    end select
    call settle(check, actions(action), stat, errmsg)
  end procedure count_carefully

  module procedure too_short
    character(len=80) :: reason

    write (reason, '(a, i0, a, i0)') 'values has ', length, ' elements, the number of events is ', events_of(self)
    call settle(PAPI_EBUF, what, stat, errmsg, trim(reason))
  end procedure too_short

end submodule papi_event_sets_careful
