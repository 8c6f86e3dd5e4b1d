# SPDX-License-Identifier: BSD-3-Clause
"""Event sets as objects."""
import copy
import gc
import mmap
import os
import pathlib
import pickle
import subprocess
import sys
import threading
import time
import unittest

from case import CLOCK, FAULTS, SETTINGS, interrupting, main, python

import papi
from papi import event_set, low

PAGES = 2000


def touch(pages):
    """Writes to pages that nobody has touched."""
    with mmap.mmap(-1, pages * mmap.PAGESIZE) as memory:
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        for page in range(pages):
            memory[page * mmap.PAGESIZE] = 1


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class EventSets(unittest.TestCase):
    def setUp(self):
        touch(PAGES)  # what the interpreter needs for it, it has

    def test_with(self):
        with papi.EventSet(FAULTS, CLOCK) as events:
            touch(PAGES)
        self.assertEqual(list(events.counts), [FAULTS, CLOCK])
        self.assertTrue(PAGES <= events.counts[FAULTS] <= PAGES + 20, events.counts)
        self.assertGreater(events.seconds, 0)
        self.assertFalse(events.running)

    def test_share(self):
        with papi.EventSet(FAULTS, CLOCK, share=True, wait=0.5) as events:
            touch(PAGES)
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)
        self.assertEqual(events.shares, {FAULTS: 1, CLOCK: 1})
        self.assertTrue(low.state(events.handle) & low.PAPI_SHARING)
        self.assertEqual(low.get_opt(low.PAPI_WAIT, eventset=events.handle).seconds, 0.5)

    def test_error_inside(self):
        events = papi.EventSet(FAULTS)
        with self.assertRaises(KeyError):
            with events:
                touch(PAGES)
                raise KeyError("mine")
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)
        with events:
            pass
        self.assertLess(events.counts[FAULTS], 20)

    def test_stopped_inside(self):
        with papi.EventSet(FAULTS) as events:
            touch(PAGES)
            counts = events.stop()
        self.assertEqual(events.counts, counts)

    def test_read_while_it_runs(self):
        with papi.EventSet(FAULTS) as events:
            touch(PAGES)
            first = events.read()[FAULTS]
            touch(PAGES)
            second = events.read()[FAULTS]
        self.assertTrue(PAGES <= second - first <= PAGES + 20)

    def test_reader(self):
        events = papi.EventSet(FAULTS)
        reader = events.reader()
        read = reader.function()
        events.start()
        touch(PAGES)
        self.assertEqual(read(), 0)
        first = reader.values[0]
        self.assertGreaterEqual(first, PAGES)
        touch(PAGES)
        reader()
        self.assertTrue(PAGES <= reader.values[0] - first <= PAGES + 20)
        events.close()
        with self.assertRaises(papi.PapiError):
            reader()
        self.assertLess(read(), 0)

    def test_numpy(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("no numpy")
        events = papi.EventSet(FAULTS, CLOCK)
        with events:
            touch(PAGES)
        self.assertEqual(events.array().tolist(), list(events.counts.values()))
        self.assertEqual(events.array().dtype, numpy.int64)

    def test_real_numbers(self):
        """Counts that are real numbers are not their bits."""
        self.assertEqual(event_set.CONVERSIONS[papi.PAPI_DATATYPE_FP64](0x3ff8000000000000), 1.5)
        self.assertEqual(event_set.CONVERSIONS[papi.PAPI_DATATYPE_UINT64](-1), 2 ** 64 - 1)

    def test_descriptors(self):
        papi.EventSet(FAULTS)
        gc.collect()
        before = descriptors()
        for _ in range(50):
            with papi.EventSet(FAULTS, CLOCK):
                pass
        for _ in range(50):
            with self.assertRaises(papi.PapiError):
                papi.EventSet(FAULTS, "no_such::EVENT")
        gc.collect()
        self.assertEqual(descriptors(), before)

    def test_names_and_codes(self):
        code = papi.low.event_name_to_code(FAULTS)
        events = papi.EventSet(code)
        self.assertEqual(events.names, [FAULTS])
        events.add(CLOCK)
        events.remove(FAULTS)
        with events:
            touch(10)
        self.assertEqual(list(events.counts), [CLOCK])
        self.assertEqual(len(events), 1)

    def test_inherit(self):
        code = ("import mmap, os, papi\n"
                "with papi.EventSet('%s', inherit=True) as e:\n"
                "    if os.fork() == 0:\n"
                "        m = mmap.mmap(-1, %d * mmap.PAGESIZE)\n"
                "        for i in range(%d): m[i * mmap.PAGESIZE] = 1\n"
                "        os._exit(0)\n"
                "    os.wait()\n"
                "print(e.counts['%s'])" % (FAULTS, PAGES, PAGES, FAULTS))
        self.assertGreaterEqual(int(python(code)), PAGES)

    def test_process(self):
        """A process with a thread, and with a process of its own that it has before: pages that these touch."""
        touches = ("import mmap, os, sys, threading\n"
                   "def touch():\n"
                   "    m = mmap.mmap(-1, %d * mmap.PAGESIZE)\n"
                   "    m.madvise(mmap.MADV_NOHUGEPAGE)\n"
                   "    for i in range(%d): m[i * mmap.PAGESIZE] = 1\n"
                   "def obey():\n"
                   "    for line in sys.stdin:\n"
                   "        t = threading.Thread(target=touch)\n"
                   "        t.start()\n"
                   "        t.join()\n"
                   "        print(line, end='', flush=True)\n"
                   "if os.fork() == 0:\n"
                   "    obey()\n"
                   "    os._exit(0)\n"
                   "print('begun', flush=True)\n"
                   "os.wait()\n" % (PAGES, PAGES))
        for tree in False, True:
            with subprocess.Popen([sys.executable, "-c", touches], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  universal_newlines=True) as process:
                self.assertEqual(process.stdout.readline(), "begun\n")
                try:
                    with papi.EventSet(FAULTS, process=process.pid, tree=tree) as events:
                        process.stdin.write("once\n")
                        process.stdin.flush()
                        self.assertEqual(process.stdout.readline(), "once\n")
                finally:
                    process.stdin.close()
            if tree:
                self.assertGreaterEqual(events.counts[FAULTS], PAGES)
            else:  # the one that was started before is none of its threads
                self.assertLess(events.counts[FAULTS], PAGES)

    def test_attachments_that_are_wrong(self):
        before = descriptors()
        with self.assertRaises(ValueError):
            papi.EventSet(FAULTS, tree=True)
        with self.assertRaises(papi.errors.PapiInvalidValueError):
            papi.EventSet(FAULTS, process=0)
        with self.assertRaises(papi.errors.PapiInvalidValueError):
            papi.EventSet(FAULTS, cgroup="/no/such/group")
        self.assertEqual(descriptors(), before)

    def test_cgroup(self):
        """A control group with this process's child, while the child touches pages, and without it."""
        mounts = [line.split() for line in open("/proc/self/mounts")]
        trees = [words[1] for words in mounts if words[2] == "cgroup" and "perf_event" in words[3].split(",")]
        trees += [words[1] for words in mounts if words[2] == "cgroup2"]
        folder = pathlib.Path(trees[0] if trees else "/sys/fs/cgroup", "fpapi_python_%d" % os.getpid())
        try:
            folder.mkdir()
        except OSError as problem:
            self.skipTest("no control group can be made here: %s" % problem)
        try:
            events = papi.EventSet(FAULTS, cgroup=folder)
        except papi.errors.PapiPermissionError as problem:
            self.skipTest("no control group may be counted here: %s" % problem)
        else:
            with events:
                touch(PAGES)  # outside
                self.assertLess(events.read()[FAULTS], PAGES)
                child = os.fork()
                if child == 0:
                    (folder / "cgroup.procs").write_text("%d\n" % os.getpid())
                    touch(PAGES)
                    os._exit(0)
                os.waitpid(child, 0)
            self.assertTrue(PAGES <= events.counts[FAULTS] < 2 * PAGES, events.counts)
        finally:
            folder.rmdir()

    def test_fork(self):
        """The child of a fork cannot read what its parent counts, and its end takes nothing from the parent."""
        code = ("import os, papi\n"
                "e = papi.EventSet('%s')\n"
                "e.start()\n"
                "if os.fork() == 0:\n"
                "    try: e.read()\n"
                "    except papi.errors.PapiCounterLostError: os._exit(7)\n"
                "    os._exit(1)\n"
                "print(os.waitstatus_to_exitcode(os.wait()[1]))\n"
                "x = bytearray(1 << 24)\n"
                "print(e.stop()['%s'] > 0)" % (FAULTS, FAULTS))
        self.assertEqual(python(code), "7\nTrue\n")

    def test_domain(self):
        with self.assertRaises(ValueError):
            papi.EventSet(FAULTS, domain="users")
        with papi.EventSet(CLOCK, domain="all") as events:
            touch(PAGES)
        self.assertGreater(events.counts[CLOCK], 0)

    def test_machine(self):
        self.assertIn("PAPI_TOT_INS", [p.symbol for p in papi.presets(all=True)])
        for preset in papi.presets():
            self.assertGreater(preset.count, 0)
        self.assertIn("perf_event", [c.name for c in papi.components()])
        self.assertGreater(papi.hardware().totalcpus, 0)
        self.assertTrue(any("PAGE-FAULTS" in e.symbol for e in papi.native_events()))


class Handles(unittest.TestCase):
    """What is done by the handle of an event set, beside its object."""

    def test_changed(self):
        """Events that the object has not added have their names and places."""
        events = papi.EventSet(FAULTS)
        for name in (CLOCK, "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"):
            low.add_named_event(events.handle, name)
        with events:
            touch(PAGES)
        self.assertEqual(list(events.counts), events.names)
        self.assertEqual(events.names, [FAULTS, CLOCK, "perf::CONTEXT-SWITCHES", "perf::CPU-MIGRATIONS"])
        low.remove_named_event(events.handle, FAULTS)
        low.remove_named_event(events.handle, "perf::CONTEXT-SWITCHES")
        low.add_named_event(events.handle, FAULTS)
        with events:
            touch(PAGES)
            self.assertGreaterEqual(events.read()[FAULTS], PAGES)
        self.assertEqual(events.names, [CLOCK, "perf::CPU-MIGRATIONS", FAULTS])
        self.assertTrue(PAGES <= events.counts[FAULTS] <= PAGES + 50, events.counts)

    def test_stopped(self):
        """Counts are those of this run, not of the one before."""
        events = papi.EventSet(FAULTS)
        with events:
            touch(PAGES)
        with events:
            touch(PAGES // 2)
            low.stop(events.handle)
        self.assertTrue(PAGES // 2 <= events.counts[FAULTS] <= PAGES // 2 + 50, events.counts)
        self.assertIsNone(events.seconds)  # nobody knows when it was stopped
        events.start()
        self.assertEqual((events.counts, events.seconds), ({}, None))
        events.stop()

    def test_failed_start(self):
        events = papi.EventSet(FAULTS)
        with events:
            touch(PAGES)
            counts = events.read()
            with self.assertRaises(papi.errors.PapiIsRunningError):
                events.start()
            self.assertEqual(events.counts, counts)
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)

    def test_closed_inside(self):
        with papi.EventSet(FAULTS) as events:
            events.close()
        self.assertEqual(events.counts, {})

    def test_after_shutdown(self):
        """A handle from before is no other event set's, and its object does not end one."""
        code = ("import papi\n"
                "old = papi.EventSet('%s')\n"
                "read = old.reader().function()\n"
                "papi.low.shutdown()\n"
                "new = [papi.EventSet('%s') for _ in range(100)]\n"
                "for e in new: e.start()\n"
                "for call in (old.start, old.stop, old.read):\n"
                "    try: call()\n"
                "    except papi.errors.PapiNoEventSetError: print('none')\n"
                "print(read() == papi.PAPI_ENOEVST)\n"
                "del old\n"
                "print(all(e.running for e in new))\n" % (FAULTS, FAULTS))
        self.assertEqual(python(code), "none\n" * 3 + "True\nTrue\n")


class Readers(unittest.TestCase):
    def test_changed(self):
        """A reader of other events than those of the set would write behind its array, or under the wrong names."""
        for change in (lambda e: e.add(CLOCK), lambda e: e.remove(FAULTS), lambda e: e.close()):
            events = papi.EventSet(FAULTS)
            reader = events.reader()
            read = reader.function()
            change(events)
            self.assertEqual(read(), papi.PAPI_ENOEVST)
            with self.assertRaises(papi.errors.PapiNoEventSetError):
                reader()

    def test_no_write_behind(self):
        events = papi.EventSet(FAULTS)
        reader = events.reader()
        low.add_named_event(events.handle, CLOCK)
        low.add_named_event(events.handle, "perf::CONTEXT-SWITCHES")
        after = [bytearray(64) for _ in range(100)]
        events.start()
        self.assertEqual(reader.function()(), 0)
        events.stop()
        self.assertEqual(len(reader.values), 1)
        self.assertTrue(all(not any(memory) for memory in after))

    def test_real_numbers(self):
        code = ("import papi\n"
                "events = papi.EventSet('sde:::reals::growth', '%s')\n"
                "reader = events.reader()\n"
                "events.start()\n"
                "for i in range(3): reader()\n"
                "print(reader.counts['sde:::reals::growth'])\n"
                "print(events.read()['sde:::reals::growth'], type(events.counts['sde:::reals::growth']))\n"
                % "sde:::reals::residual")
        self.assertEqual(python(code, LD_PRELOAD=SETTINGS["reals"]), "1.5\n2.0 <class 'float'>\n")


class Figures(unittest.TestCase):
    def test_seconds(self):
        """The time is that in which the counts were counted: a rate would be too low or too high otherwise."""
        events = papi.EventSet(FAULTS)
        begun = time.monotonic()
        events.start()
        time.sleep(0.3)
        events.reset()
        time.sleep(0.1)
        events.read()
        self.assertTrue(0.1 <= events.seconds <= time.monotonic() - begun - 0.3, events.seconds)
        events.stop()
        stopped = events.seconds
        time.sleep(0.1)
        events.read()
        self.assertEqual(events.seconds, stopped)

    def test_metric_of_other_events(self):
        events = papi.EventSet(FAULTS)
        for change in (lambda: None, lambda: (events.add(CLOCK), events.remove(FAULTS))):
            change()
            with self.assertRaisesRegex(papi.errors.PapiNotRunningError, "no counts of these events yet"):
                events.metric("ipc")
            with events:
                touch(10)
            self.assertEqual(len(events._taken()), 1)

    def test_remove(self):
        """By what remove takes, the counts keep their names."""
        code = low.event_name_to_code(FAULTS)
        for event in (code, code & 0xffffffff, FAULTS, FAULTS.encode()):
            events = papi.EventSet(FAULTS, CLOCK)
            events.remove(event)
            with events:
                touch(PAGES)
            self.assertEqual(list(events.counts), [CLOCK])
            self.assertGreater(events.counts[CLOCK], 0)
            self.assertRaises(ValueError, events.remove, event)
            self.assertEqual(events.names, [CLOCK])

    def test_interrupted(self):
        """Signals that come between the call of C and what the object notes of it."""
        interrupted = 0
        with interrupting() as arm:
            for i in range(300):
                events = papi.EventSet(FAULTS)
                try:
                    arm(i)
                    events.add(CLOCK)
                    events.remove(FAULTS)
                    with events:
                        pass
                    arm()
                except KeyboardInterrupt:
                    interrupted += 1
                arm()
                if events.running:
                    events.stop()
                events.start()
                counts = events.stop()
                self.assertEqual(list(counts), [low.event_code_to_name(c) for c in low.list_events(events.handle)])
        self.assertGreater(interrupted, 0)

    def test_copies(self):
        """A copy would free the original's counters, or count by another process's handle."""
        events = papi.EventSet(FAULTS)
        for made in (copy.copy, copy.deepcopy, pickle.dumps):
            with self.assertRaisesRegex(TypeError, "cannot be copied"):
                made(events)
        with events:
            touch(PAGES)
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)

    def test_component(self):
        """Options belong to the component of the events."""
        code = ("import papi\n"
                "events = papi.EventSet('sde:::reals::growth', inherit=True)\n"
                "print(papi.components()[papi.low.get_eventset_component(events.handle)].name)\n")
        self.assertEqual(python(code, LD_PRELOAD=SETTINGS["reals"]), "sde\n")


class OtherThread(unittest.TestCase):
    def test_closed(self):
        """An event set whose object goes in another thread is freed when its own makes the next."""
        papi.EventSet(FAULTS)
        gc.collect()
        before = descriptors()
        for end in (lambda e: e.close(), lambda e: e.__del__()):
            events = papi.EventSet(FAULTS, CLOCK)
            events.start()
            thread = threading.Thread(target=end, args=(events,))
            thread.start()
            thread.join()
            del events, thread
        papi.EventSet(FAULTS).close()
        self.assertEqual(descriptors(), before)

    def test_collected(self):
        papi.EventSet(FAULTS)
        gc.collect()
        before = descriptors()
        for _ in range(20):
            events = papi.EventSet(FAULTS)
            events.start()
            events.itself = events
            del events
            thread = threading.Thread(target=gc.collect)
            thread.start()
            thread.join()
        papi.EventSet(FAULTS).close()
        self.assertEqual(descriptors(), before)


if __name__ == "__main__":
    main()
