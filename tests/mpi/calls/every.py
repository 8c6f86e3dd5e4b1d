#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""every.py show_record program calls.tab: every call of the table is made, and counted; the bytes of those that
cases.py has not."""
import os
import sys
import tempfile

from mpirun import fail
from records import recorded

# Why a call is not made.
EXCUSED = {
    **dict.fromkeys(["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Session_init", "MPI_Session_finalize"],
                    "it begins or ends the counting; every program makes one"),
    **dict.fromkeys(["MPI_Comm_spawn", "MPI_Comm_spawn_multiple"], "the launcher must be able to start more ranks"),
    **dict.fromkeys(["MPI_Open_port", "MPI_Close_port", "MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join"],
                    "two jobs would have to meet"),
    "MPI_Comm_create_from_group": "it needs a session",
    **dict.fromkeys(["MPI_Buffer_flush", "MPI_Buffer_iflush", *(f"MPI_{of}_{what}_buffer" for of in ("Comm", "Session")
                                                                for what in ("attach", "detach", "flush", "iflush")),
                     *(f"MPI_Request_get_status_{which}" for which in ("all", "any", "some"))],
                    "MPI 4.1 has it, and no MPI here"),
    **dict.fromkeys(["MPI_Publish_name", "MPI_Unpublish_name", "MPI_Lookup_name"], "they need a name server"),
}
# Calls and bytes of rank 0 and of rank 1: one integer in each call, but for what is said.
BYTES = {
    "MPI_Neighbor_alltoall": ((1, 4), (1, 4)),   # at the end of a row there is one neighbor
    "MPI_Ineighbor_alltoall": ((1, 4), (1, 4)),
    "MPI_Neighbor_alltoallw": ((1, 4), (1, 4)),
    "MPI_Ineighbor_alltoallv": ((1, 4), (1, 4)),
    "MPI_Neighbor_allgatherv": ((1, 4), (1, 4)),
    "MPI_Alltoall": ((2, 8 + 20), (2, 8 + 20)),  # of the intercommunicator one rank: 5 integers
    "MPI_Bcast": ((3, 4 + 12), (3, 0)),          # the second: to nobody; the third: from rank 0 to the other group
    "MPI_Reduce": ((2, 4), (2, 4 + 12)),         # the second: from the other group to rank 0
    "MPI_Sendrecv": ((2, 12), (2, 12)),
    "MPI_Iscatter": ((1, 8), (1, 0)), "MPI_Ialltoallw": ((1, 8), (1, 8)), "MPI_Iallgather": ((1, 4), (1, 4)),
    "MPI_Reduce_scatter_block": ((1, 8), (1, 8)), "MPI_Exscan": ((1, 4), (1, 4)), "MPI_Reduce_local": ((1, 0), (1, 0)),
    "MPI_Bsend": ((1, 4), (1, 4)), "MPI_Irsend": ((1, 4), (1, 4)), "MPI_Startall": ((4, 16), (4, 16)),
    "MPI_Sendrecv_replace": ((1, 4), (1, 4)),
    "MPI_Get_accumulate": ((2, 8), (2, 8)),      # one of them only reads
    "MPI_Fetch_and_op": ((1, 4), (1, 4)), "MPI_Compare_and_swap": ((1, 4), (1, 4)), "MPI_Rput": ((1, 4), (1, 4)),
    **{f"MPI_{name}": ((1, 12), (1, 12)) for name in ("Pack", "Unpack", "Pack_external", "Unpack_external")},
    "MPI_File_read_ordered": ((1, 4), (1, 4)), "MPI_File_iwrite_all": ((1, 4), (1, 4)),
    "MPI_File_read_all_begin": ((1, 4), (1, 4)), "MPI_File_read_all_end": ((1, 0), (1, 0)),
}

PACKS = ("MPI_Probe", "MPI_Pack", "MPI_Pack_external", "MPI_Put", "MPI_Pcontrol", "MPI_Publish_name")
ONLY_4 = ("MPI_Comm_idup_with_info", "MPI_Intercomm_create_from_groups")
# Of MPI 4, which Open MPI 4 is not. MPI_Start: of four receives, then of each persistent collective call twice.
OF_MPI_4 = {"MPI_Start": ((4 + 44, 224), (4 + 44, 184)), "MPI_Isendrecv": ((1, 12), (1, 12)), "MPI_Isendrecv_replace": ((1, 4), (1, 4)),
            "MPI_Bcast_init": ((1, 0), (1, 0)), "MPI_Comm_idup_with_info": ((3, 0), (3, 0)),
            # Of each packing call its large-count form, too. A start of a partitioned send is a message of 4 times 2 integers.
            **{f"MPI_{name}": ((2, 20), (2, 20)) for name in ("Pack", "Unpack", "Pack_external", "Unpack_external")},
            "MPI_Startall": ((5, 16 + 32), (5, 16 + 32)), "MPI_Psend_init": ((1, 0), (1, 0)), "MPI_Precv_init": ((1, 0), (1, 0)),
            "MPI_Pready": ((1, 0), (1, 0)), "MPI_Pready_range": ((1, 0), (1, 0)), "MPI_Pready_list": ((1, 0), (1, 0)),
            "MPI_Parrived": ((1, 0), (1, 0)), "MPI_Intercomm_create_from_groups": ((1, 0), (1, 0))}

show_record, program, table = sys.argv[1:]
with open(table, encoding="utf-8") as file:
    calls = {line.split()[1] for line in file if line.strip() and not line.startswith(("#", "left-out"))}
with tempfile.TemporaryDirectory(prefix="papi_mpi_file_") as folder:
    outcome, records = recorded(show_record, 2, [program], env={"TEST_FILE": os.path.join(folder, "file")})
if "openmpi" in os.path.basename(program):
    EXCUSED.update((name, "Open MPI 4 does not have it") for name in calls
                   if name.startswith(("MPI_Isendrecv", "MPI_P")) and name not in PACKS or name in ONLY_4 or (name.endswith("_init") and f"{name[:-5]}" in calls and name[:-5] not in
                                                          ("MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Recv")))
else:
    BYTES.update(OF_MPI_4)
made = set(records[0]["calls"]) | set(records[1]["calls"])
if calls - made - set(EXCUSED):
    fail(f"not made: {sorted(calls - made - set(EXCUSED))}")
if made & set(EXCUSED) or set(EXCUSED) - calls:
    fail(f"excused for nothing: {sorted(made & set(EXCUSED) | set(EXCUSED) - calls)}")
for name, wanted in BYTES.items():
    found = tuple(tuple(record["calls"].get(name, ())[:2]) for record in records)
    if found != wanted:
        fail(f"{name}: calls and bytes {found}, not {wanted}")
uncounted = {call["name"]: call["uncounted"] for call in outcome.result["calls"] if call["uncounted"]}
if uncounted != {"MPI_Reduce_local": 2, "MPI_Win_allocate_shared": 2}:
    fail(f"calls whose bytes are not counted: {uncounted}")
for rank, record in enumerate(records):
    if [peer[0] for peer in record["peers"]] != [1 - rank] or record["other"] != [0, 0]:
        fail(f"rank {rank}: partners {record['peers']} {record['other']}")
print(f"{len(made)} calls made, {len(EXCUSED)} excused")
