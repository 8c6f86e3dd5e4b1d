// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The regions of the program by time.
const regions = (() => {
    const mean = (region) => (region.ranks > 0 ? region.ns / region.ranks : 0);
    const imbalance = (region) => (mean(region) > 0 ? region.most_ns / mean(region) - 1 : null);
    const share = (region) => (region.ns > 0 ? region.mpi_ns / region.ns : null);

    const columns = (elapsed, longest, counters, formulas) => [
        { name: "region", text: true, value: (d) => d.name, show: (d) => d.name },
        {
            name: "",
            text: true,
            draw: (cell, d) =>
                table.bar(cell, [
                    ["useful", (d.ns - d.mpi_ns) / longest],
                    ["mpi", d.mpi_ns / longest],
                ]),
        },
        { name: "time", value: (d) => d.ns, show: (d) => text.figure(d.ns, "ns") },
        {
            name: "of all",
            value: (d) => d.ns,
            show: (d) => text.percent(elapsed > 0 ? d.ns / elapsed : null),
        },
        { name: "in MPI", value: share, show: (d) => text.percent(share(d)) },
        { name: "imbalance", value: imbalance, show: (d) => text.percent(imbalance(d)) },
        { name: "visits", value: (d) => d.visits, show: (d) => text.figure(d.visits, "") },
        { name: "ranks", value: (d) => d.ranks, show: (d) => d.ranks },
        {
            name: "min @rank",
            value: (d) => d.least_ns,
            show: (d) => `${text.figure(d.least_ns, "ns")} @${d.least_rank}`,
        },
        {
            name: "max @rank",
            value: (d) => d.most_ns,
            show: (d) => `${text.figure(d.most_ns, "ns")} @${d.most_rank}`,
        },
        ...counters.map(({ name, unit }, i) => ({
            name,
            value: (d) => d.counters[i],
            show: (d) => text.figure(d.counters[i], unit),
        })),
        ...formulas.map(({ name, unit, formula }, i) => ({
            name,
            title: `${unit} = ${formula}`,
            value: (d) => d.formulas[i],
            show: (d) => (d.formulas[i] === null ? "-" : `${d.formulas[i].toPrecision(4)} ${unit}`),
        })),
    ];

    // The efficiencies of the regions, as the job has its own; those that no region has are left out.
    const FACTORS = [
        ["parallel", "parallel"],
        ["load_balance", "load balance"],
        ["in_nodes", "in nodes"],
        ["across_nodes", "across nodes"],
        ["communication", "communication"],
        ["serialisation", "serialisation"],
        ["transfer", "transfer"],
    ];

    const efficiencies = (section, { job, regions: all }) => {
        const known = all.filter(({ efficiency }) => efficiency && efficiency.parallel !== null);
        if (known.length === 0 || job.ranks < 2) return;
        const has = ([key]) =>
            known.some(({ efficiency }) => efficiency[key] !== null) && !(key.endsWith("_nodes") && job.nodes < 2);
        const factors = FACTORS.filter(has).map(([key, name]) => ({
            name,
            value: (d) => d.efficiency[key],
            show: (d) => (d.efficiency[key] === null ? "n/a" : d.efficiency[key].toFixed(3)),
        }));
        table.make(
            section,
            "Efficiencies of the regions, of the main threads that were in them",
            [
                { name: "region", text: true, value: (d) => d.name, show: (d) => d.name },
                ...factors,
                {
                    name: "most useful @rank",
                    value: (d) => d.most_useful_ns,
                    show: (d) => `${text.figure(d.most_useful_ns, "ns")} @${d.most_useful_rank}`,
                },
            ],
            d3.sort(known, (a, b) => b.ns - a.ns),
        );
    };

    return (section, result) => {
        if (result.regions.length === 0) {
            section
                .append("p")
                .attr("class", "missing")
                .text(
                    "The program marks no regions. PAPI_hl_region_begin and " +
                        "PAPI_hl_region_end (PAPIF_hl_region_begin in Fortran), or MPI_Pcontrol, would name its parts here.",
                );
            return;
        }
        const longest = d3.max(result.regions, (region) => region.ns) || 1;
        plot.legend(section, [
            ["useful", "outside MPI"],
            ["mpi", "in MPI calls"],
        ]);
        table.make(
            section,
            "Regions by time, summed over all ranks and threads",
            columns(result.whole(result.time()), longest, result.counters, result.formulas ?? []),
            d3.sort(result.regions, (a, b) => b.ns - a.ns),
        );
        efficiencies(section, result);
        const open = result.regions.filter((region) => region.open > 0);
        section
            .append("p")
            .attr("class", "note")
            .text(
                "Times are inclusive: a region inside another one is in both. " +
                    "Imbalance: the rank with the most time in it / the mean of the ranks that were in it - 1." +
                    (open.length > 0
                        ? ` Still open at the end: ${open
                              .map((region) => `${region.name} (${text.count(region.open, "rank")})`)
                              .join(", ")}.`
                        : ""),
            );
    };
})();
