! SPDX-License-Identifier: BSD-3-Clause
! As sites.c, in the language of BINDING: 0 mpif.h, 1 use mpi, 2 use mpi_f08.


module halo
contains
  subroutine exchange(rank, ranks)
#if BINDING == 1
    use mpi
#elif BINDING == 2
    use mpi_f08
#endif
    implicit none
#if BINDING == 0
    include 'mpif.h'
#endif
    integer, intent(in) :: rank, ranks
    integer :: error, i
    integer, asynchronous :: edge(50), other(50)
#if BINDING == 2
    type(MPI_Request) :: request(2)
#else
    integer :: request(2)
#endif
    edge = rank
    do i = 1, 5
      call MPI_Irecv(other, 50, MPI_INTEGER, modulo(rank - 1, ranks), 1, MPI_COMM_WORLD, request(1), error) ! SITE halo::exchange 5
      call MPI_Isend(edge, 50, MPI_INTEGER, modulo(rank + 1, ranks), 1, MPI_COMM_WORLD, request(2), error) ! SITE halo::exchange 5
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error) ! SITE halo::exchange 5
    end do
  end subroutine

  subroutine synchronise(n)
#if BINDING == 1
    use mpi
#elif BINDING == 2
    use mpi_f08
#endif
    implicit none
#if BINDING == 0
    include 'mpif.h'
#endif
    integer, intent(in) :: n
    integer :: error, i
    do i = 1, n
      call MPI_Barrier(MPI_COMM_WORLD, error) ! SITE halo::synchronise 9
    end do
  end subroutine
end module

program sites
  use halo
#if BINDING == 1
  use mpi
#elif BINDING == 2
  use mpi_f08
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
  integer :: rank, ranks, error
  double precision :: own, total
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call synchronise(9)
  call exchange(rank, ranks)
  own = rank
  call MPI_Allreduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! SITE sites 1
  call add_up()
  call MPI_Finalize(error)
contains
  subroutine add_up()
    integer :: i
    do i = 1, 4
      call MPI_Allreduce(own, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error) ! SITE sites::add_up 4
    end do
  end subroutine
end program
