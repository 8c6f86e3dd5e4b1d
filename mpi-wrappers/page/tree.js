// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The efficiencies of the POP model: each is the product of those below it.
const tree = (() => {
    const LOW = 0.8; // below it POP calls an efficiency worth a look
    const GOOD = 0.9;

    const grade = (value) =>
        value === null
            ? ["none", "cannot be said"]
            : value < LOW
              ? ["low", "▼ below 0.80: look here"]
              : value < GOOD
                ? ["fair", "fair"]
                : ["good", "good"];

    // "rank 2 (61 %), rank 0 (39 %)": whose time the longest chain of useful time is made of.
    const chain = ({ path }) => {
        const ranks = path.ranks.slice(0, 3).map(([rank, ns]) => `rank ${rank} (${text.percent(ns / path.ns)})`);
        const regions = path.regions
            .filter(({ name }) => name)
            .slice(0, 2)
            .map(({ name, ns }) => `${name} (${text.percent(ns / path.ns)})`);
        return (
            `Critical path: ${text.figure(path.ns, "ns")} of useful time, ` +
            `${text.count(path.moves, "change")} of rank; ${ranks.join(", ")}` +
            `${path.ranks.length > 3 ? ", ..." : ""}${regions.length > 0 ? `; in ${regions.join(", ")}` : ""}.`
        );
    };

    const factors = ({ efficiency, metric, time, job, path }) => {
        const [elapsed, useful] = [time(), metric("useful")];
        const longest = job.thread_ranks > 0 ? "longest time of threads" : "longest elapsed time";
        const at = (of) =>
            of.count > 0 ? `${text.figure(of.largest[0][0], of.unit)} @${of.largest[0][1]}` : "n/a";
        const mean = text.figure(useful.mean, "ns");
        const node = {
            name: "Load balance in nodes",
            value: efficiency.in_nodes,
            key: "in_nodes",
            why: "busiest node's mean useful time / longest useful time",
        };
        const nodes = {
            name: "Load balance across nodes",
            value: efficiency.across_nodes,
            key: "across_nodes",
            why: "mean useful time / busiest node's mean",
        };
        const ideal = path ? text.figure(path.ns, "ns") : "n/a";
        const serialisation = {
            name: "Serialisation",
            value: efficiency.serialisation ?? null,
            key: "serialisation",
            why: `longest useful time ${at(useful)} / critical path ${ideal}`,
        };
        const transfer = {
            name: "Transfer",
            value: efficiency.transfer ?? null,
            key: "transfer",
            why: `critical path ${ideal} / ${longest} ${at(elapsed)}`,
        };
        return {
            name: "Parallel efficiency",
            value: efficiency.parallel,
            key: "parallel",
            why: `useful part of ${job.present} × ${at(elapsed)} (${longest})`,
            below: [
                {
                    name: "Load balance",
                    value: efficiency.load_balance,
                    key: "load_balance",
                    why: `mean useful time ${mean} / longest ${at(useful)}`,
                    below: [node, nodes],
                },
                {
                    name: "Communication efficiency",
                    value: efficiency.communication,
                    key: "communication",
                    why: `longest useful time ${at(useful)} / ${longest} ${at(elapsed)}`,
                    below: [serialisation, transfer],
                },
            ],
        };
    };

    const draw = (parent, node) => {
        const item = parent.append("li");
        const [kind, words] = grade(node.value);
        const box = item.append("div").attr("class", `efficiency ${kind}`).attr("data-key", node.key);
        box.append("span").attr("class", "name").text(node.name);
        box.append("data")
            .attr("class", "value")
            .attr("value", node.value ?? "")
            .text(node.value === null ? "n/a" : node.value.toFixed(3));
        box.append("span")
            .attr("class", "bar")
            .append("span")
            .style("width", `${100 * (node.value ?? 0)}%`);
        box.append("span").attr("class", "grade").text(words);
        box.append("span").attr("class", "why").text(node.why);
        if (node.below?.length > 0) {
            const list = item.append("ul");
            for (const child of node.below) draw(list, child);
        }
    };

    const untold = (result) =>
        model.meetsOthers(result)
            ? "no critical path goes through other jobs (MPI_Comm_spawn), for which this one may have waited."
            : result.job.path_ranks > 0
              ? "the critical path, which tells them apart, is not known."
              : "the critical path tells them apart, which is followed where PAPI_MPI_PATH=1.";

    // What could not be measured, and what is the same as what stands above it.
    const without = (result) => {
        const { efficiency, job } = result;
        const unknown = (key) => (efficiency[key] ?? null) === null;
        const said = [];
        if (unknown("parallel")) return "No rank has a time between MPI_Init and MPI_Finalize.";
        if (unknown("serialisation"))
            said.push(`Not measured: serialisation and transfer, the two parts of communication; ${untold(result)}`);
        if (job.nodes === 1) said.push("Load balance is that within the one node.");
        return said.join(" ");
    };

    // Without what is not known, and on one node without the two parts of load balance.
    const pruned = (node, one) => ({
        ...node,
        below: (node.below ?? [])
            .filter((child) => child.value !== null && !(one && child.key.endsWith("_nodes")))
            .map((child) => pruned(child, one)),
    });

    const ofJob = (section, result) => {
        const whole = pruned(factors(result), result.job.nodes === 1);
        if (whole.value !== null) draw(section.append("ul").attr("class", "tree"), whole);
        const known = (result.efficiency.serialisation ?? null) !== null;
        section
            .append("p")
            .attr("class", "note")
            .text(
                [
                    "Each efficiency is the product of those below it. Useful: outside MPI.",
                    without(result),
                    known ? chain(result) : "",
                ]
                    .filter(Boolean)
                    .join(" "),
            );
    };

    return { ofJob, draw };
})();
