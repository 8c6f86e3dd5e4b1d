! SPDX-License-Identifier: BSD-3-Clause
! A reduction of the program's own, which MPI calls inside of its calls: its work is the program's, in rank 0 more.
module reductions
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  double precision :: seconds = 0
contains
  subroutine add(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: from(:), to(:)
    include 'known.f90'
    if (type /= MPI_INTEGER) error stop 'not the type'
    call c_f_pointer(in, from, [length])
    call c_f_pointer(inout, to, [length])
    call known_work(seconds)
    to = to + from
  end subroutine
end module

program reduction_fortran
  use mpi_f08
  use reductions
  implicit none
  include 'known.f90'
  integer :: rank, ranks, turn, values(4), sums(4)
  type(MPI_Op) :: op
  call MPI_Init()
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Op_create(add, .true., op)
  seconds = merge(0.03d0, 0.01d0, rank == 0)
  values = [1, 2, 3, 4]
  do turn = 1, 25
    call MPI_Allreduce(values, sums, 4, MPI_INTEGER, op, MPI_COMM_WORLD) ! place: waits
    if (any(sums /= ranks * values)) error stop 'not the sums'
  end do
  call MPI_Op_free(op)
  call known_end(rank)
  call MPI_Finalize()
end program
