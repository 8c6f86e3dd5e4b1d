! SPDX-License-Identifier: BSD-3-Clause
! Rank 1 sends messages of which the last request's comes first; rank 0 receives them by persistent requests, which stay as they
! are when they are completed, and answers each. With OLD it is the module mpi.
program again
#ifdef OLD
   use mpi
#else
   use mpi_f08
#endif
   implicit none
   integer, parameter :: messages = 4
#ifdef OLD
   integer :: request(messages)
#else
   type(MPI_Request) :: request(messages)
#endif
   integer :: rank, i, place, found(messages), done, places(messages), error

   call MPI_Init(error)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
   if (rank == 1) then
      do i = messages, 1, -1
         call MPI_Send(i, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, error)
         call MPI_Recv(place, 1, MPI_INTEGER, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      end do
   else if (rank == 0) then
      do i = 1, messages
         call MPI_Recv_init(found(i), 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD, request(i), error)
      end do
      call MPI_Startall(messages, request, error)
      do i = 1, messages / 2
         call MPI_Waitany(messages, request, place, MPI_STATUS_IGNORE, error)
         call MPI_Send(i, 1, MPI_INTEGER, 1, 10, MPI_COMM_WORLD, error)
         call MPI_Waitsome(messages, request, done, places, MPI_STATUSES_IGNORE, error)
         call MPI_Send(i, 1, MPI_INTEGER, 1, 10, MPI_COMM_WORLD, error)
      end do
   end if
   call MPI_Finalize(error)
end program again
