# SPDX-License-Identifier: BSD-3-Clause
"""Errors have their class, their code and the library's reason; without the library there is one that says what to do."""
import unittest

from case import FAULTS, main, python

import papi
from papi import errors, low


class Errors(unittest.TestCase):
    def test_each_code_has_a_class(self):
        codes = {value for name, value in papi._CONSTANTS.items()
                 if name.startswith("PAPI_E") and -27 <= value <= -1 and not name.startswith(("PAPI_EFF", "PAPI_ENUM"))}
        self.assertEqual(codes | {papi.PAPI_PARTIAL}, set(errors.BY_CODE))

    def test_reason(self):
        es = papi.EventSet(FAULTS)
        with self.assertRaises(errors.PapiNotPresetError) as caught:
            es.add("PAPI_TOT_INX")
        self.assertIn("the nearest is PAPI_TOT_INS", str(caught.exception))
        self.assertEqual(caught.exception.code, papi.PAPI_ENOTPRESET)

    def test_also_of_python(self):
        low.library_init()
        with self.assertRaises(ValueError):
            low.set_debug(99)
        with self.assertRaises(LookupError):
            low.event_name_to_code("no_such::EVENT")

    def test_order(self):
        es = papi.EventSet(FAULTS)
        with self.assertRaises(errors.PapiNotRunningError):
            es.stop()
        es.start()
        with self.assertRaises(errors.PapiIsRunningError):
            es.add("perf::TASK-CLOCK")
        es.close()
        es.close()
        with self.assertRaises(errors.PapiNoEventSetError):
            es.start()

    def test_before_init(self):
        print_error = "import papi.low\ntry: papi.low.create_eventset()\nexcept papi.PapiError as e: print(type(e).__name__)"
        self.assertEqual(python(print_error), "PapiNotInitializedError\n")

    def test_no_library(self):
        code = "try:\n import papi\nexcept ImportError as e: print(e)"
        said = python(code, PAPI_PYTHON_LIBRARY="/nonexistent/libpapi.so")
        self.assertIn("/nonexistent/libpapi.so", said)
        self.assertIn("apt-get install", said)

    def test_a_library_that_is_none(self):
        code = "import papi\ntry: papi.EventSet()\nexcept NotImplementedError as e: print(e)"
        self.assertIn("newer version", python(code, PAPI_PYTHON_LIBRARY="libm.so.6"))


if __name__ == "__main__":
    main()
