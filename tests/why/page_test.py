#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py PAPI_WHY [DIRECTORY]: opens pages of made results in Chromium, with names that read like markup, and compares
what is there with the results. DIRECTORY gets screenshots. Status: 0, 1, 77."""
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
HOSTILE = ['</script><script>document.hacked=1</script>', '<img src=x onerror="document.hacked=1">', "]]><b>&amp;'\"`${1}</b>",
           "</title></pre><svg onload=document.hacked=1>", "--><style>*{display:none}</style>", "x" * 300, "module::routine"]
TURNED = "\u202eevil"  # a character that turns what follows
CONFIDENCE = ["certain", "likely", "possible", "not known"]
PARTS = ["computing", "kernel", "processor", "waiting"]


def shares(seed):
    """Parts that sum up to 1, each other than the others."""
    weights = [1 + (seed * (i + 3)) % 7 for i in range(4)]
    return {part: round(weight / sum(weights), 3) for part, weight in zip(PARTS, weights)}


def make(reasons, threads):
    made = []
    for i in range(reasons):
        line = 1 + 7 * i
        first = max(1, line - 3)
        made.append({"reason": "division", "confidence": CONFIDENCE[i % 4], "share": round(0.5 / (i + 1), 4), "routine": HOSTILE[i % 7],
                     "file": "/src/" + HOSTILE[(i + 1) % 7], "line": line, "source": "x = 1", "sentence": HOSTILE[(i + 2) % 7],
                     "around": {"first": first, "lines": [f"{HOSTILE[n % 7]} ! {n}" for n in range(first, line + 4)]},
                     "helps": HOSTILE[(i + 3) % 7], "ask": HOSTILE[(i + 4) % 7],
                     "figures": {"cycles": 12.34 + i, "memory_bytes": 17.5e9, "divides": 2, "no_such_figure": 7}})
    if made:
        made[-1].update(line=0, file="", around=None, source=None, helps=None, ask=None, figures={})
    pieces = [[shares(thread + i) if i != thread else None for i in range(40)] for thread in range(threads)]
    timeline = {"piece_seconds": 0.02, "left_out": 3, "threads": [{**shares(thread), "pieces": pieces[thread]} for thread in range(threads)]}
    return {"command": HOSTILE[0] + TURNED, "seconds": 0.8, "user": 3.0, "system": 1.0, "idle": 0.2, "delayed": 0.5, "sampled": 3.0,
            "threads": threads, "processors": 2, "counted": True, "reasons": made, "unknown": HOSTILE[:2], "timeline": timeline}


def file_of(folder, tool, name, made):
    path = os.path.join(folder, name)
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = subprocess.run([tool, "--json", f"--show={path}.json", f"--html={path}.html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, universal_newlines=True, timeout=300)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"papi_why: {done}")
    return path, json.loads(done.stdout)


def text_of(page, selector):
    return page.evaluate(f"Array.from(document.querySelectorAll('{selector}'), e => e.textContent)")


def check_harmless(check, page):
    check.equal("complaints", page.complaints(), [])
    check.equal("what names made of themselves", page.evaluate("[document.hacked, document.querySelectorAll('img, b, script').length, "
                                                               "document.querySelectorAll('style').length]"), [None, 0, 1])


def check_reasons(check, page, made):
    reasons = made["reasons"]
    check.equal("heads", text_of(page, "section.reason h2"),
                [f"{i + 1}. {100 * r['share']:.0f} % of the time: division {r['confidence']}" for i, r in enumerate(reasons)])
    check.equal("sentences", text_of(page, "p.sentence"), [r["sentence"] + "." for r in reasons])
    check.equal("places", text_of(page, "p.place"), [f"{r['file']}:{r['line']}, in {r['routine']}" if r["line"] else "In " + r["routine"]
                                                     for r in reasons])
    check.equal("what helps", text_of(page, "p.helps"), [f"What helps: {r['helps']}." for r in reasons if r["helps"]])
    check.equal("commands", text_of(page, "p.ask code"), [r["ask"] for r in reasons if r["ask"]])
    rows = page.evaluate("Array.from(document.querySelectorAll('.source'), t => Array.from(t.rows, r => [r.className, +r.cells[0].textContent, "
                         "r.cells[1].textContent]))")
    expected = [[["here" if first + n == r["line"] else "", first + n, line] for n, line in enumerate(r["around"]["lines"])]
                for r in reasons if r["around"] for first in (r["around"]["first"],)]
    check.equal("source", rows, expected)
    figures = page.evaluate("Array.from(document.querySelectorAll('dl.figures'), d => Array.from(d.querySelectorAll('dd'), e => e.textContent))")
    check.equal("figures", figures, [[f"{r['figures']['cycles']:.1f}", "17.5", "2"] for r in reasons if r["figures"]])
    bars = page.evaluate("Array.from(document.querySelectorAll('.bar i'), i => i.getBoundingClientRect().width / i.parentNode.clientWidth)")
    check.close("bars", bars, [r["share"] for r in reasons], 0.01)


def check_run(check, page, made):
    check.equal("title", text_of(page, "h1"), ["Why is it slow? " + HOSTILE[0] + "<U+202E>evil"])
    check.equal("run", text_of(page, "#facts dd"), ["0.80 s", str(max(1, made["threads"])), "2", "60 %", "20 %", "20 %"])
    check.equal("busy", ["50 %" in words for words in text_of(page, "p.problem")], [True])
    check.equal("unknown", text_of(page, "#unknown li"), [words + "." for words in made["unknown"]])
    verdict = made["reasons"][0]["sentence"] + "." if made["reasons"] else "No reason was found: no line has a tenth of the time. " \
        "papi_profile " + HOSTILE[0] + "<U+202E>evil"
    check.equal("verdict", text_of(page, "#verdict"), [verdict])


def area(path):
    """Of each piece that a path draws, by its number: from where to where it goes up."""
    found = {}
    for piece in path.split("M")[1:]:
        x, rest = piece.split(" ", 1)
        low, rest = rest.split("V", 1)
        found[int(x) // 10] = (100 - float(low)) / 100, (100 - float(rest.split("h")[0])) / 100
    return found


def check_threads(check, page, made):
    threads = made["timeline"]["threads"]
    rows = page.evaluate("Array.from(document.querySelectorAll('#threads tbody tr'), r => Array.from(r.cells, c => c.textContent))")
    check.equal("table", rows, [[str(i + 1)] + [f"{100 * t[part]:.1f}" for part in PARTS] for i, t in enumerate(threads)])
    drawn = page.evaluate("Array.from(document.querySelectorAll('.thread svg'), s => Array.from(s.querySelectorAll('path'), p => "
                          "[p.getAttribute('class'), p.getAttribute('d')]))")
    check.equal("threads drawn", len(drawn), len(threads))
    for number, (paths, thread) in enumerate(zip(drawn, threads)):
        check.equal(f"parts of {number}", [name for name, _ in paths], PARTS[:3])
        for part, (_, path) in enumerate(paths):
            expected = {i: (sum(p[k] for k in PARTS[:part]), sum(p[k] for k in PARTS[:part + 1]))
                        for i, p in enumerate(thread["pieces"]) if p}
            found = area(path)
            check.equal(f"pieces of {number}", sorted(found), sorted(expected))
            check.close(f"{PARTS[part]} of {number}", [y for i in sorted(found) for y in found[i]],
                        [y for i in sorted(expected) for y in expected[i]], 0.02)
    if threads:
        check.equal("scale", text_of(page, ".scale span"), ["0 s", "0.8 s"])


def check_schemes(check, page, pictures, name):
    papers = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        found = page.evaluate("""Array.from(document.querySelectorAll('body, caption, th, td, p, dt, dd, li, summary, code, h2, h2 span'), e => {
            let paper = e;
            while (getComputedStyle(paper).backgroundColor === 'rgba(0, 0, 0, 0)' && paper.parentElement) paper = paper.parentElement;
            return [getComputedStyle(e).color, getComputedStyle(paper).backgroundColor]; })""")
        for ink, paper in sorted({tuple(pair) for pair in found}):
            low, high = sorted((browser.luminance(paper), browser.luminance(ink)))
            check.equal(f"{scheme}: contrast of {ink} on {paper}", (high + 0.05) / (low + 0.05) >= 4.5, True)
        papers.append(browser.luminance(page.evaluate("getComputedStyle(document.body).backgroundColor")))
        if pictures:
            page.screenshot(os.path.join(pictures, f"{name}-{scheme}.png"))
    check.equal("the schemes differ", papers[0] > papers[1], True)


def check_narrow(check, chromium, path, pictures):
    page = browser.Page(chromium, path + ".html", width=400)
    check.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    if pictures:
        page.screenshot(os.path.join(pictures, f"{check.name}-phone.png"))
    page.close()
    # Paper of 190 mm, at 96 dots for each inch, does not scroll.
    page = browser.Page(chromium, path + ".html", width=718)
    page.call("Emulation.setEmulatedMedia", media="print")
    wide = page.evaluate("Array.from(document.querySelectorAll('th, td, svg, p, dd, h2'), e => e.getBoundingClientRect().right).filter(x => x > 718.5)")
    check.equal("beyond the paper", wide, [])
    page.close()


def check_page(check, chromium, path, made, pictures):
    check.name = os.path.basename(path)
    page = browser.Page(chromium, path + ".html")
    check_harmless(check, page)
    check_run(check, page, made)
    check_reasons(check, page, made)
    check_threads(check, page, made)
    check_schemes(check, page, pictures, check.name)
    page.close()
    check_narrow(check, chromium, path, pictures)


def main():
    chromium = browser.find()
    if chromium is None:
        print("SKIP: there is no Chromium here")
        return 77
    tool, pictures, check = sys.argv[1], (sys.argv[2:] or [None])[0], browser.Checks()
    with tempfile.TemporaryDirectory() as folder, browser.Browser(chromium, SECONDS) as running:
        for reasons, threads in ((7, 2), (1, 20), (0, 0)):
            made = make(reasons, threads)
            path, shown = file_of(folder, tool, f"reasons{reasons}", made)
            check.equal("shown as JSON", shown, made)
            check_page(check, running, path, made, pictures)
    return check.summary()


sys.exit(main())
