! SPDX-License-Identifier: BSD-3-Clause
! As asking.c: the routine gives what the function gives.
program asking_fortran
  use mpi
  implicit none
  include 'f90papi.h'
  include 'known.f90'
  external :: PAPIF_hl_efficiency, PAPIF_hl_region_begin, PAPIF_hl_region_end
  integer :: rank, error, check
  double precision :: values(PAPI_EFF_COUNT)
  call MPI_Init(error)
  call known_begin()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call PAPIF_hl_region_begin('work', check)
  call known_work(merge(0.3d0, 0.1d0, rank == 0))
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call PAPIF_hl_region_end('work', check)
  call PAPIF_hl_efficiency('work', PAPI_EFF_JOB, values, check)
  if (check /= PAPI_OK) call MPI_Abort(MPI_COMM_WORLD, 1, error)
  call known_note('after.load_balance'//char(0), values(1 + PAPI_EFF_BALANCE))
  call PAPIF_hl_efficiency('none', PAPI_EFF_JOB, values, check)
  if (check /= PAPI_EINVAL) call MPI_Abort(MPI_COMM_WORLD, 2, error)
  call known_end(rank)
  call MPI_Finalize(error)
end program
