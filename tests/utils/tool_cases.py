#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: tool_cases.py TOOL CASES.ini CASE REFUSE

Runs a command-line tool once, as a section of CASES.ini says, and compares. In a section:

  arguments    for the tool, as a shell would split them; {here} is the folder of CASES.ini
  environment  NAME=value, one a line; {here} as above
  needs        what the machine must have, else the case is skipped: no-pmu, software-events, x86
  before       a library that is loaded before the tool's own; it lies beside REFUSE
  refused      EACCES, EPERM, ENOSYS: what perf_event_open fails with, as in a container (the program REFUSE)
  output       a file for standard output, instead of looking at it
  status       the exit status (0)
  has, lacks   regular expressions, one a line, that standard output must and must not match
  error        the same for standard error; without it, nothing may be printed there
  json         Python expressions, one a line, that must hold; d is standard output, parsed
  xml          the same; d is the root of the document, an xml.etree element

Exit status: 0, 1 for a difference, 77 for skipped.
"""
import configparser
import ctypes
import glob
import json
import os
import pathlib
import platform
import re
import shlex
import struct
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "riscv64": 241, "ppc64le": 319}


def software_events():
    """Whether the kernel lets this process count a software event: a seccomp filter may not."""
    number = PERF_EVENT_OPEN.get(platform.machine())
    if number is None:
        return True
    attributes = struct.pack("=IIQ", 1, 64, 1).ljust(64, b"\0")  # PERF_TYPE_SOFTWARE, TASK_CLOCK
    attributes = attributes[:40] + struct.pack("=Q", 0x60) + attributes[48:]  # user mode alone
    fd = ctypes.CDLL(None).syscall(number, attributes, 0, -1, -1, 0)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def no_pmu():
    """The drivers of processors' PMUs are called cpu, cpu_core, armv8_pmuv3_0 ..."""
    pmus = "/sys/bus/event_source/devices/"
    return not any(glob.glob(pmus + name) for name in ("cpu", "cpu_*", "armv[78]*", "riscv*"))


NEEDS = {"software-events": software_events, "no-pmu": no_pmu, "x86": lambda: platform.machine() == "x86_64"}


def lines(case, key):
    return [line for line in case.get(key, "").splitlines() if line.strip()]


def library_before(case, refuse):
    return os.path.join(os.path.dirname(refuse), f"lib{case['before']}.so")


def run(tool, case, here, refuse):
    environment = running.clean()
    for setting in lines(case, "environment"):
        name, value = setting.split("=", 1)
        environment[name] = value.format(here=here)
    if "before" in case:
        environment["LD_PRELOAD"] = library_before(case, refuse)
    command = [tool, *shlex.split(case.get("arguments", "").format(here=here))]
    if "refused" in case:
        command = [refuse, case["refused"], *command]
    out = open(case["output"], "wb") if "output" in case else subprocess.PIPE
    return running.run(*command, env=environment, stdout=out, text=False)


def text_differences(case, stdout, stderr):
    for pattern in lines(case, "has"):
        if not re.search(pattern, stdout, re.MULTILINE):
            yield f"no match for  {pattern}"
    for pattern in lines(case, "lacks"):
        if re.search(pattern, stdout, re.MULTILINE):
            yield f"a match for  {pattern}"
    for pattern in lines(case, "error"):
        if not re.search(pattern, stderr, re.MULTILINE):
            yield f"on standard error no match for  {pattern}"
    if stderr and "error" not in case:
        yield "something on standard error"


def document_differences(case, key, parse, stdout):
    if key not in case:
        return
    try:
        document = parse(stdout)
    except (ValueError, SyntaxError) as problem:
        yield f"no {key}: {problem}"
        return
    for expression in lines(case, key):
        # One scope, so that comprehensions see d.
        if not eval(expression, {"d": document}):  # pylint: disable=eval-used
            yield f"does not hold:  {expression}"


def differences(case, result):
    stdout = (result.stdout or b"").decode(errors="surrogateescape")
    stderr = result.stderr.decode(errors="surrogateescape")
    status = result.returncode
    if status == 1 and case.getint("status", 0) == 0 and "refused" not in case and not software_events():
        # The machine itself refuses all counters: a listing says so after what the case is about.
        stderr, said = re.subn(r"^papi_\w+: nothing can be counted here: .*\n", "", stderr, flags=re.MULTILINE)
        status = 0 if said and not stderr else status
    if status != case.getint("status", 0):
        yield f"exit status {result.returncode}"
    yield from text_differences(case, stdout, stderr)
    yield from document_differences(case, "json", json.loads, stdout)
    yield from document_differences(case, "xml", xml.etree.ElementTree.fromstring, stdout)


def main():
    tool, file, name, refuse = sys.argv[1:]
    table = configparser.ConfigParser(interpolation=None)
    table.read_string(pathlib.Path(file).read_text())
    case = table[name]
    missing = [need for need in case.get("needs", "").split() if not NEEDS[need]()]
    if missing:
        print("SKIP: the machine does not have:", *missing)
        sys.exit(77)
    if "before" in case and not os.path.exists(library_before(case, refuse)):
        print(f"SKIP: no library {library_before(case, refuse)} (the sanitizers' builds have none)")
        sys.exit(77)
    result = run(tool, case, pathlib.Path(file).resolve().parent, refuse)
    if "refused" in case and result.returncode == 77:
        print("SKIP: there is no seccomp:", result.stderr.decode(errors="replace"))
        sys.exit(77)
    found = list(differences(case, result))
    for difference in found:
        print(difference)
    if found:
        print("--- standard output\n" + (result.stdout or b"").decode(errors="replace"))
        print("--- standard error\n" + result.stderr.decode(errors="replace"))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
