#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""memcheck.py [--all] BUILD OUTPUT: runs the compiled tests of a build tree under valgrind.

The tests are those that CTest knows, with their own arguments, environment and skip code, but for
those with the label node, bench or no-memcheck. Without --all only some from each part of the library, which
together take most of its paths: the sanitizers run all of them, and what they cannot see is the use of memory
that nobody has set. Writes the results as JUnit XML, as ctest --output-junit does. Status 1: an error, a
leak or a failed test.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

LEFT_OUT = {"node", "bench", "no-memcheck"}
OFTEN = re.compile(r"c[.](eventset|highlevel|overflow_threads|process|services)$|"
                   r"components[.]files$|counted[.]library[.](component|report_threads)$|events[.]csv$|"
                   r"fortran[.](events|information|regions|strings)$|mpi[.]job[.]block$|mpi[.]path[.]unit$|"
                   r"mpi[.]rank[.]unit_(counters|regions)$|permissions[.]eacces$|sde[.]tool[.]hook$")
FOUND_ERROR = 99
VALGRIND = [
    "valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
    "--show-leak-kinds=definite,indirect", "--num-callers=30", "--child-silent-after-fork=no",
    f"--error-exitcode={FOUND_ERROR}",
]
# What is wrong in other libraries is written down beside the tests that meet it.
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VALGRIND += [f"--suppressions={f}" for f in glob.glob(SOURCE + "/tests/**/*.supp", recursive=True)]


def is_program(path, build):
    """A compiled program of the build, not a script or another project's tool."""
    if not os.path.realpath(path).startswith(os.path.realpath(build) + os.sep):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def tests(build):
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                          check=True, stdout=subprocess.PIPE).stdout
    for test in json.loads(text)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        command = test.get("command", [])
        if command and not LEFT_OUT & set(properties.get("LABELS", [])) and is_program(command[0], build):
            yield test["name"], command, properties


def usual_times(build):
    """By test, the seconds that CTest saw without valgrind: what takes long is started first."""
    try:
        with open(build + "/Testing/Temporary/CTestCostData.txt") as file:
            rows = [line.split() for line in file]
    except OSError:
        return {}
    return {row[0]: float(row[2]) for row in rows if len(row) == 3}


def run(name, command, properties):
    environment = dict(os.environ)
    environment.update(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
    start = time.monotonic()
    try:
        done = subprocess.run(VALGRIND + command, env=environment, cwd=properties.get("WORKING_DIRECTORY"),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=1500)
        status, output = done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        status, output = -1, (late.stdout or b"").decode(errors="replace") + "\ntimed out"
    skip = status != 0 and status == properties.get("SKIP_RETURN_CODE")
    # A program that is meant to end with another status is none of ctest's own tests here.
    result = "skip" if skip else "pass" if status == 0 else "fail"
    return name, result, time.monotonic() - start, status, output


def main():
    build, output_file = (word for word in sys.argv[1:] if word != "--all")
    times = usual_times(build)
    everything = "--all" in sys.argv
    wanted = [test for test in tests(build) if everything or OFTEN.match(test[0])]
    found = sorted(wanted, key=lambda test: -times.get(test[0], 0))
    suite = ET.Element("testsuite", name="valgrind")
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda t: run(*t), found))
        # Tests of time may fail beside another under valgrind; by themselves they must not. What
        # valgrind found stays found.
        for i, test in enumerate(found):
            if results[i][1] == "fail" and results[i][3] != FOUND_ERROR:
                results[i] = run(*test)
        for name, result, seconds, status, output in results:
            case = ET.SubElement(suite, "testcase", name=name, classname=name, time=f"{seconds:.2f}",
                                 status={"pass": "run", "skip": "notrun", "fail": "fail"}[result])
            if result == "skip":
                ET.SubElement(case, "skipped", message=f"SKIP_RETURN_CODE={status}")
            if result == "fail":
                failures += 1
                ET.SubElement(case, "failure", message=f"status {status}")
                print(f"{name}: status {status} under valgrind\n{output}")
            clean = "".join(c for c in output if c >= " " or c in "\n\t")
            ET.SubElement(case, "system-out").text = clean
    ET.ElementTree(suite).write(output_file, encoding="utf-8", xml_declaration=True)
    print(f"{len(found)} programs under valgrind, {failures} with errors")
    sys.exit(1 if failures or not found else 0)


main()
