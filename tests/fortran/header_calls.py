# SPDX-License-Identifier: BSD-3-Clause
"""What the interfaces of the older headers refuse, and the programs that must compile whatever a header has.

Lines for fixed and for free form: none is continued, and each ends before column 72. %(header)s is the line that brings
the header in."""

DECLARED = """      %(header)s
      REAL*4 RTIME, PTIME, RATE, REV
      REAL*8 DTIME, DRATE, METRIC
      INTEGER*8 N, N1, N2, N3, N4, N5, COUNTS(2)
      INTEGER*4 CHECK, I, J, K, L, M
      CHARACTER*80 TEXT, MORE
"""
# Each call that is right, and calls of the same routine that the interfaces refuse.
CALLS = [
    ("PAPIF_FLOPS(RTIME, PTIME, N, RATE, CHECK)",
     ["PAPIF_FLOPS(DTIME, PTIME, N, RATE, CHECK)", "PAPIF_FLOPS(RTIME, DTIME, N, RATE, CHECK)",
      "PAPIF_FLOPS(RTIME, PTIME, I, RATE, CHECK)", "PAPIF_FLOPS(RTIME, PTIME, N, DRATE, CHECK)",
      "PAPIF_FLOPS(RTIME, PTIME, N, RATE, N)", "PAPIF_FLOPS(RTIME, PTIME, N, RATE)"]),
    ("PAPIF_FLIPS(RTIME, PTIME, COUNTS(2), RATE, CHECK)", ["PAPIF_FLIPS(RTIME, PTIME, N, DRATE, CHECK)"]),
    ("PAPIF_IPC(RTIME, PTIME, N, RATE, CHECK)", ["PAPIF_IPC(RTIME, PTIME, I, RATE, CHECK)"]),
    ("PAPIF_FLOPS_RATE(I, RTIME, PTIME, N, RATE, CHECK)", ["PAPIF_FLOPS_RATE(RTIME, PTIME, N, RATE, CHECK)"]),
    ("PAPIF_FLIPS_RATE(1, RTIME, PTIME, N, RATE, CHECK)", ["PAPIF_FLIPS_RATE(I, DTIME, PTIME, N, RATE, CHECK)"]),
    ("PAPIF_EPC(I, RTIME, PTIME, N, N1, N2, RATE, CHECK)", ["PAPIF_EPC(I, RTIME, PTIME, N, N1, N2, DRATE, CHECK)"]),
    ("PAPIF_GET_REAL_USEC(N)", ["PAPIF_GET_REAL_USEC(I)", "PAPIF_GET_REAL_USEC(DTIME)"]),
    ("PAPIF_GET_REAL_CYC(COUNTS(1))", ["PAPIF_GET_REAL_CYC(I)"]),
    ("PAPIF_GET_REAL_NSEC(N)", ["PAPIF_GET_REAL_NSEC(RTIME)"]),
    ("PAPIF_GET_VIRT_USEC(N)", ["PAPIF_GET_VIRT_USEC(I)"]),
    ("PAPIF_GET_VIRT_CYC(N)", ["PAPIF_GET_VIRT_CYC(I)"]),
    ("PAPIF_GET_VIRT_NSEC(N)", ["PAPIF_GET_VIRT_NSEC(I)"]),
    ("PAPIF_GET_HARDWARE_INFO(I,J,K,L,TEXT,M,MORE,REV,RATE)", ["PAPIF_GET_HARDWARE_INFO(I,J,K,L,TEXT,M,MORE,REV,DRATE)"]),
    ("PAPIF_GET_EXE_INFO(TEXT,MORE,N,N1,N2,N3,N4,N5,CHECK)", ["PAPIF_GET_EXE_INFO(TEXT,MORE,N,N1,N2,N3,N4,I,CHECK)"]),
    ("PAPIF_HL_METRIC('R', 'M', METRIC, CHECK)", ["PAPIF_HL_METRIC('R', 'M', RATE, CHECK)"]),
    # Routines without an interface.
    ("PAPIF_READ(I, COUNTS, CHECK)", []),
    ("PAPIF_PERROR(I, TEXT, CHECK)", []),
]
CALL = """      SUBROUTINE S
      IMPLICIT NONE
""" + DECLARED + """%(calls)s
      END
"""
# Programs in which a header with interfaces is as good as one without.
TAKEN = {
    "a module has the header, its routine calls": """      MODULE COUNTS
      %(header)s
      CONTAINS
      SUBROUTINE S
      REAL*4 R, P, F
      INTEGER*8 N
      INTEGER*4 CHECK
      CALL PAPIF_FLOPS(R, P, N, F, CHECK)
      END SUBROUTINE
      END MODULE
""",
    "EXTERNAL in a routine of the module": """      MODULE COUNTS
      %(header)s
      CONTAINS
      SUBROUTINE S
      EXTERNAL PAPIF_FLOPS
      REAL*4 R, P, F
      INTEGER*8 N
      INTEGER*4 CHECK
      CALL PAPIF_FLOPS(R, P, N, F, CHECK)
      END SUBROUTINE
      END MODULE
""",
    "a module and its routine have the header": """      MODULE COUNTS
      %(header)s
      CONTAINS
      SUBROUTINE S
      %(header)s
      INTEGER*8 N
      CALL PAPIF_GET_REAL_USEC(N)
      END SUBROUTINE
      END MODULE
""",
    "a private module": """      MODULE COUNTS
      PRIVATE
      %(header)s
      INTEGER :: ES = PAPI_NULL
      END MODULE
""",
    "two modules have the header, a routine uses both": """      MODULE M1
      %(header)s
      INTEGER I1
      END MODULE
      MODULE M2
      %(header)s
      INTEGER I2
      END MODULE
      SUBROUTINE S
      USE M1
      USE M2
      I1 = I2
      END SUBROUTINE
""",
    "one module by two ways": """      MODULE M1
      %(header)s
      END MODULE
      MODULE M2
      USE M1
      END MODULE
      SUBROUTINE S
      USE M1
      USE M2
      INTEGER*8 N
      CALL PAPIF_GET_REAL_USEC(N)
      END SUBROUTINE
""",
    "after DATA and before a statement function": """      SUBROUTINE S
      INTEGER I
      DATA I /1/
      %(header)s
      INTEGER*8 N
      REAL F, X
      F(X) = X + 1
      CALL PAPIF_GET_REAL_USEC(N)
      X = F(X)
      END
""",
    "the routine is an argument": """      SUBROUTINE S
      %(header)s
      CALL TIMED(PAPIF_GET_REAL_USEC)
      END
""",
    "EXTERNAL for the other routines": """      SUBROUTINE S
      %(header)s
      EXTERNAL PAPIF_READ, PAPIF_LIBRARY_INIT
      CALL PAPIF_LIBRARY_INIT(I)
      END
""",
    "names of the code's own like those of arguments": """      SUBROUTINE S(CODE, RTIME)
      %(header)s
      CHARACTER*8 CODE, FULLNAME
      COMPLEX RTIME, A, B, C
      INTEGER E(3)
      FULLNAME = CODE
      A = RTIME
      E(1) = PAPI_OK
      END
""",
}
# What needs the headers of the folder constants.
WITHOUT = {
    "BLOCK DATA": """      BLOCK DATA EVENTS
      %(header)s
      INTEGER ES
      COMMON /COUNTS/ ES
      DATA ES /PAPI_NULL/
      END
""",
    "EXTERNAL beside the header's module": """      MODULE M
      %(header)s
      END MODULE
      SUBROUTINE S
      USE M
      EXTERNAL PAPIF_FLOPS
      REAL*4 R, P, F
      INTEGER*8 N
      INTEGER*4 CHECK
      CALL PAPIF_FLOPS(R, P, N, F, CHECK)
      END
""",
    "EXTERNAL": """      SUBROUTINE S
      %(header)s
      EXTERNAL PAPIF_FLOPS
      REAL*4 R, P, F
      INTEGER*8 N
      INTEGER*4 CHECK
      CALL PAPIF_FLOPS(R, P, N, F, CHECK)
      END
""",
    "the code's own interface": """      SUBROUTINE S
      %(header)s
      INTERFACE
      SUBROUTINE PAPIF_GET_REAL_USEC(N)
      INTEGER*8 N
      END SUBROUTINE
      END INTERFACE
      INTEGER*8 N
      CALL PAPIF_GET_REAL_USEC(N)
      END
""",
}
# For default integers of 8 bytes.
CHECK_DECLARED = """      SUBROUTINE S
#include "fpapi.h"
      REAL*4 RTIME, PTIME, RATE
      INTEGER N
      %s CHECK
      CALL PAPIF_FLOPS(RTIME, PTIME, N, RATE, CHECK)
      END
"""
F77, F90, CPP = "INCLUDE 'f77papi.h'", "INCLUDE 'f90papi.h'", '\n#include "fpapi.h"'
# The line, the end of the file's name, the folder below that of the headers, options; and how many of the wrong calls it
# has to refuse.
ALL = sum(len(wrong) for _, wrong in CALLS)
WAYS = [(F77, ".f", "", [], ALL), (F77, ".f90", "", [], 1), (F90, ".f90", "", [], 2),
        (F77, ".f", "constants", [], 0), (F77, ".f90", "constants", [], 0), (F90, ".f90", "constants", [], 0),
        (CPP, ".F", "", ["-DPAPI_INTERFACES"], ALL), (CPP, ".F90", "", ["-DPAPI_INTERFACES"], 1), (CPP, ".F", "", [], 0)]


def of_calls(line, calls):
    return CALL % {"header": line, "calls": "\n".join("      CALL " + call for call in calls)}


def programs(line, n_wrong):
    """Each program's name and text, and if the compiler has to refuse it."""
    yield "right calls", of_calls(line, [right for right, _ in CALLS]), False
    yield "a scalar count", of_calls(line, ["PAPIF_READ(I, N, CHECK)"]), False
    for call in [call for _, wrong in CALLS for call in wrong][:n_wrong]:
        yield call, of_calls(line, [call]), True
    for name, text in TAKEN.items():
        yield name, text % {"header": line}, False
    if n_wrong == 0:
        for name, text in WITHOUT.items():
            yield name, text % {"header": line}, False
