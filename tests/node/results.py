# SPDX-License-Identifier: BSD-3-Clause
"""What programs left on an emulated node whose logs end with a document (show=FILE in programs.list): for tests that read it."""
import json
import re
import sys


def check(holds, *what):
    if not holds:
        sys.exit("FAILED: " + "\n".join(map(str, what)))


def read(results, name):
    """The JSON document in a program's log, and the text before it. Where the node was skipped, this test is, too."""
    if (results / "skip").exists():
        print((results / "skip").read_text(), end="")
        sys.exit(77)
    check((results / f"{name}.status").exists(), f"the node did not run {name}")
    text = (results / f"{name}.log").read_text()
    check((results / f"{name}.status").read_text().strip() == "0", text)
    document = re.search(r"^\{$.*?^\}$", text, re.MULTILINE | re.DOTALL)
    check(document, "no document in the log:", text)
    print(text[:document.start()])
    return json.loads(document[0]), text[:document.start()]
