#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: malformed.py CHECKER FOLDER

Runs the checker on each table in FOLDER. What it must say stands in the table's second line, "# expect: LINE: TEXT"
(the fault's line and text, at its head; "FILE:LINE: TEXT" in another file) or "# expect: ok", and options of the
checker after "# options: " in one of the next. {here} in them is FOLDER. "# needs: PMU" there: for a libpfm4
that knows this processor.
"""
import pathlib
import subprocess
import sys


def run(checker, file, options=()):
    return subprocess.run([checker, *options, file], capture_output=True, text=True, check=False)


def said(file, key):
    """What follows "# key: " in the table's head, or None."""
    for line in file.read_text().splitlines()[1:4]:
        if line.startswith(f"# {key}: "):
            return line[len(f"# {key}: "):]
    return None


def complaint(checker, file):
    """What is wrong with the checker's answer, or None."""
    expected = said(file, "expect")
    options = said(file, "options") or ""
    result = run(checker, file, options.format(here=file.parent).split())
    if expected == "ok":
        return None if result.returncode == 0 and result.stderr == "" else result.stderr or "no success"
    if result.returncode != 1:
        return f"exit status {result.returncode}, not 1"
    wanted = f"{file.parent}/{expected}" if expected[0].isalpha() else f"{file}:{expected}"
    if not any(line.startswith(wanted) for line in result.stderr.splitlines()):
        return f"wanted  {wanted}\n    printed {result.stderr}"
    return None


def known_pmus(checker):
    return subprocess.run([checker, "--pmus"], capture_output=True, text=True, check=True).stdout.split()


def missing_file(checker, folder):
    """A file that does not exist is reported, too."""
    result = run(checker, folder / "not_there.csv")
    wanted = "not_there.csv:1: No such file"
    return None if result.returncode == 1 and wanted in result.stderr else result.stderr or "no failure"


# Arguments, and how the message about them begins.
WRONG_ARGUMENTS = {
    (): "check_presets: which tables?",
    ("--least-pmus=many", "x.csv"): "check_presets: --least-pmus takes a whole number from 0 ",
    ("--csv",): "check_presets: option '--csv' requires an argument",
    ("--no-such", "x.csv"): "check_presets: unrecognized option '--no-such'",
}


def wrong_arguments(checker, words):
    """What is wrong with the answer to wrong arguments, or None: status 2, and a message that points to the help."""
    result = subprocess.run([checker, *words], capture_output=True, text=True, check=False)
    fine = result.returncode == 2 and result.stderr.startswith(WRONG_ARGUMENTS[words])
    return None if fine and "\ncheck_presets --help" in result.stderr else result.stderr or "no failure"


def main():
    checker, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    files = sorted(folder.glob("*.csv"))
    if any(said(file, "needs") for file in files):
        pmus = known_pmus(checker)
        files = [file for file in files if said(file, "needs") in [None, *pmus]]
    failures = [(file.name, complaint(checker, file)) for file in files]
    failures.append(("not_there.csv", missing_file(checker, folder)))
    if pathlib.Path(checker).name == "check_presets": # other readers of tables have options of their own
        failures += [(" ".join(["check_presets", *words]), wrong_arguments(checker, words)) for words in WRONG_ARGUMENTS]
    bad = [(name, text) for name, text in failures if text is not None]
    for name, text in bad:
        print(f"{name}: {text}")
    print(f"{len(failures) - len(bad)} of {len(failures)} as expected")
    # Finding no table is not a success.
    sys.exit(bool(bad) or not files)


if __name__ == "__main__":
    main()
