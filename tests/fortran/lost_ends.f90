! SPDX-License-Identifier: BSD-3-Clause
! Objects of a BLOCK that directly follows an OpenMP directive. gfortran 12 finalises them when the block is
! entered, and never again: event sets must not pile up all the same, and no region may stay open.
program lost_ends
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  use papi
  implicit none

  interface
    integer(c_int) function dup(descriptor) bind(C)
      import :: c_int
      integer(c_int), value :: descriptor
    end function dup
    integer(c_int) function close(descriptor) bind(C)
      import :: c_int
      integer(c_int), value :: descriptor
    end function close
  end interface

  character(len=*), parameter :: faults = 'perf::PAGE-FAULTS'
  integer :: check

  check = PAPI_VER_CURRENT
  call PAPIF_library_init(check)
  call PAPIF_query_named_event(faults, check)
  if (check == PAPI_OK) then
    call descriptors('of sets that are left', left)
    call descriptors('of sets that are destroyed', destroyed)
    call descriptors('of sets that are moved', moved)
    call descriptors('of sets that are destroyed and made again', made_again)
    call descriptors('of sets in a proper block', proper)
    call others_are_kept()
  else
    call skip('the kernel counts no software events for this user')
  end if
  call regions()
  call finish()

contains

  ! The lowest free descriptor: open ones below it do not go unnoticed.
  integer(c_int) function free_descriptor() result(found)
    integer(c_int) :: ignored

    found = dup(1_c_int)
    ignored = close(found)
  end function free_descriptor

  subroutine descriptors(what, round)
    character(len=*), intent(in) :: what
    interface
      subroutine round()
      end subroutine round
    end interface
    integer :: first, i

    call round()
    first = free_descriptor()
    do i = 1, 100
      call round()
    end do
    ! A round may end before the other thread's set is gone: fewer than after the first are in order.
    call same(max(free_descriptor(), first), first, 'descriptors ' // what)
  end subroutine descriptors

  subroutine left()
    integer :: failed

    failed = 0
    !$omp parallel num_threads(2) reduction(+:failed)
    block
      type(papi_event_set) :: set
      integer(int64) :: counts(1)
      integer :: stat

      call set%add(faults, stat)
      if (stat == PAPI_OK) call set%start(stat)
      if (stat == PAPI_OK) call set%read(counts, stat)
      if (stat /= PAPI_OK) failed = failed + 1
    end block
    !$omp end parallel
    call same(failed, 0, 'sets that are left')
  end subroutine left

  subroutine destroyed()
    !$omp parallel num_threads(2)
    block
      type(papi_event_set) :: set

      call set%add(faults)
      call set%destroy()
    end block
    !$omp end parallel
  end subroutine destroyed

  subroutine moved()
    !$omp parallel num_threads(2)
    block
      type(papi_event_set) :: set, second

      call set%add(faults)
      call second%add(faults)
      call set%move_to(second)
    end block
    !$omp end parallel
  end subroutine moved

  subroutine made_again()
    !$omp parallel num_threads(2)
    block
      type(papi_event_set) :: set

      call set%add(faults)
      call set%destroy()
      call set%add(faults)
    end block
    !$omp end parallel
  end subroutine made_again

  subroutine proper()
    !$omp parallel num_threads(2)
    continue
    block
      type(papi_event_set) :: set

      call set%add(faults)
      call set%start()
    end block
    !$omp end parallel
  end subroutine proper

  ! A set that was destroyed, or moved away, is no longer freed with its place: its handle may be another's by now.
  subroutine others_are_kept()
    type(papi_event_set) :: mine(2), other
    integer :: i

    do i = 1, 2
      !$omp parallel num_threads(1)
      block
        type(papi_event_set) :: set

        call set%add(faults)
        if (i == 1) then
          call set%destroy()
          call other%add(faults)
        else
          call set%move_to(mine(1))
        end if
      end block
      !$omp end parallel
    end do
    call made_again()
    call same(other%count(), 1, 'a set with the handle of one that was destroyed')
    call same(mine(1)%count(), 1, 'a set that was moved')
  end subroutine others_are_kept

  ! Either the region ends with its block, or it is refused: then the one around it would not end.
  subroutine regions()
    character(len=300) :: message
    integer :: stat

    call PAPIF_hl_region_begin('around', stat)
    if (stat /= PAPI_OK) then
      call skip('no regions here: ' // papi_error_text(stat))
      return
    end if
    !$omp parallel num_threads(1)
    block
      type(papi_region) :: region

      call region%enter('direct', stat, message)
      if (stat /= PAPI_OK) then
        call same(stat, PAPI_EINVAL, 'a region that nothing would end')
        call require(index(message, 'papi_region%enter: direct: ') == 1 .and. index(message, 'CONTINUE') > 0, message)
        call require(.not. region%inside(), 'the variable is not inside')
      end if
    end block
    !$omp end parallel
    !$omp parallel num_threads(1)
    continue
    block
      type(papi_region) :: region

      call region%enter('proper', stat)
      call same(stat, PAPI_OK, 'a region of a proper block')
    end block
    !$omp end parallel
    call PAPIF_hl_region_end('around', stat)
    call same(stat, PAPI_OK, 'the region around them ends')
  end subroutine regions

end program lost_ends
