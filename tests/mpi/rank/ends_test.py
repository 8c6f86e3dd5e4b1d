# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that end in every wrong way, and what papi_mpi_report --recover makes of what they left, compared with
what the program is known to have done.

  ends_test.py PROGRAM WAY
"""
import json
import subprocess
import sys
import time

from mpirun import FLAVOUR, REPORT, fail, run, skip

RANKS = 2
# WAY: the state of rank 1, whether it says a line about it itself.
WAYS = {"abort": ("aborts", True), "segfault": ("runs", False), "term": ("runs", False), "kill": ("runs", False),
        "exit": ("exits", True), "_exit": ("runs", False), "exec": ("runs", False)}
CODES = {"abort": 7, "exit": 3, "_exit": 4}
# Says what the program itself ended with. MPICH's mpirun puts the ranks' statuses together by OR, so that it ends with 9
# where it had to kill the other rank, with the library and without it.
SAID = 'the status of rank 1 is '
TOLD = f'"$@"; status=$?; [ ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} = 0 ] || echo "{SAID}$status"; exit $status'


def same(found, wanted, what):
    if found != wanted:
        fail(f"{what}: {found!r} instead of {wanted!r}")


def recover(folder, status=0):
    """The recovered job and what papi_mpi_report said."""
    result = subprocess.run([REPORT, "--recover", "--json", str(folder)], capture_output=True, text=True, timeout=600,
                            check=False)
    same(result.returncode, status, f"status of papi_mpi_report --recover\n{result.stderr}")
    return json.loads(result.stdout) if status == 0 else None, result.stderr


def settled(folder):
    """The same, once the ranks that mpirun told to end have ended: it does not always wait for them."""
    deadline = time.monotonic() + 30
    job, remarks = recover(folder)
    while "still runs" in remarks and time.monotonic() < deadline:
        time.sleep(0.1)
        job, remarks = recover(folder)
    return job, remarks


def check_calls(job, barriers_of_all):
    """10 * (rank + 1) messages of 100 bytes to itself, and 7 barriers; barriers of all on top of it."""
    calls = {call["name"]: call for call in job["calls"]}
    messages = sum(10 * (rank + 1) for rank in range(RANKS))
    same(calls["MPI_Sendrecv"]["calls"], messages, "MPI_Sendrecv")
    inside = sum(row["inside"] == "MPI_Barrier" for row in job["rows"])  # a call that did not end is one, too
    same(calls["MPI_Barrier"]["calls"], RANKS * 7 + barriers_of_all + inside, "MPI_Barrier")
    regions = {region["name"]: region for region in job["regions"]}
    same(sorted(regions), ["last", "work"], "regions")
    same((regions["work"]["visits"], regions["work"]["ranks"]), (2 * RANKS, RANKS), "region work")
    same((regions["last"]["visits"], regions["last"]["open"]), (RANKS, RANKS), "region last, visits and open")


def check_rows(job, way):
    state, _ = WAYS[way]
    same([row["rank"] for row in job["rows"]], list(range(RANKS)), "ranks that are here")
    for row in job["rows"]:
        rank, values = row["rank"], dict(zip(job["row_values"], row["values"]))
        same(values["sent_bytes"], 1000 * (rank + 1), f"bytes of rank {rank}")
        if not 0 < values["mpi"] <= values["elapsed"]:
            fail(f"rank {rank}: MPI time {values['mpi']}, elapsed {values['elapsed']}")
        if not values["peak_memory"] > 1 << 20:
            fail(f"rank {rank}: peak memory {values['peak_memory']}")
    same(job["rows"][1]["state"], state, "state of rank 1")
    # Rank 0 waits in the second barrier of all, or was not there yet when it was ended.
    if job["rows"][0]["inside"] not in ("MPI_Barrier", None):
        fail(f"rank 0 was inside {job['rows'][0]['inside']}")


def main():
    program, way = sys.argv[1:]
    if not REPORT:
        skip("there is no papi_mpi_report")
    told = ["sh", "-c", TOLD, "sh"] if way in ("exit", "_exit") else []
    outcome = run(None, RANKS, [*told, program, way], timeout=600)
    if outcome.status is None:
        fail(f"the job hangs\n{outcome.output}\n{outcome.errors}")
    if outcome.status == 0 and way not in ("exec",):
        fail("mpirun ended with 0")
    if told and f"{SAID}{CODES[way]}\n" not in outcome.output:
        fail(f"rank 1 did not end with {CODES[way]}\n{outcome.output}")
    if way in CODES and outcome.status not in (CODES[way], 9 if told and FLAVOUR == "mpich" else CODES[way]):
        fail(f"mpirun ended with {outcome.status} after {CODES[way]}")
    same(outcome.result, None, "a result file")
    said = [line for line in outcome.errors.splitlines() if line.startswith("papi_mpi: rank 1 ")]
    same(len(said), 1 if WAYS[way][1] else 0, f"lines about rank 1\n{outcome.errors}")
    folder = next(outcome.records.iterdir(), None)
    if said and str(folder) not in said[0]:
        fail(f"{said[0]}: does not name {folder}")
    for where in (folder, outcome.records):
        job, remarks = settled(where)
        same(remarks, "", "remarks")
        same(job["job"]["recovered"], True, "recovered")
        check_calls(job, RANKS)
        check_rows(job, way)
    (folder / "rank.0").unlink()
    job, _ = recover(folder)
    same([row["rank"] for row in job["rows"]], [1], "ranks that are here, without rank 0's record")
    print(f"{way}: mpirun ended with {outcome.status}, {outcome.output.strip()}, recovered as it was")


main()
