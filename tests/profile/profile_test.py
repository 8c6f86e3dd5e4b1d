#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profile_test.py CASE SETTINGS.json: papi_profile on programs that are compiled here. Without a case: lists them.

Times are those of the programs' own processor time, and shares are compared within one run: a busy machine takes
longer and changes no result. Status: 0, 1 for a difference, 77 for skipped."""
import json
import math
import os
import pathlib
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from importlib.machinery import SourceFileLoader

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import Failure as Failed, Skip as Skipped, clean, run  # noqa: E402 pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.abspath(__file__))
CLOCK = "perf::CPU-CLOCK"
SETTINGS = {}


def check(holds, *what):
    if not holds:
        raise Failed("\n".join(str(words) for words in what))


def call(words, **more):
    return run(*words, env=clean(**{"LC_ALL": "C", **more.pop("environment", {})}), timeout=900, **more)


def compile_program(name, source, *flags, compiler=None):
    """The program, in the working directory."""
    suffix = os.path.splitext(source)[1]
    compiler = compiler or SETTINGS[{".f90": "Fortran", ".c": "C", ".cc": "C++"}[suffix]]
    path = source if os.path.isabs(source) else os.path.join(HERE, source)
    made = call([compiler, *flags, path, "-o", name])
    if made.returncode != 0 and "-static" in flags:
        raise Skipped("no static libraries: " + made.stderr[-200:])
    check(made.returncode == 0, made.stderr)
    return os.path.abspath(name)


def profile(*words, status=0, **more):
    """Runs the tool. Its JSON by --show, what it and the program printed."""
    if os.path.exists("out.json"):
        os.unlink("out.json")
    done = call([SETTINGS["papi_profile"], "-o", "out.json", *words], **more)
    if "cannot be sampled" in done.stderr:
        raise Skipped(done.stderr)
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}", done.stdout, done.stderr)
    return show("out.json"), done


def show(*files):
    shown = call([SETTINGS["papi_profile"], "--json", "--show=" + files[0], *files[1:]])
    check(shown.returncode == 0, shown.stderr)
    return json.loads(shown.stdout)


def share(found, name, kind="self"):
    """What part of the first event a routine has."""
    return sum(r[kind][0] for r in found["routines"] if r["name"] == name) / found["events"][0]["sum"]


def check_sums(found):
    """Nothing is counted twice or lost."""
    for e, event in enumerate(found["events"]):
        check(sum(r["self"][e] for r in found["routines"]) == event["sum"], "the routines' sum is not that of", event)
        if event["period"]:
            check(event["samples"] * event["period"] == event["sum"], event)


def tree():
    """The calls of out.json: {(outermost, ..., innermost): samples of the first event}."""
    with open("out.json", encoding="utf-8") as file:
        made = json.load(file)
    names, paths = made["strings"], []
    values = {}
    for parent, place, _inlined, value, *_ in made["tree"]:
        name = names[made["routines"][made["places"][place][0]][0]]
        paths.append((paths[parent] if parent >= 0 else ()) + (name,))
        values[paths[-1]] = values.get(paths[-1], 0) + value
    return values


def case_shares():
    """Two routines of 70 and 30 parts, with their lines and their caller."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, done = profile("-e", CLOCK + "=100000", program)
    check_sums(found)
    check(found["events"][0]["samples"] > 4000, found["events"])
    for name, part in (("kernels::heavy", 0.7), ("kernels::light", 0.3)):
        check(abs(share(found, name) - part) < 0.01, f"{name} has {share(found, name)}, not {part}", done.stderr)
    check(share(found, "shares", "total") > 0.98, "the program calls both", done.stderr)
    source = open(os.path.join(HERE, "shares.f90"), encoding="utf-8").read().splitlines()
    for word, part in (("heavy", 0.7), ("light", 0.3)):
        body = source.index(f"      x = x * 0.99999{9 if word == 'heavy' else 8}d0 + "
                            f"{'0.1' if word == 'heavy' else '0.2'}d0 ! {word}") + 1
        lines = [line for line in found["lines"] if line["line"] in (body - 1, body) and line["file"].endswith("shares.f90")]
        there = sum(line["self"][0] for line in lines) / found["events"][0]["sum"]
        check(abs(there - part) < 0.01, f"the loop at line {body} has {there}", found["lines"])
        check(all(line["text"] == source[line["line"] - 1] for line in lines), lines)
    check(re.search(r"^ *7\d\.\d\d % +\d+\.\d\d %  kernels::heavy  shares\.f90:\d+$|^ *69\.\d\d % .*kernels::heavy", done.stderr, re.M),
          done.stderr)
    check(not done.stdout, done.stdout)
    with open("out.json", encoding="utf-8") as file:  # a clock is always counted, on whichever CPU
        clock, = json.load(file)["events"]
    check(0 < clock["enabled"] <= 1.01 * clock["running"] and "had a counter for" not in done.stderr, clock, done.stderr)


def case_stacks():
    """Calls without frame pointers from copied stacks, with them by the kernel, and none."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    profile("-e", CLOCK + "=500000", program)
    called = sum(v for path, v in tree().items() if path[-2:] == ("shares", "kernels::heavy"))
    check(called > 0.55 * sum(tree().values()), tree())
    check(any(path[0] == "_start" or "main" in path for path in tree()), tree())
    framed = compile_program("framed", "shares.f90", "-O0", "-g", "-fno-omit-frame-pointer")
    profile("-e", CLOCK + "=500000", "-s", "frames", framed, "80")
    called = sum(v for path, v in tree().items() if path[-2:] == ("shares", "kernels::heavy"))
    check(called > 0.55 * sum(tree().values()), tree())
    profile("-e", CLOCK + "=500000", "--stacks=none", program)
    # An inlined routine is below the one that it is in: the dynamic linker has some, where its debug information is.
    check(all(len(path) == 1 for path in tree() if path[-1].startswith("kernels::")), tree())
    check(any(path == ("kernels::heavy",) for path in tree()), tree())


def case_threads():
    """Eight threads: the body of a parallel region is its routine's."""
    program = compile_program("threads", "shares.f90", "-O2", "-g", "-fno-inline", "-fopenmp")
    found, done = profile("-e", CLOCK + "=500000", program, "60", environment={"OMP_NUM_THREADS": "8", "OMP_WAIT_POLICY": "passive"})
    check_sums(found)
    check([p["threads"] for p in found["processes"]] == [8], found["processes"])
    for name, part in (("kernels::heavy", 0.7), ("kernels::light", 0.3)):
        check(abs(share(found, name) - part) < 0.05, f"{name} has {share(found, name)}, not {part}", done.stderr)
    check(not any("_omp_fn" in r["name"] for r in found["routines"]), found["routines"])
    workers = sum(v for path, v in tree().items() if path[-2:] == ("shares", "kernels::heavy") and "main" not in path)
    check(workers > 0.3 * found["events"][0]["sum"], tree())


def case_processes():
    """A child, another program, a library that is loaded and unloaded; input, output and the end are the program's."""
    library = compile_program("loaded.so", "loaded.c", "-O2", "-g", "-shared", "-fPIC")
    program = compile_program("processes", "processes.c", "-O2", "-g", "-fno-ipa-icf", "-ldl")
    with open("input", "w", encoding="utf-8") as file:
        file.write("one\ntwo\n")
    for word, status in (("exit", 7), ("signal", -signal.SIGTERM)):
        with open("input", encoding="utf-8") as given:
            found, done = profile("-e", CLOCK + "=500000", program, word, library, status=status, stdin=given)
        check(done.stdout == "one\ntwo\n", done.stdout)
        check_sums(found)
        check(len(found["processes"]) == 3, found["processes"])
        check(sorted(p["command"] for p in found["processes"])[1:] == ["processes", "processes"], found["processes"])
        for name in ("in_child", "in_other_program", "in_library"):
            check(abs(share(found, name, "total") - 1 / 3) < 0.2, f"{name} has {share(found, name, 'total')}", done.stderr)


def case_built():
    """However a program is linked, its routines are found; what is missing is said."""
    for name, flags in (("pie", ["-pie"]), ("fixed", ["-no-pie"]), ("static", ["-static", "-no-pie"]), ("static_pie", ["-static-pie", "-fPIE"])):
        try:
            program = compile_program(name, "shares.f90", "-O2", "-g", "-fno-inline", *flags)
        except Skipped:
            print(f"{name}: not here")
            continue
        found, done = profile("-e", CLOCK + "=500000", program, "80")
        check(abs(share(found, "kernels::heavy") - 0.7) < 0.15, name, done.stderr)
        check("compile it with -g" not in done.stderr, done.stderr)
    program = compile_program("plain", "shares.f90", "-O2", "-fno-inline")
    found, done = profile("-e", CLOCK + "=500000", program, "80")
    check(abs(share(found, "kernels::heavy") - 0.7) < 0.15, done.stderr)
    check(re.search(r"\d+ % is in plain, which has no lines: compile it with -g", done.stderr), done.stderr)
    program = compile_program("stripped", "shares.f90", "-O2", "-fno-inline", "-s")
    found, done = profile("-e", CLOCK + "=500000", program, "80")
    most = found["routines"]
    check(abs(max(r["self"][0] for r in most) / found["events"][0]["sum"] - 0.7) < 0.15, done.stderr)
    check("stripped+0x" in done.stderr, done.stderr)
    check(re.search(r"stripped, which has neither routines' names nor lines: compile\s+it\s+with\s+-g, and do\s+not\s+strip", done.stderr),
          done.stderr)


def case_clang():
    """Compilers need not write a table of the addresses (.debug_aranges): there are lines all the same."""
    clang = shutil.which("clang++")
    if not clang:
        raise Skipped("no clang++")
    for name, flags in (("table", ["-gdwarf-aranges"]), ("none", [])):
        program = compile_program(name, "nested.cc", "-O2", "-g", *flags, compiler=clang)
        found, done = profile("-e", CLOCK + "=500000", program)
        lined = sum(line["self"][0] for line in found["lines"] if (line["file"] or "").endswith("nested.cc"))
        check(lined > 0.9 * found["events"][0]["sum"], name, found["lines"], done.stderr)
        check("shapes::chain<double>::turns(long)  nested.cc:10\n" in done.stderr, name, done.stderr)
        check("which has no lines" not in done.stderr, done.stderr)


def case_names():
    """C++ as it is written, and what was inlined beside what it is in."""
    if not SETTINGS["C++"]:
        raise Skipped("no compiler of C++")
    program = compile_program("nested", "nested.cc", "-O2", "-g")
    _, done = profile("-e", CLOCK + "=500000", program)
    inner = sum(v for path, v in tree().items() if path[-1].endswith("chain<double>::turns(long)"))
    check(inner > 0, tree())
    work = sum(v for path, v in tree().items() if "shapes::work(long)" in path)
    check(work > 0.9 * sum(tree().values()), tree(), done.stderr)
    check(all(path[path.index("shapes::work(long)") + 1].startswith("shapes::chain") for path in tree()
              if path[-1].endswith("turns(long)")), tree())


def line_of(source, word):
    with open(os.path.join(HERE, source), encoding="utf-8") as file:
        return [number for number, text in enumerate(file, 1) if word in text][0]


def case_scopes():
    """Routines of C++ that the linker has no names for, with the namespaces, classes and routines around them."""
    if not SETTINGS["C++"]:
        raise Skipped("no compiler of C++")
    if "clang" in call([SETTINGS["C++"], "--version"]).stdout:
        raise Skipped("clang has the linker's names also of what the linker does not see")
    program = compile_program("scopes", "scopes.cc", "-O2", "-g", "-std=c++11")
    found, done = profile("-e", CLOCK + "=500000", program)
    check_sums(found)
    places = {r["name"].partition("<")[0]: (os.path.basename(r["file"] or ""), r["line"]) for r in found["routines"]}
    inner = "outer::(anonymous namespace)::"
    for name, word in (("(anonymous namespace)::turns", "double turns("), ("(anonymous namespace)::hidden", "double hidden("),
                       (inner + "tool::declared", "APART double declared("), (inner + "tool::part::inside", "double inside("),
                       (inner + "of_any", "double of_any("), ("outer::in_file", "double in_file("),
                       ("main::{lambda}", "twice = "), (inner + "tool::declared::{lambda}", "local = ")):
        check(places.get(name) == ("scopes.cc", line_of("scopes.cc", word)), name, places, done.stderr)
        if not name.endswith(("turns", "of_any")):
            check(share(found, name, "total") > 0.05, name, done.stderr)
    check(share(found, "(anonymous namespace)::turns") > 0.9, done.stderr)


def case_stubs():
    """The stubs by which functions of libraries are called have their names."""
    library = compile_program("libstubs.so", "stubs.c", "-O2", "-shared", "-fPIC", "-DLIBRARY")
    kinds = [[], ["-Wl,-z,now"], ["-no-pie", "-Wl,-z,lazy"]]
    if os.uname().machine == "x86_64":
        kinds.append(["-fcf-protection", "-Wl,-z,ibtplt"])
    for flags in kinds:
        program = compile_program("stubs", "stubs.c", "-O2", "-fplt", "-Wl,--no-as-needed", library, "-Wl,-rpath," + os.getcwd(), *flags)
        found, done = profile("-e", CLOCK + "=200000", program)
        own = {r["name"] for r in found["routines"] if r["object"] == program}
        # An interrupt may never land on one of the two.
        check(own & {"often@plt", "seldom@plt"} and not any("+0x" in name for name in own), flags, own, done.stderr)
        if SETTINGS["papi_emulate"] and shutil.which("qemu-" + os.uname().machine):
            found = profile("--exact", "-e", "emu::INSTRUCTIONS", program, "1000", environment=emulated())[0]
            own = {r["name"]: r["self"][0] for r in found["routines"] if r["object"] == program}
            steps = own["seldom@plt"] // 1000  # the first call of each function takes a few more, to find it
            check(steps * 1000 <= own["seldom@plt"] < steps * 1000 + 10, own)
            check(steps * 3000 <= own["often@plt"] < steps * 3000 + 10, own)


def case_waiting():
    """A thread that waits for another does so in one row, of a library about which a sentence says what that means."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Skipped("with one processor, threads that wait sleep")
    program = compile_program("waiting", "waiting.f90", "-O2", "-g", "-fopenmp")
    found, done = profile("-e", CLOCK + "=500000", program, environment={"OMP_WAIT_POLICY": "active", "GOMP_SPINCOUNT": "infinite"})
    there = [r for r in found["routines"] if re.match(r"lib[gi]?omp\b", os.path.basename(r["object"]))]
    part = sum(r["self"][0] for r in there) / found["events"][0]["sum"]
    check(part > 0.05 and not any("+0x" in r["name"] for r in there), there)
    check(any(r["file"] for r in there) or share(found, "(inside of OpenMP's run-time library)") > 0.05, there)
    words = " ".join(done.stderr.split())
    said = re.search(r"(\d+) % is in lib\S+, the run-time library of OpenMP, mostly threads that wait", words)
    check(said and abs(int(said[1]) / 100 - part) < 0.006, part, done.stderr)
    check("OpenMP" not in profile("-e", CLOCK, program, environment={"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"})[1].stderr, "alone")


def case_events():
    """Two events at once, and what cannot be sampled."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, done = profile("-e", CLOCK + "=500000", "-e", "perf::TASK-CLOCK=1000000", program, "80")
    check([e["name"] for e in found["events"]] == [CLOCK, "perf::TASK-CLOCK"], found["events"])
    check([e["period"] for e in found["events"]] == [500000, 1000000], found["events"])
    check_sums(found)
    check(abs(found["events"][0]["sum"] / found["events"][1]["sum"] - 1) < 0.5, found["events"])
    check("[2]" in done.stderr, done.stderr)
    for wrong, words in (("perf::NO-SUCH", "NO-SUCH"), ("io:::rchar", "component io, which cannot interrupt"),
                         (CLOCK + "=99", "every 100000 ns"), (CLOCK + "=1e6", f"the period of {CLOCK} is a whole number"),
                         (CLOCK + "=0", "whole number of events from 1 on"), ("perf::NO-SUCH=1e6", 'no event "perf::NO-SUCH=1e6"')):
        done = call([SETTINGS["papi_profile"], "-e", wrong, program])
        check(done.returncode in (1, 2) and words in done.stderr and not done.stdout, wrong, done.returncode, done.stderr)
    # The events of metrics, each once. The processor's time of the first is not one.
    found = profile("-e", "@page_faults", "-e", "@process", program, "1")[0]
    names = [e["name"] for e in found["events"]]
    check(names.count("perf::PAGE-FAULTS") == 1 and "perf::CONTEXT-SWITCHES" in names, names)
    done = call([SETTINGS["papi_profile"], "-e", "@flopz", program])
    check(done.returncode == 1 and "the nearest is flops;" in done.stderr, done)


def case_refused():
    """Where the kernel or a sandbox refuses, a sentence says what, and the program does not run."""
    for error in ("EACCES", "EPERM", "ENOSYS"):
        done = call([SETTINGS["refuse"], error, SETTINGS["papi_profile"], "echo", "it ran"])
        check(done.returncode == 1, done.returncode, done.stderr)
        check(re.search(r"^papi_profile: the program cannot be sampled: .*(seccomp|perf_event_paranoid)", done.stderr), done.stderr)
        check(not done.stdout, done.stdout)
        check(not [name for name in os.listdir(".") if name.endswith(".json")], os.listdir("."))


def case_file():
    """The file shows again what the run showed; files are added up; what is not a profile is refused."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, done = profile("-e", CLOCK + "=500000", program, "80")
    shown = call([SETTINGS["papi_profile"], "--show=out.json"])
    check(shown.stdout.strip() in done.stderr, shown.stdout, done.stderr)
    both = show("out.json", "out.json")
    check(both["events"][0]["sum"] == 2 * found["events"][0]["sum"], both["events"])
    check(share(both, "kernels::heavy") == share(found, "kernels::heavy"), both["routines"])
    check(found["notes"] == [], found["notes"])
    plain = compile_program("plain", "shares.f90", "-O2", "-fno-inline")
    profile("-e", CLOCK + "=500000", plain, "40")
    with open("out.json", encoding="utf-8") as file:
        made = json.load(file)
    made["lost"], made["throttled"], made["events"][0]["running"] = 3, 4, made["events"][0]["enabled"] // 2
    with open("lacking.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    check([note.partition(", which")[0].split(" ", 2)[2] for note in made["notes"]] == ["is in plain"], made["notes"])
    said, words = show("lacking.json")["notes"], " ".join(call([SETTINGS["papi_profile"], "--show=lacking.json"]).stdout.split())
    check(len(said) == 4 and all(note in words for note in said), said, words)
    for note, start in zip(said, ("3 samples were lost", "The kernel stopped sampling 4 times", CLOCK + " had a counter for 50 %", "")):
        check(note.startswith(start), note, start)
    check("is in plain, which has no lines: compile it with -g" in said[3], said)
    profile("-e", CLOCK + "=500000", program, "80")
    call([SETTINGS["papi_profile"], program, "20"])
    check([name for name in os.listdir(".") if re.fullmatch(r"papi_profile_shares_\d+\.json", name)], os.listdir("."))
    with open("out.json", encoding="utf-8") as file:
        text = file.read()
    made = json.loads(text)
    for damage in (lambda d: d.pop("tree"), lambda d: d["tree"].append([len(d["tree"]), 0, 0, 1]), lambda d: d["places"].append([10**6, 0, 0]),
                   lambda d: d.update(version=2), lambda d: d["routines"].append("x"), lambda d: d["events"].clear(),
                   lambda d: d["tree"].append([-1, -1, 0, 1]), lambda d: d["strings"].append(1)):
        wrong = json.loads(text)
        damage(wrong)
        with open("wrong.json", "w", encoding="utf-8") as file:
            json.dump(wrong, file)
        done = call([SETTINGS["papi_profile"], "--show=wrong.json"])
        check(done.returncode == 1 and done.stderr.startswith("papi_profile: wrong.json is not a profile"), done.stderr)
    made["events"][0]["name"] = "another"
    with open("wrong.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = call([SETTINGS["papi_profile"], "--show=out.json", "wrong.json"])
    check(done.returncode == 1 and "its event 1 is another" in done.stderr, done.stderr)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """The fields of a message of protocol buffers: (number, value or bytes)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def numbers(data):
    at, found = 0, []
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def read_pprof(path):
    """{(outermost, ..., innermost): value} of the first event, and its name and unit."""
    with open(path, "rb") as file:
        parts = list(fields(file.read()))
    strings = [value.decode() for number, value in parts if number == 6]
    names = {dict(fields(value))[1]: strings[dict(fields(value))[2]] for number, value in parts if number == 5}
    places = {dict(fields(value))[1]: dict(fields(dict(fields(value))[4])) for number, value in parts if number == 4}
    kind = [tuple(strings[v] for _, v in fields(value)) for number, value in parts if number == 1]
    found = {}
    for value in (dict(fields(value)) for number, value in parts if number == 2):
        path = tuple(names[places[place][1]] for place in reversed(numbers(value[1])))
        found[path] = found.get(path, 0) + numbers(value[2])[0]
    return kind, found


def read_callgrind(path):
    """{routine: self}, {(caller, called): total}."""
    own, calls, name, called = {}, {}, None, None
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith("fn="):
                name = line[3:]
            elif line.startswith("cfn="):
                called = line[4:]
            elif re.match(r"\d", line):
                value = int(line.split()[1])
                if called is None:
                    own[name] = own.get(name, 0) + value
                else:
                    calls[name, called] = calls.get((name, called), 0) + value
                    called = None
    return own, calls


def case_precision():
    """How near samples are is told of the processor's events, the least of several files; the kernel's clock has none."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, _ = profile("-e", CLOCK + "=500000", program, "20")
    check("precise" not in found["events"][0], found["events"])
    with open("out.json", encoding="utf-8") as file:
        made = json.load(file)
    for level in (0, 1, 2, 3, 4):
        made["events"][0]["precise"] = level
        with open(f"{level}.json", "w", encoding="utf-8") as file:
            json.dump(made, file)
    for files, level in (("3",), 3), (("2", "3"), 2), (("1", "0", "2"), 0):
        names = [name + ".json" for name in files]
        check(show(*names)["events"][0]["precise"] == level, show(*names)["events"])
        said = call([SETTINGS["papi_profile"], "--show=" + names[0], *names[1:]]).stdout
        check(f"(precise_ip {level})" in said, said)
    done = call([SETTINGS["papi_profile"], "--show=4.json"])
    check(done.returncode == 1 and "the precision 4" in done.stderr, done.stderr)


def case_exports():
    """The formats of other tools have the same calls and the same sums."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, _ = profile("-e", CLOCK + "=500000", "-x", "callgrind", "-x", "pprof", "-x", "folded=stacks", "-x", "speedscope", program, "80")
    calls = {path: value for path, value in tree().items() if value > 0}
    with open("stacks", encoding="utf-8") as file:
        folded = {}
        for line in file:
            path, value = line.rsplit(" ", 1)
            folded[tuple(path.split(";"))] = folded.get(tuple(path.split(";")), 0) + int(value)
    check(folded == calls, folded, calls)
    kind, pprof = read_pprof("out.pb")
    check(kind == [(CLOCK, "nanoseconds")] and pprof == calls, kind, pprof, calls)
    with open("out.speedscope.json", encoding="utf-8") as file:
        scope = json.load(file)
    frames, one = [f["name"] for f in scope["shared"]["frames"]], scope["profiles"][0]
    summed = {}
    for stack, weight in zip(one["samples"], one["weights"]):
        path = tuple(frames[i] for i in stack)
        summed[path] = summed.get(path, 0) + weight
    check(summed == calls and sum(one["weights"]) == one["endValue"] and one["unit"] == "nanoseconds", summed, calls)
    own, between = read_callgrind("out.callgrind")
    for name in ("kernels::heavy", "kernels::light"):
        check(own[name] / found["events"][0]["sum"] == share(found, name), own)
        check(between["shares", name] / found["events"][0]["sum"] == share(found, name, "total"), between)
    check(sum(own.values()) == found["events"][0]["sum"], own)
    if shutil.which("callgrind_annotate"):
        done = call(["callgrind_annotate", "out.callgrind"])
        check(done.returncode == 0 and not done.stderr, done.stderr)
        order = [name for name in re.findall(r":(kernels::\w+)", done.stdout)]
        check(order[:2] == ["kernels::heavy", "kernels::light"], done.stdout)
    shown = call([SETTINGS["papi_profile"], "--show=out.json", "-x", "folded=-"])
    check(sorted(shown.stdout.splitlines()) == sorted(open("stacks", encoding="utf-8").read().splitlines()), shown.stdout)
    done = call([SETTINGS["papi_profile"], "-x", "gprof", "echo", "it ran"])
    check(done.returncode == 2 and "the formats are html, callgrind" in done.stderr and not done.stdout, done)
    done = call([SETTINGS["papi_profile"], "--show=out.json", "-x", "folded=/dev/full"])
    check(done.returncode == 1 and "No space left" in done.stderr, done)


def emulated():
    """The environment in which papi_profile finds papi_emulate, and papi_emulate its emulator."""
    if not SETTINGS["papi_emulate"] or not shutil.which("qemu-" + os.uname().machine):
        raise Skipped("papi_emulate or its emulator is not here")
    os.makedirs("temporary", exist_ok=True)
    return {"PATH": os.path.dirname(SETTINGS["papi_emulate"]) + os.pathsep + os.environ["PATH"], "TMPDIR": os.path.abspath("temporary")}


def line_sums(path):
    """The sums of each event over the blocks that one program left."""
    with open(SETTINGS["events"], encoding="utf-8") as file:
        names = ["emu::" + name for name in re.findall(r"^(?:CACHE_)?EVENT\((\w+),", file.read(), re.M)]
    sums = dict.fromkeys(names, 0)
    with open(path, encoding="utf-8") as file:
        rows = file.read().splitlines()
    check(rows[-1] == "end", rows[-1])
    for row in (row.split() for row in rows if row.startswith("b ")):
        for part in ":".join(instruction.partition(":")[2] for instruction in row[6:]).split(":"):
            event, _, amount = part.partition("=")
            if amount:
                sums[names[int(event)]] += int(amount) * int(row[3])
        sums["emu::TAKEN_BRANCHES"] += int(row[4])
        sums["emu::NOT_TAKEN_BRANCHES"] += int(row[5])
    for row in (row.split() for row in rows if row.startswith("m ")):
        for event, amount in (part.split("=") for part in row[3].split(":")[1:]):
            sums[names[int(event)]] += int(amount)
    return sums


def case_lines():
    """What the emulator leaves of each program equals the counters of the same run, to the last of each event."""
    emulated()
    library = compile_program("loaded.so", "loaded.c", "-O2", "-g", "-shared", "-fPIC", "-DTURNS=100000L")
    several = compile_program("processes", "processes.c", "-O2", "-g", "-fno-ipa-icf", "-DTURNS=100000L", "-ldl")
    threads = compile_program("threads", "shares.f90", "-O3", "-g", "-fopenmp")
    caches = "--caches=L1d:8K:4:64,L1i:32K:8:64,L2:64K:8:64,L3:512K:16:64"
    for program, status, *options in (([several, "exit", library], 7), ([threads, "1"], 0), ([several, "exit", library], 7, caches),
                                      ([threads, "1"], 0, caches)):
        folder = tempfile.mkdtemp(dir=".")
        done = call([SETTINGS["papi_emulate"], "--json", "--report=report.json", *options, *program],
                    environment={"PAPI_EMULATE_LINES": os.path.abspath(folder), "OMP_NUM_THREADS": "8"})
        check(done.returncode == status, done.stderr)
        with open("report.json", encoding="utf-8") as file:
            programs = json.load(file)["programs"]
        check(len(programs) == len(os.listdir(folder)) == (4 if status else 1), os.listdir(folder))
        for i, one in enumerate(programs):
            sums = line_sums(os.path.join(folder, str(i)))
            counts = {name: value for name, value in one["counts"].items() if "FETCH" not in name and "L1I" not in name}
            different = {name: (sums[name], value) for name, value in counts.items() if sums[name] != value}
            check(not options or counts["emu::L3_READ_MISSES"] > 0, one["counts"])
            check(not different, f"{one['name']} {i}: the lines and the counters have", different)
            check(one["counts"]["emu::DP_OPS"] >= (0 if status else 8 * 2 * 10**6), one["counts"])


def case_exact():
    """In the emulator each line has what it did, by analysis."""
    environment = emulated()
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    found, done = profile("--exact", "-e", "DP_OPS", "-e", "emu::INSTRUCTIONS", "-e", "NOT_TAKEN_BRANCHES", program, "1", environment=environment)
    check_sums(found)
    check(all(e["exact"] and e["samples"] == 0 for e in found["events"]), found["events"])
    own = {r["name"]: r["self"] for r in found["routines"]}
    # A multiplication and an addition each turn, and one branch each call that ends the loop.
    check([own["kernels::heavy"][0], own["kernels::light"][0], own["shares::inner"][0]] == [1400000, 600000, 1], own, done.stderr)
    for word, operations in (("heavy", 1400000), ("light", 600000)):
        lines = [line["self"][0] for line in found["lines"] if (line["text"] or "").endswith(f"! {word}")]
        check(lines == [operations], f"the line of {word} has {lines}", done.stderr)
    check(own["kernels::heavy"][1] > 7 * 10**5 * 3, own)
    check("counted exactly" in done.stderr, done.stderr)
    check(not os.listdir("temporary"), os.listdir("temporary"))
    # A preset of another formula, and metrics: the events that they are computed of; no fetches, which are not of a line.
    level2 = ["emu::L2_READS", "emu::L2_WRITES", "emu::L2_READ_MISSES", "emu::L2_WRITE_MISSES"]
    for words, names in ((["PAPI_L2_DCH"], level2), (["@flops"], ["emu::FP_OPS", "emu::INSTRUCTIONS"]),
                         (["@l2_mpki", "LOADS"], level2[2:] + ["emu::INSTRUCTIONS", "emu::LOADS"])):
        found = profile("--exact", *[f"-e{word}" for word in words], program, "1", environment=environment)[0]
        check([e["name"] for e in found["events"]] == names, words, found["events"])
    library = compile_program("loaded.so", "loaded.c", "-O2", "-g", "-shared", "-fPIC")
    several = compile_program("processes", "processes.c", "-O2", "-g", "-fno-ipa-icf", "-DTURNS=100000L", "-ldl")
    found, done = profile("-e", "emu::DP_OPS", several, "exit", library, status=7, environment=environment)
    own = {r["name"]: r["total"][0] for r in found["routines"]}
    check([own[name] for name in ("in_child", "in_other_program", "in_library")] == [200000] * 3, own, done.stderr)
    check(len(found["processes"]) == 4, found["processes"])
    for wrong, words in (("emu::NO_SUCH", "no event"), ("emu::L1I_MISSES", "by blocks"), ("@flopz", "the nearest is flops;"),
                         ("@itlb_mpki", "the emulator does not count PAPI_TLB_IM")):
        done = call([SETTINGS["papi_profile"], "--exact", "-e", wrong, program], environment=environment)
        check(done.returncode == 1 and words in done.stderr, done)
    done = call([SETTINGS["papi_profile"], "--exact", "/no/such/program"], environment=environment)
    check(done.returncode == 127 and "/no/such/program" in done.stderr, done)


def code_of(name):
    """The pieces of code of a routine in out.json: [[(disassembly, runs, values of events)]]."""
    with open("out.json", encoding="utf-8") as file:
        made = json.load(file)
    names, routines = made["strings"], made["routines"]
    return [[(names[row[2]], row[5], row[7:]) for row in piece["rows"]] for piece in made["listings"] if names[routines[piece["routine"]][0]] == name]


def case_instructions():
    """Each instruction has what it did, and loops are entered and repeated as often as the source says."""
    if not SETTINGS["Capstone"]:
        raise Skipped("papi_profile was built without Capstone")
    program = compile_program("arithmetic", "arithmetic.f90", "-O3", "-g")
    found, done = profile("--exact", "-e", "emu::INSTRUCTIONS", "-e", "emu::DP_OPS", program, "10", environment=emulated())
    rows = sum(code_of("arithmetic"), [])
    own = next(r["self"] for r in found["routines"] if r["name"] == "arithmetic")
    check([sum(row[2][e] for row in rows) for e in (0, 1)] == own, own, rows)
    check(all(runs == values[0] for _, runs, values in rows), "an instruction is counted once each time that it runs", rows)
    source = open(os.path.join(HERE, "arithmetic.f90"), encoding="utf-8").read().splitlines()
    lines = {word: next(i for i, text in enumerate(source, 1) if text.endswith("! " + word)) for word in ("vector", "scalar", "none")}
    loops = {l["first_line"]: l for l in found["loops"] if l["routine"] == "arithmetic" and l["depth"] == 2 and l["entries"] == 10}
    check([(loops[lines[w]]["entries"], loops[lines[w]]["iterations"]) for w in ("scalar", "none")] == [(10, 39990)] * 2, found["loops"])
    check(loops[lines["scalar"]]["self"][1] == 2 * 39990 and loops[lines["none"]]["self"][1] == 0, loops)
    check(loops[lines["vector"]]["self"][1] == 80000 and loops[lines["vector"]]["iterations"] <= 20000, loops)
    outer, = [l for l in found["loops"] if l["routine"] == "arithmetic" and l["depth"] == 1 and l["first_line"] < lines["vector"] <= l["last_line"]]
    check((outer["entries"], outer["iterations"]) == (1, 10), outer)
    check(outer["nest"][1] == 80000 + 2 * 39990 and outer["self"][1] == 0, outer)
    check(re.search(r" 10 +3999\.0 .*arithmetic\.f90:%d  arithmetic$" % lines["scalar"], done.stderr, re.M), done.stderr)


def uses_of(found, name, line):
    """How a line uses data, summed over the routines."""
    datum, = [d for d in found["data"] if name in d["name"]]
    use, = [u for u in datum["places"] if u["line"] == line]
    return datum, use


def line_ending(source, end):
    return next(i for i, text in enumerate(open(os.path.join(HERE, source), encoding="utf-8"), 1) if text.rstrip().endswith(end))


def case_data():
    """Data by name: accesses, misses, strides and the used part of lines, by analysis."""
    program = compile_program("data", "data.f90", "-O1", "-g", "-fno-inline")
    found, done = profile("--data", program, environment=emulated())
    n = 512
    datum, use = uses_of(found, "allocate(b(n, n))", line_ending("data.f90", "! across"))
    check((datum["kind"], datum["bytes"], datum["allocations"]) == ("allocated", 8 * n * n, 1), datum)
    check((use["accesses"], use["stride"], use["misses"][0]) == (n * n, 8 * n, n * n), use)
    check(use["fetched"] == 64 * n * n and use["used"] == 8 * n * n, "one element of each line is used", use)
    datum, use = uses_of(found, "grid::a", line_ending("data.f90", "! along"))
    check((datum["kind"], datum["bytes"]) == ("variable", 8 * n * n), datum)
    check((use["accesses"], use["stride"], use["used"]) == (n * n, 8, 8 * n * n), use)
    check(n * n // 8 <= use["misses"][0] <= n * n // 8 + 1, use)
    for d in found["data"]:
        check(sum(u["accesses"] for u in d["places"]) == d["accesses"], d)
        check(all(sum(u["misses"][i] for u in d["places"]) == d["misses"][i] for i in range(3)), d)
    for level, event in enumerate(("L1D_READ_MISSES", "L2_READ_MISSES")):
        counted = sum(d["misses"][level] for d in found["data"])
        check(counted >= next(e["sum"] for e in found["events"] if e["name"] == "emu::" + event) > 0, counted, found["events"])
    words = " ".join(done.stderr.split())
    check(f"misses are at data.f90:{line_ending('data.f90', '! across')}; stride 4096 bytes; 12 % of each line that is fetched there is used" in words, done.stderr)
    program = compile_program("allocations", "data.c", "-O1", "-g", "-pthread")
    found, done = profile("--data", program, environment=emulated())
    datum, use = uses_of(found, "malloc(N * sizeof *p)", line_ending("data.c", "p[i].x = s;"))
    check((datum["allocations"], datum["bytes"]) == (10, 10 * 10000 * 128), "five of the thread, five of the child", datum)
    check((use["accesses"], use["stride"]) == (2 * 5 * 10000, 128), "the thread's and the child's", use)
    datum, use = uses_of(found, "realloc(p, 2 * N * sizeof *p)", line_ending("data.c", "p[i].rest[7] = s;"))
    check((use["accesses"], use["stride"]) == (2 * 5 * 20000, 128), use)
    check(use["used"] * 8 == use["fetched"], "8 bytes of each line", use)
    if platform.machine() == "x86_64":
        _, use = uses_of(found, "aligned_alloc(64, 64 * N)", line_ending("data.c", "/* fill */"))
        check((use["accesses"], use["stride"], use["misses"][0]) == (10000, 64, 10000), "a line at a time", use)
        check(use["used"] == use["fetched"] == 64 * 10000, "all of each line", use)


def case_data_names():
    """Data of every kind has its own name, whichever routine is given it: saved variables that have one name in two routines, too."""
    n, source = 4096, "data_names.f90"
    names = {f"allocated at {source}:{line_ending(source, '! ' + word)}: ": times for word, times in (("mine", 1), ("other", 2), ("component", 1))}
    names.update({"kinds::one::work": 1, "kinds::two::work": 2, "kinds::fixed": 1, "/shared/ (first, second)": 1})
    total = line_ending(source, "! total")

    def reads(found):
        """How often each datum was read by "total", in its sizes."""
        return {d["name"]: u["accesses"] / n for d in found["data"] for u in d["places"] if u["line"] == total and u["routine"] == "kinds::total"}

    program = compile_program("data_names", source, "-O1", "-g", "-fno-inline")
    found, done = profile("--data", program, environment=emulated())
    check("no allocation was seen" not in done.stderr, done.stderr)
    seen = reads(found)
    for name, times in names.items():
        check([t for other, t in seen.items() if other.startswith(name)] == [times], name, seen)
    check([t for name, t in seen.items() if f"{source}:{line_ending(source, '! automatic')}" in name] == [1], "an automatic array that is allocated", seen)
    check(seen["(stacks)"] == 1, "a local array", seen)
    check(sum(seen.values()) == 11, "nothing else", seen)
    found, _ = profile("--data", compile_program("data_stack", source, "-O1", "-g", "-fno-inline", "-fstack-arrays"), environment=emulated())
    check(reads(found)["(stacks)"] == 2, "an automatic array on the stack", reads(found))
    found, _ = profile("--data", compile_program("data_plain", source, "-O1", "-fno-inline"), environment=emulated())
    work = [d["name"] for d in found["data"] if d["name"].startswith("work.")]
    check(len(work) == 2 and all("(at 0x" in name for name in work), "without debug information two are two", work)


def case_data_reuse():
    """Memory is of one allocation after the other, and each has what was done in its time; stacks of threads are stacks."""
    n, source = 4096, "data_reuse.c"
    program = compile_program("data_reuse", source, "-O1", "-g", "-fno-inline", "-fno-builtin", "-pthread")
    found, done = profile("--data", program, environment=emulated())
    check(done.stdout.startswith("1 "), "the second allocation has the first one's address", done.stdout)
    total = line_ending(source, "/* total */")
    seen = {d["name"]: u["accesses"] / n for d in found["data"] for u in d["places"] if u["line"] == total}
    for word, times in (("first", 1), ("second", 2), ("grown", 1)):
        name = f"allocated at {source}:{line_ending(source, '/* ' + word + ' */')}: "
        check([t for other, t in seen.items() if other.startswith(name)] == [times], name, seen)
    check(seen["(stacks)"] == 1 and sum(seen.values()) == 5, "the thread's", seen)


def case_data_notes():
    """Where the processor samples, the preloaded library notes allocations in a file: each with its caller, and in the order in which they are."""
    if not SETTINGS["papi_data"]:
        raise Skipped("libpapi_data.so was not built")
    n = 4096
    program = compile_program("data_reuse", "data_reuse.c", "-O1", "-g", "-fno-inline", "-fno-builtin", "-pthread")
    open("notes", "w", encoding="utf-8").close()
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    done = call([program], environment={"LD_PRELOAD": SETTINGS["papi_data"], "PAPI_DATA_ALLOCATIONS": os.path.abspath("notes")})
    check(done.returncode == 0 and done.stdout.startswith("1 ") and not done.stderr, done)
    with open("notes", "rb") as file:
        rows = list(struct.iter_unpack("<IHHIIQQQIIQQ", file.read()))
    check(len({row[3] for row in rows}) == 1 and all(row[2] == 64 and row[3:5] == row[8:10] for row in rows), rows)
    check(sorted(row[10] for row in rows) == [row[10] for row in rows] and begin < rows[0][10], "in order", rows)
    made = [row for row in rows if row[0] == 0x70610001]
    check(all(row[6] >= 1024 and row[7] > 0 for row in made), made)
    first, second = (row for row in made if row[6] == 8 * n and row[5] == next(r[5] for r in made if r[6] == 8 * n))
    check(first[7] != second[7], "two calls", first, second)
    freed = [row[10] for row in rows if row[0] == 0x70610002 and row[5] == first[5]]
    check(first[10] < freed[0] < second[10] < freed[1], rows)
    check([row[6] for row in made if row[6] == 64 * 8 * n] == [64 * 8 * n], "what realloc made", made)


def data_samples(rows):
    """A profile of loads of the module's "a" (data 0) at line 1 or 2, and of what line 3 allocates (1): (data, place, store, level, tlb, latency, samples)."""
    return {"format": "papi_profile", "version": 1, "command": ["a.out"], "host": "h", "started": 1, "seconds": 1, "ranks": 0, "lost": 0,
            "events": [{"name": "cpu/mem-loads,ldlat=3/", "period": 0, "samples": sum(row[-1] for row in rows)}], "processes": [],
            "strings": ["a.out", "/no/a.f90", "work", "grid::a"], "lacking": [], "routines": [[2, 0, 1, 1]],
            "places": [[0, 1, 1], [0, 1, 2], [0, 1, 3]], "tree": [[-1, 0, 0, sum(row[-1] for row in rows)]],
            "data": [[1, 3, 0, -1, 4096, 0], [2, -1, -1, 2, 800, 2]], "data_samples": rows}


def shown(made):
    with open("samples.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = call([SETTINGS["papi_profile"], "--show=samples.json"])
    check(done.returncode == 0, done.stderr)
    return show("samples.json")["sampled_data"], done.stdout


L1, L3, LOCAL = 1, 4, 7


def case_data_samples():
    """Shares, their errors, medians and levels of sampled data, by sums of this test's own."""
    rows = [[0, 0, 0, LOCAL, 4, 300, 60], [0, 0, 0, L3, 1, 50, 30], [0, 1, 0, L1, 1, 5, 10], [1, 0, 0, L1, 1, 4, 99],
            [1, 1, 0, L1, 0, -1, 1], [1, 2, 1, L1, 1, -1, 7]]
    found, text = shown(data_samples(rows))
    waits = {d: [(row[5], row[6]) for row in rows if row[0] == d and row[5] > 0] for d in (0, 1)}
    whole, squares = (sum(n * w ** power for list_ in waits.values() for w, n in list_) for power in (1, 2))
    for datum, name in ((0, "grid::a"), (1, "allocated at a.f90:3")):
        one, = [d for d in found if d["name"] == name]
        wait, own = (sum(n * w ** power for w, n in waits[datum]) for power in (1, 2))
        share_ = wait / whole
        error = 1.96 * math.sqrt((1 - share_) ** 2 * own + share_ ** 2 * (squares - own)) / whole
        check(abs(one["share"] - share_) < 1e-9 and abs(one["share_error"] - error) < 1e-9, one, share_, error)
        timed = sorted(w for w, n in waits[datum] for _ in range(n))
        check((one["timed_loads"], one["median_latency"]) == (len(timed), timed[len(timed) // 2]), one, timed)
        check(abs(one["mean_latency"] - wait / len(timed)) < 1e-9, one)
        for level, key in ((L1, "l1"), (L3, "l3"), (LOCAL, "local_memory")):
            check(one["levels"][key] == sum(row[6] for row in rows if row[0] == datum and row[3] == level and not row[2]), one)
        check(sum(p["loads"] for p in one["places"]) == one["loads"] and sum(p["stores"] for p in one["places"]) == one["stores"], one)
    one = found[0]
    check((one["name"], one["loads"], one["stores"], one["page_walks"], one["bytes"]) == ("grid::a", 100, 0, 60, 4096), one)
    check((found[1]["loads"], found[1]["stores"], found[1]["kind"]) == (100, 7, "allocated"), found[1])
    words = " ".join(text.split())
    check("by 200 loads that the processor sampled" in words, text)
    check(re.search(r"grid::a: loads of it at a\.f90:1 are 9\d % \(\+- \d+\) of all waiting: 67 % of them found it in: memory; median 300 cycles", words), text)
    check(re.search(r"^ +9\d\.\d % +\d\.\d +100 +0 +10 % +30 % +60 % +300 +196  grid::a$", text, re.M), text)
    found, text = shown(data_samples([[0, 0, 0, LOCAL, 4, 300, 9], [1, 0, 0, L1, 1, 4, 41]]))
    check("only 50 loads were sampled, which are too few" in " ".join(text.split()) and "of all waiting" not in text, text)
    check(re.search(r" few +9 +0 .* - +-  grid::a$", text, re.M), "nine samples have no median", text)
    found, text = shown(data_samples([[0, 0, 0, LOCAL, 4, 300, 100], [1, 0, 0, L1, 1, 4, 30]]))
    check(len(found) == 2 and "  grid::a" in text and "  allocated" not in text, "what waits less than 0.5 % is for programs alone", text)
    found, text = shown(data_samples([[0, 0, 0, LOCAL, 4, -1, 30], [1, 0, 0, L1, 1, -1, 90]]))
    check([d["share"] for d in found] == [0.75, 0.25] and found[1]["median_latency"] is None, "without latencies, the loads", found)
    for bad in ([[2, 0, 0, 1, 1, 4, 1]], [[0, 3, 0, 1, 1, 4, 1]], [[0, 0, 2, 1, 1, 4, 1]], [[0, 0, 0, 11, 1, 4, 1]], [[0, 0, 0, 1, 5, 4, 1]],
                [[0, 0, 0, 1, 1, -2, 1]], [[0, 0, 0, 1, 1, 4, -1]], [[0, 0, 0, 1, 1]]):
        made = data_samples([[0, 0, 0, 1, 1, 4, 1]])
        made["data_samples"] = bad
        with open("samples.json", "w", encoding="utf-8") as file:
            json.dump(made, file)
        done = call([SETTINGS["papi_profile"], "--show=samples.json"])
        check(done.returncode == 1 and "samples.json" in done.stderr, bad, done)
    with open("samples.json", "w", encoding="utf-8") as file:
        json.dump(data_samples(rows), file)
    twice = call([SETTINGS["papi_profile"], "--json", "--show=samples.json", "samples.json"])
    check(sum(d["loads"] for d in json.loads(twice.stdout)["sampled_data"]) == 400, "two files", twice.stdout)


def shared_lines(uses, loads=1000, bytes_=64):
    """A profile with lines of two processes: (line, thread, data, place, within, offset, bytes, store, moved, samples, wait, squares)."""
    made = data_samples([[0, 0, 0, L1, 1, 4, loads - 100], [0, 0, 0, OTHER, 1, 300, 100]])
    made.update(processes=[{"pid": 41, "command": "a.out", "threads": 2}, {"pid": 42, "command": "a.out", "threads": 2}],
                line_bytes=bytes_, lines=[[0x404000, 0], [0x404040, 0], [0x404000, 1], [0x404080, 1]], line_uses=uses)
    return made


def use(line, thread, offset, width, store, moved, samples):
    return [line, thread, 0, 1 if store else 0, offset, offset, width, store, moved, samples, 300 * samples * moved, 90000.0 * samples * moved]


OTHER = 5


def shared(made, name="lines.json"):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = call([SETTINGS["papi_profile"], f"--show={name}"])
    check(done.returncode == 0, done.stderr)
    return show(name), done.stdout


def case_shared_lines():
    """Who loads and stores which bytes of lines, and whether that is sharing of the bytes or of the line alone."""
    rows = [use(0, 51, 0, 8, 0, 1, 60), use(0, 51, 0, 8, 1, 0, 7), use(0, 52, 8, 8, 0, 1, 20), use(0, 52, 8, 8, 0, 0, 5), use(0, 52, 8, 8, 1, 0, 6),
            use(1, 51, 0, 4, 0, 1, 10), use(1, 52, 0, 4, 1, 0, 3),                               # one variable that one writes and the other reads
            use(2, 61, 0, 0, 0, 1, 4), use(2, 62, 8, 0, 1, 0, 1),                                # whose length is not known
            use(3, 61, 0, 8, 0, 1, 3), use(3, 61, 32, 8, 0, 1, 3), use(3, 62, 36, 2, 1, 0, 1)]
    whole, text = shared(shared_lines(rows))
    found = whole["shared_lines"]
    check(whole["line_bytes"] == 64 and [(row["address"], row["pid"]) for row in found] == [(0x404000, 41), (0x404040, 41), (0x404080, 42), (0x404000, 42)], found)
    check([row["sharing"] for row in found] == ["false", "true", "both", "unknown"], found)
    check([row["moved"] for row in found] == [{"true": 0, "false": 80, "unknown": 0}, {"true": 10, "false": 0, "unknown": 0},
                                              {"true": 3, "false": 3, "unknown": 0}, {"true": 0, "false": 0, "unknown": 4}], found)
    first = found[0]
    check((first["loads"], first["stores"], first["threads"]) == (85, 13, 2), first)
    wait, squares = (900 * 4 ** power + 100 * 300 ** power for power in (1, 2))
    share_ = 80 * 300 / wait
    error = 1.96 * math.sqrt((1 - share_) ** 2 * 80 * 300 ** 2 + share_ ** 2 * (squares - 80 * 300 ** 2)) / wait
    check(abs(first["share"] - share_) < 1e-9 and abs(first["share_error"] - error) < 1e-9, first, share_, error)
    check(first["uses"][0] == {"thread": 51, "offset": 0, "bytes": 8, "data": "grid::a", "within": 0, "store": False, "moved": True, "samples": 60,
                               "wait": 18000, "routine": "work", "file": "/no/a.f90", "line": 1}, first["uses"][0])
    unknown = [row["bytes"] for row in found[3]["uses"]]
    check(unknown == [None, None], found[3])
    check(re.search(r"^  waiting +\+- +other core +loads +stores +sharing +threads  line of 64 bytes\n +thread +bytes$", text, re.M), text)
    check(re.search(r"^ +71\.4 % +\d+\.\d +80 +85 +13 +false +2  0x404000 of 41$", text, re.M), text)
    check(re.search(r"^ +51 +0-7 +60 +60 +0  a\.f90:1: grid::a\n +51 +0-7 +0 +0 +7  a\.f90:2: grid::a\n"
                    r" +52 +8-15 +20 +25 +0  a\.f90:1: grid::a \+ 8\n", text, re.M), text)
    check(re.search(r" few +4 +4 +1 +unknown +2  0x404000 of 42\n +61 +0-\? ", text), "few samples have no error", text)
    check("grid::a: 2 threads wait for each other's writes" in " ".join(text.split()) and "64 bytes apart" in " ".join(text.split()), text)
    check(all(len(row) < 100 for row in text.splitlines()), text)
    _, text = shared(shared_lines([use(1, 51, 0, 4, 0, 1, 60), use(1, 52, 0, 4, 1, 0, 3)]))
    check(re.search(" true +2 ", text) and "wait for each other" not in text, "nothing is to be done about true sharing", text)
    _, text = shared(shared_lines([use(0, 51, 0, 4, 0, 1, 9), use(0, 52, 8, 4, 1, 0, 3)]))
    check(re.search(" false +2 ", text) and "wait for each other" not in text, "nine samples are no advice", text)
    many = [use(0, 51 + i, i, 1, 1, 0, 1) for i in range(12)] + [use(0, 70, 20, 1, 0, 1, 30)]
    found, text = shared(shared_lines(many))
    check(re.search(" false +13 ", text) and "and 5 more, which --json has" in text and len(found["shared_lines"][0]["uses"]) == 13, text)
    check("shared_lines" not in shared(data_samples([[0, 0, 0, L1, 1, 4, 10]]))[0], "an older file")
    shared(shared_lines(rows), "one.json")
    twice = call([SETTINGS["papi_profile"], "--json", "--show=one.json", "one.json"])
    check([row["pid"] for row in json.loads(twice.stdout)["shared_lines"]].count(41) == 4, "two files have lines of their own processes", twice.stdout)
    call([SETTINGS["papi_profile"], "--export=html=lines.html", "--show=one.json"])
    good = use(0, 51, 0, 8, 0, 1, 60)
    for column, value in ((0, 4), (0, -1), (1, -1), (1, 2 ** 31), (2, 2), (3, 3), (4, -2), (5, 64), (6, 65), (7, 2), (8, 2), (9, -1), (10, "x"), (11, -1), (11, None),
                          (11, 1e40)):
        bad = shared_lines([[value if i == column else cell for i, cell in enumerate(good)]])
        refused(bad, column, value)
    for key, value in (("line_bytes", 0), ("line_bytes", 8192), ("line_bytes", None), ("lines", [[0x404001, 0]]), ("lines", [[0x404000, 2]]), ("lines", [[-64, 0]])):
        refused(dict(shared_lines([]), **{key: value}), key, value)
    with open("other.json", "w", encoding="utf-8") as file:
        json.dump(shared_lines([], bytes_=32), file)
    done = call([SETTINGS["papi_profile"], "--show=one.json", "other.json"])
    check(done.returncode == 1 and "its lines have 32 bytes, and those of the file before it 64" in " ".join(done.stderr.split()), done)


def branches(rows, loops, sums):
    """A profile with records of branches: (from, to, places, object, type, taken, records, told, mispredicted, timed, cycles) and loops."""
    made = data_samples([])
    made.update(data=[], data_samples=[], branches=rows, branch_loops=loops,
                branch_sums=dict(zip(("stacks", "taken", "told", "mispredicted", "mispredicted_stacks", "broken"), sums)))
    made["events"][0].update(name="perf::BRANCHES", samples=100)
    made["tree"][0][3] = 100
    return made


def case_branches_shown():
    """Branches by what was mispredicted, and iterations of loops, with how far they may be off."""
    rows = [[0x1139, 0x1120, 1, 0, 0, 1, 900, 100, 900, 90, 900, 2700], [0x1150, 0x1110, 2, 0, 0, 1, 80, 50, 80, 10, 0, 0],
            [0x1160, 0x2000, 2, 1, 0, 4, 15, 9, 15, 0, 9, 90], [0x1170, 0x2000, 2, 1, 0, 31, 5, 5, 0, 0, 5, 10]]
    loops = [[0x1120, 0, 0, 0x1139, 1, 1000, 100, 64], [0x1110, 0, 1, 0x1150, 1, 80, 0, 0], [0x1100, 0, 2, 0x1108, 2, 50, 9, 9]]
    made = branches(rows, loops, (100, 1000, 995, 100, 36, 7))
    found, text = shared(made, "branches.json")
    check(found["branch_sums"] == {"stacks": 100, "taken": 1000, "told": 995, "mispredicted": 100, "mispredicted_stacks": 36, "broken": 7}, found)
    check([row["type"] for row in found["branches"]] == ["conditional", "conditional", "call", "other"], found["branches"])
    first, second, _, last = found["branches"]
    check(abs(first["share"] - 0.9) < 1e-9 and abs(first["share_error"] - 1.96 * math.sqrt(0.9 * 0.1 / 36)) < 1e-9, first)
    check(abs(first["rate"] - 0.1) < 1e-9 and abs(first["rate_error"] - 1.96 * math.sqrt(0.1 * 0.9 / 100)) < 1e-9, first)
    check(first["mean_cycles"] == 3 and "mean_cycles" not in second and "rate" not in last, first)
    check((first["from"]["line"], first["to"]["line"], first["from_address"], first["to_address"], first["object"]) == (2, 1, 0x1139, 0x1120, "a.out"), first)
    one, two, three = found["branch_loops"]
    check(one["iterations"] == 10 and abs(one["iterations_error"] - 1.96 * 10 / 8) < 1e-9, one)
    check((one["head"]["line"], one["end"]["line"], one["arrivals"], one["entries"], one["stacks"]) == (1, 2, 1000, 100, 64), one)
    check(two["entries"] == 0 and "iterations" not in two and abs(three["iterations"] - 50 / 9) < 1e-9, "no entry was seen", two, three)
    check(re.search(r"^ +misses +\+- +missed +\+- +taken +cycles  branch that was taken\n +90\.0 % +9\.8 +10\.0 % +5\.9 +90\.0 % +3\.0  a\.f90:2 -> a\.f90:1  work\n"
                    r" +10\.0 % +9\.8 +12\.5 % +9\.2 +8\.0 % +-  a\.f90:3 -> a\.f90:1  work\n +0\.0 % +0\.0 +few +- +1\.5 % +-  a\.f90:3 -> a\.f90:2  work\n"
                    r" +0\.0 % +0\.0 +- +- +0\.5 % +-  ", text, re.M), text)
    check(re.search(r"^ +arrivals +entries +iterations +\+-  loop\n +1000 +100 +10\.0 +2\.5  a\.f90:1 to a\.f90:2  work\n +80 +0 +few +-  a\.f90:2  work\n"
                    r" +50 +9 +few +-  a\.f90:3  work$", text, re.M), text)
    words = " ".join(text.split())
    check("by 1000 branches in 100 of the processor's records, 100 of them mispredicted" in words and "7 branches do not follow" in words, text)
    check(all(len(row) < 100 for row in text.splitlines()), text)
    _, text = shared(branches([[0, 0, 1, 0, 0, 0, 900, 100, 0, 0, 0, 0]], [], (100, 900, 0, 0, 0, 0)))
    check("which do not say what was mispredicted" in " ".join(text.split()) and "do not follow" not in text, text)
    shared(made, "one.json")
    twice = json.loads(call([SETTINGS["papi_profile"], "--json", "--show=one.json", "one.json"]).stdout)
    check(len(twice["branches"]) == 4 and twice["branches"][0]["taken"] == 1800 and twice["branch_sums"]["stacks"] == 200, twice)
    check(twice["branch_loops"][0]["iterations"] == 10 and twice["branch_loops"][0]["arrivals"] == 2000, twice)
    for column, value in ((0, -1), (1, "x"), (2, 3), (3, -1), (4, 4), (5, 32), (6, -1), (7, None), (8, 901), (9, 901), (10, 901), (11, -1)):
        refused(branches([[value if i == column else cell for i, cell in enumerate(rows[0])]], [], (1, 1, 1, 1, 1, 1)), column, value)
    for column, value in ((0, -1), (1, 4), (2, 3), (3, -1), (4, 3), (5, -1), (6, None), (7, 101)):
        refused(branches([], [[value if i == column else cell for i, cell in enumerate(loops[0])]], (1, 1, 1, 1, 1, 1)), column, value)
    refused(branches([], [], (1, 1, 1, 1, 1, -1)))


def case_branches_how():
    """Records of branches where the processor has them, else why not and what does it; and what does not go with them."""
    program = compile_program("arithmetic", "arithmetic.f90", "-O1", "-g")
    done = call([SETTINGS["papi_profile"], "-o", "branches.json", "--branches", program, "10"])
    if done.returncode == 0:
        check(show("branches.json")["branch_sums"]["stacks"] > 0, done.stderr)
    else:
        check(done.returncode == 1 and not os.path.exists("branches.json"), done)
        advice = re.search(r'--branches: .+; run "papi_profile (--exact .+)", which counts how often branches are taken', " ".join(done.stderr.split()))
        check(advice, done.stderr)
        found, _ = profile(*advice.group(1).split(), environment=emulated())
        check(any(loop["iterations"] is not None for loop in found["loops"]), "the advice works", found["loops"])
    for words in (["--exact"], ["--memory"], ["-e", "perf::PAGE-FAULTS"], ["--stacks=none"]):
        done = call([SETTINGS["papi_profile"], "--branches", *words, program])
        check(done.returncode == 2 and "--branches takes no --event, --exact, --memory or --stacks" in " ".join(done.stderr.split()), words, done)


def refused(made, *what):
    with open("bad.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = call([SETTINGS["papi_profile"], "--show=bad.json"])
    check(done.returncode == 1 and "bad.json is not a profile of this version" in " ".join(done.stderr.split()), what, done)


def case_data_how():
    """Samples of the processor where it has them, else the emulator, and which it was; one that is asked for is not replaced."""
    environment = emulated()
    program = compile_program("arithmetic", "arithmetic.f90", "-O1", "-g")
    done = call([SETTINGS["papi_profile"], "-o", "how.json", "--data=hardware", program, "10"], environment=environment)
    if done.returncode == 0:
        check("sampled" in done.stderr and show("how.json").get("sampled_data") is not None, done.stderr)
        return
    check(done.returncode == 1 and not os.path.exists("how.json"), done)
    advice = re.search(r'--data=hardware: .+; run "papi_profile (--data=emulator .+)"', " ".join(done.stderr.split()))
    check(advice, done.stderr)
    done = call([SETTINGS["papi_profile"], "-o", "how.json", *advice.group(1).split(), "10"], environment=environment)
    check(done.returncode == 0 and "does not sample" not in done.stderr and show("how.json")["data"], done.stderr)
    _, done = profile("--data", program, "10", environment=environment)
    check("papi_emulate counts the accesses, since the processor does not sample them here: " in " ".join(done.stderr.split()), done.stderr)
    check("which lines threads share is not known" in " ".join(done.stderr.split()), done.stderr)
    done = call([SETTINGS["papi_profile"], "--memory=hardware", program, "10"], environment=environment)
    check(done.returncode == 1 and re.search(r'--memory=hardware: .+; run "papi_profile --memory=emulator ', " ".join(done.stderr.split())), done.stderr)
    found, _ = profile("--memory=emulator", program, "10", environment=environment)
    check(found["data"], "the other name of --data", found)
    for words, why in ((["--data=other"], "it is hardware or emulator"), (["--data=hardware", "--exact"], "takes no events"),
                       (["--data=hardware", "-e", "emu::LOADS"], "takes no events")):
        done = call([SETTINGS["papi_profile"], *words, program])
        check(done.returncode == 2 and why in done.stderr, done)


def case_data_static():
    """The allocations of a static program are not seen, and its table says so; its variables are."""
    n, source = 4096, "data_names.f90"
    program = compile_program("data_static", source, "-O1", "-g", "-fno-inline", "-static")
    found, done = profile("--data", program, environment=emulated())
    total = line_ending(source, "! total")
    seen = {(d["kind"], d["name"]): u["accesses"] / n for d in found["data"] for u in d["places"] if u["line"] == total}
    check(seen[("variable", "kinds::two::work")] == 2 and sum(seen.values()) == 11, seen)
    check([t for (kind, _), t in seen.items() if kind == "unseen"] == [6], "all allocations and the stack", seen)
    check("no allocation was seen" in done.stderr and "linked without -static" in " ".join(done.stderr.split()), done.stderr)


NEXT, BRANCH, JUMP, LEAVES = range(4)


def made_code(rows, events=1, counted=True):
    """A profile with a routine of such instructions: (flow, target, runs, taken), at addresses 0, 4, 8, ... and lines 1, 2, 3, ..."""
    n = len(rows)
    strings = ["a.out", "a.f90", "work", "text"]
    return {"format": "papi_profile", "version": 1, "command": ["a.out"], "host": "node", "started": 0, "seconds": 1, "ranks": 0, "lost": 0,
            "throttled": 0, "strings": strings, "lacking": [], "routines": [[2, 0, 1, 1]], "places": [[0, 1, i + 1] for i in range(n)],
            "arithmetic": [], "tree": [[-1, i, 0] + [row[2]] * events for i, row in enumerate(rows)],
            "events": [{"name": f"emu::{i}", "period": 0, "clock": False, "exact": True, "samples": 0} for i in range(events)],
            "processes": [{"pid": 1, "command": "a.out", "threads": 1}],
            "listings": [{"routine": 0, "object": 0, "counted": counted,
                      "rows": [[4 * i, i, 3, row[0], row[1], row[2], row[3]] + [row[2]] * events for i, row in enumerate(rows)]}]}


def loops_of(*rows, **more):
    """The loops of such instructions: {(first line, last line): (depth, entries, iterations, self)}."""
    with open("made.json", "w", encoding="utf-8") as file:
        json.dump(made_code(rows, **more), file)
    return {(l["first_line"], l["last_line"]): (l["depth"], l["entries"], l["iterations"], l["self"][0]) for l in show("made.json")["loops"]}


def case_loops():
    """Loops of made code whose answer is known."""
    plain, end = (NEXT, 0, 1, 0), (LEAVES, 0, 1, 0)
    check(not loops_of(plain, plain, end), "a loop where there is none")
    check(loops_of(plain, (BRANCH, 4, 10, 9), end) == {(2, 2): (1, 1, 10, 10)}, "a loop of one instruction")
    # The test stands first: 7 times in, once out.
    check(loops_of((BRANCH, 12, 8, 1), (NEXT, 0, 7, 0), (JUMP, 0, 7, 7), end) == {(1, 3): (1, 1, 8, 22)}, "a loop with its test at the head")
    # Two ways back to one head are one loop.
    check(loops_of((NEXT, 0, 9, 0), (BRANCH, 0, 9, 3), (BRANCH, 0, 6, 5), end) == {(1, 3): (1, 1, 9, 24)}, "a loop with a cycle statement")
    nest = [(NEXT, 0, 4, 0), (NEXT, 0, 12, 0), (BRANCH, 4, 12, 8), (BRANCH, 0, 4, 3), end]
    check(loops_of(*nest) == {(1, 4): (1, 1, 4, 8), (2, 3): (2, 4, 12, 24)}, "a nest of two loops", loops_of(*nest))
    # A loop that is entered in its middle, too, is not a natural one.
    check(not loops_of((BRANCH, 8, 2, 1), (NEXT, 0, 5, 0), (BRANCH, 4, 6, 5), end), "a loop with two entries")
    # Code behind a computed jump is reached from where nobody knows.
    found = loops_of((LEAVES, 0, 1, 0), (NEXT, 0, 3, 0), (BRANCH, 4, 3, 2), end)
    check(found == {(2, 3): (1, 1, 3, 6)}, "a loop in a case of a switch", found)
    # A jump into the middle of an instruction, or out of the routine, closes nothing.
    check(not loops_of(plain, (BRANCH, 2, 5, 4), (BRANCH, 4000, 5, 4), end), "targets that are no instruction here")
    found = loops_of(plain, (BRANCH, 4, 10, 9), end, counted=False)
    check(found == {(2, 2): (1, None, None, 10)}, "samples do not count iterations", found)
    # A loop that was inlined as a whole is the inlined routine's.
    made = made_code([plain, (BRANCH, 4, 10, 9), end])
    made["strings"].append("inner")
    made["routines"].append([4, 0, 1, 2])
    made["places"][1][0] = 1
    with open("inlined.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    check([(l["routine"], l["first_line"]) for l in show("inlined.json")["loops"]] == [("inner", 2)], show("inlined.json")["loops"])
    # Two ranks of the same program: their sums.
    with open("made.json", encoding="utf-8") as file:
        made = json.load(file)
    both = show("made.json", "made.json")["loops"]
    check([l["self"] for l in both] == [[20]], both)
    for wrong in ({"rows": [[8, 0, 3, 0, 0, 1, 0, 1], [4, 0, 3, 0, 0, 1, 0, 1]]}, {"rows": [[0, 99, 3, 0, 0, 1, 0, 1]]}, {"rows": []},
                  {"rows": [[0, 0, 3, 4, 0, 1, 0, 1]]}, {"rows": [[0, 0, 99, 0, 0, 1, 0, 1]]}, {"routine": 7}, {"rows": [[0, 0, 3, 0, 0, 1, 0]]}):
        with open("wrong.json", "w", encoding="utf-8") as file:
            json.dump({**made, "listings": [{**made["listings"][0], **wrong}]}, file)
        done = call([SETTINGS["papi_profile"], "--show=wrong.json"])
        check(done.returncode == 1 and "is not a profile of this version" in done.stderr, wrong, done)


def case_callgrind():
    """Each routine of the program has as many instructions as callgrind counts, to the last."""
    os.environ.update(emulated())
    beside = SourceFileLoader("profile_beside", os.path.join(HERE, "..", "..", "bench", "profile_beside")).load_module()
    for title in beside.PROGRAMS:
        try:
            mine, theirs = beside.exact(SETTINGS["papi_profile"], title, beside.build(title, os.getcwd()))
        except beside.Missing as reason:
            raise Skipped(reason) from None
        most = beside.order(*mine)
        check(most and most == beside.order(*theirs), title, mine, theirs)
        check(all(mine[0][name] == theirs[0][name] for name in most), title, mine, theirs)


def arithmetic_of(found):
    """{word of the comment: (scalar, bits of vectors)}."""
    lines = [line for line in found["lines"] if "! " in (line["text"] or "")]
    return {line["text"].rpartition("! ")[2]: (line["scalar"], line["vector_bits"]) for line in lines}


def case_arithmetic():
    """Lines whose loops calculate on vectors, on single numbers, and not on floating-point numbers."""
    if not SETTINGS["Capstone"]:
        raise Skipped("papi_profile was built without Capstone")
    kinds = [(["-O3"], 128)]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if " avx " in file.read():
            kinds.append((["-O3", "-mavx"], 256))
    for flags, bits in kinds:
        program = compile_program("arithmetic", "arithmetic.f90", "-g", "-fno-unroll-loops", *flags)
        found, done = profile("-e", CLOCK, program, "40000")
        words = {"vector": (False, bits), "scalar": (True, 0), "none": (False, 0)}
        check(arithmetic_of(found) == words, flags, arithmetic_of(found), done.stdout)
        text = call([SETTINGS["papi_profile"], "--show=out.json"]).stdout
        check(re.search(r"total  arithmetic  line\n", text), text)
        check(re.search(rf" %  vector {bits}  arithmetic.f90:\d+  do i = 1, n; y\(i\) =", text), text)
        check(re.search(r" %  scalar      arithmetic.f90:\d+  do i = 2, n; x\(i\) =", text), text)
        check(re.search(r" %              arithmetic.f90:\d+  do i = 2, n; k\(i\) =", text), text)
        if SETTINGS["papi_emulate"] and shutil.which("qemu-" + os.uname().machine):
            exact = profile("--exact", "-e", "emu::INSTRUCTIONS", program, "2", environment=emulated())[0]
            check(arithmetic_of(exact) == words, flags, arithmetic_of(exact))
    unlined = compile_program("plain", "arithmetic.f90", "-O3")
    check("arithmetic" not in profile("-e", CLOCK, unlined, "20000")[1].stdout, "without lines")


def case_ranks():
    """The ranks of a job make one file, with the ranks that have least and most; as a launcher starts them, and by hand."""
    program = compile_program("shares", "shares.f90", "-O2", "-g", "-fno-inline")
    ranks = []
    for rank in (2, 0, 1):  # each rank has its own work, rank 1 most of it
        environment = {**os.environ, "PMI_RANK": str(rank), "PMI_SIZE": "3"}
        done = subprocess.run([SETTINGS["papi_profile"], "-e", CLOCK + "=200000", "-o", "job.json", program, ("20", "80", "40")[rank]],
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=600,
                              universal_newlines=True)
        if "cannot be sampled" in done.stderr:
            raise Skipped(done.stderr)
        check(done.returncode == 0, done)
        ranks.append(done)
        if rank != 1:
            check(not done.stderr and not done.stdout, "a rank that is not the last says nothing", done)
            with open(f"job.json.rank{rank}", encoding="utf-8") as one, open(f"kept{rank}.json", "w", encoding="utf-8") as kept:
                kept.write(one.read())
    check(sorted(name for name in os.listdir(".") if name.startswith("job")) == ["job.json"], os.listdir("."))
    found = show("job.json")
    heavy = next(r for r in found["routines"] if r["name"] == "kernels::heavy")
    check((heavy["ranks"]["least_rank"], heavy["ranks"]["most_rank"]) == (0, 1), heavy)
    with_rank = show("kept0.json", "kept2.json", "job.json")  # what is not in these two is rank 1's
    kept = sum(r["self"][0] for name in ("kept0.json", "kept2.json") for r in show(name)["routines"] if r["name"] == "kernels::heavy")
    check(heavy["ranks"]["most"] == heavy["self"][0] - kept, heavy, kept)
    check(with_rank["events"][0]["samples"] > found["events"][0]["samples"], with_rank["events"])
    check(abs(share(found, "kernels::heavy") - 0.7) < 0.1, ranks[-1].stderr)
    check(len(found["processes"]) == 3, found["processes"])
    check("self over 3 ranks" in ranks[-1].stderr, ranks[-1].stderr)
    by_hand = show("kept0.json", "kept2.json")
    heavy = next(r for r in by_hand["routines"] if r["name"] == "kernels::heavy")
    check(heavy["ranks"]["least"] + heavy["ranks"]["most"] == heavy["self"][0], heavy)
    check((heavy["ranks"]["least_rank"], heavy["ranks"]["most_rank"]) == (0, 1), heavy)
    launcher = shutil.which("mpirun.mpich")
    if launcher:
        done = call([launcher, "-n", "2", SETTINGS["papi_profile"], "-o", "two.json", program, "20"])
        check(done.returncode == 0 and "self over 2 ranks" in done.stderr, done)
        check(len(show("two.json")["processes"]) == 2, os.listdir("."))


def case_ends():
    """Statuses of what cannot be run or written."""
    done = call([SETTINGS["papi_profile"], "/no/such/program"])
    if "cannot be sampled" in done.stderr:
        raise Skipped(done.stderr)
    check(done.returncode == 127 and done.stderr == "papi_profile: /no/such/program: No such file or directory\n", done)
    check(not os.listdir("."), os.listdir("."))
    for name, mode, why in (("text", 0o644, "Permission denied"), ("script", 0o755, "the interpreter that its first line names")):
        with open(name, "w", encoding="utf-8") as file:
            file.write("#!/no/such/interpreter\n")
        os.chmod(name, mode)
        with open("old.json", "w", encoding="utf-8") as file:
            file.write("an earlier one")
        done = call([SETTINGS["papi_profile"], "-o", "old.json", "./" + name])
        check(done.returncode == 127 and done.stderr.startswith(f"papi_profile: ./{name}: {why}"), done)
        with open("old.json", encoding="utf-8") as file:
            check(file.read() == "an earlier one", "a profile that was there is lost")
        os.unlink("old.json")
        os.unlink(name)
    done = call([SETTINGS["papi_profile"], "-o", "/no/such/folder/x", "echo", "it ran"])
    check(done.returncode == 1 and "/no/such/folder/x" in done.stderr and not done.stdout, done)
    done = call([SETTINGS["papi_profile"], "-o", "/dev/full", "echo", "it ran"])
    check(done.returncode == 1 and "No space left" in done.stderr and done.stdout == "it ran\n", done)
    check("papi_profile: echo it ran" in done.stderr and "shows this again" not in done.stderr, "shown, though not written", done)
    done = call([SETTINGS["papi_profile"], "-o", "kept.json", "-x", "html=/no/such/folder/y", "-x", "folded=z", "echo", "it ran"])
    check(done.returncode == 1 and "/no/such/folder/y: No such file" in done.stderr, done)
    check("--show=kept.json shows this again" in done.stderr and os.path.exists("z"), "the rest is written and shown", done)
    done = call([SETTINGS["papi_profile"], "--show=kept.json", "-x", "html=/dev/full"])
    check(done.returncode == 1 and done.stderr == "papi_profile: /dev/full: No space left on device\n", done)
    os.symlink("/dev/null", "device")
    done = call([SETTINGS["papi_profile"], "-o", "device", "/no/such/program"])
    check(done.returncode == 127 and os.path.lexists("device"), "a device stays", done)
    done = call([SETTINGS["papi_profile"], "-o", "x", "sh", "-c", "exit 3", "--json", "-x"])
    check(done.returncode == 3 and not done.stdout, done)


def case_chain():
    """One chain of calls of 20,000 routines, in each of which there is something: what lists stacks does not grow by the square."""
    n, room = 20000, 8 << 20
    made = {"format": "papi_profile", "version": 1, "command": ["./x"], "host": "node", "started": 0, "seconds": 1, "ranks": 0, "lost": 0,
            "events": [{"name": "c", "period": 1, "clock": False, "exact": False, "samples": n}], "processes": [],
            "strings": ["/no/such"] + [f"f{i}" for i in range(n)], "lacking": [], "routines": [[1 + i, 0, -1, 0] for i in range(n)],
            "places": [[i, -1, 0] for i in range(n)], "tree": [[i - 1, i, 0, i + 1] for i in range(n)]}
    with open("chain.json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = call([SETTINGS["papi_profile"], "--show=chain.json", "-x", "folded=stacks", "-x", "pprof=pb", "-x", "speedscope=scope"])
    # Stacks of 1, 2, ... m frames, and n - m of m.
    most = max(m for m in range(16, n) if m * (m + 1) // 2 + (n - m) * m <= room)
    check(done.returncode == 0 and f"{n - most} stacks of more than {most} calls" in done.stderr, done.stderr, most)
    with open("stacks", encoding="utf-8") as file:
        stacks = [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in file]
    check([value for _, value in stacks] == list(range(1, n + 1)), "the values")
    for i in range(0, n, 7):
        frames, whole = stacks[i][0], [f"f{k}" for k in range(i + 1)] if i < most else None
        outer = most // 2
        cut = [f"f{k}" for k in range(outer)] + ["[calls left out]"] + [f"f{k}" for k in range(i + 2 - most + outer, i + 1)]
        check(frames == (whole or cut), i, frames)
    with open("scope", encoding="utf-8") as file:
        scope = json.load(file)
    names = [frame["name"] for frame in scope["shared"]["frames"]]
    check(len(names) == n + 1 and names[-1] == "[calls left out]", names[-1])
    check([[names[f] for f in sample] for sample in scope["profiles"][0]["samples"][::7]] == [frames for frames, _ in stacks[::7]], "speedscope")
    check(os.path.getsize("pb") < 4 * room, os.path.getsize("pb"))
    found = json.loads(call([SETTINGS["papi_profile"], "--show=chain.json", "--json"]).stdout)
    whole = n * (n + 1) // 2
    total = {routine["name"]: routine["total"][0] for routine in found["routines"]}
    check(total == {f"f{i}": whole - i * (i + 1) // 2 for i in range(n)}, "totals")


CASES = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}


def main():
    if len(sys.argv) < 3:
        print("\n".join(CASES))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        SETTINGS.update(json.load(file))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            CASES[sys.argv[1]]()
        except Skipped as reason:
            print(f"SKIP: {reason}")
            return 77
        except Failed as reason:
            print(f"FAILED: {reason}")
            return 1
        finally:
            os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
