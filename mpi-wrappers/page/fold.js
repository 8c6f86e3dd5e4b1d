// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Sections that have nothing to say are folded: their heading opens them. On paper all is open.
const fold = (() => {
    const isEmpty = (section) => section.selectAll("tbody tr, svg, canvas").empty();

    const close = (section, why) => {
        const node = section.node(),
            details = document.createElement("details"),
            summary = document.createElement("summary");
        details.className = "folded";
        summary.append(node.querySelector("h2"));
        details.append(summary, ...node.childNodes);
        node.append(details);
        d3.select(summary).append("span").attr("class", "note").text(` ${why}`);
    };

    const printing = () => {
        let closed = [];
        addEventListener("beforeprint", () => {
            closed = [...document.querySelectorAll("details:not([open])")];
            for (const details of closed) details.open = true;
        });
        addEventListener("afterprint", () => {
            for (const details of closed) details.open = false;
        });
    };

    // alike: {section: why it says nothing} where there is something to show.
    return (sections, alike) => {
        for (const id of sections) {
            const section = d3.select(`#${id}`);
            if (alike[id]) close(section, alike[id]);
            else if (isEmpty(section)) close(section, "nothing to show");
        }
        printing();
    };
})();
