// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Elements, whose text is never markup.
const dom = (() => {
    const make = (parent, tag, attributes = {}, text = null) => {
        const element = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes))
            if (value !== null && value !== undefined) element.setAttribute(name, value);
        if (text !== null) element.textContent = text;
        parent.append(element);
        return element;
    };

    const clear = (element) => element.replaceChildren();

    const find = (id) => document.getElementById(id);

    return { make, clear, find };
})();
