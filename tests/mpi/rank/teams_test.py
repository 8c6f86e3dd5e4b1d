# SPDX-License-Identifier: BSD-3-Clause
"""Usage: teams_test.py SOURCE PROGRAM

Idle time of OpenMP's threads, in programs that sleep in place of work: each figure is a number of units, of which
there are many milliseconds each. SOURCE: what counts them, ompt or libgomp."""
import subprocess
import sys

from mpirun import REPORT, fail, run

MS = 1_000_000
# Of rank 0 in one region, in units: its time, the work of both threads, their idle time, the busiest thread's work.
# None: either thread may have the long part of both regions.
UNEVEN, MORE, SHARED = (3, 4, 2, 3), (4, 6, 2, 4), (3, 4, 2, None)
WAYS = {"uneven": UNEVEN, "barrier": MORE, "loop": SHARED, "static_loop": MORE, "sections": SHARED, "nested": UNEVEN}
EVEN = {UNEVEN: (1, 2, 0, 1), MORE: (2, 4, 0, 2), SHARED: (1, 2, 0, 1)}  # of the other rank
KEYS = ("team_time", "team_work", "team_idle", "team_most")


def figures(result, rank):
    return dict(zip(result["row_values"], result["rows"][rank]["values"]))


def asked(program, way, unit):
    return run(None, 2, [program, way, unit], env={"PAPI_MPI_THREADS": "1", "OMP_DYNAMIC": "false", "OMP_WAIT_POLICY": "passive"}).check()


def is_near(values, wanted, unit):
    """Two regions. What is idle may be a little more, as threads begin and wake up."""
    return all(abs(values[key] / (2 * units * unit * MS) - 1) < 0.25 if units else values[key] < unit * MS
               for key, units in zip(KEYS, wanted) if units is not None) and values["team_threads"] == 2


def check_way(source, program, way, wanted):
    """On a busy machine the longer ones are right."""
    for unit in (40, 160, 640):
        outcome = asked(program, way, unit)
        result = outcome.result
        if result["job"]["teams"] != source or result["job"]["task_ranks"] != 0:
            fail(f"{way}: {result['job']}")
        first, second = (figures(result, rank) for rank in (0, 1))
        if is_near(first, wanted, unit) and is_near(second, EVEN[wanted], unit):
            return outcome
        print(way, unit, [{key: values[key] / (2 * unit * MS) for key in KEYS} for values in (first, second)])
    return fail(f"{way}: rank 0 has not {wanted}")


def report(outcome):
    return " ".join(subprocess.run([REPORT, outcome.result_file], stdout=subprocess.PIPE, text=True, timeout=600,
                                   check=True).stdout.split())


def check_text(source, outcome):
    text = report(outcome)
    name = "by OMPT" if source == "ompt" else "by libgomp's calls"
    if f"OpenMP ({name}): " not in text or "up to 2 threads were idle" not in text or "threads idle there" not in text:
        fail(f"not said of threads:\n{text}")


def check_tasks(source, program):
    outcome = asked(program, "tasks", 40)
    result, values = outcome.result, figures(outcome.result, 0)
    if source == "libgomp":
        if result["job"]["task_ranks"] != 2 or values["team_work"] is not None or "not known on 2 ranks" not in report(outcome):
            fail(f"tasks with libgomp: {result['job']} {values}")
    elif result["job"]["task_ranks"] != 0 or not values["team_work"] > 0.9 * 2 * 4 * 40 * MS:
        fail(f"the work of tasks: {values}")


def main():
    source, program = sys.argv[1:]
    for way, wanted in WAYS.items():
        outcome = check_way(source, program, way, wanted)
        if way == "uneven":
            check_text(source, outcome)
    check_tasks(source, program)
    outcome = asked(program, "none", 10)
    if outcome.result["job"]["teams"] != "none" or figures(outcome.result, 0)["team_time"] is not None:
        fail(f"without a region: {outcome.result['job']}")
    if "OpenMP: there was no parallel region" not in report(outcome):
        fail("that there was none is not said")
    outcome = run(None, 2, [program, "uneven", 10]).check()
    if outcome.result["job"]["teams"] != "off" or "team_time" in outcome.result["row_values"] or "OpenMP" in report(outcome):
        fail(f"nobody asked: {outcome.result['job']}")


main()
