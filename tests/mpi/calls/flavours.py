#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""flavours.py show_record program opened plugin libpapi other_wrapper: the library that was built for the other MPI
is preloaded."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from mpirun import WRAPPER, fail, run
from records import recorded

show_record, program, opened, plugin, libpapi, other = sys.argv[1:]


def calls(record):
    return {name: values[0] for name, values in record["calls"].items()}


def wanted(record, what):
    if calls(record).get("MPI_Comm_split") != 1 or record["calls"]["MPI_Allreduce"][:2] != [1, 16]:
        fail(f"{what}: {calls(record)}")


def dies_not(library, command):
    """A program without MPI, with everything bound at its start."""
    done = subprocess.run(command, env={**os.environ, "LD_PRELOAD": library, "LD_BIND_NOW": "1"},
                          capture_output=True, text=True)
    if done.returncode or done.stderr:
        fail(f"{command} with {library}: {done.returncode} {done.stderr}")


with tempfile.TemporaryDirectory(prefix="papi_mpi_") as folder:
    env = {"TEST_FILE": os.path.join(folder, "file")}
    _, records = recorded(show_record, 2, [program], env=env, preload=WRAPPER)
    wanted(records[0], "its own library")
    if other:
        # The sibling takes over, and children do not see what it took.
        os.remove(env["TEST_FILE"])
        outcome, records = recorded(show_record, 2, [program], env=env, preload=other)
        wanted(records[1], "the other library")
        if outcome.errors:
            fail(f"it said: {outcome.errors}")
        # No sibling: without.
        alone = shutil.copy(other, folder)
        os.remove(env["TEST_FILE"])
        outcome = run(None, 2, [program], preload=alone, timeout=600,
                      env={**env, "LD_LIBRARY_PATH": os.path.dirname(libpapi), "PAPI_MPI_REPORT": "none"}).check()
        if outcome.errors.count("the program runs without") != 1 or outcome.output.count("all values right") != 2:
            fail(f"no sibling: {outcome.output}{outcome.errors}")
        # Opened later: an error with a reason, no crash.
        outcome = run(None, 2, [opened, plugin], preload=other)
        if outcome.status == 0 or outcome.errors.count("Preload libpapi_mpi_") != 1 or "MPI_Init: " not in outcome.output:
            fail(f"opened with the other library: {outcome.status} {outcome.output}{outcome.errors}")
        dies_not(other, ["true"])
    dies_not(WRAPPER, ["true"])
    # MPI that is opened, locally.
    outcome, records = recorded(show_record, 2, [opened, plugin])
    for rank, record in enumerate(records):
        if calls(record) != {"MPI_Comm_dup": 1, "MPI_Sendrecv": 1, "MPI_Allreduce": 1, "MPI_Comm_free": 1}:
            fail(f"opened: {calls(record)}")
        if record["peers"] != [[1 - rank, 1, 4]]:
            fail(f"opened: {record['peers']}")
    # Switched off: all is passed on.
    outcome = run(None, 2, [program], env={"PAPI_MPI": "off", "TEST_FILE": os.path.join(folder, "another")}).check()
    if outcome.result or outcome.output.count("all values right") != 2 or any(outcome.records.iterdir()):
        fail(f"off: {outcome.output}{outcome.errors}{list(pathlib.Path(outcome.records).iterdir())}")
print("each library with each MPI")
