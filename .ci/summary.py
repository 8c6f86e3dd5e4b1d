#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""summary.py FILE.xml...: counts the tests of JUnit files, with the reason of each skip.

The suite's name is the file's. Status 1: a test failed, none passed, or a file is missing.
"""
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


def main():
    passed, failed, skipped, partly = 0, [], [], []
    for path in sys.argv[1:]:
        suite = os.path.splitext(os.path.basename(path))[0]
        try:
            cases = list(ET.parse(path).getroot().iter("testcase"))
        except (OSError, ET.ParseError) as error:
            failed.append((f"{suite}: no results", str(error)))
            continue
        if not cases:
            failed.append((suite, "ran no test"))
        for case in cases:
            name = f"{suite}: {case.get('name')}"
            output = case.findtext("system-out") or ""
            skip = case.find("skipped")
            # CTest also calls "skipped" what it could not start; that is a failure.
            if skip is not None and re.match(r"SKIP_(RETURN_CODE|REGULAR)", skip.get("message", "")):
                skipped.append((name, reason(output)))
            elif case.get("status") == "run" and case.find("failure") is None:
                passed += 1
                partly += [(name, m) for m in re.findall(r"^\s*SKIP: (.*)", output, re.MULTILINE)]
            else:
                message = case.find("failure")
                message = message if message is not None else skip
                failed.append((name, (message.get("message") if message is not None else "") or "failed"))
    for title, rows in (("skipped", skipped), ("skipped in a test that passed", partly), ("FAILED", failed)):
        for name, why in dict.fromkeys(rows):
            print(f"{title}: {name}: {why}")
    if not passed:
        print("no test passed")
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed or not passed else 0)


main()
