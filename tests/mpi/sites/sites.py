#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""sites.py case program library source...: the result says of each call where in the sources it is, as these have it themselves."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading

from mpirun import REPORT, fail, run, skip

case, program, library, *sources = sys.argv[1:]
RANKS = 2


def marked(word):
    """[(file, line, routine, times, what it is inlined in)] of the sources."""
    found = []
    for source in sources:
        for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1):
            match = re.search(rf"(?:/\*|!) {word} (\S+) (\d+)(?: (\w+))?(?: \*/)?$", line)
            if match:
                found.append((os.path.basename(source), number, match[1], int(match[2]), match[3]))
    if not found:
        fail(f"no {word} in {sources}")
    return found


def job(*arguments, status=0, **env):
    command = [program, *([library] if library != "-" else []), *arguments]
    outcome = run(None, RANKS, command, env=env)
    if status is not None:
        outcome.check(status)
    return outcome


def where(site):
    """(file, line, routine, outer routine) of a site."""
    frames = site["frames"]
    if not frames:
        return None, 0, None, None
    return (os.path.basename(frames[0]["file"]), frames[0]["line"], frames[0]["routine"],
            frames[-1]["routine"] if len(frames) > 1 else None)


def compare(result, wanted):
    """Each of wanted is there, with its calls, and what is left are calls that are not marked."""
    sites = list(result["sites"])
    for file, line, routine, times, outer in wanted:
        found = [site for site in sites if where(site)[:3] == (file, line, routine)]
        calls = sum(site["calls"] for site in found)
        if calls != times * RANKS or any(site["ranks"] != RANKS for site in found):
            fail(f"{file}:{line} {routine}: {calls} calls, not {times * RANKS}, in {[where(site) for site in sites]}")
        if outer and not all((where(site)[3] or "").startswith(outer) for site in found):
            fail(f"{file}:{line} {routine}: is not inlined in {outer}: {found}")
        for site in found:
            if not 0 < site["least_ns"] <= site["most_ns"] <= site["ns"] or site["longest_ns"] > site["most_ns"]:
                fail(f"{file}:{line}: {site}")
            sites.remove(site)
    names = {call["name"]: call for call in result["calls"]}
    for name, call in names.items():
        of_call = [site for site in result["sites"] if site["call"] == name]
        for key in ("calls", "bytes"):
            if sum(site[key] for site in of_call) != call[key]:
                fail(f"{name}: {call[key]} {key}, and {of_call}")
        if abs(sum(site["ns"] for site in of_call) - call["ns"]) > len(of_call) * RANKS:
            fail(f"{name}: {call['ns']} ns, and {of_call}")
    if result["other_sites"]["calls"]:
        fail(f"{result['other_sites']}")
    print(f"{len(wanted)} sites as the sources have them, {len(sites)} others")


def check_call():
    outcome = job()
    if outcome.result["sites_mode"] != "call":
        fail(f"sites_mode is {outcome.result['sites_mode']}")
    compare(outcome.result, marked("SITE"))
    longest = max((site for site in outcome.result["sites"]), key=lambda site: site["ns"])
    file, line, routine, _ = where(longest)
    if f"{longest['call']} {file}:{line} {routine}" not in outcome.errors:
        fail(f"the report has no {file}:{line}\n{outcome.errors}")


def check_relative():
    """A library that the program opens by a path from its folder."""
    global library
    os.chdir(os.path.dirname(library))
    library = f"./{os.path.basename(library)}"
    check_call()


def check_program():
    """What the library calls is where the program calls the library; the program's own calls are where they were."""
    outcome = job(PAPI_MPI_SITES="program")
    result = outcome.result
    wanted = [(file, line, routine, times, outer) for file, line, routine, times, outer in marked("SITE") if routine != "product"]
    compare(result, wanted + marked("IN"))
    if result["sites_mode"] != "program" or any(name.endswith(".so") for name in map(path_of(result), result["sites"])):
        fail(f"{result['sites_mode']}: {[where(site) for site in result['sites']]}")


def path_of(result):
    return lambda site: result["objects"][site["object"]]["path"]


def check_off():
    outcome = job(PAPI_MPI_SITES="off")
    if outcome.result["sites"] or outcome.result["sites_mode"] != "off" or "call sites" in outcome.errors:
        fail(f"{outcome.result['sites']}\n{outcome.errors}")
    if not outcome.result["calls"]:
        fail("and no calls")


def check_names():
    """Without the library of symbols: the loader's names. papi_mpi_report, which has it, finds the lines."""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "libpapi_symbols.so").write_text("not a library")
        outcome = job(LD_LIBRARY_PATH=folder)
    found = {where(site)[2] for site in outcome.result["sites"]}
    lines = {where(site)[1] for site in outcome.result["sites"]}
    if "main" not in found or lines != {0}:
        fail(f"{found}, lines {lines}")
    print(f"{found}")


def check_offline():
    """A program without debug information: no server is asked for it, or a job could wait for a network at its end."""
    global program
    asked = []

    def serve(server):
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            asked.append(connection)
            connection.close()
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        stripped = os.path.join(folder, "stripped")
        subprocess.run(["strip", "--strip-debug", "-o", stripped, program], check=True)
        program = stripped
        threading.Thread(target=serve, args=(server,), daemon=True).start()
        outcome = job(DEBUGINFOD_URLS=f"http://127.0.0.1:{server.getsockname()[1]}", DEBUGINFOD_CACHE_PATH=folder)
        if REPORT:
            subprocess.run([REPORT, outcome.result_file], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "DEBUGINFOD_URLS": f"http://127.0.0.1:{server.getsockname()[1]}"})
    if asked:
        fail(f"a server was asked {len(asked)} times")
    if "main" not in {where(site)[2] for site in outcome.result["sites"]}:
        fail(outcome.result["sites"])


def check_recovered():
    """A job that aborts: what the records have is resolved by papi_mpi_report."""
    if not REPORT:
        skip("no papi_mpi_report")
    outcome = job("abort", status=None)
    made = subprocess.run([REPORT, "--recover", "--json", "-o", outcome.result_file, outcome.records], capture_output=True,
                          text=True, check=False)
    if made.returncode != 0:
        fail(f"{made.stdout}{made.stderr}")
    import json
    result = json.loads(outcome.result_file.read_text())
    compare(result, marked("SITE"))
    for i, name in enumerate(result["row_calls"]):
        rows = [row["calls"][i] or [0, 0, 0] for row in result["rows"]]
        (call,) = [call for call in result["calls"] if call["name"] == name]
        if [sum(row[k] for row in rows) for k in range(3)] != [call["calls"], call["ns"], call["bytes"]]:
            fail(f"{name}: {rows} in the rows, and {call}")
    text = subprocess.run([REPORT, outcome.result_file], capture_output=True, text=True, check=True).stdout
    if "sites.c:" not in text:
        fail(text)


{"offline": check_offline, "call": check_call, "relative": check_relative, "program": check_program, "off": check_off, "names": check_names, "recovered": check_recovered}[case]()
