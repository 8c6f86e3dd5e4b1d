#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: snapshots.py [--update] MACHINE EXPECTED TOOL...
       snapshots.py --list

Runs tools on the files of another machine (machines.py) and compares what each prints with EXPECTED/MACHINE.TOOL.
The output of papi_avail is followed by the definitions that rules chose, one per line. --update writes the files:
read the difference, number for number, before it is committed.
"""
import argparse
import difflib
import json
import os
import pathlib
import sys
import tempfile

import machines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import clean, run  # noqa: E402 pylint: disable=wrong-import-position


def output_of(command, environment):
    """What it prints, on standard error too, and its status; without the caller's settings."""
    result = run(*command, status=(0, 1), env=clean("LIBPFM_", "HWLOC_", **environment))
    errors = "".join(f"on standard error: {line}" for line in result.stderr.splitlines(keepends=True))
    return result.stdout, errors + ("exit status 1\n" if result.returncode else "")


def definitions(tool, environment):
    """What papi_avail's table does not show: of what each preset would be made."""
    for preset in json.loads(output_of([tool, "--json"], environment)[0])["presets"]:
        if preset["available"]:
            raise SystemExit(f"{preset['name']} is called available, and nothing was tried")
        # An event that the machine has not is the reason of more weight.
        lacks = "" if "PAPI_SYSROOT" in preset["reason"] else f" ({preset['reason']})"
        if preset["natives"] or lacks:
            parts = [preset["name"] + ":", preset["derivation"], preset["formula"], *preset["natives"]]
            yield " ".join(part for part in parts if part) + lacks + "\n"


def printed(tool, environment):
    text = "".join(output_of([tool], environment))
    # The tables under libpfm4's names have tests of their own.
    if os.path.basename(tool) == "papi_avail" and "LIBPFM_FORCE_PMU" not in environment:
        text += "\n" + "".join(definitions(tool, environment))
    # The interface's version is not a property of the machine.
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("PAPI version"))


def same(text, expected):
    wanted = expected.read_text(encoding="utf-8").splitlines(keepends=True)
    difference = list(difflib.unified_diff(wanted, text.splitlines(keepends=True), str(expected), "printed now"))
    sys.stdout.writelines(difference)
    return not difference


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("machine", nargs="?")
    parser.add_argument("expected", nargs="?", type=pathlib.Path)
    parser.add_argument("tools", nargs="*")
    arguments = parser.parse_args()
    if arguments.list:
        print(*machines.MACHINES, sep="\n")
        return
    if not arguments.tools:
        parser.error("MACHINE, EXPECTED and TOOL are needed")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        environment = machines.write(arguments.machine, folder)
        for tool in arguments.tools:
            text = printed(tool, environment)
            expected = arguments.expected / f"{arguments.machine}.{os.path.basename(tool)}"
            if arguments.update:
                expected.write_text(text, encoding="utf-8")
            else:
                good &= same(text, expected)
    if not good:
        raise SystemExit("Where a table or a tool was changed on purpose: build update_snapshots, and read what it changed.")


if __name__ == "__main__":
    main()
