#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The result file, whatever is in it: json_test.py JSON_CASES DOCUMENT; in a locale with commas: json_test.py JSON_CASES"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import comma  # noqa: E402

LENGTH = 1472
MOST = 2 ** 63 - 1
ROW = {"rank": int, "node": int, "host": str, "pid": int, "state": str, "threads": int, "inside": (str, type(None)),
       "partners": int, "busiest_peer": (int, type(None)), "busiest_bytes": int, "values": list}


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    elif isinstance(value, int):
        yield value


def load(program, *case):
    text = subprocess.run([program, *case], capture_output=True, check=True, timeout=600).stdout
    result = json.loads(text.decode("utf-8"), parse_constant=refuse)
    head = text.index(b'"rows": [\n') + len(b'"rows": [\n')
    regions = len(result["regions"]) if result["rows"] and "regions" in result["rows"][0] else 0
    calls = len(result["row_calls"])
    length = LENGTH + regions * (3 + 20 * (3 + len(result["counters"]))) + calls * 83
    for i, row in enumerate(result["rows"]):
        line = text[head + i * length:head + (i + 1) * length]
        assert line.endswith(b"  \n") and line.count(b"\n") == 1, (case, line)
        assert b"#" not in line[len(line.rstrip()):], line
        assert all(isinstance(row[key], kind) for key, kind in ROW.items()) and len(row) == len(ROW) + (regions > 0) + (calls > 0), row
        assert len(row.get("regions", [])) == regions, row
        assert all(one is None or len(one) == len(result["region_values"]) for one in row.get("regions", [])), row
        assert len(row["values"]) == len(result["row_values"]), row
    assert text[head + len(result["rows"]) * length:] == b"  ]\n}\n", case
    assert all(-MOST - 1 <= number <= MOST for number in numbers(result)), case
    for metric in result["metrics"]:
        assert re.fullmatch("[0-9]{1,39}", metric["sum"]) and re.fullmatch("[0-9]{1,39}", metric["squares"]), metric
        starts = [start for start, _ in metric["buckets"]]
        assert starts == sorted(starts) and sum(n for _, n in metric["buckets"]) == metric["count"], metric
    return result


def keys_of(result):
    """Every key, and of which part."""
    found = {("", key) for key in result}
    for part in ("job", "efficiency", "rates", "matrix", "course", "path"):
        found |= {(part, key) for key in result[part]}
    for part in ("counters", "metrics", "calls", "communicators", "objects", "sites", "partners", "regions", "rows"):
        found |= {(part, key) for item in result.get(part, []) for key in item}
    return found


def is_documented(result, document):
    text = open(document, encoding="utf-8").read()
    for part, key in sorted(keys_of(result)):
        assert f"`{key}`" in text, f"{document} has nothing on {part} {key}"
    fixed = [metric["key"] for metric in result["metrics"] if "." not in metric["key"]]
    for key in fixed:
        assert f"`{key}`" in text, f"{document} has nothing on the metric {key}"
    assert f"each of {LENGTH:,} bytes" in text and f'`{result["version"]}`' in text


def in_a_locale(program):
    with tempfile.TemporaryDirectory() as folder:
        locale = comma.environment(folder)
        if locale is None:
            print("SKIP: the locale de_DE cannot be made (package locales)")
            return 77
        os.environ.update(locale)
        assert "," in subprocess.run([program, "point"], capture_output=True, check=True, text=True).stdout
        for seed in range(20):
            load(program, "hostile", str(seed))
    return 0


def main():
    program, document = sys.argv[1:]
    empty = load(program, "empty")
    assert empty["rows"] == [] and empty["counters"] == [] and empty["efficiency"]["parallel"] is None, empty
    assert empty["rates"] == dict.fromkeys(("sent_rate", "received_rate", "message_rate")), empty
    assert len(empty["metrics"]) == 27 and len(empty["row_values"]) == 24, empty
    states = load(program, "states")
    assert [row["state"] for row in states["rows"]] == \
        ["unknown", "runs", "finalized", "aborts", "exits", "finalized"], states["rows"]
    assert [row["inside"] for row in states["rows"][:2]] == [None, "MPI_Recv"], states["rows"]
    assert states["rows"][1]["values"] == [None] * 24, states["rows"]
    largest = load(program, "largest")
    assert largest["rows"][0]["values"] == [MOST] * 48 and largest["rows"][0]["host"] == "h" * 64, largest["rows"]
    assert largest["rows"][-1]["regions"] == [[MOST] * 3 + [None] * 12] * 128, largest["rows"][-1]
    assert largest["metrics"][-1]["key"] == "outside_mpi.11", largest["metrics"][-1]
    assert [len(region["calls"]) for region in largest["regions"]] == [4] * 128, largest["regions"]
    assert largest["regions"][5]["calls"][0]["ns"] == MOST, largest["regions"][5]
    assert largest["regions"][5]["name"] == '"' * 63, largest["regions"]
    kinds = [one["kind"] for one in largest["communicators"]]
    assert kinds == ["made"] * 64 + ["others", "windows", "files", "requests", "none"], kinds
    assert largest["communicators"][0]["ns"] == MOST and largest["communicators"][0]["name"] == '"' * 63, largest["communicators"][0]
    assert "communicators" not in empty, empty
    largest["calls"] = load(program, "hostile", "1")["calls"]
    is_documented(largest, document)
    for seed in range(100):
        load(program, "hostile", str(seed))
    print("valid: empty, states, largest, 100 hostile ones")


sys.exit(main() if len(sys.argv) > 2 else in_a_locale(sys.argv[1]))
