// SPDX-License-Identifier: BSD-3-Clause
"use strict";

(() => {
    const LEVELS = ["single", "funneled", "serialized", "multiple"];

    const base = (path) => path.slice(path.lastIndexOf("/") + 1) || path;

    const facts = ({ job, metric }) => {
        const elapsed = metric("elapsed");
        return [
            ["command", job.command],
            ["MPI", job.mpi],
            ["ranks", `${job.ranks} on ${text.count(job.nodes, "node")}`],
            ["started", job.started > 0 ? `${text.date(job.started)} on ${job.host}` : ""],
            ["elapsed", elapsed.count > 0 ? text.figure(elapsed.largest[0][0], "ns") : ""],
            [
                "threads",
                job.threads > 1 ? `up to ${job.threads} call MPI (${LEVELS[job.thread_level] ?? "?"})` : "",
            ],
        ].filter(([, words]) => words);
    };

    // What other tools found, where the page has it. What is wrong with it does not take the rest of the page along.
    const more = (id, draw) => {
        const data = document.getElementById(`${id}-data`);
        if (data === null) return;
        const section = d3.select(`#${id}`).attr("hidden", null);
        try {
            draw(section, JSON.parse(data.textContent));
        } catch (error) {
            section.append("p").attr("class", "problem").text(`This cannot be shown: ${error.message}.`);
            console.error(error);
        }
    };

    const show = (result) => {
        const name = base(result.job.program) || "MPI job";
        d3.select("#title").text(name);
        document.title = `${name}, ${text.count(result.job.ranks, "rank")}`;
        const entry = d3.select("#facts").selectAll("div").data(facts(result)).join("div");
        entry.append("dt").text(([term]) => term);
        entry.append("dd").text(([, words]) => words);
        const parts = {
            comparison,
            places,
            quality,
            efficiency: tree.ofJob,
            calls,
            communicators,
            sites,
            regions,
            region,
            devices,
            metrics,
            ranks,
            course,
            nodes,
            matrix,
            sizes,
            histograms,
        };
        for (const [id, draw] of Object.entries(parts)) draw(d3.select(`#${id}`), result);
        more("timeline", lanes);
        if (document.getElementById("timeline-data") === null)
            d3.select("#timeline")
                .append("p")
                .attr("class", "missing")
                .text("The job kept none: PAPI_MPI_TIMELINE=4M papi_mpirun PROGRAM keeps the last calls of each rank.");
        more("scaling", scaling);
        more("roofline", roofline);
        more("profile", profile);
        const few = { nodes: result.job.nodes === 1 ? "there is one" : "" };
        fold(["calls", "communicators", "sites", "regions", "metrics", "ranks", "course", "timeline", "nodes", "matrix", "sizes", "histograms"], few);
        search.start(d3.select("#search"), d3.select("#found"));
    };

    try {
        show(model.read(document.getElementById("result").textContent));
    } catch (error) {
        // Whoever reads the page sees it; whoever looks for its cause has it in the console.
        d3.select("main")
            .insert("p", ":first-child")
            .attr("class", "problem")
            .text(`The result in this page cannot be shown: ${error.message}.`);
        throw error;
    }
})();
