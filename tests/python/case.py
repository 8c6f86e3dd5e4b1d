# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the packages of Python share: test_CASE.py SETTINGS.json."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import unittest

SETTINGS = json.load(open(sys.argv[1]))
os.environ["PAPI_PYTHON_LIBRARY"] = SETTINGS["library"]
os.environ.pop("PAPI_EVENTS", None)
sys.path.insert(0, SETTINGS["packages"])
sys.dont_write_bytecode = True

FAULTS, CLOCK = "perf::PAGE-FAULTS", "perf::TASK-CLOCK"


def python(code, folder=None, status=0, **environment):
    """What a program of Python prints, in a process of its own."""
    named = {**os.environ, "PYTHONPATH": SETTINGS["packages"], "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=named, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=600)
    assert done.returncode == status, "status %d, not %d:\n%s%s" % (done.returncode, status, done.stdout, done.stderr)
    return done.stdout


@contextlib.contextmanager
def interrupting():
    """Gives a function of a turn's number: in the turn, KeyboardInterrupt comes that much later, until the function is
    called without one."""
    def raises(*_):
        raise KeyboardInterrupt

    def arm(turn=None):
        signal.setitimer(signal.ITIMER_REAL, 0 if turn is None else 1e-6 + turn * 4e-7)
    before = signal.signal(signal.SIGALRM, raises)
    try:
        yield arm
    finally:
        arm()
        signal.signal(signal.SIGALRM, before)


def main():
    """Runs the tests of the module; 77 where all are skipped."""
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=2).result
    if not result.testsRun and not result.skipped:
        sys.exit("no test")
    if result.wasSuccessful() and len(result.skipped) >= result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())
