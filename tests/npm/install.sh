#!/bin/sh
# Installs what a package.json names: install.sh SOURCE_FOLDER TARGET_FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
source=$1 target=$2

# On a new machine it is being installed while the compilers run.
"$here/../../packaging/install-packages.sh" --check npm
mkdir -p "$target"
cp "$source/package.json" "$target"
cd "$target"

# Names of packages that are not there. npm leaves an empty folder, and says nothing, when it could
# not fetch one that another names as optional.
missing() {
  node -e 'const { existsSync } = require("node:fs");
    for (const name of Object.keys(require("./package.json").dependencies)) {
      if (!existsSync(`node_modules/${name}/package.json`)) console.log(name);
    }'
}

for attempt in 1 2 3; do
  npm install --no-audit --no-fund --no-package-lock --loglevel=error
  [ -n "$(missing)" ] || exit 0
  for name in $(missing); do rm -rf "node_modules/$name"; done
  rm -f node_modules/.package-lock.json
done
echo "npm does not install: $(missing)" >&2
exit 1
