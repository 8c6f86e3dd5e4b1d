#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cases.c or cases.F90 on two ranks: every call counted once, its bytes and its partner right.

  cases.py show_record program preloaded|linked
"""
import os
import sys
import tempfile

from mpirun import fail
from records import compare, recorded

# What each rank must have: calls and bytes.
BOTH = {
    "MPI_Irecv": (1, 0), "MPI_Isend": (1, 40), "MPI_Waitall": (1, 0), "MPI_Sendrecv": (1, 24),
    "MPI_Allreduce": (1, 16), "MPI_Allgather": (1, 12), "MPI_Gather": (1, 8), "MPI_Alltoall": (1, 8),
    "MPI_Reduce": (1, 8), "MPI_Reduce_scatter": (1, 12),
    "MPI_Start": None, "MPI_Wait": (3, 0), "MPI_Request_free": (1, 0),
    "MPI_Comm_split": (1, 0), "MPI_Comm_free": (1, 0),
    "MPI_Win_create": (1, 0), "MPI_Win_fence": (3, 0), "MPI_Put": (1, 16), "MPI_Get": (1, 8), "MPI_Win_free": (1, 0),
    "MPI_File_open": (1, 0), "MPI_File_write_at_all": (1, 20), "MPI_File_read_at": (1, 20), "MPI_File_close": (1, 0),
    "MPI_Pcontrol": (1, 0),  # the one that resumes; the one that stops is not counted
    "MPI_Barrier": (1, 0),
}
RANK_0 = {
    "MPI_Send": (4, 44),  # ten integers, one of another communicator, two to nobody
    "MPI_Ssend": (1, 8), "MPI_Bsend": (1, 0), "MPI_Rsend": (1, 0),
    "MPI_Scatter": (1, 16), "MPI_Gatherv": (1, 4), "MPI_Scatterv": (1, 16), "MPI_Allgatherv": (1, 4),
    "MPI_Alltoallv": (1, 8), "MPI_Alltoallw": (1, 8), "MPI_Bcast": (1, 20),
    "MPI_Send_init": (1, 0), "MPI_Start": (2, 48), "MPI_Startall": (1, 24),
}
RANK_1 = {
    "MPI_Send": (2, 0), "MPI_Recv": (4, 0),
    "MPI_Scatter": (1, 0), "MPI_Gatherv": (1, 12), "MPI_Scatterv": (1, 0), "MPI_Allgatherv": (1, 12),
    "MPI_Alltoallv": (1, 12), "MPI_Alltoallw": (1, 12), "MPI_Bcast": (1, 0),
    "MPI_Recv_init": (1, 0), "MPI_Start": (2, 0), "MPI_Startall": (1, 0),
}
# The bytes that each rank received.
RECEIVED_BOTH = {"MPI_Waitall": 40, "MPI_Sendrecv": 24, "MPI_Allreduce": 16, "MPI_Allgather": 24, "MPI_Scatter": 8, "MPI_Alltoall": 8,
                 "MPI_Allgatherv": 16}
RECEIVED = [{"MPI_Reduce": 8, "MPI_Gatherv": 16, "MPI_Scatterv": 4, "MPI_Alltoallv": 12, "MPI_Alltoallw": 12, "MPI_Reduce_scatter": 4},
            {"MPI_Recv": 52, "MPI_Wait": 72, "MPI_Gather": 16, "MPI_Scatterv": 12, "MPI_Alltoallv": 8, "MPI_Alltoallw": 8,
             "MPI_Reduce_scatter": 8, "MPI_Bcast": 20}]
MESSAGES = [2, 9]
NO_COLLECTIVE = ("MPI_Waitall", "MPI_Wait", "MPI_Recv", "MPI_Sendrecv")  # counted where PAPI_MPI_RECEIVED asks for it
BY_CALL = os.environ.get("PAPI_MPI_RECEIVED") == "1"


def received_by(rank):
    return {name: n for name, n in {**RECEIVED_BOTH, **RECEIVED[rank]}.items() if BY_CALL or name not in NO_COLLECTIVE}


# Messages and bytes to the other rank.
SENT = [(1 + 1 + 1 + 1 + 1 + 3 + 1 + 1, 40 + 40 + 24 + 8 + 0 + 72 + 4 + 16), (1 + 1 + 1, 40 + 24 + 16)]
# Messages by size: 2^(n-1) to 2^n - 1 bytes.
SIZES = [{0: 1, 3: 1, 4: 1, 5: 5, 6: 2}, {5: 2, 6: 1}]


def check(record, rank):
    wanted = {**BOTH, **(RANK_0, RANK_1)[rank]}
    found = {name: tuple(values[:2]) for name, values in record["calls"].items()}
    compare(f"rank {rank}", found, wanted)
    compare(f"rank {rank}, received", record["received"], received_by(rank))
    if record["received_messages"] != (MESSAGES[rank] if BY_CALL else 0) or record["uncounted"]:
        fail(f"rank {rank}: {record['received_messages']} messages received, not counted: {record['uncounted']}")
    if record["peers"] != [[1 - rank, *SENT[rank]]] or record["other"] != [0, 0]:
        fail(f"rank {rank}: partners {record['peers']} {record['other']}, not {SENT[rank]}")
    compare(f"rank {rank}, sizes", {i: n for i, n in enumerate(record["sent"]) if n}, SIZES[rank])
    if record["all_calls"] != sum(calls for calls, _ in wanted.values()):
        fail(f"rank {rank}: {record['all_calls']} calls in all")
    if record["all_ticks"] != sum(values[2] for values in record["calls"].values()):
        fail(f"rank {rank}: the calls' time is not the thread's")
    for name, (calls, _, ticks, longest) in record["calls"].items():
        if not longest <= ticks <= longest * calls:
            fail(f"rank {rank}: {name}: {calls} calls, {ticks} ticks, the longest {longest}")
    if record["inside"] or record["threads"] != 1:
        fail(f"rank {rank}: {record['inside']} threads inside of {record['threads']}")


# Of both ranks together: calls of at least so many bytes, and less than twice as many.
CALL_SIZES = {"MPI_Allreduce": [[16, 2]], "MPI_Sendrecv": [[16, 2]], "MPI_Scatter": [[0, 1], [16, 1]], "MPI_Bcast": [[0, 1], [16, 1]],
              "MPI_Barrier": [[0, 2]], "MPI_Put": [[16, 2]], "MPI_Get": [[8, 2]], "MPI_File_write_at_all": [[16, 2]],
              "MPI_Isend": [[32, 2]], "MPI_Startall": [[16, 1]]}


def check_result(result):
    cells = [[rank, 1 - rank, *SENT[rank]] for rank in (0, 1)]
    matrix = result["matrix"]
    if (matrix["by"], matrix["n"], matrix["cells"]) != ("rank", 2, cells) or matrix["other"]["messages"]:
        fail(f"{matrix}, not {cells}")
    messages, sent = (sum(SENT[rank][i] for rank in (0, 1)) for i in (0, 1))
    wanted = [{"ranks": 2, "messages": messages, "bytes": sent, "most_bytes": SENT[0][1], "most_rank": 0}]
    if result["partners"] != wanted:
        fail(f"partners {result['partners']}, not {wanted}")
    for rank, row in enumerate(result["rows"]):
        own = {name: (values[0], values[2]) for name, values in zip(result["row_calls"], row["calls"]) if values}
        compare(f"calls in the row of rank {rank}", own, {**BOTH, **(RANK_0, RANK_1)[rank]})
        own = {name: values[3] for name, values in zip(result["row_calls"], row["calls"]) if values and values[3] != 0}
        unknown = {} if BY_CALL else {name: None for name in NO_COLLECTIVE if {**BOTH, **(RANK_0, RANK_1)[rank]}.get(name)}
        compare(f"received in the row of rank {rank}", own, {**received_by(rank), **unknown})
        figures = dict(zip(result["row_values"], row["values"]))
        wanted = {"received_messages": MESSAGES[rank] if BY_CALL else None, "received_bytes": sum(SENT[1 - rank][1:]) - 16 if BY_CALL else None,
                  "collective_received_bytes": sum(n for name, n in received_by(rank).items() if name not in NO_COLLECTIVE)}
        compare(f"figures of rank {rank}", {key: figures[key] for key in wanted}, wanted)
    for i, name in enumerate(result["row_calls"]):
        ns = sum(row["calls"][i][1] for row in result["rows"] if row["calls"][i])
        (call,) = [call for call in result["calls"] if call["name"] == name]
        if ns != call["ns"]:
            fail(f"{name}: {ns} ns in the rows, and {call}")
    found = {call["name"]: call for call in result["calls"]}
    compare("calls of which it is not known what they brought", {name for name, call in found.items() if "received_bytes" not in call},
            set() if BY_CALL else set(NO_COLLECTIVE))
    (metric,) = [one for one in result["metrics"] if one["key"] == "received_bytes"]
    if metric["count"] != (2 if BY_CALL else 0):  # what MPI_Put put there is in the matrix, too
        fail(f"received by ranks: {metric}")
    compare("sizes of calls", {name: found[name].get("sizes") for name in CALL_SIZES}, CALL_SIZES)
    for name, call in found.items():
        if call["bytes"] and "sizes" not in call:
            fail(f"{name} has bytes and no sizes: {call}")
        least = sum(size * n for size, n in call.get("sizes", []))
        if not least <= call["bytes"] <= 2 * least:
            fail(f"{name}: {call['bytes']} bytes, and sizes {call['sizes']}")


def main():
    show_record, program, how = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="papi_mpi_file_") as folder:
        outcome, records = recorded(show_record, 2, [program], preload=how == "preloaded",
                                    env={"TEST_FILE": os.path.join(folder, "file")})
    if outcome.output.count("all values right") != 2:
        fail(f"the program's own values:\n{outcome.output}{outcome.errors}")
    for rank, record in enumerate(records):
        check(record, rank)
        print(f"rank {rank}: {record['all_calls']} calls, as wanted")
    check_result(outcome.result)


main()
