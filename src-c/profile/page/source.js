// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// A file with what each line has of each event.
const source = (() => {
    const row = (body, profile, path, number, text, found) => {
        const line = dom.make(body, "tr", { "data-line": number });
        dom.make(line, "td", { class: "number" }, String(number));
        for (let e = 0; e < profile.events.length; e++)
            dom.make(line, "td", {}, found?.self[e] > 0 ? model.percent(model.part(profile, found.self, e)) : "");
        dom.make(line, "td", {}, found ? model.percent(model.part(profile, found.total, 0)) : "");
        if (profile.arithmetic.size > 0) dom.make(line, "td", { class: "kind" }, model.arithmetic(profile, path, number));
        dom.make(line, "td", { class: "code" }, text);
        if (found) {
            line.classList.add("hot");
            line.style.setProperty("--part", (0.05 + 0.55 * model.part(profile, found.self, 0)).toFixed(3));
        }
        return line;
    };

    const heads = (frame, profile) => {
        const head = dom.make(dom.make(frame, "thead"), "tr");
        const names = ["line", ...profile.events.map((event) => event.name), "total"];
        if (profile.arithmetic.size > 0) names.push("arithmetic");
        names.push("source");
        for (const [i, name] of names.entries())
            dom.make(head, "th", { scope: "col", class: i === names.length - 1 ? "text" : null }, name);
    };

    // Without the file, the lines that have events.
    const fill = (frame, profile, path) => {
        const found = new Map(profile.byLine.filter((l) => l.file === path).map((l) => [l.line, l]));
        const lines = profile.source.get(path);
        const body = dom.make(frame, "tbody");
        if (lines) for (const [i, text] of lines.entries()) row(body, profile, path, i + 1, text, found.get(i + 1));
        else for (const [number, l] of [...found].sort((a, b) => a[0] - b[0])) row(body, profile, path, number, "", l);
    };

    const make = (section, profile) => {
        const sums = new Map();
        for (const { file, self } of profile.byLine) sums.set(file, (sums.get(file) ?? 0) + self[0]);
        const files = [...sums].sort((a, b) => b[1] - a[1]).map(([file]) => file);
        if (files.length === 0) {
            dom.make(section, "p", { class: "note" }, "No line is known: compile the program with -g beside its other options.");
            return () => {};
        }
        const controls = dom.make(section, "div", { class: "controls" });
        const label = dom.make(controls, "label", {}, "File ");
        const choice = dom.make(label, "select", { id: "file" });
        for (const [i, file] of files.entries()) dom.make(choice, "option", { value: i }, file);
        const note = dom.make(section, "p", { class: "note" });
        const frame = dom.make(section, "div", { id: "text", tabindex: 0, role: "region", "aria-label": "source" });

        const show = (file) => {
            dom.clear(frame);
            const whole = dom.make(frame, "table");
            heads(whole, profile);
            fill(whole, profile, file);
            note.textContent = profile.source.has(file)
                ? ""
                : "The file could not be read where the page was made: these are its lines with events.";
            choice.value = String(files.indexOf(file));
        };

        choice.addEventListener("change", () => show(files[Number(choice.value)]));
        show(files[0]);
        // A line that was chosen elsewhere.
        return (file, number, scroll = true) => {
            if (!files.includes(file)) return;
            if (files[Number(choice.value)] !== file) show(file);
            for (const old of frame.querySelectorAll("tr.chosen")) old.classList.remove("chosen");
            const line = frame.querySelector(`tr[data-line="${number}"]`);
            line?.classList.add("chosen");
            if (line) frame.scrollTop = Math.max(0, line.offsetTop - frame.clientHeight / 3);
            if (scroll) section.scrollIntoView();
        };
    };

    return { make };
})();
