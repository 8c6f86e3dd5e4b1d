# SPDX-License-Identifier: BSD-3-Clause
"""The functions of papi.low give what those of C give."""
import ctypes
import os
import subprocess
import sys
import unittest

from case import CLOCK, FAULTS, SETTINGS, main

from papi import errors, low

C = ctypes.CDLL(SETTINGS["library"])  # the same library, by hand
C.PAPI_get_real_nsec.restype = ctypes.c_longlong


class Low(unittest.TestCase):
    def setUp(self):
        low.library_init()
        self.es = low.create_eventset()

    def tearDown(self):
        if low.is_initialized():
            if low.state(self.es) & low.PAPI_RUNNING:
                low.stop(self.es)
            low.cleanup_eventset(self.es)
            low.destroy_eventset(self.es)

    def test_threads_of_a_process(self):
        """80 threads that touch 10 pages each: rows of two events, whose sums are the set's counts."""
        code = ("import mmap, sys, threading\n"
                "def touch():\n"
                "    m = mmap.mmap(-1, 10 * mmap.PAGESIZE)\n"
                "    m.madvise(mmap.MADV_NOHUGEPAGE)\n"
                "    for i in range(10): m[i * mmap.PAGESIZE] = 1\n"
                "print('begun', flush=True)\n"
                "sys.stdin.readline()\n"
                "for _ in range(80):\n"
                "    t = threading.Thread(target=touch)\n"
                "    t.start()\n"
                "    t.join()\n"
                "print('done', flush=True)\n"
                "sys.stdin.readline()\n")
        low.assign_eventset_component(self.es, 0)
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              universal_newlines=True) as process:
            try:
                self.assertEqual(process.stdout.readline(), "begun\n")
                low.attach_process(self.es, process.pid, low.PAPI_PROCESS_THREADS)
                low.add_named_event(self.es, FAULTS)
                low.add_named_event(self.es, CLOCK)
                low.start(self.es)
                self.assertEqual(low.read_threads(self.es)[0][:2], (process.pid, False))
                process.stdin.write("go\n")
                process.stdin.flush()
                self.assertEqual(process.stdout.readline(), "done\n")
            finally:
                process.stdin.close()
        sums = low.stop(self.es)
        rows = low.read_threads(self.es)
        self.assertEqual(len({tid for tid, _, _ in rows}), 81)
        self.assertTrue(all(ended for _, ended, _ in rows))
        self.assertEqual([sum(counts[i] for _, _, counts in rows) for i in range(2)], sums)
        self.assertEqual(sum(counts[0] >= 10 for tid, _, counts in rows if tid != process.pid), 80)

    def test_counts(self):
        low.add_named_event(self.es, FAULTS)
        low.add_named_event(self.es, CLOCK)
        low.start(self.es)
        kept = [bytearray(1 << 22) for _ in range(4)]
        low.stop(self.es)
        values = (ctypes.c_longlong * 2)()
        self.assertEqual(C.PAPI_read(self.es, values), 0)
        self.assertEqual(low.read(self.es), list(values))
        self.assertGreaterEqual(values[0], 1)
        self.assertGreater(values[1], 0)
        self.assertEqual(low.accum(self.es, [10, -3]), [values[0] + 10, values[1] - 3])
        self.assertEqual(low.read(self.es), [0, 0])
        low.write(self.es, [2 ** 40, 7])
        self.assertEqual(low.read(self.es), [2 ** 40, 7])
        low.reset(self.es)
        self.assertEqual(low.read(self.es), [0, 0])
        self.assertEqual(len(kept), 4)

    def test_read_ts(self):
        low.add_named_event(self.es, FAULTS)
        low.start(self.es)
        before = low.get_real_cyc()
        values, cycles = low.read_ts(self.es)
        self.assertEqual(len(values), 1)
        self.assertTrue(before <= cycles <= low.get_real_cyc())

    def test_lists(self):
        codes = [low.event_name_to_code(FAULTS), low.event_name_to_code(CLOCK)]
        low.add_events(self.es, codes)
        self.assertEqual(low.list_events(self.es), codes)
        self.assertEqual(low.num_events(self.es), 2)
        self.assertEqual(low.event_code_to_name(codes[0]), FAULTS)
        low.remove_events(self.es, codes[:1])
        self.assertEqual(low.list_events(self.es), codes[1:])
        low.remove_named_event(self.es, CLOCK)
        self.assertEqual(low.list_events(self.es), [])

    def test_add_events_says_which(self):
        good = low.event_name_to_code(FAULTS)
        with self.assertRaises(errors.PapiInvalidValueError):
            low.add_events(self.es, [good, 0x7f])
        self.assertEqual(low.list_events(self.es), [good])

    def test_codes_without_a_sign(self):
        self.assertEqual(low.event_code_to_name(0x80000032), "PAPI_TOT_INS")
        self.assertEqual(low.event_code_to_name(low.PAPI_TOT_INS), "PAPI_TOT_INS")
        self.assertEqual(low.get_event_info(0x80000032).event_code, low.PAPI_TOT_INS)

    def test_wrong_lengths(self):
        """Arrays that are too short would be written or read behind their end."""
        low.add_named_event(self.es, FAULTS)
        for call in (low.write, low.accum):
            for values in ([], [1, 2]):
                with self.assertRaises(ValueError):
                    call(self.es, values)
        with self.assertRaises(ValueError):
            low.metric(self.es, "ipc", [1, 2, 3])

    def test_wrong_values(self):
        for wrong in (2 ** 32, -2 ** 31 - 1):
            with self.assertRaises(OverflowError):
                low.start(wrong)
        with self.assertRaises(TypeError):
            low.start(1.0)
        with self.assertRaises(TypeError):
            low.start(None)
        with self.assertRaises(OverflowError):
            low.write(self.es, [2 ** 63])
        with self.assertRaises(ValueError):
            low.add_named_event(self.es, "perf::PAGE-FAULTS\0more")
        for wrong in (None, 3):
            with self.assertRaises(TypeError):
                low.hl_region_begin(wrong)

    def test_options(self):
        self.assertEqual(low.get_opt(low.PAPI_DOMAIN, eventset=self.es).domain, low.PAPI_DOM_USER)
        low.assign_eventset_component(self.es, 0)
        low.set_opt(low.PAPI_DOMAIN, eventset=self.es, domain=low.PAPI_DOM_KERNEL)
        self.assertEqual(low.get_opt(low.PAPI_DOMAIN, eventset=self.es).domain, low.PAPI_DOM_KERNEL)
        self.assertEqual(low.get_opt(low.PAPI_MULTIPLEX, eventset=self.es).result, 0)
        self.assertGreater(low.get_opt(low.PAPI_CLOCKRATE), 0)
        self.assertEqual(low.get_opt(low.PAPI_HWINFO).totalcpus, low.get_hardware_info().totalcpus)
        self.assertEqual(low.get_cmp_opt(low.PAPI_DEFDOM, 0), low.PAPI_DOM_USER)
        with self.assertRaises(TypeError):
            low.set_opt(low.PAPI_DOMAIN, eventset=self.es, domian=1)
        for number in (2 ** 32 + 1, -1):  # not CPU 1 in place of one that does not exist
            with self.assertRaises(OverflowError):
                low.set_opt(low.PAPI_CPU_ATTACH, eventset=self.es, cpu_num=number)
        with self.assertRaises(OverflowError):
            low.set_opt(low.PAPI_ATTACH, eventset=self.es, tid=2 ** 64 + os.getpid())
        with self.assertRaises(OverflowError):
            low.profil(bytearray(64), 2 ** 64, 2, self.es, 0, 1000)

    def test_multiplex(self):
        low.assign_eventset_component(self.es, 0)
        self.assertEqual(low.get_multiplex(self.es), 0)
        low.set_multiplex(self.es)
        self.assertEqual(low.get_multiplex(self.es), 1)

    def test_machine(self):
        info = low.get_hardware_info()
        self.assertEqual(info.totalcpus, os.cpu_count())
        self.assertEqual(len(info.mem_hierarchy.level), 4)
        self.assertIn("perf_event", [low.get_component_info(i).name for i in range(low.num_components())])
        self.assertEqual(low.get_component_index("perf_event"), 0)
        self.assertIsNone(low.get_component_info(9999))
        self.assertTrue(any("libpapi" in m.name for m in low.get_shared_lib_info()))
        self.assertIn("python", low.get_executable_info().fullname)
        self.assertGreater(low.get_dmem_info().resident, 0)

    def test_devices(self):
        kinds = {low.get_dev_type_attr(h, "PAPI_DEV_TYPE_ATTR__INT_PAPI_ID"): h for h in low.enum_dev_type()}
        self.assertEqual(sorted(kinds), [low.PAPI_DEV_TYPE_ID__CPU, low.PAPI_DEV_TYPE_ID__CUDA, low.PAPI_DEV_TYPE_ID__ROCM])
        processors = kinds[low.PAPI_DEV_TYPE_ID__CPU]
        self.assertEqual(low.get_dev_attr(processors, 0, "PAPI_DEV_ATTR__CPU_UINT_SOCKET_COUNT"),
                         low.get_hardware_info().sockets)
        self.assertEqual(low.get_dev_attr(processors, 0, "PAPI_DEV_ATTR__CPU_CHAR_NAME"),
                         low.get_hardware_info().model_string)
        with self.assertRaises(ValueError):
            low.get_dev_attr(processors, 0, "PAPI_DEV_ATTR__NO_SUCH")

    def test_own_events(self):
        code = low.set_event_info("MY_FAULTS", [FAULTS, FAULTS], derived="DERIVED_ADD", long_descr="twice")
        info = low.get_event_info(code)
        self.assertEqual((info.symbol, info.long_descr), ("MY_FAULTS", "twice"))
        self.assertEqual(low.get_event_info(low.set_event_info("MY_ONE", FAULTS)).name[0], FAULTS)
        with self.assertRaises(ValueError):
            low.set_event_info("MY_OTHER", ["a"] * 13)
        with self.assertRaises(ValueError):
            low.set_event_info("x" * 5000, [FAULTS])

    def test_profil(self):
        buckets = (ctypes.c_uint16 * 64)()
        low.add_named_event(self.es, CLOCK)
        code = low.event_name_to_code(CLOCK)
        low.profil(buckets, 0, 2, self.es, code, 100000, low.PAPI_PROFIL_BUCKET_16)
        low.start(self.es)
        sum(i for i in range(1000000))
        low.stop(self.es)
        low.profil(buckets, 0, 2, self.es, code, 0)
        with self.assertRaises(TypeError):
            low.profil(b"read only memory", 0, 2, self.es, code, 100000)

    def test_overflow_is_refused(self):
        with self.assertRaisesRegex(errors.PapiNotSupportedError, "papi_profile python3"):
            low.overflow(self.es, low.event_name_to_code(FAULTS), 1000, 0, print)

    def test_thread_specific(self):
        value = object()
        low.set_thr_specific(low.PAPI_TLS_USR1, value)
        self.assertIs(low.get_thr_specific(low.PAPI_TLS_USR1), value)
        low.set_thr_specific(low.PAPI_TLS_USR1, None)
        self.assertIsNone(low.get_thr_specific(low.PAPI_TLS_USR1))
        for tag in (low.PAPI_TLS_HIGH_LEVEL, low.PAPI_TLS_USR1 | low.PAPI_TLS_ALL_THREADS, -1):
            with self.assertRaisesRegex(errors.PapiInvalidValueError, "PAPI_TLS_USR1"):
                low.set_thr_specific(tag, value)
            with self.assertRaisesRegex(errors.PapiInvalidValueError, "PAPI_TLS_USR1"):
                low.get_thr_specific(tag)

    def test_time(self):
        before = C.PAPI_get_real_nsec()
        self.assertTrue(before <= low.get_real_nsec() <= C.PAPI_get_real_nsec())

    def test_enumeration(self):
        code = low.enum_event(low.PAPI_PRESET_MASK, low.PAPI_ENUM_FIRST)
        names = []
        with self.assertRaises(errors.PapiNoEventError):
            while True:
                names.append(low.event_code_to_name(code))
                code = low.enum_event(code)
        self.assertIn("PAPI_TOT_INS", names)
        self.assertGreater(len(names), 100)


if __name__ == "__main__":
    main()
