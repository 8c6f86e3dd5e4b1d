# SPDX-License-Identifier: BSD-3-Clause
"""path_test.py CASE RANKS PROGRAM: the critical path of a job, beside what its ranks say of themselves.

Each rank of the program measures its own work, and carries the length of the longest chain of work in its messages. What
the library finds in the same run has to be that. It measures a little more: between the program's clock and its own, a
rank may lose the processor. How much that was is known of each rank, as its useful time in the result less its own, and is
allowed for."""
import re
import sys

import mpirun

CASE, RANKS, PROGRAM = sys.argv[1], int(sys.argv[2]), sys.argv[3]
WITHIN = 0.02


def fail(text):
    mpirun.fail(f"{CASE}, {RANKS} ranks: {text}\n{outcome.output}\n{outcome.errors}")


outcome = mpirun.run(None, RANKS, [PROGRAM, CASE], env={"PAPI_MPI_PATH": "1", "PAPI_MPI_COUNTERS": "none"}, timeout=300).check()
ranks = {}
for line in outcome.output.splitlines():
    said = re.fullmatch(r"rank (\d+) chain (\d+) useful (\d+) steps ([\d ]+)", line)
    if said:
        ranks[int(said[1])] = {"chain": int(said[2]), "useful": int(said[3]), "steps": [int(step) for step in said[4].split()]}
if len(ranks) != RANKS:
    fail("not all ranks have printed a line")
steps = [ranks[rank]["steps"] for rank in range(RANKS)]
result = outcome.result
values = result["row_values"]
between = 0
for row in result["rows"]:
    more = row["values"][values.index("useful")] - ranks[row["rank"]]["useful"]
    if more < -1e6:
        fail(f"rank {row['rank']} has {-more} ns less useful time than it says itself")
    between += max(more, 0)


def compare(name, found, expected, more):
    if not expected * (1 - WITHIN) <= found <= expected * (1 + WITHIN) + more:
        fail(f"{name} is {found}, and should be {expected}, or {more} more: {result['path']}")


def chain():
    """Each rank works, waits for the one before it, works again. Its last step is what comes after its last call."""
    arrives = 0
    longest = 0
    for own in steps:
        if own is not steps[0]:
            arrives = max(arrives, own[0]) + own[1]
        else:
            arrives = own[0]
        longest = max(longest, arrives + sum(own[2 if own is not steps[0] else 1:]))
    return longest


def ring():
    """Three times around: one after the other, nothing beside."""
    before, at, longest = 0, [0] * RANKS, [0] * RANKS
    for turn in range(3):
        for rank in range(RANKS):
            first = turn == 0 and rank == 0
            if not first:
                longest[rank] = max(before, longest[rank] + steps[rank][at[rank]])
                at[rank] += 1
            last = turn == 2 and rank == RANKS - 1
            if not last:
                longest[rank] += steps[rank][at[rank]]
                at[rank] += 1
            before = longest[rank]
    return max(longest[rank] + sum(steps[rank][at[rank]:]) for rank in range(RANKS))


def wavefront():
    """Block i of a rank begins when the rank has done block i - 1, and its left neighbor block i."""
    blocks, done, longest = 6, [0] * 6, 0
    for rank, own in enumerate(steps):
        own = list(own)
        now = 0
        if rank > 0:
            now = sum(own[:blocks])
            del own[:blocks]
        for i in range(blocks):
            if rank > 0:
                now = max(now + own.pop(0), done[i])
            if rank < RANKS - 1:
                now += own.pop(0)
                done[i] = now
                now += own.pop(0)
        longest = max(longest, now + sum(own))
    return longest


expected = max(rank["chain"] for rank in ranks.values())
by_hand = {"chain": chain, "ring": ring, "wavefront": wavefront}.get(CASE)
if by_hand and abs(by_hand() - expected) > 1e-6 * expected + 1000:
    fail(f"by hand the longest chain is {by_hand()}, and the ranks say {expected}")
path, job = result["path"], result["job"]
if job["path_ranks"] != RANKS or job["path_lost"] or job["path_missed"]:
    fail(f"not all is followed: {job}")
compare("the path", path["ns"], expected, between)

efficiency = result["efficiency"]
metrics = {metric["key"]: metric for metric in result["metrics"]}
most, elapsed = metrics["useful"]["largest"][0][0], metrics["elapsed"]["largest"][0][0]
work = max(rank["useful"] for rank in ranks.values())
# Ranks that begin at different times, as they share processors, may be through earlier than the path is long.
ideal = min(expected, elapsed)
if not work / (ideal + between) * (1 - WITHIN) <= efficiency["serialisation"] <= (work + between) / ideal * (1 + WITHIN):
    fail(f"serialisation is {efficiency['serialisation']}, and should be {work / expected}")
compare("transfer", efficiency["transfer"], ideal / elapsed, between / elapsed)
if abs(efficiency["serialisation"] * efficiency["transfer"] / efficiency["communication"] - 1) > 1e-6:
    fail(f"the efficiencies do not belong together: {efficiency}")
if abs(min(path["ns"], elapsed) / elapsed - efficiency["transfer"]) > 1e-6 or most > path["ns"] * 1.000001:
    fail(f"the path is not what the efficiencies are of: {path} {efficiency}")

shares = dict(path["ranks"])
if sum(shares.values()) + path["other_ranks_ns"] != path["ns"] or sum(share["ns"] for share in path["regions"]) + \
        path["other_regions_ns"] != path["ns"]:
    fail(f"the shares are not all of the path: {path}")
for rank, share in shares.items():
    if share > ranks[rank]["useful"] + between + 1e6:
        fail(f"rank {rank} has more of the path than it worked: {path}")
print(f"{CASE}, {RANKS} ranks: path {path['ns'] / 1e6:.1f} ms, expected {expected / 1e6:.1f}, "
      f"between the clocks {between / 1e6:.2f}; serialisation {efficiency['serialisation']:.3f} (by hand {work / expected:.3f}), "
      f"transfer {efficiency['transfer']:.3f} (by hand {expected / elapsed:.3f})")
