#!/bin/sh
# Installs the vendors' programs: install.sh NPM SOURCE_FOLDER TARGET_FOLDER
set -eu
npm=$1 source=$2 target=$3

mkdir -p "$target"
cp "$source/package.json" "$target"
cd "$target"
"$npm" install --no-audit --no-fund --no-package-lock --loglevel=error
