#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py MAKE_PAGES [DIRECTORY]: opens the page of each job that MAKE_PAGES writes in Chromium and
compares what is there with the job's JSON. DIRECTORY gets screenshots."""
import decimal
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402 pylint: disable=wrong-import-position


SECONDS = 240
NAMES = ("two", "single", "thin", "nodes", "no-rows", "recovered", "regions", "no-counters", "nothing")
STEPS, MOST_BARS, BINS, FEW = 9, 740, 24, 16


class Job:
    """What the page should show, worked out from the JSON by itself."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.result = json.load(file)
        self.rows, self.job = self.result["rows"], self.result["job"]
        self.metrics = {metric["key"]: metric for metric in self.result["metrics"]}

    def values(self, key):
        place = self.result["row_values"].index(key)
        return [row["values"][place] for row in self.rows]

    def shown(self):
        """The metrics of the table: all but the nodes' that any rank has."""
        return [m for m in self.result["metrics"] if m["count"] > 0 and not m["key"].startswith("node_")]

    def differing(self):
        return [m for m in self.shown() if m["smallest"][0][0] != m["largest"][0][0]]

    def all_values(self, metric):
        if self.rows and len(self.rows) == metric["count"]:
            if None in self.values(metric["key"]):  # what the matrix knows and no rank does: few ranks are all named
                return sorted({tuple(pair) for pair in metric["smallest"] + metric["largest"]})
            return sorted(zip(self.values(metric["key"]), (row["rank"] for row in self.rows)))
        return None

    def outliers(self, metric):
        pairs = self.all_values(metric)
        values = [value for value, _ in pairs] if pairs else None
        p25, p50, p75 = (quantile(values, metric, part) for part in (0.25, 0.5, 0.75))
        trifle = 100 if metric["unit"] == "" and not metric["key"].startswith(("counter.", "outside_mpi.")) else 0
        fence = max(5 * max((p75 - p25) / 1.349, p50 * (0.02 if pairs else 0.07)), trifle)
        known = pairs or {tuple(pair) for pair in metric["smallest"] + metric["largest"]}
        return sorted(rank for value, rank in known if abs(value - p50) > fence) if metric["count"] > 2 else []


def quantile(values, metric, part):
    if values is None:  # any value of the bucket that has it: the fixtures do not hang on where in it
        left = part * metric["count"]
        for start, ranks in metric["buckets"]:
            if left <= ranks:
                width = 1 if start < 8 else 2 ** (start.bit_length() - 3)
                return min(max(start + width * left / ranks, metric["smallest"][0][0]), metric["largest"][0][0])
            left -= ranks
    place = part * (len(values) - 1)
    low = math.floor(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def fixed(value, decimals):
    """What is in the very middle goes up, as the browser has it."""
    return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-decimals), decimal.ROUND_HALF_UP))


def digits(value, unit):
    decimals = 3 if value < 9.9995 else 2 if value < 99.995 else 1 if value < 999.95 else 0
    return f"{fixed(value, decimals)} {unit}".strip()


def prefixed(value, unit):
    for prefix in ("", "k", "M", "G", "T", "P", "E"):
        if value < 999.95:
            break
        value /= 1000
    return f"{value:.0f} {unit}".strip() if prefix == "" and value == int(value) else digits(value, prefix + unit)


def figure(value, unit):
    if value == 0:
        return "0"
    if unit == "ns":
        for name in ("ns", "us", "ms", "s"):
            if value < 999.95 or name == "s":
                break
            value /= 1000
        return f"{value:.0f} ns" if name == "ns" else digits(value, "s") if name == "s" and value < 9999.5 \
            else prefixed(value / 3600, "h") if name == "s" else digits(value, name)
    if unit == "1/ks":
        return prefixed(value / 1000, "/s")
    if unit or value >= 1e6:
        return prefixed(value, unit)
    return f"{value:.0f}" if value == int(value) else fixed(value, 1)


def percent(value):
    if 0 < value < 0.1:
        return "<0.1 %"
    if 99.9 < value < 100:
        return ">99.9 %"
    return f"{value:.0f} %" if value == int(value) or value >= 999 else f"{fixed(value, 1)} %"


def texts(page, selector):
    return page.evaluate(f"Array.from(document.querySelectorAll({json.dumps(selector)}), e => e.textContent)")


def count(page, selector):
    return page.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")


def numbers(page, selector, attribute):
    return page.evaluate(f"Array.from(document.querySelectorAll({json.dumps(selector)}), "
                         f"e => Number(e.getAttribute({json.dumps(attribute)})))")


def check_head(check, page, job, sentence):
    program = job.job["program"]
    check.equal("title", texts(page, "#title"), [program.rsplit("/", 1)[1]])
    check.equal("verdict", texts(page, "#verdict"), [sentence])
    check.equal("what names made of themselves", [page.evaluate("document.hacked"),
                count(page, "main img, main script, main b, header img, header script")], [None, 0])
    check.equal("facts", texts(page, "#facts dd")[:1], [job.job["command"]])


def check_efficiency(check, page, job):
    found = page.evaluate("Array.from(document.querySelectorAll('#efficiency .efficiency'), e => [e.dataset.key, "
                          "e.querySelector('data').value, e.querySelector('data').textContent, e.className, "
                          "e.querySelector('.grade').textContent.includes('below 0.80')])")
    measured = {key for key, value in job.result["efficiency"].items() if value is not None}
    alike = {"in_nodes", "across_nodes"} if job.job["nodes"] == 1 else set()
    check.equal("efficiencies", sorted(key for key, *_ in found), sorted(measured - alike))
    said = texts(page, "#efficiency .note")
    spawns = any(call["name"] == "MPI_Comm_spawn" for call in job.result["calls"])
    check.equal("what was not measured is one line", (len(said), "PAPI_MPI_PATH=1" in said[0] or "No rank has a time" in said[0]),
                (1, "transfer" not in measured and not spawns))
    check.equal("other jobs are said", "goes through other jobs (MPI_Comm_spawn)" in said[0], spawns)
    for key, value, shown, style, low in found:
        expected = job.result["efficiency"][key]
        check.equal(key, (float(value), shown), (expected, f"{expected:.3f}"))
        check.equal(f"{key} marked", (low, " low" in style), (expected < 0.8, expected < 0.8))


def check_order(check, page, job):
    """After the verdict the places, what the figures are worth, then tables; the plots of each figure come last."""
    order = page.evaluate("Array.from(document.querySelectorAll('main section:not([hidden])'), s => s.id)")
    wanted = ["places", "quality", "efficiency", "calls", "communicators", "sites", "regions", *(["region"] if job.result["regions"] else []),
              *(["devices"] if "devices" in job.result else []), "metrics",
              "ranks", "course", "timeline", "nodes", "matrix", "sizes", "histograms"]
    check.equal("sections", order, wanted)
    folded = page.evaluate("Array.from(document.querySelectorAll('details.folded:not([open])'), d => d.closest('section').id)")
    empty = page.evaluate("Array.from(document.querySelectorAll('main section:not([hidden])')).filter("
                          "s => !s.querySelector('tbody tr, svg, ol, .quality, #efficiency .note')).map(s => s.id)")
    one = ["nodes"] if job.job["nodes"] == 1 and "nodes" not in empty else []
    check.equal("folded", sorted(folded), sorted([s for s in empty if s not in ("places", "efficiency", "region")] + one))
    # On paper there is nothing to click; from here on all is open here, too.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    check.equal("folded on paper", count(page, "details:not([open])"), 0)
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    check.equal("folded afterwards", count(page, "details.folded:not([open])"), len(folded))
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")


def check_usable(check, page, devices, table):
    """Each device has its energy; the sum is said, with why it is not that of all, and the devices that nobody uses."""
    usable = devices["usable"]
    energy = {one["address"]: one.get("energy_uj") for one in usable["list"]}
    check.equal("energy of devices", [row[8] for row in table], [figure(energy[one["address"]] / 1e6, "J") for one in devices["list"]])
    energy, unused = page.evaluate("Array.from(document.querySelectorAll('#devices .note'), e => e.textContent)")[1:3]
    check.equal("energy of all", f"Energy of {usable['energy_devices']} devices from MPI_Init to MPI_Finalize: {figure(usable['energy_uj'] / 1e6, 'J')}," in energy, True)
    check.equal("its reason", f"not known: {usable['reason']}." in energy, usable["energy_devices"] < usable["usable_devices"])
    names = ", ".join(f"{one['name']} {one['address']} of node {one['node']}" for one in usable["list"] if one["used"] is False)
    check.equal("unused devices", unused, f"Used by no rank that may use them: {names}.")


def check_devices(check, page, job):
    """The table has each device and the regions whose efficiencies are known."""
    devices = job.result.get("devices")
    tables = page.evaluate("Array.from(document.querySelectorAll('#devices table'), t => Array.from(t.tBodies[0].rows, "
                           "r => Array.from(r.cells, c => c.textContent)))")
    if devices is None:
        check.equal("no devices", tables, [])
        return
    wanted = [[one["name"], one["address"], str(one["node"]), str(one["rank"]) + (f" and {one['ranks'] - 1} more" if one["ranks"] > 1 else ""),
               figure(one["kernel_ns"], "ns")] for one in devices["list"]]
    check.equal("devices", [row[:5] for row in tables[0]], wanted)
    regions = [(one["name"], one["devices"]) for one in job.result["regions"] if one["devices"]["efficiency"]["parallel"] is not None]
    wanted = [[name, *(f"{one['efficiency'][key]:.3f}" for key in ("parallel", "load_balance", "communication", "orchestration", "offload")),
               figure(one["device_kernel_ns"], "ns"), figure(one["device_copy_ns"], "ns")] for name, one in regions]
    check.equal("regions with devices", tables[1:], [wanted] if wanted else [])
    check_usable(check, page, devices, tables[0])
    said = page.evaluate("document.querySelector('#devices .note').textContent")
    check.equal("their efficiency", f"parallel {devices['efficiency']['parallel']:.3f}, " in said, True)


def check_places(check, page, job):
    found = page.evaluate("Array.from(document.querySelectorAll('.places li'), e => [e.querySelector('.name').textContent, "
                          "e.querySelector('.where').textContent, e.querySelector('.cost').textContent, "
                          "parseFloat(e.querySelector('.bar span').style.width)])")
    wanted = []
    for place in job.result["places"]:
        name, where = place["region"], "region, outside MPI"
        if name is None:
            at = f"{place['file'].rsplit('/', 1)[-1]}:{place['line']}" if place["line"] > 0 else \
                f"{place['object'].rsplit('/', 1)[-1]}+{place['address']:#x}" if place["routine"] is None else ""
            name = f"{place['call']} {at}".strip()
            where = "no debug information: build it with -g" if place["routine"] is None else f"in {place['routine']}"
        several = job.job["threads"] > 1
        cost = figure(place["ns"], "ns") + " of all threads" if several else \
            f"{percent(100 * place['share'])} of the time, {figure(place['ns'], 'ns')}"
        wanted.append([name, where, cost])
    check.equal("places", [entry[:3] for entry in found], wanted)
    check.close("places' bars", [entry[3] for entry in found], [min(100, 100 * p["share"]) for p in job.result["places"]], 1e-3)
    check.equal("no places", count(page, "#places .missing"), 0 if wanted else 1)


REGION_TABLES = "Array.from(document.querySelectorAll('#region table'), t => [t.caption.textContent, " \
    "Array.from(t.tBodies[0].rows, r => Array.from(r.cells, c => c.textContent))])"


def check_region_calls(check, page, region, tables):
    """The MPI calls in a region; what of its time in MPI they are not is there, too."""
    calls = sorted(region["calls"], key=lambda c: (-c["ns"], -c["calls"]))
    wanted = [[c["name"], figure(c["ns"], "ns"), str(c["calls"]), f"{figure(c['most_ns'], 'ns')} @{c['most_rank']}"] for c in calls]
    rest = region["mpi_ns"] - sum(c["ns"] for c in calls)
    if rest > 0.01 * region["mpi_ns"]:
        wanted.append(["others, or not ended", figure(rest, "ns"), "n/a", "n/a"])
    found = tables.get("MPI calls in it, and in regions inside of it", [])
    check.equal("calls in the region", [[row[0], row[2], row[5], row[7]] for row in found], wanted)
    shares = [row[3] for row in found]
    check.equal("their shares", shares, [percent(100 * ns / region["mpi_ns"]) for ns in [c["ns"] for c in calls] + [rest][:len(wanted) - len(calls)]])


def check_region(check, page, job):
    """The region that is chosen: its efficiencies, and what each rank did in it, from the rows."""
    regions = sorted(job.result["regions"], key=lambda r: -r["ns"])
    if job.job["ranks"] > 1:
        check.equal("regions with efficiencies", texts(page, "#regions .frame:last-of-type tbody th"), [region["name"] for region in regions])
    check.equal("regions to choose", texts(page, "#region option"), [region["name"] for region in regions])
    for place in {0, len(regions) - 1} if regions else ():
        choose(page, "region", place)
        region, at = regions[place], job.result["regions"].index(regions[place])
        known = {key: value for key, value in (region.get("efficiency") or {}).items() if value is not None and not key.endswith("_nodes")}
        shown = page.evaluate("Array.from(document.querySelectorAll('#region .efficiency'), e => [e.dataset.key, "
                              "Number(e.querySelector('data').value)])")
        check.equal("efficiencies of the region", dict(shown), known)
        check.equal("its name on paper", texts(page, "#region h3"), [region["name"]])
        inside = [(row["rank"], *row["regions"][at]) for row in job.rows if row.get("regions") and row["regions"][at]]
        inside = sorted(inside, key=lambda r: (-max(0, r[2] - r[3]), r[0]))[:100]
        tables = dict(page.evaluate(REGION_TABLES))
        of_ranks = [rows for caption, rows in tables.items() if caption.startswith("Ranks")]
        check.equal("its ranks, and what they do in it", [[row[0], row[3]] for rows in of_ranks for row in rows],
                    [[str(rank), figure(max(0, ns - mpi), "ns")] for rank, _, ns, mpi, *_ in inside])
        check_region_calls(check, page, region, tables)


def check_ranks(check, page, job):
    if not job.rows:
        for section in ("ranks", "nodes"):
            check.equal(f"{section}: what is missing", (count(page, f"#{section} .missing"), count(page, f"#{section} svg")),
                        (1, 0))
        return
    size = math.ceil(len(job.rows) / MOST_BARS)
    groups = range(0, len(job.rows), size)
    useful, mpi = job.values("useful"), job.values("mpi")
    mean = [[sum(values[i:i + size]) / len(values[i:i + size]) for i in groups] for values in (useful, mpi)]
    heights = [numbers(page, f"#ranks svg rect.{kind}", "height") for kind in ("useful", "mpi")]
    scale = heights[0][0] / mean[0][0]
    for kind, found, expected in zip(("useful", "MPI"), heights, mean):
        check.close(f"bars of {kind} time", found, [value * scale for value in expected], 1e-6)
    check.equal("bars' ranges", count(page, "#ranks svg rect.range"), len(groups) if size > 1 else 0)
    check_cells(check, page, job, "useful")


def check_cells(check, page, job, key):
    values = job.values(key)
    low, high = min(values), max(values)
    by_node = sorted(range(len(values)), key=lambda i: (job.rows[i]["node"], i))
    step = [STEPS // 2 if low == high else min(STEPS - 1, int((values[i] - low) / (high - low) * STEPS)) for i in by_node]
    found = page.evaluate("Array.from(document.querySelectorAll('#nodes rect.cell'), "
                          "e => Number(e.getAttribute('class').replace('cell step', '')))")
    check.equal(f"cells, by {key}", found, step)
    corners = page.evaluate("new Set(Array.from(document.querySelectorAll('#nodes rect.cell'), "
                            "e => e.getAttribute('x') + ',' + e.getAttribute('y'))).size")
    check.equal("cells with a place of their own", corners, len(values))


def check_histograms(check, page, job):
    found = page.evaluate("""Array.from(document.querySelectorAll('figure.histogram'), e => ({key: e.dataset.key,
        dots: e.querySelectorAll('.dot').length, outliers: Array.from(e.querySelectorAll('.outlier title'),
        t => Number(t.textContent.match(/^rank (\\d+)/)[1])), bins: Array.from(e.querySelectorAll('.bin title'),
        t => Number(t.textContent.match(/: (\\d+) ranks?$/)[1]))}))""")
    check.equal("histograms", [f["key"] for f in found], [m["key"] for m in job.differing()])
    for metric, plot in zip(job.differing(), found):
        key, pairs = metric["key"], job.all_values(metric)
        check.equal(f"outliers of {key}", sorted(plot["outliers"]), job.outliers(metric))
        if pairs and len(pairs) <= FEW:
            check.equal(f"dots of {key}", (plot["dots"], plot["bins"]), (len(pairs), []))
            continue
        if pairs:
            low, high = pairs[0][0], pairs[-1][0]
            bins = [0] * BINS
            for value, _ in pairs:
                bins[min(BINS - 1, int((value - low) / ((high - low) / BINS)))] += 1
        else:
            bins = [ranks for _, ranks in metric["buckets"]]
        check.equal(f"bins of {key}", (plot["dots"], plot["bins"]), (0, [n for n in bins if n > 0]))
    check.equal("rows of the metrics' table", count(page, "#metrics tbody tr"), len(job.shown()))
    check_metrics(check, page, job)


def check_metrics(check, page, job):
    """Every figure of the table, as the text report writes it."""
    cells = page.evaluate("Array.from(document.querySelectorAll('#metrics tbody tr'), tr => "
                          "Array.from(tr.cells, cell => cell.textContent).slice(1, 8))")
    for metric, found in zip(job.shown(), cells):
        unit, pairs = metric["unit"], job.all_values(metric)
        values = [value for value, _ in pairs] if pairs else None
        quantiles = [quantile(values, metric, part) if values else metric[key]
                     for part, key in ((0.05, "p5"), (0.5, "p50"), (0.95, "p95"))]
        low, high = ([figure(value, unit) + f" @{rank}" for value, rank in metric[end][:1]]
                     for end in ("smallest", "largest"))
        imbalance = metric["imbalance"] * 100
        # Rates do not add up: the job's are of all bytes and the longest time.
        total = job.result["rates"].get(metric["key"], int(metric["sum"])) * (1000 if unit == "1/ks" else 1)
        check.equal(f"figures of {metric['key']}", found, ["n/a" if unit == "Hz" else figure(total, unit), *low,
                    *(figure(value, unit) for value in quantiles), *high, percent(imbalance)])


SENDS = {"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
RECEIVES = {"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}


def transfers(call, blocking):
    """True if a call's time is that of its bytes, which were all counted: it is one of these, or a collective one that blocks."""
    collective = call["class"] == "collective" and not re.match("MPI_I|MPI_Barrier$|.*_init$", call["name"])
    return call["uncounted"] == 0 and (collective or call["name"] in blocking)


def check_tables(check, page, job):
    calls = sorted(job.result["calls"], key=lambda c: (-c["ns"], -c["calls"]))
    check.equal("calls", texts(page, "#calls tbody th"), [call["name"] for call in calls])
    check.equal("calls: how often", [t for t in texts(page, "#calls tbody td:nth-child(6)") if t.isdigit()],
                [str(call["calls"]) for call in calls if call["calls"] < 1000000])
    check.equal("longest calls", [t.split("@")[1] for t in texts(page, "#calls tbody td:nth-child(12)")],
                [str(call["longest_rank"]) for call in calls])
    bars = page.evaluate("Array.from(document.querySelectorAll('#calls .bar .mpi'), e => parseFloat(e.style.width))")
    check.close("calls' bars", bars, [100 * call["ns"] / calls[0]["ns"] for call in calls], 1e-3)
    heads = texts(page, "#calls thead th")
    if calls:
        speeds = page.evaluate("Array.from(document.querySelectorAll('#calls tbody tr'), row => Array.from(row.cells, e => e.textContent).slice(8, 10))")
        check.equal("speeds", [heads[8:10], *speeds], [["sent per second", "received per second"]] + [
            [figure(call["bytes"] * 1e9 / call["ns"], "B/s") if transfers(call, SENDS) else "n/a",
             figure(call["received_bytes"] * 1e9 / call["ns"], "B/s")
             if transfers(call, RECEIVES) and "received_bytes" in call else "n/a"] for call in calls])
    timed = any("times" in call for call in calls)
    check.equal("times of calls", [head for head in heads if head.endswith(" took")], ["50 % took", "95 % took", "99 % took"] if timed else [])
    if timed:
        rows = page.evaluate("Array.from(document.querySelectorAll('#calls tbody tr'), row => Array.from(row.children, e => e.textContent))")
        shown = [[row[heads.index(f"{part} % took")] for part in (50, 95, 99)] for row in rows]
        check.equal("quantiles", shown, [["2.560 us – 3.072 us", "10.24 us – 12.00 us", "10.24 us – 12.00 us"] if "times" in call else [""] * 3
                                         for call in calls])
    regions = sorted(job.result["regions"], key=lambda region: -region["ns"])
    check.equal("regions", texts(page, "#regions .frame:first-of-type tbody th"), [region["name"] for region in regions])
    bars = page.evaluate("Array.from(document.querySelectorAll('#regions .bar .mpi'), e => parseFloat(e.style.width))")
    check.close("regions' bars", bars, [100 * r["mpi_ns"] / regions[0]["ns"] for r in regions], 1e-3)
    for section, rows in (("calls", calls), ("regions", regions)):
        check.equal(f"no {section}", count(page, f"#{section} .missing"), 0 if rows else 1)


def check_communicators(check, page, job):
    found = job.result.get("communicators", [])
    rows = [["<i>row", "MPI_Comm_split", "3", "2 – 4"], ["files", "", "", ""], ["MPI_COMM_WORLD", "", "1", "4"]] if found else []
    shown = page.evaluate("Array.from(document.querySelectorAll('#communicators tbody tr'), row => Array.from(row.cells, e => e.textContent))")
    check.equal("communicators", [row[:4] for row in shown], rows)
    check.equal("times on communicators", [row[5] for row in shown], [figure(one["ns"], "ns") for one in sorted(found, key=lambda one: -one["ns"])])
    check.equal("nobody asked for communicators", count(page, "#communicators .missing"), 0 if found else 1)


def check_sites(check, page, job):
    sites = sorted(job.result["sites"], key=lambda s: (-s["ns"], -s["calls"]))
    objects = [entry["path"].rsplit("/", 1)[-1] for entry in job.result["objects"]]
    places, routines = [], []
    for site in sites:
        frames = site["frames"]
        if frames:
            places.append(f"{frames[0]['file'].rsplit('/', 1)[-1]}:{frames[0]['line']}")
        else:
            places.append("in no file" if site["object"] < 0 else f"{objects[site['object']]}+{site['address']:#x}")
        routines.append(", ".join(frame["routine"] if i == 0 else f"in {frame['routine']} solve.f90:12"
                                  for i, frame in enumerate(frames)))
    check.equal("sites: calls", texts(page, "#sites tbody th"), [site["call"] for site in sites])
    check.equal("sites: lines", texts(page, "#sites tbody td:nth-child(2)"), places)
    check.equal("sites: routines", texts(page, "#sites tbody td:nth-child(3)"), routines)
    check.equal("sites: times", texts(page, "#sites tbody td:nth-child(5)"), [figure(site["ns"], "ns") for site in sites])
    check.equal("no sites", count(page, "#sites .missing"), 0 if sites else 1)
    check.equal("other sites", any("had no room" in t for t in texts(page, "#sites p")),
                job.result["other_sites"]["calls"] > 0)


def check_course(check, page, job):
    course = job.result["course"]
    elapsed = course["elapsed_ns"]
    check.equal("no course", count(page, "#course .missing"), 0 if elapsed else 1)
    if not elapsed:
        return
    shown = [entry for entry in course["calls"] if any(entry["ns"])]
    check.equal("calls of the course", texts(page, "#course .legend .name"), [entry["call"] or "other calls" for entry in shown])
    most = numbers(page, "#course rect.field", "height")[0]
    for k, entry in enumerate(shown):
        heights = numbers(page, f"#course rect.part{k}", "height")
        check.close(f"heights of {entry['call']}", heights,
                    [most * ns / whole for ns, whole in zip(entry["ns"], elapsed) if ns > 0], 1e-6)
    page.evaluate("document.querySelector('#course svg').focus()")
    page.press("End")
    said = texts(page, "#course .readout")[0]
    page.evaluate("document.activeElement.blur()")
    share = sum(entry["ns"][-1] for entry in shown) / elapsed[-1]
    check.equal("the last step by key", f"MPI {percent(100 * share)}" in said, True)


def range_of(sizes):
    ends = [f"{size} B" if size < 1024 else f"{size // 1024} KiB" for size, _ in (sizes[0], sizes[-1])]
    return " – ".join(ends if len(sizes) > 1 else ends[:1])


def check_matrix(check, page, job):
    matrix, partners = job.result["matrix"], job.result["partners"]
    cells, n = matrix["cells"], matrix["n"]
    check.equal("no matrix", count(page, "#matrix .missing"), 0 if cells else 1)
    check.equal("cells of the matrix", count(page, "#matrix rect.cell"), len(cells))
    check.equal("partners", texts(page, "#matrix tbody th"), [str(i + 1) for i in range(len(partners))] if cells else [])
    check.equal("bytes of partners", texts(page, "#matrix tbody td:nth-child(3)"),
                [figure(partner["bytes"], "B") for partner in partners] if cells else [])
    sized = [call for call in sorted(job.result["calls"], key=lambda c: (-c["ns"], -c["calls"])) if call.get("sizes")]
    check.equal("sizes of calls", texts(page, "#calls .range"), [range_of(call["sizes"]) for call in sized])
    if job.rows:
        shown = [m for m in job.shown() if m["key"] in job.result["row_values"]]
        check.equal("what nodes can show", count(page, "#nodes option"), len(shown) + len(job.result["row_calls"]))
    if not cells:
        return
    page.evaluate("document.querySelector('#matrix svg').focus()")
    page.press("ArrowRight")
    said = texts(page, "#matrix .readout")[0]
    page.evaluate("document.activeElement.blur()")
    start, to, messages, size = cells[0]
    words = f": {messages} message"
    check.equal("the first cell by key", words in said and figure(size, "B") in said, True)
    own = {"rank": f"rank {start} to rank {to}:", "node": f"node {start} to node {to}:"}
    ranks = job.job["ranks"]
    of_ranks = [f"ranks {-(-k * ranks // n)} to {-(-(k + 1) * ranks // n) - 1}" for k in (start, to)]
    check.equal("who it is", said.startswith(own.get(matrix["by"], " to ".join(of_ranks))), True)
    width, height = (numbers(page, "#matrix rect.field", key)[0] for key in ("width", "height"))
    size = width / n
    columns = [round((x - numbers(page, "#matrix rect.field", "x")[0]) / size) for x in numbers(page, "#matrix rect.cell", "x")]
    rows = [round((y - numbers(page, "#matrix rect.field", "y")[0]) / size) for y in numbers(page, "#matrix rect.cell", "y")]
    check.equal("places of the cells", (list(zip(rows, columns)), width), ([tuple(cell[:2]) for cell in cells], height))


def check_sizes(check, page, job):
    for kind in ("sent", "collective"):
        sizes = [messages for _, messages in job.result[f"{kind}_sizes"]]
        bars = numbers(page, f"#sizes rect.messages.{kind}", "height")
        scale = max(bars, default=0) / max(sizes, default=1)
        check.close(f"message sizes: {kind}", bars, [max(2, scale * messages) for messages in sizes], 1e-6)
    if not job.result["sent_sizes"] and not job.result["collective_sizes"]:
        check.equal("no messages", count(page, "#sizes .missing"), 1)


def check_quality(check, page, job):
    said = " ".join(texts(page, "#quality .problem"))
    for words, expected in (("partial", job.job["recovered"]), ("did not come to MPI_Finalize", job.job["unfinished"] > 0),
                            (job.job["counter_reason"], True), ("other threads", job.job["other_thread_calls"] > 0),
                            ("what the others did", job.job["present"] < job.job["ranks"]),
                            ("not counted: MPI_Send in 1 call.", any(call["uncounted"] for call in job.result["calls"])),
                            ("Calls of PMPI_Send by the program or its libraries are not counted", job.job["unseen_ranks"] > 0),
                            ("8 reductions of the program's own (MPI_Op_create) had no place", job.job["operations_left"] > 0),
                            ('summed up in "other regions"', job.job["regions_left_out"] > 0), ("no row for each", not job.rows),
                            ("may be too little", job.job["doubtful"] > 0)):
        check.equal(f"quality says: {words}", words in said, expected)
    unfinished = [row for row in job.rows if row["state"] != "finalized"]
    check.equal("unfinished ranks", texts(page, "#quality tbody th"), [str(row["rank"]) for row in unfinished])
    check.equal("where they were", texts(page, "#quality tbody td:last-child"),
                [row["inside"] or "no MPI call" for row in unfinished])


def check_seen(check, page):
    """Marks are where they can be seen: the browser finds them at their own middle."""
    hidden = page.evaluate("""(() => {
        const marks = [];
        for (const plot of document.querySelectorAll('main svg:not(.box)')) {
            const all = [...plot.querySelectorAll('.useful, .mpi, .cell, .bin, .dot, .messages')];
            if (all.length === 0) marks.push('a plot without marks');
            // What lies one on the other may be thinner than can be seen: as thin as its share is.
            const own = all.filter((mark) => !/ part/.test(mark.getAttribute('class')) || mark.getBoundingClientRect().height >= 1);
            for (const mark of [own[0], own[own.length - 1]].filter(Boolean)) {
                mark.scrollIntoView({block: 'center'});
                const box = mark.getBoundingClientRect();
                const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
                if (!seen || !plot.contains(seen) || box.height < 1 || box.width < 0.5) marks.push(mark.outerHTML);
            }
        }
        return marks;
    })()""")
    check.equal("marks that are not seen", hidden, [])


def check_keys(check, page, job):
    page.evaluate("document.querySelector('#ranks svg').focus()")
    hint = texts(page, "#ranks .readout")[0]
    page.press("ArrowRight")
    first = texts(page, "#ranks .readout")[0]
    page.press("End")
    last = texts(page, "#ranks .readout")[0]
    rows, size = job.rows, math.ceil(len(job.rows) / MOST_BARS)
    check.equal("the first bar by key", str(rows[0]["rank"]) in first and rows[0]["host"] in first, True)
    check.equal("the last bar by key", str(rows[-1]["rank"]) in last and rows[-1]["host"] in last, True)
    check.equal("several ranks in a bar", "ranks," in first, size > 1)
    page.evaluate("document.activeElement.blur()")
    check.equal("the hint afterwards", texts(page, "#ranks .readout")[0], hint)
    middle = page.evaluate("(() => { const c = document.querySelector('#nodes rect.cell'); "
                           "c.scrollIntoView({block: 'center'}); const b = c.getBoundingClientRect(); "
                           "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=middle[0], y=middle[1])
    check.equal("the cell under the pointer", texts(page, "#nodes .readout")[0].startswith(
        f"rank {rows[0]['rank']} on {rows[0]['host']} (node 0): useful time "), True)


def choose(page, section, place):
    page.evaluate(f"(() => {{ const s = document.querySelector('#{section} select'); s.selectedIndex = {place}; "
                  "s.dispatchEvent(new Event('change')); })()")


def check_nodes(check, page, job):
    """What the ranks of each node have together, worked out from the rows."""
    by_node = {}
    for row in job.rows:
        by_node.setdefault(row["node"], []).append(row)
    place = {key: i for i, key in enumerate(job.result["row_values"])}
    heads = texts(page, "#nodes thead th")
    cells = page.evaluate("Array.from(document.querySelectorAll('#nodes tbody tr'), tr => Array.from(tr.cells, cell => cell.textContent))")
    check.equal("nodes", [row[:3] for row in cells],
                [[rows[0]["host"], str(node), str(len(rows))] for node, rows in sorted(by_node.items())])
    known = job.metrics["node_memory_limit"]["count"] > 0
    quick = job.metrics["frequency"]["count"] > 0  # some machines do not say it
    check.equal("columns of nodes", [name in heads for name in ("of what it has", "frequency, mean")], [known, quick])
    for found, (_, rows) in zip(cells, sorted(by_node.items())):
        of = {key: [row["values"][place[key]] for row in rows] for key in ("useful", "peak_memory", "frequency", "node_memory_limit")}
        memory = sum(of["peak_memory"])
        wanted = {"useful, mean": figure(sum(of["useful"]) / len(rows), "ns"), "memory of its ranks": figure(memory, "B")}
        if known:
            limit = of["node_memory_limit"][0]
            wanted["of what it has"] = f"{percent(100 * memory / limit)} of {figure(limit, 'B')}"
        if quick:
            wanted["frequency, mean"] = figure(sum(of["frequency"]) / len(rows), "Hz")
        check.equal(f"figures of {found[0]}", {name: found[heads.index(name)] for name in wanted}, wanted)


def check_choices(check, page, job):
    choose(page, "ranks", 1)
    useful = numbers(page, "#ranks svg rect.useful", "height")
    check.equal("bars by useful time", useful, sorted(useful, reverse=True))
    places = [key for key in job.result["row_values"] if job.metrics[key]["count"] > 0 and not key.startswith("node_")]
    choose(page, "nodes", places.index("peak_memory"))
    check_cells(check, page, job, "peak_memory")
    choose(page, "nodes", places.index("major_faults"))
    check_cells(check, page, job, "major_faults")


VISIBLE = "Array.from(document.querySelectorAll('#regions .frame:first-of-type tbody tr')).filter(e => e.getClientRects().length > 0).length"


def check_long_table(check, page, job):
    check.equal("rows at first", page.evaluate(VISIBLE), 15)
    page.evaluate("document.querySelector('#regions button.all').click()")
    check.equal("rows when asked", page.evaluate(VISIBLE), len(job.result["regions"]))
    page.evaluate("document.querySelector('#regions button.all').click()")
    page.evaluate("document.querySelector('#regions thead button').click()")
    check.equal("regions by name", texts(page, "#regions .frame:first-of-type tbody th")[::len(job.result["regions"]) - 1], ["<img src=x onerror="
                "document.hacked=1>", f"region_{len(job.result['regions']) - 1:03}"])
    page.call("Emulation.setEmulatedMedia", media="print")
    check.equal("rows on paper", page.evaluate(VISIBLE), len(job.result["regions"]))
    page.call("Emulation.setEmulatedMedia", media="")


def search(page, words):
    page.evaluate(f"(() => {{ const f = document.querySelector('#search'); f.value = {json.dumps(words)}; "
                  "f.dispatchEvent(new Event('input')); })()")


def check_search(check, page, job):
    """Tables keep the rows that have all words; a number and a host are ranks."""
    names = sorted(call["name"] for call in job.result["calls"])
    before = texts(page, "#calls tbody th"), texts(page, "#sites tbody tr")
    search(page, "SENDRECV mpi")
    check.equal("calls found", sorted(texts(page, "#calls tbody th")), [name for name in names if "SENDRECV" in name.upper()])
    check.equal("sites found", set(texts(page, "#sites tbody th")), {s["call"] for s in job.result["sites"] if s["call"] == "MPI_Sendrecv"})
    found = sum(count(page, f"#{section} tbody tr") for section in ("metrics", "calls", "sites", "regions", "quality"))
    check.equal("what was found", texts(page, "#found"), [f"{found} row{'' if found == 1 else 's'} found"])
    search(page, "no such thing")
    check.equal("nothing found", (texts(page, "#found"), count(page, "#calls tbody tr")), (["0 rows found"], 0))
    if job.rows:
        row = job.rows[-1]
        search(page, f"rank {row['rank']}")
        check.equal("the rank", texts(page, "#ranks tbody th"), [str(row["rank"])])
        cells = texts(page, "#ranks tbody td")
        place = 2 + job.result["row_values"].index("useful")
        check.equal("its host and useful time", [cells[0], cells[place]], [row["host"], figure(job.values("useful")[-1], "ns")])
        search(page, row["host"])
        check.equal("ranks of its node", texts(page, "#ranks tbody th")[-1:], [str(row["rank"])] if len(job.rows) <= 100 else
                    [str(max([r["rank"] for r in job.rows if row["host"] in r["host"]][:100]))])
    search(page, "")
    check.equal("all is back", (texts(page, "#calls tbody th"), texts(page, "#sites tbody tr")), before)
    check.equal("nothing is said", (texts(page, "#found"), count(page, "#ranks table")), ([""], 0))


def check_schemes(check, page, pictures, name):
    seen = {}
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        seen[scheme] = page.evaluate("[document.body, document.querySelector('#title'), document.querySelector("
                                     "'#efficiency .note')].map(e => getComputedStyle(e)).map(s => [s.backgroundColor, "
                                     "s.color])")
        if pictures:
            page.screenshot(os.path.join(pictures, f"{name}-{scheme}.png"))
    for scheme, ((paper, ink), *_, (_, faint)) in seen.items():
        for colour in (ink, faint):
            check.equal(f"{scheme}: contrast of {colour} on {paper}", contrast(paper, colour) >= 4.5, True)
    check.equal("the schemes differ", browser.luminance(seen["light"][0][0]) > browser.luminance(seen["dark"][0][0]), True)


def contrast(one, other):
    low, high = sorted((browser.luminance(one), browser.luminance(other)))
    return (high + 0.05) / (low + 0.05)


def check_page(check, chromium, directory, name, pictures):
    check.name = name
    job = Job(os.path.join(directory, f"{name}.json"))
    with open(os.path.join(directory, f"{name}.txt"), encoding="utf-8") as file:
        sentence = file.read()
    page = browser.Page(chromium, os.path.join(directory, f"{name}.html"))
    check.equal("complaints", page.complaints(), [])
    check_head(check, page, job, sentence)
    for part in (check_order, check_places, check_devices, check_efficiency, check_region, check_ranks, check_histograms, check_tables, check_communicators, check_course, check_sites, check_matrix, check_sizes, check_quality):
        part(check, page, job)
    check_seen(check, page)
    if job.rows:
        check_nodes(check, page, job)
        check_keys(check, page, job)
        check_choices(check, page, job)
    check_search(check, page, job)
    if len(job.result["regions"]) > 15:
        check_long_table(check, page, job)
    check_schemes(check, page, pictures, name)
    check.equal("complaints in the end", page.complaints(), [])
    page.close()
    return job


# Words of the heads of tables that go on in another line, where no word is long.
BROKEN_WORDS = r"""Array.from(document.querySelectorAll('thead th'), head => {
    const broken = [], texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT), range = document.createRange();
    if (head.textContent.split(/[\s-]+|(?<=[:_])(?=[^:_])/).some((word) => word.length > 14)) return [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
        for (const word of text.textContent.matchAll(/[^\s:_-]+(?=[\s:_-]|$)/g)) {
            range.setStart(text, word.index);
            range.setEnd(text, word.index + word[0].length);
            if (range.getClientRects().length > 1) broken.push(word[0]);
        }
    return broken;
}).flat()"""


def check_narrow(check, chromium, directory):
    """On a small screen the page is as wide as that: what is wider scrolls by itself."""
    check.name = "regions, narrow"
    page = browser.Page(chromium, os.path.join(directory, "regions.html"), width=400)
    check.equal("the page's width", page.evaluate("document.documentElement.scrollWidth") <= 400, True)
    check.equal("heads broken in a word", page.evaluate(BROKEN_WORDS), [])
    page.close()


# How far a table is wider than what shows it, and beyond the window; the widest first.
WIDTHS = """Math.max(...Array.from(document.querySelectorAll('.frame'), e => Math.max(e.scrollWidth - e.clientWidth,
    e.getBoundingClientRect().right - innerWidth, -e.getBoundingClientRect().left)))"""


def check_wide(check, chromium, directory):
    """Tables take the width that a window has: on a wide one none has to be scrolled, nor does one leave the window."""
    check.name = "regions, wide"
    page = browser.Page(chromium, os.path.join(directory, "regions.html"), width=1900)
    check.equal("what is beyond", page.evaluate(WIDTHS) <= 1, True)
    text, most = page.evaluate("[document.querySelector('main').getBoundingClientRect().width, "
                               "Math.max(...Array.from(document.querySelectorAll('.frame'), e => e.getBoundingClientRect().width))]")
    check.equal("a table that is wider than the text", most > text, True)
    page.close()


def check_two(check, job):
    """Rank 0 does twice the work."""
    efficiency = job.result["efficiency"]
    check.close("efficiencies", [efficiency[k] for k in ("load_balance", "communication", "parallel")],
                [0.75, 4000 / 4001, 0.75 * 4000 / 4001], 1e-6)


def check_broken(check, chromium, directory):
    check.name = "broken"
    page = browser.Page(chromium, os.path.join(directory, "broken.html"))
    said = texts(page, "main p.problem")
    check.equal("the sentence", [words.startswith("The result in this page cannot be shown: ") for words in said], [True])
    check.equal("what it ran", page.evaluate("document.hacked"), None)
    check.equal("exceptions", len(page.happened("Runtime.exceptionThrown")), 1)
    page.close()


def check_size(check, directory):
    """The page itself, without what the job says."""
    check.name = "nothing"
    data = os.path.getsize(os.path.join(directory, "nothing.json"))
    page = os.path.getsize(os.path.join(directory, "nothing.html"))
    check.equal("at most 350 KB", page - data < 350000, True)


def main():
    path = browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        return 77
    check = browser.Checks()
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as directory:
        subprocess.run([sys.argv[1], directory, *NAMES], check=True, timeout=600)
        with browser.Browser(path, SECONDS) as chromium:
            for name in NAMES:
                job = check_page(check, chromium, directory, name, sys.argv[2] if len(sys.argv) > 2 else None)
                if name == "two":
                    check_two(check, job)
            check_narrow(check, chromium, directory)
            check_wide(check, chromium, directory)
            check_broken(check, chromium, directory)
        check_size(check, directory)
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
