#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What other users made: the tools write nothing through it, wait for none of it, and show nothing that it asks for.

  others_test.py SETTINGS.json CASE

Cases: outputs, pipes, ranks, sizes, sources. Root is the user whose tools are run, and OTHER another one.
Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from running import JOBS, Skip, clean, run  # noqa: E402 pylint: disable=wrong-import-position

LIMIT = 60  # seconds
OTHER = 20000 + os.getpid() % 40000  # a user of nobody on this machine
PRECIOUS = "precious\n"


def check(true, what, outcome=None):
    if not true:
        print(f"FAILED: {what}")
        if outcome is not None:
            print(f"status {outcome.returncode}\nstdout:\n{outcome.stdout[-3000:]}\nstderr:\n{outcome.stderr[-3000:]}")
        sys.exit(1)


class Scene:
    def __init__(self, settings):
        self.settings = settings
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="papi_others_", dir="/var/tmp"))
        os.chmod(self.top, 0o755)
        self.shared, self.home = self.top / "shared", self.top / "home"
        self.home.mkdir()
        self.make_shared(0o777)

    def make_shared(self, mode):
        shutil.rmtree(self.shared, ignore_errors=True)
        self.shared.mkdir()
        os.chmod(self.shared, mode)

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def run(self, name, *arguments, limit=None, **variables):
        """limit: of the size of files."""
        def set_limit():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return run(self.settings[name], *arguments, cwd=self.shared, preexec_fn=set_limit, timeout=LIMIT,
                   env=clean(*JOBS, **{"HOME": str(self.home), **variables}))

    def link(self, name, owner):
        """A link in the shared folder to a file of root's."""
        precious, link = self.home / "precious", self.shared / name
        precious.write_text(PRECIOUS)
        link.symlink_to(precious)
        os.lchown(link, owner, owner)
        return precious


def data(scene, name):
    return os.path.join(scene.settings["data"], name)


def writers(scene):
    """Of each tool that writes a file: its words, and the file's name, in the shared folder."""
    profile, roofs = data(scene, "profile.json"), data(scene, "roofs.json")
    shown = ["papi_profile", f"--show={profile}"]
    yield shown + ["--export=html=name"], "name"
    yield shown + ["--export=folded=name"], "name"
    yield ["papi_profile", "-o", "name", "true"], "name"
    if scene.settings["papi_roofline"]:
        for option in ("--output", "--svg", "--html"):
            yield ["papi_roofline", f"--roofs={roofs}", f"{option}=name"], "name"
    if scene.settings["papi_mpi_report"]:
        yield ["papi_mpi_report", "-o", "name", scene.settings["job"]], "name"
    if scene.settings["papi_emulate"]:
        yield ["papi_emulate", "--report=name", "true"], "name"


def outputs(scene):
    """Another user's link is not followed and what it leads to is as it was; one's own is."""
    n = 0
    for words, name in writers(scene):
        for mode in (0o777, 0o1777):
            scene.make_shared(mode)
            precious = scene.link(name, OTHER)
            outcome = scene.run(*words)
            check(precious.read_text() == PRECIOUS, f"{words} followed another user's link, mode {mode:o}", outcome)
            check(outcome.returncode != 0 and "another user made it" in outcome.stderr, f"{words}: what is said", outcome)
            check(os.listdir(scene.shared) == [name], f"{words} left {os.listdir(scene.shared)}", outcome)
        scene.make_shared(0o777)
        precious = scene.link(name, 0)
        outcome = scene.run(*words)
        check(outcome.returncode == 0 and (scene.shared / name).is_symlink(), f"{words}: one's own link", outcome)
        check(precious.read_text() not in ("", PRECIOUS), f"{words}: one's own link is not followed", outcome)
        # Another user's file that all may write to is not written to, but replaced, as root and in folders of all.
        scene.make_shared(0o777)
        theirs = scene.shared / name
        theirs.write_text("")
        os.chmod(theirs, 0o666)
        os.chown(theirs, OTHER, OTHER)
        with open(theirs, encoding="utf-8") as held:
            outcome = scene.run(*words)
            check(outcome.returncode == 0 and theirs.stat().st_uid == 0, f"{words} into another user's file", outcome)
            check(held.read() == "", f"{words}: another user has what was written", outcome)
        n += 1
    check(n >= 2, "too few writers")
    # Standard output by its name, and devices, as they are.
    outcome = scene.run("papi_profile", f"--show={data(scene, 'profile.json')}", "--export=folded=/dev/stdout")
    check(outcome.stdout.startswith("main;kernels::heavy 700000000\n"), "/dev/stdout", outcome)
    outcome = scene.run("papi_profile", f"--show={data(scene, 'profile.json')}", "--export=folded=/dev/full")
    check(outcome.returncode == 1 and "/dev/full: No space left on device" in outcome.stderr, "/dev/full", outcome)


def pipes(scene):
    """A pipe in the place of a file is not waited for."""
    pipe = scene.shared / "pipe"
    os.mkfifo(pipe)
    readers = [["papi_profile", f"--show={pipe}"], ["papi_profile", f"--show={data(scene, 'profile.json')}", pipe]]
    if scene.settings["papi_roofline"]:
        readers += [["papi_roofline", f"--roofs={data(scene, 'roofs.json')}", f"--{option}={pipe}"]
                    for option in ("show", "roofs", "profile", "job")]
        readers += [["papi_roofline", f"--device-roofs={pipe}"]]
    if scene.settings["papi_mpi_report"]:
        job = scene.settings["job"]
        readers += [["papi_mpi_report", pipe], ["papi_mpi_report", f"--reference={pipe}", job],
                    ["papi_mpi_report", "--html", f"--profile={pipe}", job],
                    ["papi_mpi_report", "--html", f"--roofline={pipe}", job]]
    for words in readers:
        outcome = scene.run(*words)
        check(outcome.returncode == 1 and "not a regular file" in outcome.stderr, f"{words}", outcome)
    for words, name in writers(scene):
        scene.make_shared(0o755)
        os.mkfifo(scene.shared / name)
        outcome = scene.run(*words)
        check(outcome.returncode != 0 and "nobody reads this pipe" in outcome.stderr, f"{words} to a pipe", outcome)
    # What a shell gives is read: papi_profile --show=<(zcat x.json.gz).
    read = subprocess.run(["sh", "-c", f"cat {data(scene, 'profile.json')} | {scene.settings['papi_profile']} --show=/dev/stdin"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=LIMIT, check=False)
    check(read.returncode == 0 and "kernels::heavy" in read.stdout, "--show=/dev/stdin", read)
    # A machine in a folder, all of whose files are pipes.
    root = scene.top / "machine"
    for name in ("proc/cpuinfo", "proc/self/status", "proc/self/maps", "proc/stat", "proc/meminfo", "proc/self/cgroup",
                 "proc/sys/kernel/perf_event_paranoid", "sys/devices/system/cpu/online", "sys/devices/system/cpu/possible",
                 "sys/bus/event_source/devices/cpu/type", "sys/class/net/eth0/statistics/rx_bytes",
                 "sys/class/powercap/intel-rapl:0/energy_uj", "sys/class/powercap/intel-rapl:0/name", "topology.xml"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(path)
    for words in (["papi_hardware_avail"], ["papi_component_avail"], ["papi_native_avail"], ["papi_mem_info"], ["papi_avail"],
                  ["papi_doctor"], ["papi_decode"]):
        outcome = scene.run(*words, PAPI_SYSROOT=str(root))
        check(outcome.returncode in (0, 1), f"{words} below pipes", outcome)


def sizes(scene):
    """A limit of the size of files is an error, what was there stays, and nothing else is left."""
    n = 0
    for words, name in writers(scene):
        if "true" in words:
            continue # samples and counts are in files of the kernel, which the limit is of, too
        scene.make_shared(0o755)
        kept = scene.shared / name
        kept.write_text(PRECIOUS)
        outcome = scene.run(*words, limit=16)
        check(outcome.returncode == 1, f"{words}: status", outcome)
        check("larger than files may be here (ulimit -f" in outcome.stderr, f"{words}: what is said", outcome)
        check(kept.read_text() == PRECIOUS, f"{words}: what was there is gone", outcome)
        check(os.listdir(scene.shared) == [name], f"{words} left {os.listdir(scene.shared)}", outcome)
        n += 1
    check(n >= 2, "too few writers")


def ranks(scene):
    """What another user left in a rank's name, or in that of who joins them, is not joined, and is said."""
    for mode in (0o1777, 0o777):
        scene.make_shared(mode)
        theirs = scene.shared / "job.json.rank1"
        shutil.copy(data(scene, "profile.json"), theirs)
        os.chown(theirs, OTHER, OTHER)
        first = scene.run("papi_profile", "-o", "job.json", "true", PMI_RANK="0", PMI_SIZE="2")
        if "no samples" in first.stderr or "cannot be sampled" in first.stderr:
            raise Skip(first.stderr)
        check(not (scene.shared / "job.json").exists(), "another user's profile is joined", first)
        check(first.returncode == 1 and f"job.json.rank1 is not of this job, because user {OTHER} made it" in first.stderr,
              "what is said", first)
        check((scene.shared / "job.json.rank0").exists(), "the rank's own profile", first)
        second = scene.run("papi_profile", "-o", "job.json", "true", PMI_RANK="1", PMI_SIZE="2")
        joined = json.loads((scene.shared / "job.json").read_text()) # root's replaces the other one
        check(second.returncode == 0 and joined["ranks"] == 2, "root's own profiles are not joined", second)
        check("kernels::heavy" not in joined["strings"], "what the other user wrote is in the profile", second)
    claim = scene.shared / "other.json.joining"
    own = scene.run("papi_profile", "-o", "other.json", "true", PMI_RANK="0", PMI_SIZE="2")
    check(own.returncode == 0, "a rank", own)
    claim.write_text("")
    os.chown(claim, OTHER, OTHER)
    last = scene.run("papi_profile", "-o", "other.json", "true", PMI_RANK="1", PMI_SIZE="2")
    check(last.returncode == 1 and f"other.json.joining is not of this job, because user {OTHER}" in last.stderr, "the claim", last)


SECRET = "root:$y$j9T$secret:19000:0:99999:7:::"
LINES = ["int main(void)", "{", "    return 0; /* of the program */", "}"]


def build(scene, folder):
    """A program, its source and a file that the debug information does not name."""
    folder.mkdir(parents=True)
    (folder / "prog.c").write_text("\n".join(LINES) + "\n")
    (folder / "other.c").write_text(f"/* {SECRET} */\n")
    subprocess.run([scene.settings["C"], "-g", "-O0", "-o", folder / "prog", folder / "prog.c"], check=True, timeout=LIMIT)
    return folder / "prog"


def profile_of(scene, program, files, owner=0, mode=0o644):
    """One that says that main is in line 1 of each of the files."""
    strings = [str(program), "main", *map(str, files)]
    path = scene.shared / "made.json"
    path.write_text(json.dumps({
        "format": "papi_profile", "version": 1, "command": ["./prog"], "host": "node", "started": 1700000000,
        "seconds": 1.5, "ranks": 0, "lost": 0,
        "events": [{"name": "perf::CPU-CLOCK", "period": 1000000, "clock": True, "exact": False, "samples": 1000}],
        "processes": [{"pid": 7, "command": "prog", "threads": 1}], "strings": strings, "lacking": [],
        "routines": [[1, 0, 2, 1]], "places": [[0, 2 + i, 1] for i in range(len(files))],
        "tree": [[-1, i, 0, 1000000] for i in range(len(files))]}))
    os.chmod(path, mode)
    os.chown(path, owner, owner)
    return path


def shown(scene, profile, *options):
    """What the page, the text and the object have of sources: the lines of each, and all that is said."""
    page = scene.run("papi_profile", f"--show={profile}", *options, "--export=html=-")
    check(page.returncode == 0 and page.stdout.lower().startswith("<!doctype html>"), "the page", page)
    text = scene.run("papi_profile", f"--show={profile}", *options)
    told = scene.run("papi_profile", f"--show={profile}", *options, "--json")
    lines = [line["text"] for line in json.loads(told.stdout)["lines"]]
    return page.stdout, " ".join(text.stdout.split()), lines, json.loads(told.stdout)["notes"]


def sources(scene):
    """Of a profile that another user made no file is read; of one's own, only what its program names; and that is said."""
    program = build(scene, scene.home / "project")
    source, other, secret = program.parent / "prog.c", program.parent / "other.c", scene.home / "shadow"
    secret.write_text(SECRET + "\n")
    named = scene.home / "project" / "keys.c"  # a name like source, and no text
    named.write_bytes(b"\0" + SECRET.encode())
    pipe = scene.home / "project" / "pipe.c"
    os.mkfifo(pipe)
    files = [source, other, secret, named, pipe]
    for owner, mode in ((OTHER, 0o644), (0, 0o666)):
        page, text, lines, notes = shown(scene, profile_of(scene, program, files, owner, mode))
        for seen in (page, text, str(lines)):
            check(SECRET not in seen and LINES[0] not in seen, f"a file of {owner}, mode {mode:o}: it is read: {seen[-2000:]}")
        said = [note for note in notes if "another user made the profile" in note]
        check(len(said) == 1 and str(secret) in said[0] and "--sources=FOLDER" in said[0], f"what is said: {notes}")
        check("another user made the profile" in page and "another user made the profile" in text, "where it is said")
        check(lines == [None] * len(files), f"lines: {lines}")
    # With the folder that the user names, what is below it and is source.
    theirs = profile_of(scene, program, files, OTHER)
    page, text, lines, notes = shown(scene, theirs, f"--sources={program.parent}")
    check(sorted(map(str, lines)) == sorted(["None"] * 3 + [LINES[0], f"/* {SECRET} */"]), f"--sources: {lines}")
    check(any("not below the folders of --sources" in note and str(secret) in note for note in notes), f"--sources: {notes}")
    (program.parent / "link.c").symlink_to(secret)
    page, text, lines, notes = shown(scene, profile_of(scene, program, [program.parent / "link.c", f"{program.parent}/../shadow"], OTHER),
                                     f"--sources={program.parent}")
    check(lines == [None, None] and SECRET not in page + text, f"a link out of the folder: {lines}")
    # A tree that is elsewhere now.
    page, text, lines, notes = shown(scene, profile_of(scene, program, ["/build/of/them/project/prog.c"], OTHER),
                                     f"--sources={scene.home}")
    check(lines == [LINES[0]] and notes == [], f"elsewhere: {lines} {notes}")
    # One's own profile, which may come from anywhere: what the program names.
    page, text, lines, notes = shown(scene, profile_of(scene, program, files))
    check([line for line in lines if line] == [LINES[0]], f"one's own: {lines}")
    check(LINES[2] in page and SECRET not in page + text, "one's own page")
    check(any("no program that the profile names" in note and str(other) in note for note in notes), f"one's own: {notes}")
    check(any("not source by its name" in note and str(secret) in note for note in notes), f"one's own: {notes}")
    # Not by a program of another user's, nor by a pipe of that name.
    os.chown(program, OTHER, OTHER)
    page, text, lines, notes = shown(scene, profile_of(scene, program, [source]))
    check(lines == [None] and len(notes) == 1 and str(source) in notes[0], f"by another user's program: {lines} {notes}")
    page, text, lines, notes = shown(scene, profile_of(scene, pipe, [source]))
    check(lines == [None], f"by a pipe: {lines}")
    # One that is given is nobody's.
    os.chown(program, 0, 0)
    mine = profile_of(scene, program, [source])
    given = subprocess.run(["sh", "-c", f"cat {mine} | {scene.settings['papi_profile']} --show=/dev/stdin"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, universal_newlines=True, timeout=LIMIT, check=False)
    check(given.returncode == 0 and LINES[0] not in given.stdout and "--sources=FOLDER" in given.stdout, "one that is given", given)
    wrong = scene.run("papi_profile", f"--show={mine}", "--sources=/no/such")
    check(wrong.returncode == 1 and "--sources=/no/such: not a folder" in wrong.stderr, "no folder", wrong)


CASES = {each.__name__: each for each in (outputs, pipes, sizes, ranks, sources)}


def main(settings, case):
    scene = None
    try:
        if os.geteuid() != 0:
            raise Skip("only root can make files of other users")
        with open(settings, encoding="utf-8") as text:
            scene = Scene(json.load(text))
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
