#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bisect_test.py SETTINGS.json CASE: papi_gate bisect in repositories that are made here.

Every build is noted, so that builds are counted, not estimated. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import math
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from gate_shared import GIT_ALONE, PROGRAM, check

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
SLOW = ("* 1.5", "/ 1.7")


class Repository:
    """A repository with a program, of which every commit has a tag."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.tree, self.builds, self.temporary = (self.folder / name for name in ("tree", "builds", "tmp"))
        self.tree.mkdir()
        self.temporary.mkdir()
        self.builds.touch()
        self.made = 0
        self.env = {**os.environ, "TMPDIR": str(self.temporary), **GIT_ALONE,
                    "GIT_AUTHOR_NAME": "A. Uthor", "GIT_AUTHOR_EMAIL": "author@example.org", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.org"}
        self.git("init", "-q", "-b", "main")
        self.source = PROGRAM

    def git(self, *words):
        date = f"{1700000000 + 60 * self.made} +0000"
        done = subprocess.run(["git", *words], cwd=self.tree, env={**self.env, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date},
                              capture_output=True, text=True, check=False)
        check(done.returncode == 0, words, done.stdout, done.stderr)
        return done.stdout.strip()

    def commit(self, tag, *change, file="a.c"):
        """A commit whose source is changed, or has one more comment at its end."""
        self.made += 1
        if file == "a.c":
            self.source = self.source.replace(*change) if change else f"{self.source}/* {tag} */\n"
        (self.tree / file).write_text(self.source if file == "a.c" else tag)
        self.git("add", ".")
        self.git("commit", "-q", "-m", f"{tag}: a change")
        self.git("tag", tag)

    def line(self, n, **changes):
        """Commits c1 to cn, of which some change something."""
        for i in range(1, n + 1):
            self.commit(f"c{i}", *changes.get(f"c{i}", ()))

    def name(self, commit):
        return self.git("describe", "--tags", "--exact-match", commit)

    def built(self):
        """The commits that were built since the last question."""
        lines = self.builds.read_text().split()
        self.builds.write_text("")
        check(len(set(lines)) == len(lines), "a commit was built twice", lines)
        return [self.name(line) for line in lines]

    def words(self, *options, build=None, run=("./a.out",)):
        compiler = f"'{SETTINGS['papi_counted']}' '{SETTINGS['C']}' -g -O2 a.c -o a.out"
        return [SETTINGS["papi_gate"], "bisect", *options, "--", "sh", "-c", f"git rev-parse HEAD >> '{self.builds}'; {build or compiler}", "--", *run]

    def bisect(self, *options, status=0, cwd=None, env=None, **how):
        before = self.state()
        done = subprocess.run(self.words(*options, **how), cwd=cwd or self.tree, env=env or self.env, capture_output=True, text=True, timeout=900, check=False)
        check(done.returncode == status, options, done.returncode, done.stdout, done.stderr)
        self.check_clean(before)
        return done

    def found(self, *options, **how):
        return json.loads(self.bisect("--json", *options, **how).stdout)

    def state(self):
        files = sorted(str(path) for path in self.tree.rglob("*") if ".git/" not in str(path))
        return files, self.git("status", "--porcelain"), self.git("for-each-ref"), self.git("symbolic-ref", "HEAD"), (self.tree / ".git/index").read_bytes()

    def check_clean(self, before):
        after = self.state()
        check(after[:4] == before[:4], "the user's tree is another", before[:4], after[:4])
        check(not list(self.temporary.iterdir()), "files are left", list(self.temporary.iterdir()))
        check(len(self.git("worktree", "list").splitlines()) == 1, self.git("worktree", "list"))
        trees = self.tree / ".git/worktrees"
        check(not trees.exists() or not list(trees.iterdir()), "a working tree is left")


def most(commits):
    """Builds that are allowed for so many commits: GOOD, BAD, and halves."""
    return math.ceil(math.log2(commits)) + 2


def case_line(repository):
    """The guilty one of sixteen, with its line; nothing is built twice, nor in a second search."""
    repository.line(17, c12=SLOW)
    (repository.tree / "a.c").write_text("not C\n")
    (repository.tree / "new.txt").write_text("mine\n")
    done = repository.bisect("c1", "HEAD")
    commit = repository.git("rev-parse", "c12")
    check(done.stdout.startswith(f"{commit} changed FP_DIVIDE_INSTRUCTIONS from 0 to 1,000 (new):\n    c12: a change\n    A. Uthor <author@example.org>, 2023-11-14\n"), done.stdout)
    check("Where FP_DIVIDE_INSTRUCTIONS rose most:\n  a.c:6 in sum: 0 to 1,000\n    - s += a[i] * 1.5; /* hot */\n    + s += a[i] / 1.7; /* hot */\n" in done.stdout, done.stdout)
    built = repository.built()
    check(len(built) <= most(16) and {"c1", "c17", "c11", "c12"} <= set(built), built)
    check((repository.tree / "a.c").read_text() == "not C\n" and (repository.tree / "new.txt").exists(), "the user's files")
    answer = repository.found("c1", "HEAD")
    check(answer["found"] and [c["commit"] for c in answer["commits"]] == [commit] and answer["builds"] == 0, answer)
    check(repository.built() == [] and (answer["before"], answer["after"], answer["count"]) == (0, 1000, "FP_DIVIDE_INSTRUCTIONS"), answer)
    check(answer["compared_with"] == repository.git("rev-parse", "c11") and answer["commits"][0]["author"] == "A. Uthor <author@example.org>", answer)
    # A part of the same commits, of which some are known; another command, of which none is.
    check(repository.found("c9", "c17")["commits"][0]["commit"] == commit and "c17" not in repository.built(), "kept results")
    other = repository.found("c11", "c12", run=("./a.out", "x"))
    check(other["builds"] == 2 and set(repository.built()) == {"c11", "c12"}, other)
    # Time is estimated where a model is named, and what was kept without it is not taken.
    if platform.machine() == "x86_64":
        timed = repository.found("--model=zen3", "-e", "ESTIMATED_TIME", "c9", "c14")
        check(timed["count"] == "ESTIMATED_TIME" and timed["commits"][0]["commit"] == commit and 0 < timed["before"] < timed["after"], timed)
        check("the nearest is zen3" in repository.bisect("--model=zen4", "c9", "c14", status=2).stderr, "a model that is none")


def case_skipped(repository):
    """A commit that does not build is left out; where it may be the one, a range is the answer."""
    repository.line(17, c9=("double s = 0", "doubl s = 0"), c10=("doubl s = 0", "double s = 0"), c12=SLOW)
    answer = repository.found("c1", "c17")
    check([repository.name(c["commit"]) for c in answer["commits"]] == ["c12"], answer["commits"])
    skipped = {repository.name(step["commit"]): step["reason"] for step in answer["steps"] if step["state"] == "skipped"}
    check(skipped == {"c9": "the build ended with exit status 1"}, skipped)
    check(len(repository.built()) <= most(16) + 1, answer["steps"])
    # c3 does not build and may be the one: a failure is kept, too.
    repository.git("checkout", "-q", "-b", "other", "c1")
    repository.source = PROGRAM
    for tag, change in (("d2", ()), ("d3", (SLOW[0], SLOW[1] + ".")), ("d4", (SLOW[1] + ".", SLOW[1])), ("d5", ())):
        repository.commit(tag, *change)
    answer = repository.found("c1", "d5", status=5)
    check(not answer["found"] and {repository.name(c["commit"]) for c in answer["commits"]} == {"d3", "d4"}, answer["commits"])
    check(repository.name(answer["commits"][-1]["commit"]) == "d4", answer["commits"])
    repository.built()
    said = repository.bisect("c1", "d5", status=5)
    d3 = repository.git("rev-parse", "d3")[:10]
    check(f"papi_gate: {d3}: skipped, the build ended with exit status 1 (kept from before)\n" in said.stderr, said.stderr)
    check(repository.built() == [] and "One of these 2 commits changed FP_DIVIDE_INSTRUCTIONS from 0 to 1,000" in said.stdout, said.stdout)
    said = repository.bisect("c1", "d3", status=3).stderr
    check("BAD has no counts: the build ended with exit status 1, in an earlier search: \"rm -r " in said, said)
    said = repository.bisect("c1", "d3", run=("./a.out", "x"), status=3).stderr
    check("BAD has no counts: the build ended with exit status 1" in said and "  | " in said and "error" in said, said)
    check("GOOD has no counts" in repository.bisect("d3", "d5", status=3).stderr, "GOOD does not build")


def branches(repository):
    """c1 to c3, then a side of four of which the third is guilty, then its merge, with two on the main line meanwhile."""
    repository.line(3)
    repository.git("checkout", "-q", "-b", "side")
    for tag, change in (("s1", ()), ("s2", ()), ("s3", SLOW), ("s4", ())):
        repository.commit(tag, *change)
    repository.git("checkout", "-q", "main")
    repository.commit("m1", file="notes")
    repository.commit("m2", file="notes")
    repository.made += 1
    repository.git("merge", "-q", "--no-ff", "-m", "merge: of the side", "side")
    repository.git("tag", "merge")
    repository.source = (repository.tree / "a.c").read_text()
    for tag in ("e1", "e2", "e3", "e4"):
        repository.commit(tag)


def case_merges(repository):
    """The guilty one is on a branch; with --first-parent its merge is."""
    branches(repository)
    answer = repository.found("c1", "e4")
    check([repository.name(c["commit"]) for c in answer["commits"]] == ["s3"] and repository.name(answer["compared_with"]) == "s2", answer)
    check(len(repository.built()) <= most(13), "builds")
    answer = repository.found("--first-parent", "c1", "e4")
    check([repository.name(c["commit"]) for c in answer["commits"]] == ["merge"] and repository.name(answer["compared_with"]) == "m2", answer)
    check({repository.name(step["commit"]) for step in answer["steps"]} <= {"c1", "c2", "c3", "m1", "m2", "merge", "e1", "e2", "e3", "e4"}, answer["steps"])
    check((answer["before"], answer["after"]) == (0, 1000), answer)


def case_same(repository):
    """No difference has an exit status of its own; limits and events say what differs; a fall is found, too."""
    repository.line(6, c3=("sum(1000)", "sum(1005)"), c5=("sum(1005)", "sum(900)"))
    said = repository.bisect("c1", "c4", status=4)
    check(said.stdout.startswith("GOOD and BAD do not differ: no count is outside its limit"), said.stdout)
    check(set(repository.built()) == {"c1", "c4"}, "builds")
    answer = repository.found("c1", "c4", status=4)
    check(not answer["found"] and answer["commits"] == [] and answer["comparison"]["passed"] and repository.built() == [], answer)
    answer = repository.found("--limit=0", "-e", "FP_OPS", "c1", "c4")
    check(repository.name(answer["commits"][0]["commit"]) == "c3" and (answer["count"], answer["before"], answer["after"]) == ("FP_OPS", 2000, 2010), answer)
    answer = repository.found("-e", "FP_OPS", "c1", "c6")
    check(repository.name(answer["commits"][0]["commit"]) == "c5" and (answer["before"], answer["after"]) == (2010, 1800), answer)
    (repository.tree / "gate.limits").write_text("* ignore\nFP_OPS 0\n")
    check(repository.name(repository.found("c1", "c4")["commits"][0]["commit"]) == "c3", "the file of limits")


def case_refused(repository):
    """What cannot be done is said, with what can, and nothing is left."""
    branches(repository)
    said = repository.bisect("s1", "m2", status=3).stderr
    base = repository.git("rev-parse", "c3")
    check(f"GOOD is not an ancestor of BAD; the last commit that both have is {base}: run \"papi_gate bisect {base} m2 -- ...\"" in said, said)
    check("none is not a commit of this repository" in repository.bisect("none", "HEAD", status=3).stderr, "no commit")
    check("GOOD and BAD are the same commit" in repository.bisect("m2", "m2", status=3).stderr, "one commit")
    check("FP_OP is not among the events" in repository.bisect("-e", "FP_OP", "c1", "c2", status=2).stderr, "an event")
    outside = repository.folder / "outside"
    outside.mkdir()
    said = repository.bisect("c1", "c2", cwd=outside, env={**repository.env, "GIT_CEILING_DIRECTORIES": str(repository.folder)}, status=3).stderr
    check("git: not a git repository" in said, said)
    empty = repository.folder / "empty"
    empty.mkdir()
    said = repository.bisect("c1", "c2", env={**repository.env, "PATH": str(empty)}, status=3).stderr
    check("git cannot be run: it is needed for this" in said, said)
    repository.built()

    def wrong(*words):
        done = subprocess.run([SETTINGS["papi_gate"], "bisect", *words], cwd=repository.tree, env=repository.env, capture_output=True, text=True, check=False)
        check(done.returncode == 2, words, done.returncode, done.stderr)
        return done.stderr

    check("two commits and two commands are needed" in wrong("c1", "c2", "--", "make"), "no RUN")
    check("two commits and two commands are needed" in wrong("c1"), "no BAD")
    check("a command is missing" in wrong("c1", "c2", "--", "make", "--"), "an empty RUN")
    check("sh -c" in wrong("c1", "c2", "--", "cmake", "--build", "b", "--", "-j2", "--", "./a"), "three times --")
    check("BUILD is one word with blanks in it: write -- make -j2 --" in wrong("c1", "c2", "--", "make -j2", "--", "./a"), "one word")
    check("writes no file: --baseline" in wrong("-b", "x.json", "c1", "c2", "--", "make", "--", "./a"), "a baseline")
    said = repository.bisect("c1", "c2", run=("sh", "-c", "exit 4"), status=3).stderr
    check("GOOD has no counts: sh ended with exit status 4" in said, said)
    done = subprocess.run([SETTINGS["papi_gate"], "bisect", "c1", "c2", "--", "no_make", "--", "./a.out"], cwd=repository.tree, env=repository.env,
                          capture_output=True, text=True, check=False)
    check(done.returncode == 3 and "GOOD has no counts: no_make: No such file or directory: no folder of PATH has it" in done.stderr, done.stderr)
    said = repository.bisect("c1", "c2", run=("true",), status=3).stderr
    check("no process that ran was a counted build" in said and "build it by papi_counted" in said, said)


def case_places(repository):
    """A folder below the top, hooks, variables of a hook, and a working tree that is itself linked."""
    (repository.tree / "sub").mkdir()
    repository.source, plain = "", repository.source
    for i, text in enumerate((plain, plain, plain.replace(*SLOW), plain.replace(*SLOW)), 1):
        repository.made += 1
        (repository.tree / "sub/a.c").write_text(f"{text}/* {i} */\n")
        repository.git("add", ".")
        repository.git("commit", "-q", "-m", f"c{i}")
        repository.git("tag", f"c{i}")
    hook = repository.tree / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{repository.folder}/hooked'\n")
    hook.chmod(0o755)
    git = str(repository.tree / ".git")
    answer = repository.found("c1", "HEAD", cwd=repository.tree / "sub", env={**repository.env, "GIT_DIR": git, "GIT_WORK_TREE": str(repository.tree), "GIT_INDEX_FILE": git + "/index"})
    check(repository.name(answer["commits"][0]["commit"]) == "c3" and not (repository.folder / "hooked").exists(), answer)
    said = repository.bisect("c1", "HEAD", status=3).stderr
    check("no such file" in said.lower(), said)


def case_inside(repository):
    """A temporary folder in the user's own tree, and a build that removes what makes the other tree one: the user's files stay."""
    repository.line(3, c2=SLOW)
    (repository.tree / "scratch").mkdir()
    (repository.tree / "a.c").write_text("mine, too\n")
    (repository.tree / "new.txt").write_text("mine\n")
    env = {**repository.env, "TMPDIR": str(repository.tree / "scratch")}
    compiler = f"'{SETTINGS['papi_counted']}' '{SETTINGS['C']}' -g -O2 a.c -o a.out"
    said = repository.bisect("c1", "c3", build=f"rm .git; {compiler}", env=env, status=3).stderr
    check("git: not a git repository" in said, said)
    check((repository.tree / "a.c").read_text() == "mine, too\n" and (repository.tree / "new.txt").exists(), "the user's files")
    answer = repository.found("c1", "c3", env=env)
    check(repository.name(answer["commits"][0]["commit"]) == "c2" and list((repository.tree / "scratch").iterdir()) == [], answer)


def interrupt(repository, number, where):
    """Interrupts a search while it builds or runs, and sees that nothing is left."""
    waits = f"touch '{repository.folder}/waits'; sleep 600"
    before = repository.state()
    words = repository.words("c1", "c4", **({"build": waits} if where == "build" else {"run": ("sh", "-c", waits)}))
    with subprocess.Popen(words, cwd=repository.tree, env=repository.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
        until = time.monotonic() + 120
        while not (repository.folder / "waits").exists():
            check(time.monotonic() < until and child.poll() is None, "it did not begin", where)
            time.sleep(0.05)
        if number == signal.SIGINT:
            os.killpg(child.pid, number)  # as a terminal does
        else:
            child.send_signal(number)
        said = child.communicate(timeout=300)
    (repository.folder / "waits").unlink()
    check(child.returncode == -number, number, where, child.returncode, said)
    repository.check_clean(before)


def case_interrupted(repository):
    """Ctrl-C and kill leave no working tree, no files, and no result of what was not done."""
    repository.line(4, c3=SLOW)
    for number in (signal.SIGINT, signal.SIGTERM):
        for where in ("build", "run"):
            interrupt(repository, number, where)
    kept = [path.name for path in (repository.tree / ".git/papi_gate").rglob("*") if path.is_file()]
    check(kept == [], "results of searches that were stopped", kept)


def main():
    if shutil.which("git") is None:
        print("SKIP: no git")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="bisect_") as folder:
        globals()[f"case_{sys.argv[2]}"](Repository(folder))
    print("passed")


main()
