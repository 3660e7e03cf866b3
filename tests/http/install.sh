#!/bin/sh
# Installs aimock, and a newer Node.js where the system's is too old for it:
#
#   install.sh NPM SOURCE_FOLDER TARGET_FOLDER
#
# Leaves the name of the Node.js to use in TARGET_FOLDER/node.
set -eu
npm=$1 source=$2 target=$3

mkdir -p "$target"
cp "$source/package.json" "$source/vendors.mjs" "$source/aws.mjs" "$source/google.mjs" "$target"
cd "$target"

quietly() { "$@" --no-audit --no-fund --no-package-lock --loglevel=error; }

node=$(command -v node)
if ! "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number);
                 process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)'; then
  case $(uname -m) in
    x86_64) platform=x64 ;;
    aarch64) platform=arm64 ;;
    *) echo "aimock needs Node.js 20.15 or newer, and npm has none for $(uname -m)." >&2; exit 1 ;;
  esac
  quietly "$npm" install --no-save "node-linux-$platform@20"
  cp "node_modules/node-linux-$platform/bin/node" node20
  node=$target/node20
fi
# npm warns about an engine that is too old; what runs aimock is the one chosen above.
quietly "$npm" install
ln -sf "$node" node
