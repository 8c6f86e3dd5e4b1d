#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: every_tool.py TOOL [ARGUMENT...]

What every tool must do alike, whatever it is for: --help, --version, wrong options, a standard output that
takes nothing. The ARGUMENTs make a run that prints something.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

ENVIRONMENT = running.clean(LC_ALL="C")


ERRORS = {"papi_gate": 3}  # the status of an error, where 1 is an answer


class Differences(list):
    def check(self, holds, what, result=None):
        if not holds:
            self.append(what if result is None else
                        f"{what}\n    status {result.returncode}\n    {result.stdout!r:.300}\n    {result.stderr!r:.300}")


def run(command, out=subprocess.PIPE):
    return running.run(*command, env=ENVIRONMENT, stdout=out, errors="replace")


def check_help(tool, name, found):
    long, short = run([tool, "--help"]), run([tool, "-h"])
    text = long.stdout
    found.check(long.returncode == short.returncode == 0 and not long.stderr, "--help is not an error", long)
    found.check(text == short.stdout, "-h is --help", short)
    found.check(text.startswith(f"Usage: {name}"), "the help says how it is used", long)
    for word in ("--json", "--version", "--help", "Exit status: 0"):
        found.check(word in text, f"the help has {word}", long)
    # Its lines, and the prompt after them.
    found.check(len(text.splitlines()) < 24 and all(len(line) <= 80 for line in text.splitlines()),
                "the help fits a screen of 80 x 24", long)
    return text


def wrong_options(text):
    """Arguments that no tool takes, and options of its own without the value that they need."""
    yield ["--no-such-option"]
    yield ["-?"]
    yield ["--json=3"]
    for option in re.findall(r"^ *(?:-\w, +)?(--[\w-]+)=[A-Z]", text, re.MULTILINE):
        yield [option]


def check_wrong_options(tool, name, text, found):
    for wrong in wrong_options(text):
        result = run([tool, *wrong])
        found.check(result.returncode == 2, f"{wrong} has exit status 2", result)
        found.check(not result.stdout, f"{wrong} prints nothing on standard output", result)
        found.check(result.stderr.startswith(f"{name}: ") and f"\n{name} --help" in result.stderr,
                    f"{wrong} has a message that points to the help", result)


def check_output(tool, name, arguments, found):
    def fails(how, command, out, why):
        result = run(command, out)
        status = ERRORS.get(name, 1)
        found.check(result.returncode == status, f"{how}: exit status {status}", result)
        said = f"{name}: standard output: {why}\n" in result.stderr if why else "standard output" not in result.stderr
        found.check(said, f"{how}: {why or 'nothing about it'}", result)

    for words in (arguments, ["--json", *arguments], ["--help"], ["--version"]):
        what = " ".join([name, *words])
        # Where nothing can be counted, a tool may have nothing to print.
        if words[:1] not in (["--help"], ["--version"]) and not run([tool, *words]).stdout:
            print(f"{what} prints nothing here")
            continue
        with open("/dev/full", "wb") as full:
            fails(f"{what} > /dev/full", [tool, *words], full, "No space left on device")
        fails(f"{what} >&-", ["sh", "-c", 'exec "$@" >&-', "sh", tool, *words], None, "Bad file descriptor")
        reader, writer = os.pipe()
        os.close(reader)
        fails(f"{what} | true", [tool, *words], writer, None)
        os.close(writer)


def check_json(tool, arguments, found):
    # Without counters a tool may have to fail; then it says so and prints what it has, or nothing.
    result = run([tool, "--json", *arguments])
    found.check(result.returncode in (0, 1), "--json has exit status 0 or 1", result)
    found.check(result.returncode == 0 or result.stderr, "--json: a failure has a message", result)
    if result.stdout:
        try:
            found.check(isinstance(json.loads(result.stdout), dict), "--json prints one object", result)
        except ValueError as problem:
            found.append(f"--json prints no JSON: {problem}")


def main():
    tool, *arguments = sys.argv[1:]
    name = os.path.basename(tool)
    found = Differences()
    text = check_help(tool, name, found)
    version = run([tool, "--version"])
    found.check(re.fullmatch(name + r" \(fpapi\) \d+\.\d+\.\d+\n", version.stdout), "--version", version)
    check_wrong_options(tool, name, text, found)
    check_output(tool, name, arguments, found)
    check_json(tool, arguments, found)
    for difference in found:
        print("does not hold: " + difference)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
