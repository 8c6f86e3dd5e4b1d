! SPDX-License-Identifier: BSD-3-Clause
! The same with the module mpi_f08: a communicator of all ranks.
program sessions
    use mpi_f08
    implicit none
    type(MPI_Session) :: session
    type(MPI_Group) :: group
    type(MPI_Comm) :: all
    integer :: rank, ranks, value(1), got(1), i

    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
    call MPI_Group_from_session_pset(session, "mpi://WORLD", group)
    call MPI_Comm_create_from_group(group, "fortran", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, all)
    call MPI_Group_free(group)
    call MPI_Comm_rank(all, rank)
    call MPI_Comm_size(all, ranks)
    value = 1
    do i = 1, 10
        call MPI_Sendrecv(value, 1, MPI_INTEGER, mod(rank + 1, ranks), 0, got, 1, MPI_INTEGER, &
                          mod(rank + ranks - 1, ranks), 0, all, MPI_STATUS_IGNORE)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, all)
    call MPI_Comm_free(all)
    call MPI_Session_finalize(session)
    if (value(1) == ranks) print '(a)', "right"
end program sessions
