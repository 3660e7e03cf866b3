#!/bin/sh
# Installs aimock, and a newer Node.js where the system's is too old for it:
#
#   install.sh SOURCE_FOLDER TARGET_FOLDER
#
# Leaves the name of the Node.js to use in TARGET_FOLDER/node.
set -eu
# npm warns about an engine that is too old; what runs aimock is the one chosen below.
"$(dirname "$0")/../npm/install.sh" "$@"
cd "$2"

node=$(command -v node)
if ! "$node" -e 'const [a, b] = process.versions.node.split(".").map(Number);
                 process.exit(a > 20 || (a === 20 && b >= 15) ? 0 : 1)'; then
  case $(uname -m) in
    x86_64) platform=x64 ;;
    aarch64) platform=arm64 ;;
    *) echo "aimock needs Node.js 20.15 or newer, and npm has none for $(uname -m)." >&2; exit 1 ;;
  esac
  npm install --no-save --no-audit --no-fund --no-package-lock --loglevel=error "node-linux-$platform@20"
  cp "node_modules/node-linux-$platform/bin/node" node20
  node=$PWD/node20
fi
ln -sf "$node" node
