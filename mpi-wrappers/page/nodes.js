// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The ranks of each node as cells, coloured by a metric.
const nodes = (() => {
    const LABEL = 130,
        HIGHEST = 560,
        LARGEST = 26,
        SMALLEST = 3,
        LABELLED = 11,
        MOST_CELLS = 20000;
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
        const most = d3.max(all, (block) => block.cells.length),
            square = Math.ceil(Math.sqrt(most));
        const place = (label, size, columns) => {
            const gap = label > 0 ? 6 : most === 1 ? 0 : Math.min(6, Math.max(2, Math.round(size / 2)));
            const width = label + columns * size + gap;
            const across = Math.max(1, Math.floor((plot.WIDTH + gap) / width));
            const high = Math.ceil(most / columns) * size + gap;
            const height = Math.ceil(all.length / across) * high;
            return {
                size,
                columns,
                label,
                width,
                across,
                high,
                height,
                fits: label + columns * size <= plot.WIDTH && height <= HIGHEST,
            };
        };
        const line = () => [most];
        const lines = (label, size) => {
            const widest = Math.floor((plot.WIDTH - label) / size);
            return [most, widest, 2 * square, square].map((n) => Math.min(n, most, widest));
        };
        for (const [label, smallest, shapes] of [
            [LABEL, LABELLED, line],
            [LABEL, LABELLED, lines],
            [0, SMALLEST, lines],
        ])
            for (let size = LARGEST; size >= smallest; size--)
                for (const columns of shapes(label, size)) {
                    const tried = place(label, size, columns);
                    if (tried.fits) return tried;
                }
        return place(0, SMALLEST, Math.min(most, Math.floor(plot.WIDTH / SMALLEST)));
    };

    const cells = (all, grid, metric) =>
        all.flatMap((block, b) =>
            block.cells.map((rows, i) => ({
                rows,
                block,
                value: d3.max(rows, (row) => row.values[metric.place]),
                x: (b % grid.across) * grid.width + grid.label + (i % grid.columns) * grid.size,
                y: Math.floor(b / grid.across) * grid.high + Math.floor(i / grid.columns) * grid.size,
            })),
        );

    const stepOf = (value, low, high) =>
        low === high
            ? Math.floor(STEPS / 2)
            : Math.min(STEPS - 1, Math.floor(((value - low) / (high - low)) * STEPS));

    const key = (parent, metric, low, high) => {
        const line = parent.append("p").attr("class", "scale");
        line.append("span").attr("class", "paper").text(`${metric.label}: `); // on paper nothing is chosen
        line.append("span").text(text.figure(low, metric.unit));
        const steps = line.append("span").attr("class", "ramp");
        const shown = low === high ? [stepOf(low, low, high)] : d3.range(STEPS);
        steps
            .selectAll("span")
            .data(shown)
            .join("span")
            .attr("class", (step) => `step${step}`);
        line.append("span").text(low === high ? "on all ranks" : text.figure(high, metric.unit));
        if (low !== high)
            line.append("span")
                .attr("class", "note")
                .text(`(${text.percent(1 - low / high)} apart)`);
    };

    const names = (svg, all, grid) => {
        const short = (host) => (host.length > 18 ? `${host.slice(0, 17)}…` : host);
        plot.put(svg, "text", grid.label > 0 ? all : [], {
            class: "tick",
            x: (block, b) => (b % grid.across) * grid.width + LABEL - 8,
            y: (block, b) => Math.floor(b / grid.across) * grid.high + grid.size / 2 + 4,
            "text-anchor": "end",
        }).text((block) => short(block.host));
    };

    // From a place to the mark there: its corner is a multiple of the cells' size.
    const finder = (marks, grid) => {
        const place = new Map(marks.map((cell, i) => [`${cell.x},${cell.y}`, i]));
        return (x, y) => {
            const [inX, inY] = [(x % grid.width) - grid.label, y % grid.high];
            if (inX < 0) return -1;
            const corner = [x - (inX % grid.size), y - (inY % grid.size)];
            return place.get(corner.map(Math.round).join()) ?? -1;
        };
    };

    const words = ({ rows, block, value }, metric) => {
        const last = rows[rows.length - 1].rank;
        const who = rows.length === 1 ? `rank ${last}` : `ranks ${rows[0].rank} to ${last}, at most,`;
        return `${who} on ${block.host} (node ${block.node}): ${metric.label} ${text.figure(value, metric.unit)}`;
    };

    const draw = (figure, result, metric, say) => {
        figure.selectAll("*").remove();
        say(null);
        const all = blocks(result.rows);
        const grid = layout(all);
        const marks = cells(all, grid, metric);
        const [low, high] = [d3.min(marks, (cell) => cell.value), d3.max(marks, (cell) => cell.value)];
        key(figure, metric, low, high);
        const svg = plot.drawing(figure, grid.height, `${metric.label} of the ranks of each node`);
        names(svg, all, grid);
        const gap = grid.size > 8 ? 1 : grid.size > 4 ? 0.5 : 0;
        plot.put(svg, "rect", marks, {
            class: (cell) => `cell step${stepOf(cell.value, low, high)}`,
            x: (cell) => cell.x,
            y: (cell) => cell.y,
            width: grid.size - gap,
            height: grid.size - gap,
        });
        const cursor = plot.cursor(svg, grid.size, grid.size);
        plot.explore(svg, {
            count: () => marks.length,
            step: () => grid.columns,
            at: finder(marks, grid),
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible");
                if (i >= 0) cursor.attr("x", marks[i].x - gap / 2).attr("y", marks[i].y - gap / 2);
                say(i < 0 ? null : words(marks[i], metric));
            },
        });
    };

    // What the ranks of a node did together. Of a counter of the node its first rank has the value.
    const summary = (result, ofNode) => {
        const place = (key) => result.metric(key)?.place ?? -1;
        const [useful, mpi, memory, frequency, limit] = [
            "useful",
            "mpi",
            "peak_memory",
            "frequency",
            "node_memory_limit",
        ].map(place);
        const known = (rows, at) => rows.map((row) => row.values[at] ?? null).filter((value) => value !== null);
        const byNode = new Map();
        for (const row of result.rows)
            if (byNode.has(row.node)) byNode.get(row.node).push(row);
            else byNode.set(row.node, [row]);
        return [...byNode]
            .sort(([a], [b]) => a - b)
            .map(([node, rows]) => ({
                node,
                host: rows[0].host,
                ranks: rows.length,
                useful: d3.mean(known(rows, useful)),
                mpi: d3.mean(known(rows, mpi)),
                memory: d3.sum(known(rows, memory)),
                limit: known(rows, limit)[0] ?? null,
                frequency: d3.mean(known(rows, frequency)) ?? null,
                counters: ofNode.map(({ place }) => known(rows, place)[0] ?? null),
            }));
    };

    const share = (part, whole) => (whole > 0 ? part / whole : null);

    const listing = (section, result) => {
        const ofNode = result.counters.flatMap(({ name, unit, scope }, i) =>
            scope === "node" ? [{ name, unit, place: result.metric(`counter.${i}`).place }] : [],
        );
        const all = summary(result, ofNode);
        const columns = [
            { name: "node", text: true, value: (d) => d.host, show: (d) => d.host },
            { name: "number", value: (d) => d.node, show: (d) => d.node },
            { name: "ranks", value: (d) => d.ranks, show: (d) => d.ranks },
            { name: "useful, mean", value: (d) => d.useful, show: (d) => text.figure(d.useful, "ns") },
            { name: "MPI, mean", value: (d) => d.mpi, show: (d) => text.figure(d.mpi, "ns") },
            { name: "memory of its ranks", value: (d) => d.memory, show: (d) => text.figure(d.memory, "B") },
            {
                name: "of what it has",
                value: (d) => share(d.memory, d.limit),
                show: (d) =>
                    d.limit > 0
                        ? `${text.percent(share(d.memory, d.limit))} of ${text.figure(d.limit, "B")}`
                        : text.figure(null),
            },
            {
                name: "frequency, mean",
                value: (d) => d.frequency,
                show: (d) => text.figure(d.frequency, "Hz"),
            },
            ...ofNode.map(({ name, unit }, i) => ({
                name,
                value: (d) => d.counters[i],
                show: (d) => text.figure(d.counters[i], unit),
            })),
        ].filter(({ value }) => all.some((d) => value(d) !== null));
        table.make(section, "Nodes", columns, all);
        section
            .append("p")
            .attr("class", "note")
            .text(
                "The memory of a node's ranks is the sum of what each had at most, which need not have been at one " +
                    "time, and memory that ranks share is in it once for each. What a node has is less than its memory " +
                    "where the job's control group has a limit." +
                    (all.some((d) => d.frequency !== null)
                        ? ""
                        : " Frequencies are not known: cycles were not counted, and the kernel shows none."),
            );
    };

    return (section, result) => {
        if (!result.rows) {
            section.append("p").attr("class", "missing").text(model.noRows(result));
            return;
        }
        const controls = section.append("div").attr("class", "controls");
        const figure = section.append("figure");
        const say = plot.readout(
            section,
            "Point at a cell, or use the arrow keys, for its rank, host and value.",
        );
        const shown = [...result.metrics.filter(
            (metric) => metric.place >= 0 && metric.count > 0 && !metric.key.startsWith("node_"),
        ), ...result.ofCalls];
        const first = Math.max(
            0,
            shown.findIndex((metric) => metric.key === "useful"),
        );
        plot.choice(
            controls,
            "colour",
            shown.map((metric) => metric.label),
            (i) => draw(figure, result, shown[i], say),
        ).property("value", first);
        draw(figure, result, shown[first], say);
        listing(section, result);
    };
})();
