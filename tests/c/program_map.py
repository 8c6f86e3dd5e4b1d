#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""program_map.py PROGRAM NM READELF STRIP FORM: where PAPI_get_executable_info says that the program is,
against what its file says: every function of nm is in the text, every variable in data or bss, and the
text has the bounds of the executable segment. FORM: pie, no-pie, static or static-pie."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

program, nm, readelf, strip, form = sys.argv[1:]


def said_by(command, **more):
    out = subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, **more).stdout
    said = dict(line.split(" ", 1) for line in out.splitlines())
    return {k: int(v, 16) if v.startswith("0x") else v for k, v in said.items()}


def tool(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def check(truth, text):
    if not truth:
        sys.exit(f"program_map.py: {form}: {text}")


def check_bounds(said, base):
    """The segments of the file."""
    segments = re.findall(r"^  LOAD\s+\S+ (\S+) \S+ (\S+) (\S+) (...) ", tool(readelf, "-lW", program), re.M)
    segments = [(int(v, 16) + base, int(f, 16), int(m, 16), flags) for v, f, m, flags in segments]
    code = [s for s in segments if "E" in s[3]]
    data = [s for s in segments if "W" in s[3]]
    check(len(code) == 1 and len(data) == 1, f"this linker makes other segments: {segments}")
    (start, _, size, _), (data_start, in_file, in_memory, _) = code[0], data[0]
    check((said["text_start"], said["text_end"]) == (start, start + size), f"text {said}")
    check((said["data_start"], said["data_end"]) == (data_start, data_start + in_file), f"data {said}")
    check((said["bss_start"], said["bss_end"]) == (data_start + in_file, data_start + in_memory), f"bss {said}")


def check_symbols(said, base):
    counts = {"t": 0, "d": 0, "b": 0}
    where = {"t": "text", "d": "data", "b": "bss"}
    # Thread-local variables have no address here; what has no size marks the end of something.
    fields = [line.split() for line in tool(readelf, "-sW", program).splitlines() if re.match(r" +\d+: ", line)]
    others = {f[7] for f in fields if len(f) > 7 and (f[3] in ("TLS", "NOTYPE") or f[2] == "0")}
    for line in tool(nm, program).splitlines():
        match = re.match(r"([0-9a-f]+) ([tTdDbB]) (\S+)", line)
        if not match or match[3] in others:
            continue
        kind, address = match[2].lower(), int(match[1], 16) + base
        inside = said[where[kind] + "_start"] <= address < said[where[kind] + "_end"]
        check(inside, f"{match[3]} is not in the {where[kind]}: {address:#x} of {said}")
        counts[kind] += 1
    check(counts["t"] >= 3 and counts["d"] >= 1 and counts["b"] >= 1, f"nm found {counts}")


def check_names(said, path):
    check(said["fullname"] == os.path.realpath(path), f"fullname {said['fullname']} of {path}")
    check(said["name"] == os.path.basename(path), f"name {said['name']}")


said = said_by([program])
anchor = re.search(r"^([0-9a-f]+) [tT] program_map_anchor$", tool(nm, program), re.M)
base = said["anchor"] - int(anchor[1], 16)
kind = re.search(r"Type:\s+(\S+)", tool(readelf, "-hW", program))[1]
interpreter = re.search(r"program interpreter: (\S+)\]", tool(readelf, "-lW", program))
check(kind == ("DYN" if "pie" == form[-3:] and form != "no-pie" else "EXEC"), f"the program is {kind}")
check((interpreter is None) == form.startswith("static"), "the program is not of its form")
check((base == 0) == (kind == "EXEC"), f"loaded at {base:#x}")
check_names(said, program)
check_bounds(said, base)
check_symbols(said, base)
check((said["libraries"] == "0") == form.startswith("static"), f"{said['libraries']} libraries")

with tempfile.TemporaryDirectory() as folder:
    copy = os.path.join(folder, "a program")
    shutil.copy(program, copy)
    tool(strip, copy)
    said = said_by([copy])
    check_names(said, copy)
    base = said["anchor"] - int(anchor[1], 16)
    check_bounds(said, base)
    check_symbols(said, base)
    # By a path that is relative, or a link.
    said = said_by(["./a program"], cwd=folder)
    check_names(said, copy)
    os.symlink(copy, os.path.join(folder, "link"))
    check_names(said_by([os.path.join(folder, "link")]), copy)
    # The loader as the program, with this one as its argument.
    if interpreter:
        check_names(said_by([interpreter[1], copy]), copy)
    said = said_by([copy, "gone"])
    check(not os.path.exists(copy), "the program is still there")
    check_names(said, copy)
