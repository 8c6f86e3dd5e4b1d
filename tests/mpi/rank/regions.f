C SPDX-License-Identifier: BSD-3-Clause
C Regions through the Fortran 77 interface. With the argument "whole" there are some before MPI_Init and
C after MPI_Finalize too, and one across each of them.
      PROGRAM REGIONS
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INCLUDE 'f77papi.h'
      INTEGER CHECK, IERR, I
      CHARACTER*8 HOW
      LOGICAL WHOLE

      CALL GETARG(1, HOW)
      WHOLE = HOW .EQ. 'whole'
      IF (WHOLE) THEN
        CALL PAPIF_HL_REGION_BEGIN('early   ', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'early')
      END IF
      CALL MPI_INIT(IERR)
      DO I = 1, 3
        CALL PAPIF_HL_REGION_BEGIN('solve   ', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'solve')
        CALL PAPIF_HL_READ('solve', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'read')
        CALL PAPIF_HL_REGION_END('other', CHECK)
        CALL NEED(CHECK, PAPI_EINVAL, 'other')
        CALL MPI_BARRIER(MPI_COMM_WORLD, IERR)
        CALL PAPIF_HL_REGION_END('solve', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'end')
      END DO
      CALL PAPIF_HL_REGION_END('never', CHECK)
      CALL NEED(CHECK, PAPI_EINVAL, 'never')
      CALL PAPIF_HL_REGION_BEGIN(' ', CHECK)
      CALL NEED(CHECK, PAPI_EINVAL, 'blank')
      IF (WHOLE) THEN
        CALL PAPIF_HL_REGION_BEGIN('late', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'late')
      END IF
      CALL MPI_FINALIZE(IERR)
      IF (WHOLE) THEN
        CALL PAPIF_HL_REGION_BEGIN('after', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'after')
        CALL PAPIF_HL_REGION_END('after', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'end of after')
        CALL PAPIF_HL_REGION_END('late', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'end of late')
        CALL PAPIF_HL_REGION_END('early', CHECK)
        CALL NEED(CHECK, PAPI_OK, 'end of early')
      END IF
      END

      SUBROUTINE NEED(CODE, WANTED, WHAT)
      INTEGER CODE, WANTED
      CHARACTER*(*) WHAT
      IF (CODE .NE. WANTED) THEN
        PRINT *, 'FAILED: ', WHAT, CODE, WANTED
        STOP 1
      END IF
      END
