#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""changes_test.py BENCH BUILD SOURCES CASE: a few changes of bench/gate_changes, or programs of bench/gate_variance in few runs, in
sources that Debian has.

They are fetched to the folder SOURCES, once. Status: 0 passed, 1 failed, 77 they cannot be fetched here.
"""
import pathlib
import re
import subprocess
import sys

FEW = r"^minpack .*(product|comments|names of routines)|^bzip2 .*(group|names of variables)|^xxhash .*(vectors|another folder)"
SAME = r"^(sort|equations|sums|crew)$"


def changes(bench, build, sources):
    done = subprocess.run([sys.executable, bench / "gate_changes", sources, f"--build={build}", f"--only={FEW}"], capture_output=True, text=True, check=False)
    return done, r"^slower: 3 of 3 found, .*; harmless: 4 of 4 passed$"


def same(bench, build, sources):
    """Without an MPI crew is skipped, and says so."""
    done = subprocess.run([sys.executable, bench / "gate_variance", sources, f"--build={build}", f"--only={SAME}", "--runs=4"], capture_output=True, text=True, check=False)
    return done, rf"^the same: {4 - len(re.findall('^SKIP: crew: no ', done.stdout, re.M))} of 4; "


def main():
    bench, build, sources = (pathlib.Path(word) for word in sys.argv[1:4])
    packages = [name for name in ("minpack", "bzip2", "xxhash") if not list(sources.glob(f"{name}-*/"))]
    if packages:
        done = subprocess.run(["sh", bench / "fetch_applications", sources, *packages], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"SKIP: apt-get cannot fetch the sources of {', '.join(packages)}: {done.stderr.strip()[-200:]}")
            return 77
    done, expected = {"changes": changes, "same_sources": same}[sys.argv[4]](bench, build, sources)
    print(done.stdout, done.stderr)
    if done.returncode == 77:
        return 77
    whole = re.search(expected, done.stdout, re.M)
    return 0 if done.returncode == 0 and whole else 1


sys.exit(main())
