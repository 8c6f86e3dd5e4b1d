#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Usage: web/vendor/make.sh
# Makes d3.js and LICENSE again from npm, in the versions of package-lock.json. Only for a change of those
# versions or of entry.js: both files are in the repository, so that the build needs no network.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json package-lock.json entry.js "$work"
here=$PWD
cd "$work"
npm ci --no-audit --no-fund
# esbuild's package holds the licence of esbuild, which is no part of the result.
npx --no-install esbuild entry.js --bundle --minify --format=iife --global-name=d3 --target=es2020 \
    --charset=ascii --legal-comments=none \
    --banner:js="/* D3 (https://d3js.org), parts of it: ISC, see LICENSE beside this file. Made by make.sh. */" \
    --metafile=made.json --outfile="$here/d3.js"
node - >"$here/LICENSE" <<'END'
const fs = require("fs");
const inputs = Object.keys(JSON.parse(fs.readFileSync("made.json", "utf8")).inputs);
const modules = new Set(inputs.map((path) => path.match(/^node_modules\/([^/]+)\//)).filter(Boolean).map((m) => m[1]));
const texts = new Map();
for (const name of [...modules].sort()) {
  const { version } = require(`./node_modules/${name}/package.json`);
  const text = fs.readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
}
process.stdout.write("d3.js is made of these modules, under these licences.\n");
for (const [text, names] of texts) process.stdout.write(`\n${"-".repeat(72)}\n${names.join(", ")}\n\n${text}\n`);
END
