#!/usr/bin/env python3
"""Counts the instructions of each piece of a turn, and fails when one grew by more than a tenth.

  instruction_counts.py PROGRAM COUNTS.json KEY [--update]

A piece is run with two numbers of turns; the difference is what a turn costs, without the start. KEY
names the architecture and the compiler, whose counts differ; without counts for it the test is
skipped, and --update writes them."""
import json
import re
import shutil
import subprocess
import sys

FEW, MANY = 50, 150
MOST_GROWTH = 1.1
SKIPPED = 77


def instructions(program: str, piece: str, times: int) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, piece, str(times)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or counted is None:
        sys.exit(f"{' '.join(command)} failed:\n{run.stderr}")
    return int(counted.group(1))


def main() -> int:
    update = "--update" in sys.argv
    program, path, key = [word for word in sys.argv[1:] if word != "--update"]
    if shutil.which("valgrind") is None:
        print("valgrind is not installed")
        return SKIPPED
    with open(path, encoding="utf-8") as file:
        counts = json.load(file)
    known = counts.get(key, {})
    pieces = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    measured = {}
    failures = 0
    print(f"{'instructions of a turn':28} {'before':>9} {'now':>9}")
    for piece in pieces:
        now = (instructions(program, piece, MANY) - instructions(program, piece, FEW)) // (MANY - FEW)
        measured[piece] = now
        before = known.get(piece)
        has_grown = before is not None and now > before * MOST_GROWTH
        failures += has_grown
        print(f"{piece:28} {before if before is not None else '-':>9} {now:>9}{'  GREW' if has_grown else ''}")
    if update:
        counts[key] = measured
        with open(path, "w", encoding="utf-8") as file:
            json.dump(counts, file, indent=2, sort_keys=True)
            file.write("\n")
        return 0
    if not known:
        print(f"There are no counts for {key}; --update writes them")
        return SKIPPED
    if failures:
        print("More than a tenth: find out why, or write the new counts with --update and say so in the commit")
    return 1 if failures else 0


sys.exit(main())
