#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""test_run.py RUN BUILD: the runner of others' tests says of each what it did, and leaves no process."""
import json
import os
import subprocess
import sys
import tempfile

RUN, BUILD = sys.argv[1:]
PROGRAMS = {
    "passes": "int main(void) { helper(); return PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT ? puts(\"PASSED\") < 0 : 3; }",
    "skips": "int main(void) { puts(\"x.c   SKIPPED\"); return 0; }",
    "fails": "int main(void) { puts(\"PASSED\"); puts(\"FAILED!!!\"); return 0; }",
    "status": "int main(void) { return 7; }",
    "crashes": "int main(void) { abort(); }",
    "hangs": "int main(void) { for (;;) pause(); }",
    "leaves": "int main(void) { if (fork() == 0) for (;;) pause(); puts(\"PASSED\"); return 0; }",
    "cannot": "int main(void) { return no_such_function(); }",
}
HEAD = "#include <papi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nvoid helper(void);\n"
EXPECTED = {"passes": "passed", "skips": "skipped", "fails": "failed", "status": "failed", "crashes": "signal 6", "hangs": "too long",
            "leaves": "passed", "cannot": "not built"}


def run(*arguments, status, path=None):
    environment = {**os.environ, "PATH": path + ":" + os.environ["PATH"]} if path else None
    done = subprocess.run([sys.executable, RUN, "--build=" + BUILD, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=900, env=environment)
    assert done.returncode == status, (arguments, done.returncode, done.stdout)
    return done.stdout


def packages():
    """Tests of a package of Julia; a script stands for julia, and finds out what it is started with."""
    with tempfile.TemporaryDirectory() as folder:
        tests = os.path.join(folder, "test")
        os.makedirs(tests)
        julia = os.path.join(folder, "julia")
        with open(julia, "w") as out:
            out.write("#!/bin/sh\n[ -f \"${JULIA_LOAD_PATH%%:*}/src/PAPI.jl\" ] || exit 9\n"
                      "case $3 in \"using PAPI\"*) ;; *) exit 8 ;; esac\n! grep -q fails \"$4\"\n")
        os.chmod(julia, 0o700)
        assert "has no test/runtests.jl" in run("papi.jl", folder, status=1, path=folder)
        for name, text in (("runtests.jl", 'using Test\ninclude("one.jl")\n    include("two.jl")\n'), ("one.jl", "passes\n"), ("two.jl", "fails\n")):
            with open(os.path.join(tests, name), "w") as out:
                out.write(text)
        found = json.loads(run("--json", "papi.jl", folder, status=1, path=folder))
        assert found["tests"] == {"one.jl": "passed", "two.jl": "failed"} and list(found["wrong"]) == ["two.jl"], found


def main():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("ctests", "testlib", "validation_tests"):
            os.makedirs(os.path.join(folder, "src", name))
        with open(os.path.join(folder, "src", "testlib", "helper.c"), "w") as out:
            out.write("void helper(void) { }\n")
        for name, text in PROGRAMS.items():
            with open(os.path.join(folder, "src", "ctests", name + ".c"), "w") as out:
                out.write(HEAD + text + "\n")
        found = json.loads(run("--json", "--seconds=20", "papi", folder, status=1))
        assert found["tests"] == {"ctests/" + name: what for name, what in EXPECTED.items()}, found
        assert sorted(found["wrong"]) == sorted("ctests/" + n for n, what in EXPECTED.items() if what not in ("passed", "skipped"))
        assert "1 tests: 1 passed; 0 not as expected" in run("--only=passes", "papi", folder, status=0)
        assert "no test has 'nothing'" in run("--only=nothing", "papi", folder, status=1)
        assert "has no src/ctests" in run("papi", os.path.join(folder, "src"), status=1)
    packages()
    assert "is not a folder" in run("papi", "/nonexistent", status=1)
    run("other", "/", status=2)
    assert "Usage:" in run("--help", status=0)


if __name__ == "__main__":
    main()
