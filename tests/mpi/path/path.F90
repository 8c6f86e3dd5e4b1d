! SPDX-License-Identifier: BSD-3-Clause
! path CASE in Fortran: what path.c does, in each binding (BINDING: 0 mpif.h, 1 use mpi, 2 use mpi_f08), with what Fortran
! has of its own: handles, statuses and places that count from 1.
program path
#if BINDING == 1
  use mpi
#elif BINDING == 2
  use mpi_f08
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
#endif
#if BINDING == 2
#define REQUEST type(MPI_Request)
#define STATUS_OF(n) type(MPI_Status)
#define SOURCE_OF(s) s%MPI_SOURCE
#define COMM type(MPI_Comm)
#define MESSAGE type(MPI_Message)
#else
#define REQUEST integer
#define STATUS_OF(n) integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#define COMM integer
#define MESSAGE integer
#endif
  integer, parameter :: most = 400
  integer(8) :: last, rate
  integer :: rank, ranks, error, n_steps, length, worked, i
  double precision :: chain, useful, step(most)
  character(20) :: name
  character(20 * most) :: line

  n_steps = 0
  chain = 0
  useful = 0
  call system_clock(count_rate=rate)
  call MPI_Init(error)
  call leave()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, name)
  select case (name)
  case ('chain')
    call in_chain()
  case ('wildcards')
    call by_wildcards()
  case ('again')
    call again_and_again()
  case ('collective')
    call collectively()
#ifdef WITH_MPI_4
  case ('prepared')
    call prepared()
#endif
  case ('probed')
    call probed()
  end select
  call enter()
  call MPI_Finalize(error)
  write (line, '("rank ", i0, " chain ", i0, " useful ", i0, " steps", 400(1x, i0))') rank, int(chain, 8), int(useful, 8), &
    (int(step(i), 8), i=1, n_steps)
  length = len_trim(line)
  print '(a)', line(1:length)

contains

  subroutine enter()
    integer(8) :: now
    double precision :: took
    call system_clock(now)
    took = dble(now - last) * 1d9 / dble(rate)
    chain = chain + took
    useful = useful + took
    if (n_steps < most) then
      n_steps = n_steps + 1
      step(n_steps) = took
    end if
  end subroutine

  subroutine leave()
    call system_clock(last)
  end subroutine

  subroutine meet(other)
    double precision, intent(in) :: other
    chain = max(chain, other)
  end subroutine

  ! Of processor time.
  subroutine work(milliseconds)
    integer, intent(in) :: milliseconds
    real(8) :: begin, now
    call cpu_time(begin)
    now = begin
    do while (now - begin < milliseconds * 1d-3)
      call cpu_time(now)
    end do
    worked = worked + milliseconds
  end subroutine

  subroutine send_to(to, tag)
    integer, intent(in) :: to, tag
    double precision :: sent(1)
    call enter()
    sent = chain
    call MPI_Send(sent, 1, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, error)
    call leave()
  end subroutine

  subroutine receive_from(from, tag)
    integer, intent(in) :: from, tag
    double precision :: other(1)
    call enter()
    call MPI_Recv(other, 1, MPI_DOUBLE_PRECISION, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call leave()
    call meet(other(1))
  end subroutine

  subroutine in_chain()
    call work(20 + 10 * rank)
    if (rank > 0) call receive_from(rank - 1, 1)
    call work(60 - 10 * rank)
    if (rank < ranks - 1) call send_to(rank + 1, 1)
  end subroutine

  ! What is to be added to a place that a call says: 0, but 1 with the module mpi_f08 of MPICH 4.0, which counts from 0.
  integer function places_lack() result(more)
    REQUEST :: requests(2)
    integer :: got(2), place, sent
    call enter()
    sent = 0
    call MPI_Irecv(got(1), 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(1), error)
    call MPI_Irecv(got(2), 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, requests(2), error)
    call MPI_Send(sent, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, error)
    call MPI_Waitany(2, requests, place, MPI_STATUS_IGNORE, error)
    more = 2 - place
    call MPI_Send(sent, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, error)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call leave()
  end function

  ! From any rank: without a status, one after the other, with one, some and all at once.
  subroutine by_wildcards()
    double precision, asynchronous :: got(64)
    REQUEST :: requests(64)
    STATUS_OF(1) :: status
    integer :: round, i, place, some, places(64), left, more
    logical :: flag
    more = places_lack()
    do round = 1, 4
      call work(merge(5, 10 * rank, rank == 0))
      if (rank /= 0) then
        call send_to(0, rank + round)
        call receive_from(0, 9)
        cycle
      end if
      if (round == 1) then
        do i = 1, ranks - 1
          call receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG)
        end do
      else
        do i = 1, ranks - 1
          call enter()
          call MPI_Irecv(got(i), 1, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(i), error)
          call leave()
        end do
      end if
      if (round == 2) then
        do i = 1, ranks - 1
          call enter()
          if (mod(i, 2) == 0) then
            call MPI_Waitany(ranks - 1, requests, place, MPI_STATUS_IGNORE, error)
          else
            call MPI_Waitany(ranks - 1, requests, place, status, error)
            if (SOURCE_OF(status) < 1) stop 3
          end if
          call leave()
          call meet(got(place + more))
        end do
      else if (round == 3) then
        left = ranks - 1
        do while (left > 0)
          call enter()
          call MPI_Waitsome(ranks - 1, requests, some, places, MPI_STATUSES_IGNORE, error)
          call leave()
          do i = 1, some
            call meet(got(places(i) + more))
          end do
          left = left - some
        end do
      else if (round == 4) then
        flag = .false.
        do while (.not. flag)
          call work(1)
          call enter()
          call MPI_Testall(ranks - 1, requests, flag, MPI_STATUSES_IGNORE, error)
          call leave()
        end do
        do i = 1, ranks - 1
          call meet(got(i))
        end do
      end if
      call work(5)
      do i = 1, ranks - 1
        call send_to(i, 9)
      end do
    end do
  end subroutine

  ! With requests that stay as they are when they are completed: the last rank's message comes first.
  subroutine again_and_again()
    double precision, asynchronous :: got(64)
    REQUEST :: requests(64)
    integer :: round, i, place, some, places(64), left, more
    logical :: flag
    more = places_lack()
    call enter()
    do i = 1, merge(ranks - 1, 0, rank == 0)
      call MPI_Recv_init(got(i), 1, MPI_DOUBLE_PRECISION, i, 7, MPI_COMM_WORLD, requests(i), error)
    end do
    call leave()
    do round = 1, 4
      call work(merge(5, 20 * (ranks - rank), rank == 0))
      if (rank /= 0) then
        call send_to(0, 7)
        call receive_from(0, 9)
        cycle
      end if
      call enter()
      call MPI_Startall(ranks - 1, requests, error)
      call leave()
      left = ranks - 1
      do while (left > 0)
        some = 1
        flag = .true.
        call enter()
        select case (round)
        case (1)
          call MPI_Waitany(ranks - 1, requests, places(1), MPI_STATUS_IGNORE, error)
        case (2)
          call MPI_Waitsome(ranks - 1, requests, some, places, MPI_STATUSES_IGNORE, error)
        case (3)
          call MPI_Testany(ranks - 1, requests, places(1), flag, MPI_STATUS_IGNORE, error)
          if (.not. flag) some = 0
        case default
          call MPI_Testsome(ranks - 1, requests, some, places, MPI_STATUSES_IGNORE, error)
        end select
        call leave()
        do i = 1, some
          call meet(got(places(i) + more))
        end do
        left = left - some
        call work(merge(10, 1, some > 0))
      end do
      do i = 1, ranks - 1
        call send_to(i, 9)
      end do
    end do
    call enter()
    do place = 1, merge(ranks - 1, 0, rank == 0)
      call MPI_Request_free(requests(place), error)
    end do
    call leave()
  end subroutine

  subroutine collectively()
    double precision :: got(1), sent(1), later(1)
    REQUEST :: request_later
    COMM :: half
    call work(10 + 20 * rank)
    call enter()
    got = chain
    call MPI_Bcast(got, 1, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, error)
    call leave()
    call meet(got(1))
    call work(merge(70, 5, rank == 0))
    call enter()
    sent = chain
    call MPI_Iallreduce(sent, later, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, request_later, error)
    call leave()
    call work(10)
    call enter()
    call MPI_Wait(request_later, MPI_STATUS_IGNORE, error)
    call leave()
    call meet(later(1))
    call enter()
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), 0, half, error)
    call leave()
    call everybody(half)
    call work(merge(40, 5, rank == 1))
    call everybody(half)
    call work(merge(60, 5, rank == 3))
    call enter()
    call MPI_Comm_free(half, error)
    call leave()
    call everybody(MPI_COMM_WORLD)
    call work(5)
  end subroutine

#ifdef WITH_MPI_4
  ! A collective call that is prepared once, and started in turns.
  subroutine prepared()
    double precision :: got(1), sent(1)
    REQUEST :: again
    integer :: round
    call MPI_Allreduce_init(sent, got, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, again, error)
    call system_clock(last) ! its time is MPI's
    do round = 0, 3
      call work(merge(30, 10, mod(round, ranks) == rank))
      call enter()
      sent = chain
      call MPI_Start(again, error)
      call leave()
      call work(5 + 5 * rank)
      call enter()
      call MPI_Wait(again, MPI_STATUS_IGNORE, error)
      call leave()
      call meet(got(1))
    end do
    call enter()
    call MPI_Request_free(again, error)
    call leave()
    call work(5)
  end subroutine
#endif

  subroutine everybody(comm_of)
    COMM :: comm_of
    double precision :: got(1), sent(1)
    call enter()
    sent = chain
    call MPI_Allreduce(sent, got, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm_of, error)
    call leave()
    call meet(got(1))
  end subroutine

  subroutine probed()
    double precision :: got(1)
    MESSAGE :: found
    STATUS_OF(1) :: status
    integer :: i
    call work(10 * (rank + 1))
    if (rank > 0) then
      call send_to(0, 20 + rank)
      call receive_from(0, 1)
      call work(5)
      return
    end if
    do i = 1, ranks - 1
      call enter()
      call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, error)
      call leave()
      call enter()
      call MPI_Mrecv(got, 1, MPI_DOUBLE_PRECISION, found, status, error)
      call leave()
      call meet(got(1))
      call work(10)
      call send_to(SOURCE_OF(status), 1)
    end do
  end subroutine
end program
