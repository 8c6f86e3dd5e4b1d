#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The package of Julia: test_julia.py SETTINGS.json CASE

package    its own tests, where there is a julia
interface  what is generated has all constants and functions of papi.h, with as many arguments as their types say
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

RESERVED = set("begin end function if else elseif for while let do try catch finally return struct module using import export "
               "const global local macro quote true false break continue baremodule in isa where type".split())


def case_package(settings, folder):
    if not shutil.which("julia"):
        print("no julia")
        return 77
    package = shutil.copytree(settings["package"], os.path.join(folder, "PAPI"))
    named = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(settings["library"]), "JULIA_DEPOT_PATH": os.path.join(folder, "depot")}
    return subprocess.run(["julia", "--project=" + package, os.path.join(package, "test", "runtests.jl")], env=named,
                          stdin=subprocess.DEVNULL).returncode


def case_interface(settings, _):
    with open(os.path.join(settings["package"], "src", "interface.jl")) as text:
        code = text.read()
    with open(settings["constants"]) as lines:
        known = dict(line.split() for line in lines)
    found = dict(re.findall(r"^const (PAPI\w*|USER\w*) = Cint\((-?\d+)\)$", code, re.M))
    assert len(known) > 300 and found == known, set(found.items()) ^ set(known.items())
    with open(settings["symbols"]) as names:
        exported = {name for name in names.read().split() if name.startswith("PAPI_")}
    functions = re.findall(r"^(PAPI_\w+)\((.*)\) =\n    ccall\(\(:(\w+), libpapi\), (\w[\w{}]*), \((.*)\)((?:, \w+)*)\)$", code, re.M)
    assert len(exported) > 80 and {name for name, *_ in functions} == exported, exported
    for name, takes, called, _, types, passed in functions:
        names = re.findall(r"\w+", takes)
        kinds = re.findall(r"[\w{}]+", types)
        assert name == called and names == re.findall(r"\w+", passed) and len(kinds) == len(names), name
        assert not RESERVED & set(names), name
        assert (len(kinds) == 1) == types.endswith(","), name  # a tuple of one
    presets = re.findall(r"^    \(:(\w+), (PAPI_\w+)\),$", code, re.M)
    assert len(presets) > 100 and all("PAPI_" + short == name and int(known[name]) < 0 for short, name in presets), presets
    return 0


def main():
    path, case = sys.argv[1:]
    with open(path) as file:
        settings = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        return globals()["case_" + case](settings, folder)


if __name__ == "__main__":
    sys.exit(main())
