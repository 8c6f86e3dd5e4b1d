# SPDX-License-Identifier: BSD-3-Clause
"""Results of MPI jobs that nobody ran, as docs/mpi-result.md describes the file: from what each rank has to
the file, computed here once more and not by the library, so that a test knows what a report has to say."""
import collections
import json
import math

SECOND = 1_000_000_000
FIXED = ["elapsed", "useful", "mpi", "node_useful", "mpi_calls", "sent_messages", "sent_bytes", "sent_away_bytes",
         "collective_bytes", "file_bytes", "cpu_user", "cpu_system", "peak_memory", "minor_faults", "major_faults",
         "voluntary_switches", "involuntary_switches"]
NANOSECONDS = {"elapsed", "useful", "mpi", "node_useful", "cpu_user", "cpu_system"}
ROW_LENGTH = 1280


def bucket_start(value):
    if value < 4:
        return value
    octave = value.bit_length() - 1
    return value >> (octave - 2) << (octave - 2)


def extremes(values, ranks, counted, sign):
    """Eight [value, rank], the first values of counted first and low ranks first of them."""
    last, seen = None, 0
    for last, n in counted:
        seen += n
        if seen >= 8:
            break
    found = []
    for value, rank in zip(values, ranks):
        if value == last and len(counted) == 1 and len(found) == 8:
            break
        if value * sign <= last * sign:
            found.append([value, rank])
    return sorted(found, key=lambda pair: (pair[0] * sign, pair[1]))[:8]


def metric(key, values, name=None, unit=None, ranks=None, known=None):
    """values by rank; ranks: which they are of, if not of 0, 1, 2 ... known: {id of values: what they gave}, as many
    metrics of a large job may have the same ones."""
    if unit is None:
        unit = "ns" if key in NANOSECONDS else "B" if "bytes" in key or key == "peak_memory" else ""
    known = {} if known is None else known
    if id(values) not in known:
        known[id(values)] = distribution(values, range(len(values)) if ranks is None else ranks)
    return {"key": key, "name": name or key, "unit": unit, **known[id(values)]}


def distribution(values, ranks):
    counted = collections.Counter(values)
    buckets = collections.Counter()
    for value, n in counted.items():
        buckets[bucket_start(value)] += n
    total = sum(value * n for value, n in counted.items())
    squares = sum(value * value * n for value, n in counted.items())
    n = len(values)
    mean = total / n if n else 0
    deviation = math.sqrt(max(squares * n - total * total, 0)) / n if n else 0
    ends = [extremes(values, ranks, sorted(counted.items()), 1),
            extremes(values, ranks, sorted(counted.items(), reverse=True), -1)]
    return {"count": n, "sum": str(total), "squares": str(squares % 2**128), "mean": mean, "deviation": deviation, "imbalance": max(values) / mean - 1 if mean else 0,
            "p5": quantile(counted, n, 0.05), "p50": quantile(counted, n, 0.5), "p95": quantile(counted, n, 0.95),
            "smallest": ends[0], "largest": ends[1],
            "buckets": [list(pair) for pair in sorted(buckets.items())]}


def quantile(counted, n, part):
    place = part * (n - 1)
    low = int(place)
    seen, found = 0, []
    for value in sorted(counted):
        seen += counted[value]
        while len(found) < 2 and seen > low + len(found):
            found.append(value)
    return found[0] + (place - low) * (found[-1] - found[0])


def call(name, calls, ns, bytes=0, kind="collective", ranks=2, longest=None, rank=0, main=None, uncounted=0, received=None):
    made = {} if received is None else {"received_bytes": received}
    return {**made, "name": name, "class": kind, "calls": calls, "ns": ns, "main_ns": ns if main is None else main, "bytes": bytes, "ranks": ranks,
            "uncounted": uncounted, "longest_ns": ns if longest is None else longest, "longest_rank": rank, "most_ns": ns, "most_rank": rank}


def region(name, visits, ns, mpi_ns=0, least=(0, 0), most=(0, 0), counters=(), ranks=2):
    return {"name": name, "ranks": ranks, "visits": visits, "open": 0, "ns": ns, "mpi_ns": mpi_ns,
            "least_ns": least[0], "least_rank": least[1], "most_ns": most[0], "most_rank": most[1],
            "counters": list(counters), "calls": []}


def with_efficiency(region_, main, useful, node_useful=None, path_ns=0):
    """Adds what is known of the main threads: main and useful by rank, node_useful by node."""
    mean, most, longest = sum(useful) / len(useful), max(useful), max(main)
    busiest = max(node_useful or [mean])
    ideal = min(path_ns, longest)
    return {**region_, "main_ranks": len(main), "main_ns": sum(main), "useful_ns": sum(useful), "path_ns": path_ns,
            "most_main_ns": longest, "most_main_rank": main.index(longest), "most_useful_ns": most,
            "most_useful_rank": useful.index(most), "node_useful_ns": round(busiest),
            "efficiency": {"parallel": mean / longest, "load_balance": mean / most, "in_nodes": busiest / most,
                           "across_nodes": mean / busiest, "communication": most / longest,
                           "serialisation": most / ideal if ideal else None, "transfer": ideal / longest if ideal else None}}


def nodes_of(ranks, nodes):
    """Block by block, as mpirun places them."""
    return [rank * nodes // ranks for rank in range(ranks)]


def result(useful, elapsed=10 * SECOND, nodes=1, present=None, states=None, inside=None, rows=True, calls=(),
           regions=(), counters=None, outside=None, sent_sizes=(), collective_sizes=(), more=None, **job):
    """useful: ns by rank. elapsed: one for all, or by rank. counters, outside, more: {name: values by rank}.
    present: the ranks whose figures are there. states, inside: {rank: text}."""
    n = len(useful)
    node = nodes_of(n, nodes)
    elapsed = elapsed if isinstance(elapsed, list) else [elapsed] * n
    counters, outside, more = counters or {}, outside or {}, more or {}
    zero = [0] * n
    values = {key: zero for key in FIXED}
    values.update(more)
    values.update(elapsed=elapsed, useful=useful, mpi=[e - u for e, u in zip(elapsed, useful)])
    names = {}
    for kind, of in (("counter", counters), ("outside_mpi", outside)):
        for i, (name, counts) in enumerate(of.items()):
            values[f"{kind}.{i}"] = counts
            names[f"{kind}.{i}"] = name
    ranks = list(range(n)) if present is None else present
    chosen = {} # of the ranks that are present, and the same list where the whole one is the same
    for v in values.values():
        if id(v) not in chosen:
            chosen[id(v)] = v if present is None else [v[rank] for rank in ranks]
    here = {key: chosen[id(v)] for key, v in values.items()}
    first, sums, sizes = {}, collections.Counter(), collections.Counter()
    for rank in ranks:
        first.setdefault(node[rank], rank)
        sums[node[rank]] += useful[rank]
        sizes[node[rank]] += 1
    by_node, known = [sums[k] // sizes[k] for k in first], {}
    metrics = [metric(key, by_node, ranks=list(first.values())) if key == "node_useful"
               else metric(key, here[key], names.get(key), "" if key in names else None, ranks, known) for key in values]
    by_key = {m["key"]: m for m in metrics}
    longest, most = by_key["elapsed"]["largest"][0][0], by_key["useful"]["largest"][0][0]
    mean, busiest = by_key["useful"]["mean"], by_key["node_useful"]["largest"][0][0]
    keys = [key for key in values if key != "node_useful"]
    about = {"name": "job.1", "program": "/home/user/bin/solver", "command": "./solver input", "mpi": "MPICH",
             "host": "node0", "started": 1700000000, "ranks": n, "nodes": nodes, "present": len(ranks),
             "unfinished": len([r for r in ranks if (states or {}).get(r, "finalized") != "finalized"]), "threads": 1,
             "thread_level": 0, "recovered": False, "counters_inside": bool(outside), "emulated": False, "counted": False, "multiplexed": 0, "different": 0, "lost": 0, "doubtful": 0, "crowded": 0, "spawned": 0, "unseen_ranks": 0, "comm_ranks": 0, "unseen": [], "operations_left": 0, "paused_ns": 0,
             "teams": "off", "task_ranks": 0, "path_ranks": 0, "path_lost": 0, "path_missed": 0, "meetings": 0, "met_ns": 0, "awaited_ns": 0, "overhead_ns": n * 1000, "tested_ns": 0, "tick_hertz": 0, "tick_fs": 0, "other_thread_calls": 0, "thread_ranks": 0, "blocked_ns": 0, "openmp_ranks": 0, "counter_reason": "", "regions_left_out": 0}
    about.update(job)
    return {"format": "papi_mpi result", "version": 1, "job": about,
            "efficiency": {"parallel": mean / longest, "load_balance": mean / most, "in_nodes": busiest / most,
                           "across_nodes": mean / busiest, "communication": most / longest} if most else {},
            "counters": [{"name": name, "unit": ""} for name in counters], "metrics": metrics, "calls": list(calls),
            "regions": sorted(regions, key=lambda r: r["name"]), "sent_sizes": list(sent_sizes),
            "collective_sizes": list(collective_sizes), "row_values": keys,
            "rows": [{"rank": rank, "node": node[rank], "host": f"node{node[rank]}", "pid": 1000 + rank,
                      "state": (states or {}).get(rank, "finalized"), "threads": 1, "inside": (inside or {}).get(rank),
                      "partners": 1, "busiest_peer": None, "busiest_bytes": 0,
                      "values": [values[key][rank] for key in keys]} for rank in ranks] if rows else []}


def write(path, job, fixed=True):
    """fixed: rows of 1,280 bytes, as the library wrote them before it counted what is received; otherwise as any program writes JSON."""
    if not fixed or not isinstance(job.get("rows"), list):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file, indent=1)
        return path
    with open(path, "w", encoding="utf-8") as file:
        rest = {key: value for key, value in job.items() if key != "rows"}
        parts = [f'  {json.dumps(key)}: {json.dumps(value)}' for key, value in rest.items()]
        file.write("{\n" + ",\n".join(parts) + ',\n  "rows": [\n')
        for i, row in enumerate(job["rows"]):
            text = json.dumps(row, separators=(",", ":")) + ("," if i + 1 < len(job["rows"]) else "")
            assert len(text) < ROW_LENGTH
            file.write(text.ljust(ROW_LENGTH - 1) + "\n")
        file.write("  ]\n}\n")
    return path
