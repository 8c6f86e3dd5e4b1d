#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""timeline_test.py MAKE_PAGES PAPI_MPI_REPORT [--largest] [DIRECTORY]: the timeline beside a result, in its page, in Chromium: what is said
of a call, where it is drawn, how the keys, the pointer and the wheel move it, and that 64 ranks with 4,000 calls each, with
--largest 10,000, open in seconds. The page of another job has none. DIRECTORY gets screenshots. Status: 0, 1, 77."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from page_test import texts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import browser  # noqa: E402 pylint: disable=wrong-import-position

SECONDS, LOAD = 300, 60  # a busy machine opens it ten times as slowly
LEFT, RIGHT, TOP, WIDTH, ROW = 96, 8, 22, 1000, 26
END = 1000  # microseconds
REGION = "<b>work</b>"


def head(rank):
    common = {"ph": "M", "pid": rank, "tid": rank + 1}
    return [{**common, "name": "process_name", "args": {"name": f"rank {rank} (host)"}},
            {**common, "name": "thread_name", "args": {"name": "main thread"}}]


def call(rank, name, begin, duration, **more):
    kind = {"MPI_Barrier": "collective", "MPI_Wait": "completion"}.get(name, "point-to-point")
    return {"ph": "X", "pid": rank, "tid": rank + 1, "ts": begin, "dur": duration, "name": name, "cat": kind, "args": {"bytes": 0, **more}}


def line(number, sender, sent, receiver, received):
    both = {"cat": "message", "name": "message", "id": number}
    return [{"ph": "s", "pid": sender, "tid": sender + 1, "ts": sent, **both},
            {"ph": "f", "pid": receiver, "tid": receiver + 1, "ts": received, "bp": "e", **both}]


def small():
    region = {"pid": 0, "tid": 1, "cat": "region", "id": "9", "name": REGION}
    return head(0) + [
        call(0, "MPI_Barrier", 0, 100), call(0, "MPI_Send", 400, 100, bytes=64, to=1, to_tag=5, to_message=1, at="late.c:21"),
        {**region, "ph": "b", "ts": 150}, {**region, "ph": "e", "ts": 600}] + head(1) + [
        call(1, "MPI_Barrier", 0, 100), call(1, "MPI_Recv", 200, 320, **{"from": 0, "from_tag": 5, "from_message": 1, "at": "late.c:33"}),
        call(1, "MPI_Wait", 900, 100, not_finished=True)] + line(1, 0, 400, 1, 519.999)


def large(calls, ranks=64):
    events = [event for rank in range(ranks) for event in head(rank)]
    for rank in range(ranks):
        events += [call(rank, ("MPI_Send", "MPI_Recv", "MPI_Barrier")[i % 3], 100 * i + rank, 50) for i in range(calls)]
    return events + [event for i in range(calls) for event in line(i + 1, i % ranks, 100 * i + i % ranks, (i + 1) % ranks, 100 * i + 64)]


def timeline(job, events):
    """As the writer begins it; the rest is read by its names."""
    more = json.dumps({"displayTimeUnit": "ns", "traceEvents": events, "papi_mpi": {"replaced": 7}})[1:]
    return f'{{"otherData":{{"format":"papi_mpi timeline","job":{json.dumps(job)},"ranks":2}},{more}'


def page_of(report, result, events, job):
    """The page of the result with a timeline of that job beside it."""
    pathlib.Path(result[:-5] + ".timeline.json").write_text(timeline(job, events), encoding="utf-8")
    subprocess.run([report, "--html", f"--output={result}.html", result], check=True, timeout=SECONDS)
    return f"{result}.html"


def pointer(page, kind, moment, lane, **more):
    """Sends the canvas an event at a moment, while all of the time is shown."""
    x, y = LEFT + moment / END * (WIDTH - RIGHT - LEFT), TOP + (lane + 0.5) * ROW
    name = {"wheel": "WheelEvent"}.get(kind, "PointerEvent")
    page.evaluate(f"""(() => {{
        const canvas = document.querySelector('#timeline canvas'), box = canvas.getBoundingClientRect(), unit = box.width / {WIDTH};
        canvas.dispatchEvent(new {name}({json.dumps(kind)}, {{...{json.dumps(more)}, bubbles: true, cancelable: true,
            clientX: box.x + {x} * unit, clientY: box.y + {y} * unit}}));
        return 1;
    }})()""")


def colour(page, moment, lane, part=0.5):
    x, y = LEFT + moment / END * (WIDTH - RIGHT - LEFT), TOP + (lane + part) * ROW
    return page.evaluate(f"""(() => {{
        const canvas = document.querySelector('#timeline canvas'), ratio = canvas.width / {WIDTH};
        return Array.from(canvas.getContext('2d').getImageData({x} * ratio, {y} * ratio, 1, 1).data);
    }})()""")


def press(page, key):
    page.evaluate(f"(document.querySelector('#timeline canvas').dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}'}})), 1)")


def said(page):
    return texts(page, "#timeline .readout")[0]


def shown(page):
    """What is in view, after the frame that draws it."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
    return texts(page, "#timeline .shown")[0].split(",")[0]


SEND = f"rank 0: MPI_Send at late.c:21, 100.0 us from 400.0 us on, to rank 1 tag 5, 64 B, in {REGION}"
RECEIVE = "rank 1: MPI_Recv at late.c:33, 320.0 us from 200.0 us on, from rank 0 tag 5"


def check_pointer(check, page):
    hint = said(page)
    for what, moment, lane, words in (("a send", 450, 0, SEND), ("a receive", 300, 1, RECEIVE), ("no call", 700, 1, hint),
                                      ("a call that has not ended", 950, 1, "rank 1: MPI_Wait, 100.0 us from 900.0 us on, not finished"),
                                      ("a barrier", 50, 1, "rank 1: MPI_Barrier, 100.0 us from 0 on")):
        pointer(page, "pointermove", moment, lane)
        check.equal(what, said(page), words)
    pointer(page, "pointerleave", 50, 1)
    shown(page)
    empty, send, wait = colour(page, 700, 1), colour(page, 405, 0, 0.25), colour(page, 950, 1, 0.25)
    check.equal("pixels: none, a send, a wait, which differ", (empty[3], send[3], wait[3], send != wait), (0, 255, 255, True))
    barrier = colour(page, 50, 1, 0.25)
    light, dark = (browser.luminance(f"rgb{tuple(pixel[:3])}") + 0.05 for pixel in (send, barrier))
    check.equal(f"a send is three times as light as a barrier: {light / dark:.2f}", light / dark >= 3, True)
    check.equal("a band behind no call, and none", (colour(page, 250, 0)[3] > 0, colour(page, 250, 1, 0.9)[3]), (True, 0))


def check_moves(check, page):
    check.equal("at first", shown(page), "0 to 1.000 ms")
    heard = []
    for key in ("ArrowRight", "ArrowUp", "ArrowDown", "ArrowRight"):
        press(page, key)
        heard.append(said(page).split(",")[0])
    check.equal("calls by keys", heard, ["rank 1: MPI_Barrier", "rank 0: MPI_Barrier", "rank 1: MPI_Barrier", "rank 1: MPI_Recv at late.c:33"])
    for key, expected in (("+", "100.0 us to 600.0 us"), (">", "225.0 us to 725.0 us"), ("<", "100.0 us to 600.0 us"),
                          ("-", "0 to 1.000 ms"), ("+", None), ("0", "0 to 1.000 ms")):
        press(page, key)
        if expected:
            check.equal(f"after {key}", shown(page), expected)
    pointer(page, "wheel", 500, 0, deltaY=-1, ctrlKey=True)
    first, last = (float(words.split()[0]) for words in shown(page).split(" to "))
    check.close("after the wheel, whose place is a whole pixel", [first, last], [100, 900], 0.01)
    page.evaluate("(document.querySelector('#timeline button').click(), 1)")
    check.equal("after the button", shown(page), "300.0 us to 700.0 us")
    pointer(page, "pointerdown", 500, 0)
    pointer(page, "pointermove", 250, 0)
    pointer(page, "pointerup", 250, 0)
    check.equal("after dragging by a quarter", shown(page), "400.0 us to 800.0 us")
    page.evaluate("(document.querySelector('#timeline [aria-label=\"the whole timeline\"]').click(), 1)")
    check.equal("after all of it", shown(page), "0 to 1.000 ms")


def check_small(check, chromium, path, pictures):
    check.name = "two ranks"
    page = browser.Page(chromium, path)
    check.equal("no markup", [page.evaluate("document.hacked"), page.evaluate("document.querySelectorAll('#timeline b').length")], [None, 0])
    check_pointer(check, page)
    check_moves(check, page)
    check.equal("messages, and what had no room", "1 message. 7 earlier calls and regions had no room" in texts(page, "#timeline .shown")[0], True)
    page.call("Page.printToPDF")
    if pictures:
        page.screenshot(os.path.join(pictures, "timeline.png"))
    # Chromium warns of what this test does: it reads pixels back.
    check.equal("complaints", [words for words in page.complaints() if "willReadFrequently" not in words], [])
    page.close()
    phone = browser.Page(chromium, path, 390, 800)
    sizes = phone.evaluate("[document.documentElement.scrollWidth, document.querySelector('#timeline canvas').getBoundingClientRect().width]")
    check.equal(f"a phone's page is no wider than it, and the plot is to be read: {sizes}", (sizes[0] <= 390, sizes[1] >= 600), (True, True))
    phone.close()


def check_large(check, chromium, path, calls, pictures):
    check.name = "64 ranks"
    start = time.monotonic()
    page = browser.Page(chromium, path)
    words = texts(page, "#timeline .shown")[0]
    seconds = time.monotonic() - start
    print(f"64 ranks with {calls} calls each, {os.path.getsize(path) >> 20} MiB, opened in {seconds:.1f} s")
    check.equal(f"opened in {seconds:.1f} s", seconds < LOAD, True)
    check.equal("messages", f"{calls} messages, one line for each {calls // 2000} of them" in words, True)
    if pictures:
        page.screenshot(os.path.join(pictures, "timeline-64.png"))
    check.equal("complaints", page.complaints(), [])
    page.close()


def check_none(check, chromium, path):
    check.name = "another job's"
    page = browser.Page(chromium, path)
    check.equal("timeline", page.evaluate("[document.querySelectorAll('#timeline canvas').length, "
                                          "document.querySelectorAll('#timeline details.folded').length]"), [0, 1])
    check.equal("words", "PAPI_MPI_TIMELINE=4M" in texts(page, "#timeline .missing")[0], True)
    page.close()


def main():
    path = browser.find()
    if path is None:
        print("SKIP: no Chromium (package chromium)")
        return 77
    make_pages, report, *more = sys.argv[1:]
    calls = 10000 if "--largest" in more else 4000
    pictures = next((word for word in more if word != "--largest"), None)
    check = browser.Checks()
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as directory:
        subprocess.run([make_pages, directory, "two"], check=True, timeout=600)
        result = os.path.join(directory, "two.json")
        job = json.loads(pathlib.Path(result).read_text(encoding="utf-8"))["job"]["name"]
        with browser.Browser(path, SECONDS) as chromium:
            check_small(check, chromium, page_of(report, result, small(), job), pictures)
            check_large(check, chromium, page_of(report, result, large(calls), job), calls, pictures)
            check_none(check, chromium, page_of(report, result, small(), job + "x"))
    return check.summary()


if __name__ == "__main__":
    sys.exit(main())
