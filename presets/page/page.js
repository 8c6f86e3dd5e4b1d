// SPDX-License-Identifier: BSD-3-Clause
"use strict";
// data: topics: [[name, [preset, ...]], ...] with preset = {name, short, long};
// cpus: [{name, title, cells: {preset name: [number of its definition, differs or "", file]}}, ...]: what people call it is
// the title, and the name is libpfm4's or a rule;
// definitions: [{kind, value, formula, natives, note}, ...]
const data = JSON.parse(document.getElementById("data").textContent);
const presets = data.topics.flatMap(([, list]) => list);
const SIGNS = {one: "=", sum: "+", difference: "\u2212", formula: "f", together: "c", none: "\u00d7"};
const FEW = 3; // so many processors are shown with the definitions in the cells
const matrix = document.getElementById("matrix");
const dialog = document.getElementById("detail");
let shown = {cpus: [], presets: []};

function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {}))
        if (key === "onclick")
            element.addEventListener("click", value);
        else if (value !== undefined)
            element.setAttribute(key, value);
    element.append(...children.filter((child) => child !== undefined));
    return element;
}

// Long names may be broken after their colons.
function code(text) {
    return make("code", {}, ...text.split(/(?<=:)/).flatMap((part) => [part, make("wbr")]));
}

function definitionOf(cpu, preset) {
    const cell = cpu.cells[preset.name];
    return cell ? data.definitions[cell[0]] : undefined;
}

// ---- filters

// Every word must be in it; words that are parted by commas are alternatives.
function matches(text, query) {
    const choices = query.toLowerCase().split(",").map((part) => part.trim().split(/\s+/).filter(Boolean));
    const wanted = choices.filter((words) => words.length > 0);
    return wanted.length === 0 || wanted.some((words) => words.every((word) => text.includes(word)));
}

// A name that is written out means that one alone.
function choose(list, query, textOf) {
    const exact = query.toLowerCase().split(",").map((part) => part.trim());
    const named = list.filter((item) => exact.includes(item.name.toLowerCase()));
    if (named.length > 0 && named.length === exact.filter(Boolean).length)
        return named;
    return list.filter((item) => matches(textOf(item).toLowerCase(), query));
}

function cpuText(cpu) {
    return `${cpu.name} ${cpu.title}`;
}

function presetText(preset) {
    const topic = data.topics.find(([, list]) => list.includes(preset))[0];
    return `${preset.name} ${preset.short} ${topic}`;
}

// ---- the matrix

function kindOf(definition) {
    return definition.kind + (definition.note && definition.kind !== "none" ? " noted" : "");
}

function makeCell(cpu, preset, wide) {
    const definition = definitionOf(cpu, preset);
    if (!definition)
        return make("td", {});
    const label = `${preset.name}, ${cpu.title}: ` + (definition.kind === "none" ? "cannot be counted" : definition.value);
    const cell = make("td", {class: kindOf(definition), tabindex: "-1", "aria-label": label});
    cell.target = {cpu, preset};
    if (!wide)
        cell.append(SIGNS[definition.kind]);
    else if (definition.kind === "none")
        cell.append(definition.note);
    else
        cell.append(code(definition.value), make("small", {}, definition.note || ""));
    return cell;
}

function makeHead(cpus, wide) {
    const row = make("tr", {}, make("th", {scope: "col"}, `${shown.presets.length} presets, ${cpus.length} processors`));
    cpus.forEach((cpu, i) => {
        const last = i + 1 < cpus.length && cpus[i + 1].vendor !== cpu.vendor;
        const button = make("button", {type: "button", title: `${cpu.title}: ${cpu.name}`, onclick: () => setQuery("cpus", cpu.name)},
                            cpu.title, wide || !cpu.name.includes(":") ? make("small", {}, cpu.name) : undefined);
        row.append(make("th", {scope: "col", class: last ? "vendor" : undefined}, button));
    });
    return make("thead", {}, row);
}

function makeRow(preset, cpus, wide) {
    const button = make("button", {type: "button", title: preset.short, onclick: () => openPreset(preset)}, preset.name);
    return make("tr", {}, make("th", {scope: "row"}, button, make("small", {}, preset.short)), ...cpus.map((cpu) => makeCell(cpu, preset, wide)));
}

function draw() {
    const query = {cpus: document.getElementById("cpus").value, presets: document.getElementById("presets").value};
    shown = {cpus: choose(data.cpus, query.cpus, cpuText), presets: choose(presets, query.presets, presetText)};
    const wide = shown.cpus.length <= FEW;
    const body = make("tbody", {});
    for (const [topic, list] of data.topics) {
        const rows = list.filter((preset) => shown.presets.includes(preset));
        if (rows.length > 0)
            body.append(make("tr", {class: "topic"}, make("th", {scope: "rowgroup"}, topic),
                             make("td", {colspan: Math.max(1, shown.cpus.length)})));
        body.append(...rows.map((preset) => makeRow(preset, shown.cpus, wide)));
    }
    matrix.className = wide ? "wide" : "";
    matrix.replaceChildren(makeHead(shown.cpus, wide), body);
    let n = 0;
    for (const cpu of shown.cpus)
        for (const preset of shown.presets)
            n += definitionOf(cpu, preset) !== undefined && definitionOf(cpu, preset).kind !== "none";
    document.getElementById("found").textContent = `${n} definitions shown`;
    const first = matrix.querySelector("td[tabindex]");
    if (first)
        first.tabIndex = 0;
}

function setQuery(field, text) {
    document.getElementById(field).value = text;
    draw();
    document.getElementById("scroll").scrollTo(0, 0);
}

// ---- moving

function cellsOf(row) {
    return [...row.children].slice(1);
}

// The next cell in a direction that has something in it.
function nextCell(cell, rowStep, columnStep) {
    const rows = [...matrix.tBodies[0].rows].filter((row) => !row.classList.contains("topic"));
    let r = rows.indexOf(cell.parentElement), c = cellsOf(cell.parentElement).indexOf(cell);
    for (;;) {
        r += rowStep;
        c += columnStep;
        const found = rows[r] && cellsOf(rows[r])[c];
        if (!found)
            return cell;
        if (found.target)
            return found;
    }
}

function focusCell(cell) {
    for (const other of matrix.querySelectorAll("td[tabindex='0']"))
        other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
    const heads = matrix.tHead.rows[0].children;
    for (const marked of matrix.querySelectorAll(".here"))
        marked.classList.remove("here");
    heads[cell.cellIndex].classList.add("here");
    cell.parentElement.children[0].classList.add("here");
}

const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

matrix.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell || !cell.target)
        return;
    if (STEPS[event.key])
        focusCell(nextCell(cell, ...STEPS[event.key]));
    else if (event.key === "Enter" || event.key === " ")
        openCell(cell.target.cpu, cell.target.preset);
    else
        return;
    event.preventDefault();
});

matrix.addEventListener("click", (event) => {
    const cell = event.target.closest("td");
    if (!cell || !cell.target)
        return;
    focusCell(cell);
    openCell(cell.target.cpu, cell.target.preset);
});

// ---- details

function open(hash, ...content) {
    const close = make("button", {type: "button", class: "close", onclick: () => dialog.close()}, "Close");
    dialog.replaceChildren(...content, close);
    history.replaceState(null, "", "#" + hash);
    if (!dialog.open)
        dialog.showModal();
    dialog.scrollTo(0, 0);
}

dialog.addEventListener("close", () => history.replaceState(null, "", location.pathname + location.search));
dialog.addEventListener("click", (event) => {
    if (event.target === dialog)
        dialog.close();
});

function facts(pairs) {
    const list = make("dl", {});
    for (const [name, value] of pairs)
        if (value)
            list.append(make("dt", {}, name), make("dd", {}, value));
    return list;
}

function nativesOf(definition) {
    if (definition.natives.length === 0)
        return undefined;
    return make("ol", {}, ...definition.natives.map((native, i) =>
        make("li", {}, code((definition.formula ? `N${i}  ` : "") + native))));
}

function others(cpu, preset) {
    const number = cpu.cells[preset.name][0];
    const same = data.cpus.filter((other) => other !== cpu && other.cells[preset.name] && other.cells[preset.name][0] === number);
    return same.map((other) => other.title).join("; ");
}

function openCell(cpu, preset) {
    const definition = definitionOf(cpu, preset);
    const none = definition.kind === "none";
    open(`${cpu.name}/${preset.name}`,
         make("h2", {id: "title"}, `${preset.name} on ${cpu.title}`),
         make("p", {class: "faint"}, `${preset.short}. ${preset.long}`),
         facts([["Cannot be counted", none ? definition.note : undefined],
                ["Is", none ? undefined : code(definition.value)],
                ["Formula", definition.formula ? code(definition.formula) : undefined],
                ["Native events", nativesOf(definition)],
                ["Note", none ? undefined : definition.note],
                ["Differs", cpu.cells[preset.name][1]],
                ["The same on", others(cpu, preset)],
                ["Processor", `${cpu.title}: ${cpu.name} (presets/${cpu.cells[preset.name][2]}.csv)`]]));
}

// Processors that count the same stand together.
function openPreset(preset) {
    const groups = new Map();
    for (const cpu of shown.cpus.filter((item) => definitionOf(item, preset))) {
        const number = cpu.cells[preset.name][0];
        groups.set(number, [...(groups.get(number) || []), cpu]);
    }
    const rows = [...groups].map(([number, cpus]) => {
        const definition = data.definitions[number];
        const what = definition.kind === "none" ? [make("span", {class: "faint"}, definition.note)]
            : [code(definition.value), make("small", {}, definition.note || "")];
        const names = cpus.flatMap((cpu, i) => [make("span", {title: cpu.name}, cpu.title), i + 1 < cpus.length ? "; " : ""]);
        return make("tr", {}, make("th", {scope: "row"}, ...names), make("td", {}, ...what));
    });
    open(preset.name, make("h2", {id: "title"}, preset.name), make("p", {}, `${preset.short}. ${preset.long}`),
         make("table", {}, make("tbody", {}, ...rows)));
}

// "#skl/PAPI_FP_OPS", "#PAPI_FP_OPS"
function openHash() {
    const parts = decodeURIComponent(location.hash.slice(1)).split("/");
    const preset = presets.find((item) => item.name === parts[parts.length - 1]);
    const cpu = parts.length > 1 ? data.cpus.find((item) => item.name === parts[0]) : undefined;
    if (preset && cpu && definitionOf(cpu, preset))
        openCell(cpu, preset);
    else if (preset && parts.length === 1)
        openPreset(preset);
}

document.getElementById("summary").textContent = data.summary;
document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
for (const field of ["cpus", "presets"])
    document.getElementById(field).addEventListener("input", draw);
addEventListener("hashchange", openHash);
draw();
openHash();
