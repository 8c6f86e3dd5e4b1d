// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The places that cost most: call sites, and regions outside MPI.
const places = (() => {
    const base = (path) => path.slice(path.lastIndexOf("/") + 1);

    const name = ({ call, region, routine, file, line, object, address }) => {
        if (region !== null) return [region, "region, outside MPI"];
        const at = line > 0 ? `${base(file)}:${line}` : routine === null ? `${base(object)}+0x${address.toString(16)}` : "";
        return [[call, at].filter(Boolean).join(" "), routine === null ? "no debug information: build it with -g" : `in ${routine}`];
    };

    // More than all of the time where several threads are there at a time.
    const cost = ({ ns, share }, several) =>
        several ? `${text.figure(ns, "ns")} of all threads` : `${text.percent(share)} of the time, ${text.figure(ns, "ns")}`;

    return (section, result) => {
        const found = result.places ?? [];
        if (found.length === 0) {
            section.append("p").attr("class", "missing").text("No call site and no region takes 1 % of the time or more.");
            return;
        }
        const item = section.append("ol").attr("class", "places").selectAll("li").data(found).join("li");
        item.append("span").attr("class", "name").text((place) => name(place)[0]);
        item.append("span").attr("class", "where").text((place) => name(place)[1]);
        item.append("span").attr("class", "cost").text((place) => cost(place, result.job.threads > 1));
        item.each(function (place) {
            table.bar(d3.select(this), [[place.region === null ? "mpi" : "useful", place.share]]);
        });
    };
})();
