#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""summary.py [--strict] FILE.xml...: what failed in the tests of JUnit files and why, each kind of skip, and the count.

The suite's name is the file's. FILE.again.xml, where it exists, has what failed there, run once more with nothing
beside it: a test that passes then is unstable. It is named, and is neither among those that passed nor among those that
failed; with --strict it has failed. Status 1: a test failed, none passed, or a file is missing.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree as ET


def reason(output):
    """The line that says why: 'SKIP: ...' or 'Skipped: ...', otherwise the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for line in lines:
        match = re.match(r"(?:#\s*)?skip(?:ped|ping)?\b[:\s]*(.*)", line, re.IGNORECASE)
        if match and match[1]:
            return match[1]
    return lines[-1] if lines else "no reason given"


def end_of(output, n=12):
    """The last lines that a failed test wrote."""
    return "".join(f"    {line}\n" for line in output.rstrip().splitlines()[-n:])


def print_skips(title, skips):
    """One line for each reason, which is what a message ends with; numbers in it are those of the first test."""
    kinds = collections.defaultdict(list)
    for name, why in dict.fromkeys(skips):
        kinds[re.sub(r"[\"'`][^\"'`]*[\"'`]|\S*/\S*|\d+", "*", why.rsplit(": ", 1)[-1])].append((name, why))
    for tests in kinds.values():
        name, why = tests[0]
        if len(tests) > 1:
            name, why = f"{name} and {len(tests) - 1} more", why.rsplit(": ", 1)[-1]
        print(f"{title}: {name}: {why}")


def passed(case):
    return case.get("status") == "run" and case.find("failure") is None


def passed_again(path):
    """The names of the tests that passed when they were run once more."""
    try:
        return {case.get("name") for case in ET.parse(path).getroot().iter("testcase") if passed(case)}
    except (OSError, ET.ParseError):
        return set()


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped, self.partly, self.unstable = 0, [], [], [], []

    def add_file(self, path):
        suite = os.path.splitext(os.path.basename(path))[0]
        try:
            cases = list(ET.parse(path).getroot().iter("testcase"))
        except (OSError, ET.ParseError) as error:
            self.failed.append((f"{suite}: no results", str(error), ""))
            return
        if not cases:
            self.failed.append((suite, "ran no test", ""))
        again = passed_again(path.removesuffix(".xml") + ".again.xml")
        for case in cases:
            self.add(f"{suite}: {case.get('name')}", case, case.get("name") in again)

    def add(self, name, case, passes_again):
        output = case.findtext("system-out") or ""
        skip = case.find("skipped")
        # CTest also calls "skipped" what it could not start; that is a failure.
        if skip is not None and re.match(r"SKIP_(RETURN_CODE|REGULAR)", skip.get("message", "")):
            self.skipped.append((name, reason(output)))
        elif passed(case):
            self.passed += 1
            self.partly += [(name, m) for m in re.findall(r"^\s*SKIP: (.*)", output, re.MULTILINE)]
        elif passes_again:
            self.unstable.append((name, reason(output)))
        else:
            message = case.find("failure")
            message = message if message is not None else skip
            self.failed.append((name, (message.get("message") if message is not None else "") or "failed", output))


def main():
    arguments = sys.argv[1:]
    strict = "--strict" in arguments
    counts = Counts()
    for path in arguments:
        if path != "--strict":
            counts.add_file(path)
    for name, why, output in counts.failed:
        print(f"FAILED: {name}: {why}\n{end_of(output)}", end="")
    for name, why in counts.unstable:
        print(f"UNSTABLE: {name}: failed beside other tests, passed when run again by itself: {why}")
    print_skips("skipped", counts.skipped)
    print_skips("skipped in a test that passed", counts.partly)
    failed = len(counts.failed)
    if not counts.passed:
        print("no test passed")
    if counts.unstable:
        print(f"{len(counts.unstable)} unstable" + (", counted as failed" if strict else ""))
        failed += len(counts.unstable) if strict else 0
    print(f"{counts.passed} passed, {failed} failed, {len(counts.skipped)} skipped")
    sys.exit(1 if failed or not counts.passed else 0)


main()
