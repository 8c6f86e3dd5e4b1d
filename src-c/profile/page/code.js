// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Source and instructions of a routine side by side. A line that is chosen in one marks what belongs to it in the other.
const code = (() => {
    const AROUND = 2; // lines of source above and below those that have instructions

    const key = ({ file, line }) => `${line} ${file}`;

    // Lines of the routine's file that its instructions are of.
    const range = ({ routine, rows }) => {
        const lines = rows.map((row) => row.place).filter((place) => place.file === routine.file && place.line > 0).map((place) => place.line);
        return lines.length > 0 ? [lines.reduce((a, b) => Math.min(a, b)), lines.reduce((a, b) => Math.max(a, b))] : null;
    };

    const sums = (piece, event) => {
        const found = new Map();
        for (const row of piece.rows) found.set(key(row.place), (found.get(key(row.place)) ?? 0) + row.values[event]);
        return found;
    };

    const heads = (frame, names) => {
        const head = dom.make(dom.make(frame, "thead"), "tr");
        for (const [i, name] of names.entries()) dom.make(head, "th", { scope: "col", class: i === names.length - 1 ? "text" : null }, name);
    };

    const heat = (line, fraction) => {
        if (fraction <= 0) return;
        line.classList.add("hot");
        line.style.setProperty("--part", (0.05 + 0.55 * Math.min(1, fraction)).toFixed(3));
    };

    const share = (profile, value, event) => (profile.root.total[event] > 0 ? value / profile.root.total[event] : 0);

    const words = (profile, value, event) => (value > 0 ? model.percent(share(profile, value, event)) : "");

    const lineCell = (line, place, mark) => {
        const cell = dom.make(line, "td", { class: "number" });
        if (place.line <= 0) return;
        const button = dom.make(cell, "button", { type: "button", title: `${place.file}:${place.line}` }, String(place.line));
        button.addEventListener("click", () => mark(place, true));
    };

    const fillSource = (frame, profile, piece, event, mark) => {
        dom.clear(frame);
        const found = range(piece);
        const text = profile.source.get(piece.routine.file);
        if (found === null || !text) {
            dom.make(frame, "p", { class: "note" }, "No source of this routine is here.");
            return;
        }
        const whole = dom.make(frame, "table");
        const own = sums(piece, event);
        heads(whole, ["line", "share", "source"]);
        const body = dom.make(whole, "tbody");
        for (let n = Math.max(1, found[0] - AROUND); n <= Math.min(text.length, found[1] + AROUND); n++) {
            const place = { file: piece.routine.file, line: n };
            const value = own.get(key(place)) ?? 0;
            const line = dom.make(body, "tr", { "data-place": key(place) });
            lineCell(line, place, mark);
            dom.make(line, "td", {}, words(profile, value, event));
            dom.make(line, "td", { class: "code" }, text[n - 1]);
            heat(line, share(profile, value, event));
        }
    };

    // Bars at the left of loops, one for each that an instruction is in.
    const bars = (depth) => "\u2502 ".repeat(depth);

    const fillRows = (frame, profile, piece, event, mark) => {
        dom.clear(frame);
        const whole = dom.make(frame, "table");
        heads(whole, ["share", ...(piece.counted ? ["runs"] : []), "address", "line", "instruction"]);
        const body = dom.make(whole, "tbody");
        for (const row of piece.rows) {
            const line = dom.make(body, "tr", { "data-place": key(row.place), "data-address": row.address });
            dom.make(line, "td", {}, words(profile, row.values[event], event));
            if (piece.counted) dom.make(line, "td", {}, row.runs > 0 ? model.whole(row.runs) : "");
            dom.make(line, "td", { class: "number" }, row.address.toString(16));
            lineCell(line, row.place, mark);
            dom.make(line, "td", { class: "code" }, bars(row.depth) + row.text);
            heat(line, share(profile, row.values[event], event));
        }
    };

    const label = (profile, piece, event) => {
        const sum = piece.rows.reduce((all, row) => all + row.values[event], 0);
        return `${piece.routine.name} ${model.percent(share(profile, sum, event))}`;
    };

    // Returns what draws it anew for an event, and what shows the code of a routine, if it is there.
    const make = (section, profile) => {
        if (profile.code.length === 0) {
            dom.make(section, "p", { class: "note" }, "This profile has no instructions: papi_profile was built without Capstone, or the programs' files could not be read.");
            return { draw: () => {}, choose: () => {} };
        }
        const controls = dom.make(section, "div", { class: "controls" });
        const choice = dom.make(dom.make(controls, "label", {}, "Routine "), "select", { id: "piece" });
        const panes = dom.make(section, "div", { class: "panes" });
        const left = dom.make(panes, "div", { id: "codesource", class: "pane", tabindex: 0, role: "region", "aria-label": "source of the routine" });
        const right = dom.make(panes, "div", { id: "codetext", class: "pane", tabindex: 0, role: "region", "aria-label": "instructions" });
        let event = 0;

        const reveal = (frame, row) => {
            if (row) frame.scrollTop = Math.max(0, row.offsetTop - frame.clientHeight / 3);
        };
        const mark = (place, scroll) => {
            for (const frame of [left, right]) {
                for (const old of frame.querySelectorAll("tr.chosen")) old.classList.remove("chosen");
                const all = [...frame.querySelectorAll("tr")].filter((row) => row.dataset.place === key(place));
                for (const row of all) row.classList.add("chosen");
                if (scroll) reveal(frame, all[0]);
            }
        };
        const show = (number) => {
            const piece = profile.code[number];
            choice.value = String(number);
            fillSource(left, profile, piece, event, mark);
            fillRows(right, profile, piece, event, mark);
            const most = piece.rows.reduce((best, row) => (row.values[event] > best.values[event] ? row : best), piece.rows[0]);
            mark(most.place, false);
            reveal(left, left.querySelector("tr.chosen"));
            reveal(right, right.querySelector(`tr[data-address="${most.address}"]`));
        };
        choice.addEventListener("change", () => show(Number(choice.value)));
        const draw = (wanted) => {
            const before = choice.value === "" ? 0 : Number(choice.value);
            event = wanted;
            dom.clear(choice);
            for (const [i, piece] of profile.code.entries()) dom.make(choice, "option", { value: i }, label(profile, piece, event));
            show(before);
        };
        const choose = (routine) => {
            const number = profile.code.findIndex((piece) => piece.routine === routine);
            if (number >= 0) show(number);
        };
        const chooseLoop = ({ code: piece, row }) => {
            show(profile.code.indexOf(piece));
            mark(row.place, false);
            reveal(right, right.querySelector(`tr[data-address="${row.address}"]`));
            section.scrollIntoView();
        };
        return { draw, choose, chooseLoop };
    };

    return { make };
})();
