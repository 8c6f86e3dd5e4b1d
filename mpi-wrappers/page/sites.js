// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Where in the program MPI is called, by time.
const sites = (() => {
    const base = (path) => path.slice(path.lastIndexOf("/") + 1);

    const line = (frame) => (frame.line > 0 ? `${base(frame.file)}:${frame.line}` : "");

    // What is known where the debug information does not say it.
    const address = (site, objects) =>
        site.object < 0 ? "in no file" : `${base(objects[site.object].path)}+0x${site.address.toString(16)}`;

    const place = (site, objects) =>
        site.frames.length > 0 && site.frames[0].line > 0 ? line(site.frames[0]) : address(site, objects);

    // From the inside out, with the lines from which what is inlined is called.
    const routine = (site) =>
        site.frames
            .map((frame, i) => (i === 0 ? frame.routine : `in ${frame.routine} ${line(frame)}`.trim()))
            .join(", ");

    const columns = (all, longest, objects) => [
        { name: "call", text: true, value: (d) => d.call, show: (d) => d.call },
        { name: "line", text: true, value: (d) => place(d, objects), show: (d) => place(d, objects) },
        { name: "routine", text: true, value: routine, show: routine },
        { name: "", text: true, draw: (cell, d) => table.bar(cell, [["mpi", d.ns / longest]]) },
        { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
        { name: "of MPI", value: (d) => d.ns, show: (d) => text.percent(all > 0 ? d.ns / all : null) },
        { name: "calls", value: (d) => d.calls, show: (d) => text.figure(d.calls, "") },
        { name: "bytes", value: (d) => d.bytes, show: (d) => text.figure(d.bytes, "B") },
        { name: "sent per second", value: (d) => d.sent_rate ?? 0, show: (d) => text.figure(d.sent_rate, "B/s") },
        { name: "ranks", value: (d) => d.ranks, show: (d) => d.ranks },
        {
            name: "least time @rank",
            value: (d) => d.least_ns,
            show: (d) => `${text.figure(d.least_ns, "ns")} @${d.least_rank}`,
        },
        {
            name: "most time @rank",
            value: (d) => d.most_ns,
            show: (d) => `${text.figure(d.most_ns, "ns")} @${d.most_rank}`,
        },
        {
            name: "longest @rank",
            value: (d) => d.longest_ns,
            show: (d) => `${text.figure(d.longest_ns, "ns")} @${d.longest_rank}`,
        },
    ];

    // Who waited for the other end of a message there, where the job kept a timeline.
    const waits = (section, { late, sites: all, objects }) => {
        const of = ({ site }) => all[site];
        const where = (d) => (d.site < 0 ? "" : place(of(d), objects));
        const columns = [
            { name: "call", text: true, value: (d) => of(d)?.call ?? "", show: (d) => of(d)?.call ?? "calls without a site" },
            { name: "line", text: true, value: where, show: where },
            { name: "late sender", value: (d) => d.late_sender_ns, show: (d) => text.figure(d.late_sender_ns, "ns") },
            { name: "receives that waited", value: (d) => d.late_senders, show: (d) => d.late_senders },
            { name: "late receiver", value: (d) => d.late_receiver_ns, show: (d) => text.figure(d.late_receiver_ns, "ns") },
            { name: "sends that waited", value: (d) => d.late_receivers, show: (d) => d.late_receivers },
        ];
        table.make(section, "Waiting for the other end of a message, of the calls in the timeline", columns, late);
    };

    const missing = (mode) =>
        mode === "off"
            ? "Call sites were switched off: PAPI_MPI_SITES=off."
            : "This result does not have any call site.";

    return (section, result) => {
        const found = result.sites ?? [];
        if (found.length === 0) {
            section.append("p").attr("class", "missing").text(missing(result.sites_mode));
            return;
        }
        const all = d3.sum(result.calls, (call) => call.ns),
            longest = d3.max(found, (site) => site.ns) || 1;
        const rows = d3.sort(found, (a, b) => b.ns - a.ns || b.calls - a.calls);
        table.make(
            section,
            "Places in the program that call MPI, by time, summed over all ranks and threads",
            columns(all, longest, result.objects),
            rows,
        );
        if (result.late?.length > 0) waits(section, result);
        const other = result.other_sites;
        if (other.calls > 0)
            section
                .append("p")
                .text(
                    `${text.figure(other.calls, "")} calls of ${text.figure(other.ns, "ns")} were made at places that had no room.`,
                );
    };
})();
