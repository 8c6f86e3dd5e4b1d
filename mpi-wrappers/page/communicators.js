// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The MPI calls by the communicator that they were made on.
const communicators = (() => {
    const KINDS = {
        world: "MPI_COMM_WORLD",
        self: "MPI_COMM_SELF",
        others: "other communicators",
        windows: "windows",
        files: "files",
        requests: "requests",
        none: "no communicator",
    };

    const name = (d) => d.name ?? KINDS[d.kind] ?? d.made_by;
    const isOne = (d) => ["world", "self", "made"].includes(d.kind);
    const size = (d) => (d.least_size === d.most_size ? `${d.most_size}` : `${d.least_size} – ${d.most_size}`);

    const columns = (all, longest) => [
        { name: "communicator", text: true, value: name, show: name },
        { name: "made by", text: true, value: (d) => d.made_by ?? "", show: (d) => d.made_by ?? "" },
        { name: "number", value: (d) => (isOne(d) ? d.communicators : 0), show: (d) => (isOne(d) ? d.communicators : "") },
        { name: "ranks of each", value: (d) => (isOne(d) ? d.most_size : 0), show: (d) => (isOne(d) ? size(d) : "") },
        { name: "", text: true, draw: (cell, d) => table.bar(cell, [["mpi", d.ns / longest]]) },
        { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
        { name: "of MPI", value: (d) => d.ns, show: (d) => text.percent(all > 0 ? d.ns / all : null) },
        { name: "calls", value: (d) => d.calls, show: (d) => text.figure(d.calls, "") },
        { name: "bytes", value: (d) => d.bytes, show: (d) => text.figure(d.bytes, "B") },
        { name: "ranks that called", value: (d) => d.ranks, show: (d) => d.ranks },
        {
            name: "most time @rank",
            value: (d) => d.most_ns,
            show: (d) => `${text.figure(d.most_ns, "ns")} @${d.most_rank}`,
        },
    ];

    return (section, result) => {
        const found = result.communicators ?? [];
        if (found.length === 0) {
            section
                .append("p")
                .attr("class", "missing")
                .text("They were not told apart: PAPI_MPI_COMMUNICATORS=1 papi_mpirun PROGRAM counts the calls on each.");
            return;
        }
        const all = d3.sum(result.calls, (call) => call.ns),
            longest = d3.max(found, (comm) => comm.ns) || 1;
        const rows = d3.sort(found, (a, b) => b.ns - a.ns || b.calls - a.calls);
        table.make(section, "Calls by communicator, by time, summed over all ranks and threads", columns(all, longest), rows);
    };
})();
