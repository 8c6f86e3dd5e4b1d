#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""roofline_test.py [CASE SETTINGS.json]: papi_roofline on a program whose operations and bytes are known. Without
arguments, lists the cases. Status: 0, 1, 77 for skipped."""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).resolve().parent
ROOFS = HERE.parent / "utils" / "roofs.json"
ORDER, LINE = 192, 64
OWN = ("QEMU", "OMP")


class Skip(Exception):
    pass


def check(holds, what):
    if not holds:
        raise AssertionError(what)


class Scene:
    def __init__(self, settings, folder):
        self.settings, self.folder = settings, pathlib.Path(folder)

    def run(self, *arguments, before=(), status=0, **environment):
        path = os.path.dirname(self.settings["papi_emulate"] or "/") + ":" + os.environ["PATH"]
        settings = {"PATH": path, "XDG_CACHE_HOME": str(self.folder), "TMPDIR": str(self.folder), **environment}
        return running.run(*before, self.settings["papi_roofline"], *arguments, status=status, cwd=self.folder, timeout=1200,
                           env=running.clean(*OWN, **settings))

    def points(self, *arguments, **more):
        """By name; what the program left is gone."""
        self.run("-o", "kept.json", *arguments, **more)
        left = [name for name in os.listdir(self.folder) if name.startswith(("papi_roofline.", "papi_hl_output", "papi_emulate-"))]
        check(not left, f"files that stay: {left}")
        kept = json.loads((self.folder / "kept.json").read_text())
        return kept, {point["name"]: point for point in kept["points"]}

    def emulator(self):
        if not self.settings["papi_emulate"]:
            raise Skip("papi_emulate is not built here")
        return self.settings["papi_emulate"]


def near(found, wanted, what, part=0.01):
    check(abs(found - wanted) <= part * wanted, f"{what}: {found}, not {wanted}")


def lines_of(point, level):
    return next(entry for entry in point["bytes"] if entry["from"] == level)


def check_triad(point, n, times, threads):
    check(point["double"] == 2 * n * times * threads, f"operations {point['double']}")
    check(point["single"] == 0, f"operations in single precision: {point['single']}")
    check(point["entries"] == times * threads and point["threads"] == threads, f"{point['entries']} entries, {point['threads']} threads")


def case_emulated(scene):
    """Operations to the last one; bytes but for the lines of the library's own."""
    scene.emulator()
    n, times = 400000, 2
    kept, points = scene.points(f"--roofs={ROOFS}", "--emulate", scene.settings["program"], n, times)
    check(kept["counted_by"] == "the emulator", kept["counted_by"])
    check_triad(points["triad"], n, times, 1)
    l2 = lines_of(points["triad"], "L2")  # what the first cache lacked
    near(l2["read"], 16 * n * times, "bytes read of the triad")
    near(l2["written"], 8 * n * times, "bytes written by the triad")
    check(points["product"]["double"] == 2 * ORDER ** 3 * times, f"operations of the product: {points['product']['double']}")
    check(points["triad"]["seconds"] > 0, "there is no time")


def case_threads(scene):
    """Operations and entries are of all threads, the time is that of one."""
    scene.emulator()
    n, times, threads = 50000, 3, 3
    _, points = scene.points(f"--roofs={ROOFS}", "--emulate", scene.settings["program"], n, times, threads)
    check_triad(points["triad"], n, times, threads)


def case_no_regions(scene):
    """In the emulator the whole run is the point; papi_roofline itself is not run there."""
    scene.emulator()
    _, points = scene.points(f"--roofs={ROOFS}", "sh", "-c", "exit 5", status=5)
    check(list(points) == ["sh"] and points["sh"]["seconds"] > 0, f"points {points}")
    done = scene.run(f"--roofs={ROOFS}", "sh", "-c", "exit 5", status=1, before=(scene.emulator(), "--caches"))
    check(f"run \"papi_roofline --emulate --roofs={ROOFS} sh -c 'exit 5'\"" in done.stderr, done.stderr)


def case_not_run(scene):
    scene.run(f"--roofs={ROOFS}", "/no/such/program", status=127)
    done = scene.run(f"--roofs={ROOFS}", "--svg=/no/such/folder/x.svg", status=1)
    check("papi_roofline: /no/such/folder/x.svg: No such file or directory" in done.stderr, done.stderr)
    scene.run("--show=x", "true", status=2)


def made_profile(**more):
    """Two threads; a routine in two places of the tree, one that is short, and one of another file."""
    events = ["perf::CPU-CLOCK", "PAPI_DP_OPS", "PAPI_FP_OPS", "PAPI_L3_TCM"]
    return {"format": "papi_profile", "version": 1, "command": ["./a.out", "x"], "host": "made", "started": 1, "seconds": 2.0, "lost": 0,
            "events": [{"name": name, "period": 0, "clock": i == 0, "exact": False, "samples": 9} for i, name in enumerate(events)],
            "processes": [{"pid": 1, "command": "a.out", "threads": 2}], "strings": ["solve", "short", "rest", "a.out"], "lacking": [],
            "routines": [[0, 3, -1, 0], [1, 3, -1, 0], [2, 3, -1, 0]], "places": [[0, -1, 0], [1, -1, 0], [2, -1, 0]],
            "tree": [[-1, 2, 0, 10 ** 9, 0, 0, 0], [0, 0, 0, 2 * 10 ** 9, 10 ** 9, 9, 10 ** 7], [1, 0, 1, 10 ** 9, 10 ** 9, 9, 10 ** 7],
                     [0, 1, 0, 10 ** 7, 10 ** 9, 0, 0], [-1, 7, 0, 5, 5, 5, 5]], **more}


def case_profile(scene):
    """Sums of routines, by hand: time is of each thread, operations and lines of all."""
    file = scene.folder / "profile.json"
    file.write_text(json.dumps(made_profile()))
    shown = json.loads(scene.run("--json", f"--roofs={ROOFS}", f"--profile={file}").stdout)
    check((shown["command"], shown["counted_by"]) == ("./a.out x", "papi_profile"), shown["command"])
    check([point["name"] for point in shown["points"]] == ["solve", "rest"], shown["points"])
    solve, rest = shown["points"]
    check((solve["seconds"], solve["double"], solve["threads"], rest["seconds"]) == (1.5, 2e9, 2, 0.5), shown["points"])
    check(solve["bytes"] == [{"from": "memory", "read": 2e7 * LINE}], solve["bytes"])
    cycles = made_profile()
    cycles["events"][0].update(name="PAPI_TOT_CYC", clock=False)
    file.write_text(json.dumps(cycles))
    solve = json.loads(scene.run("--json", f"--roofs={ROOFS}", f"--profile={file}").stdout)["points"][0]
    near(solve["seconds"], 3e9 / 2.5e9 / 2, "seconds by cycles", 1e-9)
    for wrong, words in (({"format": "x"}, "is not a profile"), ({"events": cycles["events"][1:]}, "has no time")):
        file.write_text(json.dumps(made_profile(**wrong)))
        done = scene.run(f"--roofs={ROOFS}", f"--profile={file}", status=1)
        check(words in done.stderr, done.stderr)


def case_routines(scene):
    """A sampled profile has the time, and an exact one what was done."""
    scene.emulator()
    n, times, profile = 400000, 1, scene.settings["papi_profile"]
    if not profile:
        raise Skip("papi_profile is not built here")
    counts = [word for level in ("L1D", "L2", "L3") for kind in ("READ", "WRITE") for word in ("-e", f"emu::{level}_{kind}_MISSES")]
    environment = {**os.environ, "PATH": os.path.dirname(scene.settings["papi_emulate"]) + ":" + os.environ["PATH"]}
    for name, options, runs in (("time", ["-e", "perf::CPU-CLOCK=100000"], 20), ("counts", ["-e", "emu::DP_OPS", "-e", "emu::SP_OPS", *counts], times)):
        done = subprocess.run([profile, *options, "-o", name + ".json", scene.settings["program"], str(n), str(runs)], cwd=scene.folder,
                              env={**environment, "PAPI_OUTPUT_DIRECTORY": str(scene.folder)}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=1200, check=False)
        if done.returncode and "cannot be sampled" in done.stderr:
            raise Skip(done.stderr)
        check(done.returncode == 0, done.stderr)
    shown = json.loads(scene.run("--json", f"--roofs={ROOFS}", "--profile=time.json", "--profile=counts.json").stdout)
    points = {point["name"]: point for point in shown["points"]}
    triad, product = points["triad"], points["product"]
    check(triad["double"] == 2 * n * times and product["double"] == 2 * ORDER ** 3 * times, points)
    check(triad["seconds"] > 0 and product["seconds"] > 0, points)
    near(lines_of(triad, "L2")["read"], 16 * n * times, "bytes read of the triad")
    near(lines_of(triad, "L2")["written"], 8 * n * times, "bytes written by the triad")


def case_job(scene):
    """A job on two nodes: what one of them did in the mean. Without regions the whole job."""
    names = ["PAPI_DP_OPS", "PAPI_FP_OPS", "PAPI_L3_TCM", "PAPI_TOT_INS"]
    sums = [8 * 10 ** 9, 7, 10 ** 8, 5]
    result = {"format": "papi_mpi result", "version": 1, "job": {"command": "./a.out <b>", "nodes": 2, "ranks": 8, "emulated": False},
              "counters": [{"name": name, "unit": ""} for name in names],
              "regions": [{"name": "solve", "ranks": 8, "visits": 16, "ns": 12 * 10 ** 9, "most_ns": 2 * 10 ** 9, "counters": sums}],
              "metrics": [{"key": "elapsed", "mean": 4e9, "sum": "32000000000"}] +
                         [{"key": f"counter.{i}", "mean": 0, "sum": str(2 * value)} for i, value in enumerate(sums)]}
    file = scene.folder / "job.json"
    file.write_text(json.dumps(result))
    shown = json.loads(scene.run("--json", f"--roofs={ROOFS}", f"--job={file}").stdout)
    check((shown["command"], shown["counted_by"]) == ("./a.out <b>", "the job, on each of 2 nodes"), shown["counted_by"])
    solve, = shown["points"]
    check((solve["name"], solve["threads"], solve["entries"], solve["seconds"], solve["double"]) == ("solve", 4, 16, 2.0, 4e9), solve)
    check(solve["bytes"] == [{"from": "memory", "read": 5e7 * LINE}], solve["bytes"])
    file.write_text(json.dumps({**result, "regions": []}))
    whole, = json.loads(scene.run("--json", f"--roofs={ROOFS}", f"--job={file}").stdout)["points"]
    check((whole["name"], whole["threads"], whole["seconds"], whole["double"]) == ("whole job", 4, 4.0, 8e9), whole)
    for wrong, words in (({"format": "x"}, "is not the result of an MPI job"), ({"counters": []}, "counted no operations"),
                         ({"job": {}}, "does not say how many nodes")):
        file.write_text(json.dumps({**result, **wrong}))
        check(words in scene.run(f"--roofs={ROOFS}", f"--job={file}", status=1).stderr, words)


def device_profile(**more):
    """A kernel on a device of two models each."""
    return {"format": "papi_profile", "version": 1, "command": ["./a.out"], "events": [{"name": "device time", "clock": True}],
            "strings": ["axpy", "[device 0: Made, 0000:3b:00.0]", "[device 1: Other]", "main", "a.c"],
            "routines": [[3, 4, 4, 1], [0, 1, -1, 0], [0, 2, -1, 0]], "places": [[0, 4, 7], [1, -1, 0], [2, -1, 0]],
            "tree": [[-1, 0, 0, 0], [0, 1, 0, 2000], [0, 2, 0, 8000]], "device_work": [[1, 0, 2, 1, 2, 0], [2, 0, 1, 1, 2, 0]],
            "devices": {"processes": 1, "unended": 0, "dropped": 3, "unfinished": 1, "reason": None}, **more}


def device_roofs(**more):
    return {"device": "Made", "source": "given", "peaks": [{"name": "FMA", "precision": "double", "all_cores": 4e12}],
            "levels": [{"name": "memory", "all_cores": 1e12}], **more}


def case_kernels(scene):
    """Kernels of another model, and what is missing, are said; nothing that is malformed passes."""
    profile, roofs, counts = (scene.folder / name for name in ("run.json", "device.json", "counts.csv"))
    good = "kernel,flops,bytes\naxpy,2e6,1e6\n"

    def run(*options, status=0, table=good, made=None, of=None):
        counts.write_text(table)
        profile.write_text(json.dumps(made or device_profile()))
        roofs.write_text(json.dumps({"roofs": of or device_roofs()}))
        return scene.run(f"--device-roofs={roofs}", f"--profile={profile}", f"--kernel-counts={counts}", *options, status=status)

    shown = json.loads(run("--json").stdout)
    other, own = shown["points"]
    check((other["device"], other["seconds"], other["double"], other["share"]) == ("[device 1: Other]", 8e-6, None, None), other)
    check((own["entries"], own["double"], own["operations_per_byte"], own["limit"]) == (2, 4e6, 2.0, "memory"), own)
    near(own["operations_per_second"], 2e12, "operations a second", 1e-9)
    near(own["share"], 1.0, "share", 1e-9)  # on the roof, and not above it
    check(own["above_roof"] is False, own)
    check(shown["notes"] == ["Kernels on other devices than Made, whose roofs these are not: 1.",
                             "Kernels and copies that are missing in the profile: 4."], shown["notes"])
    named = json.loads(run("--json", of=device_roofs(device="[device 1: Other]")).stdout)["points"]
    check([point["double"] for point in named] == [2e6, None], named)
    for source, words in (("computed", "The roofs of Made are computed from its properties, not measured."), ("measured", None)):
        text = " ".join(run(of=device_roofs(source=source)).stdout.split())
        check(words in text if words else "The roofs of" not in text, text)
    half = run(of=device_roofs(), table="kernel,half,bytes\naxpy,2,1\n").stdout
    check("There is no peak of half precision: shares are those of the other roofs alone." in " ".join(half.split()), half)
    add = "smsp__sass_thread_inst_executed_op_{}_pred_on:stat=sum"
    for table, words in (
            ("", "is empty: its first line names the columns"), ("kernel,flops,bytes\n", "has no kernel below its first line"),
            ("kernel,flops\na,1\n", "line 1: it has to name the columns, as in \"kernel,double,bytes\": bytes is missing"),
            ("kernel,flops,bytes,colour\n", "line 1: there is no column \"colour\""),
            ("kernel,flops,double,bytes\n", "line 1: \"double\" is there already, as \"flops\""),
            (f"kernel,{add.format('dadd')},bytes\n", "_pred_on, dmul and dfma: 1 of the three are here"),
            (f"kernel,{add.format('hfma')},bytes\n", "on one number of half precision or on two"),
            (good + "axpy,1,1\n", "line 3: the kernel axpy is there already"), (good + "\nb,x,1\n", "line 4: \"flops\" is \"x\""),
            (good + "b,-1,1\n", "line 3: \"flops\" is \"-1\", and not a number from 0"), (good + "b,nan,1\n", "\"flops\" is \"nan\""),
            (good + "b,0x10,1\n", "\"flops\" is \"0x10\""), (good + "b,,1\n", "\"flops\" is \"\""), (good + "b,1e999,1\n", "\"flops\" is"),
            (good + "f(int, int),1,1\n", "line 3: there are 4 fields for 3 columns"), (good + '"b,1,1\n', "line 3: a quotation mark has no second"),
            (good + '"b"c,1,1\n', "line 3: \"c,1,1\" follows a quotation mark"), (good + ",1,1\n", "line 3: the kernel has no name"),
            ("kernel,launches,flops,bytes\na,0,1,1\n", "line 2: \"launches\" is 0"), (good + "b\0,1,1\n", "line 3: this is no text")):
        done = run(status=1, table=table)
        check(words in " ".join(done.stderr.split()) and not done.stdout, f"{table!r}: {done.stderr}")
    for of, words in ((device_roofs(device="Third"), "the first one ran on [device 0: Made, 0000:3b:00.0]"),
                      (device_roofs(source="guessed"), "\"source\" is \"guessed\", and not measured, given or computed"),
                      (device_roofs(device=""), "\"device\" is empty"), (device_roofs(levels=[{"name": "memory"}]), "has no \"all_cores\""),
                      (device_roofs(peaks=[{"name": "x", "precision": "double", "all_cores": 0}]), "\"all_cores\" is 0"),
                      (device_roofs(peaks=[{"name": "x", "precision": "triple", "all_cores": 1}]), "and not double, single or half"),
                      (json.loads(ROOFS.read_text())["roofs"], f"run \"papi_roofline --roofs={roofs}\"")):
        done = run(status=1, of=of)
        check(words in " ".join(done.stderr.split()), f"{words}: {done.stderr}")
    row = [1, 0, 2, 1, 2, 0]
    for wrong, words in (({"format": "x"}, "is not a profile"), ({"device_work": []}, "no kernel ran on a device"),
                         ({"events": [{"name": "perf::CPU-CLOCK"}]}, "run \"papi_profile --devices -o run.json ./a.out\""),
                         *(({"device_work": [row, bad]}, "row 2 of \"device_work\" is not what it should be")
                           for bad in ([9, *row[1:]], [-1, *row[1:]], [1, "x"], [1, 0, 0], 5)),
                         ({"places": [[0, 9, 7], [1, -1, 0], [2, -1, 0]]}, "row 1 of \"device_work\"")):
        done = run(status=1, made=device_profile(**wrong))
        check(words in " ".join(done.stderr.split()), f"{words}: {done.stderr}")
    profile.write_text("{\n\n x")
    done = scene.run(f"--device-roofs={roofs}", f"--profile={profile}", status=1)
    check("is not JSON: line 3" in done.stderr, done.stderr)
    run()
    done = scene.run(f"--device-roofs={roofs}", f"--profile={profile}")
    check("Nothing says what the kernels did: --kernel-counts=FILE" in " ".join(done.stdout.split()), done.stdout)
    check("Made: roofs given" in scene.run(f"--device-roofs={roofs}").stdout, "the roofs are not shown")
    done = scene.run(f"--roofs={roofs}", status=1)
    check(f"run \"papi_roofline --device-roofs={roofs}\"" in " ".join(done.stderr.split()), done.stderr)
    for options, words in (([f"--kernel-counts={counts}"], "takes --device-roofs=FILE and --profile=FILE"),
                           ([f"--device-roofs={roofs}", "--show=x"], "goes with --profile=FILE"),
                           ([f"--device-roofs={roofs}", "./a.out"], "run \"papi_profile --devices -o run.json ./a.out\"")):
        done = scene.run(*options, status=2)
        check(words in " ".join(done.stderr.split()), done.stderr)


def case_properties(scene):
    """Roofs by the properties of a device: units, clocks and width; of a chip that is not known, memory's alone."""
    def run(double, *options, status=0, **more):
        return scene.run(*options, status=status, LD_LIBRARY_PATH=scene.settings["driver"], DOUBLE_CUDA=double, **more)

    found = json.loads(run("2 9 0", "--device-roofs=computed:1", "--json").stdout)["roofs"]
    check((found["device"], found["source"]) == ("Made 1", "computed"), found)
    # 1.5 GHz, 101 multiprocessors; a fused multiply-add is two operations
    peaks = {peak["precision"]: peak["all_cores"] for peak in found["peaks"]}
    check(peaks == {"double": 2 * 64 * 101 * 1.5e9, "single": 2 * 128 * 101 * 1.5e9, "half": 2 * 256 * 101 * 1.5e9}, peaks)
    memory, = found["levels"]
    check(memory["name"] == "memory" and memory["triad"]["all_cores"] == memory["read"]["all_cores"] == 2 * 2e9 * 5120 / 8, memory)
    text = run("2 9 0", "--device-roofs=computed", "-o", "device.json").stdout
    check("Made 0: roofs computed from its properties, not measured" in text, text)
    again = json.loads(scene.run("--device-roofs=device.json", "--json").stdout)["roofs"]
    check((again["device"], again["source"]) == ("Made 0", "computed"), again)
    check({peak["precision"]: peak["all_cores"] for peak in again["peaks"]}["double"] == 2 * 64 * 100 * 1.5e9, again)
    done = run("1 99 0", "--device-roofs=computed", "-o", "device.json", "--svg=device.svg")
    check("Of this device no peak of operations is known" in " ".join(done.stdout.split()), done.stdout)
    check("memory 2.56e+03 GB/s" in (scene.folder / "device.svg").read_text(), "memory's roof is not drawn")
    again = json.loads(scene.run("--device-roofs=device.json", "--json").stdout)["roofs"]
    check(again["peaks"] == [] and len(again["levels"]) == 1, again)
    keeps = 'where the device is, "papi_roofline --device-roofs=computed -o device.json" keeps them'
    for double, option, words in (("1 9 0", "computed:1", "there is no device 1: NVIDIA's driver has 1, from 0"),
                                  ("broken", "computed", "does not start, with error 100"), ("1 9 0", "computed:x", "computed:x: No such file")):
        words = [words] + ([keeps] if "x" not in option else [])
        done = run(double, f"--device-roofs={option}", status=1)
        check(all(word in " ".join(done.stderr.split()) for word in words), done.stderr)


def case_mpi(scene):
    """The result of a real job, counted in the emulator: operations and bytes of all ranks."""
    scene.emulator()
    if not scene.settings["job"]:
        raise Skip("there is no MPICH")
    n, times, ranks = 100000, 2, 2
    events = scene.run("--events", "--emulate").stdout.strip()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OWN)}
    done = subprocess.run([scene.settings["papi_mpirun"], "-n", str(ranks), scene.settings["papi_emulate"],
                           "--caches=L1d:32K:8:64,L1i:32K:8:64,L2:256K:8:64,L3:1M:16:64", scene.settings["job"], str(n), str(times)],
                          env={**kept, "PAPI_MPIRUN": scene.settings["mpirun"], "PAPI_EVENTS": events, "PAPI_MPI_OUTPUT": "result.json"},
                          cwd=scene.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1200, check=False)
    check(done.returncode == 0, done.stderr)
    shown = json.loads(scene.run("--json", f"--roofs={ROOFS}", "--job=result.json").stdout)
    check(shown["counted_by"] == "papi_emulate, whose times these are as well", shown["counted_by"])
    triad, = shown["points"]
    check((triad["double"], triad["threads"], triad["entries"]) == (2 * n * times * ranks, ranks, times * ranks), triad)
    for level in ("L2", "L3", "memory"):
        near(lines_of(triad, level)["read"], 16 * n * times * ranks, f"bytes read from {level}")
        near(lines_of(triad, level)["written"], 8 * n * times * ranks, f"bytes written, of {level}")


def case_mpirun(scene):
    """papi_mpirun makes the pages of a job, and fails early where it cannot."""
    scene.emulator()
    if not scene.settings["job"] or not scene.settings["papi_profile"]:
        raise Skip("there is no MPICH, or no papi_profile")
    tools = [os.path.dirname(scene.settings[name]) for name in ("papi_roofline", "papi_profile", "papi_emulate", "papi_mpi_report")]
    kept = {k: v for k, v in os.environ.items() if not k.startswith(OWN)}
    cache = scene.folder / "cache"
    environment = {**kept, "PAPI_MPIRUN": scene.settings["mpirun"], "XDG_CACHE_HOME": str(cache), "PATH": ":".join([*tools, os.environ["PATH"]])}

    def run(*words, **more):
        return subprocess.run([scene.settings["papi_mpirun"], *words], env={**environment, **more}, cwd=scene.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=1200, check=False)
    roofs = json.loads(ROOFS.read_text())  # as if this machine's had been measured
    scene.run("--json", "--rounds=1", XDG_CACHE_HOME=str(cache))
    file, = (cache / "papi").iterdir()
    roofs["roofs"]["processor"] = json.loads(file.read_text())["roofs"]["processor"]
    file.write_text(json.dumps(roofs))
    events = scene.run("--events", "--emulate").stdout.strip()
    done = run("--roofline=near <b>.html", "-n", "2", scene.settings["papi_emulate"], "--caches", scene.settings["job"], "100000", "2", PAPI_EVENTS=events)
    check(done.returncode == 0 and " triad\n" in done.stderr, done.stderr)
    check("<td class=\"name\">triad</td>" in (scene.folder / "near <b>.html").read_text(), "the page has no triad")
    check(json.loads((scene.folder / "near <b>.html.json").read_text())["job"]["ranks"] == 2, "it is not the job's result")
    done = run("--profile=time.html", "-n", "2", scene.settings["job"], "2000000", "20", PAPI_EVENTS="perf::PAGE-FAULTS")
    if "cannot be sampled" in done.stderr:
        raise Skip(done.stderr)
    check(done.returncode == 0, done.stderr)
    check("\"papi_profile\"" in (scene.folder / "time.html").read_text() and (scene.folder / "time.html.json").exists(), "no profile")
    done = run("--page=job.html", "--profile=again.html", "--roofline=again_near.html", "-n", "2", scene.settings["papi_emulate"], "--caches",
               scene.settings["job"], "100000", "2", PAPI_EVENTS=events)
    check(done.returncode == 0, done.stderr)
    page = (scene.folder / "job.html").read_text()
    for part, words in (("result", '"papi_mpi result"'), ("roofline-data", '"name":"triad"'), ("profile-data", '"format":"papi_profile"')):
        found = page.partition(f'<script type="application/json" id="{part}">')[2].partition("</script>")[0]
        check(words in found and json.loads(found), f"the job's page has no {part}")
    check(json.loads((scene.folder / "job.html.json").read_text())["job"]["ranks"] == 2, "it is not the job's result")
    done = run("--roofline=none.html", "-n", "2", "true")
    refused = scene.run("--events", status=None)
    if refused.returncode != 0:
        said = ('run "PAPI_EVENTS=$(papi_roofline --events --emulate) papi_mpirun --roofline=none.html -n 2 '
                'papi_emulate --caches true"\n')
        check(done.returncode == 127 and done.stderr.endswith(said), done)
    for words, said in ((["--page="], "--page=PAGE.html"), (["--roofline"], "--roofline=PAGE.html"), (["--profile="], "--profile=PAGE.html")):
        done = run(*words, "-n", "2", "true")
        check(done.returncode == 127 and said in done.stderr, done)


def own_limit(roofs, point):
    """By the definition: the roof at which it would take longest."""
    team = "one_core" if point["threads"] <= 1 else "all_cores"  # the cases have one thread, or more than there are cores

    def peak(precision):
        return max(p[team] for p in roofs["peaks"] if p["precision"] == precision)

    seconds = {("peak", False): point["single"] / peak("single") + point["double"] / peak("double")}
    for entry in point["bytes"]:
        level = next(level for level in roofs["levels"] if level["name"] == entry["from"])
        total = entry["read"] + entry.get("written", 0)
        reads = "written" in entry and entry["written"] < total / 6
        loops = ["read"] if reads else ["copy", "scale", "add", "triad"]
        seconds[entry["from"], reads] = total / max(level[loop][team] for loop in loops)
    return max(seconds.items(), key=lambda item: item[1])


def made(name, threads, seconds, double, single=0.0, **levels):
    return {"name": name, "threads": threads, "entries": 1, "seconds": seconds, "single": single, "double": double,
            "bytes": [{"from": level, "read": both[0], **({"written": both[1]} if len(both) > 1 else {})} for level, both in levels.items()]}


def case_limits(scene):
    """The lowest roof of points of every kind, and how near they are, against a computation of its own."""
    giga = 1e9
    cases = [made("memory", 1, 2.0, giga, memory=(16 * giga, 8 * giga)), made("reads", 1, 3.0, giga, memory=(30 * giga, giga)),
             made("unknown writes", 1, 3.0, giga, memory=(30 * giga,)), made("second cache", 1, 1.0, giga, L2=(60 * giga, giga), memory=(giga, 0.0)),
             made("third cache", 8, 1.0, giga, L3=(60 * giga, 30 * giga), memory=(giga, 0.0)), made("peak", 1, 1.0, 20 * giga, memory=(giga, 0.0)),
             made("both precisions", 8, 1.0, 20 * giga, 200 * giga, memory=(giga, giga)), made("single", 1, 1.0, 0.0, 9 * giga),
             made("only bytes", 1, 1.0, 0.0, memory=(giga, giga)), made("nothing", 1, 1.0, 0.0)]
    roofs = json.loads(ROOFS.read_text())["roofs"]
    file = scene.folder / "made.json"
    file.write_text(json.dumps({"roofs": roofs, "command": "made", "counted_by": "hand", "points": cases}))
    shown = json.loads(scene.run("--json", f"--show={file}").stdout)["points"]
    check([p["seconds"] for p in shown] == sorted((p["seconds"] for p in cases), reverse=True), "the longest are not first")
    for point in shown:
        (name, reads), longest = own_limit(roofs, point)
        name = name if longest > 0 else None
        check((point["limit"], point["limit_of_reads"]) == (name, reads), f"{point['name']}: limited by {point['limit']}, not {name}")
        near(point["share"], longest / point["seconds"], point["name"], 1e-9)
        near(point["operations_per_second"], (point["single"] + point["double"]) / point["seconds"], point["name"], 1e-9)
    text = scene.run(f"--show={file}").stdout
    for words in (r"     0.5      12     0.0417  memory           0.667   75.0 %        1  memory", "L2 reads", " -  peak ", "only bytes"):
        check(" ".join(words.split()) in " ".join(text.split()), f"{words} is not in\n{text}")


def made_roofs(**changes):
    """Roofs of the file, of which some levels are so many times as fast as memory, and named values differ."""
    roofs = json.loads(ROOFS.read_text())["roofs"]
    levels = {level["name"]: level for level in roofs["levels"]}
    for name, factor in changes.pop("like_memory", {}).items():
        for loop in ("read", "copy", "scale", "add", "triad"):
            levels[name][loop] = {team: factor * rate for team, rate in levels["memory"][loop].items()}
    return {**roofs, **changes}, levels


def show(scene, points, roofs, *options, **more):
    """The JSON, and the lines of the text with single blanks."""
    file = scene.folder / "made.json"
    file.write_text(json.dumps({"roofs": roofs, "command": "made", "counted_by": "hand", "points": points, **more}))
    shown = json.loads(scene.run("--json", f"--show={file}", *options).stdout)
    return shown, " ".join(scene.run(f"--show={file}").stdout.split())


def case_levels(scene):
    """Bytes and operations for each of them are those of the level whose roof is the lowest, of memory beside the peak."""
    giga = 1e9
    third = made("third", 1, 1.0, 4 * giga, L2=(20 * giga, 10 * giga), L3=(16 * giga, 8 * giga), memory=(giga / 50, 0.0))
    peak = made("peak", 1, 1.0, 20 * giga, L2=(giga, giga), memory=(giga / 4, giga / 4))
    none = made("none", 1, 1.0, 20 * giga, L2=(giga, giga))
    shown, text = show(scene, [third, peak, none], made_roofs()[0])
    found = {p["name"]: (p["limit"], p["level"], p["bytes_per_second"], p["operations_per_byte"], p["share"]) for p in shown["points"]}
    check(found == {"third": ("L3", "L3", 24 * giga, 4 / 24, 24 / 40), "peak": ("peak", "memory", giga / 2, 40.0, 0.5),
                    "none": ("peak", "memory", None, None, 0.5)}, found)
    for words in (" 4 24 0.167 L3 6.67 60.0 % 1 third ", " 20 0.5 40 peak 40 50.0 % 1 peak ", " 20 - - peak 40 50.0 % 1 none ",
                  " GB/s and ops/byte are of the level of the lowest roof, of memory where that is the peak."):
        check(words in text + " ", f"{words} is not in\n{text}")
    page = scene.folder / "page.html"
    show(scene, [third], made_roofs()[0], f"--html={page}")
    check("<td>4</td><td>24</td><td>0.167</td><td>L3</td><td>6.67</td><td>60.0 %</td>" in page.read_text(), page.read_text())


def case_doubtful(scene):
    """A cache that measures like memory is no roof, and what comes from it counts as memory; a faster one is a roof."""
    giga, note = 1e9, "L3 measures like memory"
    point = made("triad", 1, 2.0, 2 * giga, L2=(16 * giga, 8 * giga), L3=(16 * giga, 8 * giga), memory=(1e6, 0.0))
    for factor, doubtful in ((1.2, True), (0.9, True), (1.3, False)):
        roofs, levels = made_roofs(like_memory={"L3": factor})
        levels["L3"]["size"] = 508 << 20
        shown, text = show(scene, [point], roofs, f"--svg={scene.folder}/made.svg")
        drawing, found = (scene.folder / "made.svg").read_text(), shown["points"][0]
        check([level["doubtful"] for level in shown["roofs"]["levels"]] == [False, False, doubtful, False], shown["roofs"]["levels"])
        rate = 16 * giga * (1 if doubtful else factor)
        check((found["limit"], found["bytes_per_second"]) == ("memory" if doubtful else "L3", 12 * giga), found)
        near(found["share"], 12 * giga / rate, "share", 1e-9)
        near(found["operations_per_byte"], 1 / 12, "operations for each byte", 1e-9)
        check((note in text) == (note in drawing) == doubtful, text + drawing)
        check(("L3 " in drawing.replace(note, "")) != doubtful, drawing)
        table = " ".join(scene.run(f"--roofs={scene.folder}/made.json").stdout.split())
        check((" doubtful memory" in table) == doubtful and "508 MiB" in table, table)
    # One core alone is as slow as from memory, all together are not: a cache that they share.
    roofs, levels = made_roofs(like_memory={"L3": 1.1})
    for loop in ("read", "copy", "scale", "add", "triad"):
        levels["L3"][loop]["all_cores"] *= 2
    check(not any(level["doubtful"] for level in show(scene, [point], roofs)[0]["roofs"]["levels"]), "a cache that cores share")
    # Both caches, and a second one alone before a third that is one.
    for changes, wanted in (({"L2": 1.0, "L3": 1.0}, [False, True, True, False]), ({"L2": 1.0}, [False] * 4)):
        shown, text = show(scene, [point], made_roofs(like_memory=changes)[0])
        check([level["doubtful"] for level in shown["roofs"]["levels"]] == wanted, wanted)
        check(("L2, L3 measure like memory" in text) == wanted[1], text)


def case_spread(scene):
    """The spread of the roof that is the lowest stands beside the share, and so does what was busy."""
    giga = 1e9
    roofs, levels = made_roofs(busy=True)
    for loop in ("add", "triad"):
        levels["memory"][loop].update(one_core_spread=0.02, all_cores_spread=0.5)
    levels["memory"]["read"].update(one_core_spread=0.04)
    roofs["peaks"][2].update(one_core_spread=0.1)
    points = [made("triad", 1, 4.0, 2 * giga, memory=(32 * giga, 16 * giga)), made("sum", 1, 3.0, giga, memory=(30 * giga, giga)),
              made("peak", 1, 2.0, 20 * giga), made("all", 4, 1.0, giga, memory=(16 * giga, 8 * giga)), made("L2", 1, 0.5, giga, L2=(20 * giga, 10 * giga))]
    shown, text = show(scene, points, roofs, f"--html={scene.folder}/page.html", busy=True)
    found = {p["name"]: p["share_spread"] and round(p["share_spread"], 9) for p in shown["points"]}
    check(found == {"triad": 0.015, "sum": round(31 / 60 * 0.04, 9), "peak": 0.025, "all": 0.375, "L2": None}, found)
    page = " ".join((scene.folder / "page.html").read_text().split())
    for row in ("75.0 % +-1.5", "51.7 % +-2.1", "25.0 % +-2.5", "75.0 % +-37.5", "75.0 %"):
        check(f" {row} " in text and f"<td>{row.replace('+-', '±')}</td>" in page, f"{row} is not in\n{text}{page}")
    for words in ("busy while the roofs were measured", "Threads waited for processors while the program ran"):
        check(words in text and words in page, f"{words} is not in\n{text}")
    calm, text = show(scene, points[-1:], made_roofs()[0])
    check(calm["busy"] is False and "busy" not in text and "+-" not in text and "waited" not in text, text)


def case_waiting(scene):
    """Three threads on one processor wait for each other: that is said."""
    scene.emulator()
    if not os.access("/proc/pressure/cpu", os.R_OK):
        raise Skip("the kernel does not say how long threads wait")
    cpu = min(os.sched_getaffinity(0))
    kept, _ = scene.points(f"--roofs={ROOFS}", "--emulate", "taskset", "-c", cpu, scene.settings["program"], 400000, 4, 3)
    check(kept["busy"] is True, "threads that waited for processors are not told of")


def labels_of(drawing):
    """Of each label along a slope: how far along and beside the direction of its line it begins, and its text."""
    found = re.findall(r'translate\(([\d.-]+) ([\d.-]+)\) rotate\(([\d.-]+)\)"><text[^>]*>([^<]*)<', drawing)
    for x, y, turned, words in found:
        x, y, angle = float(x), float(y), math.radians(-float(turned))
        yield x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle), words


def case_labels(scene):
    """Labels of lines that are near to one another do not overprint."""
    giga, names = 1e9, ("L2", "L3", "memory")
    points = [made(name + kind, 1, 2.0, giga, **{name: (90 * giga, written)}) for name in names for kind, written in (("", 45 * giga), (" reads", 0.0))]
    roofs, levels = made_roofs(like_memory={"L2": 3, "L3": 1.26})
    for level in levels.values():
        level["read"] = {team: 1.05 * rate for team, rate in level["triad"].items()}
    slow = made("slow", 1, 2e4, 2 * giga, memory=(90 * giga, 45 * giga))  # with it, more decades are on the paper
    for shown in (points, [*points, slow]):
        show(scene, shown, roofs, f"--svg={scene.folder}/made.svg")
        labels = list(labels_of((scene.folder / "made.svg").read_text()))
        check(len(labels) == 7 or slow in shown, f"labels {labels}")
        check({words.split()[0] for _, _, words in labels} >= {"L1d", "L2", "L3"}, labels)
        for i, (along, beside, words) in enumerate(labels):
            for other, there, others in labels[:i]:
                apart = other + 6 * len(others) <= along or along + 6 * len(words) <= other or abs(there - beside) >= 13
                check(apart, f"\"{words}\" and \"{others}\": {labels}")


def case_kept(scene):
    """What was kept shows the same; roofs are measured once, and again where their file is not fit."""
    scene.emulator()
    kept, _ = scene.points("--rounds=1", "--emulate", scene.settings["program"], 1000, 1)
    again = json.loads(scene.run("--json", "--show=kept.json").stdout)
    check({k: kept[k] for k in again} == again, "what --show has is not what was kept")
    file, = (scene.folder / "papi").iterdir()
    check(json.loads(file.read_text())["roofs"] == kept["roofs"], f"{file} has other roofs")
    check(json.loads(scene.run("--json").stdout)["roofs"] == kept["roofs"], "the roofs that are kept are not shown")
    file.write_text("{")
    scene.run("--json", "--rounds=1")
    found = json.loads(file.read_text())["roofs"]
    check(found["measured"] > 0 and found["cores"] == kept["roofs"]["cores"], "a broken file stays")
    found["processor"] = "another"
    file.write_text(json.dumps({"roofs": found}))
    check(json.loads(scene.run("--json", "--rounds=1").stdout)["roofs"]["processor"] == kept["roofs"]["processor"], "another machine's roofs")


def case_near(scene):
    """A triad lies on the roof of memory, and a blocked product on or under the peak, with the machine's own roofs: both are
    measured again and again, for on a busy machine either may be slow."""
    scene.emulator()
    seen, levels = [], json.loads(scene.run("--json", "--rounds=1").stdout)["roofs"]["levels"]
    n = 4 * max(level["size"] for level in levels) // 8  # each array is four times as large as the caches
    end = time.monotonic() + 60
    while time.monotonic() < end:
        _, points = scene.points("--measure", "--rounds=3", "--emulate", scene.settings["program"], n, 2)
        triad, product = points["triad"], points["product"]
        check(triad["limit"] == "memory", f"the triad is limited by {triad['limit']}")
        seen.append((round(triad["share"], 3), round(product["share"], 3)))
        if 0.85 <= triad["share"] <= 1.15 and product["share"] <= 1.05:
            print("shares of triad and product:", *seen)
            return
    if os.getloadavg()[0] > 0.5 * len(os.sched_getaffinity(0)) + 1:
        raise Skip(f"the machine is busy: {seen}")
    raise AssertionError(f"shares of triad and product: {seen}")


def main(names):
    cases = {name[len("case_"):]: function for name, function in names.items() if name.startswith("case_")}
    if len(sys.argv) < 3:
        print("\n".join(cases))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        scene = Scene(json.load(file), folder)
        try:
            cases[sys.argv[1]](scene)
        except Skip as reason:
            print(f"SKIP: {reason}")
            return 77
        except AssertionError as difference:
            print(f"does not hold: {difference}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(globals()))
