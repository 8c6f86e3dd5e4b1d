#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""hostile_test.py SETTINGS.json CASE: papi_gate with files that others made, without room, and ended while it works.

Status: 0 passed, 1 failed, 77 skipped.
"""
import html.parser
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import xml.dom.minidom

from gate_shared import GIT_ALONE, PROGRAM, check, need

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
NASTY = 'a\nb"c\'|<script>alert(1)</script>&amp;`x`\x01\x1b[31m\u202e*_[l](x)'
FOLDED = "<b>|MISSES\n"


class Place:
    """A folder in which papi_gate runs."""

    def __init__(self, folder):
        self.folder, self.temporary = pathlib.Path(folder), pathlib.Path(folder, "tmp")
        self.temporary.mkdir()
        self.env = {**os.environ, "TMPDIR": str(self.temporary)}

    def build(self, source=PROGRAM, name="a.c", output="a.out", flags=()):
        (self.folder / name).write_text(source)
        done = subprocess.run([SETTINGS["papi_counted"], SETTINGS["C"], "-g", "-O2", *flags, name, "-o", output], cwd=self.folder, capture_output=True, text=True, check=False)
        check(done.returncode == 0, done.stderr)

    def gate(self, *words, status=0, env=None):
        done = subprocess.run([SETTINGS["papi_gate"], *words], cwd=self.folder, capture_output=True, text=True, timeout=600, env={**self.env, **(env or {})}, check=False)
        check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
        return done

    def result(self, name="gate.json"):
        return json.loads((self.folder / name).read_text())

    def write(self, name, **members):
        """A result with these members in place of those of an empty one."""
        made = {"format": "papi_gate", "version": 1, "mode": "counted", "command": ["./a.out"], "revision": "", "host": "h", "processor": "p", "made": 1, "runs": 1,
                "processes": 1, "ranks": 0, "objects": [], "inputs": [], "events": ["INSTRUCTIONS", "CALLS"], "regions": [], "routines": [], **members}
        (self.folder / name).write_text(json.dumps(made))
        return name

    def left(self):
        return [str(path) for path in (*self.temporary.iterdir(), *self.folder.glob("*.part"))]


def routine(name="f", line=3, text="x", file="a.c", **counts):
    return {"routine": name, "object": "a.out", "file": file, "counts": counts, "lines": [{"line": line, "text": text, "counts": counts}]}


def case_files(place):
    """What is not a result is refused, with a command that makes one; numbers that would be others are not taken."""
    base = {"routines": [routine(INSTRUCTIONS=1000, CALLS=5)]}
    place.write("good.json", **base)
    place.gate("report", "good.json", "good.json")
    twice = routine(INSTRUCTIONS=5)
    twice["lines"] *= 2
    wrong = [({"runs": 2**32 + 1}, "runs is above"), ({"processes": 2**63 - 1}, "processes is above"), ({"ranks": 2**31}, "ranks is above"),
             ({"processor_seconds": -1}, "not a time"), ({"processor_seconds": "1"}, "not a time"), ({"command": []}, "command has no words"), ({"mode": "other"}, '"mode"'),
             ({"routines": [routine(line=2**32 + 1, INSTRUCTIONS=5)]}, "line is above"), ({"routines": 2 * base["routines"]}, "routine f is there twice"), ({"routines": [twice]}, "line 3 of routine f is there twice"),
             ({"regions": 2 * [{"region": "r", "counts": {"CALLS": 1}}]}, "region r is there twice"), ({"routines": [routine(INSTRUCTIONS=[2, 1, 3, 4])]}, "neither a number nor three"),
             ({"routines": [routine(name, INSTRUCTIONS=2**63 - 1) for name in "fg"]}, "INSTRUCTIONS of all routines is above")]
    for members, why in wrong:
        place.write("bad.json", **{**base, **members})
        said = place.gate("report", "bad.json", "good.json", status=3).stderr
        check("bad.json is not a result" in said and why in said and '"papi_gate record COMMAND" makes one' in said, why, said)
    text = json.dumps({**place.result("good.json"), "routines": [routine(INSTRUCTIONS=4711)]})
    for number in ("NaN", "Infinity", "1e400", "4711.0", "1e3", str(2**63), str(2**64 - 1)):
        (place.folder / "bad.json").write_text(text.replace("4711", number))
        place.gate("report", "bad.json", "good.json", status=3)
    for content in (b"", b"{", b"[" * 100000, b"\xff\xfe", text.encode().replace(b'"x"', b'"\xff"'), text[:-9].encode(), text.encode() + b"{}"):
        (place.folder / "bad.json").write_bytes(content)
        place.gate("report", "bad.json", "good.json", status=3)
    for path in (".", "none.json", "good.json/x"):
        place.gate("report", path, "good.json", status=3)


def case_exact(place):
    """One more is one more, also where floating-point numbers have no room for it."""
    for least in (2**53, 2**62, 2**63 - 2):
        one, other = (place.write(f"{name}.json", routines=[routine(INSTRUCTIONS=count)]) for name, count in (("one", least), ("other", least + 1)))
        (change, _) = json.loads(place.gate("report", "--json", "--limit=0", one, other, status=1).stdout)["changes"]
        check((change["before"], change["after"], change["verdict"]) == (least, least + 1, "above"), change)
        check(f"from {least:,} to {least + 1:,} (" in place.gate("report", "--limit=0", one, other, status=1).stdout, least)
        place.gate("report", "--limit=1", one, other)


def case_nothing(place):
    """Where nothing was counted, nothing passes."""
    none, some = place.write("none.json"), place.write("some.json", routines=[routine(INSTRUCTIONS=10)])
    for before, after, which in ((none, none, "before"), (none, some, "before"), (some, none, "now")):
        check(f"nothing was counted in the result {which}" in place.gate("report", before, after, status=3).stderr, before, after)
    place.write("none.json", routines=[routine()])
    place.gate("report", "none.json", "none.json", status=3)
    # The only routine that does not vary is gone.
    before = place.write("before.json", routines=[routine(INSTRUCTIONS=100), routine("g", INSTRUCTIONS=[5, 5, 5])])
    after = place.write("after.json", routines=[{**routine("g"), "counts": {"INSTRUCTIONS": [7, 5, 9]}, "lines": []}])
    place.gate("report", before, after, status=3)
    # A program that papi_counted has linked, and not compiled.
    (place.folder / "a.c").write_text(PROGRAM)
    subprocess.run([SETTINGS["C"], "-O2", "-c", "a.c"], cwd=place.folder, check=True)
    subprocess.run([SETTINGS["papi_counted"], SETTINGS["C"], "a.o", "-o", "a.out"], cwd=place.folder, check=True)
    place.build()
    place.gate("record", "./a.out")
    subprocess.run([SETTINGS["papi_counted"], SETTINGS["C"], "a.o", "-o", "a.out"], cwd=place.folder, check=True)
    said = place.gate("check", status=3).stderr
    check("nothing was counted" in said and "papi_gate record --emulate ./a.out" in said, said)
    place.gate("record", "-b", "empty.json", "./a.out", status=3)
    check(not (place.folder / "empty.json").exists(), "an empty baseline")


class Elements(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)


def case_names(place):
    """Names and texts of a file are no markup in any form, and no file is unreadable for them."""
    files = [place.write(f"{i}.json", made=2**63 - 1 - i, revision=NASTY, events=["INSTRUCTIONS", FOLDED], regions=[{"region": NASTY, "counts": {"INSTRUCTIONS": 10**i}}],
                         routines=[routine(NASTY, text=NASTY + str(i), file=NASTY, INSTRUCTIONS=1000 * 10**i, **{FOLDED: 7 * 10**i})]) for i in range(2)]
    place.gate("report", "--markdown=n.md", "--junit=n.xml", *files, status=1)
    text = (place.folder / "n.md").read_text()
    check(not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", text), text)
    outside = re.sub(r"`` .*? ``", "", text)
    check(not re.search(r"(?<!\\)<(?!/?(?:details|summary)>)", outside), outside)
    check(all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in text.splitlines() if row.startswith("| ") and "%" in row), text)
    suite = xml.dom.minidom.parse(str(place.folder / "n.xml"))
    check(any("alert(1)" in case.getAttribute("name") for case in suite.getElementsByTagName("testcase")), "the region")
    json.loads(place.gate("report", "--json", *files, status=1).stdout)
    (place.folder / "history").mkdir()
    for i, name in enumerate(files):
        (place.folder / name).rename(place.folder / f"history/{i}<img src=x>.json")
    place.gate("report", "--history=history", "--html=n.html")
    page = (place.folder / "n.html").read_text()
    check("alert(1)" in page and not {"script", "img"} & Elements(page).found, Elements(page).found)


def case_bytes(place):
    """Files whose names are not UTF-8 have lines of their own; words of the command that are not are refused, as check would have others."""
    for i, name in enumerate((b"/\xfe.h", b"/\xff.h")):
        with open(os.fsencode(place.folder) + name, "w") as out:
            out.write(f"static inline __attribute__((always_inline)) void add{i}(volatile double *s, int n) {{ for (int i = 0; i < n; i++) *s += {i}.5; }}\n")
    source = b'#include "\xfe.h"\n#include "\xff.h"\nint main(void) { volatile double s = 0; add0(&s, 30); add1(&s, 40); return s < 0; }\n'
    (place.folder / "a.c").write_bytes(source)
    subprocess.run([SETTINGS["papi_counted"], SETTINGS["C"], "-g", "-O2", "a.c", "-o", "a.out"], cwd=place.folder, check=True)
    place.gate("record", "./a.out")
    (main,) = place.result()["routines"]
    files = {line.get("file", main["file"]): line["counts"]["FP_OPS"] for line in main["lines"] if "FP_OPS" in line["counts"]}
    check(files == {"\\xfe.h": 30, "\\xff.h": 40}, files)
    compared = json.loads(place.gate("check", "--limit=0", "--json").stdout)
    check(compared["lines"] == [] and {change["verdict"] for change in compared["changes"]} <= {"same", "varies"}, compared)
    said = place.gate("record", "./a.out", os.fsdecode(b"\xff.txt"), status=2).stderr
    check("\\xff.txt" in said and "ln -s" in said, said)


def case_limits(place):
    """A file of limits holds as it was meant, or is refused."""
    place.build()
    place.gate("record", "./a.out")
    limits = place.folder / "gate.limits"
    for content, why in ((b"* 1 %\n", "one word"), (b"* 0x10%\n", "not a limit"), (b"* 1e3\n", "not a limit"), (b"* 1%%\n", "not a limit"), (b"* -1%\n", "not a limit"), (b"*\n", "not a limit"),
                         (b"* 1%\0 routine f\n", "a byte that is 0")):
        limits.write_bytes(content)
        said = place.gate("check", status=3).stderr
        check("gate.limits:1: " in said and why in said, content, said)
    limits.unlink()
    limits.symlink_to("nowhere")
    check("gate.limits: No such file" in place.gate("check", status=3).stderr, "a link that leads nowhere")
    limits.unlink()
    place.build(PROGRAM.replace("sum(1000)", "sum(1003)"))
    place.gate("check")
    for content in (b"\xef\xbb\xbf* 0\n", b"* 0\r\n", b"* 0"):
        limits.write_bytes(content)
        place.gate("check", status=1)


def case_places(place):
    """Where nothing can be written nothing is run; a relative TMPDIR goes with the program."""
    place.build(PROGRAM.replace("int main(void)\n{", "#include <unistd.h>\nint main(void)\n{\n    if (chdir(\"/\") != 0)\n        return 1;"), flags=["-w"])
    source = (place.folder / "a.c").read_text()
    check("chdir" in source, source)
    place.gate("record", "./a.out", status=0)
    before = (place.folder / "gate.json").read_bytes()
    (place.folder / "folder.json").mkdir()
    for name in ("none/gate.json", "folder.json", "y" * 300):
        said = place.gate("record", "-b", name, "sh", "-c", "touch ran; ./a.out", status=3).stderr
        check(not (place.folder / "ran").exists() and "nothing was run" in said and "--baseline" in said, name, said)
    place.gate("check", env={"TMPDIR": "tmp"})
    said = place.gate("record", "./a.out", status=3, env={"TMPDIR": "/proc/none"}).stderr
    check("set TMPDIR to a folder" in said, said)
    (place.folder / "link.json").symlink_to("gate.json")
    place.gate("record", "-b", "link.json", "./a.out")
    check((place.folder / "link.json").is_symlink() and place.result("link.json")["routines"] == json.loads(before)["routines"], "through the link")
    check(not place.left(), place.left())


MANY = PROGRAM.replace("int main(void)\n{", "#include <sys/wait.h>\n#include <unistd.h>\nint main(void)\n{\n    for (int i = 0; i < 60 && fork() == 0; i++)\n        ;\n    while (wait(0) > 0)\n        ;")
# Sends papi_gate the signal when the command has ended: while it reads what was counted, or soon after.
SOON = './a.out || exit; me=$$; gate=$PPID; (while kill -0 $me 2>/dev/null; do :; done; kill -%s $gate) >/dev/null 2>&1 & exit 0'


def case_stopped(place):
    """A signal at any time leaves neither files nor half a baseline."""
    place.build(MANY)
    place.gate("record", "./a.out")
    before = (place.folder / "gate.json").read_bytes()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGTERM):
        done = subprocess.run([SETTINGS["papi_gate"], "record", "sh", "-c", SOON % number.name[3:]], cwd=place.folder, capture_output=True, env=place.env, check=False)
        check(done.returncode in (-number, 0), number, done)
        check(not place.left(), number, place.left())
        check(done.returncode == 0 or (place.folder / "gate.json").read_bytes() == before or place.result()["processes"] > 0, "half a baseline")
        (place.folder / "gate.json").write_bytes(before)
    for number in (signal.SIGTERM, signal.SIGQUIT):
        gate = subprocess.Popen([SETTINGS["papi_gate"], "record", "sh", "-c", "./a.out; echo; exec sleep 600"], cwd=place.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=place.env)
        gate.stdout.readline()
        gate.send_signal(number)
        check(gate.wait(timeout=60) == -number and not place.left(), number, gate.returncode, place.left())
        check((place.folder / "gate.json").read_bytes() == before, "the baseline is as it was")


def case_outlives(place):
    """A counted process that still runs is named; where some of it counted, nobody is told to build it so."""
    place.build(PROGRAM.replace("int main(void)\n{", '#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **word)\n{\n    if (n > 1)\n        sleep(atoi(word[1]));'))
    done = place.gate("record", "sh", "-c", "./a.out 600 >/dev/null 2>&1 & echo $!; sleep 0.2; while [ -z \"$(ls $PAPI_COUNTED_TOTALS)\" ]; do sleep 0.05; done", status=3)
    pid = int(done.stdout)
    os.kill(pid, signal.SIGKILL)
    check(f"a counted process ({pid}) still runs" in done.stderr and '"wait"' in done.stderr and "papi_counted gcc" not in done.stderr, done.stderr)
    said = place.gate("record", "sh", "-c", "./a.out 600 & sleep 0.2; kill -9 $!; wait; true", status=3).stderr
    check("did not come to its end" in said and "papi_counted gcc" not in said, said)


CALLS = """#include <unistd.h>
double a[1000];
int main(void)
{
    volatile double s = 0;
    for (int i = 0; i < 400; i++) {
        for (int j = 0; j < 20000; j++)
            s += a[j % 1000];
        /* here */
    }
    return getppid() == 0;
}
"""


def case_calls(place):
    """A system call for each of 400 turns of a program of millions of instructions is found; ten calls more at its start are not."""
    place.build(CALLS)
    place.gate("record", "--model=none", "./a.out")
    instructions = sum(one["counts"]["INSTRUCTIONS"] for one in place.result()["routines"])
    check(400 < instructions / 10000, "it is a part that a ten-thousandth does not see", instructions)
    place.build(CALLS.replace("/* here */", "(void)getppid();"))
    compared = json.loads(place.gate("check", "--json", status=1).stdout)
    check({change["event"] for change in compared["changes"] if change["verdict"] == "above"} == {"CALLS"}, compared["verdict"])
    few = instructions // 10**6
    for calls, status in ((max(few, 10), 0), (max(few, 10) + 1, 1)):
        place.build(CALLS.replace("    volatile", f"    for (int i = 0; i < {calls}; i++)\n        (void)getppid();\n    volatile"))
        place.gate("check", status=status)


def case_notes(place):
    """A note that is something else is refused, with the command that removes it."""
    need("git")
    place.env = {**place.env, **GIT_ALONE, **{f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}}

    def git(*words):
        return subprocess.run(["git", *words], cwd=place.folder, env=place.env, capture_output=True, text=True, check=True).stdout

    place.build()
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "one"), ("notes", "--ref=papi_gate/gate", "add", "-m", "some words"),
                  ("commit", "-q", "--allow-empty", "-m", "two")):
        git(*words)
    said = place.gate("check", "--notes", "./a.out", status=3).stderr
    command = re.search(r'"git (notes --ref=\S+ remove \S+)" removes it', said)
    check("the note of" in said and command, said)
    git(*command.group(1).split())
    check(git("notes", "--ref=papi_gate/gate", "list") == "" and "no commit has a note" in place.gate("check", "--notes", "./a.out", status=3).stderr, "it is removed")


def large(kind, size, more):
    """Members of a result with so many lines, regions, sources or counts that vary."""
    counts = {"INSTRUCTIONS": 1000 + more, "CALLS": 10}
    if kind == "lines":
        lines = [{"line": i + 1, "text": f"t{i}", "counts": counts} for i in range(size)]
        return {"routines": [{**routine(), "counts": {event: size * count for event, count in counts.items()}, "lines": lines}]}
    if kind == "regions":
        return {"routines": [routine(**counts)], "regions": [{"region": f"r{i}", "counts": counts} for i in range(size)]}
    if kind == "sources":
        return {"routines": [routine(**counts)], "sources": [{"path": f"s{i}", "lines": "AAAAAA"} for i in range(size)]}
    return {"routines": [routine(**counts), *({**routine(f"f{i}"), "counts": {"INSTRUCTIONS": [9, 8, 10]}, "lines": []} for i in range(size))]}


def case_large(place):
    """Eight times as much takes about eight times the processor time, not sixty-four times."""
    def spent(kind, size):
        one, other = (place.write(f"{more}.json", **large(kind, size, more)) for more in (0, 1))
        times = []
        for _ in range(3):
            child = subprocess.Popen([SETTINGS["papi_gate"], "report", one, other], cwd=place.folder, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            check(child.returncode == 0, kind, size, child.returncode)
            times.append(used.ru_utime)
        return min(times)

    for kind in ("lines", "regions", "sources", "varying"):
        few, many = spent(kind, 2000), spent(kind, 16000)
        check(many < 30 * max(few, 0.01), kind, few, many)
    place.write("many.json", routines=[routine(INSTRUCTIONS=1)], objects=[{"path": f"o{i}", "build_id": "", "compiler": ""} for i in range(10001)])
    check("more than 10000" in place.gate("report", "many.json", "many.json", status=3).stderr, "objects")


def main():
    with tempfile.TemporaryDirectory(prefix="gate_") as folder:
        globals()[f"case_{sys.argv[2]}"](Place(folder))
    print("passed")


main()
