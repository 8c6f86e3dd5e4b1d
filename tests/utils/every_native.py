#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: every_native.py PAPI_NATIVE_AVAIL LIST_PFM

papi_native_avail lists every event and every mask that libpfm4 has: for this machine, and for each
processor of its tables, which LIBPFM_FORCE_PMU makes it take for this one.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

ENVIRONMENT = running.clean("LIBPFM_")


def output(command, pmu):
    environment = ENVIRONMENT | ({"LIBPFM_FORCE_PMU": pmu} if pmu else {})
    result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            check=False, timeout=600)
    # Names are listed where nothing can be counted, too; that is then said.
    if result.returncode != 0 and "nothing can be counted here" not in result.stderr:
        sys.exit(f"{command} for {pmu}: exit status {result.returncode}\n{result.stderr}")
    return result.stdout


def names_in_json(text):
    for component in json.loads(text)["components"]:
        for event in component["events"]:
            yield event["name"]
            yield from (mask["name"] for mask in event["masks"])


def names_in_boxes(text):
    """From the first columns: an event's name, and after five blanks what its masks and modifiers add."""
    event = None
    for line in text.splitlines():
        if line.startswith("|     :") and event:
            yield event + line[1:].split()[0].rstrip("|")
        elif line.startswith("| ") and line[2] != " ":
            event = line[1:].split()[0].rstrip("|")
            yield event


def difference(tool, lister, pmu):
    """None, or a sentence; and how many names there were."""
    wanted = output([lister], pmu).split()
    # The other components' events are those of files. What a package's cores share is a component of its own.
    listed = [output([tool, "--names", f"--component={name}"], pmu) for name in ("perf_event", "perf_event_uncore")]
    ours = [name for name in "".join(listed).split() if "/" not in name]
    if sorted(ours) != sorted(wanted):
        missing, more = set(wanted) - set(ours), set(ours) - set(wanted)
        return f"{pmu}: {len(wanted)} in libpfm4, {len(ours)} here; missing {sorted(missing)[:5]}, more {sorted(more)[:5]}", 0
    return None, len(wanted)


def other_forms(tool, pmu):
    names = output([tool, "--names"], pmu).split()
    if list(names_in_json(output([tool, "--json"], pmu))) != names:
        yield f"{pmu}: --json has other names than --names"
    boxes = list(names_in_boxes(output([tool], pmu)))
    if [name for name in boxes if "=" not in name] != names:
        yield f"{pmu}: the boxes have other names than --names"


def main():
    tool, lister = sys.argv[1:]
    pmus = output([lister, "pmus"], None).split()
    if len(pmus) < 2:
        sys.exit("libpfm4 has no processors for this architecture")
    problems, total = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for problem, n in pool.map(lambda pmu: difference(tool, lister, pmu), [None, *pmus]):
            problems += [problem] if problem else []
            total += n
        for found in pool.map(lambda pmu: list(other_forms(tool, pmu)), [None, pmus[0], pmus[-1]]):
            problems += found
    print(f"{total} names of {len(pmus)} processors and this machine compared")
    sys.exit("\n".join(problems) if problems else 0)


if __name__ == "__main__":
    main()
