// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// How many messages have which size, by powers of two.
const sizes = (() => {
    const HEIGHT = 150, LEFT = 10, RIGHT = 10, TOP = 30, BOTTOM = 24, WIDEST = 60, KEPT = 14;

    const place = (bytes) => bytes === 0 ? 0 : Math.round(Math.log2(bytes)) + 1;
    const start = (bucket) => bucket === 0 ? 0 : 2 ** (bucket - 1);
    const name = (bucket) => bucket === 0 ? "empty" : text.size(start(bucket));
    const range = (bucket) => bucket === 0 ? "empty" : bucket === 1 ? "1 B"
        : `${text.size(start(bucket))} to less than ${text.size(start(bucket + 1))}`;

    const draw = (parent, label, list, first, last, kind) => {
        const svg = plot.drawing(parent, HEIGHT, label).attr("class", kind);
        const count = Math.max(KEPT, last - first + 1);
        const step = Math.min(WIDEST, (plot.WIDTH - LEFT - RIGHT) / count);
        const x = (bucket) => LEFT + (bucket - first) * step;
        const y = d3.scaleLinear([0, d3.max(list, ([, messages]) => messages)], [0, HEIGHT - TOP - BOTTOM - 14]);
        svg.append("text").attr("class", "title").attr("x", LEFT).attr("y", 14)
            .text(`${label}: ${text.figure(d3.sum(list, ([, messages]) => messages), "")}`);
        svg.append("line").attr("class", "base").attr("x1", LEFT).attr("x2", x(last + 1))
            .attr("y1", HEIGHT - BOTTOM + 0.5).attr("y2", HEIGHT - BOTTOM + 0.5);
        const height = ([, messages]) => Math.max(2, y(messages));
        const middle = (bucket) => x(bucket) + step / 2;
        svg.append("g").selectAll("rect").data(list).join("rect").attr("class", `messages ${kind}`)
            .attr("x", ([bytes]) => x(place(bytes)) + step * 0.08).attr("width", step * 0.84)
            .attr("y", (d) => HEIGHT - BOTTOM - height(d)).attr("height", height)
            .append("title").text(([bytes, messages]) => `${range(place(bytes))}: ${text.figure(messages, "")}`);
        svg.append("g").attr("class", "axis").selectAll("text").data(list).join("text").attr("text-anchor", "middle")
            .attr("x", ([bytes]) => middle(place(bytes))).attr("y", (d) => HEIGHT - BOTTOM - height(d) - 4)
            .text(([, messages]) => text.figure(messages, ""));
        const every = Math.ceil(46 / step);
        svg.append("g").attr("class", "axis").selectAll("text")
            .data(d3.range(first, last + 1).filter((bucket) => (bucket - first) % every === 0)).join("text")
            .attr("text-anchor", "middle").attr("x", middle).attr("y", HEIGHT - BOTTOM + 15).text(name);
    };

    return (section, result) => {
        const kinds = [["sent_sizes", "Messages sent point to point", "sent"],
            ["collective_sizes", "Collective calls, by the bytes that a rank put in", "collective"]];
        const used = kinds.flatMap(([key]) => result[key].map(([bytes]) => place(bytes)));
        if (used.length === 0) {
            section.append("p").attr("class", "missing").text("No message was sent and no collective call made.");
            return;
        }
        for (const [key, label, kind] of kinds) {
            if (result[key].length > 0)
                draw(section.append("figure"), label, result[key], d3.min(used), d3.max(used), kind);
            else
                section.append("p").attr("class", "missing").text(`${label}: none.`);
        }
        section.append("p").attr("class", "note").text("A size stands for what is at least so large and less than twice " +
            "as large.");
    };
})();
