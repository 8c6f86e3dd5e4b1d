// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Useful and MPI time by rank, stacked: a bar for each rank, or for neighbours where a rank would have less
// than a pixel.
const ranks = (() => {
    const HEIGHT = 300, LEFT = 70, RIGHT = 190, TOP = 10, BOTTOM = 40;
    const MOST_BARS = 740, WIDEST = 90;

    const groups = (rows) => {
        const size = Math.ceil(rows.length / MOST_BARS);
        return d3.range(0, rows.length, size).map((start) => rows.slice(start, start + size));
    };

    const words = (bar, bars) => {
        const [first, last] = [bar.rows[0], bar.rows[bar.rows.length - 1]];
        const time = (value) => text.figure(value, "ns");
        if (first === last)
            return `rank ${first.rank} on ${first.host} (node ${first.node}): useful ${time(bar.useful)}, ` +
                `MPI ${time(bar.mpi)}`;
        return `${bar.rows.length} ranks, ${first.rank} (${first.host}) to ${last.rank} (${last.host})` +
            `${bars.sorted ? " by useful time" : ""}: useful ${time(bar.least)} to ${time(bar.most)} @${bar.mostRank}, ` +
            `mean ${time(bar.useful)}; MPI, mean ${time(bar.mpi)}`;
    };

    const summary = (rows, useful, mpi) => {
        const most = rows.reduce((a, b) => b.values[useful] > a.values[useful] ? b : a);
        return { rows, useful: d3.mean(rows, (row) => row.values[useful]), mpi: d3.mean(rows, (row) => row.values[mpi]),
            least: d3.min(rows, (row) => row.values[useful]), most: most.values[useful], mostRank: most.rank };
    };

    // The lines that the load balance is read from: labels that would meet keep a line's distance.
    const marks = (svg, y, result, right) => {
        const lines = [["longest elapsed", result.metric("elapsed").largest[0][0]],
            ["longest useful", result.metric("useful").largest[0][0]],
            ["mean useful", result.metric("useful").mean]];
        let free = 0;
        for (const [name, value] of lines) {
            svg.append("line").attr("class", "level").attr("x1", LEFT).attr("x2", right + 4)
                .attr("y1", y(value)).attr("y2", y(value));
            free = Math.max(free + 14, y(value) + 4);
            svg.append("text").attr("x", right + 8).attr("y", free).text(`${name} ${text.figure(value, "ns")}`);
        }
    };

    const draw = (figure, result, sorted, say) => {
        figure.selectAll("svg").remove();
        say(null);
        const [useful, mpi] = ["useful", "mpi"].map((key) => result.metric(key).place);
        const order = sorted ? d3.sort(result.rows, (a, b) => b.values[useful] - a.values[useful]) : result.rows;
        const bars = groups(order).map((rows) => summary(rows, useful, mpi));
        bars.sorted = sorted;
        const svg = plot.drawing(figure, HEIGHT, "Useful and MPI time by rank");
        const width = Math.min(plot.WIDTH - LEFT - RIGHT, bars.length * WIDEST);
        const right = LEFT + width, step = width / bars.length;
        // Narrow bars reach under the next one: no seams between them.
        const gap = step > 4 ? step * 0.15 : -0.6;
        const top = d3.max([...bars.map((bar) => bar.useful + bar.mpi), ...bars.map((bar) => bar.most),
            result.metric("elapsed").largest[0][0]]);
        const y = d3.scaleLinear([0, top || 1], [HEIGHT - BOTTOM, TOP]);
        const x = (i) => LEFT + i * step;
        plot.left(svg, y, "ns", LEFT);
        const rect = (kind, from, to) => svg.append("g").selectAll("rect").data(bars).join("rect").attr("class", kind)
            .attr("x", (bar, i) => x(i) + Math.max(0, gap / 2)).attr("width", step - gap)
            .attr("y", (bar) => y(to(bar))).attr("height", (bar) => Math.max(0, y(from(bar)) - y(to(bar))));
        rect("useful", () => 0, (bar) => bar.useful);
        rect("mpi", (bar) => bar.useful, (bar) => bar.useful + bar.mpi);
        if (bars.some((bar) => bar.rows.length > 1)) rect("range", (bar) => bar.least, (bar) => bar.most);
        const every = Math.ceil(bars.length / Math.max(2, Math.floor(width / 60)));
        svg.append("g").attr("class", "axis").selectAll("text").data(bars.filter((bar, i) => i % every === 0))
            .join("text").attr("x", (bar, i) => x(i * every) + (step > 30 ? step / 2 : 0)).attr("y", HEIGHT - BOTTOM + 16)
            .attr("text-anchor", step > 30 ? "middle" : "start").text((bar) => bar.rows[0].rank);
        svg.append("text").attr("class", "title").attr("x", LEFT).attr("y", HEIGHT - 6)
            .text(sorted ? "rank, by useful time" : "rank");
        marks(svg, y, result, right);
        const cursor = svg.append("rect").attr("class", "cursor").attr("y", TOP).attr("height", HEIGHT - TOP - BOTTOM)
            .attr("width", Math.max(1, step)).attr("visibility", "hidden");
        plot.explore(svg, {
            count: () => bars.length, step: () => Math.ceil(bars.length / 20),
            at: (px) => px < LEFT || px >= right ? -1 : Math.min(bars.length - 1, Math.floor((px - LEFT) / step)),
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible").attr("x", x(Math.max(0, i)));
                say(i < 0 ? null : words(bars[i], bars));
            },
        });
    };

    return (section, result) => {
        if (!result.rows) {
            section.append("p").attr("class", "missing").text(model.noRows(result));
            return;
        }
        const controls = section.append("div").attr("class", "controls");
        const several = result.rows.length > MOST_BARS;
        plot.legend(controls, [["useful", "useful"], ["mpi", "MPI"],
            ...(several ? [["range", `least to most useful of the ${Math.ceil(result.rows.length / MOST_BARS)} ranks ` +
                "that share a bar"]] : [])]);
        const figure = section.append("figure");
        const say = plot.readout(section, "Point at a bar, or use the arrow keys, for its rank, host and values.");
        plot.choice(controls, "order", ["by rank", "by useful time"], (i) => draw(figure, result, i === 1, say));
        draw(figure, result, false, say);
    };
})();
