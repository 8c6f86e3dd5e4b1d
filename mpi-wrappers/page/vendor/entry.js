// SPDX-License-Identifier: BSD-3-Clause
// What the page uses of D3; esbuild leaves out the rest.
export { bin, max, mean, median, min, quantileSorted, sum } from "d3-array";
export { axisBottom, axisLeft } from "d3-axis";
export { format } from "d3-format";
export { scaleBand, scaleLinear } from "d3-scale";
export { create, pointer, select } from "d3-selection";
