#!/usr/bin/env python3
"""lint.py BUILD: clang-tidy for everything that is not a test, in the groups in which BUILD compiles it together.

A file alone takes a minute, nearly all of it for the headers that it includes; a group of sixteen takes a minute and a
half. Each finding is printed once; fails if there is one, or if clang-tidy could not look at something. CLANG_TIDY is
the program.
"""
import concurrent.futures
import json
import os
import re
import subprocess
import sys

CHECKED = r"/(include/wright|src|examples)/.*\.(h|cpp)$"
# A finding and what belongs to it: the source line, notes.
BEGINS = re.compile(r"^\S+:\d+:\d+: (warning|error): ", re.MULTILINE)


def files_in(group: str) -> int:
    if "/Unity/" not in group:
        return 1
    with open(group, encoding="utf-8") as file:
        return sum(line.startswith("#include") for line in file)


def groups_of(build: str, root: str) -> list[str]:
    """What the compiler is called for, without tests; what takes longest first."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        files = {entry["file"] for entry in json.load(file)}

    def is_ours(path: str) -> bool:
        if "/Unity/" in path:
            target = os.path.relpath(path, build)
            return target.startswith("src/") and "_test.dir/" not in target
        within = os.path.relpath(path, root)
        return within.startswith(("src/", "examples/")) and not within.endswith("_test.cpp")

    return sorted(filter(is_ours, files), key=files_in, reverse=True)


def findings_in(said: str) -> list[str]:
    said = re.sub(r"^\d+ warnings? generated\.\n", "", said, flags=re.MULTILINE)
    begins = [match.start() for match in BEGINS.finditer(said)]
    return [said[begin:end].rstrip() for begin, end in zip(begins, begins[1:] + [len(said)])]


def look_at(group: str, build: str) -> tuple[str, int, str]:
    words = [os.environ.get("CLANG_TIDY", "clang-tidy-19"), "-p", build, "--quiet", "--header-filter=" + CHECKED, group]
    if "/Unity/" in group:
        words.insert(1, "--checks=-bugprone-suspicious-include")  # of the files that are the group
    ended = subprocess.run(words, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    return group, ended.returncode, ended.stdout + ended.stderr


def main() -> int:
    build = os.path.realpath(sys.argv[1])
    root = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    groups = groups_of(build, root)
    files = sum(files_in(group) for group in groups)
    if files < 100:
        print(f"lint: {build} compiles only {files} files: is it configured?", file=sys.stderr)
        return 1
    shown = set()
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(look_at, group, build) for group in groups]
        for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            group, status, said = done.result()
            findings = findings_in(said)
            for finding in findings:
                if finding not in shown:
                    print(finding.replace(root + "/", ""), flush=True)
                shown.add(finding)
            if status != 0 and not findings:
                failed.append(group)
                print(f"lint: clang-tidy fails for {os.path.relpath(group, root)}:\n{said}", flush=True)
            print(f"lint: {number} of {len(groups)}: {os.path.relpath(group, root)}", file=sys.stderr, flush=True)
    print(f"lint: {files} files in {len(groups)} groups; findings: {len(shown)}")
    return 1 if shown or failed else 0


if __name__ == "__main__":
    sys.exit(main())
