#!/bin/bash
# check_late.sh FOLDER PROGRAM: every function of libcurl, libpq and OpenSSL that the program calls is among those that it
# opens when they are used. One that is missing would bring the whole library back at its start.
set -euo pipefail

needed=$(readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
grep -q '^libc\.so' <<< "$needed" || { echo "FAILED: the program needs only: $needed"; exit 1; }
if late=$(grep -E '^lib(curl|pq|ssl|crypto)' <<< "$needed"); then
  called=$(nm -D --undefined-only "$2" | grep -oE '\b(curl_|PQ|SSL_|EVP_|BIO_)[A-Za-z_]+' | sort -u)
  echo "FAILED: the program needs $late at its start; packaging/program/late_*.cpp lack: $called"
  exit 1
fi
# They are there, under their own names, and nobody else sees them.
count=$(grep -ohE '"[A-Za-z_0-9]+"[,)]' "$1"/late_*.cpp | sort -u | wc -l)
[ "$count" -gt 80 ] || { echo "FAILED: only $count functions are opened late"; exit 1; }
if seen=$(nm -D --defined-only "$2" | grep -E ' (curl_|PQ|SSL_|EVP_)'); then
  echo "FAILED: others see $seen"
  exit 1
fi
