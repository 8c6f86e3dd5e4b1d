#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: visible.py TOOL...

What others wrote cannot command the terminal of whoever reads it: arguments, event files and results with
control characters, changes of direction, characters without width and bytes that are no UTF-8 are shown
otherwise by every tool, on standard output and in messages; letters of any script stay.
"""
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

LETTERS = "é漢"
HIDDEN = (b"\x1b[2J\x07\r\b\x7f\x01" + "\u202e\u2066\u061c\u200b\u200f\u2028\u2060\ufeff\u00ad\u009b1m".encode() +
          b"\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80")
HOSTILE = HIDDEN + LETTERS.encode()
# As JSON has it, which has no bytes that are no UTF-8.
NAME = HOSTILE.decode(errors="ignore")

# Of the tools that measure: few measurements.
QUICK = {"papi_cost": ["-t", "100"], "papi_multiplex_cost": ["-t", "100", "-x", "2"], "papi_clockres": ["-n", "1000"],
         "papi_exporter": ["--once"]}

# Controls, directions, no width, separators, tags.
WRONG = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
                   "\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]")


class Differences(list):
    def check(self, words, output, what):
        try:
            text = output.decode()
        except UnicodeDecodeError as problem:
            self.append(f"{what} of {words} is no UTF-8: {problem}: {output[max(problem.start - 80, 0):][:160]!r}")
            return
        found = WRONG.search(text)
        if found:
            self.append(f"{what} of {words} has {found[0]!a}: {text[max(found.start() - 80, 0):found.end() + 80]!a}")


def run(folder, words, found, **environment):
    result = running.run(*words, cwd=folder, env=running.clean(**{"LC_ALL": "C.UTF-8", **environment}), text=False)
    shown = [os.path.basename(words[0]), *words[1:], *environment]
    found.check(shown, result.stdout, "standard output")
    found.check(shown, result.stderr, "standard error")
    if result.returncode < 0:
        found.append(f"{shown} was ended by signal {-result.returncode}")
    return result


def options_of(tool, folder, found):
    """Those that take a value, short and long."""
    text = run(folder, [tool, "--help"], found).stdout.decode()
    return sorted(set(re.findall(r"(?<![\w-])(--[\w-]+)\[?=\[?[A-Z]", text) + re.findall(r"^ +(-\w)[ ,].*=\[?[A-Z]", text, re.M)))


def check_arguments(tool, folder, found):
    letters = False
    script = os.path.basename(tool) == "papi_mpirun" # passes all on
    if not script:
        wrong = [[HOSTILE], [HOSTILE, HOSTILE], [b"--" + HOSTILE], [b"--json=" + HOSTILE], [b"--he" + HOSTILE],
                 [b"-" + HOSTILE], [b"--text=" + HOSTILE], [b"perf::" + HOSTILE], [b"cpu/" + HOSTILE + b"/"]]
        for option in options_of(tool, folder, found):
            value = option.encode() + (b"=" if option.startswith("--") else b"") + HOSTILE
            wrong += [[value], [value, b"x"], [b"--json", value]]
        quick = QUICK.get(os.path.basename(tool), [])
        for words in wrong:
            result = run(folder, [tool, *quick, *words], found)
            letters |= LETTERS in result.stderr.decode(errors="replace")
        if not letters:
            found.append(f"{os.path.basename(tool)}: no message shows {LETTERS}")
        return
    fake = pathlib.Path(folder) / ("mpi" + LETTERS)
    fake.write_bytes(b"#!/bin/sh\nprintf '%s' '" + HIDDEN.replace(b"\r", b"") + b"'\n")
    fake.chmod(0o755)
    for value in (HOSTILE, str(fake)):
        run(folder, [tool, HOSTILE], found, PAPI_MPIRUN=value)


def check_event_files(tool, folder, found):
    text = b"\x1b" + HOSTILE.replace(b"\r", b"")
    rows = [b'EVENT,MINE,NOT_DERIVED,perf::PAGE-FAULTS,SDESC,"' + text + b'",LDESC,"' + text + b'",NOTE,"' + text + b'"',
            b"EVENT,THEIRS,DERIVED_ADD," + text + b",perf::" + text,
            b"PRESET,PAPI_TOT_INS,NOT_DERIVED,cpu/" + text + b'/,NOTE,"' + text + b'"',
            b"PRESET,PAPI_TOT_CYC,NONE,NOTE," + text, b"EVENT," + text + b",NOT_DERIVED,x", text]
    events = pathlib.Path(os.fsdecode(os.fsencode(folder) + b"/events" + b"\x1b\xff" + "\u202e".encode()))
    events.write_bytes(b"\n".join(rows) + b"\n")
    presets = pathlib.Path(folder) / "presets"
    presets.write_bytes(b"CPU,perf\n" + b"\n".join(rows) + b"\n")
    quick = QUICK.get(os.path.basename(tool), [])
    for words in ([], ["MINE"], ["-e", "MINE"], ["-e", "THEIRS"], ["-d"], ["-a"], ["PRESET", "MINE"], ["--json"]):
        for debug in ("0", "1"):
            run(folder, [tool, *quick, *words], found, PAPI_DEBUG=debug, PAPI_USER_EVENTS_FILE=str(events),
                PAPI_CSV_EVENT_FILE=str(presets))


def check_results(tool, folder, found):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mpi/report"))
    import result # pylint: disable=import-outside-toplevel,import-error
    job = result.result([10**9], counters={NAME[:40]: [1]}, regions=[result.region(NAME, 1, 2, counters=[3])],
                        name=NAME, program="/" + NAME, command=NAME, host=NAME, counter_reason=NAME)
    job["rows"][0]["host"] = NAME
    path = os.path.join(folder, "job.json")
    for fixed in (True, False):
        result.write(path, job, fixed)
        for words in (["-t"], ["-j"], ["--html"], ["-r", path], *[["--csv=" + t] for t in
                      ("ranks", "metrics", "calls", "regions", "efficiency")]):
            done = run(folder, [tool, *words, path], found)
            if done.returncode != 0:
                found.append(f"papi_mpi_report {words} has status {done.returncode}: {done.stderr!r}")
            if words == ["-j"] and json.loads(done.stdout)["job"]["command"] != NAME:
                found.append("the names in JSON are not those that were read")
    # Names of keys, and what is no JSON.
    for text in (json.dumps({"format": NAME}), json.dumps({NAME: 1, "x": NAME})[:-1], NAME):
        with open(path, "wb") as file:
            file.write(text.encode() + HIDDEN)
        run(folder, [tool, path], found)
    for words in ([HOSTILE], ["--recover", HOSTILE], ["--recover", folder], ["-o", HOSTILE + b"/x", path]):
        run(folder, [tool, *words], found)


def check(tool):
    found = Differences()
    tool = os.path.abspath(tool)
    name = os.path.basename(tool)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        check_arguments(tool, folder, found)
        if name == "papi_mpi_report":
            check_results(tool, folder, found)
        elif name not in ("papi_emulate", "papi_mpirun"):
            check_event_files(tool, folder, found)
    print(f"{name}: {time.monotonic() - start:.1f} s")
    return found


def main():
    found = [difference for tool in sys.argv[1:] for difference in check(tool)]
    for difference in found:
        print("does not hold: " + str(difference))
    print(f"{len(sys.argv) - 1} tools, {len(found)} differences")
    sys.exit(bool(found) or len(sys.argv) < 2)


if __name__ == "__main__":
    main()
