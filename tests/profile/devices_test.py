#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""devices_test.py CASE SETTINGS.json: papi_profile --devices on programs whose device is played by stand-ins for NVIDIA's
driver and CUPTI (tests/activity): each kernel and copy has to be below the line that launches it, to the nanosecond. Without
a case: lists them. Status: 0, 1 for a difference, 77 for skipped."""
import json
import os
import re
import subprocess
import sys
import tempfile

import profile_test
from profile_test import HERE, SETTINGS, check, compile_program, show

DEVICE = "[device 0: Stand-in A, 0000:3b:00.0]"
OTHER = "[device 1: " + 63 * "B" + ", 0000:3c:00.0]"


def source_line(name, word, file="devices.c"):
    """The number of the line that ends with a name."""
    lines = open(os.path.join(HERE, file), encoding="utf-8").read().splitlines()
    found = [i + 1 for i, line in enumerate(lines) if re.search(rf"(/\* {re.escape(word)} \*/|! {re.escape(word)})$", line)]
    check(len(found) == 1, f"{word} is in the lines {found} of {name}")
    return found[0]


def build(source="devices.c", name="devices", *flags):
    doubles = SETTINGS["doubles"]
    return compile_program(name, source, "-O1", "-g", "-fno-inline", "-I", SETTINGS["double_headers"], *flags, f"-L{doubles}",
                           f"-Wl,-rpath,{doubles}", "-Wl,--no-as-needed", "-lcupti", "-lcuda", "-pthread",
                           *(["-D_GNU_SOURCE"] if source.endswith(".c") else []))


def profile(*words, **more):
    return profile_test.profile("--devices", *words, environment={"LD_LIBRARY_PATH": SETTINGS["doubles"], **more.pop("environment", {})},
                                **more)


def rows_of(found):
    """{(kernel or copy, line of the launch): what is said of it}."""
    rows = {}
    for row in found["device_work"]:
        key = (row["name"], row["line"])
        check(key not in rows, f"{key} comes twice", found["device_work"])
        rows[key] = row
    return rows


def is_row(rows, name, line, times, ns, least, largest, size=0, device=DEVICE):
    check((name, line) in rows, f"{name} of line {line} is not there", rows)
    row = rows[name, line]
    got = tuple(row[key] for key in ("launches", "ns", "least_ns", "largest_ns", "bytes", "device"))
    check(got == (times, ns, least, largest, size, device), f"{name} of line {line}: {got}")
    check(abs(row["mean_ns"] - ns / times) < 1e-9, row)
    if size:
        check(abs(row["bytes_per_second"] - size * 1e9 / ns) < 1e-3, row)


WHOLE = 3 * 1000 + 1500 + 7000 + 400 + 2000 + 4000 + 1000 + 50 + 123 + 20 * 10 + 60


def check_all(found, more=0):
    rows, helper = rows_of(found), source_line("devices.c", "helper")
    is_row(rows, "saxpy(float*, int)", source_line("devices.c", "first"), 3, 4500, 1000, 2000)
    is_row(rows, "saxpy(float*, int)", source_line("devices.c", "second"), 1, 7000, 7000, 7000)
    is_row(rows, "dot", source_line("devices.c", "third"), 1, 400, 400, 400)
    is_row(rows, "(copy to the device)", helper, 2, 6000, 2000, 4000, 24000, OTHER)
    is_row(rows, "(copy to the host)", helper, 1, 1000, 1000, 1000, 3000, OTHER)
    is_row(rows, "(memory set)", source_line("devices.c", "set"), 1, 50, 50, 50, 64)
    is_row(rows, "threaded", source_line("devices.c", "thread"), 20, 200, 10, 10)
    is_row(rows, "stubbed", source_line("devices.c", "caller of the stub"), 1, 60, 60, 60)
    is_row(rows, "unseen", None, 1, 123, 123, 123)
    check(rows["saxpy(float*, int)", source_line("devices.c", "first")]["routine"] == "host", rows)
    event = found["events"][-1]
    check(event["name"] == "device time" and event["sum"] == WHOLE + more, event)
    return rows


def case_lines():
    """Two lines that launch one kernel, copies of each direction, threads, a stub of the compiler's, and a launch that was not seen."""
    found, done = profile(build())
    check_all(found)
    check(len(found["device_work"]) == 9, found["device_work"])
    check(found["devices"] == {"processes": 1, "unended": 0, "dropped": 0, "unfinished": 0, "reason": None}, found["devices"])
    for word in ("saxpy(float*, int)  devices.c:", "launched by calls that were not seen", "24 kB, 4 GB/s", "no part of it"):
        check(word in done.stderr, f"\"{word}\" is not there", done.stderr)
    # the host's time is as before: kernels have none of it, and are called by their lines
    for routine in found["routines"]:
        if routine["object"].startswith("[device "):
            check(routine["self"][0] == 0 and routine["self"][1] > 0, routine)
    called = {routine["name"]: routine["total"][1] for routine in found["routines"]}
    check(called["host"] == 4500 + 7000 + 400 and called["main"] == WHOLE - 123 - 200, called)
    again = show("out.json", "out.json")
    check(rows_of(again)["dot", source_line("devices.c", "third")]["launches"] == 2, again["device_work"])


def case_fortran():
    found, _ = profile(build("devices.f90", "devices_f"))
    rows = rows_of(found)
    is_row(rows, "solve_kernel", source_line("devices.f90", "solve", "devices.f90"), 4, 1000, 100, 400)
    check(found["device_work"][0]["routine"].endswith("solve"), found["device_work"])


def case_missing():
    """What is dropped, had not ended, or was not given before a signal is said."""
    found, done = profile(build(), "dropped")
    check_all(found)
    check((found["devices"]["dropped"], found["devices"]["unfinished"]) == (7, 1), found["devices"])
    check("because there was no room for them: 7" in " ".join(done.stderr.split()), done.stderr)
    check("whose time is missing: 1" in " ".join(done.stderr.split()), done.stderr)
    found, done = profile("./devices", "killed", status=-9)
    check(found["devices"]["unended"] == 1 and not found["device_work"], found["devices"])
    check("(by a signal, or _exit): 1 of 1" in " ".join(done.stderr.split()), done.stderr)


def case_many():
    """More work than is kept in memory, in many buffers."""
    found, _ = profile(build(), "many")
    rows = check_all(found, more=30000)
    is_row(rows, "many", source_line("devices.c", "many"), 20000, 30000, 1, 2)


def case_processes():
    """A program that forks before it uses the device: each process has its own; one that forks afterwards says nothing twice."""
    found, _ = profile(build(), "fork")
    check(found["devices"]["processes"] == 2, found["devices"])
    check(all(row["launches"] % 2 == 0 for row in found["device_work"]) and found["events"][-1]["sum"] == 2 * WHOLE, found)
    found, _ = profile("./devices", "after")
    check_all(found)
    check(found["devices"]["processes"] == 1, found["devices"])


def case_none():
    """Without a driver, or for a program that uses none, the host's profile is as before, with a sentence."""
    build()
    found, done = profile("./devices", "host")
    check(found["device_work"] == [] and found["devices"]["processes"] == 0 and found["events"][0]["sum"] > 0, found)
    check("no process of the program started the runtime of a device (CUDA, HIP, Level Zero)" in " ".join(done.stderr.split()), done.stderr)
    os.makedirs("with/proc/driver/nvidia", exist_ok=True)
    for root, words in (("with", "or something hides the devices from it (CUDA_VISIBLE_DEVICES,"),
                        ("with/proc", "this machine shows no device of NVIDIA, AMD or Intel: papi_doctor says")):
        _, done = profile("./devices", "host", environment={"PAPI_SYSROOT": os.path.abspath(root)})
        check(words in " ".join(done.stderr.split()), done.stderr)
    plain, _ = profile_test.profile("./devices", "host")
    check("device_work" not in plain and len(plain["events"]) == 1, plain)


def case_refused():
    """Driver without CUPTI; another tool in the driver; counts of the emulator."""
    build()
    found, done = profile("./devices", environment={"PAPI_CUDA_CUPTI": "/no/such/libcupti.so"})
    check(re.search(r"devices of process \d+ are not recorded: .*libcupti", " ".join(done.stderr.split())), done.stderr)
    check(found["events"][0]["sum"] > 0 and found["device_work"] == [], found)
    refused = profile_test.call([SETTINGS["papi_profile"], "--devices", "./devices"], environment={"CUDA_INJECTION64_PATH": "/a/tool.so"})
    words = " ".join(refused.stderr.split())
    check(refused.returncode == 1 and 'run "env -u CUDA_INJECTION64_PATH papi_profile --devices ./devices"' in words, refused.stderr)
    refused = profile_test.call([SETTINGS["papi_profile"], "--devices", "--exact", "./devices"])
    check(refused.returncode == 1 and 'run "papi_profile --devices ./devices"' in " ".join(refused.stderr.split()), refused.stderr)


DEVICE_ROOFS = {"device": "Stand-in A", "source": "given", "peaks": [{"name": "FMA", "precision": "double", "all_cores": 2e10},
                                                                     {"name": "FMA", "precision": "single", "all_cores": 4e10}],
                "levels": [{"name": "memory", "all_cores": 3.2e9}]}


def roofline(*words, counts=None, status=0):
    with open("device.json", "w", encoding="utf-8") as file:
        json.dump({"roofs": DEVICE_ROOFS}, file)
    if counts is not None:
        with open("counts.csv", "w", encoding="utf-8") as file:
            file.write(counts)
    done = profile_test.call([SETTINGS["papi_roofline"], *(words or ("--device-roofs=device.json", "--kernel-counts=counts.csv",
                                                                     "--profile=out.json"))])
    check(done.returncode == status, done)
    return done


def case_roofline():
    """Kernels below a device's roofs: rates and intensities by the device's exact times, and by counts that are given."""
    if not SETTINGS["papi_roofline"]:
        raise profile_test.Skipped("papi_roofline is not built here")
    profile(build())
    roofline(counts='kernel,double,bytes\n"saxpy(float*, int)",2300,4600\ndot,16000,40\nnone,1,1\n')
    done = roofline("--device-roofs=device.json", "--kernel-counts=counts.csv", "--profile=out.json", "--json", "-o", "kept.json",
                    "--html=kernels.html", "--svg=kernels.svg")
    found = json.loads(done.stdout)
    points = {point["name"]: point for point in found["points"]}
    check(sorted(points) == ["dot", "saxpy(float*, int)", "stubbed", "threaded", "unseen"], found["points"])
    saxpy, dot, none = points["saxpy(float*, int)"], points["dot"], points["stubbed"]
    # four launches in 11,500 ns: 9,200 operations and 18,400 bytes
    want = {"device": DEVICE, "entries": 4, "seconds": 11500e-9, "double": 9200.0, "single": 0.0, "half": 0.0, "limit": "memory",
            "operations_per_byte": 0.5, "bytes": [{"from": "memory", "read": 18400.0}], "above_roof": False}
    check(all(saxpy[key] == value for key, value in want.items() if key != "seconds"), saxpy)
    for key, value in (("seconds", 11500e-9), ("operations_per_second", 8e8), ("bytes_per_second", 1.6e9), ("roof", 1.6e9), ("share", 0.5)):
        check(abs(saxpy[key] / value - 1) < 1e-9, key, saxpy)
    lines = [(launch["line"], launch["times"], round(launch["seconds"] * 1e9)) for launch in saxpy["launches"]]
    check(sorted(lines) == sorted([(source_line("devices.c", "first"), 3, 4500), (source_line("devices.c", "second"), 1, 7000)]), lines)
    check(all(launch["routine"] == "host" and launch["file"].endswith("devices.c") for launch in saxpy["launches"]), saxpy)
    check(points["unseen"]["launches"] == [{"routine": None, "file": None, "line": None, "times": 1, "seconds": points["unseen"]["seconds"]}],
          points["unseen"])
    check(abs(points["unseen"]["seconds"] / 123e-9 - 1) < 1e-9, points["unseen"])
    # 16,000 operations in 400 ns are 4e10 a second, of 2e10 that the device can do
    check(dot["above_roof"] and dot["limit"] == "peak" and abs(dot["share"] / 2 - 1) < 1e-9 and dot["operations_per_byte"] == 400, dot)
    check(abs(dot["operations_per_second"] / 4e10 - 1) < 1e-9, dot)
    check(none["entries"] == 1 and [none[key] for key in ("double", "operations_per_second", "share", "bytes_per_second")] == [None] * 4, none)
    check(found["counted_by"] == "given in counts.csv" and len(found["notes"]) == 2, found)
    check("Kernels without counts, of which there is the time alone: 3." in found["notes"], found["notes"])
    check("There are counts of none, which did not run on this device" in " ".join(found["notes"]), found["notes"])
    text = roofline().stdout
    for file in (text, open("kernels.html", encoding="utf-8").read(), open("kernels.svg", encoding="utf-8").read()):
        words = " ".join(re.sub("<[^>]*>", " ", file).split())
        check("dot is above its roof (peak), which no kernel can be: its operations or bytes, its time or the roof are wrong." in words, words)
        check("The roofs of Stand-in A are given, not measured here." in words, words)
        check("saxpy is above" not in words and "saxpy(float*, int) is above" not in words, words)
    check(re.search(r"^ +0\.8 +1\.6 +0\.5 +memory +1\.6 +50\.0 % +0\.0115 +saxpy\(float\*, int\)  \[device 0", text, re.M), text)
    check(f"3 times, 0.0045 ms, from host, devices.c:{source_line('devices.c', 'first')}" in text, text)
    kept, again = json.load(open("kept.json", encoding="utf-8")), json.loads(roofline("--show=kept.json", "--json").stdout)
    check({key: kept[key] for key in again} == again and again["points"] == found["points"], again)
    check(again["roofs"]["device"] == "Stand-in A" and again["roofs"]["source"] == "given", again["roofs"])
    check("dot is above its roof" in " ".join(roofline("--show=kept.json").stdout.split()), again)
    # what events counted over so many launches: a fused operation is two
    event = "cuda:::smsp__sass_thread_inst_executed_op_f{}_pred_on:stat=sum"
    roofline("--device-roofs=device.json", "--kernel-counts=counts.csv", "--profile=out.json", "--json", "-o", "kept.json",
             counts=f"launches,{','.join(map(event.format, ('add', 'mul', 'fma')))},dram__bytes,kernel\n10,100,50,25,400,threaded\n")
    found = json.load(open("kept.json", encoding="utf-8"))
    threaded = next(point for point in found["points"] if point["name"] == "threaded")
    # twenty launches in 200 ns, each with 10 + 5 + 2 * 2.5 operations and 40 bytes
    check((threaded["entries"], threaded["single"], threaded["double"], threaded["operations_per_byte"]) == (20, 400.0, 0.0, 0.5), threaded)
    check(abs(threaded["operations_per_second"] / 2e9 - 1) < 1e-9 and found["counted_by"] == "events of cuda, in counts.csv", threaded)
    # of a machine's roofs, what devices did is no part
    done = profile_test.call([SETTINGS["papi_roofline"], f"--roofs={os.path.join(HERE, '..', 'utils', 'roofs.json')}", "--profile=out.json", "--json"])
    check(done.returncode == 0 and "dot" not in [point["name"] for point in json.loads(done.stdout)["points"]], done)


def main(names):
    cases = {name[5:]: function for name, function in names.items() if name.startswith("case_")}
    if len(sys.argv) == 1:
        print("\n".join(cases))
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        SETTINGS.update(json.load(file))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            cases[sys.argv[1]]()
        except profile_test.Skipped as why:
            print("SKIP:", why)
            return 77
        except (profile_test.Failed, subprocess.SubprocessError) as why:
            print(why)
            return 1
        finally:
            os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main(globals()))
