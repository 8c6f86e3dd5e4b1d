// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Tables of what the processor recorded beside samples: lines of the caches that threads share, branches, and iterations of loops by these.
const records = (() => {
    const FEW = 10;

    const part = (value, whole) => (whole > 0 ? value / whole : 0);

    const whereOf = (place) => (place.line > 0 && place.file !== null ? `${model.base(place.file)}:${place.line}` : place.routine.name);

    const count = (name, of) => ({ name, value: of, show: (row) => model.whole(of(row)) });

    const words = (name, of) => ({ name, text: true, value: of, show: of });

    const placeColumn = (name, of, jump) => ({
        name,
        text: true,
        value: (row) => whereOf(of(row)),
        show: (row) => whereOf(of(row)),
        choose: (row) => (of(row).line > 0 && of(row).file !== null ? () => jump(of(row).file, of(row).line) : null),
    });

    // A share with its error in 19 of 20 runs, as if each of so many records said it once: as in the tool's table.
    const shareColumns = (name, share, records) => [
        { name, value: share, show: (row) => (records(row) < FEW ? "few" : `${(100 * share(row)).toFixed(1)} %`), part: share },
        {
            name: "±",
            value: (row) => (records(row) < FEW ? -1 : share(row) * (1 - share(row))),
            show: (row) => (records(row) < FEW ? "-" : `${(196 * Math.sqrt((share(row) * (1 - share(row))) / records(row))).toFixed(1)} %`),
        },
    ];

    const branchColumns = ({ mispredicted, mispredictedStacks, taken }, jump) => [
        ...shareColumns(
            "misses",
            (row) => part(row.mispredicted, mispredicted),
            () => mispredictedStacks,
        ),
        ...shareColumns(
            "missed",
            (row) => part(row.mispredicted, row.told),
            (row) => (row.told > 0 ? row.stacks : 0),
        ),
        { name: "taken", value: (row) => row.taken, show: (row) => `${(100 * part(row.taken, taken)).toFixed(1)} %` },
        { name: "cycles", value: (row) => part(row.cycles, row.timed), show: (row) => (row.timed < FEW ? "-" : part(row.cycles, row.timed).toFixed(1)) },
        placeColumn("branch", (row) => row.from, jump),
        placeColumn("goes to", (row) => row.to, jump),
        words("routine", (row) => row.from.routine.name),
    ];

    const iterations = (row) => part(row.arrivals, row.entries);

    const loopColumns = (jump) => [
        count("arrivals", (row) => row.arrivals),
        count("entries", (row) => row.entries),
        { name: "iterations", value: (row) => (row.stacks < FEW ? -1 : iterations(row)), show: (row) => (row.stacks < FEW ? "few" : iterations(row).toFixed(1)) },
        {
            name: "±",
            value: (row) => (row.stacks < FEW ? -1 : iterations(row) / Math.sqrt(row.stacks)),
            show: (row) => (row.stacks < FEW ? "-" : ((1.96 * iterations(row)) / Math.sqrt(row.stacks)).toFixed(1)),
        },
        placeColumn("loop from", (row) => row.head, jump),
        placeColumn("to", (row) => row.end, jump),
        words("routine", (row) => row.head.routine.name),
    ];

    const bytesOf = ({ offset, width }) => `${offset}-${width > 0 ? offset + width - 1 : "?"}`;

    const shareRowColumns = (jump) => [
        count("other core", (row) => row.moved),
        count("loads", (row) => row.loads),
        count("stores", (row) => row.stores),
        words("line", (row) => `0x${row.address.toString(16)}`),
        words("process", (row) => String(row.pid)),
        words("thread", (row) => String(row.thread)),
        words("bytes", bytesOf),
        placeColumn("at", (row) => row.place, jump),
        words("data", (row) => row.text),
    ];

    // Draws into a section the tables that have rows; a section without any goes. Returns a function that draws what a search wants.
    const makeAll = (section, tables) => {
        const own = tables
            .filter(({ rows }) => rows.length > 0)
            .map(({ rows, columns, caption, names }) => ({ rows, caption, names, draw: table.make(section, caption, columns) }));
        if (own.length === 0) section.remove();
        return (wanted) => {
            for (const { rows, caption, names, draw } of own) {
                const found = rows.filter((row) => wanted(...names(row)));
                draw(found, `${found.length} of ${rows.length}: ${caption}`);
            }
        };
    };

    const makeBranches = (section, { branches }, jump) =>
        makeAll(section, [
            {
                rows: branches.rows,
                columns: branchColumns(branches, jump),
                caption: "branches that were taken, by the processor's records; ± holds in 19 of 20 runs",
                names: ({ from, to }) => [from.file, from.routine.name, to.file, to.routine.name],
            },
            {
                rows: branches.loops,
                columns: loopColumns(jump),
                caption: "loops; iterations are arrivals at the first instruction for each entry",
                names: ({ head }) => [head.file, head.routine.name],
            },
        ]);

    const makeShared = (section, profile, jump) =>
        makeAll(section, [
            {
                rows: profile.shared.map((row) => ({ ...row, text: data.textOf(profile, row.datum) })),
                columns: shareRowColumns(jump),
                caption: `bytes in lines of ${profile.line_bytes} that threads share, by samples; other core: loads that found the line there`,
                names: ({ text, place }) => [text, place.file, place.routine.name],
            },
        ]);

    return { makeBranches, makeShared };
})();
