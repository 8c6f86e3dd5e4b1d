C SPDX-License-Identifier: BSD-3-Clause
C PAPIF_PERROR with a message alone, as codes for PAPI 5 and later call
C it.
      SUBROUTINE TELL
      CALL PAPIF_PERROR('old form, one argument')
      END
