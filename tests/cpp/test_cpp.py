#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles and runs programs with papi.hpp: test_cpp.py SETTINGS.json program|document COMPILER VERSION

A program of the page whose events do not count here may end with the exception that says so.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-pthread"]


def run(settings, compiler, version, source, folder):
    program = os.path.join(folder, "program")
    library = os.path.dirname(settings["library"])
    subprocess.run([compiler, "-std=c++" + version, *FLAGS, "-I", settings["include"], "-I", settings["header"], source,
                    "-o", program, "-L", library, "-lpapi", "-Wl,-rpath," + library], check=True)
    environment = {**os.environ, "PAPI_EVENTS": "perf::PAGE-FAULTS"}
    if settings["reals"]:
        environment.update(LD_PRELOAD=settings["reals"], GROWTH="sde:::reals::growth")
    return subprocess.run([program], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          env=environment, timeout=600)


def programs(document):
    with open(document) as text:
        return re.findall(r"^```cpp\n(.*?)^```", text.read(), re.S | re.M)


def refusals(settings, compiler, folder):
    """Without exceptions, or as C++14, the header says what it needs."""
    source = os.path.join(folder, "refused.cc")
    with open(source, "w") as out:
        out.write("#include <papi.hpp>\n")
    for option, said in (("-fno-exceptions", "compile with exceptions"), ("-std=c++14", "-std=c++17")):
        done = subprocess.run([compiler, "-std=c++17", option, "-fsyntax-only", "-I", settings["include"], "-I",
                               settings["header"], source], stderr=subprocess.PIPE, universal_newlines=True)
        assert done.returncode != 0 and said in done.stderr, done.stderr


def main():
    path, what, compiler, version = sys.argv[1:]
    with open(path) as file:
        settings = json.load(file)
    if not shutil.which(compiler):
        print("no " + compiler)
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if what == "program":
            refusals(settings, compiler, folder)
            done = run(settings, compiler, version, settings["source"], folder)
            print(done.stdout)
            return done.returncode
        found = programs(settings["document"])
        assert len(found) > 1
        for text in found:
            # By events that count everywhere.
            text = text.replace("PAPI_TOT_INS", "perf::PAGE-FAULTS").replace("PAPI_TOT_CYC", "perf::TASK-CLOCK")
            source = os.path.join(folder, "program.cc")
            with open(source, "w") as out:
                out.write(text)
            done = run(settings, compiler, version, source, folder)
            print(done.stdout)
            assert done.returncode == 0, done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
