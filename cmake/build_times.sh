#!/bin/bash
# build_times.sh BUILD_FOLDER: the seconds that compiling and linking took, by folder, most first; from
# what Ninja noted when each file was last built. With two at a time, the sum is twice the wait.
set -euo pipefail
awk -F '\t' '
  /^#/ { next }
  { took[$4] = ($2 - $1) / 1000 }  # a file that was built again counts once
  END {
    for (file in took) {
      folder = file
      if (folder !~ /\.(o|gch|a)$/ && folder !~ /test$|^wright$/) continue
      sub(/\/?CMakeFiles\/.*/, "", folder)
      if (folder !~ /^(src|tests)\/[a-z_]+/) sub(/\/.*/, "", folder)
      else { split(folder, part, "/"); folder = part[1] "/" part[2] }
      if (folder == "") folder = "headers compiled once"
      seconds[folder] += took[file]; total += took[file]
    }
    for (folder in seconds) printf "%8.1f  %s\n", seconds[folder], folder | "sort -rn"
    close("sort -rn")
    printf "%8.1f  all\n", total
  }' "$1/.ninja_log"
