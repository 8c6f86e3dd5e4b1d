! SPDX-License-Identifier: BSD-3-Clause
! Rank 1 sends messages; rank 0 receives them from anybody, and wants no status. With OLD it is the module mpi.
program anybody
#ifdef OLD
   use mpi
#else
   use mpi_f08
#endif
   implicit none
   integer, parameter :: messages = 8
#ifdef OLD
   integer :: request(messages)
#else
   type(MPI_Request) :: request(messages)
#endif
   integer :: rank, i, place, found(messages), done, places(messages), error

   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   if (rank == 1) then
      do i = 1, messages
         call MPI_Send(i, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, error)
      end do
   else if (rank == 0) then
      do i = 1, messages - 1
         call MPI_Irecv(found(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, request(i), error)
      end do
      call MPI_Recv(found(messages), 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      call MPI_Wait(request(2), MPI_STATUS_IGNORE, error)
      call MPI_Waitany(3, request(1:3), place, MPI_STATUS_IGNORE, error)
      call MPI_Waitsome(1, request(4:4), done, places, MPI_STATUSES_IGNORE, error)
      call MPI_Waitall(messages - 1, request, MPI_STATUSES_IGNORE, error)
   end if
   call MPI_Finalize(error)
end program anybody
