#!/bin/sh
# Installs what the tests of MCP speak with:
#
#   install.sh NPM SOURCE_FOLDER TARGET_FOLDER
set -eu
npm=$1 source=$2 target=$3
mkdir -p "$target"
cp "$source/package.json" "$source"/*.mjs "$target"
cd "$target"
"$npm" install --no-audit --no-fund --no-package-lock --loglevel=error
# The suite asks for a function of Node.js 22 that it needs for none of its scenarios here.
suite=node_modules/@modelcontextprotocol/conformance/dist
sed -E 's/globSync as [A-Za-z]+,//' "$suite/index.js" > "$suite/on_older_node.js"
