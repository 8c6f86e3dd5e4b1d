// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The ranks of each node as cells, coloured by a metric.
const nodes = (() => {
    const LABEL = 130, HIGHEST = 560, LARGEST = 26, SMALLEST = 3, LABELLED = 11, MOST_CELLS = 20000;
    const STEPS = 9; // colours that the style has, of one hue: told apart by every kind of colour vision

    // A cell is a rank; in a job beyond MOST_CELLS, neighbours on a node, of which the largest value counts.
    const blocks = (rows) => {
        const size = Math.ceil(rows.length / MOST_CELLS);
        const of = new Map();
        for (const row of rows) {
            if (!of.has(row.node)) of.set(row.node, { node: row.node, host: row.host, cells: [] });
            const { cells } = of.get(row.node);
            if (cells.length === 0 || cells[cells.length - 1].length === size) cells.push([]);
            cells[cells.length - 1].push(row);
        }
        return [...of.values()].sort((a, b) => a.node - b.node);
    };

    // The largest cells with which all nodes fit: with their names and a node on a line if that can be, else
    // on several lines, else without names.
    const layout = (all) => {
        const most = d3.max(all, (block) => block.cells.length), square = Math.ceil(Math.sqrt(most));
        const place = (label, size, columns) => {
            const gap = label > 0 ? 6 : most === 1 ? 0 : Math.min(6, Math.max(2, Math.round(size / 2)));
            const width = label + columns * size + gap;
            const across = Math.max(1, Math.floor((plot.WIDTH + gap) / width));
            const high = Math.ceil(most / columns) * size + gap;
            const height = Math.ceil(all.length / across) * high;
            return { size, columns, label, width, across, high, height,
                fits: label + columns * size <= plot.WIDTH && height <= HIGHEST };
        };
        const line = () => [most];
        const lines = (label, size) => {
            const widest = Math.floor((plot.WIDTH - label) / size);
            return [most, widest, 2 * square, square].map((n) => Math.min(n, most, widest));
        };
        for (const [label, smallest, shapes] of [[LABEL, LABELLED, line], [LABEL, LABELLED, lines], [0, SMALLEST, lines]])
            for (let size = LARGEST; size >= smallest; size--)
                for (const columns of shapes(label, size)) {
                    const tried = place(label, size, columns);
                    if (tried.fits) return tried;
                }
        return place(0, SMALLEST, Math.min(most, Math.floor(plot.WIDTH / SMALLEST)));
    };

    const cells = (all, grid) => all.flatMap((block, b) => block.cells.map((rows, i) => ({
        rows, block,
        x: (b % grid.across) * grid.width + grid.label + (i % grid.columns) * grid.size,
        y: Math.floor(b / grid.across) * grid.high + Math.floor(i / grid.columns) * grid.size,
    })));

    const stepOf = (value, low, high) =>
        low === high ? Math.floor(STEPS / 2) : Math.min(STEPS - 1, Math.floor((value - low) / (high - low) * STEPS));

    const key = (parent, metric, low, high) => {
        const line = parent.append("p").attr("class", "scale");
        line.append("span").attr("class", "paper").text(`${metric.label}: `); // on paper nothing is chosen
        line.append("span").text(text.figure(low, metric.unit));
        const steps = line.append("span").attr("class", "ramp");
        const shown = low === high ? [stepOf(low, low, high)] : d3.range(STEPS);
        steps.selectAll("span").data(shown).join("span").attr("class", (step) => `step${step}`);
        line.append("span").text(low === high ? "on all ranks" : text.figure(high, metric.unit));
        if (low !== high) line.append("span").attr("class", "note").text(`(${text.percent(1 - low / high)} apart)`);
    };

    const draw = (figure, result, metric, say) => {
        figure.selectAll("*").remove();
        say(null);
        const all = blocks(result.rows), grid = layout(all), marks = cells(all, grid);
        const value = (cell) => d3.max(cell.rows, (row) => row.values[metric.place]);
        const [low, high] = [d3.min(marks, value), d3.max(marks, value)];
        key(figure, metric, low, high);
        const svg = plot.drawing(figure, grid.height, `${metric.label} of the ranks of each node`);
        if (grid.label > 0)
            svg.append("g").attr("class", "axis").selectAll("text").data(all).join("text")
                .attr("x", (block, b) => (b % grid.across) * grid.width + LABEL - 8).attr("text-anchor", "end")
                .attr("y", (block, b) => Math.floor(b / grid.across) * grid.high + grid.size / 2 + 4)
                .text((block) => block.host.length > 18 ? `${block.host.slice(0, 17)}…` : block.host);
        const gap = grid.size > 8 ? 1 : grid.size > 4 ? 0.5 : 0;
        svg.append("g").selectAll("rect").data(marks).join("rect")
            .attr("class", (cell) => `cell step${stepOf(value(cell), low, high)}`)
            .attr("x", (cell) => cell.x).attr("y", (cell) => cell.y)
            .attr("width", grid.size - gap).attr("height", grid.size - gap);
        const cursor = svg.append("rect").attr("class", "cursor").attr("visibility", "hidden")
            .attr("width", grid.size).attr("height", grid.size);
        const place = new Map(marks.map((cell, i) => [`${cell.x},${cell.y}`, i]));
        const at = (x, y) => {
            const inX = x % grid.width - grid.label, inY = y % grid.high;
            if (inX < 0) return -1;
            const left = x - inX % grid.size, top = y - inY % grid.size;
            return place.get(`${Math.round(left)},${Math.round(top)}`) ?? -1;
        };
        const words = ({ rows, block }) => `${rows.length === 1 ? `rank ${rows[0].rank}` :
            `ranks ${rows[0].rank} to ${rows[rows.length - 1].rank}, at most,`} on ${block.host} (node ${block.node}): ` +
            `${metric.label} ${text.figure(value({ rows }), metric.unit)}`;
        plot.explore(svg, { count: () => marks.length, step: () => grid.columns, at,
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible");
                if (i >= 0) cursor.attr("x", marks[i].x - gap / 2).attr("y", marks[i].y - gap / 2);
                say(i < 0 ? null : words(marks[i]));
            } });
    };

    return (section, result) => {
        if (!result.rows) {
            section.append("p").attr("class", "missing").text(model.noRows(result));
            return;
        }
        const controls = section.append("div").attr("class", "controls");
        const figure = section.append("figure");
        const say = plot.readout(section, "Point at a cell, or use the arrow keys, for its rank, host and value.");
        const shown = result.metrics.filter((metric) => metric.place >= 0);
        const first = Math.max(0, shown.findIndex((metric) => metric.key === "useful"));
        plot.choice(controls, "colour", shown.map((metric) => metric.label), (i) => draw(figure, result, shown[i], say))
            .property("value", first);
        draw(figure, result, shown[first], say);
    };
})();
