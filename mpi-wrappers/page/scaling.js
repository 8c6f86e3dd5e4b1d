// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Runs of the program on several numbers of ranks: how its efficiencies change, and what is to be expected of more.
const scaling = (() => {
    const HEIGHT = 320,
        LEFT = 44,
        RIGHT = 190,
        TOP = 12,
        BOTTOM = 40,
        NEAR = 14; // of labels

    const factor = (value) => (value === null || value === undefined ? "n/a" : value.toFixed(3));

    const range = ([low, high], show) => (show(low) === show(high) ? show(low) : `${show(low)} to ${show(high)}`);

    const shown = (row, value) => (row.unit === "ns" ? text.figure(value, "ns") : factor(value));

    // An estimate has no more digits than it can answer for.
    const guessed = (row, value) => (row.unit === "ns" ? text.figure(value, "ns") : value.toFixed(2));

    // A row of the table is a figure, and a column a run or an estimate.
    const columns = ({ runs, estimates }) => [
        { name: "ranks", text: true, show: (row) => `${"\u2003".repeat(row.depth)}${row.name}` },
        ...runs.map((run) => ({
            name: String(run.ranks),
            show: (row) => shown(row, run[row.key]),
        })),
        ...estimates.map((estimate) => ({
            name: `${estimate.ranks}, expected`,
            show: (row) => (estimate[row.key] ? range(estimate[row.key], (value) => guessed(row, value)) : ""),
        })),
    ];

    // What is drawn: the whole, its two factors, and the one that breaks first.
    const drawn = ({ rows, runs, factor: breaks }) =>
        rows.filter(
            ({ key }) =>
                ["global", "parallel", "computation", breaks].includes(key) &&
                runs.some((run) => run[key] !== null),
        );

    // Labels at the right, moved apart so that none is over another.
    const labels = (svg, rows, last, y, x) => {
        const places = d3.sort(
            rows.map((row) => ({ row, at: y(last[row.key] ?? 0) })),
            (d) => d.at,
        );
        for (let i = 1; i < places.length; i++)
            places[i].at = Math.max(places[i].at, places[i - 1].at + NEAR);
        plot.put(svg, "text", places, { class: "title", x, y: ({ at }) => at + 4 }).text(({ row }) =>
            row.key.endsWith("_nodes") ? `load balance ${row.name}` : row.name,
        );
    };

    const bands = (svg, { runs, estimates }, x, y) => {
        const last = runs.at(-1);
        const points = [{ ranks: last.ranks, global: [last.global, last.global] }, ...estimates];
        if (estimates.length === 0 || last.global === null) return;
        const side = (i) => points.map((d) => `${x(d.ranks)},${y(Math.min(y.domain()[1], d.global[i]))}`);
        svg.append("path").attr("class", "expected").attr("d", `M${[...side(0), ...side(1).reverse()].join("L")}Z`);
    };

    const draw = (section, found) => {
        const rows = drawn(found);
        const { runs, estimates } = found;
        const most = d3.max(runs, (run) => d3.max(rows, ({ key }) => run[key])) ?? 1;
        const svg = plot.drawing(
            section.append("figure"),
            HEIGHT,
            "Efficiencies by the number of ranks; the table below has the same figures",
        );
        const ends = [runs[0], estimates.at(-1) ?? runs.at(-1)].map((run) => Math.log2(run.ranks));
        const place = d3.scaleLinear(ends, [LEFT + 10, plot.WIDTH - RIGHT]);
        const x = (ranks) => place(Math.log2(ranks));
        const y = d3.scaleLinear([0, Math.max(1, most)], [HEIGHT - BOTTOM, TOP]);
        const ranks = [...runs, ...estimates].map((run) => run.ranks);
        plot.put(svg, "text", ranks, { class: "tick", x, y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }).text(String);
        plot.left(svg, y, "", LEFT);
        plot.put(svg, "text", ["ranks"], { class: "title", x: x(runs.at(-1).ranks), y: HEIGHT - 6, "text-anchor": "middle" }).text(String);
        plot.line(svg, "level", LEFT, y(0.8), plot.WIDTH - RIGHT, y(0.8));
        bands(svg, found, x, y);
        const line = (key) => {
            const known = runs.filter((run) => run[key] !== null);
            return `M${known.map((run) => `${x(run.ranks)},${y(run[key])}`).join("L")}`;
        };
        for (const [i, { key, name }] of rows.entries()) {
            svg.append("path").attr("class", `scaling series${i}`).attr("d", line(key));
            const dots = plot.put(
                svg,
                "circle",
                runs.filter((run) => run[key] !== null),
                { class: `scaling series${i}`, r: 4, cx: (run) => x(run.ranks), cy: (run) => y(run[key]) },
            );
            dots.append("title").text((run) => `${name} on ${run.ranks} ranks: ${factor(run[key])}`);
        }
        labels(svg, rows, runs.at(-1), y, x(runs.at(-1).ranks) + 10);
    };

    return (section, found) => {
        draw(section, found);
        section
            .append("p")
            .attr("class", "note")
            .text(
                "Below the dotted line, at 0.8, an efficiency is worth a look." +
                    (found.estimates.length > 0 ? " The band is the global efficiency to be expected." : "") +
                    ` All other sections of this page are of the run on ${found.runs.at(-1).ranks} ranks.`,
            );
        const known = found.rows.filter(({ key }) => found.runs.some((run) => run[key] !== null));
        table.make(section, "Runs by their number of ranks", columns(found), known, { all: true });
        section.append("ul").attr("class", "quality").selectAll("li").data(found.remarks).join("li")
            .attr("class", (d) => (d.startsWith("warning: ") ? "problem" : "fine"))
            .text((d) => d);
    };
})();
