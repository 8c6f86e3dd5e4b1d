// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// One region, which the reader chooses: its efficiencies, and its time on each rank.
const region = (() => {
    const MOST = 100; // ranks: more would be as slow to show as they are to read

    // As the job's: each is the product of those below it.
    const FACTORS = [
        ["parallel", "Parallel efficiency", "useful part of the time in it"],
        ["load_balance", "Load balance", "mean useful time in it / longest", "parallel"],
        ["communication", "Communication efficiency", "longest useful time in it / longest time in it", "parallel"],
        ["serialisation", "Serialisation", "longest useful time in it / its part of the critical path", "communication"],
        ["transfer", "Transfer", "its part of the critical path / longest time in it", "communication"],
    ];

    const factorsBelow = (efficiency, above) =>
        FACTORS.filter(([key, , , of]) => of === above && (efficiency[key] ?? null) !== null).map(([key, name, why]) => ({
            name,
            key,
            why,
            value: efficiency[key],
            below: factorsBelow(efficiency, key),
        }));

    const efficiencies = (parent, { efficiency }) => {
        const [whole] = efficiency ? factorsBelow(efficiency) : [];
        if (whole) tree.draw(parent.append("ul").attr("class", "tree"), whole);
    };

    const share = (part, whole) => text.percent(whole > 0 ? part / whole : null);

    const facts = (parent, chosen, elapsed, path) => {
        const onPath = path?.regions.find(({ name }) => name === chosen.name);
        const all = [
            ["time", `${text.figure(chosen.ns, "ns")}, ${share(chosen.ns, elapsed)} of all`],
            ["in MPI", share(chosen.mpi_ns, chosen.ns)],
            ["visits", text.figure(chosen.visits, "")],
            ["ranks", String(chosen.ranks)],
            ["of the critical path", onPath ? share(onPath.ns, path.ns) : ""],
        ].filter(([, words]) => words);
        const entry = parent.append("dl").attr("class", "facts").selectAll("div").data(all).join("div");
        entry.append("dt").text(([term]) => term);
        entry.append("dd").text(([, words]) => words);
    };

    // What was called in it. Where a rank's calls were too many for their places, the rest of MPI's time is here, too.
    const byCall = (parent, chosen) => {
        if (!chosen.calls) return; // of an earlier version
        const told = d3.sum(chosen.calls, (call) => call.ns);
        const rows = d3.sort(chosen.calls, (a, b) => b.ns - a.ns || b.calls - a.calls);
        if (chosen.mpi_ns - told > 0.01 * chosen.mpi_ns)
            rows.push({ name: "others, or not ended", ns: chosen.mpi_ns - told, calls: null, ranks: null, most_ns: null, most_rank: null });
        if (rows.length === 0) {
            parent.append("p").attr("class", "missing").text("No MPI call was made in it.");
            return;
        }
        const longest = d3.max(rows, (row) => row.ns) || 1;
        const columns = [
            { name: "call", text: true, value: (d) => d.name, show: (d) => d.name },
            { name: "", text: true, draw: (cell, d) => table.bar(cell, [["mpi", d.ns / longest]]) },
            { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
            { name: "of MPI in it", value: (d) => d.ns, show: (d) => share(d.ns, chosen.mpi_ns) },
            { name: "of its time", value: (d) => d.ns, show: (d) => share(d.ns, chosen.ns) },
            { name: "calls", value: (d) => d.calls, show: (d) => text.figure(d.calls, "") },
            { name: "ranks", value: (d) => d.ranks, show: (d) => text.figure(d.ranks, "") },
            {
                name: "most time @rank",
                value: (d) => d.most_ns,
                show: (d) => (d.most_ns === null ? "n/a" : `${text.figure(d.most_ns, "ns")} @${d.most_rank}`),
            },
        ];
        table.make(parent, "MPI calls in it, and in regions inside of it", columns, rows, { found: true });
    };

    // Of each rank that was in it what its row has: visits, time, time in MPI.
    const ranksOf = (result, place) =>
        result.rows
            .filter((row) => row.regions?.[place])
            .map((row) => {
                const [visits, ns, mpi] = row.regions[place];
                return { rank: row.rank, host: row.host, visits, ns, mpi, useful: Math.max(0, ns - mpi) };
            });

    const byRank = (parent, result, place) => {
        const rows = result.rows ? ranksOf(result, place) : [];
        if (rows.length === 0) {
            parent.append("p").attr("class", "missing").text("This result has no figures of regions by rank.");
            return;
        }
        const longest = d3.max(rows, (row) => row.ns) || 1;
        const columns = [
            { name: "rank", value: (d) => d.rank, show: (d) => d.rank },
            { name: "host", text: true, value: (d) => d.host, show: (d) => d.host },
            {
                name: "",
                text: true,
                draw: (cell, d) =>
                    table.bar(cell, [
                        ["useful", d.useful / longest],
                        ["mpi", d.mpi / longest],
                    ]),
            },
            { name: "outside MPI", value: (d) => d.useful, show: (d) => text.figure(d.useful, "ns") },
            { name: "in MPI", value: (d) => d.mpi, show: (d) => text.figure(d.mpi, "ns") },
            { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
            { name: "visits", value: (d) => d.visits, show: (d) => text.figure(d.visits, "") },
        ];
        const sorted = d3.sort(rows, (a, b) => b.useful - a.useful || a.rank - b.rank);
        const caption = "Ranks by what they do in it outside MPI";
        const part = sorted.length > MOST ? `${caption}: the first ${MOST} of ${sorted.length}` : caption;
        table.make(parent, part, columns, sorted.slice(0, MOST), { found: true });
    };

    return (section, result) => {
        if (result.regions.length === 0) return;
        section.attr("hidden", null);
        const elapsed = result.whole(result.time());
        const order = d3.sort(d3.range(result.regions.length), (a, b) => result.regions[b].ns - result.regions[a].ns);
        const controls = section.append("div").attr("class", "controls");
        const shown = section.append("div");
        const draw = (i) => {
            const chosen = result.regions[order[i]];
            shown.selectAll("*").remove();
            shown.append("h3").attr("class", "paper").text(chosen.name); // on paper nothing is chosen
            facts(shown, chosen, elapsed, result.path);
            efficiencies(shown, chosen);
            byCall(shown, chosen);
            byRank(shown, result, order[i]);
        };
        const select = plot.choice(controls, "Region", order.map((place) => result.regions[place].name), draw);
        const named = (result.places ?? []).find((place) => place.region !== null)?.region;
        const first = Math.max(0, order.findIndex((place) => result.regions[place].name === named));
        select.property("value", first);
        draw(first);
    };
})();
