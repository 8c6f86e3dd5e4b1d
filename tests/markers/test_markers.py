#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_markers.py c|without|preload|fortran|names|failing|forked|kokkos SETTINGS.json: the marks of likwid and Kokkos are regions."""
import json
import os
import re
import subprocess
import sys
import tempfile

FAULTS = "perf::PAGE-FAULTS"


def settings():
    with open(sys.argv[2]) as file:
        return json.load(file)


S = settings()
LIBRARY = os.path.dirname(S["likwid"])


def build(folder, source, *flags, compiler=None):
    program = os.path.join(folder, "program")
    subprocess.run([compiler or S["C"], "-O1", "-Wall", "-Wextra", "-Werror", "-I", S["header"], *flags, *source, "-o", program, "-pthread",
                    "-L", LIBRARY, "-lpapi_likwid", "-Wl,-rpath," + LIBRARY,
                    "-Wl,-rpath-link," + os.path.dirname(S["papi"])], check=True, cwd=folder)
    return program


def run(program, folder, *arguments, **environment):
    done = subprocess.run([program, *arguments], cwd=folder, env={**os.environ, "PAPI_EVENTS": FAULTS, **environment}, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    print(done.stdout)
    assert done.returncode == 0, done.returncode


def regions(folder):
    """{name: (visits, counts of all visits and threads)}."""
    found = {}
    with open(os.path.join(folder, "papi_hl_output", "rank_000000.json")) as file:
        for thread in json.load(file)["threads"].values():
            for region in thread["regions"].values():
                visits, count = found.get(region["name"], (0, 0))
                found[region["name"]] = visits + 1, count + int(region[FAULTS])
    return found


def check(found):
    expected = {"outer": (1, 1100), "inner": (1, 100), "first": (1, 1100), "second": (2, 110), "thread": (3, 900),
                "reset": (1, 100), "reset (after reset 1)": (1, 200)}
    assert set(found) == {*expected, "twice"}, found
    for name, (visits, count) in expected.items():
        assert found[name][0] == visits, (name, found[name])
        assert count <= found[name][1] <= count + 20, (name, found[name])


def c(folder):
    run(build(folder, [S["source"]], "-DLIKWID_PERFMON"), folder)
    check(regions(folder))


def threads(folder, rank=0):
    with open(os.path.join(folder, "papi_hl_output", "rank_%06d.json" % rank)) as file:
        return list(json.load(file)["threads"].values())


def failing(folder):
    """A region whose counters fail as it begins ends where it should."""
    run(build(folder, [os.path.join(os.path.dirname(S["source"]), "failing.c")], "-DLIKWID_PERFMON"), folder)
    (thread,) = threads(folder)
    found = list(thread["regions"].values())
    assert [region["name"] for region in found] == ["before", "lost", "after"], found
    assert {region["parent_region_id"] for region in found} == {"-1"}, found
    assert all("unfinished" not in region for region in found) and FAULTS not in found[1], found


def forked(folder):
    """Regions that are open in the parent are none in its child, which has its own."""
    run(build(folder, [os.path.join(os.path.dirname(S["source"]), "forked.c")], "-DLIKWID_PERFMON"), folder)
    found = {}
    for rank in 0, 1:
        (thread,) = threads(folder, rank)
        assert "misplaced_calls" not in thread, thread
        for region in thread["regions"].values():
            count = found.setdefault((rank, region["name"]), [0, 0])
            count[0] += 1
            count[1] += int(region[FAULTS])
    (parent,) = {rank for rank, name in found if name == "outer" and found[rank, name][1] >= 1000}
    assert found[parent, "outer"][0] == 1 and found[parent, "inner"][0] == 2, found
    child = {name: count for (rank, name), count in found.items() if rank != parent}
    assert set(child) == {"outer"} and child["outer"][0] == 1 and 70 <= child["outer"][1] < 90, found


def without(folder):
    """Without LIKWID_PERFMON the macros are nothing."""
    run(build(folder, [S["source"]]), folder)
    assert not os.path.exists(os.path.join(folder, "papi_hl_output"))


def preload(folder):
    """A program that was linked with another library of these names."""
    other = os.path.join(folder, "liblikwid.so")
    with open(os.path.join(S["header"], "likwid-marker.h")) as text:
        names = sorted(set(re.findall(r"likwid_marker\w+", text.read())))
    text = "".join("int %s(void) { return -1; }\n" % name for name in names)
    subprocess.run([S["C"], "-shared", "-fPIC", "-x", "c", "-", "-o", other], input=text, universal_newlines=True, check=True)
    program = os.path.join(folder, "program")
    subprocess.run([S["C"], "-DLIKWID_PERFMON", "-I", S["header"], S["source"], "-o", program, "-L", folder, "-llikwid", "-pthread",
                    "-Wl,-rpath," + folder], check=True)
    run(program, folder, LD_PRELOAD=S["likwid"])
    check(regions(folder))


def fortran(folder):
    run(build(folder, [S["module"], S["fortran"]], compiler=S["Fortran"]), folder)
    (visits, count), = regions(folder).values()
    assert visits == 1 and count > 1000, count


def names(folder):
    """The names of the interface are those of likwid's own headers and Fortran module."""
    wanted = {"likwid_marker" + name for name in ("Init", "ThreadInit", "NextGroup", "Close", "RegisterRegion", "StartRegion",
                                                  "StopRegion", "ResetRegion", "GetRegion")}
    wanted |= {name.lower() + "_" for name in wanted}
    text = subprocess.run([S["nm"], "-D", "--defined-only", S["likwid"]], stdout=subprocess.PIPE, universal_newlines=True,
                          check=True).stdout
    found = {line.split()[-1] for line in text.splitlines()}
    assert found == wanted, found ^ wanted


def kokkos(folder):
    run(S["kokkos_program"], folder, S["kokkos"])
    found = regions(folder)
    expected = {"region": (1, 5100), "for": (1, 1100), "reduce": (1, 100), "(without a name)": (1, 4000), "first": (1, 1100),
                "deep_copy a to b": (1, 100), "pushed": (1, 300), "section": (2, 600), "other": (2, 800)}
    for name, (visits, count) in expected.items():
        assert found[name][0] == visits, (name, found)
        assert count <= found[name][1] <= count + 60, (name, found)  # threads have faults of their own
    # "second" began inside of "first" and went on after it, until its own thread ended it.
    assert set(found) == {*expected, "second", "Kokkos"} and found["second"][0] == 2, found
    with open(os.path.join(folder, "papi_hl_output", "rank_000000.json")) as file:
        assert "unfinished" not in file.read()


def main():
    if sys.argv[1] == "fortran" and not S["Fortran"]:
        print("no Fortran compiler")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        globals()[sys.argv[1]](folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
