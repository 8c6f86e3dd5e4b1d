#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare_lists_test.py COMPARE_LISTS.py: small made-up lists of events, as Intel and Linux lay them out, read and compared
with tables that agree with them and with tables that do not."""
import json
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1]).resolve()

PERFMON_MAP = """Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name
GenuineIntel-6-9[AC],V1.02,/NEW/events/new_big.json,hybridcore,0x40,0x1,Core
GenuineIntel-6-9[AC],V1.02,/NEW/events/new_small.json,hybridcore,0x20,0x1,Atom
GenuineIntel-6-9[AC],V1.02,/NEW/events/new_uncore.json,uncore,,,
GenuineIntel-18-[13],V1.00,/LONE/events/lone.json,core,,,
"""
LINUX_MAP = """Family-model,Version,Filename,EventType
GenuineIntel-6-55-[01234],v1.37,known,core
GenuineIntel-6-(AA|AB|AC),v1.01,mixed,core
AuthenticAMD-23-([12][0-9A-F]|[0-9A-F]),v2,zen,core
AuthenticAMD-23-[[:xdigit:]]+,v1,zen2,core
"""
OTHER_MAP = """# Comment, as Arm's and RISC-V's have them
0x00000000410fd460,v1,little,core
0x489-0x8000000000000[1-3]07-0x[78][[:xdigit:]]+,v1,hart,core
"""
COUNT = "PRESET,PAPI_TOT_CYC,NOT_DERIVED,/event=0x3c/\n"
GOOD = ("CPU,x86:GenuineIntel:6:0x9a|0x9c:cpu_core\n" + COUNT + "CPU,x86:GenuineIntel:6:0x9a|0x9c:cpu_atom\n"
        'PRESET,PAPI_FP_OPS,NONE,NOTE,"The list has no event of operations."\n'
        "CPU,x86:GenuineIntel:18:0x1|0x3\n" + COUNT + "CPU,x86:GenuineIntel:6:0xaa-0xac:cpu_core\n" + COUNT +
        "CPU,x86:GenuineIntel:6:0xac:cpu_lowpower\n" + COUNT + "CPU,arm64:0x41:0xd46\n" + COUNT +
        "CPU,riscv64:0x489:0x107|0x307\n" + COUNT + 'CPU,one\nPRESET,PAPI_HW_INT,NONE,NOTE,"No event counts interrupts."\n'
        "CPU,x86:GenuineIntel:6:0x9a|0x9c:cpu_core\nPRESET,PAPI_FP_OPS,NOT_DERIVED,/event=0xc7/\n"
        "CPU,x86:GenuineIntel:6:0x9a|0x9c:cpu_atom\nPRESET,PAPI_BR_CN,NOT_DERIVED,/event=0xc4/\n"
        "CPU,zen2\nPRESET,PAPI_FP_OPS,NOT_DERIVED,FLOPS\nCPU,arm64:0x41:0xd46\nPRESET,PAPI_HW_INT,NOT_DERIVED,/event=0x86/\n")
# What the lists above do not bear out: a model without a rule, a reason, and a preset of which the table has no word
BAD = (GOOD.replace("18:0x1|0x3", "18:0x1").replace("PRESET,PAPI_BR_CN,NOT_DERIVED,/event=0xc4/\n",
                                                    'PRESET,PAPI_BR_CN,NONE,NOTE,"The list has no event of branches of one kind."\n')
       .replace("PRESET,PAPI_HW_INT,NOT_DERIVED,/event=0x86/\n", ""))


def event(name, unit=None):
    return {"EventName": name, "EventCode": "0xc4"} | ({"Unit": unit} if unit else {})


def write(folder, place, content):
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def published(date, *names):
    return {"Header": {"DatePublished": date, "Version": "1.02"}, "Events": [event(name) for name in names]}


def lay_out(top):
    write(top, "perfmon/mapfile.csv", PERFMON_MAP)
    write(top, "perfmon/NEW/events/new_big.json", published("05/19/2026", "FP_ARITH_OPS_RETIRED.SCALAR_DOUBLE"))
    write(top, "perfmon/NEW/events/new_small.json", published("05/19/2026", "BR_INST_RETIRED.COND"))
    write(top, "perfmon/NEW/events/new_uncore.json", published("05/19/2026", "HW_INTERRUPTS.RECEIVED"))
    write(top, "perfmon/LONE/events/lone.json", published("06/02/2026", "INST_RETIRED.ANY"))
    write(top, "linux/mapfile.csv", LINUX_MAP)
    write(top, "linux/known/pipeline.json", [event("INST_RETIRED.ANY")])
    write(top, "linux/mixed/pipeline.json", [event("INST_RETIRED.ANY", "cpu_core"), event("INST_RETIRED.ANY", "cpu_lowpower"),
                                             event("HW_INTERRUPTS.RECEIVED", "iMC")])
    write(top, "linux/zen/core.json", [event("ls_int_taken")])
    write(top, "linux/zen2/core.json", [event("fp_ret_sse_avx_ops.all")])
    write(top, "other/mapfile.csv", OTHER_MAP)
    write(top, "other/little/core.json", [{"ArchStdEvent": "EXC_IRQ"}])
    write(top, "other/hart/core.json", [event("CORE_CLOCK_CYCLES")])
    write(top, "words", "# comment\nPAPI_FP_OPS  FP_ARITH_(INST|OPS)_RETIRED\\.\\w+|FP_RET_SSE_AVX_OPS\\.ALL\n"
                        "PAPI_BR_CN  BR_INST_RETIRED\\.COND\nPAPI_HW_INT  HW_INTERRUPTS\\.RECEIVED|EXC_IRQ\n")
    write(top, "known", "one,two x86:GenuineIntel:6:0x55\nzen x86:AuthenticAMD:0x17:0x00-0x2f\nzen2 x86:AuthenticAMD:0x17:0x30-0x4f\n")
    write(top, "reasons", "riscv64:0x489:0x207  nobody has written a table\nx86:GenuineIntel:6:0xaa-0xab:cpu_lowpower  no slow cores\n"
                          "x86:AuthenticAMD:0x17:0x50-0xff  no processor has them\n")
    write(top, "good.csv", GOOD)
    write(top, "bad.csv", BAD)


READ = """NEW/events/new_big.json V1.02 2026-05-19 cpu_core x86:GenuineIntel:6:0x9a|0x9c PAPI_FP_OPS
NEW/events/new_small.json V1.02 2026-05-19 cpu_atom x86:GenuineIntel:6:0x9a|0x9c PAPI_BR_CN
LONE/events/lone.json V1.00 2026-06-02 - x86:GenuineIntel:18:0x1|0x3 -
known v1.37 - - x86:GenuineIntel:6:0x55 -
mixed v1.01 - cpu_core x86:GenuineIntel:6:0xaa-0xac -
mixed v1.01 - cpu_lowpower x86:GenuineIntel:6:0xaa-0xac -
zen v2 - - x86:AuthenticAMD:23:0x0-0x2f -
zen2 v1 - - ~x86:AuthenticAMD:23:0x30-0xff PAPI_FP_OPS
little v1 - - arm64:0x41:0xd46 PAPI_HW_INT
hart v1 - - riscv64:0x489:0x107|0x207|0x307 -
"""
# 2 + 2 + 2 + 1 + 3 + 3 + 48 + 208 + 1 + 3 models; reasons: 0xaa and 0xab have no slow cores, Zen 2 has no models from 0x50 on
COMPARED = """10 lists of 273 models: 94 have a table, 179 a reason, 0 neither
3 reasons that there is no event, 3 of them of presets whose events have known names, 0 contradicted; 0 presets without a word
"""
REFUSED = """LONE/events/lone.json V1.00 of 2026-06-02: no table is for x86:GenuineIntel:18:0x3
NEW/events/new_small.json V1.02 of 2026-05-19 has PAPI_BR_CN, of x86:GenuineIntel:6:0x9a:cpu_atom: The list has no event of branches of one kind.
little v1 has PAPI_HW_INT, of which arm64:0x41:0xd46 has no word
10 lists of 273 models: 93 have a table, 179 a reason, 1 neither
5 reasons that there is no event, 5 of them of presets whose events have known names, 1 contradicted; 1 presets without a word
"""


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    return done.returncode, done.stdout


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name)
        lay_out(top)
        status, text = run("--read", top / "perfmon", top / "linux", top / "other", "--of", "made-up lists", "--words", top / "words")
        write(top, "lists", text)
        rows = "".join(line + "\n" for line in text.splitlines() if line[0] != "#")
        options = ("--compare", top / "lists", "--words", top / "words", "--known", top / "known", "--reasons", top / "reasons")
        for what, got, wanted in (("read", (status, rows), (0, READ)), ("of what", (0, "of made-up lists:" in text), (0, True)),
                                  ("compared", run(*options, top / "good.csv"), (0, COMPARED)),
                                  ("refused", run(*options, top / "bad.csv"), (1, REFUSED))):
            if got != wanted:
                failed += 1
                print(f"{what}: status {got[0]}, and\n{got[1]}where {wanted[0]} is wanted, and\n{wanted[1]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
