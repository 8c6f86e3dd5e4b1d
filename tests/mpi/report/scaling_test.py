#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_mpi_report --scaling on results of runs whose law is known.

  scaling_test.py TOOL CASE
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import result
from result import SECOND

TOOL = ""
WORK = 64 * SECOND  # useful time of all ranks
INSTRUCTIONS = 128 * 10**9


def expect(truth, text):
    if not truth:
        sys.exit(f"FAILED: {text}")


def tool(*arguments, status=0):
    done = subprocess.run([TOOL, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=600,
                          stderr=subprocess.PIPE, universal_newlines=True, encoding="utf-8", check=False)
    expect(done.returncode == status, f"{arguments}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def run(folder, ranks, balance=1.0, waiting=0.0, work=WORK, instructions=INSTRUCTIONS, ipc=2.0, counters=True, name=None, **more):
    """Writes a run: rank 0 works most, so that load balance is as said; waiting: what the longest rank waits beside,
    as a part of its useful time; work and instructions are of all ranks. Frequency is 1 GHz."""
    most = math.ceil(work / ranks / balance)
    rest = [max(0, round((work - most) / (ranks - 1)))] * (ranks - 1)
    useful = [most] + rest
    counts = {}
    if counters:
        each = round(instructions / ranks)
        counts = {"PAPI_TOT_INS": [each] * ranks, "PAPI_TOT_CYC": [round(each / ipc)] * ranks}
    made = result.result(useful, round(most * (1 + waiting)), counters=counts, outside=counts or None, **more)
    return result.write(folder / f"{name or ranks}.json", made)


def scaling(*files, kind=None, **more):
    option = "--scaling" if kind is None else f"--scaling={kind}"
    found = json.loads(tool(option, "--json", *files, **more).stdout)
    expect((found["format"], found["version"]) == ("papi_mpi scaling", 1), found)
    return found


def column(found, key):
    return [run[key] for run in found["runs"]]


def near(found, wanted, tolerance=1e-6):
    return len(found) == len(wanted) and all(abs(a - b) <= tolerance * max(1, abs(b)) for a, b in zip(found, wanted))


def words(text):
    return " ".join(text.split())


def strong(folder):
    """Load balance 1, 0.9, 0.7; all computed by hand from the runs. The order of the files does not matter."""
    balance = {2: 1.0, 4: 0.9, 8: 0.7}
    files = [run(folder, ranks, balance[ranks], ipc=2.0 if ranks < 8 else 1.6) for ranks in (8, 2, 4)]
    found = scaling(*files)
    expect((found["kind"], found["found"], found["work"]) == ("strong", True, "instructions outside MPI"), found)
    expect(column(found, "ranks") == [2, 4, 8], column(found, "ranks"))
    expect(near(column(found, "load_balance"), [1, 0.9, 0.7]), column(found, "load_balance"))
    expect(near(column(found, "communication"), [1, 1, 1]), column(found, "communication"))
    expect(near(column(found, "computation"), [1, 1, 1]), column(found, "computation"))
    expect(near(column(found, "computation_ipc"), [1, 1, 0.8]), column(found, "computation_ipc"))
    # 64 s of work on 2, 4 and 8 ranks, whose slowest has 1, 1 / 0.9 and 1 / 0.7 of its part.
    elapsed = [WORK / ranks / balance[ranks] for ranks in (2, 4, 8)]
    expect(near(column(found, "elapsed"), elapsed), column(found, "elapsed"))
    expect(near(column(found, "speedup"), [elapsed[0] / t for t in elapsed]), column(found, "speedup"))
    expect(near(column(found, "global"), [WORK / (r * t) for r, t in zip((2, 4, 8), elapsed)]), column(found, "global"))
    expect(found["factor"] == "load_balance", found["factor"])
    expect(found["verdict"].startswith(
        "Strong scaling from 2 to 8 ranks: 2.80 times as fast (4 would be ideal), global efficiency 1.00 to 0.70. "
        "The first factor to break is load balance: 0.70 on 8 ranks, 1.00 on 2. To be expected: "), found["verdict"])
    text = tool("--scaling", *files).stdout
    lines = [words(line) for line in text.splitlines()]
    expect(words(text).startswith(found["verdict"]), text)
    for line in ("ranks 2 4 8", "nodes 1 1 1", "elapsed time 32.00 s 17.78 s 11.43 s", "speedup 1.00 1.80 2.80",
                 "global efficiency 1.000 0.900 0.700", "load balance 1.000 0.900 0.700", "computation scalability 1.000 1.000 1.000",
                 "instructions per cycle 1.000 1.000 0.800", "IPC 2.000 2.000 1.600"):
        expect(line in lines, f"no line {line}\n{text}")
    expect("serialisation and transfer need the critical path in each run: PAPI_MPI_PATH=1" in words(text), text)
    expect("in nodes" not in text and "runs (" not in text, text)


def weak(folder):
    """The problem grows with the ranks; instructions grow by 10 % more than they should on 8 ranks."""
    files = [run(folder, ranks, work=WORK * ranks // 2, instructions=INSTRUCTIONS * ranks // 2 * (11 if ranks == 8 else 10) // 10,
                 waiting={2: 0, 4: 0.1, 8: 0.5}[ranks]) for ranks in (2, 4, 8)]
    found = scaling(*files)
    expect((found["kind"], found["found"]) == ("weak", True), found)
    expect(near(column(found, "computation"), [1, 1, 1]), column(found, "computation"))
    expect(near(column(found, "computation_instructions"), [1, 1, 1 / 1.1]), column(found, "computation_instructions"))
    expect(near(column(found, "global"), [1, 1 / 1.1, 1 / 1.5]), column(found, "global"))
    expect(found["factor"] == "communication", found["factor"])
    expect(found["verdict"].startswith(
        "Weak scaling from 2 to 8 ranks: 1.50 times the time (1 would be ideal), global efficiency 1.00 to 0.67. "
        "The first factor to break is communication: 0.67 on 8 ranks, 1.00 on 2."), found["verdict"])
    # What is asked for is done, and said: as strong scaling, four times the work is a quarter of the efficiency.
    asked = scaling(*files, kind="strong")
    expect((asked["kind"], asked["found"]) == ("strong", False), asked)
    expect(near(column(asked, "computation"), [1, 1 / 2, 1 / 4]), column(asked, "computation"))
    expect(any("strong scaling, as asked for" in remark and "4.4 times as much" in remark for remark in asked["remarks"]), asked)


def unknown(folder):
    """Twice the work on four times the ranks: neither; parallel efficiencies can be said, and no estimate."""
    files = [run(folder, ranks, 0.9, work=WORK * {2: 10, 4: 14, 8: 20}[ranks] // 10, counters=False) for ranks in (2, 4, 8)]
    found = scaling(*files)
    expect(found["kind"] is None and found["work"] == "useful time" and found["estimates"] == [], found)
    expect(column(found, "global") == [None] * 3 and near(column(found, "parallel"), [0.9] * 3), found)
    expect("--scaling=strong or --scaling=weak says which was meant" in found["verdict"], found["verdict"])
    expect("the work (useful time) became 2.00 times as much" in found["verdict"], found["verdict"])
    for kind in ("strong", "weak"):
        expect(scaling(*files, kind=kind)["kind"] == kind, kind)


def ahead(folder):
    """Amdahl's law: 2 % of the work is done by rank 0 alone. Estimates for 2 and 8 times the ranks hold the truth."""
    serial = 0.02

    def efficiency(ranks):
        return 1 / (1 + serial * (ranks - 1))

    files = [run(folder, ranks, waiting=1 / efficiency(ranks) - 1) for ranks in (2, 4, 8, 16)]
    found = scaling(*files)
    expect([estimate["ranks"] for estimate in found["estimates"]] == [32, 128], found["estimates"])
    for estimate in found["estimates"]:
        low, high = estimate["global"]
        least, most = estimate["elapsed"]
        truth = efficiency(estimate["ranks"])
        expect(low <= truth <= high and high < 2.5 * low, f"{truth}: {estimate}")
        expect(least <= WORK / estimate["ranks"] / truth <= most, estimate)
    expect(re.search(r"To be expected: global efficiency 0\.\d\d to 0\.\d\d on 32 ranks \(.* s to .* s\), 0\.\d\d to 0\.\d\d on 128 ranks",
                     found["verdict"]), found["verdict"])
    expect(any("errors of 2 % are assumed" in remark for remark in found["remarks"]), found["remarks"])
    # Of two numbers of ranks there is no estimate, and the way to one is named.
    two = scaling(*files[:2])
    expect(two["estimates"] == [] and "expected" not in two["verdict"], two)
    expect("runs on 3 or more numbers of ranks give an estimate for others" in two["remarks"], two["remarks"])


def repeated(folder):
    """Of runs on the same number of ranks, the median stands for all; their spread is the error of the estimate."""
    files = []
    for ranks in (2, 4, 8):
        for i, waiting in enumerate((0.04, 0.0, 0.02)):
            files.append(run(folder, ranks, waiting=waiting, name=f"{ranks}-{i}"))
    found = scaling(*files)
    expect(column(found, "runs") == [3] * 3 and column(found, "ranks") == [2, 4, 8], found["runs"])
    expect(near(column(found, "elapsed"), [WORK / ranks * 1.02 for ranks in (2, 4, 8)]), column(found, "elapsed"))
    expect(near(column(found, "least_elapsed"), [WORK / ranks for ranks in (2, 4, 8)]), found["runs"])
    expect(near(column(found, "most_elapsed"), [WORK / ranks * 1.04 for ranks in (2, 4, 8)]), found["runs"])
    expect(not any("assumed" in remark for remark in found["remarks"]), found["remarks"])
    expect("runs (the median is shown) 3 3 3" in words(tool("--scaling", *files).stdout), "no row of the runs")


def remarks(folder):
    """What makes the table doubtful is said; another node is in it."""
    def said(*words, **second):
        found = scaling(run(folder, 2), run(folder, 4, **second), run(folder, 8))
        text = " ".join(found["remarks"])
        for word in words:
            expect(word in text, f"{word}: {found['remarks']}")

    said("warning: the run on 4 ranks has another program than that of the first column", program="/home/user/bin/other")
    said("warning: the run on 4 ranks has not all ranks in the result, or not to their end", recovered=True)
    said("warning: the run on 4 ranks has more ranks than processors", crowded=4)
    said("warning: the run on 4 ranks has calls of PMPI_... by the program or its libraries", unseen_ranks=4, unseen=["MPI_Send"])
    said("instructions, IPC and frequency need two counters in each run: PAPI_EVENTS=PAPI_TOT_INS,PAPI_TOT_CYC", counters=False)
    plain = scaling(run(folder, 2), run(folder, 4), run(folder, 8))
    expect(not any("warning" in remark for remark in plain["remarks"]), plain["remarks"])
    files = [run(folder, 2), run(folder, 4, nodes=2), run(folder, 8, 0.5, nodes=4)]
    text = words(tool("--scaling", *files).stdout)
    expect("nodes 1 2 4" in text and "across nodes 1.000 1.000" in text, text)


def forms(folder):
    """CSV and the page have what JSON has; a file is written whole."""
    files = [run(folder, ranks, waiting=0.01 * ranks) for ranks in (2, 4, 8)]
    found = scaling(*files)
    rows = list(csv.DictReader(io.StringIO(tool("--scaling", "--csv", *files).stdout)))
    expect([row["kind"] for row in rows] == ["measured"] * 3 + ["low", "high"] * 2, rows)
    for row, run_ in zip(rows, found["runs"]):
        expect((int(row["ranks"]), int(row["nodes"])) == (run_["ranks"], 1), row)
        for key in ("elapsed", "global", "computation_ipc", "gigahertz"):
            expect(near([float(row[key])], [run_[key]]), (key, row, run_))
        expect(row["serialisation"] == "" and run_["serialisation"] is None, row)
    for i, estimate in enumerate(found["estimates"]):
        pair = rows[3 + 2 * i:5 + 2 * i]
        expect(near([float(row["global"]) for row in pair], estimate["global"]), (pair, estimate))
    page = tool("--scaling", "--html", *files).stdout
    inside = re.search(r'id="scaling-data">(.*?)</script>', page, re.S)
    expect(inside and json.loads(inside[1]) == found, "the page has not the table")
    expect(json.loads(re.search(r'id="result">(.*?)</script>', page, re.S)[1])["job"]["ranks"] == 8, "not the largest run")
    expect(found["verdict"].replace("&", "&amp;") in page, "the page has not the verdict")
    tool("--scaling", "--json", "-o", folder / "out.json", *files)
    expect(json.loads((folder / "out.json").read_text(encoding="utf-8")) == found, "another file")
    # Sixty-four runs: the first and the last are in the text, and as many of the others as have room.
    many = [run(folder, ranks, 0.9, name=f"many-{ranks}") for ranks in range(2, 66)]
    lines = tool("--scaling", *many).stdout.splitlines()
    expect(max(map(len, lines)) <= 110 and len(lines) <= 40, "too wide or too long")
    ranks = next(line.split() for line in lines if line.startswith("ranks"))[1:]
    expect(ranks[0] == "2" and ranks[-1] == "65" and len(ranks) == 8, ranks)


def refused(folder):
    """Each refusal says what is wrong, and what to do."""
    two, four = run(folder, 2), run(folder, 4)
    for arguments, status, text in (
            (["--scaling", two], 2, "needs the results of at least two runs: papi_mpi_report --scaling 2.json 4.json"),
            (["--scaling"], 2, "at least two runs"),
            (["--scaling=medium", two, four], 2, '--scaling is strong or weak, not "medium"'),
            ([f"--scaling={two}", four], 2, "the results follow as words of their own"),
            (["--scaling", "--reference", two, two, four], 2, "--scaling goes with"),
            (["--scaling", "--csv=calls", two, four], 2, "--scaling goes with"),
            (["--scaling"] + [two] * 65, 2, "at most 64"),
            (["--scaling", two, two], 1, "all of these runs had 2 ranks"),
            (["--scaling", two, folder / "none.json"], 1, "none.json"),
            (["--scaling", two, run(folder, 8, emulated=True)], 1, "the run on 8 ranks was in the emulator")):
        done = tool(*arguments, status=status)
        expect(text in done.stderr and done.stdout == "", f"{arguments}: {done.stderr}")
    nothing = result.write(folder / "nothing.json", result.result([0] * 8, 0))
    expect("has no time between MPI_Init and MPI_Finalize" in tool("--scaling", two, nothing, status=1).stderr, "no time")


def main():
    global TOOL
    TOOL = os.path.abspath(sys.argv[1])
    case = {f.__name__: f for f in (strong, weak, unknown, ahead, repeated, remarks, forms, refused)}[sys.argv[2]]
    with tempfile.TemporaryDirectory(prefix="papi_mpi_scaling_") as folder:
        case(pathlib.Path(folder))


main()
