! SPDX-License-Identifier: BSD-3-Clause
! Three threads of OpenMP of each rank call MPI. Those of rank 0 compute three times as long as those of rank 1,
! which wait for their messages; the threads of a rank wait for each other at the end of each turn, as thread 0
! computes longer.
program hybrid
  use mpi
  implicit none
  include 'known.f90'
  interface
    real(c_double) function known_delay() bind(c)
      use, intrinsic :: iso_c_binding, only: c_double
    end function
    integer function omp_get_thread_num()
    end function
  end interface
  integer, parameter :: turns = 10, threads = 3
  integer :: rank, level, turn, number, error
  double precision :: delay(0:threads - 1)
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level, error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  delay = 0
  delay(0) = known_delay()
  do turn = 1, turns
    !$omp parallel num_threads(threads) private(number)
    number = omp_get_thread_num()
    ! A thread that is to begin and has no processor yet does not wait for another one.
    call known_note('useful' // char(0), known_delay() - delay(number))
    call known_work(merge(0.03d0, 0.01d0, rank == 0) * merge(2, 1, number == 0))
    call exchange(number)
    delay(number) = known_delay()
    !$omp end parallel
  end do
  call known_end(rank)
  call MPI_Finalize(error)
contains
  subroutine exchange(number)
    integer, intent(in) :: number
    integer :: in, out, error, status(MPI_STATUS_SIZE)
    double precision :: begin
    begin = known_now()
    out = number
    call MPI_Sendrecv(out, 1, MPI_INTEGER, 1 - rank, number, in, 1, MPI_INTEGER, 1 - rank, number, &
                      MPI_COMM_WORLD, status, error) ! place: waits
    call known_note('mpi' // char(0), known_now() - begin)
  end subroutine
end program
