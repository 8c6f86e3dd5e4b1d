! SPDX-License-Identifier: BSD-3-Clause
! Derived types: rank 1 takes four times as long as rank 0 to prepare a column that both pack and exchange.
module halo
  use mpi
  implicit none
  include 'known.f90'
  integer, parameter :: n = 100, room = 8 * n + 100
contains
  subroutine exchange(a, column, rank)
    real(8), intent(inout) :: a(n, n)
    integer, intent(in) :: column, rank
    integer :: error, position, status(MPI_STATUS_SIZE), other
    character :: packed(room), received(room)
    other = ieor(rank, 1)
    position = 0
    call known_work(merge(0.04d0, 0.01d0, rank == 1))
    call MPI_Pack(a(2, 1), 1, column, packed, room, position, MPI_COMM_WORLD, error)
    call MPI_Sendrecv(packed, position, MPI_PACKED, other, 3, received, room, MPI_PACKED, other, 3, MPI_COMM_WORLD, status, error) ! place: waits
    position = 0
    call MPI_Unpack(received, room, position, a(1, 1), 1, column, MPI_COMM_WORLD, error)
  end subroutine
end module

program packing
  use halo
  implicit none
  integer :: rank, column, turn, error
  real(8) :: a(n, n)
  call MPI_Init(error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  a = rank
  call MPI_Type_vector(n, 1, n, MPI_DOUBLE_PRECISION, column, error)
  call MPI_Type_commit(column, error)
  do turn = 1, 20
    call exchange(a, column, rank)
  end do
  call MPI_Type_free(column, error)
  call known_end(rank)
  call MPI_Finalize(error)
end program
