#!/bin/sh
# Installs the official inspector and holds it against the product:
#
#   inspector.sh NPM SOURCE_FOLDER TARGET_FOLDER NODE WRIGHT
set -eu
npm=$1 source=$2 target=$3 node=$4 wright=$5
mkdir -p "$target"
cp "$source/inspector.mjs" "$target"
cd "$target"
printf '{"private":true,"type":"module","dependencies":{"@modelcontextprotocol/inspector":"2.12.0"}}\n' > package.json
"$npm" install --no-audit --no-fund --no-package-lock --loglevel=error
exec "$node" inspector.mjs "$wright"
