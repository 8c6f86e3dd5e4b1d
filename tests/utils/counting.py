#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_command_line beside others: counting.py TOOL CASE, or counting.py list

The cases are functions below: signals that come to it, counters that are read too seldom, names from the kernel. Status:
0 passed, 1 failed, 77 skipped.
"""
import contextlib
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

import tool_cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

CLOCK = "perf::TASK-CLOCK"
ENERGY = "powercap:::ENERGY_UJ:ZONE0"
PASSED_ON = "trap 'exit 5' TERM; (kill -TERM $PPID); for i in $(seq 300); do sleep 0.1; done"
FAILURES = []


def check(holds, *what):
    if not holds:
        FAILURES.append(" ".join(map(str, what)))


def run(*words, **how):
    """The exit status and what was printed, of a run in an environment without settings of PAPI."""
    result = running.run(*words, env=running.clean(**how.pop("environment", {})), text=False, **how)
    return result.returncode, result.stdout, result.stderr


def objects(text):
    """Those of a watch, each of which is a line."""
    return [json.loads(line) for line in text.decode().splitlines()]


def needs_software_events():
    if not tool_cases.software_events():
        print("SKIP: the kernel lets no software event be counted")
        sys.exit(77)


def write(root, path, text):
    file = os.path.join(os.fsencode(root), os.fsencode(path))
    os.makedirs(os.path.dirname(file), exist_ok=True)
    pathlib.Path(os.fsdecode(file)).write_text(text)


# ----------------------------------------------------------------------------- counters that are read too seldom

AT_ONCE, SOON, LATE = "1000000", "1000000000", "262143328850"


def node_with_energy(root, most=AT_ONCE):
    """Its register begins at 0 again after so many uJ. 500 W use 1 J in 2 ms, which is too short for the library to look
    in between, and 1,000 J in two seconds."""
    for name, text in (("name", "package-0"), ("enabled", "1"), ("energy_uj", "3000"), ("max_energy_range_uj", most)):
        write(root, f"sys/class/powercap/intel-rapl:0/{name}", text + "\n")
    return {"environment": {"PAPI_SYSROOT": root, "FILE": f"{root}/sys/class/powercap/intel-rapl:0/energy_uj"}}


def doubt(tool):
    with tempfile.TemporaryDirectory() as root:
        how = node_with_energy(root)
        command = ["--", "sh", "-c", "sleep 2.1; echo 3700 >$FILE"]
        status, out, err = run(tool, ENERGY, *command, **how)
        check(status == 0 and not err, status, err)
        check(b"ZONE0 : \t700\n" in out and b"\nin doubt: " in out and b"ENERGY_UJ:ZONE0 was not read for " in out, out)
        write(root, "sys/class/powercap/intel-rapl:0/energy_uj", "3000\n")
        status, out, err = run(tool, "--json", ENERGY, *command, **how)
        document = json.loads(out)
        check(status == 0 and document["events"][0]["count"] == 700 and "was not read" in document["doubt"], out, err)
        for most, rest in ((SOON, command), (LATE, ["--", "true"])):
            node_with_energy(root, most)
            status, out, err = run(tool, "--json", ENERGY, *rest, **how)
            document = json.loads(out)
            check(status == 0 and document["doubt"] is None, out, err)
            check(document["events"][0]["count"] == (700 if most == SOON else 0), out, err)


def doubt_of_a_line(tool):
    with tempfile.TemporaryDirectory() as root:
        how = node_with_energy(root)
        status, out, err = run(tool, "--json", "-i", "2.1", "-n", "1", ENERGY, **how)
        check(status == 0 and "was not read" in objects(out)[0]["doubt"], out, err)
        status, out, err = run(tool, "-i", "2.1", "-n", "1", ENERGY, **how)
        check(status == 0 and out.splitlines()[2].startswith(b"in doubt: "), out, err)
        node_with_energy(root, LATE)
        status, out, err = run(tool, "--json", "-i", "0.01", "-n", "1", ENERGY, **how)
        check(status == 0 and "doubt" not in objects(out)[0], out, err)


# ------------------------------------------------------------------------------------------ names from the kernel

def hostile_names(tool):
    for device in (b'a"b', b"a\\b", b"a\nb", b"a\xffb", b'"}, {"'):
        with tempfile.TemporaryDirectory() as root:
            write(root, b"sys/class/net/" + device + b"/statistics/rx_bytes", "70\n")
            how = {"environment": {"PAPI_SYSROOT": root}}
            event = b"net:::" + device + b":rx:bytes"
            for words in (["--json", "-i", "0.01", "-n", "2"], ["--json"]):
                status, out, err = run(tool, *words, event, **how)
                check(status == 0, device, words, err)
                name = event.decode(errors="replace")
                found = list(objects(out)[1]) if "-n" in words else json.loads(out)["events"][0].values()
                check(name in found, device, words, out)


# ----------------------------------------------------------------------------------------------------- signals

def ignored_children(tool):
    """Where whoever starts the tool does not want to know how children end."""
    needs_software_events()
    status, out, err = run(tool, "--json", CLOCK, "--", "sh", "-c", "exit 3",
                           preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check(status == 0 and json.loads(out).get("status") == 3, out, err)


def other_children(tool):
    """A child that it was not the tool's to start."""
    needs_software_events()
    status, out, err = run("sh", "-c", 'sleep 0.1 & exec "$@"', "sh", tool, "--json", "-i", "0.1", CLOCK, "--", "sleep", "2")
    check(status == 0 and objects(out)[-1]["seconds"] > 0.5, out, err)


def stopped_command(tool):
    needs_software_events()
    status, out, err = run(tool, "--json", "-i", "0.1", CLOCK, "--", "sh", "-c",
                           "(sleep 0.2; kill -CONT $$) & kill -STOP $$; sleep 2")
    check(status == 0 and objects(out)[-1]["seconds"] > 0.5, out, err)


def terminated(tool):
    """A batch system's SIGTERM ends the command, and the counts are printed."""
    needs_software_events()
    status, out, err = run(tool, "--json", CLOCK, "--", "sh", "-c", PASSED_ON)
    check(status == 0 and json.loads(out)["status"] == 5, status, out, err)
    status, out, err = run(tool, "--json", "-i", "60", CLOCK, "--", "sh", "-c", PASSED_ON)
    check(status == 0 and len(objects(out)) == 1 and objects(out)[0]["seconds"] < 50, status, out, err)


def interrupted_watch(tool):
    """Ctrl-C ends it, and it is no failure."""
    for number in (signal.SIGINT, signal.SIGTERM):
        with tempfile.TemporaryDirectory() as root:
            environment = os.environ | node_with_energy(root)["environment"]
            with subprocess.Popen([tool, "--json", "-i", "0.05", ENERGY], env=environment, stdout=subprocess.PIPE) as process:
                first = process.stdout.readline()
                process.send_signal(number)
                objects(first + process.stdout.read())
                check(process.wait() == 0, number, process.returncode)


# ---------------------------------------------------------------------------------------- processes that run

FAULTS = "perf::PAGE-FAULTS"
# Waits for a line, then works in threads, one after another, each of which touches so many fresh pages; says so.
WORKER = """
import mmap, sys, threading
def work():
    with mmap.mmap(-1, 100 * mmap.PAGESIZE) as pages:
        for page in range(100):
            pages[page * mmap.PAGESIZE] = 1
def round():
    for _ in range(10):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
round()
print("ready", flush=True)
sys.stdin.readline()
round()
print("done", flush=True)
sys.stdin.readline()
"""


def worker(*before):
    """A process that is ready."""
    process = subprocess.Popen([*before, sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    check(process.stdout.readline() == "ready\n", "no worker")
    return process


def do(process, answer):
    process.stdin.write("\n")
    process.stdin.flush()
    check(process.stdout.readline() == answer, "the worker does not answer")


# The system call rt_sigtimedwait, in which the tool waits once it counts.
WAITS = {"x86_64": "128", "aarch64": "137", "riscv64": "137", "ppc64le": "209", "i686": "177", "armv7l": "177"}


def until_it_counts(tool):
    """Waits until a tool that has begun counts."""
    number = WAITS.get(os.uname().machine)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and tool.poll() is None:
        try:
            call = pathlib.Path(f"/proc/{tool.pid}/syscall").read_text(encoding="ascii").split()
        except OSError:
            call = []
        if not number or not call:
            time.sleep(5)
            return
        if call[0] == number:
            return
        time.sleep(0.01)
    check(False, "it does not count within two minutes", tool.poll())


def attach(tool, *words, processes, before=lambda counting: None, work=lambda: None, status=0):
    """What the tool says of processes that work while it is attached, which ends them."""
    with subprocess.Popen([tool, "--json", *words, *(f"--attach={process.pid}" for process in processes), FAULTS], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=running.clean()) as counting:
        until_it_counts(counting)
        before(counting)
        for process in processes:
            do(process, "done\n")
        work()
        for process in processes:
            do(process, "")
            process.wait()
        out, err = counting.communicate()
    check(counting.returncode == status, counting.returncode, out, err)
    return json.loads(out)


def attached(tool):
    """Two processes, until the end of both: each has its count, and the event their sum."""
    needs_software_events()
    result = attach(tool, processes=[worker(), worker()])
    each = [process["counts"][FAULTS] for process in result["processes"]]
    check(len(each) == 2 and all(1000 <= count < 3000 for count in each), result)
    check(result["events"][0]["count"] == sum(each), result)


def attached_tree(tool):
    """A shell, and what it had started before."""
    needs_software_events()
    shell = worker("sh", "-c", '"$@"; true', "sh")
    result = attach(tool, "--tree", processes=[shell])
    check(1000 <= result["events"][0]["count"] < 3000, result)


def attached_twice(tool):
    """A process, what it had started before, and that once more by its own number: it is counted once."""
    needs_software_events()
    shell = worker("sh", "-c", '"$@"; true', "sh")
    (child,) = subprocess.run(["pgrep", "-P", str(shell.pid)], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    result = attach(tool, "--tree", f"--attach={child}", processes=[shell])
    check(1000 <= result["events"][0]["count"] < 3000, result)
    check([process["pid"] for process in result["processes"]] == [shell.pid], result)


def attached_threads(tool):
    """Each thread, and those that end have what they counted."""
    needs_software_events()
    result = attach(tool, "--threads", processes=[worker()])
    (process,) = result["processes"]
    counts = [thread["counts"][FAULTS] for thread in process["threads"]]
    check(len(counts) == 11 and sum(counts) == process["counts"][FAULTS], process)
    check(sum(100 <= count < 300 for count in counts) >= 10, counts)
    check(all(thread["ended"] for thread in process["threads"]), process)


def attached_uncounted(tool):
    """Threads for whose counters no descriptor is left have no counts, which is no 0."""
    needs_software_events()

    def leave_no_descriptor(counting):
        used = {int(number) for number in os.listdir(f"/proc/{counting.pid}/fd")}
        free = min(set(range(len(used) + 1)) - used)
        _, most = resource.prlimit(counting.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(counting.pid, resource.RLIMIT_NOFILE, (free, most))

    result = attach(tool, "--threads", processes=[worker()], before=leave_no_descriptor, status=1)
    (process,) = result["processes"]
    counts = [thread["counts"][FAULTS] for thread in process["threads"]]
    check(len(counts) == 11 and counts.count(None) == 10 and sum(filter(None, counts)) == process["counts"][FAULTS], process)
    check("ulimit -n" in result["doubt"], result)


def attached_interval(tool):
    """Ctrl-C ends it, and the process goes on."""
    needs_software_events()
    process = worker()
    with subprocess.Popen([tool, "--json", "-a", str(process.pid), "-i", "0.1", FAULTS], stdout=subprocess.PIPE,
                          env=running.clean()) as counting:
        first = counting.stdout.readline()
        do(process, "done\n")
        time.sleep(0.3)
        counting.send_signal(signal.SIGINT)
        lines = objects(first + counting.stdout.read())
        check(counting.wait() == 0, counting.returncode)
    check(1000 <= sum(line[FAULTS] for line in lines) < 3000, lines)
    check(process.poll() is None, "it has ended")
    do(process, "")


@contextlib.contextmanager
def control_group():
    """A new one, that is removed; without the right to make one the case is skipped."""
    mounts = [line.split() for line in pathlib.Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines()]
    trees = [words[1] for words in mounts if words[2] == "cgroup" and "perf_event" in words[3].split(",")]
    trees += [words[1] for words in mounts if words[2] == "cgroup2"]
    folder = pathlib.Path(trees[0] if trees else "/sys/fs/cgroup", f"fpapi_counting_{os.getpid()}")
    try:
        folder.mkdir()
    except OSError as problem:
        print(f"SKIP: no control group can be made here: {problem}")
        sys.exit(77)
    try:
        yield folder
    finally:
        if folder.exists():
            folder.rmdir()


def remove(folder):
    """Removes a control group whose last task has ended, which the kernel may learn a moment later."""
    deadline = time.monotonic() + 60
    while True:
        try:
            folder.rmdir()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def removed_cgroup(tool):
    """What a control group's task does, until the group is removed: then the lines end by themselves."""
    needs_software_events()
    with control_group() as folder:
        process = worker()
        (folder / "cgroup.procs").write_text(f"{process.pid}\n", encoding="ascii")
        with subprocess.Popen([tool, "--json", f"--cgroup={folder}", "-i", "0.1", FAULTS], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=running.clean()) as counting:
            first = counting.stdout.readline()
            do(process, "done\n")
            do(process, "")
            process.wait()
            remove(folder)
            rest, errors = counting.communicate(timeout=120)
        check(counting.returncode == 0 and errors.count(b"was removed") == 1, counting.returncode, errors)
        lines = objects(first + rest)
        check(1000 <= sum(line[FAULTS] for line in lines) < 3000, lines)


def output_file(tool):
    """The counts are in the file, what the command prints is not; lines are there before the end; nothing is lost."""
    needs_software_events()
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "counts")
        status, out, errors = run(tool, "--json", "-o", str(file), FAULTS, "--", "sh", "-c", "echo printed")
        counted = json.loads(file.read_text())
        check((status, out, errors) == (0, b"printed\n", b"") and counted["events"][0]["count"] > 0, status, out, errors, counted)
        check(run(tool, f"--output={file}", FAULTS, "--", "true")[:2] == (0, b""), "text")
        text = file.read_text()
        check(f"{FAULTS} : \t" in text and "{" not in text, text)
        check(run(tool, f"--output={file}", "perf::NO_SUCH", "--", "echo", "printed")[:2] == (1, b""), "no event")
        check("NO_SUCH" in file.read_text(), "it says why there are no counts")
        check(run(tool, "-o", folder + "/no/counts", FAULTS, "--", "echo", "printed")[:2] == (1, b""), "no folder: it is not run")
        check(run(tool, "-o", "-", FAULTS, "--", "true")[1] != b"", "standard output")
        command = f"until test $(wc -l <{file}) -gt 2; do sleep 0.05; done; echo seen"
        file.write_text("")
        status, out, errors = run(tool, "-o", str(file), "-i", "0.05", FAULTS, "--", "sh", "-c", command)
        check((status, out, errors) == (0, b"seen\n", b""), status, out, errors)
        status, out, errors = run(tool, "-o", "/dev/full", "-i", "0.05", FAULTS)
        check(status == 1 and b"/dev/full: No space left" in errors, status, errors)


def reader_gone(tool):
    """A watch ends, without a word, when nobody reads its lines any more."""
    needs_software_events()
    for options in ([], ["--json"], ["--openmetrics"]):
        with subprocess.Popen([tool, *options, "-i", "0.05", FAULTS], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=running.clean()) as counting:
            counting.stdout.readline()
            counting.stdout.close()
            errors = counting.stderr.read()
            check(counting.wait(timeout=120) == 1 and errors == b"", options, counting.returncode, errors)


CASES = {case.__name__: case for case in (doubt, doubt_of_a_line, hostile_names, ignored_children, other_children,
                                          stopped_command, terminated, interrupted_watch, attached, attached_tree,
                                          attached_twice, attached_threads, attached_uncounted, attached_interval, removed_cgroup,
                                          output_file, reader_gone)}


def main():
    if sys.argv[1] == "list":
        print("\n".join(CASES))
        return 0
    CASES[sys.argv[2]](sys.argv[1])
    for failure in FAILURES:
        print(failure)
    return bool(FAILURES)


if __name__ == "__main__":
    sys.exit(main())
