// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Where the time goes, as papi_profile keeps it.
const profile = (() => {
    const base = (path) => path.slice(path.lastIndexOf("/") + 1) || path;

    // Each routine's own part of the first event, and with all that it called: once where it is above itself.
    const sums = ({ tree, places }) => {
        const own = new Map(),
            total = new Map();
        const routine = (i) => places[tree[i][1]][0];
        const below = tree.map((row) => row[3]);
        for (let i = tree.length - 1; i >= 0; i--) if (tree[i][0] >= 0) below[tree[i][0]] += below[i];
        for (let i = 0; i < tree.length; i++) {
            const key = routine(i);
            own.set(key, (own.get(key) ?? 0) + tree[i][3]);
            let above = tree[i][0];
            while (above >= 0 && routine(above) !== key) above = tree[above][0];
            if (above < 0) total.set(key, (total.get(key) ?? 0) + below[i]);
        }
        return { own, total };
    };

    const read = (file) => {
        if (file.format !== "papi_profile" || file.version !== 1) throw new Error("it is not a profile");
        const { own, total } = sums(file);
        const spread = new Map((file.spread ?? []).map(([key, ...rest]) => [key, rest]));
        return [...total]
            .filter(([, value]) => value > 0)
            .map(([key, value]) => {
                const [name, object, source, line] = file.routines[key];
                const place = source >= 0 ? `${base(file.strings[source])}:${line}` : "";
                return {
                    name: file.strings[name],
                    place: place || (object >= 0 ? base(file.strings[object]) : ""),
                    own: own.get(key) ?? 0,
                    total: value,
                    spread: spread.get(key),
                };
            })
            .sort((a, b) => b.own - a.own || b.total - a.total);
    };

    const columns = (event, whole, ranks) => {
        const share = (value) => (whole > 0 ? `${((100 * value) / whole).toFixed(2)} %` : "-");
        const figure = (value) => text.figure(value, event.clock ? "ns" : "");
        const of = (name, at) => ({
            name,
            value: (d) => d.spread?.[at],
            show: (d) => (d.spread ? `${figure(d.spread[at])} @${d.spread[at + 1]}` : "-"),
        });
        return [
            { name: "routine", text: true, value: (d) => d.name, show: (d) => d.name },
            { name: "self", value: (d) => d.own, show: (d) => share(d.own) },
            { name: "total", value: (d) => d.total, show: (d) => share(d.total) },
            ...(ranks > 1 ? [of("min @rank", 0), of("max @rank", 2)] : []),
            { name: "where", text: true, value: (d) => d.place, show: (d) => d.place },
        ];
    };

    return (section, file) => {
        const rows = read(file);
        const event = file.events[0];
        const whole = d3.sum(file.tree, (row) => row[3]);
        for (const sentence of file.notes ?? []) section.append("p").attr("class", "note").text(`${sentence}.`);
        table.make(section, `Routines by ${event.name}`, columns(event, whole, file.ranks), rows);
        section
            .append("p")
            .attr("class", "note")
            .text(
                `${text.count(file.processes.length, "process", "processes")} on ${file.host}. Self is what happened in the routine ` +
                    "itself, total has also what was called from there. papi_profile --show has the calls and lines.",
            );
    };
})();
