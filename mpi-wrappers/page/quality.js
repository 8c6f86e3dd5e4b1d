// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// What the figures are worth: what is missing, what is estimated, what was disturbed.
const quality = (() => {
    const STATES = {
        runs: "ended by a signal, or still at work",
        aborts: "called MPI_Abort",
        exits: "exited without MPI_Finalize",
        unknown: "unknown",
    };

    const people = (n, all) =>
        n === all && all > 1 ? `all ${all} ranks` : `${n} of ${text.count(all, "rank")}`;

    const presence = ({ job }) => [
        [
            job.present < job.ranks,
            `The figures are of ${people(job.present, job.ranks)}: what the others did is not ` + "in them.",
            `The figures are of ${people(job.present, job.ranks)}.`,
        ],
        [
            job.recovered,
            "This report is partial: it was made from the records that the ranks left, because the job " +
                "did not come to its end.",
        ],
        [job.unfinished > 0, `${text.count(job.unfinished, "rank")} did not come to MPI_Finalize.`],
    ];

    const overhead = (job, elapsed, calls) =>
        elapsed === 0 || calls === 0
            ? ""
            : job.overhead_ns === 0
              ? "What counting took was not estimated."
              : `Counting took about ${text.percent(job.overhead_ns / elapsed)} of the time (estimated: ` +
                `${text.figure(job.overhead_ns, "ns")} in all).`;

    // Of counted builds.
    const shared = (share) => {
        if (!share) return [];
        const part = (samples) => text.percent(share.samples > 0 ? samples / share.samples : 0);
        const others = share.routines
            .slice(0, 5)
            .map(({ library, routine, samples }) => `${part(samples)} in ${routine || "(no name)"} of ${library}`);
        return [
            [
                share.samples > share.counted,
                `Counted builds: ${part(share.counted)} of the processor time outside MPI was in code that counts ` +
                    `itself (${share.samples} samples of main threads; the least, ` +
                    `${text.percent(share.least / 10000)}, on rank ${share.least_rank}). Not counted: ` +
                    `${others.join("; ")}. To have it counted, build it with papi_counted, too, or run once under ` +
                    "papi_emulate.",
                share.samples > 0
                    ? `Counted builds: all of ${share.samples} samples outside MPI were in code that counts itself.`
                    : "",
            ],
            [
                share.unknown > 0,
                `What part of ${text.count(share.unknown, "rank")} counts itself is not known: it took SIGPROF, or ` +
                    "ended early.",
            ],
        ];
    };

    const counting = ({ job, counters, metric, time, share }) => [
        [counters.length === 0, `No counters: ${job.counter_reason || "none were asked for."}`],
        [counters.length > 0 && job.counter_reason !== "", `Counters: ${job.counter_reason}`],
        [
            false,
            "",
            counters.length === 0
                ? ""
                : job.counters_inside
                  ? "Counters were read at each MPI call too: what they counted outside MPI is known."
                  : "Counters were read at the boundaries of regions and of the job: they count MPI calls in.",
        ],
        [
            job.multiplexed > 0,
            `Counters shared the hardware on ${text.count(job.multiplexed, "rank")}: their values are ` +
                "scaled from the part of the time in which they counted.",
        ],
        [
            job.lost > 0,
            `${text.count(job.lost, "rank")} lost counters on the way, which are not in the figures: the ` +
                "program called PAPI_shutdown, or closed them.",
        ],
        [
            job.doubtful > 0,
            `Counters of ${text.count(job.doubtful, "rank")} may be too little: the node's energy, say, was not ` +
                "read for so long that its counter can have begun at 0 again twice.",
        ],
        ...counters.map(({ name }, i) => [
            metric(`counter.${i}`).count < job.present,
            `${name} was counted by ${people(metric(`counter.${i}`).count, job.present)}: its figures are of these.`,
        ]),
        [
            job.different > 0,
            `${text.count(job.different, "rank")} did not count what rank 0 did; what rank 0 has not is not shown.`,
        ],
        ...shared(share),
        [false, "", overhead(job, time().total, metric("mpi_calls").total)],
    ];

    const threading = ({ job }) => [
        [
            job.paused_ns > 0,
            `MPI_Pcontrol(0), or PAPI_hl_efficiency itself, left ${text.figure(job.paused_ns, "ns")} (all ranks together) out of the times of ` +
                "calls and ranks; counters and regions have it.",
        ],
        [
            job.thread_ranks > 0,
            `Times of ${job.thread_ranks === job.present ? "all ranks" : text.count(job.thread_ranks, "rank")} are those of all threads ` +
                `that call MPI; these were blocked for ${text.figure(job.blocked_ns ?? 0, "ns")} outside of MPI, which is in no other figure.`,
        ],
        [
            job.other_thread_calls > 0 && !(job.thread_ranks > 0),
            `${text.figure(job.other_thread_calls, "")} MPI calls came from other threads than ` +
                "the main one: their time is among the calls and not in the ranks' MPI time.",
        ],
    ];

    const unknownPath = (result) =>
        model.meetsOthers(result)
            ? "it goes through other jobs, where it is not followed"
            : result.job.path_missed > 0
              ? "it goes through communicators that are not followed"
              : "it was lost on a rank, or not all ranks have followed it";

    const following = (result) => [
        [
            result.job.path_ranks > 0 && (result.efficiency.serialisation ?? null) === null,
            `The critical path is not known: ${unknownPath(result)}.`,
        ],
        [
            result.job.path_missed > 0,
            `${text.figure(result.job.path_missed, "")} messages and collective calls are not in the critical path.`,
        ],
    ];

    const unseen = ({ job }) => [
        [
            job.unseen_ranks > 0,
            `Calls of ${(job.unseen ?? []).map((name) => `P${name}`).join(", ") || "functions PMPI_..."} by the program or its libraries are not ` +
                "counted: MPI time is at least what is here, and useful time at most.",
        ],
    ];

    const ofDevices = ({ devices: all }) => [
        [
            all && all.unasked_devices > 0,
            "The program can use devices: PAPI_MPI_DEVICES=1 shows what they do.",
        ],
        [
            all && all.refused_devices > 0,
            `Devices of ${text.count(all?.refused_devices, "rank")} are not recorded${all?.reason ? `: ${all.reason}` : ""}.`,
        ],
        [
            all && all.device_late_ns + all.device_unfinished + all.device_dropped > 0,
            "Some of what devices did is missing in their times: kernels without an end, or records that came too late or had no room.",
        ],
    ];

    const uncounted = ({ calls }) => {
        const found = calls.filter((call) => call.uncounted > 0);
        const said = found.map(({ name, uncounted }) => `${name} in ${text.count(uncounted, "call")}`);
        return [[found.length > 0, `Bytes that are not counted: ${said.join(", ")}.`]];
    };

    const completeness = ({ job, rows }) => [
        [
            job.regions_left_out > 0,
            `At least ${text.count(job.regions_left_out, "region")} had no place and ` +
                `${job.regions_left_out === 1 ? "is" : "are"} summed up in "other regions".`,
        ],
        [
            job.operations_left > 0,
            `${text.count(job.operations_left, "reduction")} of the program's own (MPI_Op_create) had no place: work in them is taken for MPI's.`,
        ],
        [!rows, "The result has no row for each rank."],
    ];

    const unfinished = (section, rows) =>
        table.make(
            section,
            "Ranks that did not come to MPI_Finalize",
            [
                { name: "rank", value: (d) => d.rank, show: (d) => d.rank },
                { name: "host", text: true, value: (d) => d.host, show: (d) => d.host },
                { name: "process", value: (d) => d.pid, show: (d) => d.pid },
                {
                    name: "how it ended",
                    text: true,
                    value: (d) => d.state,
                    show: (d) => STATES[d.state] ?? d.state,
                },
                {
                    name: "last in",
                    text: true,
                    value: (d) => d.inside ?? "",
                    show: (d) => d.inside ?? "no MPI call",
                },
            ],
            rows,
        );

    return (section, result) => {
        const said = [presence, unseen, counting, threading, following, uncounted, ofDevices, completeness]
            .flatMap((of) => of(result))
            .map(([wrong, words, otherwise]) => (wrong ? ["problem", words] : ["fine", otherwise]))
            .filter(([, words]) => words);
        const list = (parent, wanted) =>
            parent
                .append("ul")
                .attr("class", "quality")
                .selectAll("li")
                .data(said.filter(([kind]) => kind === wanted))
                .join("li")
                .attr("class", wanted)
                .text(([, words]) => words);
        if (said.some(([kind]) => kind === "problem")) list(section, "problem");
        else section.append("p").text("Nothing that is known speaks against them.");
        if (said.some(([kind]) => kind === "fine")) {
            const more = section.append("details");
            more.append("summary").text("How they were measured");
            list(more, "fine");
        }
        const rows = (result.rows ?? []).filter((row) => row.state !== "finalized");
        if (rows.length > 0) unfinished(section, rows);
    };
})();
