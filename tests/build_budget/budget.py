#!/usr/bin/env python3
"""How much each folder makes the compiler write: the functions in its objects, held against budget.json.

    budget.py BUILD_FOLDER [--budget FILE] [--write]

Seconds are noise on a busy machine. The number of functions is not, and the time of a build follows it: a
template that every file instantiates shows here on the day it comes. Prints one table; fails when a folder
passes its budget or has none. --write sets every budget anew, a tenth above what is there.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOM = 1.1  # of what is there, for what is added day by day


def folder_of(output):
    parts = re.sub(r"/?CMakeFiles/.*", "", output).split("/")
    return "/".join(parts[:2]) if parts[0] in ("src", "tests") else parts[0] or "headers compiled once"


def objects_of(build):
    """Those that the build names: one that an earlier build has left does not count."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        output = re.search(r" -o (\S+\.o) ", entry["command"])
        if output and (build / output[1]).exists():
            yield output[1]


def functions_in(build, outputs):
    """nm writes a line for each symbol: name, type, and numbers. T, t and W are functions."""
    lines = subprocess.run(["nm", "--format=posix", "--defined-only", *outputs], cwd=build, check=True,
                           capture_output=True, text=True).stdout
    return len(re.findall(r" [TtW] [0-9a-f]+ [0-9a-f]+$", lines, re.MULTILINE))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--budget", type=pathlib.Path, default=pathlib.Path(__file__).with_name("budget.json"))
    arguments.add_argument("--write", action="store_true")
    options = arguments.parse_args()

    objects = collections.defaultdict(list)
    for output in objects_of(options.build):
        objects[folder_of(output)].append(output)
    if not objects:
        sys.exit(f"There are no objects in {options.build}: build it first.")
    written = {folder: functions_in(options.build, outputs) for folder, outputs in objects.items()}

    if options.write:
        budget = {folder: int(count * ROOM / 100 + 1) * 100 for folder, count in sorted(written.items())}
        options.budget.write_text(json.dumps(budget, indent=2) + "\n")
    budget = json.loads(options.budget.read_text())

    print(f"{'functions':>9}  {'budget':>9}  folder")
    passed = []
    for folder, count in sorted(written.items(), key=lambda entry: -entry[1]):
        allowed = budget.get(folder)
        over = allowed is None or count > allowed
        print(f"{count:>9}  {'none' if allowed is None else allowed:>9}  {folder}{'  <- too many' if over else ''}")
        if over:
            passed.append(folder)
    print(f"{sum(written.values()):>9}  {sum(budget.values()):>9}  all")
    if passed:
        sys.exit(f"Over budget: {', '.join(passed)}. See \"The budget of the build\" in CONTRIBUTING.md.")


if __name__ == "__main__":
    main()
