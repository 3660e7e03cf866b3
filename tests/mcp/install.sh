#!/bin/sh
# Installs what the tests of MCP speak with: install.sh SOURCE_FOLDER TARGET_FOLDER
set -eu
"$(dirname "$0")/../npm/install.sh" "$@"
# The suite asks for a function of Node.js 22 that it needs for none of its scenarios here.
suite=$2/node_modules/@modelcontextprotocol/conformance/dist
sed -E 's/globSync as [A-Za-z]+,//' "$suite/index.js" > "$suite/on_older_node.js"
