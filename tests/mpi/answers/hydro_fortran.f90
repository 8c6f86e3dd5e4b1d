! SPDX-License-Identifier: BSD-3-Clause
! As hydro.c: a step of hydrodynamics on two ranks with threads, and a region for each part of it. Here rank 0 has the expensive
! elements.
module cubes
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi
  implicit none
  include 'f90papi.h'
  include 'known.f90'
  integer, parameter :: side = 16, steps = 10
  external :: PAPIF_hl_region_begin, PAPIF_hl_region_end
  real(real64) :: began, left
  real(real64), asynchronous :: next(side, side, 0:side + 1) = 0 ! with the neighbour's plane on either side
  real(real64) :: cell(side, side, 0:side + 1) = 0
contains
  subroutine enter(region, step)
    character(*), intent(in) :: region
    integer, intent(in) :: step
    integer :: check
    character(8) :: turn
    call PAPIF_hl_region_begin(region, check)
    began = known_now()
    write (turn, '(i0)') step
    call known_note('before.'//region//'.'//trim(turn)//char(0), began - left)
    call known_note('useful'//char(0), began - left)
  end subroutine

  subroutine leave(region)
    character(*), intent(in) :: region
    integer :: check
    left = known_now()
    call known_note(region//'.time'//char(0), left - began)
    call PAPIF_hl_region_end(region, check)
  end subroutine

  ! The threads' work in a part of a step: the mean of each cell and its neighbours, and then so much as is to be done.
  subroutine compute(region, step, seconds)
    use omp_lib, only: omp_get_thread_num
    character(*), intent(in) :: region
    integer, intent(in) :: step
    real(real64), intent(in) :: seconds
    real(real64) :: begin
    character(8) :: turn
    integer :: i, j, k
    begin = known_now()
    !$omp parallel num_threads(2) private(i, j, k)
    !$omp do
    do k = 1, side
      do j = 2, side - 1
        do i = 2, side - 1
          next(i, j, k) = (cell(i, j, k) + cell(i - 1, j, k) + cell(i + 1, j, k) + cell(i, j - 1, k) + cell(i, j + 1, k) &
                           + cell(i, j, k - 1) + cell(i, j, k + 1)) / 7
        end do
      end do
    end do
    !$omp end do nowait
    call known_spin(merge(seconds, seconds / 2, omp_get_thread_num() == 0))
    !$omp end parallel
    begin = known_now() - begin
    write (turn, '(i0)') step
    call known_note(region//'.'//trim(turn)//char(0), begin)
    call known_note('useful'//char(0), begin)
  end subroutine

  subroutine exchange(rank)
    integer, intent(in) :: rank
    integer :: request(2), error, own, theirs
    own = merge(side, 1, rank == 0)
    theirs = merge(side + 1, 0, rank == 0)
    call MPI_Irecv(next(1, 1, theirs), side**2, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, request(1), error)
    call MPI_Isend(next(1, 1, own), side**2, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, request(2), error)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, error) ! place: waits
  end subroutine
end module

program hydro_fortran
  use cubes
  implicit none
  integer :: rank, error, level, step
  real(real64) :: own, least
  call MPI_Init_thread(MPI_THREAD_FUNNELED, level, error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  cell(:, :, 1:side) = rank + 1
  call MPI_Barrier(MPI_COMM_WORLD, error)
  left = known_now()
  do step = 0, steps - 1
    own = 1d0 / (1 + rank + step)
    call enter('nodes', step)
    call compute('nodes', step, 0.02d0)
    call exchange(rank)
    call leave('nodes')
    call enter('elements', step)
    call compute('elements', step, merge(0.09d0, 0.01d0, rank == 0))
    call exchange(rank)
    call leave('elements')
    call enter('time_step', step)
    call compute('time_step', step, merge(0.02d0, 0.005d0, modulo(step, 2) == rank))
    call MPI_Allreduce(own, least, 1, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, error)
    call leave('time_step')
    cell = next
  end do
  call known_end(rank)
  call MPI_Finalize(error)
end program
