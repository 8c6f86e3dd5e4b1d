// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The MPI calls by time.
const calls = (() => {
    // Of the threads that elapsed times are of; results of earlier versions have those of all threads alone.
    const main = (call) => call.main_ns ?? call.ns;

    // A bar for each power of two from the smallest size to the largest, as high as it has calls.
    const spread = (cell, sizes) => {
        if (sizes.length === 0) return;
        const most = d3.max(sizes, ([, calls]) => calls);
        const line = cell
            .append("span")
            .attr("class", "spread")
            .attr("title", sizes.map(([bytes, calls]) => `${text.size(bytes)}: ${text.figure(calls, "")}`).join(", "));
        const place = (bytes) => (bytes === 0 ? 0 : Math.round(Math.log2(bytes)) + 1);
        const known = new Map(sizes.map(([bytes, calls]) => [place(bytes), calls]));
        for (const i of d3.range(place(sizes[0][0]), place(sizes[sizes.length - 1][0]) + 1))
            line.append("span").style("height", `${100 * Math.max(known.has(i) ? 0.08 : 0, (known.get(i) ?? 0) / most)}%`);
        cell.append("span")
            .attr("class", "range")
            .text(sizes.length > 1 ? `${text.size(sizes[0][0])} – ${text.size(sizes[sizes.length - 1][0])}` : text.size(sizes[0][0]));
    };

    // How long calls took, where that was counted: of each power of two ticks together a bar.
    const times = (cell, list) => {
        const known = new Map();
        for (const [ticks, calls] of list) {
            const power = Math.floor(Math.log2(Math.max(1, ticks)));
            known.set(power, (known.get(power) ?? 0) + calls);
        }
        const powers = [...known.keys()];
        const most = d3.max([...known.values()]);
        const line = cell.append("span").attr("class", "spread");
        for (const i of d3.range(d3.min(powers), d3.max(powers) + 1))
            line.append("span").style("height", `${100 * Math.max(known.has(i) ? 0.08 : 0, (known.get(i) ?? 0) / most)}%`);
    };

    // The classes in which the calls end that so many percent do not exceed.
    const quantile = (name, key) => ({
        name: `${name} took`,
        value: (d) => d[key]?.[1] ?? 0,
        show: (d) => (d[key] ? d[key].map((ns) => text.figure(ns, "ns")).join(" – ") : ""),
    });
    const quantiles = (calls) =>
        calls.some((call) => call.times)
            ? [
                  { name: "times", text: true, draw: (cell, d) => d.times && times(cell, d.times) },
                  quantile("50 %", "p50_ns"),
                  quantile("95 %", "p95_ns"),
                  quantile("99 %", "p99_ns"),
              ]
            : [];

    // Bytes through time, of calls whose time is that of their bytes; not in results of earlier versions.
    const speed = (name, key) => ({ name, value: (d) => d[key] ?? 0, show: (d) => text.figure(d[key], "B/s") });
    const speeds = (calls) =>
        calls.some((call) => call.sent_rate !== undefined) ? [speed("sent per second", "sent_rate"), speed("received per second", "received_rate")] : [];

    const columns = (all, elapsed, longest, calls) => [
        { name: "call", text: true, value: (d) => d.name, show: (d) => d.name },
        { name: "", text: true, draw: (cell, d) => table.bar(cell, [["mpi", d.ns / longest]]) },
        { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
        { name: "of MPI", value: (d) => d.ns, show: (d) => text.percent(all > 0 ? d.ns / all : null) },
        {
            name: "of all",
            value: (d) => main(d),
            show: (d) => text.percent(elapsed > 0 ? main(d) / elapsed : null),
        },
        { name: "calls", value: (d) => d.calls, show: (d) => text.figure(d.calls, "") },
        { name: "bytes", value: (d) => d.bytes, show: (d) => text.figure(d.bytes, "B") },
        {
            name: "received",
            value: (d) => d.received_bytes ?? 0,
            show: (d) => (d.received_bytes === undefined ? "–" : text.figure(d.received_bytes, "B")),
        },
        ...speeds(calls),
        { name: "ranks", value: (d) => d.ranks, show: (d) => d.ranks },
        {
            name: "longest @rank",
            value: (d) => d.longest_ns,
            show: (d) => `${text.figure(d.longest_ns, "ns")} @${d.longest_rank}`,
        },
        {
            name: "most time @rank",
            value: (d) => d.most_ns,
            show: (d) => `${text.figure(d.most_ns, "ns")} @${d.most_rank}`,
        },
        ...quantiles(calls),
        { name: "sizes", text: true, draw: (cell, d) => spread(cell, d.sizes ?? []) },
        { name: "class", text: true, value: (d) => d.class, show: (d) => d.class },
    ];

    return (section, result) => {
        if (result.calls.length === 0) {
            section.append("p").attr("class", "missing").text("No MPI call was counted.");
            return;
        }
        const all = d3.sum(result.calls, (call) => call.ns),
            longest = d3.max(result.calls, (call) => call.ns) || 1;
        const rows = d3.sort(result.calls, (a, b) => b.ns - a.ns || b.calls - a.calls);
        table.make(
            section,
            "MPI calls by time, summed over all ranks and threads",
            columns(all, result.whole(result.time()), longest, rows),
            rows,
        );
    };
})();
