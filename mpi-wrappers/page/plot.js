// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// What the plots have in common.
const plot = (() => {
    const WIDTH = 1000;

    // A drawing of so many units; one is a pixel on a wide enough screen.
    const drawing = (parent, height, label, width = WIDTH) =>
        parent
            .append("svg")
            .attr("viewBox", `0 0 ${width} ${height}`)
            .attr("role", "img")
            .attr("aria-label", label)
            .style("max-width", `${width}px`)
            .style("min-width", `${0.65 * width}px`);

    // A mark for each of data, with attributes as D3 takes them: values, or functions of datum and place.
    const put = (parent, tag, data, attributes) => {
        const marks = parent.append("g").selectAll(tag).data(data).join(tag);
        for (const [name, value] of Object.entries(attributes)) marks.attr(name, value);
        return marks;
    };

    const line = (parent, kind, x1, y1, x2, y2) => put(parent, "line", [0], { class: kind, x1, y1, x2, y2 });

    // What moves over the mark that is looked at.
    const cursor = (parent, width, height) =>
        put(parent, "rect", [0], { class: "cursor", width, height, visibility: "hidden" });

    // A line of text that says what is under the pointer or the cursor keys.
    const readout = (parent, hint) => {
        const line = parent.append("output").attr("class", "readout").attr("aria-live", "polite").text(hint);
        return (words) => line.text(words ?? hint);
    };

    // The marks of svg can be looked at one by one: with the pointer, or with the arrow keys once svg has the
    // focus. at(x, y): the mark there, or -1; count(): how many there are; step: how far up and down go.
    // show(-1): none.
    const explore = (svg, { count, at, show, step = () => 1 }) => {
        let current = -1;
        const go = (mark) => {
            current = mark;
            show(mark);
        };
        svg.attr("tabindex", 0)
            .on("pointermove", (event) => go(at(...d3.pointer(event))))
            .on("pointerleave", () => go(-1))
            .on("blur", () => go(-1))
            .on("keydown", (event) => {
                const last = count() - 1;
                const to = {
                    ArrowLeft: current - 1,
                    ArrowRight: current + 1,
                    Home: 0,
                    End: last,
                    ArrowUp: current - step(),
                    ArrowDown: current + step(),
                }[event.key];
                if (to === undefined || last < 0) return;
                event.preventDefault();
                go(Math.max(0, Math.min(last, to)));
            });
    };

    const choice = (parent, label, options, chosen) => {
        const select = parent.append("label").text(`${label} `).append("select");
        select
            .selectAll("option")
            .data(options)
            .join("option")
            .attr("value", (d, i) => i)
            .text((d) => d);
        select.on("change", () => chosen(Number(select.property("value"))));
        return select;
    };

    const legend = (parent, entries) => {
        parent
            .append("ul")
            .attr("class", "legend")
            .selectAll("li")
            .data(entries)
            .join("li")
            .each(function ([kind, words]) {
                d3.select(this).append("span").attr("class", `key ${kind}`);
                d3.select(this).append("span").text(words);
            });
    };

    const axis = (parent, scale, unit, count) =>
        parent
            .append("g")
            .attr("class", "axis")
            .call(scale.ticks(count).tickFormat((d) => text.round(d, unit)));

    const left = (svg, scale, unit, x, count = 5) =>
        axis(svg, d3.axisLeft(scale), unit, count).attr("transform", `translate(${x},0)`);

    return { WIDTH, drawing, put, line, cursor, readout, explore, choice, legend, left };
})();
