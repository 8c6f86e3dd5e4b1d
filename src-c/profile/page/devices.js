// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The table of what devices did: kernels and copies, with the lines that launched them. Its rows are those of the tool's table.
const devices = (() => {
    const UNSEEN = "(launched by a call that was not seen)";
    const KERNEL = 0;

    const placeOf = (profile, node) => (node.parent >= 0 && profile.nodes[node.parent].place.routine.name !== UNSEEN ? profile.nodes[node.parent].place : null);

    const whereOf = (place) => {
        if (place === null) return "not seen";
        return place.line > 0 && place.file !== null ? `${model.base(place.file)}:${place.line}` : place.routine.name;
    };

    // Kernels and copies by what they are and where they are launched.
    const readRows = (profile) => {
        const event = profile.events.findIndex(({ name }) => name === "device time");
        const rows = new Map();
        for (const [number, kind, times, least, most, bytes] of event >= 0 ? (profile.device_work ?? []) : []) {
            const node = profile.nodes[number];
            const place = placeOf(profile, node);
            const ofRoutine = rows.get(node.place.routine) ?? new Map();
            rows.set(node.place.routine, ofRoutine);
            const row = ofRoutine.get(place) ?? { routine: node.place.routine, place, kind, ns: 0, times: 0, least: Infinity, most: 0, bytes: 0 };
            ofRoutine.set(place, row);
            row.ns += node.self[event];
            row.times += times;
            row.least = Math.min(row.least, least);
            row.most = Math.max(row.most, most);
            row.bytes += bytes;
        }
        return [...rows.values()].flatMap((ofRoutine) => [...ofRoutine.values()]);
    };

    const timeText = (ns) => {
        const [from, unit] = [
            [1e9, "s"],
            [1e6, "ms"],
            [1e3, "µs"],
            [1, "ns"],
        ].find(([least]) => ns >= least) ?? [1, "ns"];
        const value = ns / from;
        return `${value.toFixed(value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0)} ${unit}`;
    };

    const timeColumn = (name, of) => ({ name, value: of, show: (row) => timeText(of(row)) });

    const columns = (rows, jump) => {
        const whole = rows.reduce((sum, row) => sum + row.ns, 0);
        const part = (row) => (whole > 0 ? row.ns / whole : 0);
        const rate = (row) => (row.kind !== KERNEL && row.ns > 0 ? row.bytes / row.ns : 0);
        return [
            { name: "device", value: part, show: (row) => model.percent(part(row)), part },
            timeColumn("time", (row) => row.ns),
            { name: "times", value: (row) => row.times, show: (row) => model.whole(row.times) },
            timeColumn("mean", (row) => row.ns / row.times),
            timeColumn("least", (row) => row.least),
            timeColumn("largest", (row) => row.most),
            { name: "bytes", value: (row) => row.bytes, show: (row) => (row.kind === KERNEL ? "" : model.whole(row.bytes)) },
            { name: "GB/s", value: rate, show: (row) => (row.kind === KERNEL || row.ns === 0 ? "" : rate(row).toPrecision(4)) },
            {
                name: "launched by",
                text: true,
                value: (row) => whereOf(row.place),
                show: (row) => whereOf(row.place),
                choose: ({ place }) => (place !== null && place.line > 0 && place.file !== null ? () => jump(place.file, place.line) : null),
            },
            { name: "kernel or copy", text: true, value: (row) => row.routine.name, show: (row) => row.routine.name },
            { name: "on", text: true, value: (row) => row.routine.object ?? "", show: (row) => row.routine.object ?? "" },
        ];
    };

    // Draws the table into the section; without rows, the section goes. Returns a function that draws what a search wants.
    const make = (section, profile, jump) => {
        const rows = readRows(profile);
        if (rows.length === 0) {
            section.remove();
            return () => {};
        }
        const draw = table.make(section, "devices", columns(rows, jump));
        return (wanted) => {
            const found = rows.filter((row) => wanted(row.routine.name, row.routine.object, row.place?.file, row.place?.routine.name));
            draw(found, `${found.length} of ${rows.length}: kernels and copies, whose time is beside the host's`);
        };
    };

    return { make };
})();
