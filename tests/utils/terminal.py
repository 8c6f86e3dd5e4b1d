#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: terminal.py TOOL

Runs the tool on a terminal of 80 columns with each set of arguments that FORMS has for it: no line may be longer,
but for what cannot be broken: a single word, and what is for programs (JSON, XML, CSV).

Exit status: 0, 1 for a longer line, 77 for skipped, where no terminal can be made.
"""
import fcntl
import os
import pathlib
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

COLUMNS = 80
HERE = os.path.dirname(os.path.abspath(__file__))
EVENT = "perf::TASK-CLOCK"
MASKS = "perf::PERF_COUNT_HW_CACHE_L1D"
FORMS = {
    "papi_avail": ["", "-a", "-c", "-d", "-a -d", "--l1 --fp", f"-e {EVENT}", f"-e {MASKS}", "-e PAPI_FP_OPS",
                   "-e PAPI_L1_DCM", "-e PAPI_NO_SUCH_EVENT_OF_A_RATHER_LONG_NAME_THAT_FILLS_MORE_THAN_A_LINE", "--nodes"],
    "papi_native_avail": ["", "--names", "--validate", f"-e {EVENT}", f"-e {MASKS}", "-e no_such_pmu::NO_SUCH_EVENT:AT_ALL",
                          "-c"],
    "papi_event_chooser": ["", f"NATIVE {EVENT}", "PRESET PAPI_FP_OPS", "PRESET PAPI_TOT_INS PAPI_TOT_CYC"],
    "papi_component_avail": ["", "-d"],
    "papi_check_presets": ["", "PAPI_TOT_INS PAPI_FP_OPS", "-o /no/such/folder/whose/name/is/so/long/that/it/does/not/fit/into/a/line"],
    "papi_decode": [],
    "papi_xml_event_info": [],
    "papi_command_line": [f"{EVENT} perf::PAGE-FAULTS", "PAPI_TOT_INS", f"{EVENT} PAPI_FP_OPS -- true",
                          f"{EVENT} -- /no/such/program/in/a/folder/whose/name/is/so/long/that/it/does/not/fit/in"],
    "papi_exporter": ["--once no_such_event_of_any_component", "-l nowhere"],
    "papi_doctor": ["", "-q"],
    "papi_mem_info": [""],
    "papi_hardware_avail": [""],
    "papi_version": [""],
    "papi_error_codes": ["", "PAPI_ENOEVNT"],
    "papi_clockres": ["-n 1000"],
    "papi_cost": ["-t 10", "-t 10 -d", "-t 10 -s"],
    "papi_multiplex_cost": ["-t 10 -x 2"],
    "papi_emulate": ["", "--events", "--report true", "--report --caches true"],
    "papi_profile": ["", "--show=/no/such/file/in/a/folder/whose/name/is/so/long/that/it/does/not/fit/into/the/line",
                     f"--show={HERE}/profile.json"],
    "papi_roofline": [f"--roofs={HERE}/roofs.json", "--roofs=/no/such/file/in/a/folder/whose/name/is/so/long/that/it/does/not/fit/into/a/line"],
    "papi_openmp": ["true", "/no/such/program/in/a/folder/whose/name/is/so/long/that/it/does/not/fit/into/the/line"],
    "papi_gate": ["", f"report {HERE}/gate.json {HERE}/gate.json", "bisect --help"],
    "papi_why": ["", "--limit=0 true"],
    "papi_mpi_report": [""],
    "papi_mpirun": [""],
}
EVERY = ["--help", "--version", "--no-such-option-of-any-tool", "a_word_too_many --"]
ENVIRONMENT = running.clean(LC_ALL="C", TERM="xterm")


def open_terminal():
    """Both its ends. In a chroot there may be no /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        print(f"SKIP: no terminal can be made here, is /dev/pts mounted? {error}")
        sys.exit(77)


def on_terminal(command, environment, columns=COLUMNS):
    """What appears on a terminal of so many columns, and the exit status."""
    ours, its = open_terminal()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=environment, start_new_session=True)
    os.close(its)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode(errors="replace").replace("\r\n", "\n")


def width(line):
    return len(line.expandtabs())


def shown_lines(text):
    """What a carriage return begins stands in the place of what was there, as progress does; "\\033[K" clears the rest."""
    return [line.replace("\033[K", "") for line in re.split("[\r\n]", text)]


def long_lines(text):
    return [line for line in shown_lines(text) if width(line) > COLUMNS and len(line.split()) > 1]


def check_progress(found):
    """Progress is as wide as its widest state, whether or not the tool is slow enough here to show it."""
    for words, wanted in (("at work:", 0), ("at work " * 10, 200)):
        script = f"for i in $(seq 200); do printf '\\r{words} %d %%' $i; done; printf '\\r\\033[Kdone\\n'"
        text = on_terminal(["sh", "-c", script], ENVIRONMENT)[1]
        if not text.endswith("200 %\r\033[Kdone\n") or len(long_lines(text)) != wanted:
            found.append(f"{len(long_lines(text))} of 200 states of progress are too long, not {wanted}: {text!r}")


def check(tool, words, environment, found):
    status, text = on_terminal([tool, *words], environment)
    what = " ".join([os.path.basename(tool), *words])
    if status < 0:
        found.append(f"{what}: ended by signal {-status}")
    if not text.strip():
        found.append(f"{what}: nothing was printed")
    for line in long_lines(text)[:4]:
        found.append(f"{what}: {width(line)} columns: {line}")


def main():
    tool = sys.argv[1]
    name = os.path.basename(tool)
    tables = {"PAPI_CSV_EVENT_FILE": os.path.join(os.path.dirname(os.path.abspath(__file__)), "software_presets.csv")}
    found = []
    check_progress(found)
    for form in map(shlex.split, FORMS[name] + EVERY):
        check(tool, form, ENVIRONMENT, found)
        if name in ("papi_avail", "papi_event_chooser"):
            check(tool, form, ENVIRONMENT | tables, found)
    for line in found:
        print(line)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
