#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The presets of the emulator, with its events that they are made of, as rows of a C table, for the tools.

Usage: emulated_rows.py --out FILE emulated.csv
"""
import argparse
import csv
import pathlib


def row(fields):
    natives = [field for field in fields[3:] if field.startswith("emu::")]
    return f'{{"{fields[1]}", "{",".join(natives)}"}},'


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("table", type=pathlib.Path)
    arguments = parser.parse_args()
    with open(arguments.table, encoding="ascii", newline="") as file:
        rows = [row(fields) for fields in csv.reader(file)
                if fields and fields[0] == "PRESET"]
    arguments.out.write_text("\n".join(rows) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
