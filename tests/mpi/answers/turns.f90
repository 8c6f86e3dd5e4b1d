! SPDX-License-Identifier: BSD-3-Clause
! All work equally long in the end, but in each step another rank is late. The barrier is in a module's procedure, on a copy
! of the communicator.
module steps
  use mpi_f08
  implicit none
contains
  subroutine advance(comm, step, late)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: step
    logical, intent(in) :: late
    include 'known.f90'
    character(16) :: name
    write (name, '(a, i0, a)') 'step.', step, char(0)
    call known_work_named(name, merge(0.05d0, 0.01d0, late))
    call MPI_Barrier(comm) ! place: waits
  end subroutine
end module

program turns
  use steps
  implicit none
  include 'known.f90'
  type(MPI_Comm) :: comm
  integer :: rank, ranks, i
  call MPI_Init()
  call known_begin()
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  do i = 0, 10 * ranks - 1
    call advance(comm, i, modulo(i, ranks) == rank)
  end do
  call known_end(rank)
  call MPI_Finalize()
end program
