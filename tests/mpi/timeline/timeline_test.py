#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""timeline_test.py case program: the file of a job's last calls has exactly the calls, messages and regions that the
program made, and every event is one of the trace event format. Cases: known, many, cancel, requests, replaced, fortran, killed,
gone, off, words, taken, nothing, nodes."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from mpirun import REPORT, fail, run

LATE = 0.2  # seconds; the program's

# The members that an event of a phase must have, and their types.
NUMBER, TEXT = (int, float), str
MEMBERS = {
    "X": {"name": TEXT, "cat": TEXT, "ts": NUMBER, "dur": NUMBER, "pid": int, "tid": int, "args": dict},
    "b": {"name": TEXT, "cat": TEXT, "ts": NUMBER, "id": (int, TEXT), "pid": int, "tid": int},
    "e": {"name": TEXT, "cat": TEXT, "ts": NUMBER, "id": (int, TEXT), "pid": int, "tid": int},
    "s": {"name": TEXT, "cat": TEXT, "ts": NUMBER, "id": int, "pid": int, "tid": int, "args": dict},
    "f": {"name": TEXT, "cat": TEXT, "ts": NUMBER, "id": int, "pid": int, "tid": int, "bp": TEXT, "args": dict},
    "M": {"name": TEXT, "pid": int, "tid": int, "args": dict},
}


def expect(what, found, expected):
    if found != expected:
        fail(f"{what}: {found}, not {expected}")


def check_members(event):
    members = MEMBERS.get(event.get("ph"))
    if members is None or set(event) != set(members) | {"ph"}:
        fail(f"no event of the format: {event}")
    for name, kind in members.items():
        if not isinstance(event[name], kind):
            fail(f"{name} of {event}")
    if event.get("ts", 0) < 0 or event.get("dur", 0) < 0:
        fail(f"a time before the beginning: {event}")


def check_slices(slices):
    """Those of a thread come in order of time, one after the other."""
    last = {}
    for one in slices:
        if one["ts"] < last.get(one["tid"], 0) - 0.0015:
            fail(f"before the end of the last one, {last[one['tid']]}: {one}")
        last[one["tid"]] = one["ts"] + one["dur"]


def enclosing(slices, event):
    found = [one for one in slices if (one["pid"], one["tid"]) == (event["pid"], event["tid"])
             and one["ts"] - 0.0005 <= event["ts"] <= one["ts"] + one["dur"] + 0.0005]
    if not found:
        fail(f"in no call: {event}")
    return found


def pairs(events, first, second):
    """The two events of each id, of which the first comes first, in time too."""
    ids = collections.defaultdict(list)
    for event in events:
        if event["ph"] in (first, second):
            ids[event["id"]].append(event)
    for which, both in ids.items():
        if [one["ph"] for one in both] != [first, second] or both[0]["ts"] > both[1]["ts"]:
            fail(f"{first} and {second} of {which}: {both}")
        expect("name and category", (both[0]["name"], both[0]["cat"]), (both[1]["name"], both[1]["cat"]))
    return list(ids.values())


class Timeline:
    def __init__(self, path):
        whole = json.loads(path.read_text())
        self.sums, events = whole["papi_mpi"], whole["traceEvents"]
        for event in events:
            check_members(event)
        self.slices = [event for event in events if event["ph"] == "X"]
        check_slices(self.slices)
        self.lines, self.bands = pairs(events, "s", "f"), pairs(events, "b", "e")
        self.names = {event["pid"]: event["args"]["name"] for event in events if event.get("name") == "process_name"}
        threads = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name"}
        if {(one["pid"], one["tid"]) for one in self.slices} - threads:
            fail("a thread without a name")
        expect("lines", self.sums["lines"], len(self.lines))
        expect("calls", self.sums["calls"], len(self.slices))
        self.check_lines()

    def check_lines(self):
        """A line goes from the send of a number to a call of the rank that received that number."""
        ends = {(key, one["pid"], one["args"][key], one["args"][key + "_tag"], one["args"][key + "_message"])
                for one in self.slices for key in ("to", "from") if key + "_message" in one["args"]}
        for begin, end in self.lines:
            message, sent = begin["args"], enclosing(self.slices, begin)
            expect("the line's message at both ends", end["args"], message)
            key = message["to"], message["tag"], message["message"]
            if key not in {(one["args"].get("to"), one["args"].get("to_tag"), one["args"].get("to_message")) for one in sent} \
                    and not any(one["name"] == "MPI_Startall" for one in sent):
                fail(f"a line of {message} from {sent}")
            if ("from", message["to"], message["from"], message["tag"], message["message"]) not in ends \
                    and not any(one["name"] == "MPI_Startall" for one in self.slices):
                fail(f"nobody received {message}")
            expect("ranks", (begin["pid"], end["pid"]), (message["from"], message["to"]))
            enclosing(self.slices, end)

    def call_at(self, end):
        """The call in which an end of a line is: the innermost is the only one."""
        found = enclosing(self.slices, end)
        return min(found, key=lambda one: abs(one["ts"] + (one["dur"] if end["ph"] == "f" else 0) - end["ts"]))

    def calls(self, rank):
        return dict(collections.Counter(one["name"] for one in self.slices if one["pid"] == rank))


def job(program, what, size, **more):
    return run(None, 2, [program, what], env={"PAPI_MPI_TIMELINE": size, **more})


def timeline_of(outcome):
    return Timeline(outcome.check().folder / "result.timeline.json")


def check_known(program):
    outcome = job(program, "known", "1M")
    timeline = timeline_of(outcome)
    same = {"MPI_Comm_dup": 1, "MPI_Sendrecv": 3, "MPI_Wait": 4, "MPI_Barrier": 1, "MPI_Comm_free": 1, "MPI_Pcontrol": 2}
    expect("calls of rank 0", timeline.calls(0), {**same, "MPI_Send": 14, "MPI_Isend": 4})
    expect("calls of rank 1", timeline.calls(1), {**same, "MPI_Recv": 14, "MPI_Irecv": 4})
    sums = timeline.sums
    # 10, 1, 1 and 1 with MPI_Send, 3 each way, 4 without waiting; not: of another communicator.
    expect("messages that are joined", sums["joined"], 10 + 3 + 6 + 4)
    expect("lines", sums["lines"], 10 + 3 + 6 + 4)
    expect("ends of messages", (sums["sent"], sums["received"]), (14 + 4 + 6, 14 + 4 + 6))
    expect("what the rings had no room for, and what the clocks differ by", (sums["replaced"], sums["clock_error_ns"]), (0, 0))
    expect("bytes", [one["args"]["bytes"] for one in timeline.slices if one["name"] == "MPI_Send"][:12], list(range(10)) + [1, 100])
    if not LATE * 0.9e9 < sums["late_sender_ns"]:
        fail(f"the late sender: {sums['late_sender_ns']} ns, not {LATE} s")
    expect("bands", sorted((one[0]["pid"], one[0]["name"]) for one in timeline.bands), [(0, "exchange"), (1, "exchange")])
    expect("files of the call sites", {one["args"].get("at", "").split(":")[0] for one in timeline.slices}, {"timeline.c"})
    late = {(outcome.result["sites"][one["site"]]["call"], one["late_senders"] > 0) for one in outcome.result["late"]}
    if ("MPI_Recv", True) not in late or sum(one["late_sender_ns"] for one in outcome.result["late"]) != sums["late_sender_ns"]:
        fail(f"late senders: {outcome.result['late']}, {sums}")
    for rank in (0, 1):
        if not timeline.names[rank].startswith(f"rank {rank} ("):
            fail(timeline.names)
    if "timeline of the last" not in outcome.errors or "result.timeline.json" not in outcome.errors:
        fail(outcome.errors)


def check_many(program):
    timeline = timeline_of(job(program, "many", "64k"))
    places = len(timeline.slices) // 2
    if not 100 < places < 1024:
        fail(f"{places} calls in 64 KiB")
    for rank, end in ((0, "to"), (1, "from")):
        numbers = [one["args"][end + "_message"] for one in timeline.slices if one["pid"] == rank]
        expect("the last messages", numbers, list(range(5001 - places, 5001)))
    expect("bytes", [one["args"]["bytes"] for one in timeline.slices if one["pid"] == 0], list(range(5000 - places, 5000)))
    expect("joined", (timeline.sums["joined"], timeline.sums["lines"]), (places, places))
    expect("replaced", timeline.sums["replaced"], 2 * (5000 - places))


def check_cancel(program):
    outcome = job(program, "cancel", "1M", PAPI_MPI_REPORT="none")
    timeline = timeline_of(outcome)
    expect("what is printed where no report is wanted", outcome.errors, "")
    expect("of a rank that cancels", (timeline.sums["joined"], timeline.sums["lines"]), (1, 1))


def known_messages(folder, ranks):
    """What the program says: {message: (rank, call)} of the sends and of the receives, and how many calls each rank made."""
    sent, received, calls = {}, {}, {}
    for rank in range(ranks):
        for what, *numbers in (line.split() for line in (folder / str(rank)).read_text().splitlines()):
            if what == "calls":
                calls[rank] = int(numbers[0])
            else:
                (sent if what == "sent" else received)[int(numbers[0])] = rank, int(numbers[1])
    return sent, received, calls


def check_requests(program, size="4M", seeds=range(2), rounds=40):
    """The lines are the messages of which both ends are in the rings, each from the call that began to send it to the one that had
    it when it returned."""
    for seed in seeds:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            timeline = timeline_of(run(None, 3, [program, str(seed), str(rounds), name], env={"PAPI_MPI_TIMELINE": size}))
            sent, received, calls = known_messages(folder, 3)
        expect("messages", set(received), set(sent))
        slices = {rank: [one for one in timeline.slices if one["pid"] == rank] for rank in calls}
        if size == "4M":
            expect("calls", {rank: len(ones) for rank, ones in slices.items()}, calls)
        elif timeline.sums["replaced"] == 0:
            fail("nothing was replaced")
        place = {id(one): calls[rank] - len(ones) + i for rank, ones in slices.items() for i, one in enumerate(ones)}
        found = collections.Counter(tuple((one["pid"], place[id(call)]) for one, call in zip(line, map(timeline.call_at, line)))
                                    for line in timeline.lines)
        known = collections.Counter((begin, received[message]) for message, begin in sent.items()
                                    if all(calls[rank] - len(slices[rank]) <= call for rank, call in (begin, received[message])))
        missing, more = known - found, found - known
        if more or not found or (missing and size == "4M"):
            fail(f"seed {seed}: lines {dict(more)}, not {dict(missing)}")
        print(f"seed {seed}: {sum(found.values())} lines, {sum(missing.values())} messages without one")


def check_fortran(program):
    """Messages from anybody, of which the program wants no status. The message that a call had is told by its order: all have come."""
    timeline = timeline_of(job(program, "", "1M"))
    ends = [timeline.call_at(end)["name"] for _, end in sorted(timeline.lines, key=lambda line: line[0]["ts"])]
    # The second and the last message at once, one of the others by each of the two calls that complete one.
    singles = [name for name in ends if name in ("MPI_Waitany", "MPI_Waitsome")]
    expect("calls that had the second and the last message", (ends[1], ends[7]), ("MPI_Wait", "MPI_Recv"))
    expect("calls that had one of the others", sorted(singles), ["MPI_Waitany", "MPI_Waitsome"])
    expect("calls that had the rest", [ends[i] for i in (0, 2, 3, 4, 5, 6) if ends[i] not in singles], ["MPI_Waitall"] * 4)
    expect("messages", (timeline.sums["joined"], timeline.sums["lines"]), (8, 8))


def check_again(program):
    """Persistent requests: each message, in the order in which they were sent, comes by the call that completed it, though the last
    request is completed first."""
    timeline = timeline_of(job(program, "", "1M"))
    ends = [(timeline.call_at(end)["name"], end["ts"]) for start, end in sorted(timeline.lines, key=lambda line: line[0]["ts"])
            if timeline.call_at(end)["name"] != "MPI_Recv"]
    expect("calls that had the messages", [name for name, _ in ends], ["MPI_Waitany", "MPI_Waitsome"] * 2)
    expect("in the order of their calls", ends, sorted(ends, key=lambda end: end[1]))
    expect("messages", (timeline.sums["joined"], timeline.sums["lines"]), (8, 8))
    tags = [start["args"]["tag"] for start, _ in sorted(timeline.lines, key=lambda line: line[0]["ts"]) if start["args"]["tag"] < 10]
    expect("the last request's first", tags, [4, 3, 2, 1])


def check_replaced(program):
    """The same with a ring that has no room for all calls: no line is wrong, and none is missing but those of receives that were
    posted by a call that is gone."""
    check_requests(program, "64k", range(1), 150)


def recover(outcome, *options):
    """papi_mpi_report --recover of what the job left."""
    (folder,) = outcome.records.iterdir()
    command = [REPORT, "--recover", *options, str(folder)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        fail(f"{command}: {done.returncode}, {done.stdout} {done.stderr}")
    return done


def check_killed(program):
    """The last calls of a rank that was killed, and of the one that waited for it, with those that they were in."""
    outcome = job(program, "killed", "1M")
    if outcome.status == 0 or outcome.result_file.exists():
        fail(f"the job has ended well: {outcome.status}")
    said = recover(outcome, "--json", "-o", str(outcome.result_file)).stderr
    timeline = Timeline(outcome.folder / "result.timeline.json")
    same = {"MPI_Wait": 1, "MPI_Pcontrol": 1}
    expect("calls of rank 0", timeline.calls(0), {**same, "MPI_Send": 7, "MPI_Isend": 1, "MPI_Recv": 1, "MPI_Barrier": 1})
    expect("calls of rank 1", timeline.calls(1), {**same, "MPI_Recv": 8, "MPI_Irecv": 1, "MPI_Send": 1})
    last = {rank: [one for one in timeline.slices if one["pid"] == rank][-1] for rank in (0, 1)}
    expect("the calls that they were in", {rank: (one["name"], one["args"].get("not_finished")) for rank, one in last.items()},
           {0: ("MPI_Barrier", True), 1: ("MPI_Recv", True)})
    expect("for what rank 1 waited", (last[1]["args"]["from"], last[1]["args"]["from_tag"]), (0, 9))
    expect("those that are not finished", sum("not_finished" in one["args"] for one in timeline.slices), 2)
    if not last[1]["dur"] > LATE * 0.9e6 or {one["args"].get("at", "").split(":")[0] for one in timeline.slices} != {"timeline.c"}:
        fail(f"the last calls: {last}")
    expect("lines", (timeline.sums["joined"], timeline.sums["lines"]), (7 + 1 + 1, 7 + 1 + 1))
    expect("bands", sorted((one[0]["pid"], one[0]["name"]) for one in timeline.bands), [(0, "to the end"), (1, "to the end")])
    if "with 9 messages as lines" not in said:
        fail(said)
    result = json.loads(outcome.result_file.read_text())
    if not any(result["sites"][one["site"]]["call"] == "MPI_Recv" and one["late_sender_ns"] > 0 for one in result["late"]):
        fail(f"waits for late ranks: {result['late']}")
    page = outcome.folder / "page.html"
    recover(outcome, "--html", "-o", str(page))
    if '"not_finished":true' not in page.read_text():
        fail("the page has no timeline")
    (folder,) = outcome.records.iterdir()
    expect("files", sorted(path.name for path in folder.glob("r*.?")), ["rank.0", "rank.1", "ring.0", "ring.1"])
    ring = (folder / "ring.1").read_bytes()
    damaged = {b"": "is truncated", b"x" * 100000: "is not a ring of a rank's calls", ring[:-1]: "is truncated",
               ring[:8] + b"\1" + ring[9:]: "use that version's papi_mpi_report", ring[:23] + b"\1" + ring[24:]: "is damaged",
               ring[:31] + b"\1" + ring[32:]: "is damaged"}  # its version, its places, the entries that it had
    for damage, words in damaged.items():
        (folder / "ring.1").write_bytes(damage)
        said = recover(outcome, "--json", "-o", str(outcome.result_file)).stderr
        if f"ring.1 {words}" not in said and not (words in said and "ring.1 was made by another version" in said):
            fail(f"a damaged ring, {words}: {said}")
        expect("calls of the other rank", sum(Timeline(outcome.folder / "result.timeline.json").calls(0).values()), 12)
    (folder / "ring.1").write_bytes(ring)
    os.truncate(folder / "ring.1", 1 << 40)  # no more is read than the ring has
    recover(outcome, "--json", "-o", str(outcome.result_file))
    expect("calls before a hole", sum(Timeline(outcome.folder / "result.timeline.json").calls(1).values()), sum(timeline.calls(1).values()))
    subprocess.run([REPORT, "--remove", str(folder)], check=True, stdout=subprocess.DEVNULL)
    expect("what is left", folder.exists(), False)


def check_gone(program):
    """A job that ends well leaves no ring."""
    outcome = job(program, "cancel", "64k").check()
    expect("what is left of the records", list(outcome.records.iterdir()), [])


def check_off(program):
    for size in ("0", "off"):
        outcome = job(program, "known", size).check()
        if list(outcome.folder.glob("*timeline*")) or "timeline of the last" in outcome.errors:
            fail(f"a timeline that nobody wants: {outcome.errors}")


def check_words(program):
    for size in ("much", "1", "4T", "-1M", "1Mk", "99999999999999999999"):
        outcome = job(program, "cancel", size).check()
        if f"PAPI_MPI_TIMELINE={size} is not a number of bytes from 64k to 1024M" not in outcome.errors:
            fail(f"{size}: {outcome.errors}")
        if list(outcome.folder.glob("*timeline*")):
            fail(f"a timeline of {size}")


def check_taken(program):
    """A timeline is replaced, another file is not."""
    folder = job(program, "cancel", "64k").check()
    file, result = folder.folder / "result.timeline.json", str(folder.result_file)
    before = file.read_text()
    job(program, "cancel", "64k", PAPI_MPI_OUTPUT=result).check()
    if file.read_text() == before:
        fail("the timeline of an earlier job")
    file.write_text("mine")
    again = job(program, "cancel", "64k", PAPI_MPI_OUTPUT=result).check()
    expect("a file of the user's", file.read_text(), "mine")
    if "is not a timeline of papi_mpi and is left as it is" not in again.errors:
        fail(again.errors)
    expect("what is left", sorted(path.name for path in folder.folder.glob("*.part")), [])


def check_nothing(program):
    outcome = job(program, "cancel", "64k", PAPI_MPI_OUTPUT="none").check()
    if "there is no result file for the timeline to be beside: set PAPI_MPI_OUTPUT" not in outcome.errors:
        fail(outcome.errors)


def check_nodes(program):
    """Where MPI says that the ranks are on two nodes, their clocks are compared."""
    sums = timeline_of(job(program, "known", "1M", MPIR_CVAR_NUM_CLIQUES="2")).sums
    expect("messages that are joined", sums["joined"], 10 + 3 + 6 + 4)
    error = sums["clock_error_ns"]
    if not 0 < error < 1e9 or sums["late_sender_ns"] + 20 * error < LATE * 0.9e9:
        fail(sums)


CASES = {"nodes": check_nodes, "known": check_known, "many": check_many, "cancel": check_cancel, "requests": check_requests,
         "replaced": check_replaced, "fortran": check_fortran, "again": check_again, "killed": check_killed, "gone": check_gone, "off": check_off, "words": check_words,
         "taken": check_taken, "nothing": check_nothing}
CASES[sys.argv[1]](sys.argv[2])
