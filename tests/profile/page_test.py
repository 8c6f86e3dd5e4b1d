#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py PAPI_PROFILE [DIRECTORY]: opens pages of made profiles in Chromium, one of them with 10,000 lines of source and
names that read like markup, and compares what is there with sums of its own. DIRECTORY gets screenshots. Status: 0, 1, 77."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402 pylint: disable=import-error,wrong-import-position

SECONDS = 300
HOSTILE = ['</script><script>document.hacked=1</script>', '<img src=x onerror="document.hacked=1">', "\u202e]]><b>&amp;'\"`${1}",
           "__proto__", "constructor", "a\\u003cb", "{{7*7}}", "x" * 300, "module::routine", ";--"]


def make_profile(folder, lines):
    """A profile of hostile names with a file of so many lines, each of which has a sample."""
    source = os.path.join(folder, "<b>hostile & 'file'.f90")
    text = [f"  x({i}) = '</script><!-- {HOSTILE[i % len(HOSTILE)]}'" for i in range(1, lines + 1)]
    with open(source, "w", encoding="utf-8") as file:
        file.write("\n".join(text) + "\n")
    rng = random.Random(lines)
    strings = ["/home/<i>user</i>/a.out", source, "/no/such/file.f90", *HOSTILE]
    names = len(HOSTILE)
    routines = [[3 + i, 0, 1 if i % 3 else 2 if i == 0 else -1, i + 1] for i in range(names)]
    places, tree = [], []
    for i in range(lines):
        places.append([i % names, 1, i + 1] if i % names % 3 or i % names == 3 else [i % names, 2 if i % names == 0 else -1, 0])
        parent = rng.randrange(max(0, i - 30), i) if i % 7 and i else -1
        tree.append([parent, i, int(i % 11 == 0), rng.randrange(1000), rng.randrange(5)])
    made = {"format": "papi_profile", "version": 1, "command": [HOSTILE[0], "<u>"], "host": HOSTILE[1], "started": 1700000000, "seconds": 2.5,
            "ranks": 0, "lost": 3, "strings": strings, "lacking": [], "routines": routines, "places": places, "tree": tree,
            "events": [{"name": HOSTILE[1], "period": 1000, "clock": True, "exact": False, "samples": 12},
                       {"name": "emu::DP_OPS", "period": 0, "clock": False, "exact": True, "samples": 0}],
            "arithmetic": [[i, i % 2, (0, 128, 512)[i % 3]] for i in range(0, lines, 5) if i % 2 or i % 3],
            "processes": [{"pid": 1, "command": HOSTILE[2], "threads": 8}]}
    made.update(make_code(made))
    made.update(make_data(made))
    made.update(make_records(made))
    made.update(make_devices(made))
    return made, text


def make_code(made):
    """Instructions of the second routine, with hostile texts, whose last branch closes a loop of the last three."""
    own = [i for i, place in enumerate(made["places"]) if place[0] == 1][:8]
    rows = [[4096 + 4 * i, place, 3 + i % len(HOSTILE), 0, 0, 10 * (i + 1), 0, i, 2 * i] for i, place in enumerate(own)]
    if len(rows) > 3:
        rows[-1][3:5] = [1, rows[-3][0]]
        rows[-1][6] = 15
    return {"listings": [{"routine": 1, "object": 0, "counted": True, "rows": rows}] if rows else []}


def make_data(made):
    """A variable of hostile name, two allocations and a stack, with counts and samples at the first lines."""
    n = min(len(made["places"]), 30)
    own = [i for i in range(n) if made["places"][i][1] == 1 and made["places"][i][2] > 0]
    rng = random.Random(n)
    uses = [[d, place, 100 * (d + 1), *(rng.randrange(1000) for _ in range(3)), 8, 90, 99, 6400, 800 * (d + 1)] for d in range(3) for place in own[d:d + 3]]
    samples = [[d, place, 0, level, 1, 4 + 100 * d + level, 5 + d] for d in range(3) for place in own[d:d + 3] for level in (1, 4, 7)]
    return {"data": [[1, 4, 0, -1, 8000, 0], [2, -1, -1, own[0], 800, 2], [3, -1, -1, -1, 0, 0], [2, -1, -1, own[1], 80, 1]] if own else [],
            "data_uses": uses, "data_samples": samples + [[3, own[0], 1, 1, 1, -1, 3]] if own else []}


def make_records(made):
    """Branches, a loop and a shared line, at the first lines of hostile routines."""
    if len(made["places"]) < 3 or not made["data"]:
        return {}
    return {"branch_sums": {"stacks": 100, "taken": 1000, "told": 995, "mispredicted": 100, "mispredicted_stacks": 36, "broken": 0},
            "branches": [[16, 8, 1, 0, 0, 1, 900, 100, 900, 90, 900, 2700], [32, 8, 2, 1, 0, 4, 95, 9, 95, 10, 0, 0]],
            "branch_loops": [[8, 0, 0, 16, 1, 1000, 100, 64], [4, 0, 1, 6, 2, 50, 9, 9]],
            "line_bytes": 64, "lines": [[4096, 0]],
            "line_uses": [[0, 5, 0, 1, 0, 0, 8, 0, 1, 30, 900, 27000.0], [0, 5, 0, 1, 0, 0, 8, 0, 0, 4, 0, 0], [0, 5, 0, 1, 0, 0, 8, 1, 0, 2, 0, 0],
                          [0, 6, 0, 2, 8, 8, 0, 1, 0, 3, 0, 0]]}


def make_devices(made):
    """Kernels of hostile names below the first lines, a copy, and one that nobody saw launched, as a third event."""
    kernel, other = len(made["routines"]), len(made["places"])
    first = len(made["strings"])
    made["strings"] += ["[device 0: <b>A</b>]", "(launched by a call that was not seen)", "<i>kernel</i>", "</script>copy"]
    made["routines"] += [[first + 2, first, -1, 0], [first + 3, first, -1, 0], [first + 1, first, -1, 0]]
    made["places"] += [[kernel, -1, 0], [kernel + 1, -1, 0], [kernel + 2, -1, 0]]
    for row in made["tree"] + [row for piece in made["listings"] for row in piece["rows"]]:
        row.append(0)
    made["events"].append({"name": "device time", "period": 1, "clock": True, "exact": True, "samples": 0})
    n = len(made["tree"])
    made["tree"] += [[1, other, 0, 0, 0, 7000], [2, other, 0, 0, 0, 1500], [1, other + 1, 0, 0, 0, 2000], [-1, other + 2, 0, 0, 0, 0],
                     [n + 3, other, 0, 0, 0, 500], [1, other, 0, 0, 0, 3000]]
    work = [[n, 0, 2, 3000, 4000, 0], [n + 1, 0, 3, 400, 600, 0], [n + 2, 1, 1, 2000, 2000, 8000], [n + 4, 0, 1, 500, 500, 0], [n + 5, 0, 1, 3000, 3000, 0]]
    return {"devices": {"processes": 1, "unended": 0, "dropped": 0, "unfinished": 0, "reason": None}, "device_work": work}


def sums_by(made, key_of):
    """{key: [self, total]} of each event; a key that comes again above counts once."""
    tree, events = made["tree"], len(made["events"])
    total = [list(row[3:]) for row in tree]
    for i in range(len(tree) - 1, -1, -1):
        if tree[i][0] >= 0:
            total[tree[i][0]] = [a + b for a, b in zip(total[tree[i][0]], total[i])]
    found = {}
    for i, row in enumerate(tree):
        key = key_of(row[1])
        if key is None:
            continue
        one = found.setdefault(key, [[0] * events, [0] * events])
        one[0] = [a + b for a, b in zip(one[0], row[3:])]
        above = row[0]
        while above >= 0 and key_of(tree[above][1]) != key:
            above = tree[above][0]
        if above < 0:
            one[1] = [a + b for a, b in zip(one[1], total[i])]
    return found


def percents(made, found, event):
    """[(self, total, name)] as the page has them, with most of the event first."""
    whole = sum(row[3 + event] for row in made["tree"])
    rows = [(own[event], all_[event], key) for key, (own, all_) in found.items() if any(all_)]
    return sorted(((f"{100 * own / whole:.2f} %", f"{100 * total / whole:.2f} %", key) for own, total, key in rows),
                  key=lambda row: row[2])


def cells(page, table):
    return page.evaluate(f"Array.from(document.querySelectorAll('{table} tbody tr'), r => Array.from(r.children, c => c.textContent))")


def page_of(folder, tool, name, made):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(made, file)
    done = subprocess.run([tool, "--show=" + path, "--sources=" + folder, "-x", "html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          universal_newlines=True, timeout=300)
    if done.returncode != 0 or done.stdout or done.stderr:
        raise SystemExit(f"papi_profile: {done}")
    return path[:-5] + ".html"


def check_tables(check, page, made, event):
    names = made["strings"]
    routines = sums_by(made, lambda place: made["places"][place][0])
    expected = percents(made, {names[made["routines"][r][0]]: v for r, v in routines.items()}, event)
    check.equal(f"routines by event {event}", sorted((tuple(row[:3]) for row in cells(page, "#routines")), key=lambda row: row[2]), expected)
    lines = sums_by(made, lambda place: made["places"][place][2] or None)
    file = os.path.basename(names[1])
    expected = percents(made, {f"{file}:{line}": v for line, v in lines.items()}, event)
    check.equal(f"lines by event {event}", sorted((tuple(row[:3]) for row in cells(page, "#lines")), key=lambda row: row[2]), expected)


def check_flame(check, page):
    def frames():
        return page.evaluate("Array.from(document.querySelectorAll('#calls button'), b => [b.textContent, parseFloat(b.style.left), "
                             "parseFloat(b.style.width), parseFloat(b.style.top)])")
    first = frames()
    check.equal("the whole", first[0], ["all", 0, 100, 0])
    check.equal("frames inside of the whole", [f for f in first if f[1] < -1e-3 or f[1] + f[2] > 100 + 1e-3], [])
    rows = {}
    for _, left, width, top in first:
        rows.setdefault(top, []).append((left, width))
    overlaps = [row for row in rows.values() for a, b in zip(sorted(row), sorted(row)[1:]) if a[0] + a[1] > b[0] + 1e-3]
    check.equal("frames over others", overlaps, [])
    check.equal("rows of calls", len(rows) > 2, True)
    page.evaluate("document.querySelectorAll('#calls button')[1].click()")
    zoomed = frames()
    check.equal("a call that was chosen fills the width", (zoomed[1][0], zoomed[1][2]), (first[1][0], 100))
    page.evaluate("document.getElementById('back').click()")
    check.equal("all again", frames(), first)


def check_search(check, page):
    def search(words):
        page.evaluate(f"(e => {{ e.value = {json.dumps(words)}; e.dispatchEvent(new Event('input')); }})(document.getElementById('search'))")
    search("MODULE::")
    check.equal("routines found", [row[2] for row in cells(page, "#routines")], ["module::routine"])
    check.equal("frames found", page.evaluate("new Set(Array.from(document.querySelectorAll('#calls .hit'), e => e.textContent)).size"), 1)
    search("no such words")
    check.equal("nothing found", (cells(page, "#routines"), cells(page, "#lines")), ([], []))
    search("")


def check_source(check, page, made, text):
    check.equal("the source", page.evaluate("Array.from(document.querySelectorAll('#text td.code'), e => e.textContent)"),
                text)
    own = sums_by(made, lambda place: made["places"][place][2] or None)
    whole = sum(row[3] for row in made["tree"])
    shown = page.evaluate("Array.from(document.querySelectorAll('#text tbody tr'), r => r.children[1].textContent)")
    expected = [f"{100 * own[i][0][0] / whole:.2f} %" if i in own and own[i][0][0] else "" for i in range(1, len(text) + 1)]
    check.equal("each line's share", shown, expected)
    rows = {made["places"][i][2]: (scalar, bits) for i, scalar, bits in made["arithmetic"]}
    words = {(1, 0): "scalar", (0, 128): "vector 128", (1, 128): "both 128", (0, 512): "vector 512", (1, 512): "both 512"}
    shown = page.evaluate("Array.from(document.querySelectorAll('#text td.kind'), e => e.textContent)")
    check.equal("what lines calculate on", shown, [words.get(rows.get(i), "") for i in range(1, len(text) + 1)])
    page.evaluate("document.querySelectorAll('#lines tbody button')[0].click()")
    chosen = page.evaluate("document.querySelector('#text tr.chosen').dataset.line")
    check.equal("the line that was chosen", os.path.basename(made["strings"][1]) + ":" + chosen, cells(page, "#lines")[0][2])


def check_code(check, page, made):
    rows = made["listings"][0]["rows"]
    whole = sum(row[3] for row in made["tree"])
    shown = cells(page, "#codetext")
    expected = [[f"{100 * row[7] / whole:.2f} %" if row[7] else "", f"{row[5]:,}" if row[5] else "", f"{row[0]:x}",
                 str(made["places"][row[1]][2] or ""), ("\u2502 " if i >= len(rows) - 3 else "") + made["strings"][row[2]]] for i, row in enumerate(rows)]
    check.equal("instructions", shown, expected)
    loop = cells(page, "#loops")
    runs = rows[-3][5]
    check.equal("the loop", [row[2:4] for row in loop], [[f"{runs - 15:,}", f"{runs / (runs - 15):.1f}"]])
    page.evaluate("document.querySelectorAll('#codetext td.number button')[0].click()")
    chosen = page.evaluate("Array.from(document.querySelectorAll('#codesource tr.chosen'), r => r.children[0].textContent)")
    check.equal("the line of an instruction that was chosen", chosen, [shown[0][3]])


def check_data(check, page, made, text):
    """Shares, their errors and levels by sums of this test's own."""
    def where(place):
        return f"{os.path.basename(made['strings'][1])}:{made['places'][place][2]}"

    def name(datum):
        kind, own, _, place = made["data"][datum][:4]
        return (None, made["strings"][own], f"allocated at {where(place)}: {text[made['places'][place][2] - 1].strip()}", "(stacks)")[kind]

    def most(rows, amount):
        best = max(amount(row) for row in rows)
        return next(where(row[1]) for row in rows if amount(row) == best)
    costs = {d: [row for row in made["data_uses"] if row[0] == d] for d in range(3)}

    def cost(rows):
        return sum(c * row[3 + level] for row in rows for level, c in enumerate((10, 30, 150)))
    whole = cost(made["data_uses"])
    expected = []
    for d, rows in costs.items():
        misses = [f"{100 * sum(r[k] for r in rows) / sum(r[k] for r in made['data_uses']):.2f} %" for k in (3, 4, 5)]
        expected.append((-cost(rows), [f"{100 * cost(rows) / whole:.2f} %", *misses, f"{sum(r[2] for r in rows):,}", f"{100 * 800 * (d + 1) / 6400:.1f} %",
                                       most(rows, lambda row: cost([row])), name(d)]))
    tables = page.evaluate("Array.from(document.querySelectorAll('#data tbody'), b => Array.from(b.rows, r => Array.from(r.children, c => c.textContent)))")
    check.equal("counted data", tables[0], [row for _, row in sorted(expected)])
    loads = {d: [row for row in made["data_samples"] if row[0] == d and not row[2]] for d in range(4)}
    wait, squares = (sum(row[5] ** power * row[6] for rows in loads.values() for row in rows) for power in (1, 2))
    expected = []
    for d, rows in loads.items():
        n = sum(row[6] for row in rows)
        own, own_squares = (sum(row[5] ** power * row[6] for row in rows) for power in (1, 2))
        p = own / wait
        error = 1.96 * ((1 - p) ** 2 * own_squares + p ** 2 * (squares - own_squares)) ** 0.5 / wait
        timed = sorted(row[5] for row in rows for _ in range(row[6]))
        levels = [f"{100 * sum(row[6] for row in rows if row[3] == level) / n:.0f} %" if n else "-" for level in (1, 4, 7)]
        by_place = {}
        for row in rows:
            by_place[row[1]] = by_place.get(row[1], 0) + row[5] * row[6]
        top = [where(place) for place, value in by_place.items() if value == max(by_place.values())]
        expected.append((-own, [f"{100 * p:.1f} %", f"{100 * error:.1f} %" if n >= 10 else "few", str(n), "0" if n else "3", *levels,
                                *([str(timed[n // 2]), f"{own / n:.0f}"] if n else "--"), top[0] if top else "", name(d)]))
    check.equal("sampled data", tables[1], [row for _, row in sorted(expected)])
    captions = page.evaluate("Array.from(document.querySelectorAll('#data caption'), c => c.textContent)")
    total = sum(row[6] for rows in loads.values() for row in rows)
    check.equal("captions", captions, ["3 of 3: misses of simulated caches, counted", f"4 of 4: {total} loads that the processor sampled: "
                                       + ("a share is off by no more than \u00b1 in 19 of 20 runs; latencies in cycles" if total >= 100 else "too few for shares")])
    page.evaluate("document.querySelector('#data tbody button').click()")
    check.equal("the line that was chosen", os.path.basename(made["strings"][1]) + ":" + page.evaluate("document.querySelector('#text tr.chosen').dataset.line"),
                tables[0][0][6])


def check_records(check, page, made):
    """As the tool's text has them; a search leaves out what it does not find."""
    def where(i):
        routine, file, line = made["places"][i]
        return f"{os.path.basename(made['strings'][file])}:{line}" if line and file >= 0 else made["strings"][made["routines"][routine][0]]

    def routine(i):
        return made["strings"][made["routines"][made["places"][i][0]][0]]
    tables = page.evaluate("Array.from(document.querySelectorAll('#branches tbody'), b => Array.from(b.rows, r => Array.from(r.children, c => c.textContent)))")
    check.equal("branches", tables[0], [["90.0 %", "9.8 %", "10.0 %", "5.9 %", "90.0 %", "3.0", where(1), where(0), routine(1)],
                                        ["10.0 %", "9.8 %", "few", "-", "9.5 %", "-", where(2), where(1), routine(2)]])
    check.equal("iterations", tables[1], [["1,000", "100", "10.0", "2.5", where(0), where(1), routine(0)], ["50", "9", "few", "-", where(1), where(2), routine(1)]])
    check.equal("shared lines", cells(page, "#shared"), [["30", "34", "2", "0x1000", "1", "5", "0-7", where(1), made["strings"][4]],
                                                         ["0", "0", "3", "0x1000", "1", "6", "8-?", where(2), made["strings"][4]]])


def check_devices(check, page, made):
    name, copy, device = "<i>kernel</i>", "</script>copy", "[device 0: <b>A</b>]"

    def where(node):
        routine, file, line = made["places"][made["tree"][node][1]]
        return f"{os.path.basename(made['strings'][file])}:{line}" if line and file >= 0 else made["strings"][made["routines"][routine][0]]
    expected = [["71.43 %", "10.00 \u00b5s", "3", "3.333 \u00b5s", "3.000 \u00b5s", "4.000 \u00b5s", "", "", where(1), name, device],
                ["14.29 %", "2.000 \u00b5s", "1", "2.000 \u00b5s", "2.000 \u00b5s", "2.000 \u00b5s", "8,000", "4.000", where(1), copy, device],
                ["10.71 %", "1.500 \u00b5s", "3", "500.0 ns", "400.0 ns", "600.0 ns", "", "", where(2), name, device],
                ["3.57 %", "500.0 ns", "1", "500.0 ns", "500.0 ns", "500.0 ns", "", "", "not seen", name, device]]
    check.equal("devices", cells(page, "#devices"), expected)


def check_schemes(check, page, pictures, name):
    papers = []
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        paper, *inks = page.evaluate("[getComputedStyle(document.body).backgroundColor].concat(['body', 'caption', 'dt'].map("
                                     "s => getComputedStyle(document.querySelector(s)).color))")
        frames = page.evaluate("Array.from(document.querySelectorAll('#calls button')).slice(0, 40).map(e => getComputedStyle(e))"
                               ".map(s => [s.backgroundColor, s.color])")
        for one, other in [(paper, ink) for ink in inks] + frames:
            low, high = sorted((browser.luminance(one), browser.luminance(other)))
            check.equal(f"{scheme}: contrast of {other} on {one}", (high + 0.05) / (low + 0.05) >= 4.5, True)
        papers.append(browser.luminance(paper))
        if pictures:
            page.screenshot(os.path.join(pictures, f"{name}-{scheme}.png"))
    check.equal("the schemes differ", papers[0] > papers[1], True)


def check_made(check, chromium, tool, folder, lines, pictures):
    check.name = f"{lines} lines"
    made, text = make_profile(folder, lines)
    path = page_of(folder, tool, f"made{lines}", made)
    page = browser.Page(chromium, path)
    check.equal("complaints", page.complaints(), [])
    check.equal("what names made of themselves", page.evaluate("[document.hacked, document.querySelectorAll('main img, main b, main i, "
                                                               "main script, header img, header u').length]"), [None, 0])
    check.equal("events, with the unit of a clock", page.evaluate("Array.from(document.querySelectorAll('#event option'), e => e.textContent."
                "replace(/^.*: /, ''))"), [f"{sum(row[3] for row in made['tree']):,} ns, by 12 samples, one each 1,000 ns",
                                                     f"{sum(row[4] for row in made['tree']):,}, counted exactly",
                                                     "14,000 ns, counted exactly"])
    check.equal("title", page.evaluate("document.getElementById('title').textContent"), "script><script>document.hacked=1</script>".split("/")[-1])
    for event in (0, 1, 2):
        page.evaluate(f"(e => {{ e.value = '{event}'; e.dispatchEvent(new Event('change')); }})(document.getElementById('event'))")
        check_tables(check, page, made, event)
    page.evaluate("(e => { e.value = '0'; e.dispatchEvent(new Event('change')); })(document.getElementById('event'))")
    check_flame(check, page)
    check_search(check, page)
    check_source(check, page, made, text)
    check_code(check, page, made)
    check_data(check, page, made, text)
    check_records(check, page, made)
    check_devices(check, page, made)
    check_schemes(check, page, pictures, f"made{lines}")
    check.equal("complaints in the end", page.complaints(), [])
    page.close()
    page = browser.Page(chromium, path, width=400)
    check.equal("the width on a phone", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    page.close()


def check_empty(check, chromium, tool, folder):
    check.name = "empty"
    made, _ = make_profile(folder, 12)
    made.update(tree=[], places=[], arithmetic=[], listings=[], data=[], data_uses=[], data_samples=[], device_work=[],
                branches=[], branch_loops=[], lines=[], line_uses=[])
    page = browser.Page(chromium, page_of(folder, tool, "empty", made))
    check.equal("complaints", page.complaints(), [])
    check.equal("what is said", page.evaluate("document.getElementById('verdict').textContent.includes('Nothing was found')"), True)
    page.close()


def check_notes(check, chromium, tool, folder):
    """What is missing stands first, with what to compile with; hostile names are text there."""
    check.name = "notes"
    made, _ = make_profile(folder, 12)
    made["strings"] += ["/home/user/<b>lib\u202e.so", "/usr/lib/libc.so.6"]
    last = len(made["strings"])
    for i, routine in enumerate(made["routines"]):
        routine[1] = (0, last - 2, last - 1)[i % 3]
    made.update(lacking=[[0, 1, 0], [last - 2, 1, 1], [last - 1, 1, 1]], throttled=7)
    page = browser.Page(chromium, page_of(folder, tool, "notes", made))
    own = sums_by(made, lambda place: made["routines"][made["places"][place][0]][1])
    whole = sum(row[3] for row in made["tree"])
    share = {key: 100 * value[0][0] / whole for key, value in own.items()}
    lines = page.evaluate("document.getElementById('verdict').textContent.trim().split('\\n')")
    check.equal("the most", " % of " in lines[0], True)
    check.equal("samples", [line.partition(",")[0] for line in lines[1:3]], ["3 samples were lost", "The kernel stopped sampling 7 times for a moment"])
    check.equal("devices", lines[3].startswith("The time of devices is the sum of their kernels and copies"), True)
    check.equal("lines", lines[4:], [f"{share[0]:.0f} % is in a.out, which has no lines: compile it with -g beside the options that it has (-O2 -g): the code stays the same.",
                                     f"{share[last - 2]:.0f} % is in <b>lib<U+202E>.so, which has neither routines' names nor lines: compile it with -g, and do not strip it (strip, -s)."])
    check.equal("complaints", page.complaints(), [])
    page.close()


def main():
    chromium = browser.find()
    if chromium is None:
        print("SKIP: there is no Chromium here")
        return 77
    tool, pictures, check = sys.argv[1], (sys.argv[2:] or [None])[0], browser.Checks()
    with tempfile.TemporaryDirectory() as folder, browser.Browser(chromium, SECONDS) as running:
        for lines in (40, 3000):
            check_made(check, running, tool, folder, lines, pictures)
        check_empty(check, running, tool, folder)
        check_notes(check, running, tool, folder)
    return check.summary()


sys.exit(main())
