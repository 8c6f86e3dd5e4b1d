#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""notes_test.py SETTINGS.json CASE: results that papi_gate keeps as git's notes, in repositories that are made here.

Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from gate_shared import GIT_ALONE, PROGRAM, check

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
REF = "refs/notes/papi_gate/gate"


class Tree:
    """A working tree with a program, whose commits are a minute apart."""

    def __init__(self, folder, clone=None):
        self.folder, self.made = pathlib.Path(folder), 0
        self.env = {**os.environ, **GIT_ALONE, "HOME": "/nonexistent"}
        for name in ("EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
            self.env.pop(name, None)
        if clone is None:
            self.folder.mkdir()
            self.git("init", "-q", "-b", "main")
        else:
            subprocess.run(["git", "clone", "-q", *clone, str(self.folder)], env=self.env, check=True)

    def git(self, *words):
        date = f"{1700000000 + 60 * self.made} +0000"
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(["git", *who, *words], cwd=self.folder, env={**self.env, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0, words, done.stdout, done.stderr)
        return done.stdout.strip()

    def write(self, source=PROGRAM):
        (self.folder / "a.c").write_text(source)
        self.build()

    def build(self):
        subprocess.run([SETTINGS["papi_counted"], SETTINGS["C"], "-g", "-O2", "a.c", "-o", "a.out"], cwd=self.folder, check=True)

    def commit(self, source=PROGRAM):
        """Returns its first characters, as messages have them."""
        self.made += 1
        self.write(source)
        self.git("add", "a.c")
        self.git("commit", "-q", "--allow-empty", "-m", f"change {self.made}")
        return self.git("rev-parse", "HEAD")[:10]

    def gate(self, *words, status=0):
        done = subprocess.run([SETTINGS["papi_gate"], *words], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=300, check=False)
        check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
        return done

    def shell(self, sentence):
        """Runs the first command that a sentence names."""
        done = subprocess.run(re.search(r'"(git [^"]*)"', sentence).group(1), shell=True, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        check(done.returncode == 0, sentence, done.stderr)


def case_check(folder):
    """The note of the newest commit before this one is what a check compares with; of this one where the tree is another."""
    tree = Tree(folder / "tree")
    first = tree.commit()
    done = tree.gate("record", "--notes", "./a.out")
    check(f"note of {first} in {REF}: 2 routines" in done.stderr, done.stderr)
    check(sorted(path.name for path in tree.folder.iterdir()) == [".git", "a.c", "a.out"], "a file besides")
    kept = json.loads(tree.git("notes", "--ref=papi_gate/gate", "show", "HEAD"))
    check(kept["format"] == "papi_gate" and kept["command"] == ["./a.out"], kept)
    # A tree that differs from its commit is compared with this one's note, and cannot make one.
    tree.write(PROGRAM.replace("* 1.5", "/ 1.7"))
    done = tree.gate("check", "--notes", status=1)
    check(f"compared with the note of {first}, which the tree differs from" in done.stderr and "FP_DIVIDE_INSTRUCTIONS rose from 0 to 1,000" in done.stdout, done)
    said = tree.gate("record", "--notes", "./a.out", status=3).stderr
    check(f'the working tree is not that of commit {first}' in said and '"git commit -a" makes it one' in said, said)
    # With its own note a commit is still compared with the one before it: once more is no pass.
    tree.commit()
    second = tree.commit(PROGRAM.replace("* 1.5", "/ 1.7"))
    for _ in range(2):
        done = tree.gate("check", "--notes", status=1)
        check(f"compared with the note of {first}, 2 commits before" in done.stderr, done.stderr)
        tree.gate("record", "--notes", "./a.out")
    tree.commit(PROGRAM.replace("* 1.5", "/ 1.9"))
    done = tree.gate("check", "--notes")
    check(f"compared with the note of {second}, 1 commit before" in done.stderr, done.stderr)
    # Notes of another name are others; git needs no name of a user.
    check(f"no commit has a note in {REF}er" in tree.gate("check", "--notes=gateer", status=3).stderr, "another name")
    check(tree.git("log", "-1", "--format=%an", REF) == "papi_gate", "the author of a note where git has no user")


def case_branches(folder):
    """Of all commits that led to this one the newest is taken, whatever branch it is of; others are not."""
    tree = Tree(folder / "tree")
    tree.commit()
    tree.git("checkout", "-q", "-b", "topic")
    tree.commit()
    tree.gate("record", "--notes", "./a.out")
    tree.git("checkout", "-q", "main")
    newer = tree.commit(PROGRAM + "/* newer */\n")
    tree.gate("record", "--notes", "./a.out")
    tree.git("checkout", "-q", "topic")
    tree.build()
    tree.git("merge", "-q", "-X", "ours", "-m", "merge", "main")
    check(f"compared with the note of {newer}, 1 commit" in tree.gate("check", "--notes").stderr, "after the merge")
    tree.git("checkout", "-q", "--detach", "main~1")
    tree.build()
    check("is the first commit" in tree.gate("check", "--notes", status=3).stderr, "only others have notes")


def case_refused(folder):
    """Where there is no note, a command says how to get one, and does it."""
    outside = Tree.__new__(Tree)
    outside.folder, outside.env = folder / "outside", {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder)}
    outside.folder.mkdir()
    outside.write()
    for words in (("record", "--notes", "./a.out"), ("check", "--notes", "./a.out"), ("report", "--notes")):
        said = outside.gate(*words, status=3).stderr
        check('not a git repository' in said and 'keep a file by "papi_gate record COMMAND"' in said and said.count("papi_gate: ") == 1, said)
    outside.gate("record", "./a.out")
    tree = Tree(folder / "tree")
    check('has no commit: "git commit" makes the first' in tree.gate("check", "--notes", "./a.out", status=3).stderr, "no commit")
    tree.commit()
    said = tree.gate("check", "--notes", "./a.out", status=3).stderr
    check(f'no commit has a note in {REF}: "papi_gate record --notes=gate COMMAND" makes one' in said, said)
    tree.gate("record", "--notes=gate", "./a.out")
    check("is the first commit, before which there is no note" in tree.gate("check", "--notes", status=3).stderr, "the first commit")
    # A note that is none.
    tree.commit()
    tree.git("notes", "--ref=papi_gate/gate", "add", "-f", "-m", "a text", "HEAD~1")
    check(f"in {REF} is not a result of papi_gate" in tree.gate("check", "--notes", status=3).stderr, "a text")
    check("no note in" in tree.gate("report", "--notes", status=3).stderr, "a text")
    for words, sentence in ((("check", "--notes=../x"), "a name of notes is"), (("record", "--notes", "-b", "x", "./a.out"), "in place of --baseline"),
                            (("bisect", "--notes", "a", "b"), "an option of record, check and report"), (("report", "--notes", "--history=."), "choose one")):
        said = tree.gate(*words, status=2).stderr
        check(sentence in said, words, said)


def case_shallow(folder):
    """A clone has no notes until they are fetched, a shallow one not the commits: the commands that are named fetch them."""
    origin = Tree(folder / "origin")
    first = origin.commit()
    origin.gate("record", "--notes", "./a.out")
    for _ in range(3):
        origin.commit()
    clone = Tree(folder / "clone", ("--depth=1", f"file://{origin.folder}"))
    clone.build()
    said = clone.gate("check", "--notes", status=3).stderr
    check("\"git fetch origin 'refs/notes/*:refs/notes/*'\" fetches those that origin has" in said, said)
    clone.shell(said)
    said = clone.gate("check", "--notes", status=3).stderr
    check("this is a shallow clone: none of its 1 commits" in said and '"git fetch --unshallow" fetches them' in said, said)
    clone.shell(said)
    check(f"compared with the note of {first}, 3 commits before" in clone.gate("check", "--notes").stderr, "all is there")
    # Nothing but the commit itself has one.
    clone.git("update-ref", "-d", REF)
    clone.gate("record", "--notes", "./a.out")
    said = clone.gate("check", "--notes", status=3).stderr
    check(f'no commit before {clone.git("rev-parse", "HEAD")[:10]} has a note' in said and '"git checkout HEAD^"' in said, said)
    clone.shell(said)
    clone.gate("record", "--notes=gate", "./a.out")
    clone.git("checkout", "-q", "main")
    clone.gate("check", "--notes")


def case_history(folder):
    """Notes are a history as files of a folder are, in git's order, with the commits that have them now."""
    tree = Tree(folder / "tree")
    commits = []
    for change in ("1.5", "1.6", "2"):
        commits.append(tree.commit(PROGRAM.replace("* 1.5", f"/ {change}") if change != "1.5" else PROGRAM))
        tree.gate("record", "--notes", "--model=none", "./a.out")
    # x / 2 is a product again.
    said = tree.gate("report", "--notes").stdout
    check(said.startswith(f"papi_gate: 3 results, from {commits[0]} to {commits[2]}: counts changed by more than their limits in 2 of them.\n"), said)
    found = json.loads(tree.gate("report", "--notes", "--json", "--html=page.html").stdout)
    check([result["commit"][:10] for result in found["results"]] == commits, found["results"])
    check([result["subject"] for result in found["results"]] == ["change 1", "change 2", "change 3"], found["results"])
    series = {(one["scope"], one["name"], one["event"]): one for one in found["series"]}
    check(series["total", "", "FP_DIVIDE_INSTRUCTIONS"] == {"scope": "total", "name": "", "event": "FP_DIVIDE_INSTRUCTIONS", "varies": False, "values": [0, 1000, 0]}, series)
    jumps = [(jump["result"], jump["before"], jump["after"]) for jump in found["jumps"] if (jump["scope"], jump["event"]) == ("total", "FP_DIVIDE_INSTRUCTIONS")]
    check(jumps == [(1, 0, 1000), (2, 1000, 0)] and commits[1] in (tree.folder / "page.html").read_text(), jumps)
    # The same of a folder.
    for i, name in enumerate(commits):
        kept = tree.git("notes", "--ref=papi_gate/gate", "show", name)
        (tree.folder / f"kept{i}").write_text(kept)
        (tree.folder / "folder").mkdir(exist_ok=True)
        shutil.copy(tree.folder / f"kept{i}", tree.folder / "folder" / f"{9 - i}.json")
    other = json.loads(tree.gate("report", "--history=folder", "--json").stdout)
    check(other["series"] == found["series"] and other["jumps"] == found["jumps"], other)
    check([result["file"] for result in other["results"]] == ["9.json", "8.json", "7.json"], other["results"])


def main():
    if shutil.which("git") is None:
        print("SKIP: no git")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="notes_") as folder:
        globals()[f"case_{sys.argv[2]}"](pathlib.Path(folder))
    print("passed")


main()
