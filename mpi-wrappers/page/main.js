// SPDX-License-Identifier: BSD-3-Clause
"use strict";
(() => {
  const result = JSON.parse(document.getElementById("result").textContent);
  d3.select("#title").text(result.program ?? "MPI job");
})();
