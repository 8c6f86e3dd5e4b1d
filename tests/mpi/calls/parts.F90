! SPDX-License-Identifier: BSD-3-Clause
! The same as parts.c, by mpi_f08 (F08) or by mpif.h: in the module mpi of MPICH 4.0, MPI_Parrived wants an integer flag.
program parts
#ifdef F08
  use mpi_f08
#endif
  use iso_c_binding, only: c_int
  implicit none
#ifndef F08
  include 'mpif.h'
#endif
  interface
    subroutine save_records(rank) bind(c)
      import :: c_int
      integer(c_int), value :: rank
    end subroutine
  end interface
  integer, parameter :: n_parts = 4, each = 3, times = 3
  integer :: rank, time, at, i, error
  integer :: values(n_parts * each)
  character :: room(256)
  logical :: arrived, right
#ifdef F08
  type(MPI_Request) :: request
#else
  integer :: request
#endif

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  right = .true.
  if (rank == 0) then
    call MPI_Psend_init(values, n_parts, int(each, MPI_COUNT_KIND), MPI_INTEGER, 1, 7, MPI_COMM_WORLD, &
                        MPI_INFO_NULL, request, error)
  else
    call MPI_Precv_init(values, 2, int(n_parts * each / 2, MPI_COUNT_KIND), MPI_INTEGER, 0, 7, MPI_COMM_WORLD, &
                        MPI_INFO_NULL, request, error)
  end if
  do time = 0, times - 1
    values = 0
    if (rank == 0) values = [(i + time, i=1, size(values))]
    call MPI_Start(request, error)
    if (rank == 1) then
      call MPI_Parrived(request, 1, arrived, error)
    else if (time == 0) then
      do i = 0, n_parts - 1
        call MPI_Pready(i, request, error)
      end do
    else if (time == 1) then
      call MPI_Pready_range(0, n_parts - 1, request, error)
    else
      call MPI_Pready_list(2, [3, 0], request, error)
      call MPI_Pready_range(1, 2, request, error)
    end if
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    do i = 1, size(values)
      right = right .and. values(i) == i + time
    end do
  end do
  call MPI_Request_free(request, error)
  at = 0
  call MPI_Pack(values, 5, MPI_INTEGER, room, size(room), at, MPI_COMM_WORLD, error)
  at = 0
  call MPI_Unpack(room, size(room), at, values, 5, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (right) print '(a)', 'all values right'
  call MPI_Pcontrol(1)
  call save_records(int(rank, c_int))
  call MPI_Finalize(error)
end program
