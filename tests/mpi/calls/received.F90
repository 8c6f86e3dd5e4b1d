! SPDX-License-Identifier: BSD-3-Clause
! Some of received.c, with statuses that Fortran ignores or has. This program does not look at indices: MPICH 4.0's
! mpi_f08 counts them from 0 on.
program received
#if BINDING == 0
  implicit none
  include 'mpif.h'
#elif BINDING == 1
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
  integer :: rank, other, ierr, i, k, done, found
  integer :: values(100, 4), into(100, 4), indices(8)
  logical :: flag
  integer :: waited = 0, all_waited = 0, tested = 0, some = 0, received_bytes = 0, any_waited = 0
#if BINDING == 2
  type(MPI_Request) :: request(8)
  type(MPI_Status) :: statuses(8)
#else
  integer :: request(8), statuses(MPI_STATUS_SIZE, 8)
#endif
  interface
    subroutine save_records(rank) bind(c)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: rank
    end subroutine
  end interface

  values = 7
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  call MPI_Send(values, 5, MPI_INTEGER, other, 1, MPI_COMM_WORLD, ierr)
  call MPI_Recv(into, 100, MPI_INTEGER, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  received_bytes = received_bytes + 20
  do i = 1, 3
    call post()
    call MPI_Wait(request(1), MPI_STATUS_IGNORE, ierr)
    waited = waited + 4
    call MPI_Waitall(7, request(2:8), MPI_STATUSES_IGNORE, ierr)
    all_waited = all_waited + 4 * (2 + 3 + 4)
    call post()
    call MPI_Waitall(8, request, statuses, ierr)
    all_waited = all_waited + 4 * (1 + 2 + 3 + 4)
    call post()
    flag = .false.
    do while (.not. flag)
      call MPI_Test(request(4), flag, MPI_STATUS_IGNORE, ierr)
    end do
    tested = tested + 16
    do k = 1, 7
      call MPI_Waitany(8, request, found, MPI_STATUS_IGNORE, ierr)
    end do
    any_waited = any_waited + 4 * (1 + 2 + 3)
    call post()
    k = 0
    do while (k < 8)
      call MPI_Testsome(8, request, done, indices, MPI_STATUSES_IGNORE, ierr)
      k = k + done
    end do
    some = some + 4 * (1 + 2 + 3 + 4)
  end do
  call save_records(rank)
  call MPI_Finalize(ierr)
  write (*, '(a,i0,a,i0,6(a,i0),a)') '{"rank": ', rank, ', "messages": ', 1 + 3 * 16, ', "not": 0, "bytes": {"MPI_Recv": ', received_bytes, &
    ', "MPI_Wait": ', waited, ', "MPI_Waitall": ', all_waited, ', "MPI_Test": ', tested, ', "MPI_Waitany": ', any_waited, ', "MPI_Testsome": ', some, '}}'

contains
  subroutine post()
    integer :: m
    do m = 1, 4
      call MPI_Irecv(into(1, m), 100, MPI_INTEGER, other, m, MPI_COMM_WORLD, request(m), ierr)
    end do
    do m = 1, 4
      call MPI_Isend(values(1, m), m, MPI_INTEGER, other, m, MPI_COMM_WORLD, request(4 + m), ierr)
    end do
  end subroutine
end program
