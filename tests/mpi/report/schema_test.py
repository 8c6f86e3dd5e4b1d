#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""schema_test.py SCHEMA DOCUMENT made MAKE_PAGES   results of jobs that nobody ran are as the schema has them
schema_test.py SCHEMA DOCUMENT job PROGRAM       so is that of a job with all that can be recorded
schema_test.py SCHEMA DOCUMENT names             the schema and the document name the same keys, and faults are found

A key that the schema does not have is a fault here, though readers ignore it."""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIP: Python's jsonschema is not installed (package python3-jsonschema)")
    sys.exit(77)

MADE = ("two", "single", "thin", "nodes", "no-rows", "recovered", "regions", "no-counters", "nothing")


def strict(schema):
    """The same, but that objects have no other keys."""
    made = copy.deepcopy(schema)

    def close(node):
        if isinstance(node, dict):
            if node.get("type") == "object":
                node["additionalProperties"] = False
            for value in node.values():
                close(value)
        elif isinstance(node, list):
            for value in node:
                close(value)
    close(made)
    return jsonschema.Draft7Validator(made)


def faults(validator, name, result):
    return [f"{name}: {'.'.join(map(str, fault.absolute_path))}: {fault.message[:200]}" for fault in validator.iter_errors(result)]


def check_made(validator, make_pages):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([make_pages, folder, *MADE], check=True, stdout=subprocess.DEVNULL, timeout=900)
        for name in MADE:
            found += faults(validator, name, json.loads((pathlib.Path(folder) / f"{name}.json").read_text(encoding="utf-8")))
    return found


def check_job(validator, program):
    from mpirun import run  # pylint: disable=import-outside-toplevel
    outcome = run(None, 4, [program, "ring"], env={"PAPI_EVENTS": "perf::PAGE-FAULTS,@ipc", "PAPI_MPI_PATH": "1"}).check()
    result = outcome.result
    found = faults(validator, "the job", result)
    for key in ("path", "sites", "matrix", "course", "partners", "rows", "calls", "metrics"):
        if not result.get(key):
            found.append(f"the job has no {key}, which were to be looked at")
    return found


def keys_of(schema):
    keys = set()

    def collect(node):
        if isinstance(node, dict):
            keys.update(node.get("properties", {}))
            for value in node.values():
                collect(value)
        elif isinstance(node, list):
            for value in node:
                collect(value)
    collect(schema)
    return keys


def check_names(schema, validator, document):
    """Each key is in the document, in code; each fault that a result may have is found."""
    words = {word for code in re.findall(r"`([^`]+)`", document) for word in re.findall(r"\w+", code)}
    found = [f"docs/mpi-result.md does not have {key}" for key in sorted(keys_of(schema) - words)]
    tables = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", document, re.M)
    named = {key for row in tables for key in re.findall(r"`(\w+)`", row)}
    found += [f"the schema does not have {key}" for key in sorted(named - keys_of(schema))]
    jsonschema.Draft7Validator.check_schema(schema)
    for wrong in ({}, {"format": "papi_mpi result", "version": 2}, [], {"unknown": 1}):
        if not list(validator.iter_errors(wrong)):
            found.append(f"no fault was found in {wrong}")
    return found


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    document = pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")
    validator, case = strict(schema), sys.argv[3]
    if case == "made":
        found = check_made(validator, sys.argv[4])
    elif case == "job":
        found = check_job(validator, sys.argv[4])
    else:
        found = check_names(schema, validator, document)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
