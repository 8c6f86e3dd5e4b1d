// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The last calls of each rank, one after the other: a lane for each thread, calls as boxes, regions as bands behind them,
// messages as lines. It is a canvas, since there may be a million of them; what is narrower than a pixel shares one.
const lanes = (() => {
    const WIDTH = plot.WIDTH,
        LEFT = 96,
        RIGHT = 8,
        TOP = 22,
        MOST_LANES = 64, // at a time
        MOST_LINES = 2000,
        STEP = 0.25; // of what is shown, for a key
    const KINDS = [
        ["point-to-point", "--useful"],
        ["completion", "--mpi"],
        ["collective", "--step8"], // lanes of many ranks are thin: told apart by their lightness
        ["other calls", "--faint"],
    ];

    const kindOf = (cat) => {
        const k = KINDS.findIndex(([name]) => name === cat);
        return k < 0 ? KINDS.length - 1 : k;
    };

    // ---- the file

    const laneName = ({ rank, thread, alone }) => `rank ${rank}${alone || thread === "main thread" ? "" : ` ${thread}`}`;

    // The lanes of all threads, by rank, each with its calls and bands by their begin.
    const lanesOf = (events) => {
        const all = new Map();
        for (const { ph, name, pid, tid, args } of events)
            if (ph === "M" && name === "thread_name")
                all.set(tid, { rank: pid, tid, thread: args.name, calls: [], bands: [] });
        const open = new Map();
        for (const event of events) {
            const lane = all.get(event.tid);
            if (event.ph === "X") lane.calls.push(event);
            else if (event.ph === "b") open.set(event.id, event);
            else if (event.ph === "e") lane.bands.push({ name: event.name, ts: open.get(event.id).ts, end: event.ts });
        }
        const used = [...all.values()].filter(({ calls, bands }) => calls.length + bands.length > 0);
        const ofRank = new Map();
        for (const { rank } of used) ofRank.set(rank, (ofRank.get(rank) ?? 0) + 1);
        for (const lane of used) {
            lane.alone = ofRank.get(lane.rank) === 1;
            lane.calls.sort((a, b) => a.ts - b.ts);
            lane.bands.sort((a, b) => a.ts - b.ts || b.end - a.end);
        }
        return d3.sort(used, (a, b) => a.rank - b.rank || a.tid - b.tid);
    };

    // [from, to, lane, lane], by the time of the send.
    const linesOf = (events, place) => {
        const open = new Map(),
            lines = [];
        for (const { ph, id, ts, tid } of events)
            if (ph === "s") open.set(id, [ts, place.get(tid)]);
            else if (ph === "f") lines.push([open.get(id)[0], ts, open.get(id)[1], place.get(tid)]);
        return lines.sort((a, b) => a[0] - b[0]);
    };

    const read = (file) => {
        if (file.otherData?.format !== "papi_mpi timeline") throw new Error("it is not a timeline");
        const found = lanesOf(file.traceEvents);
        const place = new Map(found.map(({ tid }, i) => [tid, i]));
        const end = d3.max(found, ({ calls, bands }) =>
            Math.max(d3.max(calls, ({ ts, dur }) => ts + dur) ?? 0, d3.max(bands, (band) => band.end) ?? 0),
        );
        return { lanes: found, lines: linesOf(file.traceEvents, place), end: end || 1, sums: file.papi_mpi };
    };

    // ---- words

    const duration = (us) => text.figure(Math.round(us * 1000), "ns");

    const partner = (args, key, words) =>
        args[key] === undefined ? "" : `${words} ${typeof args[key] === "number" ? `rank ${args[key]}` : args[key]} tag ${args[`${key}_tag`]}`;

    const words = (lane, { name, ts, dur, args }) => {
        const within = lane.bands.filter((band) => band.ts <= ts && ts < band.end).map((band) => band.name);
        return [
            `${laneName(lane)}: ${name}${args.at ? ` at ${args.at}` : ""}, ${duration(dur)} from ${duration(ts)} on`,
            args.not_finished ? "not finished" : "",
            partner(args, "to", "to"),
            partner(args, "from", "from"),
            args.bytes > 0 ? text.figure(args.bytes, "B") : "",
            within.length > 0 ? `in ${within.join(", ")}` : "",
        ]
            .filter(Boolean)
            .join(", ");
    };

    // ---- drawing

    // The first of calls that ends after a moment: those of a thread never overlap.
    const firstAt = (calls, moment) => {
        let low = 0,
            high = calls.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (calls[middle].ts + calls[middle].dur < moment) low = middle + 1;
            else high = middle;
        }
        return low;
    };

    const heightOf = (n) => Math.max(8, Math.min(26, Math.floor(520 / n)));

    const colours = (node) => {
        const style = getComputedStyle(node);
        const of = (name) => style.getPropertyValue(name).trim();
        return { kinds: KINDS.map(([, name]) => of(name)), band: of("--line"), ink: of("--ink"), faint: of("--faint"), paper: of("--paper"), line: of("--low") };
    };

    const drawBands = (context, lane, view, x, y, high) => {
        context.globalAlpha = 0.55;
        for (const { ts, end } of lane.bands) {
            if (ts > view.to) break;
            if (end >= view.from) context.fillRect(x(ts), y, Math.max(1, x(end) - x(ts)), high);
        }
        context.globalAlpha = 1;
    };

    // A call that has no pixel of its own is drawn if the last one does not reach it.
    const drawCalls = (context, lane, view, x, y, high, kinds) => {
        let reached = -1;
        for (let i = firstAt(lane.calls, view.from); i < lane.calls.length; i++) {
            const { ts, dur, cat, name } = lane.calls[i];
            if (ts > view.to) break;
            const from = Math.max(LEFT, x(ts)),
                to = Math.min(WIDTH - RIGHT, x(ts + dur));
            if (to <= reached) continue;
            const width = Math.max(1, to - from);
            context.fillStyle = kinds.kinds[kindOf(cat)];
            context.fillRect(from, y, width, high);
            reached = from + width;
            if (high >= 12 && width > 7 * name.length) {
                context.fillStyle = kinds.paper;
                context.fillText(name, from + 3, y + high / 2);
            }
        }
    };

    // So many lines that they can be told apart; the rest is said.
    const drawLines = (context, data, view, x, middle) => {
        const seen = data.lines.filter(
            ([from, to, a, b]) => to >= view.from && from <= view.to && Math.max(a, b) >= view.first && Math.min(a, b) < view.first + view.shown,
        );
        const each = Math.ceil(seen.length / MOST_LINES);
        context.beginPath();
        for (let i = 0; i < seen.length; i += each || 1) {
            const [from, to, a, b] = seen[i];
            context.moveTo(x(from), middle(a));
            context.lineTo(x(to), middle(b));
        }
        context.stroke();
        return [seen.length, each];
    };

    const drawAxis = (context, view, x, height, kinds) => {
        context.fillStyle = kinds.faint;
        context.strokeStyle = kinds.band;
        context.textAlign = "center";
        for (const tick of x.ticks(6)) {
            if (x(tick) < LEFT + 24 || x(tick) > WIDTH - 30) continue;
            context.fillText(duration(tick), x(tick), TOP / 2);
            context.strokeRect(x(tick), TOP - 3, 0, height - TOP + 3);
        }
        context.textAlign = "start";
    };

    const drawing = (canvas, data) => (view) => {
        const ratio = Math.max(2, devicePixelRatio || 1),
            row = heightOf(data.lanes.length),
            height = TOP + view.shown * row,
            kinds = colours(canvas);
        canvas.width = WIDTH * ratio;
        canvas.height = height * ratio;
        const context = canvas.getContext("2d"),
            x = d3.scaleLinear([view.from, view.to], [LEFT, WIDTH - RIGHT]),
            top = (i) => TOP + (i - view.first) * row;
        context.scale(ratio, ratio);
        context.font = `${Math.min(11, row)}px sans-serif`;
        context.textBaseline = "middle";
        drawAxis(context, view, x, height, kinds);
        context.save();
        context.beginPath();
        context.rect(LEFT, TOP, WIDTH - RIGHT - LEFT, height - TOP);
        context.clip();
        for (let i = view.first; i < view.first + view.shown; i++) {
            context.fillStyle = kinds.band;
            drawBands(context, data.lanes[i], view, x, top(i), row - 1);
            drawCalls(context, data.lanes[i], view, x, top(i) + row / 6, row * 0.6, kinds);
        }
        context.strokeStyle = kinds.line;
        context.lineWidth = 0.8;
        const drawn = drawLines(context, data, view, x, (i) => top(i) + row / 2);
        if (view.call) {
            const lane = data.lanes[view.lane];
            context.strokeStyle = kinds.ink;
            context.lineWidth = 2;
            context.strokeRect(x(view.call.ts), top(data.lanes.indexOf(lane)) + 1, Math.max(2, x(view.call.ts + view.call.dur) - x(view.call.ts)), row - 3);
        }
        context.restore();
        context.fillStyle = kinds.ink;
        const each = Math.ceil(10 / row); // names that have room
        for (let i = view.first; i < view.first + view.shown; i++)
            if ((i - view.first) % each === 0) context.fillText(laneName(data.lanes[i]), 2, top(i) + row / 2);
        return drawn;
    };

    // ---- moving

    const limited = (value, least, most) => Math.max(least, Math.min(most, value));

    const start = (section, canvas, data, say, tell) => {
        const all = { from: 0, to: data.end, first: 0, shown: Math.min(MOST_LANES, data.lanes.length), lane: 0, call: null };
        const paint = drawing(canvas, data);
        let view = all,
            asked = 0;

        const now = () => {
            asked = 0;
            const [lines, each] = paint(view);
            tell(view, lines, each);
        };
        const draw = () => (asked = asked || requestAnimationFrame(now));
        const move = (from, to) => {
            const least = Math.min(data.end, 0.01),
                size = limited(to - from, least, data.end),
                begin = limited(from, 0, data.end - size);
            view = { ...view, from: begin, to: begin + size };
            draw();
        };
        const zoom = (factor, at = (view.from + view.to) / 2) => move(at - (at - view.from) * factor, at + (view.to - at) * factor);
        const pan = (part) => move(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));
        const scroll = (n) => {
            view = { ...view, first: limited(view.first + n, 0, data.lanes.length - view.shown) };
            draw();
        };
        const look = (lane, call) => {
            view = { ...view, lane, call };
            say(call ? words(data.lanes[lane], call) : null);
            draw();
        };
        // Goes to a call of the lane, and has it in view.
        const go = (lane, i) => {
            const call = data.lanes[lane].calls[limited(i, 0, data.lanes[lane].calls.length - 1)];
            if (!call) return;
            if (call.ts < view.from || call.ts + call.dur > view.to) {
                const half = (view.to - view.from) / 2;
                move(call.ts + call.dur / 2 - half, call.ts + call.dur / 2 + half);
            }
            if (lane < view.first || lane >= view.first + view.shown) scroll(lane - view.first);
            look(lane, call);
        };
        const step = (n) => {
            const { calls } = data.lanes[view.lane];
            go(view.lane, view.call ? calls.indexOf(view.call) + n : firstAt(calls, view.from));
        };
        const other = (n) => {
            const lane = limited(view.lane + n, 0, data.lanes.length - 1);
            go(lane, firstAt(data.lanes[lane].calls, view.call ? view.call.ts : view.from));
        };
        const at = (event) => {
            const box = canvas.getBoundingClientRect(),
                unit = WIDTH / box.width;
            return {
                time: view.from + ((view.to - view.from) * ((event.clientX - box.x) * unit - LEFT)) / (WIDTH - RIGHT - LEFT),
                lane: view.first + Math.floor(((event.clientY - box.y) * unit - TOP) / heightOf(data.lanes.length)),
            };
        };
        // The call under the pointer, or the next one within two pixels.
        const under = ({ time, lane }) => {
            const calls = data.lanes[lane]?.calls ?? [],
                near = (2 * (view.to - view.from)) / WIDTH,
                call = calls[firstAt(calls, time - near)];
            return call && call.ts - near <= time ? call : null;
        };

        const keys = {
            ArrowLeft: () => step(-1),
            ArrowRight: () => step(1),
            ArrowUp: () => other(-1),
            ArrowDown: () => other(1),
            "+": () => zoom(0.5, view.call ? view.call.ts : undefined),
            "-": () => zoom(2),
            "<": () => pan(-STEP),
            ">": () => pan(STEP),
            PageUp: () => scroll(-view.shown),
            PageDown: () => scroll(view.shown),
            Home: () => move(0, view.to - view.from),
            End: () => move(data.end - (view.to - view.from), data.end),
            0: () => move(0, data.end),
        };
        let held = null;
        d3.select(canvas)
            .on("keydown", (event) => {
                const key = keys[event.key];
                if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
                event.preventDefault();
                key();
            })
            .on("pointerdown", (event) => {
                held = at(event).time;
                if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
            })
            .on("pointerup pointercancel", () => (held = null))
            .on("pointerleave", () => look(view.lane, null))
            .on("pointermove", (event) => {
                const here = at(event);
                if (held !== null) move(view.from + held - here.time, view.to + held - here.time);
                else look(data.lanes[here.lane] ? here.lane : view.lane, under(here));
            })
            .on("dblclick", (event) => zoom(0.5, at(event).time))
            .on("wheel", (event) => {
                // Without a key the wheel moves the page, unless one works on the plot.
                if (!event.ctrlKey && document.activeElement !== canvas) return;
                event.preventDefault();
                zoom(event.deltaY < 0 ? 0.8 : 1.25, at(event).time);
            }, { passive: false });
        for (const which of ["print", "(prefers-color-scheme: dark)"]) matchMedia(which).addEventListener("change", now);
        addEventListener("beforeprint", now);
        now();
        return { zoom, pan, whole: keys[0], lanes: scroll };
    };

    const button = (parent, words, label, action) =>
        parent.append("button").attr("type", "button").attr("aria-label", label).text(words).on("click", action);

    const controls = (section, canvas, moves, data) => {
        const line = section.insert("p", "figure").attr("class", "controls");
        button(line, "+", "zoom in", () => moves().zoom(0.5));
        button(line, "−", "zoom out", () => moves().zoom(2));
        button(line, "◀", "earlier", () => moves().pan(-STEP));
        button(line, "▶", "later", () => moves().pan(STEP));
        button(line, "whole", "the whole timeline", () => moves().whole());
        if (data.lanes.length > MOST_LANES) {
            button(line, "▲", "lanes before", () => moves().lanes(-MOST_LANES));
            button(line, "▼", "lanes after", () => moves().lanes(MOST_LANES));
        }
    };

    const legend = (section) => {
        const line = section.append("ul").attr("class", "legend");
        for (const [name, colour] of [...KINDS, ["region", "--line"], ["message", "--low"]]) {
            const entry = line.append("li");
            entry.append("span").attr("class", "key").style("background", `var(${colour})`);
            entry.append("span").text(name);
        }
    };

    return (section, file) => {
        const data = read(file);
        if (data.lanes.length === 0) {
            section.append("p").attr("class", "missing").text("The timeline has no calls.");
            return;
        }
        legend(section);
        const label = "The last MPI calls of each rank: a lane for each, calls as boxes, messages as lines, regions as bands";
        const canvas = section
            .append("figure")
            .append("canvas")
            .attr("class", "lanes")
            .attr("role", "img")
            .attr("aria-label", label)
            .attr("tabindex", 0)
            .node();
        let moves = null;
        controls(section, canvas, () => moves, data);
        const say = plot.readout(
            section,
            "Point at a call, or use the arrow keys, for its place and partner. + and - zoom, < and > move, 0 shows all; so do dragging and the wheel with Ctrl.",
        );
        const shown = section.append("p").attr("class", "note shown");
        const tell = (view, lines, each) =>
            shown.text(
                `${duration(view.from)} to ${duration(view.to)}` +
                    (data.lanes.length > view.shown ? `, lanes ${view.first + 1} to ${view.first + view.shown} of ${data.lanes.length}` : "") +
                    `, ${text.count(lines, "message")}` +
                    (each > 1 ? `, one line for each ${each} of them` : "") +
                    (data.sums.replaced > 0 ? `. ${text.figure(data.sums.replaced, "")} earlier calls and regions had no room: PAPI_MPI_TIMELINE takes more bytes` : "") +
                    ".",
            );
        moves = start(section, canvas, data, say, tell);
    };
})();
