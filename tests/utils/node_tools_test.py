#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: node_tools_test.py RESULTS CASE

What the utilities about events printed on the emulated node (tests/node: program tools.CASE): its PMU counts
cycles and instructions, has an event for software to count and the two stalls, which stay 0, and nothing else.
"""
import json
import pathlib
import re
import sys

# Of the architecture's events those that QEMU's PMU has, by the processor's names and by the kernel's.
PROCESSOR = {"CPU_CYCLES", "INST_RETIRED", "SW_INCR", "STALL_FRONTEND", "STALL_BACKEND"}
KERNEL = {name.lower() for name in PROCESSOR - {"SW_INCR"}}  # which it has no name for
# The kernel's own names for them, in libpfm4's spelling.
GENERIC = {"PERF_COUNT_HW_CPU_CYCLES", "CYCLES", "CPU-CYCLES", "PERF_COUNT_HW_INSTRUCTIONS", "INSTRUCTIONS",
           "PERF_COUNT_HW_STALLED_CYCLES_FRONTEND", "STALLED-CYCLES-FRONTEND", "IDLE-CYCLES-FRONTEND",
           "PERF_COUNT_HW_STALLED_CYCLES_BACKEND", "STALLED-CYCLES-BACKEND", "IDLE-CYCLES-BACKEND"}
# What the kernel counts without the PMU.
SOFTWARE = re.compile(r"(PERF_COUNT_SW_.*|(CPU|TASK)-CLOCK|(PAGE-|MINOR-|MAJOR-|ALIGNMENT-|EMULATION-)?FAULTS|"
                      r"(CONTEXT|CGROUP)-SWITCHES|CS|(CPU-)?MIGRATIONS|DUMMY|BPF-OUTPUT)")
# Instructions of the work that papi_command_line does: at least four for each of its 1,023,000 steps.
LEAST, MOST = 4_000_000, 40_000_000


def fail(text):
    sys.exit(f"FAILED: {text}")


def same(got, wanted, what):
    if got != wanted:
        fail(f"{what}: {got}, not {wanted}")


def log(results, name):
    skip = results / "skip"
    if skip.exists():
        print(skip.read_text(), end="")
        sys.exit(77)
    status = results / f"tools.{name}.status"
    if not status.exists():
        fail(f"the node did not run tools.{name}")
    text = (results / f"tools.{name}.log").read_text()
    print(text)
    same(status.read_text().strip(), "0", f"status of tools.{name}")
    return text


def command_line(results):
    counts = {event["name"]: event["count"] for event in json.loads(log(results, "command_line"))["events"]}
    same(set(counts), {"PAPI_TOT_CYC", "PAPI_TOT_INS"}, "events")
    cycles, instructions = counts["PAPI_TOT_CYC"], counts["PAPI_TOT_INS"]
    if not LEAST <= instructions <= MOST:
        fail(f"{instructions} instructions")
    # One instruction is one cycle there; the two counters do not start at the same instruction.
    if abs(cycles - instructions) > instructions // 100:
        fail(f"{cycles} cycles, {instructions} instructions")


def command(results):
    counts = [int(count) for count in re.findall(r"^PAPI_TOT_INS : \t(\d+)$", log(results, "command"), re.MULTILINE)]
    same(len(counts), 2, "counts")
    inner, outer = counts
    # The command counted its work; what counted it saw that, and the rest of the command.
    if not (LEAST <= inner <= MOST and inner + 100_000 <= outer):
        fail(f"the command counted {inner} instructions, and was counted with {outer}")


def validate(results):
    listed = re.findall(r"^([a-z]\w+)$", log(results, "kernel"), re.MULTILINE)
    same(set(listed), KERNEL, "events that the kernel names")
    found = {}
    for name in log(results, "validate").split():
        pmu, event = name.split("::") if "::" in name else name.strip("/").split("/")
        found.setdefault(pmu, set()).add(event)
    same(found.pop("arm_n1"), PROCESSOR, "events of the processor")
    same(found.pop("armv8_pmuv3"), set(listed), "the kernel's names that count")
    perf = {event for event in found.pop("perf") if not SOFTWARE.fullmatch(event)}
    same(perf - GENERIC, set(), "generic events beyond those of the PMU")
    same(perf >= {"CYCLES", "INSTRUCTIONS"}, True, f"cycles and instructions: {perf}")
    # The raw event 0 is the one for software to count.
    same(found.pop("perf_raw", {"r0000"}), {"r0000"}, "raw events")
    same(found, {}, "other PMUs")


def chooser(results):
    document = json.loads(log(results, "chooser"))
    presets = {preset["name"] for preset in document["presets"]}
    same("PAPI_TOT_INS" in presets and "PAPI_TOT_CYC" not in presets, True, f"presets that go with PAPI_TOT_CYC: {presets}")
    same(document["total"], len(document["presets"]), "total")


def verdicts(results, name):
    """Those of papi_check_presets on what counts there; and its explanations."""
    text = log(results, name)
    return dict(re.findall(r"(?m)^(PAPI_\w+) +(counts|does not|unsure|not tested)\b", text)), re.sub(r"\s+", " ", text)


def check_presets(results):
    """Definitions that are right. An x86-64 node counts instructions for all events but cycles, which refutes nothing."""
    found, _ = verdicts(results, "check_presets")
    same([name for name, verdict in found.items() if verdict == "does not"], [], "presets that are called wrong")
    same(found["PAPI_TOT_INS"], "counts", "verdict on instructions")
    if "PAPI_FP_OPS" in found:
        same(found["PAPI_FP_OPS"], "unsure", "verdict on an event that counts every n-th instruction")
    else:
        same(found["PAPI_TOT_CYC"], "counts", "verdict on cycles")


def check_wrong(results):
    """PAPI_TOT_INS is twice the instructions there (node_check_presets.csv)."""
    found, text = verdicts(results, "check_wrong")
    same([name for name, verdict in found.items() if verdict == "does not"], ["PAPI_TOT_INS"], "presets that are called wrong")
    wanted = "PAPI_TOT_INS: integer: counted 12.00 for each iteration, not 6.00; in all kernels 2 x what it claims"
    same(wanted in text, True, f"that it says: {wanted}")


def main():
    results, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    {"command_line": command_line, "command": command, "validate": validate, "chooser": chooser, "check_presets": check_presets,
     "check_wrong": check_wrong}[case](results)


if __name__ == "__main__":
    main()
