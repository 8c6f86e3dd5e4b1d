// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// The result of a job as its file has it, and what the plots ask of it.
const model = (() => {
    const FORMAT = "papi_mpi result";

    const label = (metric) =>
        metric.key.startsWith("outside_mpi.") ? `${metric.name} outside MPI` : metric.name;

    // The ranks that the file names for a metric whether it has rows or not, once each.
    const named = (metric) => {
        const known = new Map(
            [...metric.smallest, ...metric.largest].map(([value, rank]) => [rank, [value, rank]]),
        );
        return sorted([...known.values()]);
    };

    const sorted = (pairs) => pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);

    // All values of a metric, sorted, where they are known, otherwise null. Rows need not have what all ranks together know.
    const valuesOf = (metric, rows, place) => {
        if (
            rows &&
            place >= 0 &&
            rows.length === metric.count &&
            rows.every((row) => row.values[place] !== null)
        )
            return sorted(rows.map((row) => [row.values[place], row.rank]));
        const known = named(metric);
        return known.length === metric.count && known.length > 0 ? known : null;
    };

    // Where a part of all values is below: exact from the values, otherwise inside a bucket in proportion.
    const quantile = (metric, part) => {
        if (metric.count === 0) return NaN;
        if (metric.values)
            return d3.quantileSorted(
                metric.values.map((d) => d[0]),
                part,
            );
        let left = part * metric.count;
        const [low, high] = [metric.smallest[0][0], metric.largest[0][0]];
        for (const [start, ranks] of metric.buckets) {
            if (left <= ranks) {
                const value = start + (left / ranks) * (bucketEnd(start) - start);
                return Math.max(low, Math.min(high, value));
            }
            left -= ranks;
        }
        return high;
    };

    // The buckets are log-linear, four to an octave, and hold one value below 8.
    const bucketEnd = (start) => (start < 8 ? start + 1 : start + 2 ** (Math.floor(Math.log2(start)) - 2));

    // Ranks that stand out, judged by the middle half of all, as in the text report. Of the known ones: all
    // where there are rows, otherwise the eight smallest and the eight largest.
    const outliersOf = (metric) => {
        if (metric.count < 3 || metric.key.startsWith("node_")) return [];
        const [p25, p50, p75] = [0.25, 0.5, 0.75].map((part) => quantile(metric, part));
        // Counts that differ by less are nothing to look at: 1 beside 0.
        const trifle = metric.unit === "" && !/^(counter|outside_mpi)\./.test(metric.key) ? 100 : 0;
        const fence = Math.max(5 * Math.max((p75 - p25) / 1.349, p50 * (metric.values ? 0.02 : 0.07)), trifle);
        return (metric.values ?? named(metric)).filter(([value]) => Math.abs(value - p50) > fence);
    };

    // What all ranks together have for each second, in the units of their metrics. Results of earlier versions have none.
    const ratesOf = ({ rates = {} }) => ({ ...rates, message_rate: (rates.message_rate ?? NaN) * 1000 });

    const complete = (metric, rows, place, rates) => {
        const found = { ...metric, label: label(metric), place };
        found.values = valuesOf(metric, rows, place);
        // Rates do not add up.
        found.total = metric.key in rates ? rates[metric.key] : Number(metric.sum);
        found.outliers = outliersOf(found);
        // The file has them from its buckets.
        if (found.values)
            for (const percent of [5, 50, 95]) found[`p${percent}`] = quantile(found, percent / 100);
        return found;
    };

    // The time of each call as a figure of ranks, for plots that have a place for any: 0 where a rank did not make it.
    const callsOf = (result) => {
        const names = result.row_calls ?? [];
        if (result.rows.length === 0 || names.length === 0) return [];
        const first = result.row_values.length;
        for (const row of result.rows) row.values.push(...row.calls.map((values) => values?.[1] ?? 0));
        return names.map((name, i) => ({ key: `call.${name}`, label: `time in ${name}`, unit: "ns", place: first + i }));
    };

    const read = (file) => {
        const result = JSON.parse(file);
        if (result.format !== FORMAT) throw new Error(`its format is not "${FORMAT}"`);
        const rows = result.rows.length > 0 ? result.rows : null;
        const metrics = result.metrics.map((metric) =>
            complete(metric, rows, result.row_values.indexOf(metric.key), ratesOf(result)),
        );
        const ofCalls = callsOf(result);
        const metric = (wanted) => metrics.find(({ key }) => key === wanted);
        // The time that efficiencies are of: that of all threads, where others call MPI.
        const time = () => metric("threads_time") ?? metric("elapsed");
        // What shares are of: that of all ranks, if each ran as long as the longest one.
        const whole = ({ count, largest }) => (count > 0 ? count * largest[0][0] : 0);
        return { ...result, rows, metrics, ofCalls, metric, time, whole };
    };

    // True if the job met another one: how long it waited for that one is not known, and the critical path not followed.
    const meetsOthers = ({ job, calls }) =>
        calls.some(({ name }) =>
            /^MPI_Comm_(spawn|spawn_multiple|accept|connect|join)$/.test(name) || (job.spawned > 0 && name === "MPI_Comm_disconnect"),
        );

    // What stands for a plot that needs a row for each rank.
    const noRows = ({ job }) =>
        job.present === 0
            ? "No rank left any figures."
            : "This plot needs the figures of each rank, which this result does not have: they are left out of the file " +
              "of more than 16,384 ranks, or where PAPI_MPI_ROWS=no. With PAPI_MPI_ROWS=yes they are there.";

    return { read, quantile, bucketEnd, meetsOthers, noRows };
})();
