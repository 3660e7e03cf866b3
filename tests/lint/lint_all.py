#!/usr/bin/env python3
"""lint_all.py SCRIPT BUILD: with a program in place of clang-tidy, the script looks at everything that BUILD compiles but
its tests, prints what is found in several groups once, and fails for a finding and for a group that was not looked at.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TIDY = """#!/bin/bash
group=${!#}
echo "$group" >> "$LOOKED"
case $group in
  *wright_core.dir*) [ "$MODE" != finding ] || { echo "/x/src/a.h:1:2: error: bad [check]"; echo " bad line"; exit 1; } ;;
  *wright_store.dir*) [ "$MODE" != broken ] || { echo "no such file" >&2; exit 1; } ;;
esac
"""


def main():
    script, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        tidy = Path(folder, "tidy")
        tidy.write_text(TIDY)
        tidy.chmod(0o755)

        def run(mode):
            looked = Path(folder, mode)
            ended = subprocess.run([sys.executable, "-B", script, build], capture_output=True, text=True,
                                   env=dict(os.environ, CLANG_TIDY=str(tidy), LOOKED=str(looked), MODE=mode))
            return ended.returncode, ended.stdout, looked.read_text().splitlines()

        status, said, looked = run("clean")
        assert status == 0 and "findings: 0" in said, said
        assert any("wright_store.dir" in group for group in looked), looked
        assert any(group.endswith("/src/app/main.cpp") for group in looked), looked
        assert not any("_test" in group or "/tests/" in group for group in looked), looked
        assert len(looked) == len(set(looked)), looked

        status, said, _ = run("finding")
        assert status == 1 and said.count("src/a.h:1:2: error: bad") == 1 and said.count(" bad line") == 1, said
        assert "findings: 1" in said, said

        status, said, _ = run("broken")
        assert status == 1 and "no such file" in said and "findings: 0" in said, said

        empty = Path(folder, "empty")
        empty.mkdir()
        (empty / "compile_commands.json").write_text("[]")
        ended = subprocess.run([sys.executable, "-B", script, str(empty)], capture_output=True, text=True)
        assert ended.returncode == 1 and "is it configured?" in ended.stderr, ended.stderr


if __name__ == "__main__":
    main()
