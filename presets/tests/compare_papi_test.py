#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_papi_test.py COMPARE_PAPI.py VERDICTS TABLE...: a made-up table of PAPI's form is compared with one of ours; and each
verdict of the project names presets and processors of its tables."""
import fnmatch
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SCRIPT.parent))
import compare_papi  # noqa: E402

OURS = """CPU,hsw
CPU,skl
PRESET,PAPI_BR_INS,NOT_DERIVED,BR_INST_RETIRED:ALL_BRANCHES
PRESET,PAPI_BR_UCN,DERIVED_SUB,BR_INST_RETIRED:ALL_BRANCHES,BR_INST_RETIRED:COND
PRESET,PAPI_L2_DCA,DERIVED_ADD,L2_RQSTS:ALL_DEMAND_DATA_RD,L2_RQSTS:ALL_RFO
PRESET,PAPI_FP_OPS,NONE,NOTE,"None."
"""
# The first is the same by another name, the second as a formula; the third is not, and of the fourth ours has none.
PAPI = """# comment
CPU,some other name
CPU,hsw
#
PRESET,PAPI_BR_INS,NOT_DERIVED,BR_INST_RETIRED,NOTE,"Text"
PRESET,PAPI_BR_UCN,DERIVED_POSTFIX,N0|N1|-|,BR_INST_RETIRED:ALL_BRANCHES,BR_INST_RETIRED:COND
PRESET,PAPI_L2_DCA,NOT_DERIVED, L2_RQSTS:ALL_DEMAND_REFERENCES
PRESET,PAPI_FP_OPS,NOT_DERIVED,BR_INST_RETIRED:COND
PRESET,PAPI_L1_DCM,NOT_DERIVED,NO_SUCH_EVENT
"""
SUMS = ("Of 3 definitions that both have, 1 differ: 0 count the same, {} PAPI's counts something else, 0 ours counts something else, "
        "{} both can be defended, 0 not to be decided without the machine.\n")
# Verdicts, exit status, and what is printed
CASES = [
    ("ours    L2_DCA  hsw skl  Its mask has fetches.\n", 0, SUMS.format(1, 0)),
    ("both  L2_DCA  h*  One reason.\nours  L2_DCA  hsw  Another.\n", 1,
     "['L2_DCA'] of ['hsw']: no difference for this verdict\n" + SUMS.format(0, 1)),
    ("ours  L2_DCM  hsw  Another preset.\n", 1,
     "PAPI_L2_DCA of hsw: no verdict\n['L2_DCM'] of ['hsw']: no difference for this verdict\n" + SUMS.format(0, 0)),
]


def compared(top):
    failed = []
    for number, (verdicts, status, text) in enumerate(CASES):
        (top / "verdicts").write_text(verdicts, encoding="ascii")
        done = subprocess.run([sys.executable, SCRIPT, "--verdicts", top / "verdicts", "--page", top / "page.md", top / "papi.csv",
                               top / "ours.csv"], stdout=subprocess.PIPE, encoding="utf-8", check=False)
        if done.returncode == 77:
            print(done.stdout)
            sys.exit(77)
        if (done.returncode, done.stdout) != (status, text):
            failed.append(f"case {number}: status {done.returncode}, and\n{done.stdout}where {status} is wanted, and\n{text}")
        page = (top / "page.md").read_text(encoding="utf-8")
        if number == 0 and "| Intel Haswell (`hsw`) |  | L2_DCA |  |  |  |" not in page:
            failed.append(f"the page has not the difference:\n{page}")
    return failed


def misplaced(verdicts, tables):
    """Verdicts about what the tables do not have."""
    rows = compare_papi.own_rows(tables)
    for _, presets, patterns, _ in compare_papi.read_verdicts(verdicts):
        for pattern in patterns:
            cpus = fnmatch.filter(rows, pattern)
            if not any(rows[cpu].get("PAPI_" + preset) for cpu in cpus for preset in presets):
                yield f"{verdicts}: no table defines {','.join(presets)} of {pattern}"


def main():
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        (top / "ours.csv").write_text(OURS, encoding="ascii")
        (top / "papi.csv").write_text(PAPI, encoding="ascii")
        failed = compared(top) + list(misplaced(pathlib.Path(sys.argv[2]), [pathlib.Path(table) for table in sys.argv[3:]]))
    print(*failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
