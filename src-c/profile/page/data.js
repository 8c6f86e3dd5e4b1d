// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Tables of data: what caused the misses of the simulated caches, and what loads that the processor sampled waited for.
const data = (() => {
    // Cycles of a miss of each level beside those of the level before: as in the tool's table.
    const COST = [10, 30, 150];
    const LEVELS = ["unknown", "L1", "on its way", "L2", "L3", "other core", "beyond L1", "memory", "remote node", "CXL, PMEM", "not cached"];
    const FEW = 10;
    const KINDS = ["(memory that is not told apart)", null, null, "(stacks)", "(the stack and all allocations, which were not seen)"];

    const whereOf = (place) => (place.line > 0 && place.file !== null ? `${model.base(place.file)}:${place.line}` : place.routine.name);

    const textOf = (profile, { kind, name, place }) => {
        if (kind === 1) return name;
        if (kind !== 2 || place === null) return KINDS[kind] ?? KINDS[0];
        const line = profile.source.get(place.file)?.[place.line - 1]?.trim();
        return `allocated at ${whereOf(place)}${line ? `: ${line}` : ""}`;
    };

    const sum = (list, of) => list.reduce((total, one) => total + of(one), 0);

    const costOf = (misses) => misses.reduce((total, n, level) => total + COST[level] * n, 0);

    // The place with most of an amount; null: there is none.
    const mostOf = (parts, amount) => {
        const sums = new Map();
        for (const part of parts) sums.set(part.place, (sums.get(part.place) ?? 0) + amount(part));
        return [...sums].reduce((best, [place, value]) => (value > (best?.value ?? 0) ? { place, value } : best), null)?.place ?? null;
    };

    const placeColumn = (name, jump) => ({
        name,
        text: true,
        value: (row) => (row.most ? whereOf(row.most) : ""),
        show: (row) => (row.most ? whereOf(row.most) : ""),
        choose: (row) => (row.most && row.most.line > 0 && row.most.file !== null ? () => jump(row.most.file, row.most.line) : null),
    });

    const nameColumn = { name: "data", text: true, value: (row) => row.text, show: (row) => row.text };

    const part = (value, whole) => (whole > 0 ? value / whole : 0);

    const countedRows = (profile) =>
        profile.data
            .filter((datum) => datum.uses.length > 0)
            .map((datum) => {
                const misses = COST.map((_, level) => sum(datum.uses, (use) => use.misses[level]));
                return {
                    text: textOf(profile, datum),
                    misses,
                    cost: costOf(misses),
                    accesses: sum(datum.uses, (use) => use.accesses),
                    fetched: sum(datum.uses, (use) => use.fetched),
                    used: sum(datum.uses, (use) => use.used),
                    most: mostOf(datum.uses, (use) => costOf(use.misses)),
                };
            });

    const countedColumns = (rows, jump) => {
        const whole = COST.map((_, level) => sum(rows, (row) => row.misses[level]));
        const cost = sum(rows, (row) => row.cost);
        return [
            { name: "cost of misses", value: (row) => row.cost, show: (row) => model.percent(part(row.cost, cost)), part: (row) => part(row.cost, cost) },
            ...COST.map((_, level) => ({
                name: `L${level + 1} misses`,
                value: (row) => row.misses[level],
                show: (row) => model.percent(part(row.misses[level], whole[level])),
            })).filter((_, level) => whole[level] > 0),
            { name: "accesses", value: (row) => row.accesses, show: (row) => model.whole(row.accesses) },
            {
                name: "used of lines",
                value: (row) => part(row.used, row.fetched),
                show: (row) => (row.fetched > 0 ? `${(100 * part(row.used, row.fetched)).toFixed(1)} %` : "-"),
            },
            placeColumn("most at", jump),
            nameColumn,
        ];
    };

    // The latency in the middle, as the tool has it; null: there is none.
    const medianOf = (timed, n) => {
        let before = 0;
        for (const one of [...timed].sort((a, b) => a.latency - b.latency)) {
            before += one.n;
            if (before > Math.floor(n / 2)) return one.latency;
        }
        return null;
    };

    const sampledRow = (profile, datum) => {
        const loads = datum.samples.filter((one) => !one.store);
        const timed = loads.filter((one) => one.latency >= 0);
        const n = sum(timed, (one) => one.n);
        return {
            text: textOf(profile, datum),
            loads: sum(loads, (one) => one.n),
            stores: sum(datum.samples, (one) => (one.store ? one.n : 0)),
            wait: sum(timed, (one) => one.latency * one.n),
            squares: sum(timed, (one) => one.latency ** 2 * one.n),
            timed: n,
            median: medianOf(timed, n),
            levels: LEVELS.map((_, level) => sum(loads, (one) => (one.level === level ? one.n : 0))),
            most: mostOf(loads, (one) => (one.latency >= 0 ? one.latency * one.n : 0)) ?? mostOf(loads, (one) => one.n),
        };
    };

    const sampledRows = (profile) => profile.data.filter((datum) => datum.samples.length > 0).map((datum) => sampledRow(profile, datum));

    // The share of all waiting, or of the loads where no latency is known, and by how much it is off in 19 of 20 runs.
    const shareOf = (row, wait, loads) => (wait > 0 ? part(row.wait, wait) : part(row.loads, loads));
    const errorOf = (row, wait, squares, loads) => {
        const p = shareOf(row, wait, loads);
        const variance = wait > 0 ? ((1 - p) ** 2 * row.squares + p ** 2 * (squares - row.squares)) / wait ** 2 : part(p * (1 - p), loads);
        return 1.96 * Math.sqrt(Math.max(variance, 0));
    };

    const sampledColumns = (rows, jump) => {
        const [wait, squares, loads] = ["wait", "squares", "loads"].map((key) => sum(rows, (row) => row[key]));
        const share = (row) => shareOf(row, wait, loads);
        const known = (row) => row.loads >= FEW && row.timed >= FEW;
        return [
            { name: wait > 0 ? "waiting" : "share of loads", value: share, show: (row) => `${(100 * share(row)).toFixed(1)} %`, part: share },
            {
                name: "±",
                value: (row) => errorOf(row, wait, squares, loads),
                show: (row) => (row.loads < FEW ? "few" : `${(100 * errorOf(row, wait, squares, loads)).toFixed(1)} %`),
            },
            { name: "loads", value: (row) => row.loads, show: (row) => model.whole(row.loads) },
            { name: "stores", value: (row) => row.stores, show: (row) => model.whole(row.stores) },
            ...LEVELS.map((name, level) => ({
                name,
                value: (row) => part(row.levels[level], row.loads),
                show: (row) => (row.loads > 0 ? `${(100 * part(row.levels[level], row.loads)).toFixed(0)} %` : "-"),
            })).filter((_, level) => rows.some((row) => row.levels[level] > 0)),
            { name: "median", value: (row) => row.median ?? -1, show: (row) => (known(row) ? model.whole(row.median) : "-") },
            { name: "mean", value: (row) => part(row.wait, row.timed), show: (row) => (known(row) ? part(row.wait, row.timed).toFixed(0) : "-") },
            placeColumn("most at", jump),
            nameColumn,
        ];
    };

    const describe = (rows, counted) => {
        if (counted) return "misses of simulated caches, counted";
        const loads = sum(rows, (row) => row.loads);
        const few = loads < 10 * FEW ? "too few for shares" : "a share is off by no more than ± in 19 of 20 runs; latencies in cycles";
        return `${model.whole(loads)} loads that the processor sampled: ${few}`;
    };

    // Draws into the section what there is; without data, the section goes. Returns a function that draws what a search wants.
    const make = (section, profile, jump) => {
        const tables = [
            [countedRows(profile), countedColumns, true],
            [sampledRows(profile), sampledColumns, false],
        ]
            .filter(([rows]) => rows.length > 0)
            .map(([rows, columns, counted]) => [rows, table.make(section, "data", columns(rows, jump)), describe(rows, counted)]);
        if (tables.length === 0) section.remove();
        return (wanted) => {
            for (const [rows, draw, words] of tables) {
                const found = rows.filter((row) => wanted(row.text, row.most?.file, row.most?.routine.name));
                draw(found, `${found.length} of ${rows.length}: ${words}`);
            }
        };
    };

    return { make, textOf };
})();
