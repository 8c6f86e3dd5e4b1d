# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs under mpirun with the wrapper library. mpi_test of programs.cmake gives the environment:
MPI_FLAVOUR (mpich, openmpi), MPI_RUN (its mpirun), MPI_WRAPPER (the library), MPI_REPORT (papi_mpi_report).

  from mpirun import run
  outcome = run(None, 2, ["./a.out", "7"], env={"PAPI_EVENTS": "PAPI_TOT_INS"})
  outcome.status, outcome.output, outcome.errors, outcome.result["ranks"]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

FLAVOUR = os.environ.get("MPI_FLAVOUR", "mpich")
WRAPPER = os.environ.get("MPI_WRAPPER", "")
REPORT = os.environ.get("MPI_REPORT", "")
SKIPPED = 77

# Open MPI refuses to start as root, or to start more ranks than there are cores, without these settings, and binds each
# rank to a core, which two tests at a time would then share. A job that ends takes its user's folder in /tmp away from
# another one that begins: each has its own. The transport is that of shared memory and sockets, as trying the others
# takes as long as most of these jobs.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_pml": "ob1"}

# Over UCX's TCP transport MPICH 4.0 can hang in MPI_Finalize where ranks share a processor: one waits for the other
# to close the connection, which already waits for the launcher. Shared memory has none to close.
MPICH = {"UCX_TLS": "sm,self"}


class Outcome:
    """status: of mpirun, -N: killed by signal N, None: it took longer than the timeout and was ended.
    result: the result file, parsed; None where there is none. folder: with "records" (PAPI_MPI_DIR) and
    "result.json" (PAPI_MPI_OUTPUT); it lives as long as this object."""

    def __init__(self, status, output, errors, holder):
        self.status, self.output, self.errors, self.holder = status, output, errors, holder
        self.folder = pathlib.Path(holder.name)
        self.records = self.folder / "records"
        self.result_file = self.folder / "result.json"
        self.result = json.loads(self.result_file.read_text()) if self.result_file.is_file() else None

    def check(self, status=0):
        """Itself, where mpirun ended with this status; otherwise the whole program fails, showing the output."""
        if self.status != status:
            fail(f"mpirun ended with {self.status}, not {status}\n--- output\n{self.output}\n--- errors\n{self.errors}")
        return self


def fail(text):
    sys.exit(f"FAILED: {text}")


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def launcher(flavour, ranks):
    given = os.environ.get("MPI_RUN") if flavour == FLAVOUR else None
    found = given or shutil.which(f"mpirun.{flavour}") or shutil.which("mpirun")
    if not found:
        skip(f"no mpirun of {flavour}")
    return [found, "-n", str(ranks)]


def wrapper_of(flavour):
    return WRAPPER if flavour == FLAVOUR else WRAPPER.replace(FLAVOUR, flavour)


def exported(flavour, env):
    """The options of mpirun that pass env to the ranks, and to them alone: mpirun itself runs unwrapped."""
    options = []
    for name, value in env.items():
        options += ["-genv", name, value] if flavour == "mpich" else ["-x", f"{name}={value}"]
    return options


def machines(folder, hosts):
    """Options of mpirun that start ranks as if on these machines, {name: ranks}: each has a process
    of the launcher's own that starts them, as on a cluster. Open MPI takes a machine for another one by its name, and the
    first one is where mpirun is."""
    if FLAVOUR == "mpich":
        return ["-launcher", "fork", "-hosts", ",".join(f"{name}:{n}" for name, n in hosts.items())]
    if subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode != 0:
        skip("no name of a machine can be made here")
    hosts = {os.uname().nodename if i == 0 else name: n for i, (name, n) in enumerate(hosts.items())}
    agent = pathlib.Path(folder, "agent")
    agent.write_text('#!/bin/sh\nexport HOST_NAME=$1\nshift\nexec unshare --uts sh -c \'hostname "$HOST_NAME"; eval "$0"\' "$*"\n')
    agent.chmod(0o700)
    return ["-host", ",".join(f"{name}:{n}" for name, n in hosts.items()), "--mca", "plm", "rsh", "--mca", "plm_rsh_agent",
            str(agent)]


def start(flavour, ranks, command, env=None, preload=True, cwd=None, before=(), options=()):
    """Starts command under mpirun, as run does. Returns mpirun's process, and the holder of the job's folder."""
    flavour = flavour or FLAVOUR
    holder = tempfile.TemporaryDirectory(prefix="papi_mpi_")
    folder = pathlib.Path(holder.name)
    (folder / "records").mkdir()
    passed = {"PAPI_MPI_DIR": str(folder / "records"), "PAPI_MPI_OUTPUT": str(folder / "result.json")}
    for name in ("PAPI_MPI_PATH", "PAPI_MPI_RECEIVED"):  # whole tests once more with the critical path, or what is received
        if os.environ.get(name):
            passed[name] = os.environ[name]
    if preload:
        passed["LD_PRELOAD"] = wrapper_of(flavour) if preload is True else str(preload)
    passed.update(env or {})
    passed = {name: str(value) for name, value in passed.items() if value is not None}
    around = {name: value for name, value in os.environ.items()
              if name != "LD_PRELOAD" and not name.startswith("PAPI_") and (env or {}).get(name, "") is not None}
    around.update(OPEN_MPI, OMPI_MCA_orte_tmpdir_base=str(folder))
    around = {**MPICH, **around}
    full = [*map(str, before), *launcher(flavour, ranks), *options, *exported(flavour, passed), *map(str, command)]
    child = subprocess.Popen(full, env=around, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    return child, holder


def end(child):
    """Ends a job that was started. Returns its output and its errors."""
    # mpirun passes SIGTERM on to the ranks, which have process groups of their own.
    child.terminate()
    try:
        return child.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()


def run(flavour, ranks, command, timeout=600, **how):
    """Runs command under mpirun. flavour: None is that of the test. env: added for the ranks; a value of None
    takes the variable away. preload: True is the flavour's wrapper library, False none (for programs that are
    linked with it, or to run without), a text another library. before: words before mpirun. options: of mpirun. Never leaves a
    process behind."""
    child, holder = start(flavour, ranks, command, **how)
    try:
        output, errors = child.communicate(timeout=timeout)
        status = child.returncode
    except subprocess.TimeoutExpired:
        output, errors = end(child)
        status = None
    return Outcome(status, output, errors, holder)
