// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// What the ranks' devices did: each device, and the efficiencies of the job and its regions.
const devices = (() => {
    const KEYS = [
        ["parallel", "parallel"],
        ["load_balance", "load balance"],
        ["communication", "communication"],
        ["orchestration", "orchestration"],
        ["offload", "offload"],
    ];

    const ratio = (value) => (value === null ? "n/a" : value.toFixed(3));

    const efficiencies = KEYS.map(([key, name]) => ({
        name,
        value: (d) => d.efficiency[key],
        show: (d) => ratio(d.efficiency[key]),
    }));

    const time = (name, value) => ({ name, value, show: (d) => text.figure(value(d), "ns") });

    const ranksOf = ({ rank, ranks }) => (ranks > 1 ? `${rank} and ${ranks - 1} more` : `${rank}`);

    const list = (section, found, elapsed) =>
        table.make(
            section,
            "Devices",
            [
                { name: "device", text: true, value: (d) => d.name, show: (d) => d.name || "device" },
                { name: "address", text: true, value: (d) => d.address, show: (d) => d.address },
                { name: "node", value: (d) => d.node, show: (d) => d.node },
                { name: "rank", value: (d) => d.rank, show: ranksOf },
                time("kernels", (d) => d.kernel_ns),
                { name: "of all", value: (d) => d.kernel_ns, show: (d) => text.percent(d.kernel_ns / elapsed) },
                time("copying", (d) => d.copy_ns),
                { name: "copied", value: (d) => d.copied_bytes, show: (d) => text.figure(d.copied_bytes, "B") },
            ],
            found,
        );

    const inRegions = (section, regions) =>
        table.make(
            section,
            "Devices in regions",
            [
                { name: "region", text: true, value: (d) => d.name, show: (d) => d.name },
                ...efficiencies,
                time("kernels", (d) => d.device_kernel_ns),
                time("copying", (d) => d.device_copy_ns),
            ],
            regions,
        );

    return (section, result) => {
        const all = result.devices;
        if (!all || all.device_ranks === 0) return;
        section.attr("hidden", null);
        section
            .append("p")
            .attr("class", "note")
            .text(`Efficiency: ${KEYS.map(([key, name]) => `${name} ${ratio(all.efficiency[key])}`).join(", ")}.`);
        if (all.list.length > 0) list(section, all.list, result.metric("elapsed").largest[0][0]);
        const regions = result.regions.filter((region) => region.devices && region.devices.efficiency.parallel !== null);
        if (regions.length > 0)
            inRegions(section, regions.map(({ name, devices: of }) => ({ name, ...of })));
    };
})();
