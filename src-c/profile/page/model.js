// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The profile as its file has it, with the sums that the views ask for.
const model = (() => {
    const FORMAT = "papi_profile";

    const base = (path) => path.slice(path.lastIndexOf("/") + 1) || path;

    const zeroes = (n) => new Array(n).fill(0);

    const add = (to, from) => {
        for (let e = 0; e < to.length; e++) to[e] += from[e];
    };

    const readNodes = (file, places, events) => {
        const nodes = file.tree.map(([parent, place, inlined, ...self], id) => ({
            id,
            parent,
            place: places[place],
            inlined: inlined === 1,
            self,
            total: self.slice(),
            children: [],
        }));
        for (let i = nodes.length - 1; i >= 0; i--)
            if (nodes[i].parent >= 0) add(nodes[nodes[i].parent].total, nodes[i].total);
        const root = { id: -1, routine: null, self: zeroes(events), total: zeroes(events), children: [] };
        for (const node of nodes) {
            const parent = node.parent >= 0 ? nodes[node.parent] : root;
            if (parent === root) add(root.total, node.total);
            parent.children.push(node);
        }
        return { nodes, root };
    };

    // Sums by a key of a node: once for a key that comes again above it.
    const sumBy = (nodes, keyOf, events) => {
        const sums = new Map();
        for (const node of nodes) {
            const key = keyOf(node);
            if (key === null) continue;
            if (!sums.has(key)) sums.set(key, { self: zeroes(events), total: zeroes(events), node });
            const sum = sums.get(key);
            add(sum.self, node.self);
            let above = node.parent;
            while (above >= 0 && keyOf(nodes[above]) !== key) above = nodes[above].parent;
            if (above < 0) add(sum.total, node.total);
        }
        return sums;
    };

    const some = (values) => values.some((value) => value > 0);

    const readRoutines = (nodes, routines, events) => {
        const sums = sumBy(nodes, (node) => node.place.routine, events);
        return [...sums].map(([routine, { self, total }]) => ({ routine, self, total })).filter((r) => some(r.total));
    };

    const readLines = (nodes, events) => {
        const keyOf = ({ place }) => (place.line > 0 && place.file !== null ? `${place.line} ${place.file}` : null);
        const sums = sumBy(nodes, keyOf, events);
        return [...sums.values()]
            .map(({ self, total, node }) => ({
                file: node.place.file,
                line: node.place.line,
                routine: node.place.routine,
                self,
                total,
            }))
            .filter((line) => some(line.total));
    };

    // What the instructions of each line calculate on, by file and line: all of its places together.
    const readArithmetic = (rows, places) => {
        const found = new Map();
        for (const [i, scalar, bits] of rows) {
            const { file, line } = places[i];
            const key = `${line} ${file}`;
            const before = found.get(key) ?? { scalar: 0, bits: 0 };
            found.set(key, { scalar: before.scalar | scalar, bits: Math.max(before.bits, bits) });
        }
        return found;
    };

    // Pieces of code, by the order of the file.
    const readCode = (rows, routines, places, name) =>
        rows.map((piece) => ({
            routine: routines[piece.routine],
            counted: piece.counted,
            rows: piece.rows.map(([address, place, text, , , runs, , ...values], i) => ({
                address,
                place: places[place],
                text: name(text),
                runs,
                values,
                depth: piece.depths?.[i] ?? 0,
            })),
        }));

    // Loops that have something of an event, with those inside.
    const readLoops = (rows, code, routines, name, events) =>
        rows
            .map(([piece, row, , routine, file, first, last, iterations, entries, ...values]) => ({
                code: code[piece],
                row: code[piece].rows[row],
                routine: routines[routine],
                file: name(file),
                first,
                last,
                iterations,
                entries,
                self: values.slice(0, events),
                total: values.slice(events),
            }))
            .filter((loop) => some(loop.total));

    // Data with its uses and samples.
    const readData = (file, places, name) => {
        const data = (file.data ?? []).map(([kind, own, , place, size, times]) => ({
            kind,
            name: name(own),
            place: place >= 0 ? places[place] : null,
            size,
            times,
            uses: [],
            samples: [],
        }));
        for (const [datum, place, accesses, l1, l2, l3, , , , fetched, used] of file.data_uses ?? [])
            data[datum].uses.push({ place: places[place], accesses, misses: [l1, l2, l3], fetched, used });
        for (const [datum, place, store, level, , latency, n] of file.data_samples ?? [])
            data[datum].samples.push({ place: places[place], store: store === 1, level, latency, n });
        return data;
    };

    // Branches by what was mispredicted, and loops by their arrivals, as the tool has them.
    const readBranches = (file, places) => ({
        mispredicted: file.branch_sums?.mispredicted ?? 0,
        mispredictedStacks: file.branch_sums?.mispredicted_stacks ?? 0,
        taken: file.branch_sums?.taken ?? 0,
        rows: (file.branches ?? []).map(([, , from, to, , , taken, stacks, told, mispredicted, timed, cycles]) => ({
            from: places[from],
            to: places[to],
            taken,
            stacks,
            told,
            mispredicted,
            timed,
            cycles,
        })),
        loops: (file.branch_loops ?? []).map(([, , head, , end, arrivals, entries, stacks]) => ({
            head: places[head],
            end: places[end],
            arrivals,
            entries,
            stacks,
        })),
    });

    // What each thread does to the same bytes of a shared line at one place.
    const readShared = (file, places, data) => {
        const rows = new Map();
        for (const [line, thread, datum, place, , offset, width, store, moved, n] of file.line_uses ?? []) {
            const [address, process] = file.lines[line];
            const key = [line, thread, datum, place, offset, width].join();
            const row = rows.get(key) ?? {
                address,
                pid: file.processes[process].pid,
                thread,
                datum: data[datum],
                place: places[place],
                offset,
                width,
                loads: 0,
                stores: 0,
                moved: 0,
            };
            row[store ? "stores" : "loads"] += n;
            if (moved && !store) row.moved += n;
            rows.set(key, row);
        }
        return [...rows.values()];
    };

    // As the tool's table says it.
    const arithmetic = (profile, file, line) => {
        const { scalar, bits } = profile.arithmetic.get(`${line} ${file}`) ?? {};
        if (!bits) return scalar ? "scalar" : "";
        return `${scalar ? "both" : "vector"} ${bits}`;
    };

    const read = (text) => {
        const file = JSON.parse(text);
        if (file.format !== FORMAT) throw new Error(`its format is not "${FORMAT}"`);
        const name = (i) => (i >= 0 ? file.strings[i] : null);
        const routines = file.routines.map(([own, object, path, line], id) => ({
            id,
            name: name(own),
            object: name(object),
            file: name(path),
            line,
        }));
        const places = file.places.map(([routine, path, line]) => ({
            routine: routines[routine],
            file: name(path),
            line,
        }));
        const events = file.events.length;
        const { nodes, root } = readNodes(file, places, events);
        const data = readData(file, places, name);
        const code = readCode(file.listings ?? [], routines, places, name);
        const source = new Map((file.source ?? []).map(({ file: path, lines }) => [name(path), lines]));
        return {
            ...file,
            nodes,
            root,
            source,
            code,
            data,
            branches: readBranches(file, places),
            shared: readShared(file, places, data),
            loops: readLoops(file.listed_loops ?? [], code, routines, name, events),
            arithmetic: readArithmetic(file.arithmetic ?? [], places),
            byRoutine: readRoutines(nodes, routines, events),
            byLine: readLines(nodes, events),
        };
    };

    const part = (profile, values, event) =>
        profile.root.total[event] > 0 ? values[event] / profile.root.total[event] : 0;

    const percent = (fraction) => `${(100 * fraction).toFixed(2)} %`;

    const whole = (number) => number.toLocaleString("en-GB");

    return { read, arithmetic, part, percent, whole, base };
})();
