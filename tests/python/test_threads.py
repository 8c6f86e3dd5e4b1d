# SPDX-License-Identifier: BSD-3-Clause
"""Threads: each has its own event sets; locks do not stop the interpreter."""
import threading
import unittest

from case import FAULTS, main
from test_event_sets import PAGES, touch

import papi
from papi import low


def in_thread(work):
    """What work gives, or raises, in another thread."""
    found = []

    def run():
        try:
            found.append(work())
        except Exception as error:
            found.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    return found[0]


class Threads(unittest.TestCase):
    def test_each_counts_its_own(self):
        def work():
            touch(10)
            with papi.EventSet(FAULTS) as events:
                touch(PAGES)
            return events.counts[FAULTS]
        with papi.EventSet(FAULTS) as mine:
            other = in_thread(work)
        self.assertTrue(PAGES <= other <= PAGES + 20, other)
        self.assertLess(mine.counts[FAULTS], PAGES / 2)

    def test_another_threads_set(self):
        events = papi.EventSet(FAULTS)
        self.assertIsInstance(in_thread(events.start), papi.errors.PapiNoEventSetError)
        with events:
            touch(PAGES)
        self.assertGreaterEqual(events.counts[FAULTS], PAGES)

    def test_measured(self):
        @papi.measure(FAULTS)
        def work():
            touch(PAGES)
        work()
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(work.papi.calls, 5)
        self.assertTrue(5 * PAGES <= work.papi.counts[FAULTS] <= 5 * PAGES + 500, work.papi.counts)

    def test_lock(self):
        """A thread that waits for a lock lets the one that has it go on."""
        papi.EventSet(FAULTS)
        low.lock(low.PAPI_LOCK_USR1)
        waiting = threading.Thread(target=lambda: (low.lock(low.PAPI_LOCK_USR1), low.unlock(low.PAPI_LOCK_USR1)))
        waiting.start()
        waiting.join(0.2)
        self.assertTrue(waiting.is_alive())
        low.unlock(low.PAPI_LOCK_USR1)
        waiting.join(60)
        self.assertFalse(waiting.is_alive())

    def test_numbers(self):
        papi.EventSet(FAULTS)
        low.thread_init()
        self.assertEqual(low.thread_id(), threading.get_ident())
        self.assertIn(threading.get_ident(), low.list_threads())
        with self.assertRaises(papi.errors.PapiNotSupportedError):
            low.thread_init(threading.get_ident)


if __name__ == "__main__":
    main()
