# SPDX-License-Identifier: BSD-3-Clause
"""A strict reader of OpenMetrics 1.0 (and of Prometheus' older text), as far as these pages go: counters and gauges."""
import re

NAME = r"[a-z_][a-z0-9_]*"
VALUE = r"(?:-?(?:\d+(?:\.\d+)?(?:e[+-]\d+)?|Inf)|NaN|\+Inf)"
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)')
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? ({VALUE})$")


class Wrong(Exception):
    pass


def need(holds, *what):
    if not holds:
        raise Wrong(" ".join(map(str, what)))


def labels_of(text):
    found, at = {}, 0
    while text and at < len(text):
        match = LABEL.match(text, at)
        need(match and match[1] not in found, "labels:", text)
        found[match[1]] = re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), match[2])
        at = match.end()
    return found


def read(page, older=False):
    """{(sample's name, ((label, value), ...)): number} and {family: (type, unit, help)} of a page."""
    text = page.decode() if isinstance(page, bytes) else page
    need(text.endswith("\n"), "the last line has no end")
    lines = text[:-1].split("\n")
    if not older:
        need(lines.pop() == "# EOF", "no # EOF at the end")
    samples, families, family = {}, {}, None
    for line in lines:
        need(not re.search(r"[\0-\x1f\x7f]", line), "a control character:", repr(line))
        if line.startswith("#"):
            mark, kind, name, rest = line.split(" ", 3)
            need(mark == "#" and kind in ("TYPE", "UNIT", "HELP"), line)
            if name != family:
                need(name not in families, "a second time, or apart:", line)
                need(re.fullmatch(NAME, name), line)
                families[name] = {}
                family = name
            need(kind not in families[name], "twice:", line)
            need(kind != "TYPE" or rest in ("counter", "gauge"), line)
            need(kind != "UNIT" or name.endswith("_" + rest), line)
            need(kind != "HELP" or not re.search(r'\\(?![\\n"])', rest), line)
            families[name][kind] = rest
            continue
        match = SAMPLE.fullmatch(line)
        need(match and family, "no sample:", line)
        counter = families[family]["TYPE"] == "counter"
        need(match[1] == (family + "_total" if counter and not older else family), "of another family:", line)
        need(not older or not counter or family.endswith("_total"), line)
        need(not counter or not match[3].startswith("-") and match[3] != "NaN", "no counter:", line)
        key = (match[1], tuple(sorted(labels_of(match[2]).items())))
        need(key not in samples, "twice:", line)
        samples[key] = float(match[3])
    return samples, families


def value(samples, name, **labels):
    """Of the one sample of that name that has these labels."""
    found = [number for (of, those), number in samples.items() if of == name and labels.items() <= dict(those).items()]
    need(len(found) == 1, name, labels, "is there", len(found), "times")
    return found[0]
