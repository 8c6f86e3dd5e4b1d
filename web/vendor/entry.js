// SPDX-License-Identifier: BSD-3-Clause
// What the page uses of D3; esbuild leaves out the rest.
export { max, mean, min, quantileSorted, range, sort, sum } from "d3-array";
export { axisLeft } from "d3-axis";
export { scaleLinear } from "d3-scale";
export { pointer, select } from "d3-selection";
