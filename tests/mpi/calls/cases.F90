! SPDX-License-Identifier: BSD-3-Clause
! What cases.c does, in the three bindings of Fortran: BINDING is 0 for mpif.h, 1 for use mpi, 2 for use mpi_f08.
! Two ranks; cases.py knows what each rank's record must have.
#if BINDING == 2
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define WINDOW type(MPI_Win)
#define FILE type(MPI_File)
#define ERROR
#define ONLY_ERROR
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define WINDOW integer
#define FILE integer
#define ERROR , error
#define ONLY_ERROR error
#endif
#if BINDING == 2
#define USES use mpi_f08
#elif BINDING == 1
#define USES use mpi
#else
#define USES
#endif
#if BINDING == 0
#define INCLUDES include 'mpif.h'
#else
#define INCLUDES
#endif

program cases
  USES
  implicit none
  INCLUDES
  integer :: rank, other, error
  interface
    subroutine save_records(rank) bind(c)
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int), value :: rank
    end subroutine save_records
  end interface

  call MPI_Init(ONLY_ERROR)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank ERROR)
  other = 1 - rank
  call messages
  call in_place
  call of_different_lengths
  call of_absolute_addresses
  call of_a_section
  call persistent
  call of_another_order
  call one_sided
  call files
  call stopped
  call save_records(rank)
  call MPI_Finalize(ONLY_ERROR)
  print '(a, i0, a)', 'rank ', rank, ': all values right'

contains

  subroutine check(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    print '(a, i0, 2a)', 'rank ', rank, ': not so: ', what
    call MPI_Abort(MPI_COMM_WORLD, 3 ERROR)
  end subroutine check

  subroutine messages
    integer :: ten(10), i
    double precision :: out(5)
    double precision, asynchronous :: in(5)
    REQUEST :: requests(2)
    ten = [(merge(0, i, rank == 1), i = 1, 10)]
    if (rank == 0) then
      call MPI_Send(ten, 10, MPI_INTEGER, 1, 7, MPI_COMM_WORLD ERROR)
    else
      call MPI_Recv(ten, 10, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERROR)
    end if
    call check(ten(10) == 10, 'Send')
    out = [(rank * 10 + i, i = 1, 5)]
    call MPI_Irecv(in, 5, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, requests(1) ERROR)
    call MPI_Isend(out, 5, MPI_DOUBLE_PRECISION, other, 8, MPI_COMM_WORLD, requests(2) ERROR)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE ERROR)
    call check(nint(in(5)) == other * 10 + 5, 'Isend')
    call MPI_Sendrecv(out, 3, MPI_DOUBLE_PRECISION, other, 9, in, 3, MPI_DOUBLE_PRECISION, other, 9, MPI_COMM_WORLD, &
      MPI_STATUS_IGNORE ERROR)
    call check(nint(in(1)) == other * 10 + 1, 'Sendrecv')
    call MPI_Send(out, 5, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 9, MPI_COMM_WORLD ERROR)
  end subroutine messages

  subroutine in_place
    double precision :: two(2), none(1)
    integer :: six(6), four(4), pair(2), nothing(1)
    two = [rank + 1d0, 10d0]
    call MPI_Allreduce(MPI_IN_PLACE, two, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD ERROR)
    call check(nint(two(1)) == 3 .and. nint(two(2)) == 20, 'Allreduce')
    six = 0
    six(3*rank+1:3*rank+3) = rank + 1
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, six, 3, MPI_INTEGER, MPI_COMM_WORLD ERROR)
    call check(six(1) == 1 .and. six(6) == 2, 'Allgather')
    four = rank + 5
    if (rank == 1) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, four, 2, MPI_INTEGER, 1, MPI_COMM_WORLD ERROR)
      call check(four(2) == 5 .and. four(4) == 6, 'Gather')
    else
      call MPI_Gather(four, 2, MPI_INTEGER, nothing, 0, MPI_DATATYPE_NULL, 1, MPI_COMM_WORLD ERROR)
    end if
    four = [0, 1, 2, 3]
    if (rank == 0) then
      call MPI_Scatter(four, 2, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD ERROR)
    else
      call MPI_Scatter(nothing, 0, MPI_DATATYPE_NULL, four, 2, MPI_INTEGER, 0, MPI_COMM_WORLD ERROR)
    end if
    call check(four(2) == merge(1, 3, rank == 0), 'Scatter')
    pair = rank
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, pair, 1, MPI_INTEGER, MPI_COMM_WORLD ERROR)
    call check(all(pair == [0, 1]), 'Alltoall')
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, two, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD ERROR)
      call check(nint(two(1)) == 6, 'Reduce')
    else
      call MPI_Reduce(two, none, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD ERROR)
    end if
  end subroutine in_place

  subroutine of_different_lengths
    integer :: counts(0:1), places(0:1), mine(4), everything(4), sent(4), i
    integer :: to(2), from(2), to_places(2), from_places(2)
    DATATYPE :: types(2)
    counts = [1, 3]
    places = [0, 1]
    mine = [(10 * rank + i, i = 0, 3)]
    everything = -1
    call MPI_Gatherv(mine, counts(rank), MPI_INTEGER, everything, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD ERROR)
    if (rank == 0) call check(everything(1) == 0 .and. everything(4) == 12, 'Gatherv')
    call MPI_Scatterv(everything, counts, places, MPI_INTEGER, mine, counts(rank), MPI_INTEGER, 0, MPI_COMM_WORLD ERROR)
    call check(mine(1) == 10 * rank, 'Scatterv')
    call MPI_Allgatherv(mine, counts(rank), MPI_INTEGER, everything, counts, places, MPI_INTEGER, MPI_COMM_WORLD ERROR)
    call check(everything(1) == 0 .and. everything(4) == 12, 'Allgatherv')
    to = [rank + 1, 1]
    to_places = [0, rank + 1]
    from = [1, merge(2, 1, rank == 0)]
    from_places = [0, 1]
    sent = [(100 * rank + i, i = 0, 3)]
    call MPI_Alltoallv(sent, to, to_places, MPI_INTEGER, everything, from, from_places, MPI_INTEGER, MPI_COMM_WORLD ERROR)
    call check(everything(2) == merge(100, 102, rank == 0), 'Alltoallv')
    types = MPI_INTEGER
    call MPI_Alltoallw(sent, to, 4 * to_places, types, everything, from, 4 * from_places, types, MPI_COMM_WORLD ERROR)
    call check(everything(2) == merge(100, 102, rank == 0), 'Alltoallw')
    call MPI_Reduce_scatter(sent, everything, [1, 2], MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD ERROR)
    call check(everything(1) == merge(100, 102, rank == 0), 'Reduce_scatter')
  end subroutine of_different_lengths

  subroutine of_absolute_addresses
    integer, target, asynchronous, save :: value(2)
    integer(MPI_ADDRESS_KIND) :: address(1)
    DATATYPE :: there
    value = [rank + 1, rank + 2]
    call MPI_Get_address(value, address(1) ERROR)
    call MPI_Type_create_hindexed(1, [2], address, MPI_INTEGER, there ERROR)
    call MPI_Type_commit(there ERROR)
    if (rank == 0) then
      call MPI_Ssend(MPI_BOTTOM, 1, there, 1, 3, MPI_COMM_WORLD ERROR)
    else
      call MPI_Recv(MPI_BOTTOM, 1, there, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERROR)
    end if
    call check(value(1) == 1 .and. value(2) == 2, 'MPI_BOTTOM')
    call MPI_Type_free(there ERROR)
  end subroutine of_absolute_addresses

  ! Every other element: with mpi_f08 of MPICH a descriptor that MPI follows, otherwise a copy that the compiler makes.
  subroutine of_a_section
    real :: ten(10)
    integer :: nothing(1), i
    ten = [(merge(real(i), -1., rank == 0), i = 1, 10)]
    if (rank == 0) then
      call MPI_Bsend(nothing, 0, MPI_BYTE, MPI_PROC_NULL, 4, MPI_COMM_WORLD ERROR)
      call MPI_Rsend(nothing, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD ERROR)
    else
      call MPI_Recv(nothing, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE ERROR)
    end if
    call MPI_Bcast(ten(1:10:2), 5, MPI_REAL, 0, MPI_COMM_WORLD ERROR)
    call check(nint(ten(9)) == 9 .and. nint(ten(10)) == merge(10, -1, rank == 0), 'Bcast of a section')
  end subroutine of_a_section

  subroutine persistent
    integer, asynchronous, save :: six(6)
    integer :: i
    REQUEST :: requests(1)
    if (rank == 0) then
      call MPI_Send_init(six, 6, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, requests(1) ERROR)
    else
      call MPI_Recv_init(six, 6, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, requests(1) ERROR)
    end if
    do i = 1, 3
      if (rank == 0) six(6) = i
      if (i < 3) then
        call MPI_Start(requests(1) ERROR)
      else
        call MPI_Startall(1, requests ERROR)
      end if
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE ERROR)
      call check(six(6) == i, 'Start')
    end do
    call MPI_Request_free(requests(1) ERROR)
  end subroutine persistent

  subroutine of_another_order
    COMM :: reversed
    integer :: value
    value = rank
    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed ERROR)
    if (rank == 0) then
      call MPI_Send(value, 1, MPI_INTEGER, 0, 6, reversed ERROR)
    else
      call MPI_Recv(value, 1, MPI_INTEGER, 1, 6, reversed, MPI_STATUS_IGNORE ERROR)
    end if
    call MPI_Send(value, 1, MPI_INTEGER, MPI_PROC_NULL, 6, reversed ERROR)
    call MPI_Comm_free(reversed ERROR)
    call check(value == 0, 'Comm_split')
  end subroutine of_another_order

  subroutine one_sided
    integer, asynchronous, save :: window(4), four(4)
    integer(MPI_ADDRESS_KIND) :: zero, bytes
    WINDOW :: win
    zero = 0
    bytes = 16
    window = 0
    four = rank
    call MPI_Win_create(window, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win ERROR)
    call MPI_Win_fence(0, win ERROR)
    call MPI_Put(four, 4, MPI_INTEGER, other, zero, 4, MPI_INTEGER, win ERROR)
    call MPI_Win_fence(0, win ERROR)
    call check(window(4) == other, 'Put')
    call MPI_Get(four, 2, MPI_INTEGER, other, zero, 2, MPI_INTEGER, win ERROR)
    call MPI_Win_fence(0, win ERROR)
    call check(four(1) == rank, 'Get')
    call MPI_Win_free(win ERROR)
  end subroutine one_sided

  subroutine files
    integer :: five(5)
    integer(MPI_OFFSET_KIND) :: place
    character(1000) :: name
    FILE :: file
    call get_environment_variable('TEST_FILE', name)
    place = rank * 20
    five = [rank + 1, 0, 0, 0, rank + 5]
    call MPI_File_open(MPI_COMM_WORLD, trim(name), MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file ERROR)
    call MPI_File_write_at_all(file, place, five, 5, MPI_INTEGER, MPI_STATUS_IGNORE ERROR)
    five = 0
    call MPI_File_read_at(file, place, five, 5, MPI_INTEGER, MPI_STATUS_IGNORE ERROR)
    call check(five(1) == rank + 1 .and. five(5) == rank + 5, 'File_read_at')
    call MPI_File_close(file ERROR)
  end subroutine files

  subroutine stopped
    call MPI_Pcontrol(0)
    call MPI_Barrier(MPI_COMM_WORLD ERROR)
    call MPI_Barrier(MPI_COMM_WORLD ERROR)
    call MPI_Pcontrol(1)
    call MPI_Barrier(MPI_COMM_WORLD ERROR)
  end subroutine stopped
end program cases
