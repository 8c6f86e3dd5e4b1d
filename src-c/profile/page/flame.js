// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The calls from the outside in, each as wide as what it has with all that it calls. Lines of a routine are joined.
const flame = (() => {
    const HEIGHT = 20;
    const NARROWEST = 0.0008; // of the width
    const TONES = 4;

    // The calls of several nodes, by routine.
    const join = (nodes, event) => {
        const calls = new Map();
        for (const node of nodes)
            for (const child of node.children) {
                const key = `${child.place.routine.id} ${child.inlined}`;
                if (!calls.has(key))
                    calls.set(key, { routine: child.place.routine, inlined: child.inlined, nodes: [], value: 0 });
                const call = calls.get(key);
                call.nodes.push(child);
                call.value += child.total[event];
            }
        return [...calls.values()].filter((call) => call.value > 0).sort((a, b) => b.value - a.value);
    };

    const tone = (name) => {
        let sum = 0;
        for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 65521;
        return sum % TONES;
    };

    // Frames of the calls below one: {call, left, width, depth}, left and width as parts of the whole.
    const layOut = (call, left, width, depth, event, frames) => {
        frames.push({ call, left, width, depth });
        if (call.value === 0) return;
        let at = left;
        for (const child of (call.children ??= join(call.nodes, event))) {
            child.parent = call;
            const own = (width * child.value) / call.value;
            if (own >= NARROWEST) layOut(child, at, own, depth + 1, event, frames);
            at += own;
        }
    };

    const make = (section, profile, choose) => {
        const controls = dom.make(section, "div", { class: "controls" });
        const back = dom.make(controls, "button", { type: "button", id: "back" }, "Show all");
        dom.make(controls, "span", { class: "note" }, "A click shows what a call consists of.");
        const area = dom.make(section, "div", { id: "calls" });
        const readout = dom.make(section, "output", { class: "readout" });
        const state = { event: 0, search: "", top: null, whole: null };

        const describe = (call) => {
            const value = model.whole(call.value);
            const words = `${call.routine?.name ?? "all"}${call.inlined ? " (inlined)" : ""}`;
            return `${words}: ${model.percent(call.value / (state.whole.value || 1))}, ${value}`;
        };

        const place = ({ call, left, width, depth }, above) => {
            const name = call.routine?.name ?? "all";
            const hit = state.search !== "" && name.toLowerCase().includes(state.search);
            const kind = `tone${tone(name)}${above ? " above" : ""}${hit ? " hit" : ""}${call.inlined ? " inlined" : ""}`;
            const frame = dom.make(area, "button", { type: "button", class: kind, title: describe(call) }, name);
            frame.style.left = `${100 * left}%`;
            frame.style.width = `${100 * width}%`;
            frame.style.top = `${depth * HEIGHT}px`;
            const tell = () => (readout.textContent = describe(call));
            frame.addEventListener("mouseenter", tell);
            frame.addEventListener("focus", tell);
            frame.addEventListener("click", () => {
                state.top = call;
                draw();
                if (call.routine) choose(call.routine);
            });
        };

        const draw = () => {
            const above = [];
            for (let call = state.top.parent; call; call = call.parent) above.unshift(call);
            const frames = [];
            layOut(state.top, 0, 1, above.length, state.event, frames);
            dom.clear(area);
            for (const [depth, call] of above.entries()) place({ call, left: 0, width: 1, depth }, true);
            for (const frame of frames) place(frame, false);
            area.style.height = `${HEIGHT * (1 + Math.max(...frames.map((frame) => frame.depth)))}px`;
            back.disabled = state.top === state.whole;
        };

        back.addEventListener("click", () => {
            state.top = state.whole;
            draw();
        });
        return (event, search) => {
            if (state.whole === null || event !== state.event)
                state.whole = { routine: null, nodes: [profile.root], value: profile.root.total[event] };
            if (state.top === null || event !== state.event) state.top = state.whole;
            state.event = event;
            state.search = search;
            draw();
        };
    };

    return { make };
})();
