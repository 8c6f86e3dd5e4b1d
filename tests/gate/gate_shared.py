# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts in this folder share."""
import shutil
import sys

# Git without the settings of this machine and of its user.
GIT_ALONE = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}

SUM = """double a[2000];
__attribute__((noipa)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 1.5; /* hot */
    return s;
}
"""
PROGRAM = SUM + """int main(void)
{
    return sum(1000) != 0;
}
"""

FORTRAN_BENCHES = """module work
  implicit none
  double precision :: a(1000) = 2, s = 0
contains
  subroutine nothing()
  end subroutine
  subroutine add()
    integer :: i
    s = 0
    do i = 1, 1000
      s = s + a(i) * 1.5d0
    end do
  end subroutine
end module
program benches
  use papi_benches
  use work
  implicit none
  call papi_bench('nothing', nothing)
  call papi_bench('sum  ', add)
  call papi_bench('sum', add)
  if (s /= 3000) stop 1
end program
"""


def check(truth, *what):
    if not truth:
        sys.exit("FAILED: " + " ".join(map(str, what)))


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            print("SKIP: no", tool)
            sys.exit(77)
