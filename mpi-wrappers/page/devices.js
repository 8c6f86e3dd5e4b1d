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

    const joules = (microjoules) => (microjoules === undefined ? "" : text.figure(microjoules / 1e6, "J"));

    const energy = (usable) => ({
        name: "energy",
        value: (d) => usable(d)?.energy_uj,
        show: (d) => joules(usable(d)?.energy_uj),
    });

    const list = (section, found, elapsed, usable) =>
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
                ...(found.some((d) => usable(d)?.energy_uj !== undefined) ? [energy(usable)] : []),
            ],
            found,
        );

    // What is said of the devices that the ranks may use: their energy, and those that nobody uses.
    const energySaid = (of) => {
        const why = of.reason ? `: ${of.reason}` : "";
        const rest = of.energy_devices < of.usable_devices ? ` Of the others it is not known${why}.` : "";
        const nodes =
            of.energy_nodes > 1
                ? ` Of a node ${joules(of.least_energy_uj)} (node ${of.least_energy_node}) to ${joules(of.most_energy_uj)} (node ${of.most_energy_node}).`
                : "";
        if (of.energy_devices === 0) return `The energy of the devices is not known${why}.`;
        return `Energy of ${text.count(of.energy_devices, "device")} from MPI_Init to MPI_Finalize: ${joules(of.energy_uj)}, of the whole devices, whoever uses them, idle or not.${nodes}${rest}`;
    };

    const unusedSaid = (of) => {
        const names = of.list.filter((d) => d.used === false).map((d) => `${d.name || "device"} ${d.address} of node ${d.node}`);
        const more = of.unused_devices > names.length ? ` and ${of.unused_devices - names.length} more` : "";
        return `Used by no rank that may use them: ${names.join(", ")}${more}.`;
    };

    const say = (section, words) => section.append("p").attr("class", "note").text(words);

    const sayUsable = (section, of) => {
        if (of.usable_devices > 0 || of.reason) say(section, energySaid(of));
        if (of.unused_devices > 0) say(section, unusedSaid(of));
    };

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
        const of = all?.usable ?? { usable_devices: 0, unused_devices: 0, reason: "", list: [] };
        const usable = (d) => of.list.find((one) => one.node === d.node && one.address === d.address);
        if (!all || (all.device_ranks === 0 && of.usable_devices === 0)) return;
        section.attr("hidden", null);
        section
            .append("p")
            .attr("class", "note")
            .text(`Efficiency: ${KEYS.map(([key, name]) => `${name} ${ratio(all.efficiency[key])}`).join(", ")}.`);
        sayUsable(section, of);
        if (all.list.length > 0) list(section, all.list, result.metric("elapsed").largest[0][0], usable);
        const regions = result.regions.filter((region) => region.devices && region.devices.efficiency.parallel !== null);
        if (regions.length > 0)
            inRegions(section, regions.map(({ name, devices: of }) => ({ name, ...of })));
    };
})();
