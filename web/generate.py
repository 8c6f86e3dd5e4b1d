#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts an HTML page together and makes a C source of it.

  generate.py OUTPUT.c PAGE.html LICENSE STYLE.css... SCRIPT.js...
  generate.py --style OUTPUT.c NAME STYLE.css... [NAME STYLE.css...]...

The second form makes a C string of each NAME's styles alone, for a page that a program writes without scripts.

PAGE.html has each place of PLACES once; report_html() fills the last two. The styles are joined in their order:
page.css, which every page has, comes first. The policy lets the browser run these scripts and this style, known
by their hashes, and fetch nothing at all: a name in the data that reads like markup can do nothing even where a
script should forget to treat it as text.
"""
import base64
import hashlib
import json
import sys

PLACES = ("@HEAD@", "@LICENSE@", "@SCRIPTS@", "@VERDICT@", "@DATA@")
HEAD = """<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<style>{style}</style>"""

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

def template_of(page, places):
    template = read(page)
    for place in places:
        if template.count(place) != 1:
            sys.exit(f"{page}: {place} is there {template.count(place)} times, not once")
    return template

def head_and_scripts(styles, scripts):
    """The elements of the page's head, and those of its scripts."""
    style = "\n" + "".join(inside(path, read(path), "</style", "@import", "url(") for path in styles)
    bodies = ["\n" + inside(path, read(path), "</script", "<!--") for path in scripts]
    policy = "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; " \
             f"style-src {source(style)}; script-src {' '.join(source(body) for body in bodies)}"
    return HEAD.format(policy=policy, style=style), "\n".join(f"<script>{body}</script>" for body in bodies)

def assemble(page, licence, styles, scripts):
    template = template_of(page, PLACES)
    head, elements = head_and_scripts(styles, scripts)
    filled = {"@HEAD@": head, "@LICENSE@": inside(licence, read(licence), "-->", "--!>", "<!--"), "@SCRIPTS@": elements}
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

def make_styles(output, words):
    """A string of each name in words, of the styles after it."""
    strings, styles = {}, None
    for word in words:
        if not word.endswith(".css"):
            styles = strings[word] = []
        elif styles is None:
            sys.exit(__doc__)
        else:
            styles.append(inside(word, read(word), "</style", "@import", "url("))
    lines = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Made by generate.py. */", ""]
    for name, styles in strings.items():
        lines += [f"extern const char {name}[];", f"const char {name}[] ="]
        lines += [f"    {json.dumps(line)}" for line in "".join(styles).splitlines(keepends=True)] + ["    ;", ""]
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))

def main():
    if len(sys.argv) > 4 and sys.argv[1] == "--style":
        make_styles(sys.argv[2], sys.argv[3:])
        return
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    output, page, licence, *files = sys.argv[1:]
    styles = [path for path in files if path.endswith(".css")]
    scripts = [path for path in files if path.endswith(".js")]
    if len(styles) + len(scripts) != len(files):
        sys.exit(__doc__)
    lines = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/* Made by generate.py. */",
             '#include "web/page.h"', ""]
    for name, part in assemble(page, licence, styles, scripts).items():
        lines += array(name, part.encode())
    with open(output, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))

if __name__ == "__main__":
    main()
