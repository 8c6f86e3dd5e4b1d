#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: raw_rows.py [--check FILE] [--without TERM]... --of CPU RULE... --from TABLE.csv...

Prints the table of a processor of Intel's or AMD's that libpfm4 knows as one for processors that have the same cores and
that it does not know: each event as the fields of the kernel's PMU, below rules (docs/events.md).

--without: leaves out the rows with an event of this field, or with this field=number: what the other processors
do not have, or have otherwise.

--check: says whether FILE is what would be printed; exit status 1: not, 77: libpfm4 does not know CPU here.
"""
import argparse
import csv
import ctypes
import io
import os
import pathlib
import sys

# libpfm4's interface: perfmon/pfmlib_perf_event.h, linux/perf_event.h
PFM_SUCCESS, PFM_PLM3, PFM_OS_PERF_EVENT, PERF_TYPE_RAW = 0, 8, 1, 4


class Attributes(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("size", ctypes.c_uint32), ("config", ctypes.c_uint64),
                ("period", ctypes.c_uint64), ("sample_type", ctypes.c_uint64), ("read_format", ctypes.c_uint64),
                ("flags", ctypes.c_uint64), ("wakeup", ctypes.c_uint32), ("bp_type", ctypes.c_uint32),
                ("config1", ctypes.c_uint64), ("config2", ctypes.c_uint64), ("rest", ctypes.c_uint64 * 16)]


class Argument(ctypes.Structure):
    _fields_ = [("attr", ctypes.POINTER(Attributes)), ("fstr", ctypes.POINTER(ctypes.c_char_p)),
                ("size", ctypes.c_size_t), ("idx", ctypes.c_int), ("cpu", ctypes.c_int),
                ("flags", ctypes.c_int), ("pad", ctypes.c_int)]


class Pfm:
    def __init__(self):
        os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
        self.library = ctypes.CDLL("libpfm.so.4")
        self.library.pfm_strerror.restype = ctypes.c_char_p
        if self.library.pfm_initialize() != PFM_SUCCESS:
            raise SystemExit("libpfm4 does not start")

    def encode(self, name):
        attributes = Attributes()
        argument = Argument(attr=ctypes.pointer(attributes), size=ctypes.sizeof(Argument))
        code = self.library.pfm_get_os_event_encoding(name.encode(), PFM_PLM3, PFM_OS_PERF_EVENT,
                                                      ctypes.byref(argument))
        if code != PFM_SUCCESS:
            raise ValueError(f"{name}: {self.library.pfm_strerror(code).decode()}")
        return attributes


# The fields of config in format/ of the PMU, each by its bits (the first one and how many) from the lowest on,
# and those of Intel's config1 by the event that has them.
COMMON = [("umask", (8, 8)), ("edge", (18, 1)), ("inv", (23, 1)), ("cmask", (24, 8))]
INTEL = [("event", (0, 8)), *COMMON]
AMD = [("event", (0, 8), (32, 4)), *COMMON]
MORE = {0x2A: "offcore_rsp", 0x2B: "offcore_rsp", 0xB7: "offcore_rsp", 0xBB: "offcore_rsp", 0xC6: "frontend",
        0xCD: "ldlat"}


def fields(attributes, name):
    """The event in the kernel's spelling, without the PMU."""
    if attributes.type != PERF_TYPE_RAW or attributes.config2:
        raise ValueError(f"{name} is not an event of the processor's core")
    left, terms = attributes.config, []
    for field, *bits in AMD if name.startswith("amd64") else INTEL:
        value = width = 0
        for first, more in bits:
            part = attributes.config >> first & (1 << more) - 1
            left &= ~(part << first)
            value |= part << width
            width += more
        if value or field == "event":
            terms.append(field if width == 1 else f"{field}={value:#04x}")
    if left:
        raise ValueError(f"{name}: no field has the bits {left:#x}")
    if attributes.config1:
        if attributes.config & 0xFF not in MORE:
            raise ValueError(f"{name}: no field has {attributes.config1:#x} of config1")
        terms.append(f"{MORE[attributes.config & 0xFF]}={attributes.config1:#x}")
    return "/" + ",".join(terms) + "/"


def rows_of(cpu, tables):
    """The PRESET rows of a processor; a later one replaces an earlier."""
    rows = {}
    for table in tables:
        here = in_cpu_rows = False
        for row in csv.reader(line for line in table.read_text(encoding="ascii").splitlines()
                              if not line.startswith("#")):
            if not row:
                continue
            if row[0] == "CPU":
                here = (here and in_cpu_rows) or row[1] == cpu
            elif here and row[0] == "PRESET":
                rows.pop(row[1], None)
                rows[row[1]] = row
            in_cpu_rows = row[0] == "CPU"
    return list(rows.values())


def raw(row, cpu, pfm):
    first = 4 if row[2] == "DERIVED_POSTFIX" else 3
    end = row.index("NOTE") if "NOTE" in row else len(row)
    return row[:first] + [raw_event(name, cpu, pfm) for name in row[first:end]] + row[end:]


def raw_event(name, cpu, pfm):
    if name.startswith("cpu/"):  # it is spelled so in the table, too
        return name[len("cpu"):]
    name = name if "::" in name else f"{cpu}::{name}"
    return fields(pfm.encode(name), name)


def has_term(row, without):
    terms = {term for event in row if event.startswith("/") for term in event.strip("/").split(",")}
    return bool(without & (terms | {term.split("=")[0] for term in terms}))


def text_of(rules, cpu, rows):
    out = io.StringIO()
    out.write("# SPDX-License-Identifier: BSD-3-Clause\n"
              f"# Made by presets/raw_rows.py from the table of {cpu}: the same cores, under a number that libpfm4\n"
              "# does not know.\n")
    for rule in rules:
        out.write(f"CPU,{rule}\n")
    out.write("#\n")
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", type=pathlib.Path)
    parser.add_argument("--of", required=True)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--from", dest="tables", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("rules", nargs="+")
    arguments = parser.parse_intermixed_args()
    pfm = Pfm()
    rows = rows_of(arguments.of, arguments.tables)
    if not rows:
        raise SystemExit(f"no table has rows for {arguments.of}")
    try:
        rows = [raw(row, arguments.of, pfm) for row in rows]
        rows = [row for row in rows if not has_term(row, set(arguments.without))]
        text = text_of(arguments.rules, arguments.of, rows)
    except ValueError as error:
        print(error)
        # Built for another architecture, it knows none of its events.
        sys.exit(77 if arguments.check and os.uname().machine not in ("x86_64", "i686") else 1)
    if arguments.check is None:
        print(text, end="")
    elif arguments.check.read_text(encoding="ascii") != text:
        raise SystemExit(f"{arguments.check} is not what raw_rows.py makes of the table of {arguments.of}: make it anew")


if __name__ == "__main__":
    main()
