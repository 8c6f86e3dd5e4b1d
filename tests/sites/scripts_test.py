#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The scripts of examples/site: scripts_test.py FOLDER COMMAND_LINE LIBRARIES MPICC MPIRUN FLAVOUR CASE, or scripts_test.py list

Slurm is not here: the test puts what the prolog prints into the environment, as Slurm does, and scontrol is a stand-in that
keeps comments in a file. Status: 0 passed, 1 failed, 77 skipped.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import openmetrics
from page_test import EVENTS, check, node

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

SCONTROL = """#!/bin/sh
case $1 in
show) [ "$2" = job ] && echo "JobId=$3 JobName=x" && echo "   Priority=1" && sed 's/^/   Comment=/' comment ;;
update) [ "$2" = JobId=42 ] && case $3 in Comment=*) printf '%s\\n' "${3#Comment=}" >comment; echo x >>updates ;; *) exit 1 ;; esac ;;
*) exit 1 ;;
esac
"""
PROGRAM = r"""
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 100; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""


class Job:
    """A job's folder, and the variables that Slurm gives its tasks."""

    def __init__(self, files, root, **changes):
        self.files, self.root = files, root
        path = pathlib.Path(root, "bin")
        path.mkdir(exist_ok=True)
        (path / "scontrol").write_text(SCONTROL)
        (path / "scontrol").chmod(0o755)
        pathlib.Path(root, "comment").touch()
        self.environment = running.clean(**{
            "PATH": f"{path}:{os.environ['PATH']}", "SLURM_JOB_ID": "42", "SLURM_STEP_ID": "0", "SLURM_PROCID": "0",
            "SLURM_SUBMIT_DIR": str(root), "FPAPI_LIB": files.libraries, "FPAPI_REPORT": files.flavour, **changes})
        self.environment.pop("LD_PRELOAD", None)
        self.environment.update({key: value for key, value in changes.items() if key == "LD_PRELOAD"})

    def run(self, name):
        result = subprocess.run([os.path.join(self.files.folder, name)], cwd=self.root, env=self.environment, text=True,
                                capture_output=True, check=False)
        check(result.returncode == 0 and not result.stderr, result)
        return result.stdout

    def prolog(self):
        """The variables that Slurm would set."""
        exported = {}
        for line in self.run("slurm-task-prolog").splitlines():
            match = re.fullmatch(r"export (\w+)=(.*)", line)
            check(match or line.startswith("print "), line)
            if match:
                exported[match[1]] = match[2]
        return exported

    def comment(self):
        return pathlib.Path(self.root, "comment").read_text()


def prolog(files):
    with tempfile.TemporaryDirectory() as root:
        library = f"{files.libraries}/libpapi_mpi_{files.flavour}.so"
        wanted = {"LD_PRELOAD": library, "PAPI_MPI_REPORT": f"{root}/papi_job_42.0.txt", "PAPI_MPI_OUTPUT": f"{root}/papi_job_42.0.json"}
        check(Job(files, root).prolog() == wanted, Job(files, root).prolog())
        mine = Job(files, root, LD_PRELOAD="libm.so.6")
        check(mine.prolog()["LD_PRELOAD"] == library + ":libm.so.6", "what the user preloads stays")
        kept = Job(files, root, PAPI_MPI_OUTPUT="none").prolog()
        check("PAPI_MPI_OUTPUT" not in kept and "PAPI_MPI_REPORT" in kept, kept)
        for change in ({"FPAPI_REPORT": ""}, {"FPAPI_REPORT": "../x"}, {"SLURM_STEP_ID": ""}, {"SLURM_STEP_ID": "4294967291"},
                       {"SLURM_STEP_ID": "x"}, {"SLURM_JOB_ID": ""}, {"SLURM_SUBMIT_DIR": root + "\nexport PATH=/x"},
                       {"SLURM_JOB_ID": "1\nexport PATH=/x"}):
            check(Job(files, root, **change).run("slurm-task-prolog") == "", change)
        hostile = f"{root}/a $(touch hit) `x` ; \\nexport PATH=/x\\c"  # backslashes and letters, no control characters
        wanted = {**wanted, "PAPI_MPI_REPORT": f"{hostile}/papi_job_42.0.txt", "PAPI_MPI_OUTPUT": f"{hostile}/papi_job_42.0.json"}
        task = Job(files, root, SLURM_SUBMIT_DIR=hostile, SLURM_JOB_NAME="$(touch hit)\n`touch hit`")
        check(task.prolog() == wanted and not os.path.exists(f"{root}/hit"), task.prolog())
        said = Job(files, root, FPAPI_LIB="/nowhere").run("slurm-task-prolog")
        check(said.startswith("print papi: no report") and "export" not in said, said)
        check(Job(files, root, FPAPI_LIB="/nowhere", SLURM_PROCID="1").run("slurm-task-prolog") == "", "it is said once")


def job(files):
    """A job of two ranks: its report is in its folder, and the first line is the comment."""
    with tempfile.TemporaryDirectory() as root:
        pathlib.Path(root, "program.c").write_text(PROGRAM)
        subprocess.run([files.mpicc, "-o", f"{root}/program", f"{root}/program.c"], check=True)
        task = Job(files, root)
        exported = task.prolog()
        words = [f"{name}={value}" for name, value in exported.items()]
        as_root = ["--allow-run-as-root", "--oversubscribe"] if files.flavour == "openmpi" else []
        result = subprocess.run([files.mpirun, *as_root, "-n", "2", "env", *words, "./program"], cwd=root, env=task.environment, text=True,
                                capture_output=True, check=False)
        check(result.returncode == 0, result)
        task.environment.update(exported)
        task.run("slurm-task-epilog")
        first = pathlib.Path(root, "papi_job_42.0.txt").read_text().splitlines()[0]
        check(len(first) > 20 and task.comment() == f"papi: {first[:200]}\n", first, task.comment())
        check(pathlib.Path(root, "papi_job_42.0.json").is_file(), os.listdir(root))


def epilog(files):
    with tempfile.TemporaryDirectory() as root:
        report = pathlib.Path(root, "papi_job_42.0.txt")
        Job(files, root).run("slurm-task-epilog")
        check(Job(files, root).comment() == "", "without a report there is no comment")
        report.write_bytes(b"87 % useful\x1b[2J; \"$(touch hit)\" `x` Comment=y\xff\nmore\n")
        Job(files, root).run("slurm-task-epilog")
        said = 'papi: 87 % useful[2J; "$(touch hit)" `x` Comment=y\n'
        check(Job(files, root).comment() == said and not os.path.exists(f"{root}/hit"), Job(files, root).comment())
        report.write_text("second step\n")
        Job(files, root, SLURM_PROCID="1").run("slurm-task-epilog")
        check(Job(files, root).comment() == said, "the first rank alone")
        Job(files, root).run("slurm-task-epilog")
        check(Job(files, root).comment() == "papi: second step\n", Job(files, root).comment())
        pathlib.Path(root, "comment").write_text("my own\n")
        Job(files, root).run("slurm-task-epilog")
        check(Job(files, root).comment() == "my own\n", "a user's own comment stays")
        task = Job(files, root)
        pathlib.Path(root, "bin/scontrol").write_text(SCONTROL.replace("show)", "show) exit 1 ;;\nnone)"))
        task.run("slurm-task-epilog")
        check(task.comment() == "my own\n", "what it is was not said, and it stays", task.comment())
        report.write_text("x" * 1000 + "\n")
        pathlib.Path(root, "comment").write_text("")
        Job(files, root).run("slurm-task-epilog")
        check(Job(files, root).comment() == "papi: " + "x" * 200 + "\n", Job(files, root).comment())
        pathlib.Path(root, "bin/scontrol").write_text("#!/bin/sh\nexit 1\n")
        before = Job(files, root).environment
        subprocess.run([os.path.join(files.folder, "slurm-task-epilog")], cwd=root, env=before | {"PATH": "/usr/bin:/bin"}, check=True)


def influx(files):
    """Each sample of a page is a line of the protocol, with its tags escaped."""
    script = os.path.join(files.folder, "papi-to-influx")
    with tempfile.TemporaryDirectory() as root:
        page = running.run(files.tool, "--openmetrics", *EVENTS, text=False, env=running.clean(**node(root))).stdout
        result = subprocess.run([script, "-", "type=node", "hostname=n 1"], input=page, capture_output=True, check=False)
        check(result.returncode == 0 and not result.stderr, result)
        said = result.stdout.decode().splitlines()
        samples = openmetrics.read(page)[0]
        check(len(said) == len(samples) > 4, said)
        check(r"papi_coretemp_temp1_input_celsius,device=hwmon0,event=coretemp:::hwmon0:temp1_input,hostname=n\ 1,type=node value=41.5" in said,
              said)
    odd = 'a_total{x="p,q=r s\\"\\\\",y=""} 1\nb NaN\nc +Inf\n# TYPE a counter\nd 2e-05\n# EOF\n'
    result = subprocess.run([script], input=odd, text=True, capture_output=True, check=False)
    check(result.stdout == 'a_total,x=p\\,q\\=r\\ s"\\? value=1\nd value=2e-05\n', result)
    for words, status in ((["-", "x"], 2), (["/no/such/page"], 1)):
        result = subprocess.run([script, *words], input="", text=True, capture_output=True, check=False)
        check(result.returncode == status and result.stderr.startswith("papi-to-influx: "), result)


CASES = {case.__name__: case for case in (prolog, job, epilog, influx)}


class Files:
    def __init__(self, folder, tool, libraries, mpicc, mpirun, flavour):
        self.folder, self.tool, self.libraries = folder, tool, libraries
        self.mpicc, self.mpirun, self.flavour = mpicc, mpirun, flavour


def main():
    if sys.argv[1] == "list":
        print("\n".join(CASES))
        return 0
    files = Files(*sys.argv[1:7])
    if sys.argv[7] in ("prolog", "job", "epilog") and files.mpicc == "none":
        print("SKIP: there is no library for an MPI in this build")
        return 77
    try:
        CASES[sys.argv[7]](files)
    except openmetrics.Wrong as problem:
        print(problem)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
