#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report_test.py MAKE_PAGES PAPI_MPI_REPORT: papi_mpi_report --html makes of each result that MAKE_PAGES writes
the page that MAKE_PAGES wrote of the same job: nothing is lost in the file and in reading it."""
import glob
import os
import subprocess
import sys
import tempfile


def main():
    make_pages, report = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="papi-pages-") as directory:
        subprocess.run([make_pages, directory], check=True, timeout=600)
        # broken.json is not a result.
        sentences = glob.glob(os.path.join(directory, "*.txt"))
        for sentence in sentences:
            base = sentence[:-len(".txt")]
            with open(base + ".html", "rb") as file:
                expected = file.read()
            found = subprocess.run([report, "--html", base + ".json"], stdout=subprocess.PIPE, timeout=600)
            if found.returncode != 0 or found.stdout != expected:
                print(f"{os.path.basename(base)}: exit status {found.returncode}, {len(found.stdout)} bytes that differ "
                      f"from the {len(expected)} of the page")
                failed += 1
    print(f"{len(sentences)} pages compared, {failed} differ")
    return 1 if failed or not sentences else 0


if __name__ == "__main__":
    sys.exit(main())
