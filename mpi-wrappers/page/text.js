// SPDX-License-Identifier: BSD-3-Clause
"use strict";

// Numbers as people read them, the same as in the text report: four digits with their unit.
const text = (() => {
    const digits = (value, unit) => {
        const size = Math.abs(value);
        const decimals = size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0;
        return unit ? `${value.toFixed(decimals)} ${unit}` : value.toFixed(decimals);
    };

    const prefixed = (value, unit) => {
        const prefixes = ["", "k", "M", "G", "T", "P", "E", "Z"];
        let p = 0;
        for (; Math.abs(value) >= 999.95 && p + 1 < prefixes.length; p++) value /= 1000;
        return p === 0 && Number.isInteger(value)
            ? `${value} ${unit}`.trim()
            : digits(value, prefixes[p] + unit);
    };

    const duration = (ns) => {
        const units = ["ns", "us", "ms", "s"];
        let u = 0;
        for (; Math.abs(ns) >= 999.95 && u + 1 < units.length; u++) ns /= 1000;
        if (u === 0) return `${ns.toFixed(0)} ns`;
        return Math.abs(ns) < 9999.5 ? digits(ns, units[u]) : prefixed(ns / 3600, "h");
    };

    // unit "ns", "B", "B/s", "1/ks" or "".
    const figure = (value, unit) => {
        if (value === null || value === undefined || Number.isNaN(value)) return "n/a";
        if (value === 0) return "0";
        if (unit === "ns") return duration(value);
        if (unit === "1/ks") return prefixed(value / 1000, "/s");
        if (unit || Math.abs(value) >= 1e6) return prefixed(value, unit);
        return Number.isInteger(value) ? String(value) : value.toFixed(1);
    };

    // The same of a round number: "2 s" for "2.000 s".
    const round = (value, unit) =>
        figure(value, unit).replace(/\.(\d*?)0+(?= |$)/, (zeros, rest) => rest && `.${rest}`);

    const percent = (fraction) => {
        if (fraction === null || fraction === undefined || Number.isNaN(fraction)) return "n/a";
        const value = fraction * 100;
        if (value > 0 && value < 0.1) return "<0.1 %";
        if (value > 99.9 && value < 100) return ">99.9 %";
        return `${value.toFixed(Number.isInteger(value) || value >= 999 ? 0 : 1)} %`;
    };

    // Sizes of messages are powers of two.
    const size = (bytes) => {
        const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let u = 0;
        for (; bytes >= 1024 && u + 1 < units.length; u++) bytes /= 1024;
        return `${bytes} ${units[u]}`;
    };

    const date = (seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

    const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

    return { figure, round, percent, size, date, count };
})();
