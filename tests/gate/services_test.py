#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""services_test.py SETTINGS.json EXAMPLES DOCUMENT CASE: the snippets for GitHub Actions and GitLab CI, whose commands run as they are.

Installing is left out: the tools are those of this build. Status: 0 passed, 1 failed, 77 skipped.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

from gate_shared import GIT_ALONE, SUM, check

try:
    import yaml
except ImportError:
    print("SKIP: no yaml (package python3-yaml)")
    sys.exit(77)

SETTINGS = json.loads(pathlib.Path(sys.argv[1]).read_text())
EXAMPLES, DOCUMENT = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PROGRAM = "#include <stdlib.h>\n" + SUM + """int main(int argc, char **argv)
{
    return sum(argc > 1 ? 100 * atoi(argv[1]) : 0) != 0;
}
"""
MAKEFILE = "program: program.c\n\t$(CC) -O2 program.c -o program\n"


class Service:
    """A clone of a repository with a program, the tools, and a gh that notes how it was called."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.bin, origin, self.tree = (self.folder / name for name in ("bin", "origin", "tree"))
        self.bin.mkdir(parents=True)
        for tool in ("papi_gate", "papi_counted"):
            # Not a link: the tools look for what they need beside the file that they are.
            self.tool(tool, f'exec "{SETTINGS[tool]}" "$@"')
        self.tool("gh", f'echo "$@" >> "{self.folder}/gh"; case "$*" in *--edit-last*) exit 1;; esac; cat "${{@: -1}}" > "{self.folder}/comment"')
        self.env = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}", **GIT_ALONE,
                    "GITHUB_STEP_SUMMARY": str(self.folder / "summary"), "GITHUB_BASE_REF": "main", "PULL_REQUEST": "7"}
        for who in ("AUTHOR", "COMMITTER"):
            self.env.update({f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@example.org"})
        origin.mkdir()
        (origin / "program.c").write_text(PROGRAM)
        (origin / "Makefile").write_text(MAKEFILE)
        self.run("git init -q -b main && git add . && git commit -q -m 'the program'", origin)
        self.run(f"git clone -q '{origin}' '{self.tree}'", self.folder)

    def tool(self, name, text):
        (self.bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.bin / name).chmod(0o755)

    def run(self, command, where=None, status=0):
        """As both services run a step: bash, which ends at the first command that fails."""
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", command], cwd=where or self.tree, env=self.env, capture_output=True, text=True, timeout=600, check=False)
        check(status is None or done.returncode == status, command, done.returncode, done.stdout, done.stderr)
        return done.returncode

    def change(self, before, after):
        source = (self.tree / "program.c").read_text()
        (self.tree / "program.c").write_text(source.replace(before, after))


def github(service, job, event="pull_request"):
    """Runs a job's steps as an event has them run. Returns the names of those that failed."""
    failed = []
    for step in job["steps"]:
        if "run" not in step or step["name"] == "Install":
            continue
        if failed and step.get("if") != "always()" or step.get("if", "").startswith("github.event_name") and f"'{event}'" not in step["if"]:
            continue
        if service.run(step["run"], status=None) != 0 and not step.get("continue-on-error"):
            failed.append(step["name"])
    return failed


def case_github(folder):
    """A pull request that changes no count, and one that does more."""
    job = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["counts"]
    for change, failed, mark in ((("/* hot */", "/* the hot line */"), [], ":white_check_mark:"), (("* 1.5", "/ 1.7"), ["Count this change"], ":x:")):
        service = Service(folder / mark.strip(":"))
        service.change(*change)
        check(github(service, job) == failed, "steps that failed", failed)
        summary = (service.folder / "summary").read_text()
        check(summary.startswith(mark), summary)
        check(failed or summary.count("\n") == 1, "more than a line although all is well", summary)
        check(not failed or "FP\\_DIVIDE\\_INSTRUCTIONS" in summary and "program.c" in summary.replace("\\", ""), summary)
        check((service.folder / "comment").read_text() == summary, "the comment")
        calls = (service.folder / "gh").read_text().splitlines()
        check(calls == ["pr comment 7 --edit-last --body-file gate.md", "pr comment 7 --body-file gate.md"], calls)


def case_github_broken(folder):
    """A change that does not build: no comment, an empty summary, and the job has failed."""
    job = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["counts"]
    service = Service(folder / "broken")
    service.change("double s = 0", "doubl s = 0")
    check(github(service, job) == ["Count this change"], "the job")
    check(not (service.folder / "summary").exists() and not (service.folder / "gh").exists(), "a summary or a comment of nothing")


def case_gitlab(folder):
    """The baseline of the job that makes it, then a job without a change and one with."""
    jobs = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())
    service = Service(folder / "gitlab")

    def run(name):
        return service.run("\n".join(jobs[name]["script"]), status=None)

    check(run("counts") != 0, "there is no baseline, and the job passes")
    check(run("baseline") == 0 and jobs["baseline"]["artifacts"]["paths"] == ["gate.json"] and (service.tree / "gate.json").exists(), "the baseline")
    check(run("counts") == 0, "nothing has changed")
    service.change("* 1.5", "/ 1.7")
    check(run("counts") == 1, "a division in place of a product")
    artifacts = jobs["counts"]["artifacts"]
    suite = xml.dom.minidom.parse(str(service.tree / artifacts["reports"]["junit"])).getElementsByTagName("testsuite")[0]
    failures = [case.getAttribute("name") for case in suite.getElementsByTagName("testcase") if case.getElementsByTagName("failure")]
    # On a processor that has a model, the division's time is above its limit, too.
    check(artifacts["when"] == "always" and failures in (["FP_DIVIDE_INSTRUCTIONS"], ["FP_DIVIDE_INSTRUCTIONS", "ESTIMATED_TIME"]), suite.toxml())
    check(suite.getAttribute("failures") == str(len(failures)), suite.toxml())
    check((service.tree / artifacts["paths"][0]).read_text().startswith(":x:"), "Markdown")


def commit(service, *change):
    """A commit on the tip of main, as another clone pushes it."""
    if change:
        service.change(*change)
    service.run("git commit -q --allow-empty -a -m 'a change' && git push -q origin HEAD:main")


def fresh(service):
    """The clone that a service makes for the next job: without notes."""
    shutil.rmtree(service.tree)
    service.run(f"git clone -q '{service.folder}/origin' '{service.tree}'", service.folder)


def case_notes(folder):
    """Both snippets with notes: commits of main are recorded, then changes are checked, in clones of their own."""
    job = yaml.safe_load((EXAMPLES / "github-notes.yml").read_text())["jobs"]["counts"]
    parts = yaml.safe_load((EXAMPLES / "gitlab-notes.yml").read_text())
    check(parts["variables"]["GIT_DEPTH"] == 0 and job["steps"][0]["with"]["fetch-depth"] == 0, "all commits")

    def gitlab(service, event):
        name = "record" if event == "push" else "counts"
        return [name] if service.run("\n".join(parts[name]["script"]), status=None) != 0 else []

    for kind, run in (("github", lambda service, event: github(service, job, event)), ("gitlab", gitlab)):
        service = Service(folder / kind)
        service.env.update({"GATE_TOKEN": "t", "CI_SERVER_HOST": "gitlab.example", "CI_PROJECT_PATH": "a/b", "GIT_CONFIG_COUNT": "1",
                            "GIT_CONFIG_KEY_0": f"url.{service.folder}/origin.insteadOf", "GIT_CONFIG_VALUE_0": "https://oauth2:t@gitlab.example/a/b.git"})
        service.run("git config receive.denyCurrentBranch ignore", service.folder / "origin")
        check(run(service, "pull_request") == (["Check"] if kind == "github" else ["counts"]), kind, "there is no note, and the job passes")
        for again in range(2):
            fresh(service)
            check(run(service, "push") == [], kind, "recording", again)
        fresh(service)
        commit(service, "/* hot */", "/* the hot line */")
        check(run(service, "pull_request") == [], kind, "nothing has changed")
        fresh(service)
        commit(service, "* 1.5", "/ 1.7")
        for _ in range(2):  # the same job again
            check(run(service, "pull_request") == (["Check"] if kind == "github" else ["counts"]), kind, "a division in place of a product")
        check((service.tree / "gate.md").read_text().startswith(":x:"), "Markdown")


def installs(example):
    """The commands that install the tools."""
    job = yaml.safe_load(example.read_text())
    if ".counted" in job:
        return job[".counted"]["before_script"]
    return [step["run"] for step in job["jobs"]["counts"]["steps"] if step.get("name") == "Install"]


def case_document(_folder):
    """The document shows these files, without their first line, and what installs is a command that bash reads."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", DOCUMENT.read_text(), re.DOTALL | re.MULTILINE)
    for name in ("github.yml", "gitlab.yml"):
        shown = (EXAMPLES / name).read_text().partition("\n")[2]
        check(shown in blocks, f"docs/gate.md does not show {name} as it is")
        with_notes = EXAMPLES / name.replace(".", "-notes.")
        check(with_notes.name in DOCUMENT.read_text(), f"docs/gate.md does not name {name} with notes")
        check(installs(with_notes) == installs(EXAMPLES / name), f"{with_notes.name} installs otherwise than {name}")
    steps = yaml.safe_load((EXAMPLES / "github.yml").read_text())["jobs"]["counts"]["steps"]
    lines = yaml.safe_load((EXAMPLES / "gitlab.yml").read_text())[".counted"]["before_script"]
    for command in [step["run"] for step in steps if "run" in step] + lines:
        subprocess.run(["bash", "-n", "-c", command], check=True)


def main():
    if any(shutil.which(tool) is None for tool in ("git", "make", "bash")):
        print("SKIP: no git, make or bash")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="services_") as folder:
        globals()[f"case_{sys.argv[4]}"](pathlib.Path(folder))
    print("passed")


main()
