// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Who sends how much to whom: a cell for each pair, of ranks, nodes or parts of the ranks, and how the bytes of a
// rank are spread over its partners.
const matrix = (() => {
    const LEFT = 60,
        TOP = 24,
        LARGEST = 30,
        WIDEST = 640,
        STEPS = 9;

    // The ranks of a part, from the first to the last.
    const ranksOf = (place, { n }, ranks) => [
        Math.ceil((place * ranks) / n),
        Math.ceil(((place + 1) * ranks) / n) - 1,
    ];

    const name = (place, of, ranks) => {
        if (of.by !== "ranks") return `${of.by} ${place}`;
        const [first, last] = ranksOf(place, of, ranks);
        return first === last ? `rank ${first}` : `ranks ${first} to ${last}`;
    };

    // By orders of magnitude: what is a thousandth of the most is still to be told from nothing.
    const stepOf = (bytes, most) =>
        bytes <= 0 ? 0 : Math.max(0, Math.min(STEPS - 1, STEPS - 1 - Math.floor(Math.log2(most / bytes) / 2)));

    const draw = (section, result) => {
        const { matrix: of, job } = result;
        const most = d3.max(of.cells, ([, , , bytes]) => bytes);
        const size = Math.max(4, Math.min(LARGEST, Math.floor(WIDEST / of.n)));
        const label = `Bytes from each ${of.by === "ranks" ? "part of the ranks" : of.by} (row) to each other (column)`;
        const svg = plot.drawing(section.append("figure"), TOP + of.n * size + 4, label);
        const every = Math.max(1, Math.ceil(28 / size));
        const ticks = d3.range(0, of.n, every);
        const shown = (place) => (of.by === "ranks" ? ranksOf(place, of, job.ranks)[0] : place);
        plot.put(svg, "text", ticks, {
            class: "tick",
            x: LEFT - 6,
            y: (place) => TOP + place * size + size / 2 + 4,
            "text-anchor": "end",
        }).text(shown);
        plot.put(svg, "text", ticks, {
            class: "tick",
            x: (place) => LEFT + place * size + size / 2,
            y: TOP - 6,
            "text-anchor": "middle",
        }).text(shown);
        plot.put(svg, "rect", [0], {
            class: "field",
            x: LEFT,
            y: TOP,
            width: of.n * size,
            height: of.n * size,
        });
        const gap = size > 8 ? 1 : 0.5;
        plot.put(svg, "rect", of.cells, {
            class: ([, , , bytes]) => `cell step${stepOf(bytes, most)}`,
            x: ([, to]) => LEFT + to * size,
            y: ([from]) => TOP + from * size,
            width: size - gap,
            height: size - gap,
        });
        const say = plot.readout(section, "Point at a cell, or use the arrow keys, for its messages and bytes.");
        const cursor = plot.cursor(svg, size, size);
        const place = new Map(of.cells.map(([from, to], i) => [from * of.n + to, i]));
        plot.explore(svg, {
            count: () => of.cells.length,
            at: (x, y) => {
                const [from, to] = [Math.floor((y - TOP) / size), Math.floor((x - LEFT) / size)];
                return to < 0 || to >= of.n ? -1 : (place.get(from * of.n + to) ?? -1);
            },
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible");
                if (i < 0) return say(null);
                const [from, to, messages, bytes] = of.cells[i];
                cursor.attr("x", LEFT + to * size - gap / 2).attr("y", TOP + from * size - gap / 2);
                const pair = `${name(from, of, job.ranks)} to ${name(to, of, job.ranks)}`;
                say(`${pair}: ${text.count(messages, "message")}, ${text.figure(bytes, "B")}`);
            },
        });
    };

    const columns = (all, most) => [
        { name: "partner", value: (d) => d.place, show: (d) => d.place },
        { name: "", text: true, draw: (cell, d) => table.bar(cell, [["mpi", d.bytes / most]]) },
        { name: "bytes", value: (d) => d.bytes, show: (d) => text.figure(d.bytes, "B") },
        { name: "of all", value: (d) => d.bytes, show: (d) => text.percent(all > 0 ? d.bytes / all : null) },
        { name: "messages", value: (d) => d.messages, show: (d) => text.figure(d.messages, "") },
        { name: "ranks with so many", value: (d) => d.ranks, show: (d) => d.ranks },
        {
            name: "most @rank",
            value: (d) => d.most_bytes,
            show: (d) => `${text.figure(d.most_bytes, "B")} @${d.most_rank}`,
        },
    ];

    return (section, result) => {
        const cells = result.matrix?.cells ?? [];
        if (cells.length === 0) {
            section
                .append("p")
                .attr("class", "missing")
                .text("No message between ranks was sent point to point, or this result does not have them.");
            return;
        }
        draw(section, result);
        const other = result.matrix.other;
        if (other.messages > 0)
            section
                .append("p")
                .text(
                    `${text.figure(other.messages, "")} messages of ${text.figure(other.bytes, "B")} went to partners that had no room.`,
                );
        const all = d3.sum(cells, ([, , , bytes]) => bytes) + other.bytes;
        const most = d3.max(result.partners, (d) => d.bytes) || 1;
        table.make(
            section,
            "The partners of a rank, the one to which it sends most first, summed over the ranks",
            columns(all, most),
            result.partners.map((partner, i) => ({ ...partner, place: i + 1 })),
        );
    };
})();
