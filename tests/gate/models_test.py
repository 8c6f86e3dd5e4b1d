#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: models_test.py MODELS CASE

The figures of the models of processors beside LLVM's: each is LLVM's, or the file has LLVM's beside it and why it is another. Skipped
where there is no llvm-mca of LLVM 19 or later."""
import json
import pathlib
import re
import sys

import models_llvm

PARTS = {"load", "load_vector", "store", "store_vector", "branch"}  # their "instructions" are not used: they are of their instruction
NAMES = ("latency", "busy", "instructions")
WRITTEN_BY = 19  # the version whose figures the files have


def check(fine, *what):
    if not fine:
        sys.exit(" ".join(map(str, what)))


def at(value, width):
    return value[width] if isinstance(value, list) else value


def own(price, name, width):
    """A figure of a model's class."""
    if name == "busy":
        return max(at(busy, width) for busy in price["busy"].values())
    return at(price.get(name, 1), width)


def is_same(name, one, other):
    """A third is 0.33 in the files."""
    return abs(one - other) <= 0.04 * other if name == "busy" else one == other


def noted(price, name, number):
    """The figure of LLVM that the file has beside its own: of the so many-eth instruction of the class. None: there is none."""
    value = price.get("llvm", {}).get(name)
    return value[number] if isinstance(value, list) else value


def sources_of(text):
    return set(text.split(", "))


def differences(model, found):
    """Sentences about what is neither LLVM's nor noted; what is noted and is LLVM's; and sources that are not right."""
    for name in dict.fromkeys(name for name, _ in found):
        price = model["classes"][name]
        differs = False
        for number, width in enumerate(width for other, width in found if other == name):
            for kind, theirs in zip(NAMES, found[name, width]):
                if kind == "instructions" and name in PARTS:
                    continue
                ours, note = own(price, kind, width), noted(price, kind, number)
                if not is_same(kind, ours, theirs):
                    differs = True
                    if note != theirs:
                        yield f"{name}, {kind}, width {width}: {ours}, LLVM has {theirs}, noted is {note}"
                elif note not in (None, theirs):
                    yield f"{name}, {kind}, width {width}: LLVM has {theirs}, noted is {note}"
        if differs != ("llvm" in price) or differs == ("L" in sources_of(price["source"])):
            yield f"{name}: {'another figure than' if differs else 'the same as'} LLVM's, but source {price['source']}, llvm {price.get('llvm')}"
        if "llvm" in price and not price["llvm"].get("why"):
            yield f"{name}: no reason"


def llvm():
    found = models_llvm.find()
    if found is None:
        print(f"SKIP: no llvm-mca of LLVM {models_llvm.LEAST_VERSION} or later")
        sys.exit(77)
    return found


def case_llvm(models):
    mca, version = llvm()
    if version != WRITTEN_BY:
        print(f"SKIP: LLVM {version}: the files have figures of LLVM {WRITTEN_BY}")
        sys.exit(77)
    for name, model in models.items():
        found, width = models_llvm.figures(mca, name)
        check(len({kind for kind, _ in found}) > 15, name, "has few classes that LLVM knows")
        wrong = list(differences(model, found))
        check(not wrong, name, "\n" + "\n".join(wrong))
        ours = model["width"]
        check(ours["value"] == width or ours.get("llvm", {}).get("value") == width and ours["llvm"]["why"], name, "width", ours, width)
        for figure in ("latency", "busy"):  # a figure that is another one is seen
            changed = json.loads(json.dumps(model))
            price = changed["classes"]["integer_multiply"]
            price[figure] = 5 if figure == "latency" else {"multiplier": 3}
            check(len(list(differences(changed, found))) > 0, name, figure)


def case_sources(models):
    """Every source that a figure names is among the file's, and every source of the file is named."""
    for name, model in models.items():
        figures = [value for key, value in model.items() if isinstance(value, dict) and "source" in value] + list(model["classes"].values())
        named = set().union(*(sources_of(figure["source"]) for figure in figures))
        check(named == set(model["sources"]), name, "sources", sorted(named ^ set(model["sources"])))
        check(all(re.search(r"\w{3}", text) for text in model["sources"].values()), name, "an empty source")


def main():
    folder, case = pathlib.Path(sys.argv[1]), sys.argv[2]
    models = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    check(set(models) == set(models_llvm.PROCESSORS), "models", set(models))
    globals()[f"case_{case}"](models)


main()
