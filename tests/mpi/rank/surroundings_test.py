# SPDX-License-Identifier: BSD-3-Clause
"""Surroundings that are not as they should be: the job runs as without the library, has its result, and rank 0
says in one line each what is wrong.

  surroundings_test.py PROGRAM CASE
"""
import subprocess
import sys
import tempfile

from mpirun import fail, run, skip

RANKS = 2
FULL = ["unshare", "--mount", "--map-root-user", "sh", "-c"]


def lines(outcome, *words):
    return [line for line in outcome.errors.splitlines() if all(word in line for word in words)]


def check(program, env, says, **more):
    """says: lists of words, each of which are in one line of stderr."""
    outcome = run(None, RANKS, [program, "finalize"], env=env, timeout=600, **more).check()
    if outcome.result is None or outcome.result["job"]["present"] != RANKS:
        fail(f"{env}: no result of all ranks\n{outcome.errors}")
    calls = {call["name"]: call["calls"] for call in outcome.result["calls"]}
    if calls["MPI_Sendrecv"] != sum(10 * (rank + 1) for rank in range(RANKS)):
        fail(f"{env}: {calls}")
    for words in says:
        if len(lines(outcome, *words)) != 1:
            fail(f"{env}: not one line with {words}\n{outcome.errors}")
    return outcome


def values(program):
    for name, value in (("PAPI_MPI_ROWS", "perhaps"), ("PAPI_MPI_COUNTERS", "fast"), ("PAPI_MPI_REGIONS", "all"),
                        ("PAPI_MPI", "2"), ("PAPI_MPI_COUNTERS", "inside")):
        check(program, {name: value, "PAPI_EVENTS": "perf::TASK-CLOCK"}, [[f"{name}={value}"]])
    check(program, {"PAPI_MPI_ROWZ": "no", "PAPI_MPI_NOTHING_LIKE_IT": "1"},
          [["PAPI_MPI_ROWZ is not a variable of this library; the nearest is PAPI_MPI_ROWS"],
           ["PAPI_MPI_NOTHING_LIKE_IT is not a variable of this library", "man papi_mpi"]])


def events(program):
    outcome = check(program, {"PAPI_EVENTS": "NO_SUCH_EVENT,perf::TASK-CLOCK,perf::NOR_THIS"},
                    [["NO_SUCH_EVENT", "is not counted"], ["perf::NOR_THIS", "is not counted"]])
    names = [counter["name"] for counter in outcome.result["counters"]]
    if names not in (["perf::TASK-CLOCK"], []):  # none: the kernel has this one forbidden too
        fail(f"counters: {names}")


def directory(program):
    for where in ("/does/not/exist", "/dev/null", "/proc"):
        check(program, {"PAPI_MPI_DIR": where}, [[where, "PAPI_MPI_DIR names another directory"]])


def full_disk(program):
    """A file system with room for less than one record: no signal, no crash, the figures are in memory."""
    with tempfile.TemporaryDirectory() as folder:
        mount = 'mount -t tmpfs -o size=100k tmpfs "$0" && exec "$@"'
        if subprocess.run([*FULL, mount, folder, "true"], capture_output=True, check=False).returncode != 0:
            skip("no file system can be mounted here")
        check(program, {"PAPI_MPI_DIR": folder}, [[folder, "No space left on device"]],
              before=[*FULL, mount, folder])
        outcome = run(None, RANKS, [program, "exit"], env={"PAPI_MPI_DIR": folder}, timeout=600,
                      before=[*FULL, mount, folder])
        if outcome.status in (0, None) or len(lines(outcome, "rank 1 ends without MPI_Finalize", "are lost")) != 1:
            fail(f"exit with a full disk: {outcome.status}\n{outcome.errors}")


def fork(program):
    """What a rank's child does is not in the rank's record, and what it executes is not a rank."""
    outcome = run(None, RANKS, [program, "fork"], timeout=600).check()
    names = sorted(region["name"] for region in outcome.result["regions"])
    if names != ["last", "work"]:
        fail(f"regions: {names}")


CASES = {each.__name__: each for each in (values, events, directory, full_disk, fork)}


def main():
    program, case = sys.argv[1:]
    CASES[case](program)
    print(f"{case}: as it should be")


main()
