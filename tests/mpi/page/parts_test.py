#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""parts_test.py MAKE_PAGES PAPI_MPI_REPORT [DIRECTORY]: a roofline and a profile in the page of a job, with names that read like
markup, in Chromium. What is there is compared with sums of its own. DIRECTORY gets screenshots. Status: 0, 1, 77."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from page_test import contrast, texts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402 pylint: disable=wrong-import-position

SECONDS = 240
HOSTILE = ['</script><script>document.hacked=1</script>', '<img src=x onerror="document.hacked=1">', "__proto__", "constructor", "<!--", "x" * 200]
GIGA = 1e9


def roofline():
    """Points at a memory of 20 GB/s and at a peak of 50 GFLOP/s, at a half, a third ... of what these allow."""
    loops = {loop: {"one_core": 10 * GIGA, "all_cores": 20 * GIGA} for loop in ("read", "copy", "scale", "add", "triad")}
    caches = {loop: {"one_core": 100 * GIGA, "all_cores": 200 * GIGA} for loop in loops}
    points = []
    for i, name in enumerate(HOSTILE):
        limit, roof = (("memory", 20 * GIGA / 8), ("peak", 50 * GIGA))[i % 2]
        operations, share = 1e10 * (i + 1), 1 / (i + 2)
        # What came from a doubtful cache counts as from memory, which papi_roofline says.
        given = {"operations_per_byte": 1 / 8} if limit == "memory" else {}
        points.append({"name": name, "threads": 2, "entries": 1, "single": 0.0, "double": operations, "seconds": operations / (roof * share),
                       "bytes": [{"from": "memory", "read": 1.0 if given else operations / 8}], **given,
                       "operations_per_second": roof * share, "limit": limit, "limit_of_reads": False, "roof": roof, "share": share})
    return {"format": "papi_roofline", "version": 1, "command": HOSTILE[0], "counted_by": HOSTILE[1], "points": points,
            "roofs": {"host": HOSTILE[0], "processor": HOSTILE[1], "cores": 2,
                      "peaks": [{"name": "AVX", "bits": 256, "precision": "double", "one_core": 25 * GIGA, "all_cores": 50 * GIGA}],
                      "levels": [{"name": "L1d", "size": 32768, **caches}, {"name": "L3", "size": 1 << 29, "doubtful": True, **loops},
                                 {"name": "memory", "size": 0, **loops}]}}


def profile():
    """A chain of calls, in which the first routine comes again below the others."""
    names = HOSTILE + ["/a/<b>.f90"]
    routines = [[i, -1, len(HOSTILE), 10 + i] for i in range(len(HOSTILE))]
    places = [[i, len(HOSTILE), 10 + i] for i in range(len(HOSTILE))]
    tree = [[i - 1, i, 0, 1000 * (i + 1)] for i in range(len(HOSTILE))] + [[len(HOSTILE) - 1, 0, 0, 4000]]
    return {"format": "papi_profile", "version": 1, "command": ["a"], "host": HOSTILE[0], "started": 0, "seconds": 1, "lost": 0, "ranks": 4,
            "events": [{"name": HOSTILE[1], "period": 1, "clock": True, "exact": False, "samples": 1}], "strings": names, "lacking": [],
            "processes": [{"pid": 1, "command": "a", "threads": 1}] * 4, "routines": routines, "places": places, "arithmetic": [], "tree": tree, "notes": ["3 samples were lost in " + HOSTILE[0], "90 % is in " + HOSTILE[1] + ", which has no lines"],
            "spread": [[i, 100 * i, 1, 300 * i, 2] for i in range(len(HOSTILE))]}


def rows(page, section):
    return page.evaluate(f"Array.from(document.querySelectorAll('#{section} tbody tr'), r => Array.from(r.children, c => c.textContent))")


def check_roofline(check, page, made):
    points = sorted(made["points"], key=lambda point: -point["seconds"])
    found = rows(page, "roofline")
    check.equal("regions", [row[0] for row in found], [point["name"] for point in points])
    check.equal("shares", [row[6] for row in found], [f"{100 * point['share']:.1f} %" for point in points])
    check.equal("roofs", [(row[4], row[5]) for row in found], [(p["limit"], "2.5" if p["limit"] == "memory" else "50") for p in points])
    check.equal("operations for each byte", [row[3] for row in found], ["0.125" if p["limit"] == "memory" else "8" for p in points])
    check.equal("points", len(texts(page, "#roofline circle title")), len(points))
    check.equal("roofs that are drawn", page.evaluate("document.querySelectorAll('#roofline line.bandwidth').length"), 2)
    # Each stands below its roof as far as its share says: on two logarithmic scales of which two points give the measure.
    places = page.evaluate("Array.from(document.querySelectorAll('#roofline circle'), c => [+c.getAttribute('cx'), +c.getAttribute('cy')])")
    peaks = [(place, point) for place, point in zip(places, made["points"]) if point["limit"] == "peak"]
    if len(peaks) < 3:
        return
    (one, first), (other, last), (third, middle) = peaks[0], peaks[-1], peaks[1]
    step = (other[1] - one[1]) / math.log(first["share"] / last["share"])
    check.close("a point's height", [third[1]], [one[1] + step * math.log(first["share"] / middle["share"])], 1e-6)


def check_profile(check, page, made):
    whole = sum(row[3] for row in made["tree"])
    below = [0] * len(made["tree"])
    for i in range(len(below) - 1, -1, -1):
        below[i] = made["tree"][i][3] + (below[i + 1] if i + 1 < len(below) else 0)
    own = [1000 * (i + 1) + (4000 if i == 0 else 0) for i in range(len(HOSTILE))]
    order = sorted(range(len(HOSTILE)), key=lambda i: (-own[i], -below[i]))
    found = rows(page, "profile")
    check.equal("routines", [row[0] for row in found], [HOSTILE[i] for i in order])
    check.equal("self", [row[1] for row in found], [f"{100 * own[i] / whole:.2f} %" for i in order])
    check.equal("total", [row[2] for row in found], [f"{100 * below[i] / whole:.2f} %" for i in order])
    check.equal("ranks", [row[4].split(" @")[1] for row in found], ["2"] * len(order))
    check.equal("notes", texts(page, "#profile p.note")[:-1], [note + "." for note in made["notes"]])
    check.equal("places", [row[5] for row in found], [f"<b>.f90:{10 + i}" for i in order])


def check_schemes(check, page, pictures):
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        paper, *inks = page.evaluate("[getComputedStyle(document.body).backgroundColor].concat(['#roofline td', '#profile td', '#profile .note',"
                                     "'#roofline caption'].map(s => getComputedStyle(document.querySelector(s)).color), "
                                     "getComputedStyle(document.querySelector('#roofline svg text.tick')).fill)")
        for ink in inks:
            check.equal(f"{scheme}: contrast of {ink} on {paper}", contrast(paper, ink) >= 4.5, True)
        if pictures:
            page.evaluate("document.querySelector('#roofline').scrollIntoView()")
            page.screenshot(os.path.join(pictures, f"parts-{scheme}.png"))


def report(tool, result, *options):
    return subprocess.run([tool, "--html", *options, result], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=600,
                          universal_newlines=True)


def check_refused(check, tool, folder, result):
    """What is not of these tools makes no page."""
    for option, words in (("roofline", "is not what papi_roofline keeps"), ("profile", "is not a profile")):
        for text in ("", "{}", '{"format": "papi_mpi result"', '{"format": "papi_rooflinx"}'):
            wrong = os.path.join(folder, "wrong.json")
            with open(wrong, "w", encoding="utf-8") as file:
                file.write(text)
            done = report(tool, result, f"--{option}={wrong}")
            check.equal(f"{option} of {text}", (done.returncode, done.stdout, words in done.stderr), (1, "", True))
        done = report(tool, result, f"--{option}=/no/such/file")
        check.equal(f"{option} that is not there", (done.returncode, "No such file" in done.stderr), (1, True))


def check_many(check, chromium, tool, folder, result):
    """10,000 routines: the first are there, and all of them on request."""
    made, number = profile(), 10000
    made.update(strings=[f"{HOSTILE[i % len(HOSTILE)]} {i}" for i in range(number)], routines=[[i, -1, -1, 0] for i in range(number)],
                places=[[i, -1, 0] for i in range(number)], tree=[[-1, i, 0, number - i] for i in range(number)], spread=[])
    file, page = os.path.join(folder, "many-part.json"), os.path.join(folder, "many.html")
    with open(file, "w", encoding="utf-8") as out:
        json.dump(made, out)
    with open(page, "w", encoding="utf-8") as out:
        out.write(report(tool, result, f"--profile={file}").stdout)
    page = browser.Page(chromium, page, width=400)
    check.equal("complaints", page.complaints(), [])
    names = texts(page, "#profile tbody th")
    check.equal("routines", names, made["strings"])
    seen = "Array.from(document.querySelectorAll('#profile tbody tr')).filter(r => r.offsetParent !== null).length"
    check.equal("routines that are seen", page.evaluate(seen), 15)
    page.evaluate("document.querySelector('#profile button.all').click()")
    check.equal("all of them", page.evaluate(seen), number)
    check.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    page.close()


def main():
    make_pages, tool = sys.argv[1:3]
    pictures, check, path = (sys.argv[3:] or [None])[0], browser.Checks(), browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        return 77
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as folder, browser.Browser(path, SECONDS) as chromium:
        subprocess.run([make_pages, folder], check=True, timeout=600)
        result, made, files = os.path.join(folder, "regions.json"), {"roofline": roofline(), "profile": profile()}, {}
        for name, data in made.items():
            files[name] = os.path.join(folder, name + "-part.json")
            with open(files[name], "w", encoding="utf-8") as file:
                json.dump(data, file, indent=2)
        done = report(tool, result, *(f"--{name}={file}" for name, file in files.items()))
        check.equal("status", (done.returncode, done.stderr), (0, ""))
        with open(os.path.join(folder, "parts.html"), "w", encoding="utf-8") as file:
            file.write(done.stdout)
        page = browser.Page(chromium, os.path.join(folder, "parts.html"))
        check.equal("complaints", page.complaints(), [])
        check.equal("what names made of themselves", page.evaluate("[document.hacked, document.querySelectorAll('main img, main b, main script')"
                                                                   ".length]"), [None, 0])
        check.equal("problems", texts(page, "p.problem"), [])
        check_roofline(check, page, made["roofline"])
        check_profile(check, page, made["profile"])
        check_schemes(check, page, pictures)
        check.equal("complaints in the end", page.complaints(), [])
        page.close()
        page = browser.Page(chromium, os.path.join(folder, "parts.html"), width=400)
        check.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
        smallest = page.evaluate("Math.min(...Array.from(document.querySelectorAll('main figure svg text'), t => t.getBoundingClientRect().height))")
        check.equal("plots' text can be read on a phone", 7 < smallest < 40, True)
        page.close()
        page = browser.Page(chromium, os.path.join(folder, "regions.html"))
        check.equal("sections without data", page.evaluate("['roofline', 'profile'].map(s => document.getElementById(s).hidden)"), [True, True])
        page.close()
        check_many(check, chromium, tool, folder, result)
        check_refused(check, tool, folder, result)
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
