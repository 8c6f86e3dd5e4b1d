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
    if os.path.exists("/proc/driver/nvidia"):
        words = "no process of the program started the driver of NVIDIA's devices"
    else:
        words = "this machine has none: install it, and try it with nvidia-smi"
    check(words in " ".join(done.stderr.split()), done.stderr)
    os.makedirs("with/proc/driver/nvidia", exist_ok=True)
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


def main():
    cases = {name[5:]: function for name, function in globals().items() if name.startswith("case_")}
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
    sys.exit(main())
