#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs whose answer is known beforehand: answers_test.py NAME SOURCES PROGRAM, with mpi_test of programs.cmake.

A row of ANSWERS is a program of this folder (NAME.c or NAME.f90; list it in CMakeLists.txt, too). It works in known_work
alone, whose times the program notes by its own clocks (known.h): the efficiencies that follow from these notes must be in
the report within 2 %. Notes are taken because the machine may be busy: what the program would do on an idle one is in its
source. A job that does not end has its rows in ../hang/hang_test.py. To add a row: write the program, add it here, and run it with both MPIs."""
import collections
import dataclasses
import os
import pathlib
import re
import sys

import mpirun
from mpirun import fail, run, skip

TOLERANCE = 0.02


@dataclasses.dataclass
class Answer:
    ranks: int = 2              # with MPICH, whose ranks look for messages all the time: no more than 2
    ranks_openmpi: int = 0      # with Open MPI; 0: as many
    flavours: tuple = ("mpich", "openmpi")
    env: dict = dataclasses.field(default_factory=dict)
    arguments: tuple = ()
    before: tuple = ()          # words before the program
    nodes: int = 1              # the ranks are spread over so many
    efficiencies: object = None  # a function of the notes, {rank: {name: value}}, instead of by_elapsed
    words: tuple = ()           # regular expressions: each is found in the first sentences of the report; or a function of the notes.
                                # A job in which others had a processor for long may end with other sentences: it is run again
    not_words: tuple = ()       # and none of these
    site: tuple = ()            # (call, mark): the call site with most time; its line has "place: MARK" in the source
    routine: str = ""           # the second sentence names that call site, in this routine
    tries: int = 1              # of which one must succeed, where other work on the machine blurs what can be told
    tolerance: float = TOLERANCE  # more only where the machine's load decides what can be told
    processors: int = 0         # the job has so many of the machine's; 0: all
    figures: object = None      # a function of the notes and the result: what is wrong with it, or None


def by_elapsed(notes):
    """The efficiencies of docs/mpi.md, by the work that each rank noted."""
    useful, elapsed = [n["useful"] for n in notes.values()], max(n["elapsed"] for n in notes.values())
    mean = sum(useful) / len(useful)
    return {"load_balance": mean / max(useful), "communication": max(useful) / elapsed, "parallel": mean / elapsed}


def by_threads(notes):
    """The same where threads call MPI: by their work and the time around their calls, of all of a rank together."""
    useful, times = [n["useful"] for n in notes.values()], [n["useful"] + n["mpi"] for n in notes.values()]
    mean = sum(useful) / len(useful)
    return {"load_balance": mean / max(useful), "communication": max(useful) / max(times), "parallel": mean / max(times)}


def of_threads(notes, result):
    """Useful time, MPI time and the time of threads, of all ranks."""
    work, mpi = (sum(note[key] for note in notes.values()) for key in ("useful", "mpi"))
    sums = {metric["key"]: int(metric["sum"]) / 1e9 for metric in result["metrics"]}
    known = {"useful": work, "mpi": mpi, "threads_time": work + mpi}
    print({key: (sums[key], round(value, 4)) for key, value in known.items()})
    wrong = [f"{key} is {sums[key]} s, not {value}" for key, value in known.items() if abs(sums[key] - value) > TOLERANCE * (work + mpi)]
    return "; ".join(wrong) or (None if result["job"]["thread_ranks"] == 2 else "the times are not those of threads")


def of_regions(notes, result, expected=("alternates", "even", "uneven"), ideals=None):
    """The efficiencies of the regions of a program, by the work of each rank in each turn of them. ideals: how long they take
    where messages take no time, if ranks do not enter them together."""
    wrong = []
    for region in result["regions"]:
        name, ranks = region["name"], notes.values()
        turns = {key for note in ranks for key in note if key.startswith(f"{name}.") and key != f"{name}.time"}
        useful = [sum(note[turn] for turn in turns) for note in ranks]
        ideal = ideals[name] if ideals else sum(max(note[turn] for note in ranks) for turn in turns)
        time, mean = max(note[f"{name}.time"] for note in ranks), sum(useful) / len(useful)
        known = {"parallel": mean / time, "load_balance": mean / max(useful), "communication": max(useful) / time}
        if result["efficiency"]["transfer"] is not None:
            known.update(serialisation=max(useful) / ideal, transfer=ideal / time)
        print(name, {key: (region["efficiency"][key], round(value, 4)) for key, value in known.items()})
        wrong += [f"{name}: {key} is {region['efficiency'][key]}, not {value}" for key, value in known.items()
                  if abs(region["efficiency"][key] - value) > TOLERANCE * max(value, 0.1)]
    names = sorted(region["name"] for region in result["regions"])
    return "; ".join(wrong) or (None if names == sorted(expected) else f"the regions are {names}")


def of_regions_of_threads(notes, result):
    """What the main thread is never in has no counters: they are read where it enters and leaves."""
    counted = {one["name"]: [count is not None for count in one["counters"]] for one in result["regions"]}
    wrong = [f"counters of {name}: {known}" for name, known in counted.items() if not known or set(known) != {name != "last"}]
    return "; ".join(wrong) or of_regions(notes, result, ("alone", "last", "part"))


def of_asking(notes, result):
    """What asking.c was told while it ran, and what the report says of the same region in the end."""
    ranks = list(notes.values())
    work, time = [note["work.0"] for note in ranks], max(note["work.time"] for note in ranks)
    whole = [note["work.0"] + note["rest.0"] + note["late.0"] for note in ranks]
    mean, whole_mean = sum(work) / len(work), sum(whole) / len(whole)
    known = {"load_balance": mean / max(work), "parallel": mean / time, "communication": max(work) / time}
    pairs = [(f"{when}.{key}", note[f"{when}.{key}"], value) for note in ranks for when in ("inside", "after") for key, value in known.items()]
    pairs += [("own.parallel", note["own.parallel"], note["work.0"] / note["work.time"]) for note in ranks]
    pairs += [("all.load_balance", note["all.load_balance"], whole_mean / max(whole)) for note in ranks]
    pairs += [(f"reported {key}", result["regions"][0]["efficiency"][key], value) for key, value in known.items()]
    wrong = [f"{name} is {found}, not {value}" for name, found, value in pairs if not abs(found - value) <= TOLERANCE * value]
    wrong += [f"own.{key} is known" for note in ranks for key in ("load_balance", "transfer") if note[f"own.{key}"] == note[f"own.{key}"]]
    return "; ".join(wrong) or (None if result["job"]["paused_ns"] > 0 else "the time of asking is not left out")


def of_partitioned(notes, result):
    """Ten messages of four thousand numbers."""
    (start,) = [call for call in result["calls"] if call["name"] == "MPI_Start"]
    (ready,) = [call for call in result["calls"] if call["name"] == "MPI_Pready"]
    cells = [[0, 1, 10, 320_000]]
    right = (start["calls"], start["bytes"], ready["calls"], ready["bytes"], result["matrix"]["cells"]) == (20, 320_000, 40, 0, cells)
    return None if right else f"{start} {ready} {result['matrix']}"


LATE = ("MPI_Recv", "waits", "late_sender", "late", 1), ("MPI_Ssend", "sends", "late_receiver", "met", 0)


def of_late(notes, result, source="late.c", waits=LATE):
    """Each waits at its own line from when it came until the other one did: waits has what is noted of it, and who waits."""
    def waited(what, first):
        return sum(max(0, notes[1 - first][f"{what}.{i}"] - notes[first][f"{what}.{i}"]) for i in range(20))

    source, found = pathlib.Path(__file__).parent / source, {}
    for late in result["late"]:
        for key in ("late_sender", "late_receiver"):
            if late[f"{key}_ns"]:
                site = result["sites"][late["site"]]
                found[site["call"], site["frames"][0]["line"], key] = late[f"{key}_ns"] / 1e9
    known = {(call, line_of(source, mark), kind): waited(what, first) for call, mark, kind, what, first in waits}
    print(found, known)
    wrong = [f"{key}: {found.get(key)}, not {value}" for key, value in known.items() if not abs(found.get(key, 0) - value) <= TOLERANCE * value]
    wrong += [f"{key}: {value}" for key, value in found.items() if key not in known and value > TOLERANCE * min(known.values())]
    return "; ".join(wrong)


def of_later(notes, result):
    """The same of requests. Each call that waits for two late messages has waited until the second."""
    senders = sum(late["late_senders"] for late in result["late"] if result["sites"][late["site"]]["call"] == "MPI_Waitall")
    waits = ("MPI_Waitall", "both come", "late_sender", "second", 1), ("MPI_Wait", "completes", "late_receiver", "request", 0)
    return of_late(notes, result, "later.c", waits) or (None if 20 <= senders <= 40 else f"{senders} messages were late, not 40")


def of_files(notes, result):
    """The time that rank 0 notes around its file calls is theirs, but for what others take on a busy machine."""
    ns = sum(call["ns"] for call in result["calls"] if call["class"] == "file")
    return None if 0.8 * notes[0]["files"] < ns / 1e9 <= notes[0]["files"] else f"{ns} ns in files, not {notes[0]['files']} s"


def of_cost(notes, result):
    """The wrapper's own time is what its quickest tests take longer than those without it, and is in no other time. The estimate
    is of a loop without MPI, where the processor does more at a time."""
    elapsed, useful, mpi = (sum(row["values"][i] for row in result["rows"]) for i in range(3))
    own, (test,) = result["job"]["overhead_ns"], [call for call in result["calls"] if call["name"] == "MPI_Test"]
    known = sum(note["wrapped"] - note["bare"] for note in notes.values()) / len(notes) * 1e9
    worked = sum(note["useful"] for note in notes.values()) * 1e9
    print(f"useful {useful / elapsed:.4f}, known to be {worked / elapsed:.4f} of the time; own {own / test['calls']}, {known} ns")
    if abs(elapsed - useful - mpi - own) > 1e-6 * elapsed:
        return f"elapsed {elapsed} is not useful {useful} + MPI {mpi} + own {own}"
    if abs(useful - worked) > TOLERANCE * elapsed:
        return f"useful is {useful}, not {worked}, of {elapsed}"
    return None if known / 2 < own / test["calls"] < known * 2 else f"own time is {own / test['calls']} ns in a test, not {known}"


def of_asking_fortran(notes, result):
    work = [note["useful"] for note in notes.values()]
    wrong = [note["after.load_balance"] for note in notes.values()
             if not abs(note["after.load_balance"] - sum(work) / len(work) / max(work)) <= TOLERANCE]
    return f"load balance is {wrong}" if wrong else None


def longest(notes):
    """The rank that worked longest: on a busy machine it may be any of those with equal work."""
    most = max(note["useful"] for note in notes.values())
    ranks = [str(rank) for rank, note in notes.items() if note["useful"] >= (1 - TOLERANCE) * most]
    return (f"rank ({'|'.join(ranks)}) works .*: load balance",)


def of_hydro(notes, result):
    """All ranks meet at the end of each region, and come to the next one when they have done what is before it."""
    regions = ("nodes", "elements", "time_step")
    chain, inside = {rank: 0 for rank in notes}, {region: {rank: 0 for rank in notes} for region in regions}
    for step in range(10):
        for region in regions:
            entered = {rank: chain[rank] + note[f"before.{region}.{step}"] for rank, note in notes.items()}
            met = max(entered[rank] + note[f"{region}.{step}"] for rank, note in notes.items())
            for rank in notes:
                inside[region][rank] += met - entered[rank]
                chain[rank] = met
    return of_regions(notes, result, regions, {region: max(inside[region].values()) for region in regions})


def alternate(notes):
    """In each step the ranks wait for the one that works longest. On a busy machine the steps of one rank may be most of the time."""
    path = collections.Counter()
    for step in {key for note in notes.values() for key in note if key.startswith("step.")}:
        latest = max(notes, key=lambda rank: notes[rank][step])
        path[latest] += notes[latest][step]
    (rank, most), = path.most_common(1)
    part = most / sum(path.values())
    leads = f"ranks wait for rank {rank}, whose work is most of the critical path"
    return ((f"({leads if part > 0.57 else 'late ranks alternate' if part < 0.53 else f'late ranks alternate|{leads}'}){SERIAL}"),)


def of_crowd(notes, result):
    """Two ranks that compute share one processor: together, they have it no longer than the job lasts, and no less than for
    what they noted."""
    said = re.match(r"2 of 2 ranks take turns on fewer processors, and have one (\d+) % of the time; as it is, ", result["verdict"])
    least = sum(note["processor"] for note in notes.values()) / sum(note["elapsed"] for note in notes.values())
    return None if said and 100 * least - 2 < int(said[1]) < 52 else f"not {least} to 0.5"


def of_relay(notes, result):
    """What is useful, in MPI and in MPI_Finalize is all of the time of all ranks."""
    parts = [int(re.search(words, result["verdict"])[1])
             for words in (r"(\d+) % of the time is useful", r"MPI takes (\d+) %", r"in MPI_Finalize (\d+) %")]
    known = 1 - sum(note["elapsed"] for note in notes.values()) / len(notes) / max(note["elapsed"] for note in notes.values())
    share = 100 * result["places"][0]["share"]
    right = abs(sum(parts) - 100) <= 3 and abs(parts[2] - 100 * known) <= 2 and abs(share - parts[1]) <= 1
    return None if right else f"{parts}, and {known} in MPI_Finalize; {share} in MPI_Recv"


AT_END = r"MPI_Finalize takes \d+ % of the time: ranks wait there"
PATH = {"PAPI_MPI_PATH": "1"}
TELL = "To tell waiting from transfer: PAPI_MPI_PATH=1 papi_mpirun"
ALTERNATE = r"late ranks alternate: waiting for the last one in collective calls [345]\d %, transfer in them (1?\d|less than 1) %"
SERIAL = r": waiting for others \(serialisation\) [2345]\d %, transfer (1?\d|less than 1) %: serialisation 0\."


def not_judged(notes, result):
    known = {key: value for key, value in result["efficiency"].items() if value is not None}
    return f"efficiencies are known: {known}" if known else None


def serial(notes, result):
    """One rank works after the other, or all wait for the latest of each step. Messages take nothing, but on a busy machine it
    takes a while until a rank goes on."""
    known, found = by_elapsed(notes)["communication"], result["efficiency"]
    expected = abs(found["serialisation"] * found["transfer"] - known) <= TOLERANCE and found["serialisation"] < found["transfer"]
    return None if expected and found["transfer"] > 0.75 else f"serialisation is {found['serialisation']}, transfer {found['transfer']}"


def balance(notes):
    return {"load_balance": by_elapsed(notes)["load_balance"]}


def of_counter(notes, result):
    """No call of a counter is a test that fails, and each is counted."""
    (fetch,) = [call["calls"] for call in result["calls"] if call["name"] == "MPI_Fetch_and_op"]
    tested = result["job"]["tested_ns"]
    return None if (tested, fetch) == (0, 2 * 20_000) else f"{tested} ns between tests, {fetch} calls"


def polling(kind, call=None, **more):
    words = ("rank 0 works .* longer than the mean: load balance",) if call else ()
    return Answer(tries=4, efficiencies=balance, arguments=(kind,), words=words, site=(f"MPI_{call.capitalize()}", call) if call else (), **more)


def threads(*kind, **more):
    return Answer(arguments=kind, tries=3, efficiencies=by_threads, figures=of_threads, **more)


# The first sentence begins with a remark where the machine is busy, and has a figure that depends on that. Several rows of
# one program are runs of it; those of NAME_more are more of NAME, in a test of their own.
ANSWERS = {
    "imbalance": Answer(ranks_openmpi=4, words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Allreduce", "waits")),
    "asking": Answer(arguments=("wrong",), efficiencies=lambda notes: {}, figures=of_asking),
    "asking_fortran": Answer(efficiencies=lambda notes: {}, figures=of_asking_fortran),
    # A thread that sleeps or yields its processor between tests: what it computes there is not certain on a busy machine.
    "polling": (*(polling(call, call) for call in ("test", "testsome", "iprobe")), polling("yield", "iprobe", tolerance=0.25),
                polling("mixed"), polling("fine"),
                # Ranks take turns: a processor that is away is neither work nor waiting by itself.
                polling("overlap", ranks=4, processors=2, tolerance=0.05)),
    "polling_more": (*(polling(call, call) for call in ("testall", "testany", "improbe", "request_get_status")),
                     polling("sleep", "iprobe", tolerance=0.1), polling("overlap"),
                     *(polling(kind, ranks=4, processors=2, tolerance=0.05) for kind in ("iprobe", "mixed"))),
    # A processor that is taken away again and again, in the middle of work and of tests, is both. Tests of more ranks of Open MPI
    # than there are processors give theirs up each time, which takes minutes on a busy machine.
    "polling_cost": tuple(Answer(ranks=ranks, processors=processors, arguments=arguments, tries=4, efficiencies=lambda notes: {}, figures=of_cost)
                          for ranks, processors, arguments in ((2, 0, ()), (2, 1, ()), (2, 1, ("3000",)))),
    "polling_server": tuple(Answer(tries=4, efficiencies=balance, arguments=arguments) for arguments in ((), ("background",))),
    # A counter is no test: what comes of it is another number each time.
    "spinning": (*(Answer(tries=4, efficiencies=balance, arguments=(how,), words=("rank 0 works .* longer than the mean: load balance",))
                   for how in ("fetch", "swap", "accumulate", "get")),
                 Answer(arguments=("counter",), efficiencies=lambda notes: {}, figures=of_counter)),
    "spinning_fortran": Answer(tries=4, efficiencies=balance, words=("rank 0 works .* longer than the mean: load balance",)),
    # Voluntary sleep is not said to be a wait for a processor, where others take that, too.
    "sleepy": Answer(words=(r"had no processor \d+ % of the time .*, or sleep\)",), not_words=("waited for a processor",)),
    "regions": Answer(ranks_openmpi=3, env=PATH, figures=of_regions),
    "regions_threads": Answer(tries=3, efficiencies=lambda notes: {},
                              figures=of_regions_of_threads),
    "pipeline": Answer(words=("MPI_Recv alone .*communication efficiency", TELL), site=("MPI_Recv", "waits"), routine="pipeline"),
    "alternating": (
        Answer(words=(ALTERNATE,), not_words=(TELL,), site=("MPI_Allreduce", "waits"), routine="step"),
        Answer(env=PATH, words=alternate, not_words=(TELL,), figures=serial,
               site=("MPI_Allreduce", "waits"), routine="step")),
    "turns": (
        Answer(words=(ALTERNATE,), not_words=(TELL,), site=("MPI_Barrier", "waits"), routine="steps::advance"),
        Answer(env=PATH, words=alternate, figures=serial,
               site=("MPI_Barrier", "waits"), routine="steps::advance")),
    "wave": (
        Answer(words=("MPI_Recv alone .*communication efficiency", TELL), site=("MPI_Recv", "waits"), routine="main"),
        Answer(env=PATH, words=("ranks wait for each other in turn" + SERIAL,), not_words=(TELL,), figures=serial,
               site=("MPI_Recv", "waits"), routine="main")),
    "master": (
        Answer(words=("MPI_Recv alone .*communication efficiency|rank 0 works .* longer than the mean", ), ranks_openmpi=3,
               site=("MPI_Recv", "waits"), routine="work"),
        Answer(env=PATH, words=("ranks wait for rank 0, whose work is most of the critical path" + SERIAL,),
               figures=serial, site=("MPI_Recv", "waits"), routine="work")),
    "files": (
        Answer(ranks_openmpi=3, words=("rank 0 alone is in file calls, .* while others are in MPI_Barrier: file access .communication efficiency",
                                       r"MPI_File_\w+ at files.c:\d+ in \w+( \(in main\))? takes .*, on rank 0 alone"),
               not_words=("alternate", TELL), figures=of_files),
        Answer(env=PATH, words=("rank 0 alone is in file calls, .* while others are in MPI_Barrier: .*: file access .transfer efficiency",),
               figures=of_files)),
    # All ranks are in file calls for nearly all of the time, and how long they work is not what this is about.
    "disk": (
        Answer(efficiencies=lambda notes: {}, words=(r"file access takes [6-9]\d %, MPI_File_\w+ alone .*: file access .communication efficiency",),
               not_words=(TELL,)),
        Answer(efficiencies=lambda notes: {}, env=PATH,
               words=(r"file access takes [6-9]\d %, .*: waiting for others .*, transfer of messages (1?\d|less than 1) %: file access .transfer",))),
    "reading": Answer(ranks_openmpi=3, words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Bcast", "waits"), routine="main"),
    "threads": (
        threads("turns", words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Sendrecv", "waits"), routine="exchange"),
        # Which of the time between their tests is work is not known, and is not judged.
        Answer(arguments=("polling",), efficiencies=lambda notes: {}, figures=not_judged,
               words=(r"wait by tests for \d+ % of their time; MPI_Test at threads.c:\d+ .* there are no efficiencies",),
               not_words=("is useful;", "limits this job")),
        threads("blocked", words=("MPI_Sendrecv alone .*communication efficiency",), site=("MPI_Sendrecv", "waits"), routine="exchange")),
    "threads_more": (
        threads("early", words=("rank 0 works .* longer than the mean: load balance",)),
        threads("detached", words=("rank 0 works .* longer than the mean: load balance|MPI_Sendrecv alone",)),
        threads("broken", words=("rank 0 works .* longer than the mean: load balance",))),
    "hybrid": (
        threads(env={"OMP_WAIT_POLICY": "passive"}, words=("rank 0 works .* longer than the mean: load balance.*; PAPI_MPI_THREADS=1 tells",),
                site=("MPI_Sendrecv", "waits"), routine="hybrid::exchange"),
        threads(env={"OMP_WAIT_POLICY": "active", "PAPI_MPI_THREADS": "1"}, not_words=("PAPI_MPI_THREADS",),
                words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Sendrecv", "waits"), routine="hybrid::exchange")),
    "groups": Answer(ranks_openmpi=4, words=("rank . works .*: load balance",), not_words=("alternate", TELL), site=("MPI_Allreduce", "waits")),
    "late": Answer(env={"PAPI_MPI_TIMELINE": "1M"}, tries=3, figures=of_late,
                   words=("MPI_(Recv|Ssend) alone .*: communication efficiency",)),
    "later": Answer(env={"PAPI_MPI_TIMELINE": "1M"}, tries=3, figures=of_later, words=("communication efficiency",)),
    "packing": Answer(words=("rank 1 works .* longer than the mean: load balance",), site=("MPI_Sendrecv", "waits"),
                      routine="halo::exchange"),
    "partitioned": Answer(words=("rank 0 works .* longer than the mean: load balance",), figures=of_partitioned,
                          site=("MPI_Wait", "waits"), routine="main"),
    # Its own time beside the messages is too little to be known within 2 %.
    "tiny": Answer(efficiencies=lambda notes: {}, not_words=("alternate",),
                   words=(r"MPI_\w+ alone \d+ %, in 400000 messages of 8 B on average, \d\S* (M |)a second from each rank: communication efficiency",
                          r"MPI_(Isend|Irecv|Waitall) at tiny\.c:\d+ in exchange( \(in main\))? takes")),
    "slownode": Answer(ranks_openmpi=4, nodes=2, words=(r"the node of rank [12]( \(\S+\))? works .* longer than the mean node: load balance across nodes",),
                       site=("MPI_Allreduce", "waits"), routine="slownode"),
    "crowd": Answer(before=("taskset", "-c", str(min(os.sched_getaffinity(0)))), words=("what can be gained is a processor for each rank",), figures=of_crowd,
                    tolerance=0.05),
    "hydro": Answer(tries=2, env=PATH, words=("rank 1 works .* longer than the mean: load balance",), figures=of_hydro,
                    site=("MPI_Waitall", "waits"), routine="exchange"),
    "hydro_fortran": Answer(tries=2, words=("rank 0 works .* longer than the mean: load balance",), figures=of_hydro,
                            site=("MPI_Waitall", "waits"), routine="cubes::exchange"),
    "queue": Answer(words=(r"rank [01] works .* longer than the mean: load balance",
                           r"MPI_(Win_lock|Win_unlock|Barrier) at queue\.c:\d+ in (next_task|main)")),
    "collector": Answer(words=(ALTERNATE,), not_words=(TELL,), site=("MPI_Reduce_scatter", "waits"), routine="main"),
    "halves": Answer(ranks_openmpi=4, words=longest, not_words=("alternate", TELL),
                     site=("MPI_Barrier", "waits"), routine="main"),
    # What MPI does not do itself, though it is inside of its calls.
    "reduction": Answer(words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Allreduce", "waits"),
                        routine="main",
                        figures=lambda notes, result: None if result["job"]["operations_left"] == 8 else "not 8 operations without a place"),
    "reduction_fortran": Answer(words=("rank 0 works .* longer than the mean: load balance",), site=("MPI_Allreduce", "waits"),
                                routine="reduction_fortran"),
    "ends": (Answer(arguments=("late",), words=("rank 1 works .* longer than the mean: load balance", f"{AT_END} for rank 1, which comes last")),
             Answer(arguments=("relay",), figures=of_relay, words=("MPI_Recv alone .*, waiting for the last one in MPI_Finalize .*: communication efficiency",))),
    "exposure": tuple(Answer(tries=4, efficiencies=balance, arguments=(kind,), site=(f"MPI_Win_{kind}", kind),
                             words=("rank 0 works .* longer than the mean: load balance",)) for kind in ("test", "sync")),
    "workers": Answer(ranks_openmpi=4, words=longest, not_words=(TELL,),
                      site=("MPI_Recv", "waits"), routine="workers"),
}


def check(condition, *what):
    if not condition:
        fail(" ".join(map(str, what)))


def notes_of(folder, ranks):
    notes = {}
    for rank in range(ranks):
        notes[rank] = collections.defaultdict(float)
        for line in (folder / str(rank)).read_text().splitlines():
            name, value = line.rsplit(" ", 1)
            notes[rank][name] = float(value)
    return notes


def line_of(source, mark):
    found = [i for i, line in enumerate(source.read_text().splitlines(), 1) if re.search(rf"place: {mark}\b", line)]
    check(len(found) == 1, f"{len(found)} lines of {source.name} have the mark {mark}")
    return found[0]


def check_site(answer, source, result, said):
    call, mark = answer.site
    sites = [s for s in result["sites"] if s["frames"]]
    check(sites, "no call site has a line")
    most = max(sites, key=lambda s: s["ns"])
    first = most["frames"][0]
    found = (most["call"], pathlib.Path(first["file"]).name, first["line"])
    expected = (call, source.name, line_of(source, mark))
    check(found == expected, f"the call site that costs most is {found}, not {expected}")
    place = result["places"][0]
    if answer.routine:
        check((place["call"], place["line"], place["routine"]) == (call, first["line"], answer.routine), place)
        check(f"{call} at {source.name}:{first['line']} in {answer.routine} takes " in said, "not the place", said)


def first_sentences(text):
    """Everything before the line with the program, its ranks and its elapsed time."""
    lines = text.splitlines()
    end = next((i for i, line in enumerate(lines) if re.search(r"\d ranks? on .* elapsed", line)), None)
    check(end is not None, "no report in", text)
    return " ".join(line.strip() for line in lines[:end])


class HeldUp(Exception):
    """A sentence is missing, in a job that others held up."""


def check_words(answer, notes, said, errors):
    delayed, unfit = sum(note["delay"] for note in notes.values()) / sum(note["elapsed"] for note in notes.values()), None
    for words in answer.words(notes) if callable(answer.words) else answer.words:
        if not re.search(words, said):
            unfit = f"not said: {words}\n{errors}"
    for words in answer.not_words:
        if re.search(words, said):
            unfit = f"said: {words}\n{errors}"
    if unfit and delayed > 0.1 and not answer.before:
        raise HeldUp(f"others had a rank's processor for {100 * delayed:.0f} % of the time; {unfit}")
    check(not unfit, unfit)


def check_answer(answer, source, outcome, ranks):
    result, notes = outcome.result, notes_of(outcome.folder, ranks)
    check(result is not None, "no result", outcome.errors)
    said = first_sentences(outcome.errors)
    print(said)
    for key, value in (answer.efficiencies or by_elapsed)(notes).items():
        found = result["efficiency"][key]
        print(f"{key}: {found:.4f}, known to be {value:.4f}")
        check(abs(found - value) <= answer.tolerance * max(value, 0.1), f"{key} is {found}, not {value}\n{outcome.errors}\n{notes}")
    wrong = answer.figures(notes, result) if answer.figures else None
    check(not wrong, f"{wrong}\n{outcome.errors}\n{notes}")
    check_words(answer, notes, said, outcome.errors)
    if answer.site:
        check_site(answer, source, result, said)


def run_once(answer, source, program):
    ranks = answer.ranks_openmpi if mpirun.FLAVOUR == "openmpi" and answer.ranks_openmpi else answer.ranks
    everywhere = os.sched_getaffinity(0)
    if answer.processors:
        os.sched_setaffinity(0, sorted(everywhere)[:answer.processors])
    with mpirun.tempfile.TemporaryDirectory(prefix="papi_known_") as holder:
        hosts = {name: ranks // answer.nodes for name in ("one", "two")[:answer.nodes]}
        outcome = run(None, ranks, [*answer.before, program, *answer.arguments], env={"KNOWN_DIR": holder, **answer.env},
                      options=mpirun.machines(holder, hosts) if answer.nodes > 1 else ()).check()
        os.sched_setaffinity(0, everywhere)
        outcome.folder = pathlib.Path(holder)
        check_answer(answer, source, outcome, ranks)


def run_row(answer, source, program):
    left, held_up = answer.tries, 0
    while True:
        try:
            return run_once(answer, source, program)
        except HeldUp as reason:
            held_up += 1
            check(held_up < 5, reason)
            failure = reason
        except SystemExit as reason:
            left -= 1
            if left == 0:
                raise
            failure = reason
        print(failure, "once more", sep="\n")


def main():
    name, folder, program = sys.argv[1:4]
    rows = ANSWERS[name] if isinstance(ANSWERS[name], tuple) else (ANSWERS[name],)
    if not any(mpirun.FLAVOUR in answer.flavours for answer in rows):
        skip(f"not with {mpirun.FLAVOUR}")
    name = name.replace("_more", "")
    source = next(pathlib.Path(folder, f"{name}.{kind}") for kind in ("c", "f90") if pathlib.Path(folder, f"{name}.{kind}").exists())
    for answer in rows:
        if mpirun.FLAVOUR in answer.flavours:
            run_row(answer, source, program)


main()
