// SPDX-License-Identifier: BSD-3-Clause
"use strict";

(() => {
    const facts = (profile) => [
        ["command", profile.command.join(" ")],
        ["host", profile.host ?? ""],
        ["started", profile.started > 0 ? `${new Date(profile.started * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC` : ""],
        ["elapsed", `${profile.seconds.toFixed(3)} s`],
        ["processes", String(profile.processes.length)],
        ["threads", String(profile.processes.reduce((sum, process) => sum + process.threads, 0))],
        ["lost samples", profile.lost > 0 ? model.whole(profile.lost) : ""],
    ];

    const describe = (profile, event) => {
        const { name, period, clock, exact, samples } = profile.events[event];
        const unit = clock ? " ns" : "";
        const sum = model.whole(profile.root.total[event]) + unit;
        if (exact) return `${name}: ${sum}, counted exactly`;
        const each = period > 0 ? `one each ${model.whole(period)}${unit}` : "about a thousand a second";
        return `${name}: ${sum}, by ${model.whole(samples)} samples, ${each}`;
    };

    const shares = (profile, state) => [
        {
            name: "self",
            value: (row) => row.self[state.event],
            show: (row) => model.percent(model.part(profile, row.self, state.event)),
            part: (row) => model.part(profile, row.self, state.event),
        },
        {
            name: "total",
            value: (row) => row.total[state.event],
            show: (row) => model.percent(model.part(profile, row.total, state.event)),
            part: (row) => model.part(profile, row.total, state.event),
        },
    ];

    const textOf = (profile, { file, line }) => (profile.source.get(file)?.[line - 1] ?? "").trim();

    const routineColumns = (profile, state, choose) => [
        ...shares(profile, state),
        {
            name: "routine",
            text: true,
            value: (row) => row.routine.name,
            show: (row) => row.routine.name,
            choose: (row) => (row.routine.file ? () => choose(row.routine) : null),
        },
        {
            name: "where",
            text: true,
            value: (row) => row.routine.file ?? row.routine.object ?? "",
            show: ({ routine: r }) => (r.file ? `${model.base(r.file)}:${r.line}` : model.base(r.object ?? "")),
        },
    ];

    const lineColumns = (profile, state, jump) => [
        ...shares(profile, state),
        {
            name: "line",
            text: true,
            value: (row) => `${row.file}:${String(row.line).padStart(9)}`,
            show: (row) => `${model.base(row.file)}:${row.line}`,
            choose: (row) => () => jump(row.file, row.line),
        },
        { name: "routine", text: true, value: (row) => row.routine.name, show: (row) => row.routine.name },
        { name: "source", text: true, value: (row) => textOf(profile, row), show: (row) => textOf(profile, row) },
    ];

    const loopColumns = (profile, state, choose) => {
        const [self, nest] = shares(profile, state);
        const counted = profile.code.some((piece) => piece.counted);
        const each = (row) => (row.entries > 0 ? row.iterations / row.entries : 0);
        return [
            self,
            { ...nest, name: "nest" },
            ...(counted
                ? [
                      { name: "entries", value: (row) => row.entries, show: (row) => model.whole(row.entries) },
                      { name: "iterations", value: each, show: (row) => each(row).toFixed(1) },
                  ]
                : []),
            {
                name: "loop",
                text: true,
                value: (row) => `${row.file ?? ""}:${String(row.first).padStart(9)}`,
                show: (row) => (row.first > 0 ? `${model.base(row.file)}:${row.first}${row.last > row.first ? `-${row.last}` : ""}` : row.row.address.toString(16)),
                choose: (row) => () => choose(row),
            },
            { name: "routine", text: true, value: (row) => row.routine.name, show: (row) => row.routine.name },
        ];
    };

    const controls = (profile, state, draw) => {
        const form = dom.find("controls");
        form.addEventListener("submit", (event) => event.preventDefault());
        const event = dom.make(dom.make(form, "label", {}, "Event "), "select", { id: "event" });
        for (let e = 0; e < profile.events.length; e++) dom.make(event, "option", { value: e }, describe(profile, e));
        event.addEventListener("change", () => {
            state.event = Number(event.value);
            draw();
        });
        const search = dom.make(dom.make(form, "label", {}, "Search "), "input", { type: "search", id: "search" });
        search.addEventListener("input", () => {
            state.search = search.value.toLowerCase();
            draw();
        });
    };

    // The hottest line of a routine, or where it begins.
    const hottest = (profile, routine, event) => {
        const own = profile.byLine.filter((line) => line.routine === routine);
        const most = own.reduce((best, line) => (!best || line.self[event] > best.self[event] ? line : best), null);
        return most ? [most.file, most.line] : [routine.file, routine.line];
    };

    const show = (profile) => {
        const state = { event: 0, search: "" };
        const name = model.base(profile.command[0] ?? "") || "Profile";
        dom.find("title").textContent = name;
        document.title = `Profile of ${name}`;
        for (const [term, words] of facts(profile).filter(([, words]) => words)) {
            const entry = dom.make(dom.find("facts"), "div");
            dom.make(entry, "dt", {}, term);
            dom.make(entry, "dd", {}, words);
        }
        const jump = source.make(dom.find("source"), profile);
        const instructions = code.make(dom.find("code"), profile);
        const choose = (routine, scroll = true) => {
            instructions.choose(routine);
            jump(...hottest(profile, routine, state.event), scroll);
        };
        const drawFlame = flame.make(dom.find("flame"), profile, (routine) => choose(routine, false));
        const drawRoutines = table.make(dom.find("routines"), "routines", routineColumns(profile, state, choose));
        const drawLines = table.make(dom.find("lines"), "lines", lineColumns(profile, state, jump));
        const drawLoops = profile.loops.length > 0 ? table.make(dom.find("loops"), "loops", loopColumns(profile, state, instructions.chooseLoop)) : null;
        if (drawLoops === null) dom.find("loops").remove();
        const drawDevices = devices.make(dom.find("devices"), profile, jump);
        const drawData = data.make(dom.find("data"), profile, jump);
        const drawShared = records.makeShared(dom.find("shared"), profile, jump);
        const drawBranches = records.makeBranches(dom.find("branches"), profile, jump);
        const wanted = (...words) => words.some((word) => (word ?? "").toLowerCase().includes(state.search));
        const draw = () => {
            drawFlame(state.event, state.search);
            const routines = profile.byRoutine.filter((r) => wanted(r.routine.name, r.routine.file, r.routine.object));
            drawRoutines(routines, `${routines.length} of ${profile.byRoutine.length} routines`);
            const lines = profile.byLine.filter((l) => wanted(l.routine.name, l.file, textOf(profile, l)));
            drawLines(lines, `${lines.length} of ${profile.byLine.length} lines`);
            const loops = profile.loops.filter((l) => wanted(l.routine.name, l.file));
            drawLoops?.(loops, `${loops.length} of ${profile.loops.length} loops`);
            drawDevices(wanted);
            drawData(wanted);
            drawShared(wanted);
            drawBranches(wanted);
            instructions.draw(state.event);
        };
        controls(profile, state, draw);
        draw();
    };

    try {
        show(model.read(dom.find("profile").textContent));
    } catch (error) {
        dom.make(document.querySelector("main"), "p", { class: "problem" }, `The profile in this page cannot be shown: ${error.message}.`);
        throw error;
    }
})();
