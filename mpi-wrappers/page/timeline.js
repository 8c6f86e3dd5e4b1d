// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// MPI's share of the time, by call, over the course of the job.
const course = (() => {
    const HEIGHT = 200,
        LEFT = 46,
        RIGHT = 10,
        TOP = 8,
        BOTTOM = 24,
        SHADES = [8, 4, 6, 2, 7, 3, 5, 1]; // neighbours are told apart

    const shade = (k) => `step${SHADES[k % SHADES.length]}`;

    // The parts of a step, one on the other: [place of the call, from, to], as shares of the step's time.
    const stack = (calls, elapsed, i) => {
        let top = 0;
        return calls.flatMap(({ ns }, k) => {
            if (!(ns[i] > 0) || !(elapsed[i] > 0)) return [];
            const from = top;
            top += ns[i] / elapsed[i];
            return [{ k, i, from, to: top }];
        });
    };

    const legend = (section, calls) => {
        const line = section.append("p").attr("class", "legend");
        for (const [k, { call }] of calls.entries()) {
            const entry = line.append("span");
            entry.append("span").attr("class", `key ${shade(k)}`);
            entry
                .append("span")
                .attr("class", "name")
                .text(call ?? "other calls");
        }
    };

    const words = (calls, elapsed, i, step) => {
        const parts = calls
            .map(({ call, ns }) => [call ?? "other calls", ns[i] / elapsed[i]])
            .filter(([, part]) => part > 0)
            .sort((a, b) => b[1] - a[1]);
        const all = d3.sum(parts, ([, part]) => part);
        const list = parts.map(([name, part]) => `${name} ${text.percent(part)}`).join(", ");
        const when = `${text.figure(i * step, "ns")} to ${text.figure((i + 1) * step, "ns")}`;
        return `${when}: MPI ${text.percent(all)}${list ? `, of it ${list}` : ""}`;
    };

    const axes = (svg, x, y, steps, step) => {
        plot.put(svg, "text", [0, 0.25, 0.5, 0.75, 1], {
            class: "tick",
            x: LEFT - 6,
            y: (part) => y(part) + 4,
            "text-anchor": "end",
        }).text((part) => `${100 * part} %`);
        plot.put(svg, "text", d3.range(0, 5), {
            class: "tick",
            x: (i) => x((i * steps) / 4),
            y: HEIGHT - BOTTOM + 15,
            "text-anchor": (i) => (i === 0 ? "start" : i === 4 ? "end" : "middle"),
        }).text((i) => text.figure((i * steps * step) / 4, "ns"));
    };

    const draw = (section, { step_ns: step, elapsed_ns: elapsed, calls }) => {
        legend(section, calls);
        const label = "MPI's share of the time of all ranks over the course of the job, by call";
        const svg = plot.drawing(section.append("figure"), HEIGHT, label);
        const high = HEIGHT - TOP - BOTTOM;
        const x = d3.scaleLinear([0, elapsed.length], [LEFT, plot.WIDTH - RIGHT]);
        const y = d3.scaleLinear([0, 1], [TOP + high, TOP]);
        const width = x(1) - x(0);
        plot.put(svg, "rect", [0], { class: "field", x: LEFT, y: TOP, width: x(elapsed.length) - LEFT, height: high });
        const parts = elapsed.flatMap((_, i) => stack(calls, elapsed, i));
        plot.put(svg, "rect", parts, {
            class: ({ k }) => `cell part${k} ${shade(k)}`,
            x: ({ i }) => x(i),
            y: ({ to }) => y(to),
            width,
            height: ({ from, to }) => high * (to - from),
        });
        axes(svg, x, y, elapsed.length, step);
        const cursor = plot.cursor(svg, width, high);
        const say = plot.readout(section, "Point at a step, or use the arrow keys, for its time and calls.");
        plot.explore(svg, {
            count: () => elapsed.length,
            at: (px) => {
                const i = Math.floor(x.invert(px));
                return i >= 0 && i < elapsed.length ? i : -1;
            },
            show: (i) => {
                cursor.attr("visibility", i < 0 ? "hidden" : "visible");
                if (i >= 0) cursor.attr("x", x(i)).attr("y", TOP);
                say(i < 0 ? null : words(calls, elapsed, i, step));
            },
        });
    };

    return (section, result) => {
        const found = result.course;
        if (!found || found.elapsed_ns.length === 0) {
            section
                .append("p")
                .attr("class", "missing")
                .text("This result does not say when MPI was called.");
            return;
        }
        const calls = found.calls.filter(({ ns }) => ns.some((n) => n > 0));
        draw(section, { ...found, calls });
    };
})();
