#!/bin/sh
# Installs the official inspector and holds it against the product: inspector.sh SOURCE_FOLDER TARGET_FOLDER NODE WRIGHT
set -eu
source=$1 target=$2 node=$3 wright=$4
mkdir -p "$target"
cp "$source/inspector.mjs" "$target"
cd "$target"
printf '{"private":true,"type":"module","dependencies":{"@modelcontextprotocol/inspector":"2.12.0"}}\n' > package.json
npm install --no-audit --no-fund --no-package-lock --loglevel=error
exec "$node" inspector.mjs "$wright"
