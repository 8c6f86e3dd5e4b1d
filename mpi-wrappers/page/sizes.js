// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// How many messages have which size, by powers of two.
const sizes = (() => {
    const HEIGHT = 150,
        LEFT = 10,
        RIGHT = 10,
        TOP = 30,
        BOTTOM = 24,
        WIDEST = 60,
        KEPT = 14;

    const place = (bytes) => (bytes === 0 ? 0 : Math.round(Math.log2(bytes)) + 1);
    const start = (bucket) => (bucket === 0 ? 0 : 2 ** (bucket - 1));
    const name = (bucket) => text.size(start(bucket));
    const range = (bucket) =>
        bucket < 2
            ? text.size(start(bucket))
            : `${text.size(start(bucket))} to less than ${text.size(start(bucket + 1))}`;

    const draw = (parent, label, list, first, last, kind) => {
        const svg = plot.drawing(parent, HEIGHT, label).attr("class", kind);
        const step = Math.min(WIDEST, (plot.WIDTH - LEFT - RIGHT) / Math.max(KEPT, last - first + 1));
        const x = (bucket) => LEFT + (bucket - first) * step;
        const middle = (bucket) => x(bucket) + step / 2;
        const most = d3.max(list, ([, messages]) => messages);
        const y = d3.scaleLinear([0, most], [0, HEIGHT - TOP - BOTTOM - 14]);
        const height = ([, messages]) => Math.max(2, y(messages));
        const all = text.figure(
            d3.sum(list, ([, messages]) => messages),
            "",
        );
        plot.put(svg, "text", [`${label}: ${all}`], { class: "title", x: LEFT, y: 14 }).text(
            (words) => words,
        );
        plot.line(svg, "base", LEFT, HEIGHT - BOTTOM + 0.5, x(last + 1), HEIGHT - BOTTOM + 0.5);
        const bars = plot.put(svg, "rect", list, {
            class: `messages ${kind}`,
            x: ([bytes]) => x(place(bytes)) + step * 0.08,
            y: (d) => HEIGHT - BOTTOM - height(d),
            width: step * 0.84,
            height,
        });
        bars.append("title").text(
            ([bytes, messages]) => `${range(place(bytes))}: ${text.figure(messages, "")}`,
        );
        plot.put(svg, "text", list, {
            class: "tick",
            x: ([bytes]) => middle(place(bytes)),
            y: (d) => HEIGHT - BOTTOM - height(d) - 4,
            "text-anchor": "middle",
        }).text(([, messages]) => text.figure(messages, ""));
        plot.put(svg, "text", d3.range(first, last + 1, Math.ceil(46 / step)), {
            class: "tick",
            x: middle,
            y: HEIGHT - BOTTOM + 15,
            "text-anchor": "middle",
        }).text(name);
    };

    return (section, result) => {
        const kinds = [
            ["sent_sizes", "Messages sent point to point", "sent"],
            ["collective_sizes", "Collective calls, by the bytes that a rank put in", "collective"],
        ];
        const used = kinds.flatMap(([key]) => result[key].map(([bytes]) => place(bytes)));
        if (used.length === 0) {
            section
                .append("p")
                .attr("class", "missing")
                .text("No message was sent and no collective call made.");
            return;
        }
        for (const [key, label, kind] of kinds) {
            if (result[key].length > 0)
                draw(section.append("figure"), label, result[key], d3.min(used), d3.max(used), kind);
            else section.append("p").attr("class", "missing").text(`${label}: none.`);
        }
        const nothing = result.collective_sizes.some(([bytes]) => bytes === 0)
            ? " 0 B in collective calls: ranks that only receive, as all but the root of MPI_Bcast, and barriers."
            : "";
        section
            .append("p")
            .attr("class", "note")
            .text(`A size stands for what is at least so large and less than twice as large.${nothing}`);
    };
})();
