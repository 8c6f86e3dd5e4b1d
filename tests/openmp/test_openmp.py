#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_openmp.py SETTINGS.json standin|gcc|clang|llvm|tool CASE: what is said of parallel regions whose threads' work is known.

gcc: a program of GNU's compiler with libgomp; clang: one of LLVM's; llvm: one of GNU's compiler, for which LLVM's runtime stands in.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from comma import environment  # noqa: E402

FAULTS = "perf::PAGE-FAULTS"
MORE = 12  # faults of a thread's own: its stack, and code that runs for the first time


class Skip(Exception):
    pass


with open(sys.argv[1]) as _file:
    S = json.load(_file)
RUNTIME, CASE = sys.argv[2:4]


def clean(**more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAPI_", "OMP_", "GOMP_", "LD_PRELOAD"))}
    return {**environment, "OMP_WAIT_POLICY": "passive", "OMP_DYNAMIC": "false", "LC_ALL": "C.UTF-8", **more}


def run(words, status=0, cwd=None, **environment):
    done = subprocess.run(words, cwd=cwd, env=clean(**environment), timeout=600, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    print(" ".join(words), done.stdout, done.stderr, sep="\n")
    assert done.returncode == status, (words, done.returncode)
    return done


# ---- programs

def compiler():
    if RUNTIME == "clang":
        found = S["C"] if "Clang" in S["kind"] else shutil.which("clang")
        if found is None:
            raise Skip("no clang")
        return found
    found = S["C"] if S["kind"] == "GNU" else shutil.which("gcc")
    if found is None:
        raise Skip("no gcc")
    return found


def has_llvm():
    try:
        ctypes.CDLL("libomp.so.5")
    except OSError:
        return False
    return True


def build(folder):
    if RUNTIME in ("clang", "llvm") and not has_llvm():
        raise Skip("LLVM's runtime of OpenMP (libomp5-14 of Debian) is not here")
    program = os.path.join(folder, "teams")
    done = subprocess.run([compiler(), "-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", "-I", os.path.dirname(S["source"]), S["source"], "-o", program],
                          stderr=subprocess.PIPE, universal_newlines=True, check=False)
    if done.returncode != 0:
        raise Skip("no OpenMP with this compiler: " + done.stderr)
    return program


def report(folder, case, *tools, options=(), status=0, **environment):
    """The reports of all processes of a program's case."""
    program = build(folder)
    more = ["--llvm"] if RUNTIME == "llvm" else []
    done = run([S["tool"], "--json", *more, *options, *tools, program, case], status, OMP_CANCELLATION="true", **environment)
    return json.loads(done.stdout[done.stdout.index("{\n\"processes\""):])["processes"]


def counts(folder, case):
    return report(folder, case, options=("-e", FAULTS))


def line_of(mark):
    with open(S["source"]) as source:
        return next(i for i, line in enumerate(source, 1) if f"/* {mark} */" in line)


def regions(process):
    """{mark: region}, by the line; clang names that of the block behind it, too."""
    found = {}
    with open(S["source"]) as source:
        marks = {i: m[1] for i, line in enumerate(source, 1) for m in [re.search(r"/\* REGION (\w+) \*/", line)] if m}
    for region in process["regions"]:
        assert region["file"].endswith("teams.c"), region
        mark = marks.get(region["line"]) or marks[region["line"] - 1]
        assert mark not in found, mark
        found[mark] = region
    return found


def check_time(process):
    """What must be so of any times: parts of a region's are not more than the whole, and threads' not more than those."""
    for region in process["regions"]:
        parts = [region[key] for key in ("useful_seconds", "barrier_seconds", "lock_seconds", "end_seconds", "overhead_seconds",
                                         "measuring_seconds")]
        if None in parts:
            continue
        assert all(part >= 0 for part in parts), region
        assert abs(sum(parts) - region["thread_seconds"]) < 0.01 + 0.02 * region["thread_seconds"], (parts, region["thread_seconds"])
        assert region["load_balance"] is None if not region["thread"] else 0 <= region["load_balance"] <= 1, region
        for thread in region["thread"]:
            assert thread["useful_seconds"] <= region["seconds"] * 1.001 + 1e-4, (thread, region["seconds"])


def check_finding(process, region, wait, words):
    """The finding has the place, unless a busy machine takes more than it."""
    small = wait["seconds"] < max(region["end_seconds"], region["overhead_seconds"]) / 3 or process["parallel_seconds"] < process["seconds"] / 2
    assert words in process["finding"] or small, process["finding"]


def near(found, expected, more=MORE):
    assert expected <= found <= expected + more, (found, expected)


def counted(region, event=FAULTS):
    return {thread["number"]: thread["counts"][event] for thread in region["thread"]}


# ---- a stand-in for a runtime

def standin(folder):
    output = os.path.join(folder, "report.json")
    run([S["standin"], S["library"], CASE], PAPI_OPENMP_OUTPUT=output, PAPI_EVENTS=FAULTS)
    with open(output) as file:
        process = json.load(file)
    assert process["source"] == "OMPT" and process["runtime"] == "a stand-in", process
    check_time(process)
    return process


def standin_even(folder):
    process = standin(folder)
    region, = process["regions"]
    assert (region["calls"], region["threads"], region["nested_calls"], region["calls_by_one_thread"]) == (4, 2, 0, 0), region
    found = counted(region)
    near(found[0], 800)
    near(found[1], 2400)
    assert abs(region["balance_of_counts"][FAULTS] - 3200 / 2 / 2400) < 0.01, region
    wait, = process["waits"]
    assert wait["kind"] == "barrier" and wait["waits"] == 8, wait
    first, second = region["thread"]
    late = first["useful_seconds"] + region["overhead_seconds"] + region["measuring_seconds"]  # on a busy machine
    assert first["barrier_seconds"] >= 0.115 - late and second["useful_seconds"] >= 0.115, region
    assert first["useful_seconds"] < region["seconds"] - 0.1, region  # the 80 ms after each end are nobody's
    assert region["seconds"] < 4 * 0.03 + 1, region
    check_finding(process, region, wait, "at the barrier")


def standin_hostile(folder):
    process = standin(folder)
    by_calls = {region["calls"]: region for region in process["regions"]}
    assert set(by_calls) == {1, 2} and len(process["regions"]) == 2, process
    near(counted(by_calls[2])[0], 200)
    near(counted(by_calls[1])[0], 50)
    assert by_calls[1]["place"] == "a place that the runtime does not tell" and by_calls[1]["object"] is None, by_calls[1]
    assert any("1 execution had not ended" in note for note in process["notes"]), process["notes"]


def standin_deep(folder):
    process = standin(folder)
    found = {region["address"]: region for region in process["regions"]}
    first = min(found)
    for depth in range(8):
        region = found[first + depth]
        assert region["calls"] == 1 and region["nested_calls"] == (depth > 0), region
        near(counted(region)[0], 10 * (12 - depth))
    near(counted(found[first + 20])[0], 40)
    assert any("more than 8 regions" in note for note in process["notes"]), process["notes"]


def standin_many(folder):
    process = standin(folder)
    assert len(process["regions"]) == 1024 and all(region["calls"] == 1 for region in process["regions"])
    assert any(note.startswith("1976 executions") for note in process["notes"]), process["notes"]


def standin_tasks(folder):
    process = standin(folder)
    region, = process["regions"]
    near(counted(region)[0], 700)
    waits = {wait["kind"]: wait for wait in process["waits"]}
    assert waits["barrier"]["waits"] == 1 and waits["barrier"]["seconds"] >= 0.039, waits
    assert waits["tasks"]["waits"] == 1 and waits["tasks"]["seconds"] < region["barrier_seconds"] - 0.03, waits
    assert 0.039 <= region["useful_seconds"] <= region["seconds"] - 0.055, region
    assert region["barrier_seconds"] >= 0.058, region


# ---- real runtimes

def flops(folder):
    """Exact: in the emulator."""
    if not S["emulate"]:
        raise Skip("papi_emulate is not built")
    process, = report(folder, "flops", S["emulate"], options=("-e", "PAPI_DP_OPS"))
    region = regions(process)["flops"]
    assert (region["calls"], region["threads"]) == (5, 3), region
    assert counted(region, "PAPI_DP_OPS") == {0: 10000, 1: 20000, 2: 30000}, region
    assert region["counts"] == {"PAPI_DP_OPS": 60000} and abs(region["balance_of_counts"]["PAPI_DP_OPS"] - 2 / 3) < 1e-6, region
    assert "the emulator's" in process["finding"] and f"teams.c:{region['line']}" in process["finding"], process["finding"]


def pages(folder):
    process, = counts(folder, "pages")
    check_time(process)
    region = regions(process)["pages"]
    assert (region["calls"], region["threads"]) == (3, 3), region
    for number, found in counted(region).items():
        near(found, 1 + 200 * (1 + number))
    assert region["routine"] == "pages", region


def comma(folder):
    """A program whose numbers have a comma for a point."""
    locale = environment(folder)
    if locale is None:
        raise Skip("the locale de_DE cannot be made (package locales)")
    process, = report(folder, "pages", **locale)
    assert "," in process["finding"] and process["seconds"] % 1 > 0, process
    check_time(process)


def waits(folder):
    process, = report(folder, "waits")
    check_time(process)
    region = regions(process)["waits"]
    barrier = next(wait for wait in process["waits"] if wait["line"] == line_of("BARRIER waits"))
    assert barrier["kind"] == "barrier" and barrier["waits"] == 6, barrier
    first, second, third = region["thread"]
    assert first["useful_seconds"] >= 0.119 and second["useful_seconds"] >= 0.059, region
    late = second["useful_seconds"] - 0.06 + third["useful_seconds"] + region["overhead_seconds"]
    assert min(second["barrier_seconds"], third["barrier_seconds"]) >= 0.11 - late, region
    # Threads 0 and 2 wait for the 60 ms of thread 1, unless they come late themselves.
    late = first["useful_seconds"] - 0.12 + third["useful_seconds"] + region["overhead_seconds"]
    assert region["end_seconds"] > 0 and region["end_seconds"] >= 0.11 - late, region
    assert third["useful_seconds"] < region["seconds"] / 2, region
    check_finding(process, region, barrier, f"at the barrier at teams.c:{barrier['line']}")


def locks(folder):
    process, = report(folder, "locks")
    check_time(process)
    region = regions(process)["locks"]
    lock = next(wait for wait in process["waits"] if wait["kind"] == "lock")
    assert line_of("LOCK locks") <= lock["line"] <= line_of("LOCK locks") + 1 and lock["waits"] == 3, lock
    assert region["lock_seconds"] >= 0.13, region  # 50 and 100 ms, less the time until the last one comes
    assert sum(thread["useful_seconds"] for thread in region["thread"]) >= 0.149, region
    assert region["useful_seconds"] < region["thread_seconds"] / 2, region


def nested(folder):
    process, = counts(folder, "nested")
    check_time(process)
    found = regions(process)
    outer, inner = found["outer"], found["inner"]
    assert (outer["calls"], outer["nested_calls"], inner["calls"], inner["nested_calls"]) == (1, 0, 2, 2), found
    for count in counted(outer).values():
        near(count, 100, 40)
    assert inner["thread"][1]["useful_seconds"] >= 0.119 and inner["end_seconds"] > 0, inner
    late = inner["thread"][0]["useful_seconds"] + inner["overhead_seconds"]
    assert inner["end_seconds"] >= 0.11 - late, inner
    # The threads of the outer one wait for their inner teams: that is no work.
    assert outer["overhead_seconds"] >= 0.11 - late and outer["useful_seconds"] < outer["thread_seconds"] - 0.1 + late, outer


def tasks(folder):
    process, = report(folder, "tasks")
    region = regions(process)["tasks"]
    if RUNTIME == "gcc":  # which does not tell when a task is run
        assert region["useful_seconds"] is None and region["load_balance"] is None, region
        assert region["counts"] == {} and region["balance_of_counts"] == {} and "ipc" not in region, region
        assert region["thread"] and all(thread["counts"] == {} for thread in region["thread"]), region
        assert not process["waits"] and any("--llvm" in note for note in process["notes"]), process
        return
    check_time(process)
    assert sum(thread["useful_seconds"] for thread in region["thread"]) >= 0.039, region
    # The thread without the task waits, from when it came on.
    assert region["barrier_seconds"] + region["end_seconds"] >= 0.039 - region["overhead_seconds"], region
    assert region["useful_seconds"] <= region["thread_seconds"] - 0.039, region


def cancelled(folder):
    process, = report(folder, "cancelled")
    check_time(process)
    region = regions(process)["cancelled"]
    assert (region["calls"], region["threads"]) == (10, 3) and all(thread["calls"] == 10 for thread in region["thread"]), region


def forked(folder):
    processes = counts(folder, "forked")
    assert len(processes) == 2, processes
    parent, child = (regions(process) for process in sorted(processes, key=lambda process: "pages" not in regions(process)))
    assert set(parent) == {"pages"} and parent["pages"]["calls"] == 6, parent
    assert set(child) == {"one"} and child["one"]["calls"] == 1, child
    near(counted(child["one"])[0], 10)
    for number, found in counted(parent["pages"]).items():
        near(found, 2 * (1 + 200 * (1 + number)), 2 * MORE)


def unended(folder):
    process, = report(folder, "unended", status=5)
    assert set(regions(process)) == {"one"}, process
    assert any("1 execution had not ended" in note for note in process["notes"]), process["notes"]
    assert process["finding"].startswith("All parallel regions ran with one thread"), process["finding"]


def closed(folder):
    """No figure comes of descriptors that are not the counters' any more."""
    process, = counts(folder, "closed")
    for region in process["regions"]:
        assert region["counts"] == {} and all(thread["counts"] == {} for thread in region["thread"]), region
    assert any("closed descriptors" in note for note in process["notes"]), process["notes"]


def reduced(folder):
    done = run([S["tool"], *(["--llvm"] if RUNTIME == "llvm" else []), build(folder), "reduced"])
    assert done.stdout == "45\n", done.stdout


def outside(folder):
    process, = report(folder, "outside")
    assert process["parallel_seconds"] <= process["seconds"] - 0.2, process
    assert "outside of parallel regions" in process["finding"], process["finding"]


def opened(folder):
    """A library that a program opens for itself, by a relative path: its runtime is in nobody's scope but its own."""
    library, program = os.path.join(folder, "libteams.so"), os.path.join(folder, "opens")
    build(folder)
    flags = ["-O1", "-g", "-fopenmp", "-D_GNU_SOURCE", "-I", os.path.dirname(S["source"])]
    subprocess.run([compiler(), *flags, "-fPIC", "-shared", S["source"], "-o", library], check=True)
    text = ('#include <dlfcn.h>\nint main(int n, char **word) { void *l = dlopen("./libteams.so", RTLD_NOW | RTLD_LOCAL);\n'
            'return l == 0 ? 9 : ((int (*)(int, char **))dlsym(l, "main"))(n, word); }\n')
    subprocess.run([S["C"], "-x", "c", "-", "-o", program, "-ldl"], input=text, universal_newlines=True, check=True)
    done = run([S["tool"], "--json", "-e", FAULTS, program, "pages"], cwd=folder)
    process, = json.loads(done.stdout)["processes"]
    region = regions(process)["pages"]
    assert (region["calls"], region["threads"]) == (3, 3) and region["object"] == os.path.realpath(library), region
    for number, found in counted(region).items():
        near(found, 1 + 200 * (1 + number))


# ---- papi_openmp

def text(folder):
    done = run([S["tool"], build(folder), "waits"])
    assert done.stdout == "", done.stdout
    lines = done.stderr.splitlines()
    assert re.match(r"(\d+ % of the time.*|The threads of parallel regions work \d+ %.*)most is lost in the region at teams.c:\d+ in waits", lines[0]), lines
    assert f"teams.c:{line_of('BARRIER waits')} in waits" in done.stderr, lines
    table = next(i for i, line in enumerate(lines) if line.startswith("parallel regions, 1 of 1"))
    assert re.match(r"teams.c:\d+ in waits +2 +3 ", lines[table + 1]), lines


def nothing(folder):
    done = run([S["tool"], "true"], 1)
    assert "no parallel region was seen" in done.stderr and done.stdout == "", done
    done = run([S["tool"], "sh", "-c", "kill -9 $$"], 1)
    assert "a signal ended the program" in done.stderr, done
    run([S["tool"], os.path.join(folder, "none")], 127)


def file(folder):
    path = os.path.join(folder, "report")
    done = run([S["tool"], "-o", path, build(folder), "pages"])
    assert (done.stdout, done.stderr) == ("", ""), done
    with open(path) as report_file:
        assert "parallel regions, 1 of 1" in report_file.read()
    done = run([S["tool"], "-o", os.path.join(folder, "no", "report"), build(folder), "pages"], 1)
    assert "No such file or directory" in done.stderr, done


def status(folder):
    run([S["tool"], build(folder), "unended"], 5)
    run([S["tool"], "sh", "-c", build(folder) + " pages; exit 3"], 3)


def disabled(folder):
    done = run([S["tool"], build(folder), "pages"], 1, OMP_TOOL="disabled")
    assert "OMP_TOOL=disabled" in done.stderr, done


def direct(folder):
    """Without papi_openmp, as a job's script has it."""
    program, output = build(folder), os.path.join(folder, "one.json")
    done = run([program, "pages"], LD_PRELOAD=S["library"])
    assert "parallel regions, 1 of 1" in done.stderr, done
    run([program, "pages"], LD_PRELOAD=S["library"], PAPI_OPENMP_OUTPUT=output)
    with open(output) as report_file:
        assert set(regions(json.load(report_file))) == {"pages"}
    done = run([program, "pages"], LD_PRELOAD=S["library"], PAPI_OPENMP_OUTPUT=os.path.join(folder, "no", "report"))
    assert "No such file or directory" in done.stderr, done


def loaded(folder):
    """The runtime loads the library itself, in a program of clang's."""
    globals()["RUNTIME"] = "clang"
    done = run([build(folder), "pages"], OMP_TOOL_LIBRARIES=S["library"])
    assert "parallel regions, 1 of 1" in done.stderr and "by OMPT" in done.stderr, done


def main():
    name = "standin_" + CASE if RUNTIME == "standin" else CASE
    with tempfile.TemporaryDirectory() as folder:
        try:
            globals()[name](folder)
        except Skip as reason:
            print(reason)
            return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
