#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""papi_check_presets in the emulator, whose counts are exact: right definitions are called right, and of wrong ones that a
user's file puts in, exactly those are called wrong.

  check_presets_test.py PAPI_EMULATE PAPI_CHECK_PRESETS

Status 77: there is no emulator here.
"""
import getpass
import json
import pathlib
import platform
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import running  # noqa: E402 pylint: disable=wrong-import-position

EMULATE, CHECK = sys.argv[1:3]
EXACT = ["PAPI_" + name for name in "TOT_INS INT_INS FP_INS FP_OPS SP_OPS DP_OPS VEC_INS VEC_SP VEC_DP FMA_INS FAD_INS FML_INS "
         "FDV_INS FSQ_INS LD_INS SR_INS LST_INS BR_INS BR_CN BR_UCN BR_TKN BR_NTK".split()]
CACHES = ["PAPI_" + name for name in "L1_DCM L1_LDM L1_TCM L1_DCA L1_DCR L1_DCW L1_DCH L2_DCM L2_LDM L2_TCM L2_DCA L2_DCR "
          "L2_TCA L2_TCR L2_DCH L2_TCH L3_TCM L3_LDM L3_DCA L3_DCR L3_TCA L3_TCR L3_DCH L3_TCH L1_ICM L1_ICA L1_ICR L1_ICH L2_ICA "
          "L2_ICR L2_ICH L1_STM L2_DCW L2_TCW".split()]
# Definitions that leave something out or take something else in, and what is said of each.
READS, WRITES, FETCHES = "emu::L2_READS", "emu::L2_WRITES", "emu::L2_FETCHES"
MISTAKEN = {
    "L1_DCM": ("loads alone", ["emu::L1D_READ_MISSES"], "does not"),
    "L1_LDM": ("code, too", ["emu::L1D_READ_MISSES", "emu::L1I_MISSES"], "does not"),
    "L1_STM": ("all stores", ["emu::L1D_WRITES"], "does not"),
    "L1_TCM": ("no code", ["emu::L1D_READ_MISSES", "emu::L1D_WRITE_MISSES"], "does not"),
    "L1_ICM": ("data, too", ["emu::L1I_MISSES", "emu::L1D_READ_MISSES"], "does not"),
    "L1_DCH": ("all accesses", ["emu::L1D_READS", "emu::L1D_WRITES"], "unsure"),
    "L2_DCA": ("code, too", [READS, WRITES, FETCHES], "does not"),
    "L2_DCR": ("code, too", [READS, FETCHES], "does not"),
    "L2_DCW": ("reads, too", [READS, WRITES], "does not"),
    "L2_TCA": ("no code", [READS, WRITES], "does not"),
    "L2_TCR": ("no code", [READS], "does not"),
    "L2_ICA": ("data, too", [FETCHES, READS], "does not"),
    "L2_DCH": ("all accesses", [READS, WRITES], "unsure"),
    "L2_TCH": ("all accesses", [READS, WRITES, FETCHES], "unsure"),
    "L3_DCA": ("level 2's", [READS, WRITES], "does not"),
    "L3_LDM": ("level 2's", ["emu::L2_READ_MISSES"], "unsure"),
}


class CheckPresets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *words, options=(), definitions=None, status=0):
        environment = running.clean()
        if definitions is not None:
            file = self.folder / "definitions.csv"
            file.write_text("CPU,emulated\n" + definitions, encoding="ascii")
            environment["PAPI_CSV_EVENT_FILE"] = str(file)
        return running.run(EMULATE, *options, CHECK, *words, env=environment, status=status)

    def verdicts(self, *words, **how):
        done = self.check("--json", *words, **how)
        result = json.loads(done.stdout)
        self.assertEqual(len(result["cores"]), 1)
        return {preset["preset"]: preset for preset in result["cores"][0]["presets"]}, done

    def test_right(self):
        found, done = self.verdicts()
        self.assertEqual(done.stderr, "")
        self.assertEqual([name for name in EXACT if found[name]["verdict"] != "counts"], [])
        self.assertEqual([name for name, preset in found.items() if preset["verdict"] in ("does not", "unsure")], [])
        self.assertEqual(found["PAPI_HP_OPS"]["verdict"], "not tested")
        self.assertEqual(found["PAPI_L1_DCM"]["verdict"], "not available")
        # The library's own reading may take an operation more or less: in 3,000 iterations.
        for name in EXACT:
            for work in found[name]["work"]:
                for counted in work["counted"]:
                    self.assertAlmostEqual(counted, work["least"], delta=3 / 3000, msg=f"{name}, {work['name']}")

    def wrong(self, definitions, expected, like):
        """Exactly the expected presets are wrong, and the reason says what they count."""
        found, done = self.verdicts(definitions=definitions, status=1)
        self.assertEqual([name for name in EXACT if found[name]["verdict"] != "counts"], expected)
        for name in expected:
            self.assertEqual(found[name]["verdict"], "does not")
            self.assertIn(like, found[name]["reason"])
        number = len(expected)
        self.assertIn(f"papi_check_presets: {number} definition{'s do' if number > 1 else ' does'} not count", done.stderr)

    def test_factor(self):
        self.wrong("PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|*|,emu::FP_OPS\n", ["PAPI_FP_OPS"], "in all kernels 2 x what it claims")

    def test_loads_are_stores(self):
        self.wrong("PRESET,PAPI_LD_INS,NOT_DERIVED,emu::STORES\n", ["PAPI_LD_INS"], "in all kernels what PAPI_SR_INS claims")

    def test_taken_are_conditional(self):
        self.wrong("PRESET,PAPI_BR_TKN,NOT_DERIVED,emu::CONDITIONAL_BRANCHES\n", ["PAPI_BR_TKN"],
                   "branches_not_taken: counted 4.00 for each iteration, not 1.00; in all kernels what PAPI_BR_CN claims")

    def test_instructions_of_every_kind(self):
        # One definition that counts instructions is wrong; only where most do so, the counters are not a processor's.
        self.wrong("PRESET,PAPI_VEC_INS,NOT_DERIVED,emu::INSTRUCTIONS\nPRESET,PAPI_SR_INS,NOT_DERIVED,emu::INSTRUCTIONS\n",
                   ["PAPI_VEC_INS", "PAPI_SR_INS"], "in all kernels what PAPI_TOT_INS claims")

    def test_single_is_missing(self):
        self.wrong("PRESET,PAPI_FP_OPS,NOT_DERIVED,emu::DP_OPS\n", ["PAPI_FP_OPS"], "in all kernels what PAPI_DP_OPS claims")

    def test_note(self):
        # A note may explain counts that are sometimes others, but not twice as many always.
        found, _ = self.verdicts("PAPI_FP_OPS", definitions='PRESET,PAPI_FP_OPS,NOT_DERIVED,emu::DP_OPS,NOTE,"Double precision."\n')
        self.assertEqual(found["PAPI_FP_OPS"]["verdict"], "unsure")
        self.assertTrue(found["PAPI_FP_OPS"]["reason"].endswith("Its note says: Double precision."), found["PAPI_FP_OPS"]["reason"])
        found, _ = self.verdicts("PAPI_FP_OPS", status=1,
                                 definitions='PRESET,PAPI_FP_OPS,DERIVED_POSTFIX,N0|2|*|,emu::FP_OPS,NOTE,"SSE and AVX."\n')
        self.assertEqual(found["PAPI_FP_OPS"]["verdict"], "does not")

    def test_caches(self):
        found, _ = self.verdicts(*CACHES, options=["--caches"])
        self.assertEqual({name: preset["reason"] for name, preset in found.items() if preset["verdict"] != "counts"}, {})
        self.assertEqual(sorted(found), sorted(CACHES))

    def test_wrong_cache(self):
        found, _ = self.verdicts("PAPI_L2_DCM", "PAPI_L1_DCM", options=["--caches"], status=1,
                                 definitions="PRESET,PAPI_L2_DCM,NOT_DERIVED,emu::L1D_READ_MISSES\n")
        self.assertEqual({name: preset["verdict"] for name, preset in found.items()},
                         {"PAPI_L1_DCM": "counts", "PAPI_L2_DCM": "does not"})
        self.assertIn("for each load, not 0 to 0.2", found["PAPI_L2_DCM"]["reason"])

    def test_mistaken_caches(self):
        rows = "".join(f"PRESET,PAPI_{name},{'DERIVED_ADD' if len(events) > 1 else 'NOT_DERIVED'},{','.join(events)}\n"
                       for name, (_, events, _) in MISTAKEN.items())
        found, _ = self.verdicts(*("PAPI_" + name for name in MISTAKEN), options=["--caches"], status=1, definitions=rows)
        self.assertEqual({name: found["PAPI_" + name]["verdict"] for name in MISTAKEN},
                         {name: verdict for name, (_, _, verdict) in MISTAKEN.items()})

    def test_wrong_code_cache(self):
        found, _ = self.verdicts("PAPI_L1_ICM", "PAPI_L1_ICA", options=["--caches"], status=1,
                                 definitions="PRESET,PAPI_L1_ICM,NOT_DERIVED,emu::L1D_READ_MISSES\n")
        self.assertEqual({name: preset["verdict"] for name, preset in found.items()},
                         {"PAPI_L1_ICA": "counts", "PAPI_L1_ICM": "does not"})
        self.assertIn("for each jump, not 0.4 to 2.5", found["PAPI_L1_ICM"]["reason"])

    def test_file(self):
        """It has what was found, and nothing of the user: not the name of the machine, nor where his definitions are."""
        path = self.folder / "sent.json"
        done = self.check("-o", str(path), definitions="PRESET,PAPI_LD_INS,NOT_DERIVED,emu::STORES\nPRESET,PAPI_SR_INS,WRONG\n",
                          status=1)
        self.assertRegex(done.stdout, r"(?m)^PAPI_LD_INS +does not +4\.00 +0\.00  loads +emu::STORES$")
        self.assertRegex(done.stdout, r"(?m)^PAPI_SR_INS +counts +3\.00 +3\.00  stores +emu::STORES$")
        text = path.read_text(encoding="ascii")
        sent = json.loads(text)
        self.assertEqual((sent["format"], sent["own_definitions"], sent["processor"]["emulated"]), (1, True, True))
        found = {preset["preset"]: preset for preset in sent["cores"][0]["presets"]}
        self.assertEqual(found["PAPI_LD_INS"]["definition"]["natives"], ["emu::STORES"])
        self.assertEqual([work["counted"] for work in found["PAPI_LD_INS"]["work"] if work["name"] == "stores"], [[3, 3, 3]])
        words = {text.strip() for text in (platform.node(), str(self.folder), pathlib.Path(CHECK).parent.name)}
        if len(getpass.getuser()) > 4: # "root" is a part of other words
            words.add(getpass.getuser())
        for word in words - {"", "localhost", "tools"}:
            self.assertNotIn(word, text)
        self.assertRegex(sent["kernel"], r"^[0-9.]*$")


if __name__ == "__main__":
    if not pathlib.Path(CHECK).exists():
        print(f"SKIP: {CHECK} is not built")
        sys.exit(77)
    if subprocess.run([EMULATE, "true"], capture_output=True, timeout=600, check=False).returncode != 0:
        print("SKIP: papi_emulate does not run here: no emulator or no plugin")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
