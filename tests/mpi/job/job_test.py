#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a job leaves at MPI_Finalize: job_test.py CASE PROGRAMS, with mpi_test of programs.cmake."""
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile

import mpirun
from mpirun import fail, run, skip

FLAVOUR = mpirun.FLAVOUR
RANKS = 2 if FLAVOUR == "mpich" else 4
RANK_VARIABLE = "PMI_RANK" if FLAVOUR == "mpich" else "OMPI_COMM_WORLD_RANK"
PROGRAMS = pathlib.Path(sys.argv[2])
UNEVEN = [str(PROGRAMS / f"uneven_{FLAVOUR}")]
PAGE = 4096


def check(condition, *what):
    if not condition:
        fail(" ".join(map(str, what)))


def metric(result, key):
    found = [m for m in result["metrics"] if m["key"] == key]
    check(len(found) == 1, f"{len(found)} metrics {key}")
    return found[0]


def values(result, key):
    place = result["row_values"].index(key)
    return [row["values"][place] for row in result["rows"]]


def complaints(outcome):
    return [line for line in outcome.errors.splitlines() if line.startswith("papi_mpi: ")]


def no_rubbish(folder, but=()):
    """Nothing is left in the folder but files of these names."""
    left = sorted(p.name for p in pathlib.Path(folder).iterdir() if p.name not in but)
    check(not left, "left behind:", left)


def is_whole_report(text, result=None):
    check("parallel efficiency" in text and "quality:" in text, "no report in:", text)
    check(len(text.splitlines()) <= 45, "a long report:", text)
    if result:
        check(f"{result['job']['ranks']} ranks" in text, "the report is of another job:", text)


# ---- figures

def balanced_figures(outcome, expected):
    """What is wrong with the figures of the attempt, or None. The identities must hold whatever the machine does."""
    result = outcome.result
    check(result is not None, "no result", outcome.errors)
    factors = result["efficiency"]
    useful, elapsed = metric(result, "useful"), metric(result, "elapsed")
    longest = elapsed["largest"][0][0]
    check(abs(factors["parallel"] - factors["load_balance"] * factors["communication"]) < 1e-7, factors)
    check(abs(factors["load_balance"] - factors["in_nodes"] * factors["across_nodes"]) < 1e-7, factors)
    check(abs(factors["parallel"] - int(useful["sum"]) / (useful["count"] * longest)) < 1e-7, factors)
    check(abs(factors["communication"] - useful["largest"][0][0] / longest) < 1e-7, factors)
    for line, key in [("parallel efficiency", "parallel"), ("load balance", "load_balance"),
                      ("communication", "communication"), ("in nodes", "in_nodes"),
                      ("across nodes", "across_nodes")]:
        found = re.search(rf"^ *{line} +([0-9.]+)  [#.]{{20}}", outcome.errors, re.M)
        check(found, f"no {line} in", outcome.errors)
        check(abs(float(found[1]) - factors[key]) <= 0.00051, line, found[1], factors)
    for key, value in expected.items():
        if abs(factors[key] - value) > 0.01:
            return f"{key} is {factors[key]}, not {value}"
    return f"communication is {factors['communication']}" if factors["communication"] <= 0.99 else None


def balance(expected, env=None):
    """A machine with too much to do keeps a rank from working for a while; longer attempts are hit less."""
    wrong = None
    for seconds in (1.2, 2.4, 4.8, 9.6):
        outcome = run(None, 2, [PROGRAMS / f"balance_{FLAVOUR}", seconds], env=env).check()
        wrong = balanced_figures(outcome, expected)
        if wrong is None:
            print(f"{seconds} s:", outcome.result["efficiency"])
            return
        print(f"{seconds} s: {wrong}")
    fail(wrong)


def case_balance():
    balance({"load_balance": 0.75, "parallel": 0.75, "in_nodes": 0.75, "across_nodes": 1})


def case_nodes():
    """MPICH can be told to take the ranks of a machine for those of two."""
    two = {"MPIR_CVAR_NUM_CLIQUES": "2"}
    result = run(None, 2, UNEVEN, env=two).check().result
    if result["job"]["nodes"] != 2:
        skip("this MPICH does not make two nodes of one")
    check([row["node"] for row in result["rows"]] == [0, 1], result["rows"])
    check(values(result, "sent_bytes") == values(result, "sent_away_bytes"), result["rows"])
    check(metric(result, "node_useful")["count"] == 2, metric(result, "node_useful"))
    balance({"load_balance": 0.75, "in_nodes": 1, "across_nodes": 0.75}, env=two)


def quantile(sorted_values, part):
    place = part * (len(sorted_values) - 1)
    low = int(place)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (place - low) * (sorted_values[high] - sorted_values[low])


def metric_is_that_of(found, all_values):
    """Every figure of a metric, from the ranks' values."""
    pairs = [(value, rank) for rank, value in enumerate(all_values) if value is not None]
    numbers = sorted(value for value, _ in pairs)
    n = len(numbers)
    check(found["count"] == n, found, all_values)
    if n == 0:
        # Many machines have no frequency, and nobody has counted what came.
        check(found["key"] in ("frequency", "node_frequency", "received_rate"), found)
        return
    mean = sum(numbers) / n
    check(int(found["sum"]) == sum(numbers) and int(found["squares"]) == sum(v * v for v in numbers), found)
    check(abs(found["mean"] - mean) <= 1e-9 * mean, found)
    deviation = (sum((v - mean) ** 2 for v in numbers) / n) ** 0.5
    check(abs(found["deviation"] - deviation) <= 1e-6 * mean, found, deviation)
    check(found["smallest"] == [list(p) for p in sorted(pairs)[:8]], found, pairs)
    largest = sorted(pairs, key=lambda p: (-p[0], p[1]))
    check(found["largest"] == [list(p) for p in largest[:8]], found, pairs)
    for key, part in [("p5", 0.05), ("p50", 0.5), ("p95", 0.95)]:
        check(abs(found[key] - quantile(numbers, part)) <= 1e-9 * numbers[-1], key, found)
    check(sum(ranks for _, ranks in found["buckets"]) == n, found)
    for (start, ranks), (end, _) in zip(found["buckets"], found["buckets"][1:] + [[1 << 70, 0]]):
        check(sum(start <= v < end for v in numbers) == ranks, start, found, numbers)


def case_uneven():
    outcome = run(None, RANKS, UNEVEN).check()
    check("uneven is through" in outcome.output, outcome.output)
    result = outcome.result
    job = result["job"]
    check(result["format"] == "papi_mpi result" and result["version"] == 1, result["format"], result["version"])
    check((job["ranks"], job["present"], job["unfinished"], job["different"]) == (RANKS, RANKS, 0, 0), job)
    check(job["nodes"] == 1 and job["program"] == UNEVEN[0] and not job["recovered"], job)
    check([row["rank"] for row in result["rows"]] == list(range(RANKS)), "rows")
    check(len({row["pid"] for row in result["rows"]}) == RANKS, "pids")
    for row in result["rows"]:
        check(row["state"] == "finalized" and row["inside"] is None and row["host"] == job["host"], row)
    columns = {"received_messages": 2, "received_bytes": 3}  # ranks themselves have not counted it
    for key in result["row_values"]:
        all_values = values(result, key)
        if key in columns:
            check(all_values == [None] * RANKS, key, all_values)
            all_values = [sum(cell[columns[key]] for cell in result["matrix"]["cells"] if cell[1] == rank) for rank in range(RANKS)]
        metric_is_that_of(metric(result, key), all_values)
    # What the program does.
    behind = [RANKS - 1 - r for r in range(RANKS)]
    messages = [10 * (r + 1) * behind[r] + 1 for r in range(RANKS)]
    sent = [100 * (r + 1) * 10 * (r + 1) * behind[r] for r in range(RANKS)]
    received = [sum(10 * (f + 1) for f in range(r)) for r in range(RANKS)]
    check(values(result, "sent_messages") == messages, values(result, "sent_messages"), messages)
    check(values(result, "sent_bytes") == sent, values(result, "sent_bytes"), sent)
    check(values(result, "sent_away_bytes") == [0] * RANKS, values(result, "sent_away_bytes"))
    elapsed = values(result, "elapsed")
    for key, of, unit in (("sent_rate", sent, 10**9), ("message_rate", messages, 10**12)):  # B/s, and 1/ks
        wanted = [(2 * n * unit + ns) // (2 * ns) for n, ns in zip(of, elapsed)]
        check(all(abs(a - b) <= 1 for a, b in zip(values(result, key), wanted)), key, values(result, key), wanted)
    check(values(result, "received_rate") == [None] * RANKS and result["rates"]["received_rate"] is None, result["rates"])
    for key, of in (("sent_rate", sent), ("message_rate", messages)):
        check(abs(result["rates"][key] / (1e9 * sum(of) / max(elapsed)) - 1) < 1e-12, result["rates"], sum(of), elapsed)
    calls = [messages[r] - 1 + received[r] + 1 + 3 + 5 * (r % 2) for r in range(RANKS)]
    check(values(result, "mpi_calls") == calls, values(result, "mpi_calls"), calls)
    check([row["partners"] for row in result["rows"]] == [b + 1 for b in behind], result["rows"])
    check([row["busiest_peer"] for row in result["rows"]] == list(range(1, RANKS)) + [RANKS - 1], result["rows"])
    by_name = {call["name"]: call for call in result["calls"]}
    expected = {"MPI_Send": sum(messages) - RANKS, "MPI_Recv": sum(received), "MPI_Sendrecv": RANKS,
                "MPI_Allreduce": 3 * RANKS, "MPI_Iprobe": 5 * (RANKS // 2)}
    check({name: call["calls"] for name, call in by_name.items()} == expected, by_name)
    check(by_name["MPI_Send"]["ranks"] == RANKS - 1 and by_name["MPI_Iprobe"]["ranks"] == RANKS // 2, by_name)
    sizes = {}
    for r in range(RANKS):
        size = 1 << ((100 * (r + 1)).bit_length() - 1)
        if behind[r]:
            sizes[size] = sizes.get(size, 0) + messages[r] - 1
    check(result["sent_sizes"] == [[0, RANKS]] + sorted([s, n] for s, n in sizes.items()), result["sent_sizes"])
    check(result["collective_sizes"] == [[64, 3 * RANKS]], result["collective_sizes"])
    useful = values(result, "useful")
    check(metric(result, "node_useful")["largest"] == [[sum(useful) // RANKS, 0]], metric(result, "node_useful"))
    check(metric(result, "node_memory")["largest"] == [[sum(values(result, "peak_memory")), 0]], metric(result, "node_memory"))
    limits = values(result, "node_memory_limit")
    check(0 < limits[0] <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") and limits[1:] == [None] * (RANKS - 1), limits)
    # A call costs something, and less than a system call or two even here.
    check(0 < job["overhead_ns"] < 100000 * sum(calls), job["overhead_ns"])
    is_whole_report(outcome.errors, result)
    check(complaints(outcome) == [], outcome.errors)
    no_rubbish(outcome.folder, ["result.json", "records"])
    no_rubbish(outcome.records)


def rows_have_the_regions(result):
    """What each rank did in each region, of which the job's figures are the sums and the extremes."""
    keys = result["region_values"]
    check(keys == ["visits", "ns", "mpi_ns", *(f"counter.{i}" for i in range(len(result["counters"])))], keys)
    for i, region in enumerate(result["regions"]):
        own = {row["rank"]: row["regions"][i] for row in result["rows"] if row["regions"][i] is not None}
        check(len(own) == region["ranks"] > 0, region, own)
        sums = [sum(values) for values in zip(*own.values())]
        check(sums == [region["visits"], region["ns"], region["mpi_ns"], *region["counters"]], region, own)
        times = {rank: values[1] for rank, values in own.items()}
        check(times[region["most_rank"]] == region["most_ns"] == max(times.values()), region, own)
        check(times[region["least_rank"]] == region["least_ns"] == min(times.values()), region, own)


def is_read_back(outcome):
    """papi_mpi_report keeps all of it."""
    done = subprocess.run([mpirun.REPORT, "--json", outcome.result_file], capture_output=True, text=True, check=True)
    check(json.loads(done.stdout) == outcome.result, "read and written it is another result")
    check(done.stdout.encode() == outcome.result_file.read_bytes(), "read and written it has other bytes")


def case_regions():
    """Each rank has names of its own; more than there are places for are summed up."""
    program = str(PROGRAMS / f"many_regions_{FLAVOUR}")
    outcome = run(None, RANKS, [program, "3"]).check()
    result = outcome.result
    rows_have_the_regions(result)
    is_read_back(outcome)
    regions = {region["name"]: region for region in result["regions"]}
    names = [region["name"] for region in result["regions"]]
    check(names == sorted([f"{i:03} of rank {r}" for i in range(3) for r in range(RANKS)] + ["common"]), names)
    common = regions["common"]
    check((common["ranks"], common["visits"], common["open"]) == (RANKS, 2 * RANKS, 0), common)
    check(0 < common["least_ns"] <= common["most_ns"] <= common["ns"] and common["mpi_ns"] <= common["ns"], common)
    check(common["least_ns"] * RANKS <= common["ns"] <= common["most_ns"] * RANKS, common)
    check(len(common["counters"]) == len(result["counters"]), common)
    barrier = {"name": "MPI_Barrier", "calls": 2 * RANKS, "ns": common["mpi_ns"], "ranks": RANKS}
    check(len(common["calls"]) == 1 and barrier.items() <= common["calls"][0].items(), common["calls"], barrier)
    check(common["mpi_ns"] <= RANKS * common["calls"][0]["most_ns"], common["calls"])
    for r in range(RANKS):
        own = regions[f"001 of rank {r}"]
        check(own["calls"] == [], own)
        check((own["ranks"], own["visits"], own["least_rank"], own["most_rank"]) == (1, 1, r, r), own)
    check(result["job"]["regions_left_out"] == 0, result["job"])
    # Of each rank they fit in its record, of all they do not fit in the job.
    outcome = run(None, RANKS, [program, "100"]).check()
    result = outcome.result
    rows_have_the_regions(result)
    is_read_back(outcome)
    names = [region["name"] for region in result["regions"]]
    everything = sorted([f"{i:03} of rank {r}" for i in range(100) for r in range(RANKS)] + ["common"])
    check(names == everything[:127] + ["other regions"], names)
    check(sum(region["visits"] for region in result["regions"]) == RANKS * 102, "visits are lost")
    left_out = RANKS * 100 + 1 - 127
    check(1 <= result["job"]["regions_left_out"] <= left_out, result["job"])
    check(result["regions"][-1]["ranks"] == RANKS, result["regions"][-1])


def case_counters():
    """The last rank counts less than rank 0, and something that rank 0 does not: neither is a zero."""
    own = ["sh", "-c", f'if [ "${RANK_VARIABLE}" = {RANKS - 1} ]; then PAPI_EVENTS=perf::MINOR-FAULTS,perf::TASK-CLOCK; '
                       f"else PAPI_EVENTS=perf::TASK-CLOCK,perf::PAGE-FAULTS; fi; export PAPI_EVENTS; exec {UNEVEN[0]}"]
    result = run(None, RANKS, own).check().result
    names = [counter["name"] for counter in result["counters"]]
    if not names:
        skip(f"nothing counts here: {result['job']['counter_reason']}")
    check(names == ["perf::TASK-CLOCK", "perf::PAGE-FAULTS"], names)
    check(result["job"]["different"] == 1, result["job"])
    check(None not in values(result, "counter.0"), values(result, "counter.0"))
    check([v is None for v in values(result, "counter.1")] == [False] * (RANKS - 1) + [True], result["rows"])
    for key in ("counter.0", "counter.1"):
        metric_is_that_of(metric(result, key), values(result, key))


def case_node_counters():
    """What belongs to the node is counted once for each, by its first rank; a level is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        zone = pathlib.Path(folder, "sys/class/powercap/intel-rapl:0")
        disk = pathlib.Path(folder, "sys/class/net/eth0/statistics")
        zone.mkdir(parents=True)
        disk.mkdir(parents=True)
        for file, text in ((zone / "name", "package-0"), (zone / "energy_uj", "1000000"),
                           (zone / "max_energy_range_uj", "262143328850"), (disk / "rx_bytes", "500")):
            file.write_text(text + "\n")
        program = [str(PROGRAMS / f"energy_{FLAVOUR}"), zone / "energy_uj", "4000000", disk / "rx_bytes", "700"]
        events = "powercap:::ENERGY_UJ:ZONE0,net:::eth0:rx:bytes,powercap:::MAX_ENERGY_RANGE_UJ:ZONE0,io:::wchar"
        nodes = 1
        settings = {"PAPI_SYSROOT": folder, "PAPI_EVENTS": events}
        for more, nodes in [({}, 1)] + [({"MPIR_CVAR_NUM_CLIQUES": "2"}, 2)] * (FLAVOUR == "mpich"):
            (zone / "energy_uj").write_text("1000000\n")
            (disk / "rx_bytes").write_text("500\n")
            outcome = run(None, RANKS, list(map(str, program)), env=settings | more).check()
            result = outcome.result
            check(result["job"]["nodes"] == nodes, result["job"])
            check([c["name"] for c in result["counters"]] == events.split(",")[:2], result["counters"])
            check(all(c["scope"] == "node" for c in result["counters"]), result["counters"])
            check(values(result, "counter.0") == [3000000] * nodes + [None] * (RANKS - nodes), result["rows"])
            check(values(result, "counter.1") == [200] * nodes + [None] * (RANKS - nodes), result["rows"])
            for key in ("counter.0", "counter.1"):
                metric_is_that_of(metric(result, key), values(result, key))
            check(result["job"]["different"] == 0, result["job"])
            text = " ".join(outcome.errors.split())
            check(f"energy of the packages: {3 * nodes}.000 J" in text, text)
            check("it is a level" in text and "counters of the whole node are its first rank's: 2" in text, text)
            check(result["job"]["doubtful"] == 0 and "too little" not in text, text)
        # One that can begin at 0 again in 9 ms, sooner than the library looks in between.
        (zone / "energy_uj").write_text("1000000\n")
        (zone / "max_energy_range_uj").write_text("4500000\n")
        outcome = run(None, RANKS, [*map(str, program[:3]), "1.2"], env=settings).check()
        check(values(outcome.result, "counter.0") == [3000000] + [None] * (RANKS - 1), outcome.result["rows"])
        check(outcome.result["job"]["doubtful"] == 1 and outcome.result["job"]["lost"] == 0, outcome.result["job"])
        check("counters may be too little, as they were read too seldom: 1" in " ".join(outcome.errors.split()),
              outcome.errors)


def case_crowded():
    """More ranks than processors: that is said first."""
    one = min(os.sched_getaffinity(0))
    outcome = run(None, 2, ["taskset", "-c", one, *UNEVEN]).check()
    check(outcome.result["job"]["crowded"] == 2, outcome.result["job"])
    said = r"2 of 2 ranks take turns on fewer processors(, and have one \d+ % of the time)?; as it is, "
    check(re.match(said, " ".join(outcome.errors.split())), outcome.errors)
    outcome = run(None, 1, ["taskset", "-c", one, *UNEVEN]).check()
    check(outcome.result["job"]["crowded"] == 0 and "take turns" not in outcome.errors, outcome.errors)
    if len(os.sched_getaffinity(0)) > 1: # each on one of its own
        each = ["sh", "-c", f'taskset -cp $({{ echo {one}; echo {max(os.sched_getaffinity(0))}; }} | '
                            f'sed -n "$((${RANK_VARIABLE} + 1))p") $$ >&2 && exec {UNEVEN[0]}']
        outcome = run(None, 2, each).check()
        check(outcome.result["job"]["crowded"] == 0 and "take turns" not in outcome.errors, outcome.errors)


# ---- the file

def case_layout():
    """The rows are where they are promised to be."""
    outcome = run(None, RANKS, UNEVEN).check()
    data = outcome.result_file.read_bytes()
    head = data.index(b'"rows": [\n') + len(b'"rows": [\n')
    length = 1472 + 83 * len(outcome.result["row_calls"])
    for rank in range(RANKS):
        row = data[head + length * rank:head + length * (rank + 1)]
        check(row.endswith(b"\n") and row.count(b"\n") == 1, row)
        check(json.loads(row.strip().rstrip(b","))["rank"] == rank, row)
    check(length > 1472 and data[head + length * RANKS:] == b"  ]\n}\n", data[head + length * RANKS:])
    check(outcome.result_file.stat().st_mode & 0o111 == 0, "executable")


def case_rows():
    for value, rows in [("no", 0), ("yes", RANKS)]:
        result = run(None, RANKS, UNEVEN, env={"PAPI_MPI_ROWS": value}).check().result
        check(len(result["rows"]) == rows, value, len(result["rows"]))
        check(metric(result, "useful")["count"] == RANKS, "metrics need no rows")


def case_places():
    """PAPI_MPI_OUTPUT: none at all, "none", a directory, a relative name; a program that changes its directory."""
    holder = tempfile.TemporaryDirectory()
    folder = pathlib.Path(holder.name)
    name = rf"papi_mpi_uneven_{FLAVOUR}_[A-Za-z0-9.-]+\.json"
    for given in (None, "", f"{folder}/", str(folder)):
        run(None, 2, UNEVEN, env={"PAPI_MPI_OUTPUT": given}, cwd=folder).check()
        files = [p.name for p in folder.iterdir()]
        check(len(files) == 1 and re.fullmatch(name, files[0]), given, files)
        check(len(json.loads((folder / files[0]).read_text())["rows"]) == 2, files)
        (folder / files[0]).unlink()
    outcome = run(None, 2, UNEVEN, env={"PAPI_MPI_OUTPUT": "none"}, cwd=folder).check()
    no_rubbish(folder)
    is_whole_report(outcome.errors)
    check(complaints(outcome) == [], outcome.errors)
    moves = ["sh", "-c", f"cd {folder} && exec {UNEVEN[0]}"]
    (folder / "sub").mkdir()
    outcome = run(None, 2, moves, env={"PAPI_MPI_OUTPUT": "sub/x.json"}).check()
    check([p.name for p in (folder / "sub").iterdir()] == ["x.json"], "relative")
    check(str(folder / "sub/x.json") in outcome.errors, outcome.errors)


def says(outcome, *words):
    """One line, with all words in it, beside that about the records; the report and the program's output come all the
    same."""
    lines = [line for line in complaints(outcome) if "figures are kept" not in line]
    check(len(lines) == 1, "not one line:", outcome.errors)
    for word in words:
        check(word in lines[0], f"no {word!r} in", lines[0])
    is_whole_report(outcome.errors)
    check("uneven is through" in outcome.output, outcome.output)


def case_unwritable():
    folder = tempfile.mkdtemp()
    try:
        for output in (f"{folder}/missing/x.json", "/proc/x.json"):
            outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": output}).check()
            says(outcome, "cannot write", output, "PAPI_MPI_OUTPUT")
            no_rubbish(folder)
            is_kept(outcome)
        if os.geteuid() != 0:
            os.chmod(folder, 0o500)
            outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json"}).check()
            says(outcome, "cannot write", "Permission denied")
        long = "/" + "x" * 300
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": folder + long}).check()
        says(outcome, "cannot write", "name too long")
    finally:
        os.chmod(folder, 0o700)
        shutil.rmtree(folder)


def case_existing():
    """An earlier result is replaced, also through a link; any other file is left alone."""
    with tempfile.TemporaryDirectory() as folder:
        file, link = pathlib.Path(folder, "x.json"), pathlib.Path(folder, "link.json")
        link.symlink_to("x.json")
        run(None, 2, UNEVEN, env={"PAPI_MPI_OUTPUT": file}).check()
        first = json.loads(file.read_text())
        for output in (file, link):
            outcome = run(None, 2, UNEVEN, env={"PAPI_MPI_OUTPUT": output}).check()
            says(outcome, "was there and is replaced", str(file))
            second = json.loads(file.read_text())
            check(second["job"]["name"] != first["job"]["name"], "not replaced")
            first = second
        check(link.is_symlink(), "the link is gone")
        file.write_text("program heat\nend program\n")
        outcome = run(None, 2, UNEVEN, env={"PAPI_MPI_OUTPUT": file}).check()
        says(outcome, "is not a result of papi_mpi and is left as it is", "PAPI_MPI_OUTPUT")
        check(file.read_text() == "program heat\nend program\n", "overwritten")
        no_rubbish(folder, ["x.json", "link.json"])


def case_special():
    """A device: /dev/full has no room, /dev/null takes all, and both are still devices afterwards."""
    outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": "/dev/full"}).check()
    says(outcome, "cannot write /dev/full", "No space left on device")
    outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": "/dev/null"}).check()
    is_whole_report(outcome.errors)
    for device in ("/dev/full", "/dev/null"):
        check(stat.S_ISCHR(os.stat(device).st_mode), device)
    with tempfile.TemporaryDirectory() as folder:
        pipe = f"{folder}/pipe"
        os.mkfifo(pipe)
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_OUTPUT": pipe}).check()  # nobody reads
        says(outcome, "cannot write", pipe)


def case_umask():
    """A program with a umask that takes its own rights: the result has them."""
    with tempfile.TemporaryDirectory() as folder:
        masked = ["sh", "-c", f"umask 777; exec {UNEVEN[0]}"]
        run(None, RANKS, masked, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json", "PAPI_MPI_REPORT": f"{folder}/x"}).check()
        for name in ("x.json", "x"):
            mode = stat.S_IMODE(os.stat(f"{folder}/{name}").st_mode)
            check(mode == 0o600, f"{name} has mode {mode:o}")


def case_file_limit():
    """ulimit -f, set by the program: the kernel would end it with SIGXFSZ."""
    for size in (0, 4096, 9000):  # nothing, a part of the head, or of the rows
        with tempfile.TemporaryDirectory() as folder:
            env = {"PAPI_MPI_OUTPUT": f"{folder}/x.json", "UNEVEN_FILE_SIZE": size}
            outcome = run(None, RANKS, UNEVEN, env=env).check()
            says(outcome, "cannot write", "x.json", "File too large")
            no_rubbish(folder)


def mounted(folder, size):
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "papi_mpi_test", folder],
                          capture_output=True, text=True)
    if done.returncode != 0:
        skip(f"no file system of a given size can be mounted here: {done.stderr.strip()}")


def is_kept(outcome, ranks=RANKS):
    """Nothing is lost: a report is made of the records that the message names."""
    found = re.search(r"the ranks' figures are kept: papi_mpi_report --recover (\S+) makes a report", outcome.errors)
    check(found and pathlib.Path(found[1]).parent == outcome.records, outcome.errors)
    is_whole_report(outcome.errors)
    done = subprocess.run([mpirun.REPORT, "--recover", "--json", found[1]], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    check((result["job"]["present"], result["job"]["unfinished"]) == (ranks, 0), result["job"])
    check(len(result["rows"]) == ranks and int(metric(result, "sent_messages")["sum"]) > 0, result["rows"])


def case_full_disk():
    """A file system with room for the head and not for all rows, and one without any."""
    ranks = 6  # whose rows have more than two pages: the length of a job's figures differs by hundreds of bytes
    whole = run(None, ranks, UNEVEN).check()
    text = whole.result_file.read_text()
    head = text.index('"rows"')
    room = (head + len(text)) // 2 // PAGE * PAGE
    check(head < room < len(text) - PAGE // 2, "no room for the head and a part of the rows:", head, room, len(text))
    folder = tempfile.mkdtemp()
    mounted(folder, room)
    try:
        outcome = run(None, ranks, UNEVEN, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json"}).check()
        says(outcome, "cannot write", "No space left on device")
        no_rubbish(folder)
        is_kept(outcome, ranks)
        pathlib.Path(folder, "other").write_bytes(bytes(room))
        outcome = run(None, ranks, UNEVEN, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json"}).check()
        says(outcome, "cannot write", "No space left on device")
        no_rubbish(folder, ["other"])
    finally:
        subprocess.run(["umount", folder], check=True)
        os.rmdir(folder)


def case_not_shared():
    """A directory that is another one on each node: the result is there without rows, and it is said why."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
        skip("no mount namespace can be made here")
    with tempfile.TemporaryDirectory() as folder:
        inner = f"mount -t tmpfs none {folder}; exec {UNEVEN[0]}"
        alone = ["sh", "-c", f'if [ "${RANK_VARIABLE}" = 0 ]; then exec {UNEVEN[0]}; fi; '
                             f"exec unshare -m sh -c '{inner}'"]
        outcome = run(None, 2, alone, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json", "MPIR_CVAR_NUM_CLIQUES": "2"}).check()
        result = json.loads(pathlib.Path(folder, "x.json").read_text())
        if result["job"]["nodes"] != 2:
            skip("this MPICH does not make two nodes of one")
        says(outcome, "has no rows of the ranks", "not all nodes see its directory")
        check(result["rows"] == [] and metric(result, "useful")["count"] == 2, result["rows"])
        no_rubbish(folder, ["x.json"])


# ---- the report and the switches

def case_report():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "report.txt")
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_REPORT": file}).check()
        is_whole_report(file.read_text(), outcome.result)
        check("parallel efficiency" not in outcome.errors + outcome.output, outcome.errors)
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_REPORT": "stdout"}).check()
        is_whole_report(outcome.output, outcome.result)
        check("parallel efficiency" not in outcome.errors, outcome.errors)
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_REPORT": "none"}).check()
        check("parallel efficiency" not in outcome.errors + outcome.output, outcome.errors)
        check(outcome.result["job"]["ranks"] == RANKS, "the result is there")
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_REPORT": f"{folder}/missing/x"}).check()
        says(outcome, "cannot write the report", f"{folder}/missing/x")
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_ROWS": "maybe"}).check()
        says(outcome, "PAPI_MPI_ROWS=maybe")  # and that once, not from each rank
        # What all ranks have to say is said once; what one of them has, with its number.
        nowhere = f"{folder}/missing"
        outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI_DIR": nowhere}).check()
        says(outcome, nowhere)
        one = ["sh", "-c", f'if [ "${RANK_VARIABLE}" = 1 ]; then export PAPI_MPI_DIR={nowhere}; fi; exec {UNEVEN[0]}']
        outcome = run(None, RANKS, one).check()
        says(outcome, "papi_mpi: rank 1: ", nowhere)
        no_rubbish(folder, ["report.txt"])


def case_off():
    """Switched off on all ranks, or on one: then on all, and nobody waits."""
    outcome = run(None, RANKS, UNEVEN, env={"PAPI_MPI": "off"}).check()
    check(outcome.result is None and outcome.errors.strip() == "", outcome.errors)
    check("uneven is through" in outcome.output, outcome.output)
    for rank in (0, RANKS - 1):
        partly = ["sh", "-c", f'if [ "${RANK_VARIABLE}" = {rank} ]; then export PAPI_MPI=off; fi; exec {UNEVEN[0]}']
        outcome = run(None, RANKS, partly).check()
        check(outcome.result is None and "uneven is through" in outcome.output, outcome.output)
        lines = complaints(outcome)
        check(len(lines) == 1 and "off on some ranks" in lines[0], outcome.errors)


def spawned_jobs(folder, env):
    """The results of a job of two ranks and of the one that it starts; each is of that one in its own files."""
    program = [str(PROGRAMS / f"spawning_{FLAVOUR}")]
    outcome = run(None, 2, program, cwd=folder, env={"PAPI_MPI_OUTPUT": f"{folder}/x.json", "PAPI_MPI_REPORT": f"{folder}/x", **env})
    if outcome.status != 0 and not list(pathlib.Path(folder).glob("x*")):
        # Over UCX, MPICH 4.0 starts no other jobs, and connects to none: neither with this library nor without.
        alone = run(None, 2, program, cwd=folder, preload=False)
        check(alone.status != 0, "MPI_Comm_spawn works without the library:", outcome.errors)
        skip(f"MPI_Comm_spawn does not work here: {outcome.errors[-300:]}")
    outcome.check()
    files = sorted(pathlib.Path(folder).iterdir())
    found = [json.loads(file.read_text()) for file in files if file.suffix == ".json"]
    check(len(files) == 4 and len(found) == 2, files)
    first = json.loads(pathlib.Path(folder, "x.json").read_text())
    second = next(result for result in found if result["job"]["name"] != first["job"]["name"])
    check(pathlib.Path(folder, f"x.{second['job']['name']}.json") in files, files)
    is_whole_report(pathlib.Path(folder, "x").read_text())
    is_whole_report(pathlib.Path(folder, f"x.{second['job']['name']}").read_text())
    return first, second


def case_spawned():
    """Two jobs with the same settings: each has its own result and its own report. How long one waits for the other is
    neither called transfer nor advised to be measured by the critical path, which does not follow it."""
    for path in ("0", "1"):
        with tempfile.TemporaryDirectory() as folder:
            first, second = spawned_jobs(folder, {"PAPI_MPI_PATH": path})
        check(first["job"]["spawned"] == 0 and second["job"]["spawned"] == 2, first["job"], second["job"])
        for result, whose in ((first, "the jobs that it started"), (second, "the job that started this one")):
            job, factors = result["job"], result["efficiency"]
            check(job["path_ranks"] == 2 * int(path) and job["path_missed"] == 3 * job["path_ranks"], job)
            check(factors["serialisation"] is None and factors["transfer"] is None, factors)
            check(f"how much of it is waiting for {whose} is not known" in result["verdict"], result["verdict"])
            check("PAPI_MPI_PATH" not in result["verdict"], result["verdict"])
        check("PAPI_MPI_TIMELINE=256k papi_mpirun -n 2 " in first["verdict"], first["verdict"])
        check("papi_mpirun" not in second["verdict"] and
              "PAPI_MPI_TIMELINE=256k in the environment of the job that started this one" in second["verdict"], second["verdict"])


def case_hybrid():
    """Regions that threads open and in which they call MPI: all that they call there is there, once, and shares of the time are
    those of the threads."""
    outcome = run(None, 2, [PROGRAMS / f"hybrid_{FLAVOUR}"], env={"PAPI_EVENTS": "perf::TASK-CLOCK"}).check()
    if "no MPI_THREAD_MULTIPLE" in outcome.output:
        skip("this MPI has no MPI_THREAD_MULTIPLE")
    result = outcome.result
    check(result["job"]["thread_ranks"] == 2, result["job"])
    ns = {call["name"]: call["ns"] for call in result["calls"]}
    regions = {region["name"]: region for region in result["regions"]}
    visits = {name: region["visits"] for name, region in regions.items()}
    check(visits == {"work": 60, "inner": 60, "alone": 2}, visits)
    calls = {name: {call["name"]: call["calls"] for call in region["calls"]} for name, region in regions.items()}
    check(calls == {"work": {"MPI_Sendrecv": 120, "MPI_Barrier": 60}, "inner": {"MPI_Barrier": 60}, "alone": {"MPI_Barrier": 10}}, calls)
    inside = {name: {call["name"]: call["ns"] for call in region["calls"]} for name, region in regions.items()}
    rounded = 12  # of threads and calls
    check(abs(inside["work"]["MPI_Sendrecv"] - ns["MPI_Sendrecv"]) <= rounded, inside, ns)
    check(abs(inside["work"]["MPI_Barrier"] + inside["alone"]["MPI_Barrier"] - ns["MPI_Barrier"]) <= rounded, inside, ns)
    for name, region in regions.items():
        check(abs(sum(inside[name].values()) - region["mpi_ns"]) <= rounded and region["mpi_ns"] <= region["ns"], name, region)
        check(all(call["ranks"] == 2 for call in region["calls"]), region)
    said = subprocess.run([mpirun.REPORT, "--region=work", outcome.result_file], capture_output=True, text=True, check=True).stdout
    share = re.search(r"\(([0-9.]+) % of all\)", said)
    threads = metric(result, "threads_time")
    whole = threads["count"] * threads["largest"][0][0]
    check(share and abs(float(share[1]) - 100 * regions["work"]["ns"] / whole) <= 0.051, said, whole)


def times_are(result, known, ended=0):
    """The distribution of the calls of which it is known how long they took, from within and from around each. ended: calls
    more that did not return."""
    (call,) = [call for call in result["calls"] if call["name"] == "MPI_Comm_dup"]
    job, n = result["job"], len(known) + ended
    within, around = sorted(pair[0] for pair in known), sorted(pair[1] for pair in known)
    check(call["calls"] == n == sum(calls for _, calls in call["times"]), call, n)
    check([ticks for ticks, _ in call["times"]] == sorted({ticks for ticks, _ in call["times"]}), call)
    wrong = 1e-4  # of the rate of the clock
    done = 0
    for ticks, calls in call["times"]:
        width = max(1, 2 ** (ticks.bit_length() - 3)) if ticks else 1
        start, end = ticks * 1e9 / job["tick_hertz"], (ticks + width) * job["tick_fs"] / 1e6
        check(n - done <= sum(t >= start * (1 - wrong) - 1 for t in around) + ended, ticks, start, call, around)
        done += calls
        check(done <= sum(t <= end * (1 + wrong) + 1 for t in within) + ended, ticks, end, call, within)
    for key, part in (("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_ns", 0.99)):
        start, end = call[key]
        at = max(1, -int(-part * n // 1)) - 1
        check(start * (1 - wrong) - 1 <= around[min(at, len(around) - 1)] and within[max(0, at - ended)] <= end * (1 + wrong) + 1,
              key, start, end, at, within, around)
        check(end - start <= start / 4 * (1 + 2 * wrong) + 2 and end <= call["longest_ns"] + 1, key, call)
    check(within[-1] <= call["longest_ns"] * (1 + wrong) + 1, call, within[-1])


def known_times(folder, ranks, threads, *way, **how):
    outcome = run(None, ranks, [PROGRAMS / f"known_times_{FLAVOUR}", folder, threads, *way], env={"PAPI_MPI_TIMES": "1", **how})
    if "no MPI_THREAD_MULTIPLE" in outcome.output:
        skip("this MPI has no MPI_THREAD_MULTIPLE")
    known = [tuple(map(int, line.split())) for file in sorted(pathlib.Path(folder).iterdir()) for line in file.read_text().splitlines()]
    return outcome, known


def case_times():
    """How long calls took, of ranks and threads, without those that MPI_Pcontrol leaves out; and nothing where it was not asked."""
    for threads in (1, 3):
        with tempfile.TemporaryDirectory() as folder:
            outcome, known = known_times(folder, 2, threads)
            check(len(known) == 200 * threads, len(known), outcome.check().errors)
            times_are(outcome.check().result, known)
        check(re.search(r"^times of .*calls +mean +50 % took .*\n(.*\n)*?MPI_Comm_dup +\S+ \S+ ", outcome.errors, re.M), outcome.errors)
    with tempfile.TemporaryDirectory() as folder:
        outcome, known = known_times(folder, 2, 1, PAPI_MPI_TIMES="0")
        result = outcome.check().result
        check(len(known) == 200 and result["job"]["tick_hertz"] == result["job"]["tick_fs"] == 0, result["job"])
        check(not any(key in call for call in result["calls"] for key in ("times", "p50_ns", "p99_ns")), result["calls"])
        check("50 % took" not in outcome.errors, outcome.errors)


def case_times_ended():
    """A call that did not return is one of the distribution, with the time until the end. All others are as the program saw
    them: it waited so long in those that were over."""
    with tempfile.TemporaryDirectory() as folder:
        outcome, _ = known_times(folder, 1, 1, "end")
        (records,) = outcome.records.iterdir()
        done = subprocess.run([mpirun.REPORT, "--recover", "--json", records], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
    (call,) = [call for call in result["calls"] if call["name"] == "MPI_Comm_dup"]
    check(call["calls"] == 100 == sum(calls for _, calls in call["times"]), call)
    hertz = result["job"]["tick_hertz"]
    for least, calls in ((20000000, 1), (3000000, 9), (300000, 49)):  # the one that did not return may have ended at any time
        found = sum(n for ticks, n in call["times"] if ticks * 1.25 * 1e9 / hertz >= least)
        check(found >= calls, least, calls, call)
    check(call["p95_ns"][1] >= 3000000 and call["longest_ns"] >= 20000000, call)


def handles(outcome):
    lines = re.findall(r"^handles: .*$", outcome.errors, re.M)
    check(len(lines) == RANKS, lines)
    for line in lines:
        check(line.startswith("handles: made 1, "), "one communicator is all that it makes on one machine:", line)
    check(outcome.result["job"]["present"] == RANKS, "no result")
    check_messages(outcome)
    return lines


def check_messages(outcome):
    """On one machine each rank but rank 0 has one other above it in a tree, to which it gives what there is, the names of call
    sites, the times in calls in which all meet, the node's sums, its figures and its row, and from which it gets what there
    is, all names, and whether the result is written. The start is one collective call."""
    found = re.findall(r"^messages: (\d+) sent, (\d+) collective calls$", outcome.errors, re.M)
    check([int(collective) for _, collective in found] == RANKS * [1], found)
    check(sum(int(sent) for sent, _ in found) == (6 + 3) * (RANKS - 1), found)


def case_handles():
    """All that the library makes of MPI is freed before MPI_Finalize. MPI-IO itself makes and keeps types and
    operations, until then."""
    preload = f"{mpirun.WRAPPER}:{PROGRAMS / f'handles_{FLAVOUR}.so'}"
    for line in handles(run(None, RANKS, UNEVEN, preload=preload, env={"PAPI_MPI_ROWS": "no"}).check()):
        check(line.endswith("left 0 communicators, 0 types, 0 operations, 0 files"), line)
    for line in handles(run(None, RANKS, UNEVEN, preload=preload).check()):
        check(" left 0 communicators," in line and line.endswith(" 0 files"), line)


def main():
    case = sys.argv[1]
    globals()[f"case_{case}"]()
    print(f"{case}: as expected")


main()
