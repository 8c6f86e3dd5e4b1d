#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""header_names.py COMPILER HEADERS NAMES: papi.h has every name of a list, as a macro or as an identifier."""
import re
import subprocess
import sys


def preprocessed(compiler, headers, option):
    done = subprocess.run([compiler, "-E", option, "-I", headers, "-x", "c", "-"], input="#include <papi.h>\n",
                          stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def main():
    compiler, headers, file = sys.argv[1:]
    with open(file) as lines:
        names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    known = set(re.findall(r"^#define (\w+)", preprocessed(compiler, headers, "-dM"), re.M))
    known |= set(re.findall(r"[A-Za-z_]\w*", preprocessed(compiler, headers, "-P")))
    missing = [name for name in names if name not in known]
    for name in missing:
        print(f"papi.h has no {name}")
    print(f"{len(names)} names, {len(missing)} missing")
    sys.exit(1 if missing or not names else 0)


main()
