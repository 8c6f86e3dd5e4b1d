#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A program with more rights than its caller does nothing that the caller's environment asks for.

  setuid_test.py SETTINGS.json CASE [MPI]

Cases: traps (the same program without more rights springs each trap, so that the others can fail), user, other,
group, capability, archive, mpi; links, mpi_links (what other users put in the way of a program without more rights);
files (which it makes).
Root installs the program and starts it as nobody. Status: 0 passed, 1 failed, 77 skipped.
"""
import ctypes
import json
import os
import pathlib
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile

LIMIT = 120  # seconds
CALLER = 65534
OTHER = 20000 + os.getpid() % 40000  # a user and group of nobody on this machine, and of no test beside this one
NET_RAW = 13
# Open MPI starts a program of one rank without its daemon.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_plm_rsh_agent": "/bin/true"}
FORBIDDEN = ("the program has rights that its caller lacks (set-user-ID, capabilities) and makes no files")
# What libc and its loader know; not LD_TRACE_LOADED_OBJECTS, with which no program runs.
LIBC = ("LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT LD_DEBUG LD_DEBUG_OUTPUT LD_PROFILE LD_PROFILE_OUTPUT LD_SHOW_AUXV "
        "LD_BIND_NOW LD_DYNAMIC_WEAK LD_HWCAP_MASK LD_ORIGIN_PATH LD_USE_LOAD_BIAS GCONV_PATH GETCONF_DIR HOSTALIASES "
        "LOCALDOMAIN LOCPATH LC_ALL LANG LANGUAGE NLSPATH NIS_PATH RES_OPTIONS RESOLV_HOST_CONF MALLOC_TRACE "
        "MALLOC_CHECK_ MALLOC_PERTURB_ GLIBC_TUNABLES TMPDIR TZ TZDIR PATH HOME").split()
RANKS = "PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK PALS_RANKID FLUX_TASK_RANK MV2_COMM_WORLD_RANK ALPS_APP_PE SLURM_PROCID".split()


class Skip(Exception):
    pass


class Watch:
    """Which files of a tree are opened, changed or made (inotify)."""

    MASK = 0x20 | 0x2 | 0x100 | 0x80  # IN_OPEN, IN_MODIFY, IN_CREATE, IN_MOVED_TO

    def __init__(self, top):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.fd = self.libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise Skip(f"no inotify: {os.strerror(ctypes.get_errno())}")
        self.folders = {}
        for folder, _, _ in os.walk(top):
            watch = self.libc.inotify_add_watch(self.fd, os.fsencode(folder), self.MASK)
            if watch < 0:
                raise Skip(f"no inotify watch: {os.strerror(ctypes.get_errno())}")
            self.folders[watch] = folder
        self.seen()

    def seen(self):
        found = set()
        while True:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                watch, _, _, length = struct.unpack_from("iIII", data, at)
                name = os.fsdecode(data[at + 16:at + 16 + length].rstrip(b"\0"))
                found.add(os.path.join(self.folders.get(watch, "?"), name))
                at += 16 + length

    def close(self):
        os.close(self.fd)


class Outcome:
    def __init__(self, done, opened, files):
        self.status, self.out, self.error = done.returncode, done.stdout, done.stderr
        self.opened, self.files = opened, files

    def line(self, name):
        return re.search(rf"^{re.escape(name)}: (.*)$", self.out, re.M).group(1)

    def __repr__(self):
        return (f"status {self.status}\nopened: {sorted(self.opened)}\nmade: {sorted(self.files)}\n"
                f"stderr:\n{self.error}\nstdout:\n{self.out}")


def find_place(candidates):
    """A folder on a file system that honours the rights of programs, and that every user can reach."""
    reasons = []
    for place in candidates:
        try:
            flags = os.statvfs(place).f_flag
            parents = [place, *map(str, pathlib.Path(place).resolve().parents)]
            if flags & (os.ST_NOSUID | os.ST_NOEXEC):
                reasons.append(f"{place} is mounted nosuid or noexec")
            elif not all(os.stat(parent).st_mode & stat.S_IXOTH for parent in parents):
                reasons.append(f"{place} is not open to other users")
            else:
                return place
        except OSError as error:
            reasons.append(str(error))
    raise Skip("; ".join(reasons))


class Scene:
    def __init__(self, settings):
        self.settings, self.caller, self.umask = settings, CALLER, 0o022
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="papi_setuid_", dir=find_place(["/var/tmp", "/tmp", "/opt"])))
        os.chmod(self.top, 0o755)
        self.traps, self.ran = self.top / "traps", self.top / "ran"
        for name, mode in (("bin", 0o755), ("traps", 0o755), ("ran", 0o1777), ("cwd", 0o777), ("home", 0o777),
                           ("tmp", 0o1777)):
            (self.top / name).mkdir()
            os.chmod(self.top / name, mode)
        self.set_traps()

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    @staticmethod
    def compile(*words):
        subprocess.run(list(map(str, words)), check=True, timeout=LIMIT)

    def folder(self, name, mode=0o755):
        path = self.traps / name
        path.mkdir(parents=True, exist_ok=True)
        os.chmod(path, mode)
        return path

    def file(self, name, text):
        path = self.traps / name
        self.folder(os.path.dirname(name))
        path.write_text(text)
        return path

    def set_traps(self):
        source = self.top / "trap.c"
        source.write_text('#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void spring(void)\n'
                          f'{{ close(open("{self.ran}/code", O_CREAT | O_WRONLY, 0666)); }}\n'
                          'unsigned la_version(unsigned v) { return v; }\n')
        plugin = self.folder("plugins") / "hwloc_trap.so"
        self.compile(self.settings["C"], "-shared", "-fPIC", "-o", plugin, source)
        for name in ("libraries/libhwloc.so.15", "any/trap.so"):
            self.folder(os.path.dirname(name))
            shutil.copy(plugin, self.traps / name)
        self.file("topology.xml", '<?xml version="1.0"?>\n<topology version="2.0"></topology>\n')
        self.file("root/proc/cpuinfo", "processor\t: 0\nvendor_id\t: Trap\n")
        self.file("root/sys/devices/system/cpu/online", "0-76\n")
        self.file("events.csv", "PRESET,PAPI_TRAP,NOT_DERIVED,perf::PAGE-FAULTS\n")
        self.file("user.csv", "EVENT,TRAP_EVENT,NOT_DERIVED,perf::PAGE-FAULTS\n")
        self.file("zone", "no time zone\n")
        self.file("locales/xx_XX/LC_IDENTIFICATION", "no locale\n")
        self.folder("results", 0o777)
        self.folder("times", 0o777)

    def copy_library(self, library):
        """As it is installed: under the name by which programs find it."""
        text = subprocess.run([self.settings["readelf"], "-d", library], stdout=subprocess.PIPE, check=True,
                              universal_newlines=True, timeout=LIMIT).stdout
        copy = self.top / "bin" / re.search(r"SONAME.*\[(.*)\]", text).group(1)
        shutil.copy(library, copy)
        os.chmod(copy, 0o755)
        return copy

    def install(self, name, archive=False, **rights):
        program = self.top / "bin" / name
        if archive:
            how = [self.settings["archive"], self.settings["pfm"], "-lpthread", "-ldl"]
        else:
            how = [self.copy_library(self.settings["library"]), f"-Wl,-rpath,{program.parent}"]
        self.compile(self.settings["C"], "-o", program, self.settings["object"], *how)
        return self.give(program, **rights)

    def install_mpi(self, name, **rights):
        program, folder = self.top / "bin" / name, pathlib.Path(__file__).parent
        libraries = [self.copy_library(self.settings[library]) for library in ("mpi_library", "library")]
        self.compile(self.settings["mpicc"], "-I", self.settings["include"], "-o", program,
                     folder / "privileged_mpi.c", "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{program.parent}")
        return self.give(program, **rights)

    def give(self, program, owner=0, group=0, mode=0o755, capability=None):
        os.chown(program, owner, group)
        os.chmod(program, mode)
        if capability is not None:
            try:
                os.setxattr(program, "security.capability", struct.pack("<5I", 0x02000001, 1 << capability, 0, 0, 0))
            except OSError as error:
                raise Skip(f"{program.parent} keeps no capabilities of files: {error.strerror}") from error
        return program

    def listed(self):
        """What is in the folders that the program may write to, and in those of all users what it would own."""
        found = {str(path) for name in ("cwd", "home", "tmp", "traps") for path in (self.top / name).rglob("*")}
        for shared in ("/tmp", "/var/tmp", "/dev/shm"):
            for entry in os.scandir(shared) if os.path.isdir(shared) else ():
                try:
                    if entry.stat(follow_symlinks=False).st_uid == OTHER:
                        found.add(entry.path)
                except FileNotFoundError:
                    pass
        return found

    def clear(self):
        for name in ("cwd", "home", "tmp", "ran", "traps/results", "traps/times"):
            for path in (self.top / name).iterdir():
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()

    def run(self, program, variables, *arguments):
        self.clear()
        return self.run_again(program, variables, *arguments)

    def run_again(self, program, variables, *arguments):
        def drop():
            os.setgroups([])
            os.setgid(self.caller)
            os.setuid(self.caller)
            os.umask(self.umask)
        before, watch = self.listed(), Watch(self.traps)
        done = subprocess.run([str(program), *arguments], env=variables, cwd=self.top / "cwd", preexec_fn=drop,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              universal_newlines=True, timeout=LIMIT)
        opened = watch.seen()
        watch.close()
        files = (self.listed() - before) | {str(path) for path in self.ran.iterdir()}
        return Outcome(done, opened, files)

    # ---- the traps

    def groups(self):
        """A name: variables, and how the trap shows that it sprang."""
        at = {name: str(self.traps / name) for name in os.listdir(self.traps)}
        traps = {
            "the current folder": ({}, "files"),
            "PAPI_OUTPUT_DIRECTORY": ({"PAPI_OUTPUT_DIRECTORY": at["results"]}, "files"),
            "PAPI_NATIVE_TIMES, record": ({"PAPI_NATIVE_TIMES": "record:" + at["times"]}, "files"),
            "PAPI_NATIVE_TIMES, replay": ({"PAPI_NATIVE_TIMES": "replay:" + at["times"]}, "files"),
            "PAPI_SYSROOT": ({"PAPI_SYSROOT": at["root"]}, "opened"),
            "PAPI_CSV_EVENT_FILE": ({"PAPI_CSV_EVENT_FILE": at["events.csv"]}, "opened"),
            "PAPI_PERFMON_EVENT_FILE": ({"PAPI_PERFMON_EVENT_FILE": at["events.csv"]}, "opened"),
            "PAPI_USER_EVENTS_FILE": ({"PAPI_USER_EVENTS_FILE": at["user.csv"]}, "opened"),
            "PAPI_DISABLE_COMPONENTS": ({"PAPI_DISABLE_COMPONENTS": "perf_event"}, "out"),
            "PAPI_VERBOSE": ({"PAPI_VERBOSE": "1"}, "out"),
            "PAPI_DEBUG": ({"PAPI_DEBUG": "1"}, "out"),
            "PAPI_HL_VERBOSE": ({"PAPI_HL_VERBOSE": "1"}, "error"),
            "PAPI_EVENTS": ({"PAPI_EVENTS": "perf::NOTHING", "PAPI_HL_VERBOSE": "1"}, "error"),
            "PAPI_REPORT": ({"PAPI_REPORT": "1"}, "out"),
            "LD_PRELOAD": ({"LD_PRELOAD": at["any"] + "/trap.so"}, "files"),
            "LD_AUDIT": ({"LD_AUDIT": at["any"] + "/trap.so"}, "opened"),
            "LOCPATH": ({"LOCPATH": at["locales"], "LC_ALL": "xx_XX"}, "opened"),
            "TZ": ({"TZ": ":" + at["zone"]}, "opened"),
            "LIBPFM_VERBOSE": ({"LIBPFM_VERBOSE": "9", "LIBPFM_DEBUG": "9"}, "error"),
            "LIBPFM_FORCE_PMU": ({"LIBPFM_FORCE_PMU": "skl"}, "out"),
        }
        if self.settings["hwloc"]:
            traps.update({
                "LD_LIBRARY_PATH": ({"LD_LIBRARY_PATH": at["libraries"]}, "files"),
                "HWLOC_PLUGINS_PATH": ({"HWLOC_PLUGINS_PATH": at["plugins"]}, "files"),
                "HWLOC_XMLFILE": ({"HWLOC_XMLFILE": at["topology.xml"]}, "opened"),
                "HWLOC_SYNTHETIC": ({"HWLOC_SYNTHETIC": "package:3 core:5 pu:7"}, "out"),
                "HWLOC_FSROOT": ({"HWLOC_FSROOT": at["root"]}, "opened"),
                "HWLOC_COMPONENTS_VERBOSE": ({"HWLOC_COMPONENTS_VERBOSE": "1"}, "error"),
            })
        return traps

    def every_name(self):
        """The variables that the libraries know, by their texts."""
        names = set(LIBC) | set(RANKS)
        for library, pattern in ((self.settings["library"], rb"\0((?:PAPI|LIBPFM)_[A-Z0-9_]+)(?=\0)"),
                                 (self.settings["pfm"], rb"LIBPFM_[A-Z0-9_]+"),
                                 (self.settings["hwloc"], rb"HWLOC_[A-Z0-9_]+")):
            if library:
                names |= {name.decode() for name in re.findall(pattern, pathlib.Path(library).read_bytes())}
        wanted = {"PAPI_SYSROOT", "PAPI_NATIVE_TIMES", "LIBPFM_FORCE_PMU"}
        wanted |= {"HWLOC_PLUGINS_PATH", "HWLOC_XMLFILE"} if self.settings["hwloc"] else set()
        if not wanted <= names:
            raise AssertionError(f"the libraries' texts lack {wanted - names}")
        return names

    def everything(self):
        """All variables at once: what the traps have, and for the others a file, or 1. Also without libpfm4's, which
        make it be left out."""
        own = {}
        for variables, _ in self.groups().values():
            own.update(variables)
        file, names = str(self.file("any/file", "1\n")), self.every_name()
        own["LD_DEBUG"] = "files"  # of words that it does not know the loader itself says so
        yield {**{name: file for name in names}, **own}
        yield {name: own[name] if name in own and name in LIBC else file if name in LIBC else "1" for name in names}
        yield {name: own.get(name, file) for name in names if not name.startswith("LIBPFM_")}


def check(condition, what, outcome):
    if not condition:
        raise AssertionError(f"{what}\n{outcome!r}")


def sprang(outcome, plain, how):
    if how in ("opened", "files"):
        made = {path for path in getattr(outcome, how)}
        return bool(made - getattr(plain, how)) or (how == "files" and plain is outcome and bool(made))
    return getattr(outcome, how) != getattr(plain, how)


def traps(scene):
    """Without more rights."""
    program = scene.install("plain")
    plain = scene.run(program, {}, "stop")
    check(plain.status == 0 and plain.line("secure") == "0" and plain.out.endswith("end\n"), "it does not run", plain)
    check(plain.error == "" and plain.line("counted") == "1", "it says nothing unasked, and counts", plain)
    idle = [name for name, (variables, how) in scene.groups().items()
            if not sprang(plain if not variables else scene.run(program, variables, "stop"), plain, how)]
    if idle:
        raise AssertionError(f"no trap: {idle}")
    print(f"{len(scene.groups())} traps spring")


def check_safe(scene, program, name, variables, answers):
    outcome = scene.run(program, variables, "stop")
    check(outcome.status == 0, f"{name}: it does not run", outcome)
    check(not outcome.opened, f"{name}: a trap was opened", outcome)
    check(not outcome.files, f"{name}: files appeared", outcome)
    check(outcome.error == answers.error, f"{name}: it says something unasked", outcome)
    check(outcome.out == answers.out, f"{name}: other answers than\n{answers!r}", outcome)


def check_answers(scene, answers):
    """What it does without any variable."""
    ordinary = scene.run(scene.install("plain"), {}, "stop")
    for line in ("processors", "processor", "max cpus", "counted"):
        check(answers.line(line) == ordinary.line(line), f"{line}: not this machine's {ordinary.line(line)}", answers)
    check(not answers.files, "no variable: files appeared", answers)
    check(answers.line("regions written") == "-3", "PAPI_hl_stop fails", answers)
    check(FORBIDDEN in answers.line("regions"), "its reason", answers)
    check(answers.error == f"PAPI-HL: the regions are not written: {scene.top}/cwd: {FORBIDDEN}\n",
          "one line says that the regions are lost, as for each folder that cannot be written", answers)


def privileged(scene, program):
    answers = scene.run(program, {}, "stop")
    if answers.status == 0 and answers.line("secure") == "0":
        raise Skip("this system gives the program no more rights than its caller's (no_new_privs?)")
    check(answers.status == 0 and answers.out.endswith("end\n"), "it does not run", answers)
    # Any variable of libpfm4's makes it be left out.
    without_pfm = scene.run(program, {"LIBPFM_OF_NO_MEANING": "1"}, "stop")
    check(without_pfm.line("processors") == answers.line("processors"), "the machine is the same", without_pfm)
    checks = [(check_answers, scene, answers)]
    for name, (variables, _) in scene.groups().items():
        checks.append((check_safe, scene, program, name, variables, without_pfm if "LIBPFM" in name else answers))
    for variables in scene.everything():
        checks.append((check_safe, scene, program, f"all {len(variables)} variables", variables,
                       without_pfm if "LIBPFM_DEBUG" in variables else answers))
    faults = []
    for function, *arguments in checks:
        try:
            function(*arguments)
        except AssertionError as fault:
            faults.append(str(fault))
    if faults:
        raise AssertionError("\n".join([fault.split("\n")[0] for fault in faults] + ["", *faults]))
    print(f"{len(scene.groups())} traps do not spring, nor do all {len(variables)} variables at once")


def user(scene):
    privileged(scene, scene.install("of_root", mode=0o4755))


def other(scene):
    privileged(scene, scene.install("of_another", owner=OTHER, mode=0o4755))


def group(scene):
    privileged(scene, scene.install("of_group", group=OTHER, mode=0o2755))


def capability(scene):
    privileged(scene, scene.install("capable", capability=NET_RAW))


def archive(scene):
    privileged(scene, scene.install("of_archive", owner=OTHER, mode=0o4755, archive=True))


def mpi_variables(scene):
    results = scene.traps / "results"
    library = pathlib.Path(scene.settings["mpi_library"]).read_bytes()
    found = {name.decode() for name in re.findall(rb"\0(PAPI_MPI[A-Z_]*)(?=\0)", library)}
    if not {"PAPI_MPI", "PAPI_MPI_DIR", "PAPI_MPI_OUTPUT", "PAPI_MPI_REPORT"} <= found:
        raise AssertionError(f"the library's texts have {found}")
    return {**{name: "1" for name in found}, "PAPI_MPI_DIR": str(results), "PAPI_MPI_OUTPUT": f"{results}/job.json",
            "PAPI_MPI_REPORT": f"{results}/report", "PAPI_EVENTS": "perf::PAGE-FAULTS", "TMPDIR": str(results)}


def of_papi(outcome):
    """MPI itself may have files of its own."""
    return {path for path in outcome.files if "papi" in os.path.basename(path) or "/cwd/" in path or "/results/" in path}


def mpi(scene):
    plain = scene.install_mpi("plain_mpi")
    privileged_ = scene.install_mpi("mpi_of_another", owner=OTHER, mode=0o4755)
    preload = {"LD_PRELOAD": str(scene.top / "bin" / os.path.basename(scene.settings["mpi_library"]))}
    for variables in ({}, mpi_variables(scene), {**mpi_variables(scene), **preload, "PAPI_MPI_SWITCHED": "1"}):
        variables.update(ALONE)
        outcome = scene.run(plain, variables)
        check(outcome.status == 0 and outcome.line("ranks") == "1 1", "the plain program does not run", outcome)
        check(of_papi(outcome), "no trap", outcome)
        outcome = scene.run(privileged_, variables)
        if outcome.status == 0 and outcome.line("secure") == "0":
            raise Skip("this system gives the program no more rights than its caller's (no_new_privs?)")
        check(outcome.status == 0 and outcome.line("ranks") == "1 1", "it does not run", outcome)
        check(not of_papi(outcome) and not outcome.opened, "files appeared", outcome)
        lines = [line for line in outcome.error.splitlines() if "papi" in line.lower()]
        check(lines == [f"PAPI-HL: the regions are not written: {scene.top}/cwd: {FORBIDDEN}"],
              "the regions are lost, and nothing else is said", outcome)


# ---- what other users put in the way

def place(scene, mode, owner, link_owner=None, folder_owner=None):
    """The current folder, with papi_hl_output in it: a link to "mine", or a folder. Their names."""
    scene.clear()
    cwd, mine = scene.top / "cwd", scene.top / "home" / "mine"
    output = cwd / "papi_hl_output"
    os.chown(cwd, owner, owner)
    os.chmod(cwd, mode)
    mine.mkdir()
    os.chown(mine, CALLER, CALLER)
    if link_owner is not None:
        output.symlink_to(mine)
        os.lchown(output, link_owner, link_owner)
    if folder_owner is not None:
        output.mkdir()
        os.chown(output, folder_owner, folder_owner)
        os.chmod(output, 0o777)
    return output, mine


def check_refused(scene, outcome, kept, reason):
    check(outcome.line("regions written") == "-3", "PAPI_hl_stop", outcome)
    text = f"{scene.top}/cwd (papi_hl_output): {reason}; move it away, or set PAPI_OUTPUT_DIRECTORY to another folder"
    check(text in outcome.line("regions"), "its reason", outcome)
    check(outcome.error == f"PAPI-HL: the regions are not written: {text}\n", "the end's one line", outcome)
    check(not any(kept.iterdir()), "files appeared", outcome)
    check([path.name for path in (scene.top / "cwd").iterdir()] == ["papi_hl_output"], "a file is left", outcome)


def links(scene):
    program = scene.install("plain")
    for mode in (0o777, 0o1777, 0o775):
        owner = CALLER if mode == 0o775 else 0
        _, mine = place(scene, mode, owner, link_owner=OTHER)
        check_refused(scene, scene.run_again(program, {}, "stop"), mine, "it is a link that another user made")
    for mode in (0o777, 0o1777):
        output, _ = place(scene, mode, 0, folder_owner=OTHER)
        check_refused(scene, scene.run_again(program, {}, "stop"), output,
                      "all users may write beside it, and another one made it")
    followed = [(0o1777, 0, CALLER), (0o1777, 0, 0), (0o1777, OTHER, OTHER), (0o755, CALLER, OTHER)]
    for mode, owner, link_owner in followed:
        _, mine = place(scene, mode, owner, link_owner=link_owner)
        outcome = scene.run_again(program, {}, "stop")
        check([path.name for path in mine.iterdir()] == ["rank_000000.json"], f"a link of {link_owner} in a folder of {owner}, mode {mode:o}", outcome)
    output, _ = place(scene, 0o775, CALLER, folder_owner=OTHER)
    outcome = scene.run_again(program, {}, "stop")
    check([path.name for path in output.iterdir()] == ["rank_000000.json"], "a colleague's folder", outcome)
    # Nothing is lost: PAPI_hl_stop once more, without the link.
    place(scene, 0o777, 0, link_owner=OTHER)
    outcome = scene.run_again(program, {}, "again")
    check(outcome.line("regions written") == "-3" and outcome.line("regions written now") == "0", "again", outcome)
    with open(scene.top / "cwd/papi_hl_output/rank_000000.json", encoding="utf-8") as text:
        check(json.load(text)["threads"]["0"]["regions"]["0"]["name"] == "region", "the file", outcome)


def mpi_links(scene):
    """The report and the result of a job."""
    program = scene.install_mpi("plain_mpi")
    for owner, kept in ((OTHER, True), (CALLER, False)):
        for variable in ("PAPI_MPI_REPORT", "PAPI_MPI_OUTPUT"):
            scene.clear()
            os.chown(scene.top / "cwd", 0, 0)
            os.chmod(scene.top / "cwd", 0o777)
            precious, link = scene.top / "home" / "precious", scene.top / "cwd" / "name"
            precious.write_text("precious" if variable == "PAPI_MPI_REPORT" else "")
            os.chown(precious, CALLER, CALLER)
            os.chown(precious.parent, CALLER, CALLER)
            link.symlink_to(precious)
            os.lchown(link, owner, owner)
            before = precious.read_text()
            outcome = scene.run_again(program, {**ALONE, "PAPI_MPI_REPORT": "none", "PAPI_MPI_OUTPUT": "none",
                                                variable: str(link)})
            check(outcome.status == 0, "it does not run", outcome)
            check((precious.read_text() == before) == kept, f"{variable}, a link of user {owner}", outcome)
            check((str(link) in outcome.error) == kept, f"{variable}: what is said of it", outcome)


def rights(path):
    """Of all that is in a folder: "file 640"."""
    return {f"{'folder' if each.is_dir() else 'file'} {stat.S_IMODE(each.lstat().st_mode):o}"
            for each in path.rglob("*")}


def files(scene):
    """Which files an ordinary program makes, with which rights."""
    scene.caller, scene.umask = OTHER, 0o027
    program = scene.install("plain")
    outcome = scene.run(program, {"HOME": str(scene.top / "home"), "TMPDIR": str(scene.top / "tmp")}, "stop")
    output = scene.top / "cwd" / "papi_hl_output"
    check(outcome.files == {str(output), f"{output}/rank_000000.json"}, "other files than the result", outcome)
    check(rights(scene.top / "cwd") == {"folder 750", "file 640"}, rights(scene.top / "cwd"), outcome)
    for umask in (0o027, 0):
        scene.umask = umask
        outcome = scene.run(program, {"PAPI_NATIVE_TIMES": f"record:{scene.traps}/times"}, "stop")
        check(rights(scene.traps / "times") == {"folder 700", "file 600"}, rights(scene.traps / "times"), outcome)


CASES = {each.__name__: each
         for each in (traps, user, other, group, capability, archive, mpi, links, mpi_links, files)}


def main(settings, case, flavour=None):
    scene = None
    try:
        if os.geteuid() != 0:
            raise Skip("only root can install a set-user-ID program")
        with open(settings, encoding="utf-8") as text:
            settings = json.load(text)
        settings.update(settings["mpi"].get(flavour, {}))
        scene = Scene(settings)
        CASES[case](scene)
    except Skip as reason:
        print(f"SKIP: {reason}")
        return 77
    finally:
        if scene is not None:
            scene.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
