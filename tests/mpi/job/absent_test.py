# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in which some ranks have no wrapper library: they go on, and the others are measured.

  absent_test.py CASE FOLDER PAPI_MPIRUN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import mpirun
from mpirun import FLAVOUR, fail, run

RANKS = 2 if FLAVOUR == "mpich" else 4
RANK, HERE = {"mpich": ("PMI_RANK", "MPI_LOCALNRANKS"),
              "openmpi": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE")}[FLAVOUR]


def check(condition, *what):
    if not condition:
        fail(" ".join(map(str, what)))


def without(ranks, end, program):
    """The program in a shell that takes the library from these ranks."""
    cases = "|".join(map(str, ranks))
    return ["sh", "-c", f'case ${RANK} in {cases}) unset LD_PRELOAD ;; esac; {end}', "sh", str(program)]


def sent(rank):
    """By uneven.c."""
    return 10 * (rank + 1) * 100 * (rank + 1) * (RANKS - 1 - rank)


def is_measured(outcome, absent, said, program):
    present = [rank for rank in range(RANKS) if rank not in absent]
    outcome.check()
    lines = [line for line in outcome.errors.splitlines() if line.startswith("papi_mpi: ")]
    check(len(lines) == 1 and f"not measured, because this library is not loaded there: {said} of {RANKS}" in lines[0],
          lines, outcome.errors)
    result = outcome.result
    check(result is not None, "no result", outcome.errors)
    check((result["job"]["ranks"], result["job"]["present"], result["job"]["unfinished"]) ==
          (RANKS, len(present), 0), result["job"])
    check([row["rank"] for row in result["rows"]] == present, result["rows"])
    check(f"{len(absent)} of {RANKS} ranks missing" in outcome.errors, outcome.errors)
    if program == "uneven":
        place = result["row_values"].index("sent_bytes")
        check([row["values"][place] for row in result["rows"]] == list(map(sent, present)), result["rows"])


def case_known(folder, _):
    """In the rank's own process, and in one below that of a shell that has the library."""
    several = [([0, 1, 3], "ranks 0-1, 3"), ([1, 2], "ranks 1-2")] if RANKS > 2 else []
    for program, right, end in ("uneven", 0, 'exec "$@"'), ("passes_on", RANKS, '"$@"; exit $?'):
        for absent, said in [([1], "rank 1"), ([0], "rank 0"), *several]:
            outcome = run(None, RANKS, without(absent, end, folder / f"{program}_{FLAVOUR}"), timeout=300)
            check(outcome.status is not None, "the job hangs", absent, end, outcome.errors)
            is_measured(outcome, absent, said, program)
            check(outcome.output.count("right") == right, outcome.output)


def case_slurm(folder, _):
    """By Slurm's srun: the numbers of ranks are in its variables alone, and those of mpirun are taken away."""
    size = {"mpich": "PMI_SIZE", "openmpi": "OMPI_COMM_WORLD_SIZE"}[FLAVOUR]
    srun = (f'export SLURM_PROCID=${RANK} SLURM_STEP_NUM_TASKS=${size} SLURM_STEP_TASKS_PER_NODE="7(x2),${size}" SLURM_NODEID=2 '
            f'SLURM_JOB_ID=4711 SLURM_STEP_ID=3; unset {HERE}; exec "$@"')
    for absent, said in [([1], "rank 1"), ([0], "rank 0")]:
        outcome = run(None, RANKS, without(absent, srun, folder / f"uneven_{FLAVOUR}"), timeout=300)
        check(outcome.status is not None, "the job hangs", absent, outcome.errors)
        is_measured(outcome, absent, said, "uneven")


# What other launchers put into the environment of a rank, where mpirun has put {rank} and {size}.
LAUNCHERS = {
    "pals": "PALS_RANKID=${rank} PALS_NODEID=0 PALS_LOCAL_RANKID=${rank} PALS_LOCAL_SIZE=${size} PALS_APID=8c2f-4711",
    "jsrun": "JSM_NAMESPACE_RANK=${rank} JSM_NAMESPACE_SIZE=${size} JSM_NAMESPACE_LOCAL_RANK=${rank} "
             "JSM_NAMESPACE_LOCAL_SIZE=${size} JSM_NAMESPACE=3",
    "flux": "FLUX_TASK_RANK=${rank} FLUX_JOB_SIZE=${size} FLUX_TASK_LOCAL_ID=${rank} FLUX_JOB_NNODES=1 FLUX_JOB_ID=ABc7",
    "pmix": "",  # PRRTE without Open MPI's names: the number of ranks here is not told
}


def under(name):
    """Ends a shell as this launcher's rank. MPICH itself needs its number."""
    size = {"mpich": "PMI_SIZE", "openmpi": "OMPI_COMM_WORLD_SIZE"}[FLAVOUR]
    variables = LAUNCHERS[name].replace("{rank}", RANK).replace("{size}", size)
    gone = HERE if FLAVOUR == "mpich" else f"{HERE} {RANK} {size}"
    return f'{"export " + variables if variables else ":"}; unset {gone}; exec "$@"'


def launched_by(name, folder):
    for absent, said in [([1], "rank 1"), ([0], "rank 0")]:
        outcome = run(None, RANKS, without(absent, under(name), folder / f"uneven_{FLAVOUR}"), timeout=300)
        check(outcome.status is not None, "the job hangs", name, absent, outcome.errors)
        is_measured(outcome, absent, said, "uneven")
    outcome = run(None, RANKS, without(["none"], under(name), folder / f"uneven_{FLAVOUR}"), timeout=300).check()
    check(outcome.result["job"]["present"] == RANKS and "papi_mpi:" not in outcome.errors, name, outcome.errors)


def case_pals(folder, _):
    launched_by("pals", folder)


def case_jsrun(folder, _):
    launched_by("jsrun", folder)


def case_flux(folder, _):
    launched_by("flux", folder)


def case_pmix(folder, _):
    launched_by("pmix", folder)


def case_asked_once(folder, _):
    """One rank looks for the others of its machine, each of them once."""
    preload = f"{mpirun.WRAPPER}:{folder}/asks_{FLAVOUR}.so"
    for ranks in 2, 7:
        outcome = run(None, ranks, [folder / f"passes_on_{FLAVOUR}"], env={"LD_PRELOAD": preload}).check()
        looks = [line for line in outcome.errors.splitlines() if line.startswith("LOOKS")]
        check(looks == [f"LOOKS {ranks}"], looks, outcome.errors)
        check(outcome.result["job"]["present"] == ranks, outcome.errors)


def case_machines(folder, _):
    """The ranks are on several machines, of which one or the other has no rank with the library. A launcher each, since
    the ranks that are there look for the others for three seconds, in which a rank without the library computes."""
    cases = {"mpich": [([], None), ([0, 3], "ranks 0, 3")], "openmpi": [([2, 3], "ranks 2-3")]}[FLAVOUR]
    with tempfile.TemporaryDirectory(prefix="papi_mpi_") as where:
        hosts = mpirun.machines(where, {"one": 2, "two": 2})
        for absent, said in cases:
            outcome = run(None, 4, without(absent or ["none"], 'exec "$@"', folder / f"passes_on_{FLAVOUR}"), timeout=300,
                          options=hosts)
            check(outcome.status is not None, "the job hangs", absent, outcome.errors)
            outcome.check()
            check(outcome.output.count("right") == 4, outcome.output, outcome.errors)
            lines = [line for line in outcome.errors.splitlines() if line.startswith("papi_mpi: ")]
            wanted = [f"papi_mpi: not measured, because this library is not loaded there: {said} of 4"] if said else []
            check(lines == wanted, absent, outcome.errors)
            job, present = outcome.result["job"], [rank for rank in range(4) if rank not in absent]
            check((job["ranks"], job["present"], job["nodes"]) == (4, len(present), 1 if 3 in absent and 2 in absent else 2),
                  job)
            check([row["rank"] for row in outcome.result["rows"]] == present, outcome.result["rows"])


def case_first_alone(folder, _):
    """Rank 0 is alone on its machine, and the others together on theirs: none is lost on the way to it."""
    with tempfile.TemporaryDirectory(prefix="papi_mpi_") as where:
        outcome = run(None, 3, [folder / f"passes_on_{FLAVOUR}"], options=mpirun.machines(where, {"one": 1, "two": 2})).check()
        job = outcome.result["job"]
        check((job["ranks"], job["present"], job["nodes"]) == (3, 3, 2) and "PARTIAL" not in outcome.errors, job)


def case_unknown(folder, _):
    """The launcher does not say that all ranks are on one machine."""
    outcome = run(None, RANKS, without(["none"], f'unset {HERE}; exec "$@"', folder / f"passes_on_{FLAVOUR}")).check()
    check(outcome.result["job"]["present"] == RANKS and "papi_mpi:" not in outcome.errors, outcome.errors)


def case_programs(folder, papi_mpirun):
    """Several programs, each with a colon before it."""
    program = str(folder / f"passes_on_{FLAVOUR}")
    launcher = mpirun.launcher(FLAVOUR, 1)[0]
    with tempfile.TemporaryDirectory(prefix="papi_mpi_") as where:
        env = {**os.environ, **mpirun.OPEN_MPI, **mpirun.MPICH, "PAPI_MPIRUN": launcher,
               "PAPI_MPI_OUTPUT": f"{where}/result.json"}
        done = subprocess.run([papi_mpirun, "-n", "1", program, ":", "-n", "1", program, "a word", ":", "-n", "1", program],
                              env=env, capture_output=True, text=True, timeout=300, cwd=where, check=False)
        check(done.returncode == 0 and done.stdout.count("right") == 3, done.returncode, done.stdout, done.stderr)
        job = json.loads(pathlib.Path(where, "result.json").read_text())["job"]
        check((job["ranks"], job["present"]) == (3, 3) and "not measured" not in done.stderr, job, done.stderr)


def main():
    case, folder, papi_mpirun = sys.argv[1:]
    globals()[f"case_{case}"](pathlib.Path(folder), papi_mpirun)


main()
