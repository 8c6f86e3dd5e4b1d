# SPDX-License-Identifier: BSD-3-Clause
"""Whose the regions of a program are: the job's, or the library's, which writes a file for each rank.

  regions_test.py PROGRAM STATIC_PROGRAM
"""
import json
import pathlib
import sys
import tempfile

from mpirun import fail, run

RANKS = 2


def same(found, wanted, what):
    if found != wanted:
        fail(f"{what}: {found!r} instead of {wanted!r}")


def check(program, how, env, in_job, in_files, **more):
    """in_job: {name: (visits, open)}; in_files: the names in each rank's file, None: there are no files."""
    with tempfile.TemporaryDirectory() as here:
        outcome = run(None, RANKS, [program, how], env=env, cwd=here, timeout=600, **more).check()
        files = sorted(pathlib.Path(here).glob("papi_hl_output*/*.json"))
        wanted = 0 if in_files is None else RANKS
        same(len(files), wanted, f"{how}, {env}: files of the library")
        for file in files:
            text = file.read_text()
            for name in ("early", "solve", "late", "after"):
                same(f'"{name}"' in text, name in in_files, f"{how}, {env}: {name} in {file.name}\n{text}")
            json.loads(text)
    if in_job is None:
        same(outcome.result, None, f"{how}, {env}: a result of the job")
        return
    regions = {region["name"]: (region["visits"], region["open"]) for region in outcome.result["regions"]}
    same(regions, in_job, f"{how}, {env}: regions of the job")


def main():
    program, static = sys.argv[1:]
    inside, whole = {"solve": (3 * RANKS, 0)}, {"solve": (3 * RANKS, 0), "late": (RANKS, RANKS)}
    # The job's alone. What is outside of MPI is the library's, as without the wrapper.
    check(program, "inside", {}, inside, None)
    check(program, "whole", {}, whole, ("early", "after"))
    check(program, "inside", {"PAPI_MPI_REGIONS": "rank"}, inside, ("solve",))
    check(program, "whole", {"PAPI_MPI_REGIONS": "rank"}, whole, ("early", "solve", "late", "after"))
    check(program, "whole", {"PAPI_MPI": "0"}, None, ("early", "solve", "late", "after"))
    check(program, "whole", {}, None, ("early", "solve", "late", "after"), preload=False)
    # The calls of a program with the static library never leave it.
    check(static, "inside", {}, {}, ("solve",))
    print("regions are where they belong")


main()
