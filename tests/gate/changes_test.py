#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""changes_test.py BENCH BUILD SOURCES: a few changes of bench/gate_changes, in sources that Debian has.

They are fetched to the folder SOURCES, once. Status: 0 passed, 1 failed, 77 they cannot be fetched here.
"""
import pathlib
import re
import subprocess
import sys

FEW = r"^minpack .*(product|comments|names of routines)|^bzip2 .*(group|names of variables)|^xxhash .*(vectors|another folder)"


def main():
    bench, build, sources = (pathlib.Path(word) for word in sys.argv[1:4])
    packages = [name for name in ("minpack", "bzip2", "xxhash") if not list(sources.glob(f"{name}-*/"))]
    if packages:
        done = subprocess.run(["sh", bench / "fetch_applications", sources, *packages], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"SKIP: apt-get cannot fetch the sources of {', '.join(packages)}: {done.stderr.strip()[-200:]}")
            return 77
    done = subprocess.run([sys.executable, bench / "gate_changes", sources, f"--build={build}", f"--only={FEW}"], capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    if done.returncode == 77:
        return 77
    whole = re.search(r"^slower: 3 of 3 found, .*; harmless: 4 of 4 passed$", done.stdout, re.M)
    return 0 if done.returncode == 0 and whole else 1


sys.exit(main())
