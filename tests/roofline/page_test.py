#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py PAPI_ROOFLINE [DIRECTORY]: opens pages and drawings of made points in Chromium, with names that read like
markup, and compares what is there with computations of its own. DIRECTORY gets screenshots. Status: 0, 1, 77."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import browser  # noqa: E402 pylint: disable=import-error,wrong-import-position

SECONDS = 300
ROOFS = json.loads((HERE.parent / "utils" / "roofs.json").read_text())["roofs"]
HOSTILE = ['</script><script>document.hacked=1</script>', '<img src=x onerror="document.hacked=1">', "]]><b>&amp;'\"`${1}</b>",
           "</title></svg><svg onload=document.hacked=1>", "--><style>*{display:none}</style>", "x" * 300, "module::routine"]
TURNED = "\u202eevil"  # a character that turns what follows


def make(points, **more):
    """Points of one thread at the memory's roof, at halves of it, and so on; every other one reads only."""
    made = []
    for i in range(points):
        bytes_, share = 2e9 * (i + 1), 1 / (1 + i % 5)
        reads = i % 2 == 1
        bandwidth = 20e9 if reads else 16e9
        made.append({"name": HOSTILE[i % len(HOSTILE)] + ("" if i < len(HOSTILE) else str(i)), "threads": 1, "entries": 1, "single": 0.0,
                     "seconds": bytes_ / bandwidth / share, "double": bytes_ * 2.0 ** (i % 6 - 5),
                     "bytes": [{"from": "memory", "read": bytes_ if reads else bytes_ / 2, "written": 0.0 if reads else bytes_ / 2}]})
    return {"roofs": ROOFS, "command": HOSTILE[0] + TURNED, "counted_by": HOSTILE[1], "points": made, **more}


def files_of(folder, tool, name, made):
    path = os.path.join(folder, name)
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = subprocess.run([tool, "--json", f"--show={path}.json", f"--html={path}.html", f"--svg={path}.svg"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, universal_newlines=True, timeout=300)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"papi_roofline: {done}")
    return path, json.loads(done.stdout)


def text_of(page, selector):
    return page.evaluate(f"Array.from(document.querySelectorAll('{selector}'), e => e.textContent)")


def check_table(check, page, shown):
    rows = page.evaluate("Array.from(document.querySelectorAll('#regions tbody tr'), r => Array.from(r.children, c => c.textContent))")
    points = shown["points"]
    check.equal("names", [row[1] for row in rows], [point["name"] for point in points])
    check.equal("numbers", [row[0] for row in rows], [str(i + 1) for i in range(len(points))])
    check.equal("shares", [row[7] for row in rows], [f"{100 * point['share']:.1f} %" for point in points])
    check.equal("limits", [row[5] for row in rows], ["memory" + (", reads only" if p["limit_of_reads"] else "") for p in points])


def axis(page, vertical):
    """What a place on the paper is worth, by two of the scale's own labels."""
    ticks = page.evaluate("Array.from(document.querySelectorAll('svg text.tick'), t => [t.textContent, t.getAttribute('text-anchor'), "
                          "+t.getAttribute('x'), +t.getAttribute('y')])")
    anchor = "end" if vertical else "middle"
    found = [(float(words) if "/" not in words else 1 / float(words[2:]), y - 4 if vertical else x)
             for words, kind, x, y in ticks if kind == anchor]
    (one, at), (other, there) = found[0], found[-1]
    return lambda place: one * (other / one) ** ((place - at) / (there - at))


def title(point):
    rate = float(f"{point['operations_per_second'] * 1e-9:.3g}")
    kind = ", reads only)" if point["limit_of_reads"] else ")"
    return f"{point['name']}: {rate:g} GFLOP/s, {100 * point['share']:.1f} % of its roof (memory{kind}"


def check_drawing(check, page, shown):
    across, up = axis(page, False), axis(page, True)
    circles = page.evaluate("Array.from(document.querySelectorAll('svg circle'), c => [+c.getAttribute('cx'), +c.getAttribute('cy')])")
    points = shown["points"]
    check.equal("points", len(circles), len(points))
    for (x, y), point in zip(circles, points):
        total = sum(entry["read"] + entry["written"] for entry in point["bytes"])
        rate = (point["single"] + point["double"]) / point["seconds"] * 1e-9
        check.close(f"place of {point['name'][:20]}", [across(x), up(y)], [point["double"] / total, rate], 0.02)
    # From a point to its roof: as far as the share says.
    ends = page.evaluate("Array.from(document.querySelectorAll('svg .below'), p => p.getAttribute('d'))")
    roofs = [up(float(end.split("V")[1])) for end in ends]
    check.close("roofs", roofs, [p["roof"] * 1e-9 for p in points], 0.02)
    check.equal("titles", text_of(page, "svg .region title"), [title(point) for point in points])


def check_harmless(check, page):
    check.equal("complaints", page.complaints(), [])
    check.equal("what names made of themselves", page.evaluate("[document.hacked, document.querySelectorAll('img, b, script').length, "
                                                               "document.querySelectorAll('style').length]"), [None, 0, 1])


def check_schemes(check, page, pictures, name):
    papers = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        paper = page.evaluate("getComputedStyle(document.querySelector('svg')).backgroundColor")
        inks = page.evaluate("Array.from(document.querySelectorAll('body, caption, th, p, svg text'), e => [e.closest('svg') && "
                             "e.tagName === 'text' ? getComputedStyle(e).fill : getComputedStyle(e).color])")
        for ink in sorted({ink for ink, in inks}):
            low, high = sorted((browser.luminance(paper), browser.luminance(ink)))
            check.equal(f"{scheme}: contrast of {ink} on {paper}", (high + 0.05) / (low + 0.05) >= 4.5, True)
        papers.append(browser.luminance(paper))
        if pictures:
            page.screenshot(os.path.join(pictures, f"{name}-{scheme}.png"))
    check.equal("the schemes differ", papers[0] > papers[1], True)


def check_paper(check, chromium, path):
    """Paper of 190 mm, at 96 dots for each inch, does not scroll: all columns are on it."""
    page = browser.Page(chromium, path + ".html", width=718)
    page.call("Emulation.setEmulatedMedia", media="print")
    wide = page.evaluate("Array.from(document.querySelectorAll('th, td, svg'), e => e.getBoundingClientRect().right).filter(x => x > 718.5)")
    check.equal("beyond the paper", wide, [])
    page.close()


def check_page(check, chromium, path, shown, pictures):
    check.name = os.path.basename(path)
    page = browser.Page(chromium, path + ".html")
    check_harmless(check, page)
    check.equal("title", text_of(page, "h1"), ["Roofline of " + HOSTILE[0] + "<U+202E>evil"])
    check_table(check, page, shown)
    check_drawing(check, page, shown)
    check_schemes(check, page, pictures, check.name)
    check.equal("verdict", text_of(page, "#verdict")[0].startswith(shown["points"][0]["name"] + " takes longest"), True)
    page.close()
    page = browser.Page(chromium, path + ".html", width=400)
    check.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    page.close()
    check_paper(check, chromium, path)


def check_svg(check, chromium, path, shown, pictures):
    check.name = os.path.basename(path) + ".svg"
    page = browser.Page(chromium, path + ".svg")
    check_harmless(check, page)
    check_drawing(check, page, shown)
    papers = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        papers.append(browser.luminance(page.evaluate("getComputedStyle(document.querySelector('svg')).backgroundColor")))
        if pictures:
            page.screenshot(os.path.join(pictures, f"{check.name}-{scheme}.png"))
    check.equal("the schemes differ", papers[0] > papers[1], True)
    listed = [words for words in text_of(page, "svg > text:not([class])")]
    check.equal("the list", len(listed), min(40, len(shown["points"])))
    page.close()


def check_roofs(check, chromium, path):
    """Without points: the roofs of all cores and of one, at the rates that the file has."""
    check.name = "roofs"
    page = browser.Page(chromium, path + ".html")
    check_harmless(check, page)
    across, up = axis(page, False), axis(page, True)
    lines = page.evaluate("Array.from(document.querySelectorAll('svg path.level.all'), p => p.getAttribute('d'))")
    found = []
    for line in lines:
        x, y = map(float, line.split("L")[0][1:].split())
        found.append(up(y) / across(x))
    check.close("bandwidths", found, [max(level[loop]["all_cores"] for loop in ("copy", "scale", "add", "triad")) * 1e-9
                                      for level in ROOFS["levels"]], 0.02)
    peaks = page.evaluate("Array.from(document.querySelectorAll('svg path.peak'), p => +p.getAttribute('d').split(' ')[1])")
    check.close("peaks", sorted(map(up, peaks)), [20, 80, 160, 320], 0.02)
    check.equal("levels", len(text_of(page, "#levels tbody tr")), len(ROOFS["levels"]))
    page.close()


def main():
    chromium = browser.find()
    if chromium is None:
        print("SKIP: there is no Chromium here")
        return 77
    tool, pictures, check = sys.argv[1], (sys.argv[2:] or [None])[0], browser.Checks()
    with tempfile.TemporaryDirectory() as folder, browser.Browser(chromium, SECONDS) as running:
        for points in (len(HOSTILE), 60, 1000):
            path, shown = files_of(folder, tool, f"points{points}", make(points))
            check_page(check, running, path, shown, pictures)
            check_svg(check, running, path, shown, pictures)
        path, _ = files_of(folder, tool, "roofs", make(0, command=""))
        check_roofs(check, running, path)
    return check.summary()


sys.exit(main())
