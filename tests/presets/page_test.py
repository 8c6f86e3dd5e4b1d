#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""page_test.py PAGE.html MATRIX.csv [SCREENSHOT.png]: the page of presets in Chromium, against the checker's matrix."""
import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import browser  # noqa: E402

SIGNS = {"=": "one", "+": "sum", "-": "difference", "f": "formula", "c": "together", "x": "none"}
KEYS = {"ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27}


def expected_cells(path):
    """{(processor, preset): class of its cell} of the checker."""
    cells = {}
    with open(path, encoding="ascii") as file:
        for row in csv.DictReader(file):
            for cpu, sign in row.items():
                if cpu != "preset" and sign:
                    cells[cpu, row["preset"]] = SIGNS[sign[0]] + (" noted" if sign.endswith("~") else "")
    return cells


class Test(browser.Checks):
    def __init__(self, page):
        super().__init__("the page")
        self.page = page

    def js(self, expression):
        return self.page.evaluate(expression)

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def query(self, field, text):
        self.js(f"(() => {{ const box = document.getElementById('{field}'); box.value = '{text}';"
                "box.dispatchEvent(new Event('input')); })()")

    def cells(self):
        found = self.js("[...document.querySelectorAll('#matrix td[tabindex]')].map((cell) => "
                        "[cell.target.cpu.name, cell.target.preset.name, cell.className])")
        return {(cpu, preset): kind for cpu, preset, kind in found}

    def matrix(self, expected):
        self.equal("the cells of the matrix", self.cells(), expected)
        self.query("cpus", "zen 3, power9")
        self.query("presets", "fp_ops")
        self.equal("the processors that a search finds",
                   self.js("[...document.querySelectorAll('#matrix thead button small')].map((b) => b.textContent)"),
                   ["amd64_fam19h_zen3", "power9"])
        self.query("cpus", "granite rapids")
        self.equal("the processor that people call so",
                   self.js("document.querySelector('#matrix thead button').firstChild.textContent"), "Intel Granite Rapids (server)")
        self.equal("no processor is known by its rule alone",
                   self.js("data.cpus.filter((cpu) => cpu.title.includes(':0x')).length"), 0)
        self.equal("the presets that it finds",
                   self.js("[...document.querySelectorAll('#matrix tbody th button')].map((b) => b.textContent)"), ["PAPI_FP_OPS"])
        self.query("cpus", "no such processor")
        self.equal("what nothing finds", self.cells(), {})
        self.query("cpus", "")
        self.query("presets", "")

    def keyboard(self):
        self.js("document.querySelector('#matrix td[tabindex=\"0\"]').focus()")
        first = self.js("[document.activeElement.target.cpu.name, document.activeElement.target.preset.name]")
        self.press("ArrowRight")
        self.press("ArrowDown")
        second = self.js("[document.activeElement.target.cpu.name, document.activeElement.target.preset.name]")
        self.equal("another processor", second[0] != first[0], True)
        self.equal("another preset", second[1] != first[1], True)
        self.press("Enter")
        self.equal("a dialog is open", self.js("document.getElementById('detail').open"), True)
        self.equal("its title begins with the preset", self.js("document.getElementById('title').textContent").split()[0], second[1])
        self.equal("the address names it", self.js("location.hash"), f"#{second[0]}/{second[1]}")
        self.press("Escape")
        self.equal("the dialog is closed", self.js("document.getElementById('detail').open"), False)
        self.equal("the cell has the focus again", self.js("document.activeElement.target.preset.name"), second[1])

    def headings(self):
        place = ("(() => { const place = (selector) => document.querySelector(selector).getBoundingClientRect();"
                 "return [place('#matrix thead th:last-child').top, place('#matrix tbody tr:last-child th').left]; })()")
        before = self.js(place)
        self.js("document.getElementById('scroll').scrollTo(400, 600)")
        self.equal("the table is scrolled", self.js("document.getElementById('scroll').scrollTop"), 600)
        self.equal("headings stay where they were", self.js(place), before)
        self.js("document.getElementById('scroll').scrollTo(0, 0)")

    def definition(self):
        self.js("location.hash = '#icx/PAPI_DP_OPS'")
        self.js("new Promise((done) => setTimeout(done, 50))")
        text = self.js("document.getElementById('detail').textContent")
        for part in ("PAPI_DP_OPS on Intel Ice Lake-SP", "Formula", "Native events", "intel_icelake.csv"):
            self.equal(f"the definition says {part}", part in text, True)
        self.js("document.getElementById('detail').close()")

    def preset(self, expected):
        """A preset's name opens all that is known of it: each processor once."""
        self.js("[...document.querySelectorAll('#matrix tbody th button')].find((b) => b.textContent === 'PAPI_FP_OPS').click()")
        names = self.js("[...document.querySelectorAll('#detail th span')].map((name) => name.title)")
        self.equal("the processors of a preset", sorted(names), sorted(cpu for cpu, preset in expected if preset == "PAPI_FP_OPS"))
        self.js("document.getElementById('detail').close()")

    def looks(self):
        colours = []
        for scheme in ("light", "dark"):
            self.page.scheme(scheme)
            colours.append(self.js("getComputedStyle(document.body).backgroundColor"))
        self.equal("light and dark differ", colours[0] != colours[1], True)
        self.page.call("Emulation.setDeviceMetricsOverride", width=420, height=700, deviceScaleFactor=1, mobile=False)
        self.equal("nothing but the table is wider than a small window", self.js("document.documentElement.scrollWidth"), 420)


def main():
    path = browser.find()
    if path is None:
        print("skipped: there is no Chromium")
        return 77
    with browser.Browser(path, 200) as program:
        page = browser.Page(program, sys.argv[1], 1400, 950)
        test = Test(page)
        expected = expected_cells(sys.argv[2])
        test.matrix(expected)
        if len(sys.argv) > 3:
            page.screenshot(sys.argv[3])
        test.keyboard()
        test.headings()
        test.definition()
        test.preset(expected)
        test.looks()
        test.equal("what the browser complains of", page.complaints(), [])
    return test.summary()


if __name__ == "__main__":
    sys.exit(main())
