// SPDX-License-Identifier: BSD-3-Clause
// engine.mjs ENGINE FILE: the file as the engine of Chrome's developer tools reads it (the npm package
// @paulirish/trace_engine at ENGINE), as JSON: what it warns of, ranks, their threads with the calls of each, regions, and
// the two ends of each message, with the call in which each is.
import fs from "node:fs";
import path from "node:path";

const [, , where, file] = process.argv;
globalThis.DOMRect ??= class {};
const said = [];
for (const kind of ["warn", "error", "info", "debug"]) console[kind] = (...words) => said.push(words.join(" "));
console.assert = (right, ...words) => right || said.push(words.join(" "));

const { TraceModel, Handlers, Helpers, Types } = await import(path.resolve(where, "models/trace/trace.js"));
const { traceEvents } = JSON.parse(fs.readFileSync(file, "utf8"));
const model = TraceModel.Model.createWithAllHandlers();
await model.parse(structuredClone(traceEvents));
const { data } = model.parsedTrace();

const threads = Handlers.Threads.threadsInTrace(data);
const callAt = ({ ts, pid, tid }) =>
    threads
        .find((thread) => thread.pid === pid && thread.tid === tid)
        .entries.filter((entry) => entry.ts <= ts + 0.001 && ts <= entry.ts + entry.dur + 0.001)
        .map(({ name }) => name);
const unknown = traceEvents.filter((event) => !Object.values(Types.Events.Phase).includes(event.ph));
const async = traceEvents.filter((event) => Types.Events.isPhaseAsync(event.ph));
const bands = Helpers.Trace.createMatchedSortedSyntheticEvents(async);
const flows = traceEvents.filter((event) => Types.Events.isFlowPhaseEvent(event));
const ends = Map.groupBy?.(flows, ({ id }) => id) ?? flows.reduce((all, one) => all.set(one.id, [...(all.get(one.id) ?? []), one]), new Map());
process.stdout.write(
    JSON.stringify({
        said,
        unknown,
        generic: data.Meta.traceIsGeneric,
        ranks: [...data.Meta.processNames].map(([pid, event]) => [pid, event.args.name]),
        threads: threads.map(({ pid, name, entries }) => ({ rank: pid, name, calls: entries.map((entry) => [entry.name, entry.ts, entry.dur]) })),
        regions: bands.map(({ name, pid, ts, dur }) => [name, pid, ts, dur]),
        messages: [...ends.values()].map((both) => both.map((end) => [end.ph, callAt(end)])),
    }),
);
