#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_mpi_report --now --openmetrics, of a job while it runs: jobs_test.py CASE PROGRAM PROMTOOL

The program (jobs.c) sends, receives and touches pages in steps that this test allows, so that all counts are known. Each page is
read by openmetrics.py. mpi_test of programs.cmake gives the MPI.
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import mpirun
import openmetrics
from mpirun import fail, skip

PATIENCE = 240  # seconds
MESSAGES, BYTES, PAGES = 10, 1000, 100
EFFICIENCIES = ("parallel_efficiency", "load_balance", "communication_efficiency")


def check(holds, *what):
    if not holds:
        raise openmetrics.Wrong(" ".join(map(str, what)))


@contextlib.contextmanager
def job(program, folder):
    """A job of two ranks whose steps are files of the folder. Yields its records, and ends it."""
    child, holder = mpirun.start(None, 2, [program, folder], env={"PAPI_MPI_REPORT": "none", "PAPI_EVENTS": "perf::PAGE-FAULTS"})
    try:
        yield child, pathlib.Path(holder.name, "records")
    finally:
        if child.poll() is None:
            mpirun.end(child)
        holder.cleanup()


def report(*words, status=0):
    done = subprocess.run([mpirun.REPORT, *map(str, words)], capture_output=True, text=True, check=False)
    check(done.returncode == status, done)
    return done.stdout if status == 0 else done.stderr


def until(look, holds):
    """The first page for which that holds; each must be whole."""
    end, samples = time.monotonic() + PATIENCE, None
    while time.monotonic() < end:
        page = look()
        if page is not None:
            samples, families = openmetrics.read(*page)
            if holds(samples):
                return samples, families
        time.sleep(0.1)
    raise openmetrics.Wrong(f"no such page: {samples}")


def looks(records):
    """What papi_mpi_report prints, once it can look at the job."""
    done = subprocess.run([mpirun.REPORT, "--now", "--openmetrics", records], capture_output=True, text=True, check=False)
    return (done.stdout,) if done.returncode == 0 else None


def of(samples, name, rank):
    """The value of a rank; None: it has none."""
    found = [number for (of_name, labels), number in samples.items() if of_name == name and dict(labels)["rank"] == str(rank)]
    return found[0] if len(found) == 1 else None


def step_is_over(samples, step):
    """True if both ranks have done the step, as far as the page knows."""
    return all(of(samples, "papi_perf_page_faults_total", rank) is not None and
               of(samples, "papi_perf_page_faults_total", rank) >= step * PAGES for rank in (0, 1)) and (
        step == 2 or of(samples, "papi_mpi_open_call_seconds", 1) is not None)


def check_step(samples, step):
    for name, value, rank in (("papi_mpi_sent_messages_total", step * MESSAGES, 0), ("papi_mpi_sent_messages_total", 0, 1),
                              ("papi_mpi_sent_bytes_total", step * MESSAGES * BYTES, 0)):
        check(of(samples, name, rank) == value, name, rank, of(samples, name, rank))
    # One more receive has begun, or MPI_Finalize.
    check(step * MESSAGES <= of(samples, "papi_mpi_calls_total", 1) <= step * MESSAGES + 2, of(samples, "papi_mpi_calls_total", 1))
    for rank in (0, 1):
        elapsed, useful, calls = (of(samples, f"papi_mpi_{what}_seconds_total", rank) for what in ("elapsed", "useful", "call"))
        check(useful + calls <= elapsed * (1 + 1e-6), rank, useful, calls, elapsed)
    for name in EFFICIENCIES:
        check(0 <= openmetrics.value(samples, f"papi_mpi_{name}_ratio") <= 1, name)
    check(openmetrics.value(samples, "papi_mpi_ranks") == 2)


def check_labels(samples):
    jobs = {dict(labels)["job"] for _, labels in samples}
    check(len(jobs) == 1, jobs)
    hosts = {dict(labels)["host"] for name, labels in samples if "rank" in dict(labels)}
    check(len(hosts) == 1 and "" not in hosts, hosts)
    events = {dict(labels).get("event") for name, labels in samples if name == "papi_perf_page_faults_total"}
    check(events == {"perf::PAGE-FAULTS"}, events)


def check_grows(before, after, families):
    """No counter is less than before."""
    for (name, labels), number in before.items():
        if name.endswith("_total"):
            check((name, labels) in after and after[name, labels] >= number, name, labels, number, after.get((name, labels)))
    kinds = {name: family["TYPE"] for name, family in families.items()}
    check(all(kinds[f"papi_mpi_{name}_ratio"] == "gauge" for name in EFFICIENCIES), kinds)
    check(families["papi_mpi_useful_seconds"] == {"TYPE": "counter", "UNIT": "seconds", "HELP": "Time outside of MPI"}, families)


def once(program, folder, _):
    """Counts are exact, grow, and those of an event have the names that papi_command_line gives them."""
    with job(program, folder) as (child, records):
        before, families = None, None
        for step in (1, 2):
            pathlib.Path(folder, str(step)).touch()
            samples, families = until(lambda: looks(records), lambda page, step=step: step_is_over(page, step))
            check_step(samples, step)
            check_labels(samples)
            if step == 1:
                waits = of(samples, "papi_mpi_open_call_seconds", 1)
                check(waits > 0 and 'MPI_Recv' in str([key for key in samples if key[0] == "papi_mpi_open_call_seconds"]), samples)
                check(of(samples, "papi_mpi_open_call_seconds", 0) is None, samples)
                before = samples
            else:
                check_grows(before, samples, families)
        pathlib.Path(folder, "3").touch()
        errors = child.communicate(timeout=PATIENCE)[1]
        check(child.returncode == 0, child.returncode, errors)
        check("has no records of a job" in report("--now", "--openmetrics", records, status=1))


def kept(program, folder, promtool):
    """A file is whole at any moment, its counters grow, promtool finds nothing, and it is gone with the job."""
    page = pathlib.Path(folder, "page.prom")
    with job(program, folder) as (child, records):
        until(lambda: looks(records), lambda samples: of(samples, "papi_mpi_elapsed_seconds_total", 0) is not None)
        keeper = subprocess.Popen([mpirun.REPORT, "--now", "--every=1", "--openmetrics", "-o", page, records],
                                  stderr=subprocess.PIPE, text=True)
        seen, last = {}, None
        deadline = time.monotonic() + PATIENCE
        while len(seen) < 4 and time.monotonic() < deadline:
            with contextlib.suppress(FileNotFoundError):
                text = page.read_bytes()
                samples, _ = openmetrics.read(text, older=True)
                if text != last:
                    seen[len(seen)], last = samples, text
                    pathlib.Path(folder, str(min(len(seen), 2))).touch()
            time.sleep(0.05)
        check(len(seen) == 4, "the file does not change", len(seen), keeper.poll())
        for i in range(3):
            for key, number in seen[i].items():
                check(not key[0].endswith("_total") or seen[i + 1].get(key, -1) >= number, key, number, seen[i + 1].get(key))
        check(of(seen[3], "papi_mpi_elapsed_seconds_total", 0) > of(seen[0], "papi_mpi_elapsed_seconds_total", 0), seen)
        pathlib.Path(folder, "3").touch()
        child.communicate(timeout=PATIENCE)
        errors = keeper.communicate(timeout=PATIENCE)[1]
        check(keeper.returncode == 0 and not errors, keeper.returncode, errors)
    check(not page.exists() and not [name for name in os.listdir(folder) if "page" in name], os.listdir(folder))
    if not promtool or promtool.endswith("NOTFOUND"):
        print("without promtool, of Debian's package prometheus")
        return
    judged = subprocess.run([promtool, "check", "metrics"], input=last, capture_output=True, check=False)
    check(judged.returncode == 0 and not judged.stderr, judged, last.decode())


def refused(*_):
    """It is of a job that runs alone."""
    for words in (["--openmetrics"], ["--openmetrics", "result.json"], ["--recover", "--openmetrics", "."]):
        check("--now --openmetrics" in report(*words, status=2), words)
    for words in (["--json"], ["--csv"], ["--html"]):
        check("one form at a time" in report("--now", "--openmetrics", *words, status=2), words)


CASES = {case.__name__: case for case in (once, kept, refused)}


def main():
    if not mpirun.REPORT:
        skip("there is no papi_mpi_report")
    with tempfile.TemporaryDirectory(prefix="papi_jobs_") as folder:
        try:
            CASES[sys.argv[1]](sys.argv[2], folder, sys.argv[3])
        except openmetrics.Wrong as problem:
            fail(problem)


main()
