#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that hang: hang_test.py CASE SOURCE PROGRAM, with mpi_test of programs.cmake. The job is looked at by papi_mpi_report
--now until it has waited for more than a second, then ended, and its records are read: what is said is in CASES, {mark} is
the line of the source that has "place: mark". No time is compared but with what this test's own clock says."""
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import mpirun
from mpirun import fail

PATIENCE = 240  # seconds


@dataclasses.dataclass
class Case:
    said: str               # the first sentence of the report while the job runs, as a regular expression
    after: str = ""         # and when it was ended, if that is not the same
    not_after: str = ""     # what is not said then
    leaves: bool = False    # a rank ends by itself, and may have read its counters then
    ranks: int = 2
    cycle: tuple = ()       # the ranks that wait in a circle
    waits: tuple = ()       # (rank, call, whom it waits for): an entry of "open"
    how: str = "term"       # it is ended by SIGTERM to mpirun; kill: by SIGKILL to its ranks; itself: it ends itself


S = r"\d+\.\d s"
RECEIVES = rf"rank 1 has waited {S} in MPI_Recv from rank 0, tag 7, at {{source}}:{{receives}}; rank 0 in MPI_Barrier at {{source}}:{{barrier}}"
LEFT = "rank 0 in MPI_Recv from rank 1, tag 13, at {source}:{from_the_left}"
CASES = {
    "receive": Case(RECEIVES, cycle=(0, 1), waits=(1, "MPI_Recv", [0])),
    "sends": Case(rf"ranks 0 and 1 wait for each other: rank ([01]) has waited {S} in MPI_Send to rank ([01]), tag 3, at {{source}}:{{sends}}; "
                  r"rank \2 in MPI_Send to rank \1, tag 3, at {source}:{sends}", cycle=(0, 1), waits=(0, "MPI_Send", [1])),
    "circle": Case(rf"3 ranks wait in a circle: rank \d has waited {S} in MPI_Recv from rank \d, tag 5, at {{source}}:{{circle}}; "
                   r"rank \d in MPI_Recv", ranks=3, cycle=(0, 1, 2), waits=(2, "MPI_Recv", [0])),
    "computes": Case(rf"rank 2 computes for {S}, since MPI_Bcast at {{source}}:{{last}}, and 2 wait for it: rank [01] has waited {S} in "
                     r"MPI_Allreduce at {source}:{reduces}", ranks=3, waits=(0, "MPI_Allreduce", [2])),
    "wait": Case(rf"rank 1 has waited {S} in MPI_Wait for MPI_Irecv from rank 0, tag 9, at {{source}}:{{waits}}; rank 0 in MPI_Barrier at "
                 r"{source}:{barrier_after}", cycle=(0, 1), waits=(1, "MPI_Wait", [0])),
    "waitall": Case(rf"rank 1 has waited {S} in MPI_Waitall for 2 requests, with rank 0, at {{source}}:{{waits_all}}; rank 0 in MPI_Barrier",
                    cycle=(0, 1), waits=(1, "MPI_Waitall", [0])),
    "communicator": Case(rf"rank 1 has waited {S} in MPI_Recv from rank 0, tag 7 of 2 ranks by MPI_Comm_split, at {{source}}:{{receives_there}}; "
                         r"rank 0 in MPI_Barrier of 2 ranks by MPI_Comm_split at {source}:{barrier_there}",
                         cycle=(0, 1), waits=(1, "MPI_Recv", [0])),
    "killed": Case(RECEIVES, after=r"rank 1 (has waited .*)?in MPI_Recv from rank 0, tag 7, at {source}:{receives}; rank 0 in "
                   r"MPI_Barrier at {source}:{barrier}.*SIGKILL", cycle=(0, 1), waits=(1, "MPI_Recv", [0]), how="kill"),
    "crash": Case("", after=r"not finished; rank 1 ended by SIGILL outside MPI, .*; rank 0 in MPI_Barrier at {source}:{crash}",
                  how="itself"),
    # What the launcher ends the other one by is not the cause.
    "aborts": Case("", after=rf"not finished; rank 1 called MPI_Abort after {S}; {LEFT}", not_after="Ended|SIG", leaves=True, how="itself"),
    "exits": Case("", after=rf"not finished; rank 1 exited without MPI_Finalize after {S}; {LEFT}", not_after="Ended|SIG", leaves=True, how="itself"),
    "fails": Case("", after=rf"not finished; (rank 1 exited without MPI_Finalize in MPI_Send after {S}; {LEFT}|"
                  rf"rank 0 (has waited {S} )?in MPI_Recv.*; rank 1 in MPI_Send, tag 13, at {{source}}:{{fails}}.*error of MPI)",
                  leaves=True, how="itself"),
    "short": Case("still runs, and no rank has waited for as long as a second",
                  after="not finished, and no rank has waited for as long as a second.*Ended by SIGTERM"),
}


def check(condition, *what):
    if not condition:
        fail(" ".join(map(str, what)))


def report(*words):
    done = subprocess.run([mpirun.REPORT, *map(str, words)], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr


def words_of(source, pattern):
    """The regular expression with the lines of the source in place of {mark}."""
    lines = source.read_text().splitlines()
    found = {match[1]: i for i, line in enumerate(lines, 1) for match in [re.search(r"place: (\w+)", line)] if match}
    pattern = pattern.replace("{source}", re.escape(source.name))
    return re.sub(r"\{(\w+)\}", lambda match: str(found[match[1]]) + r"\b", pattern)


def sentences(text):
    return " ".join(line.strip() for line in text.split("\n\n")[0].splitlines())


def longest(result):
    return max((o["ns"] for o in result.get("open", []) if o["inside"]), default=0) / 1e9


def until_it_hangs(case, source, records, child):
    """Looks at the job until the sentence is there. Returns the result of that moment."""
    wanted = words_of(source, case.said)
    deadline = time.monotonic() + PATIENCE
    said = ""
    while time.monotonic() < deadline and child.poll() is None:
        said, errors = report("--now", records)
        if said and re.search(wanted, sentences(said)):
            result = json.loads(report("--now", "--json", records)[0])
            check(result["verdict"].startswith("still runs"), result["verdict"])
            return result
        time.sleep(0.5)
    fail(f"not said: {wanted}\n{said}\n{errors}")


def check_open(case, result):
    check(sorted(result["cycle"]) == list(case.cycle) and result["cycle_ranks"] == len(case.cycle), "circle:", result["cycle"])
    if case.waits:
        rank, call, partners = case.waits
        found = [o for o in result["open"] if o["rank"] == rank and o["main"]]
        check(len(found) == 1 and found[0]["call"] == call and found[0]["inside"] and found[0]["waits_for"] == partners, found)


def finish(case, child, result):
    if case.how == "kill":
        for row in result["rows"]:
            os.kill(row["pid"], signal.SIGKILL)
        child.communicate()
    elif case.how == "term":
        mpirun.end(child)
    else:
        child.communicate(timeout=PATIENCE)


def elapsed_of(file):
    """The longest elapsed time of a result that is replaced again and again: it is whole at any moment."""
    result = json.loads(file.read_text())
    return max(value for value, _ in next(m for m in result["metrics"] if m["key"] == "elapsed")["largest"])


def keep_file(records):
    """Begins to keep a file of the job: the file grows with the job, and the tool ends with it, in end_file."""
    file = pathlib.Path(records).parent / "kept.json"
    child = subprocess.Popen([mpirun.REPORT, "--now", "--every=1", "--json", "-o", file, records], stderr=subprocess.PIPE, text=True)
    seen, deadline = set(), time.monotonic() + PATIENCE
    while len(seen) < 3 and time.monotonic() < deadline and child.poll() is None:
        if file.exists():
            seen.add(elapsed_of(file))
        time.sleep(0.2)
    check(len(seen) >= 3, "the file does not change", seen, child.poll())
    return child


def end_file(child):
    errors = child.communicate(timeout=PATIENCE)[1]
    check(child.returncode == 0 and errors == "", child.returncode, errors)


def has_ended(pid):
    """One that nobody has waited for yet has."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


def wait_until_ended(records):
    """The launcher may end before the ranks that it ends: Open MPI's does not wait for them, and beside other work
    they may not have had a processor yet to note the signal."""
    pids = [row["pid"] for row in json.loads(report("--recover", "--json", records)[0])["rows"]]
    deadline = time.monotonic() + PATIENCE
    while not all(map(has_ended, pids)):
        check(time.monotonic() < deadline, "these processes have not ended:", [pid for pid in pids if not has_ended(pid)])
        time.sleep(0.01)


def check_after(case, source, records, before, began):
    """What the records say when the job that began then was ended."""
    wait_until_ended(records)
    seconds = time.monotonic() - began
    said, errors = report("--recover", records)
    wanted = words_of(source, case.after or case.said)
    check(re.search(wanted, sentences(said)), f"not said: {wanted}\n{said}\n{errors}")
    check(not case.not_after or not re.search(case.not_after, sentences(said)), f"said: {case.not_after}\n{said}")
    result = json.loads(report("--recover", "--json", records)[0])
    elapsed = next(m for m in result["metrics"] if m["key"] == "elapsed")
    most = max(value for value, _ in elapsed["largest"]) / 1e9
    least = longest(before) if before and case.how == "term" else 0  # it had been for so long when it was looked at
    check(least <= most <= seconds, f"{most} s elapsed, not between {least} and {seconds}")
    if case.how == "term":
        check("Ended by SIGTERM" in sentences(said), said)
        check("no rank has waited" in said or longest(result) >= longest(before), "the wait has become shorter", longest(result), longest(before))
    if before:
        check_open(case, result)
    check_tables(case, result, most)
    if not case.leaves:
        check_unread(result)
    again = pathlib.Path(records, "again.json")
    again.write_text(json.dumps(result))
    check(sentences(report(again)[0]) == sentences(said), "the same from a file:", sentences(report(again)[0]), sentences(said))


def check_tables(case, result, elapsed):
    """The call that is open is a row of the tables of calls and sites like any other."""
    if not case.waits or case.how != "term":
        return
    rank, call, _ = case.waits
    entry = next(o for o in result["open"] if o["rank"] == rank and o["main"])
    row = next(c for c in result["calls"] if c["name"] == call)
    check(entry["ns"] <= row["longest_ns"] <= elapsed * 1e9 + 1, entry, row)
    site = result["sites"][entry["site"]]
    check(site["call"] == call and site["longest_ns"] >= entry["ns"], site)


def check_unread(result):
    """Nobody came to where the processor's time is read: it is not known, rather than 0."""
    key = "cpu_user"
    at = result["row_values"].index(key)
    check(all(row["values"][at] is None for row in result["rows"]), key, [row["values"][at] for row in result["rows"]])
    metric = next(m for m in result["metrics"] if m["key"] == key)
    check(metric["count"] == 0, metric)


def main():
    name, source, program = sys.argv[1:4]
    case, source = CASES[name], pathlib.Path(source)
    began = time.monotonic()
    child, holder = mpirun.start(None, case.ranks, [program, name], env={"PAPI_MPI_REPORT": "none"})
    records = pathlib.Path(holder.name, "records")
    before = None
    try:
        if case.said:
            before = until_it_hangs(case, source, records, child)
            check_open(case, before)
        keeper = keep_file(records) if name == "short" else None
        finish(case, child, before)
        if keeper is not None:
            end_file(keeper)
    finally:
        if child.poll() is None:
            mpirun.end(child)
    check_after(case, source, records, before, began)


main()
