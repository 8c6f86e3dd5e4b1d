#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""engine_test.py PROGRAM FOLDER: the file of a job's last calls as the engine of Chrome's developer tools reads it, which is not
ours: all ranks, threads, calls, regions and messages, without a warning. npm puts the engine into FOLDER. 77: it cannot."""
import collections
import json
import pathlib
import shutil
import subprocess
import sys

from mpirun import fail, run, skip

ENGINE = "@paulirish/trace_engine"
VERSION = "0.0.65"


def engine(folder):
    """The engine's own folder."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if not npm or not node:
        skip("npm or node is missing")
    there = folder / "node_modules" / ENGINE
    if not (there / "package.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts",
                   "--fetch-retries=0", "--fetch-timeout=60000", f"{ENGINE}@{VERSION}"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)
        except subprocess.TimeoutExpired:
            skip(f"npm took too long to install {ENGINE}")
        if done.returncode != 0:
            skip(f"npm cannot install {ENGINE}: {done.stderr.strip()[:200]}")
    return there


def read(there, file):
    script = pathlib.Path(__file__).with_name("engine.mjs")
    done = subprocess.run(["node", str(script), str(there), str(file)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=300, check=False)
    if done.returncode != 0 or done.stderr:
        fail(f"{done.returncode}: {done.stdout} {done.stderr}")
    return json.loads(done.stdout)


def expect(what, found, expected):
    if found != expected:
        fail(f"{what}: {found}, not {expected}")


def main():
    there = engine(pathlib.Path(sys.argv[2]))
    outcome = run(None, 2, [sys.argv[1], "known"], env={"PAPI_MPI_TIMELINE": "1M"}).check()
    found = read(there, outcome.folder / "result.timeline.json")
    expect("warnings, and events that it does not know", (found["said"], found["unknown"]), ([], []))
    expect("a trace of no browser", found["generic"], True)
    expect("ranks", [(rank, name.split(" (")[0]) for rank, name in found["ranks"]], [(0, "rank 0"), (1, "rank 1")])
    expect("threads", [(one["rank"], one["name"]) for one in found["threads"]], [(0, "main thread"), (1, "main thread")])
    same = {"MPI_Comm_dup": 1, "MPI_Sendrecv": 3, "MPI_Wait": 4, "MPI_Barrier": 1, "MPI_Comm_free": 1, "MPI_Pcontrol": 2}
    for one, own in zip(found["threads"], ({"MPI_Send": 14, "MPI_Isend": 4}, {"MPI_Recv": 14, "MPI_Irecv": 4})):
        expect(f"calls of rank {one['rank']}", dict(collections.Counter(name for name, _, _ in one["calls"])), {**same, **own})
        last = 0
        for name, begin, duration in one["calls"]:
            if duration < 0 or begin < last - 0.0015:
                fail(f"rank {one['rank']}: {name} at {begin} for {duration}, after {last}")
            last = begin + duration
    expect("regions", sorted((name, rank) for name, rank, _, _ in found["regions"]), [("exchange", 0), ("exchange", 1)])
    ends = collections.Counter((begin[0], *begin[1], end[0], *end[1]) for begin, end in found["messages"])
    expect("messages", dict(ends), {("s", "MPI_Send", "f", "MPI_Recv"): 13, ("s", "MPI_Sendrecv", "f", "MPI_Sendrecv"): 6,
                                    ("s", "MPI_Isend", "f", "MPI_Wait"): 4})


main()
