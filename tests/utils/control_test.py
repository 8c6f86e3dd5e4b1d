#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_command_line --control: control_test.py TOOL PROGRAM CASE, or control_test.py list

The program (controls.c) is one that is written for perf stat's --control. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import sys
import tempfile

import tool_cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

FAULTS = "perf::PAGE-FAULTS"
INSIDE, OUTSIDE = 110, 1000  # pages that the program touches


def check(holds, *what):
    if not holds:
        sys.exit("FAILED: " + " ".join(map(str, what)))


def run(tool, folder, *words, **how):
    return running.run(tool, "--json", *words, cwd=folder, env=running.clean(), **how)


def count_of(result):
    check(result.returncode == 0 and not result.stderr, result)
    document = json.loads(result.stdout)
    check(document["status"] == 0, document)
    return document["events"][0]["count"], document["seconds"]


def fifo(tool, program, folder):
    """What is counted is what lies between, however often, in the program and what it starts."""
    for name in ("ctl", "ack"):
        os.mkfifo(os.path.join(folder, name))
    counted, seconds = count_of(run(tool, folder, "--control=fifo:ctl,ack", "--delay=-1", FAULTS, "--", program, "ctl", "ack"))
    check(counted == INSIDE, counted)
    check(0 < seconds < 60, seconds)
    # Without --delay it counts from the beginning to the first "disable".
    more, _ = count_of(run(tool, folder, "--control=fifo:ctl,ack", FAULTS, "--", program, "ctl", "ack"))
    check(INSIDE + 300 <= more < INSIDE + OUTSIDE, more)


def descriptors(tool, program, folder):
    """Pipes that whoever starts it has made; nobody may close their ends but him."""
    ctl, ack = os.pipe(), os.pipe()
    words = [f"--control=fd:{ctl[0]},{ack[1]}", "-D", "-1", FAULTS, "--", program, str(ctl[1]), str(ack[0])]
    counted, _ = count_of(run(tool, folder, *words, pass_fds=[*ctl, *ack]))
    check(counted == INSIDE, counted)
    for descriptor in (*ctl, *ack):
        os.close(descriptor)


def never(tool, _, folder):
    """A command that enables nothing has a count of nothing, and does not keep the tool waiting."""
    os.mkfifo(os.path.join(folder, "ctl"))
    counted, seconds = count_of(run(tool, folder, "--control=fifo:ctl", "--delay=-1", FAULTS, "--", "true"))
    check(counted == 0 and seconds == 0, counted, seconds)


def shells(tool, _, folder):
    """A script, in which the time of an answer is what it waits for; and a word that is none is said."""
    for name in ("ctl", "ack"):
        os.mkfifo(os.path.join(folder, name))
    script = "exec 3>ctl 4<ack; echo enable >&3; read -r x <&4; true; echo disable >&3; read -r x <&4; echo frobnicate >&3; echo ping >&3; read -r x <&4"
    result = run(tool, folder, "--control=fifo:ctl,ack", "--delay=-1", "perf::CONTEXT-SWITCHES", FAULTS, "--", "bash", "-c", script)
    check(result.returncode == 0 and '--control: there is no "frobnicate"' in result.stderr, result)
    check(json.loads(result.stdout)["events"][0]["count"] >= 1, result.stdout)  # it waited for an answer


def refused(tool, _, folder):
    pathlib.Path(folder, "file").write_text("")
    for words, said, status in (
            (["--control=fifo:none", FAULTS, "--", "true"], "none: No such file", 1),
            (["--control=fifo:file", FAULTS, "--", "true"], "no named pipe: mkfifo makes one", 1),
            (["--control=fd:77", FAULTS, "--", "true"], "descriptor 77: Bad file descriptor", 1),
            (["--control=fd:x", FAULTS, "--", "true"], "descriptor x: it is not a number", 1),
            (["--control=pipe", FAULTS, "--", "true"], "fifo:CTL[,ACK] or fd:", 2),
            (["--control=fifo:file", FAULTS], "is for a command", 2),
            (["--control=fifo:file", "-i", "1", FAULTS, "--", "true"], "--interval", 2),
            (["--delay=-1", FAULTS, "--", "true"], "beside --control", 2),
            (["--delay=100", "--control=fifo:file", FAULTS, "--", "true"], "--delay is -1", 2)):
        result = run(tool, folder, *words)
        check(result.returncode == status and said in result.stderr and result.stdout == "", words, result)


CASES = {case.__name__: case for case in (fifo, descriptors, never, shells, refused)}


def main():
    if sys.argv[1] == "list":
        print("\n".join(CASES))
        return
    if not tool_cases.software_events():
        print("SKIP: the kernel lets no software event be counted")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        CASES[sys.argv[3]](sys.argv[1], sys.argv[2], folder)


main()
