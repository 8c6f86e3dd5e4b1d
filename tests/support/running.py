# SPDX-License-Identifier: BSD-3-Clause
"""How tests run programs: without the settings of whoever runs the tests, and never longer than a time."""
import os
import signal
import subprocess

SKIPPED = 77
# What a process of a job has in its environment, and its children must not inherit.
JOBS = ("PMI", "OMPI", "SLURM", "PALS", "HYDRA", "FLUX", "MV2", "ALPS")


class Skip(Exception):
    """What is missing for the test."""


class Failure(Exception):
    """What is not as it must be."""


def clean(*prefixes, **changes):
    """The environment without the variables that begin with PAPI_ or one of these, and with these changes."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPI_", *prefixes))}
    return {**kept, **changes}


def run(*words, status=None, timeout=600, group=False, **how):
    """Runs a program to its end and returns what came of it: returncode, stdout and stderr (text, unless text=False),
    and pid. status: what it must end with, or a tuple of these; None: anything. group: a program that takes too long is ended
    with all that it started. how: as for subprocess.Popen; the environment is clean(), if no env is given."""
    words = [word if isinstance(word, bytes) else os.fspath(word) if hasattr(word, "__fspath__") else str(word) for word in words]
    how = {"env": clean(), "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **how}
    with subprocess.Popen(words, start_new_session=group, **how) as child:
        try:
            out, error = child.communicate(timeout=timeout)
        except BaseException as reason:
            if group:
                os.killpg(child.pid, signal.SIGKILL)
            child.kill()
            child.communicate()
            if isinstance(reason, subprocess.TimeoutExpired):
                raise Failure(f"{words}: no end after {timeout} s") from None
            raise
    result = subprocess.CompletedProcess(words, child.returncode, out, error)
    result.pid = child.pid
    if status is not None and child.returncode not in (status if isinstance(status, tuple) else (status,)):
        raise Failure(f"{words}: status {child.returncode}\n{out}{error}")
    return result
