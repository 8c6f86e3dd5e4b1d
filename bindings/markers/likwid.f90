! SPDX-License-Identifier: BSD-3-Clause
! Module likwid: its marker interface over regions of libpapi, for codes with "use likwid". To be compiled with the
! code, and linked with -lpapi_likwid.
module likwid
  implicit none
  interface
    subroutine likwid_markerInit()
    end subroutine
    subroutine likwid_markerThreadInit()
    end subroutine
    subroutine likwid_markerNextGroup()
    end subroutine
    subroutine likwid_markerClose()
    end subroutine
    subroutine likwid_markerRegisterRegion(regionTag)
      character(*), intent(in) :: regionTag
    end subroutine
    subroutine likwid_markerStartRegion(regionTag)
      character(*), intent(in) :: regionTag
    end subroutine
    subroutine likwid_markerStopRegion(regionTag)
      character(*), intent(in) :: regionTag
    end subroutine
    subroutine likwid_markerResetRegion(regionTag)
      character(*), intent(in) :: regionTag
    end subroutine
    ! Seconds and visits of the calling thread; nr_events becomes 0: the counts are in the file of regions.
    subroutine likwid_markerGetRegion(regionTag, nr_events, events, time, count)
      character(*), intent(in) :: regionTag
      integer, intent(inout) :: nr_events
      double precision, intent(inout) :: events(*)
      double precision, intent(inout) :: time
      integer, intent(inout) :: count
    end subroutine
  end interface
end module likwid
