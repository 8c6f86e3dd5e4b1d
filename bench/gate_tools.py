# SPDX-License-Identifier: BSD-3-Clause
"""What the benches of papi_gate share: the tools of a build tree, and the events that papi_gate judges."""
import os

JUDGED = ("INSTRUCTIONS", "FP_OPS", "FP_DIVIDE_INSTRUCTIONS", "FP_SQRT_INSTRUCTIONS", "LOADS", "STORES", "BRANCHES", "CALLS", "SYSTEM_CALLS")


def tool(build, name):
    """The tool that was built last; None: there is none. Tests of the installation keep older ones elsewhere in the tree."""
    found = [path for path in (build / "src-c").rglob(name) if path.is_file() and os.access(path, os.X_OK) and "completion" not in path.parts]
    return found[0] if found else None
