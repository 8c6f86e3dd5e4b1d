#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""advice_test.py SETTINGS.json SECTION: what goes wrong for a user, and whether the advice that is printed works.

A section of refusals.ini is one thing that goes wrong. It is run by a shell in an empty folder that has a copy of
programs/, with the installed tools and library (tests/install) in its PATH (behind the folder's bin) and LD_LIBRARY_PATH:

  needs     a word for each condition, else it is skipped: no-pmu, software-events, cgroup, emulator,
            mpich, openmpi, fortran
  environment
            NAME=value, one a line, for all commands of the section
  before    commands that prepare it, one a line; they succeed
  command   what somebody types
  says      regular expressions, one a line, which its output (both streams) matches
  lacks     the same, which it does not match
  once      words that are in the output once
  advice    a regular expression with one group: the command that the output names, which is run in the same folder
  with      what a user puts in the place of "..." in it
  then      regular expressions that the advice's output matches
  status    with which it exits, if that is not 0

Status: 0 passed, 1 failed, 77 skipped.
"""
import configparser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import run  # noqa: E402 pylint: disable=wrong-import-position

HERE = pathlib.Path(__file__).parent
FOREIGN = re.compile(r"^(C_INCLUDE_PATH|CPATH|LIBRARY_PATH|LD_LIBRARY_PATH|LD_PRELOAD|PKG_CONFIG.*|papi_.*|PAPI_.*)$")


class Place:
    """The folder in which a section's commands run, and their environment."""

    def __init__(self, settings, folder):
        prefix = pathlib.Path(settings["work"], "prefix")
        lib = prefix / settings["libdir"]
        self.folder = folder
        self.environment = {k: v for k, v in os.environ.items() if not FOREIGN.match(k)}
        self.environment |= {
            "PATH": f"{folder}/bin:{prefix}/bin:{self.environment['PATH']}", "LD_LIBRARY_PATH": str(lib),
            "PKG_CONFIG_PATH": f"{lib}/pkgconfig", "LC_ALL": "C", "UCX_TLS": "sm,self", "CC": settings["C"], "FC": settings["Fortran"]}
        shutil.copytree(HERE / "programs", folder, dirs_exist_ok=True)

    def run(self, command):
        """The exit status and the output, of both streams."""
        print("$", command, flush=True)
        done = run("bash", "-c", command, cwd=self.folder, env=self.environment, stderr=subprocess.STDOUT)
        print(done.stdout, end="", flush=True)
        return done.returncode, done.stdout

    def missing(self, need):
        """Why a condition does not hold here; None: it does."""
        if need == "no-pmu":
            return "the processor has counters here" if self.run("papi_command_line PAPI_TOT_CYC")[0] == 0 else None
        if need == "software-events":
            return "no software events count here" if self.run("papi_command_line perf::TASK-CLOCK")[0] != 0 else None
        if need == "cgroup":
            return "no control group can be counted" if self.run("papi_command_line --cgroup=/ -i 0.1 -n 1 perf::TASK-CLOCK")[0] != 0 else None
        if need == "emulator":
            return "papi_emulate does not run" if self.run("papi_emulate true")[0] != 0 else None
        tool = {"fortran": self.environment["FC"], "mpich": "mpiexec.mpich",
                "openmpi": "mpiexec.openmpi"}[need]
        return None if shutil.which(tool, path=self.environment["PATH"]) else f"there is no {tool}"


def lines(section, key):
    return [line for line in section.get(key, "").splitlines() if line]


def faults(section, output):
    for expression in lines(section, "says"):
        if not re.search(expression, output, re.MULTILINE):
            yield f"the output does not have {expression}"
    for expression in lines(section, "lacks"):
        if re.search(expression, output, re.MULTILINE):
            yield f"the output has {expression}"
    for words in lines(section, "once"):
        if output.count(words) != 1:
            yield f"the output has {output.count(words)} times, not once: {words}"


def advice_faults(section, place, output):
    found = re.search(section["advice"], output)
    if not found:
        yield f"the output does not name a command: {section['advice']}"
        return
    status, printed = place.run(found[1].replace("...", section.get("with", "...")))
    if status != int(section.get("status", "0")):
        yield f"the advice exits with {status}"
    for expression in lines(section, "then"):
        if not re.search(expression, printed, re.MULTILINE):
            yield f"the advice's output does not have {expression}"


def check(section, place):
    for command in lines(section, "before"):
        if place.run(command)[0] != 0:
            return [f"{command} failed"]
    output = place.run(section["command"])[1]
    found = list(faults(section, output))
    return found + (list(advice_faults(section, place, output)) if "advice" in section else [])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    sections = configparser.RawConfigParser()
    sections.read(HERE / "refusals.ini", encoding="utf-8")
    section = sections[sys.argv[2]]
    with tempfile.TemporaryDirectory() as folder:
        place = Place(settings, folder)
        place.environment |= dict(line.split("=", 1) for line in lines(section, "environment"))
        for need in section.get("needs", "").split():
            reason = place.missing(need)
            if reason:
                print(f"SKIP: {reason}")
                return 77
        found = check(section, place)
    for fault in found:
        print(f"FAILED: {fault}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
