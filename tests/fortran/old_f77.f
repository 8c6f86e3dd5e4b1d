C SPDX-License-Identifier: BSD-3-Clause
C f77papi.h in fixed form with implicit types. The build sets
C -fdefault-real-8, and once -fdefault-integer-8: the constants are
C integers whatever a REAL or an INTEGER is.
      PROGRAM OLDF77
      INCLUDE 'f77papi.h'
      INTEGER*4 ICHECK, NEVSET, NCODE
      CALL SUB(NOTHIN)
      IF (NOTHIN .NE. PAPI_PRESET_MASK) STOP 1
      IF (PAPI_L1_DCM .NE. PAPI_PRESET_MASK) STOP 1
      ICHECK = PAPI_VER_CURRENT
      CALL PAPIF_LIBRARY_INIT(ICHECK)
      IF (ICHECK .NE. PAPI_VER_CURRENT) STOP 1
      NEVSET = PAPI_NULL
      CALL PAPIF_CREATE_EVENTSET(NEVSET, ICHECK)
      IF (ICHECK .NE. PAPI_OK) STOP 1
      CALL PAPIF_EVENT_NAME_TO_CODE('PAPI_TOT_INS', NCODE, ICHECK)
      IF (ICHECK .NE. PAPI_OK .OR. NCODE .NE. PAPI_TOT_INS) STOP 1
C     A constant as an argument, of whatever size integers are
      CALL PAPIF_SET_DOMAIN(PAPI_DOM_USER, ICHECK)
      IF (ICHECK .NE. PAPI_OK) STOP 1
      END

      SUBROUTINE SUB(N)
      IMPLICIT NONE
      INCLUDE 'f77papi.h'
      INTEGER N
      N = IOR(PAPI_PRESET_MASK, PAPI_OK)
      END
