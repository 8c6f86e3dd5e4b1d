#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: uncore.py PAPI_COMPONENT_AVAIL PAPI_NATIVE_AVAIL

What the tools list of PMUs outside the cores: on the files of a machine with two sockets (machines.py) to which those
of such PMUs are added, and on the same without."""
import json
import pathlib
import sys
import tempfile

import machines

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import clean, run  # noqa: E402 pylint: disable=wrong-import-position

ADDED = {"power": {"type": 8, "cpumask": "0,40", "events/energy-pkg": "event=0x02", "events/energy-ram": "event=0x03",
                   "events/energy-pkg.scale": "2.3283064365386962890625e-10", "events/energy-pkg.unit": "Joules",
                   "format/event": "config:0-7"},
         "uncore_imc_0": {"type": 13, "cpumask": "0,40", "events/cas_count_read": "event=0x04,umask=0x03",
                          "format/event": "config:0-7", "format/umask": "config:8-15"},
         # A part of the core's own: with cpumask and cpus.
         "cpu_part": {"type": 20, "cpumask": "0", "cpus": "0-79", "events/mine": "event=0x1",
                      "format/event": "config:0-7"}}
WANTED = ["power/energy-pkg/", "power/energy-ram/", "uncore_imc_0/cas_count_read/"]


def output(command, environment):
    return run(*command, status=(0, 1), env=clean("LIBPFM_", **environment)).stdout


def listed(tool, component, environment):
    """The events that have the kernel's names; libpfm4 knows others by the processor's model."""
    found = json.loads(output([tool, f"--component={component}", "--json"], environment))["components"]
    return [event["name"] for part in found for event in part["events"] if "/" in event["name"]]


def check(holds, what):
    if not holds:
        sys.exit(f"FAIL: {what}")


def about(tool, environment):
    parts = json.loads(output([tool, "--json"], environment))["components"]
    return next(part for part in parts if part["name"] == "perf_event_uncore")


def main():
    components, natives = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        environment = machines.write("two-socket-intel", folder)
        check(listed(natives, "perf_event_uncore", environment) == [], "events of PMUs that are not there")
        reason = about(components, environment)["disabled_reason"]
        check("no PMU outside the cores" in reason or "PAPI_SYSROOT" in reason, reason)
        for pmu, files in ADDED.items():
            for name, text in files.items():
                file = pathlib.Path(folder, machines.EVENT_SOURCES, pmu, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"{text}\n", encoding="ascii")
        found = listed(natives, "perf_event_uncore", environment)
        check(found == WANTED, found)
        found = listed(natives, "perf_event", environment)
        check("cpu/instructions/" in found and "cpu_part/mine/" in found and not set(found) & set(WANTED), found)
        reason = about(components, environment)["disabled_reason"]
        check("PAPI_SYSROOT" in reason, reason) # there is such a PMU, on another machine
        text = output([natives, "-e", "power/energy-pkg/:cpu=40"], environment)
        check("perf_event_uncore" in text and "energy-pkg" in text, text)
        text = output([natives, "-e", "power/energy-pkg/"], environment)
        check("Units:          2.3283064365386962890625e-10 Joules\n" in text, text)


main()
