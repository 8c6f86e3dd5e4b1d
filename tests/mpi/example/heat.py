#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""heat.py CASE PROGRAM [EMULATE PLUGIN]: examples/heat.f90 computes the same on any number of ranks; the job's
report has its regions and calls; wrong arguments end it in one line. Under papi_emulate its operations are exact."""
import os
import shutil
import sys
import tempfile

from mpirun import FLAVOUR, fail, run, skip

POINTS, STEPS, CHECKS = 61, 120, 3  # a check each 50 steps and one at the end


def check(condition, text):
    if not condition:
        fail(text)


def heat(program, ranks, *arguments, folder, status=0, **options):
    return run(None, ranks, [program, *arguments], cwd=folder, **options).check(status)


def last_line(outcome):
    lines = outcome.output.strip().splitlines()
    check(lines and lines[-1].startswith("after "), f"no result in {outcome.output!r}")
    return lines[-1]


def case_result(program, folder):
    # MPICH's ranks wait without giving way: more of them than cores would take minutes.
    counts = (1, 2) if FLAVOUR == "mpich" else (1, 2, 3, 4)
    results = {n: last_line(heat(program, n, POINTS, STEPS, folder=folder, preload=False)) for n in counts}
    print(results)
    check(len(set(results.values())) == 1, f"the result depends on the number of ranks: {results}")
    check(last_line(heat(program, 1, POINTS, STEPS + 1, folder=folder, preload=False)) != results[1],
          "the result is that of another number of steps")


def case_report(program, folder):
    ranks = 2
    aside = os.path.join(folder, "aside")
    os.mkdir(aside)
    plain = last_line(heat(program, ranks, POINTS, STEPS, folder=aside, preload=False))
    outcome = heat(program, ranks, POINTS, STEPS, folder=folder)
    check(last_line(outcome) == plain, "the wrapper library changes the result")
    job = outcome.result
    check(job is not None, f"no result file\n{outcome.errors}")
    calls = {c["name"]: c["calls"] for c in job["calls"]}
    wanted = {"MPI_Isend": 4 * STEPS, "MPI_Irecv": 4 * STEPS, "MPI_Waitall": STEPS, "MPI_Allreduce": CHECKS + 1}
    for name, each in wanted.items():
        check(calls.get(name) == each * ranks, f"{name}: {calls.get(name)} calls, not {each * ranks}")
    visits = {r["name"]: (r["ranks"], r["visits"]) for r in job["regions"]}
    wanted = {"halo": STEPS, "stencil": STEPS, "residual": CHECKS}
    check(visits == {name: (ranks, each * ranks) for name, each in wanted.items()}, f"regions: {visits}")
    mpi = {r["name"]: (r["ns"], r["mpi_ns"]) for r in job["regions"]}
    check(0 < mpi["halo"][1] <= mpi["halo"][0], f"MPI time of the halo exchange: {mpi}")
    check(mpi["stencil"][0] > 0 == mpi["stencil"][1], f"MPI time of the stencil: {mpi}")
    # One side of each rank's rectangle goes to the other; the edges of the plate go nowhere.
    sent = {m["key"]: int(m["sum"]) for m in job["metrics"]}["sent_bytes"]
    check(sent == ranks * 8 * POINTS * STEPS, f"{sent} bytes sent, not {ranks * 8 * POINTS * STEPS}")
    # The text is one sheet: where a noisy machine needs lines for its warnings, the regions and calls that took the
    # least time give way. All of them are in the result file, see above.
    for word in ("load balance", "MPI calls"):
        check(word in outcome.errors, f"{word} is not in the report\n{outcome.errors}")
    check(any(name in outcome.errors for name in wanted), f"no region is in the report\n{outcome.errors}")
    check(os.listdir(folder) == ["aside"], f"it leaves {os.listdir(folder)}")


def case_refused(program, folder):
    for wrong in (["0"], ["x"], ["10", "-1"], ["100001"]):
        outcome = heat(program, 2, *wrong, folder=folder, preload=False, status=2)
        lines = [line for line in outcome.errors.splitlines() if line.startswith("heat ")]
        check(len(lines) == 1 and lines[0].endswith(wrong[-1]), f"{wrong}: {outcome.errors!r}")
        check(outcome.output == "", f"{wrong}: {outcome.output!r}")


def case_operations(program, folder, emulate, plugin):
    """Three additions and a multiplication for each point and step, wherever the ranks share them out."""
    if not os.path.isfile(plugin):
        skip("the plugin is not built: no Capstone (libcapstone-dev)")
    if shutil.which("qemu-x86_64") is None and shutil.which("qemu-aarch64") is None:
        skip("no emulator (qemu-user)")
    job = run(None, 2, [emulate, program, POINTS, STEPS], cwd=folder).check().result
    names = [c["name"] for c in job["counters"]]
    check("PAPI_DP_OPS" in names, f"what was counted: {names}")
    counts = {r["name"]: r["counters"][names.index("PAPI_DP_OPS")] for r in job["regions"]}
    check(counts["stencil"] == 4 * POINTS * POINTS * STEPS,
          f"{counts['stencil']} operations in the stencil, not {4 * POINTS * POINTS * STEPS}")
    # A subtraction for each point, and the largest of the ranks' values.
    check(CHECKS * POINTS * POINTS <= counts["residual"], f"{counts['residual']} operations in the residual")


def main():
    case, program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        # Without the wrapper library, the regions' files go to where the job was started.
        globals()["case_" + case](program, folder, *arguments)


main()
