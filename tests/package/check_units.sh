#!/bin/bash
# check_units.sh FOLDER PROGRAM: systemd finds nothing wrong with the units, once they name a program that is
# there; and every option in them is one that the program has.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1"/*.service "$1"/*.socket "$work"
sed -i "s#^ExecStart=/usr/bin/wright #ExecStart=$2 #" "$work"/*.service
grep -qF "ExecStart=$2 serve" "$work/wright-serve.service"
grep -qF "ExecStart=$2 worker" "$work/wright-worker.service"
# Of others' units it may say something, of ours nothing.
said=$(systemd-analyze verify --man=no "$work"/wright-* 2>&1) || { echo "$said"; exit 1; }
if grep wright <<< "$said"; then exit 1; fi
for command in serve worker; do "$2" "$command" --help > /dev/null; done

# It must be able to fail.
echo 'ProtectSytem=strict' >> "$work/wright-serve.service"
systemd-analyze verify --man=no "$work/wright-serve.service" 2>&1 | grep -q ProtectSytem
