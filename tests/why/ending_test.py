#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""ending_test.py PAPI_WHY CASE CC TOOL...: what papi_why leaves behind when a signal ends it, and what it shows meanwhile.

CASE  term: SIGTERM during the first run. interrupt: SIGINT during a later one, of which a terminal shows the progress
      before.
TOOL  the other tools that it runs
Status: 0 passed, 1 failed.
"""
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

# Writes its number to a file, keeps the kernel busy, so that it is run once more as it is, and has no end where it is
# not the first, or the second word wants that.
PROGRAM = """
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int nothing = open("/dev/null", O_WRONLY);
    FILE *out = argc > 1 ? fopen(argv[1], "a") : NULL;
    fprintf(out, "%d\\n", (int)getpid());
    fclose(out);
    for (int i = 0; i < 1000000; i++)
        if (write(nothing, "", 1) != 1)
            return 1;
    out = fopen(argv[1], "r");
    int runs = 0;
    for (int c; (c = getc(out)) != EOF;)
        runs += c == '\\n';
    while (runs > 1 || argc > 2)
        sleep(1);
    return 0;
}
"""
PATIENCE = 300


def wait_until(what, true):
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "never: " + what
        time.sleep(0.05)


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except FileNotFoundError:
        return True


def lines(path):
    return path.read_text(encoding="ascii").split() if path.exists() else []


def main():
    tool, case, compiler, *others = sys.argv[1:]
    path = os.pathsep.join([os.path.dirname(other) for other in others] + [os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        (place / "tmp").mkdir()
        (place / "p.c").write_text(PROGRAM, encoding="ascii")
        subprocess.run([compiler, "-O2", "-o", place / "p", place / "p.c"], check=True)
        runs = place / "runs"
        word = [tool, place / "p", runs] + (["forever"] if case == "term" else [])
        terminal, inside = pty.openpty()
        why = subprocess.Popen(word, env=running.clean(TMPDIR=str(place / "tmp"), PATH=path), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=inside)
        os.close(inside)
        wanted = 1 if case == "term" else 2
        wait_until(f"run {wanted}", lambda: len(lines(runs)) >= wanted or why.poll() is not None)
        assert why.poll() is None, os.read(terminal, 4096).decode()
        assert os.listdir(place / "tmp"), "no folder of its own"
        if case == "interrupt":
            said = ""
            while not re.search(r"papi_why: the program runs [a-z ]+: \d+ s", said):
                said += os.read(terminal, 4096).decode()
        number = signal.SIGTERM if case == "term" else signal.SIGINT
        why.send_signal(number)
        status = why.wait(PATIENCE)
        assert status == -number, f"status {status}"
        left = os.listdir(place / "tmp")
        assert not left, f"left behind: {left}"
        wait_until("the program's end", lambda: all(gone(pid) for pid in lines(runs)))
    print("ok")


main()
