#!/usr/bin/env python3
"""Runs the commands that a page shows, and compares what they print with what it says they print.

    run_page.py --wright BINARY --root REPOSITORY PAGE

A block of code, indented or fenced, with a line `$ COMMAND` shows a command and what it prints, to the
next such line or the end of the block. A line of it that is `…` stands for any number of lines, and a `…`
inside of a line for anything. Times, dates and the folder of the person who reads it may differ.

The commands of a page run one after the other, as one person would type them: in one folder, with one home.
Comments that readers do not see direct that:

    <!-- commands: in FOLDER -->   from here on in a copy of tests/docs/scenes/FOLDER; `clone` is the
                                   repository itself, to be read only. What was stored before is kept.
    <!-- commands: afresh -->      from here on with an empty home
    <!-- commands: run COMMAND --> runs, and is not shown
    <!-- commands: counts drift --> from here on, other numbers may differ as well
    <!-- commands: counts hold -->  and from here on not any more
    <!-- commands: not run, REASON --> the next block is only looked at

A page that shows commands and no `in` is refused, so that nothing is left out by mistake.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DIRECTIVE = re.compile(r"<!-- commands: (.*?) -->", re.DOTALL)
SECONDS_A_COMMAND = 300


def blocks_of(text):
    """Yields (line number, directive or list of lines) in the order of the page."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("<!-- commands: "):
            begin = at
            while "-->" not in lines[at]:
                at += 1
            yield begin + 1, DIRECTIVE.match("\n".join(lines[begin : at + 1])).group(1)
            at += 1
        elif line.startswith("```"):
            begin = at + 1
            at = begin
            while at < len(lines) and not lines[at].startswith("```"):
                at += 1
            yield begin + 1, lines[begin:at]
            at += 1
        elif line.startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            begin = at
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                at += 1
            block = [shown[4:] for shown in lines[begin:at]]
            while not block[-1].strip():
                block.pop()
            yield begin + 1, block
        else:
            at += 1


def commands_of(begin, block):
    """Yields (line number, command, the lines that it prints). A command goes on behind a backslash or an
    open quotation mark."""
    at = 0
    while at < len(block) and not block[at].startswith("$ "):
        at += 1
    while at < len(block):
        number = begin + at
        command = block[at][2:]
        at += 1
        while at < len(block) and (command.endswith("\\") or is_open(command)):
            command = command[:-1] + block[at] if command.endswith("\\") else command + " " + block[at].strip()
            at += 1
        shown = []
        while at < len(block) and not block[at].startswith("$ "):
            shown.append(block[at])
            at += 1
        yield number, command, shown


def is_open(command):
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True).returncode != 0


class Reader:
    """The person who types what the page shows."""

    def __init__(self, wright, root):
        self.root = root
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="wright-page-"))
        self.tools = self.place / "bin"
        self.tools.mkdir()
        (self.tools / "wright").symlink_to(wright)
        self.folder = None
        self.drift = False
        self.last = 0
        self.homes = 0
        self.afresh()

    def afresh(self):
        self.homes += 1
        self.home = self.place / f"home{self.homes}"
        self.home.mkdir()
        self.folder = None

    def go_to(self, name):
        if name == "clone":
            self.folder = self.root
            return
        scene = self.root / "tests/docs/scenes" / name
        self.folder = self.home / name
        if not self.folder.exists():
            shutil.copytree(scene, self.folder)

    def type(self, command):
        environment = {
            "HOME": str(self.home),
            "PATH": f"{self.tools}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "USER": "ada",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=0"),
        }
        shell = f"( exit {self.last} ); {command}"
        done = subprocess.run(
            ["bash", "-c", shell],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS_A_COMMAND,
        )
        self.last = done.returncode
        return done.stdout.decode("utf-8", "replace").rstrip("\n").split("\n") if done.stdout else []

    def plain(self, line):
        """What may differ, taken out."""
        for folder, name in ((self.folder, "~/project"), (self.home, "~"), ("/home/ada", "~")):
            line = line.replace(str(folder), name)
        line = re.sub(r"~/(src/wright|project)\b", "~/project", line)
        line = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "<time>", line)
        line = re.sub(r"<?\d+(\.\d+)? (µs|ms|s|min)\b", "<time>", line)
        if self.drift:
            line = re.sub(r"\d+(\.\d+)?k?\b", "<number>", line)
        return re.sub(r"\s+", " ", line).strip()

    def fits(self, shown, printed):
        """Whether what was printed is what is shown, `…` aside. Blank lines do not count."""
        shown = [self.plain(line) for line in shown if line.strip()]
        printed = [self.plain(line) for line in printed if line.strip()]
        pattern = []
        for line in shown:
            if line == "…":
                pattern.append(r"(?:[^\n]*\n)*?")
            else:
                pattern.append("[^\n]*".join(re.escape(part) for part in line.split("…")) + "\n")
        if re.fullmatch("".join(pattern), "".join(line + "\n" for line in printed)):
            return None
        return "\n".join(difflib.unified_diff(shown, printed, "the page", "the command", lineterm="", n=2))

    def leave(self):
        shutil.rmtree(self.place, ignore_errors=True)


def run(page, reader):
    problems = []
    count = 0
    skip = False
    for number, found in blocks_of(page.read_text()):
        if isinstance(found, str):
            word, _, rest = found.partition(" ")
            if word == "in":
                reader.go_to(rest)
            elif word == "afresh":
                reader.afresh()
            elif word == "run":
                printed = reader.type(rest)
                if reader.last != 0:
                    problems.append(f"{page.name}:{number}: exit code {reader.last}\n" + "\n".join(printed))
            elif word == "counts":
                reader.drift = rest == "drift"
            elif found.startswith("not run, "):
                skip = True
            else:
                problems.append(f"{page.name}:{number}: unknown direction '{found}'")
            continue
        commands = list(commands_of(number, found))
        if not commands:
            continue
        if skip:
            skip = False
            continue
        if reader.folder is None:
            problems.append(f"{page.name}:{number}: shows a command, and does not say in which folder it runs")
            continue
        for line, command, shown in commands:
            count += 1
            difference = reader.fits(shown, reader.type(command))
            if difference is not None:
                problems.append(f"{page.name}:{line}: $ {command}\n{difference}")
    return count, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--wright", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("page", type=pathlib.Path)
    given = parser.parse_args()
    reader = Reader(given.wright.resolve(), given.root.resolve())
    try:
        count, problems = run(given.page, reader)
    finally:
        reader.leave()
    for problem in problems:
        print(problem, end="\n\n")
    print(f"{given.page.name}: {count} commands, {len(problems)} otherwise than shown")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
