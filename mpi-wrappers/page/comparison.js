// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The job beside an earlier one, where the page was made with one.
const comparison = (() => {
    const SCALINGS = /^computation/; // beside the reference, whose own is 1

    const shown = (value, figure) => {
        if (value === null) return "n/a";
        const plain = figure.unit === "" && !["ranks", "nodes"].includes(figure.key);
        return plain ? value.toFixed(3) : text.figure(value, figure.unit);
    };

    const name = ({ key, name }) =>
        key.startsWith("computation_") ? `computation efficiency, ${name}` : name;

    const ratio = (value) => (value === null ? "n/a" : value.toFixed(3));

    const figures = [
        { name: "", text: true, show: name },
        { name: "this run", show: (d) => shown(d.value, d) },
        { name: "reference", show: (d) => shown(d.reference, d) },
        { name: "ratio", show: (d) => (SCALINGS.test(d.key) ? "" : ratio(d.ratio)) },
    ];

    const base = (path) => path.slice(path.lastIndexOf("/") + 1);

    const where = (site) =>
        site.line > 0 ? `${base(site.file)}:${site.line}` : `${base(site.object)}+0x${site.address.toString(16)}`;

    const place = ({ here, reference }) => {
        const now = where(here ?? reference);
        const moved = here && reference && reference.line > 0 && reference.line !== here.line;
        return moved ? `${now} (was ${reference.line})` : now;
    };

    const state = ({ here, reference }) => (!here ? "gone" : !reference ? "new" : "");

    const change = ({ here, reference }) => (here?.ns ?? 0) - (reference?.ns ?? 0);

    const of = (side, key, unit) => ({
        value: (d) => d[side]?.[key],
        show: (d) => (d[side] ? text.figure(d[side][key], unit) : ""),
    });

    const sites = [
        { name: "call", text: true, value: (d) => d.call, show: (d) => d.call },
        { name: "line", text: true, value: place, show: place },
        { name: "routine", text: true, value: (d) => d.routine, show: (d) => d.routine },
        { name: "time", ...of("here", "ns", "ns") },
        { name: "reference", ...of("reference", "ns", "ns") },
        { name: "difference", value: change, show: (d) => text.figure(change(d), "ns") },
        { name: "ratio", show: (d) => (d.here && d.reference && d.reference.ns > 0 ? ratio(d.here.ns / d.reference.ns) : "") },
        { name: "", text: true, value: state, show: state },
        { name: "calls", ...of("here", "calls", "") },
        { name: "reference", ...of("reference", "calls", "") },
        { name: "bytes", ...of("here", "bytes", "B") },
        { name: "reference", ...of("reference", "bytes", "B") },
    ];

    return (section, { comparison: given }) => {
        if (!given) return;
        section.attr("hidden", null);
        section.append("p").text(given.verdict);
        const of = given.reference;
        const when = of.started > 0 ? `, started ${text.date(of.started)}` : "";
        table.make(section, `This job and the reference: ${base(of.program)}${when}`, figures, given.figures, { all: true });
        const remarks = section.append("ul").attr("class", "quality").selectAll("li").data(given.remarks).join("li");
        remarks.attr("class", (d) => (d.startsWith("warning: ") ? "problem" : "fine")).text((d) => d);
        if (given.sites.length === 0) return;
        const how = (wanted) => given.sites.filter((site) => state(site) === wanted).length;
        const counts = `${how("")} in both, ${how("new")} new, ${how("gone")} gone`;
        table.make(section, `Call sites, those first whose times differ most: ${counts}`, sites, given.sites);
    };
})();
