// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// A table that is sorted by a click on a column's head, of which the first rows are there without asking. A column is
// {name, value(row), show(row), text: not a number, part(row): the width of a bar, choose(row): what a click does}.
const table = (() => {
    const FIRST = 20;

    const fillCell = (line, column, row) => {
        const kind = column.text ? "text name" : column.part ? "share" : null;
        const cell = dom.make(line, "td", { class: kind });
        if (column.part) cell.style.setProperty("--part", `${(100 * column.part(row)).toFixed(2)}%`);
        if (column.choose?.(row)) {
            const button = dom.make(cell, "button", { type: "button" }, column.show(row));
            button.addEventListener("click", column.choose(row));
        } else cell.textContent = column.show(row);
    };

    const make = (parent, caption, columns, order = 0) => {
        const frame = dom.make(parent, "div", { class: "frame", tabindex: 0, role: "region", "aria-label": caption });
        const whole = dom.make(frame, "table");
        const title = dom.make(whole, "caption", {}, caption);
        const head = dom.make(dom.make(whole, "thead"), "tr");
        const body = dom.make(whole, "tbody");
        const more = dom.make(parent, "button", { type: "button", class: "all" });
        let rows = [];
        let by = order;
        let down = true;

        const compare = (a, b) => {
            const { value, text } = columns[by];
            const result = text ? value(a).localeCompare(value(b)) : value(a) - value(b);
            return down ? -result : result;
        };

        const say = () => {
            const all = whole.classList.contains("all");
            more.hidden = rows.length <= FIRST;
            more.textContent = all ? `Show the first ${FIRST}` : `Show all ${rows.length}`;
            more.setAttribute("aria-expanded", all);
        };

        const fill = () => {
            dom.clear(body);
            for (const [i, row] of [...rows].sort(compare).entries()) {
                const line = dom.make(body, "tr", { class: i >= FIRST ? "more" : null });
                for (const column of columns) fillCell(line, column, row);
            }
            for (const [i, cell] of [...head.children].entries())
                if (i === by) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
                else cell.removeAttribute("aria-sort");
            say();
        };

        for (const [i, column] of columns.entries()) {
            const cell = dom.make(head, "th", { scope: "col", class: column.text ? "text" : null });
            dom.make(cell, "button", { type: "button" }, column.name).addEventListener("click", () => {
                down = by === i ? !down : !column.text;
                by = i;
                fill();
            });
        }
        more.addEventListener("click", () => {
            whole.classList.toggle("all");
            say();
        });
        return (wanted, words) => {
            rows = wanted;
            if (words) title.textContent = words;
            fill();
        };
    };

    return { make };
})();
