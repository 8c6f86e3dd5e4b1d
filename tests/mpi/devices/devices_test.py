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
    outcome = run(None, ranks, [program, case], env={"LD_LIBRARY_PATH": doubles, "PAPI_MPI_DEVICES": "1", "DEVICES": "4", **(env or {})}).check()
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
    words = [f"devices: parallel efficiency {devices['efficiency']['parallel']:.3f} = load balance"]
    if devices.get("usable", {}).get("unused_devices", 0) == 0:  # else there is no room for all tables
        words.append("devices in regions")
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
    folder = os.path.join(os.path.dirname(doubles.split(":")[0]), "amd_whole", "lib")
    own(program, folder, env={"PAPI_ROCP_SDK_LIB": os.path.join(folder, "librocprofiler-sdk.so.1")}, address=lambda rank: "")


def intel(program, doubles):
    """As own, with Level Zero."""
    own(program, os.path.join(os.path.dirname(doubles.split(":")[0]), "intel_whole", "lib"), env={"ZE_ENABLE_TRACING_LAYER": "1"})


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


def partly(program, doubles):
    """NVIDIA's devices are recorded, those of a vendor whose library is not where a variable says are not: the job has that."""
    outcome, truth = job(program, "own", doubles, ranks=2, env={"PAPI_ROCP_SDK_LIB": "/nowhere/librocprofiler-sdk.so"})
    devices = outcome.result["devices"]
    is_exactly("kernels", devices["device_kernel_ns"], sum(one["kernel"] for one in truth))
    is_exactly("ranks", (devices["refused_devices"], devices["device_ranks"]), (2, 2))
    is_exactly("reason", devices["reason"], "there is no library /nowhere/librocprofiler-sdk.so, which PAPI_ROCP_SDK_LIB names")


# ---- the devices that ranks may use, and their energy

def used(i):
    return 1000 * (1000 * (i + 1) + 1)


def usable(program, doubles, case="pairs", there=4, **env):
    outcome, truth = job(program, case, doubles, env={"DEVICES": str(there), **env})
    return outcome, truth, outcome.result["devices"]["usable"]


def check_energy(of, known, there=4):
    """Of the devices whose energy is known, each has its own, and counts once."""
    is_exactly("devices", (of["usable_nodes"], of["usable_devices"], of["not_told_nodes"]), (1, there, 0))
    for i, one in enumerate(of["list"]):
        is_exactly("a device's address", one["address"], f"0000:{0x3b + i:02x}:00.0")
        is_exactly("a device's energy", one.get("energy_uj"), used(i) if i in known else None)
    is_exactly("energy", (of["energy_devices"], of["energy_uj"]), (len(known), sum(used(i) for i in known)))


def energy(program, doubles):
    """4 ranks on 2 of 4 devices: rank 0 alone reads, each device once, and the other two devices are named."""
    outcome, truth, of = usable(program, doubles)
    check_energy(of, range(4))
    is_exactly("ranks that ask", [one["readings"] > 0 for one in truth], [True, False, False, False])
    is_exactly("used", [one["used"] for one in of["list"]], [True, True, False, False])
    is_exactly("unused", of["unused_devices"], 2)
    is_exactly("of the node", (of["energy_nodes"], of["least_energy_uj"], of["most_energy_node"]), (1, of["energy_uj"], 0))
    variable = "OMPI_COMM_WORLD_LOCAL_RANK" if "openmpi" in program else "MPI_LOCALRANKID"
    check_text(outcome, "energy of the devices: 10.00 J of 4 devices", "whoever uses them", "2 of 4 devices that the ranks may use are used by none",
               "0000:3d:00.0 of node 0", f"papi_mpirun -n 4 sh -c 'CUDA_VISIBLE_DEVICES=${variable} exec ")


def halves(program, doubles):
    """Ranks that see different devices: the energy of each is read by the first that sees it."""
    _, truth, of = usable(program, doubles, "own", HALVES="1")
    check_energy(of, range(4))
    is_exactly("ranks that ask", [one["readings"] > 0 for one in truth], [True, False, True, False])
    is_exactly("used", [one["used"] for one in of["list"]], [True] * 4)


def unknown(program, doubles, how, known, *words):
    outcome, _, of = usable(program, doubles, "own", ENERGY=how)
    check_energy(of, known)
    if of["energy_nodes"] != 0 or "least_energy_uj" in of:
        fail(f"a node's energy is that of some of its devices: {of}")
    check_text(outcome, *words)


def wraps(program, doubles):
    unknown(program, doubles, "wraps", [0, 2, 3], "energy of 3 of 4 devices: 8.003 J,",
            "that of the others is not known: the energy counter of device 0000:3c:00.0 began anew")


def lost(program, doubles):
    unknown(program, doubles, "lost", [0, 2, 3], "GPU is lost")


def absurd(program, doubles):
    unknown(program, doubles, "absurd", [0, 2, 3], "shows more than a device can use")


def power_alone(program, doubles):
    unknown(program, doubles, "power", [], "energy of the devices: not known: ", "nvml has no counter of energy for it")


def without_library(program, doubles):
    activity = doubles.split(":")[0]
    outcome, _, of = usable(program, activity, "own")
    check_energy(of, [])
    check_text(outcome, "energy of the devices: not known: nvml: there is no libnvidia-ml.so.1")


globals()[sys.argv[1]](*sys.argv[2:])
