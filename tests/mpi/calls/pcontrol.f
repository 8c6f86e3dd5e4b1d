C SPDX-License-Identifier: BSD-3-Clause
C The same from Fortran with mpif.h, which does not say how many
C arguments MPI_PCONTROL has: a name with its length, and one that ends
C as C has it.
      PROGRAM PCONTR
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER IERR, I
      CHARACTER*6 STEP

      CALL MPI_INIT(IERR)
      DO I = 0, 2
        CALL MPI_PCONTROL(1, 'solve'//CHAR(0))
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        WRITE (STEP, '(A, I1)') 'step ', I
        CALL MPI_PCONTROL(1, STEP)
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        CALL MPI_PCONTROL(-1, STEP)
        CALL MPI_PCONTROL(-1, 'solve')
      END DO
      CALL MPI_PCONTROL(0)
      CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
      CALL MPI_PCONTROL(1)
      CALL MPI_PCONTROL(1, 'first   ')
      CALL MPI_PCONTROL(1, 'over pages')
      CALL MPI_PCONTROL(-1, 'first')
      CALL MPI_PCONTROL(-1, 'over pages')
      CALL MPI_FINALIZE(IERR)
      END
