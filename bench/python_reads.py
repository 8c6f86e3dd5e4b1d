#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Usage: python_reads.py PACKAGES LIBPAPI LOOP

What reading an event set from Python costs more than from C: nanoseconds a read of one software event, by a reader's
function, the reader, and EventSet.read, in turns with the same loop in C (LOOP: its library). Each figure is the least
of many turns. Status 1: the reader's function costs more than 1 us more than C.
"""
import ctypes
import itertools
import os
import sys
import time

READS, TURNS, SECONDS, LIMIT = 1000, 30, 60, 1000


def nanoseconds(function):
    """Of a call, the loop included."""
    begin = time.perf_counter_ns()
    for _ in itertools.repeat(None, READS):
        function()
    return (time.perf_counter_ns() - begin) / READS


def main():
    packages, library, loop = sys.argv[1:]
    os.environ["PAPI_PYTHON_LIBRARY"] = library
    sys.path.insert(0, packages)
    import papi
    c = ctypes.PyDLL(loop).nanoseconds_of_a_read
    c.restype = ctypes.c_double
    events = papi.EventSet("perf::PAGE-FAULTS")
    reader = events.reader()
    ways = {"PAPI_read in C": None, "reader.function()": reader.function(), "reader": reader, "events.read()": events.read}
    least = dict.fromkeys(ways, float("inf"))
    events.start()
    end = time.monotonic() + SECONDS
    # On a busy machine the least comes later.
    for turn in itertools.count():
        for name, function in ways.items():
            took = c(events.handle, reader.values, READS) if function is None else nanoseconds(function)
            if took < 0:
                sys.exit("python_reads.py: PAPI_read failed")
            least[name] = min(least[name], took)
        more = least["reader.function()"] - least["PAPI_read in C"]
        if turn >= TURNS and more <= LIMIT or time.monotonic() > end:
            break
    events.stop()
    for name, took in least.items():
        print("%-20s %8.0f ns" % (name, took))
    print("The reader's function costs %.0f ns more than C; the limit is %d." % (more, LIMIT))
    return more > LIMIT


if __name__ == "__main__":
    sys.exit(main())
