// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// What is typed into the page's search field goes to all that can show a part of what it has.
const search = (() => {
    const listeners = [];

    // find(words) shows what has all these words, everything where there are none, and returns how many it found.
    const add = (find) => listeners.push(find);

    const has = (text, words) => words.every((word) => text.includes(word));

    const look = (typed) => {
        const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
        const found = d3.sum(listeners, (find) => find(words));
        return words.length > 0 ? `${text.count(found, "row")} found` : "";
    };

    const start = (field, said) => field.on("input", () => said.text(look(field.property("value"))));

    return { add, has, start };
})();
