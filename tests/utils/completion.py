#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""completion.py bash COMPLETIONS TOOL...: what bash offers where someone presses the tab key after a line;
COMPLETIONS is the folder of its files. completion.py zsh FILE: zsh can read its file.

Status: 0, 1, 77 without the shell.
"""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import clean, run  # noqa: E402 pylint: disable=wrong-import-position

# The words that readline would show, one a line, for $1 typed; $2 is the tool's file for bash.
SCRIPT = """
. "$2"
COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
_papi_complete "${1%% *}" "" ""
printf '%s\\n' "${COMPREPLY[@]}"
"""

# line: (offered, not offered); None: nothing at all is offered. What is offered replaces what bash takes for the
# word: the part after the last = or :
LINES = {
    "papi_avail --": ({"--avail", "--event=", "--json", "--help"}, {"-a"}),
    "papi_avail -": ({"-a", "-e", "--detail"}, {"PAPI_TOT_INS"}),
    "papi_avail --js": ({"--json"}, {"--help"}),
    "papi_avail --no-such": None,
    "papi_avail --event=PAPI_TOT_": ({"PAPI_TOT_INS", "PAPI_TOT_CYC"}, {"PAPI_L1_DCM", "--event=PAPI_TOT_INS"}),
    "papi_avail --event=perf::PAGE": ({"PAGE-FAULTS"}, {"perf::PAGE-FAULTS"}),
    "papi_avail -e PAPI_FP_": ({"PAPI_FP_OPS", "PAPI_FP_INS"}, {"PAPI_TOT_INS"}),
    "papi_avail -e perf::PERF_COUNT_HW_CACHE_L1D:": ({"READ", "MISS"}, {"PREFETCH:MISS"}),
    "papi_avail -e nothing::": None,
    "papi_avail ": None,
    "papi_native_avail --event=perf::CONTEXT": ({"CONTEXT-SWITCHES"}, {"PAPI_TOT_INS"}),
    "papi_doctor -": ({"-q", "--quiet", "--json"}, {"-a"}),
    "papi_cost --": ({"--bins=", "--threshold=", "--graph"}, set()),
    "papi_cost -t ": None,
    "papi_error_codes PAPI_EN": ({"PAPI_ENOEVNT", "PAPI_ENOMEM"}, {"PAPI_OK"}),
    "papi_command_line PAPI_TOT_INS perf::TASK": ({"TASK-CLOCK"}, {"perf::TASK-CLOCK"}),
    "papi_command_line PAPI_TOT_INS -- printen": ({"printenv"}, {"PAPI_TOT_INS"}),
    "papi_event_chooser ": ({"PRESET", "NATIVE"}, {"PAPI_TOT_INS"}),
    "papi_event_chooser PRESET PAPI_TOT": ({"PAPI_TOT_INS"}, {"PRESET"}),
    "papi_emulate --rep": ({"--report"}, {"--help"}),
    "papi_emulate printen": ({"printenv"}, {"PAPI_TOT_INS"}),
}


def offered(bash, line, completions, path):
    tool = line.split()[0]
    result = run(bash, "--norc", "-c", SCRIPT, "bash", line, os.path.join(completions, tool), status=0, env=clean(PATH=path))
    return set(result.stdout.split("\n")) - {""}, result.stderr


def judge(line, found, errors):
    expected = LINES[line]
    if errors:
        yield f"{line!r}: on standard error {errors}"
    if expected is None:
        if found:
            yield f"{line!r}: {sorted(found)[:9]} are offered"
        return
    if not expected[0] <= found:
        yield f"{line!r}: {sorted(expected[0] - found)} are not among {sorted(found)[:9]}"
    if expected[1] & found:
        yield f"{line!r}: {expected[1] & found} are offered"


def every_tool(bash, tools, completions, path):
    """Options of all tools, with a file for each that bash finds by its name."""
    for tool in map(os.path.basename, tools):
        found, errors = offered(bash, tool + " --", completions, path)
        if errors or not {"--help", "--json"} <= found | ({"--json"} if "emulate" in tool or "mpi" in tool else set()):
            yield f"{tool}: {sorted(found)} {errors}"


def zsh_main(zsh, file):
    result = subprocess.run([zsh, "-n", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(result.stdout)
    return 1 if result.returncode or result.stdout else 0


def bash_main(bash, completions, *tools):
    names = {os.path.basename(tool) for tool in tools}
    problems, lines = [], [line for line in LINES if line.split()[0] in names]
    with tempfile.TemporaryDirectory() as folder:
        for tool in tools:
            os.symlink(tool, os.path.join(folder, os.path.basename(tool)))
        path = folder + ":" + os.environ["PATH"]
        for line in lines:
            problems += judge(line, *offered(bash, line, completions, path))
        problems += every_tool(bash, tools, completions, path)
        # By a path instead of PATH.
        line = shlex.quote(os.path.join(folder, "papi_avail")) + " -e PAPI_TOT_I"
        result = subprocess.run([bash, "--norc", "-c", SCRIPT, "bash", line, os.path.join(completions, "papi_avail")],
                                stdout=subprocess.PIPE, text=True, check=True, timeout=600)
        if result.stdout.split() != ["PAPI_TOT_IIS", "PAPI_TOT_INS"]:
            problems.append(f"by its path: {result.stdout!r}")
    print(f"{len(lines)} of {len(LINES)} lines, {len(names)} tools")
    print(*problems, sep="\n")
    return 1 if problems or not lines else 0


def main():
    name = sys.argv[1]
    shell = shutil.which(name)
    if shell is None:
        print(f"SKIP: {name} is not installed")
        return 77
    return (bash_main if name == "bash" else zsh_main)(shell, *sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
