// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// How many ranks have which value of a metric: one small plot for each metric that differs between ranks.
const histograms = (() => {
    const WIDTH = 330,
        HEIGHT = 130,
        LEFT = 8,
        RIGHT = 8,
        TOP = 28,
        BOTTOM = 24,
        BINS = 24,
        FEW = 16,
        NAMED = 3,
        DOT = 9;

    // Few ranks: a dot for each. Otherwise bins of the same width from the values, or the file's buckets.
    const kind = (metric) => (metric.values ? (metric.values.length <= FEW ? "dots" : "bins") : "buckets");

    const bins = (metric) => {
        const [low, high] = [metric.smallest[0][0], metric.largest[0][0]];
        const width = (high - low) / BINS;
        const found = d3
            .range(BINS)
            .map((i) => ({ from: low + i * width, to: low + (i + 1) * width, ranks: 0 }));
        for (const [value] of metric.values)
            found[Math.min(BINS - 1, Math.floor((value - low) / width))].ranks++;
        return found;
    };

    const buckets = (metric) => {
        const [low, high] = [metric.smallest[0][0], metric.largest[0][0]];
        return metric.buckets.map(([start, ranks]) => ({
            from: Math.max(low, start),
            to: Math.max(low, Math.min(high, model.bucketEnd(start))),
            ranks,
        }));
    };

    const range = (from, to, unit) => `${text.figure(from, unit)} to ${text.figure(to, unit)}`;

    const one = ([value, rank], metric) => `rank ${rank}: ${text.figure(value, metric.unit)}`;

    // A bar's area says how many ranks it has: buckets are not all of the same width.
    const bars = (svg, metric, x, base, list) => {
        const width = (bar) => Math.max(1, x(bar.to) - x(bar.from));
        const height = d3.scaleLinear([0, d3.max(list, (bar) => bar.ranks / width(bar))], [0, base - TOP]);
        const high = (bar) => Math.max(1.5, height(bar.ranks / width(bar)));
        const drawn = plot.put(
            svg,
            "rect",
            list.filter((bar) => bar.ranks > 0),
            {
                class: "bin",
                x: (bar) => x(bar.from),
                y: (bar) => base - high(bar),
                width: (bar) => Math.max(1, width(bar) - 1),
                height: high,
            },
        );
        drawn
            .append("title")
            .text((bar) => `${range(bar.from, bar.to, metric.unit)}: ${text.count(bar.ranks, "rank")}`);
    };

    // Dots that would cover each other stand one above the other.
    const stacked = (metric, x) => {
        const columns = new Map();
        const level = ([value]) => {
            const column = Math.round(x(value) / DOT);
            columns.set(column, (columns.get(column) ?? -1) + 1);
            return columns.get(column);
        };
        return metric.values.map(level);
    };

    const dots = (svg, metric, x, base) => {
        const levels = stacked(metric, x);
        const drawn = plot.put(svg, "circle", metric.values, {
            class: "dot",
            r: 4,
            cx: ([value]) => x(value),
            cy: (d, i) => base - DOT / 2 - 1 - DOT * levels[i],
        });
        drawn.append("title").text((pair) => one(pair, metric));
    };

    const outliers = (svg, metric, x) => {
        const drawn = plot.put(svg, "path", metric.outliers, {
            class: "outlier",
            d: "M-4,-7L4,-7L0,0Z",
            transform: ([value]) => `translate(${x(value)},${TOP})`,
        });
        drawn.append("title").text((pair) => one(pair, metric));
        const median = model.quantile(metric, 0.5);
        const sides = [
            ["start", LEFT, metric.outliers.filter(([value]) => value < median)],
            ["end", WIDTH - RIGHT, metric.outliers.filter(([value]) => value >= median).reverse()],
        ];
        const room = sides.every(([, , list]) => list.length > 0) ? 1 : NAMED;
        for (const [anchor, at, list] of sides.filter(([, , ranks]) => ranks.length > 0)) {
            const words = list
                .slice(0, room)
                .map(([, rank]) => `@${rank}`)
                .join(" ");
            svg.append("text")
                .attr("class", "names")
                .attr("x", at)
                .attr("y", TOP - 11)
                .attr("text-anchor", anchor)
                .text(list.length > room ? `${words} and ${list.length - room} more` : words);
        }
    };

    const draw = (parent, metric) => {
        const figure = parent.append("figure").attr("class", "histogram").attr("data-key", metric.key);
        const caption = figure.append("figcaption").text(metric.label);
        caption.append("span").text(`imbalance ${text.percent(metric.imbalance)}`);
        const [low, high] = [metric.smallest[0][0], metric.largest[0][0]];
        const x = d3.scaleLinear([low, high], [LEFT, WIDTH - RIGHT]);
        const shape = kind(metric);
        const base = shape === "dots" ? TOP + DOT * (d3.max(stacked(metric, x)) + 1) : HEIGHT - BOTTOM;
        const svg = plot.drawing(
            figure,
            base + BOTTOM,
            `${metric.label}: how many ranks have which value`,
            WIDTH,
        );
        plot.line(svg, "base", LEFT, base + 0.5, WIDTH - RIGHT, base + 0.5);
        if (shape === "dots") dots(svg, metric, x, base);
        else bars(svg, metric, x, base, shape === "bins" ? bins(metric) : buckets(metric));
        outliers(svg, metric, x);
        const ends = [
            [metric.smallest[0], "start"],
            [metric.largest[0], "end"],
        ];
        for (const [[value, rank], anchor] of ends)
            svg.append("text")
                .attr("class", "end")
                .attr("x", anchor === "start" ? LEFT : WIDTH - RIGHT)
                .attr("y", base + BOTTOM - 7)
                .attr("text-anchor", anchor)
                .text(`${text.figure(value, metric.unit)} @${rank}`);
    };

    return (section, result) => {
        const counted = result.metrics.filter((metric) => metric.count > 0);
        const differs = (metric) => metric.smallest[0][0] !== metric.largest[0][0];
        const shown = counted.filter((metric) => differs(metric) && !metric.key.startsWith("node_"));
        const same = counted.filter((metric) => !differs(metric) && !metric.key.startsWith("node_"));
        const grid = section.append("div").attr("class", "histograms");
        for (const metric of shown) draw(grid, metric);
        const rough = shown.some((metric) => kind(metric) === "buckets");
        const said = [
            shown.some((metric) => metric.outliers.length > 0)
                ? "Triangles mark the ranks that stand out: further from the median than five " +
                  "deviations of the middle half."
                : "",
            rough
                ? "Without a row for each rank, bars are the file's buckets, four to an octave, and of the ranks " +
                  "that stand out the eight smallest and largest are known."
                : "",
            same.length > 0
                ? `The same on all ranks: ${same
                      .map((metric) => `${metric.label} (${text.figure(metric.smallest[0][0], metric.unit)})`)
                      .join(", ")}.`
                : "",
        ];
        section.append("p").attr("class", "note").text(said.filter(Boolean).join(" "));
    };
})();
