! SPDX-License-Identifier: BSD-3-Clause
! As spinning.c fetch: rank 1 reads a number of rank 0's window until rank 0, which works, has written the next one.
program spinning_fortran
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  include 'known.f90'
  integer, asynchronous :: memory(2), number, turn, nobody
  integer :: rank
  integer(MPI_ADDRESS_KIND) :: place = 1
  type(MPI_Win) :: win
  call MPI_Init()
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  memory = 0
  nobody = -1
  call MPI_Win_create(memory, int(8, MPI_ADDRESS_KIND), 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  call MPI_Win_lock_all(0, win)
  do turn = 1, 8
    if (rank == 0) then
      call known_work(0.1d0)
      call MPI_Accumulate(turn, 1, MPI_INTEGER, 0, place, 1, MPI_INTEGER, MPI_REPLACE, win)
      call MPI_Win_flush(0, win)
    else
      number = 0
      do while (number < turn)
        call MPI_Fetch_and_op(nobody, number, MPI_INTEGER, 0, place, MPI_NO_OP, win)
        call MPI_Win_flush(0, win)
      end do
    end if
  end do
  call MPI_Win_unlock_all(win)
  call MPI_Win_free(win)
  call known_end(rank)
  call MPI_Finalize()
end program
