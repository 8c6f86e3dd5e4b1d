#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Regions: what the file of a run has.

  regions_test.py PROGRAM CASE [EMULATE]

PROGRAM is regions_cases, EMULATE is papi_emulate. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

LIMIT = 200  # seconds
FAULTS = "perf::PAGE-FAULTS"
SLACK = 60  # page faults beside the known ones
SANITIZED = 2000  # AddressSanitizer touches pages of its own
OWN = re.compile("^(PMI|PMIX|OMPI|SLURM|PALS|FLUX|MV2|ALPS|PAPI|OMP)")


class Skip(Exception):
    pass


def same(got, wanted, what):
    assert got == wanted, f"{what}: {got}, not {wanted}"


class Run:
    """Runs of the program in a folder of their own."""

    def __init__(self, program, emulate=None):
        self.program, self.emulate = program, emulate
        self.folder = pathlib.Path(tempfile.mkdtemp())

    def start(self, case, prefix=(), **more):
        environment = {name: value for name, value in os.environ.items() if not OWN.match(name)}
        environment.update({"PAPI_EVENTS": FAULTS, **{k: v for k, v in more.items() if k.isupper()}})
        options = {k: v for k, v in more.items() if not k.isupper()}
        return subprocess.Popen([*prefix, self.program, case], cwd=self.folder, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def finish(self, process):
        out, error = process.communicate(timeout=LIMIT)
        if process.returncode == 77:
            raise Skip(out)
        same(process.returncode, 0, f"status\n{out}{error}")
        return out, error

    def __call__(self, case, **more):
        return self.finish(self.start(case, **more))

    def file(self, rank="rank_000000.json", folder="papi_hl_output"):
        return json.loads((self.folder / folder / rank).read_text())

    def files(self, pattern="*"):
        return sorted(path.name for path in (self.folder / "papi_hl_output").glob(pattern))

    def older(self):
        return sorted(path.name for path in self.folder.glob("papi_hl_output-*"))


def regions(file, thread="0"):
    entries = file["threads"][thread]["regions"]
    if list(entries) != [str(i) for i in range(len(entries))]:
        raise AssertionError(f"the numbers of the entries of thread {thread} have gaps")
    return list(entries.values())


def all_text(value, where=""):
    """All values are strings."""
    if isinstance(value, dict):
        for key, part in value.items():
            all_text(part, f"{where}/{key}")
    else:
        same(type(value), str, f"type of {where}")


def counted(got, wanted, what):
    slack = SANITIZED if os.environ.get("PAPI_TEST_SANITIZED") else SLACK
    assert wanted <= int(got) <= wanted + slack, f"{what}: {got}, not {wanted}"


# ----------------------------------------------------------------------------------------- cases

def layout(run):
    run("nested")
    file = run.file()
    all_text(file)
    same(set(file), {"papi_version", "cpu_info", "max_cpu_rate_mhz", "min_cpu_rate_mhz", "event_definitions",
                     "threads"}, "keys")
    same(file["event_definitions"], {FAULTS: {"component": "perf_event", "type": "delta"}}, "definitions")
    same(set(file["threads"]["0"]), {"regions"}, "keys of a thread")
    entries = regions(file)
    same([entry["name"] for entry in entries], ["outer", "inner", "inner", "inner", "outer", "outer"], "names")
    same([entry["parent_region_id"] for entry in entries], ["-1", "0", "0", "0", "-1", "4"], "parents")
    for entry, n in zip(entries, (1300, 200, 400, 600, 50, 50)):
        same(set(entry), {"name", "parent_region_id", "cycles", "real_time_nsec", FAULTS}, "keys of an entry")
        counted(entry[FAULTS], n, entry["name"])
        assert int(entry["real_time_nsec"]) > 0 and int(entry["cycles"]) > 0, entry
    inner = sum(int(entry["real_time_nsec"]) for entry in entries[1:4])
    assert int(entries[0]["real_time_nsec"]) > inner, "the outer region takes longer than the inner ones"
    same(run.older(), [], "folders")


def reads(run):
    run("reads", PAPI_EVENTS=f"{FAULTS},perf::MINOR-FAULTS=instant")
    file = run.file()
    all_text(file)
    same(file["event_definitions"]["perf::MINOR-FAULTS"]["type"], "instant", "type")
    read, other = regions(file)
    for key in ("cycles", "real_time_nsec", FAULTS, "perf::MINOR-FAULTS"):
        same(list(read[key]), ["region_value", "read_1", "read_2"], key)
        values = [int(read[key][part]) for part in ("read_1", "read_2", "region_value")]
        assert values == sorted(values), f"{key}: {values}"
    for part, n in (("read_1", 100), ("read_2", 200), ("region_value", 300)):
        counted(read[FAULTS][part], n, part)
    same(type(other["cycles"]), str, "a region that is not read")
    # Instant: the reading, not the difference.
    assert int(other["perf::MINOR-FAULTS"]) >= int(read["perf::MINOR-FAULTS"]["region_value"]) >= 300, other


def interrupted(run):
    """By a handler that counts."""
    out, _ = run("interrupted")
    most = int(re.search(r"(\d+) faults", out).group(1))
    entries = regions(run.file())
    same(len(entries), 1000, "entries")
    for entry in entries:
        read, value = (int(entry[FAULTS][part]) for part in ("read_1", "region_value"))
        assert 1 <= read < value, entry
    total = sum(int(entry[FAULTS]["region_value"]) for entry in entries)
    assert 2000 <= total <= most, f"{total} faults of at most {most}"


def events(run):
    _, error = run("nested", PAPI_EVENTS=f" nonsense , {FAULTS}=wrong,,PAPI_NONSENSE=instant,{FAULTS},"
                   "cpu/event=0x3c,umask=0x0,zzz=1/", PAPI_HL_VERBOSE="1", PAPI_REPORT="perhaps")
    file = run.file()
    same(set(file["event_definitions"]), {FAULTS}, "events")
    same(set(file["events_not_counted"]), {"nonsense", "PAPI_NONSENSE", "cpu/event=0x3c,umask=0x0,zzz=1/"},
         "events that are not counted")
    for name, reason in file["events_not_counted"].items():
        assert f"{name} is not counted: {reason}" in error, f"{name} in {error}"
    same(error.count("PAPI_REPORT=perhaps"), 1, "the wrong value is told once")
    assert "=wrong" in error, error
    counted(regions(file)[0][FAULTS], 1300, "the rest is counted")
    out, error = run("nested", PAPI_EVENTS="nonsense", PAPI_REPORT="perhaps")
    same("PAPI" in error + out.replace("run_case", ""), False, "nothing is printed unasked")
    same(set(regions(run.file())[0]), {"name", "parent_region_id", "cycles", "real_time_nsec"}, "keys")


def default_events(run):
    for value in ("", " , "):
        run("one", PAPI_EVENTS=value)
        file = run.file()
        names = set(file["event_definitions"])
        assert names, "some event is counted"
        same(names <= set(regions(file)[0]), True, "they stand in the entries")
        same("events_not_counted" in file, False, "only what counts is chosen")


def lacking(run):
    """A table of presets that count on every machine, and no descriptor for their counters at first."""
    table = run.folder / "presets.csv"
    table.write_text(f"CPU,perf\nPRESET,PAPI_TOT_INS,NOT_DERIVED,{FAULTS}\n"
                     "PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::TASK-CLOCK\n")
    run("lacking", PAPI_EVENTS="", PAPI_CSV_EVENT_FILE=str(table))
    entry = regions(run.file())[-1]
    same(entry["name"], "second", "the region")
    counted(entry["PAPI_TOT_INS"], 100, "its count")
    same("PAPI_TOT_CYC" in entry, True, "of all that the machine counts")
    run("lacking_again", PAPI_EVENTS="", PAPI_CSV_EVENT_FILE=str(table))
    same("PAPI_TOT_INS" in run.file()["events_not_counted"], True, "what was not counted is named")


def threads(run):
    run("together")
    file = run.file()
    same(sorted(file["threads"]), [str(i) for i in range(5)], "threads")
    for thread in file["threads"]:
        same(len(regions(file, thread)), 1000, f"entries of thread {thread}")
    run("together", PAPI_HL_THREAD_MULTIPLE="0")
    same(list(run.file()["threads"]), ["0"], "the first thread alone")
    run("ended")
    file = run.file()
    entry, = regions(file)
    same((entry["name"], entry["unfinished"]), ("left open", "true"), "of a thread that ended")
    counted(entry[FAULTS]["region_value"], 100, "up to its last call")
    same([e["name"] for e in regions(file, "1")], ["main"], "of the other")


def running(run):
    run("running")
    file = run.file()
    same(len(file["threads"]), 5, "threads")
    entries = [[region["name"] for region in regions(file, thread)] for thread in file["threads"]]
    same(sorted(names.count("of the first thread") for names in entries), [0, 0, 0, 0, 20], "its entries")
    same(entries.count(20 * ["of the first thread"]), 1, "threads with no others")


def wrong(run):
    _, error = run("wrong", PAPI_HL_VERBOSE="1")
    file = run.file()
    entries = {entry["name"]: entry for entry in regions(file)}
    same(file["threads"]["0"]["misplaced_calls"], "5", "calls that did not fit")
    same(error.count("PAPI-HL: PAPI_hl_"), 5, "messages")
    counted(entries["a"][FAULTS], 200, "a")
    counted(entries["b"][FAULTS], 100, "b")
    counted(entries["open"][FAULTS], 200, "open")
    counted(entries["inside"][FAULTS], 100, "inside")
    same([entry.get("unfinished") for entry in entries.values()], [None, None, "true", "true"], "unfinished")


def names(run):
    run("names")
    same([entry["name"] for entry in regions(run.file())],
         ["n" * 99999, '"quoted" \\ \n\t\x01\x7f', "größe", "no \ufffd UTF-8"], "names")


def forks(run):
    run("forks")
    same(run.files(), ["rank_000000.json", "rank_000001.json"], "files")
    child, parent = run.file(), run.file("rank_000001.json")
    entry, = regions(child)
    same(entry["name"], "child", "the child's")
    counted(entry[FAULTS], 100, "the child's events")
    entry, = regions(parent)
    same((entry["name"], "unfinished" in entry), ("parent", False), "the parent's")
    assert int(entry[FAULTS]) >= 10, entry
    shutil.rmtree(run.folder / "papi_hl_output")
    run("forks", PMI_RANK="7")
    same(run.files(), ["rank_000007.json", "rank_000007_2.json"], "with a rank")


def shutdowns(run):
    run("shutdowns")
    entries = {entry["name"]: entry for entry in regions(run.file())}
    same(list(entries), ["before", "across", "within", "after"], "names")
    same([entry.get("unfinished") for entry in entries.values()], [None, "true", None, None], "unfinished")
    for name, n in (("before", 100), ("within", 100), ("after", 100)):
        counted(entries[name][FAULTS], n, name)


def stops(run):
    run("stops")
    same(run.files(), ["rank_000000.json"], "one file")
    same([entry["name"] for entry in regions(run.file())], ["one", "two"], "names")
    counted(regions(run.file())[1][FAULTS], 100, "two")
    run("abrupt")
    same([entry["name"] for entry in regions(run.file())], ["one"], "what was there at PAPI_hl_stop")


def unwritable(run):
    """A place that is none, and a disk that is full."""
    place = "/proc/nowhere"
    _, error = run("unwritable", PAPI_OUTPUT_DIRECTORY=place, PAPI_HL_VERBOSE="1")
    same(error.count(f"the regions are not written: {place}"), 2, "messages, of PAPI_hl_stop and of the end")
    _, error = run("unwritable", PAPI_OUTPUT_DIRECTORY=place)
    message, = [line for line in error.splitlines() if "PAPI-HL" in line]  # of the end
    same(message, f"PAPI-HL: the regions are not written: {place}: No such file or directory; set "
         "PAPI_OUTPUT_DIRECTORY to a folder that can be written", "message")
    _, error = run("unwritable", PAPI_OUTPUT_DIRECTORY=place, PAPI_HL_VERBOSE="0")
    same(error.count("PAPI-HL"), 0, "nothing where nothing is wanted")

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    process = run.start("unwritable", PAPI_HL_VERBOSE="1", preexec_fn=full, restore_signals=False)
    _, error = run.finish(process)
    same(error.count("File too large"), 2, "messages")
    same([path.name for path in run.folder.rglob("*")], [], "nothing is left behind")
    in_the_way = run.folder / "papi_hl_output"
    in_the_way.write_text("a file")
    _, error = run("unwritable")
    assert "(papi_hl_output): it is a file and no folder; move it away" in error, error
    same([path.name for path in run.folder.rglob("*")], ["papi_hl_output"], "the user's file stays alone")
    in_the_way.unlink()
    in_the_way.symlink_to("nothing")
    _, error = run("unwritable")
    assert "(papi_hl_output): it is a link to what is not there; move it away" in error, error
    same([path.name for path in run.folder.iterdir()], ["papi_hl_output"], "the user's link stays alone")
    in_the_way.unlink()
    # The leak checker itself would need a descriptor.
    _, error = run("descriptors", ASAN_OPTIONS="detect_leaks=0")
    assert re.search("ulimit -n", error) and "PAPI_OUTPUT_DIRECTORY" not in error, error


def folders(run):
    for _ in range(5):
        run("one")
        same(run.files(), ["rank_000000.json"], "files")
    same(len(run.older()), 4, "folders of earlier runs")
    for older in run.older():
        assert re.fullmatch(r"papi_hl_output-\d{8}-\d{6}\.\d{9}(\.\d+)?", older), older
        same(len(regions(run.file(folder=older))), 1, "what they have")
    run("elsewhere", PAPI_OUTPUT_DIRECTORY="a/new/place")
    assert (run.folder / "a/new/place/papi_hl_output/rank_000000.json").exists(), "the folder of the first call"
    shutil.rmtree(run.folder / "papi_hl_output")
    run("one", PMI_RANK="many", SLURM_PROCID="12")
    same(run.files(), ["rank_000012.json"], "the rank of the launcher")


def ranks(run):
    """Many ranks at once, three runs one after the other: nobody's file is lost or in a wrong folder."""
    n = 16
    for i in range(3):
        processes = [run.start("one", OMPI_COMM_WORLD_RANK=str(rank)) for rank in range(n)]
        for process in processes:
            run.finish(process)
        same(run.files(), [f"rank_{rank:06}.json" for rank in range(n)], "files")
        same(len(run.older()), i, "folders of earlier runs")
    for older in run.older():
        same(len(list((run.folder / older).iterdir())), n, f"files of {older}")
    same([path.name for path in run.folder.iterdir() if path.name.startswith(".")], [], "unfinished files")


def report(run):
    out, _ = run("wrong", PAPI_REPORT="1", PAPI_EVENTS=f"{FAULTS},nonsense,perf::MINOR-FAULTS,perf::TASK-CLOCK,"
                 "perf::CPU-MIGRATIONS,perf::MAJOR-FAULTS")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if FAULTS not in line and line.strip()}
    assert re.search(rf"^region +threads +calls +time \(s\) .*{FAULTS}", out, re.MULTILINE), out
    same(rows["a"][:2], ["1", "1"], "threads and calls")
    same(rows["open*"][:2], ["1", "1"], "open regions are marked")
    assert "nonsense is not counted" in out, out
    same(max(len(line) for line in out.splitlines() if "not counted" not in line) <= 110, True, "width")
    out, _ = run("together", PAPI_REPORT="on")
    same(re.search(r"^one +(\d+) +(\d+)", out, re.MULTILINE).groups(), ("5", "5000"), "sums")
    out, _ = run("nested", PAPI_REPORT="1")
    threads_, calls, _, faults = re.search(r"^outer +(.*)$", out, re.MULTILINE)[1].split()
    same((threads_, calls), ("1", "3"), "calls")
    counted(faults, 1350, "what is inside of itself counts once")


def quiet(run):
    """What cannot be counted is in the file, and not told to the program's handler of errors."""
    run("quiet", PAPI_EVENTS="nonsense,PAPI_BRU_IDL")
    run("quiet", PAPI_EVENTS="")


def order(run):
    """The report comes after what a Fortran program wrote, where its runtime keeps that until the end."""
    with open(run.folder / "written", "w") as file:
        process = subprocess.run([run.program], cwd=run.folder, stdout=file, check=False, timeout=LIMIT,
                                 env={**os.environ, "PAPI_REPORT": "1", "PAPI_EVENTS": FAULTS})
    same(process.returncode, 0, "status")
    lines = (run.folder / "written").read_text().splitlines()
    last, table = [next(i for i, line in enumerate(lines) if word in line) for word in ("the last line", "PAPI regions")]
    assert last < table, lines


def many(run):
    """Beyond a million entries the sums continue, in bounded memory."""
    run("many", PAPI_EVENTS="nonsense")
    entries = sums = 0
    with open(run.folder / "papi_hl_output/rank_000000.json") as file:
        for line in file:
            if '"name": "' in line:
                entries += 1
            elif '"calls": "' in line:
                sums += int(line.split('"')[3]) - 1
    assert (1 << 20) - 1024 <= entries <= (1 << 20) + 1024, entries
    same(entries + sums, (1 << 20) + 1000 + 999, "entries, those that were added to others too")


def calls(run):
    """Two system calls an entry: a read at its beginning and one at its end."""
    if shutil.which("strace") is None:
        raise Skip("no strace")
    if os.environ.get("PAPI_TEST_SANITIZED"):
        raise Skip("LeakSanitizer does not work under strace")
    log = run.folder / "log"
    process = run.start("together", prefix=("strace", "-f", "-o", str(log)))
    run.finish(process)
    names_ = re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE)
    same(names_.count("read") >= 10000, True, "reads")
    same(len(names_) - names_.count("read") < 2500, True, f"other calls: {len(names_)} in all")


def emulated(run):
    """Exact counts, in nested regions and four threads."""
    if run.emulate is None or shutil.which(f"qemu-{os.uname().machine}") is None:
        raise Skip("no emulator")
    run("operations", prefix=(run.emulate,), PAPI_EVENTS="PAPI_FP_OPS,PAPI_TOT_INS,nonsense")
    file = run.file()
    same(len(file["threads"]), 4, "threads")
    for i in range(4):
        outer, inner = regions(file, str(i))
        same((outer["name"], inner["name"], inner["parent_region_id"]), ("outer", "inner", "0"), "names")
        same((inner["PAPI_FP_OPS"], outer["PAPI_FP_OPS"]), (str(2000 * (i + 1)), str(6000 * (i + 1))), "operations")
        assert int(outer["PAPI_TOT_INS"]) > int(inner["PAPI_TOT_INS"]) > 2000 * (i + 1), outer
    run("operations", prefix=(run.emulate,), PAPI_EVENTS="")
    assert {"PAPI_TOT_INS", "PAPI_FP_OPS"} <= set(run.file()["event_definitions"]), "by default"


def openmp_file(run, event=FAULTS, prefix=()):
    run("", prefix=prefix, PAPI_EVENTS=event)
    file = run.file()
    same(len(file["threads"]), 4, "threads")
    entries = {thread: regions(file, thread) for thread in file["threads"]}
    first = entries.pop("0")
    same([(e["name"], e["parent_region_id"]) for e in first], [("program", "-1"), ("step", "0"), ("step", "0")],
         "regions of the first thread")
    for each in entries.values():
        same([(e["name"], e["parent_region_id"]) for e in each], [("step", "-1")] * 2, "regions of a thread")
    return [first, *entries.values()]


def openmp(run):
    openmp_file(run)


def openmp_emulated(run):
    if run.emulate is None or shutil.which(f"qemu-{os.uname().machine}") is None:
        raise Skip("no emulator")
    first, *others = openmp_file(run, "PAPI_FP_OPS", (run.emulate,))
    same([e["PAPI_FP_OPS"] for e in first], ["2000", "1000", "1000"], "operations of the first thread")
    same(sorted([e["PAPI_FP_OPS"] for e in each] for each in others), [[str(n)] * 2 for n in (2000, 3000, 4000)],
         "operations of the others")


CASES = {each.__name__: each for each in (
    layout, reads, events, default_events, lacking, threads, running, wrong, names, forks, shutdowns, stops, unwritable,
    folders, ranks, report, quiet, order, many, calls, interrupted, emulated,
    openmp, openmp_emulated)}


def main(program, case, emulate=None):
    run = Run(program, emulate)
    try:
        CASES[case](run)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return 77
    finally:
        shutil.rmtree(run.folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
