# SPDX-License-Identifier: BSD-3-Clause
"""Usage: devices_test.py CASE PROGRAM DOUBLES

Devices of a job: PROGRAM says what each rank had its device do, to the nanosecond, and the result must have that. DOUBLES:
the folder of the libraries that stand for NVIDIA's, beside which are those of the others."""
import json
import os
import subprocess
import sys

from mpirun import REPORT, fail, run

RANKS = 4


def job(program, case, doubles, ranks=RANKS, env=None):
    outcome = run(None, ranks, [program, case], env={"LD_LIBRARY_PATH": doubles, "PAPI_MPI_DEVICES": "1", **(env or {})}).check()
    truth = [json.loads(line) for line in outcome.output.splitlines() if line.startswith("{")]
    return outcome, sorted(truth, key=lambda one: one["rank"])


def is_exactly(what, got, wanted):
    if got != wanted:
        fail(f"{what}: {got}, not {wanted}")


def is_near(what, got, wanted, within=1e-9):
    if got is None or abs(got - wanted) > within:
        fail(f"{what}: {got}, not {wanted}")


def elapsed_of(result):
    metric = next(one for one in result["metrics"] if one["key"] == "elapsed")
    return metric["largest"][0][0]


def efficiencies(kernels, both, elapsed):
    """As the definitions have them, of the times of each device."""
    g = len(kernels)
    return {"parallel": sum(kernels) / (g * elapsed), "load_balance": sum(kernels) / (g * max(kernels)),
            "communication": max(kernels) / max(both), "orchestration": max(both) / elapsed}


def check_efficiencies(what, got, wanted):
    for key, value in wanted.items():
        is_near(f"{what}: {key}", got[key], value)
    product = got["load_balance"] * got["communication"] * got["orchestration"]
    is_near(f"{what}: the product", product, got["parallel"], within=4 * 0.5e-9)  # four figures, each rounded


def check_sums(devices, truth):
    is_exactly("kernels", devices["device_kernel_ns"], sum(one["kernel"] for one in truth))
    is_exactly("copies", devices["device_copy_ns"], sum(one["copy"] for one in truth))
    least, most = sum(one["least_offload"] for one in truth), sum(one["most_offload"] for one in truth)
    if not least <= devices["offload_ns"] <= most:
        fail(f"in the runtime: {devices['offload_ns']}, not from {least} to {most}")
    for key in ("device_late_ns", "device_unfinished", "device_dropped", "refused_devices", "unasked_devices"):
        is_exactly(key, devices[key], 0)


def check_region(result, truth, case):
    region = next(one for one in result["regions"] if one["name"] == "solve")
    devices = region["devices"]
    is_exactly("kernels in the region", devices["device_kernel_ns"], sum(one["solve_kernel"] for one in truth))
    is_exactly("copies in the region", devices["device_copy_ns"], sum(one["solve_copy"] for one in truth))
    if case == "shared":
        is_exactly("a region's efficiency with a shared device", devices["efficiency"]["parallel"], None)
        return
    kernels = [one["solve_kernel"] for one in truth]
    both = [one["solve_kernel"] + one["solve_copy"] for one in truth]
    check_efficiencies("the region", devices["efficiency"], efficiencies(kernels, both, region["most_main_ns"]))
    wanted = 1 - devices["offload_ns"] / region["useful_ns"]
    is_near("the region: offload", devices["efficiency"]["offload"], max(wanted, 0))


def shown(outcome, *options):
    return subprocess.run([REPORT, *options, outcome.result_file], stdout=subprocess.PIPE, text=True, timeout=600, check=True).stdout


def check_text(outcome, *words):
    """The report that the job printed has these words, as has the one that is made of its result."""
    for text in (outcome.errors, shown(outcome)):
        flat = " ".join(text.split())
        for word in words:
            if word not in flat:
                fail(f"\"{word}\" is not in the report:\n{text}")


def own(program, doubles, case="own", env=None, address=lambda rank: f"0000:{0x3b + rank:02x}:00.0"):
    outcome, truth = job(program, case, doubles, env=env)
    devices = outcome.result["devices"]
    check_sums(devices, truth)
    is_exactly("devices", devices["devices"], RANKS)
    for one, rank in zip(devices["list"], truth):
        is_exactly("a device's address", one["address"], address(rank["rank"]))
        is_exactly("a device's kernels", (one["rank"], one["ranks"], one["kernel_ns"]), (rank["rank"], 1, rank["kernel"]))
    kernels, both = [one["kernel"] for one in truth], [one["kernel"] + one["copy"] for one in truth]
    check_efficiencies("the job", devices["efficiency"], efficiencies(kernels, both, elapsed_of(outcome.result)))
    check_region(outcome.result, truth, case)
    words = ["devices in regions", f"devices: parallel efficiency {devices['efficiency']['parallel']:.3f} = load balance"]
    check_text(outcome, *words, *(["4 devices run kernels"] if case == "own" else []))


def shared(program, doubles):
    outcome, truth = job(program, "shared", doubles)
    devices = outcome.result["devices"]
    check_sums(devices, truth)
    is_exactly("devices", devices["devices"], RANKS - 1)
    is_exactly("the shared one", (devices["list"][0]["ranks"], devices["list"][0]["kernel_ns"]),
               (2, truth[0]["kernel"] + truth[1]["kernel"]))
    elapsed = elapsed_of(outcome.result)
    by_device = [[truth[0], truth[1]], [truth[2]], [truth[3]]]
    kernels = [min(sum(one["kernel"] for one in ranks), elapsed) for ranks in by_device]
    both = [min(sum(one["kernel"] + one["copy"] for one in ranks), elapsed) for ranks in by_device]
    check_efficiencies("the job", devices["efficiency"], efficiencies(kernels, both, elapsed))
    check_region(outcome.result, truth, "shared")
    check_text(outcome, "3 devices run kernels at most", "0 and 1")


def amd(program, doubles):
    """As own, with AMD's rocprofiler-sdk; no kernel shows the addresses of its devices."""
    folder = os.path.join(os.path.dirname(doubles), "amd_whole", "lib")
    own(program, folder, env={"PAPI_ROCP_SDK_LIB": os.path.join(folder, "librocprofiler-sdk.so.1")}, address=lambda rank: "")


def intel(program, doubles):
    """As own, with Level Zero."""
    own(program, os.path.join(os.path.dirname(doubles), "intel_whole", "lib"), env={"ZE_ENABLE_TRACING_LAYER": "1"})


def pause(program, doubles):
    own(program, doubles, "pause")


def none(program, doubles):
    """A device that nobody gives anything to do is in no record: the job says that there is none."""
    outcome, _ = job(program, "none", doubles, ranks=2)
    devices = outcome.result["devices"]
    is_exactly("devices", (devices["device_ranks"], devices["devices"], devices["list"]), (2, 0, []))
    is_exactly("efficiency", devices["efficiency"]["parallel"], None)


def unasked(program, doubles):
    """Not asked for, the library is not loaded, and the report says how to ask."""
    outcome, _ = job(program, "own", doubles, ranks=2, env={"PAPI_MPI_DEVICES": None})
    devices = outcome.result["devices"]
    is_exactly("ranks", (devices["unasked_devices"], devices["device_ranks"]), (2, 0))
    check_text(outcome, "PAPI_MPI_DEVICES=1 shows what they do")


def refused(program, doubles):
    outcome, _ = job(program, "own", doubles, ranks=2, env={"LD_LIBRARY_PATH": "/nowhere"})
    devices = outcome.result["devices"]
    is_exactly("ranks", (devices["refused_devices"], devices["device_ranks"]), (2, 0))
    check_text(outcome, "devices of 2 ranks are not recorded:", "papi_hardware_avail lists the devices")


globals()[sys.argv[1]](*sys.argv[2:])
