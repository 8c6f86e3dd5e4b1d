// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Tables of what a job has many of. A column is {name, show(row)} with show giving text, or draw(cell, row);
// value(row), if it is there, is what a click on the head sorts by; text: true for what is not a number.
const table = (() => {
    const FIRST = 15; // rows that are there without asking

    const fill = (body, columns, rows) => {
        body.selectAll("tr").remove();
        for (const [i, row] of rows.entries()) {
            const line = body.append("tr").attr("class", i >= FIRST ? "more" : null);
            for (const [c, column] of columns.entries()) {
                const cell = line.append(c === 0 ? "th" : "td").attr("class", column.text ? "text" : null);
                if (c === 0) cell.attr("scope", "row");
                if (column.draw) column.draw(cell, row);
                else cell.text(column.show(row));
            }
        }
    };

    // listed(rows) shows them in their new order.
    const sorting = (head, columns, rows, listed) => {
        const cells = head.selectAll("th");
        head.selectAll("button").on("click", (event, column) => {
            const mine = d3.select(event.currentTarget.parentNode);
            // At first what is most, and names from A to Z.
            const down = mine.attr("aria-sort") ? mine.attr("aria-sort") === "ascending" : !column.text;
            cells.attr("aria-sort", null);
            mine.attr("aria-sort", down ? "descending" : "ascending");
            const order = (a, b) =>
                column.text ? String(a).localeCompare(String(b)) : (a ?? -1) - (b ?? -1);
            listed(d3.sort(rows, (a, b) => (down ? -1 : 1) * order(column.value(a), column.value(b))));
        });
    };

    // Returns what says how many rows there are now.
    const more = (parent, whole) => {
        const button = parent.append("button").attr("type", "button").attr("class", "all");
        let rows = 0;
        const say = (now) => {
            rows = now;
            button
                .text(whole.classed("all") ? `Show the first ${FIRST}` : `Show all ${rows}`)
                .attr("aria-expanded", whole.classed("all"))
                .attr("hidden", rows <= FIRST ? "" : null);
        };
        button.on("click", () => {
            whole.classed("all", !whole.classed("all"));
            say(rows);
        });
        return say;
    };

    // What can be searched of a row: its texts.
    const textOf = (columns, row) =>
        columns
            .filter((column) => column.text && column.show)
            .map((column) => column.show(row))
            .join(" ")
            .toLowerCase();

    const searching = (columns, rows, title, caption, wanted) => {
        const texts = new Map();
        search.add((words) => {
            if (words.length > 0 && texts.size === 0) for (const row of rows) texts.set(row, textOf(columns, row));
            const fits = (row) => search.has(texts.get(row), words);
            const found = words.length > 0 ? rows.filter(fits).length : 0;
            title.text(words.length > 0 ? `${caption}: ${found} of ${rows.length} found` : caption);
            wanted(words.length > 0 ? fits : null);
            return found;
        });
    };

    // Heads go on in another line at spaces and hyphens, and in names as perf::PAGE-FAULTS and PAPI_TOT_INS between their parts.
    const parts = (name) => name.match(/[^:_]*[:_]*/g).filter(Boolean);
    const isShort = (name) => name.split(/[\s-]+/).flatMap(parts).every((part) => part.length <= 14);

    // all: every row is there at once; found: the table is what a search has found, and not searched itself.
    const make = (parent, caption, columns, rows, { all = false, found = false } = {}) => {
        // What is wider than the page is scrolled by itself, with the cursor keys too.
        const frame = parent
            .append("div")
            .attr("class", "frame")
            .attr("tabindex", 0)
            .attr("role", "region")
            .attr("aria-label", caption);
        const whole = frame.append("table").classed("all", all);
        const title = whole.append("caption").text(caption);
        const head = whole.append("thead").append("tr");
        head.selectAll("th")
            .data(columns)
            .join("th")
            .attr("scope", "col")
            .attr("class", (d) => (d.text ? "text" : null))
            .classed("words", (d) => isShort(d.name))
            .each(function (column) {
                const cell = d3.select(this);
                const place = column.value ? cell.append("button").attr("type", "button").datum(column) : cell;
                for (const part of parts(column.name)) place.node().append(part, document.createElement("wbr"));
            });
        const body = whole.append("tbody");
        const say = all ? () => {} : more(parent, whole);
        let listed = rows,
            wanted = null;
        const show = () => {
            const shown = wanted ? listed.filter(wanted) : listed;
            fill(body, columns, shown);
            say(shown.length);
        };
        show();
        sorting(head, columns, rows, (sorted) => {
            listed = sorted;
            show();
        });
        if (!found && columns.some((column) => column.text && column.show))
            searching(columns, rows, title, caption, (fits) => {
                wanted = fits;
                show();
            });
        return whole;
    };

    // A bar of parts, each [class, fraction of the whole width].
    const bar = (cell, parts) => {
        const line = cell.append("span").attr("class", "bar");
        for (const [kind, part] of parts)
            line.append("span")
                .attr("class", kind)
                .style("width", `${100 * Math.max(0, Math.min(1, part || 0))}%`);
    };

    return { make, bar };
})();
