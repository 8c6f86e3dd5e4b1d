# SPDX-License-Identifier: BSD-3-Clause
"""papi_mpirun and the records that a job leaves: it names them, papi_mpi_report lists and removes them.

  launched_test.py PROGRAM PAPI_MPIRUN
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import mpirun
from mpirun import REPORT, fail, skip

RANKS = "2"


def check(truth, *what):
    if not truth:
        fail(" ".join(map(str, what)))


def start(papi_mpirun, folder, command, **more):
    launcher = mpirun.launcher(None or mpirun.FLAVOUR, 1)[0]
    env = {**os.environ, **mpirun.OPEN_MPI, **mpirun.MPICH, "PAPI_MPIRUN": launcher, "PAPI_MPI_DIR": str(folder),
           "PAPI_MPI_OUTPUT": f"{folder}/result.json", "OMPI_MCA_orte_tmpdir_base": str(folder)}
    return subprocess.Popen([papi_mpirun, "-n", RANKS, *map(str, command)], env=env, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more)


def records(*arguments, status=0, **env):
    done = subprocess.run([REPORT, *map(str, arguments)], env={**os.environ, **env}, capture_output=True, text=True,
                          timeout=300, check=False)
    check(done.returncode == status, arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout, done.stderr


def folders(where):
    return sorted(str(path) for path in pathlib.Path(where).glob("papi_mpi.*"))


def settled(folder):
    """The folders of records, once no rank runs any more: mpirun does not always wait for those that it kills."""
    deadline = time.monotonic() + 60
    while "still runs" in records("--records", folder)[0] and time.monotonic() < deadline:
        time.sleep(0.1)
    return folders(folder)


def died(program, papi_mpirun, way, folder):
    before = folders(folder)
    child = start(papi_mpirun, folder, [program, way])
    output, errors = child.communicate(timeout=300)
    check(child.returncode != 0, way, output, errors)
    made = [path for path in settled(folder) if path not in before]
    named = re.findall(r"^papi_mpirun: the ranks left records: papi_mpi_report --recover (\S+) shows them", errors, re.M)
    check(named == made and len(made) == 1, way, named, made, errors)
    said = " ".join(records("--recover", named[0])[0].split("\n\n")[0].split())
    check("PARTIAL" in said, way)
    # When the launcher had ended, and how: what is known of ranks that are gone without a word.
    ended, status = pathlib.Path(named[0], "ended").read_text().split()
    check(0 <= time.time() - float(ended) < 300 and int(status) == child.returncode, way, ended, status)
    check("at least" not in said, way, said)


def refused_pages(papi_mpirun, folder):
    """What could not be written after the job is said before it."""
    there = pathlib.Path(folder, "there")
    there.mkdir()
    for page, said in ((f"{folder}/none/x.html", f"there is no folder {folder}/none"), ("/dev/full", "not a regular file"),
                       (str(there), "not a regular file")):
        for option in "page", "profile", "roofline":
            done = subprocess.run([papi_mpirun, f"--{option}={page}", "-n", "1", "echo", "it ran"], capture_output=True, text=True,
                                  timeout=300, check=False)
            check(done.returncode == 1 and not done.stdout, option, page, done)
            check(done.stderr == f"papi_mpirun: --{option}={page} cannot be written: {'it is ' * ('regular' in said)}{said}\n", done.stderr)
    there.rmdir()


def main():
    program, papi_mpirun = sys.argv[1:]
    if not REPORT:
        skip("there is no papi_mpi_report")
    with tempfile.TemporaryDirectory(prefix="papi_mpi_") as folder:
        refused_pages(papi_mpirun, folder)
        # Nothing is left, and nothing said.
        output, errors = start(papi_mpirun, folder, [program, "finalize"]).communicate(timeout=300)
        check(folders(folder) == [] and not re.search("^papi_mpirun:", errors, re.M), errors)
        check("there are no records" in records("--records", folder)[1], "an empty folder")
        # A program without MPI has no report, and that is said.
        child = start(papi_mpirun, folder, ["true"])
        errors = child.communicate(timeout=300)[1]
        said = r'^papi_mpirun: there is no report: (/\S*/true) has not called MPI_Init and MPI_Finalize with the library loaded. "ldd \1" shows'
        check(child.returncode == 0 and re.search(said, errors, re.M), child.returncode, errors)
        for way in ("kill", "segfault", "_exit"):
            died(program, papi_mpirun, way, folder)
        listed, _ = records("--records", folder)
        check(len(listed.splitlines()) == 3 and all(f"{path}: " in listed for path in folders(folder)), listed)
        check(listed.count(f"{pathlib.Path(program).name}, {RANKS} of {RANKS} ranks, 20") == 3, listed)
        check(records("--records", PAPI_MPI_DIR=folder)[0] == listed, "by the environment")
        # A job that runs has records, which stay; standard input and signals reach it.
        reads = f'[ ${{PMI_RANK:-$OMPI_COMM_WORLD_RANK}} != 0 ] || {{ read word; echo "read $word"; }}; exec {program} finalize'
        child = start(papi_mpirun, folder, ["sh", "-c", reads])
        child.stdin.write("a\nb\n")
        child.stdin.flush()
        check("read a" in child.communicate(timeout=300)[0], "standard input")
        sleeper = start(papi_mpirun, folder, [program, "sleep"])
        deadline = time.monotonic() + 120
        while "still runs" not in records("--records", folder)[0]:
            check(time.monotonic() < deadline and sleeper.poll() is None, "the job does not run", sleeper.poll())
            time.sleep(0.1)
        # Of several jobs one runs: it is found by itself.
        while True:
            done = subprocess.run([REPORT, "--now"], env={**os.environ, "PAPI_MPI_DIR": folder}, capture_output=True, text=True, check=False)
            if done.returncode == 0 or "its rank is within MPI_Init" not in done.stderr or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        check(done.stdout.startswith("still runs"), done.stdout, done.stderr)
        none = pathlib.Path(folder, "none")
        none.mkdir()
        said, errors = records("--now", none, status=1)
        check("has no records of a job that runs" in errors and "papi_mpirun -n 2" in errors and not said, said, errors)
        none.rmdir()
        running = [line.split(": ")[0] for line in records("--records", folder)[0].splitlines() if "still runs" in line]
        removed, _ = records("--remove", folder)
        check(removed.count(", removed") == 3 and folders(folder) == running, removed)
        sleeper.send_signal(signal.SIGTERM)
        output, errors = sleeper.communicate(timeout=300)
        # It ended long before its sleep did. The status is the launcher's, and MPICH's is 0 now and then.
        check(settled(folder) == running and running[0] in errors, running, errors)
        records("--remove", running[0])
        check(folders(folder) == [], "removed by its name")
        check("No such file" in records("--records", f"{folder}/missing", status=1)[1], "a missing folder")
    print("records are named, listed and removed")


main()
