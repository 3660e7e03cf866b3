#!/usr/bin/env python3
"""nightly_targets.py SOURCE BUILD CTEST: whether each test that only `ctest -C nightly` knows is run by a
target of the Makefile that packaging/nightly.sh calls."""
import json
import re
import subprocess
import sys
from pathlib import Path

# Tests whose target does the same without ctest.
BY_OTHER_MEANS = {"Subproject.FetchContent_works": "subproject"}


def names(ctest, build, *options):
    listed = subprocess.run([ctest, "--test-dir", build, "--show-only=json-v1", *options],
                            capture_output=True, text=True, check=True)
    return {test["name"] for test in json.loads(listed.stdout)["tests"] if test.get("command")}


def main():
    source, build, ctest = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    called = re.findall(r"\b([a-z]+)=\d+", (source / "packaging/nightly.sh").read_text())
    patterns = []
    target = ""
    for line in (source / "Makefile").read_text().splitlines():
        if found := re.match(r"([a-z-]+):", line):
            target = found[1]
        found = re.search(r"ctest .*-C nightly -R (?:'([^']+)'|(\S+))", line)
        if found and target in called:
            patterns.append((found[1] or found[2]).replace("$$", "$"))
    if not patterns:
        sys.exit("no target of the Makefile runs tests of the night: this test is out of date")
    nightly = names(ctest, build, "-C", "nightly") - names(ctest, build)
    left = [name for name in sorted(nightly)
            if BY_OTHER_MEANS.get(name) not in called
            and not any(re.search(pattern, name) for pattern in patterns)]
    if left:
        sys.exit(f"run by no target that packaging/nightly.sh calls: {', '.join(left)}")


main()
