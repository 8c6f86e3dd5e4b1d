#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""history_test.py PAPI_GATE CASE [DIRECTORY]: papi_gate report --history of made results, as text and in Chromium, with names
that read like markup; figures and places of points are computed here. DIRECTORY gets screenshots. Status: 0, 1, 77."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from gate_shared import GIT_ALONE, check

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import browser  # noqa: E402 pylint: disable=import-error,wrong-import-position

SECONDS = 300
TOOL = sys.argv[1]
PICTURES = sys.argv[3] if len(sys.argv) > 3 else None
HOSTILE = '</title><script>document.hacked=1</script><img src=x onerror="document.hacked=1">'
TURNED = "\u202eevil"


def result(made, revision="", **counts):
    """A result of two routines and a region. counts: of the routine work; solve has ten times less."""
    def of(share, more=0):
        return {event: value // share + more for event, value in counts.items()}
    place = {"object": "a.out", "file": "a.c", "lines": []}
    return {"format": "papi_gate", "version": 1, "mode": "counted", "command": ["./a.out", HOSTILE + TURNED], "revision": revision, "host": "here",
            "processor": "one", "made": made, "runs": 1, "processes": 1, "ranks": 1, "objects": [], "inputs": [], "events": sorted(counts),
            "regions": [{"region": HOSTILE, "counts": of(10)}],
            "routines": [{"routine": "work" + HOSTILE, **place, "counts": of(1)}, {"routine": "steady", **place, "counts": {"INSTRUCTIONS": 1000}}]}


def run(*words, cwd=None, status=0):
    done = subprocess.run([TOOL, *words], cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    check(done.returncode == status, words, done.returncode, done.stdout, done.stderr)
    return done


def write(folder, name, content):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps(content))


COUNTS = [100000, 100000, 100500, 120000, 120000, 119900, 90000, 90000, 150000, 150000, 150000, 151000]
JUMPS = [3, 6, 8]  # those that differ from the one before by more than 1 %


def made_history(folder):
    for i, count in enumerate(COUNTS):
        write(folder, f"r{i:02}.json", result(1700000000 + 86400 * i, INSTRUCTIONS=count, LOADS=5000, FP_OPS=2 * count if i > 7 else 100))


def case_models(folder):
    """Time by another model than that of the last result is left out; it has its unit."""
    for i, (model, time) in enumerate((("old 1", 9000), ("old 1", 20000), ("new 2", 5000), ("new 2", 5000), ("new 2", 8000))):
        write(folder, f"r{i}.json", {**result(1700000000 + 86400 * i, INSTRUCTIONS=1000, ESTIMATED_TIME=time), "model": model})
    said = run("report", f"--history={folder}", "-e", "ESTIMATED_TIME").stdout
    lines = [line.split() for line in said.splitlines() if line.startswith("  ESTIMATED_TIME  ")]
    check(lines == [["ESTIMATED_TIME", "5", "ns", "8", "ns", "+60.0", "%"]], said)


def commas(number):
    return f"{number:,}"


def share(before, after):
    percent = 100 * (after - before) / before
    return f"{percent:+.1f} %"


def case_text(folder):
    """Jumps by result, what else changed, and what is no result."""
    made_history(folder / "all")
    (folder / "all/notes.json").write_text("{}")
    done = run("report", "--history=all", cwd=folder)
    check(done.stdout.startswith("papi_gate: 12 results, from r00.json to r11.json: counts changed by more than their limits in 3 of them.\n"), done.stdout)
    lines = [line.split() for line in done.stdout.splitlines()]
    for i in JUMPS:
        before, after = COUNTS[i - 1] + 1000, COUNTS[i] + 1000
        check(["INSTRUCTIONS", commas(before), commas(after), *share(before, after).split()] in lines, i, done.stdout)
    check(sum(line[:1] == ["INSTRUCTIONS"] and len(line) == 5 for line in lines) == len(JUMPS), done.stdout)
    check("left out: all/notes.json is not a result of papi_gate" in done.stderr, done.stderr)
    # A limit of a file holds here, too; so does an event that is named.
    (folder / "gate.limits").write_text("* 30%\n* 30% region *\n* 30% routine *\n")
    said = run("report", "--history=all", "-e", "INSTRUCTIONS", cwd=folder).stdout
    check("in 1 of them" in said and "r08.json" in said and "r03.json" not in said, said)
    (folder / "gate.limits").unlink()
    # Another compiler and command are told at the result that has them; a routine that varies is left out of all totals.
    for i, change in enumerate(({}, {"command": ["./a.out", "other"]})):
        write(folder / "two", f"{i}.json", {**result(i, INSTRUCTIONS=1000), **change})
    check("\nNote: 1.json: the command has other arguments than before." in run("report", "--history=two", cwd=folder).stdout, "the command")
    for i in range(3):
        one = result(i, INSTRUCTIONS=1000)
        one["routines"][0]["counts"]["INSTRUCTIONS"] = [5000 * i + 7, 7, 90000] if i == 1 else 5000 * i
        write(folder / "varies", f"{i}.json", one)
    said = run("report", "--history=varies", cwd=folder).stdout
    check("no count changed by more than its limit" in said, said)


def case_refused(folder):
    (folder / "none").mkdir()
    check('none has no results: "papi_gate record -b none/COMMIT.json COMMAND" keeps one' in run("report", "--history=none", cwd=folder, status=3).stderr, "no results")
    check('nowhere: No such file or directory: "mkdir -p nowhere", then "papi_gate record -b nowhere/COMMIT.json COMMAND"' in
          run("report", "--history=nowhere", cwd=folder, status=3).stderr, "no folder")
    write(folder / "modes", "a.json", result(1, INSTRUCTIONS=5))
    write(folder / "modes", "b.json", {**result(2, INSTRUCTIONS=5), "mode": "emulated"})
    check("a.json was counted and b.json was emulated, which cannot be compared" in run("report", "--history=modes", cwd=folder, status=3).stderr, "two modes")
    write(folder / "one", "a.json", result(1, INSTRUCTIONS=5))
    check("no result has a judged event" in run("report", "--history=one", "-e", "X", cwd=folder, status=3).stderr, "no event")
    check("is the page of a history" in run("report", "--html=x.html", "a", "b", cwd=folder, status=2).stderr, "a page of two")
    check("options of report" in run("check", "--history=one", cwd=folder, status=2).stderr, "of check")
    for words in (("--junit=x",), ("--markdown=x",), ("a.json", "b.json")):
        check("a history is text, JSON or a page" in run("report", "--history=one", *words, cwd=folder, status=2).stderr, words)
    check("No such file" in run("report", "--history=one", "--html=no/x.html", cwd=folder, status=3).stderr, "no folder for the page")


def case_order(folder):
    """Commits are in git's order, whatever the dates of the results; without git's knowledge dates order them."""
    tree = folder / "tree"
    tree.mkdir()
    env = {**os.environ, **GIT_ALONE}

    def git(*words):
        return subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], cwd=tree, env=env, capture_output=True,
                              text=True, check=True).stdout.strip()

    git("init", "-q")
    for i in range(4):
        git("commit", "-q", "--allow-empty", "-m", f"change {i} {HOSTILE}")
        write(tree / "kept", f"{9 - i}.json", result(9000 - 100 * i, git("rev-parse", "HEAD"), INSTRUCTIONS=1000 * 2 ** i))
    head = git("rev-parse", "--short=10", "HEAD")
    said = run("report", "--history=kept", "--html=page.html", cwd=tree).stdout
    check(f" to {head}: counts changed by more than their limits in 3 of them" in said and f"\n{head} change 3 " in said, said)
    values = [line.split()[1:3] for line in said.splitlines() if line.split()[:1] == ["INSTRUCTIONS"] and len(line.split()) == 5]
    check(values == [[commas(1000 * 2 ** i + 1000), commas(2000 * 2 ** i + 1000)] for i in range(3)], values)
    check("that of the commits" in (tree / "page.html").read_text(), "the order")
    said = run("report", f"--history={tree}/kept", "--html=page.html", cwd=folder).stdout
    check("from 6.json to 9.json" in said and "that of the dates" in (folder / "page.html").read_text(), said)


def texts(page, selector):
    return page.evaluate(f"Array.from(document.querySelectorAll('{selector}'), e => e.textContent)")


def check_drawing(checks, page):
    """The first drawing, of the program's instructions: its points are where the values are."""
    points = page.evaluate("Array.from(document.querySelectorAll('.place')[0].querySelectorAll('figure'), f => [f.querySelector('b').textContent, "
                           "Array.from(f.querySelectorAll('circle'), c => [+c.getAttribute('cx'), +c.getAttribute('cy'), c.getAttribute('class')]), "
                           "f.querySelector('.most').textContent, f.querySelector('.least').textContent, f.querySelector('path:not(.grid)').getAttribute('d')])")
    found = {event: rest for event, *rest in points}
    checks.equal("events that changed", sorted(found), ["FP_OPS", "INSTRUCTIONS"])
    circles, most, least, path = found["INSTRUCTIONS"]
    values = [count + 1000 for count in COUNTS]
    checks.equal("the scale", [most, least], [commas(max(values)), commas(min(values))])
    checks.equal("jumps", [i for i, circle in enumerate(circles) if circle[2] == "jump"], JUMPS)
    steps = [circles[i + 1][0] - circles[i][0] for i in range(len(circles) - 1)]
    checks.close("across", steps, [steps[0]] * len(steps), 0.01)
    bottom, top = max(y for _, y, _ in circles), min(y for _, y, _ in circles)
    checks.close("up", [(bottom - y) / (bottom - top) for _, y, _ in circles],
                 [(value - min(values)) / (max(values) - min(values)) for value in values], 0.01)
    checks.equal("the line's points", len(path.split("L")), len(values))


def check_schemes(checks, page):
    papers = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        paper = page.evaluate("getComputedStyle(document.querySelector('svg')).backgroundColor")
        inks = page.evaluate("Array.from(document.querySelectorAll('body, th, td, p, li, figcaption, svg text'), e => e.closest('svg') ? "
                             "getComputedStyle(e).fill : getComputedStyle(e).color)")
        for ink in sorted(set(inks)):
            low, high = sorted((browser.luminance(paper), browser.luminance(ink)))
            checks.equal(f"{scheme}: contrast of {ink} on {paper}", (high + 0.05) / (low + 0.05) >= 4.5, True)
        papers.append(browser.luminance(paper))
        if PICTURES:
            page.screenshot(os.path.join(PICTURES, f"history-{scheme}.png"))
    checks.equal("the schemes differ", papers[0] > papers[1], True)


def check_page(checks, chromium, path):
    page = browser.Page(chromium, path)
    checks.equal("complaints", page.complaints(), [])
    checks.equal("what names made of themselves", page.evaluate("[document.hacked, document.querySelectorAll('img, script').length]"), [None, 0])
    checks.equal("title", texts(page, "h1"), ["History of ./a.out " + HOSTILE + "<U+202E>evil"])
    checks.equal("sections", texts(page, "section h2"), ["Program", "Region " + HOSTILE, "Routine work" + HOSTILE])
    rows = page.evaluate("Array.from(document.querySelectorAll('#jumps tbody tr'), r => Array.from(r.children, c => c.textContent))")
    totals = [row for row in rows if row[1] == "INSTRUCTIONS"]
    checks.equal("the table", totals, [[f"r{i:02}.json", "INSTRUCTIONS", commas(COUNTS[i - 1] + 1000), commas(COUNTS[i] + 1000),
                                        share(COUNTS[i - 1] + 1000, COUNTS[i] + 1000)] for i in JUMPS])
    checks.equal("what never changed", texts(page, ".same")[0], "The same in all results: LOADS 5,000.")
    check_drawing(checks, page)
    check_schemes(checks, page)
    page.close()


def check_sizes(checks, chromium, path):
    page = browser.Page(chromium, path, width=400)
    checks.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    if PICTURES:
        page.screenshot(os.path.join(PICTURES, "history-phone.png"))
    page.close()
    page = browser.Page(chromium, path, width=718)
    page.call("Emulation.setEmulatedMedia", media="print")
    wide = page.evaluate("Array.from(document.querySelectorAll('th, td, svg, p, li'), e => e.getBoundingClientRect().right).filter(x => x > 718.5)")
    checks.equal("beyond the paper", wide, [])
    page.close()


def case_page(folder):
    path = browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        sys.exit(77)
    made_history(folder / "all")
    run("report", "--history=all", "--html=page.html", cwd=folder)
    checks = browser.Checks()
    with browser.Browser(path, SECONDS) as chromium:
        check_page(checks, chromium, str(folder / "page.html"))
        check_sizes(checks, chromium, str(folder / "page.html"))
    sys.exit(checks.summary())


def main():
    with tempfile.TemporaryDirectory(prefix="history_") as folder:
        globals()[f"case_{sys.argv[2]}"](pathlib.Path(folder))
    print("passed")


main()
