// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// All metrics: what they are in all, and how they lie over the ranks.
const metrics = (() => {
    const WIDTH = 120,
        HEIGHT = 14;

    // From the least to the most: a line, a box from p5 to p95, a mark at the median. From 0, so that a
    // difference looks as large as it is.
    const box = (cell, { p5, p50, p95, smallest, largest }) => {
        const svg = cell
            .append("svg")
            .attr("class", "box")
            .attr("viewBox", `0 0 ${WIDTH} ${HEIGHT}`)
            .attr("width", WIDTH)
            .attr("height", HEIGHT)
            .attr("aria-hidden", "true");
        const x = d3.scaleLinear([0, largest[0][0] || 1], [2, WIDTH - 2]);
        const middle = HEIGHT / 2;
        plot.line(svg, "base", x(0), middle, WIDTH - 2, middle);
        plot.line(svg, "whole", x(smallest[0][0]), middle, x(largest[0][0]), middle);
        const width = Math.max(1, x(p95) - x(p5));
        plot.put(svg, "rect", [0], { class: "middle", x: x(p5), y: 2, width, height: HEIGHT - 4 });
        plot.line(svg, "median", x(p50), 0, x(p50), HEIGHT);
    };

    // Frequencies do not add up.
    const total = (d) => (d.unit === "Hz" ? null : d.total);
    const columns = [
        { name: "metric", text: true, value: (d) => d.label, show: (d) => d.label },
        { name: "total", value: total, show: (d) => text.figure(total(d), d.unit) },
        { name: "min @rank", value: (d) => d.smallest[0][0], show: (d) => at(d.smallest[0], d.unit) },
        { name: "p5", value: (d) => d.p5, show: (d) => text.figure(d.p5, d.unit) },
        { name: "p50", value: (d) => d.p50, show: (d) => text.figure(d.p50, d.unit) },
        { name: "p95", value: (d) => d.p95, show: (d) => text.figure(d.p95, d.unit) },
        { name: "max @rank", value: (d) => d.largest[0][0], show: (d) => at(d.largest[0], d.unit) },
        { name: "imbalance", value: (d) => d.imbalance, show: (d) => text.percent(d.imbalance) },
        { name: "from 0 to the maximum", text: true, draw: box },
    ];

    const at = ([value, rank], unit) => `${text.figure(value, unit)} @${rank}`;

    return (section, result) => {
        const rows = result.metrics.filter((metric) => metric.count > 0 && !metric.key.startsWith("node_"));
        table.make(section, "Metrics: of each rank", columns, rows, { all: true }).classed("metrics", true);
        section
            .append("p")
            .attr("class", "note")
            .text(
                "Imbalance: maximum / mean - 1. The box is from p5 to p95 with " +
                    "the median in it, the line from the minimum to the maximum. Quantiles are " +
                    (rows.every((metric) => metric.values)
                        ? "exact."
                        : "at most 12.5 % off where more than 16 ranks have no " + "row each."),
            );
    };
})();
