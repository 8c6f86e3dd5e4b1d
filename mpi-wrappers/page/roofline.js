// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// How near the job's regions come to what a node can do, as papi_roofline keeps it.
const roofline = (() => {
    const HEIGHT = 420,
        LEFT = 70,
        RIGHT = 20,
        TOP = 20,
        BOTTOM = 45,
        GIGA = 1e9,
        LOOPS = ["copy", "scale", "add", "triad"];

    const rate = (value) => `${Number((value / GIGA).toPrecision(3))}`;
    const bytes = ({ read, written = 0 }) => read + written;
    const operations = (point) => point.single + point.double;

    // Of the level that limits it, or of the one furthest away; papi_roofline says it itself since it names doubtful caches.
    const intensity = (point) => {
        if (point.operations_per_byte !== undefined) return point.operations_per_byte;
        const from = point.bytes.find((level) => level.from === point.limit) ?? point.bytes.at(-1);
        return from && bytes(from) > 0 ? operations(point) / bytes(from) : null;
    };

    const lowest = (point) => `${point.limit ?? "-"}${point.limit_of_reads ? ", reads only" : ""}`;

    const columns = [
        { name: "region", text: true, value: (d) => d.name, show: (d) => d.name },
        { name: "time", value: (d) => d.seconds, show: (d) => text.figure(d.seconds * GIGA, "ns") },
        { name: "GFLOP/s", value: (d) => d.operations_per_second, show: (d) => rate(d.operations_per_second) },
        {
            name: "ops/byte",
            value: intensity,
            show: (d) => (intensity(d) === null ? "-" : String(Number(intensity(d).toPrecision(3)))),
        },
        { name: "lowest roof", text: true, value: lowest, show: lowest },
        { name: "roof, GFLOP/s", value: (d) => d.roof, show: (d) => (d.limit === null ? "-" : rate(d.roof)) },
        { name: "of it", value: (d) => d.share, show: (d) => (d.limit === null ? "-" : `${(100 * d.share).toFixed(1)} %`) },
        { name: "threads", value: (d) => d.threads, show: (d) => d.threads },
    ];

    const draw = (section, { roofs, points }) => {
        const shown = points.filter((point) => intensity(point) > 0 && point.operations_per_second > 0);
        if (shown.length === 0) return;
        const team = shown.some((point) => point.threads > 1) ? "all_cores" : "one_core";
        const peak = d3.max(roofs.peaks, (one) => one[team]);
        const bandwidths = roofs.levels
            .filter((level) => !level.doubtful)
            .map((level) => ({ name: level.name, rate: d3.max(LOOPS, (loop) => level[loop][team]) }))
            .filter((level) => level.rate > 0);
        const ridges = bandwidths.map((level) => peak / level.rate);
        const least = d3.min([...shown.map(intensity), ...ridges]) / 3,
            most = d3.max([...shown.map(intensity), ...ridges]) * 3;
        const low = d3.min([...shown.map((d) => d.operations_per_second), ...bandwidths.map((d) => d.rate * least)]);
        const across = d3.scaleLinear([least, most].map(Math.log10), [LEFT, plot.WIDTH - RIGHT]),
            up = d3.scaleLinear([low / 2, peak * 2].map(Math.log10), [HEIGHT - BOTTOM, TOP]),
            x = (value) => across(Math.log10(value)),
            y = (value) => up(Math.log10(value));
        const figure = section.append("figure");
        const svg = plot.drawing(figure, HEIGHT, "Operations a second over operations for each byte, and the roofs");
        const say = (words, at, up, kind, anchor) =>
            svg.append("text").attr("class", kind).attr("x", at).attr("y", up).attr("text-anchor", anchor).text(words);
        const decades = (scale) => d3.range(Math.ceil(scale.domain()[0]), Math.floor(scale.domain()[1]) + 1);
        for (const power of decades(across)) {
            plot.line(svg, "base", across(power), TOP, across(power), HEIGHT - BOTTOM);
            say(String(Number((10 ** power).toPrecision(1))), across(power), HEIGHT - BOTTOM + 16, "tick", "middle");
        }
        for (const power of decades(up)) {
            plot.line(svg, "base", LEFT, up(power), plot.WIDTH - RIGHT, up(power));
            say(rate(10 ** power), LEFT - 6, up(power) + 4, "tick", "end");
        }
        say("operations for each byte", plot.WIDTH - RIGHT, HEIGHT - 8, "tick", "end");
        say("GFLOP/s", 4, TOP - 6, "tick", "start");
        plot.put(svg, "line", bandwidths, {
            class: "bandwidth",
            x1: x(least),
            y1: (d) => y(d.rate * least),
            x2: (d) => x(peak / d.rate),
            y2: y(peak),
        });
        for (const level of bandwidths)
            say(`${level.name}, ${rate(level.rate)} GB/s`, x(least) + 6, y(level.rate * least) - 8, "tick", "start");
        plot.line(svg, "peak", x(d3.min(ridges)), y(peak), x(most), y(peak));
        say(`peak, ${rate(peak)} GFLOP/s`, x(most), y(peak) - 6, "tick", "end");
        plot.put(svg, "circle", shown, {
            class: "region",
            r: 6,
            cx: (d) => x(intensity(d)),
            cy: (d) => y(d.operations_per_second),
        })
            .append("title")
            .text((d) => `${d.name}: ${rate(d.operations_per_second)} GFLOP/s, ${(100 * d.share).toFixed(1)} % of its roof`);
    };

    return (section, data) => {
        draw(section, data);
        table.make(section, "Regions, the longest first", columns, d3.sort(data.points, (a, b) => b.seconds - a.seconds));
        section
            .append("p")
            .attr("class", "note")
            .text(
                `Counted by ${data.counted_by || "papi_roofline"}; the roofs are those of ${data.roofs.host} ` +
                    `(${data.roofs.processor}). The lowest roof is that at which what was done would take longest.`,
            );
    };
})();
