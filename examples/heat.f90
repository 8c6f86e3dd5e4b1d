! SPDX-License-Identifier: BSD-3-Clause
! Heat in a square plate, on the ranks of an MPI job:
!
!     mpirun -n 2 ./heat [POINTS [STEPS]]
!
! One side of the plate is warm, the others are cold. Each rank has a rectangle of POINTS x POINTS points
! and the rows around it, which it exchanges with its neighbours in every step. Regions show what the parts
! of a step cost: they are in the report of the job, if the wrapper library is loaded (papi_mpirun).
! The result is the same for any number of ranks.
program heat
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08
  use papi, only: papi_region
  implicit none

  integer, parameter :: check_every = 50
  real(real64), parameter :: pi = acos(-1.0_real64)
  type(MPI_Comm) :: grid
  type(MPI_Datatype) :: row ! points with the same y, which are not contiguous in memory
  integer :: points = 1024, steps = 2000
  integer :: rank, left, right, down, up
  integer :: nx, ny, first_x, first_y ! this rank's rectangle
  real(real64), allocatable, asynchronous :: u(:, :)
  real(real64), allocatable :: next(:, :)
  real(real64) :: change
  integer :: step

  call MPI_Init()
  call read_arguments()
  call divide()
  call set_temperatures()

  do step = 1, steps
    call exchange()
    call stencil(u, next)
    if (mod(step, check_every) == 0 .or. step == steps) change = largest_change(u, next)
    call swap()
  end do

  call tell()
  call MPI_Type_free(row)
  call MPI_Comm_free(grid)
  call MPI_Finalize()

contains

  subroutine read_arguments()
    character(len=32) :: text
    integer :: i, stat, values(2)

    values = [points, steps]
    do i = 1, min(command_argument_count(), 2)
      call get_command_argument(i, text)
      read (text, *, iostat=stat) values(i)
      if (stat /= 0 .or. values(i) < 1 .or. values(i) > 100000) then
        call refuse('heat [POINTS [STEPS]]: both are numbers from 1 to 100000, not '//trim(text))
      end if
    end do
    points = values(1)
    steps = values(2)
  end subroutine read_arguments

  subroutine refuse(text)
    character(len=*), intent(in) :: text

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (error_unit, '(a)') text
    call MPI_Finalize()
    stop 2
  end subroutine refuse

  ! The ranks as a two-dimensional grid, and the points of the plate that belong to this one.
  subroutine divide()
    integer :: ranks, dims(2), place(2)

    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims)
    if (maxval(dims) > points) call refuse('heat: there are more ranks than points to share out')
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid)
    call MPI_Comm_rank(grid, rank)
    call MPI_Cart_coords(grid, rank, 2, place)
    call MPI_Cart_shift(grid, 0, 1, left, right)
    call MPI_Cart_shift(grid, 1, 1, down, up)
    call share(dims(1), place(1), first_x, nx)
    call share(dims(2), place(2), first_y, ny)
    call MPI_Type_vector(ny, 1, nx + 2, MPI_DOUBLE_PRECISION, row)
    call MPI_Type_commit(row)
    if (rank == 0) print '(4(a, i0))', 'heat: ', points, ' x ', points, ' points on ', dims(1), ' x ', dims(2)
  end subroutine divide

  ! Parts that are as equal as possible; the first ones have one point more.
  subroutine share(parts, part, first, n)
    integer, intent(in) :: parts, part
    integer, intent(out) :: first, n

    n = points / parts + merge(1, 0, part < mod(points, parts))
    first = part * (points / parts) + min(part, mod(points, parts)) + 1
  end subroutine share

  subroutine set_temperatures()
    integer :: j

    allocate (u(0:nx + 1, 0:ny + 1), next(0:nx + 1, 0:ny + 1))
    u = 0
    if (left == MPI_PROC_NULL) then
      do j = 0, ny + 1
        u(0, j) = sin(pi * (first_y + j - 1) / (points + 1))
      end do
    end if
    next = u
  end subroutine set_temperatures

  ! The edges of the neighbours, around this rank's own points.
  subroutine exchange()
    type(papi_region) :: region
    type(MPI_Request) :: requests(8)

    call region%enter('halo')
    call MPI_Irecv(u(0, 1), 1, row, left, 1, grid, requests(1))
    call MPI_Irecv(u(nx + 1, 1), 1, row, right, 2, grid, requests(2))
    call MPI_Irecv(u(1, 0), nx, MPI_DOUBLE_PRECISION, down, 3, grid, requests(3))
    call MPI_Irecv(u(1, ny + 1), nx, MPI_DOUBLE_PRECISION, up, 4, grid, requests(4))
    call MPI_Isend(u(nx, 1), 1, row, right, 1, grid, requests(5))
    call MPI_Isend(u(1, 1), 1, row, left, 2, grid, requests(6))
    call MPI_Isend(u(1, ny), nx, MPI_DOUBLE_PRECISION, up, 3, grid, requests(7))
    call MPI_Isend(u(1, 1), nx, MPI_DOUBLE_PRECISION, down, 4, grid, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
  end subroutine exchange

  ! No communication is in progress here: arguments that are not asynchronous allow the compiler to vectorise.
  subroutine stencil(old, new)
    real(real64), intent(in) :: old(0:nx + 1, 0:ny + 1)
    real(real64), intent(inout) :: new(0:nx + 1, 0:ny + 1)
    type(papi_region) :: region
    integer :: i, j

    call region%enter('stencil')
    do j = 1, ny
      do i = 1, nx
        new(i, j) = 0.25_real64 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end subroutine stencil

  real(real64) function largest_change(old, new) result(largest)
    real(real64), intent(in) :: old(0:nx + 1, 0:ny + 1), new(0:nx + 1, 0:ny + 1)
    type(papi_region) :: region
    integer :: j

    call region%enter('residual')
    largest = 0
    do j = 1, ny
      largest = max(largest, maxval(abs(new(1:nx, j) - old(1:nx, j))))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, grid)
  end function largest_change

  subroutine swap()
    real(real64), allocatable :: other(:, :)

    call move_alloc(u, other)
    call move_alloc(next, u)
    call move_alloc(other, next)
  end subroutine swap

  subroutine tell()
    real(real64) :: mean

    mean = sum(u(1:nx, 1:ny)) / real(points, real64)**2
    call MPI_Allreduce(MPI_IN_PLACE, mean, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid)
    if (rank == 0) print '(a, i0, a, es12.5, a, es12.5)', 'after ', steps, ' steps: mean temperature', mean, &
      ', largest change of a step', change
  end subroutine tell

end program heat
