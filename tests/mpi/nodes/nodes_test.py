#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_avail --nodes, under mpirun and without.

  nodes_test.py --tool PAPI_AVAIL --machines DIR --libraries DIR [--flavour NAME --mpirun MPIRUN] CASE

Status: 0 passed, 1 failed, 77 skipped.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from running import JOBS, Failure, Skip, clean, run  # noqa: E402 pylint: disable=wrong-import-position

LIMIT = 120
OTHER = {"mpich": "openmpi", "openmpi": "mpich"}


def same(got, wanted, what):
    if got != wanted:
        raise Failure(f"{what}: {got!r}, not {wanted!r}")


def matches(pattern, text, what):
    if not re.search(pattern, text, re.MULTILINE):
        raise Failure(f"{what}: nothing that matches {pattern}\n{text}")


class Setting:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)

    def run(self, *command, **changes):
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_orte_tmpdir_base": str(self.folder)}
        result = run(*command, group=True, timeout=LIMIT, cwd=self.folder, env=clean(*JOBS, **{**as_root, "LC_ALL": "C", **changes}))
        print("$", *command)
        print(result.stdout, end="")
        print(result.stderr, end="", file=sys.stderr)
        return result

    def start(self, n=2):
        """mpirun -n N"""
        if not self.options.mpirun:
            raise Skip(f"no mpirun of {self.options.flavour}")
        more = ["--oversubscribe"] if self.options.flavour == "openmpi" else []
        return [self.options.mpirun, *more, "-n", str(n)]

    def elsewhere(self, machine):
        """An option that lets one rank find another machine."""
        value = f"PAPI_SYSROOT={os.path.join(self.options.machines, machine)}"
        return ["-x", value] if self.options.flavour == "openmpi" else ["-env", *value.split("=", 1)]

    def library(self, flavour):
        return pathlib.Path(self.options.libraries, f"libpapi_mpi_nodes_{flavour}.so")


def host():
    return os.uname().nodename[:63]


# ------------------------------------------------------------------------------------ under its own mpirun

def alike(setting):
    """Ranks that find the same share one line."""
    tool = setting.options.tool
    result = setting.run(*setting.start(), tool, "--nodes")
    same((result.returncode, result.stderr), (0, ""), "status and standard error")
    lines = result.stdout.splitlines()
    same(lines[0], "1 node, 2 ranks, one kind of node", "the first line")
    same(len(lines), 4, "lines")
    matches(r"^Nodes +Ranks +Processor .* Paranoid +Presets +VM +Kernel +Hosts$", lines[2], "the titles")
    matches(rf"^ *1 +2 +\S.* {re.escape(host())}$", lines[3], "the row")
    report = json.loads(setting.run(*setting.start(), tool, "--nodes", "--json").stdout)
    alone = json.loads(setting.run(tool, "--nodes", "--json").stdout)
    same((report["nodes"], report["ranks"], report["differ_in"], report["hint"]), (1, 2, [], None), "the job")
    same(report["kinds"], [{**alone["kinds"][0], "ranks": 2}], "the kind of node")


def different(setting):
    """One rank finds another machine than the others do."""
    tool = setting.options.tool
    command = [*setting.start(2), tool, "--nodes", ":", "-n", "1", *setting.elsewhere("zen4-nps4"), tool, "--nodes"]
    result = setting.run(*command)
    same((result.returncode, result.stderr), (0, ""), "status and standard error")
    lines = result.stdout.splitlines()
    matches("^1 node, 3 ranks, 2 kinds of nodes; they differ in processor, .*cores.*kernel", lines[0], "the first line")
    matches(rf"^ *1 +2 +\S.* {re.escape(host())}$", lines[3], "the row of two ranks")
    matches(r"^ *1 +1 +AMD EPYC 9654 96-Core Processor +2 +192 +384 ", lines[4], "the row of one rank")
    matches("^Ranks of the same node have found different things", result.stdout, "what is odd")
    in_json = [each for word in command for each in ([word, "--json"] if word == "--nodes" else [word])]
    report = json.loads(setting.run(*in_json).stdout)
    same([(kind["nodes"], kind["ranks"], kind["hosts"]) for kind in report["kinds"]],
         [(1, 2, [host()]), (1, 1, [host()])], "kinds")
    other = report["kinds"][1]
    same([other[key] for key in ("processor", "sockets", "cores", "cpus", "perf_event_paranoid", "virtual_machine")],
         ["AMD EPYC 9654 96-Core Processor", 2, 192, 384, None, "no"], "the other machine")
    same((report["nodes"], report["ranks"], report["ranks_of_further_kinds"]), (1, 3, 0), "the job")


# --------------------------------------------------------------------------------------------- without one

def alone(setting):
    """No launcher: this node, and how to have the others."""
    result = setting.run(setting.options.tool, "--nodes")
    same((result.returncode, result.stderr), (0, ""), "status and standard error")
    matches(r"\A1 node, 1 rank, one kind of node$", result.stdout, "the first line")
    matches(r"mpirun -n RANKS papi_avail --nodes$", result.stdout, "the hint")
    report = json.loads(setting.run(setting.options.tool, "--nodes", "--json").stdout)
    machine = json.loads(setting.run(setting.options.tool, "--json").stdout)
    kind = report["kinds"][0]
    same((kind["processor"], kind["cpus"], kind["counters"], kind["available_presets"]),
         (machine["machine"]["model"], machine["machine"]["cpus"], machine["machine"]["hardware_counters"],
          machine["available"]), "the machine as it is elsewhere")
    level = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")
    same(kind["perf_event_paranoid"], int(level.read_text()) if level.exists() else None, "paranoid level")
    same(kind["kernel"], os.uname().release, "kernel")
    same("mpirun" in report["hint"], True, "the hint in JSON")


def one_table(result, pattern):
    """Rank 0 says what is wrong and gives what it has; the others are silent."""
    same(result.returncode != 0, True, "the status tells that the other nodes are missing")
    same(len(re.findall("^Nodes +Ranks", result.stdout, re.MULTILINE)), 1, "tables")
    same(len(re.findall("^papi_avail: ", result.stderr, re.MULTILINE)), 1, "sentences")
    matches(r"^papi_avail: this is the node of rank 0 alone", result.stderr, "the sentence")
    matches(pattern, result.stderr, "the sentence's reason")


def wrong(setting):
    """The library is of another MPI than the launcher: each rank is alone with itself."""
    own, other = setting.options.flavour, setting.library(OTHER[setting.options.flavour])
    if not other.exists():
        raise Skip(f"no {other}")
    shutil.copy(other, setting.folder / setting.library(own).name)
    result = setting.run(*setting.start(), setting.options.tool, "--nodes", LD_LIBRARY_PATH=str(setting.folder))
    one_table(result, f"started 2 ranks, but the MPI of libpapi_mpi_nodes_{own}.so sees 1")


def broken(setting):
    """A library that cannot be opened, and one that is another."""
    name = setting.folder / setting.library(setting.options.flavour).name
    name.write_bytes(b"no library")
    result = setting.run(*setting.start(), setting.options.tool, "--nodes", LD_LIBRARY_PATH=str(setting.folder))
    one_table(result, f"{name.name}")


def absent(setting):
    """Launchers on a machine whose MPI fpapi was not built for: a tool that finds no library."""
    # Its libraries are found from its own place: a copy finds libpapi where it is told to, and no other.
    tool = shutil.copy(setting.options.tool, setting.folder)
    library = str(pathlib.Path(setting.options.tool).resolve().parent.parent)
    launched = {
        "mpich": {"PMI_RANK": "0", "PMI_SIZE": "2"},
        "openmpi": {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"},
    }
    for flavour, variables in launched.items():
        result = setting.run(tool, "--nodes", LD_LIBRARY_PATH=library, **variables)
        one_table(result, rf"libpapi_mpi_nodes_{flavour}\.so.*fpapi makes it where that MPI is installed")
    result = setting.run(tool, "--nodes", LD_LIBRARY_PATH=library, PMI_RANK="1", PMI_SIZE="2")
    same((result.returncode, result.stdout, result.stderr), (0, "", ""), "another rank than the first")
    # A batch script has Slurm's variables and is not a rank.
    result = setting.run(tool, "--nodes", LD_LIBRARY_PATH=library, SLURM_PROCID="0", SLURM_NTASKS="64")
    same((result.returncode, result.stderr), (0, ""), "in a batch script")
    for word in ("-1", "two", "", "99999999999"):
        result = setting.run(tool, "--nodes", LD_LIBRARY_PATH=library, PMI_RANK=word, PMI_SIZE="2")
        same(result.returncode, 0, f"PMI_RANK={word}")


CASES = {each.__name__: each for each in (alike, different, alone, wrong, broken, absent)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--machines", required=True)
    parser.add_argument("--libraries", required=True)
    parser.add_argument("--flavour", choices=OTHER)
    parser.add_argument("--mpirun", default="")
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            CASES[options.case](Setting(options, folder))
        except Skip as reason:
            print(f"SKIP: {reason}")
            return 77
        except Failure as failure:
            print(f"FAIL: {failure}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
