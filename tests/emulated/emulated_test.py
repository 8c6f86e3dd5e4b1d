#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Programs under papi_emulate: each must count what analysis says.

  emulated_test.py [OPTIONS] CASE [PARAMETER]...

Status: 0 passed, 1 failed, 77 skipped (no emulator, plugin, program, MPI).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import JOBS, Failure, Skip, clean, run  # noqa: E402 pylint: disable=wrong-import-position

SKIPPED, LIMIT = 77, 120  # seconds until a program that hangs is a failure
CACHES = "--caches=L1d:32K:8:64,L1i:32K:8:64,L2:1M:16:64,L3:8M:16:64"
OPERATIONS = "emu::DP_OPS"


def same(got, wanted, what):
    if got != wanted:
        raise Failure(f"{what}: {got}, not {wanted}")


class Setting:
    """Where things are, and what runs a program."""

    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp()

    def need(self):
        emulator = f"qemu-{self.options.guest}"
        if not os.path.isfile(self.options.plugin):
            raise Skip("the plugin is not built: no Capstone (libcapstone-dev)")
        if shutil.which(emulator) is None:
            raise Skip(f"no {emulator} (qemu-user)")

    def program(self, name):
        path = os.path.join(self.options.programs, "tests/emulated", "emulated_" + name)
        return self.built(path)

    def built(self, path):
        if not os.path.exists(path):
            raise Skip(f"{path} is not built")
        return path

    def run(self, command, **changes):
        """Nothing that it leaves behind may go unnoticed."""
        before = shared_memory()
        environment = clean(*JOBS, "QEMU", "OMP", "OPENBLAS", **{"LC_ALL": "C", **changes})
        result = run(*command, group=True, timeout=LIMIT, cwd=self.folder, env=environment)
        same(processes_of(result.pid), [], f"{command}: processes that it left")
        same(sorted(shared_memory() - before), [], f"{command}: files that it left in /dev/shm")
        return result

    def emulate(self, *command, report=None, **changes):
        options = [] if report is None else [f"--report={report}", "--json"]
        return self.run([self.options.tool, *options, *command], **changes)

    def passed(self, *command, **changes):
        result = self.emulate(*command, **changes)
        print(result.stdout, end="")
        print(result.stderr, end="", file=sys.stderr)
        if result.returncode == SKIPPED:
            raise Skip("all that the program has")
        same(result.returncode, 0, f"status of {command}")
        return result.stdout

    def report(self, *command, **changes):
        file = os.path.join(self.folder, "report")
        if os.path.exists(file):
            os.remove(file)
        result = self.emulate(*command, report=file, **changes)
        report = json.loads(pathlib.Path(file).read_text())
        same(report["lost_programs"], 0, "lost programs")
        return report, result


def processes_of(session):
    """Those that still run of a session that has ended; they get a moment."""
    for _ in range(100):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(path.parent.name)
        if not found:
            return []
        time.sleep(0.05)
    return found


def shared_memory():
    """What papi_emulate and its plugin would leave there, by the names that they give to memory. Other programs make
    files there at the same time: fuzzers, MPI, another user's tests."""
    names = os.listdir("/dev/shm") if os.path.isdir("/dev/shm") else []
    return {name for name in names if re.match("papi_(emulat|recording)", name)}


# ------------------------------------------------------------------------------------ programs that check

def program(setting, name, *arguments):
    """It checks itself."""
    setting.passed(setting.program(name), *arguments)


def file(setting, path, *arguments):
    """The same for a program from elsewhere."""
    setting.passed(setting.built(path), *arguments)


def caches(setting):
    setting.passed(CACHES, setting.program("simulated"))


def cycles(setting):
    """As an estimate for programs that ask for it; the report names it so."""
    name = setting.program("cycles")
    setting.passed("--cycles=estimate", name)
    report, _ = setting.report("--cycles=estimate", name)
    same(report["sum"]["emu::ESTIMATED_CYCLES"], report["sum"]["emu::INSTRUCTIONS"], "the report's")
    plain, _ = setting.report(name)
    same("emu::ESTIMATED_CYCLES" in plain["sum"], False, "cycles without the option")
    text = setting.run([setting.options.tool, "--cycles=estimate", "--events=ESTIMATED_CYCLES", name]).stderr
    same(bool(re.search(r"^  emu::ESTIMATED_CYCLES +[0-9,]+  estimated$", text, re.MULTILINE)), True, text)
    text = setting.run([setting.options.tool, "--events=ESTIMATED_CYCLES", name])
    same((text.returncode, "--cycles=estimate" in text.stderr), (125, True), text.stderr)


def roofline(setting):
    """Small caches, which test_roofline.c knows: its loops go through arrays larger than them."""
    setting.passed("--caches=L1d:16K:8:64,L1i:32K:8:64,L2:64K:8:64,L3:512K:16:64", setting.program("roofline"))


def blas(setting):
    """OpenBLAS shares work among threads, of which each has its own counts, and chooses a kernel."""
    setting.passed(setting.program("blas"), OPENBLAS_NUM_THREADS="1", OPENBLAS_CORETYPE="Haswell")


def openblas(setting, library):
    """The same program with OpenBLAS in the place of the system's BLAS."""
    out = setting.passed(setting.program("blas"), OPENBLAS_NUM_THREADS="1", OPENBLAS_CORETYPE="Haswell",
                         LD_LIBRARY_PATH=os.path.dirname(setting.built(library)))
    if "reference" in out:
        raise Skip(f"{library} is not what the program took")


def processor(setting):
    """The emulated processor is a modern one of the machine's vendor, or what --cpu says."""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    vendor = re.search(r"^vendor_id\s*: (\w+)$", cpuinfo, re.MULTILINE)
    models = {"AuthenticAMD": "AuthenticAMD 23 49", "HygonGenuine": "HygonGenuine 24 0"}
    usual = models.get(vendor[1] if vendor else "", "GenuineIntel 6 60")
    name = setting.program("processor")
    report, result = setting.report(name)
    same(result.stdout, f"{usual} fma 1 avx2 1 avx512 0 erms 0\n", "the processor")
    same(result.stderr, "", "messages")
    same(report["sum"]["emu::UNKNOWN_INSTRUCTIONS"], 1, "unknown instructions: PREFETCH is none")
    unknown = [(each["instruction"], os.path.basename(each["file"])) for each in report["unknown_instructions"]]
    same(unknown, [("bytes 0f 01 ee", os.path.basename(name))], "their names")
    text = setting.run([setting.options.tool, "--report", name]).stderr
    same(bool(re.search(r"^ +bytes 0f 01 ee, at 0x[0-9a-f]+ of\s+\S+", text, re.MULTILINE)), True, text)
    other = setting.run([setting.options.tool, "--cpu=max,vendor=GenuineIntel,family=6,model=94,avx2=off", name]).stdout
    same(other, "GenuineIntel 6 94 fma 1 avx2 0 avx512 0 erms 1\n", "--cpu")
    same(setting.emulate(name, QEMU_CPU="max,vendor=GenuineIntel,family=6,model=85").stdout.split(" fma")[0],
         "GenuineIntel 6 85", "QEMU_CPU")


def messages(setting, mpirun):
    """Open MPI has nothing to complain of, whatever the length of the messages."""
    result = setting.run([setting.built(mpirun), "-n", "2", setting.options.tool, setting.program("messages")],
                         OMPI_MCA_orte_tmpdir_base=setting.folder, **OPEN_MPI)
    same((result.returncode, result.stdout, result.stderr), (0, "", ""), "status and output")


def outside(setting):
    """Without the emulator the reason is one that helps."""
    for name in ("component", "overflow", "instructions", "simulated"):
        result = setting.run([setting.program(name)])
        same(result.returncode, SKIPPED, f"status of {name} outside the emulator")
        if not re.search('SKIP: .*"papi_emulate PROGRAM" runs it there', result.stdout):
            raise Failure(f"{name}: no hint at papi_emulate:\n{result.stdout}")


def papi_avail(setting, path):
    """All presets of the instructions are there, and with the caches theirs too."""
    for options, n in (((), 25), ((CACHES,), None)):
        out = setting.passed(*options, setting.built(path), "-a")
        presets = re.findall("^(PAPI_[A-Z0-9_]+) +0x", out, re.MULTILINE)
        table = pathlib.Path(setting.options.presets).read_text()
        wanted = {name for name in re.findall("^PRESET,([A-Z0-9_]+),(?!.*ESTIMATED)", table, re.MULTILINE)
                  if options or not re.match("PAPI_L[123]_", name)}
        same(set(presets), wanted, "presets of papi_avail")
        same(n in (None, len(presets)), True, "their number")
        same("papi_emulate" in out, True, "papi_avail tells who counts")


def example(setting, path, *lines):
    """What an example prints has these lines, blanks aside."""
    out = setting.passed(setting.built(path))
    printed = [" ".join(line.split()) for line in out.splitlines()]
    for line in lines:
        same(line in printed, True, f"the line {line!r}")


# --------------------------------------------------------------------------------------- threads and ranks

def identical(run, times):
    outputs = {run() for _ in range(times)}
    same(len(outputs), 1, f"different outputs of {times} runs")


def threads(setting):
    identical(lambda: setting.passed(setting.program("threads")), 20)


# Open MPI refuses to start as root, or to start more ranks than there are cores, without these settings.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def ranks(setting, mpirun, form):
    """mpirun in the emulator, or an emulator for each rank. Each rank counts 20 times."""
    tool, name = [setting.options.tool], setting.program("ranks")
    start = [setting.built(mpirun), "-n", "2"]
    command = [*start, *tool, name] if form == "each" else [*tool, *start, name]

    def run():
        result = setting.run(command, OMPI_MCA_orte_tmpdir_base=setting.folder, **OPEN_MPI)
        same(result.returncode, 0, f"status of {command}\n{result.stdout}{result.stderr}")
        print(result.stdout, end="")
        return result.stdout

    identical(run, 3)


# ----------------------------------------------------------------------------------------------- processes

# WHAT: its status (a negative signal), the turns in units of TURNS that its programs make, its threads
TURNS, EACH = 1000, 3  # operations a turn
PROCESSES = {
    "plain": (0, [1], 1),
    "unstopped": (3, [1], 1),
    "abrupt": (4, [1], 1),
    "faulting": (-signal.SIGSEGV, [1], 1),
    "aborting": (-signal.SIGABRT, [1], 1),
    "killed": (-signal.SIGKILL, [1], 1),
    "executing": (0, [1, 10], 2),
    "forking": (0, [2, 5], 2),
    "many_forks": (0, [1, 1, 1, 1, 0], 5),
    "hundred_threads": (0, [5050], 101),
    "hundred_counting_threads": (0, [5050], 101),
    "threads_together": (0, [64], 65),
    "running_threads": (5, [36], 9),
}


def operations(report):
    return [each["counts"][OPERATIONS] for each in report["programs"]]


def processes(setting, *names):
    """However a program ends, nothing that it counted is lost. The same with no turns has what the
    start of a program counts."""
    path = setting.program("processes")
    for name in names or PROCESSES:
        status, turns, n_threads = PROCESSES[name]
        empty, _ = setting.report(path, name, "0")
        report, result = setting.report(path, name, str(TURNS))
        print(name, result.returncode, operations(report), report["threads"])
        same(result.returncode, status, f"{name}: status")
        same((report["status"], report["signal"]), (status, None) if status >= 0 else (None, -status),
             f"{name}: status of the report")
        same(operations(report), [base + EACH * TURNS * n for base, n in zip(operations(empty), turns)],
             f"{name}: operations of each program")
        same(len(turns), len(report["programs"]), f"{name}: programs")
        same(report["threads"], n_threads, f"{name}: threads")
        same(report["sum"][OPERATIONS], sum(operations(report)), f"{name}: sum")
        same([each["running"] for each in report["programs"]], [False] * len(turns), f"{name}: still running")


def same_counts(setting):
    """A program that ends as it should counts the same in each run, to the last instruction."""
    path = setting.program("processes")
    counts = {json.dumps(setting.report(path, "plain", str(TURNS))[0]["sum"]) for _ in range(5)}
    same(len(counts), 1, "different counts of five runs")


def shell(setting):
    """What a shell starts is counted as well, each program for itself."""
    path = setting.program("processes")
    if setting.options.guest != os.uname().machine:
        raise Skip("the shell is of another architecture")
    report, result = setting.report(path, "shell", str(TURNS))
    same(result.returncode, 0, "status")
    same(sorted(n for n in operations(report) if n > 0), [EACH * TURNS, 2 * EACH * TURNS], "operations")
    shells = [each["name"] for each in report["programs"] if each["name"].endswith("sh")]
    same(shells != [], True, "a shell is among the programs")


def sanitized(setting):
    """Up to QEMU 7.2, what reserves terabytes is refused before it hangs, also where another program starts it.
    Later ones run all."""
    emulator = subprocess.run([f"qemu-{setting.options.guest}", "--version"], capture_output=True, text=True, check=True)
    refuses = int(re.search(r" version (\d+)", emulator.stdout)[1]) <= 7
    message = (r"papi_emulate: \S+ reserves [0-9.]+ TB of addresses, .* -fsanitize=address, .* QEMU 7 .* GB .*\n"
               r"papi_emulate: build it without -fsanitize; or PAPI_EMULATOR=FILE with QEMU 8 or later, .*\n")
    found = 0
    for name in ("address", "thread", "leak", "undefined"):
        path = os.path.join(setting.options.programs, "tests/emulated/emulated_sanitized_" + name)
        if not os.path.exists(path):
            continue
        found += 1
        expected = (126, "", message) if refuses and name != "undefined" else (3, "99\n", "")
        for command, status in (([path], expected[0]), (["sh", "-c", f"{path}; exit $((1 + $?))"], expected[0] + 1)):
            result = setting.emulate(*command, ASAN_OPTIONS="detect_leaks=0", LSAN_OPTIONS="detect_leaks=0")
            same((result.returncode, result.stdout), (status, expected[1]), f"{command}: status and output")
            same(bool(re.fullmatch(expected[2], result.stderr)), True, f"{command}: messages: {result.stderr}")
    if not found:
        raise Skip("the compiler has no sanitizers")


def interrupted(setting):
    """A signal between a branch and what follows it loses neither."""
    report, result = setting.report(setting.program("processes"), "interrupted", "3000000")
    same(result.returncode, 0, "status")
    signals, counts = int(result.stdout), report["sum"]
    kinds = ("CONDITIONAL", "TAKEN", "NOT_TAKEN")
    both, taken, not_taken = (counts[f"emu::{kind}_BRANCHES"] for kind in kinds)
    print(f"{signals} signals, {both} conditional branches, {taken} taken, {not_taken} not")
    same(signals > 20, True, "some signals came")
    same(taken + not_taken, both, "taken and not taken")
    same(counts[OPERATIONS], 3 * 3000000, "operations")


# ---- metrics by name

def near(got, wanted, what):
    if abs(got - wanted) > 1e-8 * abs(wanted):
        raise Failure(f"{what}: {got}, not {wanted}")


def check_counts(count, analysis, empty):
    """What a region counted beside a region in which nothing happens."""
    same(count["PAPI_FP_OPS"] - empty["PAPI_FP_OPS"], analysis[1], "PAPI_FP_OPS")
    # The compiler puts what a kernel begins with into registers, and a reading of counters that have moved takes a
    # branch or two more, in the kernel's region or in the empty one.
    for event, wanted in zip(("PAPI_TOT_INS", "PAPI_BR_CN", "PAPI_BR_TKN"), (analysis[0], *analysis[2:4])):
        if wanted >= 0 and abs(count[event] - empty[event] - wanted) > 32:
            raise Failure(f"{event}: {count[event]}, not {wanted}, {empty[event]} and a few")
    # Regions have lines of their own, and pages move nothing.
    if analysis[4] >= 0 and not 0 <= count["PAPI_L1_DCM"] - analysis[4] <= 64:
        raise Failure(f"PAPI_L1_DCM: {count['PAPI_L1_DCM']}, not {analysis[4]} and a few")


def check_values(count, value, name):
    """The formulas of the table, written once more."""
    seconds, line = count["real_time_nsec"] * 1e-9, 64
    wanted = {
        "mflops": count["PAPI_FP_OPS"] / seconds / 1e6,
        "flop_per_ins": count["PAPI_FP_OPS"] / count["PAPI_TOT_INS"],
        "mips": count["PAPI_TOT_INS"] / seconds / 1e6,
        "l1d_mpki": 1000 * count["PAPI_L1_DCM"] / count["PAPI_TOT_INS"],
        "l1d_miss_ratio": 100 * count["PAPI_L1_DCM"] / count["PAPI_L1_DCA"],
        "l2_mpki": 1000 * count["PAPI_L2_TCM"] / count["PAPI_TOT_INS"],
        "branch_share": 100 * count["PAPI_BR_INS"] / count["PAPI_TOT_INS"],
        "taken_share": 100 * count["PAPI_BR_TKN"] / count["PAPI_BR_CN"],
        "bandwidth": count["PAPI_L3_TCM"] * line / seconds / 1e9,
    }
    if count["PAPI_FP_OPS"] > 0:
        wanted["bytes_per_flop"] = count["PAPI_L3_TCM"] * line / count["PAPI_FP_OPS"]
    else:
        same("bytes_per_flop" in value["metrics"], False, f"{name}: bytes_per_flop")
        same(value["metrics_without_value"]["bytes_per_flop"], "it divides by PAPI_FP_OPS, which is 0", name)
    for metric, number in wanted.items():
        near(float(value["metrics"][metric]), number, f"{name}: {metric}")


def counts_of(entry):
    return {key: int(text) for key, text in entry.items() if key.startswith("PAPI_") or key == "real_time_nsec"}


def check_table(out, sums):
    """The table of all entries."""
    for name, count in sums.items():
        head = re.search(r"^region +(mflops .*)$", out, re.MULTILINE)[1].split()
        row = [line.split() for line in out.splitlines() if line.startswith(name + " ")]
        cells = next(dict(zip(head, cells[1:])) for cells in row if len(cells) == len(head) + 1)
        near(float(cells["mflops"]), count["PAPI_FP_OPS"] / count["real_time_nsec"] * 1e3, f"{name} in the table")
        same(cells["flop_per_cycle"], "-", "flop_per_cycle in the table")


def metrics(setting):
    out = setting.passed(CACHES, setting.program("metrics"), PAPI_REPORT="formulas",
                         PAPI_EVENTS="@flops,@ipc,@cache,@branches,@memory,@no_such")
    file = json.loads(pathlib.Path(setting.folder, "papi_hl_output", "rank_000000.json").read_text())
    same(file["metric_definitions"]["ipc"]["formula"], "PAPI_TOT_INS / PAPI_TOT_CYC", "the formula in the file")
    same("@no_such" in file["events_not_counted"], True, "what there is not is named")
    entries, sums = {}, {}
    for entry in file["threads"]["0"]["regions"].values():
        name = entry["name"]
        entries[name] = entry
        count = counts_of(entry)
        sums[name] = {key: sums.get(name, {}).get(key, 0) + value for key, value in count.items()}
        check_values(count, entry, name)
        same("no cycles" in entry["metrics_without_value"]["ipc"], True, "why there is no ipc")
    empty = counts_of(entries["empty"])
    said = re.findall(r"^(\w+)((?: -?\d+){5})$", out, re.MULTILINE)
    same(len(said), 8, "four kernels, twice")
    for name, numbers in said[4:]:
        check_counts(counts_of(entries[name]), [int(number) for number in numbers.split()], empty)
    check_table(out, sums)
    for text in ("mflops: MFLOP/s, millions of floating-point operations a second: PAPI_FP_OPS / time / 1e6",
                 "bytes_per_flop: B/FLOP", "    - in empty: it divides by PAPI_FP_OPS, which is 0"):
        same(text in out, True, text)
    for region, metric, value in (("multi", "mflops", sums["multi"]["PAPI_FP_OPS"] / sums["multi"]["real_time_nsec"] * 1e3),
                                  ("chase", "l1d_mpki", 1000 * sums["chase"]["PAPI_L1_DCM"] / sums["chase"]["PAPI_TOT_INS"]),
                                  ("order", "taken_share", 100 * sums["order"]["PAPI_BR_TKN"] / sums["order"]["PAPI_BR_CN"])):
        near(float(re.search(rf"^{region} {metric} (\S+)$", out, re.MULTILINE)[1]), value, f"PAPI_hl_metric: {metric}")
    same(re.findall(r"^missing (\w+): .*(PAPI_TOT_CYC is not counted|no region \"nowhere\"|no metric \"no_such_metric\"|which is 0)", out, re.MULTILINE),
         [("multi", "PAPI_TOT_CYC is not counted"), ("nowhere", 'no region "nowhere"'), ("multi", 'no metric "no_such_metric"'),
          ("set", "which is 0")], "what has no value")


CASES = {each.__name__: each for each in (
    program, file, caches, cycles, roofline, blas, openblas, processor, messages, outside, papi_avail, example, threads, ranks, processes, same_counts,
    shell, interrupted, sanitized, metrics)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--programs", required=True, help="the build tree that has them")
    parser.add_argument("--presets", help="the table of the emulated processor")
    parser.add_argument("--guest", default=os.uname().machine, help="x86_64 or aarch64")
    parser.add_argument("case", choices=CASES)
    parser.add_argument("parameters", nargs="*")
    options = parser.parse_args()
    setting = Setting(options)
    try:
        setting.need()
        CASES[options.case](setting, *options.parameters)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return SKIPPED
    except Failure as failure:
        print(f"FAIL: {failure}")
        return 1
    finally:
        shutil.rmtree(setting.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
