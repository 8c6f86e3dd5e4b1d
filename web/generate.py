#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts the HTML page together and makes a C source of it.

  generate.py OUTPUT.c PAGE.html STYLE.css LICENSE SCRIPT.js...

PAGE.html has a place for each of PLACES; report_html() fills the last two. The policy lets the browser run
these scripts and this style, known by their hashes, and fetch nothing at all: a name in the data that reads
like markup can do nothing even where a script should forget to treat it as text.
"""
import base64
import hashlib
import sys

PLACES = ("@POLICY@", "@STYLE@", "@LICENSE@", "@SCRIPTS@", "@VERDICT@", "@DATA@")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read().replace("\r\n", "\n")


def inside(path, text, *forbidden):
    for word in forbidden:
        if word in text.lower():
            sys.exit(f"{path}: has {word}, which would end it inside the page")
    return text


def source(text):
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def assemble(page, style, licence, scripts):
    template = read(page)
    for place in PLACES:
        if template.count(place) != 1:
            sys.exit(f"{page}: {place} is there {template.count(place)} times, not once")
    style_text = "\n" + inside(style, read(style), "</style", "@import", "url(")
    bodies = ["\n" + inside(path, read(path), "</script", "<!--") for path in scripts]
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " \
             f"style-src {source(style_text)}; script-src {' '.join(source(body) for body in bodies)}"
    filled = {
        "@POLICY@": policy,
        "@LICENSE@": inside(licence, read(licence), "-->", "--!>", "<!--"),
        "@STYLE@": f"<style>{style_text}</style>",
        "@SCRIPTS@": "\n".join(f"<script>{body}</script>" for body in bodies),
    }
    for place, text in filled.items():
        template = template.replace(place, text)
    before, rest = template.split("@VERDICT@")
    between, after = rest.split("@DATA@")
    return {"page_begin": before, "page_middle": between, "page_end": after}


def array(name, data):
    lines = [f"const unsigned char {name}[] = {{"]
    for start in range(0, len(data), 24):
        lines.append("    " + ",".join(str(byte) for byte in data[start:start + 24]) + ",")
    return lines + ["};", f"const size_t {name}_length = sizeof {name};", ""]


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    output, page, style, licence, *scripts = sys.argv[1:]
    lines = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Made by generate.py. */",
             '#include "web/template.h"', ""]
    for name, part in assemble(page, style, licence, scripts).items():
        lines += array(name, part.encode())
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


main()
