#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""benches_test.py SETTINGS.json CASE: papi_bench.h and module papi_benches by other compilers: those of the arm64 node, whose programs run
under qemu-aarch64 with the library that papi_gate preloads, and flang. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from gate_shared import FORTRAN_BENCHES, check, need

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
CROSS, CROSS_ROOT = "aarch64-linux-gnu-", "/usr/aarch64-linux-gnu"
FP_OPS = "FP_OPS"
C = """#include "papi_bench.h"
double a[1000];
__attribute__((noipa)) double sum(int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i] * 1.5;
    return s;
}
int main(void)
{
    volatile double s = sum(1000);
    s = s + 1;
    PAPI_BENCH("none") {
    }
    PAPI_BENCH("one") {
        PAPI_BENCH_KEEP(sum(TURNS));
    }
    for (int i = 0; i < 10; i++)
        PAPI_BENCH("ten") {
            PAPI_BENCH_KEEP(sum(TURNS));
        }
    PAPI_BENCH("more") {
        PAPI_BENCH_KEEP(sum(TURNS + 1));
    }
    return 0;
}
"""
def run(folder, *command, **env):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, env={**os.environ, **env}, check=False)
    check(done.returncode == 0, *command, done.stdout, done.stderr)


def event_names():
    """The names of events by their number, as the files of counted processes have them."""
    lines = (pathlib.Path(SETTINGS["source"]) / "src-c" / "formats" / "emulator_events.def").read_text().splitlines()
    return [line[len("EVENT("):].split(",")[0] for line in lines if line.startswith("EVENT(")]


def benches_of(folder):
    """{name: {event: count}} of the one file that a counted process has left."""
    (file,) = folder.iterdir()
    rows, names, found = file.read_text().splitlines(), event_names(), {}
    check(rows[-1] == "end", "it is not whole", rows[-3:])
    for row in rows:
        kind, *fields = row.split("\t")
        if kind == "bench":
            pairs = [field.split(":") for field in fields[1:]]
            found[fields[0]] = {names[int(event)]: int(count) for event, count in pairs}
    return found


def run_arm64(folder, program):
    """The benches of a counted program of 64-bit Arm, with the library that papi_gate preloads, made for it."""
    source = pathlib.Path(SETTINGS["source"]) / "src-c"
    library, totals = folder / "totals.so", folder / "totals"
    if not library.exists():
        run(folder, CROSS + "gcc", "-std=gnu11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-ftls-model=initial-exec", "-I", source, "-I", source / "include",
            source / "counted/totals/totals_preload.c", source / "components/counted/counted_modules.c", "-o", library, "-ldl")
    shutil.rmtree(totals, ignore_errors=True)
    totals.mkdir()
    run(folder, "qemu-aarch64", "-L", CROSS_ROOT, "-E", f"LD_PRELOAD={library}", "-E", f"PAPI_COUNTED_TOTALS={totals}", program)
    return benches_of(totals)


def case_arm64(folder):
    """What is between the braces is counted by the arm64 compiler's programs, and nothing else, at any level."""
    need(CROSS + "gcc", "qemu-aarch64")
    (folder / "a.c").write_text(C)
    for option in ("-O0", "-O2", "-O3", "-Os"):
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-shadow"]
        run(folder, SETTINGS["papi_counted"], CROSS + "gcc", "-g", option, *warnings, "-DTURNS=10", "-I", SETTINGS["include"], "a.c", "-o", "a.out")
        found = run_arm64(folder, "./a.out")
        check(set(found) == {"none", "one", "ten", "more"}, option, found)
        check(found["none"] == {}, option, found)
        check(found["one"][FP_OPS] == 20 and found["more"][FP_OPS] == 22 and found["ten"][FP_OPS] == 200, option, found)
        check(found["ten"] == {event: 10 * count for event, count in found["one"].items()}, option, found)
        check(found["one"]["LOADS"] >= 10 and found["one"]["CALLS"] == 1, option, found)


def check_fortran(found, what):
    check(set(found) == {"nothing", "sum"} and found["sum"][FP_OPS] == 4000, what, found)
    nothing = found["nothing"]
    check(nothing["RETURNS"] == 1 and nothing.get("LOADS", 0) <= 2 and nothing["INSTRUCTIONS"] <= 6 and FP_OPS not in nothing, what, found)


def case_arm64_fortran(folder):
    """The same of module papi_benches: its own code is not counted, the subroutine is, with its return."""
    need(CROSS + "gfortran", CROSS + "gcc", "qemu-aarch64")
    run(folder, CROSS + "gfortran", "-std=f2008", "-c", SETTINGS["benches"])
    (folder / "f.f90").write_text(FORTRAN_BENCHES)
    for option in ("-O0", "-O2"):
        run(folder, SETTINGS["papi_counted"], CROSS + "gfortran", "-g", option, "f.f90", "papi_benches.o", "-o", "a.out")
        check_fortran(run_arm64(folder, "./a.out"), option)


def case_flang(folder):
    """The same by flang, of this machine."""
    compiler = next((name for name in ("flang-new", "flang-new-19", "flang-new-20") if shutil.which(name)), None)
    if compiler is None:
        need("flang-new")
    (folder / "f.f90").write_text(FORTRAN_BENCHES)
    run(folder, compiler, "-c", SETTINGS["benches"])
    for option in ("-O0", "-O2"):
        run(folder, SETTINGS["papi_counted"], compiler, "-g", option, "f.f90", "papi_benches.o", "-o", "a.out")
        run(folder, SETTINGS["papi_gate"], "record", "--model=none", "./a.out", TMPDIR=str(folder))
        regions = json.loads((folder / "gate.json").read_text())["regions"]
        check_fortran({region["region"]: region["counts"] for region in regions}, option)
    check(not list(folder.glob("papi_gate.*")), "a folder is left")


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        globals()[f"case_{sys.argv[2]}"](pathlib.Path(folder))


main()
