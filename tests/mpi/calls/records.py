# SPDX-License-Identifier: BSD-3-Clause
"""The records of a run whose ranks call save_records, as show_record shows them."""
import json
import subprocess
import tempfile

from mpirun import fail, run


def record_of(show_record, folder, rank):
    shown = subprocess.run([show_record, folder, f"rank.{rank}"], capture_output=True, text=True)
    if shown.returncode:
        fail(f"no record of rank {rank}: {shown.stderr}")
    return json.loads(shown.stdout)


def recorded(show_record, ranks, command, env=None, status=0, **how):
    """The outcome of the run, and the record of each rank."""
    with tempfile.TemporaryDirectory(prefix="papi_mpi_kept_") as kept:
        outcome = run(None, ranks, command, env={"KEEP_RECORDS": kept, "PAPI_MPI_REPORT": "none", **(env or {})}, **how)
        outcome.check(status)
        return outcome, [record_of(show_record, kept, rank) for rank in range(ranks)]


def compare(what, found, wanted):
    if found != wanted:
        missing = {key: value for key, value in wanted.items() if found.get(key) != value}
        more = {key: value for key, value in found.items() if key not in wanted}
        fail(f"{what}: wanted {missing}, found {({key: found.get(key) for key in missing})}, and besides {more}")
