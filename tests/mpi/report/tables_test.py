#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tables_test.py MPI_DOC PAPI_MPI_REPORT pandas|r: what the manual says of --csv=long, run by the program itself, gives the figures
of a result, with regions and without."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import result

PRINTS = {
    "pandas": ("python", "\nimport json\nprint(json.dumps([sorted((int(r), int(v)) for r, v in ranks['useful'].items()),"
                         " sorted((int(r), int(v)) for r, v in zip(waits['rank'], waits['value']))]))\n"),
    "r": ("r", '\nwrite(paste("[[", paste0("[", ranks$rank, ",", format(ranks$value, scientific = FALSE), "]", collapse = ","), "],[",'
               ' paste0("[", waits$rank, ",", format(waits$value, scientific = FALSE), "]", collapse = ","), "]]"), stdout())\n'),
}


def program(kind):
    """What runs a script of the kind, or None."""
    if kind == "r":
        return shutil.which("Rscript")
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pandas"], capture_output=True, check=False).returncode == 0:
            return python
    return None


def given(regions):
    calls = [result.call("MPI_Waitall", 10, 600, kind="completion")]
    job = result.result([5 * 10**9, 6 * 10**9, 7 * 10**9], calls=calls, regions=regions)
    job["call_values"], job["row_calls"] = ["calls", "ns", "bytes"], ["MPI_Waitall"]
    job["region_values"] = ["visits", "ns", "mpi_ns"]
    for row in job["rows"]:
        row["calls"] = [[row["rank"] + 1, 100 * (row["rank"] + 1), 0]] if row["rank"] != 1 else [None]
        if regions:
            row["regions"] = [[1, 2, 3] for _ in regions]
    return job


def main():
    document, report, kind = sys.argv[1:]
    runs = program(kind)
    if runs is None:
        print(f"SKIP: no {'R' if kind == 'r' else 'pandas'} here")
        return 77
    language, prints = PRINTS[kind]
    part = pathlib.Path(document).read_text(encoding="utf-8").split("### The result in pandas, R and Hatchet")[1]
    lines = re.search(rf"```{language}\n(.*?)```", part, re.S)[1]
    for regions in ((), (result.region("NA", 1, 2), result.region("null", 1, 2))):
        with tempfile.TemporaryDirectory(prefix="papi-tables-") as folder:
            path = result.write(pathlib.Path(folder) / "job.json", given(regions))
            table = subprocess.run([report, "--csv=long", path], capture_output=True, check=True).stdout
            (pathlib.Path(folder) / "all.csv").write_bytes(table)
            (pathlib.Path(folder) / "script").write_text(lines + prints)
            done = subprocess.run([runs, "script"], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{lines}\n{done.stderr}")
            found = json.loads(done.stdout)
            wanted = [[[0, 5 * 10**9], [1, 6 * 10**9], [2, 7 * 10**9]], [[0, 100], [2, 300]]]
            if found != wanted:
                sys.exit(f"{lines}\n{found} instead of {wanted}")
    print(f"{runs}: the same figures")
    return 0


if __name__ == "__main__":
    sys.exit(main())
