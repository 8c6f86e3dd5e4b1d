#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The symbols of the wrapper library beside those of the MPI libraries that a program has.

  symbols.py nm calls.tab symbols.txt program...

Every symbol that the table makes is in the library, and the library has no other of MPI; every symbol of the MPI
libraries that is some form of a call of the table is wrapped; nothing of MPI is undefined in the library."""
import re
import subprocess
import sys

from mpirun import WRAPPER, fail

# Forms that an MPI may have and that need no wrapper of their own: internal names, which its own layers call.
INTERNAL = re.compile(r"MPI_\w+_f(08)?$")


# What an MPI of version 3 does not have.
MPI_4 = {"MPI_Comm_create_from_group", "MPI_Session_init", "MPI_Session_finalize", "MPI_Isendrecv", "MPI_Isendrecv_replace",
         "MPI_Psend_init", "MPI_Precv_init", "MPI_Pready", "MPI_Pready_range", "MPI_Pready_list", "MPI_Parrived",
         "MPI_Comm_idup_with_info", "MPI_Intercomm_create_from_groups"}
# What only an MPI of version 4.1 has.
MPI_41 = {"MPI_Buffer_flush", "MPI_Buffer_iflush", "MPI_Request_get_status_all", "MPI_Request_get_status_any", "MPI_Request_get_status_some",
          *(f"MPI_{of}_{what}_buffer" for of in ("Comm", "Session") for what in ("attach", "detach", "flush", "iflush"))}


def symbols(nm, path, *options):
    shown = subprocess.run([nm, "-D", *options, path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in shown.splitlines()}


def libraries_of(program):
    shown = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return [path for path in re.findall(r"=> (\S+)", shown) if re.search(r"/libmpi\w*\.so|/libmpich\w*\.so", path)]


def forms(name):
    """All names that a compiler or a binding makes of a call's."""
    low = name.lower()
    fortran = [low, low + "_", low + "__", name.upper(), low + "_cptr", low + "_cptr_", low + "_cptr__",
               name.upper() + "_CPTR"]
    return {name, name + "_c", *fortran, *(low + suffix for suffix in
                                           ("_f08_", "_f08ts_", "_f08_large_", "_f08ts_large_", "_cptr_f08_"))}


def main():
    nm, table, made, *programs = sys.argv[1:]
    with open(table, encoding="utf-8") as file:
        calls = [line.split()[1] for line in file if line.strip() and not line.startswith(("#", "left-out"))]
    with open(made, encoding="utf-8") as file:
        wanted = set(file.read().split())
    own = {name for name in symbols(nm, WRAPPER, "--defined-only") if re.match(r"p?mpix?_", name, re.IGNORECASE)}
    if own != wanted:
        fail(f"not in the library: {sorted(wanted - own)}; in it and not made: {sorted(own - wanted)}")
    undefined = {name for name in symbols(nm, WRAPPER, "--undefined-only") if re.match(r"p?mpi|ompi|MPIR", name, re.I)}
    if undefined:
        fail(f"undefined symbols of MPI: {sorted(undefined)}")
    libraries = sorted({path for program in programs for path in libraries_of(program)})
    theirs = set().union(*(symbols(nm, path, "--defined-only") for path in libraries))
    if len(calls) < 150 or "MPI_Send" not in theirs:
        fail(f"{len(calls)} calls in the table; MPI_Send {'' if 'MPI_Send' in theirs else 'not '}in {libraries}")
    for call in calls:
        prepared = call.endswith("_init") and call.replace("_init", "") in calls and f"{call}_c" not in theirs
        if call not in theirs and call not in MPI_4 | MPI_41 and not prepared:
            fail(f"{call} is in the table and not in {libraries}")
        missing = forms(call) & theirs - own
        if missing:
            fail(f"not wrapped: {sorted(missing)}")
    # A form that nobody thought of begins like a call of the table, and is not another call.
    others = {name.lower() for name in theirs if re.fullmatch(r"MPI_[A-Z]\w*", name) and not INTERNAL.match(name)}
    known = set().union(*(forms(call) for call in calls))
    for name in sorted(theirs - known):
        for call in calls:
            rest = re.fullmatch(re.escape(call.lower()) + r"(_f08\w*|_c|_cptr\w*|_{1,2})", name.lower())
            if rest and not INTERNAL.match(name) and name.lower().rstrip("_") not in others:
                fail(f"{name} of {libraries} looks like a form of {call} and is not wrapped")
    print(f"{len(calls)} calls, {len(own)} symbols, of which the MPI libraries have {len(own & theirs)}")


main()
