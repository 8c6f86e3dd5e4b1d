! SPDX-License-Identifier: BSD-3-Clause
! The same in Fortran: hang KIND. hang_test.py says what is to be said of each, by the marks of its lines.
program hang
  use mpi_f08
  implicit none
  integer :: rank, ranks
  integer, asynchronous :: value
  character(len=32) :: kind
  call get_command_argument(1, kind)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  value = 0
  select case (kind)
  case ('receive')
    call receive
  case ('wait')
    call wait_one
  case ('computes')
    call computes
  end select
  call MPI_Finalize()
contains
  subroutine receive
    if (rank == 1) then
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! place: receives
    else
      call MPI_Barrier(MPI_COMM_WORLD) ! place: barrier
    end if
  end subroutine

  subroutine wait_one
    type(MPI_Request) :: request
    if (rank == 1) then
      call MPI_Irecv(value, 1, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE) ! place: waits
    end if
    call MPI_Barrier(MPI_COMM_WORLD) ! place: barrier_after
  end subroutine

  subroutine computes
    double precision, volatile :: sum
    sum = 0
    call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD) ! place: last
    do while (rank == ranks - 1)
      sum = sum + 1
    end do
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD) ! place: reduces
  end subroutine
end program
