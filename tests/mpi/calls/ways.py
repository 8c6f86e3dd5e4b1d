#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ways.py tool own_tool second second_fixed reached program...: another tool of MPI's profiling interface before this library or
after it, or in the program (own_tool); functions that a program looks up itself; another MPI's launcher. Either all is
measured, or one line says why not."""
import os
import re
import subprocess
import sys

import mpirun
from mpirun import FLAVOUR, WRAPPER, fail, run

RANKS = 2
tool, own_tool, second, second_fixed, reached, *programs = sys.argv[1:]
OTHER = "openmpi" if FLAVOUR == "mpich" else "mpich"


def mpi_library(program):
    shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return re.search(r"=> (\S*/libmpi(?:ch)?\.so\S*)", shown)[1]


def calls(outcome):
    if outcome.result is None:
        fail(f"no result\n{outcome.output}{outcome.errors}")
    return {call["name"]: call["calls"] for call in outcome.result["calls"]}


def is_measured(outcome, what):
    found = calls(outcome)
    if (found.get("MPI_Barrier"), found.get("MPI_Sendrecv")) != (7 * RANKS, 3 * RANKS) or "papi_mpi: " in outcome.errors:
        fail(f"{what}: {found}\n{outcome.output}{outcome.errors}")


def says_why(outcome, *words):
    lines = [line for line in outcome.errors.splitlines() if line.startswith("papi_mpi: nothing was measured")]
    if outcome.result is not None or len(lines) != 1 or not all(word in lines[0] for word in words):
        fail(f"{outcome.output}{outcome.errors}")


def other_launcher(program):
    """The ranks of this MPI, started by the other one's mpirun: each is alone, and one says so."""
    launcher = f"mpirun.{OTHER}"
    if not any(os.access(os.path.join(folder, launcher), os.X_OK) for folder in os.environ["PATH"].split(":")):
        print(f"no {launcher}: not tried")
        return
    # Ranks of Open MPI that are alone would make the same folder at the same time.
    own = 'export OMPI_MCA_orte_tmpdir_base=$PAPI_MPI_DIR/$PMI_RANK; mkdir $OMPI_MCA_orte_tmpdir_base; exec "$0"'
    outcome = run(OTHER, RANKS, ["sh", "-c", own, program], preload=WRAPPER, env={"PAPI_MPI_OUTPUT": "none"}, timeout=300).check()
    if outcome.errors.count(f"the launcher started {RANKS} ranks, and each of them is alone") != 1:
        fail(f"another MPI's launcher: {outcome.errors}")


def second_names(outcome):
    """A program that calls PMPI_Barrier itself is told that nobody sees that; tools and MPI's own libraries are not."""
    if outcome.errors.count("the program calls PMPI_Barrier: ") != 1 or set(calls(outcome)) != {"MPI_Sendrecv"}:
        fail(f"not said, or not so: {calls(outcome)}\n{outcome.errors}")
    job, efficiency = outcome.result["job"], outcome.result["efficiency"]
    if (job["unseen"], job["unseen_ranks"]) != (["MPI_Barrier"], RANKS) or any(value is not None for value in efficiency.values()):
        fail(f"what is not seen: {job['unseen']} on {job['unseen_ranks']} ranks, {efficiency}")
    if "The program or its libraries call PMPI_Barrier, and these calls are not counted: MPI takes at least" not in " ".join(outcome.errors.split()):
        fail(f"the first sentence: {outcome.errors}")


def main():
    library = mpi_library(programs[0])
    for program in programs:
        # Open MPI's Fortran functions call PMPI_ themselves: the tool sees what it would see without this library.
        alone = run(None, RANKS, [program], preload=tool, timeout=300).check()
        for preload in (f"{WRAPPER}:{tool}", f"{tool}:{WRAPPER}"):
            outcome = run(None, RANKS, [program], preload=preload, timeout=300).check()
            is_measured(outcome, f"{program} {preload}")
            if sorted(outcome.output.splitlines()) != sorted(alone.output.splitlines()):
                fail(f"{program} {preload}: the other tool says\n{outcome.output}and alone\n{alone.output}")
        is_measured(run(None, RANKS, [program], timeout=300).check(), program)
        other_launcher(program)
    says_why(run(None, RANKS, [own_tool], timeout=300).check(), "named MPI_*")
    for program in (second, second_fixed):  # at a fixed address, a program has no table of names by hash that says which are others'
        second_names(run(None, RANKS, [program], timeout=300).check())
    outcome = run(None, RANKS, [reached, "scope", library], timeout=300).check()
    if calls(outcome) != {"MPI_Barrier": 3 * RANKS}:
        fail(f"{calls(outcome)}\n{outcome.errors}")
    says_why(run(None, RANKS, [reached, "library", library], timeout=300).check(), "RTLD_DEFAULT")
    for quiet in ({"PAPI_MPI": "off"}, {"PAPI_MPI_REPORT": "none"}):
        outcome = run(None, RANKS, [reached, "library", library], env=quiet, timeout=300).check()
        if outcome.errors:
            fail(f"{quiet}: {outcome.errors}")
    print("measured, or said why not")


main()
