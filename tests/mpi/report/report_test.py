#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_mpi_report on results that result.py makes: what it must say of them, to the figure.

  report_test.py TOOL CASE
"""
import csv
import io
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import result
from result import SECOND, call, region

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "utils"))
import terminal  # pylint: disable=wrong-import-position

TOOL = ""
MS = 1_000_000
LINES, COLUMNS = 40, 110
ALL_CALLS = ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Barrier", "MPI_Bcast",
             "MPI_Reduce", "MPI_Allreduce", "MPI_Alltoall", "MPI_Sendrecv", "MPI_Put", "MPI_File_write_all"]
WIDEST = "Ü" * 63


class Failed(Exception):
    pass


def expect(truth, text):
    if not truth:
        raise Failed(text)


def tool(*arguments, status=0, folder=None, **more):
    done = subprocess.run([TOOL, *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, encoding="utf-8",
                          env=dict(os.environ, TZ="UTC"), **more)
    expect(done.returncode == status, f"{arguments}: status {done.returncode}, not {status}\n{done.stdout[-3000:]}"
                                      f"{done.stderr[-3000:]}")
    return done


def report(folder, job, *arguments, fixed=True):
    """The lines of the text report of a job."""
    path = result.write(folder / "job.json", job, fixed)
    done = tool(*arguments, path)
    expect(done.stderr == "", f"on standard error: {done.stderr}")
    lines = done.stdout.splitlines()
    expect(len(lines) <= LINES, f"{len(lines)} lines\n{done.stdout}")
    wide = [line for line in lines if len(line) > COLUMNS]
    expect(not wide, f"wider than {COLUMNS} columns: {wide}")
    expect(not any(line != line.rstrip() for line in lines), "blanks at the end of a line")
    return lines


def has(lines, *wanted):
    """Each wanted text stands there, blanks and line feeds counted as one blank."""
    squeezed = re.sub(" +", " ", " ".join(lines))
    for text in wanted:
        expect(text in squeezed, f"not said: {text}\n" + "\n".join(lines))


def has_not(lines, *unwanted):
    for text in unwanted:
        expect(not any(text in line for line in lines), f"a line has: {text}\n" + "\n".join(lines))


def sentence(lines):
    """The first one, with its continuation lines."""
    n = 1
    while lines[n].startswith("  "):
        n += 1
    return " ".join(line.strip() for line in lines[:n])


# ------------------------------------------------------------------------ the limits

def widest(ranks, regions, counters, calls, **more):
    """A job in which everything is as long as can be, and as much as the arguments say."""
    useful = [(8 * SECOND if rank % 3 else 9 * SECOND) for rank in range(ranks)]
    useful[-1] = 19 * SECOND
    memory = [10**9] * (ranks - 1) + [12 * 10**9]
    names = [f"{WIDEST[:40]}::{i:02d}" for i in range(counters)]
    counts = [10**17 + rank % 7 for rank in range(ranks)]
    return result.result(
        useful, 20 * SECOND, nodes=max(1, ranks // 2), rows=ranks <= 10_000,
        counters={name: counts for name in names},
        calls=[call(name, 2**40 + i, 2**50 - i, 2**61, longest=2**49, rank=ranks - 1)
               for i, name in enumerate(ALL_CALLS[:calls])],
        regions=[region(WIDEST[:58] + f"{i:03d}", 2**55, 2**60 + i, 2**59, (2**59, ranks - 1), (2**60, ranks - 2),
                        [2**60] * counters) for i in range(regions)],
        sent_sizes=[[2**b // 2, 10**12 + b] for b in range(64)], collective_sizes=[[2**b // 2, 3] for b in range(64)],
        more={"peak_memory": memory, "involuntary_switches": memory, "sent_bytes": memory, "major_faults": memory,
              "cpu_user": useful, "cpu_system": memory},
        program="/" + WIDEST * 4, command=WIDEST * 4, host=WIDEST, counter_reason=WIDEST * 4, multiplexed=ranks,
        different=ranks, other_thread_calls=2**62, regions_left_out=2**30, overhead_ns=2**60, threads=512, **more)


def limits(folder):
    for ranks, shapes in ((2, 8), (48, 8), (10_000, 4), (1_000_000, 1)):
        for shape in range(8 - shapes, 8):
            regions, counters, calls = 128 * (shape & 1), 12 * (shape >> 1 & 1), len(ALL_CALLS) * (shape >> 2)
            lines = report(folder, widest(ranks, regions, counters, calls))
            expect(len(lines) > 15, "hardly anything is said")
            expect(" of the time is useful" in " ".join(" ".join(lines[:2]).split()), lines[:2])
    # Everything that can be wrong as well.
    states = {rank: ("runs", "aborts", "exits")[rank % 3] for rank in range(0, 900, 2)}
    inside = {rank: ALL_CALLS[rank % 14] for rank in range(0, 900, 2)}
    job = widest(1000, 128, 12, 14, recovered=True, states=states, inside=inside, present=list(range(0, 1000, 2)))
    lines = report(folder, job)
    has(lines, "regions", "MPI calls", "elapsed time", "useful time")
    expect(len(lines) == LINES, f"{len(lines)} lines: there would be more to say")
    # One of a recovered job, with next to nothing in it.
    empty = result.result([0], 0, recovered=True)
    expect(report(folder, empty)[0].startswith("PARTIAL"), "not partial")


# ---------------------------------------------------------------------- the verdicts

def verdicts(folder):
    balanced = [int(9.9 * SECOND)] * 4
    slow_rank = [7200 * MS] * 12
    slow_rank[3] = 10 * SECOND
    slow_node = [6 * SECOND] * 8
    slow_node[4:6] = [9 * SECOND] * 2
    idle = [9 * SECOND] * 8
    idle[0] = SECOND
    waiting = [int(5.5 * SECOND)] * 4
    ipc = {"PAPI_TOT_INS": [30 * 10**9] * 4, "PAPI_TOT_CYC": [20 * 10**9] * 4}
    # name, job, first line
    table = [
        ("balanced", result.result(balanced, calls=[call("MPI_Barrier", 4, 4 * 100 * MS)],
                                   more={"mpi_calls": [1] * 4}),
         "99 % of the time is useful, MPI takes 1 % and the ranks are balanced: what can be gained is in the computation"),
        ("one slow rank", result.result(slow_rank),
         "74 % of the time is useful; rank 3 works 35 % longer than the mean: load balance 0.74 limits this job"),
        ("twice the work", result.result([6 * SECOND, 3 * SECOND], 6 * SECOND + MS),
         "75 % of the time is useful; rank 0 works 33 % longer than the mean: load balance 0.75 limits this job"),
        ("one idle rank", result.result(idle, 9 * SECOND),
         "89 % of the time is useful; rank 0 works 89 % less than the median: load balance 0.89 costs most"),
        ("one slow node", result.result(slow_node, 9 * SECOND, nodes=4),
         "75 % of the time is useful; the node of rank 4 (node2) works 33 % longer than the mean node: "
         "load balance across nodes 0.75 limits this job"),
        ("communication", result.result(waiting, calls=[call("MPI_Allreduce", 40, 16 * SECOND),
                                                        call("MPI_Send", 40, 2 * SECOND)]),
         "55 % of the time is useful; MPI takes 45 %, MPI_Allreduce alone 40 %: communication efficiency 0.55 limits this job"),
        ("tiny messages", result.result(waiting, calls=[call("MPI_Sendrecv", 2 * 10**6, 16 * SECOND)],
                                        more={"sent_messages": [500000] * 4, "sent_bytes": [4 * 10**6] * 4}),
         "55 % of the time is useful; MPI takes 45 %, MPI_Sendrecv alone 40 %, in 2.000 M messages of 8 B on average, 50000 a second "
         "from each rank: communication efficiency 0.55 limits this job"),
        ("not so many", result.result(waiting, calls=[call("MPI_Sendrecv", 2 * 10**6, 16 * SECOND)],
                                      more={"sent_messages": [1000] * 4, "sent_bytes": [8000] * 4}),
         "55 % of the time is useful; MPI takes 45 %, MPI_Sendrecv alone 40 %: communication efficiency 0.55 limits this job"),
        ("nothing in MPI", result.result([10 * SECOND] * 4, counters=ipc),
         "100 % of the time is useful and balanced, no MPI call was made: what can be gained is in the computation "
         "itself (IPC 1.50)"),
        ("one rank", result.result([10 * SECOND]),
         "100 % of the time is useful; one rank alone: what can be gained is in the computation itself"),
        ("one rank, in MPI", result.result([6 * SECOND], calls=[call("MPI_File_write_all", 1, 4 * SECOND)]),
         "60 % of the time is useful; file access takes 40 %, MPI_File_write_all alone 40 %: file access (communication efficiency 0.60) "
         "limits this job"),
        ("several file calls", result.result([6 * SECOND], calls=[call("MPI_File_open", 1, SECOND), call("MPI_Barrier", 1, SECOND),
                                                                  call("MPI_File_write", 9, 2 * SECOND)]),
         "60 % of the time is useful; file access takes 30 %, MPI_File_write alone 20 %: file access (communication efficiency 0.60) "
         "limits this job"),
        ("few files", result.result([6 * SECOND], calls=[call("MPI_File_open", 1, int(0.5 * SECOND)), call("MPI_Barrier", 1, int(2.5 * SECOND)),
                                                                     call("MPI_File_write", 9, SECOND)]),
         "60 % of the time is useful; MPI takes 40 %, files 15 %, MPI_Barrier alone 25 %: communication efficiency 0.60 "
         "limits this job"),
        ("windows", result.result([6 * SECOND], calls=[call("MPI_Win_lock", 1, SECOND), call("MPI_Win_unlock", 1, SECOND),
                                                       call("MPI_Put", 9, 2 * SECOND)]),
         "60 % of the time is useful; MPI takes 40 %, synchronisation of windows 20 %, MPI_Put alone 20 %: communication efficiency "
         "0.60 limits this job"),
        ("all in MPI", result.result([0, 0]),
         "0 % of the time is useful; MPI takes 100 %: communication efficiency 0.00 limits this job"),
        ("no time", result.result([0, 0], 0),
         "No rank has a time between MPI_Init and MPI_Finalize: nothing can be said of this job"),
    ]
    for name, job, wanted in table:
        lines = report(folder, job)
        expect(sentence(lines) == wanted, f"{name}:\n{sentence(lines)}\nand not\n{wanted}")
    no_counters = result.result(balanced, counter_reason="perf_event_paranoid is 4: set it to 2")
    has(report(folder, no_counters), "no counters: perf_event_paranoid is 4: set it to 2")
    advice = "PAPI_L1_DCM: none here; to have it counted here, "
    for words, command, wanted in (
            ("papi_counted or papi_emulate", "./heat 3", 'rebuild the program by "papi_counted mpifort ...", or run '
             '"papi_mpirun -n 4 papi_emulate ./heat 3"'),
            ("papi_emulate --caches", "./heat 'a b'", 'run "papi_mpirun -n 4 papi_emulate --caches ./a.out"'),
            ("papi_counted", "./heat", 'rebuild the program by "papi_counted mpifort ..."'),
            ('do what "papi_doctor" says', "./heat", 'do what "papi_doctor" says')):
        job = result.result([SECOND] * 4, counter_reason=advice + words, command=command)
        has(report(folder, job), "no counters: " + advice + wanted)
    # Other threads than the main one call MPI: what the main one does says nothing, and nothing is judged.
    threads = result.result([10 * SECOND] * 2, threads=12, thread_level=3, other_thread_calls=900,
                            calls=[call("MPI_Sendrecv_replace", 900, 160 * SECOND, main=0), call("MPI_Barrier", 2, 2000, main=2000)])
    lines = report(folder, threads)
    expect(sentence(lines).startswith("Up to 12 threads of a rank call MPI, and other threads than the main ones were in MPI for 160.0 s "
                                      "together, while the ranks ran for 20.00 s. How much of their time is useful is not known"), sentence(lines))
    has_not(lines, "% of the time is useful", "parallel efficiency 1")
    has(lines, "parallel efficiency n/a")
    found = json.loads(tool("--json", folder / "job.json").stdout)["efficiency"]
    expect(set(found.values()) == {None}, found)
    # Their time is known: 50 s of each rank's threads, however long it ran.
    known = dict(threads=5, thread_level=3, other_thread_calls=900, thread_ranks=2, blocked_ns=20 * SECOND,
                 calls=[call("MPI_Sendrecv_replace", 900, 20 * SECOND), call("MPI_Barrier", 2, 2000)])
    times = {"threads_time": [50 * SECOND] * 2}
    lines = report(folder, result.result([40 * SECOND, 20 * SECOND], 40 * SECOND, more=times, regions=[region("r", 4, 25 * SECOND, counters=())], **known))
    has(lines, "r 4 25.00 s 25.0 %")
    expect(sentence(lines) == "60 % of the time of the threads that call MPI is useful; rank 0 works 33 % longer than the mean: load balance 0.75 "
                              "limits this job", sentence(lines))
    has(lines, "parallel efficiency 0.600", "communication 0.800", "time of threads 100.0 s", "MPI_Sendrecv_replace 900 20.00 s >99.9 % 20.0 %",
        "times of all ranks are those of all threads that call MPI (900 calls by others than the main ones), which were blocked for 20.00 s outside of MPI")
    # One rank alone has them, and OpenMP's runtime is there: what its threads do is for another option to say.
    times = {"threads_time": [40 * SECOND] * 2}
    lines = report(folder, result.result([30 * SECOND, 10 * SECOND], 40 * SECOND, more=times, **{**known, "thread_ranks": 1, "openmp_ranks": 2, "path_ranks": 2}))
    expect(sentence(lines) == "50 % of the time of the threads that call MPI (1 of 2 ranks has several) is useful; rank 0 works 50 % longer than the "
                              "mean: load balance 0.67 limits this job; PAPI_MPI_THREADS=1 tells how long threads of OpenMP are idle", sentence(lines))
    has(lines, "the critical path is that of the main threads, and others call MPI", "threads of OpenMP that wait without giving up their processor")
    has_not(report(folder, result.result([30 * SECOND, 10 * SECOND], 40 * SECOND, more=times, **{**known, "openmp_ranks": 2, "teams": "ompt"})), "PAPI_MPI_THREADS")
    # The main threads alone call MPI, and others compute.
    more = {"cpu_user": [30 * SECOND] * 2}
    has(report(folder, result.result([9 * SECOND] * 2, more=more, openmp_ranks=2)), "PAPI_MPI_THREADS=1 tells how long threads of OpenMP are idle")
    has_not(report(folder, result.result([9 * SECOND] * 2, openmp_ranks=2)), "PAPI_MPI_THREADS")
    # One short call of a helper thread changes nothing.
    threads["calls"][0].update(ns=SECOND // 10, most_ns=SECOND // 10)
    expect(sentence(report(folder, threads)).startswith("100 % of the time is useful"), "a short call of a thread")


def shown(folder, job, columns, *arguments):
    """The lines on a terminal of so many columns."""
    status, text = terminal.on_terminal([TOOL, *arguments, str(result.write(folder / "job.json", job, True))],
                                        dict(os.environ, TZ="UTC", LC_ALL="C"), columns)
    expect(status == 0, text)
    return text.splitlines()


def on_terminal(folder):
    """No line is broken by the terminal: there are fewer columns in the tables, and more lines of sentences."""
    states = {rank: ("runs", "aborts", "exits")[rank % 3] for rank in range(0, 900, 2)}
    hard = widest(1000, 128, 12, 14, recovered=True, states=states)
    for job in (hard, widest(48, 0, 12, 14), widest(2, 0, 0, 0)):
        lines = shown(folder, job, 80)
        expect(max(map(len, lines)) <= 80 and len(lines) <= LINES * 110 // 80, "\n".join(lines))
        # All that stands below the tables of the wide report is there.
        end = re.sub(r"ÜÜ.*", "", " ".join(" ".join(report(folder, job)[-4:]).split()))[-60:]
        has(lines, end)
        expect(shown(folder, job, 110) == report(folder, job), "a terminal that has room for all")
    counters = {"PAPI_TOT_INS": [8 * 10**9] * 2, "PAPI_TOT_CYC": [4 * 10**9] * 2, "PAPI_DP_OPS": [10**9] * 2}
    found = [region("sweep", 2000, 12 * SECOND, 3 * SECOND, (5 * SECOND, 1), (7 * SECOND, 0),
                    [12 * 10**9, 8 * 10**9, 24 * 10**8])]
    made = [call("MPI_Send", 100, 2 * SECOND, 10**8, longest=SECOND, rank=1)]
    lines = shown(folder, result.result([9 * SECOND] * 2, regions=found, counters=counters, calls=made), 80)
    has(lines, "of each rank total min @rank max @rank imbalance", "parallel efficiency 0.900 load balance x communication",
        "MPI calls by time calls time of MPI of all longest @rank", "MPI_Send 100 2.000 s 100 % 10.0 % 1.000 s @1",
        "regions by time visits time of all in MPI IPC MFLOP/s", "sweep 2000 12.00 s 60.0 % 25.0 % 1.50 200")
    lines = shown(folder, result.result([9 * SECOND] * 2, regions=[region("x", 1, 1)]), 80)
    has(lines, "regions by time visits time of all in MPI max @rank")
    reference = result.write(folder / "reference.json", widest(48, 0, 2, 3), True)
    lines = shown(folder, hard, 80, "--reference", str(reference))
    expect(max(map(len, lines)) <= 80, "\n".join(lines))
    status, text = terminal.on_terminal([TOOL, "/no/such/file/in/a/folder/whose/name/is/so/long/that/it/does/not/fit/in"],
                                        dict(os.environ, LC_ALL="C"))
    expect(status == 1 and max(map(len, text.splitlines())) <= 80, text)


def partial(folder):
    useful = [5 * SECOND] * 6
    here = [0, 1, 3, 5]
    job = result.result(useful, 6 * SECOND, present=here, recovered=True,
                        states={0: "runs", 1: "runs", 3: "aborts"}, inside={0: "MPI_Allreduce", 1: "MPI_Allreduce"})
    lines = report(folder, job)
    expect(sentence(lines) == "PARTIAL (from the ranks' records): 2 of 6 ranks missing (2, 4); 3 never came to "
           "MPI_Finalize: rank 3 called MPI_Abort, 2 ranks in MPI_Allreduce", sentence(lines))
    expect(lines[2].startswith("83 % of the time is useful"), lines[2])
    has(lines, "ranks missing: 2, unfinished: 3", "elapsed time 24.00 s")
    job = result.result(useful, present=[0, 1], recovered=True, states={0: "runs", 1: "exits"})
    wanted = "4 of 6 ranks missing (2-5); 2 never came to MPI_Finalize: rank 1 exited, rank 0 was outside MPI"
    expect(sentence(report(folder, job)).endswith(wanted), sentence(report(folder, job)))
    whole = result.result(useful, recovered=True)
    has(report(folder, whole), "PARTIAL (from the ranks' records): all 6 ranks are here; those here came to MPI_Finalize")
    # A list of missing ranks that has no end.
    many = result.result([5 * SECOND] * 100, present=list(range(0, 100, 2)), recovered=True)
    has(report(folder, many), "50 of 100 ranks missing (1, 3, 5, 7, 9, 11, ...)")
    # What is whole says nothing of the kind.
    has_not(report(folder, result.result(useful)), "PARTIAL", "missing", "unfinished")


# ----------------------------------------------------------------------- the figures

def figures(folder):
    """Numbers of every size, in the places where they are shown."""
    def totals(**more):
        return report(folder, result.result([SECOND] * 2, **more))

    for value, text in ((7, "7"), (999999, "999999"), (1000000, "1.000 M"), (1234567, "1.235 M"), (99994999, "99.99 M"),
                        (99995001, "100.0 M"), (999949999, "999.9 M"), (999950001, "1.000 G"), (2 * 10**18, "2.000 E")):
        has(totals(counters={"C": [value, 0]}), f"C {text} 0 @1")
    for value, text in ((1, "1 B"), (999, "999 B"), (1000, "1.000 kB"), (123456789, "123.5 MB")):
        has(totals(more={"peak_memory": [value, 0]}), f"peak memory {text} 0 @1")
    for value, text in ((1, "1 ns"), (999, "999 ns"), (1000, "1.000 us"), (999950, "1.000 ms"), (59 * SECOND, "59.00 s"),
                        (9999 * SECOND, "9999 s"), (36000 * SECOND, "10.00 h"), (36 * 10**6 * SECOND, "10.00 kh")):
        has(totals(more={"cpu_user": [value, 0]}), f"processor time, user {text} 0 @1")
    has(totals(more={"peak_memory": [10, 30]}), "peak memory 40 B 10 B @0 11 B 20 B 29 B 30 B @1 50.0 %")


def metrics(folder):
    lines = report(folder, result.result([6 * SECOND, 3 * SECOND], 6 * SECOND + MS,
                                         counters={"PAPI_DP_OPS": [3001, 1000]}, sent_sizes=[[0, 1], [8, 2], [4096, 1]],
                                         more={"peak_memory": [10**9, 2 * 10**9], "sent_bytes": [4096, 0]}))
    has(lines,
        "solver: 2 ranks on node0, MPICH, 2023-11-14 22:13, 6.001 s elapsed",
        "parallel efficiency 0.750 ###############.....", "load balance 0.750", "in nodes 0.750", "across nodes 1.000",
        "communication 1.000", "serialisation, transfer: only with PAPI_MPI_PATH=1",
        "of each rank total min @rank p5 p50 p95 max @rank imbalance",
        "elapsed time 12.00 s 6.001 s @0 6.001 s 6.001 s 6.001 s 6.001 s @0 0 %",
        "useful time 9.000 s 3.000 s @1 3.150 s 4.500 s 5.850 s 6.000 s @0 33.3 %",
        "MPI time 3.002 s 1.000 ms @0 151.0 ms 1.501 s 2.851 s 3.001 s @1 99.9 %",
        "PAPI_DP_OPS 4001 1000 @1 1100.0 2000.5 2900.9 3001 @0 50.0 %",
        "peak memory 3.000 GB 1.000 GB @0 1.050 GB 1.500 GB 1.950 GB 2.000 GB @1 33.3 %",
        "bytes sent 4.096 kB 0 @1 204.8 B 2.048 kB 3.891 kB 4.096 kB @0 100 %",
        "messages by size, 4: 0 B 25.0 % 8 B - 16 B 50.0 % 4 KiB - 8 KiB 25.0 %",
        "333.4 FLOP/s a rank, 666.7 FLOP/s in all (from MPI_Init to MPI_Finalize, MPI included)",
        "counters read at region and job boundaries, so MPI is in them")
    has_not(lines, "page faults", "MPI calls by time", "regions by time", "IPC", "12.5 %")
    # With counts outside MPI the rates are those of useful time: 12e9 / 6e9, 6e9 cycles in 3 s, 9e9 operations.
    counters = {"PAPI_TOT_INS": [10**10, 10**10], "PAPI_TOT_CYC": [10**10, 10**10], "PAPI_FP_OPS": [10**10] * 2}
    outside = {"PAPI_TOT_INS": [6 * 10**9] * 2, "PAPI_TOT_CYC": [3 * 10**9] * 2, "PAPI_FP_OPS": [45 * 10**8] * 2}
    lines = report(folder, result.result([int(1.5 * SECOND)] * 2, 2 * SECOND, counters=counters, outside=outside))
    has(lines, "IPC 2.00, 2.00 GHz, 3.000 GFLOP/s a rank, 6.000 GFLOP/s in all (outside MPI)",
        "counters read inside MPI calls too", "PAPI_TOT_INS 20.00 G", "PAPI_TOT_INS, not MPI 12.00 G")
    lines = report(folder, result.result([SECOND] * 2, counters={"emu::DP_OPS": [10**9] * 2}, emulated=True))
    has(lines, "times are the emulator's")
    has(lines, "emu::DP_OPS 2.000 G 1.000 G @0")
    # papi_emulate --cycles=estimate: from its cycles, nothing follows.
    lines = report(folder, result.result([int(1.5 * SECOND)] * 2, 2 * SECOND, counters=counters, outside=outside, emulated=True))
    has(lines, "PAPI_TOT_CYC 20.00 G 10.00 G @0")
    has_not(lines, "IPC", "GHz")


def by_name(folder):
    """Metrics that PAPI_EVENTS=@... asked for: of counters of all ranks, and of a rank's time."""
    given = result.result([SECOND] * 2, 2 * SECOND, regions=[region("solve", 2, 4 * SECOND, counters=[2 * 10**9, 10**9, 0])],
                          counters={"PAPI_FP_OPS": [3 * 10**9, 10**9], "PAPI_TOT_INS": [10**10] * 2, "PAPI_TOT_CYC": [0, 0]})
    given["formulas"] = [
        {"name": name, "unit": unit, "formula": formula, "description": "of " + name, "reason": reason, "counted": not reason}
        for name, unit, formula, reason in (
            ("mflops", "MFLOP/s", "PAPI_FP_OPS / time / 1e6", ""), ("flop_per_ins", "FLOP/ins", "PAPI_FP_OPS / PAPI_TOT_INS", ""),
            ("ipc", "ins/cycle", "PAPI_TOT_INS / PAPI_TOT_CYC", ""), ("joules", "J", "powercap:::X / 1e6", "no such file"))]
    has(report(folder, given), "all ranks together: mflops 2000 MFLOP/s, flop_per_ins 0.2 FLOP/ins; no value of ipc, joules: "
        "papi_mpi_report --formulas says why", "metrics of regions mflops flop_per_ins ipc", "solve 1000 2 -")
    path = result.write(folder / "job.json", given)
    expect(tool("--formulas", path).stdout.splitlines() ==
           ["mflops: 2000 MFLOP/s", "    = PAPI_FP_OPS / time / 1e6: of mflops",
            "flop_per_ins: 0.2 FLOP/ins", "    = PAPI_FP_OPS / PAPI_TOT_INS: of flop_per_ins",
            "ipc: - (it divides by PAPI_TOT_CYC, which is 0)", "    = PAPI_TOT_INS / PAPI_TOT_CYC: of ipc",
            "joules: - (no such file)", "    = powercap:::X / 1e6: of joules"], tool("--formulas", path).stdout)
    written = json.loads(tool("--json", path).stdout)
    expect([each["value"] for each in written["formulas"]] == [2000, 0.2, None, None], written["formulas"])
    expect(written["regions"][0]["formulas"] == [1000, 2, None, None], written["regions"])
    for mine, theirs in zip(given["formulas"], written["formulas"]):
        for key in ("name", "unit", "formula", "description", "counted"):
            expect(mine[key] == theirs[key], f"{key}: {mine}, {theirs}")
    given["formulas"][0]["formula"] = "PAPI_FP_OPS / ("
    expect("mflops: - (the formula" in tool("--formulas", result.write(folder / "job.json", given)).stdout, "a wrong formula")
    given["formulas"] *= 300
    done = tool(result.write(folder / "job.json", given), status=1)
    expect("longer than there is room for" in done.stderr, done.stderr)
    has_not(report(folder, result.result([SECOND] * 2, 2 * SECOND)), "all ranks together", "metrics of regions")
    expect("not asked for metrics" in tool("--formulas", folder / "job.json").stdout, "what --formulas says of no metric")


def comm(kind, calls, ns, bytes=0, name=None, made_by=None, n=1, sizes=(4, 4), ranks=4, most=0):
    return {"kind": kind, "name": name, "made_by": made_by, "communicators": n, "least_size": sizes[0], "most_size": sizes[1], "calls": calls,
            "ns": ns, "bytes": bytes, "ranks": ranks, "most_ns": ns // 2, "most_rank": most}


def communicators(folder):
    job = result.result([6 * SECOND] * 4, calls=[call("MPI_Allreduce", 100, 8 * SECOND, 1000)], comm_ranks=4)
    job["communicators"] = [comm("world", 10, 2 * SECOND, 500), comm("made", 50, 4 * SECOND, 400, "row", "MPI_Comm_split", 2, (2, 3), 4, 3),
                            comm("made", 20, SECOND, 100, None, "MPI_Comm_dup"), comm("files", 20, SECOND // 2, 0, n=0, sizes=(0, 0), ranks=1)]
    has(report(folder, job), "communicators by time number ranks calls time of MPI sent called by max @rank",
        "row 2 2-3 50 4.000 s 50.0 % 400 B 4 2.000 s @3", "MPI_COMM_WORLD 1 4 10 2.000 s 25.0 % 500 B 4 1.000 s @0",
        "MPI_Comm_dup 1 4 20 1.000 s 12.5 % 100 B 4 500.0 ms @0", "files 20 500.0 ms 6.2 % 0 1 250.0 ms @0")
    expect(json.loads(tool("--json", folder / "job.json").stdout)["communicators"] == job["communicators"], "communicators are not written as they were read")
    rows = table(tool("--csv=communicators", folder / "job.json").stdout)
    expect([(row["kind"], row["name"], row["made_by"], row["calls"], row["ns"]) for row in rows] ==
           [("world", "", "", "10", str(2 * SECOND)), ("made", "row", "MPI_Comm_split", "50", str(4 * SECOND)),
            ("made", "", "MPI_Comm_dup", "20", str(SECOND)), ("files", "", "", "20", str(SECOND // 2))], rows)
    job["communicators"] = [job["communicators"][0], job["communicators"][3]]  # one communicator alone
    has_not(report(folder, job), "communicators by time")
    expect(len(json.loads(tool("--json", folder / "job.json").stdout)["communicators"]) == 2, "communicators in JSON")
    for wrong in ([comm("mine", 1, 1)], [comm("made", 1, 1, f"{i}") for i in range(65)], [{"kind": "made"}], {}):
        tool(result.write(folder / "wrong.json", {**job, "communicators": wrong}), status=1)
    without = result.result([6 * SECOND] * 4)
    expect("communicators" not in json.loads(tool("--json", result.write(folder / "job.json", without)).stdout), "nobody counted communicators")
    expect(table(tool("--csv=communicators", folder / "job.json").stdout) == [], "rows of communicators that nobody counted")


def calls(folder):
    made = [call("MPI_Send", 100, 2 * SECOND, 10**8, longest=SECOND, rank=1), call("MPI_Recv", 4, 6 * SECOND, 0, rank=0, received=99 * 10**6)]
    made[0]["received_bytes"] = 0
    lines = report(folder, result.result([6 * SECOND] * 2, calls=made))
    # 100 MB in 2 s, 99 MB in 6 s: where a call has a speed, that is there in place of the bytes of one call.
    has(lines, "MPI calls by time calls time of MPI of all sent speed received longest @rank",
        "MPI_Send 100 2.000 s 25.0 % 10.0 % 100.0 MB 50.00 MB/s 0 1.000 s @1",
        "MPI_Recv 4 6.000 s 75.0 % 30.0 % 0 16.50 MB/s 99.00 MB 6.000 s @0")
    rows = table(tool("--csv=calls", folder / "job.json").stdout)
    expect([(row["sent_rate"], row["received_rate"]) for row in rows] == [("50000000", ""), ("", "16500000")], f"speed: {rows}")
    written = json.loads(tool("--json", folder / "job.json").stdout)["calls"]
    expect([(one["sent_rate"], one["received_rate"]) for one in written] == [(5e7, None), (None, 1.65e7)], written)
    uncounted = [{**one, "uncounted": 1} for one in made]  # a part of the bytes in all of the time
    has(report(folder, result.result([6 * SECOND] * 2, calls=uncounted)), "MPI_Recv 4 6.000 s 75.0 % 30.0 % 0 0 99.00 MB 6.000 s @0")
    report(folder, result.result([6 * SECOND] * 2, calls=made))
    expect([row["received_bytes"] for row in table(tool("--csv=calls", folder / "job.json").stdout)] == ["0", "99000000"], "received")
    expect([one["received_bytes"] for one in json.loads(tool("--json", folder / "job.json").stdout)["calls"]] == [0, 99 * 10**6], "received")
    for one in made:
        del one["received_bytes"]  # of an earlier version: it is not known
    has(report(folder, result.result([6 * SECOND] * 2, calls=made)), "MPI_Recv 4 6.000 s 75.0 % 30.0 % 0 n/a - 6.000 s @0")
    expect([row["received_bytes"] for row in table(tool("--csv=calls", folder / "job.json").stdout)] == ["", ""], "received is not known")
    written = json.loads(tool("--json", folder / "job.json").stdout)
    expect(not any("received_bytes" in one for one in written["calls"]), written["calls"])
    expect([one["received_rate"] for one in written["calls"]] == [None, None], written["calls"])
    # 4 GB of two ranks in the 10 s of the one that takes longer, though the other one has 600 MB/s for 5 s.
    rates = result.result([5 * SECOND] * 2, elapsed=[10 * SECOND, 5 * SECOND], more={"sent_bytes": [10**9, 3 * 10**9], "sent_messages": [4, 8]})
    rates["metrics"] += [result.metric("sent_rate", [10**8, 6 * 10**8], "sent per second", "B/s"),
                         result.metric("message_rate", [400, 1600], "messages per second", "1/ks")]
    has(report(folder, rates), "sent per second 400.0 MB/s 100.0 MB/s @0", "messages per second 1.200 /s 0.400 /s @0", "1.600 /s @1")
    expect(json.loads(tool("--json", folder / "job.json").stdout)["rates"] == {"sent_rate": 4e8, "received_rate": None, "message_rate": 1.2}, "rates")
    said = [(row["value"], row["unit"]) for row in table(tool("--csv=long", folder / "job.json").stdout) if row["metric"] in ("sent_rate", "message_rate")]
    expect(said == [("400000000", "B/s"), ("1.2", "1/s")], said)
    rates["metrics"][-2] = result.metric("sent_rate", [10**8], "sent per second", "B/s")  # of one of two ranks
    has(report(folder, rates), "sent per second n/a 100.0 MB/s @0")
    # These return before the bytes have come there, or complete what another call began.
    later = [call("MPI_Isend", 100, 2 * SECOND, 10**8, received=0), call("MPI_Bsend", 100, SECOND, 10**8, received=0),
             call("MPI_Waitall", 4, 6 * SECOND, 0, received=10**8), call("MPI_Irecv", 4, SECOND // 2, 0, received=0),
             call("MPI_Iallreduce", 4, SECOND // 4, 8, received=8), call("MPI_Barrier", 4, SECOND // 8, 0)]
    has(report(folder, result.result([5 * SECOND] * 2, calls=later)), "MPI calls by time calls time of MPI of all sent per call received longest @rank")
    written = json.loads(tool("--json", folder / "job.json").stdout)["calls"]
    expect(len(written) == 6 and all(one["sent_rate"] is None and one["received_rate"] is None for one in written), written)
    expect([line[:8] for line in lines if line.startswith("MPI_")] == ["MPI_Recv", "MPI_Send"], "not by time")
    # Eight threads wait beside each other: shares of the table are those of the main one, and the job is not judged by it.
    threads = [call("MPI_Recv", 16, 40 * SECOND, main=SECOND), call("MPI_Barrier", 2, 3 * SECOND)]
    threaded = result.result([3 * SECOND] * 2, 5 * SECOND, calls=threads, other_thread_calls=16)
    lines = report(folder, threaded)
    has(lines, "other threads than the main ones were in MPI for 39.00 s together", "MPI_Recv 16 40.00 s 93.0 % 10.0 %",
        "MPI_Barrier 2 3.000 s 7.0 % 30.0 %")
    for made_call in threads:
        del made_call["main_ns"]  # of an earlier version
    has(report(folder, threaded), "MPI_Barrier 2 3.000 s 7.0 % 30.0 %")
    # Classes of a quarter of a power of two ticks, of a nanosecond: of 100 calls 90, 8 and 2.
    spread = [{**call("MPI_Send", 100, 2 * SECOND, longest=3000), "times": [[8, 90], [32, 8], [2560, 2]]}, call("MPI_Bcast", 1, MS)]
    timed = result.result([6 * SECOND] * 2, calls=spread, tick_hertz=10**9, tick_fs=10**6)
    lines = report(folder, timed)
    has(lines, "times of calls mean 50 % took 95 % 99 % longest", "MPI_Send 20.00 ms 8-10 ns 32-40 ns 2.560-3.000 us 3.000 us")
    has_not(lines, "PAPI_MPI_TIMES", "times of 1")
    path = result.write(folder / "timed.json", timed)
    quantiles = [f"{name}_{end}_ns" for name in ("p50", "p95", "p99") for end in ("from", "to")]
    row, other = table(tool("--csv=calls", path).stdout)
    expect([row[key] for key in quantiles] == ["8", "10", "32", "40", "2560", "3000"], row)
    expect([other[key] for key in quantiles] == [""] * 6, other)
    expect(tool("--csv=times", path).stdout.splitlines() ==
           ["name,from_ns,to_ns,calls", "MPI_Send,8,10,90", "MPI_Send,32,40,8", "MPI_Send,2560,3000,2"], "the table of times")
    long = {row["metric"]: row["value"] for row in table(tool("--csv=long", path).stdout) if row["call"] == "MPI_Send"}
    expect([long[key] for key in quantiles] == ["8", "10", "32", "40", "2560", "3000"], long)
    said = {each["name"]: each for each in json.loads(tool("--json", path).stdout)["calls"]}
    expect([said["MPI_Send"][key] for key in ("times", "p50_ns", "p95_ns", "p99_ns")] ==
           [spread[0]["times"], [8, 10], [32, 40], [2560, 3000]] and "times" not in said["MPI_Bcast"], said)
    # It is not known how long 20 more took: any time.
    more = {**timed, "calls": [{**spread[0], "calls": 120}]}
    has(report(folder, more), "MPI_Send 16.67 ms 8-10 ns 32 ns-3.000 us 2.560-3.000 us 3.000 us")
    # Nobody asked: the variable is named where a call that takes much time has once taken very long.
    for longest, named in ((SECOND, False), (2 * SECOND, True)):
        slow = [call("MPI_Send", 100, 2 * SECOND if named else 100 * SECOND, longest=longest)]
        lines = report(folder, result.result([6 * SECOND] * 2, calls=slow))
        (has if named else has_not)(lines, "PAPI_MPI_TIMES=1 says how many calls took how long")
    many = [call(name, 1, (i + 1) * MS) for i, name in enumerate(ALL_CALLS)]
    regions = [region(f"r{i}", 1, i, counters=()) for i in range(100)]
    lines = report(folder, result.result([6 * SECOND] * 2, calls=many, regions=regions))
    shown = [line.split()[0] for line in lines if line.startswith("MPI_")]
    expect(shown == ALL_CALLS[::-1][:len(shown)] and 4 <= len(shown) < 14, shown)
    has(lines, f"top {len(shown)} of 14 MPI calls")


def one_region(folder):
    """The calls and the ranks of one region, as text and as CSV, and what of MPI's time is in none of the calls."""
    inside = [{"name": "MPI_Send", "calls": 4, "ns": SECOND, "ranks": 2, "most_ns": 700 * MS, "most_rank": 1},
              {"name": "MPI_Barrier", "calls": 2, "ns": 2 * SECOND, "ranks": 2, "most_ns": 2 * SECOND, "most_rank": 0}]
    halo = {**region("halo", 400, 8 * SECOND, 4 * SECOND, (3 * SECOND, 1), (5 * SECOND, 0), counters=()), "calls": inside}
    job = result.result([6 * SECOND] * 2, regions=[halo, region("empty", 2, SECOND, counters=())])
    job["region_values"] = ["visits", "ns", "mpi_ns"]
    for i, row in enumerate(job["rows"]):
        row["regions"] = [None, [200, (5, 3)[i] * SECOND, (3, 1)[i] * SECOND]]
    path = result.write(folder / "job.json", job, fixed=False)
    lines = [" ".join(line.split()) for line in tool("--region=halo", path).stdout.splitlines()]
    expect(lines[0] == "halo: 2 of 2 ranks, 400 visits, 8.000 s (40.0 % of all), 50.0 % of it in MPI", lines)
    for line in ("MPI_Barrier 2 2.000 s 50.0 % 25.0 % 2 2.000 s @0", "MPI_Send 4 1.000 s 25.0 % 12.5 % 2 700.0 ms @1",
                 "others, or not ended 1.000 s 25.0 % 12.5 %", "rank 0 2.000 s 3.000 s 5.000 s 200", "rank 1 2.000 s 1.000 s 3.000 s 200"):
        expect(line in lines, f"{line}: {lines}")
    expect([line[:11] for line in lines if line.startswith("MPI_")] == ["MPI_Barrier", "MPI_Send 4 "], lines)
    for form in ("--csv", "--csv=calls"):
        expect(tool("--region=halo", form, path).stdout.splitlines() ==
               ["name,calls,ns,ranks,most_ns,most_rank", f"MPI_Barrier,2,{2 * SECOND},2,{2 * SECOND},0", f"MPI_Send,4,{SECOND},2,{700 * MS},1"], form)
    rows = [row for row in table(tool("--csv=long", path).stdout) if row["region"] and row["call"]]
    expect({(row["region"], row["call"]) for row in rows} == {("halo", "MPI_Send"), ("halo", "MPI_Barrier")}, rows)
    expect([row["value"] for row in rows if (row["call"], row["metric"]) == ("MPI_Send", "most_ns")] == [str(700 * MS)], rows)
    lines = tool("--region=empty", path).stdout
    expect("no MPI call was made in it" in lines and "no figures of regions by rank" in lines, lines)
    said = tool("--region=hallo", path, status=1).stderr
    expect('no region "hallo"; the nearest is halo: papi_mpi_report --csv=regions lists' in " ".join(said.split()), said)
    for form in ("--json", "--html", "--csv=sites", "--formulas"):
        expect("--json and --html have all of them" in " ".join(tool("--region=halo", form, path, status=2).stderr.split()), form)


def regions(folder):
    counters = {"PAPI_TOT_INS": [8 * 10**9] * 2, "PAPI_TOT_CYC": [4 * 10**9] * 2, "PAPI_DP_OPS": [10**9] * 2}
    found = [region("sweep", 2000, 12 * SECOND, 3 * SECOND, (5 * SECOND, 1), (7 * SECOND, 0),
                    [12 * 10**9, 8 * 10**9, 24 * 10**8]),
             region("Fluß, \x1b[31mrot\n", 2, SECOND, 0, (SECOND // 2, 0), (SECOND // 2, 1), [0, 0, 0])]
    lines = report(folder, result.result([9 * SECOND] * 2, regions=found, counters=counters))
    has(lines, "regions by time visits time of all in MPI min @rank max @rank IPC MFLOP/s",
        "sweep 2000 12.00 s 60.0 % 25.0 % 5.000 s @1 7.000 s @0 1.50 200",
        "Fluß, ?[31mrot? 2 1.000 s 5.0 % 0 % 500.0 ms @0 500.0 ms @1 0")
    lines = report(folder, result.result([9 * SECOND] * 2, regions=[region("x", 1, 1)], regions_left_out=7))
    has(lines, "regions that did not fit: 7")
    has_not(lines, "IPC", "MFLOP/s")
    # Energy: of both packages of both nodes, in a region that their first ranks enter, and in one of another rank.
    counters |= {f"powercap:::ENERGY_UJ:ZONE{zone}": [30 * 10**6] * 2 for zone in (0, 1)}
    found = [region("sweep", 2000, 12 * SECOND, 3 * SECOND, (5 * SECOND, 1), (7 * SECOND, 0),
                    [12 * 10**9, 8 * 10**9, 24 * 10**8, 25 * 10**6, 17500000]),
             region("other", 2, SECOND, 0, (SECOND // 2, 0), (SECOND // 2, 1), [0, 0, 0, 0, 0])]
    lines = report(folder, result.result([9 * SECOND] * 2, regions=found, counters=counters, nodes=2))
    has(lines, "energy of the packages: 120.0 J",
        "regions by time visits time of all in MPI max @rank IPC MFLOP/s energy",
        "sweep 2000 12.00 s 60.0 % 25.0 % 7.000 s @0 1.50 200 42.50 J", "other 2 1.000 s 5.0 % 0 % 500.0 ms @1 0")
    del counters["PAPI_TOT_INS"], counters["PAPI_TOT_CYC"], counters["PAPI_DP_OPS"]
    found[0]["counters"], found[1]["counters"] = found[0]["counters"][3:], found[1]["counters"][3:]
    has(report(folder, result.result([9 * SECOND] * 2, regions=found, counters=counters, nodes=2)),
        "regions by time visits time of all in MPI min @rank max @rank energy",
        "sweep 2000 12.00 s 60.0 % 25.0 % 5.000 s @1 7.000 s @0 42.50 J")
    # Counters of each, those that have room; a rate of next to nothing is a number that can be read, in its column.
    counters = {"PAPI_DP_OPS": [10**9] * 2, "powercap:::ENERGY_UJ:ZONE0": [30 * 10**6] * 2}
    counters |= {f"perf::EVENT-OF-A-LONG-NAME-{i}": [5 * 10**6] * 2 for i in range(10)}
    found = [region("sweep", 2 * 10**9, 12 * SECOND, 3 * SECOND, (5 * SECOND, 1), (7 * SECOND, 0),
                    [1, 25 * 10**5, *range(10**6, 11 * 10**6, 10**6)])]
    lines = report(folder, result.result([9 * SECOND] * 2, regions=found, counters=counters))
    has(lines, "sweep 2.000 G 12.00 s 60.0 % 25.0 % 7.000 s @0 <0.001 2.500 J",
        "counters of regions PAPI_DP_OPS ZONE0 EVENT-OF-A-L~ EVENT-OF-A-L~ EVENT-OF-A-L~ EVENT-OF-A-L~",
        "sweep 1 2.500 M 1.000 M 2.000 M 3.000 M 4.000 M")
    expect(not any("e-" in line for line in lines), lines)
    has_not(lines, "efficiency of regions")  # of an earlier version, which has not the figures
    uneven = result.with_efficiency(region("uneven", 2, SECOND), [6 * SECOND // 10] * 2, [5 * SECOND // 10, SECOND // 10])
    lines = report(folder, result.result([9 * SECOND] * 2, regions=[uneven]))
    has(lines, "efficiency of regions parallel balance comm. most useful", "uneven 0.500 0.600 0.833 500.0 ms @0")
    has_not(report(folder, result.result([9 * SECOND], regions=[uneven])), "efficiency of regions")
    spread = result.with_efficiency(region("spread", 4, SECOND), [SECOND] * 4, [SECOND, SECOND // 2, SECOND // 2, 0],
                                    [SECOND * 3 // 4, SECOND // 4], SECOND)
    lines = report(folder, result.result([9 * SECOND] * 4, nodes=2, regions=[spread], path_ranks=4))
    has(lines, "efficiency of regions parallel balance in nodes across comm. most useful", "spread 0.500 0.500 0.750 0.667 1.000 1.000 s @0")
    many = [region(f"r{i}", 1, i) for i in range(128)]
    lines = report(folder, result.result([9 * SECOND] * 2, regions=many))
    shown = [line.split()[0] for line in lines if re.match(r"r\d", line)]
    expect(shown == [f"r{i}" for i in range(127, 127 - len(shown), -1)] and len(shown) > 10, shown)
    has(lines, f"top {len(shown)} of 128 regions")


def outliers(folder):
    useful = [8 * SECOND + rank * MS for rank in range(64)]
    useful[17], useful[40] = 9 * SECOND + 500 * MS, 2 * SECOND
    lines = report(folder, result.result(useful, nodes=8))
    # Ranks are on nodes of 8: 17 on the third, 40 on the sixth.
    has(lines, "outliers, useful time: rank 17 (node2) 9.500 s; rank 40 (node5) 2.000 s (median 8.031 s)")
    lines = report(folder, result.result(useful, nodes=8, rows=False))
    has(lines, "outliers, useful time: rank 40 2.000 s (median")
    alike = [8 * SECOND + (rank * 37 % 64) * MS for rank in range(64)]
    has_not(report(folder, result.result(alike, nodes=8)), "outliers")
    # Half and half is a spread and no outlier; two ranks have none to be judged by.
    halves = [4 * SECOND if rank % 2 else 8 * SECOND for rank in range(64)]
    has_not(report(folder, result.result(halves)), "outliers")
    has_not(report(folder, result.result([8 * SECOND, SECOND])), "outliers")
    few = {"major_faults": [0] * 63 + [99], "cpu_system": [9 * MS] * 63 + [30 * MS], "sent_bytes": [0] * 63 + [8]}
    has_not(report(folder, result.result(alike, more=few)), "outliers")
    # Nor is 1 beside 0 an imbalance of 6300 %.
    lines = report(folder, result.result(alike, more={"major_faults": [0] * 63 + [1]}))
    expect(any(line.startswith("major page faults") and line.split()[-1] == "-" for line in lines), lines)
    many = {"major_faults": [0] * 63 + [1999], "cpu_system": [9 * MS] * 63 + [3000 * MS]}
    has(report(folder, result.result(alike, more=many)), "major page faults: rank 63 1999", "system: rank 63 3.000 s")
    counts = [10**9] * 63 + [0]
    has(report(folder, result.result(alike, counters={"PAPI_FP_OPS": counts, "other": [5] * 64})),
        "outliers, PAPI_FP_OPS: rank 63 0 (median 1.000 G)")
    memory = [10**9] * 59 + [9 * 10**9] * 5
    has(report(folder, result.result(alike, more={"peak_memory": memory})),
        "outliers, peak memory: rank 59 9.000 GB, rank 60 9.000 GB, rank 61 9.000 GB, and 2 more (median 1.000 GB)")


def site(call_name, ns, frames, object=0, address=0x1234, calls=10):
    return {"call": call_name, "object": object, "address": address, "calls": calls, "ns": ns, "bytes": 0, "ranks": 4,
            "longest_ns": ns, "longest_rank": 2, "least_ns": 1, "least_rank": 1, "most_ns": ns, "most_rank": 3,
            "frames": [{"routine": routine, "file": file, "line": line} for routine, file, line in frames]}


def sites(folder):
    useful = [8 * SECOND] * 4
    job = result.result(useful, calls=[call("MPI_Wait", 40, 8 * SECOND), call("MPI_Send", 40, 2 * SECOND)])
    job["sites_mode"] = "call"
    job["objects"] = [{"path": "/home/user/solver", "build_id": "00ff"}]
    job["other_sites"] = {key: 0 for key in ("calls", "ns", "bytes", "ranks", "longest_ns", "longest_rank", "least_ns",
                                             "least_rank", "most_ns", "most_rank")}
    job["sites"] = [site("MPI_Send", 2 * SECOND, [("halo::send", "", 0)]),
                    site("MPI_Wait", 5 * SECOND, [("halo::exchange", "/src/halo.f90", 57), ("solve", "/src/solve.f90", 12)]),
                    site("MPI_Wait", 2 * SECOND - 1, []), site("MPI_Wait", SECOND, [], -1, 0)]
    lines = report(folder, job)
    has(lines, "call sites by time time of MPI calls sent max @rank",
        "MPI_Wait halo.f90:57 halo::exchange (in solve) 5.000 s 50.0 % 10 0 5.000 s @3",
        "MPI_Send halo::send (solver) 2.000 s 20.0 %", "MPI_Wait solver+0x1234 2.000 s")
    has_not(lines, "in no file", "did not fit")
    has(lines, "call sites without a name: 20.0 % of the time at call sites, most in solver, which has no symbols")
    has_not(lines, "PAPI_MPI_SITES")
    table = tool("--csv=sites", folder / "job.json").stdout.splitlines()
    expect(table[0].startswith("call,routine,file,line,object,address,calls,ns,"), table[0])
    expect("MPI_Wait,halo::exchange,/src/halo.f90,57,/home/user/solver,4660,10,5000000000," in table[2], table[2])
    written = json.loads(tool("--json", folder / "job.json").stdout)
    expect([one.pop("sent_rate") for one in written["sites"]] == [0, None, None, None], "no MPI_Send, or a speed of MPI_Wait")
    for key in ("objects", "sites", "sites_mode", "other_sites"):
        expect(written[key] == job[key], f"{key}: {written[key]}")
    unnamed_sites(folder, job)
    foreign_sites(folder, job)
    job["other_sites"].update(calls=7, ns=SECOND, ranks=1)
    has(report(folder, job), "7 calls from call sites that did not fit, 1.000 s")
    for key, wrong in (("sites_mode", "all"), ("sites", [site("MPI_Send", 1, [], 1)]), ("sites", [site("MPI_Other", 1, [])]),
                       ("objects", [{"path": "/a", "build_id": "0g"}])):
        tool(result.write(folder / "wrong.json", {**job, key: wrong}), status=1)


# ----------------------------------------------------------------------- the places

def at_sites(job, sites, **more):
    empty = {key: 0 for key in ("calls", "ns", "bytes", "ranks", "longest_ns", "longest_rank", "least_ns", "least_rank", "most_ns",
                                "most_rank")}
    return {**job, "sites_mode": "call", "objects": [{"path": job["job"]["program"], "build_id": "00ff"}], "other_sites": empty,
            "sites": sites, **more}


def second(folder, job):
    """The second sentence; "" where there is none."""
    lines = report(folder, job)
    n = next(i for i, line in enumerate(lines) if line.startswith("solver: "))
    text = " ".join(line.strip() for line in lines[:n])
    expect(text.startswith(sentence(lines)), text)
    return text[len(sentence(lines)) + 1:]


def places(folder):
    """The second sentence, and the three places of JSON and CSV."""
    halo = site("MPI_Waitall", 5 * SECOND, [("halo::exchange", "/src/halo.f90", 57), ("solve", "/src/solve.f90", 12)])
    norm = site("MPI_Allreduce", 8 * SECOND, [("TimeIncrement(Domain&)", "/src/lulesh.cc", 186)])
    bare, lost = site("MPI_Send", 3 * SECOND, []), site("MPI_Recv", 9 * SECOND, [], -1, 0)
    base = result.result([5 * SECOND] * 4, calls=[call("MPI_Allreduce", 40, 20 * SECOND)])
    hint = " (with -g, the report has its line)"
    tell = ". To tell waiting from transfer: PAPI_MPI_PATH=1 papi_mpirun -n 4 ./solver input"
    for found, wanted in (
            ([halo, norm, bare, lost], "MPI_Allreduce at lulesh.cc:186 in TimeIncrement takes 20 % of the time"),
            ([bare, halo], "MPI_Waitall at halo.f90:57 in halo::exchange takes 13 % of the time"),
            ([bare, lost], "MPI_Send at solver+0x1234 takes 8 % of the time" + hint),
            ([site("MPI_Send", 4 * SECOND, [("send", "", 0)])], "MPI_Send in send (solver) takes 10 % of the time" + hint),
            ([site("MPI_Send", SECOND // 4, [])], ""), ([], "")):
        said = second(folder, at_sites(base, found))
        expect(said == (wanted + tell if wanted else tell[2:]), f"{said}\nand not\n{wanted + tell}")
    library = at_sites(base, [norm], objects=[{"path": "/usr/lib/libsolver.so", "build_id": "00ff"}])
    has(report(folder, library), "takes 20 % of the time (PAPI_MPI_SITES=program has the program's own line)")
    threads = at_sites({**base, "job": {**base["job"], "threads": 12}}, [norm])
    has(report(folder, threads), "MPI_Allreduce at lulesh.cc:186 in TimeIncrement takes 8.000 s of all threads")
    path = result.write(folder / "job.json", at_sites(base, [halo, norm, bare, lost], regions=[region("all", 4, 30 * SECOND)]))
    made = json.loads(tool("--json", path).stdout)
    expect([(p["call"], p["line"], p["ns"], p["share"]) for p in made["places"]] ==
           [("MPI_Allreduce", 186, 8 * SECOND, 0.2), ("MPI_Waitall", 57, 5 * SECOND, 0.125), ("MPI_Send", 0, 3 * SECOND, 0.075)],
           made["places"])
    expect(made["verdict"].splitlines()[1].startswith("MPI_Allreduce at lulesh.cc:186 in TimeIncrement takes"), made["verdict"])
    table = tool("--csv=places", path).stdout.splitlines()
    expect(table[0] == "call,region,routine,file,line,object,ns,share" and len(table) == 4, table)
    expect(table[1].startswith("MPI_Allreduce,,TimeIncrement(Domain&),/src/lulesh.cc,186,/home/user/bin/solver,8000000000,0.2"), table)
    # Where ranks hardly wait it is the region: that inside, if most is there, and not one beside.
    busy = result.result([int(9.9 * SECOND)] * 4)
    inner = [region("main", 4, 39 * SECOND), region("sweep", 4, 30 * SECOND, 2 * SECOND), region("output", 4, 6 * SECOND)]
    beside = [region("sweep", 4, 22 * SECOND), region("update", 4, 16 * SECOND)]
    for regions, wanted, all_of in (
            (inner, "Region sweep takes 70 % of the time, outside MPI", ["sweep", "output"]),
            (beside, "Region sweep takes 55 % of the time, outside MPI", ["sweep", "update"]),
            ([], "For the lines that take the time: papi_mpirun --profile=time.html -n 4 ./solver input", [])):
        job = {**busy, "regions": sorted(regions, key=lambda r: r["name"])}
        expect(second(folder, job) == wanted, f"{second(folder, job)}\nand not\n{wanted}")
        made = json.loads(tool("--json", result.write(folder / "job.json", job)).stdout)
        expect([p["region"] for p in made["places"]] == all_of, made["places"])


def on_path(job, ns, shares, moves=10, **more):
    n = job["job"]["ranks"]
    path = {"ns": ns, "rank": 0, "moves": moves, "other_ranks_ns": 0, "other_regions_ns": 0, "regions": [], "ranks": shares}
    return {**job, "job": {**job["job"], "path_ranks": n, **more}, "path": path}


def other_jobs(folder, half):
    """The path does not follow what other jobs send: waiting for them is not told from transfer, and nothing pretends that it is."""
    timeline = "For the calls one after the other: PAPI_MPI_TIMELINE=256k "
    parts = "serialisation, transfer: n/a"
    for name, whose in (("MPI_Comm_spawn", "jobs that it started"), ("MPI_Comm_spawn_multiple", "jobs that it started"),
                        ("MPI_Comm_accept", "jobs that it met"), ("MPI_Comm_connect", "jobs that it met"), ("MPI_Comm_join", "jobs that it met")):
        job = {**half, "calls": half["calls"] + [call(name, 4, SECOND // 100, kind="process")]}
        for one in (job, on_path(job, 9 * SECOND, [[2, 9 * SECOND]], path_missed=3)):
            lines = report(folder, one)
            said = "60 % of the time is useful; MPI takes 40 %, MPI_Allreduce alone 40 %: communication efficiency 0.60 limits this job; " \
                f"how much of it is waiting for the {whose} is not known"
            expect(sentence(lines) == said, sentence(lines))
            has_not(lines, "To tell waiting from transfer")
            has_not(lines, "PAPI_MPI_PATH")
            has(lines, timeline + "papi_mpirun -n 4 ./solver input")
            has(lines, parts)
    # What a start takes is waiting for the other job, too.
    starts = result.result([6 * SECOND] * 4, calls=[call("MPI_Comm_spawn", 4, 16 * SECOND, kind="process")])
    has(report(folder, starts), "how much of it is waiting for the jobs that it started is not known")
    started = {**half, "job": {**half["job"], "spawned": 4}}
    lines = report(folder, started)
    has(lines, timeline + "in the environment of the job that started this one")
    has_not(lines, "papi_mpirun")
    has_not(report(folder, result.result([8 * SECOND] * 4, spawned=4)), "--profile")
    lines = report(folder, {**started, "calls": half["calls"] + [call("MPI_Comm_disconnect", 4, SECOND // 100, kind="process")]})
    has(lines, "how much of it is waiting for the job that started this one is not known")
    # Not all messages of a path whose ranks say so are in it: its figures would look right.
    lines = report(folder, on_path(half, 9 * SECOND, [[2, 9 * SECOND]], path_missed=3))
    has(lines, "the critical path goes through communicators that are not followed")
    has(lines, parts)
    has_not(lines, "serialisation 0")


def files_of_one_rank(folder):
    """What the others wait for is named, though they have more time: 4 of 10 s on rank 0."""
    calls = [call("MPI_Barrier", 40, 12 * SECOND), call("MPI_File_write", 10, 3 * SECOND, kind="file", ranks=1),
             call("MPI_File_sync", 10, SECOND, kind="file", ranks=1)]
    lone = result.result([6 * SECOND] * 4, calls=calls, meetings=40, met_ns=12 * SECOND, awaited_ns=12 * SECOND)
    said = "rank 0 alone is in file calls, for 40 % of its time, while others are in MPI_Barrier: "
    expect(sentence(report(folder, lone)) == f"60 % of the time is useful; {said}file access (communication efficiency 0.60) limits this job",
           sentence(report(folder, lone)))
    path = on_path(lone, 6 * SECOND, [[rank, int(1.5 * SECOND)] for rank in range(4)])
    transfer = "waiting for others (serialisation) 0 %, transfer of messages 0 %: file access (transfer efficiency 0.60) limits this job"
    expect(sentence(report(folder, path)).endswith(said + transfer), sentence(report(folder, path)))
    # Where all ranks are in them, or the files take little of what is lost, it is something else.
    several = [{**c, "most_ns": c["ns"] // 4} for c in calls]
    short = [calls[0], {**calls[1], **dict.fromkeys(("ns", "main_ns", "most_ns"), SECOND)}]
    for other in (several, short):
        has_not(report(folder, {**lone, "calls": other})[:3], "alone is in file calls")


def files_of_all_ranks(folder):
    """Where the path is followed, too, file access is not called transfer: here 12 of 40 s."""
    calls = [call("MPI_File_write_at_all", 40, 10 * SECOND, kind="file"), call("MPI_File_sync", 40, 2 * SECOND, kind="file"),
             call("MPI_Recv", 40, 4 * SECOND, kind="point-to-point")]
    calls = [{**c, "most_ns": c["ns"] // 4} for c in calls]
    alike = [[rank, int(1.6 * SECOND)] for rank in range(4)]
    job = on_path(result.result([6 * SECOND] * 4, calls=calls), int(6.4 * SECOND), alike)
    wanted = ("60 % of the time is useful; file access takes 30 %, MPI_File_write_at_all alone 25 %: waiting for others (serialisation) 4 %, "
              "transfer of messages 6 %: file access (transfer efficiency 0.64) limits this job")
    expect(sentence(report(folder, job)) == wanted, sentence(report(folder, job)))
    has(report(folder, job), "transfer 0.640 #############....... messages and file access take time")
    # Where messages take more, it is transfer.
    calls[0], calls[2] = ({**calls[i], "ns": ns, "main_ns": ns, "most_ns": ns // 4} for i, ns in ((0, 4 * SECOND), (2, 10 * SECOND)))
    wanted = ("60 % of the time is useful; MPI takes 40 %, files 15 %, MPI_Recv alone 25 %: waiting for others (serialisation) 4 %, transfer 36 %: "
              "transfer efficiency 0.64 limits this job")
    expect(sentence(report(folder, {**job, "calls": calls})) == wanted, sentence(report(folder, {**job, "calls": calls})))


def pauses(folder):
    """What MPI_Pcontrol(0) left out is said first, where it is most of the time, or makes the ranks' times differ."""
    most = result.result([SECOND] * 4, elapsed=SECOND, paused_ns=36 * SECOND)
    expect(sentence(report(folder, most)) == "MPI_Pcontrol(0) left 90 % of the time out; of the rest, 100 % of the time is useful "
           "and balanced, no MPI call was counted: what can be gained is in the computation itself", sentence(report(folder, most)))
    unlike = result.result([SECOND, 2 * SECOND], elapsed=[SECOND, 9 * SECOND], paused_ns=8 * SECOND)
    expect(sentence(report(folder, unlike)) == "MPI_Pcontrol(0) left 44 % of the time out, on some ranks more than on others: "
           "their times do not compare", sentence(report(folder, unlike)))
    has_not(report(folder, unlike), "To tell waiting from transfer")
    has_not(report(folder, result.result([6 * SECOND] * 4, paused_ns=8 * SECOND))[:3], "MPI_Pcontrol")


def waiting(folder):
    """Waiting for others is told from transfer: by the critical path, or by collective calls of all ranks."""
    half = result.result([6 * SECOND] * 4, calls=[call("MPI_Allreduce", 40, 16 * SECOND)])
    messages = result.result([6 * SECOND] * 4, calls=[call("MPI_Recv", 40, 16 * SECOND, kind="point-to-point")])
    alike = [[rank, int(2.4 * SECOND)] for rank in range(4)]
    table = [
        (on_path(half, int(9.8 * SECOND), alike),
         "late ranks alternate: waiting for others (serialisation) 38 %, transfer 2 %: serialisation 0.61 limits this job"),
        (on_path(messages, int(9.8 * SECOND), alike),
         "ranks wait for each other in turn: waiting for others (serialisation) 38 %, transfer 2 %: serialisation 0.61 limits this job"),
        (on_path(messages, 9 * SECOND, [[2, 6 * SECOND], [0, 3 * SECOND]]),
         "ranks wait for rank 2, whose work is most of the critical path: waiting for others (serialisation) 30 %, "
         "transfer 10 %: serialisation 0.67 limits this job"),
        (on_path(messages, int(7.8 * SECOND), alike),  # by what it takes, though serialisation is the smaller factor
         "MPI takes 40 %, MPI_Recv alone 40 %: waiting for others (serialisation) 18 %, transfer 22 %: "
         "transfer efficiency 0.78 limits this job"),
        (on_path(messages, int(6.5 * SECOND), alike),
         "MPI takes 40 %, MPI_Recv alone 40 %: waiting for others (serialisation) 5 %, transfer 35 %: "
         "transfer efficiency 0.65 limits this job"),
        ({**half, "job": {**half["job"], "meetings": 40, "met_ns": 16 * SECOND, "awaited_ns": int(15.2 * SECOND)}},
         "late ranks alternate: waiting for the last one in collective calls 38 %, transfer in them 2 %: "
         "communication efficiency 0.60 limits this job"),
        ({**half, "job": {**half["job"], "meetings": 40, "met_ns": 16 * SECOND, "awaited_ns": int(1.2 * SECOND)}},
         "MPI takes 40 %, MPI_Allreduce alone 40 %, of it waiting for late ranks 3 %: communication efficiency 0.60 limits this job"),
    ]
    for job, wanted in table:
        lines = report(folder, job)
        expect(sentence(lines) == "60 % of the time is useful; " + wanted, f"{sentence(lines)}\nand not\n{wanted}")
        has_not(lines, "To tell waiting from transfer")
    has(report(folder, half), "To tell waiting from transfer: PAPI_MPI_PATH=1 papi_mpirun -n 4 ./solver input")
    other_jobs(folder, half)
    files_of_one_rank(folder)
    files_of_all_ranks(folder)
    # A single call is nothing that alternates; and ranks are no later in all of them together than they are outside.
    once = {**half, "job": {**half["job"], "meetings": 1, "met_ns": 16 * SECOND, "awaited_ns": int(15.2 * SECOND)}}
    has_not(report(folder, once)[:3], "alternate")
    met = result.result([SECOND // 10] * 2, calls=[call("MPI_Allreduce", 4000, int(19.8 * SECOND))],
                        meetings=4000, met_ns=int(19.8 * SECOND), awaited_ns=19 * SECOND)
    expect(sentence(report(folder, met)) == "1 % of the time is useful; MPI takes 99 %, MPI_Allreduce alone 99 %, of it waiting for late ranks 1 %: "
           "communication efficiency 0.01 limits this job", sentence(report(folder, met)))
    # Imbalance is not the path's: the one with most work is nearly all of it.
    uneven = on_path(result.result([9 * SECOND, 3 * SECOND]), int(9.5 * SECOND), [[0, int(9.5 * SECOND)]])
    expect(sentence(report(folder, uneven)).endswith("rank 0 works 50 % longer than the mean: load balance 0.67 limits this job"),
           sentence(report(folder, uneven)))
    # What the path does not tell, it is not asked for: files, balance, one rank.
    for job in (result.result([6 * SECOND] * 4, calls=[call("MPI_File_write_all", 4, 16 * SECOND, kind="file")]),
                result.result([9 * SECOND, 3 * SECOND]), result.result([6 * SECOND])):
        has_not(report(folder, job), "To tell waiting from transfer")


def build_id(path):
    """Of an object file, and the address of its routine qsort; None where binutils do not say."""
    notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE, check=False, text=True).stdout
    symbols = subprocess.run(["nm", "-D", path], stdout=subprocess.PIPE, check=False, text=True).stdout
    found = re.search(r"Build ID: ([0-9a-f]+)", notes), re.search(r"^([0-9a-f]+) [TW] qsort\b", symbols, re.MULTILINE)
    return (found[0][1], int(found[1][1], 16)) if all(found) else None


def foreign_sites(folder, job):
    """Of a result that anybody may have written, no file is opened that it names; of one's own, it is."""
    loaded = subprocess.run(["ldd", TOOL], stdout=subprocess.PIPE, check=False, text=True).stdout
    found = re.search(r"=> (/\S*/libc\.so\S*)", loaded)  # as the loader names it, who is asked without libdw
    libc = found[1] if found else None
    known = build_id(libc) if libc and shutil.which("readelf") and shutil.which("nm") else None
    if known is None:
        print("SKIP: call sites of another user's result: no C library, readelf or nm whose symbols could be read")
        return
    here = {**job, "objects": [{"path": libc, "build_id": known[0]}], "sites": [site("MPI_Wait", SECOND, [], 0, known[1] + 8)]}
    path = result.write(folder / "foreign.json", here)
    path.chmod(0o644)
    has(tool(path).stdout.splitlines(), " qsort ")
    path.chmod(0o666)
    lines = tool(path).stdout.splitlines()
    has_not(lines, "qsort")
    has(lines, "call sites without a name: 100 % of the time at call sites, most in libc.so.6, which is not opened, because another "
        "user made the result (of a copy of your own, it is)")


def unnamed_sites(folder, job):
    """Names that say nothing, or too much."""
    library = {**job, "objects": [{"path": "/usr/lib/libsolver.so.3", "build_id": "00ff"}]}
    library["sites"] = [site("MPI_Wait", 5 * SECOND, [("libsolver.so.3+0x1234", "", 0)]),
                        site("MPI_Send", 4 * SECOND, [("Grid<int, double>::reverse(int, void (*)(char*)) const", "", 0)]),
                        site("MPI_Send", 3 * SECOND, [("Grid::operator()(int)", "/src/grid.cc", 5)]),
                        site("MPI_Send", 2 * SECOND, [("(anonymous namespace)::send(int)", "", 0)]),
                        site("MPI_Send", 0, [("libsolver.so.3_init", "", 0)])]
    has(report(folder, library), "MPI_Wait libsolver.so.3+0x1234 5.000 s",
        "MPI_Send Grid<int, double>::reverse (libsolver.so.3) 4.000 s", "MPI_Send grid.cc:5 Grid::operator() 3.000 s",
        "MPI_Send (anonymous namespace)::send (libsolver.so.3) 2.000 s", "MPI_Send libsolver.so.3_init (libsolver.so.3) 0",
        "call sites without a name: 35.7 % of the time at call sites, most in libsolver.so.3, which has no symbols here "
        "(build it with -g, or install its debug symbols); PAPI_MPI_SITES=program shows where the program calls its libraries")
    has_not(report(folder, {**library, "sites_mode": "program"}), "PAPI_MPI_SITES")
    library["sites"][0]["ns"] = SECOND // 2
    has_not(report(folder, library), "without a name")


def messages(folder):
    """Who sends to whom, and when MPI takes how much."""
    job = result.result([8 * SECOND] * 4)
    job["matrix"] = {"by": "rank", "n": 4, "cells": [[0, 1, 9, 3000], [1, 2, 9, 5000], [2, 3, 1, 1000]],
                     "other": {"messages": 1, "bytes": 1000}}
    job["partners"] = [{"ranks": 3, "messages": 18, "bytes": 7000, "most_bytes": 5000, "most_rank": 1},
                       {"ranks": 1, "messages": 1, "bytes": 2000, "most_bytes": 2000, "most_rank": 2}]
    elapsed = [40 * MS] * 100
    job["course"] = {"step_ns": 10 * MS, "elapsed_ns": elapsed,
                     "calls": [{"call": "MPI_Bcast", "ns": [30 * MS] * 10 + [2 * MS] * 90},
                               {"call": "MPI_Wait", "ns": [2 * MS] * 100}, {"call": None, "ns": [0] * 100}]}
    has(report(folder, job), "up to 2 partners a rank; of the bytes to the first of them, the second, ...: 70.0 %, 20.0 %; "
        "most from rank 1 to rank 2: 5.000 kB",
        "MPI in each tenth of the run: 80 10 10 10 10 10 10 10 10 10 %; in tenth 1 mostly MPI_Bcast")
    written = json.loads(tool("--json", folder / "job.json").stdout)
    for key in ("matrix", "partners", "course"):
        expect(written[key] == job[key], f"{key}: {written[key]}")
    job["course"]["calls"][0]["ns"] = [2 * MS] * 100
    job["matrix"].update(by="node")
    has(report(folder, job), "most from node 1 to node 2")
    has_not(report(folder, job), "in each tenth")
    for key, wrong in (("matrix", {"cells": [[0, 4, 1, 1]]}), ("matrix", {"by": "core"}), ("matrix", {"n": 65}),
                       ("course", {"elapsed_ns": [1] * 201}), ("course", {"calls": [{"call": "MPI_Other", "ns": []}]})):
        tool(result.write(folder / "wrong.json", {**job, key: {**job[key], **wrong}}), status=1)


def local_calls(folder):
    """Calls that copy or compute in memory are not to blame on messages."""
    calls = [call("MPI_Pack", 4_000_000, 9 * SECOND, main=9 * SECOND), call("MPI_Reduce_local", 50, SECOND, main=SECOND),
             call("MPI_Recv", 2, 2 * SECOND, main=2 * SECOND)]
    job = result.result([4 * SECOND] * 2, 10 * SECOND, calls=calls)
    expect(sentence(report(folder, job)) == "40 % of the time is useful; calls that do not communicate take 50 %, 4.000 M calls of MPI_Pack alone 45 %: work "
           "in MPI's own functions (communication efficiency 0.40) limits this job", sentence(report(folder, job)))
    has_not(report(folder, job), "PAPI_MPI_PATH=1 papi_mpirun")
    few = result.result([4 * SECOND] * 2, 10 * SECOND, calls=[calls[1], call("MPI_Recv", 2, 11 * SECOND, main=11 * SECOND)])
    has(report(folder, few), "MPI_Recv alone 55 %", "PAPI_MPI_PATH=1 papi_mpirun")
    has_not(report(folder, few), "do not communicate")


def unseen_calls(folder):
    """Calls of PMPI_... that nobody counts: useful time and MPI time are limits, and nothing is judged."""
    names = ["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Wait", "MPI_Barrier", "MPI_Bcast"]
    known = dict(calls=[call("MPI_Allreduce", 9, 12 * SECOND)], regions=[region("r", 4, 6 * SECOND, counters=())])
    job = result.result([4 * SECOND, 2 * SECOND], 9 * SECOND, unseen_ranks=1, unseen=names, **known)
    job["sites_mode"], job["objects"] = "call", [{"path": "/home/user/bin/solver", "build_id": ""}]
    job["other_sites"] = {key: 0 for key in ("calls", "ns", "bytes", "ranks", "longest_ns", "longest_rank", "least_ns", "least_rank", "most_ns", "most_rank")}
    job["sites"] = [site("MPI_Allreduce", 12 * SECOND, [("solve", "/src/solve.c", 7)])]
    lines = report(folder, job)
    expect(sentence(lines) == "The program or its libraries call PMPI_Send, PMPI_Recv, PMPI_Isend, PMPI_Wait and 2 more on 1 of 2 ranks, and these "
                              "calls are not counted: MPI takes at least 67 % of the time, and at most 33 % is useful. How balanced the ranks are is "
                              "not known: there are no efficiencies; calls of MPI_... would be counted", sentence(lines))
    has(lines, "parallel efficiency n/a", "not counted: calls of PMPI_Send, PMPI_Recv, PMPI_Isend, PMPI_Wait and 2 more by the program or its "
               "libraries, so that MPI time is at least what is here, and useful time at most")
    has_not(lines, "outside MPI", "limits this job", "costs most")
    again = json.loads(tool("--json", folder / "job.json").stdout)
    expect(set(again["efficiency"].values()) == {None} and sorted(again["job"]["unseen"]) == sorted(names), again["job"])
    expect([place["call"] for place in again["places"]] == ["MPI_Allreduce"], again["places"])
    for earlier in ("unseen_ranks", "unseen"):
        del job["job"][earlier]
    has_not(report(folder, job), "PMPI_")
    job["job"]["unseen"] = ["MPI_Nothing"]
    tool(result.write(folder / "job.json", job), status=1)


def quality(folder):
    useful = [9 * SECOND] * 4
    has(report(folder, result.result(useful, overhead_ns=800 * MS)), "the wrapper took 2.0 % of the time (estimate)")
    has(report(folder, result.result(useful, overhead_ns=8 * MS)), "the wrapper took less than 0.1 % of the time")
    has(report(folder, result.result(useful, multiplexed=3, different=1, counters={"C": [1] * 4})),
        "counters are multiplexed, so estimates: 3", "events are not those of rank 0, whose alone are shown: 1")
    job = result.result(useful, counters={"PAPI_TOT_CYC": [10**9] * 4, "D": [1] * 4})
    has_not(report(folder, job), "counted by")
    has(report(folder, job), "0.10 GHz")
    quick = result.metric("frequency", [2 * 10**9] * 4, "processor frequency", "Hz")  # which does not add up
    has(report(folder, {**job, "metrics": [*job["metrics"], quick]}), "processor frequency 2.000 GHz @0")
    job["metrics"] = [result.metric("counter.0", [10**9] * 3, "PAPI_TOT_CYC", "") if metric["key"] == "counter.0" else metric
                      for metric in job["metrics"]]
    for row in job["rows"][3:]:
        row["values"][job["row_values"].index("counter.0")] = None
    has(report(folder, job), "PAPI_TOT_CYC counted by 3 of 4 ranks")
    has_not(report(folder, job), "D counted by", "GHz")
    has(report(folder, result.result(useful, lost=2, counters={"C": [1] * 4})),
        "ranks that lost counters (by PAPI_shutdown, or closed), which are not in these: 2")
    unseen_calls(folder)
    local_calls(folder)
    has(report(folder, result.result(useful, operations_left=8)), "reductions of the program's own (MPI_Op_create) whose work is taken for MPI's: 8")
    has_not(report(folder, result.result(useful)), "MPI_Op_create")
    local = [call("MPI_Reduce_local", 5, 100, uncounted=5), call("MPI_Win_allocate_shared", 1, 100, uncounted=1), call("MPI_Recv", 7, 100)]
    has(report(folder, result.result(useful, calls=local)), "bytes not counted: MPI_Reduce_local in 5 calls, MPI_Win_allocate_shared in 1 call")
    expect([row["uncounted"] for row in table(tool("--csv=calls", folder / "job.json").stdout)] == ["0", "5", "1"], "uncounted calls")
    local += [call("MPI_Testany", 9, 100, uncounted=4), call("MPI_Wait", 9, 100, uncounted=3), call("MPI_Waitany", 9, 100, uncounted=2)]
    has(report(folder, result.result(useful, calls=local)), "bytes not counted: MPI_Wait in 3 calls, MPI_Waitany in 2 calls, MPI_Testany in 4 calls, and 6 more")
    for earlier in local:
        del earlier["uncounted"]
    has_not(report(folder, result.result(useful, calls=local)), "bytes not counted")
    has(report(folder, result.result(useful, doubtful=1, counters={"C": [1] * 4})),
        "ranks whose counters may be too little, as they were read too seldom: 1")
    full = result.result(useful, nodes=2)
    full["metrics"] += [result.metric("node_memory", [6 * 10**8, 9 * 10**8], unit="B", ranks=[0, 2]),
                        result.metric("node_memory_limit", [10**9, 10**9], unit="B", ranks=[0, 2])]
    has(report(folder, full), "memory: ranks of one node (node1) took up to 900.0 MB, 90.0 % of the 1.000 GB that a node has (each rank at its peak)")
    full["metrics"][-1] = result.metric("node_memory_limit", [10**10, 2 * 10**10], unit="B", ranks=[0, 2])
    has_not(report(folder, full), "memory: ")
    crowded = report(folder, result.result(useful, crowded=3))
    said = "3 of 4 ranks take turns on fewer processors; as it is, 90 % of the time is useful"
    has(crowded[:1], said)
    expect(said in tool("--html", folder / "job.json").stdout, "the page does not say it")
    idle = {"cpu_user": [2 * SECOND] * 4, "cpu_system": [SECOND] * 4, "voluntary_switches": [500] * 4}
    has([sentence(report(folder, result.result([10 * SECOND] * 4, crowded=4, more=idle)))],
        "4 of 4 ranks take turns on fewer processors, and have one 30 % of the time; as it is, 100 % of the time is useful and balanced, "
        "no MPI call was made: what can be gained is a processor for each rank")
    sleeps = "but on a processor 30 % of the time: outside MPI they sleep, or wait for files or other processes"
    asleep = report(folder, result.result([10 * SECOND] * 4, more=idle))
    has(asleep[:4], f"no MPI call was made, {sleeps}", "For what they wait for: papi_why mpirun -n 4 ./solver input")
    has(report(folder, result.result(useful, paused_ns=8 * SECOND)),
        "MPI_Pcontrol(0), or PAPI_hl_efficiency itself, left 8.000 s out of the times of calls and ranks")
    without = result.result(useful)  # of an earlier version
    del without["job"]["lost"], without["job"]["doubtful"], without["job"]["paused_ns"]
    has_not(report(folder, without), "lost", "too little", "MPI_Pcontrol")
    has(report(folder, result.result(useful, counters={"C": [1] * 4}, counter_reason="PAPI_L3_TCM: no such event")),
        "not counted: PAPI_L3_TCM: no such event")
    reason = ("hardware events: this machine shows no hardware counters: its kernel "
              "has no driver for a processor PMU (in a virtual machine, the host must pass one through)")
    for more in ({}, {"lost": 1, "other_thread_calls": 7}):
        has(report(folder, result.result(useful, counters={"C": [1] * 4}, counter_reason=reason, **more)), reason)
    half = {"cpu_user": [4 * SECOND] * 4, "cpu_system": [SECOND] * 4}
    has(report(folder, result.result(useful, more=half)), "on a processor 50.0 % of the time: they slept, in MPI or outside")
    has(report(folder, result.result(useful, more=half, crowded=4)), "50.0 % of the time: there are more ranks than processors")
    taken = {**half, "involuntary_switches": [500] * 4, "voluntary_switches": [0] * 4}
    displaced = report(folder, result.result(useful, more=taken))
    has(displaced[:2], "Ranks waited for a processor 50 % of the time (other programs, or a limit); as it is, 90 % of the time is useful")
    has(displaced, "50.0 % of the time: other programs, or a limit, held them up")
    perhaps = report(folder, result.result(useful, more={**taken, "voluntary_switches": [0, 0, 0, 1]}))
    has_not(perhaps, "waited for a processor")
    has(perhaps[:2], "Ranks had no processor 50 % of the time (other programs, a limit, or sleep); as it is, 90 % of the time is useful")
    has(perhaps, "50.0 % of the time: other programs, or a limit, held them up, or they slept")
    for more in ({"involuntary_switches": [5] * 4, "voluntary_switches": [2] * 4},  # one long sleep
                 {"involuntary_switches": [500] * 4, "voluntary_switches": [800] * 4}, {"cpu_user": [8 * SECOND] * 4}):
        has_not(report(folder, result.result(useful, more={**taken, **more})), "waited for a processor", "had no processor", "held them up")
    most = {"cpu_user": [9 * SECOND] * 4}
    has_not(report(folder, result.result(useful, more=most)), "on a processor")
    has(report(folder, result.result(useful, other_thread_calls=5000)), "5000 MPI calls by other threads")
    sizes = [[0, 1], [16, 2 * 10**7], [256, 3 * 10**8], [4096, 4 * 10**8], [65536, 5 * 10**8], [2**20, 6 * 10**8], [2**24, 7 * 10**8]]
    lines = report(folder, result.result(useful, sent_sizes=sizes))
    expect(any(re.match("  .*KiB", line) for line in lines), "the sizes take one line\n" + "\n".join(lines))
    for line in lines:
        expect(not re.match(" *([%-]|[KMG]iB)", line) and not re.search("[0-9-]$", line.split("  ")[-1] if "KiB" in line else ""), line)


# -------------------------------------------------------------------------- the rows

def rows(folder):
    """Quantiles are exact where there are rows, and say so where there are not."""
    useful = [SECOND * (100 + rank) // 100 for rank in range(101)]
    with_rows = report(folder, result.result(useful))
    has(with_rows, "1.000 s @0 1.050 s 1.500 s 1.950 s 2.000 s @100")
    has_not(with_rows, "12.5 %")
    elsewhere = report(folder, result.result(useful), fixed=False)
    expect(elsewhere == with_rows, "rows that another program wrote are read otherwise")
    without = report(folder, result.result(useful, rows=False))
    has(without, "p5, p50 and p95 to 12.5 %", "1.000 s @0")
    for line in without:
        if line.startswith("useful time"):
            words = line.split()
            p5, p50, p95 = float(words[7]), float(words[9]), float(words[11])
    for found, exact in ((p5, 1.05), (p50, 1.5), (p95, 1.95)):
        expect(abs(found / exact - 1) <= 0.125, f"{found} instead of {exact}")


# --------------------------------------------------------------------- the comparison

def comparison(folder):
    """Figures computed by hand: the reference has 40 s useful in all, 80e9 instructions, 40e9 cycles outside MPI,
    so IPC 2 and 1 GHz; this run 50 s, 100e9 and 40e9: IPC 2.5, 0.8 GHz. 0.8 = 0.8 * 1.25 * 0.8."""
    def run(useful, elapsed, instructions, cycles, outside=True, **more):
        n = len(useful)
        counts = {"PAPI_TOT_INS": [instructions] * n, "PAPI_TOT_CYC": [cycles] * n}
        return result.result(useful, elapsed, counters=counts, outside=counts if outside else None, **more)

    before = result.write(folder / "before.json", run([10 * SECOND] * 4, 12 * SECOND, 20 * 10**9, 10 * 10**9))
    now = run([5 * SECOND] * 8 + [5 * SECOND] * 2, 8 * SECOND, 10 * 10**9, 4 * 10**9)
    lines = report(folder, now, "--reference", before)
    expect(sentence(lines) == "1.50 times as fast as the reference, on 10 ranks instead of 4: parallel efficiency 0.62 "
           "(was 0.83), computation efficiency 0.80", sentence(lines))
    has(lines, "this run reference ratio", "ranks 10 4 2.500", "elapsed time 8.000 s 12.00 s 0.667",
        "useful time, all ranks 50.00 s 40.00 s 1.250", "MPI time, all ranks 30.00 s 8.000 s 3.750",
        "IPC 2.500 2.000 1.250", "GHz 0.800 1.000 0.800", "global efficiency 0.500 0.833 0.600", "parallel efficiency 0.625 0.833",
        "load balance 1.000 1.000", "communication 0.625 0.833 0.750", "computation efficiency 0.800 1.000",
        "instructions 0.800 1.000", "IPC 1.250 1.000", "frequency 0.800 1.000")
    has_not(lines, "warning", "MPI included")
    # Counters of whole ranks: the same counts over elapsed times, 48 s and 80 s.
    before = result.write(folder / "before.json", run([10 * SECOND] * 4, 12 * SECOND, 20 * 10**9, 10 * 10**9, False))
    lines = report(folder, run([5 * SECOND] * 10, 8 * SECOND, 10 * 10**9, 4 * 10**9, False), "-r", before)
    has(lines, "GHz 0.500 0.833 0.600", "frequency 0.600", "computation efficiency 0.800",
        "of whole ranks, MPI included: their product, 0.600")
    # A slower run, of another program, without counters.
    other = result.result([20 * SECOND] * 4, 24 * SECOND, program="/bin/other", recovered=True)
    lines = report(folder, other, "--reference", before)
    has(lines, "100 % slower than the reference", "warning: these are different programs",
        "warning: the two runs counted different events", "warning: this run is partial", "instructions n/a 1.000",
        "computation efficiency 0.500")
    lines = report(folder, run([10 * SECOND] * 4, 12 * SECOND, 1, 1, False), "--reference", before)
    expect(lines[0].startswith("As fast as the reference"), lines[0])
    lines = report(folder, result.result([0, 0], 0), "--reference", before)
    has(lines, "One of the two runs has no time", "computation efficiency n/a")
    lines = report(folder, widest(48, 128, 12, 14), "--reference", before)
    expect(len(lines) > 20, "hardly anything is said")


def with_sites(places, **more):
    """A job with a call site for each (call, ns, frames)."""
    totals = {}
    for name, ns, _ in places:
        totals[name] = totals.get(name, 0) + ns
    job = result.result([8 * SECOND] * 4, calls=[call(name, 10, ns) for name, ns in totals.items()], **more)
    job["sites_mode"] = "call"
    job["objects"] = [{"path": "/build/bin/solver", "build_id": "00ff"}]
    job["other_sites"] = {key: 0 for key in ("calls", "ns", "bytes", "ranks", "longest_ns", "longest_rank", "least_ns",
                                             "least_rank", "most_ns", "most_rank")}
    job["sites"] = [site(name, ns, [frames] if isinstance(frames, tuple) else [], 0, frames if isinstance(frames, int) else 7)
                    for name, ns, frames in places]
    return job


def halo(line, folder="/src"):
    return ("halo::exchange", f"{folder}/halo.f90", line)


def comparison_sites(folder):
    """The same places are found though lines and folders differ; what is new and gone is said."""
    def compared(here, there):
        before = result.write(folder / "before.json", with_sites(there))
        now = with_sites(here)
        lines = report(folder, now, "--reference", before)
        made = json.loads(tool("--json", "--reference", before, folder / "job.json").stdout)
        place = lambda side: side and (side["line"] or side["address"])
        pairs = [(pair["call"], place(pair["here"]), place(pair["reference"])) for pair in made["sites"]]
        return lines, made, pairs

    # A moved routine, a folder of another name; one new place and one that is gone; those first that differ most.
    lines, made, pairs = compared(
        [("MPI_Wait", 5 * SECOND, halo(57, "/new/src")), ("MPI_Isend", 1 * SECOND, halo(40)), ("MPI_Bcast", 3 * SECOND, ("solve", "/src/solve.f90", 9))],
        [("MPI_Wait", 1 * SECOND, halo(52)), ("MPI_Isend", 1 * SECOND, halo(35)), ("MPI_Barrier", 2 * SECOND, ("solve", "/src/solve.f90", 9))])
    expect(pairs == [("MPI_Wait", 57, 52), ("MPI_Bcast", 9, None), ("MPI_Barrier", None, 9), ("MPI_Isend", 40, 35)], pairs)
    has(lines, "call sites: 2 in both, 1 new, 1 gone this run reference ratio calls, this reference",
        "MPI_Wait halo.f90:57 (was 52) halo::exchange 5.000 s 1.000 s 5.000 10 10", "MPI_Bcast solve.f90:9 solve 3.000 s new 10",
        "MPI_Barrier solve.f90:9 solve 2.000 s gone 10")
    expect(made["format"] == "papi_mpi comparison" and made["version"] == 1, made)
    figures = {figure["key"]: figure for figure in made["figures"]}
    expect(figures["mpi"]["ratio"] == 1.0 and figures["computation"]["value"] == 1.0 and figures["ipc"]["value"] is None, figures)
    expect(made["verdict"] == sentence(lines), made["verdict"])
    expect(made["remarks"] and all(remark in " ".join(" ".join(lines).split()) for remark in made["remarks"]), made["remarks"])
    wait = made["sites"][0]
    expect((wait["here"]["ns"], wait["reference"]["ns"], wait["here"]["file"], wait["routine"]) ==
           (5 * SECOND, SECOND, "/new/src/halo.f90", "halo::exchange"), wait)
    found = table(tool("--csv=sites", "--reference", folder / "before.json", folder / "job.json").stdout)
    expect([(row["call"], row["line"], row["reference_line"], row["ns"], row["reference_ns"]) for row in found] ==
           [("MPI_Wait", "57", "52", "5000000000", "1000000000"), ("MPI_Bcast", "9", "", "3000000000", ""),
            ("MPI_Barrier", "", "9", "", "2000000000"), ("MPI_Isend", "40", "35", "1000000000", "1000000000")], found)
    page = tool("--html", "--reference", folder / "before.json", folder / "job.json").stdout
    embedded = json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S)[1])
    expect(embedded["comparison"] == made and len(embedded["sites"]) == 3, embedded.get("comparison"))
    expect("comparison" not in json.loads(tool("--json", folder / "job.json").stdout), "the result has a comparison")

    # Of one call several times in a routine: the k-th is the k-th. Both have two, so both have moved.
    sends = [("MPI_Send", SECOND, halo(line)) for line in (10, 13)]
    moved = [("MPI_Send", SECOND, halo(line)) for line in (13, 16)]
    expect(compared(moved, sends)[2] == [("MPI_Send", 13, 10), ("MPI_Send", 16, 13)], "moved by three lines")
    # One more at the beginning: the others moved by five.
    more = [("MPI_Send", SECOND + i, halo(line)) for i, line in enumerate((11, 15, 18))]
    pairs = compared(more, sends)[2]
    expect(sorted(pairs, key=str) == [("MPI_Send", 11, None), ("MPI_Send", 15, 10), ("MPI_Send", 18, 13)], pairs)
    pairs = compared(sends, more)[2]
    expect(sorted(pairs, key=str) == [("MPI_Send", 10, 15), ("MPI_Send", 13, 18), ("MPI_Send", None, 11)], pairs)
    # Other routines, files and calls are other places.
    expect({pair[2] is None or pair[1] is None for pair in compared([("MPI_Send", 9, ("a", "/a.f90", 5))], [("MPI_Send", 9, ("b", "/a.f90", 5)),
            ("MPI_Send", 9, ("a", "/b.f90", 5)), ("MPI_Recv", 9, ("a", "/a.f90", 5))])[2]} == {True}, "not the same")
    # Without debug information, by address, in order.
    expect(compared([("MPI_Send", 9, 100), ("MPI_Send", 8, 200)], [("MPI_Send", 9, 90), ("MPI_Send", 8, 190)])[2] ==
           [("MPI_Send", 100, 90), ("MPI_Send", 200, 190)], "by address")
    lines, _, pairs = compared([], sends)
    has(lines, "call sites are not compared: this run has none")
    has_not(compared([], [])[0], "call sites")
    # As many as there can be, and all that there is to say besides.
    many = [("MPI_Send", SECOND + i, halo(1000 + i)) for i in range(256)]
    lines, _, pairs = compared(many, many[:-1])
    expect(len(pairs) == 256 and [pair for pair in pairs if pair[2] is None] == [("MPI_Send", 1255, None)], pairs[:3])
    has(lines, "call sites: 255 in both, 1 new, 0 gone")


# -------------------------------------------------------------------- the other forms

def long_table(folder):
    """One value a line, of types that a reader of tables finds by itself; summed over, it gives the other forms."""
    job = with_sites([("MPI_Wait", 5 * SECOND, ("say \"hi\", all", "/src/halo.f90", 57)), ("MPI_Send", SECOND, 4660)], nodes=2,
                     counters={"PAPI_TOT_INS": [7, 8, 9, 2**53 + 1]}, regions=[region("r", 4, 8, 2, counters=[24])])
    job["row_calls"], job["call_values"] = ["MPI_Wait", "MPI_Send"], ["calls", "ns", "bytes"]
    job["region_values"] = ["visits", "ns", "mpi_ns", "counter.0"]
    for i, row in enumerate(job["rows"]):
        row["calls"] = [[2, SECOND + i, 0], None if i == 2 else [1, 5, 80]]
        row["regions"] = [None if i == 1 else [1, 2, 1, 8]]
    path = result.write(folder / "job.json", job, fixed=False)
    text = tool("--csv=long", path).stdout
    rows = table(text)
    expect(list(rows[0]) == ["rank", "node", "host", "region", "call", "site", "metric", "value", "unit"], rows[0])
    for row in rows:
        float(row["value"])
        expect(row["rank"] == "" or (row["host"], row["node"]) == (f"node{int(row['rank']) // 2}", str(int(row["rank"]) // 2)), row)
        expect(row["unit"] == ("ns" if row["metric"].endswith("ns") else row["unit"]), row)

    def chosen(metric, **filled):
        """Values of what has these filled and nothing else; None: with any value."""
        return [int(row["value"]) for row in rows if row["metric"] == metric and all(
            (row[key] == filled[key] if filled.get(key) is not None else row[key] != "") if key in filled else row[key] == ""
            for key in ("rank", "region", "call", "site"))]

    for place, key in enumerate(job["row_values"]):
        name = "PAPI_TOT_INS" if key == "counter.0" else key
        values = [row["values"][place] for row in job["rows"]]
        expect(chosen(name, rank=None) == values and chosen(f"{name}.sum") == [sum(values)], f"{name}: {chosen(name, rank=None)}")
    expect(chosen("ns", rank=None, call="MPI_Wait") == [SECOND + i for i in range(4)], "the calls of ranks")
    expect(chosen("bytes", rank=None, call="MPI_Send") == [80] * 3, "a call that one rank did not make")
    expect(chosen("PAPI_TOT_INS", rank=None, region="r") == [8] * 3 and chosen("PAPI_TOT_INS", region="r") == [24], "regions")
    expect(chosen("ns", call="MPI_Wait") == [5 * SECOND], "a call")
    expect(chosen("ns", call="MPI_Wait", site='halo.f90:57 say "hi", all') == [5 * SECOND] and
           chosen("calls", call="MPI_Send", site="solver+0x1234") == [10], "call sites")
    expect(chosen("ranks") == [4] and [row["value"] for row in rows if row["metric"] == "efficiency.load_balance"] == ["1"], "the job")
    bare = result.write(folder / "bare.json", result.result([SECOND] * 2, rows=False))
    expect("elapsed.sum" in tool("--csv=long", bare).stdout, "a result without rows")
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("not tried with pandas, which is not installed")
        return
    frame = pandas.read_csv(io.StringIO(text))
    expect(str(frame.value.dtype) in ("float64", "int64") and str(frame["rank"].dtype) == "float64", frame.dtypes)
    ranks = frame[frame["rank"].notna() & frame.call.isna() & frame.region.isna()]
    wide = ranks.pivot(index="rank", columns="metric", values="value")
    expect(list(wide.useful) == [8 * SECOND] * 4, wide)


def from_literal(nodes, paths, path=()):
    """What Hatchet's from_literal takes: its keys, and the metrics of each node by path."""
    for node in nodes:
        expect(set(node) == {"frame", "metrics", "children"} and set(node["metrics"]) == {"time", "time (inc)", "calls", "bytes"}, node)
        expect({"name", "type"} <= set(node["frame"]) and all(isinstance(value, (str, int)) for value in node["frame"].values()), node)
        here = path + (node["frame"]["name"] + (f":{node['frame']['line']}" if "line" in node["frame"] else ""),)
        expect(here not in paths, f"{here} twice")
        paths[here] = node["metrics"]
        inner = sum(child["metrics"]["time (inc)"] for child in node["children"])
        expect(math.isclose(node["metrics"]["time (inc)"], node["metrics"]["time"] + inner, rel_tol=1e-9, abs_tol=1e-8), here)
        from_literal(node["children"], paths, here)


def hatchet(folder):
    """A tree of routines whose leaves are MPI calls, and that has all time once."""
    job = with_sites([("MPI_Wait", 5 * SECOND, halo(57)), ("MPI_Send", SECOND, halo(40)), ("MPI_Send", 2 * SECOND, halo(45)),
                      ("MPI_Send", SECOND // 2, 4660)])
    job["sites"][0]["frames"].append({"routine": "solve", "file": "/src/solve.f90", "line": 12})
    job["calls"][1]["ns"] += SECOND
    job["calls"][1]["calls"] = 31
    path = result.write(folder / "job.json", job)
    literal, paths = json.loads(tool("--hatchet", path).stdout), {}
    from_literal(literal, paths)
    expect(len(literal) == 1, "more than one root")
    times = {path: metrics["time (inc)"] for path, metrics in paths.items()}
    expect(times == {("solver",): 41.5, ("solver", "solve"): 5, ("solver", "solve", "halo::exchange"): 5,
                     ("solver", "solve", "halo::exchange", "MPI_Wait:57"): 5, ("solver", "halo::exchange"): 3,
                     ("solver", "halo::exchange", "MPI_Send:40"): 1, ("solver", "halo::exchange", "MPI_Send:45"): 2,
                     ("solver", "solver+0x1234"): 0.5, ("solver", "solver+0x1234", "MPI_Send"): 0.5, ("solver", "MPI_Send"): 1}, times)
    expect(paths[("solver",)]["time"] == 32 and paths[("solver", "MPI_Send")]["calls"] == 1, paths)
    # Without call sites: the calls.
    job = result.result([SECOND] * 2, calls=[call("MPI_Send", 5, 600, 70)])
    paths = {}
    from_literal(json.loads(tool("--hatchet", result.write(folder / "job.json", job)).stdout), paths)
    expect(paths[("solver", "MPI_Send")] == {"time": 6e-7, "time (inc)": 6e-7, "calls": 5, "bytes": 70}, paths)


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12)


def forms(folder):
    """The same figures in every form."""
    given = result.result([6 * SECOND, 3 * SECOND, 4 * SECOND], 6 * SECOND + MS, nodes=2,
                          counters={"PAPI_TOT_INS": [7, 8, 2**53 + 1], 'odd "name", this': [1, 2, 3]},
                          calls=[call("MPI_Send", 5, 600, 70, "point-to-point"), call("MPI_Bcast", 1, 2, 3)],
                          regions=[result.with_efficiency(region('a,"b"', 1, 2, 3, (4, 1), (5, 2), [6, 7]), [40, 50], [20, 40], [40, 20])],
                          sent_sizes=[[0, 4], [4096, 9]],
                          collective_sizes=[[1, 1]], states={1: "runs"}, inside={1: "MPI_Send"}, recovered=True)
    path = result.write(folder / "job.json", given)
    written = json.loads(tool("--json", path).stdout)
    later = [key for key in written["row_values"] if key not in given["row_values"]]
    expect(later == ["received_messages", "received_bytes", "collective_received_bytes", "sent_rate", "received_rate", "message_rate", "frequency", "node_memory_limit"],
           f"what the result of an earlier version lacks: {later}")
    for row in written["rows"]:
        for key in reversed(later):
            expect(row["values"].pop(written["row_values"].index(key)) is None, f"{key} of a rank that has none")
    written["row_values"] = [key for key in written["row_values"] if key not in later]
    written["metrics"] = [metric for metric in written["metrics"] if metric["count"] > 0]
    speeds = [(one.pop("sent_rate"), one.pop("received_rate")) for one in written["calls"]]
    expect(close(speeds[0][0], 70e9 / 600) and speeds[1][0] == 1.5e9 and speeds[0][1] is speeds[1][1] is None, speeds)
    for part in ("job", "counters", "calls", "regions", "sent_sizes", "collective_sizes", "row_values", "rows"):
        expect(written[part] == given[part], f"{part}: {written[part]} instead of {given[part]}")
    for mine, theirs in zip(given["metrics"], written["metrics"]):
        for key in ("key", "count", "sum", "squares", "smallest", "largest", "buckets"):
            expect(mine[key] == theirs[key], f"{mine['key']}: {key} is {theirs[key]} instead of {mine[key]}")
        for key in ("mean", "deviation", "imbalance", "p5", "p50", "p95"):
            expect(math.isclose(mine[key], theirs[key], rel_tol=1e-9, abs_tol=1e-9),
                   f"{mine['key']}: {key} is {theirs[key]} instead of {mine[key]}")
    for key, value in given["efficiency"].items():
        expect(math.isclose(written["efficiency"][key], value, rel_tol=1e-5), key)
    # What it wrote reads as what it was made from.
    tool("--json", path, "-o", folder / "again.json")
    expect(tool(folder / "again.json").stdout == tool(path).stdout, "the rewritten result reads otherwise")
    expect(json.loads((folder / "again.json").read_text()) == json.loads(tool("--json", path).stdout), "-o writes something else")

    ranks = table(tool("--csv", path).stdout)
    expect(len(ranks) == 3 and [int(row["useful"]) for row in ranks] == [6 * SECOND, 3 * SECOND, 4 * SECOND], ranks)
    expect(ranks[2]["PAPI_TOT_INS"] == str(2**53 + 1) and ranks[1]['odd "name", this'] == "2", ranks[2])
    expect(ranks[1]["state"] == "runs" and ranks[1]["inside"] == "MPI_Send" and ranks[2]["host"] == "node1", ranks)
    expect(tool("--csv=ranks", path).stdout == tool("-c", path).stdout, "ranks are not what CSV has by itself")
    for row, mine in zip(table(tool("--csv=metrics", path).stdout), given["metrics"]):
        name = mine["name"] if mine["key"].startswith("counter") else mine["key"]
        expect(row["key"] == name and row["sum"] == mine["sum"] and int(row["count"]) == mine["count"], row)
        expect([int(row["largest"]), int(row["largest_rank"])] == mine["largest"][0], row)
        expect(close(float(row["mean"]), mine["mean"]), row)
    made = table(tool("--csv=calls", path).stdout)
    expect([(row["name"], row["calls"], row["bytes"]) for row in made] == [("MPI_Send", "5", "70"), ("MPI_Bcast", "1", "3")],
           made)
    found = table(tool("-cregions", path).stdout)
    expect(found[0]["name"] == 'a,"b"' and found[0]['odd "name", this'] == "7", found)
    expect([found[0][key] for key in ("parallel", "load_balance", "across_nodes", "serialisation")] == ["0.59999999999999998", "0.75", "0.75", ""], found)
    said = {row["name"]: float(row["value"] or "nan") for row in table(tool("--csv=efficiency", path).stdout)}
    expect(all(close(said[key], value) for key, value in given["efficiency"].items()), said)
    has(report(folder, given), "load balance %.3f" % said["load_balance"], "communication %.3f" % said["communication"])
    tool("--html", path, "-o", folder / "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    expect("PARTIAL" in page and "MPI_Send" in page and page.rstrip().endswith("</html>"), page[-200:])


# ------------------------------------------------------------------ the command line

def command_line(folder):
    path = result.write(folder / "job.json", result.result([SECOND] * 2))
    bare = result.write(folder / "bare.json", result.result([SECOND] * 2, rows=False))
    # arguments, status, what standard output has, what standard error has
    for arguments, status, output, errors in (
            (["--help"], 0, "Usage: papi_mpi_report", ""),
            (["-h"], 0, "Exit status", ""),
            (["--version"], 0, "papi_mpi_report (fpapi) 7.", ""),
            ([path], 0, "of the time is useful", ""),
            (["--text", path], 0, "of the time is useful", ""),
            (["-t", path], 0, "of the time is useful", ""),
            (["-j", path], 0, '"format": "papi_mpi result"', ""),
            (["-c", path], 0, "rank,node,host", ""),
            (["--csv=calls", path], 0, "name,class,calls", ""),
            (["--html", path], 0, "<html", ""),
            (["-r", path, path], 0, "As fast as the reference", ""),
            (["--", path], 0, "of the time is useful", ""),
            (["-c", bare], 1, "", "PAPI_MPI_ROWS=yes"),
            (["-cmetrics", bare], 0, "key,unit,count", ""),
            (["--csv=nonsense", path], 2, "", 'no table "nonsense"'),
            (["--nonsense", path], 2, "", "--help"),
            (["-x"], 2, "", "--help"),
            (["--text", "--json", path], 2, "", "one form at a time"),
            (["--json", "--reference", path, path], 0, '"format": "papi_mpi comparison"', ""),
            (["--csv", "--reference", path, path], 2, "", "compares in text, --json, --html or --csv=sites"),
            (["--hatchet", "--reference", path, path], 2, "", "compares in text, --json, --html or --csv=sites"),
            (["--hatchet", path], 0, '"time (inc)": 2.0', ""),
            (["--hatchet", "--json", path], 2, "", "one form at a time"),
            (["--csv=long", path], 0, "rank,node,host,region,call,site,metric,value,unit", ""),
            (["--reference"], 2, "", "argument"),
            (["--output"], 2, "", "argument"),
            ([path, bare], 2, "", "one result at a time"),
            (["--recover"], 2, "", "directory where the records are"),
            (["--recover", folder / "nothing"], 1, "", "nothing"),
            ([folder / "nothing.json"], 1, "", "nothing.json: cannot be read: No such file"),
            (["--reference", folder / "nothing.json", path], 1, "", "nothing.json: cannot be read"),
            ([folder], 1, "", "cannot be read: Is a directory"),
            (["-o", folder / "no" / "where", path], 1, "", "cannot be written: No such file"),
            (["-o", folder, path], 1, "", "cannot be written: Is a directory"),
            ([""], 1, "", "cannot be read")):
        done = tool(*arguments, status=status)
        expect(output in done.stdout and (output or done.stdout == ""), f"{arguments}: {done.stdout}")
        expect(errors in done.stderr and (errors or done.stderr == ""), f"{arguments}: {done.stderr}")
        expect(done.stderr.count("\n") <= 2, f"{arguments}: {done.stderr}")
    screen = tool("--help").stdout.splitlines()
    expect(len(screen) <= 24 and max(map(len, screen)) <= 80, "--help is larger than a screen")
    for form in ("--text", "--json", "--csv", "--csv=long", "--hatchet", "--html"):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, form, path], stdout=full, stderr=subprocess.PIPE, universal_newlines=True,
                                  timeout=600, check=False)
        expect(done.returncode == 1 and "standard output cannot be written: No space left" in done.stderr, done.stderr)
        tool(form, "-o", "/dev/full", path, status=1)
    tool(path, "-o", folder / "text")
    expect((folder / "text").read_text() == tool(path).stdout, "-o FILE behind the result")
    tool("--json", path, "-o", path) # in place: it is read whole first
    tool(path)


def newest(folder):
    """Without a name: the result that was written last."""
    said = tool(status=1, folder=folder).stderr
    expect("no papi_mpi_*.json" in said and '"papi_mpirun -n 2 PROGRAM" makes one' in said, said)
    said = tool("absent.json", status=1, folder=folder).stderr
    expect(said.endswith('; "papi_mpirun -n 2 PROGRAM" makes a result here\n'), said)
    now = time.time()
    for age, name in ((50, "papi_mpi_b_2.json"), (10, "papi_mpi_a_1.json"), (90, "papi_mpi_c_3.json"), (1, "other.json"),
                      (2, "papi_mpi_d_4.json.part")):
        result.write(folder / name, result.result([SECOND] * 2, program=f"/bin/{name}"))
        os.utime(folder / name, (now - age, now - age))
    (folder / "papi_mpi_folder.json").mkdir()
    done = tool(folder=folder)
    has(done.stdout.splitlines(), "papi_mpi_a_1.json: 2 ranks")
    expect(done.stderr == "papi_mpi_report: the newest result here is papi_mpi_a_1.json\n", done.stderr)
    has(tool("--csv=efficiency", folder=folder).stdout.splitlines(), "parallel,")
    said = tool("absent.json", status=1, folder=folder).stderr
    expect(said.endswith("; the newest result here is papi_mpi_a_1.json: run \"papi_mpi_report 'papi_mpi_a_1.json'\"\n"), said)
    (folder / "papi_mpi_e_5.json").write_text("{") # the newest, but it is that which cannot be read
    for name in ("papi_mpi_e_5.json", "./papi_mpi_e_5.json"):
        said = tool(name, status=1, folder=folder).stderr
        expect("the newest result here is papi_mpi_a_1.json" in said, said)


# -------------------------------------------------------------------------- bad files

def changed(job, change):
    copy = json.loads(json.dumps(job))
    change(copy)
    return copy


def put(*path_and_value):
    *path, last, value = path_and_value

    def change(job):
        for key in path:
            job = job[key]
        job[last] = value
    return change


def drop(*path):
    def change(job):
        for key in path[:-1]:
            job = job[key]
        del job[path[-1]]
    return change


def refused(path, *wanted):
    done = tool(path, status=1)
    expect(done.stdout == "" and done.stderr.startswith(f"papi_mpi_report: {path}: ") and done.stderr.count("\n") == 1,
           f"{done.stdout}{done.stderr}")
    for text in wanted:
        expect(text in done.stderr, f"not said: {text}\n{done.stderr}")


WRONG = [None, True, -1, 1.5, 2**63 - 1, "text", "", [], [1], [[1]], {}, {"a": 1}]


def hostile(folder):
    good = result.result([SECOND * 2, SECOND], nodes=2, counters={"C": [1, 2]}, calls=[call("MPI_Send", 1, 2)],
                         regions=[region("r", 1, 2, counters=[3])], sent_sizes=[[1, 2]], inside={1: "MPI_Send"})
    path = folder / "job.json"

    # What each sentence names.
    for change, *wanted in (
            (put("format", "other"), "not the result of an MPI job"),
            (put("version", 2), "version 2 of the format", "version 1"),
            (drop("job"), '"job" is missing'),
            (drop("rows"), '"rows" is missing'),
            (put("job", "ranks", "2"), 'job: "ranks" is not a whole number'),
            (put("job", "ranks", -2), 'job: "ranks" is negative'),
            (put("job", "ranks", 0), "do not fit together"),
            (put("job", "ranks", 2**62), "do not fit together"),
            (put("job", "present", 3), "do not fit together"),
            (put("job", "program", 7), 'job: "program" is not a text'),
            (put("job", "recovered", 0), 'job: "recovered" is neither true nor false'),
            (put("job", "thread_level", 2**40), '"thread_level" is too large'),
            (put("counters", [{"name": "C", "unit": ""}] * 13), "more than 12 counters"),
            (put("metrics", 0, "count", 3), "metrics[0]", "more than the job has ranks"),
            (put("metrics", 0, "sum", "12x"), 'metrics[0]: "sum" is not a number'),
            (put("metrics", 0, "sum", "9" * 40), 'metrics[0]: "sum" is not a number'),
            (put("metrics", 1, "largest", [[1, 0]]), 'metrics[1]: "largest" has not 2 entries'),
            (put("metrics", 1, "largest", [[1, 0], [1, 2]]), "names rank 2 of 2"),
            (put("metrics", 1, "buckets", [[9, 2]]), "metrics[1]", "not a bucket"),
            (put("metrics", 1, "buckets", [[8, 1]]), '"buckets" has 1 ranks and "count" 2'),
            (put("metrics", 1, "buckets", [[8, 1], [8, 1]]), "not a bucket"),
            (put("calls", 0, "name", "MPI_Nonsense"), "calls[0]", "does not know"),
            (put("calls", 0, "times", [[8, 1], [33, 1]]), "calls[0]", "no class of times begins at 33 ticks"),
            (put("regions", 0, "counters", []), 'regions[0]: "counters" has not 1 entries'),
            (put("regions", [good["regions"][0]] * 129), "more than 128 regions"),
            (put("sent_sizes", [[3, 1]]), "sent_sizes: 3 is neither 0 nor a power of two"),
            (put("row_values", ["elapsed"] * 100), '"row_values"'),
            (put("rows", 0, "values", [1]), '"values" has not as many'),
            (put("rows", 1, "rank", 0), "rank 0 is out of place"),
            (put("rows", 1, "rank", 2), "rank 2 is out of place"),
            (put("rows", 1, "inside", "MPI_Nonsense"), '"inside" is neither null nor an MPI call'),
            (drop("rows", 1), '"rows" has 1 ranks of 2')):
        for fixed in (True, False):
            refused(result.write(path, changed(good, change), fixed), *wanted)

    # Every value replaced by every wrong one: read or refused, never a crash and never more than the report.
    def places(value, path=()):
        if path:
            yield path
        if isinstance(value, dict):
            for key in value:
                yield from places(value[key], path + (key,))
        elif isinstance(value, list):
            for i in range(min(len(value), 2)):
                yield from places(value[i], path + (i,))

    everything = [place for place in places(good) if place[0] != "metrics" or place[1:2] in ((), (0,), (3,))]
    expect(len(everything) > 100, "hardly anything to replace")
    for n, place in enumerate(everything):
        value = WRONG[n % len(WRONG)]
        for wrong in (value, WRONG[(n * 5 + 3) % len(WRONG)]):
            result.write(path, changed(good, put(*place, wrong)), fixed=n % 2 == 0)
            done = subprocess.run([TOOL, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
            expect(done.returncode in (0, 1), f"{place} = {wrong}: {done.returncode}\n{done.stderr.decode()}")
            expect(len(done.stdout.splitlines()) <= LINES, f"{place} = {wrong}: {done.stdout.decode()}")

    # Cut off anywhere.
    whole = result.write(path, good).read_bytes()
    cut = folder / "cut.json"
    for end in sorted({0, 1, len(whole) - 3, *range(2, len(whole) - 3, len(whole) // 60)}):
        cut.write_bytes(whole[:end])
        refused(cut, "is empty" if end == 0 else "")
    cut.write_bytes(whole[:-3])
    refused(cut, f"line {whole[:-3].count(10) + 1}")
    # A line in the middle that is not JSON, before and after the rows.
    lines = whole.split(b"\n")
    for number in (3, len(lines) - 2):
        cut.write_bytes(b"\n".join(lines[:number - 1] + [b"nonsense"] + lines[number - 1:]))
        refused(cut, f"line {number}, ")
    # A damaged row names its line.
    row = next(i for i, line in enumerate(lines) if line.startswith(b'{"rank":1'))
    cut.write_bytes(b"\n".join(lines[:row] + [lines[row].replace(b":", b";", 1)] + lines[row + 1:]))
    refused(cut, f"line {row + 1}: ")
    # Bytes from the middle.
    for seed in range(60):
        damaged = bytearray(whole)
        for k in range(5):
            damaged[(seed * 7919 + k * 104729) % len(whole)] = (seed * 31 + k * 17) % 256
        cut.write_bytes(damaged)
        done = subprocess.run([TOOL, cut], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600, check=False)
        expect(done.returncode in (0, 1), f"damage {seed}: {done.returncode}\n{done.stderr.decode(errors='replace')}")

    for content in (b"\0" * 4096, b"[" * 100_000, b'{"format": "papi_mpi result", "format": 1}', b"[]", b"7", b'"text"', b"\xff\xfe",
                    b'{"format": "papi_mpi result", "version": 1' + b"0" * 5000 + b"}", b"null",
                    b'{"format": "papi_mpi result", "version": 1, "job": {}, "job": {}}',
                    b'{\n  "rows": [\n' * 1000, b'{"a": "' + b"x" * 10_000_000):
        cut.write_bytes(content)
        refused(cut)
    unreadable = folder / "unreadable.json"
    unreadable.write_bytes(whole)
    unreadable.chmod(0)
    if os.geteuid() == 0:
        print("not tried, as root reads everything: a file without permission")
    else:
        refused(unreadable, "cannot be read: Permission denied")
    # Of the kernel: it can be opened, and not be read.
    refused(pathlib.Path("/proc/self/mem"), "cannot be read")
    refused(pathlib.Path("/dev/null"), "is empty")
    refused(pathlib.Path("/dev/zero"))


def large(folder):
    """More than any result has: a message and not the memory of the machine."""
    path = folder / "large.json"
    with open(path, "wb") as file:
        file.write(b'{"format": "papi_mpi result", "rows": [')
        block = b"1," * 500_000
        for _ in range(35):
            file.write(block)
    refused(path, "too large")
    with open(path, "wb") as file:
        file.write(b'{"')
        file.truncate(1 << 40)
    refused(path)
    # Rows that no rank has, in a file that is nothing but rows.
    with open(path, "wb") as file:
        head = result.write(folder / "job.json", result.result([SECOND])).read_bytes().split(b'  "rows": [\n')
        row = head[1].split(b"\n")[0] + b"\n"
        file.write(head[0] + b'  "rows": [\n')
        file.write(row * 20_000)
        file.write(b"  ]\n}\n")
    refused(path, '"rows" has 20000 ranks of 1')


def main():
    global TOOL
    TOOL = os.path.abspath(sys.argv[1])
    case = {f.__name__: f for f in (limits, verdicts, places, waiting, pauses, on_terminal, partial, figures, metrics, by_name, calls, communicators, sites, messages, one_region, regions, outliers, quality, rows,
                                    comparison, comparison_sites, forms, long_table, hatchet, command_line, newest, hostile, large)}[sys.argv[2]]
    with tempfile.TemporaryDirectory(prefix="papi_mpi_report_") as folder:
        try:
            case(pathlib.Path(folder))
        except Failed as failure:
            sys.exit(f"FAILED: {failure}")


main()
