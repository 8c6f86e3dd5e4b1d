// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Useful and MPI time by rank, stacked: a bar for each rank, or for neighbours where a rank would have less
// than a pixel.
const ranks = (() => {
    const HEIGHT = 300,
        LEFT = 70,
        RIGHT = 190,
        TOP = 10,
        BOTTOM = 40;
    const MOST_BARS = 740,
        WIDEST = 90,
        MOST_FOUND = 100;

    const groups = (rows) => {
        const size = Math.ceil(rows.length / MOST_BARS);
        return d3.range(0, rows.length, size).map((start) => rows.slice(start, start + size));
    };

    const words = (bar, sorted) => {
        const [first, last] = [bar.rows[0], bar.rows[bar.rows.length - 1]];
        const time = (value) => text.figure(value, "ns");
        if (first === last)
            return (
                `rank ${first.rank} on ${first.host} (node ${first.node}): useful ${time(bar.useful)}, ` +
                `MPI ${time(bar.mpi)}`
            );
        return (
            `${bar.rows.length} ranks, ${first.rank} (${first.host}) to ${last.rank} (${last.host})` +
            `${sorted ? " by useful time" : ""}: useful ${time(bar.least)} to ${time(bar.most)} @${bar.mostRank}, ` +
            `mean ${time(bar.useful)}; MPI, mean ${time(bar.mpi)}`
        );
    };

    const summary = (rows, useful, mpi) => {
        const most = rows.reduce((a, b) => (b.values[useful] > a.values[useful] ? b : a));
        return {
            rows,
            useful: d3.mean(rows, (row) => row.values[useful]),
            mpi: d3.mean(rows, (row) => row.values[mpi]),
            least: d3.min(rows, (row) => row.values[useful]),
            most: most.values[useful],
            mostRank: most.rank,
        };
    };

    // The lines that the load balance is read from: labels that would meet keep a line's distance.
    const levels = (svg, result, { y, right }) => {
        const named = [
            [result.metric("threads_time") ? "longest of threads" : "longest elapsed", result.time().largest[0][0]],
            ["longest useful", result.metric("useful").largest[0][0]],
            ["mean useful", result.metric("useful").mean],
        ];
        let free = 0;
        const below = ([, value]) => (free = Math.max(free + 14, y(value) + 4));
        for (const [, value] of named) plot.line(svg, "level", LEFT, y(value), right + 4, y(value));
        plot.put(svg, "text", named, { x: right + 8, y: below }).text(
            ([name, value]) => `${name} ${text.figure(value, "ns")}`,
        );
    };

    // Where the bars stand, and how high they can be.
    const frame = (bars, elapsed) => {
        const right = LEFT + Math.min(plot.WIDTH - LEFT - RIGHT, bars.length * WIDEST);
        const step = (right - LEFT) / bars.length;
        const top = d3.max(bars, (bar) => Math.max(bar.useful + bar.mpi, bar.most, elapsed));
        const y = d3.scaleLinear([0, top || 1], [HEIGHT - BOTTOM, TOP]);
        return { right, step, y, x: (i) => LEFT + i * step };
    };

    const stack = (svg, bars, { step, x, y }) => {
        // Narrow bars reach under the next one: no seams between them.
        const gap = step > 4 ? step * 0.15 : -0.6;
        const parts = (kind, from, to) =>
            plot.put(svg, "rect", bars, {
                class: kind,
                x: (bar, i) => x(i) + Math.max(0, gap / 2),
                width: step - gap,
                y: (bar) => y(to(bar)),
                height: (bar) => Math.max(0, y(from(bar)) - y(to(bar))),
            });
        const useful = (bar) => bar.useful;
        parts("useful", () => 0, useful);
        parts("mpi", useful, (bar) => bar.useful + bar.mpi);
        // prettier-ignore
        if (bars.some((bar) => bar.rows.length > 1)) parts("range", (bar) => bar.least, (bar) => bar.most);
    };

    const ticks = (svg, bars, sorted, { right, step, x }) => {
        const every = Math.ceil(bars.length / Math.max(2, Math.floor((right - LEFT) / 60)));
        const wide = step > 30;
        plot.put(svg, "text", d3.range(0, bars.length, every), {
            class: "tick",
            x: (i) => x(i) + (wide ? step / 2 : 0),
            y: HEIGHT - BOTTOM + 16,
            "text-anchor": wide ? "middle" : "start",
        }).text((i) => bars[i].rows[0].rank);
        plot.put(svg, "text", [sorted ? "rank, by useful time" : "rank"], {
            class: "title",
            x: LEFT,
            y: HEIGHT - 6,
        }).text((words) => words);
    };

    const explore = (svg, bars, sorted, { right, step, x }, say) => {
        const cursor = plot.cursor(svg, Math.max(1, step), HEIGHT - TOP - BOTTOM).attr("y", TOP);
        plot.explore(svg, {
            count: () => bars.length,
            step: () => Math.ceil(bars.length / 20),
            at: (px) =>
                px < LEFT || px >= right ? -1 : Math.min(bars.length - 1, Math.floor((px - LEFT) / step)),
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible").attr("x", x(Math.max(0, i)));
                say(i < 0 ? null : words(bars[i], sorted));
            },
        });
    };

    const draw = (figure, result, sorted, say) => {
        figure.selectAll("svg").remove();
        say(null);
        const [useful, mpi] = ["useful", "mpi"].map((key) => result.metric(key).place);
        const falling = (a, b) => b.values[useful] - a.values[useful];
        const rows = sorted ? d3.sort(result.rows, falling) : result.rows;
        const bars = groups(rows).map((group) => summary(group, useful, mpi));
        const at = frame(bars, result.time().largest[0][0]);
        const svg = plot.drawing(figure, HEIGHT, "Useful and MPI time by rank");
        plot.left(svg, at.y, "ns", LEFT);
        stack(svg, bars, at);
        ticks(svg, bars, sorted, at);
        levels(svg, result, at);
        explore(svg, bars, sorted, at, say);
    };

    // "rank 17" is that rank alone; otherwise a number is a rank or a part of a host's name.
    const fits = (row, words) =>
        words[0] === "rank"
            ? words.length > 1 && words.slice(1).every((word) => String(row.rank) === word)
            : words.every((word) => String(row.rank) === word || row.host.toLowerCase().includes(word));

    // All figures of the ranks that are searched for, by number or by host.
    const finding = (section, result) => {
        const place = section.append("div");
        const columns = [
            { name: "rank", value: (row) => row.rank, show: (row) => row.rank },
            { name: "host", text: true, value: (row) => row.host, show: (row) => row.host },
            { name: "node", value: (row) => row.node, show: (row) => row.node },
            ...[...result.metrics.filter(
                (metric) => metric.place >= 0 && metric.count > 0 && !metric.key.startsWith("node_"),
            ), ...result.ofCalls].map((metric) => ({
                name: metric.label,
                value: (row) => row.values[metric.place],
                show: (row) => text.figure(row.values[metric.place], metric.unit),
            })),
        ];
        search.add((words) => {
            const found = words.length > 0 ? result.rows.filter((row) => fits(row, words)) : [];
            const shown = found.slice(0, MOST_FOUND);
            place.selectAll("*").remove();
            const title = found.length > shown.length ? `Ranks found, the first ${shown.length} of ${found.length}` : "Ranks found";
            if (found.length > 0) table.make(place, title, columns, shown, { found: true });
            return found.length;
        });
    };

    return (section, result) => {
        if (!result.rows) {
            section.append("p").attr("class", "missing").text(model.noRows(result));
            return;
        }
        const controls = section.append("div").attr("class", "controls");
        const shared = Math.ceil(result.rows.length / MOST_BARS);
        const range = ["range", `least to most useful of the ${shared} ranks that share a bar`];
        plot.legend(controls, [["useful", "useful"], ["mpi", "MPI"], ...(shared > 1 ? [range] : [])]);
        const figure = section.append("figure");
        const say = plot.readout(
            section,
            "Point at a bar, or use the arrow keys, for its rank, host and values.",
        );
        plot.choice(controls, "order", ["by rank", "by useful time"], (i) =>
            draw(figure, result, i === 1, say),
        );
        draw(figure, result, false, say);
        finding(section, result);
    };
})();
